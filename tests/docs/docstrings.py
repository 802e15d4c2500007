"""Docstrings by who reads them: those of public names, which the pages show, and those of internals."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from sparsek import rcompat
from tests.places import ROOT

NAMES = "Parameters|Returns|Yields|Raises|Warns|Attributes|Notes|References|Examples|See Also"
SECTION = re.compile(rf"^( *)({NAMES})\n\1-+$", re.MULTILINE)
NAME = r"\w+(?:\.\w+)*"
HEADING = re.compile(
    rf"^( *)\S.*\n(?=\1 +\S)|^ *[*\w][\w, *.]* : .*\n|^ *{NAME}(?:, {NAME})*\n", re.MULTILINE
)
"""The heading of an entry: what stands above a text, with a type, or as a name alone."""
Node = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def listed_names() -> list[tuple[str, str]]:
    """Module and name of all that the API page lists, and of R's functions."""
    found, module = [("sparsek.rcompat", name) for name in rcompat.__all__], "sparsek"
    for line in (ROOT / "docs" / "api.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w[\w.]*", line):
            found.append((module, line.strip()))
    return found


@cache
def public_places() -> set[tuple[str, str]]:
    """File and qualified name of everything public: functions, classes with their bases, and methods."""
    found: set[tuple[str, str]] = set()

    def add(item: Any) -> None:
        parts = (getattr(item, name, None) for name in ("fget", "func", "fn"))  # "fn": of `available_if`
        item = next((part for part in parts if part is not None), item)
        item = inspect.unwrap(getattr(item, "__func__", item))
        module = getattr(item, "__module__", None) or ""
        if module.startswith("sparsek") and hasattr(item, "__qualname__"):
            file = inspect.getsourcefile(import_module(module))
            found.add((str(file), item.__qualname__))

    for module, name in listed_names():
        item = getattr(import_module(module), name.split(".")[0], None)
        add(item)
        for base in inspect.getmro(item) if inspect.isclass(item) else ():
            add(base)
            for key, member in vars(base).items():
                if not key.startswith("_"):
                    add(member)
    return found


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Node]]:
    """Classes and functions of a file with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
            yield from definitions(node, f"{prefix}{node.name}.<locals>.")
        else:
            yield from definitions(node, prefix)


def internal_sections() -> Iterator[tuple[Path, str, Node]]:
    """Internals whose docstrings have sections of numpydoc: file, qualified name and definition."""
    public = public_places()
    for folder in ("sparsek", "validation", "r_reference"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            source = file.read_text(encoding="utf-8")
            for name, node in definitions(ast.parse(source)) if SECTION.search(source) else ():
                text = ast.get_docstring(node, clean=True)
                if text and SECTION.search(text) and (str(file), name) not in public:
                    yield file, name, node


@cache
def public_docstrings() -> list[tuple[str, str]]:
    """Docstrings of public names as they are written: file and qualified name, and text."""
    public = public_places()
    return [
        (f"{file.relative_to(ROOT)}: {name}", text)
        for file in sorted((ROOT / "sparsek").rglob("*.py"))
        for name, node in definitions(ast.parse(file.read_text(encoding="utf-8")))
        if (text := ast.get_docstring(node, clean=True)) and (str(file), name) in public
    ]


def sentences(text: str) -> Iterator[str]:
    """The sentences of a docstring, without examples, references and the headings of entries."""
    parts = SECTION.split(text)
    for section, body in zip(("", *parts[2::3]), (parts[0], *parts[3::3]), strict=True):
        if section not in ("Examples", "See Also", "References"):
            for paragraph in re.split(r"\n\s*\n", HEADING.sub("\n", body)):
                yield from re.split(r"(?<=[.;])\s+", " ".join(paragraph.split()))

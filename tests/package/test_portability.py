"""What would differ on Windows or macOS: encodings, names of files, line ends, modules."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.places import ROOT

SOURCES = sorted((ROOT / "sparsek").rglob("*.py"))
FILES = [path.relative_to(ROOT) for folder in ("sparsek", "tests", "r_reference", "validation", "docs")
         for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]  # fmt: skip
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
POSIX_MODULES = {"fcntl", "grp", "pwd", "resource", "syslog", "termios"}


def calls_of(source: str) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]


def names_encoding(call: ast.Call) -> bool:
    """Whether a call of open, read_text or write_text names its encoding, or reads bytes."""
    of_path = isinstance(call.func, ast.Attribute)
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = getattr(getattr(call.func, "value", None), "id", "")
    if name not in ("open", "read_text", "write_text") or owner in ("os", "archive"):
        return True  # members of a zip archive are bytes
    mode = [*call.args[0 if of_path else 1 :], *(key.value for key in call.keywords if key.arg == "mode")]
    modes = [str(part.value) for part in mode if isinstance(part, ast.Constant)]
    if ast.unparse(call.func) == "gzip.open":  # bytes, without a mode
        return not modes or any("b" in text for text in modes)
    return (name == "open" and any("b" in text for text in modes)) or any(
        key.arg == "encoding" for key in call.keywords
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("open(p)", False),
        ("open(p, 'rb')", True),
        ("p.open('wb')", True),
        ("p.read_text()", False),
        ("p.write_text('a', encoding='utf-8')", True),
        ("os.open(p, 0)", True),
        ("archive.open('member', 'w')", True),
        ("gzip.open(p)", True),
        ("gzip.open(p, 'rt')", False),
    ],
)
def test_the_check_of_encodings(code: str, expected: bool) -> None:
    assert names_encoding(calls_of(code)[0]) is expected


@pytest.mark.thorough
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_text_files_are_utf8_on_every_platform(path: Path) -> None:
    # Windows opens text in the code page of the country otherwise.
    calls = [call for call in calls_of(path.read_text(encoding="utf-8")) if not names_encoding(call)]
    assert {ast.unparse(call.func) for call in calls} <= {"read_text"}  # a function of sparsek.datasets


def test_no_module_of_posix_is_imported() -> None:
    named = re.compile(rf"^\s*(?:from|import)\b.*\b(?:{'|'.join(POSIX_MODULES)})\b", re.MULTILINE)
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    for path in (path for path, text in texts.items() if named.search(text)):
        for node in ast.walk(ast.parse(texts[path])):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert POSIX_MODULES.isdisjoint(name.partition(".")[0] for name in names), path


def test_names_of_files_are_legal_and_differ_by_more_than_case() -> None:
    # What `make docs` writes counts too, but not sphinx-gallery's lists of examples, which are empty.
    lists = ("docs", "api", "examples")
    counts = Counter(path.as_posix().lower() for path in FILES if path.parts[:3] != lists)
    assert [name for name, count in counts.items() if count > 1] == []
    parts = {part for path in FILES for part in path.parts}
    assert {part.split(".")[0].lower() for part in parts}.isdisjoint(RESERVED)
    assert set("".join(parts)).isdisjoint('<>:"|?*\\')


def test_git_leaves_line_ends_alone() -> None:
    # Checksums and R's recorded texts are of files with "\n".
    assert (ROOT / ".gitattributes").read_text(encoding="utf-8") == "* text=auto eol=lf\n"

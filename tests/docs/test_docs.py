"""Checks of the documentation: docstrings follow numpydoc, the README runs, tables name real tests."""

import inspect
import re
import sys
import tomllib
from functools import cache
from typing import Any

import pytest
from numpydoc.validate import validate

import sparsek
from sparsek import errors, federated, inference, init, plots, rcompat, rng
from tests.places import ROOT
from validation.report.requirements import load_table

CHECKS = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["numpydoc_validation"][
        "checks"
    ]
)


def list_public_names() -> list[str]:
    """Dotted names of the public API: names that the packages export, and methods that our classes define."""
    exported = {
        f"{module.__name__}.{name}": module
        for module in (sparsek, rcompat, federated, inference, init, plots)
        for name in module.__all__
    }
    exported |= {
        "sparsek.rng.RRandom": rng,
        "sparsek.errors.RError": errors,
        "sparsek.errors.RWarning": errors,
    }
    names = []
    for dotted, module in exported.items():
        item = getattr(module, dotted.rpartition(".")[2])
        if callable(item):
            names.append(dotted)
        if inspect.isclass(item):
            own = inspect.getmembers(
                item, lambda m: inspect.isfunction(m) and m.__module__.startswith("sparsek")
            )
            names += [f"{dotted}.{method}" for method, _ in own if not method.startswith("_")]
    return names


def names_by_room() -> dict[str, list[str]]:
    """The names of the public API, by the module that has them or their class."""
    rooms: dict[str, list[str]] = {}
    for name in list_public_names():
        owner = name.rpartition(".")[0]
        rooms.setdefault(owner if owner in sys.modules else owner.rpartition(".")[0], []).append(name)
    return rooms


def numpydoc_errors(name: str) -> list[str]:
    """What numpydoc finds in the docstring of a name."""
    checks = CHECKS | {"GL08"}
    module, _, last = name.rpartition(".")
    item = getattr(sys.modules.get(module), last, None)
    if inspect.isclass(item) and "__init__" not in vars(item):
        checks -= {"PR01"}  # the base class with the constructor documents the parameters
    return [f"{name}: {code}: {text}" for code, text in validate(name)["errors"] if code in checks]


@pytest.mark.parametrize(("room", "names"), names_by_room().items(), ids=names_by_room())
def test_docstring_follows_numpydoc(room: str, names: list[str]) -> None:
    assert [error for name in names for error in numpydoc_errors(name)] == []


def test_pages_name_functions_that_exist() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        for name in re.findall(r"rcompat\.(\w+)\(", page.read_text(encoding="utf-8")):
            assert hasattr(rcompat, name), f"{page.name}: {name}"


def test_readme_names_files_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:r_reference|docs|validation|sparsek)/[\w./]*)`", readme):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"\]\(([\w./]+)\)", readme):
        assert (ROOT / path).exists(), path


@cache
def list_tests() -> set[str]:
    """Every test as `tests/test_x.py::test_y`, and every file of tests."""
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        relative = path.relative_to(ROOT).as_posix()
        found.add(relative)
        names = re.findall(r"^(?:    )?def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
        found |= {f"{relative}::{name}" for name in names}
    return found


@pytest.mark.parametrize("table", ["requirements", "deviations"])
def test_tables_name_tests_that_exist(table: str) -> None:
    entries: list[dict[str, Any]] = load_table(table)
    named = {test for entry in entries for test in entry["tests"]}
    assert named - list_tests() == set()
    assert all(entry["tests"] for entry in entries)
    ids = [entry["id"] for entry in entries]
    assert len(ids) == len(set(ids))

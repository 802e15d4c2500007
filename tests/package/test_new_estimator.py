"""The worked example of CONTRIBUTING.md: an estimator in three places is imported, listed and checked."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

NAME = "StandardizedKMeans"
REGISTRY = "sparsek/_registry.py"
BLOCK = re.compile(
    r"^(`{3,4})(?:python|markdown)\n(?:# |<!-- )([\w./]+)(?: -->)?\n(.*?)^\1$", re.DOTALL | re.MULTILINE
)


def example_files() -> dict[str, str]:
    """Path and text of every file that the section shows."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding an estimator\n")[2]
    section = section[: re.search(r"^Then `python docs/write_lists.py`", section, re.MULTILINE).start()]
    return {path: text for _, path, text in BLOCK.findall(section)}


def run(tree: Path, *arguments: str) -> str:
    """Output of the interpreter in the copy."""
    environment = os.environ | {"PYTHONPATH": str(tree)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the estimator in it."""
    copy = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for folder in ("sparsek", "docs", "tests"):
        shutil.copytree(
            ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "_made", "_build")
        )
    files = example_files()
    row = files.pop(REGISTRY)
    registry = copy / REGISTRY
    registry.write_text(
        registry.read_text(encoding="utf-8").replace("\n)\n", f"\n{row})\n", 1), encoding="utf-8"
    )
    for path, text in files.items():
        (copy / path).parent.mkdir(exist_ok=True)
        (copy / path).write_text(text, encoding="utf-8")
    run(copy, "docs/write_lists.py")
    return copy


def test_the_example_touches_three_places() -> None:
    folder = "sparsek/methods/standardized"
    page = "docs/methods/standardized.md"
    assert list(example_files()) == [f"{folder}/__init__.py", f"{folder}/estimator.py", REGISTRY, page]


def test_it_is_imported_and_listed(tree: Path) -> None:
    where = run(tree, "-c", f"from sparsek import {NAME}; print({NAME}.__module__)").strip()
    assert where == "sparsek.methods.standardized.estimator"
    rows = json.loads(run(tree, "-c", "from sparsek.cli import main; main()", "methods", "--json"))["methods"]
    (row,) = [row for row in rows if row["estimator"] == NAME]
    assert (row["method"], row["paper"]) == ("standardized", "Lloyd 1982")


def test_stub_reference_and_index_name_it(tree: Path) -> None:
    stub = (tree / "sparsek/__init__.pyi").read_text(encoding="utf-8")
    assert f"from sparsek.methods.standardized.estimator import {NAME}\n" in stub
    assert f"   {NAME}\n" in (tree / "docs/api.md").read_text(encoding="utf-8")
    assert "\nstandardized\n" in (tree / "docs/methods/index.md").read_text(encoding="utf-8")


def test_the_common_checks_run_on_it(tree: Path) -> None:
    checks = "tests/methods/shared/test_estimator_checks.py"
    others = ["tests/package/test_registry.py", "tests/docs/test_method_pages.py"]
    wanted = f"{NAME} or standardized or up_to_date"
    shown = run(tree, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", wanted, checks, *others)
    assert "check_clustering" in shown
    assert f"{NAME}(init='random', n_init=2)" in shown
    assert " passed" in shown


def test_it_passes_the_linters_of_docstrings_and_code(tree: Path) -> None:
    checks = ["tests/docs/test_docs.py", "tests/docs/test_defaults.py"]
    shown = run(tree, "-m", "pytest", "-p", "no:cacheprovider", "-k", "numpydoc or defaults", *checks)
    assert " passed" in shown
    ruff = shutil.which("ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if ruff is None:
        pytest.skip("ruff is not installed")
    done = subprocess.run([ruff, "check", "sparsek"], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

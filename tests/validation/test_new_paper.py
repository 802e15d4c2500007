"""The example of a new paper in CONTRIBUTING: recorded, run and counted in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.places import ROOT

SECTION = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding a paper")[2]
EXAMPLE = re.findall(r"```python\n# (\S+)\n(.*?)```", SECTION.partition("\n## ")[0], flags=re.DOTALL)
"""The files that CONTRIBUTING shows: path and text."""
RESULTS = "validation/results"


def python(root: Path, *arguments: str) -> str:
    """What this interpreter prints in the copy."""
    environment = os.environ | {"PYTHONPATH": str(root)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the paper, its record and the statements written anew."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, root)
    skip = shutil.ignore_patterns("__pycache__", "_made", "_build", "recorded")
    for folder in ("sparsek", "r_reference", "validation", "tests", "docs"):
        shutil.copytree(ROOT / folder, root / folder, ignore=skip)
    for path, text in EXAMPLE:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    git = ["git", "-c", "user.name=reader", "-c", "user.email=reader@example.org"]
    for arguments in (["init", "-q"], ["add", "validation"], ["commit", "-qm", "A paper"]):
        subprocess.run([*git, *arguments], cwd=root, check=True)
    python(root, "-m", "validation", "tables", "--paper", "irises", "--scale", "full", "--output", RESULTS)
    return root


def test_the_example_is_one_folder() -> None:
    folder = "validation/papers/irises"
    assert [path for path, _ in EXAMPLE] == [f"{folder}/__init__.py", f"{folder}/paper.py"]


def test_a_quick_run_stands_beside_the_record(copy: Path) -> None:
    text = python(copy, "-m", "validation", "tables", "--paper", "irises", "--output", "here")
    assert "irises, Table 1: 1 of 1" in text
    assert "of 2 numbers" in text
    assert "the printed numbers of this example are made up" in text
    for folder, runs in ((RESULTS, 100), ("here", 10)):
        cells = pd.read_csv(copy / folder / "irises-table-1.csv")["outcomes"]
        counts = cells.str.split(" ").map(
            lambda parts: sum(int(part.partition("x")[2] or 1) for part in parts)
        )
        assert counts.tolist() == [runs, runs]
    assert "Irises, Table 1" in (copy / "here" / "irises-tables.html").read_text(encoding="utf-8")


def test_the_tests_of_all_papers_find_it(copy: Path) -> None:
    files = [f"tests/validation/{name}.py" for name in ("test_papers", "verdicts/test_screen")]
    wanted = "irises or every_folder or help_ or names_the_data or names_its_start"
    shown = python(copy, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", wanted, *files)
    assert "[irises] PASSED" in shown
    assert "test_every_folder_with_a_paper_is_found PASSED" in shown

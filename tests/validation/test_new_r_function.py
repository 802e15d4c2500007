"""The example of a new R function in CONTRIBUTING, compared in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r_reference import bridge
from r_reference.recipes import make_data, matrix_sha256
from sparsek.rng import RRandom
from tests.places import ROOT
from validation.parity.outcome import state_digest

SECTION = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding an R function")[2]
EXAMPLE = re.findall(r"```python\n# (\S+)\n(.*?)```", SECTION.partition("\n## ")[0], flags=re.DOTALL)
"""The files that CONTRIBUTING shows: path and text."""


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the copy."""
    environment = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def python(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter in the copy."""
    return run(root, sys.executable, *arguments)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without records, with the files of the example and a new table of cases."""
    tmp_path = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("__pycache__", "recorded", "results", "benchmarks")
    for folder in ("sparsek", "r_reference", "validation"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skip)
    for path, text in EXAMPLE:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    done = python(tmp_path, "-m", "r_reference.make_cases")
    assert done.returncode == 0, done.stderr
    return tmp_path


def table_lines(root: Path) -> list[str]:
    """The lines of the table of cases, without trailing commas."""
    return [line.rstrip(",") for line in (root / "r_reference" / "cases.json").read_text().splitlines()]


def toy_cases(root: Path) -> list[dict[str, Any]]:
    """The cases of the new function."""
    table = json.loads((root / "r_reference" / "cases.json").read_text())
    return [case for case in table["cases"] if case["package"] == "utils"]


def write_record(root: Path, case: dict[str, Any], value: np.ndarray) -> None:
    """Write by hand the record of a case without random draws."""
    x, rng = make_data(case["data"]), RRandom(case["seed"])
    assert x is not None
    rng.skip(case["before"])
    state = state_digest(rng).tolist()
    field = {"dim": list(value.shape), "values": value.ravel(order="F").tolist()}
    result = {"value": {"value": field}, "error": None, "warnings": [], "state": state}
    result["next"] = rng.runif(2).tolist()
    record = {"id": case["id"], "input": {"sha256": matrix_sha256(x)}, "result": result, "seconds": 0.001}
    with open(root / "r_reference" / "recorded" / "utils" / "head.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(record | {"run": "by hand"}) + "\n")


def check_parity(root: Path) -> None:
    """The new function is compared and equal; once our result is changed, it differs."""
    count = len(toy_cases(root))
    command = ("-m", "validation", "parity", "--cases", "^head-")
    equal = python(root, *command)
    assert equal.returncode == 0, equal.stdout + equal.stderr
    assert equal.stdout.splitlines()[-1] == f"{count} of {count} comparisons exact"
    module = root / "sparsek" / "rcompat" / "utils" / "api.py"
    text = module.read_text()
    module.write_text(text.replace("return ", "return 1 + "))
    different = python(root, *command)
    module.write_text(text)
    assert different.returncode == 1
    assert f"DIFFERS {toy_cases(root)[0]['id']} (seed 1, recorded): value:" in different.stdout


def test_the_example_is_the_two_folders_of_a_package() -> None:
    folders = {str(Path(path).parent) for path, _ in EXAMPLE}
    assert folders == {"sparsek/rcompat/utils", "r_reference/packages/utils"}


def test_new_function_is_compared_with_its_records(copy: Path) -> None:
    old, new = table_lines(ROOT), table_lines(copy)
    added = [line for line in new if '"package": "utils"' in line]
    assert new == [*old[:-1], *added, old[-1]]  # no case of another function has moved
    file = copy / "r_reference" / "recorded" / "utils" / "head.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"run": "by hand", "provenance": {}}) + "\n")
    for case in toy_cases(copy):
        x = make_data(case["data"])
        assert x is not None
        write_record(copy, case, x[: int(case["args"]["n"])])
    check_parity(copy)


def test_new_function_is_in_the_report_and_among_rs_names(copy: Path) -> None:
    code = (
        "from sparsek import rcompat; from validation.report.requirements import load_requirements; "
        "print('head' in rcompat.__all__, [r['id'] for r in load_requirements() if 'head' in r['text']])"
    )
    done = python(copy, "-c", code)
    assert done.stdout.strip() == "True ['R-utils']", done.stderr


@pytest.mark.live_r
def test_new_function_is_recorded_by_r(copy: Path) -> None:
    found, reason = bridge.available("jsonlite")
    if not found:
        pytest.skip(reason)
    shutil.rmtree(copy / "r_reference" / "recorded", ignore_errors=True)  # there if another test ran first
    done = run(copy, "Rscript", "r_reference/record.R", "^head-")
    count = len(toy_cases(copy))
    assert done.stdout.strip() == f"{count} cases run, {count} records written", done.stderr
    again = run(copy, "Rscript", "r_reference/record.R", "^head-")
    assert again.stdout.strip() == f"{count} cases run, 0 records written"
    check_parity(copy)


def test_stub_names_every_package() -> None:
    folder = ROOT / "sparsek" / "rcompat"
    listed = re.findall(r"from sparsek\.rcompat\.(\w+) import \*", (folder / "__init__.pyi").read_text())
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    assert listed == sorted(packages)

"""A sixteenth of the recorded cases in our own 80-bit arithmetic, as where there is no 80-bit type.

`python -m validation platforms --only software` compares all of them.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from r_reference.listing import tolerances
from r_reference.recipes import load_table
from sparsek.bits.ordered_arithmetic import HAS_EXTENDED, VARIABLE
from tests.places import ROOT
from validation.parity.cases import compare_recorded

SOME = r"0$|^(as\.matrix|kmeans_estimation|rnorm|tapply)-.*1$"
"""An id ends with a digit of sixteen; with four functions that have none of this one, all are among these."""


@pytest.fixture(scope="module")
def in_software(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All comparisons of a run in software, by case."""
    if not HAS_EXTENDED:
        pytest.skip("the whole run is in software")
    file: Path = tmp_path_factory.mktemp("software") / "parity.json"
    command = [sys.executable, "-m", "validation", "parity", "--cases", SOME, "--json", str(file)]
    environment = {**os.environ, VARIABLE: "software"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {result["id"]: result for result in json.loads(file.read_text())}


def some_cases() -> list[dict[str, Any]]:
    """The cases that are compared."""
    return [case for case in load_table()["cases"] if re.search(SOME, case["id"])]


def test_every_case_passes(in_software: dict[str, Any]) -> None:
    assert list(in_software) == [case["id"] for case in some_cases()]
    assert {case["function"] for case in some_cases()} == {case["function"] for case in load_table()["cases"]}


def test_the_same_cases_are_exact(in_software: dict[str, Any]) -> None:
    tolerant = {function for entry in tolerances() for function in entry["functions"]}
    for case in some_cases():
        if case["function"] in tolerant:
            assert in_software[case["id"]]["message"] == compare_recorded(case).message
        else:
            assert in_software[case["id"]]["exact"]

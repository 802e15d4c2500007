"""`python -m validation oracles`: what comparing two records, and the forms within one, finds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from validation import oracles
from validation.__main__ import main

SAME = ["a", "b", 3, "1.5"]
CASES = {
    "continuous 0|SKFR()|rows|array|numpy": SAME,
    "continuous 0|SKFR()|rows|csr|numpy": SAME,
    "whole 0|SKFR()|rows|array|numpy": SAME,
    "whole 0|SKFR()|rows|csr|numpy": SAME,
}


def write(path: Path, **changed: list[Any]) -> str:
    """A record in which cases whose names begin so have other answers."""
    cases = {key: changed.get(key.split()[0], SAME) if "csr" in key else SAME for key in CASES}
    path.write_text(json.dumps({"about": {}, "cases": cases}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("changed", "code", "line"),
    [
        ({}, 0, "0 cases differ"),
        ({"continuous": ["a", "b", 3, "1.5000000000000002"]}, 0, "0 cases differ"),
        ({"whole": ["x", "b", 3, "1.5"]}, 0, "1 cases differ"),
        ({"continuous": ["x", "b", 3, "1.5"]}, 1, "1 cases differ"),
        ({"continuous": ["a", "x", 3, "1.5"]}, 1, "1 cases differ"),
        ({"continuous": ["a", "b", 4, "1.5"]}, 1, "1 cases differ"),
    ],
)
def test_compare(
    changed: dict[str, list[Any]], code: int, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = write(tmp_path / "old.json"), write(tmp_path / "new.json", **changed)
    assert main(["oracles", "--compare", old, new]) == code
    assert line in capsys.readouterr().out


def test_the_main_variants_are_among_all() -> None:
    assert set(oracles.MAIN) <= {text for _, text in oracles.variants()}


def test_across(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oracles", "--across", write(tmp_path / "same.json")]) == 0
    assert main(["oracles", "--across", write(tmp_path / "other.json", whole=["x", "b", 3, "1.5"])]) == 1
    found = capsys.readouterr().out
    assert "whole          SKFR()                       1 of 1 (csr 1)" in found
    assert "continuous     SKFR()                       0 of 1" in found


def test_a_shuffled_start_means_the_same() -> None:
    for number in range(3):  # centres, labels, rows
        data = oracles.make_data("continuous", number)
        kind, start = oracles.make_start("SKFR", data)
        order, there, moved = oracles.permuted(data, start)
        np.testing.assert_array_equal(there.X, data.X[order])
        one, other = (
            (start, moved) if kind == "centres" else (data.X[start], there.X[moved]) if kind == "rows"
            else (start[order], moved)
        )  # fmt: skip
        np.testing.assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore")
def test_every_form_of_one_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracles, "variants", lambda: [("SKFR", "SKFR()")])
    found = dict(oracles.cases(oracles.make_data("continuous", 1), tmp_path))
    forms = {(text, form) for text, _, form, _ in found}
    every = [
        "array",
        "Fortran",
        "strided",
        "reversed",
        "npy blocks",
        "parquet blocks",
        "permuted",
        "csr",
        "dask",
    ]
    assert forms == {("SKFR()", form) for form in every}
    assert all(isinstance(answer[2], int) for answer in found.values())

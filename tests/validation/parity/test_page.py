"""The report of a comparison as a page: what it names, and what its command repeats."""

import argparse
import csv
from pathlib import Path

import numpy as np
import pytest

from r_reference.recipes import make_data
from tests.validation.parity.parts import some_cases
from validation.parity import __main__ as alone
from validation.parity import command
from validation.parity.cases import CaseResult, compare_recorded
from validation.parity.command import write_page
from validation.parity.outcome import run_ours
from validation.parity.table import COLUMNS, function_row


def changed(function: str, field: str, factor: float) -> CaseResult:
    """A recorded case of which a field of our result is multiplied."""
    case = some_cases(function)[0]
    ours = run_ours(case, make_data(case["data"]))
    value = ours["value"] | {field: np.asarray(ours["value"][field]) * factor}
    return compare_recorded(case, {**ours, "value": value})


def test_differences_tolerances_and_what_was_left_out_are_named() -> None:
    results = [changed("GmedianCov", "vectors", 1 + 1e-10), changed("runif", "value", 2.0)]
    page = write_page(results, ["3 live cases: R is not installed"], "python -m validation.parity")
    assert "0 of 2 comparisons exact, 1 within a stated tolerance." in page
    assert f"DIFFERS {results[1].id} (seed" in page
    assert results[0].id not in page
    assert "- 3 live cases: R is not installed" in page
    assert "- records of R version" in page
    assert "- live:" not in page
    assert "| functions | fields |" in page
    assert page.count("GmedianCov") == 2  # the counts and the tolerances


def test_without_differences_and_tolerances_the_page_says_so() -> None:
    page = write_page([compare_recorded(some_cases("runif")[0])], [], "python -m validation.parity")
    assert "1 of 1 comparisons exact." in page
    assert "## Differences\n\nNone." in page
    assert "every field must equal R's in every bit" in page
    assert "Left out" not in page


@pytest.mark.parametrize(
    "words", ["", "--live-r", "--cases '^run(if|d)-'", "--cases kmeans --random 3 --seed 7"]
)
def test_the_command_of_the_page_makes_the_same_comparisons(words: str) -> None:
    def read(text: str) -> argparse.Namespace:
        return alone.parser.parse_args(command.shlex.split(text))

    options = read(words)
    again = command.repeat(options)
    assert again.startswith("python -m validation.parity")
    assert read(again.removeprefix("python -m validation.parity")) == options


def test_the_page_is_written_whole_or_the_place_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--cases", f"^{some_cases('runif')[0]['id']}$", "--report"]
    file = tmp_path / "report.md"
    assert command.main(alone.parser.parse_args([*words, str(file)])) == 0
    assert "1 of 1 comparisons exact." in file.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]
    assert command.main(alone.parser.parse_args([*words, str(tmp_path)])) == 2
    assert "is a folder; give the name of a file" in capsys.readouterr().err


def test_the_table_has_a_row_of_each_function(tmp_path: Path) -> None:
    case = some_cases("runif")[0]
    words = [
        "--cases",
        f"^({case['id']}|{some_cases('rnorm')[0]['id']})$",
        "--table",
        str(tmp_path / "t.csv"),
    ]
    assert command.main(alone.parser.parse_args(words)) == 0
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["function"] for row in rows] == ["runif", "rnorm"]
    assert {(row["cases"], row["exact"], row["different"], row["differing_cases"]) for row in rows} == {
        ("1", "1", "0", "")
    }
    differing = changed("runif", "value", 2.0)
    row = dict(zip(COLUMNS, function_row([differing, compare_recorded(case)]), strict=True))
    assert (row["cases"], row["exact"], row["different"]) == (2, 1, 1)
    assert row["differing_cases"] == differing.id

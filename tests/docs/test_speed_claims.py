"""What the pages say about speed comes from the record: the page on speed states no number by hand."""

import re

import pandas as pd
import pytest

from tests.places import ROOT
from validation.benchmarks import page, speed
from validation.benchmarks.scale import first_calls, growth
from validation.papers.shared.store import load_table

GIVEN = ("1.3 times the data and 50 MB", "*a* + *b n*<sup>*e*</sup>")
"""Goals and formulas of the page on speed."""
UNWRITTEN = re.compile(r"^```.*?^```$|^\|.*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
"""Code, included parts and tables of commands and columns."""
CLAIM = re.compile(r"[^.|\n]*\b(?:faster|quicker|times as fast|less time|in seconds|seconds to)\b[^.|\n]*")
CHECKED = {
    "takes less time ([speed](speed": "SKFR beside SparseKMeans",
    "which takes less time ([speed](": "SKFR beside SparseKMeans",
    "numba, which makes several methods and functions of R faster": "compiled beside numpy",
    "numba, which makes fits [faster](docs/speed": "compiled beside numpy",
}
"""Claims that a test here compares with the record."""
OTHERWISE = (
    "SKFR1 takes less time than",  # claims of a paper, with what our runs say of them
    "it grows with k faster",  # the share explained, no time
    "fewer normal samples are quicker",  # fewer draws
    "Fits take seconds to minutes",  # of docs/methods/dec.md, which names its script
)


def prose(text: str) -> str:
    """A page without code, tables, what it includes, and what is given."""
    for part in GIVEN:
        text = text.replace(part, "")
    return UNWRITTEN.sub("", text)


def speed_page() -> str:
    return (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")


def test_the_page_on_speed_states_no_number_by_hand() -> None:
    assert re.findall(r".*\d.*", prose(speed_page())) == []


@pytest.mark.parametrize(
    "stale",
    [
        "Of SKFR's time, `assign` takes 22 %, the outer loop 20 %, the seeds 14 %.",
        "At (100000, 200, 20) and spread 0.75 it runs 418, scikit-learn 63.",
        "`hclust` of 1,000 rows takes 1.7 to 2.4 times R's time, the goal is 2.",
        "`kmeans` takes 3.9 seconds and SKFR 4.1.",
    ],
)
def test_a_number_by_hand_is_found(stale: str) -> None:
    assert re.search(r"\d", prose(speed_page() + stale))


def test_the_page_on_speed_begins_with_the_usual_cases() -> None:
    includes = re.findall(r"_made/([\w-]+)\.md", speed_page())
    assert includes == ["speed-usual", "speed-run", "speed", "first-calls", "speed-goals", "growth"]
    rows, _ = load_table(speed.NAME)
    usual = page.usual_table(rows[rows["topic"] == speed.USUAL])
    assert len(usual) == 5
    assert (usual[["plain installation", "compiled", "the other side"]] != "").all(axis=None)


def test_claims_of_other_pages_are_compared_or_link_to_the_page() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/methods/*.md")]
    for path in pages:
        if path.name in ("speed.md", "changelog.md"):
            continue
        for claim in CLAIM.findall(path.read_text(encoding="utf-8")):
            assert any(part in claim for part in (*CHECKED, *OTHERWISE)), f"{path.name}: {claim}"


def seconds(rows: pd.DataFrame, call: str, size: str) -> pd.DataFrame:
    found: pd.DataFrame = rows.loc[(rows["call"] == call) & (rows["size"] == size), ["numpy", "compiled"]]
    assert len(found)
    return found


def test_twenty_starts_of_skfr_take_less_time_than_ten_of_sparse_kmeans() -> None:
    rows, _ = load_table(speed.NAME)
    size = "(400, 1000, 10, 10)"
    ranked = seconds(rows, "SKFR, 20 starts", size)
    weighted = seconds(rows, "SparseKMeans, 10 starts", size)
    assert (ranked.max() < weighted.min()).all()


def test_numba_makes_several_functions_faster() -> None:
    rows, _ = load_table(speed.NAME)
    faster = rows[rows["compiled"] < 0.5 * rows["numpy"]]
    assert faster["call"].nunique() > 10


def test_the_growth_is_recorded() -> None:
    table = page.growth_table(load_table(growth.NAME)[0])
    assert set(table["method"]) == set(growth.METHODS)


def test_first_calls_are_recorded_within_their_limit() -> None:
    rows, run = load_table(first_calls.NAME)
    assert set(rows["call"]) == set(first_calls.all_calls())
    slowest = rows[["cold", "warm"]].max(axis=1)
    within = slowest <= first_calls.MOST * rows["plain"] + first_calls.ALLOWANCE
    assert (rows["within"] == within).all()
    assert len(page.first_calls_table(rows)) == len(first_calls.LARGER)
    assert f"With numba {within.sum()} of them" in page.first_calls_in_words(rows, run)

"""The first screen of a paper's tables, in the terminal and on the page."""

import re
from pathlib import Path

import pandas as pd
import pytest

from validation.papers import find_papers
from validation.papers.screen import Line, Map, Screen, make_screen, screen_text
from validation.papers.shared.store import RESULTS
from validation.papers.shared.verdict_tables import WIDTH, cell_texts
from validation.papers.shared.verdicts import WORDS
from validation.papers.skfr.gain import gain_in_words
from validation.papers.skfr.real_tables.grid_section import identified
from validation.report.pages import write_page

PAPERS = [name for name, paper in find_papers().items() if paper.layouts]


@pytest.fixture(scope="module", params=PAPERS)
def screen(request: pytest.FixtureRequest) -> Screen:
    return make_screen(find_papers()[request.param])


def test_the_terminal_has_no_long_line(screen: Screen) -> None:
    text = screen_text(screen)
    assert max(map(len, text.splitlines())) <= WIDTH
    for title, why in screen.reasons:
        assert " ".join(f"{title}: {why}".split()) in " ".join(text.split())


def test_lines_and_maps_count_the_same_cells(screen: Screen) -> None:
    for found in screen.maps:
        words = [word for _, cells in found.rows for word in cells]
        assert set(words) <= {"", *WORDS}
        assert all(len(cells) == len(found.columns) for _, cells in found.rows)
        if "spreads" not in found.title and found.title != "Table 2":  # two rates are one fact there
            lines = [
                line for line in screen.lines if line.table == found.title and line.method != "all spreads"
            ]
            assert sum(sum(line.counts) for line in lines) == len([word for word in words if word])


def test_every_table_says_what_does_not_agree_and_its_runs(screen: Screen) -> None:
    assert len(screen.reasons) == len(screen.runs)
    assert all(re.search(r", \d{4}-\d\d-\d\d$", text) for text in screen.runs)


def test_the_page_begins_with_the_screen(screen: Screen, tmp_path: Path) -> None:
    write_page(tmp_path / "tables.html", "Tables", "quick", [], None, screen)
    page = (tmp_path / "tables.html").read_text(encoding="utf-8")
    assert page.index(screen.lead[0].partition("'")[0]) < page.index("<table")
    assert page.count('class="map"') >= len(screen.maps)
    for title, _ in screen.reasons:
        assert f"<b>{title}.</b>" in page


def test_the_comparison_with_r_leads_and_the_choices_stand_with_the_counts() -> None:
    lead = make_screen(find_papers()["skfr"]).lead
    assert re.search(r"R's sparcl and wskm give our labels in (\d+) of \1 runs", lead[0])
    sentence = lead[1].partition(". ")[0]
    assert "equivalent" in sentence
    assert "chosen after seeing what is printed" in sentence


def test_single_tables_can_be_shown() -> None:
    assert {line.table for line in make_screen(find_papers()["skfr"], RESULTS, ["table-1"]).lines} == {
        "Table 1"
    }


def test_a_screen_by_hand() -> None:
    lines = (Line("Table 1", "a", (1, 0, 2, 0), "+.1", "different"), Line("Table 1", "a, no x", ()))
    found = Screen(
        ("Lead.",), lines, (Map("Table 1", ("a",), (("x", ("equivalent",)),)),), (("Table 1", "Why."),), ()
    )
    text = screen_text(found)
    assert "Table 1  a" in text
    assert re.search(r"Table 1  a +1 +· +2 +·", text)


@pytest.mark.parametrize("name", PAPERS)
def test_recorded_tables_as_text(name: str) -> None:
    paper = find_papers()[name]
    for table, layout in paper.layouts.items():
        judged = paper.judged[table](RESULTS)[0]
        text = cell_texts(judged, layout)
        assert max(map(len, text.splitlines())) <= WIDTH
        assert isinstance(judged, pd.DataFrame)


def test_the_gain_of_ranking_is_stated() -> None:
    text = gain_in_words()
    assert re.search(r"On the 10 data sets .* higher by more than 0.01 in 0", text)
    assert "at p = 1000" in text


def test_raw_columns_and_the_larger_entropy_are_identified() -> None:
    for method, columns in (("k-means++", "raw"), ("SKFR1", "standardised")):
        best = identified()[method].iloc[0]
        assert (best["columns"], best["nmi"]) == (columns, "max")
        assert best["posterior"] > 0.9

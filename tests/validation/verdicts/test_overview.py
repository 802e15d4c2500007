"""The overview of verdicts, its counts in the report, and where recorded results come from."""

import dataclasses
import json
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from tests.places import ROOT
from tests.validation.report.test_report import build, make_result
from validation.papers import find_papers
from validation.papers import overview as module
from validation.papers.overview import (
    CHOSEN,
    NUMBERS,
    SPREADS,
    TOTALS,
    all_in_words,
    claims_in_words,
    joint_in_words,
    overview,
    overview_table,
)
from validation.papers.shared.store import RESULTS
from validation.papers.shared.verdict_tables import count_verdicts
from validation.papers.shared.verdicts import WORDS
from validation.report.build import render_html


@pytest.fixture(autouse=True)
def counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The records do not change between the tests."""
    monkeypatch.setattr(module, "overview", counted)


counted = cache(overview)
OLD_WORDS = ("not reproduced", "reproduced with", "reproduced in another run", "within reach")


def test_every_table_and_figure_has_a_row() -> None:
    captions = [text for paper in find_papers().values() for text in paper.captions.values()]
    table = counted()
    names = [name for name in table.index if not name.endswith(", spreads")]
    assert names == [*captions, *TOTALS]
    spreads = table.index.str.endswith(", spreads")
    parts = table.drop(index=list(TOTALS))
    apart = parts.index.str.endswith(", spreads")
    assert table.loc[SPREADS].tolist() == parts[apart].sum().tolist()
    assert table.loc[NUMBERS].tolist() == parts[~apart].sum().tolist()
    assert spreads.sum() == 2
    known = table.dropna(subset="cells")
    assert (known["cells"] == known[list(WORDS)].sum(axis=1)).all()
    assert (known[CHOSEN] <= known["cells"]).all()
    assert [len(row) for row in overview_table().rows] == [7] * len(table)


def test_counts_are_those_of_the_tables() -> None:
    table = counted()
    for paper in find_papers().values():
        assert set(paper.judged) <= set(paper.captions)
        assert set(paper.chosen) <= set(paper.judged)
        for name, judge in paper.judged.items():
            found = table.loc[paper.captions[name]]
            counts = count_verdicts(judge(RESULTS)[0])
            assert [None if pd.isna(found[key]) else found[key] for key in counts] == list(counts.values())


def test_claims_in_words_are_counted_and_those_that_fail_are_listed() -> None:
    found = []
    for paper in find_papers().values():
        assert set(paper.claims) <= set(paper.captions)
        for name, judge in paper.claims.items():
            claims = judge(RESULTS)
            assert len({claim.text for claim in claims}) == len(claims), name
            found += claims
    text = claims_in_words()
    failed = [claim for claim in found if not claim.holds]
    assert f"make {len(found)} claims" in text
    assert f"{len(found) - len(failed)} hold" in text
    assert text.count("\n- ") == len(failed) > 0
    assert all(f"- {claim.text}. Here: {claim.measured}." in text for claim in failed)


def test_table_2_of_skfr_counts_six_facts_of_skfr1() -> None:
    judged, _ = find_papers()["skfr"].judged["table-2"](RESULTS)
    printed = judged[judged["published"].notna()]
    assert printed.groupby("method").size().to_dict() == {"SKFR1": 12, "SKM": 12}
    assert printed.groupby("method")["fact"].nunique().to_dict() == {"SKFR1": 6, "SKM": 12}


@pytest.mark.parametrize("folder", ["docs", "validation/papers", "validation/report", "README.md"])
def test_old_words_are_gone(folder: str) -> None:
    paths = [ROOT / folder] if folder.endswith(".md") else [
        path for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".py", ".j2")
        and not {"_build", "_made", "auto_examples", "api"} & set(path.parts)
    ]  # fmt: skip
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8").lower()
        assert not [word for word in OLD_WORDS if word in text], path


def comes_from_changed_files(path: Path) -> bool:
    return "-dirty" in json.loads(path.read_text(encoding="utf-8"))["environment"]["sparsek"]


def test_recorded_results_come_from_a_commit() -> None:
    """Results of files that were changed after the last commit cannot be made again."""
    assert [path.stem for path in RESULTS.glob("*.json") if comes_from_changed_files(path)] == []


@cache
def report_page() -> str:
    """A report with the overview."""
    content = build(make_result(1)) | {"overview": dataclasses.asdict(overview_table())}
    return render_html(content, "0" * 64)


def test_the_overview_stands_at_the_top_of_the_report() -> None:
    page = report_page()
    title = "Printed results: cells of the papers' tables"
    assert page.index(title) < page.index("SKFR, Table 4: ten data sets") < page.index("<h2>1. Parity with R")
    assert title not in render_html(build(make_result(1)), "0" * 64)


def test_the_rule_is_stated_with_the_number_of_cells_chosen_after_the_fact() -> None:
    """Margins "fixed beforehand" stood above 228 cells whose reading was chosen afterwards."""
    sentence = all_in_words()
    assert f"for {counted().loc[NUMBERS, CHOSEN]} of them a setting was chosen" in sentence.partition(". ")[0]
    page = report_page()
    assert f"The margins do not depend on results, but agreement may. {sentence}" in page
    assert sentence in (ROOT / "docs/judging.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"for {counted().loc[NUMBERS, CHOSEN]} of " in joint_in_words()
    assert joint_in_words() in readme

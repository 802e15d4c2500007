"""The machinery of validation/papers/pcskm: trials, summaries, claims, sections; and the page's example."""

import contextlib
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sparsek import MPCKMeans, PCKMeans, PCSparseKMeans, datasets
from tests.places import ROOT
from validation.papers.paper import Result, Task
from validation.papers.pcskm import claims, designs, figures, labels, samples, summary, table_1, trials
from validation.papers.pcskm.designs import CONDITIONS, DATA, FIGURE_1, METHODS, Scale
from validation.papers.pcskm.paper import PAPER
from validation.papers.pcskm.stack import FAILED
from validation.papers.pcskm.trials import Cell
from validation.papers.shared.store import save_table
from validation.report.sections import Section

AUTHORS = {"n_init": 1, "on_empty": "error", "max_separation": "box_origin"}
AT_HAND = ("fisheriris", "synthetic_3_7")
TABLE_1 = {"fisheriris": (90, 905), "synthetic_3_7": (58, 578)}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A tiny run with only two data sets available."""
    with pytest.MonkeyPatch.context() as patch:
        missing = {name: "no file" for name in DATA if name not in AT_HAND}
        patch.setattr(figures, "find_missing", lambda download: missing)
        patch.setitem(designs.SCALES, "quick", Scale((5, 10), 2, (10,), 2, 2, 5, ("fisheriris",)))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            found = figures.run_figures(Task("quick", tmp_path_factory.mktemp("run"), 1))
    assert printed.getvalue() == ""  # make validate counts missing data in one line
    return found


def test_a_run_without_data_goes_on(result: Result) -> None:
    frames = result.frames
    scores = frames["pcskm-figure-1"]
    assert set(scores["data"]) == set(AT_HAND)
    # Iris has both percentages in the 4 rows of Figure 1; the appendix and the synthetic set have one.
    assert len(scores) == (4 * 2 + 6 + len(CONDITIONS)) * len(METHODS)
    assert scores["f_score"].between(0, 1).all()
    assert (scores["failed"] == 0).all()
    assert set(frames["pcskm-figure-2"]["data"]) == {"synthetic_3_7"}
    assert frames["pcskm-bounds"]["optimistic"].between(0, 1).all()
    assert set(frames["pcskm-penalties"]["start"]) == {"seeding", "dkm++"}
    assert frames["pcskm-penalties"]["penalties"].between(0, 1).all()


def test_data_that_are_not_at_hand_are_named_by_the_text(result: Result) -> None:
    titles = [described.title for name, described in DATA.items() if name not in AT_HAND]
    assert result.text.splitlines() == [f"{title}: left out. no file" for title in titles]


def test_a_run_without_data_is_drawn(result: Result) -> None:
    assert set(result.figures) == {f"pcskm-figure-{number}" for number in (1, 2, 3, 4)}


def test_numbers_of_constraints_are_those_of_table_1() -> None:
    for name, printed in TABLE_1.items():
        for percent, number in zip((1, 10), printed, strict=True):
            row = trials.run_trial(Cell(name, "dkm++", "both", percent, 1, 100), 0)
            assert abs(row["n_constraints"] - number) <= 1  # made even


def test_a_trial_is_what_the_estimators_give() -> None:
    cell = Cell("fisheriris", "maximin", "cl", 2, 1, 2)
    row = trials.run_trial(cell, 3)
    sample = samples.load_sample("fisheriris", 0)
    splits = trials.ConstraintSplitter(2, kind="cl", n_draws=1, random_state=designs.SEED)
    split = list(splits.split(sample.X, sample.target))[3]
    rows = samples.start_rows("fisheriris", 0, "maximin")
    for model, found in (
        (PCKMeans(3, init=rows, **AUTHORS), row["PCKM F"]),
        (PCSparseKMeans(3, l1_bound=1.5, init=rows, weight_solver="bisection15", **AUTHORS),
         row["PCSKM F"]),
        (MPCKMeans(3, init=rows, **AUTHORS), row["MPCKM F"]),
    ):  # fmt: skip
        model.fit(sample.X, **split.constraints.fit_params())
        expected = trials.pairwise_f_score(sample.target[split.test], model.labels_[split.test])
        assert json.loads(found)[-2 if found == row["PCSKM F"] else 0] == expected
    assert row == trials.run_trial(cell, 3)


def test_trials_take_replicates_folds_and_draws_in_turn() -> None:
    places = [trials.place("digits048", t) for t in range(200)]
    assert {replicate for replicate, _, _ in places[:10]} == set(range(10))
    assert len(set(places)) == 200
    assert [trials.place("ionosphere", t) for t in (0, 9, 10)] == [(0, 0, 0), (0, 9, 0), (0, 0, 1)]


def test_a_failed_fit_has_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "fit_stack", lambda *_: (FAILED, [FAILED]))
    monkeypatch.setattr(trials, "fit_mpckm", lambda *_: FAILED)
    row = trials.run_trial(Cell("fisheriris", "seeding", "both", 1, 1, 3), 0)
    assert np.isnan(json.loads(row["PCSKM F"])).all()
    table = summary.summarise_scores(pd.DataFrame([row]))
    assert table["f_score"].isna().all()
    assert (table["failed"] == 1).all()


def test_data_that_cannot_be_had_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object, **__: object) -> None:
        raise datasets.DatasetError("not here")

    monkeypatch.setattr(datasets, "fetch_pcskm", nothing)
    missing = samples.find_missing(download=False)
    assert set(DATA) - set(missing) == {"fisheriris", "synthetic_5_5", "synthetic_3_7"}
    assert set(missing.values()) == {"not here"}


def made_up(pcskm: float, others: float) -> pd.DataFrame:
    """Made-up F-scores: one value for PCSKM with constraints, one for the rest, lower for must-links."""
    rows = [
        {"data": name, "start": start, "kind": kind, "percent": 1, "method": method, "se": 0.01,
         "f_score": (pcskm if method == "PCSKM" else others) + wobble(name, start)
                    - 0.01 * (kind == "ml" and method not in ("LKM", "SKM"))
                    + 0.1 * (method == "MPCKM" and start == "seeding" and name not in claims.CLEAR),
         "pcskm_lead": pcskm - others, "lead_se": 0.01}
        for name in FIGURE_1 for start, kind in CONDITIONS for method in METHODS
    ]  # fmt: skip
    return pd.DataFrame(rows)


def wobble(name: str, start: str) -> float:
    """A small number that differs between cases."""
    return len(name) / 1000 + len(start) / 10_000


def test_claims_on_scores() -> None:
    wrong = [claim for claim in claims.score_claims(made_up(0.8, 0.7)) if not claim.holds]
    # In the made-up scores the gain is equal everywhere, so must-links do not harm PCSKM.
    other = [claim for claim in wrong if "must-links alone harm" not in claim.text]
    # Must-links are worse by 0.01, which is within the margin.
    assert [claim.text.split(" better")[0] for claim in other] == ["cannot-links are", "both kinds are"]
    assert all(claim.measured.split(";")[0].endswith("within the margin, higher") for claim in other)
    # A lead of 0.01 is within the margin, so it is none.
    close = [claim for claim in claims.score_claims(made_up(0.71, 0.7)) if "over all cases" in claim.text]
    assert len(close) == 4
    assert not any(claim.holds for claim in close)
    bad = claims.score_claims(made_up(0.6, 0.7))
    assert {c.verdict for c in bad if "PCSKM is better" in c.text} == {"does not hold"}
    assert {c.verdict for c in bad if "clear advantage" in c.text} == {"does not hold"}


def test_claims_on_what_is_missing_are_left_out() -> None:
    table = made_up(0.8, 0.7)
    few = claims.score_claims(table[table["data"] == "fisheriris"])
    assert not any("over all cases" in claim.text or "ionosphere" in claim.text for claim in few)


def test_claims_on_weights() -> None:
    shares = pd.DataFrame(
        [
            {"data": name, "start": "dkm++", "kind": kind, "percent": 1, "method": method,
             "share": 0.6 if method == "MPCKM" else 0.0, "largest_over_s": 0.0, "equal_weights": 0.5}
            for name in (*designs.SYNTHETIC, *designs.MAZES, *designs.CONTAMINATED)
            for kind in ("both", "ml") for method in designs.WEIGHTED
        ]
    )  # fmt: skip
    assert {claim.verdict for claim in claims.weight_claims(shares)} == {"holds"}
    swapped = shares.assign(share=0.6 - shares["share"], largest_over_s=0.6)
    assert {claim.verdict for claim in claims.weight_claims(swapped)} <= {"does not hold", "holds"}
    assert sum(claim.holds for claim in claims.weight_claims(swapped)) == 1  # the share is constant too


def test_signed_rank() -> None:
    assert summary.signed_rank(pd.Series([0.0, 1e-12, np.nan])) == (0.0, 1.0)
    median, p = summary.signed_rank(pd.Series(np.arange(1.0, 61.0)))
    assert median == 30.5
    assert p < 1e-10  # 60 cases, as in the paper, can reach its p-value


def test_sections_of_a_run_without_most_data(result: Result, tmp_path: Path) -> None:
    frames = result.frames | table_1.run_table(Task("quick", tmp_path, 1)).frames
    for name, table in frames.items():
        more = table[table["data"] == "fisheriris"].assign(data="ionosphere")
        save_table(pd.concat([table, more]), tmp_path, name, "full")
    found = PAPER.sections(result, tmp_path)
    assert all(isinstance(section, Section) for section in found)
    assert [len(section.pictures) for section in found] == [3, 1]
    assert any(text.startswith("Not at hand in this run: ionosphere") for text in found[0].remarks)
    assert all(section.remarks[-1].startswith("Full run: ") for section in found)


def test_committed_full_run_covers_the_paper() -> None:
    path = ROOT / "validation" / "results" / "pcskm-figure-1.csv"
    cases = summary.case_means(pd.read_csv(path))
    assert len(cases) == 60
    assert cases.notna().all(axis=None)


def test_table_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    labels.main(["--draws", "1"])
    assert capsys.readouterr().out.count("\n") == 2 + len(labels.ESTIMATORS)

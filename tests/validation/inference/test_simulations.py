"""The simulations of the tests after clustering: small runs, claims and the recorded full runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from validation.papers.inference import robust, simulations
from validation.papers.inference.paper import (
    CALL,
    FDR,
    LEVEL,
    ONE,
    POWER,
    ROBUST,
    SETS,
    TITLES,
    claims,
    draw,
    failing_in_words,
    make_section,
    table_in_words,
)
from validation.papers.paper import Result
from validation.papers.shared.store import RESULTS, load_table


def test_a_small_run_has_every_method() -> None:
    level = simulations.run_level(6, 1, n_jobs=1)
    assert level["method"].tolist() == ["k-means", "SKFR", *simulations.LINKAGES, simulations.DRAWN]
    assert level["below_0.05"].between(0, 1).all()
    assert len(claims(LEVEL, level)) == len(level)


def test_sets_have_no_disagreement() -> None:
    sets = simulations.run_sets(12, 30, n_jobs=1)
    assert int(sets["disagreements"].sum()) == 0
    assert int(sets["outside"].sum()) > 50


def test_power_counts_detected_groups_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(simulations, "DELTAS", (9.0,))
    power = simulations.run_power(4, n_jobs=1)
    assert len(power) == 9
    assert power["detection"].max() > 0.5
    assert power.loc[power["detection"] == 0, "power"].isna().all()
    result = Result({POWER: power}, {POWER: draw(power)})
    section = make_section(POWER, result, RESULTS)
    assert section.title == TITLES[POWER]
    assert section.pictures[0].svg.startswith("<svg")


@pytest.mark.parametrize("name", [LEVEL, SETS])
def test_the_recorded_runs_show_what_the_papers_prove(name: str) -> None:
    frame, _ = load_table(name)
    assert all(claim.holds for claim in claims(name, frame))
    if name == LEVEL:
        exact = frame[frame["method"] != simulations.DRAWN]
        error = np.sqrt(0.05 * 0.95 / exact["data_sets"])
        assert (np.abs(exact["below_0.05"] - 0.05) < 4 * error).all()


def test_every_kind_of_noise_has_its_size_and_correlation() -> None:
    kinds = (*robust.NOISES, "t4", "counts", "blocks", "row scales")
    for kind in kinds:
        X = robust.noise(kind, np.random.default_rng(0), 4000, 20)
        assert X.shape == (4000, 20)
        shared = np.corrcoef(X, rowvar=False)[0, 1]
        # Standard errors of a correlation are below .03 with 4,000 rows of these kinds.
        assert abs(shared - {"correlated": 0.3, "blocks": 0.6}.get(kind, 0)) < 0.1
    for kind in (*robust.ITEMS, "far rows", "a curve"):
        X = robust.noise(kind, np.random.default_rng(0), 400, 20)
        assert X.shape == (400, 20)
        assert (np.array([len(np.unique(column)) for column in X.T]) < 200).all() == (kind in robust.ITEMS)
    moved = robust.add_groups(np.zeros((6, 3)), np.random.default_rng(0), 2.0, 2)
    assert sorted(moved[:3, 0]) == [-2, 0, 2]
    assert (moved[:, 2] == 0).all()


def test_small_runs_have_every_design(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robust, "METHODS", ("Ward, normal scores", "thinned k-means"))
    monkeypatch.setattr(robust, "NOISES", ("normal", "rounded"))
    monkeypatch.setattr(robust, "ONE_DESIGNS", (("normal", 3.0),))
    monkeypatch.setattr(robust, "FDR_DESIGNS", (("normal", 1.5, 20),))
    levels = robust.run_robust(2, n_jobs=1)
    assert len(levels) == 4
    assert levels[["refused", "warned"]].apply(lambda column: column.between(0, 1)).to_numpy().all()
    assert robust.run_one(1, n_jobs=1)["more_than_one"].tolist() == [1.0]
    rates = robust.run_fdr(2, n_jobs=1)
    assert rates["fdr"].between(0, 1).all()
    assert "| normal | 1.5 | 20 |" in robust.fdr_table(rates)
    assert robust.robust_table(levels).splitlines()[0] == "| test | normal | rounded |"


def test_cells_say_how_often_a_test_warns_or_refuses() -> None:
    row = {"method": "Ward", "noise": "rounded", "data_sets": 4, "below_0.05": 0.25}
    frame = pd.DataFrame([row | {"refused": 0.5, "warned": 1.0}])
    assert "| Ward | .250, NaN 50%, warns 100% |" in robust.robust_table(frame)


def test_cells_above_the_level_are_named() -> None:
    level = pd.DataFrame({"method": ["Ward", "Ward"], "noise": ["t5", "normal"], "below_0.05": [0.07, 0.06]})
    assert failing_in_words(ROBUST, level) == "Above 0.065: Ward on t5 (.070)."
    one = pd.DataFrame({"noise": ["normal", "t5"], "delta": [3.0, 0.0], "more_than_one": [1.0, 0.05]})
    assert failing_in_words(ONE, one) == "No cell without groups is above 0.065."
    rates = pd.DataFrame({"noise": ["t4", "normal"], "delta": [1.5, 0.0], "fdr": [0.2, 0.1]})
    assert failing_in_words(FDR, rates) == "Above 0.1: t4, groups 1.5 apart (.200)."


def test_calls_with_and_without_a_given_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robust, "CALL_DESIGNS", (("dithered", 0.0, 60), ("normal", 7.0, 60)))
    monkeypatch.setattr(robust, "CALL_METHODS", ("Ward",))
    calls = robust.run_call(3, n_jobs=1)
    assert calls["sigma"].tolist() == ["known"] * 2 + ["default"] * 2
    assert (calls["refused"] == 0).all()
    assert calls.loc[calls["sigma"] == "known", "below_0.05"].tolist()[1] == 1.0
    assert [claim.holds for claim in claims(CALL, calls)][1:] == [True]
    assert robust.call_table(calls).startswith("| test | `sigma` | no groups, dithered | 7 apart |")


@pytest.mark.parametrize("name", [ROBUST, CALL, ONE, FDR])
def test_the_recorded_runs_hold_their_levels_and_are_on_the_page(name: str) -> None:
    frame, _ = load_table(name)
    assert [claim.text for claim in claims(name, frame) if not claim.holds] == []
    assert table_in_words(name).count("|") > 10

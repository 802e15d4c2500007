"""The simulations of the tests after clustering: small runs, claims and the recorded full runs."""

from pathlib import Path

import numpy as np
import pytest

from validation.papers.inference import simulations
from validation.papers.inference.paper import LEVEL, POWER, SETS, TITLES, claims, draw, make_section
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

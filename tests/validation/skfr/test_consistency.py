"""The simulation of Proposition 2 of the SKFR paper."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from validation.papers.paper import Result, Task
from validation.papers.shared.store import RESULTS, load_table
from validation.papers.skfr.simulation import consistency
from validation.papers.skfr.simulation.consistency import FITS, MEASURES, ConsistencyCell


def test_the_population() -> None:
    centers, error = consistency.population()
    spread = (1 + 2 / 3) ** 0.5
    # The optimal centres lie beyond the means of the groups, by symmetry by nearly as much in every feature.
    assert centers.shape == (3, 5)
    assert (np.abs(centers - consistency.LEVELS / spread) < 0.07).all()
    # The error is between that of the three pairs (means 2.8 to 3.7 apart: at most 0.08 each, two per group).
    assert 0.05 < error < 0.16


def test_a_large_sample_finds_the_features_and_nearly_the_centres() -> None:
    row = consistency.run_sample(ConsistencyCell(20, 3840, 1), 0)
    assert row["stuck"] in (False, True)
    assert row["missed, best known"] == 0
    # 15 means of about 1280 rows each: a distance of 0.11 is expected; twice as much would be no convergence.
    assert row["distance, best known"] < 0.22
    assert abs(row["error, best known"] - consistency.population()[1]) < 0.02  # 4 standard errors: 0.02


def test_a_fit_that_is_stuck_is_told_from_the_optimum() -> None:
    rows = [consistency.run_sample(ConsistencyCell(200, 240, 1), trial) for trial in range(3)]
    assert any(row["stuck"] for row in rows)
    for row in rows:
        same = all(row[f"{measure}, {FITS[0]}"] == row[f"{measure}, {FITS[1]}"] for measure in MEASURES)
        assert same != row["stuck"]


def made_up(missed: list[float], distance: list[float], error: list[float]) -> pd.DataFrame:
    """Summaries of made-up trials at p = 20, one of each fit per size."""
    cells = zip((100, 200, 400), missed, distance, error, strict=True)
    trials = [
        {"n_features": 20, "n_rows": n, "trial": trial, "stuck": False}
        | {
            f"{measure}, {fit}": value
            for measure, value in zip(MEASURES, (m, e, d), strict=True)
            for fit in FITS
        }
        for n, m, d, e in cells
        for trial in range(2)
    ]
    return consistency.summarise(pd.DataFrame(trials))


def test_claims_can_hold_and_fail() -> None:
    optimal = consistency.population()[1]
    good = made_up([0.2, 0, 0], [3, 0.2, 0.2 / 2**0.5], [0.5, 0.2, optimal + 0.004])
    assert [claim.holds for claim in consistency.claims(good)] == [True, True, True]
    bad = made_up([0, 0, 0.2], [0.4, 0.4, 0.4], [0.5, 0.2, optimal + 0.006])
    assert [claim.holds for claim in consistency.claims(bad)] == [False, False, False]
    assert consistency.claims(pd.DataFrame(columns=good.columns)) == []


def test_run_draw_and_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "SIZES", (30, 60))
    monkeypatch.setattr(consistency, "TRIALS", {"quick": 2})
    one = consistency.run(Task("quick", tmp_path / "1", 1))
    table = one.frames["consistency"]
    assert len(table) == 2 * 2 * 2
    assert table["trials"].eq(2).all()
    two = consistency.run(Task("quick", tmp_path / "2", 2))
    pd.testing.assert_frame_equal(two.frames["consistency"], table, check_exact=True)
    assert [ax.get_title() for ax in one.figures["consistency"].axes] == list(MEASURES.values())
    section = consistency.section(Result(one.frames), RESULTS)
    assert len(section.tables[0].rows) == len(load_table("consistency")[0])
    assert len(section.tables[1].rows) == 6

"""The grid of readings of Table 4: runs, quantities called NMI, agreement, pictures, section."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from sparsek import SKFR
from sparsek.metrics import normalized_variation_of_information
from validation.papers.skfr.real_tables import grid
from validation.papers.skfr.real_tables.designs import MAIN_4
from validation.papers.skfr.real_tables.grid import READINGS, GridCell, informations
from validation.papers.skfr.real_tables.runs import MethodCell, run_trial
from validation.papers.skfr.real_tables.samples import load_sample, scaled, start_labels


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 6))
def test_informations_are_those_of_single_partitions(seed: int, n_classes: int, n_clusters: int) -> None:
    rng = np.random.default_rng(seed)
    target, labels = rng.integers(n_classes, size=40), rng.integers(n_clusters, size=(3, 40), dtype=np.int32)
    found = informations(target, labels)
    assert tuple(found) == grid.NORMALISERS
    for i, partition in enumerate(labels):
        for name in grid.NORMALISERS[:4]:
            one = normalized_mutual_info_score(target, partition, average_method=name)
            if len(set(target)) == len(set(partition)) == 1:
                one = 0.0  # a matter of definition: no information in either
            # Both round sums of up to 30 logarithms.
            assert found[name][i] == pytest.approx(one, abs=1e-12)
        if len(set(target)) > 1:
            distance = normalized_variation_of_information(target, partition)
            assert found["joint"][i] == pytest.approx(1 - distance, abs=1e-12)  # rounding of the same sums


@pytest.mark.parametrize("reading", [READINGS[0], READINGS[3], READINGS[-1]], ids=str)
def test_every_run_is_a_fit_of_skfr(reading: grid.Reading) -> None:
    cell = GridCell("wine", reading, 17, 13)
    row = grid.run_size(cell, 5)
    X, target = scaled("wine", "raw" if reading.scaling == "standardised" else reading.scaling, "column"), []
    for trial in range(cell.n_runs):
        fit = SKFR(
            3,
            cell.sizes[5],
            standardize=reading.scaling == "standardised",
            init=start_labels("wine", reading, trial),
        ).fit(X)
        target.append(
            normalized_mutual_info_score(load_sample("wine").target, fit.labels_, average_method="max")
        )
    # The row is rounded to five decimal places.
    assert row["max"] == pytest.approx(np.mean(target), abs=5.1e-6)
    assert row["max_sd"] == pytest.approx(np.std(target, ddof=1), abs=5.1e-6)


def test_the_first_reading_is_that_of_table_4() -> None:
    row = grid.run_size(GridCell("iris", READINGS[0], 5, 4), 2)
    runs = [run_trial(MethodCell("iris", "SKFR1", MAIN_4, 3.0, 5), trial)["nmi"] for trial in range(5)]
    assert row["s"] == 3
    assert row["max"] == pytest.approx(np.mean(runs), abs=5.1e-6)  # five decimal places


def test_processes_give_the_same_grid_and_cells_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (grid.run_grid(["iris"], 4, 3, tmp_path / str(n), n) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    assert len(one) == len(READINGS) * 3
    assert len(list((tmp_path / "1").iterdir())) == len(READINGS)
    monkeypatch.setattr(grid, "run_size", None)
    again = grid.run_grid(["iris"], 4, 3, tmp_path / "1", 1)
    pd.testing.assert_frame_equal(again, one, check_exact=True)

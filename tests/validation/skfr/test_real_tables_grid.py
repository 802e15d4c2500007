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
from validation.papers.paper import Result
from validation.papers.shared.store import RESULTS, load_table
from validation.papers.skfr.paper import PAPER
from validation.papers.skfr.real_tables import grid, grid_section
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


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
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


def made_up(**numbers: float) -> pd.DataFrame:
    """A grid of two cells on Newthyroid: one with the printed numbers, one with these."""
    cell = {"data": "newthyroid", "columns": "standardised", "seeds_on": "raw", "power": 2, "runs": 200}
    scores = dict.fromkeys(grid.NORMALISERS, 0.441) | {f"{name}_sd": 0.059 for name in grid.NORMALISERS}
    scores |= {f"{name}_{moment}": 0.0 for name in grid.NORMALISERS for moment in ("skew", "kurtosis")}
    return pd.DataFrame([{**cell, "s": 4, **scores}, {**cell, "s": 5, **scores, **numbers}])


def test_readings_agree_in_the_mean_and_the_deviation() -> None:
    cells = grid_section.judge_grid(made_up(max=0.5, min_sd=0.01))
    agrees = cells.set_index(["nmi", "s"])["agrees"]
    assert not agrees["max", 5]
    assert not agrees["min", 5]
    assert agrees.drop([("max", 5), ("min", 5)]).all()
    (row,) = grid_section.agreement(cells).to_dict("records")
    assert (row["readings"], row["near"], row["agree"]) == (10, 9, 8)
    assert (row["mean"], row["sd"], row["p"]) == (0.441, 0.059, 1)
    assert row["nearest"] == "s = 4, columns std, seeds on raw by squared distances, NMI max"


def test_cells_with_all_features_are_plain_kmeans() -> None:
    cells = grid_section.judge_grid(made_up(), "k-means++")
    assert set(cells["s"]) == {5}
    assert not cells["agrees"].any()  # .348 is printed for k-means++


def test_pictures_mark_the_printed_number_and_the_cells_that_agree(tmp_path: Path) -> None:
    cells = grid_section.judge_grid(grid.run_grid(["iris"], 3, 4, tmp_path, 1))
    figure = grid_section.draw_grid(cells, "iris")
    panels, bar = figure.axes[:-1], figure.axes[-1]
    assert [ax.get_title() for ax in panels] == [f"NMI {name}" for name in grid.NORMALISERS]
    assert "printed 0.815" in [label.get_text() for label in bar.get_yticklabels()]
    for ax, name in zip(panels, grid.NORMALISERS, strict=True):
        (image,) = ax.get_images()
        assert image.get_array().shape == (len(READINGS), 4)
        marked = sum(len(line.get_xdata()) for line in ax.lines)
        assert marked == (cells[cells["nmi"] == name]["agrees"]).sum()


def test_section_of_the_recorded_run() -> None:
    (section,) = (
        make(Result({}), RESULTS) for name, make in PAPER.section_makers.items() if name == "table-4-grid"
    )
    recorded, about = load_table("table-4-grid")
    names = recorded["data"].unique()
    assert about["scale"] == "full"
    assert recorded["runs"].eq(200).all()
    assert len(section.pictures) == len(names)
    assert [len(table.rows) for table in section.tables] == [len(names)] * 2
    plain = {row[0]: row for row in section.tables[1].rows}
    # Found by hand from other seeds, before the grid: mean and sd, within four standard errors.
    by_hand = {"WDBC": (25, 0.5855, 0.0023), "Newthyroid": (4, 0.437, 0.059), "Wine": (6, 0.735, 0.064)}
    by_hand |= {"Iris": (1, 0.802, 0.075)}  # on Wall Robot 4 s = 2 and 3 are as probable
    for data, (s, mean, sd) in by_hand.items():
        assert plain[data][6].startswith(f"s = {s},")
        assert plain[data][7] == pytest.approx(mean, abs=4 * sd * (2 / 200) ** 0.5)

"""The machinery of papers/skfr/real_tables: checkpoint, samples and starts, methods, estimates, verdicts."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.utils import Bunch

from sparsek import datasets
from validation.papers.shared import cells, verdict_tables
from validation.papers.shared.outcomes import write_outcomes
from validation.papers.skfr.real_tables import designs, methods, runs, samples, summary
from validation.papers.skfr.real_tables.designs import BENCHMARKS, MAIN_3, MAIN_4, MICE, Reading
from validation.papers.skfr.real_tables.methods import Answer, Run
from validation.papers.skfr.real_tables.runs import MethodCell, TuningCell


@pytest.fixture(autouse=True)
def fresh_caches() -> None:
    """Clear caches, so that no sample of another test is used."""
    for cached in (samples.load_sample, samples.scaled, samples.start_rows):
        cached.cache_clear()


@pytest.fixture
def mice(monkeypatch: pytest.MonkeyPatch) -> Bunch:
    """Small mice data: 60 rows, 5 proteins, 4 classes, some cells missing, maps of 4 and 9 nodes."""
    rng = np.random.default_rng(0)
    target = np.repeat(np.arange(4), 15)
    data = rng.normal(size=(60, 5)) + 3 * target[:, None] * [1, 1, 0, 0, 0]
    data[rng.random(data.shape) < 0.05] = np.nan
    names = np.array(["c-CS-m", "c-SC-m", "t-CS-m", "t-SC-m"])
    bunch = Bunch(data=data, target=target, target_names=names, feature_names=[f"{c}_N" for c in "ABCDE"])
    monkeypatch.setattr(datasets, "fetch_mice_protein", lambda: bunch)
    for half, side in (("control", 2), ("trisomic", 3)):
        monkeypatch.setitem(MICE, half, side)
    return bunch


@dataclass(frozen=True)
class Coin:
    """A cell for the tests of the checkpoint."""

    name: str
    n_trials: int
    seconds: float = 1.0

    @property
    def file_name(self) -> str:
        return f"{self.name}.csv"


SEEN: list[tuple[str, int]] = []


def flip(cell: Coin, trial: int) -> dict[str, object]:
    """A trial that records its call."""
    SEEN.append((cell.name, trial))
    return {
        "name": cell.name,
        "trial": trial,
        "value": np.random.default_rng([len(cell.name), trial]).random(),
    }


def stop_at_b(cell: Coin, trial: int) -> dict[str, object]:
    """Interrupt the run within the second cell."""
    if cell.name == "b" and trial == 1:
        raise KeyboardInterrupt
    return flip(cell, trial)


def test_an_interrupted_run_goes_on_and_ends_with_the_same_numbers(tmp_path: Path) -> None:
    wanted = [Coin("a", 3), Coin("b", 3), Coin("c", 2)]
    SEEN.clear()
    with pytest.raises(KeyboardInterrupt):
        cells.run_cells(wanted, stop_at_b, tmp_path / "cells", 1)
    assert [path.name for path in (tmp_path / "cells").iterdir()] == ["a.csv"]
    (tmp_path / "cells" / "b.part").write_text("name,trial\nb,")  # as if interrupted while writing
    done = len(SEEN)
    resumed = cells.run_cells(wanted, flip, tmp_path / "cells", 1)
    assert SEEN[done:] == [("b", 0), ("b", 1), ("b", 2), ("c", 0), ("c", 1)]  # "a" is not run again
    fresh = cells.run_cells(wanted, flip, tmp_path / "other", 1)
    pd.testing.assert_frame_equal(resumed, fresh, check_exact=True)
    again = cells.run_cells(wanted, stop_at_b, tmp_path / "cells", 1)  # nothing left to run
    pd.testing.assert_frame_equal(again, fresh, check_exact=True)
    assert resumed["name"].tolist() == list("aaabbbcc")


def test_more_trials_are_added_and_fewer_are_read(tmp_path: Path) -> None:
    few = cells.run_cells([Coin("a", 2)], flip, tmp_path, 1)
    SEEN.clear()
    more = cells.run_cells([Coin("a", 4)], flip, tmp_path, 1)
    assert SEEN == [("a", 2), ("a", 3)]
    pd.testing.assert_frame_equal(more.head(2), few)
    assert cells.run_cells([Coin("a", 1)], flip, tmp_path, 1)["trial"].tolist() == [0]


def test_costliest_cells_begin_and_rows_keep_the_order_given(tmp_path: Path) -> None:
    SEEN.clear()
    table = cells.run_cells([Coin("a", 1), Coin("b", 1, 9.0), Coin("a", 1)], flip, tmp_path, 1)
    assert SEEN == [("b", 0), ("a", 0)]  # a cell that is listed twice is run once
    assert table["name"].tolist() == ["a", "b", "a"]


def test_processes_give_the_same_numbers(tmp_path: Path) -> None:
    wanted = [MethodCell("iris", name, MAIN_4, 2.0 if name == "SKFR1" else np.nan, 3)
              for name in ("SKFR1", "EW k-means")]  # fmt: skip
    one, two = (cells.run_cells(wanted, runs.run_trial, tmp_path / str(n), n) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    assert two["nmi"].between(0, 1).all()


def test_every_cell_has_a_file_of_its_own() -> None:
    readings = [MAIN_4, *designs.OTHERS_4.values(), *designs.READINGS_3]
    wanted = {
        MethodCell(data, method, reading, value, 1, source)
        for data in ("iris", "wine")
        for method in methods.METHODS
        for reading in readings
        for value in (2.0, 1.2345, np.inf)
        for source in ("ours", "R")
    }
    tuning = {
        TuningCell("iris", name, r, 2, n, 3) for name in methods.TUNED for r in readings for n in (1, 2)
    }
    names = [cell.file_name for cell in (*wanted, *tuning)]
    assert len(set(names)) == len(names)
    assert not set("/\\ ,") & set("".join(names))


def test_samples(mice: Bunch) -> None:
    iris = samples.load_sample("iris")
    np.testing.assert_array_equal(iris.X, load_iris().data)
    assert iris.n_clusters == 3
    control, trisomic = (samples.load_sample(half) for half in MICE)
    assert (len(control.X), len(trisomic.X)) == (30, 30)
    assert (control.n_clusters, trisomic.n_clusters) == (4, 9)
    assert set(trisomic.target) == {2, 3}
    assert control.features == tuple("ABCDE")


def test_scaling_and_filling(mice: Bunch) -> None:
    X = samples.load_sample("control").X
    holes = np.isnan(X)
    assert holes.any()
    by_column, by_class = (samples.scaled("control", "raw", fill) for fill in ("column", "class"))
    np.testing.assert_array_equal(by_column[~holes], X[~holes])
    assert np.isnan(samples.scaled("control", "raw", "none")[holes]).all()
    row, column = np.argwhere(holes)[0]
    assert by_column[row, column] == np.nanmean(X[:, column])
    same_class = samples.load_sample("control").target == samples.load_sample("control").target[row]
    # A sum divided by a number, instead of numpy's mean.
    assert by_class[row, column] == pytest.approx(np.nanmean(X[same_class, column]), rel=1e-14)
    unit = samples.scaled("control", "minmax", "column")
    assert (unit.min(), unit.max()) == (0, 1)
    Z = samples.scaled("wine", "standardised", "column")
    # Standardising rounds each of 178 numbers of order 1.
    np.testing.assert_allclose(Z.std(axis=0, ddof=1), 1, rtol=1e-13)


def test_methods_share_their_starts() -> None:
    for trial in range(3):
        rows = samples.start_rows("wine", MAIN_4, trial)
        assert len(set(rows)) == 3
        run = Run("wine", MAIN_4, trial, np.nan)
        np.testing.assert_array_equal(run.centers, load_wine().data[list(rows)])
        distances = np.linalg.norm(load_wine().data[:, None] - run.centers, axis=2)
        np.testing.assert_array_equal(run.labels, distances.argmin(axis=1))
        other = Run("wine", designs.OTHERS_4["standardised columns"], trial, np.nan)
        np.testing.assert_array_equal(other.labels, run.labels)  # seeds are drawn on raw columns in both
    starts = {samples.start_rows("wine", MAIN_4, trial) for trial in range(20)}
    assert len(starts) == 20
    assert samples.start_rows("wine", designs.OTHERS_4["seeds by squared distances"], 0) not in starts


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_lloyd_is_skfr_with_every_feature() -> None:
    run = Run("wine", MAIN_4, 0, 13.0)
    ours, skfr = methods.METHODS["k-means++, standardised"](run), methods.METHODS["SKFR1"](run)
    np.testing.assert_array_equal(ours.labels, skfr.labels)
    assert skfr.selected is not None
    assert len(skfr.selected) == 13
    raw = methods.METHODS["k-means++"](run)
    assert not np.array_equal(raw.labels, ours.labels)


def test_every_method_of_table_3_runs_on_partial_data(mice: Bunch) -> None:
    for method in ("SOM", "SKFR1", "SKFR1, filled", "power k-means", "k-means++"):
        for half, side in MICE.items():
            row = runs.run_trial(MethodCell(half, method, MAIN_3, 2.0, 1), 0)
            assert 0 <= row["nodes"] <= side**2
            assert row["nodes"] <= row["total"] <= 30
            assert np.isfinite(row["objective"])
            assert row["n_selected"] == 2 or not method.startswith("SKFR1")
            again = runs.run_trial(MethodCell(half, method, MAIN_3, 2.0, 1), 0)
            assert (row["labels"], row["objective"]) == (again["labels"], again["objective"])


def test_a_method_that_gives_up_has_no_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(methods.METHODS, "k-means++", lambda run: Answer(np.empty(0)))
    row = runs.run_trial(MethodCell("iris", "k-means++", MAIN_4, np.nan, 1), 0)
    assert np.isnan([row["nmi"], row["ari"], row["nodes"]]).all()


def test_sparcl_gives_up_on_too_few_distinct_rows(mice: Bunch) -> None:
    mice.data[:] = np.arange(60)[:, None] % 3
    answer = methods.answer_ours("SKM", Run("control", MAIN_4, 0, 1.2))
    assert len(answer.labels) == 0


def test_sizes_tried() -> None:
    assert runs.size_grid(4, 8) == [1, 2, 3, 4]
    grid = runs.size_grid(2400, 30)
    assert (grid[0], grid[-1]) == (1, 2400)
    assert len(grid) <= 30
    assert grid == sorted(set(grid))


@pytest.mark.parametrize("method", ["SKFR1", "SKM", "SKM, estimator"])
def test_tuning_takes_the_largest_gap(method: str) -> None:
    row = runs.tune(TuningCell("iris", method, MAIN_4, 2, 2, 8), 0)
    values, gaps = (np.array(json.loads(row[name])) for name in ("values", "gaps"))
    assert row["largest"] == values[gaps.argmax()]
    assert row["one_se"] <= row["largest"]
    assert values.tolist() == [1, 2, 3, 4] or (values[0], values[-1]) == pytest.approx((1.2, 1.8), abs=1e-12)


def test_tuning_of_partial_data_sees_the_scaled_columns(mice: Bunch) -> None:
    row = runs.tune(TuningCell("control", "SKFR1", MAIN_3, 2, 2, 8), 0)
    assert row["largest"] in range(1, 6)


def test_estimate_of_a_mean() -> None:
    values = pd.Series([0.2, 0.4, np.nan, 0.6])
    value, sd, error = summary.estimate_mean(values)
    assert value == pytest.approx(0.4, abs=1e-15)
    assert sd == pytest.approx(0.2 / 20**0.5, abs=1e-15)
    assert error == pytest.approx(0.2 / 3**0.5, abs=1e-15)


def test_estimate_of_the_reported_run() -> None:
    rng = np.random.default_rng(1)
    pool = pd.DataFrame({"nodes": rng.integers(5, 15, 1000), "total": rng.integers(50, 200, 1000)})
    pool["objective"] = -pool["nodes"]
    fewest = summary.estimate_reported(pool, "nodes", "fewest mixed")
    # 20 draws of 5..14 lack a 5 with probability 0.9^20 = 0.12, and both 5 and 6 with 0.8^20 = 0.01.
    assert fewest.value == pytest.approx(5.13, abs=0.05)
    assert fewest.error == pytest.approx(fewest.sd * (20 / 1000) ** 0.5, rel=1e-12)
    lowest = summary.estimate_reported(pool, "nodes", "lowest objective")
    assert lowest.value > 13
    mean = summary.estimate_reported(pool, "nodes", "mean")
    assert mean.value == pool["nodes"].mean()
    assert fewest == summary.estimate_reported(pool, "nodes", "fewest mixed")


@pytest.mark.parametrize(
    ("printed", "runs", "verdict"),
    [
        (4, [4] * 800, "equivalent"),
        (4, [4] * 100, "undecided"),
        (4, [2] * 10 + [6] * 790, "undecided"),
        (4, [7] * 800, "different, higher"),
        (9, [5] * 800, "different, lower"),
    ],
)
def test_verdicts_on_counts(printed: float, runs: list[int], verdict: str) -> None:
    row = {"measure": "nodes", "printed": printed, "outcomes": write_outcomes(sorted(runs))}
    assert summary.judge_table_3(pd.DataFrame([row]))["verdict"].tolist() == [verdict]


def table_of(ours: float, sd: float, runs: int, data: str = "Iris", method: str = "SKFR1") -> pd.DataFrame:
    """A row of Table 4 whose runs have this mean and about this standard deviation."""
    values = ours + sd * np.tile([-1.0, 1.0], -(-runs // 2))[:runs]
    row = {"data": data, "method": method, "printed": 0.815, "printed_sd": 0.032, "ours": ours, "sd": sd}
    return pd.DataFrame([{**row, "runs": runs, "outcomes": write_outcomes(values)}])


def test_verdicts_on_means_and_deviations() -> None:
    judged = summary.judge_table_4(pd.concat([
        table_of(0.815, 0.032, 400), table_of(0.629, 0.032, 400), table_of(0.815, 0.3, 200),
        table_of(0.815, 0.03, 2), table_of(0.815, 0.03, 20, method="k-means++, standardised"),
        table_of(0.815, 0.032, 400, "Ecoli"),
    ], ignore_index=True))  # fmt: skip
    # The printed mean of 20 runs with a spread of 0.032 is known to 0.015 only: 0.02 is just wide enough.
    assert judged["verdict"].tolist() == [
        "equivalent", "different, lower", "undecided", "undecided", "", "equivalent"
    ]  # fmt: skip
    # A mean and its spread have a verdict each.
    assert judged["sd_verdict"].tolist()[1:5] == ["equivalent", "different, higher", "undecided", ""]
    assert judged["protocol"].str.startswith("another protocol").tolist() == [False] * 5 + [True]


def test_all_tests_of_a_table_are_one_family() -> None:
    rows = [table_of(0.815, 0.032, 400) for _ in range(5)] + [table_of(0.629, 0.032, 400)]
    judged = summary.judge_table_4(pd.concat(rows, ignore_index=True))
    raw = judged["p_different"].iloc[-1]
    assert judged["p_adjusted"].iloc[-1] == pytest.approx(12 * raw)  # six means, six spreads
    assert judged["word"].iloc[-1] == "different"


def test_reasons_name_readings_within_the_margin_or_the_nearest() -> None:
    judged = summary.judge_table_4(table_of(0.629, 0.05, 400))
    readings = pd.DataFrame({"data": "Iris", "method": "SKFR1", "reading": ["s = 1", "s = 2"],
                             "ours": [0.81, 0.75]})  # fmt: skip
    add, keys = verdict_tables.add_reasons, ["data", "method"]
    assert add(judged, readings, keys)["reason"].iloc[0] == "within the margin with s = 1 (0.81)"
    (reason,) = add(judged, readings.iloc[1:], keys)["reason"]
    assert reason == "no other reading is within the margin; nearest: s = 2 (0.75)"
    assert add(judged, pd.DataFrame(), keys)["reason"].tolist() == [""]


def test_counts_of_verdicts() -> None:
    table = pd.DataFrame({"word": ["equivalent", "", "different", "undecided"]})
    expected = dict.fromkeys(verdict_tables.COUNTED, 0)
    expected |= {"cells": 3, "equivalent": 1, "different": 1, "undecided": 1}
    assert verdict_tables.count_verdicts(table) == expected
    assert verdict_tables.count_in_words(table.assign(sd_word="different")) == (
        "of 3 numbers 1 equivalent, 0 different within the margin, 1 different, 1 undecided; "
        "of 4 spreads 0 equivalent, 0 different within the margin, 4 different, 0 undecided"
    )
    joined = verdict_tables.count_verdicts(table.assign(fact=[1, 2, 1, 3]))
    assert (joined["cells"], joined["equivalent"], joined["different"]) == (2, 0, 1)
    assert verdict_tables.count_verdicts(table.head(0))["cells"] == 0


def test_tables_of_text_fit_the_terminal() -> None:
    names = [f"method {place}" for place in range(12)]
    text = verdict_tables.plain_grid(["row"] * 12, names, ["0.123/0.456="] * 12)
    assert max(map(len, text.splitlines())) <= verdict_tables.WIDTH
    assert text.count("0.123/0.456=") == 12
    assert all(name in text for name in names)


def test_published_numbers_are_complete() -> None:
    printed = summary.load_published()
    assert list(printed["table3"]) == ["SOM", "SKFR1", "power k-means", "k-means++"]
    assert all(list(halves) == ["control", "trisomic"] for halves in printed["table3"].values())
    assert list(printed["table4"]) == ["SKFR1", "k-means++", "SKM", "EW k-means"]
    assert all(list(row) == list(BENCHMARKS) for row in printed["table4"].values())
    best = [max(printed["table4"], key=lambda name: printed["table4"][name][data]) for data in BENCHMARKS]
    assert best.count("SKFR1") == 9  # in the paper SKFR1 is best on 9 of the 10 data sets


def test_readings_have_names_of_their_own() -> None:
    for readings in (designs.READINGS_3, (MAIN_4, *designs.OTHERS_4.values())):
        assert len({str(reading) for reading in readings}) == len(readings)
    assert MAIN_3 in designs.READINGS_3
    assert set(designs.READINGS_SOM) <= set(designs.READINGS_3)
    assert str(Reading("raw", "minmax", 2, "class")) == "raw-minmax-2-class"

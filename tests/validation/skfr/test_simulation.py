"""The machinery of papers/skfr/simulation: trials and checkpoints, summaries, printed numbers, commands."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.utils import Bunch

from validation import __main__ as command
from validation.papers.shared.cells import run_cells
from validation.papers.shared.outcomes import write_outcomes
from validation.papers.shared.verdict_tables import WIDTH
from validation.papers.skfr.simulation import designs, figures, gap, methods, runner, summary, tables, timing
from validation.papers.skfr.simulation.designs import EXPERIMENTS, SCALES, SIZES, count_trials
from validation.papers.skfr.simulation.methods import METHODS, Answer
from validation.papers.skfr.simulation.runner import Cell, experiment_cells, run_trial

SIZE = 20


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, np.ndarray]]:
    """Methods "one" and "two" that record seed and data; their answers depend on the seed."""
    seen: list[tuple[int, np.ndarray]] = []

    def answer(sample: Bunch, seed: int, n_init: int) -> Answer:
        seen.append((seed, sample.data))
        support = np.arange(sample.data.shape[1]) % (seed + 1) == 0
        labels = np.random.default_rng(seed).integers(3, size=len(sample.target))
        return Answer(labels, support, n_iter=seed / 3)

    monkeypatch.setitem(runner.METHODS, "one", answer)
    monkeypatch.setitem(runner.METHODS, "two", answer)
    return seen


def test_a_cell_goes_on_where_it_ended(calls: list, tmp_path: Path) -> None:
    def run(n_trials: int, folder: Path = tmp_path) -> pd.DataFrame:
        return run_cells([Cell("clean", SIZE, "one", n_trials)], run_trial, folder, 1)

    first = run(2)
    assert [seed for seed, _ in calls] == [1, 2]
    more = run(5)
    assert [seed for seed, _ in calls] == [1, 2, 3, 4, 5]
    pd.testing.assert_frame_equal(more.head(2), first)
    again = run(5)
    fewer = run(3)
    assert len(calls) == 5
    assert fewer["trial"].tolist() == [0, 1, 2]
    pd.testing.assert_frame_equal(again, more, check_exact=True)  # reading gives the written numbers
    fresh = run(5, tmp_path / "other")
    pd.testing.assert_frame_equal(
        fresh.drop(columns="seconds"), more.drop(columns="seconds"), check_exact=True
    )


def test_an_interrupted_experiment_keeps_its_finished_cells(
    calls: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(sample: Bunch, seed: int, n_init: int) -> Answer:
        raise KeyboardInterrupt

    works = runner.METHODS["two"]
    cells = experiment_cells("clean", (SIZE,), "quick", ("one", "two"))
    monkeypatch.setitem(runner.METHODS, "two", stop)
    with pytest.raises(KeyboardInterrupt):
        run_cells(cells, run_trial, tmp_path, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["clean-20-one.csv"]
    done = len(calls)
    assert done == SCALES["quick"]
    monkeypatch.setitem(runner.METHODS, "two", works)
    trials = run_cells(cells, run_trial, tmp_path, 1)
    assert len(calls) == 2 * done  # "one" was not run again
    assert trials.groupby("method", sort=False).size().to_dict() == {"one": done, "two": done}


def test_methods_of_a_trial_see_the_same_sample(calls: list) -> None:
    cells = [Cell("outliers", SIZE, name, 2) for name in ("one", "two")]
    rows = [run_trial(cell, trial) for trial in (0, 1) for cell in cells]
    np.testing.assert_array_equal(calls[0][1], calls[1][1])
    assert not np.array_equal(calls[0][1], calls[2][1])
    run_trial(Cell("clean", SIZE, "one", 1), 0)
    assert not np.array_equal(calls[0][1], calls[4][1])  # experiments do not share samples either
    assert [row["trial"] for row in rows] == [0, 0, 1, 1]
    assert rows[0]["ari"] == rows[1]["ari"]


def test_rates_count_wrong_features(calls: list) -> None:
    row = run_trial(Cell("clean", SIZE, "one", 1), 0)  # selects every other feature; 10 of 20 inform
    assert (row["fpr"], row["fnr"], row["n_iter"]) == (0.5, 0.5, 1 / 3)
    row = run_trial(Cell("subsets", SIZE, "one", 1), 0)  # no rates if informative features differ
    assert np.isnan([row["fpr"], row["fnr"]]).all()


def test_every_cell_has_a_file_of_its_own() -> None:
    names = [Cell("clean", SIZE, name, 1).file_name.removesuffix(".csv") for name in METHODS]
    assert len(set(names)) == len(METHODS)
    assert all(name.replace("-", "").replace("_", "").isalnum() for name in names)


def test_costly_cells_begin_and_keep_their_place(calls: list, tmp_path: Path) -> None:
    cells = [Cell("clean", 20, "one", 1), Cell("outliers", 50, "two", 2)]
    trials = run_cells(cells, run_trial, tmp_path, 1)
    assert [data.shape[1] for _, data in calls] == [50, 50, 20]
    assert trials[["experiment", "trial"]].to_numpy().tolist() == [
        ["clean", 0],
        ["outliers", 0],
        ["outliers", 1],
    ]


def test_experiments_are_those_of_the_paper() -> None:
    assert list(EXPERIMENTS) == ["clean", "outliers", "subsets", "missing"]
    assert SIZES == (20, 50, 100, 200, 500, 1000)
    for experiment in EXPERIMENTS.values():
        assert set(experiment.methods) <= set(METHODS)
        assert experiment.n_init == (10 if experiment.name == "missing" else 20)
        assert {setting.kind for setting in experiment.settings} == {"inferred", "our choice"}
    assert set(tables.TABLE_2) <= set(METHODS)
    # The full scale has enough trials for intervals, in every method.
    assert all(count_trials(method, "full") >= summary.TRIALS_OF_THE_PAPER for method in METHODS)
    assert SCALES["full"] >= 200


def trials_of(values: list[float], method: str = "SKFR1") -> pd.DataFrame:
    """One cell of Table 2 at p = 50 with given false positive rates."""
    cell = {"experiment": "outliers", "n_features": 50, "method": method, "trial": range(len(values))}
    return pd.DataFrame({**cell, "fpr": values, "fnr": np.nan})


def verdict_of(row: pd.Series) -> str:
    return str(summary.judge_rates(row.to_frame().T)["verdict"].iloc[0])


def test_summary_of_a_cell() -> None:
    values = np.linspace(0, 0.05, 31)
    table = summary.summarise_trials(trials_of(list(values)), ("fpr", "fnr"))
    assert len(table) == 1  # a measure without values has no row
    row = table.iloc[0]
    assert (row["measure"], row["trials"], row["published"]) == ("fpr", 31, 0.025)
    assert [row["q25"], row["median"], row["q75"]] == np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    assert 0 < row["low"] < row["median"] < row["high"] < 0.05
    assert verdict_of(row) == "equivalent"
    unknown = summary.summarise_trials(trials_of(list(values), "another"), ("fpr",)).iloc[0]
    assert np.isnan(unknown["published"])
    assert verdict_of(unknown) == ""
    moved = summary.summarise_trials(trials_of(list(values + 1)), ("fpr",)).iloc[0]
    assert verdict_of(moved) == "different, higher"


def test_printed_values_are_rounded() -> None:
    low = summary.summarise_trials(trials_of([0.0254] * 30), ("fpr",)).iloc[0]  # prints as 0.025
    assert (low["low"], low["high"]) == (0.0254, 0.0254)
    assert verdict_of(low) == "equivalent"


@pytest.mark.parametrize(("n_trials", "enough"), [(1, False), (29, False), (30, True)])
def test_intervals_need_the_trials_of_the_paper(n_trials: int, enough: bool) -> None:
    row = summary.summarise_trials(trials_of(list(np.linspace(0, 0.05, n_trials))), ("fpr",)).iloc[0]
    assert np.isfinite([row["low"], row["high"]]).tolist() == [enough, enough]
    assert verdict_of(row) == ("undecided" if n_trials == 1 else "equivalent")
    assert np.isfinite(row["median"])


def test_first_is_the_median_of_the_trials_that_the_quick_scale_repeats() -> None:
    n_quick = count_trials("SKFR1", "quick")
    values = [0.01 * i for i in range(n_quick)] + [1.0] * 30
    row = summary.summarise_trials(trials_of(values), ("fpr",)).iloc[0]
    assert row["first"] == np.median(values[:n_quick])
    assert row["median"] == 1.0


def test_r_is_held_against_what_is_printed_for_sparse_kmeans() -> None:
    row = summary.summarise_trials(trials_of([0.05] * 30, "SKM (R sparcl)"), ("fpr",)).iloc[0]
    assert (row["published"], verdict_of(row)) == (0.05, "equivalent")


def test_iterations_are_judged() -> None:
    row = {"n_features": 20, "method": "SKFR1", "n_iter": 6.0, "published_n_iter": 6.0}
    runs = {"near": [5.5, 6.5], "far": [15.5, 16.5], "wide": [0.0, 12.0]}
    texts = [write_outcomes(np.tile(values, 200)) for values in (*runs.values(), runs["near"])]
    table = pd.DataFrame([{**row, "outcomes": text} for text in texts])
    table.loc[3, "published_n_iter"] = np.nan
    judged = summary.judge_iterations(table)
    assert judged["verdict"].tolist() == ["equivalent", "different, higher", "undecided", ""]


def test_interval_is_that_of_the_median_of_thirty() -> None:
    values = np.random.default_rng(1).normal(size=4000)
    low, high = summary.median_interval(values)
    assert (low, high) == summary.median_interval(values)
    # The median of 30 normal numbers has standard deviation 0.226 (0.2259 by the order statistics); 2000
    # resamples give its quantiles to about 3 %.
    assert high - low == pytest.approx(2 * 1.96 * 0.226, rel=0.1)


def test_published_numbers_are_complete() -> None:
    entries = summary.load_published()
    keys = [(entry["table"], entry["experiment"], entry["method"], entry["measure"]) for entry in entries]
    expected = [("Table 2", "outliers", m, r) for m in ("SKFR1", "SKM") for r in ("fpr", "fnr")]
    expected += [("Table 1", "timing", m, r) for m in ("SKFR1", "Lloyd") for r in ("seconds", "n_iter")]
    assert sorted(keys) == sorted(expected)
    for entry in entries:
        assert tuple(map(int, entry["values"])) == SIZES
        assert all(isinstance(value, float) and value >= 0 for value in entry["values"].values())
    rates = {entry["measure"]: entry["values"] for entry in entries[:2]}
    for size in SIZES[1:]:  # equally many features are wrong and missed: 10 of size - 10; printed to 3 digits
        missed = 10 * rates["fnr"][str(size)]
        assert rates["fpr"][str(size)] == pytest.approx(missed / (size - 10), abs=6e-4)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """One trial of two starts, one size, one bound, one gap curve, two runs."""
    for module in (tables, figures):
        monkeypatch.setattr(module, "SIZES", (SIZE,))
    monkeypatch.setitem(designs.SCALES, "quick", 1)
    monkeypatch.setattr(designs, "COSTLY", {})
    for name, experiment in EXPERIMENTS.items():
        monkeypatch.setitem(EXPERIMENTS, name, replace(experiment, n_init=2))
    monkeypatch.setattr(methods, "L1_GRID", (2.0,))
    monkeypatch.setattr(gap, "SIZES", {"dense": 17})
    monkeypatch.setitem(gap.SCALES, "quick", {"n_sets": 2, "n_permutations": 2, "n_init": 1})
    run, save = timing.run_timing, Figure.savefig
    monkeypatch.setattr(timing, "run_timing", lambda: run((SIZE,), 2))
    monkeypatch.setattr(
        Figure,
        "savefig",
        lambda figure, path, dpi=100, **options: save(figure, path, dpi=dpi / 10, **options),
    )


def test_tables_command(tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        command.main(["tables", "--table", "1", "--table", "2", "--output", str(tmp_path), "--n-jobs", "1"])
        == 0
    )
    printed = capsys.readouterr().out
    assert "Table 1" in printed
    assert "skfr, Table 1: 1 of 2" in printed.lower()
    assert "= equivalent" in printed
    lines = [line for line in printed.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= WIDTH
    first = pd.read_csv(tmp_path / "table-1.csv")
    assert first["method"].tolist() == ["SKFR1", "Lloyd", "Lloyd, scikit-learn"]
    assert first["published_n_iter"].tolist()[:2] == [6.0, 6.7]
    assert (first[["ms", "n_iter"]] > 0).all(axis=None)
    second = pd.read_csv(tmp_path / "table-2.csv")
    assert list(dict.fromkeys(second["method"])) == list(tables.TABLE_2)
    assert second["published"].notna().sum() == 4  # two rates of SKFR1 and of SKM
    about = json.loads((tmp_path / "table-2.json").read_text())
    assert (about["name"], about["scale"]) == ("table-2", "quick")
    assert about["created"]
    assert not list(tmp_path.rglob("*.part"))


def test_figures_command(tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["figures", "--output", str(tmp_path), "--n-jobs", "1"]) == 0
    pictures = {path.name for path in tmp_path.glob("*.png")}
    assert pictures == {
        "figure-1.png", "figure-2-ari.png", "figure-2-nvi.png", "figure-3-ari.png", "figure-3-nvi.png",
        "consistency.png",
    }  # fmt: skip
    table = pd.read_csv(tmp_path / "figure-3.csv")
    assert set(table["method"]) == {*EXPERIMENTS["subsets"].methods, *EXPERIMENTS["missing"].methods}
    curve = pd.read_csv(tmp_path / "figure-1.csv")
    assert curve["n_features_to_select"].tolist() == [*range(2, 18), *range(2, 18)]
    assert "Left open for missing:" in capsys.readouterr().out


def test_lines_are_the_medians_with_their_quartiles() -> None:
    rng = np.random.default_rng(0)
    cells = [
        {"experiment": name, "n_features": size, "method": method, "trial": trial, "ari": rng.random()}
        for name in ("clean", "outliers") for size in SIZES
        for method in ("SKFR1", "Lloyd") for trial in range(3)
    ]  # fmt: skip
    table = summary.summarise_trials(pd.DataFrame(cells), ("ari",))
    figure = figures.draw_lines(table, "ari")
    assert [axes.get_title() for axes in figure.axes] == [
        EXPERIMENTS[name].title for name in ("clean", "outliers")
    ]
    for axes, name in zip(figure.axes, ("clean", "outliers"), strict=True):
        assert axes.get_xticks().tolist() == list(SIZES)
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        assert labels == ["SKFR1", "Lloyd"]
        for container, method in zip(axes.containers, labels, strict=True):
            rows = table[(table["experiment"] == name) & (table["method"] == method)]
            np.testing.assert_array_equal(container.lines[0].get_ydata(), rows["median"])
            ends = np.array([segment[:, 1] for segment in container.lines[2][0].get_segments()])
            # Quartiles as median minus and plus a difference: rounding of numbers of order 1.
            np.testing.assert_allclose(ends, rows[["q25", "q75"]], atol=1e-15)


def test_gap_picture_marks_the_truth_and_names_the_maximum() -> None:
    curves = pd.concat(
        pd.DataFrame(
            {
                "n_features": p,
                "data_set": number,
                "n_features_to_select": [2, best, p],
                "gap": [0, 2, 1],
                "gap_se": 0.1,
                "gap_sd": sd,
            }
        )
        for p in (20, 50)
        for number, best, sd in ((1, 15, 0.1), (2, 18, 2.5))
    )
    figure = figures.draw_gap(curves)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["p = 20: largest at 15, true 15", "p = 50: largest at 15, true 15"]
    for axes in figure.axes:
        assert axes.lines[0].get_xdata() == [15, 15]
        assert axes.lines[-1].get_xdata() == [15]
    assert gap.largest_gaps(curves) == {20: [15, 18], 50: [15, 18]}
    assert gap.smallest_within_sd(curves) == {20: [15, 2], 50: [15, 2]}

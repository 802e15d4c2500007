"""Sparse MinMax paper beside its tables: both forms, the choice among starts, other settings."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from sparsek import datasets
from tests.validation.minmax import test_minmax_tables as shared
from validation.papers.minmax import checks, samples, starts
from validation.papers.minmax.designs import MINMAX, MINMAX_PAPER, SPARSE
from validation.papers.minmax.grid import GridCell, run_setting
from validation.papers.minmax.starts import StartCell, run_start, starts_table, variants_table
from validation.papers.paper import Result, Task
from validation.papers.shared.store import load_table

tiny = shared.tiny


@pytest.fixture(scope="module")
def done(tiny: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """All checks, run and written once."""
    folder = tmp_path_factory.mktemp("checks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("validation.papers.minmax.grid.N_BOUNDS", 3)
        patch.setattr("validation.papers.minmax.study.RESULTS", folder)  # nothing is recorded
        result = checks.run_checks(Task("quick", folder, 1))
    result.write(folder, "quick")
    return folder, result


def test_every_set_has_both_forms(done: tuple[Path, Result]) -> None:
    _, result = done
    table = result.frames["minmax-variants"]
    forms = table.groupby(["data", "table"])["variant"].agg(list)
    assert forms.map(lambda found: found == ["r", "paper"]).all()
    assert set(table["data"]) == {"Glass", "Colon Cancer", "Leukemia", "Trace"}
    assert table.loc[table["data"] == "Colon Cancer", "table"].unique().tolist() == [2, 4]
    assert (table["statistic"] == "mean").tolist() == table["printed_sd"].notna().tolist()
    assert set(result.frames["minmax-bounds-paper"]["method"]) == {MINMAX_PAPER}


def test_sections_show_the_full_run_and_this_run(done: tuple[Path, Result]) -> None:
    folder, result = done
    for name in checks.TITLES:
        section = checks.make_check(name, result, folder)
        assert section.anchor == name
        assert section.tables[0].columns[-1] == "This run"
    empty = Result({name: pd.DataFrame() for name in checks.TITLES})
    assert "This run" not in checks.make_check("minmax-starts", empty, folder).tables[0].columns


def test_a_start_is_that_of_the_tables(tiny: None) -> None:
    for method, variant in ((MINMAX, "r"), (MINMAX_PAPER, "paper")):
        row = run_start(StartCell("colon", method, 1.7, "random", 3), 2)
        model = starts.minmax_model(2, 1.7, 2, variant=variant).fit(samples.scaled("colon", "raw"))
        assert (row["own"], row["compared"]) == (model.objective_, model.start_objectives_[0])
        assert row["alpha"] == model.alpha_
    names = {
        StartCell("colon", method, 1.7, start, 1).file_name
        for method in (MINMAX, MINMAX_PAPER)
        for start in ("random", "classes")
    }
    assert len(names) == 4


def test_best_of_ten_by_each_criterion(monkeypatch: pytest.MonkeyPatch) -> None:
    # The criterion prefers starts of error .4, the criterion at the alpha reached those of .2.
    runs = pd.DataFrame(
        {"data": "colon", "method": MINMAX, "start": "random", "trial": range(20), "bound": 2.0,
         "error": np.tile([0.4, 0.2], 10), "own": np.tile([-1.0, -2.0], 10),
         "compared": np.tile([-4.0, -3.0], 10), "alpha": np.tile([0.0, 0.1], 10), "n_features": 5,
         "largest": np.tile([8, 9], 10)}
    )  # fmt: skip
    from_classes = runs.iloc[:1].assign(start="classes", compared=-3.5, error=0.1)
    monkeypatch.setattr(
        starts, "load_sample", lambda name: samples.Sample(np.empty((12, 1)), np.r_[np.zeros(7), 1:6])
    )
    (row,) = starts_table(pd.concat([runs, from_classes])).to_dict("records")
    assert row["one"] == pytest.approx(0.3)
    # Groups of ten from twenty have starts of both kinds but for two of 184,756.
    assert (row["ten"], row["ten_own"], row["ten_classes"]) == pytest.approx((0.4, 0.2, 0.2))
    assert (row["ended_lower"], row["beat_classes"], row["classes"]) == (0.5, 0.5, 0.1)
    assert row["correlation"] == pytest.approx(-1)
    assert (row["rows"], row["largest_class"], row["largest_cluster"]) == (12, 7, 8)


def test_printed_numbers_of_both_tables_of_a_gene_set() -> None:
    errors = np.r_[0.145, np.full(39, 0.2)]
    runs = pd.DataFrame({"data": "colon", "method": MINMAX, "start": "random", "error": errors, "bound": 2.0,
                         "n_features": 5})  # fmt: skip
    best, mean = variants_table(runs).to_dict("records")
    assert (best["printed"], best["ours"], best["exact"]) == (0.145, 0.145, True)
    assert (mean["printed"], mean["printed_sd"]) == (0.206, 0.078)
    assert mean["ours"] == pytest.approx(errors.mean())
    assert mean["sd"] < mean["printed_sd"]


def test_holes_are_filled_in_three_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.array([[1.0, 5], [1, np.nan], [4, 2], [1, 2]])
    bunch = Bunch(data=data, target=np.array([0, 0, 1, 1]))
    monkeypatch.setattr(datasets, "fetch_glass", lambda download_if_missing: bunch)
    shared.clear_caches()
    found = [samples.fill_holes("glass", fill) for fill in samples.FILLS]
    shared.clear_caches()
    assert [sample.X[1, 1] for sample in found[:2]] == [3, 2]
    assert found[2].X.tolist() == [[1, 5], [4, 2], [1, 2]]
    assert found[2].target.tolist() == [0, 1, 1]


def test_a_setting_of_the_grid(tiny: None) -> None:
    for method in (SPARSE, MINMAX):
        row = run_setting(GridCell("leukemia", method, "means", "standardised", 2.0, 1), 0)
        assert row["error"] == 0
        assert 1 <= row["n_features"] <= 12


def test_the_page_has_the_recorded_numbers() -> None:
    text = (Path(__file__).parents[3] / "docs/methods/minmax.md").read_text(encoding="utf-8")
    recorded = load_table("minmax-starts")[0].query("variant == 'r'").set_index("data")
    columns = ["one", "ten", "ten_classes", "classes"]
    shown = re.findall(r"^\| ([\w() ]+) \| ((?:\**0\.\d{3}\** \| ){4})(\d+) % \|$", text, re.MULTILINE)
    assert len(shown) == 8
    for data, numbers, share in shown:
        found = [float(number) for number in re.findall(r"0\.\d+", numbers)]
        assert found == recorded.loc[data, columns].round(3).tolist()
        assert abs(float(share) - 100 * recorded.loc[data, "beat_classes"]) <= 0.5
    bests = load_table("minmax-variants")[0].query("statistic == 'best'")
    near = starts.is_near(bests).groupby(bests["variant"]).sum()
    sentence = " ".join(text.split())
    assert f'With "r", {near["r"]} of the 13 are within the margin of ours.' in sentence
    assert f'With "paper", {near["paper"]} are.' in sentence

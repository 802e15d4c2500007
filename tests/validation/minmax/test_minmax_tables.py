"""The tables of the sparse MinMax paper: runs, choice of s, statistics, missing data, report."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.manifold import TSNE
from sklearn.utils import Bunch

from sparsek import datasets
from sparsek.datasets import DatasetError
from validation.papers.minmax import (
    designs,
    judging,
    methods,
    pictures,
    runs,
    samples,
    study,
    summary,
    tables,
)
from validation.papers.minmax.designs import DATA, GENES, MINMAX, NOT_HERE, SCALES, SPARSE, TABLES, Scale
from validation.papers.minmax.other_tables import time_claims
from validation.papers.minmax.paper import PAPER
from validation.papers.minmax.runs import BoundCell, RunCell
from validation.papers.paper import Result, Task
from validation.papers.shared.data import use_data_beside
from validation.papers.shared.outcomes import write_outcomes
from validation.papers.shared.verdict_tables import count_verdicts

TINY = Scale(2, 2, 1, 10.0, tune=True, appendix=True, download=False, n_permutations=2)
REAL = datasets.fetch_microarray
AT_HAND = ("colon", "leukemia", "glass", "trace")


def small(name: str) -> Bunch:
    """Thirty rows of twelve features, of which three separate two classes."""
    if name not in AT_HAND:
        raise DatasetError(f"{name}: not here")
    rng = np.random.default_rng(len(name))
    target = np.repeat([0, 1], 15)
    data = rng.normal(size=(30, 12))
    data[:, :3] += 4 * target[:, None]
    return Bunch(data=data, target=target)


def clear_caches() -> None:
    """Clear caches, so that no sample of another test is used."""
    for cached in (samples.load_sample, samples.scaled, samples.row_coordinates):
        cached.cache_clear()


@pytest.fixture(scope="module")
def tiny() -> Iterator[None]:
    """Small data under the names of some data sets, and few runs; s retains five features."""
    clear_caches()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets, "fetch_microarray", lambda name, download_if_missing: small(name))
        for name in DATA.keys() - GENES.keys():
            patch.setattr(datasets, f"fetch_{name}", lambda download_if_missing, name=name: small(name))
        patch.setitem(SCALES, "quick", TINY)
        patch.setattr(runs, "HALVINGS", 4)
        patch.setattr(runs, "N_BOUNDS", 3)
        patch.setattr(runs, "RUNS_AT_A_BOUND", 1)
        patch.setattr(study, "printed_features", lambda data, method: 5)
        patch.setattr(pictures, "RUNS_OF_THE_PAPERS", 2)
        patch.setattr(pictures, "TSNE", partial(TSNE, max_iter=250))
        yield
    clear_caches()


@pytest.fixture(scope="module")
def done(tiny: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, Result]]:
    """All tables, run and written once."""
    folder = tmp_path_factory.mktemp("minmax")
    results = {number: tables.run_table(number, Task("quick", folder, 1)) for number in TABLES}
    for result in results.values():
        result.write(folder, "quick")
    return folder, results


@pytest.mark.parametrize("number", TABLES)
def test_table(number: int, done: tuple[Path, dict[int, Result]]) -> None:
    folder, results = done
    table = results[number].frames[f"minmax-table-{number}"]
    names, columns = TABLES[number]
    assert table["data"].unique().tolist() == [DATA[name].title for name in names]  # in the paper's order
    titles = {DATA[name].title for name in AT_HAND}
    missing = table[~table["data"].isin(titles)]
    assert missing["ours"].isna().all()
    assert missing["missing"].eq("not at hand").all()
    assert len(missing) == len(columns) * (2 if number == 5 else 1) * missing["data"].nunique()
    here = table[table["data"].isin(titles)]
    assert here["ours"].notna().all()
    judged = judging.judge_table(number, table)
    if number < 6:
        assert (judged["verdict"] == NOT_HERE).tolist() == table["ours"].isna().tolist()
    assert table["printed"].isna().sum() == (2 if number == 1 else 0)  # no kM_1 and kM_2 in the paper
    text = tables.show_table(number, table)
    assert f"{DATA[names[-1]].title}: {NOT_HERE}" in text or names[-1] in AT_HAND
    assert json.loads((folder / f"minmax-table-{number}.json").read_text())["scale"] == "quick"


def test_finished_cells_are_not_run_again(
    done: tuple[Path, dict[int, Result]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, results = done
    monkeypatch.setattr(study, "run_trial", None)
    monkeypatch.setattr(study, "choose_bound", None)
    for name, frame in tables.run_table(1, Task("quick", folder, 1)).frames.items():
        pd.testing.assert_frame_equal(frame, results[1].frames[name], check_exact=True)


def test_pictures(done: tuple[Path, dict[int, Result]]) -> None:
    folder, results = done
    frames = results[2].frames
    assert set(frames["minmax-convergence"]["data"]) == {"Colon Cancer", "Leukemia"}
    assert frames["minmax-convergence"]["bcss"].gt(0).all()
    assert frames["minmax-tsne"].columns.tolist()[:3] == ["x", "y", "classes"]
    for name in results[2].figures:
        assert (folder / f"{name}.png").stat().st_size > 0


def test_the_claim_of_convergence_can_fail() -> None:
    settled = pd.DataFrame({"data": ["a"] * 3 + ["b"] * 3, "bcss": [1.0, 5.0, 5.0, 2.0, 3.0, 3.00001]})
    assert pictures.convergence_claims(settled)[0].holds
    moving = settled.assign(bcss=[1.0, 5.0, 5.0, 2.0, 3.0, 3.1])
    (claim,) = pictures.convergence_claims(moving)
    assert not claim.holds
    assert claim.measured.endswith("(b)")


def test_sections_without_and_with_this_run(done: tuple[Path, dict[int, Result]]) -> None:
    folder, _ = done
    this_run = {f"minmax-table-{number}": pd.DataFrame({"data": []}) for number in TABLES}
    this_run["minmax-table-2"] = pd.read_csv(folder / "minmax-table-2.csv")
    found = PAPER.sections(Result(this_run), folder)
    assert [section.anchor for section in found] == [f"minmax-table-{number}" for number in TABLES]
    assert [len(section.pictures) for section in found] == [0, 2, 0, 0, 0, 0]
    captions = [[table.caption for table in section.tables] for section in found]
    assert ["Other readings, full run." in some for some in captions] == [True] * 3 + [False] * 3
    assert "Lung Cancer(2)" in found[1].remarks[0]
    first = dict(zip(found[1].tables[0].columns, found[1].tables[0].rows[0], strict=True))
    assert (first["Data"], first["This run"]) == ("Brain", None)
    assert found[5].tables[1].rows[0][0] == "IF-HCT-PCA takes longest"


def test_no_data_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny: None) -> None:
    monkeypatch.setattr("tests.validation.minmax.test_minmax_tables.AT_HAND", ())
    clear_caches()
    for number in TABLES:
        result = tables.run_table(number, Task("quick", tmp_path, 1))
        table = result.frames[f"minmax-table-{number}"]
        assert table["ours"].isna().all()
        if number < 6:
            assert count_verdicts(judging.judge_table(number, table))["cells"] == 0
        assert result.figures == {}
        assert NOT_HERE in tables.show_table(number, table)
    clear_caches()


@pytest.mark.parametrize(("number", "scale"), [(7, "quick"), (1, "huge")])
def test_unknown_table_or_scale(number: int, scale: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="number must be 1 to 6 and scale quick or full"):
        tables.run_table(number, Task(scale, tmp_path, 1))


def test_bound_retains_the_features_wanted(tiny: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "HALVINGS", 8)
    for method in (SPARSE, MINMAX):
        row = runs.choose_bound(BoundCell("colon", method, "raw", 5, 2), 0)
        assert abs(row["n_features"] - 5) <= 1
        gap = runs.choose_bound(BoundCell("colon", method, "raw", 0, 2), 0)
        gaps = json.loads(gap["gaps"])
        assert gap["bound"] == json.loads(gap["bounds"])[int(np.argmax(gaps))]


def test_quick_scale_takes_the_recorded_bounds(tiny: None, monkeypatch: pytest.MonkeyPatch) -> None:
    record = pd.DataFrame(
        [{"data": "colon", "method": MINMAX, "scaling": "raw", "rule": "features", "bound": 2.5}]
    )
    monkeypatch.setattr(study, "recorded_bounds", lambda: record)
    wanted = [("colon", MINMAX, "raw", "features"), ("leukemia", MINMAX, "raw", "features")]
    kept = study.Study(replace(TINY, tune=False), Path(), 1)
    assert kept.bounds(wanted[:1])["bound"].tolist() == [2.5]
    # Not in the recorded run, so chosen here.
    monkeypatch.setattr(study, "run_cells", lambda cells, *_: record.assign(data=cells[0].data, bound=3.5))
    assert kept.bounds(wanted)["bound"].tolist() == [2.5, 3.5]


def test_every_cell_has_a_file_of_its_own() -> None:
    cells = [
        RunCell(data, method, scaling, bound, 1)
        for data in ("colon", "glass")
        for method in ("kmeans", "kmeans++", SPARSE, MINMAX)
        for scaling in ("raw", "standardised")
        for bound in (1.5, 1.5000001, math.nan)
    ]
    chosen = [
        BoundCell(data, method, scaling, wanted, 5)
        for data in ("colon", "glass")
        for method in (SPARSE, MINMAX)
        for scaling in ("raw", "standardised")
        for wanted in (0, 5, 6)
    ]
    names = [cell.file_name for cell in (*cells, *chosen)]
    assert len(set(names)) == len(names)


def test_columns_and_their_error_rates() -> None:
    assert designs.measure_of("Hier") == designs.measure_of("IF-HCT-PCA") == "one_to_one"
    assert designs.measure_of("kM_0") == designs.measure_of(SPARSE) == "many_to_one"


def test_published_numbers_are_complete() -> None:
    printed = summary.load_published()
    for number, (names, columns) in TABLES.items():
        assert set(printed[f"table{number}"]) == set(columns)
        assert all(set(cells) == set(names) for cells in printed[f"table{number}"].values())
    assert printed["table2"][MINMAX]["colon"] == 0.145
    assert printed["table4"]["IF-HCT-PCA"]["lymphoma"] == [0.115, 0.074, 8.14e-08]
    assert printed["table5"][SPARSE]["colon"] == [1237, 0.377]
    # In every row of Table 4 the smallest mean has no p-value, nor have means equal to it.
    for name in GENES:
        cells = [column[name] for column in printed["table4"].values()]
        smallest = min(cell[0] for cell in cells)
        assert all((len(cell) == 2) == (cell[0] == smallest) for cell in cells)


def test_rank_sum_is_that_of_r() -> None:
    # R 4.2.2, wilcox.test: printed with 15 digits.
    assert summary.rank_sum([0.1, 0.1, 0.2, 0.3], [0.2, 0.3, 0.3, 0.4, 0.5]) == pytest.approx(
        0.0785458509511907, rel=1e-13
    )
    assert summary.rank_sum(np.full(20, 0.127), np.full(20, 0.033)) == pytest.approx(
        4.68268235874207e-10, rel=1e-13
    )
    assert summary.rank_sum([0.1, 0.1], [0.1, 0.1]) == 1


def test_comparison_with_the_best() -> None:
    found = summary.compare_with_best({"a": np.full(20, 0.2), "b": np.full(20, 0.1), "c": np.full(20, 0.1)})
    assert found["best"].tolist() == [False, True, False]  # the first of equal means
    assert math.isnan(found.loc["b", "p"])
    assert found.loc["c", "p"] == 1
    assert found.loc["a", "p_holm"] == 2 * found.loc["a", "p"]


@pytest.mark.parametrize(
    ("printed", "runs", "verdict"),
    [
        (0.145, [0.1452] * 400, "equivalent"),
        (0.145, [0.1297] * 400 + [0.1613] * 400, "different within the margin, lower"),
        (0.13, [0.13] * 40, "undecided"),  # 40 runs do not exclude a better one
        (0.145, [0.13] * 40, "different, lower"),
        (0.2, [0.13] * 400, "different, lower"),
        (0.1, [0.13] * 800, "different, higher"),
        (math.nan, [0.13] * 400, ""),
        (0.1, [], ""),
    ],
)
def test_verdicts(printed: float, runs: list[float], verdict: str) -> None:
    row = {"method": "kM_0", "printed": printed, "ours": 0.13, "outcomes": write_outcomes(runs)}
    assert judging.judge_table(1, pd.DataFrame([row]))["verdict"].tolist() == [verdict]


def test_data_that_are_not_here() -> None:
    row = {"method": "kM_0", "printed": 0.1, "ours": math.nan, "outcomes": ""}
    assert judging.judge_table(1, pd.DataFrame([row]))["verdict"].tolist() == [NOT_HERE]


def test_methods_without_randomness_are_compared_as_they_are() -> None:
    row = {"method": "Hier", "printed": 0.309, "ours": 13 / 42, "outcomes": "0.309524"}
    assert judging.judge_table(2, pd.DataFrame([row]))["verdict"].tolist() == ["equivalent"]


def test_verdicts_on_means_with_deviations() -> None:
    """A spread printed as 0.000 where ours is 0.127 is a difference, whatever the mean."""
    runs = write_outcomes(0.210 + np.tile([-0.127, 0.127], 200))
    row = {"method": MINMAX, "printed": 0.210, "printed_sd": 0.0, "ours": 0.210, "outcomes": runs}
    judged = judging.judge_table(4, pd.DataFrame([row])).iloc[0]
    assert (judged["verdict"], judged["sd_verdict"]) == ("undecided", "different, higher")


def test_verdicts_on_features_and_indices() -> None:
    row = {"data": "a", "printed": 100.0, "ours": 104.0, "outcomes": "104x400"}
    table = pd.DataFrame([
        {**row, "method": "IF-HCT-PCA", "measure": "RF", "printed": 104.0},
        {**row, "method": SPARSE, "measure": "RF"},  # served to choose s
        {**row, "method": SPARSE, "measure": "DI", "printed": 0.46, "ours": 0.43, "outcomes": "0.43x800"},
    ])  # fmt: skip
    assert judging.judge_table(5, table)["verdict"].tolist() == ["equivalent", "", "different, lower"]


def test_runs_behind_a_printed_number_are_as_many_as_their_seconds_allow(tiny: None) -> None:
    full = study.Study(SCALES["full"], Path(), 1)
    bounds = pd.DataFrame()
    some = [full._cell("colon", "kM_0", "raw", "gap", bounds, printed) for printed in (True, False)]
    assert [cell.n_trials for cell in some] == [400, 40]
    short = study.Study(replace(SCALES["full"], seconds=0.0), Path(), 1)
    assert short._cell("colon", "kM_0", "raw", "gap", bounds, True).n_trials == 20
    assert study.is_printed("glass", "kM_0")
    assert not study.is_printed("glass", "kM_1")


def test_claims_about_times() -> None:
    times = {"MADD k-Means": 1.0, "IF-HCT-PCA": 30.0, SPARSE: 5.0, MINMAX: 4.0}
    table = pd.DataFrame([{"data": "a", "method": name, "ours": value} for name, value in times.items()])
    assert [claim.verdict for claim in time_claims(table)] == ["holds", "holds", "does not hold"]


def test_hier_is_complete_linkage_of_standardised_columns(tiny: None) -> None:
    X = samples.load_sample("colon").X * np.r_[10.0 ** np.arange(-5, 6), 0]
    X[:, 11] = 3  # a constant column becomes zeros
    Z = (X - X.mean(axis=0))[:, :11] / X[:, :11].std(axis=0, ddof=1)
    expected = fcluster(linkage(Z, "complete"), 2, "maxclust")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "load_sample", lambda name: samples.Sample(X, np.repeat([0, 1], 15)))
        samples.scaled.cache_clear()
        labels = methods.answer("Hier", methods.Run("colon", "raw", 0, math.nan)).labels
    samples.scaled.cache_clear()
    assert np.array_equal(labels[:, None] == labels, expected[:, None] == expected)


def test_same_distances_in_fewer_coordinates(tiny: None) -> None:
    Z, rows = samples.scaled("colon", "standardised"), samples.row_coordinates("colon")
    assert rows is Z  # there are already fewer features than rows
    wide = np.random.default_rng(0).normal(size=(6, 40))
    samples.load_sample.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "scaled", lambda name, scaling: wide)
        samples.row_coordinates.cache_clear()
        turned = samples.row_coordinates("colon")
    assert turned.shape == (6, 6)
    # Squared distances of about 80; the rotation rounds at 1e-14 of that.
    np.testing.assert_allclose(turned @ turned.T, wide @ wide.T, atol=1e-11)


def test_published_colon_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_caches()
    monkeypatch.setattr(datasets, "fetch_microarray", REAL)
    use_data_beside()
    here, _ = samples.find_data(("colon",), download=False)
    if not here:
        pytest.skip("no gene expression data: neither SPARSEK_DATA nor ../shared/data has them")
    ifpca = runs.run_trial(RunCell("colon", "IF-HCT-PCA", "raw", math.nan, 1), 0)
    assert (ifpca["n_features"], round(ifpca["one_to_one"], 3), round(ifpca["dunn"], 3)) == (25, 0.403, 0.427)
    for method, error in (("Hier", 0.387), ("SpecGem", 0.484)):
        row = runs.run_trial(RunCell("colon", method, "raw", math.nan, 1), 0)
        assert round(row["one_to_one"], 3) == error

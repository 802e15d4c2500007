"""Clusters of AnnData objects: a stand-in with the same parts, and anndata and scanpy themselves.

All tests that need one of the two are in this file; `make test-cells` runs them where both are installed.
"""

import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline

from sparsek import (
    COSA,
    SKFR,
    EntropyWeightedKMeans,
    ModelChoice,
    RobustSparseKMeans,
    SparseKMeans,
    StabilitySelection,
)
from sparsek import explain as explain_labels
from sparsek.anndata import cluster, explain
from sparsek.cli._cells import InputError, ReadOptions
from sparsek.cli._read import read_table
from tests.cli.cli_runner import run
from tests.docs.test_docs_pages import run_page

GENES = [f"gene{j}" for j in range(8)]
CELLS = [f"cell{i}" for i in range(40)]
COUNTS = np.random.default_rng(0).poisson(np.where(np.arange(40)[:, None] < 20, [9, 9, 9] + [2] * 5, 2))


def cells(X: Any = COUNTS * 1.0, **layers: Any) -> Any:
    """An object with the parts of an AnnData."""
    return SimpleNamespace(
        X=X,
        layers=layers,
        obs=pd.DataFrame(index=CELLS),
        var=pd.DataFrame(index=GENES),
        varm={},
        obsm={},
        uns={},
        obs_names=pd.Index(CELLS),
        var_names=pd.Index(GENES),
        shape=(40, 8),
    )


def test_batches_come_from_a_column() -> None:
    adata = cells()
    adata.obs["donor"] = np.where(np.arange(40) % 2 == 0, "a", "b")
    model = cluster(adata, SKFR(2, 3, random_state=0), batch_key="donor")
    alone = SKFR(2, 3, random_state=0).fit(COUNTS * 1.0, batch=adata.obs["donor"])
    assert np.array_equal(model.labels_, alone.labels_)
    assert adata.uns["sparsek"]["batch_key"] == "donor"
    with pytest.raises(ValueError, match=r"batch_key must be the name of a column of adata.obs .*'donor'"):
        cluster(adata, SKFR(2, 3), batch_key="patient")
    with pytest.raises(TypeError, match="KMeans takes no batches"):
        cluster(adata, KMeans(2), batch_key="donor")


def test_several_results_stand_side_by_side() -> None:
    adata = cells()
    cluster(adata, RobustSparseKMeans(2, random_state=0))
    before = adata.obs.copy(), adata.var.copy(), dict(adata.uns["sparsek"])
    model = cluster(adata, SKFR(3, 2, random_state=0), key_added="three")
    pd.testing.assert_frame_equal(adata.obs[before[0].columns], before[0])
    pd.testing.assert_frame_equal(adata.var[before[1].columns], before[1])
    assert adata.uns["sparsek"] == before[2]
    assert adata.obs["three"].tolist() == model.labels_.astype(str).tolist()
    assert adata.var["three_weight"].tolist() == model.feature_weights_.tolist()
    assert set(adata.obs) == {"sparsek", "sparsek_outlier", "three"}
    cluster(adata, KMeans(2, n_init=1, random_state=0), key_added="three")
    assert "three_weight" not in adata.var
    assert "sparsek_weight" in adata.var
    with pytest.raises(TypeError, match="key_added must be a name for the results; got ''"):
        cluster(adata, SKFR(2), key_added="")
    adata.obs["donor"] = np.where(np.arange(40) % 2 == 0, "a", "b")
    with pytest.raises(ValueError, match="key_added and batch_key are both 'donor'"):
        cluster(adata, SKFR(2), batch_key="donor", key_added="donor")


def test_representations_have_no_genes() -> None:
    adata = cells()
    adata.obsm["X_pca"] = PCA(3, random_state=0).fit_transform(COUNTS)
    model = cluster(adata, SKFR(2, 2, random_state=0), use_rep="X_pca", key_added="pca")
    assert np.array_equal(model.labels_, SKFR(2, 2, random_state=0).fit(adata.obsm["X_pca"]).labels_)
    assert model.feature_names_in_.tolist() == ["X_pca1", "X_pca2", "X_pca3"]
    assert adata.uns["pca"]["use_rep"] == "X_pca"
    assert adata.var.empty
    cluster(adata, SKFR(2, 3, random_state=0), use_rep="X")
    assert adata.var["sparsek_selected"].sum() == 3
    with pytest.raises(ValueError, match=r"use_rep must be the name of an entry of adata.obsm \('X_pca'\)"):
        cluster(adata, SKFR(2), use_rep="X_umap")
    for options in ({"layer": "logs"}, {"mask_var": np.ones(8, dtype=bool)}):
        with pytest.raises(ValueError, match=r"has no genes; leave (layer|mask_var) out"):
            cluster(adata, SKFR(2), use_rep="X_pca", **options)


@pytest.mark.parametrize("sparse", [False, True])
def test_genes_outside_a_mask_take_no_part(sparse: bool) -> None:
    X = COUNTS * 1.0
    adata = cells(csr_matrix(X) if sparse else X)
    mask = np.arange(8) % 2 == 0
    adata.var["highly_variable"] = mask
    model = cluster(adata, SKFR(2, 2, random_state=0), mask_var="highly_variable")
    alone = SKFR(2, 2, random_state=0).fit(X[:, mask])
    assert np.array_equal(model.labels_, alone.labels_)
    assert model.feature_names_in_.tolist() == GENES[::2]
    assert adata.var["sparsek_selected"].tolist() == [g in model.get_selected_names() for g in GENES]
    np.testing.assert_array_equal(adata.var["sparsek_weight"][mask], alone.feature_weights_)
    assert adata.var["sparsek_weight"][~mask].isna().all()
    assert adata.uns["sparsek"]["mask_var"] == "highly_variable"
    cluster(adata, EntropyWeightedKMeans(2, n_init=2, random_state=0) if not sparse else model, mask_var=mask)
    assert adata.uns["sparsek"]["mask_var"] == "a mask"
    for wrong, message in (
        ("variable", r"mask_var must be the name of a column of adata.var \('highly_variable'"),
        (np.ones(8), "a truth value for each of the 8 genes, one of them True; got float64"),
        (np.ones(7, dtype=bool), r"got bool of shape \(7,\)"),
        (np.zeros(8, dtype=bool), "got bool of shape .*, 0 of them True"),
    ):
        with pytest.raises(ValueError, match=message):
            cluster(adata, SKFR(2), mask_var=wrong)


def test_results_are_those_of_the_fit() -> None:
    adata = cells()
    given = SKFR(2, 3, random_state=0)
    model = cluster(adata, given)
    assert not hasattr(given, "labels_")
    direct = SKFR(2, 3, random_state=0).fit(COUNTS.astype(float))
    assert adata.obs["sparsek"].tolist() == direct.labels_.astype(str).tolist()
    assert adata.obs["sparsek"].cat.categories.tolist() == ["0", "1"]
    assert adata.var["sparsek_selected"].tolist() == direct.get_support().tolist()
    assert adata.var["sparsek_weight"].tolist() == direct.feature_weights_.tolist()
    assert model.get_selected_names().tolist() == GENES[:3]
    record = adata.uns["sparsek"]
    assert record["estimator"] == "SKFR(n_clusters=2, n_features_to_select=3, random_state=0)"
    assert (record["layer"], record["objective"]) == ("X", direct.objective_)


def test_a_layer_and_a_sparse_matrix() -> None:
    adata = cells(None, counts=csr_matrix(COUNTS.astype(float)))
    model = cluster(adata, SKFR(2, 3, random_state=0), layer="counts")
    assert model.get_selected_names().tolist() == GENES[:3]
    assert adata.uns["sparsek"]["layer"] == "counts"
    with pytest.raises(TypeError, match=r"adata.X is None; name one of its layers \('counts'\)"):
        cluster(adata, SKFR(2))
    with pytest.raises(TypeError, match=r"layer must be the name of a layer, or None for adata\.X; got 2"):
        cluster(adata, SKFR(3), layer=2)
    with pytest.raises(ValueError, match="no layer 'raw'; it has 'counts'"):
        cluster(adata, SKFR(2), layer="raw")
    with pytest.raises(TypeError, match="Sparse data was passed"):
        cluster(adata, EntropyWeightedKMeans(2), layer="counts")


def test_weights_by_cluster_and_outliers() -> None:
    adata = cells()
    model = cluster(adata, EntropyWeightedKMeans(2, n_init=2, random_state=0))
    np.testing.assert_array_equal(adata.varm["sparsek_weights"], model.feature_weights_.T)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robust = cluster(adata, RobustSparseKMeans(2, n_init=2, random_state=0))
        outliers = adata.obs["sparsek_outlier"].tolist()
        trees = cluster(adata, COSA(2, max_iter=5))
    assert outliers == robust.outliers_.tolist()
    assert adata.varm["sparsek_weights"].shape == (8, 2) == trees._weights_by_cluster().T.shape


def test_searches_pipelines_and_other_clusterers() -> None:
    adata = cells()
    choice = cluster(adata, ModelChoice(SKFR(2, n_init=2), {"n_features_to_select": [2, 3]}, random_state=0))
    assert adata.var["sparsek_selected"].sum() == choice.best_params_["n_features_to_select"]
    wide = cells()
    cluster(wide, make_pipeline(VarianceThreshold(5.0), SparseKMeans(2, random_state=0)))
    assert set(np.flatnonzero(wide.var["sparsek_selected"])) <= {0, 1, 2}
    assert "sparsek_weight" not in wide.var
    reduced = cells()
    cluster(reduced, make_pipeline(PCA(2), KMeans(2, n_init=1, random_state=0)))
    assert set(reduced.obs["sparsek"]) == {"0", "1"}
    assert list(reduced.var) == []


def test_genes_of_given_clusters() -> None:
    adata = cells()
    cluster(adata, SKFR(2, 3, random_state=0))
    mine = adata.var.copy()
    adata.obs["leiden"] = pd.Categorical(np.repeat(["B", "A"], 20), ["B", "A"])
    found = explain(adata, "leiden", n_features_to_select=3)
    direct = explain_labels(COUNTS * 1.0, adata.obs["leiden"], 3)
    for entry, values in {
        "weight": direct.feature_weights_,
        "selected": direct.get_support(),
        "frequency": direct.selection_frequencies_,
    }.items():
        assert adata.var[f"sparsek_explained_{entry}"].tolist() == values.tolist()
    assert found.get_selected_names().tolist() == GENES[:3]
    pd.testing.assert_frame_equal(adata.var[list(mine)], mine)
    record = adata.uns["sparsek_explained"]
    assert (record["labels"], record["clusters"].tolist()) == ("leiden", ["B", "A"])
    explain(adata, "leiden", scope="local", n_resamples=0)
    assert set(adata.var) == {*mine, "sparsek_explained_selected"}
    assert adata.varm["sparsek_explained_weights"].shape == (8, 2)


def test_genes_of_given_clusters_in_a_sparse_layer() -> None:
    adata = cells(None, counts=csr_matrix(COUNTS.astype(float)))
    adata.obs["leiden"] = np.repeat([0, 1], 20)
    found = explain(adata, "leiden", "counts", n_features_to_select=3)
    assert found.get_selected_names().tolist() == GENES[:3]
    assert "sparsek_explained_frequency" not in adata.var
    for wrong in ("louvain", 3, ["leiden"]):
        with pytest.raises(ValueError, match=r"name of a column of adata.obs \('leiden'\); got"):
            explain(adata, wrong, "counts")
    with pytest.raises(TypeError, match="an AnnData object is needed"):
        explain(COUNTS, "leiden")


def test_a_fit_leaves_nothing_of_an_earlier_one() -> None:
    adata = cells()
    adata.obs["mine"] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster(adata, RobustSparseKMeans(2, n_init=2, random_state=0))
    cluster(adata, EntropyWeightedKMeans(2, n_init=2, random_state=0))
    assert list(adata.obs) == ["mine", "sparsek"]
    assert (list(adata.var), list(adata.varm)) == ([], ["sparsek_weights"])
    cluster(adata, make_pipeline(PCA(2), SKFR(2, random_state=0)))
    assert (list(adata.obs), list(adata.var), list(adata.varm)) == (["mine", "sparsek"], [], [])
    cluster(adata, SKFR(2, 3, random_state=0))
    assert list(adata.var) == ["sparsek_selected", "sparsek_weight"]


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (StabilitySelection(SKFR(2)), TypeError, "StabilitySelection gives no labels"),
        (make_pipeline(PCA(2)), TypeError, "PCA gives no labels"),
        (SKFR, TypeError, "estimator must be a clusterer"),
        (SKFR(99), ValueError, "n_clusters=99"),
    ],
)
def test_a_fit_that_fails_changes_nothing(estimator: Any, error: type[Exception], message: str) -> None:
    adata = cells()
    cluster(adata, SKFR(2, 3, random_state=0))
    before = (adata.obs.copy(), adata.var.copy(), dict(adata.uns))
    with pytest.raises(error, match=message):
        cluster(adata, estimator)
    pd.testing.assert_frame_equal(adata.obs, before[0])
    pd.testing.assert_frame_equal(adata.var, before[1])
    assert adata.uns == before[2]


def test_genes_of_one_name_are_told_by_position() -> None:
    adata = cells()
    adata.var_names = pd.Index(["gene0", "gene0", *GENES[2:]])
    model = cluster(adata, SKFR(2, 3, random_state=0))
    assert (
        adata.var["sparsek_selected"].tolist()
        == SKFR(2, 3, random_state=0).fit(COUNTS).get_support().tolist()
    )
    assert model.get_selected_names().tolist() == ["gene0", "gene0", "gene2"]
    adata.shape = (40, 0)
    with pytest.raises(ValueError, match="adata has 40 cells and 0 genes"):
        cluster(adata, SKFR(2))


def test_what_is_no_anndata_is_refused() -> None:
    with pytest.raises(TypeError, match="an AnnData object is needed; got ndarray"):
        cluster(COUNTS, SKFR(2))


def test_anndata_itself_and_its_files(tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: make test-cells")
    adata = anndata.AnnData(COUNTS.astype(float), pd.DataFrame(index=CELLS), pd.DataFrame(index=GENES))
    adata.layers["logs"] = csr_matrix(np.log1p(COUNTS))
    cluster(adata, EntropyWeightedKMeans(2, n_init=2, random_state=0))
    cluster(adata, SKFR(2, 3, random_state=0), layer="logs")
    explain(adata, "sparsek", "logs")
    adata.write_h5ad(tmp_path / "x.h5ad")
    again = anndata.read_h5ad(tmp_path / "x.h5ad")
    assert again.obs["sparsek"].tolist() == adata.obs["sparsek"].tolist()
    assert again.uns["sparsek"]["layer"] == "logs"
    assert again.uns["sparsek_explained"]["clusters"].tolist() == ["0", "1"]
    table = read_table(tmp_path / "x.h5ad", ReadOptions())
    assert (table.ids, list(table.frame)) == (CELLS, GENES)
    np.testing.assert_array_equal(table.frame, COUNTS)
    logs = read_table(tmp_path / "x.h5ad", ReadOptions(array="logs"))
    np.testing.assert_array_equal(logs.frame, np.log1p(COUNTS))
    with pytest.raises(InputError, match="has no layer 'raw'; its layers: logs"):
        read_table(tmp_path / "x.h5ad", ReadOptions(array="raw"))
    (tmp_path / "y.h5ad").write_bytes(b"no file of this kind")
    with pytest.raises(InputError, match=r"cannot read .*y\.h5ad"):
        read_table(tmp_path / "y.h5ad", ReadOptions())


def test_several_results_in_anndata_itself(tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: make test-cells")
    adata = anndata.AnnData(COUNTS.astype(float), pd.DataFrame(index=CELLS), pd.DataFrame(index=GENES))
    adata.obsm["X_pca"] = PCA(3, random_state=0).fit_transform(COUNTS)
    adata.var["highly_variable"] = np.arange(8) < 5
    cluster(adata, SKFR(2, 2, random_state=0), mask_var="highly_variable")
    cluster(adata, SKFR(3, 2, random_state=0), use_rep="X_pca", key_added="pca")
    adata.write_h5ad(tmp_path / "x.h5ad")
    again = anndata.read_h5ad(tmp_path / "x.h5ad")
    assert again.obs["pca"].nunique() == 3
    assert again.var["sparsek_weight"].isna().tolist() == [False] * 5 + [True] * 3
    assert (again.uns["sparsek"]["mask_var"], again.uns["pca"]["use_rep"]) == ("highly_variable", "X_pca")


def test_columns_of_obs_are_classes_batches_and_ids(tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: make test-cells")
    obs = pd.DataFrame({"type": ["a"] * 20 + ["b"] * 20, "donor": ["x", "y"] * 20, "bar": CELLS}, index=CELLS)
    path = tmp_path / "x.h5ad"
    anndata.AnnData(COUNTS.astype(float), obs, pd.DataFrame(index=GENES)).write_h5ad(path)
    found = run(
        "fit", path, "--k", 2, "--select", 3, "--truth", "type", "--batch", "donor", "--id-col", "bar"
    )
    assert "Clusters and type (adjusted Rand index 1.0000)" in found.stdout
    assert read_table(path, ReadOptions(id_col="bar")).id_name == "bar"
    with pytest.raises(
        InputError, match="no gene and no column of obs 'kind'; the columns of obs: type, donor"
    ):
        read_table(path, ReadOptions(truth="kind"))


def test_a_fit_refuses_the_whole_object() -> None:
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: make test-cells")
    adata = anndata.AnnData(COUNTS.astype(float))
    fit = SKFR(2, 3, random_state=0).fit(adata.X)
    for call in (SKFR(2).fit, SKFR(2).fit_predict, fit.predict, fit.score, COSA(2).fit):
        for given in (adata, adata[:30]):
            with pytest.raises(TypeError, match="X is an object of class AnnData"):
                call(given)


def test_the_command_line_fits_a_file_of_cells(tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: make test-cells")
    counts = COUNTS.astype(float)
    adata = anndata.AnnData(counts[::-1], pd.DataFrame(index=CELLS), pd.DataFrame(index=GENES))
    adata.layers["counts"] = csr_matrix(counts)
    adata.write_h5ad(tmp_path / "x.h5ad")
    out = tmp_path / "out"
    run("fit", tmp_path / "x.h5ad", "--array", "counts", "--k", 2, "--select", 3, "--seed", 0, "--out", out)
    labels = pd.read_csv(out / "labels.csv")
    assert labels["id"].tolist() == CELLS
    assert labels["cluster"].tolist() == SKFR(2, 3, random_state=0).fit(counts).labels_.tolist()
    features = pd.read_csv(out / "features.csv").set_index("feature")
    assert sorted(features.index[features["selected"] == 1]) == GENES[:3]


def test_the_page_on_scanpy_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scanpy", reason="scanpy is not installed: make test-cells")
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="scanpy")  # it uses names that matplotlib will drop
        run_page("questions/scanpy.md")


def test_without_anndata_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "anndata", None)
    (tmp_path / "x.h5ad").touch()
    with pytest.raises(InputError, match=r"sparsek\[anndata\]"):
        read_table(tmp_path / "x.h5ad", ReadOptions())

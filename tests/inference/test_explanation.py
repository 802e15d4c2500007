"""Features that tell given clusters apart: `explain`."""

import pickle
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import f_classif

from sparsek import SKFR, explain, plots
from sparsek.inference.explanation import Explanation

WINE = load_wine(as_frame=True)
KINDS = ["a", "b", "c"]


def made(seed: int = 0, n: int = 60, p: int = 8) -> tuple[Any, Any]:
    """Rows of three groups that differ in the first two of p features, and the groups."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % 3
    X = rng.normal(size=(n, p))
    X[:, :2] += 3 * groups[:, None] * [1, -1]
    return X, groups


def literal(X: Any, labels: Any, weights: Any = None) -> tuple[Any, Any]:
    """Gains and shares by plain loops over the observed entries, standardised with divisor n - 1."""
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    gains, shares = [], []
    for column in np.asarray(X, float).T:
        seen = ~np.isnan(column) & (weights > 0)
        x, w, own = column[seen], weights[seen], np.asarray(labels)[seen]
        mean = np.average(x, weights=w)
        spread = np.sqrt(np.sum(w * (x - mean) ** 2) / (w.sum() - 1))
        z = (x - mean) / spread if spread > 0 else 0 * x
        gain = 0.0
        for label in np.unique(own):
            chosen = own == label
            gain += np.sum(w[chosen] * z[chosen]) ** 2 / w[chosen].sum()
        gains.append(gain)
        total = np.sum(w * z**2)
        shares.append(gain / total if total > 0 else 0.0)
    return np.array(gains), np.array(shares)


@pytest.mark.parametrize("kind", ["plain", "whole numbers", "float32", "NaN", "weights", "sparse", "units"])
@pytest.mark.parametrize("scope", ["global", "local"])
def test_the_labels_of_a_fit_of_skfr_have_its_gains_in_every_bit(kind: str, scope: str) -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X: Any = made(seed, 50 + seed, 12)[0]
        if kind == "whole numbers":
            X = np.round(X)
        elif kind == "float32":
            X = X.astype(np.float32)
        elif kind == "NaN":
            X[rng.random(X.shape) < 0.1] = np.nan
        weights = rng.integers(0, 4, len(X)) if kind == "weights" else None
        data = csr_array(X) if kind == "sparse" else X
        own: dict[str, Any] = {"scope": scope, "standardize": kind != "units"}
        fit = SKFR(4, 3, n_init=4, random_state=seed, **own).fit(data, sample_weight=weights)
        found = explain(data, fit.labels_, 3, sample_weight=weights, n_resamples=0, **own)
        for name in ("feature_gains_", "selected_features_", "cluster_centers_", "labels_", "tss_"):
            np.testing.assert_array_equal(getattr(found, name), getattr(fit, name), err_msg=name)
        used = fit.feature_weights_ > 0
        np.testing.assert_array_equal(found.feature_weights_[used], fit.feature_weights_[used])


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_gains_and_shares_are_those_of_plain_loops(holes: bool, weighted: bool) -> None:
    X, groups = made(3)
    rng = np.random.default_rng(3)
    X[:, 5] = 7.0
    if holes:
        X[rng.random(X.shape) < 0.15] = np.nan
    weights = rng.integers(0, 3, len(X)) if weighted else None
    found = explain(X, groups, sample_weight=weights, n_resamples=0)
    gains, shares = literal(X, groups, weights)
    # The loops round on the way: sums of 60 terms lose a few of 53 bits.
    np.testing.assert_allclose(found.feature_gains_, gains, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.feature_weights_, shares, rtol=1e-12, atol=1e-12)
    assert found.feature_weights_[5] == found.feature_gains_[5] == 0
    assert not found.get_support()[5]


@pytest.mark.parametrize("standardize", ["auto", "range", False])
def test_the_scale_of_a_fit_gives_its_gains_in_every_bit(standardize: Any) -> None:
    X, _ = made(1)
    X *= 1.3 ** np.arange(8)
    fit = SKFR(3, 4, standardize=standardize, random_state=0).fit(X)
    found = explain(X, fit.labels_, 4, standardize=fit.scaling_, n_resamples=4)
    assert np.array_equal(found.feature_gains_, fit.feature_gains_)
    assert np.array_equal(found.get_support(), fit.get_support())
    by_numbers = explain(X, fit.labels_, 4, standardize=fit.scaling_.divisors, n_resamples=0)
    assert np.array_equal(by_numbers.feature_gains_, fit.feature_gains_)


@pytest.mark.parametrize("standardize", ["auto", 3, "deviation"])
def test_nothing_is_chosen_for_clusters_that_are_given(standardize: Any) -> None:
    with pytest.raises(ValueError, match=r"'standardize' parameter of explain must be .* among \{'range'\}"):
        explain(*made(), standardize=standardize)


def test_the_ranking_is_that_of_the_f_test() -> None:
    data = load_breast_cancer(as_frame=True)
    diagnosis = np.array(["malignant", "benign"])[data.target]
    frame = explain(data.data, diagnosis, n_resamples=0).to_frame()
    wanted = data.data.columns[np.argsort(-f_classif(data.data, diagnosis)[0], kind="stable")]
    assert frame["feature"].tolist() == wanted.tolist()
    assert frame["rank"].tolist() == list(range(1, 31))
    assert frame["selected"].tolist() == [True] * 10 + [False] * 20


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.array(KINDS)[made()[1]], KINDS),
        ([KINDS[k] for k in made()[1]], KINDS),
        ([(k, "x") for k in made()[1]], [(0, "x"), (1, "x"), (2, "x")]),
        ([[1, "b", (3,)][k] for k in made()[1]], [1, "b", (3,)]),
        (pd.Categorical.from_codes(made()[1] + 1, ["z", "c", "b", "a"]), ["c", "b", "a"]),
        (pd.Series(made()[1] * 5, index=np.arange(60)[::-1]), [0, 5, 10]),
        (made()[1] / 2, [0.0, 0.5, 1.0]),
        (pd.Series(np.array(KINDS)[made()[1]], dtype="string"), KINDS),
        (pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])[made()[1]], None),
        (range(60), None),
    ],
)
def test_labels_may_be_anything_that_is_hashable(labels: Any, classes: Any) -> None:
    X, groups = made()
    found = explain(X, labels, n_resamples=0)
    if classes is not None:
        assert found.classes_.tolist() == classes
        np.testing.assert_array_equal(found.labels_, groups)
        np.testing.assert_array_equal(found.feature_gains_, explain(X, groups, n_resamples=0).feature_gains_)
    assert len(found.classes_) == found.n_clusters == len(set(labels))


@pytest.mark.parametrize("label", [-1, "unknown"])
def test_rows_of_noise_are_left_out_of_everything(label: Any) -> None:
    X, groups = made(1)
    labels = np.array(KINDS, object)[groups]
    noise = np.arange(60) < 10
    X[noise] = 1e6
    labels[noise] = label
    found = explain(X, labels, 2, noise=label, n_resamples=20)
    without = explain(X[~noise], labels[~noise], 2, noise=label, n_resamples=20)
    np.testing.assert_array_equal(found.feature_gains_, without.feature_gains_)
    np.testing.assert_array_equal(found.selection_frequencies_, without.selection_frequencies_)
    np.testing.assert_array_equal(found.labels_, np.where(noise, -1, groups))
    assert found.classes_.tolist() == KINDS
    assert "Rows left out 10" in " ".join(str(found.summary()).split())
    kept = explain(X, labels, noise=None, n_resamples=0)
    assert (label in kept.classes_.tolist(), kept.n_clusters) == (True, 4)


def test_whole_weights_are_repeated_rows() -> None:
    X, groups = made(2)
    weights = np.random.default_rng(2).integers(0, 3, 60)
    found = explain(X, groups, sample_weight=weights, n_resamples=0)
    repeated = explain(np.repeat(X, weights, axis=0), np.repeat(groups, weights), n_resamples=0)
    # Terms are rounded to a grid that depends on the largest one, here a row times its weight.
    np.testing.assert_allclose(found.feature_gains_, repeated.feature_gains_, rtol=1e-11)
    np.testing.assert_array_equal(found.labels_, groups)
    assert "weight of rows" in found.summary().tables["Clusters"]


def test_frequencies_are_those_of_rankings_of_the_halves() -> None:
    X, groups = made(4, 41)
    found = explain(X, groups, 3, n_resamples=20, random_state=5)
    entropy = int(np.random.RandomState(5).randint(2**31 - 1))
    counts = np.zeros(8)
    for seed in np.random.SeedSequence(entropy).spawn(20):
        rows = np.random.default_rng(seed).permutation(41)[:20]
        counts[np.argsort(-literal(X[rows], groups[rows])[0])[:3]] += 1
    np.testing.assert_array_equal(found.selection_frequencies_, counts / 20)
    assert found.stability_.n_rows_ == 20
    weights = np.full(41, 2)
    weighted = explain(X, groups, 3, sample_weight=weights, n_resamples=20, random_state=5)
    # Weights that are all the same change the ranking in no half.
    np.testing.assert_array_equal(weighted.selection_frequencies_, found.selection_frequencies_)


def test_halves_may_lack_a_cluster() -> None:
    X, _ = made(0, 12)
    labels = ["rare"] + ["common"] * 11
    found = explain(X, labels, 2, n_resamples=50)
    assert found.selection_frequencies_.max() < 1  # half of the halves have one cluster, and select nothing
    assert explain(X[:3], [0, 0, 1]).n_clusters == 2
    with pytest.raises(ValueError, match=r"a half of 3 labelled rows has fewer rows than there are clusters"):
        explain(X[:3], [0, 0, 1], n_resamples=5)


def test_wherever_the_rows_lie(tmp_path: Path) -> None:
    da = pytest.importorskip("dask.array")
    X, groups = made(5)
    np.save(tmp_path / "x.npy", X)
    wanted = explain(X, groups, n_resamples=0).feature_gains_
    for data in (
        tmp_path / "x.npy",
        da.from_array(X, chunks=(25, 8)),
        csr_array(X),
        pd.DataFrame(X),
        X.tolist(),
    ):
        found = explain(data, groups)
        np.testing.assert_array_equal(found.feature_gains_, wanted)
        np.testing.assert_array_equal(found.labels_, groups)
    assert not hasattr(explain(csr_array(X), groups), "selection_frequencies_")
    halves = explain(X, groups, n_resamples=5).selection_frequencies_
    for data in (tmp_path / "x.npy", da.from_array(X, chunks=(25, 8)), csr_array(X)):
        np.testing.assert_array_equal(explain(data, groups, n_resamples=5).selection_frequencies_, halves)
    with pytest.raises(ValueError, match="20 rows are noise, and a Dask collection cannot have"):
        explain(da.from_array(X, chunks=(25, 8)), np.where(groups == 2, -1, groups))
    for data in (tmp_path / "x.npy", da.from_array(X, chunks=(25, 8)), X):
        with pytest.raises(ValueError, match="one entry for each of the 60 rows of X; got 59"):
            explain(data, groups[1:])


def test_summary_as_text_and_html_and_a_table() -> None:
    found = explain(WINE.data, WINE.target_names[WINE.target], 3, random_state=0)
    summary = found.summary(2)
    assert list(summary.tables) == ["", "Clusters", "Selected features: the first 2 of 3"]
    assert summary.tables["Clusters"]["cluster"].tolist() == WINE.target_names.tolist()
    text = " ".join(str(summary).split())
    assert "clusters that were found in these data differ in them by construction" in text
    assert "frequency: share of 100 random halves of the rows that select the feature" in text
    assert "<td>class_1</td>" in summary.as_html()
    assert "None took the first 10; it was" in str(explain(WINE.data, WINE.target, n_resamples=0).summary())
    frame = found.to_frame()
    assert list(frame) == ["rank", "feature", "selected", "weight", "gain", "frequency"]
    assert frame["feature"][0] == "flavanoids"
    local = explain(WINE.data, WINE.target_names[WINE.target], 3, scope="local").to_frame()
    assert {"cluster", "weight_class_0", "weight_class_2"} <= set(local)
    assert local["cluster"].isin(WINE.target_names).all()


def test_the_plots_take_it_and_name_the_clusters() -> None:
    names = WINE.target_names[WINE.target].astype(object)
    names[:5] = "none"
    found = explain(WINE.data, names, 4, noise="none", n_resamples=4)

    def texts(ax: Any) -> str:
        parts = ax.get_xticklabels() + ax.get_yticklabels()
        return " ".join(part.get_text() for part in parts)

    bars = plots.plot_weights(found)
    assert bars.get_title() == "Explanation: 4 of 13 features in use"
    assert len(bars.patches) == 13
    assert min(bar.get_width() for bar in bars.patches) > 0  # also of features that are not selected
    assert "class_1  (71)" in texts(plots.plot_dotplot(found, WINE.data))
    assert "class_0" in texts(plots.plot_heatmap(WINE.data, found))
    assert "class_2\n48" in texts(plots.plot_centers(found, WINE.data))
    corner = plots.plot_pairs(found, WINE.data, top=2)[0, -1].get_legend()
    assert "class_0 (54)" in [text.get_text() for text in corner.get_texts()]
    beside = plots.plot_clusters(found, WINE.data).get_legend()
    assert "class_0 (54)" in [text.get_text() for text in beside.get_texts()]
    plots.plot_projection(found, WINE.data)
    plots.plot_stability(found.stability_)
    local = explain(WINE.data, names, 4, noise="none", scope="local", n_resamples=0)
    assert "class_1" in texts(plots.plot_weights(local))
    plt.close("all")


def test_hdbscan() -> None:
    X = load_iris(as_frame=True).data
    labels = HDBSCAN(min_cluster_size=10, copy=True).fit_predict(X)
    found = explain(X, labels, 2)
    assert found.get_selected_names().tolist() == ["petal length (cm)", "petal width (cm)"]
    assert found.selection_frequencies_.tolist() == [0, 0, 1, 1]
    assert (found.labels_ == -1).sum() == (labels == -1).sum()


def test_a_result_can_be_pickled_predicts_and_has_no_starts() -> None:
    X, groups = made()
    found = explain(X, groups, 2)
    again = pickle.loads(pickle.dumps(found))
    assert str(again.summary()) == str(found.summary())
    np.testing.assert_array_equal(found.predict(X), found.fit(X, groups).labels_)  # far apart
    assert not hasattr(found, "restart_table_")
    with pytest.raises(NotFittedError):
        clone(found).summary()
    with pytest.raises(ValueError, match=r"y is None; call explain\(X, labels\)"):
        Explanation(2).fit(X)
    with pytest.raises(ValueError, match="y is None"):
        found.summary(uncertainty="bootstrap", X=X)


def test_more_features_than_there_are() -> None:
    X, groups = made(0, 60, 4)
    assert explain(X, groups, n_resamples=0).get_support().all()
    with pytest.warns(UserWarning, match="n_features_to_select=5 is more than n_features=4"):
        explain(X, groups, 5, n_resamples=0)
    assert explain(X, groups, 0.5, n_resamples=0).get_support().sum() == 2


@pytest.mark.parametrize(
    ("labels", "kind", "message"),
    [
        (["a"] * 60, ValueError, "must name at least 2 clusters, which features can tell apart; got 1"),
        ([-1] * 30 + [1] * 30, ValueError, "got 1; rows of noise=-1 are left out, and noise=None makes"),
        ([-1] * 60, ValueError, "got 0; rows of noise=-1 are left out"),
        ([0.0, np.nan] * 30, ValueError, "labels has 30 missing entries, the first in row 1; fill them in"),
        (["a", None] * 30, ValueError, "labels has 30 missing entries"),
        (pd.Categorical.from_codes([0, 1, -1] * 20, ["a", "b"]), ValueError, "labels has 20 missing entries"),
        ([0, 1] * 29, ValueError, "labels must have one entry for each of the 60 rows of X; got 58"),
        (np.zeros((60, 2)), ValueError, r"labels must have one dimension; got shape \(60, 2\)"),
        (pd.DataFrame({"a": [1, 2] * 30}), ValueError, "pass one column of them"),
        (np.ma.array([0, 1] * 30, mask=[1] + [0] * 59), ValueError, "1 masked entries"),
        ([[0], [1]] * 30, TypeError, "labels must be hashable, such as numbers and texts"),
        ("ab" * 30, TypeError, "labels must be a sequence with one label for each row of X; got str"),
        (dict.fromkeys(range(60), 1), TypeError, "got dict"),
        (iter([0, 1] * 30), TypeError, "got list_iterator"),
        (None, TypeError, "got NoneType"),
        (3, TypeError, "got int"),
        ([], ValueError, "got 0"),
    ],
)
def test_wrong_labels(labels: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        explain(made()[0], labels)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"n_features_to_select": "auto"}, ValueError, "'n_features_to_select' parameter of explain must be"),
        ({"n_features_to_select": 0}, ValueError, "n_features_to_select"),
        ({"n_resamples": 1}, ValueError, "n_resamples"),
        ({"n_resamples": -1}, ValueError, "n_resamples"),
        ({"n_resamples": False}, ValueError, "n_resamples"),
        ({"scope": "both"}, ValueError, "scope"),
        ({"standardize": 2}, ValueError, "standardize"),
        ({"random_state": "x"}, ValueError, "random_state"),
        ({"sample_weight": np.ones(3)}, ValueError, r"sample_weight must have shape \(60,\)"),
        ({"sample_weight": -np.ones(60)}, ValueError, "sample_weight must not be negative"),
        ({"sample_weight": np.zeros(60)}, ValueError, "sample_weight is zero for every row"),
        ({"sample_weight": made()[1] == 1}, ValueError, "leaves rows of fewer than two clusters"),
        ({"noise": [1]}, TypeError, r"noise must be one label, or None; got \[1\]"),
        ({"noise": pd.NA}, TypeError, "noise must be one label, or None; got <NA>"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    X, groups = made()
    with pytest.raises(kind, match=message):
        explain(X, groups, **options)


def test_wrong_data() -> None:
    X, groups = made()
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        explain(X, groups)
    with pytest.raises(TypeError, match="column 'kind' of X holds 'u', a str, and 1, a int"):
        explain(pd.DataFrame({"kind": ["u", 1] * 30}), groups)


@settings(max_examples=15)
@given(st.integers(0, 2**20), st.integers(4, 30), st.integers(1, 6), st.integers(2, 5))
def test_invariants(seed: int, n: int, p: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1) * 4.0 ** rng.integers(-8, 9, p)
    labels = rng.integers(0, k, n)
    labels[:2] = [0, 1]
    found = explain(X, labels, n_resamples=0)
    shares = found.feature_weights_
    # A share of 1 can be above it by the rounding of a quotient of sums of so few terms.
    assert ((shares >= 0) & (shares <= 1 + 1e-12)).all()
    order, names = rng.permutation(n), rng.permutation(k)
    for changed in (
        explain(X[order], labels[order], n_resamples=0),  # rows in another order
        explain(X, names[labels], n_resamples=0),  # clusters in another order
        explain(X * 2.0, labels, n_resamples=0),  # another unit
    ):
        np.testing.assert_array_equal(changed.feature_gains_, found.feature_gains_)
    finer = explain(X, labels * 2 + rng.integers(0, 2, n), n_resamples=0).feature_gains_
    assert (finer >= found.feature_gains_ * (1 - 1e-12)).all()  # parts of clusters explain no less


@pytest.mark.parametrize("dtype", [bool, object, "boolean", "category"])
def test_clusters_that_are_named_by_truth_values(dtype: Any) -> None:
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[:20] += 4
    labels = pd.Series(np.arange(60) < 20).astype(dtype)
    summary = explain(X, labels, scope="local", n_resamples=0).summary()
    rows = [line.split() for line in summary.as_text().splitlines()]
    assert ["False", "40", "0.6667"] in rows
    assert ["True", "20", "0.3333"] in rows
    assert {row[3] for row in rows if row[:1] and row[0] in "1234"} == {"True"}
    ax = plots.plot_centers(explain(X, labels, n_resamples=0), X)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["False\n40", "True\n20"]
    plt.close(ax.figure)


def test_groups_that_are_named_by_truth_values() -> None:
    X = np.random.default_rng(0).normal(size=(60, 4))
    X[:20, 2:] += 4
    labels = np.arange(60) < 20
    found = explain(X, labels, 1, groups=[True, True, False, False], n_resamples=0)
    rows = [line.split() for line in found.summary().as_text().splitlines()]
    assert [row[1] for row in rows if row[-2:] == ["x2,", "x3"]] == ["False"]

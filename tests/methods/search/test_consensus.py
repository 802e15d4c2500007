"""ConsensusClustering against literal loops and scikit-learn; invariants, backends, bad input."""

import sys
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, ConsensusClustering, KPod, SparseAgglomerativeClustering, SparseKMeans
from sparsek.methods.search.consensus_counts import (
    COLUMNS,
    LEFT_OUT,
    OUTLIER,
    agreement,
    clustered_together,
    consensus,
    consensus_labels,
    sampled_together,
    within_clusters,
)

mpl.use("Agg")
RESULTS = ("resample_labels_", "consensus_matrix_", "labels_", "cluster_consensus_")


def groups(n: int = 30, p: int = 6, seed: int = 0) -> np.ndarray:
    """Three groups that differ in the first three columns."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[: n // 3, :2] += 6
    X[n // 3 : 2 * n // 3, 1:3] -= 6
    return X


X = groups()
TRUTH = np.repeat([0, 1, 2], 10)


def clustering(**options: Any) -> ConsensusClustering:
    """A quick estimator over two to four clusters."""
    return ConsensusClustering(
        SKFR(n_features_to_select=3, n_init=2, standardize=True),
        **{"n_clusters": (2, 3, 4), "n_resamples": 8, "random_state": 3, **options},
    )


def random_labels(rng: np.random.Generator, n_resamples: int, n: int) -> np.ndarray:
    """Labels of resamples with rows left out and outliers."""
    return rng.integers(LEFT_OUT, 4, size=(n_resamples, n)).astype(np.int32)


def literal_matrix(labels: np.ndarray) -> np.ndarray:
    """The consensus matrix by definition, pair by pair; NaN if two rows were never in a resample together."""
    n = labels.shape[1]
    matrix = np.eye(n)
    for i in range(n):
        for k in range(n):
            both = [(a, b) for a, b in labels[:, [i, k]] if LEFT_OUT not in (a, b)]
            if i != k:
                matrix[i, k] = np.mean([a == b != OUTLIER for a, b in both]) if both else np.nan
    return matrix


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(2, 9))
def test_matrix_is_its_definition(seed, n_resamples, n):
    rng = np.random.default_rng(seed)
    labels = random_labels(rng, n_resamples, n)
    sampled = sampled_together(labels)
    matrix = squareform(consensus(clustered_together(labels), sampled)) + np.eye(n)
    expected = literal_matrix(labels)
    np.testing.assert_array_equal(np.isnan(expected), squareform(sampled == 0))
    np.testing.assert_array_equal(matrix, np.nan_to_num(expected))
    # Names of clusters and the order of rows have no effect.
    renamed = np.where(labels >= 0, rng.permutation(4)[labels], labels).astype(np.int32)
    np.testing.assert_array_equal(clustered_together(renamed), clustered_together(labels))
    order = rng.permutation(n)
    moved = squareform(consensus(clustered_together(labels[:, order]), sampled_together(labels[:, order])))
    np.testing.assert_array_equal(moved + np.eye(n), matrix[np.ix_(order, order)])


def test_matrix_of_more_resamples_than_fit_a_block():
    labels = random_labels(np.random.default_rng(0), COLUMNS // 3, 6)
    expected = sum(clustered_together(row[None]) for row in labels)
    np.testing.assert_array_equal(clustered_together(labels), expected)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=30),
    st.sampled_from([(0.1, 0.9), (0.0, 1.0), (0.05, 0.5)]),
)
def test_area_and_pac_are_their_definitions(entries, limits):
    x = sorted(entries)
    steps = [0.0, *x, 1.0]
    area = sum((after - before) * sum(v <= before for v in x) / len(x) for before, after in pairwise(steps))
    pac = sum(limits[0] < v <= limits[1] for v in x) / len(x)
    found = agreement(np.array(entries), *limits)
    assert found.area == pytest.approx(area, abs=1e-13)  # sums of up to 30 terms of at most 1
    assert found.ambiguous == pac
    assert 0 <= found.area <= 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 4))
def test_labels_are_average_linkage(seed, n, k):
    k = min(k, n)
    entries = np.random.default_rng(seed).random(n * (n - 1) // 2)  # without ties
    labels = consensus_labels(entries, k)
    theirs = AgglomerativeClustering(k, metric="precomputed", linkage="average").fit(squareform(1 - entries))
    assert adjusted_rand_score(theirs.labels_, labels) == 1
    assert list(dict.fromkeys(labels)) == list(range(k))  # labels numbered by first appearance
    matrix = squareform(entries) + np.eye(n)
    for c, mean in enumerate(within_clusters(matrix, labels, k)):
        rows = np.flatnonzero(labels == c)
        pairs = [matrix[i, j] for i in rows for j in rows if i < j]
        assert mean == pytest.approx(np.mean(pairs) if pairs else 1, rel=1e-12)  # another order of sums


def test_fits_of_a_literal_loop():
    model = clustering().fit(X)
    seed = int(np.random.RandomState(3).randint(2**31 - 1))
    for b, child in enumerate(np.random.SeedSequence(seed).spawn(8)):
        rng = np.random.default_rng(child)
        rows = np.sort(rng.permutation(30)[:24])
        fit_seed = int(rng.integers(2**31 - 1))
        for index, k in enumerate((2, 3, 4)):
            fit = clone(model.estimator).set_params(n_clusters=k, random_state=fit_seed).fit(X[rows])
            found = model.resample_labels_[index, b]
            np.testing.assert_array_equal(found[rows], fit.labels_)
            assert (np.delete(found, rows) == LEFT_OUT).all()
    table = model.results_
    assert table["n_clusters"].tolist() == [2, 3, 4]
    (chosen,) = np.flatnonzero(table["pac"] == table["pac"].min())
    assert table["chosen"].tolist() == [index == chosen for index in range(3)]
    expected = np.nan_to_num(literal_matrix(model.resample_labels_[chosen]))
    np.testing.assert_array_equal(model.consensus_matrix_, expected)
    areas = table["area"].to_numpy()
    np.testing.assert_array_equal(table["area_change"], [areas[0], *np.diff(areas) / areas[:-1]])


@pytest.mark.parametrize(
    "estimator",
    [
        SKFR(n_features_to_select=3, n_init=3, standardize=True),
        pytest.param(SparseKMeans(l1_bound=1.6, n_init=3, standardize=False), marks=pytest.mark.thorough),
        SparseAgglomerativeClustering(l1_bound=1.6, linkage="complete"),
        KMeans(n_init=3),
        make_pipeline(StandardScaler(), SKFR(n_features_to_select=3, n_init=3, standardize=True)),
    ],
)
def test_finds_the_groups(estimator):
    model = ConsensusClustering(estimator, (2, 3, 4), n_resamples=8, random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(model.labels_, TRUTH) == 1
    assert (model.cluster_consensus_ > 0.9).all()


def test_one_number_of_clusters():
    one = clustering(n_clusters=3).fit(X)
    listed = clustering(n_clusters=[3]).fit(X)
    assert one.n_clusters_ == 3
    np.testing.assert_array_equal(one.consensus_matrix_, listed.consensus_matrix_)
    among = clustering(n_clusters=np.array([4, 3, 2, 3])).fit(X)
    assert among.results_["n_clusters"].tolist() == [2, 3, 4]
    np.testing.assert_array_equal(one.consensus_matrix_, among.consensus_matrix_)
    whole = clustering(n_clusters=1).fit(X)
    assert (whole.consensus_matrix_ == 1).all()
    assert (whole.labels_ == 0).all()


def test_of_equal_numbers_of_clusters_the_largest_is_chosen():
    # Three groups, two of them closer: both two and three clusters are found every time.
    data = np.repeat([0.0, 10, 40], 10)[:, None] + np.random.default_rng(0).normal(size=(30, 1))
    model = ConsensusClustering(KMeans(n_init=5), (2, 3, 4), n_resamples=20, random_state=0).fit(data)
    assert model.results_["pac"].tolist()[:2] == [0, 0]
    assert model.n_clusters_ == 3


@settings(max_examples=3)
@given(st.integers(0, 10**6), st.floats(0.6, 1.0))
def test_invariants(seed, fraction):
    data = np.random.default_rng(seed).normal(size=(12, 3))
    model = ConsensusClustering(
        KMeans(n_init=1), (2, 3), n_resamples=25, sample_fraction=fraction, random_state=seed
    ).fit(data)
    matrix = model.consensus_matrix_
    np.testing.assert_array_equal(matrix, matrix.T)
    assert (np.diag(matrix) == 1).all()
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert len(np.unique(model.labels_)) == model.n_clusters_
    assert model.results_["pac"].between(0, 1).all()
    assert ((model.resample_labels_ != LEFT_OUT).sum(axis=2) == model.n_rows_).all()
    more = ConsensusClustering(
        KMeans(n_init=1), 2, n_resamples=27, sample_fraction=fraction, random_state=seed
    ).fit(data)
    np.testing.assert_array_equal(more.resample_labels_[0, :25], model.resample_labels_[0])


def test_processes_change_no_bit():
    expected = clustering().fit(X)
    with parallel_config(backend="multiprocessing", n_jobs=2):
        found = clustering().fit(X)
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_warnings_are_summed_up(backend):
    hurried = SparseKMeans(l1_bound=None, n_init=1, max_iter=1, standardize=False)
    noise = np.random.default_rng(0).normal(size=(40, 6))
    with parallel_config(backend=backend, n_jobs=2), pytest.warns(ConvergenceWarning) as caught:
        ConsensusClustering(hurried, 3, n_resamples=12, random_state=0).fit(noise)
    (message,) = [str(warning.message) for warning in caught if warning.category is ConvergenceWarning]
    assert message.startswith("12 warnings about convergence in the fits")


def test_progress_bar_on_a_terminal_on_request(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    clustering().fit(X)
    assert capsys.readouterr().err == ""
    clustering(verbose=1).fit(X)
    assert "8/8" in capsys.readouterr().err


def test_pairs_that_were_never_together():
    with pytest.warns(UserWarning, match=r"of 435 pairs of rows were in no subset together, and count as"):
        model = clustering(n_clusters=3, n_resamples=1).fit(X)
    left_out = np.flatnonzero(model.resample_labels_[0, 0] == LEFT_OUT)
    assert (model.consensus_matrix_[left_out].sum(axis=1) == 1).all()
    assert model.results_["pac"].item() == 0  # a single clustering agrees with itself


class Outliers(BaseEstimator):
    """Labels half of the rows as outliers, the others as one cluster."""

    def __init__(self, n_clusters: int = 2) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: np.ndarray) -> "Outliers":
        self.labels_ = np.where(np.arange(len(X)) % 2, 0, -1)
        return self


def test_outliers_are_with_no_other():
    model = ConsensusClustering(Outliers(), 2, n_resamples=3, sample_fraction=1.0).fit(X)
    odd = np.arange(30) % 2 == 1
    assert (model.consensus_matrix_[np.ix_(odd, odd)] == 1).all()
    np.testing.assert_array_equal(model.consensus_matrix_[~odd], np.eye(30)[~odd])


def test_missing_values_and_data_frames():
    data = X.copy()
    data[::9, 4] = np.nan
    assert adjusted_rand_score(clustering().fit(data).labels_, TRUTH) == 1
    assert ConsensusClustering(KPod(n_init=2), 3, n_resamples=12, random_state=0).fit(data).n_clusters_ == 3
    with pytest.raises(ValueError, match="contains NaN"):
        ConsensusClustering(KMeans()).fit(data)
    frame = pd.DataFrame(X).add_prefix("gene_")
    model = clustering().fit(frame)
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    np.testing.assert_array_equal(model.consensus_matrix_, clustering().fit(X).consensus_matrix_)


def test_input_is_not_changed_and_may_be_read_only():
    data = np.asfortranarray(X)
    data.setflags(write=False)
    model = clustering().fit(data)
    np.testing.assert_array_equal(model.fit_predict(X), model.labels_)
    assert not hasattr(model.estimator, "labels_")


def test_summary_and_plot():
    model = clustering().fit(X)
    summary = model.summary()
    assert summary.title == "ConsensusClustering: SKFR"
    assert summary.tables["Clusters"]["rows"].tolist() == np.bincount(model.labels_).tolist()
    assert summary.tables["Numbers of clusters"] is model.results_
    assert summary.as_html().count("<table") == 3
    ax = model.plot()
    assert len(ax.images) == 1
    assert model.plot(ax) is ax
    mpl.pyplot.close(ax.figure)
    with pytest.raises(NotFittedError):
        clustering().summary()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": (1, 2)}, ValueError, r"'n_clusters' parameter of .* Got \(1, 2\) instead"),
        ({"n_clusters": ()}, ValueError, r"'n_clusters' parameter of .* Got \(\) instead"),
        ({"n_clusters": (2, 2.5)}, TypeError, r"'n_clusters' parameter of .* Got \(2, 2\.5\) instead"),
        ({"n_clusters": "23"}, TypeError, "'n_clusters' parameter of .* Got '23' instead"),
        ({"n_clusters": None}, TypeError, "'n_clusters' parameter of .* Got None instead"),
        ({"n_clusters": (2, 31)}, ValueError, "n_samples=30 must be at least n_clusters=31"),
        ({"n_clusters": 25}, ValueError, "n_clusters=25"),  # a subset has 24 rows
        ({"n_resamples": 0}, ValueError, "'n_resamples' parameter of .* Got 0 instead"),
        ({"sample_fraction": 1.1}, ValueError, "'sample_fraction' parameter of .* Got 1.1 instead"),
        ({"sample_fraction": 0.01}, ValueError, "leaves no rows"),
        ({"pac_limits": 0.1}, TypeError, r"'pac_limits' parameter of .* Got 0\.1 instead"),
        ({"pac_limits": (0.1, "b")}, TypeError, r"'pac_limits' parameter of .* Got \(0\.1, 'b'\) instead"),
        ({"pac_limits": (0.9, 0.1)}, ValueError, "'pac_limits' parameter of"),
        ({"pac_limits": (0.1, 1.5)}, ValueError, "'pac_limits' parameter of"),
        ({"memory_limit": 1e4}, MemoryError, "3 matrices of n_samples.2 = 30.2 doubles take 21600 bytes"),
        ({"n_jobs": "2"}, TypeError, "'n_jobs' parameter of"),
        ({"estimator": GaussianMixture()}, TypeError, "GaussianMixture has no parameter n_clusters"),
        ({"random_state": "a"}, ValueError, "'random_state' parameter of"),
    ],
)
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        clustering().set_params(**options).fit(X)

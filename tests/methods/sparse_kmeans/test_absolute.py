"""SparseKMeans with absolute differences."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from sparsek import PermutationGap, SparseKMeans
from sparsek.core.weights import l1_weights
from sparsek.methods.sparse_kmeans.absolute import (
    absolute_sparse_kmeans,
    between,
    cluster_medians,
    move_rows,
    sort_columns,
)

ABSOLUTE = {"dissimilarity": "absolute", "standardize": False}
SEEDS = st.integers(0, 2**31 - 1)
# Sums in another order, of at most 1000 numbers of size 100.
ROUNDING = 1e-9


def literal_between(X, labels):
    """a_j by double sums over pairs of rows."""
    n, p = X.shape
    a = np.zeros(p)
    for j in range(p):
        a[j] = sum(abs(x - z) for x in X[:, j] for z in X[:, j]) / n
        for k in set(labels):
            own = [X[i, j] for i in range(n) if labels[i] == k]
            a[j] -= sum(abs(x - z) for x in own for z in own) / len(own)
    return a


def literal_within(X, w, labels):
    """W by double sums over pairs of rows."""
    total = 0.0
    for k in set(labels):
        own = [i for i in range(len(X)) if labels[i] == k]
        total += sum(float(w @ np.abs(X[i] - X[r])) for i in own for r in own) / len(own)
    return total


def draw(seed):
    """Data with ties, and labels; some clusters may be empty."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(5, 30)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    X = rng.standard_cauchy((n, p)).clip(-50, 50)
    if rng.random() < 0.5:
        X = np.round(X)
    return X, rng.integers(0, k, n).astype(np.int32), k, rng.uniform(1, np.sqrt(p))


def groups(seed=0, p=30):
    """Three groups that differ in three features."""
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(90, p)), np.repeat([0, 1, 2], 30)
    X[truth == 1, :3] += 4
    X[truth == 2, :3] -= 4
    return X, truth


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_between_is_that_of_the_double_sums_and_not_negative(seed):
    X, labels, k, _ = draw(seed)
    expected = literal_between(X, labels.tolist())
    np.testing.assert_allclose(between(sort_columns(X), labels, k), expected, rtol=ROUNDING, atol=1e-8)
    assert expected.min() >= -1e-8  # absolute differences are squared distances of a Hilbert space


@settings(max_examples=8)
@given(SEEDS)
def test_moves_lower_the_dissimilarities_until_no_move_does(seed):
    X, labels, k, _ = draw(seed)
    w = np.abs(np.random.default_rng(seed).normal(size=X.shape[1]))
    found = move_rows(sort_columns(X), w, labels, k)
    before, after = (literal_within(X, w, lab.tolist()) for lab in (labels, found))
    slack = 1e-9 * (1 + before)
    assert after <= before + slack
    for i, target in product(range(len(X)), range(k)):
        other = found.copy()
        other[i] = target
        if np.count_nonzero(found == found[i]) > 1:
            assert literal_within(X, w, other.tolist()) >= after - slack
    assert set(labels.tolist()) <= set(found.tolist())  # no cluster is lost


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_one_start_never_rises_and_its_parts_agree(seed):
    X, labels, k, s = draw(seed)
    fit = absolute_sparse_kmeans(sort_columns(X), labels, n_clusters=k, l1_bound=s, tol=0)
    assert fit.converged
    assert np.diff(fit.history).max(initial=0) <= 1e-9 * (1 + abs(fit.history[-1]))
    a = np.maximum(literal_between(X, fit.labels.tolist()), 0)
    w = fit.params.weights
    if a.max() > 1e-8:
        np.testing.assert_allclose(w @ a, l1_weights(a, s) @ a, rtol=ROUNDING)
        assert abs(np.linalg.norm(w) - 1) <= 1e-12
        assert w.sum() <= s + 1e-12
    assert fit.criterion == pytest.approx(-float(w @ a), rel=ROUNDING, abs=1e-8)


def test_best_of_all_partitions_is_found():
    X = np.array([[0.0, 3], [1, -3], [0.5, 3], [9, -3], [8, 3], [9.5, -3], [7, 0]])
    best = max(
        float(l1_weights(np.maximum(a, 0), 1.2) @ a)
        for labels in product([0, 1], repeat=7)
        if len(set(labels)) == 2
        for a in [literal_between(X, labels)]
    )
    model = SparseKMeans(2, l1_bound=1.2, random_state=0, **ABSOLUTE).fit(X)
    assert model.gap_objective_ == pytest.approx(best, rel=1e-12)


def test_attributes_agree_with_each_other():
    X, truth = groups()
    model = SparseKMeans(3, l1_bound=1.7, random_state=0, **ABSOLUTE).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.get_support(indices=True).tolist() == [0, 1, 2]
    w, a = model.feature_weights_, literal_between(X, model.labels_)
    np.testing.assert_allclose(w, l1_weights(a, 1.7), atol=ROUNDING)
    assert model.objective_ == pytest.approx(-w @ a, rel=ROUNDING)
    assert model.criterion_history_[-1] == model.objective_ == model.start_objectives_.min()
    assert model.gap_objective_ == -model.objective_
    distances = np.empty((90, 3))
    for k in range(3):
        own = X[model.labels_ == k]
        among = (np.abs(own[:, None] - own) @ w).mean()
        distances[:, k] = (np.abs(X[:, None] - own) @ w).mean(axis=1) - among / 2
        assert np.allclose(model.cluster_centers_[k], np.median(own, axis=0), atol=1e-12)
    np.testing.assert_allclose(model.transform(X), distances, atol=ROUNDING)
    assert np.array_equal(model.predict(X), model.labels_)
    W = literal_within(X, w, model.labels_.tolist())
    assert model.inertia_ == pytest.approx(W / 2, rel=ROUNDING)
    assert model.score(X) == -model.inertia_
    assert np.array_equal(clone(model).fit_predict(X), model.labels_)
    same = pickle.loads(pickle.dumps(model))
    assert np.array_equal(same.predict(X), model.labels_)
    frame = pd.DataFrame(X)
    assert clone(model).set_output(transform="pandas").fit(frame).transform(frame).shape == (90, 3)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_rows_of_the_fit_are_predicted_as_they_are_labelled(seed):
    X = np.random.default_rng(seed).standard_cauchy((25, 3)).clip(-50, 50)
    model = SparseKMeans(3, l1_bound=1.3, n_init=2, tol=0, random_state=seed % 1000, **ABSOLUTE).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_weights_of_rows_are_repetitions(seed):
    X, labels, k, _ = draw(seed)
    times = np.random.default_rng(seed).integers(1, 4, size=len(X))
    one, many = sort_columns(X, times), sort_columns(np.repeat(X, times, axis=0))
    a = between(one, labels, k)
    np.testing.assert_allclose(a, between(many, np.repeat(labels, times), k), rtol=ROUNDING, atol=1e-8)
    fit = absolute_sparse_kmeans(one, labels, n_clusters=k, l1_bound=1.0, tol=0)
    assert np.diff(fit.history).max(initial=0) <= 1e-9 * (1 + abs(fit.history[-1]))
    repeated = np.repeat(fit.labels, times)
    expected = between(many, repeated, k) @ fit.params.weights
    assert fit.criterion == pytest.approx(-float(expected), rel=ROUNDING, abs=1e-8)
    medians = cluster_medians(one, fit.labels, k)
    for cluster in np.unique(fit.labels):
        own = many.data[repeated == cluster]
        np.testing.assert_allclose(medians[cluster], np.median(own, axis=0), atol=1e-12)


def test_weighted_fit_is_that_of_repeated_rows():
    X, truth = groups(6)
    times = np.random.default_rng(0).integers(0, 3, size=90)
    weighted = SparseKMeans(3, l1_bound=1.7, init=truth, **ABSOLUTE).fit(X, sample_weight=times)
    repeated = SparseKMeans(3, l1_bound=1.7, init=np.repeat(truth, times), **ABSOLUTE)
    repeated.fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.feature_weights_, repeated.feature_weights_, atol=ROUNDING)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=ROUNDING)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=ROUNDING)
    assert np.array_equal(weighted.labels_, repeated.predict(X))


def test_values_far_out_count_less_than_squared():
    X, truth = groups(1)
    X[0, 10] = 40
    rates = {
        kind: adjusted_rand_score(
            truth,
            SparseKMeans(3, l1_bound=1.7, dissimilarity=kind, random_state=0, standardize=False)
            .fit(X)
            .labels_,
        )
        for kind in ("squared", "absolute")
    }
    assert rates["squared"] < 0.6
    assert rates["absolute"] == 1


@pytest.mark.parametrize(("unit", "offset"), [(2.0**-600, 0.0), (2.0**600, 0.0), (2.0, 1e8)])
def test_units_and_offsets(unit, offset):
    X = np.round(groups(2)[0] * 64)  # integers survive the offset exactly
    base = SparseKMeans(3, l1_bound=1.7, random_state=0, n_init=3, **ABSOLUTE).fit(X)
    model = SparseKMeans(3, l1_bound=1.7, random_state=0, n_init=3, **ABSOLUTE).fit(X * unit + offset)
    assert np.array_equal(model.labels_, base.labels_)
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, atol=1e-9)
    np.testing.assert_allclose(model.objective_ / unit, base.objective_, rtol=1e-8)
    np.testing.assert_allclose(model.transform(X * unit + offset) / unit, base.transform(X), rtol=1e-6)


def test_threads_float32_one_cluster_and_constant_data():
    X, _ = groups(3)
    base = SparseKMeans(3, l1_bound=1.7, n_init=4, random_state=0, **ABSOLUTE).fit(X)
    threads = SparseKMeans(3, l1_bound=1.7, n_init=4, random_state=0, n_jobs=2, **ABSOLUTE).fit(X)
    assert np.array_equal(base.feature_weights_, threads.feature_weights_)
    single = SparseKMeans(3, l1_bound=1.7, n_init=4, random_state=0, **ABSOLUTE).fit(X.astype(np.float32))
    assert single.transform(X.astype(np.float32)).dtype == single.cluster_centers_.dtype == np.float32
    assert np.array_equal(single.labels_, base.labels_)
    one = SparseKMeans(1, **ABSOLUTE).fit(X)
    assert not one.feature_weights_.any()
    assert one.objective_ == 0
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        equal = SparseKMeans(2, **ABSOLUTE).fit(np.ones((5, 2)))
    assert equal.predict(np.ones((2, 2))).tolist() == [0, 0]


def test_the_gap_chooses_a_bound_and_an_early_end_warns():
    X, truth = groups(4)
    options = {"n_permutations": 3, "rule": "one_se", "random_state": 0}
    search = PermutationGap(SparseKMeans(3, n_init=3, **ABSOLUTE), "l1_bound", [1.7, 5.0], **options).fit(X)
    assert search.best_params_ == {"l1_bound": 1.7}
    assert adjusted_rand_score(truth, search.labels_) == 1
    noise = np.random.default_rng(0).normal(size=(60, 10))
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        SparseKMeans(4, max_iter=1, n_init=1, random_state=0, **ABSOLUTE).fit(noise)


def test_a_later_fit_with_squares_forgets_the_absolute_one():
    X, _ = groups(5)
    model = SparseKMeans(3, l1_bound=1.7, random_state=0, **ABSOLUTE).fit(X)
    again = model.set_params(dissimilarity="squared").fit(csr_array(X))
    base = SparseKMeans(3, l1_bound=1.7, random_state=0, standardize=False).fit(csr_array(X))
    assert np.array_equal(again.transform(X), base.transform(X))


def test_refusals(tmp_path):
    X, _ = groups()
    with pytest.raises(TypeError, match=r"dissimilarity='absolute' takes dense arrays only; use '\.toarray"):
        SparseKMeans(2, **ABSOLUTE).fit(csr_array(X))
    with pytest.raises(ValueError, match="refine=False is for dissimilarity='squared'"):
        SparseKMeans(2, refine=False, **ABSOLUTE).fit(X)
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(ValueError, match="dissimilarity='absolute' needs the data in memory"):
        SparseKMeans(2, memory_limit=10_000, **ABSOLUTE).fit(tmp_path / "x.npy")
    chunks = pytest.importorskip("dask.array").from_array(X, chunks=(30, 30))
    with pytest.raises(ValueError, match="dissimilarity='absolute' needs the data in memory"):
        SparseKMeans(2, **ABSOLUTE).fit(chunks)
    with pytest.raises(ValueError, match="'dissimilarity' parameter of"):
        SparseKMeans(2, dissimilarity="manhattan").fit(X)

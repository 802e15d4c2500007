"""SparseAgglomerativeClustering: the paper's problem, its relation to sparcl, bad input, memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from sparsek import SparseAgglomerativeClustering
from sparsek.core.weights import l1_weights
from sparsek.rcompat import HierarchicalSparseCluster
from sparsek.rng import RRandom

KINDS = ["squared", "absolute"]


def groups(seed, n=24, p=12, useful=3, shift=4.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    x[: n // 2, :useful] += shift
    return x


def literal(x, bound, dissimilarity, n_iter):
    """The paper's algorithm on the n x n x p dissimilarities."""
    d = np.abs(x[:, None] - x[None])
    d = d**2 if dissimilarity == "squared" else d
    w = np.full(x.shape[1], 1 / np.sqrt(x.shape[1]))
    criterion = []
    for _ in range(n_iter):
        u = d @ w / np.linalg.norm(d @ w)
        w = l1_weights(np.einsum("abj,ab->j", d, u), bound)
        criterion.append(-np.einsum("abj,ab,j", d, u, w))
    return w, d @ w / np.linalg.norm(d @ w), criterion


# The example takes more than a hundred steps.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), dissimilarity=st.sampled_from(KINDS))
@example(257, "absolute")
def test_equals_the_algorithm_on_all_differences(seed, dissimilarity):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rng.integers(2, 15), rng.integers(1, 10)))
    bound = rng.uniform(1, np.sqrt(x.shape[1]))
    model = SparseAgglomerativeClustering(1, l1_bound=bound, dissimilarity=dissimilarity).fit(x)
    w, u, criterion = literal(x, bound, dissimilarity, model.n_iter_)
    # sums in another order; the soft threshold magnifies rounding if few features share the bound
    np.testing.assert_allclose(model.feature_weights_, w, atol=1e-7)
    np.testing.assert_allclose(model.dissimilarity_matrix_, u, atol=1e-7)
    np.testing.assert_allclose(model.criterion_history_, criterion, rtol=1e-9)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), dissimilarity=st.sampled_from(KINDS))
def test_constraints_hold_and_the_criterion_never_rises(seed, dissimilarity):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rng.integers(3, 20), rng.integers(2, 15))) * rng.uniform(0.1, 5, size=1)
    bound = rng.uniform(1, np.sqrt(x.shape[1]))
    model = SparseAgglomerativeClustering(2, l1_bound=bound, dissimilarity=dissimilarity, tol=0).set_params(
        max_iter=30
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **options: None)  # tol=0 may never be met
        model.fit(x)
    w = model.feature_weights_
    assert (w >= 0).all()
    assert w.sum() <= bound * (1 + 1e-12)  # rounding of p terms
    assert abs(np.linalg.norm(w) - 1) < 1e-12  # rounding
    history = model.criterion_history_
    assert (np.diff(history) <= 1e-12 * abs(history[0])).all()  # rounding of n^2 p terms
    assert model.objective_ == history[-1]
    assert abs(np.linalg.norm(model.dissimilarity_matrix_) - 1) < 1e-12  # rounding


@pytest.mark.parametrize(
    ("dissimilarity", "in_r"), [("squared", "squared.distance"), ("absolute", "absolute.value")]
)
def test_agrees_with_sparcl_up_to_its_tolerances(dissimilarity, in_r):
    x = groups(1)
    model = SparseAgglomerativeClustering(2, l1_bound=1.6, dissimilarity=dissimilarity).fit(x)
    fit = HierarchicalSparseCluster(x, wbound=1.6, dissimilarity=in_r, rng=RRandom(1))
    # single precision; the bound is met to about 1e-4; steps stop at a relative change of 1e-4
    np.testing.assert_allclose(model.feature_weights_, fit.ws.ravel(), atol=1e-3)
    np.testing.assert_allclose(model.dissimilarity_matrix_, fit.u, atol=1e-3)
    np.testing.assert_allclose(
        -model.objective_ / np.sqrt(2), fit.crit, rtol=1e-3
    )  # sparcl counts pairs once


@pytest.mark.parametrize("method", ["average", "complete", "single"])
def test_tree_is_that_of_the_dissimilarities(method):
    model = SparseAgglomerativeClustering(3, linkage=method).fit(groups(2))
    z = linkage(squareform(model.dissimilarity_matrix_, checks=False), method)
    np.testing.assert_allclose(model.distances_, z[:, 2], rtol=1e-12)  # averages in another order
    assert model.children_.shape == (23, 2)
    assert len(set(model.labels_)) == 3
    assert (model.n_leaves_, model.n_connected_components_) == (24, 1)


@pytest.mark.parametrize("dissimilarity", ["squared", "absolute"])
@pytest.mark.parametrize("method", ["average", "complete", "single"])
def test_weights_are_copies(method, dissimilarity):
    X, counts = groups(6), np.random.default_rng(6).integers(0, 4, 24)
    model = SparseAgglomerativeClustering(3, linkage=method, dissimilarity=dissimilarity)
    found = clone(model).fit(X, sample_weight=counts)
    known, n = clone(model).fit(np.repeat(X, counts, axis=0)), np.count_nonzero(counts)
    assert np.array_equal(np.repeat(found.labels_, counts), known.labels_)
    # Sums in another order.
    np.testing.assert_allclose(found.feature_weights_, known.feature_weights_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.objective_, known.objective_, rtol=1e-9)
    np.testing.assert_allclose(found.distances_, known.distances_[1 - n :], rtol=1e-9)
    # A row of weight 0 is nearest to the cluster of least mean, largest or smallest dissimilarity.
    measure = {"average": np.mean, "complete": np.max, "single": np.min}[method]
    copies, w = np.repeat(X, counts, axis=0), found.feature_weights_
    for i in np.flatnonzero(counts == 0):
        apart = np.abs(copies - X[i]) ** (2 if dissimilarity == "squared" else 1) @ w
        scores = [measure(apart[known.labels_ == k]) for k in range(3)]
        assert found.labels_[i] == np.argmin(scores)


def test_too_few_rows_have_weight() -> None:
    with pytest.raises(ValueError, match="positive for 1 rows, and at least 2 are needed"):
        SparseAgglomerativeClustering(1).fit(groups(0), sample_weight=np.eye(24)[3])


def test_finds_the_features_and_the_groups():
    x = groups(3, n=60, p=200, useful=5, shift=4)
    model = SparseAgglomerativeClustering(2, l1_bound=2, linkage="complete").fit(x)
    assert set(np.argsort(-model.feature_weights_)[:5]) == set(range(5))
    assert adjusted_rand_score(np.arange(60) < 30, model.labels_) == 1
    assert model.get_support().sum() == len(model.get_support(indices=True)) < 200
    assert np.array_equal(model.fit_predict(x), model.labels_)


@pytest.mark.parametrize("dissimilarity", KINDS)
def test_shift_scale_and_order_do_not_matter(dissimilarity):
    x = groups(4)
    base = SparseAgglomerativeClustering(2, l1_bound=2, dissimilarity=dissimilarity).fit(x)
    for other in (x + 1e3, x * 1e-6, x * 1e200, x * 1e-200):
        model = SparseAgglomerativeClustering(2, l1_bound=2, dissimilarity=dissimilarity).fit(other)
        # adding 1000 leaves 13 digits of the data
        np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, atol=1e-9)
        assert adjusted_rand_score(model.labels_, base.labels_) == 1
    rows, columns = np.random.default_rng(0).permutation(24), np.random.default_rng(1).permutation(12)
    model = SparseAgglomerativeClustering(2, l1_bound=2, dissimilarity=dissimilarity).fit(x[rows][:, columns])
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_[columns], atol=1e-9)  # rounding
    assert adjusted_rand_score(model.labels_, base.labels_[rows]) == 1


def test_bound_of_one_and_of_the_largest():
    x = groups(5)
    one = SparseAgglomerativeClustering(2, l1_bound=1).fit(x)
    assert one.feature_weights_.max() == 1
    assert one.get_support().sum() == 1
    free = SparseAgglomerativeClustering(2, l1_bound=np.sqrt(12)).fit(x)
    assert free.get_support().all()
    assert SparseAgglomerativeClustering().fit(x).l1_bound_ == np.sqrt(12) / 2
    assert SparseAgglomerativeClustering().fit(x[:, :2]).l1_bound_ == 1


def test_equal_rows_have_zero_weights():
    model = SparseAgglomerativeClustering(2).fit(np.ones((5, 3)))
    assert not model.feature_weights_.any()
    assert not model.distances_.any()
    assert model.objective_ == 0
    assert len(set(model.labels_)) == 2


def test_near_duplicates_keep_their_digits():
    x = groups(6)
    x[1] = x[0] + 1e-9
    model = SparseAgglomerativeClustering(2).fit(x)
    expected = 1e-18 * model.feature_weights_.sum()
    ratio = model.dissimilarity_matrix_[0, 1] / model.dissimilarity_matrix_[0, 2]
    direct = expected / (model.feature_weights_ @ (x[0] - x[2]) ** 2)
    assert abs(ratio / direct - 1) < 1e-5  # 1e-9 itself is rounded to about 1e-16


def test_warns_at_max_iter():
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        model = SparseAgglomerativeClustering(2, max_iter=1, tol=0).fit(groups(7))
    assert model.n_iter_ == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 2.0}, TypeError, "'n_clusters' parameter of .* Got 2.0 instead"),
        ({"n_clusters": 25}, ValueError, "n_samples=24 must be at least n_clusters=25"),
        ({"l1_bound": 0.9}, ValueError, "'l1_bound' parameter of .* Got 0.9 instead"),
        ({"l1_bound": "2"}, TypeError, "'l1_bound' parameter of .* Got '2' instead"),
        (
            {"linkage": "ward"},
            ValueError,
            "'linkage' parameter of .* Got 'ward' instead",
        ),
        ({"dissimilarity": "l1"}, ValueError, "'dissimilarity' parameter of .* Got 'l1' instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"tol": -1}, ValueError, "'tol' parameter of .* Got -1 instead"),
        (
            {"memory_limit": 27647},
            MemoryError,
            r"24\^2 doubles take 27648 bytes; memory_limit allows 27647: raise",
        ),
    ],
)
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        SparseAgglomerativeClustering(**options).fit(groups(8))


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([[1.0, np.nan], [0, 1]], ValueError, "contains NaN"),
        ([[1.0, np.inf], [0, 1]], ValueError, "contains infinity"),
        ([[1.0, 2.0]], ValueError, "minimum of 2 is required"),
        ([1.0, 2.0], ValueError, "Expected 2D array"),
        (sparse.csr_array(np.eye(3)), TypeError, "this estimator takes dense arrays only"),
    ],
)
def test_bad_data(data, error, message):
    with pytest.raises(error, match=message):
        SparseAgglomerativeClustering().fit(data)


def test_support_needs_a_fit():
    with pytest.raises(NotFittedError):
        SparseAgglomerativeClustering().get_support()


@pytest.mark.parametrize("dissimilarity", KINDS)
def test_memory_stays_below_what_is_stated(dissimilarity):
    x = np.random.default_rng(0).normal(size=(150, 400))
    model = SparseAgglomerativeClustering(2, dissimilarity=dissimilarity)
    tracemalloc.start()
    model.fit(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # matrices and a few arrays as large as the data; all differences would take 36 million bytes
    assert peak < 6 * 8 * 150**2 + 6 * x.nbytes

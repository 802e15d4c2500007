"""SparseKMeans: the L1 bound, monotone criterion, brute force over partitions, invariances."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from sparsek import SparseKMeans
from sparsek.core.scaling import prepare
from sparsek.core.weights import l1_weights
from sparsek.methods.sparse_kmeans import literal
from sparsek.methods.sparse_kmeans.algorithm import sparse_kmeans
from sparsek.sources.local import array_rows
from tests.methods.sparse_kmeans import literal_sparse
from tests.sources.blocks_data import as_kind, memory_taken, mixture

# Sums of n p terms in another order: rounding relative to the total sum of squares.
RELATIVE = 1e-12
# Norms of at most 30 weights below 1.
NORM = 1e-12


def blobs(n=120, p=20, k=3, informative=4, seed=0):
    """Clusters that differ in the first columns; returns data and truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = rng.standard_normal((n, p))
    X[:, :informative] += rng.normal(0, 6, (k, informative))[truth]
    return X, truth


def bcss(X, labels):
    """Between-cluster sum of squares per feature, by the definition."""
    total = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    within = sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum(axis=0) for j in np.unique(labels))
    return total - within


@pytest.mark.parametrize("bound", [1.0, 1.5, 2.2, 3.5, np.sqrt(20)])
def test_attributes_agree_with_each_other(bound):
    X, truth = blobs()
    model = SparseKMeans(3, l1_bound=bound, random_state=0, standardize=False).fit(X)
    w, b = model.feature_weights_, bcss(X, model.labels_)
    if bound > 1:
        assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert abs(np.linalg.norm(w) - 1) <= NORM
    assert w.sum() <= bound + NORM
    assert np.count_nonzero(w) >= bound**2 - NORM
    scale = (X**2).sum()
    np.testing.assert_allclose(w, l1_weights(b, bound), atol=1e-12)
    assert abs(model.objective_ + w @ b) <= RELATIVE * scale
    total = w @ ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    assert abs(model.inertia_ - (total - w @ b)) <= RELATIVE * scale
    assert abs(model.score(X) + model.inertia_) <= RELATIVE * scale
    for j in range(3):
        np.testing.assert_allclose(model.cluster_centers_[j], X[model.labels_ == j].mean(axis=0), atol=1e-12)
    assert np.array_equal(model.get_support(), w > 0)
    assert np.array_equal(model.predict(X), model.labels_)
    distances = np.sqrt((w * (X[:, None] - model.cluster_centers_) ** 2).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), distances, atol=1e-12)
    assert model.objective_ == model.criterion_history_[-1] == model.start_objectives_.min()


def test_free_bound_gives_weights_proportional_to_bcss():
    X, _ = blobs(p=9)
    model = SparseKMeans(3, l1_bound=3.0, random_state=0, standardize=False).fit(X)
    b = bcss(X, model.labels_)
    np.testing.assert_allclose(model.feature_weights_, b / np.linalg.norm(b), atol=1e-12)


def test_bound_of_one_clusters_one_feature():
    X, _ = blobs()
    model = SparseKMeans(3, l1_bound=1, random_state=0, standardize=False).fit(X)
    assert model.get_support().sum() == 1
    assert model.feature_weights_.max() == 1


@pytest.mark.parametrize("p", [1, 2, 3, 4, 25])
def test_bound_none_is_half_the_root_of_p(p):
    X, _ = blobs(p=p, informative=1)
    assert SparseKMeans(3, l1_bound=None, random_state=0, standardize=False).fit(X).l1_bound_ == max(
        1, np.sqrt(p) / 2
    )


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_criterion_never_rises(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(6, 40)), int(rng.integers(2, 12)), int(rng.integers(2, 5))
    X = rng.standard_normal((n, p)) * rng.exponential(size=p)
    Z, _ = prepare(X, None, standardize=False, by_column=False)
    start = rng.integers(0, k, n).astype(np.int32)
    bound = rng.uniform(1, np.sqrt(p))
    got = sparse_kmeans(array_rows(Z, start, k), l1_bound=bound, tol=0, max_iter=100)
    assert got.converged
    assert np.diff(got.history).max(initial=0) <= RELATIVE * (X**2).sum()


@pytest.mark.seeds(4, also=[125, 12482675])
def test_brute_force_over_all_partitions(seed):
    """The best is found, unless k-means with equal weights, which comes first, leads away from it."""
    rng = np.random.default_rng(seed)
    n, p, bound = int(rng.integers(5, 9)), 4, 1.5
    X = rng.standard_normal((n, p))
    X[: n // 2, :2] += 3
    criteria = {}
    for rest in itertools.product([0, 1], repeat=n - 1):
        labels = (0, *rest)
        if any(labels):
            b = bcss(X, np.array(labels))
            criteria[labels] = l1_weights(b, bound) @ b
    best = max(criteria, key=criteria.__getitem__)
    options = {"l1_bound": bound, "standardize": False}
    model = SparseKMeans(2, init="random", n_init=100, random_state=0, **options).fit(X)
    from_best = SparseKMeans(2, init=np.array(best), **options).fit(X)
    assert model.objective_ == pytest.approx(from_best.objective_, rel=1e-12)
    stays = np.array_equal(from_best.labels_, best) or np.array_equal(1 - from_best.labels_, best)
    assert (model.objective_ == pytest.approx(-criteria[best], rel=1e-12)) == stays


def test_equal_weights_first_as_in_the_paper():
    # Labels after the k-means with equal weights decide the first criterion of the history.
    X, _ = blobs()
    centers = X[:3]
    model = SparseKMeans(3, l1_bound=2, init=centers, standardize=False).fit(X)
    first = KMeans(3, init=centers, n_init=1, tol=0).fit(X)
    b = bcss(X, first.labels_)
    assert model.criterion_history_[0] == pytest.approx(-l1_weights(b, 2) @ b, rel=1e-12)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_weights_are_repetitions_in_any_row_order(init):
    X, _ = blobs(n=60)
    rng = np.random.default_rng(0)
    w, rows = rng.integers(0, 4, 60), rng.permutation(60)
    options = {"init": init, "n_init": 5, "random_state": 0}
    weighted = SparseKMeans(3, **options, standardize=False).fit(X[rows], sample_weight=w[rows])
    repeated = SparseKMeans(3, **options, standardize=False).fit(X.repeat(w, axis=0))
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    np.testing.assert_allclose(weighted.feature_weights_, repeated.feature_weights_, atol=1e-12)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=1e-12)


def same_fit(a, b):
    """Assert that two fitted models agree bit for bit."""
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.cluster_centers_, b.cluster_centers_)
    assert np.array_equal(a.feature_weights_, b.feature_weights_)
    assert np.array_equal(a.start_objectives_, b.start_objectives_)
    assert (a.inertia_, a.objective_, a.n_iter_) == (b.inertia_, b.objective_, b.n_iter_)


def test_threads_do_not_change_a_bit():
    X, _ = blobs(n=3000, p=30, k=4)
    base = SparseKMeans(4, l1_bound=3, n_init=2, random_state=0, standardize=False).fit(X)
    same_fit(SparseKMeans(4, l1_bound=3, n_init=2, n_jobs=2, random_state=0, standardize=False).fit(X), base)
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            again = SparseKMeans(4, l1_bound=3, n_init=2, random_state=0, standardize=False).fit(X)
            same_fit(again, base)
            assert np.array_equal(again.predict(X), base.labels_)


def test_huge_offset_does_not_change_the_labels():
    X, _ = blobs()
    # Integers survive the offset exactly.
    X = np.round(X * 64)
    base = SparseKMeans(3, random_state=0, standardize=False).fit(X)
    far = SparseKMeans(3, random_state=0, standardize=False).fit(X + 1e8)
    assert np.array_equal(far.labels_, base.labels_)
    assert np.array_equal(far.predict(X + 1e8), base.labels_)
    assert np.array_equal(far.get_support(), base.get_support())


@pytest.mark.parametrize("scale", [2.0**-1040, 1e-310, 1e-300, 1e-160, 1e160, 1e300])
def test_tiny_and_huge_scales(scale):
    X, _ = blobs()
    base = SparseKMeans(3, l1_bound=2, random_state=0, standardize=False).fit(X)
    model = SparseKMeans(3, l1_bound=2, random_state=0, standardize=False).fit(X * scale)
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.predict(X * scale), base.labels_)
    # Subnormal numbers near 1e-310 keep 44 bits.
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, atol=1e-9)


def test_constant_columns_get_weight_0():
    X, _ = blobs(p=6)
    X[:, 0], X[:, 5] = 0.1, 1e8
    for bound in (1.5, np.sqrt(6)):
        assert (
            not SparseKMeans(3, l1_bound=bound, random_state=0, standardize=False)
            .fit(X)
            .feature_weights_[[0, 5]]
            .any()
        )


def test_equal_columns_tie_to_the_lowest_index():
    X = np.tile(blobs(p=1, informative=1)[0], (1, 4))
    assert SparseKMeans(3, l1_bound=1, random_state=0, standardize=False).fit(
        X
    ).feature_weights_.tolist() == [1, 0, 0, 0]


def test_empty_start_cluster_takes_a_row():
    X, _ = blobs()
    model = SparseKMeans(3, init=np.arange(120) % 2, standardize=False).fit(X)
    assert len(np.unique(model.labels_)) == 3


@pytest.mark.parametrize("length", [1e-8, 1.0, 1e8])
def test_an_empty_cluster_takes_no_row_that_is_at_its_centre(length):
    eps = np.finfo(float).eps
    for share, filled in ((63, False), (65, True)):  # distances within 64 eps of a row's length are rounding
        labels, counts = np.zeros(4, int), np.array([4, 0])
        far = np.array([0, 0, share * eps * length, 0])
        literal.fill_empty(np.full(4, length), labels, far, counts, eps)
        assert labels.tolist() == [0, 0, int(filled), 0]
        assert counts.tolist() == [4 - filled, int(filled)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_kept(dtype):
    X, _ = blobs()
    base = SparseKMeans(3, l1_bound=2, random_state=0, standardize=False).fit(X)
    model = SparseKMeans(3, l1_bound=2, random_state=0, standardize=False).fit(X.astype(dtype))
    assert model.cluster_centers_.dtype == dtype
    assert model.transform(X.astype(dtype)).dtype == dtype
    assert np.array_equal(model.labels_, base.labels_)
    # Single precision carries 7 digits through sums of 120 rows.
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, atol=1e-5)
    assert abs(np.linalg.norm(model.feature_weights_) - 1) <= NORM


def test_pandas_pickle_clone():
    X, _ = blobs(p=4)
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(1000, 1120))
    model = SparseKMeans(3, random_state=0, standardize=False).set_output(transform="pandas").fit(frame)
    assert model.feature_names_in_.tolist() == list("abcd")
    out = model.transform(frame)
    names = [f"sparsekmeans{j}" for j in range(3)]
    assert out.columns.tolist() == model.get_feature_names_out().tolist() == names
    assert out.index.equals(frame.index)
    same_fit(pickle.loads(pickle.dumps(model)), model)
    same_fit(clone(model).fit(X), model)


def test_one_cluster_has_no_weights():
    X, _ = blobs()
    model = SparseKMeans(1, standardize=False).fit(X)
    assert not model.feature_weights_.any()
    assert not model.get_support().any()
    assert not model.labels_.any()
    assert model.transform(X).shape == (120, 1)


def test_warns_at_max_iter():
    X, _ = blobs(informative=1)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        SparseKMeans(6, l1_bound=None, max_iter=1, tol=0, random_state=0, standardize=False).fit(X)


@pytest.mark.parametrize(
    "form", ["dense", *(pytest.param(form, marks=pytest.mark.thorough) for form in ("sparse", "blocks"))]
)
def test_stops_when_the_weights_change_by_no_more_than_the_tolerance(form, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 12))
    X[:, :3] += rng.normal(size=(4, 3))[rng.integers(4, size=120)]
    start = rng.integers(4, size=120)
    given, options = X, {}
    if form == "sparse":
        given = csr_array(X)
    if form == "blocks":
        np.save(tmp_path / "data.npy", X)
        given, options = tmp_path / "data.npy", {"memory_limit": "40kB"}
    bound = 2.0
    centred = X - X.mean(axis=0)
    *_, changes = literal_sparse.sparse_kmeans(centred, start.tolist(), 4, bound, 0.0)
    assert len(changes) >= 3
    # Tolerances just above and below each change; the default; and one met by the second weights.
    tolerances = [change * factor for change in changes if change > 0 for factor in (1 - 1e-6, 1 + 1e-6)]
    tolerances = tolerances[2:4] if form == "blocks" else tolerances  # every pass reads the file
    lengths = set()
    for tol in [*tolerances, 0.0, 1e-4, 10.0]:
        labels, w, criteria, _ = literal_sparse.sparse_kmeans(centred, start.tolist(), 4, bound, tol)
        model = SparseKMeans(
            4, l1_bound=bound, init=start, tol=tol, refine=False, **options, standardize=False
        ).fit(given)
        assert model.n_iter_ == len(criteria)
        assert model.labels_.tolist() == labels
        # Sums of 1440 terms in another order, and a threshold found by bisection.
        np.testing.assert_allclose(model.criterion_history_, criteria, rtol=1e-11)
        np.testing.assert_allclose(model.feature_weights_, w, rtol=0, atol=1e-11)
        lengths.add(len(criteria))
    assert len(lengths) >= 3
    assert min(lengths) == 2


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_memory_of_a_fit_is_what_the_limit_counts_with():
    model = SparseKMeans(3, l1_bound=3, n_init=1, max_iter=2, random_state=0, standardize=False)
    tall = memory_taken(model, mixture(0, 3000, 200))
    wide = memory_taken(model, mixture(0, 150, 10_000).astype(np.float32))  # needs the most
    assert max(tall, wide) <= model._copies < wide + 1


@pytest.mark.parametrize("seed", range(3))
def test_the_best_start_on_a_sample_of_all_rows_is_where_the_fit_ends(seed, tmp_path):
    X = np.random.default_rng(seed).normal(size=(60, 6))  # no groups: another start ends elsewhere
    options = {"l1_bound": 1.6, "random_state": seed, "tol": 0}
    expected = SparseKMeans(4, **options, standardize=False).fit(X)
    model = SparseKMeans(4, memory_limit=3000, **options, standardize=False).fit(as_kind(X, "npy", tmp_path))
    np.testing.assert_array_equal(model.labels_, expected.labels_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_each_k_means_ends_after_300_iterations():
    # Uniform numbers in 40 clusters, from the 40 smallest: labels still change after 600 iterations.
    x = np.sort(np.random.default_rng(0).uniform(size=12_000))
    centers, expected = x[:40], [np.searchsorted((x[:39] + x[1:40]) / 2, x)]
    for _ in range(602):
        centers = np.bincount(expected[-1], x) / np.bincount(expected[-1])
        expected.append(np.searchsorted((centers[1:] + centers[:-1]) / 2, x))
    assert (expected[600] != expected[602]).any()
    # k-means on both features, then on the first alone, whose weight is 1 because the second is constant.
    init = np.column_stack([x[:40], np.zeros(40)])
    model = SparseKMeans(40, init=init, l1_bound=1.2, max_iter=1, standardize=False).fit(
        np.column_stack([x, np.zeros(12_000)])
    )
    np.testing.assert_array_equal(model.labels_, expected[600])


@pytest.mark.parametrize("seed", range(3))
def test_single_moves_find_better_partitions_where_rows_are_few(seed):
    X, _ = blobs(n=40, p=300, k=4, informative=100, seed=seed)
    X[:, :100] *= 0.2  # groups so close that Lloyd's algorithm ends early
    plain, refined, given = (
        SparseKMeans(4, l1_bound=6, n_init=3, random_state=0, refine=refine, standardize=False).fit(X)
        for refine in (False, None, True)
    )
    assert refined.objective_ < 0.999 * plain.objective_  # by more than rounding; both are negative
    assert np.array_equal(refined.labels_, given.labels_)
    assert set(refined.labels_.tolist()) == set(range(4))
    assert np.diff(refined.criterion_history_).max(initial=0) <= RELATIVE * (X**2).sum()


def test_single_moves_are_left_out_by_default_where_rows_are_many():
    X = np.random.default_rng(0).normal(size=(80, 10))
    plain, default, refined = (
        SparseKMeans(5, l1_bound=None, n_init=3, random_state=0, refine=refine, standardize=False).fit(X)
        for refine in (False, None, True)
    )
    assert default.objective_ == plain.objective_
    assert refined.objective_ < plain.objective_

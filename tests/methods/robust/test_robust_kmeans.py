"""RobustSparseKMeans: literal loops, SparseKMeans without trimming, outliers, invariances, refusals."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from sparsek import PermutationGap, RobustSparseKMeans, SparseKMeans
from sparsek.core.weights import l1_weights
from sparsek.datasets import make_brodinova
from sparsek.methods.robust.trimmed_rows import (
    PART,
    Trim,
    labels_of,
    largest_entries,
    largest_weights,
    trim_start,
)
from sparsek.methods.robust.trimming import median_scaling, robust_sparse_kmeans, trimmed_kmeans
from sparsek.starts.seeds import seeded_labels
from tests.methods.robust.literal_robust import RELATIVE, RoundingTie, literal_robust, literal_start
from tests.partitions import by_size

# Weights from such sums, and norms of at most 60 weights below 1.
WEIGHTS = 1e-10
# Rounding decides in this draw which row is trimmed first: rows 3 and 10 are a cluster of the start.
TIED_SEED = 1869


def contaminated(seed=0, **outliers):
    """Four groups that differ in 10 of 40 features; by default about one row in seven is an outlier."""
    shares = outliers or {"scatter_outliers": 0.08, "noise_outliers": 0.08}
    return make_brodinova(40, 10, (40,) * 4, random_state=seed, **shares)


# ---- the algorithm ----


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
@example(TIED_SEED)
def test_equals_the_literal_loops(seed):
    try:
        compare_with_literal(*draw(seed))
    except RoundingTie:  # both rows are right; about one draw in 200
        reject()


def test_two_rows_of_a_cluster_are_equally_far_from_its_median():
    X, start, k, _, m = draw(TIED_SEED)
    assert np.flatnonzero(start == start[3]).tolist() == [3, 10]
    Z, _ = median_scaling(X, standardize=False)
    # Rounding decides which of the two is trimmed at the start: both are correct.
    assert m == 1
    assert np.flatnonzero(trim_start(Z, start, k, Trim(m)) < 0).tolist() in ([3], [10])
    with pytest.raises(RoundingTie, match=r"entries (3 and 10|10 and 3) differ"):
        literal_start(X, np.ones(X.shape[1]), start.tolist(), k, m)


def draw(seed):
    """Data in two groups with up to two outliers, a start, and the sizes of a problem."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(10, 26)), int(rng.integers(2, 6)), int(rng.integers(1, 4))
    m = int(rng.integers(0, (n - k) // 3))
    X = rng.standard_normal((n, p))
    X[: n // 2, 0] += 3
    X[rng.integers(n, size=2)] *= rng.choice([1, 5, 50])
    start = rng.integers(0, k, n).astype(np.int32)
    bound = rng.uniform(1, np.sqrt(p))
    return X, start, k, bound, m


def compare_with_literal(X, start, k, bound, m):
    """Assert equality; returns the length of the cycle. RoundingTie if rounding decides the literal loops."""
    Z, _ = median_scaling(X, standardize=False)
    X = X - np.median(X, axis=0)  # position of a cluster that is empty at the start
    got = robust_sparse_kmeans(Z, start, n_clusters=k, l1_bound=bound, n_trimmed=m, max_iter=20, tol=0)
    labels, out, far, weights, criterion, n_iter, circle = literal_robust(X, start.tolist(), k, bound, m, 20)
    if not got.params.weights.any():  # one cluster: the literal sums have rounding errors
        assert abs(criterion) <= RELATIVE * (X**2).sum()
        return circle
    assert got.labels.tolist() == labels
    assert set(np.flatnonzero(got.trimmed)) == out
    assert set(np.flatnonzero(got.params.far)) == far
    assert got.n_iter == n_iter
    np.testing.assert_allclose(got.params.weights, weights, atol=1e-8)  # BCSS as a difference of sums
    assert abs(got.history[-1] - criterion) <= RELATIVE * (X**2).sum()
    return circle


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_trimmed_kmeans_never_rises(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(8, 60)), int(rng.integers(1, 6)), int(rng.integers(1, 5))
    m = int(rng.integers(0, n // 2 - k + 1)) if n // 2 >= k else 0
    X = rng.standard_normal((n, p)) * rng.exponential(size=p)
    if rng.random() < 0.5:
        X = np.round(X)  # ties and empty clusters
    Z, _ = median_scaling(X, standardize=False)
    start = trim_start(Z, rng.integers(0, k, n).astype(np.int32), k, Trim(m))
    got = trimmed_kmeans(Z, start, k, Trim(m))
    assert got.converged
    assert np.diff(got.history).max(initial=0) <= RELATIVE * (Z**2).sum()
    assert np.count_nonzero(got.labels < 0) == m
    labels = labels_of(got.labels)
    # Kept rows are no farther from their centres than trimmed ones, and nearest to their own.
    distances = ((X[:, None] - got.params.centers - np.median(X, axis=0)) ** 2).sum(axis=2)
    own = distances[np.arange(n), labels]
    slack = RELATIVE * (1 + distances.max())
    if len(np.unique(X, axis=0)) > k + m:
        assert own[got.labels >= 0].max() <= own[got.labels < 0].min(initial=np.inf) + slack
        assert (own <= distances.min(axis=1) + slack).all()


def test_ties_at_the_border_go_to_the_first_rows():
    assert np.flatnonzero(largest_entries(np.array([2.0, 1, 2, 3, 2]), 3)).tolist() == [0, 2, 3]
    X = np.array([-1.0, 1, -1, 1, -1, 1, 10, 10, 10, 10, 10, 10])[:, None]
    model = RobustSparseKMeans(2, trim=0.17, random_state=0).fit(X)
    assert np.flatnonzero(model.trimmed_weighted_).tolist() == [0, 1]


# ---- weights of rows ----


def test_the_row_at_the_border_is_trimmed_in_part():
    values, weights = np.array([2.0, 1, 2, 3, 2]), np.array([2.0, 9, 1, 0.5, 7])
    taken = largest_weights(values, 3.0, weights)
    assert taken.tolist() == [2, 0, 0.5, 0.5, 0]
    trim = Trim(3.0, weights)
    classes = trim.classes(np.array([4, 3, 2, 1, 0], np.int32), taken)
    assert classes.tolist() == [~4, 3, 2 | PART, ~1, 0]
    assert labels_of(classes).tolist() == [4, 3, 2, 1, 0]
    assert trim.kept(classes).tolist() == [0, 9, 0.5, 0, 7]
    assert trim.smallest(values) == 9 * 1 + 0.5 * 2 + 7 * 2


@pytest.mark.parametrize(("seed", "trim"), [(0, 0.1), (1, 0.25), (2, 0.4)])
def test_weights_are_copies_and_their_scale_does_not_matter(seed, trim):
    rng = np.random.default_rng(seed)
    X, counts, start = rng.normal(size=(30, 4)), rng.integers(1, 6, 30), np.arange(30) % 2
    X[:15, :2] += 3
    X[rng.integers(30, size=2)] *= 6
    model = RobustSparseKMeans(2, l1_bound=1.6, trim=trim, init=start, never=[3] if seed else None)
    found, copies = clone(model).fit(X, sample_weight=counts), np.repeat(X, counts, axis=0)
    known = clone(model).set_params(init=np.repeat(start, counts)).fit(copies)
    assert np.array_equal(np.repeat(found.labels_, counts), known.labels_)
    for name in ("feature_weights_", "cluster_centers_", "objective_", "inertia_", "start_objectives_"):
        np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-9, atol=1e-12)
    for name in ("trimmed_weighted_", "trimmed_unweighted_"):
        trimmed = np.bincount(np.repeat(np.arange(30), counts), getattr(known, name)) == counts
        assert np.array_equal(getattr(found, name), trimmed)
    assert found.score(X, sample_weight=counts) == pytest.approx(known.score(copies), rel=1e-9)
    drawn = clone(model).set_params(init="k-means++", n_init=3, random_state=0)
    parts = [clone(drawn).fit(X, sample_weight=factor * counts) for factor in (0.3, 1.2)]
    for name in ("labels_", "outliers_", "feature_weights_", "cluster_centers_"):
        assert np.array_equal(*(getattr(part, name) for part in parts))
    assert 4 * parts[0].objective_ == parts[1].objective_


def test_a_row_of_nearly_all_weight_is_kept():
    X = contaminated().data
    weights = np.full(len(X), 0.001)
    weights[5] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RobustSparseKMeans(4, trim=0.1, random_state=0).fit(X, sample_weight=weights)
    assert not model.outliers_[5]
    assert weights[model.trimmed_weighted_].sum() <= 0.1 * weights.sum()


# ---- the estimator ----


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("bound", [1.5, 3.0, None])
def test_without_trimming_it_is_sparse_kmeans(init, bound):
    X = contaminated().data
    options = {"l1_bound": bound, "init": init, "random_state": 1, "tol": 0}
    model, plain = (
        RobustSparseKMeans(4, trim=0, **options).fit(X),
        SparseKMeans(4, **options, standardize=False).fit(X),
    )
    assert np.array_equal(model.labels_, plain.labels_)
    assert not model.outliers_.any()
    np.testing.assert_allclose(model.feature_weights_, plain.feature_weights_, atol=WEIGHTS)
    np.testing.assert_allclose(model.cluster_centers_, plain.cluster_centers_, atol=1e-12)
    scale = RELATIVE * (X**2).sum()
    np.testing.assert_allclose(model.start_objectives_, plain.start_objectives_, atol=scale, rtol=0)
    np.testing.assert_allclose(model.criterion_history_, plain.criterion_history_, atol=scale, rtol=0)
    assert np.array_equal(model.start_n_iter_, plain.start_n_iter_)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=RELATIVE)


@pytest.mark.parametrize("seed", range(4))
def test_outliers_features_and_groups_are_found(seed):
    sample = contaminated(seed)
    model = RobustSparseKMeans(4, l1_bound=3, trim=0.16, random_state=0).fit(sample.data)
    inlying = ~sample.outlier
    assert adjusted_rand_score(sample.target[inlying], model.labels_[inlying]) > 0.95
    assert np.array_equal(model.get_support(), sample.informative)
    # Some scattered outliers lie among the rows of their group.
    assert model.outliers_[sample.outlier].mean() >= 0.75
    assert model.trimmed_weighted_.sum() == model.trimmed_unweighted_.sum() == 25


def far_rows():
    sample = contaminated(2, scatter_outliers=0.05)
    X = sample.data.copy()
    X[sample.outlier] *= 50
    return X, sample


def test_starts_on_far_outliers_do_not_win():
    # A start in which an outlier is a cluster has by far the smallest -sum_j w_j BCSS_j.
    X, sample = far_rows()
    inlying = ~sample.outlier
    model = RobustSparseKMeans(4, l1_bound=3, init="random", n_init=30, random_state=0).fit(X)
    assert adjusted_rand_score(sample.target[inlying], model.labels_[inlying]) > 0.95
    assert model.outliers_[sample.outlier].all()
    Z, _ = median_scaling(X, standardize=False)
    starts = seeded_labels(Z, 4, np.arange(10))  # k-means++ draws outliers
    fits = [robust_sparse_kmeans(Z, s, n_clusters=4, l1_bound=3, n_trimmed=16) for s in starts]
    assert min(fit.params.criterion for fit in fits) < 10 * model.objective_
    assert min(fit.criterion for fit in fits) > model.start_objectives_.min()


def test_trimmed_starts_draw_no_outliers():
    X, sample = far_rows()
    Z, _ = median_scaling(X, standardize=False)
    sizes = [
        min(np.bincount(labels[~sample.outlier], minlength=4).min() for labels in starts)
        for starts in (seeded_labels(Z, 4, np.arange(8), n_trimmed=m) for m in (0, 16))
    ]
    assert sizes[0] == 0 < sizes[1]


def test_attributes_agree_with_each_other():
    X = contaminated().data
    model = RobustSparseKMeans(4, l1_bound=3, trim=0.16, random_state=0).fit(X)
    w, labels = model.feature_weights_, model.labels_
    assert abs(np.linalg.norm(w) - 1) <= WEIGHTS
    assert w.sum() <= 3 + WEIGHTS
    assert np.array_equal(model.outliers_, model.trimmed_weighted_ | model.trimmed_unweighted_)
    kept, used = ~model.trimmed_weighted_, ~model.outliers_
    centers = np.array([X[kept & (labels == j)].mean(axis=0) for j in range(4)])
    np.testing.assert_allclose(model.cluster_centers_, centers, atol=1e-12)
    far = ((X - centers[labels]) ** 2).sum(axis=1)
    assert far[model.trimmed_unweighted_].min() >= far[~model.trimmed_unweighted_].max()
    within = np.array([X[used & (labels == j)].mean(axis=0) for j in range(4)])[labels[used]]
    bcss = ((X[used] - X[used].mean(axis=0)) ** 2 - (X[used] - within) ** 2).sum(axis=0)
    scale = RELATIVE * (X**2).sum()
    assert abs(model.objective_ + w @ bcss) <= scale
    assert model.gap_objective_ == -model.objective_ == -model.criterion_history_[-1]
    np.testing.assert_allclose(w, l1_weights(bcss, 3), atol=WEIGHTS)
    distances = np.sqrt((w * (X[:, None] - centers) ** 2).sum(axis=2))
    np.testing.assert_allclose(model.transform(X), distances, atol=1e-12)
    assert np.array_equal(model.predict(X), labels)
    assert abs(model.inertia_ - (distances[kept].min(axis=1) ** 2).sum()) <= scale
    assert model.score(X) == -model.inertia_
    assert np.array_equal(model.get_support(), w > 0)
    assert (
        len(model.criterion_history_)
        == model.n_iter_
        == model.start_n_iter_[np.argmin(model.start_objectives_)]
    )
    assert np.array_equal(clone(model).fit_predict(X), labels)


def weights_of_partition(model, X):
    """Weights that the labels and the outliers of a fitted model lead to."""
    used = ~model.outliers_
    bcss = np.zeros(X.shape[1])
    for j in range(model.n_clusters):
        rows = used & (model.labels_ == j)
        if rows.any():
            bcss += rows.sum() * (X[rows].mean(axis=0) - X[used].mean(axis=0)) ** 2
    return l1_weights(bcss, model.l1_bound_)


@pytest.mark.parametrize("trim", [0.1, 0.2])
def test_weights_belong_to_the_returned_partition(trim):
    cycles = 0
    for seed in range(8):
        X = make_brodinova(
            40, 10, (20,) * 4, scatter_outliers=0.08, noise_outliers=0.08, random_state=seed
        ).data
        model = RobustSparseKMeans(4, l1_bound=2, trim=trim, n_init=5, random_state=seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X)
        np.testing.assert_allclose(model.feature_weights_, weights_of_partition(model, X), atol=WEIGHTS)
        far = ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
        assert far[model.trimmed_unweighted_].min() >= far[~model.trimmed_unweighted_].max()
        messages = [str(warning.message) for warning in caught]
        assert all("partitions in a cycle" in message for message in messages)
        cycles += len(messages)
        if not messages:  # a fixed point: the weights lead back to the partition
            assert np.array_equal(model.predict(X), model.labels_)
            weighted = (model.transform(X).min(axis=1)) ** 2
            assert weighted[model.trimmed_weighted_].min() >= weighted[~model.trimmed_weighted_].max()
    assert cycles > 0


@pytest.mark.parametrize("options", [{"max_iter": 1}, {"tol": 10.0}])
def test_weights_belong_to_the_partition_of_a_fit_that_ends_early(options):
    X = contaminated().data
    model = RobustSparseKMeans(7, l1_bound=2, trim=0.16, n_init=1, random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # max_iter=1
        model.fit(X)
    assert model.n_iter_ == options.get("max_iter", 2)
    np.testing.assert_allclose(model.feature_weights_, weights_of_partition(model, X), atol=WEIGHTS)
    assert model.objective_ == model.criterion_history_[-1]


def same_fit(a, b):
    """Assert that two fitted models agree bit for bit."""
    for name in ("labels_", "outliers_", "trimmed_weighted_", "cluster_centers_", "feature_weights_"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert np.array_equal(a.start_objectives_, b.start_objectives_)
    assert (a.inertia_, a.objective_, a.n_iter_) == (b.inertia_, b.objective_, b.n_iter_)


def test_threads_do_not_change_a_bit():
    X = make_brodinova(40, 10, (500,) * 4, scatter_outliers=0.05, noise_outliers=0.05, random_state=0).data
    base = RobustSparseKMeans(4, n_init=3, random_state=0).fit(X)
    same_fit(RobustSparseKMeans(4, n_init=3, n_jobs=2, random_state=0).fit(X), base)
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            same_fit(RobustSparseKMeans(4, n_init=3, random_state=0).fit(X), base)
            assert np.array_equal(base.predict(X), base.labels_)


@pytest.mark.parametrize("size", [1e8, 1e40])
def test_far_outliers_cost_no_digits(size):
    # After centring at means, rows would be near size / 40, and their differences would be lost in rounding.
    X = contaminated(0, noise_outliers=0.0).data
    X[[3, 50]] = size
    model = RobustSparseKMeans(4, l1_bound=3, trim=0.05, random_state=0).fit(X)
    assert model.outliers_[[3, 50]].all()
    X[[3, 50]] = 1e3
    near = RobustSparseKMeans(4, l1_bound=3, trim=0.05, random_state=0).fit(X)
    assert np.array_equal(model.labels_[4:50], near.labels_[4:50])
    np.testing.assert_allclose(model.feature_weights_, near.feature_weights_, atol=WEIGHTS)


@pytest.mark.parametrize("scale", [2.0**-1000, 1e-300, 1e-160, 1e160, 1e300])
def test_tiny_and_huge_scales(scale):
    X = contaminated().data
    options = {"l1_bound": 3, "trim": 0.16, "n_init": 3, "random_state": 0}
    base = RobustSparseKMeans(4, **options).fit(X)
    model = RobustSparseKMeans(4, **options).fit(X * scale)
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.outliers_, base.outliers_)
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, atol=1e-9)


def test_huge_offset_does_not_change_the_result():
    X = np.round(contaminated().data * 64)  # integers survive the offset exactly
    options = {"l1_bound": 3, "trim": 0.16, "n_init": 3, "random_state": 0}
    base, far = (RobustSparseKMeans(4, **options).fit(X + offset) for offset in (0, 1e8))
    assert np.array_equal(far.labels_, base.labels_)
    assert np.array_equal(far.outliers_, base.outliers_)


def test_float32_is_kept():
    X = contaminated().data
    options = {"l1_bound": 3, "trim": 0.16, "random_state": 0}
    base = RobustSparseKMeans(4, **options).fit(X)
    model = RobustSparseKMeans(4, **options).fit(X.astype(np.float32))
    assert model.cluster_centers_.dtype == np.float32
    assert model.transform(X.astype(np.float32)).dtype == np.float32
    assert np.array_equal(model.labels_, base.labels_)
    # Single precision carries 7 digits through sums of 160 rows.
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, atol=1e-5)


def test_given_starts():
    sample = contaminated()
    X = sample.data
    rows = [5, 45, 85, 125]
    by_centers = RobustSparseKMeans(4, l1_bound=3, init=X[rows]).fit(X)
    by_callable = RobustSparseKMeans(4, l1_bound=3, init=lambda X, k, random_state: X[rows], n_init=2).fit(X)
    by_labels = RobustSparseKMeans(4, l1_bound=3, init=sample.target).fit(X)
    assert np.array_equal(by_size(by_centers.labels_), by_callable.labels_)
    assert by_labels.start_objectives_.shape == (1,)
    assert adjusted_rand_score(by_labels.labels_[~sample.outlier], sample.target[~sample.outlier]) > 0.95


def test_pandas_pickle_clone():
    X = contaminated().data[:, :4]
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = RobustSparseKMeans(3, random_state=0).set_output(transform="pandas").fit(frame)
    assert model.transform(frame).columns.tolist() == [f"robustsparsekmeans{j}" for j in range(3)]
    same_fit(pickle.loads(pickle.dumps(model)), model)
    same_fit(clone(model).fit(X), model)


def test_the_gap_statistic_chooses_a_bound():
    sample = contaminated()
    model = RobustSparseKMeans(4, trim=0.16, n_init=3)
    gap = PermutationGap(model, "l1_bound", [1.2, 3], n_permutations=2, random_state=0)
    gap.fit(sample.data)
    assert gap.best_params_ == {"l1_bound": 3}
    assert np.array_equal(gap.get_support(), sample.informative)


@pytest.mark.parametrize(
    ("trim", "n", "number"), [(0.29, 100, 29), (0.1, 30, 3), (0.1, 29, 2), (0.49, 10, 4)]
)
def test_number_of_trimmed_rows(trim, n, number):
    X = np.random.default_rng(0).standard_normal((n, 3))
    model = RobustSparseKMeans(2, trim=trim, n_init=1, random_state=0).fit(X)
    assert model.trimmed_weighted_.sum() == model.trimmed_unweighted_.sum() == number


@pytest.mark.parametrize("seed", [4, 303, 347])
def test_circles_end_with_the_best_weights(seed):
    rng = np.random.default_rng(seed)
    X, start = rng.standard_normal((20, 5)), rng.integers(0, 3, 20).astype(np.int32)
    assert compare_with_literal(X, start, 3, 1.8, 4) > 1


def test_a_cycle_is_warned_of():
    rng = np.random.default_rng(4)
    X, start = rng.standard_normal((20, 5)), rng.integers(0, 3, 20)
    model = RobustSparseKMeans(3, l1_bound=1.8, trim=0.2, init=start)
    with pytest.warns(ConvergenceWarning, match=r"repeats \d+ partitions in a cycle .* more starts"):
        model.fit(X)


def test_one_cluster_has_no_weights():
    model = RobustSparseKMeans(1).fit(contaminated().data)
    assert not model.feature_weights_.any()
    assert not model.labels_.any()
    assert model.objective_ == 0


def test_warns_at_max_iter():
    X = contaminated().data
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        RobustSparseKMeans(7, max_iter=1, tol=0, n_init=1, random_state=0).fit(X)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_warns_when_one_cluster_is_left():
    X = np.random.default_rng(1).standard_cauchy((22, 5))
    with pytest.warns(ConvergenceWarning, match="belong to one cluster; lower trim"):
        model = RobustSparseKMeans(2, trim=0.49, init=np.arange(22) % 2).fit(X)
    assert np.unique(model.labels_).size == 2
    assert np.unique(model.labels_[~model.outliers_]).size == 1


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"trim": 0.5}, ValueError, r"'trim' parameter of .* Got 0\.5 instead"),
        ({"trim": -0.1}, ValueError, r"'trim' parameter of .* Got -0.1 instead"),
        ({"trim": np.nan}, ValueError, "'trim' parameter of"),
        ({"trim": "a"}, TypeError, "'trim' parameter of .* Got 'a' instead"),
        ({"trim": True}, TypeError, "'trim' parameter of .* Got True instead"),
        ({"trim": 0.4, "n_clusters": 7}, ValueError, "trim=0.4 leaves 6 of 10 rows, fewer than n_clusters=7"),
        ({"l1_bound": 0.9}, ValueError, "'l1_bound' parameter of .* Got 0.9 instead"),
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 11}, ValueError, "n_samples=10"),
        ({"n_init": 1.5}, TypeError, "'n_init' parameter of"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"tol": -1}, ValueError, "'tol' parameter of .* Got -1 instead"),
        ({"init": "best"}, ValueError, "'init' parameter of"),
        ({"init": np.zeros((2, 5))}, ValueError, r"init must be centres of shape \(2, 3\)"),
    ],
)
def test_bad_parameters(parameters, error, message):
    X = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(error, match=message):
        RobustSparseKMeans(**{"n_clusters": 2, **parameters}).fit(X)


def test_bad_data():
    X = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(TypeError, match="toarray"):
        RobustSparseKMeans(2).fit(csr_array(X))
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        RobustSparseKMeans(2).fit(X, sample_weight=-np.ones(10))
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"(?s)contains NaN.*impute"):
        RobustSparseKMeans(2).fit(X)
    X[2, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        RobustSparseKMeans(2).fit(X)


@pytest.mark.thorough
def test_trimmed_kmeans_ends_after_300_iterations():
    x = np.sort(np.random.default_rng(0).uniform(size=12_000))  # 40 clusters from the 40 smallest: slow
    Z = np.column_stack([x - x.mean(), np.ones(len(x))])
    start = np.searchsorted((x[:39] + x[1:40]) / 2, x).astype(np.int32)
    found = trimmed_kmeans(Z, start, 40, Trim(0))
    assert found.n_iter == 300
    assert not found.converged

"""KernelKMeans: reference numbers, literal loops, invariants, bad input, new rows."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import laplacian_kernel

from sparsek import KernelKMeans
from sparsek.methods.kernel.functions import median_distance, negative_eigenvalue
from sparsek.methods.kernel.kernel_kmeans import centre, kernel_kmeans
from tests.methods.kernel import literal_kernel
from tests.partitions import by_size

ROWS = np.array([(0, 1), (0.5, -1), (2, 0), (-2, 0.5), (2.5, 1.5), (-0.5, -2)])
START = np.array([0, 0, 1, 1, 1, 0])
IRIS = load_iris().data
SEEDS = st.integers(0, 2**31 - 1)


def combined(power):
    """0.5 k_1 + 0.25 k_2 with k_j = (x z)^power."""
    return lambda A, B: 0.5 * np.outer(A[:, 0], B[:, 0]) ** power + 0.25 * np.outer(A[:, 1], B[:, 1]) ** power


def test_checked_distances():
    model = KernelKMeans(2, kernel=combined(2), init=START).fit(ROWS)
    expected = [
        (0.2638888889, 11.2881944444),
        (0.2534722222, 10.1319444444),
        (8.3472222222, 0.4548611111),
        (8.1128472222, 0.3663194444),
        (18.5190972222, 1.6267361111),
        (1.0034722222, 12.6319444444),
    ]
    # The reference numbers have ten decimals.
    np.testing.assert_allclose(model.transform(ROWS) ** 2, expected, atol=6e-11)
    assert model.labels_.tolist() == START.tolist()
    np.testing.assert_allclose(model.criterion_history_, [3.96875], rtol=1e-14)
    assert model.inertia_ == pytest.approx(3.96875, rel=1e-14)
    assert model.cluster_sizes_.tolist() == [3, 3]


def test_checked_path():
    model = KernelKMeans(2, kernel=combined(1), init=START).fit(ROWS)
    assert model.labels_.tolist() == [0, 0, 1, 0, 1, 0]
    # Ten decimals printed.
    np.testing.assert_allclose(model.criterion_history_, [7.7916666667, 4.4166666667, 3.515625], atol=6e-11)
    assert model.n_iter_ == 3


@settings(max_examples=30, deadline=None)
@example(seed=245, name="polynomial", k=4)
@given(SEEDS, st.sampled_from(["linear", "polynomial", "gaussian"]), st.integers(1, 4))
def test_equals_the_literal_loops(seed, name, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    labels = np.concatenate([np.arange(k), rng.integers(k, size=12 - k)])
    K = literal_kernel.gram(literal_kernel.kernel_of(name, 3, 0.5, 2.0), X)
    found, path, emptied = literal_kernel.kernel_kmeans(K, labels, k)
    model = KernelKMeans(k, kernel=name, degree=3, coef0=0.5, width=2.0, init=labels).fit(X)
    # Two rows of one cluster are as far from its mean: rounding decides which of them an empty cluster takes.
    named = by_size if emptied else np.array
    assert named(model.labels_).tolist() == named(found).tolist()
    # The kernel is centred first: differences of sums of up to 144 values of size max |K|.
    np.testing.assert_allclose(model.criterion_history_, path, atol=1e-12 * np.abs(K).max())
    assert model.predict(X).tolist() == model.labels_.tolist()


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_linear_kernel_is_lloyd(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) + 1e6  # the linear kernel loses no digit to an offset
    start = X[:3]
    theirs = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    ours = KernelKMeans(3, kernel="linear", init=start).fit(X)
    assert np.array_equal(ours.labels_, theirs.labels_)
    # In both, X - mean(X) loses 6 of 16 digits to the offset.
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-8)


def test_constant_and_centring_change_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    K = laplacian_kernel(X)
    labels = np.arange(30) % 4
    one = np.full((30, 30), 1 / 30)
    base = KernelKMeans(4, kernel="precomputed", init=labels).fit(K)
    for other in (K + 7, K - one @ K - K @ one + one @ K @ one):
        model = KernelKMeans(4, kernel="precomputed", init=labels).fit((other + other.T) / 2)
        assert np.array_equal(model.labels_, base.labels_)
        # Sums of 900 numbers of size 8 at most.
        np.testing.assert_allclose(model.criterion_history_, base.criterion_history_, rtol=1e-12)


def test_dissimilarities_give_the_same_objective():
    # sum_k (1 / n_k) sum_ii' Delta = 2 x objective.
    model = KernelKMeans(3, random_state=0).fit(IRIS)
    squares = ((IRIS[:, None] - IRIS) ** 2).sum(axis=2)
    delta = 2 - 2 * np.exp(-squares / model.width_[0])
    within = sum(
        delta[np.ix_(rows, rows)].sum() / len(rows)
        for rows in (np.flatnonzero(model.labels_ == k) for k in range(3))
    )
    assert within == pytest.approx(2 * model.objective_, rel=1e-12)  # sums of 22500 terms


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 6))
def test_objective_never_rises(seed, k):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(25, 2)), 1)  # ties and duplicates
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelKMeans(k, random_state=seed % 1000, n_init=2).fit(X)
    history = model.criterion_history_
    assert (np.diff(history) <= 1e-9 * abs(history[0])).all()  # rounding of the objective
    assert model.objective_ == pytest.approx(model.inertia_, abs=1e-12)
    assert model.score(X) == pytest.approx(-model.inertia_, abs=1e-12)


def test_sparse_update_of_the_sums_equals_the_full_one():
    # So many rows that most iterations read only the rows that moved.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    K, _ = centre(laplacian_kernel(X), None)
    labels = rng.integers(5, size=300).astype(np.int32)
    fit = kernel_kmeans(K, labels, n_clusters=5)
    again = kernel_kmeans(K, fit.params.sums.labels, n_clusters=5)
    assert fit.n_iter > 5
    assert np.array_equal(again.labels, fit.labels)
    # Rounding of some ten updates.
    assert again.history[0] == pytest.approx(fit.criterion, rel=1e-12)


def test_finds_a_core_in_a_ring():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    X, truth = np.concatenate([0.2 * circle, circle]), np.repeat([0, 1], 60)
    model = KernelKMeans(2, width=0.5, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert adjusted_rand_score(truth, KMeans(2, random_state=0, n_init=5).fit(X).labels_) < 0.2
    assert np.array_equal(model.predict(1.01 * X), model.labels_)


def test_empty_cluster_takes_the_farthest_row():
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelKMeans(2, kernel="linear", init=np.zeros(4, dtype=int)).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1]


def test_duplicates_cannot_fill_the_clusters():
    X = np.repeat([[0.0, 1.0], [3.0, 1.0]], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"clusters \(2\) found smaller than n_clusters \(3\)"):
        model = KernelKMeans(3, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert (model.transform(X).min(axis=1) == 0).all()


def test_weights_repeat_rows():
    rng = np.random.default_rng(3)
    X, times = rng.normal(size=(30, 2)), rng.integers(0, 4, size=30)
    for kernel in ("gaussian", "polynomial"):
        weighted = KernelKMeans(3, kernel=kernel, random_state=0).fit(X, sample_weight=times)
        repeated = KernelKMeans(3, kernel=kernel, random_state=0).fit(np.repeat(X, times, axis=0))
        assert np.array_equal(weighted.predict(X), repeated.predict(X))
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-12)  # other order of sums
        assert np.array_equal(weighted.cluster_sizes_, repeated.cluster_sizes_)


def test_precomputed_equals_the_kernel_itself():
    rng = np.random.default_rng(4)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(15, 3))
    base = KernelKMeans(3, kernel=laplacian_kernel, random_state=0).fit(X)
    model = KernelKMeans(3, kernel="precomputed", random_state=0).fit(laplacian_kernel(X))
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.predict(laplacian_kernel(new, X)), base.predict(new))
    for method in (model.transform, model.score, model.fit_transform):
        with pytest.raises(ValueError, match=r"need k\(x, x\) of the rows"):
            method(laplacian_kernel(X))
    weights = np.ones(40)
    weights[[0, 7]] = 0
    less = KernelKMeans(3, kernel="precomputed", random_state=0).fit(laplacian_kernel(X), None, weights)
    kept = weights > 0
    rest = KernelKMeans(3, kernel=laplacian_kernel, random_state=0).fit(X[kept])
    assert np.array_equal(less.labels_, rest.predict(X))
    assert np.array_equal(less.predict(laplacian_kernel(new, X)), rest.predict(new))


def test_starts():
    X = IRIS
    base = KernelKMeans(3, init=np.array([0, 50, 100])).fit(X)
    assert np.array_equal(KernelKMeans(3, init=X[[0, 50, 100]]).fit(X).labels_, base.labels_)
    called = KernelKMeans(3, init=lambda X, k, random_state: X[[0, 50, 100]], n_init=2).fit(X)
    assert np.array_equal(called.labels_, by_size(base.labels_))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / base.width_[0])
    rows = KernelKMeans(3, kernel="precomputed", init=np.array([0, 50, 100])).fit(K)
    assert np.array_equal(rows.labels_, base.labels_)
    random = KernelKMeans(3, init="random", n_init=4, random_state=0).fit(X)
    assert len(random.start_objectives_) == len(random.start_n_iter_) == 4
    assert random.objective_ == pytest.approx(random.start_objectives_.min(), rel=1e-12)
    threads = KernelKMeans(3, init="random", n_init=4, random_state=0, n_jobs=2).fit(X)
    assert np.array_equal(threads.start_objectives_, random.start_objectives_)


def test_row_order_does_not_matter():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 2))
    order = rng.permutation(50)
    base = KernelKMeans(4, random_state=0).fit(X)
    found = KernelKMeans(4, random_state=0).fit(X[order])
    assert np.array_equal(found.labels_, by_size(base.labels_[order]))


def test_widths():
    X = np.random.default_rng(6).normal(size=(21, 2))
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    model = KernelKMeans(2, random_state=0).fit(X)
    expected = np.median(squares[np.triu_indices(21, 1)])
    np.testing.assert_allclose(model.width_, expected, rtol=1e-13)  # sums of two squares
    weights = np.random.default_rng(7).integers(1, 4, size=21)
    # The weighted median of all pairs is the median over repeated rows.
    repeated = np.repeat(X, weights, axis=0)
    assert median_distance(X, weights) == pytest.approx(median_distance(repeated, None), rel=1e-13)
    scaled = KernelKMeans(2, width=[1.0, 4.0], random_state=0).fit(X)
    unit = KernelKMeans(2, width=1.0, random_state=0).fit(X / [1, 2])
    assert scaled.objective_ == pytest.approx(unit.objective_, rel=1e-13)
    assert KernelKMeans(1).fit(np.ones((5, 2))).width_.tolist() == [1, 1]


def test_indefinite_kernel_warns_with_the_eigenvalue():
    K = np.array([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]])  # eigenvalues -1, 1, 3
    message = "not positive semidefinite: its smallest eigenvalue is -1; .* adding 1 to its diagonal"
    with pytest.warns(UserWarning, match=message):
        KernelKMeans(2, kernel="precomputed", random_state=0).fit(K)
    with pytest.warns(UserWarning, match=message):
        KernelKMeans(2, kernel=lambda A, B: K[: len(A), : len(B)], random_state=0).fit(np.eye(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelKMeans(2, kernel="precomputed", random_state=0).fit(K + np.eye(3))


def test_rounding_is_not_indefinite():
    X = np.random.default_rng(8).normal(size=(60, 2))
    for dtype in (np.float64, np.float32):
        K = (X @ X.T).astype(dtype)  # rank 2: 58 eigenvalues are rounding
        assert negative_eigenvalue(K.astype(np.float64), 8 * float(np.finfo(dtype).eps)) == 0


def test_float32():
    X = IRIS.astype(np.float32)
    model = KernelKMeans(3, random_state=0).fit(X)
    assert model.transform(X).dtype == np.float32
    assert np.array_equal(model.labels_, KernelKMeans(3, random_state=0).fit(IRIS).labels_)


def test_huge_constant_keeps_digits():
    # c = 1e6: kernel values are near 1e12, distances near 1e6.
    X = np.random.default_rng(9).normal(size=(40, 2))
    X[:20] += 4
    model = KernelKMeans(2, kernel="polynomial", coef0=1e6, random_state=0).fit(X)
    assert adjusted_rand_score(np.repeat([0, 1], 20), model.labels_) == 1


BAD = [
    (
        {"kernel": "rbf"},
        ValueError,
        "'kernel' parameter of",
    ),
    ({"kernel": 3}, ValueError, "'kernel' parameter of"),
    ({"degree": 0}, ValueError, "'degree' parameter of .* Got 0 instead"),
    ({"degree": 2.5}, TypeError, "'degree' parameter of .* Got 2.5 instead"),
    ({"coef0": -1}, ValueError, "'coef0' parameter of .* Got -1 instead"),
    ({"width": 0}, ValueError, "'width' parameter of .* Got 0 instead"),
    ({"width": -2.0}, ValueError, "'width' parameter of"),
    ({"width": np.nan}, ValueError, "'width' parameter of"),
    ({"width": "mean"}, ValueError, "'width' parameter of .* Got 'mean' instead"),
    ({"width": [1.0, 2.0]}, ValueError, r"width must be a number or have shape \(4,\); got shape \(2,\)"),
    ({"width": {}}, TypeError, "width must be 'median', a number or an array"),
    ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
    ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
    ({"n_clusters": 151}, ValueError, "n_samples=150 .* must be at least n_clusters=151"),
    ({"init": "best"}, ValueError, "'init' parameter of .* Got 'best' instead"),
    ({"init": np.full(150, 3)}, ValueError, r"labels given as init must lie in 0\.\.2; got 3\.\.3"),
    ({"memory_limit": 1000}, MemoryError, "540000 bytes; memory_limit allows 1000: raise memory_limit"),
    ({"kernel": lambda A, B: np.ones(3)}, ValueError, r"shape \(150, 150\).*got shape \(3,\)"),
    ({"kernel": lambda A, B: np.full((150, 150), np.nan)}, ValueError, "must return finite numbers"),
    ({"kernel": lambda A, B: np.tri(150)}, ValueError, "must be symmetric; .* differ .* by 1;"),
    ({"kernel": "precomputed"}, ValueError, r"square matrix; got shape \(150, 4\)"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD)
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        KernelKMeans(**{"n_clusters": 3, **options}).fit(IRIS)


def test_bad_precomputed_input():
    with pytest.raises(ValueError, match="init must hold labels when the kernel is precomputed"):
        KernelKMeans(2, kernel="precomputed", init=np.eye(5)[:2]).fit(np.eye(5))
    with pytest.raises(NotFittedError):
        KernelKMeans(2).predict(IRIS)


@pytest.mark.parametrize(
    ("options", "factor", "message"),
    [
        ({"kernel": "polynomial", "degree": 9}, 1e20, "polynomial kernel reaches .* lower the degree"),
        ({"kernel": "polynomial"}, 1e200, "polynomial kernel reaches inf, above 1e\\+150"),
        ({"kernel": "linear"}, 1e200, "linear kernel reaches inf"),
        ({}, 1e160, "squared distance reaches inf"),
        ({}, 1e-160, "squared distance is at most .* digits are lost; scale X"),
        ({"kernel": "polynomial"}, 1e-90, "polynomial kernel is at most"),
    ],
)
def test_overflow_and_underflow_are_errors(options, factor, message):
    with pytest.raises(ValueError, match=message):
        KernelKMeans(3, **options).fit(IRIS * factor)


@pytest.mark.parametrize("signs", [[1.0, -1.0], [1.0, -1.0, -1.0, -1.0]])
def test_means_that_overflow_are_an_error(signs):
    X = np.outer(np.resize(signs, 19), [1.0, 1.0]) * np.finfo(float).max
    with pytest.raises(ValueError, match="linear kernel reaches inf"):
        KernelKMeans(1, kernel="linear").fit(X, sample_weight=np.arange(19) % 3 + 1)


@pytest.mark.parametrize("factor", [2.0**-60, 2.0**60])
def test_scale_of_the_data(factor):
    # Powers of two change no digit of the differences, nor of their median.
    base = KernelKMeans(3, random_state=0).fit(IRIS)
    model = KernelKMeans(3, random_state=0).fit(IRIS * factor)
    assert np.array_equal(model.labels_, base.labels_)
    assert model.objective_ == pytest.approx(base.objective_, rel=1e-13)  # roots of the widths are rounded


def test_max_iter_warns():
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        KernelKMeans(3, init="random", n_init=1, max_iter=1, random_state=0).fit(IRIS)

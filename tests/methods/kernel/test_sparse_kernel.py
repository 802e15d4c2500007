"""SparseKernelKMeans: reference numbers, literal loops, both routes, invariants, the doughnut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.metrics.pairwise import laplacian_kernel

from sparsek import PermutationGap, SparseKernelKMeans, SparseKMeans
from sparsek.core.scaling import prepare
from sparsek.core.weights import l1_weights
from sparsek.datasets import make_doughnut
from sparsek.methods.kernel import sparse_estimator as route
from sparsek.methods.kernel.feature_maps import low_rank_map, pivoted_cholesky, polynomial_map
from sparsek.methods.kernel.functions import Kernel, kernel_matrix, median_widths
from sparsek.methods.kernel.sparse_kernel import Grams, KernelColumns, centred_traces, sparse_kernel_kmeans
from tests.methods.kernel import literal_kernel

ROWS = np.array([(0, 1), (0.5, -1), (2, 0), (-2, 0.5), (2.5, 1.5), (-0.5, -2)])
START = np.array([0, 0, 1, 1, 1, 0])
IRIS = load_iris().data
SEEDS = st.integers(0, 2**31 - 1)


def kernel(name, p, degree=2, coef0=0.0, width=2.0):
    return Kernel(name, degree, coef0, np.full(p, width))


def columns_of(k, X):
    """The features as explicit columns."""
    found = low_rank_map(k, X, 10_000, 10_000) if k.name == "gaussian" else polynomial_map(k)
    Z, _ = prepare(found.apply(X), None, standardize=False, by_column=False)
    return KernelColumns(Z, found.groups, X.shape[1])


def core_in_shell(n, p):
    """Half of the rows near 0 in three features, the others near -1 or 1; noise is U(-1, 1)."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(n, p))
    X[: n // 2, :3] = 0.1 * rng.normal(size=(n // 2, 3))
    X[n // 2 :, :3] = rng.choice([-1, 1], size=(n - n // 2, 3)) * (1 + 0.1 * rng.normal(size=(n - n // 2, 3)))
    return X


@pytest.mark.parametrize(
    ("name", "coef0", "a", "w", "crit"),
    [
        ("linear", 0, (2.0833333333, 5.3333333333), (0.2258342614, 0.9741657386), 5.6660386507),
        ("polynomial", 0, (63.0208333333, 4.0833333333), (0.9979074900, 0.0646578100), 63.1529812846),
        ("polynomial", 1, (67.1875, 14.75), (0.9767397000, 0.2144284400), 68.7875181719),
        ("gaussian", 0, (3.3707775400, 1.3590338200), (0.9741657386, 0.2258342614), 3.5906123942),
    ],
)
def test_checked_scatter_and_weights(name, coef0, a, w, crit):
    k = kernel(name, 2, coef0=float(coef0))
    labels = START.astype(np.int32)
    for features in (columns_of(k, ROWS), Grams(ROWS, k, np.ones(2))):
        found = features.scatter(labels, 2, None)
        # Eight to ten decimals printed.
        np.testing.assert_allclose(found, a, atol=6e-9)
        weights = l1_weights(found, 1.2)
        np.testing.assert_allclose(weights, w, atol=6e-9)
        assert weights @ found == pytest.approx(crit, abs=6e-11)


@settings(max_examples=15)
@given(SEEDS, st.sampled_from(["linear", "polynomial", "gaussian"]), st.integers(2, 3), st.floats(1, 2))
def test_equals_the_literal_loops(seed, name, k, s):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 4))
    labels = np.concatenate([np.arange(k), rng.integers(k, size=12 - k)])
    options = {"degree": 3, "coef0": 0.5, "width": 1.5}
    one = literal_kernel.kernel_of(name, **options)
    grams = [literal_kernel.gram(one, X[:, j]) for j in range(4)]
    expected, w, a, path = literal_kernel.sparse_kernel_kmeans(grams, labels, k, s)
    model = SparseKernelKMeans(k, kernel=name, l1_bound=s, init=labels, **options).fit(X)
    assert model.labels_.tolist() == expected.tolist()
    # The bisection of the literal version stops at a relative width of 1e-16 of its interval; the factors of
    # the Gaussian kernel are exact to 1e-10.
    np.testing.assert_allclose(model.feature_weights_, w, atol=1e-8)
    np.testing.assert_allclose(model.feature_scatter_, a, rtol=1e-7)
    assert -model.objective_ == pytest.approx(path[-1], rel=1e-8)
    assert model.gap_objective_ == -model.objective_


@pytest.mark.seeds(5)
def test_linear_kernel_is_sparse_k_means(seed):
    labels = np.random.default_rng(seed).integers(3, size=150)
    ours = SparseKernelKMeans(3, kernel="linear", l1_bound=1.3, init=labels).fit(IRIS)
    theirs = SparseKMeans(3, l1_bound=1.3, init=labels, standardize=False).fit(IRIS)
    assert np.array_equal(ours.labels_, theirs.labels_)
    # The sums are equal, but doubled; SparseKMeans rounds entries to 6e-14 of the largest of the column.
    np.testing.assert_allclose(ours.feature_weights_, theirs.feature_weights_, rtol=1e-12)
    assert ours.objective_ == pytest.approx(2 * theirs.objective_, rel=1e-13)


def test_squares_are_sparse_k_means_on_squares():
    labels = np.random.default_rng(0).integers(3, size=150)
    ours = SparseKernelKMeans(3, l1_bound=1.3, init=labels).fit(IRIS)
    theirs = SparseKMeans(3, l1_bound=1.3, init=labels, standardize=False).fit(IRIS**2)
    assert np.array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.feature_weights_, theirs.feature_weights_, rtol=1e-13)


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.integers(1, 5), st.floats(0, 3))
def test_explicit_map_is_the_kernel(seed, degree, coef0):
    X = np.random.default_rng(seed).uniform(-1, 1, size=(15, 2))
    k = kernel("polynomial", 2, degree, coef0)
    found = polynomial_map(k)
    H = np.eye(15) - 1 / 15
    for j in range(2):
        columns = H @ found.apply(X)[:, found.groups == j]
        K = kernel_matrix(k.of_group(j), X[:, [j]], X[:, [j]])
        # Rounding relative to entries of up to (1 + 3)^5.
        np.testing.assert_allclose(columns @ columns.T, H @ K @ H, atol=1e-14 * np.abs(K).max())


@pytest.mark.parametrize(("width", "rank"), [(10.0, 7), (1.0, 12), (0.1, 26)])
def test_ranks_of_gaussian_factors(width, rank):
    # Reference numbers of columns for U(-1, 1), n = 500: 7, 12 and 26.
    x = np.random.default_rng(0).uniform(-1, 1, 500)[:, None]
    k = kernel("gaussian", 1, width=width)
    rows, L = pivoted_cholesky(k, x, 500)
    assert abs(len(rows) - rank) <= 3
    # The remainder is below 1e-10 of the scatter, which is at most 1.
    np.testing.assert_allclose(L.T @ L, kernel_matrix(k, x, x), atol=1e-10)
    assert pivoted_cholesky(k, x, len(rows) - 1) is None


def test_columns_of_a_group_keep_their_digits_beside_larger_groups():
    X = np.random.default_rng(0).normal(size=(40, 4)) * [1e4, 1e4, 1, 1]
    both = Kernel("polynomial", 2, 1.0, np.ones(4), (np.array([0, 1]), np.array([2, 3])))
    found = low_rank_map(both, X, 1000, 40)
    small = found.apply(X)[:, found.groups == 1]
    expected = kernel_matrix(both.of_group(1), X[:, 2:], X[:, 2:])
    np.testing.assert_allclose(small @ small.T, expected, atol=1e-8 * np.abs(expected).max())


def test_factors_of_wide_kernels_keep_their_digits():
    # k is 1 up to 1e-6, so errors are relative to the scatter around the mean.
    X = np.random.default_rng(0).normal(size=(60, 2))
    k = kernel("gaussian", 2, width=1e6)
    labels = (X[:, 0] > 0).astype(np.int32)
    a = columns_of(k, X).scatter(labels, 2, None)
    linear = columns_of(kernel("linear", 2), X).scatter(labels, 2, None)
    # exp(-d^2 / c) = 1 - d^2 / c + ...: 2 / c times the linear kernel's, up to d^2 / c, about 1e-5.
    np.testing.assert_allclose(a / (2 / 1e6), linear, rtol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "gaussian"},
        {"kernel": "gaussian", "width": 0.05, "normalize": True},
        {"kernel": laplacian_kernel},
    ],
)
def test_both_routes_agree(options, monkeypatch):
    X = np.random.default_rng(0).normal(size=(36, 6))
    X[:12, :2] += 3
    new = np.random.default_rng(1).normal(size=(25, 6))
    options |= {"l1_bound": 1.4, "init": np.arange(36) // 12}
    base = SparseKernelKMeans(3, **options).fit(X)
    assert base._map is not None
    monkeypatch.setattr(route, "low_rank_map", lambda *_: None)
    other = SparseKernelKMeans(3, **options).fit(X)
    assert other._map is None
    assert np.array_equal(other.labels_, base.labels_)
    # Factors are exact to 1e-10 of a feature's scatter.
    for name in ("feature_weights_", "feature_scatter_", "criterion_history_", "objective_", "inertia_"):
        np.testing.assert_allclose(getattr(other, name), getattr(base, name), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(other.start_objectives_, base.start_objectives_, rtol=1e-8)
    np.testing.assert_allclose(other.transform(new), base.transform(new), atol=1e-4)  # roots of at most 1e-9
    assert np.array_equal(other.predict(new), base.predict(new))
    assert np.array_equal(other.predict(X), other.labels_)
    points = SparseKernelKMeans(3, **{**options, "init": X[[0, 12, 24]]})
    low = points.fit(X).labels_
    monkeypatch.undo()
    assert np.array_equal(points.fit(X).labels_, low)
    assert len(np.unique(points.set_params(init="random", n_init=3, random_state=0).fit(X).labels_)) == 3


def test_sample_weights_on_both_routes(monkeypatch):
    rng = np.random.default_rng(1)
    X, times = rng.normal(size=(30, 4)), rng.integers(0, 3, size=30)
    for name in ("polynomial", "gaussian"):
        options = {"kernel": name, "l1_bound": 1.5, "random_state": 0}
        weighted = SparseKernelKMeans(2, **options).fit(X, sample_weight=times)
        repeated = SparseKernelKMeans(2, **options).fit(np.repeat(X, times, axis=0))
        assert np.array_equal(weighted.predict(X), repeated.predict(X))
        # Factors of the same values; sums in another order.
        np.testing.assert_allclose(weighted.feature_weights_, repeated.feature_weights_, atol=1e-8)
    monkeypatch.setattr(route, "low_rank_map", lambda *_: None)
    grams = SparseKernelKMeans(2, **options).fit(X, sample_weight=times)
    assert np.array_equal(grams.labels_, weighted.labels_)
    assert grams.objective_ == pytest.approx(weighted.objective_, rel=1e-8)


def test_narrow_kernels_take_one_matrix():
    # Rank n: the columns would be p matrices of n x n.
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = SparseKernelKMeans(2, kernel="gaussian", width=1e-6, l1_bound=1.2, n_init=2, random_state=0).fit(
        X
    )
    assert model._map is None
    assert np.array_equal(model.predict(X), model.labels_)
    with pytest.raises(MemoryError, match=r"3 matrices of n_samples.*or a wider, smoother kernel"):
        model.set_params(memory_limit=1e6).fit(X)


@settings(max_examples=7)
@given(SEEDS, st.sampled_from(["polynomial", "gaussian", "linear"]), st.floats(1, 2), st.integers(2, 4))
def test_invariants(seed, name, s, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4)) * [1, 2, 0.5, 1]
    options = {"kernel": name, "l1_bound": s, "random_state": 0, "n_init": 3}
    model = SparseKernelKMeans(k, **options).fit(X)
    w, history = model.feature_weights_, model.criterion_history_
    assert np.linalg.norm(w) == pytest.approx(1, rel=1e-14)
    assert w.sum() <= s + 1e-9  # rounding of the bound
    assert (np.diff(history) <= 1e-9 * abs(history[0])).all()
    assert model.objective_ <= history[-1] + 1e-12 * abs(history[-1])
    assert np.array_equal(model.get_support(), w > 1e-6 * w.max())  # smaller ones are not in use
    # The features of larger scatter get larger weights.
    assert (np.diff(w[np.argsort(model.feature_scatter_)]) >= -1e-12).all() or model.n_iter_ == 20
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.score(X) == pytest.approx(-model.inertia_, rel=1e-12)
    columns = rng.permutation(4)
    start = rng.integers(k, size=40)
    one = SparseKernelKMeans(k, **options | {"init": start}).fit(X)
    other = SparseKernelKMeans(k, **options | {"init": start}).fit(X[:, columns])
    assert np.array_equal(other.labels_, one.labels_)
    np.testing.assert_allclose(other.feature_weights_, one.feature_weights_[columns], atol=1e-9)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_normalize():
    X = IRIS * [1, 10, 1000, 1]
    labels = np.arange(150) // 50
    base = SparseKernelKMeans(3, normalize=True, l1_bound=1.5, init=labels).fit(IRIS)
    scaled = SparseKernelKMeans(3, normalize=True, l1_bound=1.5, init=labels).fit(X)
    np.testing.assert_allclose(scaled.feature_weights_, base.feature_weights_, rtol=1e-10)  # 1000^4 in sums
    plain = SparseKernelKMeans(3, l1_bound=1.5, init=labels).fit(X)
    assert plain.feature_weights_[2] > 1 - 1e-9  # 1000^4 = 1e12 times the others' scatter
    k = kernel("gaussian", 4)
    traces = centred_traces(columns_of(k, IRIS), None)
    for j in range(4):
        K = kernel_matrix(k.of_group(j), IRIS[:, [j]], IRIS[:, [j]])
        assert traces[j] == pytest.approx(K.diagonal().mean() - K.mean(), rel=1e-9)  # factors
    np.testing.assert_allclose(centred_traces(Grams(IRIS, k, np.ones(4)), None), traces, rtol=1e-9)


def test_median_widths():
    X = np.round(np.random.default_rng(0).normal(size=(40, 3)), 1)
    X[:, 2] = 5
    found = median_widths(X, None)
    for j in range(2):
        squares = (X[:, [j]] - X[:, j])[np.triu_indices(40, 1)] ** 2
        assert found[j] == pytest.approx(np.median(squares[squares > 1e-20]), rel=1e-12)
    assert found[2] == 1
    big = np.random.default_rng(1).normal(size=(3000, 1))
    # Median of (x - z)^2 for normals: 2 x 0.4549; a sample of 3000 is within some per cent.
    assert median_widths(big, None)[0] == pytest.approx(0.91, rel=0.06)


def test_doughnut():
    # In a prototype the error was 0 in 12 of 20 seeds, otherwise about .21 with all weight on one coordinate.
    exact = 0
    for seed in range(6):
        sample = make_doughnut(random_state=seed)
        model = SparseKernelKMeans(2, l1_bound=1.41, random_state=seed).fit(sample.data)
        error = min(accuracy_score(sample.target, labels) for labels in (model.labels_, 1 - model.labels_))
        w = model.feature_weights_
        if error == 0:
            exact += 1
            assert set(np.argsort(-w)[:2]) == {0, 1}
            assert ((w[:2] > 0.6) & (w[:2] < 0.8)).all()
            assert w[2:].max() <= 0.01
    assert exact >= 4


def test_starts_are_chosen_before_the_weights():
    # The half ring has a larger final criterion, but the best start under equal weights is kept.
    sample = make_doughnut(random_state=0)
    model = SparseKernelKMeans(2, l1_bound=1.41, random_state=0).fit(sample.data)
    assert len(model.start_objectives_) == 20
    squares = sample.data**2
    first = SparseKernelKMeans(2, l1_bound=np.sqrt(20), max_iter=1, init=model.labels_).fit(sample.data)
    centred = squares - squares.mean(axis=0)
    explained = 2 * sum(
        (model.labels_ == k).sum() * centred[model.labels_ == k].mean(axis=0) ** 2 for k in range(2)
    )
    assert first.start_objectives_[0] == pytest.approx(-explained.sum() / np.sqrt(20), rel=1e-6)
    ring = np.abs(sample.data[:, 0]) > 0.8
    half = SparseKernelKMeans(2, l1_bound=1.41, init=ring.astype(int)).fit(sample.data)
    assert half.objective_ < model.objective_


@pytest.mark.parametrize("name", ["polynomial", "gaussian"])
def test_gap_shares_the_first_partition(name):
    X = core_in_shell(60, 6)
    estimator = SparseKernelKMeans(2, kernel=name, n_init=4)
    options = {"param_range": [1.1, 1.4, 2.0], "n_permutations": 3, "random_state": 0}
    search = PermutationGap(estimator, "l1_bound", **options).fit(X)
    separate = PermutationGap(estimator, "l1_bound", objective=lambda fit: fit.gap_objective_, **options).fit(
        X
    )
    assert np.array_equal(search.objectives_, separate.objectives_)
    assert np.array_equal(search.permuted_objectives_, separate.permuted_objectives_)
    assert np.array_equal(search.n_selected_, separate.n_selected_)
    assert search.best_estimator_.l1_bound == search.best_params_["l1_bound"]
    assert search.get_support()[:3].all()


def test_gap_finds_a_core_in_a_shell():
    X = core_in_shell(120, 15)
    search = PermutationGap(
        SparseKernelKMeans(2, n_init=5),
        param_range=[1.1, 1.5, 1.7, 3],
        n_permutations=5,
        rule="one_se",
        random_state=0,
    ).fit(X)
    # The gap is constant from sqrt(3) on, where the bound has no effect.
    assert search.best_params_["l1_bound"] >= 1.7
    assert np.linalg.norm(search.best_estimator_.feature_weights_[:3]) > 0.999
    assert len(np.unique(search.labels_[:60])) == len(np.unique(search.labels_[60:])) == 1


def test_core_from_a_given_partition():
    labels = START.astype(np.int32)
    fit = sparse_kernel_kmeans(columns_of(kernel("polynomial", 2), ROWS), labels, n_clusters=2, l1_bound=1.2)
    assert fit.converged
    assert -fit.criterion == pytest.approx(63.1529812846, abs=6e-11)
    assert fit.labels.tolist() == START.tolist()

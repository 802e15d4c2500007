"""SparseKernelKMeans with one kernel for each group of features."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import laplacian_kernel

from sparsek import PermutationGap, SparseKernelKMeans
from sparsek.methods.kernel import sparse_estimator as route
from sparsek.methods.kernel.functions import Kernel
from sparsek.methods.kernel.sparse_kernel import Grams, sparse_kernel_kmeans
from tests.methods.kernel import literal_kernel

IRIS = load_iris().data
PAIRS = np.arange(10) // 2
ATTRIBUTES = (
    *(
        "labels_",
        "feature_weights_",
        "feature_scatter_",
        "group_weights_",
        "objective_",
        "inertia_",
        "n_iter_",
    ),
    *("criterion_history_", "start_objectives_", "start_n_iter_", "l1_bound_"),
)


def quadrants(seed):
    """Two groups by the sign of the product of features 0 and 1, each of which looks alike in both."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, size=(200, 10))
    signs = rng.choice([-1, 1], size=(200, 2))
    X[:, :2] = signs + 0.25 * rng.normal(size=(200, 2))
    return X, signs.prod(axis=1)


def rings(seed):
    """Two rings around 0 in features 0 and 1, of radius 0.3 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(200, 10))
    angle, truth = rng.uniform(0, 2 * np.pi, 200), np.arange(200) < 100
    radius = np.where(truth, 0.3, 1.0) + 0.05 * rng.normal(size=200)
    X[:, :2] = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, truth


def rates(draw, **options):
    """Adjusted Rand indices over four samples."""
    found = []
    for seed in range(4):
        X, truth = draw(seed)
        model = SparseKernelKMeans(2, l1_bound=1.2, n_init=10, random_state=0, **options).fit(X)
        found.append(adjusted_rand_score(truth, model.labels_))
    return np.array(found)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "linear"},
        {"kernel": "polynomial"},
        {"kernel": "polynomial", "coef0": 1.0, "degree": 3, "normalize": True},
        {"kernel": "gaussian"},
        {"kernel": "gaussian", "width": 1e-5},
        {"kernel": laplacian_kernel},
    ],
)
def test_groups_of_single_features_change_nothing(options):
    options |= {"l1_bound": 1.3, "n_init": 3, "random_state": 0}
    base = SparseKernelKMeans(3, **options).fit(IRIS)
    same = SparseKernelKMeans(3, groups=["a", "b", "c", "d"], **options).fit(IRIS)
    for name in ATTRIBUTES:
        assert np.array_equal(getattr(base, name), getattr(same, name)), name
    assert np.array_equal(base.transform(IRIS + 0.1), same.transform(IRIS + 0.1))
    assert base.groups_.tolist() == [0, 1, 2, 3]
    assert same.groups_.tolist() == ["a", "b", "c", "d"]
    assert np.array_equal(base.group_weights_, base.feature_weights_)


@settings(max_examples=10)
@given(st.integers(0, 2**31 - 1), st.sampled_from(["linear", "polynomial", "gaussian"]))
def test_equals_the_literal_loops(seed, name):
    rng = np.random.default_rng(seed)
    X, groups, k, s = rng.normal(size=(18, 6)), np.array([2, 0, 1, 0, 2, 2]), 3, rng.uniform(1, 1.7)
    X[:6, 1] += 3
    start = rng.permutation(np.arange(18) % k)
    one = literal_kernel.kernel_of(name, coef0=0.5, width=2.0)
    grams = [literal_kernel.gram(one, X[:, groups == g]) for g in range(3)]
    labels, w, a, path = literal_kernel.sparse_kernel_kmeans(grams, start, k, s)
    model = SparseKernelKMeans(
        k, l1_bound=s, groups=groups, kernel=name, coef0=0.5, width=2.0, init=start, tol=1e-12
    ).fit(X)
    assert model.labels_.tolist() == labels.tolist()
    # Factors are exact to 1e-10 of the scatter of a group.
    np.testing.assert_allclose(model.group_weights_, w, atol=1e-7)
    np.testing.assert_allclose(model.feature_scatter_, a[groups], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(model.objective_, -path[-1], rtol=1e-7)
    assert np.diff(model.criterion_history_).max(initial=0) <= 1e-9 * abs(path[-1])
    assert np.array_equal(model.feature_weights_, model.group_weights_[groups])
    assert abs(np.linalg.norm(model.group_weights_) - 1) <= 1e-12
    assert model.group_weights_.sum() <= s + 1e-12
    assert np.array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("options", [{}, {"kernel": "gaussian"}, {"kernel": "gaussian", "normalize": True}])
def test_both_routes_agree(options, monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 6))
    X[:20, :2] += 3
    new = np.random.default_rng(1).normal(size=(25, 6))
    options |= {"l1_bound": 1.2, "groups": [0, 0, 1, 1, 2, 2], "init": np.arange(60) // 20}
    base = SparseKernelKMeans(3, **options).fit(X)
    assert base._map is not None
    monkeypatch.setattr(route, "low_rank_map", lambda *_: None)
    other = SparseKernelKMeans(3, **options).fit(X)
    assert other._map is None
    assert np.array_equal(other.labels_, base.labels_)
    # Factors are exact to 1e-10 of the scatter of a group.
    np.testing.assert_allclose(other.group_weights_, base.group_weights_, atol=1e-8)
    np.testing.assert_allclose(other.objective_, base.objective_, rtol=1e-8)
    np.testing.assert_allclose(other.transform(new), base.transform(new), atol=1e-4)  # roots of at most 1e-9
    assert np.array_equal(other.predict(new), base.predict(new))


def test_signs_that_only_a_pair_of_features_shows():
    assert rates(quadrants, groups=PAIRS).min() == 1
    for options in ({}, {"coef0": 1.0}, {"kernel": "gaussian"}, {"kernel": "gaussian", "width": 0.1}):
        assert rates(quadrants, **options).max() < 0.1
    X, _ = quadrants(0)
    model = SparseKernelKMeans(2, l1_bound=1.2, groups=PAIRS, random_state=0).fit(X)
    assert np.flatnonzero(model.group_weights_ > 0.05).tolist() == [0]


def test_rings_that_only_a_pair_of_features_shows():
    options = {"kernel": "gaussian", "width": 0.1}
    assert np.median(rates(rings, groups=PAIRS, **options)) == 1
    assert np.median(rates(rings, **options)) < 0.1


def test_order_and_names_of_features_and_groups_do_not_matter():
    X, _ = quadrants(1)
    order = np.random.default_rng(0).permutation(10)
    names = np.array(["e", "d", "c", "b", "a"])[PAIRS]
    base = SparseKernelKMeans(2, l1_bound=1.3, groups=PAIRS, random_state=0).fit(X)
    moved = SparseKernelKMeans(2, l1_bound=1.3, groups=names[order], random_state=0).fit(X[:, order])
    assert adjusted_rand_score(base.labels_, moved.labels_) == 1
    # Sums and factors in another order.
    np.testing.assert_allclose(moved.feature_weights_, base.feature_weights_[order], atol=1e-9)
    np.testing.assert_allclose(moved.group_weights_[::-1], base.group_weights_, atol=1e-9)


def test_normalized_groups_count_alike_whatever_their_size():
    X = np.random.default_rng(0).normal(size=(40, 3))
    copied, groups = X[:, [0, 0, 0, 0, 1, 2]], [0, 0, 0, 0, 1, 2]
    options = {"kernel": "linear", "init": np.arange(40) % 2, "l1_bound": 1.6, "max_iter": 50}
    small = SparseKernelKMeans(2, normalize=True, **options).fit(X)
    large = SparseKernelKMeans(2, normalize=True, groups=groups, **options).fit(copied)
    np.testing.assert_allclose(large.group_weights_, small.group_weights_, atol=1e-12)  # sums of 4 copies
    labels = np.arange(40, dtype=np.int32) % 2
    kernel = Kernel(
        "linear", 1, 0.0, np.ones(6), tuple(np.flatnonzero(np.equal(groups, g)) for g in range(3))
    )
    plain = Grams(X, Kernel("linear", 1, 0.0, np.ones(3)), np.ones(3)).scatter(labels, 2, None)
    grouped = Grams(copied, kernel, np.ones(3)).scatter(labels, 2, None)
    np.testing.assert_allclose(
        grouped, plain * [4, 1, 1], rtol=1e-10
    )  # without it, a group of four counts fourfold
    fit = sparse_kernel_kmeans(Grams(copied, kernel, np.ones(3)), labels, n_clusters=2, l1_bound=1.6)
    assert fit.params.weights.shape == (3,)


def test_median_width_of_a_group_is_that_of_its_distances():
    X = np.array([[0.0, 0, 5], [3, 4, 5], [0, 0, 6], [6, 8, 9]])
    model = SparseKernelKMeans(2, kernel="gaussian", groups=[0, 0, 1], init=[0, 0, 1, 1]).fit(X)
    # The pair has squared distances 25, 25, 25, 100, 100 (0 left out), the third feature 1, 1, 9, 16, 16.
    assert model.width_.tolist() == [25, 25, 9]
    with pytest.raises(MemoryError, match="give width as numbers"):
        SparseKernelKMeans(2, kernel="gaussian", groups=[0, 0, 1], memory_limit=300).fit(X)


def test_weights_of_rows_and_the_gap():
    X, truth = quadrants(2)
    times = np.random.default_rng(0).integers(1, 3, size=200)
    options = {"groups": PAIRS, "init": (truth > 0).astype(int), "l1_bound": 1.5}
    weighted = SparseKernelKMeans(2, **options).fit(X, sample_weight=times)
    options["init"] = np.repeat(options["init"], times)
    repeated = SparseKernelKMeans(2, **options).fit(np.repeat(X, times, axis=0))
    np.testing.assert_allclose(weighted.group_weights_, repeated.group_weights_, atol=1e-8)  # another order
    model = SparseKernelKMeans(2, groups=PAIRS, n_init=3)
    search = PermutationGap(model, "l1_bound", [1.2, 2.2], n_permutations=3, random_state=0).fit(X)
    assert search.best_params_ == {"l1_bound": 1.2}
    assert adjusted_rand_score(truth, search.labels_) == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"groups": [0, 1]}, ValueError, r"groups must have shape \(4,\), one label per feature; got shape"),
        ({"groups": [0, 1, np.nan, 1]}, ValueError, "groups contains NaN"),
        ({"groups": [0, 1, None, 1]}, TypeError, "groups must hold integers or strings"),
        ({"groups": 3}, TypeError, "'groups' parameter of"),
    ],
)
def test_bad_groups(options, error, message):
    with pytest.raises(error, match=message):
        SparseKernelKMeans(2, **options).fit(IRIS)


def test_a_bound_above_the_root_of_the_number_of_groups_is_that_root():
    with pytest.warns(
        UserWarning, match=r"l1_bound=1.5 is more than sqrt\(n_groups\)=1.41421: 1.41421 is used"
    ):
        model = SparseKernelKMeans(2, groups=[0, 0, 1, 1], l1_bound=1.5, random_state=0).fit(IRIS)
    assert model.l1_bound_ == np.sqrt(2)

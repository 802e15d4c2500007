"""Entropy-weighted family: literal oracle, monotone criterion, brute force, invariances, R's wskm."""

import itertools
import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from sparsek import EntropyWeightedKMeans, FeatureGroupKMeans, TwoLevelKMeans
from sparsek.methods.entropy.algorithm import exact_dispersion
from tests.methods.entropy.literal_entropy import literal

# Rounding of D / gamma changes the weights; D is accurate to 4e-11 of max(D, gamma), see `dispersions`.
WEIGHT = 1e-9
# Sums of n p terms in another order, relative to the total sum of squares.
RELATIVE = 1e-11
FAMILY = pytest.mark.parametrize("kind", ["ewkm", "fgkm", "twkm"])
SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, most=40):
    """Random data, groups, gammas of the order of the dispersions, and starting rows."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(8, most)), int(rng.integers(2, 9)), int(rng.integers(2, 5))
    X = rng.standard_normal((n, p)) * rng.exponential(size=p) + rng.normal(0, 10, p)
    X[: n // 2] += rng.normal(0, 2, p)
    groups = rng.integers(0, 3, p)
    scale = ((X - X.mean(axis=0)) ** 2).sum() / (p * k)
    gammas = scale * rng.uniform(0.1, 4, 2)
    return X, groups, gammas, X[rng.choice(n, k, replace=False)]


def model_of(kind, k, groups, gammas, **options):
    """The estimator of that name."""
    if kind == "ewkm":
        return EntropyWeightedKMeans(k, gamma=gammas[1], **options)
    cls = FeatureGroupKMeans if kind == "fgkm" else TwoLevelKMeans
    return cls(k, groups=groups, group_gamma=gammas[0], feature_gamma=gammas[1], **options)


def fit_quietly(model, X, **options):
    """Fit without the warning about few iterations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, **options)


def distance_weights(model):
    """w v of a fitted model, one row per cluster."""
    v = np.atleast_2d(model.feature_weights_)
    if hasattr(model, "groups_"):
        index = np.searchsorted(model.groups_, np.asarray(model.groups))
        v = v * np.atleast_2d(model.group_weights_)[:, index]
    return np.broadcast_to(v, model.cluster_centers_.shape)


@FAMILY
@settings(max_examples=30)
@given(SEEDS, st.integers(1, 6), st.booleans())
def test_agrees_with_the_literal_algorithm(kind, seed, n_iter, weighted):
    X, groups, gammas, centers = problem(seed)
    s = np.random.default_rng(seed).uniform(0.5, 3, len(X)) if weighted else None
    model = model_of(kind, len(centers), groups, gammas, init=centers, max_iter=n_iter, tol=0)
    fit_quietly(model, X, sample_weight=s)
    groups = np.zeros(X.shape[1]) if kind == "ewkm" else groups
    expected = literal(X, centers, groups, *gammas, kind == "twkm", model.n_iter_, s)
    assume(expected is not None)
    labels, C, v, w, criteria = expected
    assert np.array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.cluster_centers_, C, atol=1e-12 * np.abs(X).max())
    np.testing.assert_allclose(np.atleast_2d(model.feature_weights_), v, atol=WEIGHT)
    if kind != "ewkm":
        np.testing.assert_allclose(np.atleast_2d(model.group_weights_), w, atol=WEIGHT)
    scale = ((X - X.mean(axis=0)) ** 2).sum() + np.abs(criteria).max()
    np.testing.assert_allclose(model.criterion_history_, criteria, atol=RELATIVE * scale)


@FAMILY
@settings(max_examples=30)
@given(SEEDS, st.sampled_from([1e-3, 0.1, 1, 30]), st.booleans())
def test_criterion_never_rises_and_attributes_agree(kind, seed, factor, duplicates):
    X, groups, gammas, centers = problem(seed)
    if duplicates:  # clusters can become empty
        X = X[np.random.default_rng(seed).integers(0, 6, len(X))]
        centers = X[: len(centers)]
    model = model_of(kind, len(centers), groups, gammas * factor, init=centers, tol=0)
    fit_quietly(model, X)
    scale = ((X - X.mean(axis=0)) ** 2).sum() + abs(model.objective_)
    assert np.diff(model.criterion_history_).max(initial=0) <= RELATIVE * scale
    assert model.objective_ == model.criterion_history_[-1] == model.start_objectives_.min()
    weights = distance_weights(model)
    # Normalised sums of at most 8 weights.
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-14)
    squares = (weights * (X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.transform(X) ** 2, squares, rtol=1e-9, atol=RELATIVE * scale)
    assert abs(model.inertia_ - squares.min(axis=1).sum()) <= RELATIVE * scale
    assert abs(model.score(X) + model.inertia_) <= RELATIVE * scale
    chosen = squares[np.arange(len(X)), model.predict(X)]
    assert (chosen - squares.min(axis=1)).max() <= RELATIVE * scale


def ewkm_objective(X, labels, gamma):
    """Criterion of a partition at its best weights: -gamma sum_l log sum_j exp(-D_lj / gamma)."""
    D = [((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum(axis=0) for k in np.unique(labels)]
    return -gamma * np.log(np.exp(-np.array(D) / gamma).sum(axis=1)).sum()


def small_and_best(seed):
    """Data of few rows, and their least criterion over all partitions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    X = rng.standard_normal((n, 3))
    X[: n // 2, :2] += 3
    partitions = (np.array((0, *rest)) for rest in itertools.product([0, 1], repeat=n - 1))
    return X, min(ewkm_objective(X, labels, 2.0) for labels in partitions if labels.any())


# From none of these three's pairs of rows as centres does the fit come to the best partition.
@pytest.mark.seeds(6, also=[1592407407, 1775501523, 1384271497])
def test_no_fit_is_below_the_best_of_all_partitions(seed):
    X, best = small_and_best(seed)
    model = EntropyWeightedKMeans(2, gamma=2.0, init="random", n_init=5, tol=0, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(ewkm_objective(X, model.labels_, 2.0), rel=1e-12, abs=1e-12)
    assert model.objective_ >= best - 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_many_starts_reach_the_best_of_all_partitions(seed):
    X, best = small_and_best(seed)
    model = EntropyWeightedKMeans(2, gamma=2.0, init="random", n_init=200, tol=0, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(best, rel=1e-12)


@FAMILY
@settings(max_examples=15)
@given(SEEDS)
def test_invariances(kind, seed):
    X, groups, gammas, centers = problem(seed)
    rng = np.random.default_rng(seed)
    k = len(centers)
    base = fit_quietly(model_of(kind, k, groups, gammas, init=centers), X)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    moved = fit_quietly(model_of(kind, k, groups, gammas, init=centers), X[rows])
    assert np.array_equal(moved.labels_, base.labels_[rows])
    np.testing.assert_allclose(moved.feature_weights_, base.feature_weights_, atol=WEIGHT)
    moved = model_of(kind, k, groups[columns], gammas, init=centers[:, columns])
    fit_quietly(moved, X[:, columns])
    assert np.array_equal(moved.labels_, base.labels_)
    np.testing.assert_allclose(moved.feature_weights_, base.feature_weights_[..., columns], atol=WEIGHT)
    shift = rng.normal(0, 100, X.shape[1])
    moved = fit_quietly(model_of(kind, k, groups, gammas * 9, init=3 * centers + shift), 3 * X + shift)
    assert np.array_equal(moved.labels_, base.labels_)
    np.testing.assert_allclose(moved.feature_weights_, base.feature_weights_, atol=WEIGHT)
    assert moved.objective_ == pytest.approx(9 * base.objective_, abs=1e-9 * gammas.sum())


@FAMILY
def test_default_gamma_follows_scale_and_repetitions(kind):
    X = load_iris().data
    weight = np.arange(len(X)) % 3
    options = {"init": X[[0, 50, 100]]}
    cls = {"ewkm": EntropyWeightedKMeans, "fgkm": FeatureGroupKMeans, "twkm": TwoLevelKMeans}[kind]
    if kind != "ewkm":
        options["groups"] = ["sepal", "sepal", "petal", "petal"]
    base = cls(3, **options).fit(X, sample_weight=weight)
    repeated = cls(3, **options).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(base.feature_weights_, repeated.feature_weights_, atol=WEIGHT)
    assert np.array_equal(np.repeat(base.labels_, weight), repeated.labels_)
    assert np.array_equal(base.predict(X[weight == 0]), base.labels_[weight == 0])
    options["init"] = 1e-3 * options["init"]
    small = cls(3, **options).fit(1e-3 * X, sample_weight=weight)
    np.testing.assert_allclose(small.feature_weights_, base.feature_weights_, atol=WEIGHT)


def test_one_group_is_ewkm():
    X = load_iris().data
    ew = EntropyWeightedKMeans(3, gamma=10, random_state=0).fit(X)
    fg = FeatureGroupKMeans(3, group_gamma=1e6, feature_gamma=10, random_state=0).fit(X)
    assert np.array_equal(ew.labels_, fg.labels_)
    np.testing.assert_allclose(ew.feature_weights_, fg.feature_weights_, atol=WEIGHT)
    assert np.array_equal(fg.group_weights_, np.ones((3, 1)))


def test_large_gamma_is_kmeans():
    X = load_iris().data
    init = X[[0, 50, 100]]
    lloyd = KMeans(3, init=init, n_init=1, tol=0).fit(X)
    for kind in ("ewkm", "fgkm", "twkm"):
        model = model_of(kind, 3, [0, 0, 1, 1], np.array([1e9, 1e9]), init=init, tol=0).fit(X)
        assert np.array_equal(model.labels_, lloyd.labels_)
        assert model.inertia_ == pytest.approx(lloyd.inertia_ / 4, rel=1e-6)


def test_small_gamma_is_the_best_feature():
    X = load_iris().data
    model = EntropyWeightedKMeans(3, gamma=1e-300, init=X[[0, 50, 100]]).fit(X)
    assert np.array_equal(np.sort(model.feature_weights_, axis=1), [[0, 0, 0, 1]] * 3)


def test_names_of_groups_do_not_matter():
    X = load_iris().data
    base = TwoLevelKMeans(3, groups=[5, 5, 1, 1], random_state=0).fit(X)
    named = TwoLevelKMeans(3, groups=np.array(["s", "s", "p", "p"], dtype=object), random_state=0).fit(X)
    assert list(named.groups_) == ["p", "s"]
    assert list(base.groups_) == [1, 5]
    assert np.array_equal(base.group_weights_, named.group_weights_)
    assert named.group_weights_.shape == (2,)
    assert FeatureGroupKMeans(3, groups=[5, 5, 1, 1]).fit(X).group_weights_.shape == (3, 2)


def test_finds_clusters_in_their_own_subspaces():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 100)
    X = rng.standard_normal((400, 20))
    for k in range(4):
        X[np.ix_(truth == k, 5 * k + np.arange(5))] = 2 + 0.3 * rng.standard_normal((100, 5))
    model = EntropyWeightedKMeans(4, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    for k in range(4):
        own = model.feature_weights_[model.labels_[100 * k]]
        assert set(np.argsort(own)[-5:]) == set(5 * k + np.arange(5))


# R 4.2.2, wskm 1.4.40: iris with centres iris[c(1, 51, 101), 1:4], groups c(1, 1, 2, 2), delta = 1e-12. In
# these runs wskm's lower limit, restarts and sign of the criterion have no effect.
R_EWKM = [
    [0.036182272870732710, 0.0224719822332889, 0.36277009959910489, 0.578575645296873],
    [0.000985413936508274, 0.1677502599276016, 0.00101868650901703, 0.830245639626873],
    [0.000688786487232427, 0.3176676922068063, 0.00209314018198392, 0.679550381123977],
]
R_FGKM = [
    [0.517347783742174, 0.482652216257826, 0.470363383066090, 0.529636616933910],
    [0.293522960472052, 0.706477039527948, 0.205520629039917, 0.794479370960083],
    [0.349917858335254, 0.650082141664746, 0.347418414591875, 0.652581585408125],
]
R_FGKM_GROUPS = [
    [0.364365940789595, 0.635634059210405],
    [0.471929534362607, 0.528070465637393],
    [0.469776481579704, 0.530223518420296],
]
R_TWKM = [0.418524524710790, 0.581475475289210, 0.368376048461496, 0.631623951538504]
R_TWKM_GROUPS = [0.455911446844497, 0.544088553155503]


@pytest.mark.parametrize(
    ("kind", "gammas", "sizes", "weights", "group_weights"),
    [
        ("ewkm", (1, 2), [50, 53, 47], R_EWKM, None),
        ("fgkm", (10, 5), [50, 64, 36], R_FGKM, R_FGKM_GROUPS),
        ("twkm", (40, 20), [50, 63, 37], R_TWKM, R_TWKM_GROUPS),
    ],
)
def test_agrees_with_wskm_where_its_quirks_do_not_matter(kind, gammas, sizes, weights, group_weights):
    X = load_iris().data
    model = model_of(kind, 3, [1, 1, 2, 2], np.array(gammas), init=X[[0, 50, 100]], tol=1e-13).fit(X)
    assert np.bincount(model.labels_).tolist() == sizes
    # R stops when the criterion changes by a share of 1e-12. Under the same limit rounding decides whether
    # ours stops one pass before; under a tenth of it both end with the same pass.
    np.testing.assert_allclose(model.feature_weights_, weights, atol=1e-7)
    if group_weights is not None:
        np.testing.assert_allclose(model.group_weights_, group_weights, atol=1e-7)


def test_default_gamma_is_that_of_the_documentation():
    X = np.random.default_rng(0).normal(size=(40, 5)) * [1, 2, 3, 4, 5]
    tss = np.square(X - X.mean(axis=0)).sum()
    # Sums of 200 squares in another order.
    np.testing.assert_allclose(
        EntropyWeightedKMeans(3, random_state=0).fit(X).gamma_, 2 * tss / (3 * 5), rtol=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_the_exact_dispersion_is_the_sum_of_squared_differences(weighted):
    """Also without sample weights, where every row counts once; the mean is off by more than it may be."""
    rng = np.random.default_rng(3)
    Q = 1e3 + rng.normal(size=(9, 4))
    rows = np.array([0, 2, 3, 5, 8])
    s = rng.integers(1, 4, size=9).astype(float) if weighted else np.ones(9)
    problem = SimpleNamespace(sample_weight=s if weighted else None)
    mean, D = exact_dispersion(Q, rows, Q[rows].mean(axis=0) + 0.25, problem)
    for j in range(4):
        exact = math.fsum(s[rows] * Q[rows, j]) / s[rows].sum()
        squares = math.fsum(s[rows] * (Q[rows, j] - exact) ** 2)
        # Differences of numbers of size 1e3: 1e-13 each, beside a D of about 5.
        assert mean[j] == pytest.approx(exact, rel=1e-14)
        assert D[j] == pytest.approx(squares, rel=1e-11)

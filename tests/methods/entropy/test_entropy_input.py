"""Entropy-weighted family: bad input, extreme data, empty clusters, float32, threads, deviations of wskm."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from sparsek import EntropyWeightedKMeans, FeatureGroupKMeans, TwoLevelKMeans

FAMILY = pytest.mark.parametrize("estimator", [EntropyWeightedKMeans, FeatureGroupKMeans, TwoLevelKMeans])
GROUPED = pytest.mark.parametrize("estimator", [FeatureGroupKMeans, TwoLevelKMeans])
IRIS = load_iris().data
STARTS = IRIS[[0, 50, 100]]


@pytest.mark.parametrize(
    ("gamma", "error", "message"),
    [
        (0, ValueError, "'gamma' parameter of .* Got 0 instead"),
        (-1.0, ValueError, "'gamma' parameter of .* Got -1.0 instead"),
        (np.nan, ValueError, "'gamma' parameter of .* Got nan instead"),
        (np.inf, ValueError, "'gamma' parameter of .* Got inf instead"),
        ("1", TypeError, "'gamma' parameter of .* Got '1' instead"),
        (True, TypeError, "'gamma' parameter of .* Got True instead"),
    ],
)
def test_bad_gamma(gamma, error, message):
    with pytest.raises(error, match=message):
        EntropyWeightedKMeans(3, gamma=gamma).fit(IRIS)
    for name in ("group_gamma", "feature_gamma"):
        for estimator in (FeatureGroupKMeans, TwoLevelKMeans):
            with pytest.raises(error, match=message.replace("gamma", name)):
                estimator(3, **{name: gamma}).fit(IRIS)


@GROUPED
@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ([0, 0, 1], ValueError, r"groups must have shape \(4,\), one label per feature; got shape \(3,\)"),
        ([[0, 0, 1, 1]], ValueError, r"got shape \(1, 4\)"),
        ("aabb", ValueError, "'groups' parameter of .* Got 'aabb' instead"),
        ([0, 0, 1, np.nan], ValueError, "groups contains NaN or infinity"),
        ([0, 0, 1, None], TypeError, "groups must hold integers or strings; got dtype object"),
        ([0, 0, 1, 1j], TypeError, "groups must hold integers or strings; got dtype complex128"),
    ],
)
def test_bad_groups(estimator, groups, error, message):
    with pytest.raises(error, match=message):
        estimator(3, groups=groups).fit(IRIS)


@FAMILY
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tol": -1}, ValueError, "'tol' parameter of .* Got -1 instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"n_clusters": 151}, ValueError, "n_samples=150 .* must be at least n_clusters=151"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
        ({"init": IRIS[:2]}, ValueError, r"centres of shape \(3, 4\)"),
    ],
)
def test_bad_parameters(estimator, options, error, message):
    with pytest.raises(error, match=message):
        estimator(**{"n_clusters": 3, **options}).fit(IRIS)


@FAMILY
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_data(estimator, value):
    bad = IRIS.copy()
    bad[3, 1] = value
    with pytest.raises(ValueError, match="contains"):
        estimator(3).fit(bad)
    with pytest.raises(ValueError, match="contains"):
        estimator(3).fit(IRIS).transform(bad)


@FAMILY
def test_weights_are_not_a_selection(estimator):
    # Soft weights are all positive, so there is no selection.
    assert not hasattr(estimator(), "get_support")


@FAMILY
def test_max_iter_warns(estimator):
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        estimator(3, max_iter=1, tol=0, n_init=1, random_state=0).fit(IRIS)


@FAMILY
def test_empty_cluster_takes_the_farthest_row(estimator):
    far = np.array([[0.0, 0, 0, 0], [10.0, 1, 0, 0], [1e6, 1e6, 1e6, 1e6]])
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (20, 4)), rng.normal(0, 1, (20, 4)) + far[1], [[5.0, 50, 5, 5]]])
    model = estimator(3, init=far).fit(X)
    assert np.array_equal(np.unique(model.labels_), [0, 1, 2])
    assert np.bincount(model.labels_)[model.labels_[-1]] == 1
    np.testing.assert_allclose(model.transform(X)[-1, model.labels_[-1]], 0, atol=1e-12)


@FAMILY
def test_fewer_distinct_rows_than_clusters(estimator):
    X = np.repeat([[0.0, 1.0], [5.0, 1.0]], 4, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"Number of distinct clusters \(2\) found smaller"):
        model = estimator(3, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert np.isfinite(model.feature_weights_).all()


@FAMILY
def test_constant_data_and_one_cluster(estimator):
    model = estimator(1, random_state=0).fit(np.full((5, 3), 7.0))
    np.testing.assert_allclose(model.feature_weights_, np.full(model.feature_weights_.shape, 1 / 3))
    assert np.array_equal(model.cluster_centers_, np.full((1, 3), 7.0))
    assert estimator(2, random_state=0).fit(IRIS[:, :1]).feature_weights_.max() == 1


@FAMILY
@pytest.mark.parametrize("factor", [2.0**-600, 2.0**600])
def test_extreme_scales(estimator, factor):
    # A power of two changes no digit; the squares of the data would overflow or vanish.
    base = estimator(3, init=STARTS).fit(IRIS)
    model = estimator(3, init=STARTS * factor).fit(IRIS * factor)
    assert np.array_equal(model.labels_, base.labels_)
    # The preparation scales by another power of two, which is exact; only the last digit of libm may differ.
    np.testing.assert_allclose(model.feature_weights_, base.feature_weights_, rtol=1e-12)
    np.testing.assert_allclose(model.transform(IRIS * factor) / factor, base.transform(IRIS), rtol=1e-12)


@FAMILY
@pytest.mark.parametrize(("factor", "weights"), [(2.0**600, [0, 1]), (2.0**-600, [0.25])])
def test_given_gamma_beside_extreme_data(estimator, factor, weights):
    # One group: all weight on one feature, or equal weights of four features.
    options = {"gamma": 1.0} if estimator is EntropyWeightedKMeans else {"group_gamma": 1, "feature_gamma": 1}
    model = estimator(3, init=STARTS * factor, **options).fit(IRIS * factor)
    assert np.array_equal(np.unique(model.feature_weights_), weights)


@FAMILY
def test_offsets_do_not_cancel(estimator):
    # Data of 2**-20 resolution, exact also after adding 2**27.
    X = np.round(IRIS * 2**20) / 2**20
    base = estimator(3, init=X[[0, 50, 100]]).fit(X)
    moved = estimator(3, init=X[[0, 50, 100]] + 2**27).fit(X + 2**27)
    assert np.array_equal(moved.labels_, base.labels_)
    # Column means have a resolution of 2**-26 there: 1.5e-8 of offset in squares that sum to about 100.
    np.testing.assert_allclose(moved.feature_weights_, base.feature_weights_, atol=1e-10)


def test_tight_clusters_far_apart_keep_their_digits():
    # Spread 1e-5 at distance 1e3: sums of squares alone would keep no digit of the dispersions.
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    centers = rng.normal(0, 1e3, (3, 5))
    X = centers[labels] + 1e-5 * rng.standard_normal((60, 5)) * np.arange(1, 6)
    model = EntropyWeightedKMeans(3, gamma=2e-8, init=centers).fit(X)
    assert np.array_equal(model.labels_, labels)
    for k in range(3):
        rows = X[labels == k]
        D = ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
        expected = np.exp((D.min() - D) / 2e-8)
        # The rows are accurate to 1e-13, which is 1e-8 of their spread, hence 1e-8 of D / gamma.
        np.testing.assert_allclose(model.feature_weights_[k], expected / expected.sum(), atol=1e-7)


@FAMILY
def test_float32_stays_float32(estimator):
    double = estimator(3, init=STARTS).fit(IRIS)
    single = estimator(3, init=STARTS.astype(np.float32)).fit(IRIS.astype(np.float32))
    assert single.cluster_centers_.dtype == single.transform(IRIS.astype(np.float32)).dtype == np.float32
    assert np.array_equal(single.labels_, double.labels_)
    # Single precision, 6e-8, less a third of the digits by cancellation; see `dispersions`.
    np.testing.assert_allclose(single.feature_weights_, double.feature_weights_, atol=1e-4)


@FAMILY
def test_threads_do_not_change_a_bit(estimator):
    results = []
    for n_jobs, blas in ((None, 1), (2, 2)):
        with threadpool_limits(blas):
            model = estimator(3, n_init=6, random_state=1, n_jobs=n_jobs).fit(IRIS)
        results.append((model.labels_.tobytes(), model.feature_weights_.tobytes(), model.objective_))
    assert results[0] == results[1]


@FAMILY
def test_more_starts_are_no_worse(estimator):
    model = estimator(5, n_init=20, random_state=0).fit(IRIS)
    assert model.start_objectives_.shape == (20,)
    assert model.objective_ <= model.start_objectives_.min() + 1e-9 * abs(model.objective_)


def test_negative_criterion_does_not_stop_the_run():
    # wskm 1.4.40: ewkm(iris[, 1:4], iris[c(1, 51, 101), 1:4], lambda = 10) has a negative criterion and ends
    # after one pass, with these weights of the first cluster.
    of_r = [0.262562666004831, 0.177000075395447, 0.176379994023261, 0.384057264576461]
    with pytest.warns(ConvergenceWarning):
        first = EntropyWeightedKMeans(3, gamma=10, init=STARTS, max_iter=1).fit(IRIS)
    np.testing.assert_allclose(first.feature_weights_[0], of_r, atol=1e-12)  # 12 digits of sums of 53 terms
    model = EntropyWeightedKMeans(3, gamma=10, init=STARTS).fit(IRIS)
    assert model.n_iter_ > 1
    assert model.objective_ < first.objective_ < 0


def test_weights_have_no_floor():
    # wskm lifts weights to 0.0001 / p before it normalises: 2.5e-5 here.
    model = EntropyWeightedKMeans(3, gamma=0.2, init=STARTS).fit(IRIS)
    assert 0 < model.feature_weights_.min() < 1e-8


def test_small_gamma_leaves_no_nan():
    # wskm 1.4.40: fgkm(iris[, 1:4], iris[c(1, 51, 101), 1:4], c(1, 1, 2, 2), 10, 0.001, maxiter = 1) has NaN
    # for two feature weights of the second cluster: the maximum in its exponent is the first cluster's.
    model = FeatureGroupKMeans(3, groups=[1, 1, 2, 2], group_gamma=10, feature_gamma=0.001, init=STARTS)
    model.fit(IRIS)
    weights = model.feature_weights_
    np.testing.assert_allclose(weights[:, :2].sum(axis=1), 1, atol=1e-15)  # sums of two numbers
    np.testing.assert_allclose(weights[:, 2:].sum(axis=1), 1, atol=1e-15)

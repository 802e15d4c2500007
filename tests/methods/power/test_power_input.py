"""Power k-means: bad input, extreme data, duplicates, weights of rows, starts, float32."""

import logging

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from sparsek import EntropyWeightedPowerKMeans, PowerKMeans

BOTH = pytest.mark.parametrize("estimator", [PowerKMeans, EntropyWeightedPowerKMeans])
IRIS = load_iris().data
STARTS = IRIS[[0, 50, 100]]


@BOTH
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"s0": 0}, ValueError, "'s0' parameter of .* Got 0 instead"),
        ({"s0": 2.0}, ValueError, r"'s0' parameter of .* Got 2\.0 instead"),
        ({"s0": -np.inf}, ValueError, "'s0' parameter of"),
        ({"s0": np.nan}, ValueError, "'s0' parameter of"),
        ({"s0": "-3"}, TypeError, "'s0' parameter of .* Got '-3' instead"),
        ({"eta": 1}, ValueError, "'eta' parameter of .* Got 1 instead"),
        ({"eta": 0.9}, ValueError, "'eta' parameter of .* Got 0.9 instead"),
        ({"eta": True}, TypeError, "'eta' parameter of .* Got True instead"),
        ({"schedule": "cosine"}, ValueError, "'schedule' parameter of .* Got 'cosine' instead"),
        ({"standardize": "yes"}, TypeError, "'standardize' parameter of .* Got 'yes' instead"),
        ({"polish": 1}, TypeError, "'polish' parameter of .* Got 1 instead"),
        ({"tol": -1}, ValueError, "'tol' parameter of .* Got -1 instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 151}, ValueError, "n_samples=150 .* must be at least n_clusters=151"),
        ({"init": "best"}, ValueError, "'init' parameter of"),
        ({"init": IRIS[:2]}, ValueError, r"centres of shape \(3, 4\)"),
        ({"init": np.full((3, 4), np.nan)}, ValueError, "contains NaN"),
        ({"init": np.full(150, 3)}, ValueError, r"labels given as init must lie in 0\.\.2; got 3\.\.3"),
    ],
)
def test_bad_parameters(estimator, options, error, message):
    with pytest.raises(error, match=message):
        estimator(**{"n_clusters": 3, **options}).fit(IRIS)


@pytest.mark.parametrize(("gamma", "error"), [(0, ValueError), (-1.0, ValueError), ("1", TypeError)])
def test_bad_gamma(gamma, error):
    with pytest.raises(error, match="'gamma' parameter of"):
        EntropyWeightedPowerKMeans(3, gamma=gamma).fit(IRIS)


@BOTH
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_data(estimator, value):
    bad = IRIS.copy()
    bad[3, 1] = value
    with pytest.raises(ValueError, match="contains"):
        estimator(3).fit(bad)
    with pytest.raises(ValueError, match="contains"):
        estimator(3).fit(IRIS).predict(bad)


@BOTH
def test_bad_sample_weight(estimator):
    for weights, message in (([1.0] * 149, "shape"), ([-1.0] * 150, "negative"), ([0.0] * 150, "zero")):
        with pytest.raises(ValueError, match=message):
            estimator(3).fit(IRIS, sample_weight=weights)


@BOTH
def test_max_iter_warns(estimator):
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations; increase max_iter"):
        model = estimator(3, max_iter=2, random_state=0).fit(IRIS)
    assert model.n_iter_ == len(model.criterion_history_) == 2


@pytest.mark.parametrize("tol", [None, 1e-5])
def test_repeated_rows_end_at_the_same_iteration(tol):
    options = {"schedule": "geometric", "init": STARTS, "tol": tol, "standardize": False}
    base = PowerKMeans(3, **options).fit(IRIS)
    model = PowerKMeans(3, **options).fit(np.tile(IRIS, (9, 1)))
    assert 3 < base.n_iter_ < base.max_iter
    assert model.n_iter_ == base.n_iter_


@BOTH
@pytest.mark.parametrize("exponent", [-600, -500, 490])
@pytest.mark.parametrize("standardize", [False, True])
def test_extreme_scales(estimator, exponent, standardize):
    # A power of two changes no digit (2^-500 is 3e-151, 2^490 3e147); squares overflow or vanish.
    factor = 2.0**exponent
    base = estimator(3, init=STARTS, standardize=standardize).fit(IRIS)
    model = estimator(3, init=STARTS * factor, standardize=standardize).fit(IRIS * factor)
    assert np.array_equal(model.labels_, base.labels_)
    assert model.n_iter_ == base.n_iter_
    # The preparation scales by another power of two; only the last digit of libm may differ.
    np.testing.assert_allclose(model.cluster_centers_ / factor, base.cluster_centers_, rtol=1e-12)


@BOTH
@pytest.mark.parametrize("factor", [1e-150, 1e150])
@pytest.mark.parametrize("schedule", ["authors", "geometric"])
def test_extreme_scales_of_ten(estimator, factor, schedule):
    base = estimator(3, init=STARTS, schedule=schedule).fit(IRIS)
    model = estimator(3, init=STARTS * factor, schedule=schedule).fit(IRIS * factor)
    assert np.array_equal(model.labels_, base.labels_)
    # The data are rounded again, by 1e-16, and tens of iterations follow.
    np.testing.assert_allclose(model.cluster_centers_ / factor, base.cluster_centers_, rtol=1e-9)
    assert np.isfinite(model.transform(IRIS * factor)).all()


def test_given_gamma_beside_extreme_data():
    for factor, weights in ((2.0**500, [0, 1]), (2.0**-500, [0.25])):
        model = EntropyWeightedPowerKMeans(3, gamma=1.0, init=STARTS * factor).fit(IRIS * factor)
        # All weight on one feature, or equal weights of four.
        assert np.array_equal(np.unique(model.feature_weights_), weights)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@BOTH
def test_wide_range_within_the_data(estimator):
    # Groups of spread 1e-8, 1 and 1e3: powers of distances at s = -120 exceed the range of doubles.
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    centers = np.array([[0.0, 0], [1e3, 0], [0, 1e6]])
    X = centers[truth] + np.array([1e-8, 1, 1e3])[truth, None] * rng.normal(size=(60, 2))
    model = estimator(3, init=centers, s0=-1.0, tol=0).fit(X)
    if estimator is PowerKMeans:
        assert np.array_equal(model.labels_, truth)
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.criterion_history_).all()


@BOTH
@pytest.mark.parametrize("eta", [1e10, 1e300])
def test_power_to_minus_infinity(estimator, eta):
    for schedule in ("authors", "geometric"):
        model = estimator(3, init=STARTS, eta=eta, schedule=schedule).fit(IRIS)
        assert np.isfinite(model.cluster_centers_).all()
        assert model.s_ < -1e9 or schedule == "authors"
    lowest = estimator(3, init=STARTS, s0=-1e300).fit(IRIS)
    if estimator is PowerKMeans:
        reference = KMeans(3, init=STARTS, n_init=1, tol=0).fit(IRIS)
        assert np.array_equal(lowest.labels_, reference.labels_)
        # Means of up to 62 rows.
        np.testing.assert_allclose(lowest.cluster_centers_, reference.cluster_centers_, rtol=1e-12)


@BOTH
def test_centers_on_rows_and_duplicates(estimator):
    X = np.repeat([[0.0, 1.0], [5.0, 1.5], [9.0, 1.2]], 6, axis=0)
    model = estimator(3, init=X[[0, 6, 12]]).fit(X)
    assert np.array_equal(model.labels_, np.repeat([0, 1, 2], 6))
    assert model.inertia_ == pytest.approx(0, abs=1e-25)  # squares of rounding, 1e-15 each
    assert np.isfinite(model.criterion_history_).all()
    with pytest.warns(ConvergenceWarning, match=r"Number of distinct clusters \(3\) found smaller"):
        model = estimator(4, random_state=0).fit(X)
    assert np.isfinite(model.cluster_centers_).all()


@BOTH
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
def test_equal_centers_stay_equal(estimator):
    model = estimator(3, init=IRIS[[0, 0, 100]]).fit(IRIS)
    np.testing.assert_allclose(model.cluster_centers_[0], model.cluster_centers_[1], rtol=1e-9)
    assert not (model.labels_ == 1).any()


@BOTH
def test_one_cluster_and_one_per_row(estimator):
    one = estimator(1, random_state=0).fit(IRIS)
    # The mean of 150 rows.
    np.testing.assert_allclose(one.cluster_centers_[0], IRIS.mean(axis=0), rtol=1e-14)
    assert not one.labels_.any()
    X = np.random.default_rng(0).normal(size=(7, 3))
    each = estimator(7, random_state=0).fit(X)
    assert np.array_equal(np.sort(each.labels_), np.arange(7))
    assert each.inertia_ == pytest.approx(0, abs=1e-12)  # at s = -3 other rows still have some weight
    np.testing.assert_allclose(each.cluster_centers_[each.labels_], X, atol=1e-6)


@BOTH
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
def test_constant_data_and_one_column(estimator):
    for standardize in (False, True):
        model = estimator(2, standardize=standardize, random_state=0).fit(np.full((5, 3), 7.0))
        assert np.array_equal(model.cluster_centers_, np.full((2, 3), 7.0))
    if estimator is EntropyWeightedPowerKMeans:
        np.testing.assert_allclose(model.feature_weights_, 1 / 3, rtol=1e-15)
    column = estimator(2, random_state=0).fit(IRIS[:, 2:3])
    assert len(np.unique(column.labels_)) == 2


@BOTH
def test_repeated_rows_are_weights(estimator):
    repeats = np.random.default_rng(0).integers(0, 4, len(IRIS))
    weighted = estimator(3, init=STARTS, standardize=True).fit(IRIS, sample_weight=repeats)
    repeated = estimator(3, init=STARTS, standardize=True).fit(np.repeat(IRIS, repeats, axis=0))
    # Sums of equal terms in another order, over tens of iterations.
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-9)
    assert np.array_equal(np.repeat(weighted.labels_, repeats), repeated.labels_)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


@BOTH
def test_starts(estimator):
    centers = IRIS[[3, 70, 120]]
    labels = ((IRIS[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    means = np.array([IRIS[labels == k].mean(axis=0) for k in range(3)])
    by_labels = estimator(3, init=labels).fit(IRIS)
    by_means = estimator(3, init=means).fit(IRIS)
    np.testing.assert_allclose(by_labels.cluster_centers_, by_means.cluster_centers_, rtol=1e-9)
    called = estimator(3, init=lambda X, k, random_state: X[random_state % 50 :: 50][:k], n_init=4).fit(IRIS)
    assert called.start_objectives_.shape == (4,)
    assert estimator(3, init="random", n_init=2, random_state=0).fit(IRIS).labels_.shape == (150,)


@BOTH
def test_starts_do_not_disturb_each_other(estimator):
    starts = [IRIS[[i, i + 50, i + 100]] for i in range(6)]
    remaining = iter(starts)
    together = estimator(3, n_init=6, init=lambda X, k, random_state: next(remaining)).fit(IRIS)
    alone = [estimator(3, init=start).fit(IRIS) for start in starts]
    assert together.start_n_iter_.tolist() == [model.n_iter_ for model in alone]
    # Products of matrices of other shapes.
    np.testing.assert_allclose(together.start_objectives_, [m.objective_ for m in alone], rtol=1e-11)
    assert together.objective_ == together.start_objectives_.min()


@BOTH
def test_same_seed_same_bits(estimator):
    results = []
    for blas in (1, 2):
        with threadpool_limits(blas):
            model = estimator(3, n_init=4, random_state=1).fit(IRIS)
        results.append((model.labels_.tobytes(), model.cluster_centers_.tobytes(), model.objective_))
    assert results[0] == results[1]


@BOTH
def test_float32_stays_float32(estimator):
    double = estimator(3, init=STARTS).fit(IRIS)
    single = estimator(3, init=STARTS.astype(np.float32)).fit(IRIS.astype(np.float32))
    assert single.cluster_centers_.dtype == single.transform(IRIS.astype(np.float32)).dtype == np.float32
    assert np.mean(single.labels_ == double.labels_) > 0.98
    # Single precision: it may stop a few iterations earlier.
    np.testing.assert_allclose(single.cluster_centers_, double.cluster_centers_, atol=0.02)


def test_float32_with_a_center_of_no_row():
    # Weights of the last centre are below the smallest single-precision number.
    start = np.vstack([STARTS, [[300.0, 300, 300, 300]]])
    single = PowerKMeans(4, init=start, s0=-30, max_iter=300).fit(IRIS.astype(np.float32))
    double = PowerKMeans(4, init=start, s0=-30, max_iter=300).fit(IRIS)
    np.testing.assert_allclose(single.cluster_centers_, double.cluster_centers_, atol=0.02)


@BOTH
def test_more_rows_than_a_chunk(estimator):
    X = np.vstack([IRIS] * 60)
    start = STARTS + 0.01
    whole = estimator(3, init=start).fit(X)
    weighted = estimator(3, init=start).fit(IRIS, sample_weight=np.full(150, 60))
    np.testing.assert_allclose(whole.cluster_centers_, weighted.cluster_centers_, rtol=1e-8)


@BOTH
def test_fit_changes_no_input_and_logs(estimator, caplog):
    X, start = IRIS.copy(), STARTS.copy()
    with caplog.at_level(logging.INFO, logger="sparsek"):
        model = estimator(3, init=start, verbose=1).fit(X)
    assert [record.msg.split()[0] for record in caplog.records] == ["start", "the"]
    assert np.array_equal(X, IRIS)
    assert np.array_equal(start, STARTS)
    assert np.array_equal(model.predict(X), model.labels_)
    assert not hasattr(model, "get_support")  # soft weights are positive
    assert model.score(X) == -model.inertia_


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_better_minima_than_lloyd_from_the_same_starts():
    X = load_digits().data[:300]
    rng = np.random.default_rng(0)
    starts = [X[rng.choice(300, 10, replace=False)] for _ in range(8)]
    lloyd = [KMeans(10, init=start, n_init=1).fit(X).inertia_ for start in starts]
    power = [PowerKMeans(10, init=start, polish=True).fit(X).inertia_ for start in starts]
    assert np.median(power) < np.median(lloyd)
    assert np.ptp(power) < np.ptp(lloyd)


def test_standardised_distances():
    model = PowerKMeans(3, init=STARTS, standardize=True).fit(IRIS)
    scale = IRIS.std(axis=0)
    plain = PowerKMeans(3, init=STARTS / scale).fit(IRIS / scale)
    assert np.array_equal(model.labels_, plain.labels_)
    np.testing.assert_allclose(model.transform(IRIS), plain.transform(IRIS / scale), rtol=1e-9)
    assert adjusted_rand_score(model.labels_, model.transform(IRIS).argmin(axis=1)) == 1
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-9)  # the same steps on rounded data


@pytest.mark.parametrize("name", ["standardize", "polish"])
@pytest.mark.parametrize("value", [1, "yes", None])
def test_switches_are_true_or_false(name, value):
    with pytest.raises(TypeError, match=f"'{name}' parameter of PowerKMeans .* Got {value!r} instead"):
        PowerKMeans(2, **{name: value}).fit(np.arange(8.0).reshape(4, 2))


def test_a_given_gamma_is_published_as_given():
    for scale in (1.0, 1e-200, 1e200):
        model = EntropyWeightedPowerKMeans(1, gamma=27.3, n_init=1, random_state=0)
        assert model.fit(IRIS * scale).gamma_ == 27.3


@pytest.mark.parametrize("estimator", [PowerKMeans, EntropyWeightedPowerKMeans])
def test_centres_too_far_from_the_rows_are_named(estimator):
    X = np.random.default_rng(0).normal(size=(20, 3))
    far = np.vstack([X[:2], np.full(3, 1e300)])
    with pytest.raises(
        ValueError, match=r"centre 2 of init, .* its squared distance exceeds the largest number"
    ):
        estimator(3, init=far).fit(X)

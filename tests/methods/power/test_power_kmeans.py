"""Power k-means: reference numbers, a literal oracle, invariants, the limit of k-means, feature weights."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from sparsek import EntropyWeightedPowerKMeans, PowerKMeans
from sparsek.methods.power.algorithm import SCHEDULES, lower_in_steps, power_kmeans
from sparsek.methods.power.one_pass import PowerProblem, State, relative, soft_step, soft_weights
from sparsek.methods.power.passes import critical_power
from sparsek.methods.skfr.problem import array_problem
from tests.methods.power.literal_power import in_many_digits, literal, power_mean

# Sums of n K p terms in another order, some tens of iterations, relative to the size of the data.
ROUNDING = 1e-9
# The reference numbers have ten digits.
TEN_DIGITS = 1e-10
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [4, 4], [5, 4], [9, 0], [9, 1], [10, 0]], dtype=float)
THETA = np.array([[0.5, 0.5], [5.5, 4.5], [9.5, 1.5]])
EXTRA = [[1, -1, 0.5, 0, -0.5, 1, 0, 0.2, -1], [0.3, 0.1, -0.2, 0.4, 0.2, -0.1, -0.3, 0.1, 0]]
X4 = np.column_stack([X, *EXTRA])
IRIS = load_iris().data
SEEDS = st.integers(0, 2**32 - 1)
BOTH = pytest.mark.parametrize("estimator", [PowerKMeans, EntropyWeightedPowerKMeans])


def problem_of(data, n_clusters, sample_weight=None, **options):
    """The problem for an array."""
    return PowerProblem.of(array_problem(data, n_clusters, sample_weight, divisor=False), **options)


def run(
    data, centers, max_iter=1000, schedule="authors", gamma=0.0, ridge=0.0, sample_weight=None, **options
):
    """The fit of the algorithm from given centres, in the units of the data."""
    problem = problem_of(data, len(centers), sample_weight, gamma=gamma, ridge=ridge)
    mean = problem.scaling.offset
    chosen = replace(SCHEDULES[schedule], **options)
    (fit,) = power_kmeans(problem, (centers - mean)[None], chosen, max_iter)
    return replace(fit, centers=fit.centers + mean)


def random_problem(seed, most=25):
    """Data with groups and an offset, and starting centres off the rows."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(6, most)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    data = rng.normal(size=(n, p)) + rng.normal(0, 3, (k, p))[rng.integers(k, size=n)] + rng.normal(0, 5, p)
    return data, data[rng.choice(n, k, replace=False)] + 0.1 * rng.normal(size=(k, p))


@pytest.mark.parametrize(
    ("s", "f", "row", "centers"),
    [
        (
            -1.0,
            28.8419676119,
            (2.9102279743, 0.0002852885, 0.0000850322),
            [(0.5087947024, 0.5056059034), (4.5843417110, 3.9789465447), (9.3160875022, 0.3697236193)],
        ),
        (
            -3.0,
            15.1410479560,
            None,
            [(0.5000986022, 0.5000940784), (4.5005764201, 3.9999004639), (9.3332929221, 0.3334691889)],
        ),
    ],
)
def test_checked_step(s, f, row, centers):
    problem = problem_of(X, 3)
    state = State((THETA - problem.scaling.offset)[None], None)
    assert soft_step(problem, state, s, s).criterion[0] == pytest.approx(f, abs=TEN_DIGITS)
    np.testing.assert_allclose(run(X, THETA, 1, s0=s).centers, centers, atol=TEN_DIGITS)
    if row is not None:
        _, ratio, logs = relative(((X - THETA[:, None]) ** 2).sum(axis=2)[None])
        phi, _ = soft_weights(ratio, ratio, logs, s)
        np.testing.assert_allclose(3 ** (-1 / s) * phi[0, :, 0], row, atol=TEN_DIGITS)


def test_checked_schedule():
    fit = run(X, THETA)
    assert fit.converged
    assert len(fit.history) == 4
    assert fit.power == pytest.approx(-3.3708, abs=1e-12)  # two factors 1.06
    assert fit.history[-1] == pytest.approx(5.4151985037, abs=TEN_DIGITS)
    model = PowerKMeans(3, init=THETA).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
    assert (model.n_iter_, model.s0_, model.s_) == (4, -3.0, fit.power)
    np.testing.assert_allclose(model.criterion_history_, fit.history, rtol=1e-14)  # the same steps


def test_checked_feature_weights():
    # The released R code: ridge 1e-4, and no factor K^(-1/s) in the weights.
    options = {"schedule": "geometric", "gamma": 2.0, "ridge": 1e-4, "tol": 1e-3}
    start = X4[[0, 4, 6]] + 0.1
    first = run(X4, start, 1, **options)
    np.testing.assert_allclose(
        first.centers[0], (0.5008711913, 0.426018252, 0.2459466035, 0.1471130855), atol=TEN_DIGITS
    )
    np.testing.assert_allclose(
        first.weights, (0.128150312, 0.2311884325, 0.1132590361, 0.5274022195), atol=TEN_DIGITS
    )
    last = run(X4, start, 200, **options)
    assert last.converged
    assert len(last.history) == 6
    assert last.power == pytest.approx(-1.124864, abs=1e-12)  # three factors 1.04
    np.testing.assert_allclose(
        last.weights, (0.1903109595, 0.2507017362, 0.0788911787, 0.4800961256), atol=TEN_DIGITS
    )
    distances = ((X4[:, None] - last.centers) ** 2 @ last.weights).argmin(axis=1)
    assert distances.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2]
    centers, omega, s, _ = literal(X4, start, s=-1.0, eta=1.04, n_iter=6, **oracle_options(options))
    np.testing.assert_allclose(last.centers, centers, rtol=ROUNDING)
    np.testing.assert_allclose(last.weights, omega, rtol=ROUNDING)
    assert last.power == s


def oracle_options(options):
    """The options of the released code for the oracle."""
    return {"schedule": "geometric", "gamma": options["gamma"], "ridge": options["ridge"], "averaged": False}


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_equals_the_literal_loops(seed):
    data, start = random_problem(seed)
    rng = np.random.default_rng(seed)
    s0, repeats = -float(rng.uniform(0.3, 6)), rng.integers(1, 4, len(data)).astype(float)
    for gamma in (0.0, float(data.var() * len(data) * rng.uniform(0.2, 2))):
        found = run(data, start, 7, s0=s0, gamma=gamma, sample_weight=repeats, tol=0.0)
        options = {"gamma": gamma or None, "sample_weight": repeats.tolist()}
        centers, omega, s, criteria = literal(data, start, s=s0, n_iter=len(found.history), **options)
        np.testing.assert_allclose(found.centers, centers, rtol=1e-7, atol=1e-7)  # steps amplify rounding
        np.testing.assert_allclose(found.history, criteria, rtol=ROUNDING, atol=ROUNDING)
        assert found.power == pytest.approx(s, rel=1e-14)  # the same factors
        if gamma:
            np.testing.assert_allclose(found.weights, omega, atol=1e-7)


def test_centers_of_no_row_in_many_digits():
    # At s = -120 the third centre's weights are about 1e-400: below the smallest double.
    centers = np.array([[0.5, 0.5], [9.5, 0.5], [400.0, 300.0]])
    expected, _, _, _ = literal(in_many_digits(X), in_many_digits(centers), s=-120, n_iter=1)
    np.testing.assert_allclose(run(X, centers, 1, s0=-120.0).centers, expected, rtol=ROUNDING)
    weighted = run(X, centers, 1, s0=-120.0, sample_weight=np.arange(1.0, 10))
    options = {"s": -120, "n_iter": 1, "sample_weight": list(range(1, 10))}
    expected, _, _, _ = literal(in_many_digits(X), in_many_digits(centers), **options)
    np.testing.assert_allclose(weighted.centers, expected, rtol=ROUNDING)


def test_scatter_keeps_its_digits():
    # Clusters of spread 1e-6 at distance 10: sums of squares alone would keep no digit of the scatter.
    rng = np.random.default_rng(0)
    data = np.repeat([[0.0, 0, 0], [10, 10, 10]], 10, axis=0) + 1e-6 * rng.normal(size=(20, 3)) * [1, 2, 3]
    start = np.array([[0.1, 0, 0], [10, 10, 9.9]])
    found = run(data, start, 2, s0=-8.0, gamma=2e-11)
    _, omega, _, _ = literal(in_many_digits(data), in_many_digits(start), s=-8, n_iter=2, gamma=2e-11)
    assert 0.01 < omega.min() < omega.max() < 0.99
    # Rows of size 10 hold 1e-15, 1e-9 of the spread.
    np.testing.assert_allclose(found.weights, omega, atol=1e-8)


@given(SEEDS, st.floats(-100, -0.2))
@settings(max_examples=60, deadline=None)
def test_weighted_distances_add_up_to_the_mean(seed, s):
    D = np.random.default_rng(seed).exponential(size=(1, 4, 7)) + 1e-3
    _, ratio, logs = relative(D)
    phi, _ = soft_weights(D, ratio, logs, s)
    # Weights are determined up to K^(-1/s), of any size for s near 0, so errors are relative.
    means = [power_mean(column, s) for column in D[0].T]
    np.testing.assert_allclose(4 ** (-1 / s) * (phi * D).sum(axis=1)[0], means, rtol=1e-12)


@given(SEEDS, st.floats(-60, -0.2), st.booleans())
@settings(max_examples=45)
def test_criterion_never_rises_at_fixed_power(seed, s, weighted):
    data, start = random_problem(seed, 60)
    gamma = float(data.var() * len(data)) if weighted else 0.0
    fixed = {"eta": 1.0, "lower": lambda s, eta: s, "tol": 0.0}
    history = np.array(run(data, start, 25, s0=s, gamma=gamma, **fixed).history)
    size = np.abs(history) + 2 * gamma * np.log(data.shape[1])
    assert np.all(np.diff(history) <= 1e-12 * size[:-1])  # rounding of sums of n terms


@BOTH
@given(SEEDS, st.sampled_from(["authors", "geometric"]))
@settings(max_examples=20)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_criterion_never_rises_while_the_power_falls(estimator, seed, schedule):
    data, start = random_problem(seed, 60)
    model = estimator(len(start), init=start, schedule=schedule, max_iter=300).fit(data)
    history, size = model.criterion_history_, len(data) * data.var() * data.shape[1] * 3
    assert np.all(np.diff(history) <= 1e-12 * size)  # rounding of sums of n terms
    assert model.objective_ <= history[-1] + 1e-12 * size
    assert model.inertia_ >= 0


def test_power_one_takes_every_center_to_the_mean():
    # The method needs a negative power, but the formula holds here too.
    step = soft_step(problem_of(X, 3), State((THETA - X.mean(axis=0))[None], None), 1.0, 1.0)
    np.testing.assert_allclose(step.sums[0, :, :2] / step.sums[0, :, -1:], 0, atol=1e-14)  # means of 9 rows


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_limit_is_the_assignment_of_lloyd(seed):
    data, start = random_problem(seed, 60)
    D = ((data[:, None] - start) ** 2).sum(axis=2)
    labels = D.argmin(axis=1)
    found = run(data, start, 1, s0=-1e9).centers
    for k in np.unique(labels):
        # Second nearest centres have weight (ratio of distances)^(1e9), which is 0 except for ties.
        np.testing.assert_allclose(found[k], data[labels == k].mean(axis=0), atol=1e-9)


@BOTH
@pytest.mark.parametrize("polish", [False, True])
def test_ends_where_lloyd_stays(estimator, polish):
    model = estimator(3, random_state=0, s0=-1, tol=0, standardize=True, polish=polish).fit(IRIS)
    Z = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)
    means = np.array([Z[model.labels_ == k].mean(axis=0) for k in range(3)])
    centers = (model.cluster_centers_ - IRIS.mean(axis=0)) / IRIS.std(axis=0)
    # At s = -120 rows near a border still have some weight in both clusters.
    np.testing.assert_allclose(centers, means, atol=1e-12 if polish else 0.01)
    assert model.transform(IRIS).argmin(axis=1).tolist() == model.labels_.tolist()


@BOTH
@given(SEEDS)
@settings(max_examples=20)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_order_shift_and_scale_do_not_matter(estimator, seed):
    data, start = random_problem(seed, 40)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(data)), rng.permutation(data.shape[1])
    factor, shift = 2.0 ** int(rng.integers(-40, 40)), rng.integers(-8, 8, data.shape[1])
    # Few iterations, because nearly equal distances at the end amplify rounding.
    base = estimator(len(start), init=start, max_iter=10).fit(data)
    changed = estimator(len(start), init=(start + shift)[:, columns] * factor, max_iter=10)
    changed.fit((data + shift)[rows][:, columns] * factor)
    distances = np.sort(base.transform(data), axis=1)
    clear = len(start) == 1 or np.all(distances[:, 1] - distances[:, 0] > 1e-6)
    if clear:
        assert np.array_equal(changed.labels_, base.labels_[rows])
    np.testing.assert_allclose(
        changed.cluster_centers_ / factor - shift[columns], base.cluster_centers_[:, columns], atol=1e-6
    )
    if estimator is EntropyWeightedPowerKMeans:
        np.testing.assert_allclose(changed.feature_weights_, base.feature_weights_[columns], atol=1e-6)


@BOTH
def test_rotation_or_order_of_clusters_does_not_matter(estimator):
    start = IRIS[[0, 50, 100]]
    base = estimator(3, init=start).fit(IRIS)
    turned = estimator(3, init=start[[2, 0, 1]]).fit(IRIS)
    assert np.array_equal(np.array([2, 0, 1])[turned.labels_], base.labels_)
    if estimator is PowerKMeans:
        rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
        rotated = estimator(3, init=start @ rotation).fit(IRIS @ rotation)
        assert np.array_equal(rotated.labels_, base.labels_)
        np.testing.assert_allclose(rotated.cluster_centers_, base.cluster_centers_ @ rotation, atol=ROUNDING)


@pytest.mark.parametrize(("p", "seed"), [(10, 0), (100, 1), (400, 2)])
def test_critical_power_is_where_centers_begin_to_part(p, seed):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(150, p)) + (rng.normal(0, 0.5, (3, p)) * (np.arange(p) < 8))[np.arange(150) % 3]
    Z, problem = data - data.mean(axis=0), problem_of(data, 2)
    norms = (Z**2).sum(axis=1)
    largest = np.linalg.eigvalsh((Z / norms[:, None]).T @ Z / 150)[-1]
    critical = critical_power(problem)
    # Power k-means ends slightly lower.
    assert critical == pytest.approx(1 - 1 / (2 * largest), rel=0.02)
    assert critical <= 1 - 1 / (2 * largest)
    axis = np.linalg.svd(Z / np.sqrt(norms)[:, None], full_matrices=False)[2][0]
    near = State(1e-6 * np.array([[axis, -axis]]), None)
    for factor, grows in ((0.8, False), (1.2, True)):
        s = 1 - (1 - critical) * factor
        step = soft_step(problem, near, s, s)
        centers = step.sums[0, :, :p] / step.sums[0, :, -1:]
        assert (np.linalg.norm(centers[0] - centers[1]) > 2e-6) == grows


def test_many_features_do_not_collapse():
    rng = np.random.default_rng(0)
    truth = np.arange(300) % 4
    data = rng.normal(size=(300, 500)) + (1.5 * rng.normal(size=(4, 500)) * (np.arange(500) < 20))[truth]
    with pytest.warns(ConvergenceWarning, match="centres that met at a high power: lower s0"):
        given_power = PowerKMeans(4, s0=-3, random_state=0).fit(data)
    assert np.ptp(given_power.cluster_centers_, axis=0).max() < 1e-6  # all in the mean
    for estimator in (PowerKMeans, EntropyWeightedPowerKMeans):
        model = estimator(4, standardize=True, random_state=0).fit(data)
        assert adjusted_rand_score(truth, model.labels_) > 0.9


def published(seed):
    """Chakraborty et al.: five informative features of small spread, fifteen of noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(5, size=1000)
    data = rng.normal(size=(1000, 20))
    data[:, :5] = rng.uniform(size=(5, 5))[truth] + 0.02 * rng.normal(size=(1000, 5))
    return data, truth


def test_published_example_of_feature_weights():
    for seed in (0, 3, 4):
        data, truth = published(seed)
        model = EntropyWeightedPowerKMeans(5, gamma=50, s0=-1, n_init=2, random_state=0).fit(data)
        assert adjusted_rand_score(truth, model.labels_) == 1
        np.testing.assert_allclose(model.feature_weights_[:5], 0.2, atol=0.01)


def test_feature_weights_help_k_means():
    data, truth = published(1)
    weighted = EntropyWeightedPowerKMeans(5, standardize=True, random_state=0).fit(data)
    assert adjusted_rand_score(truth, weighted.labels_) == 1
    assert adjusted_rand_score(truth, PowerKMeans(5, random_state=0).fit(data).labels_) < 0.1


def test_the_power_falls_in_steps_then_by_a_factor():
    powers = [-0.5, -1.0, -3.0, -120.0, -130.0]
    assert [lower_in_steps(s, 1.5) for s in powers] == [-0.7, -1.5, -4.5, -120, -130]

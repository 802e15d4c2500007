"""The exact test of k-means: its set against every step written out, its p-value, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from sparsek import SKFR, SparseKMeans, inference, rcompat
from sparsek.errors import EmptyClusterError
from tests.inference.literal_steps import inertia, lloyd_steps, moved, skfr_steps

# Data and sigma are chosen for what is tested here; tests/inference/test_assumptions.py has the checks.
pytestmark = pytest.mark.filterwarnings("ignore::sparsek.errors.AssumptionWarning")

END = 1e-6
"""Relative distance to the end of an interval within which rounding may decide."""


def assert_same_set(found: inference.ClusterTest, X: np.ndarray, labels: np.ndarray, steps: Any) -> int:
    """Compare the set with the steps on a grid; returns the number of grid points outside the set."""
    wanted = steps(X)
    outside = 0
    near = found.intervals[np.isfinite(found.intervals)]
    wide, close = np.linspace(0, 3, 25), 1 + np.linspace(-0.1, 0.1, 10)
    for phi in found.statistic * np.concatenate([wide, close]):
        if np.abs(near - phi).min(initial=np.inf) < END * found.statistic:
            continue
        inside = ((found.intervals[:, 0] <= phi) & (phi <= found.intervals[:, 1])).any()
        assert inside == (steps(moved(X, labels, found.a, found.b, phi)) == wanted)
        outside += not inside
    return outside


def random_data(seed: int) -> tuple[np.ndarray, int, np.ndarray]:
    """Rows, with groups in half of the cases, a number of clusters and starting rows."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(8, 26)), int(rng.integers(1, 6)), int(rng.integers(2, 4))
    X = rng.normal(size=(n, p))
    X[: n // 2, 0] += 4 * (seed % 2)
    return X, k, rng.choice(n, k, replace=False)


def first_two(labels: np.ndarray) -> tuple[int, int]:
    """Two labels that occur."""
    a, b = np.unique(labels)[:2]
    return int(a), int(b)


def test_the_set_of_r_kmeans_is_where_all_steps_are_the_same() -> None:
    outside = 0
    for seed in range(12):
        X, k, _ = random_data(seed)
        rcompat.set_seed(seed)
        model = rcompat.kmeans(X, k, iter_max=50, nstart=1, algorithm="Lloyd")
        rows = model.lloyd_record.rows[0]
        a, b = first_two(model.cluster)
        found = inference.test_kmeans(model, X, a, b, sigma=1.0)
        outside += assert_same_set(found, X, model.cluster, lambda Y, rows=rows: lloyd_steps(Y, Y[rows], 50))
    assert outside > 100


@pytest.mark.parametrize("tol", [1e-4, 0.2])
def test_the_set_of_scikit_learn_has_its_rule_of_stopping(tol: float) -> None:
    outside = 0
    for seed in range(5):
        X, k, _ = random_data(seed)
        # Centres from elsewhere do not move with the data.
        centers = np.random.default_rng(seed).normal(size=(k, X.shape[1]))
        model = KMeans(k, init=centers, n_init=1, tol=tol).fit(X)
        a, b = first_two(model.labels_)
        try:
            found = inference.test_kmeans(model, X, a, b, sigma=1.0)
        except EmptyClusterError:
            continue
        outside += assert_same_set(
            found, X, model.labels_, lambda Y, centers=centers, tol=tol: lloyd_steps(Y, centers, 300, tol)
        )
    assert outside > 100


@pytest.mark.seeds(4, also=[1723918481, 1998299522, 1285284787])
def test_the_best_of_several_starts_stays_the_best(seed: int) -> None:
    X, k, _ = random_data(seed)
    rcompat.set_seed(seed)
    model = rcompat.kmeans(X, k, iter_max=50, nstart=4, algorithm="Lloyd")

    def steps(Y: np.ndarray, model: Any = model) -> Any:
        runs = [lloyd_steps(Y, Y[rows], 50) for rows in model.lloyd_record.rows]
        ends = [run[-1] for run in runs if run[-1] != "empty cluster"]
        best = min(ends, key=lambda labels: inertia(Y, labels), default=None)
        # Two starts may end with one partition under other numbers: rounding decides which is less.
        return runs, best and [best.index(label) for label in best]

    assert len(model.lloyd_record.rows) == 4
    a, b = first_two(model.cluster)
    assert_same_set(inference.test_kmeans(model, X, a, b, sigma=1.0), X, model.cluster, steps)


@pytest.mark.parametrize("scope", ["global", "local"])
def test_the_set_of_skfr_keeps_features_and_labels_of_every_step(scope: str) -> None:
    outside = 0
    for seed in range(12):
        X, k, rows = random_data(seed)
        s = 1 + seed % X.shape[1]
        start = rows if seed % 3 else np.arange(len(X)) % k
        model = SKFR(k, s, scope=scope, standardize=False, init=start).fit(X)
        if len(np.unique(model.labels_)) < 2:
            continue
        a, b = first_two(model.labels_)
        found = inference.test_kmeans(model, X, a, b, sigma=1.0)

        def steps(Y: np.ndarray, k: int = k, s: int = s, start: Any = start) -> Any:
            return skfr_steps(Y, start, k, s, scope == "local")

        outside += assert_same_set(found, X, model.labels_, steps)
    assert outside > 100


def test_the_three_models_agree_on_one_fit() -> None:
    X = np.random.default_rng(5).normal(size=(50, 4))
    rcompat.set_seed(1)
    model = rcompat.kmeans(X, 3, iter_max=100, algorithm="Lloyd")
    rows = model.lloyd_record.rows[0]
    skfr = SKFR(3, 4, standardize=False, init=rows).fit(X)
    assert np.array_equal(skfr.labels_ + 1, model.cluster)
    first = inference.test_kmeans(model, X, 1, 2, sigma=2.0)
    second = inference.test_kmeans(skfr, X, 0, 1, sigma=2.0)
    assert second.p_value == pytest.approx(first.p_value, rel=1e-9)  # other order of sums
    np.testing.assert_allclose(second.intervals, first.intervals, rtol=1e-9)


def test_the_unit_of_x_and_the_order_of_a_and_b_do_not_matter() -> None:
    X = np.random.default_rng(2).normal(size=(60, 3))
    found = inference.test_kmeans(KMeans(3, init="random", n_init=2, random_state=4).fit(X), X, 0, 2)
    scaled = KMeans(3, init="random", n_init=2, random_state=4).fit(1024 * X + 5)
    for a, b in ((0, 2), (2, 0)):
        other = inference.test_kmeans(scaled, 1024 * X + 5, a, b)
        assert other.p_value == pytest.approx(found.p_value, rel=1e-8)  # the shift by 5 costs some digits
        assert other.naive_p_value == pytest.approx(found.naive_p_value, rel=1e-8)


def test_a_covariance_matrix_that_is_a_multiple_of_the_identity_changes_only_the_unit() -> None:
    X = np.random.default_rng(3).normal(size=(40, 3))
    model = KMeans(2, init="random", n_init=1, random_state=0).fit(X)
    one = inference.test_kmeans(model, X, 0, 1, sigma=1.5)
    full = inference.test_kmeans(model, X, 0, 1, sigma=2.25 * np.eye(3))
    assert full.p_value == pytest.approx(one.p_value, rel=1e-10)
    assert full.statistic == pytest.approx(one.statistic / 1.5, rel=1e-12)
    np.testing.assert_allclose(full.intervals, one.intervals / 1.5, rtol=1e-10)


@pytest.mark.thorough
def test_p_values_are_uniform_without_groups_and_naive_ones_are_not() -> None:
    selective, naive = [], []
    for seed in range(300):
        X = np.random.default_rng(seed).normal(size=(30, 2))
        model = KMeans(2, init="random", n_init=1, random_state=seed).fit(X)
        found = inference.test_kmeans(model, X, 0, 1, sigma=1.0)
        selective.append(found.p_value)
        naive.append(found.naive_p_value)
    # Binomial(300, 0.05): 99.9 % lie within 4 and 29.
    assert 4 <= np.sum(np.array(selective) < 0.05) <= 29
    assert 120 <= np.sum(np.array(selective) < 0.5) <= 180
    assert np.mean(np.array(naive) < 0.05) > 0.99


def test_separate_groups_are_found() -> None:
    X, truth = make_blobs(90, centers=np.array([[0, 0], [9, 0], [0, 9]]), cluster_std=1.0, random_state=0)
    start = np.array([np.flatnonzero(truth == k)[0] for k in range(3)])
    model = SKFR(3, 2, standardize=False, init=start).fit(X)
    assert inference.test_kmeans(model, X, 0, 1, sigma=1.0).p_value < 1e-10


def test_ties_give_a_warning() -> None:
    X = np.array([[0.0], [2.0], [1.0], [-0.1], [2.2]])
    model = KMeans(2, init=np.array([[0.0], [2.0]]), n_init=1).fit(X)
    with pytest.warns(UserWarning, match=": row 2 is as near to another centre, .* ties decide the p-value"):
        found = inference.test_kmeans(model, X, 0, 1, sigma=1.0)
    assert np.isnan(found.p_value)
    assert found.naive_p_value > 0


def test_ties_on_both_sides_leave_no_p_value() -> None:
    X = np.array([[0.0], [2.0], [4.0], [1.0], [3.0], [-1.0], [5.0]])
    model = KMeans(3, init=np.array([[0.0], [2.0], [4.0]]), n_init=1).fit(X)
    with pytest.warns(UserWarning, match=r"p is NaN: .*rows 3, 4 are as near"):
        found = inference.test_kmeans(model, X, 0, 1, sigma=1.0)
    assert np.isnan(found.p_value)
    assert found.intervals.shape == (0, 2)


X = np.random.default_rng(0).normal(size=(30, 3))
FITTED = KMeans(2, init="random", n_init=1, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            KMeans(2, random_state=0),
            r"init='k-means\+\+' chooses starts by looking at the data.*test_clusters",
        ),
        (KMeans(2, init="random", n_init=1), "random_state, which must be an integer; got None"),
        (
            SKFR(2, 2, random_state=0, standardize=True),
            "SKFR needs standardize=False; got True.*known standard deviations",
        ),
        (SKFR(2, 2, standardize=False, random_state=0), "init='screened' chooses starts by looking"),
        (SKFR(2, 2, standardize=False, winsorize=3.0), "SKFR needs winsorize=None; got 3.0"),
        (SKFR(2, 2, standardize=False, refine=True), "SKFR needs refine=False; got True"),
        (SKFR(2, standardize=False), "'auto' chooses by comparing fits.*give a number"),
    ],
)
def test_fits_that_cannot_be_repeated_are_refused(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        inference.test_kmeans(model.fit(X), X, 0, 1)


def test_other_models_are_refused() -> None:
    with pytest.raises(TypeError, match="got SparseKMeans; test_clusters takes any"):
        inference.test_kmeans(SparseKMeans(2, random_state=0).fit(X), X, 0, 1)
    with pytest.raises(ValueError, match=r'needs kmeans\(\.\.\., algorithm="Lloyd"\)'):
        inference.test_kmeans(rcompat.kmeans(X, 2), X, 1, 2)
    with pytest.raises(ValueError, match="KMeans has no labels; fit it first"):
        inference.test_kmeans(KMeans(2), X, 0, 1)


def test_an_emptied_cluster_is_refused() -> None:
    centers = np.array([[0.0, 0, 0], [50, 0, 0]])
    with pytest.raises(EmptyClusterError, match="cluster 1 lost all its rows"):
        inference.test_kmeans(KMeans(2, init=centers, n_init=1).fit(X), X, 0, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": 2}, r"a=2 is no label; the labels are \[0, 1\]"),
        ({"b": 0}, "a and b must be different clusters; got 0 twice"),
        ({"X": X[:20]}, "X has 20 rows and the model 30 labels"),
        ({"X": np.where(X[3, 1] == X, np.nan, X)}, r"X\[3, 1\] is nan; the exact tests need complete data"),
        ({"X": X[:, 0]}, "X must have two dimensions; got 1"),
        ({"X": X[::-1]}, "repeating the fit gave other labels in"),
        ({"sigma": 0.0}, "sigma must be positive and finite; got 0.0"),
        ({"sigma": "mad"}, "'method' parameter of estimate_sigma .* Got 'mad'"),
        ({"sigma": np.eye(2)}, r"a covariance matrix of shape \(3, 3\); got shape \(2, 2\)"),
        ({"sigma": np.ones((3, 3))}, "sigma must be positive definite"),
        ({"sigma": np.triu(np.ones((3, 3)))}, "sigma must be symmetric"),
    ],
)
def test_bad_arguments_are_named(changes: dict[str, Any], message: str) -> None:
    arguments = {"X": X, "a": 0, "b": 1, "sigma": 1.0} | changes
    with pytest.raises(ValueError, match=message):
        inference.test_kmeans(FITTED, **arguments)


def test_estimates_of_the_noise() -> None:
    rng = np.random.default_rng(1)
    Z = rng.normal(scale=3, size=(400, 20))
    for method in ("median", "sample"):
        assert inference.estimate_sigma(Z, method) == pytest.approx(3, rel=0.05)
    assert np.diag(inference.estimate_sigma(Z, "shrunk")) == pytest.approx(9, rel=0.3)
    apart = Z.copy()
    apart[:200, :2] += 30  # clusters in few features hardly raise the median-based estimate
    assert inference.estimate_sigma(apart) == pytest.approx(3, rel=0.15)
    assert inference.estimate_sigma(apart, "sample") > 5
    holes = Z.copy()
    holes[::7, 0] = np.nan
    assert inference.estimate_sigma(holes) == pytest.approx(3, rel=0.05)
    with pytest.raises(ValueError, match="needs complete data; X has NaN"):
        inference.estimate_sigma(holes, "shrunk")
    with pytest.raises(ValueError, match=r"the estimate of sigma by method='median' is 0\.0; give sigma"):
        inference.estimate_sigma(np.zeros((5, 2)))

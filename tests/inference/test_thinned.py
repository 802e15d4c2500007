"""Thinned tests: level, power, families, several splits, and what is refused."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sparsek import SKFR, inference
from sparsek.errors import AssumptionWarning
from sparsek.inference.thinned import _warn_of_counts, combined, permutation_test

KMEANS = KMeans(3, n_init=2)
ONES = np.ones((5, 2))
NORMAL = np.random.default_rng(0).normal(size=(60, 5))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "family",
    [
        pytest.param("gaussian", marks=pytest.mark.slow),
        pytest.param("poisson", marks=pytest.mark.slow),
        "negative_binomial",
    ],
)
def test_the_level_holds_and_groups_are_found(family: str) -> None:
    null, power, warned = [], [], 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shift = np.where(np.arange(45) < 20, 1, 0)[:, None]
        options: dict[str, Any] = {"n_permutations": 39, "random_state": seed}
        if family == "gaussian":
            together, apart = rng.normal(size=(45, 4)), 3 * shift + rng.normal(size=(45, 4))
            options["sigma"] = 1.0
        elif family == "poisson":
            together, apart = rng.poisson(6, size=(45, 4)), rng.poisson(6 + 12 * shift, size=(45, 4))
        else:
            rates = rng.gamma(4, 1 / 4, size=(45, 4))
            together, apart = rng.poisson(6 * rates), rng.poisson((6 + 30 * shift) * rates)
            options["dispersion"] = 0.25
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            null.append(inference.test_thinned(together, KMeans(2, n_init=1), family, **options).p_value)
        warned += len(caught)
        if seed < 10:
            with warnings.catch_warnings():
                # Rows in the wrong one of two clusters that are far apart make the counts vary more.
                warnings.simplefilter("ignore", AssumptionWarning)
                power.append(inference.test_thinned(apart, KMeans(2, n_init=1), family, **options).p_value)
    # Binomial(60, .1) is at most 14 with probability .999.
    assert np.sum(np.array(null) <= 0.1) <= 14
    assert np.mean(np.array(power) <= 0.05) > 0.8
    # The data without groups are as assumed: Binomial(60, .01) is at most 4 with probability .999.
    assert warned <= 4


def test_the_result_is_about_the_clusters_of_a_part() -> None:
    X = NORMAL.copy()
    X[:30] += 4
    found = inference.test_thinned(X, SKFR(2, 3, n_init=2), sigma=1.0, n_permutations=99)
    assert found.labels.shape == (60,)
    assert len(np.unique(found.labels[:30])) == 1
    assert found.pairs[["a", "b"]].to_numpy().tolist() == [[0, 1]]
    assert found.pairs["p_value"].tolist() == found.pairs["p_holm"].tolist() == [0.01]
    assert found.pairs["statistic"].iloc[0] == pytest.approx(4 * np.sqrt(5 / 2), rel=0.3)
    assert str(found) == "clusters of a part, gaussian: p = 0.01 that all means are equal (one split)"
    again = inference.test_thinned(X, SKFR(2, 3, n_init=2), sigma=1.0, n_permutations=99)
    assert np.array_equal(again.labels, found.labels)


def test_several_splits_are_twice_their_median() -> None:
    found = inference.test_thinned(NORMAL, KMEANS, n_splits=3, n_permutations=19)
    assert found.p_values.shape == (3,)
    assert found.p_value == min(1, 2 * np.median(found.p_values))
    assert "3 splits, twice the median" in str(found)
    assert combined(np.array([0.01, 0.02, np.nan])) == 0.04
    assert np.isnan(combined(np.array([np.nan])))


@pytest.mark.parametrize("p", [3, 80])
def test_the_permutation_test_is_that_of_all_orders(p: int) -> None:
    """Against means computed one order after the other; with more features than rows, by inner products."""
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(12, p)), np.arange(12) % 3
    rows[labels == 0] += 1
    own, scatter = permutation_test(rows, labels, [0, 1, 2], 200, np.random.default_rng(2))

    def between(order: np.ndarray) -> float:
        means = [rows[order][labels == k].mean(axis=0) - rows.mean(axis=0) for k in range(3)]
        return 4 * float(np.square(means).sum())

    assert scatter == pytest.approx(between(np.arange(12)), rel=1e-12)
    drawn = [between(rng.permutation(12)) >= scatter for _ in range(400)]
    # Two shares of 200 and 400 draws differ by less than 4 standard errors.
    assert abs(own - np.mean(drawn)) < 4 * np.sqrt(0.25 / 200 + 0.25 / 400)


def test_one_cluster_has_no_test() -> None:
    found = inference.test_thinned(NORMAL, KMeans(1, n_init=1), sigma=1.0)
    assert np.isnan(found.p_value)
    assert len(found.pairs) == 0


def test_broken_assumptions_give_a_warning() -> None:
    rng = np.random.default_rng(4)
    with pytest.warns(AssumptionWarning, match="skewed"):
        inference.test_thinned(rng.exponential(size=(60, 5)), KMEANS, n_permutations=9)
    counts = rng.poisson(5 * rng.gamma(1, 1, size=(60, 5)))
    with pytest.warns(AssumptionWarning, match=r"vary .* times as much .*negative_binomial"):
        inference.test_thinned(counts, KMEANS, "poisson", n_permutations=9)
    with pytest.warns(AssumptionWarning, match="raise dispersion"):
        inference.test_thinned(counts, KMEANS, "negative_binomial", dispersion=0.05, n_permutations=9)
    inference.test_thinned(counts, KMEANS, "negative_binomial", dispersion=1.0, n_permutations=9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "gamma"}, "family"),
        ({"share": 1.0}, "share"),
        ({"estimator": []}, "estimator"),
        ({"estimator": type(KMEANS)}, "estimator"),
        ({"n_splits": 0}, "n_splits"),
        ({"n_permutations": 0}, "n_permutations"),
        ({"random_state": -1}, "random_state"),
        ({"family": "poisson"}, "whole numbers"),
        ({"dispersion": 1.0}, "dispersion belongs to family='negative_binomial'"),
        ({"family": "poisson", "sigma": 1.0}, "sigma belongs to family='gaussian'"),
        ({"sigma": 1e300}, "the square of sigma=1e.300 is 0 or infinite"),
        ({"X": ONES, "family": "negative_binomial"}, "needs dispersion"),
        (
            {"X": ONES, "family": "negative_binomial", "dispersion": 0},
            "dispersion must be positive",
        ),
        ({"X": np.full((5, 2), np.nan)}, r"X\[0, 0\] is nan"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        inference.test_thinned(**{"X": NORMAL, "estimator": KMEANS} | options)


def test_counts_of_the_dispersion_that_was_given_seldom_warn() -> None:
    warned = 0
    for seed in range(50):
        g = np.random.default_rng(seed)
        means = g.gamma(3, 3, size=8)
        X = g.negative_binomial(0.5, 1 / (1 + 2 * means), size=(60, 8)).astype(float)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            _warn_of_counts(X, np.zeros(60, int), "negative_binomial", 2)
        warned += len(told)
    assert warned <= 2  # the level is .01

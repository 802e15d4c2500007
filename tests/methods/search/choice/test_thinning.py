"""thin: sums, exact distributions of the folds, independence, shares, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sparsek import thin
from sparsek.methods.search.choice.thinning import FAMILIES

N = 20_000
LEVEL = 1e-4
"""Of every test below: with about 40 fixed samples a right sampler fails one with chance below 0.4 %."""
SAMPLES = {
    "gaussian": (lambda rng: rng.normal(3, 2, (N, 1)), 4.0),
    "poisson": (lambda rng: rng.poisson(6, (N, 1)), None),
    "negative_binomial": (lambda rng: rng.negative_binomial(4, 0.4, (N, 1)), 4.0),
    "binomial": (lambda rng: rng.binomial(20, 0.3, (N, 1)), 20),
    "gamma": (lambda rng: rng.gamma(3, 2.0, (N, 1)), 3.0),
    "exponential": (lambda rng: rng.exponential(2.0, (N, 1)), None),
}
"""Data of each family, and the parameter that thinning knows."""


def law(family: str, share: float) -> stats.rv_continuous:
    """Distribution of a fold with that share."""
    return {
        "gaussian": stats.norm(3 * share, 2 * np.sqrt(share)),
        "poisson": stats.poisson(6 * share),
        "negative_binomial": stats.nbinom(4 * share, 0.4),
        "binomial": stats.binom(20 * share, 0.3),
        "gamma": stats.gamma(3 * share, scale=2.0),
        "exponential": stats.gamma(share, scale=2.0),
    }[family]


def pvalue(values: np.ndarray, family: str, share: float) -> float:
    """P-value of the test that the values have the distribution of a fold: KS, or chi-squared for counts."""
    if not FAMILIES[family].whole:
        return stats.kstest(values, law(family, share).cdf).pvalue
    edges = np.arange(int(values.max()) + 2)
    expected = N * np.append(law(family, share).pmf(edges[:-1]), law(family, share).sf(edges[-2]))
    observed = np.append(np.bincount(values.astype(int), minlength=len(edges) - 1), 0)
    rare = expected < 10  # chi-squared is right for larger counts: these are added to a common one
    observed, expected = (
        part[~rare] + part[rare].sum() * (np.arange((~rare).sum()) == 0) for part in (observed, expected)
    )
    return stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("family", SAMPLES)
@pytest.mark.parametrize("shares", [(0.25, 0.75), (0.5, 0.2, 0.3)])
def test_folds_are_independent_and_have_the_distributions_of_the_family(family, shares):
    make, parameter = SAMPLES[family]
    X = make(np.random.default_rng(0))
    folds = thin(X, family, shares, len(shares), parameter=parameter, random_state=1)
    assert folds.shape == (len(shares), N, 1)
    for fold, share in zip(folds[..., 0], shares, strict=True):
        assert pvalue(fold, family, share) > LEVEL
    for i in range(len(shares)):
        for j in range(i):
            # Counts above or not above the medians; in independent folds the table has independent margins.
            table = np.histogram2d(
                folds[i, :, 0] > np.median(folds[i]), folds[j, :, 0] > np.median(folds[j]), 2
            )
            assert stats.chi2_contingency(table[0]).pvalue > LEVEL
            assert stats.pearsonr(folds[i, :, 0], folds[j, :, 0]).pvalue > LEVEL
            assert stats.pearsonr(folds[i, :, 0] ** 2, folds[j, :, 0] ** 2).pvalue > LEVEL


@pytest.mark.parametrize("family", ["gaussian", "negative_binomial", "gamma"])
def test_folds_with_a_wrong_parameter_are_dependent(family):
    """The tests above can fail: they see a parameter of half the size."""
    make, parameter = SAMPLES[family]
    X = make(np.random.default_rng(0))
    first, second = thin(X, family, parameter=parameter / 2, random_state=1)[..., 0]
    assert stats.pearsonr(first, second).pvalue < LEVEL


def test_rows_with_a_covariance():
    covariance = np.array([[2.0, 1.2, 0.0], [1.2, 1.0, 0.0], [0.0, 0.0, 0.0]])  # singular in the third
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([1.0, 2.0, 3.0], covariance, N)
    first, second, third = folds = thin(
        X, "gaussian", (0.5, 0.3, 0.2), 3, parameter=covariance, random_state=0
    )
    # Standard errors of the covariances are at most 2 / sqrt(N) = 0.014.
    for fold, share in zip(folds, (0.5, 0.3, 0.2), strict=True):
        np.testing.assert_allclose(np.cov(fold.T), share * covariance, rtol=0, atol=0.06)
        np.testing.assert_allclose(fold.mean(axis=0), share * np.array([1.0, 2.0, 3.0]), rtol=0, atol=0.05)
    for one, other in ((first, second), (first, third), (second, third)):
        np.testing.assert_allclose(np.cov(one.T, other.T)[:3, 3:], 0, rtol=0, atol=0.03)


@settings(max_examples=65)
@given(
    st.sampled_from(sorted(SAMPLES)),
    st.integers(2, 5),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_folds_add_up_and_stay_in_the_family(family, n_folds, n, p, seed, holes):
    rng = np.random.default_rng(seed)
    X = {
        "gaussian": lambda: rng.normal(scale=10.0 ** rng.integers(-150, 150), size=(n, p)),
        "poisson": lambda: rng.poisson(10.0 ** rng.integers(0, 12), (n, p)).astype(float),
        "negative_binomial": lambda: rng.negative_binomial(3, 0.1, (n, p)).astype(float),
        "binomial": lambda: rng.binomial(60, 0.5, (n, p)).astype(float),
        "gamma": lambda: rng.gamma(0.01, size=(n, p)) + 1e-300,
        "exponential": lambda: rng.exponential(size=(n, p)) + 1e-300,
    }[family]()
    if holes:
        X[rng.random(X.shape) < 0.3] = np.nan
    parameter = {"gaussian": 1.0, "negative_binomial": 3, "binomial": 60, "gamma": 0.01}.get(family)
    before = X.copy()
    folds = thin(X, family, folds=n_folds, parameter=parameter, random_state=seed)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(np.isnan(folds), np.broadcast_to(np.isnan(X), folds.shape))
    if FAMILIES[family].whole:
        np.testing.assert_array_equal(folds.sum(axis=0), X)
        np.testing.assert_array_equal(folds, np.floor(folds))
    else:
        # The last fold is what the others leave; each addition rounds by half a unit of the largest term.
        largest = np.abs(folds).max(axis=0) + np.abs(X)
        difference = np.abs(folds.sum(axis=0) - X)
        assert (np.isnan(X) | (difference <= 2 * n_folds * np.finfo(float).eps * largest)).all()
    if FAMILIES[family].positive is not None:
        assert not (folds < 0).any()
    np.testing.assert_array_equal(
        thin(X, family, folds=n_folds, parameter=parameter, random_state=seed), folds
    )


def test_parameters_for_features_and_entries():
    X = np.random.default_rng(0).normal(size=(40, 3))
    for parameter in ([1.0, 4.0, 9.0], np.tile([1.0, 4.0, 9.0], (40, 1)), np.diag([1.0, 4.0, 9.0])):
        first = thin(X, "gaussian", parameter=parameter, random_state=0)[0]
        # Noise of a share 1/2 has the standard deviation sigma / 2.
        np.testing.assert_allclose((first - X / 2).std(axis=0), [0.5, 1.0, 1.5], rtol=0.35)


ONES = np.ones((4, 2))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((ONES, "normal"), {}, "'family' parameter of thin must be a str among"),
        ((ONES, "poisson", None, 1), {}, "'folds' parameter of thin must be an int in the range"),
        ((ONES, "poisson", 0.5, 3), {}, "epsilon=0.5 is not one share for each of folds=3"),
        ((ONES, "poisson", (0.5, 0.6)), {}, r"must be in \(0, 1\) and add up to 1; got \[0.5, 0.6\]"),
        ((ONES, "poisson", 1.0), {}, r"must be in \(0, 1\) and add up to 1"),
        ((ONES, "poisson", np.nan), {}, r"must be in \(0, 1\) and add up to 1"),
        ((ONES / 2, "poisson"), {}, "whole numbers from 0 to 2\\^53 only; got 0.5 in row 0, column 0"),
        ((-ONES, "poisson"), {}, "got -1 in row 0, column 0"),
        ((0 * ONES, "exponential"), {}, "positive numbers only; got 0 in row 0, column 0"),
        ((ONES, "poisson"), {"parameter": 2}, "family='poisson' has no parameter; got parameter=2"),
        ((ONES, "gamma"), {}, "family='gamma' needs parameter, its shape"),
        ((ONES, "gaussian"), {"parameter": 0}, "variance or covariance must be positive and finite; got 0"),
        ((ONES, "gaussian"), {"parameter": [1, 2, 3]}, r"have shape \(2,\) or \(4, 2\); got shape \(3,\)"),
        (
            (ONES, "gaussian"),
            {"parameter": [[1, 2], [0, 1]]},
            "covariance matrix must be finite and symmetric",
        ),
        ((ONES, "gaussian"), {"parameter": [[1, 2], [2, 1]]}, "no negative eigenvalue; got -1"),
        ((3 * ONES, "binomial"), {"parameter": 2}, "3 in row 0, column 0 is above the number of trials"),
        ((ONES, "binomial"), {"parameter": 5}, "each fold needs a whole number of trials"),
        ((ONES, "binomial"), {"parameter": 2e9}, "number of trials must be below 1000000000"),
        ((np.full((2, 2), np.inf), "gaussian"), {"parameter": 1}, "infinity"),
    ],
)
def test_bad_values(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        thin(*arguments, **options)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((ONES, "gaussian"), {"parameter": "one"}, "parameter must hold numbers"),
        ((ONES, "poisson", "half"), {}, "epsilon must be a number, or a sequence of numbers"),
    ],
)
def test_bad_types(arguments, options, message):
    with pytest.raises(TypeError, match=message):
        thin(*arguments, **options)

"""datathin: sums and squares of the folds, families, refusals. R's own numbers are in the recorded cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import rcompat
from sparsek.errors import RError, RWarning
from sparsek.rcompat.datathin_package.api import WITHOUT_PARAMETER
from sparsek.rcompat.datathin_package.thinning import THINNINGS, equal_categories, multivariate_hypergeometric
from sparsek.rng import RRandom

X = np.array([[3.0, 5.0], [4.0, 6.0], [2.0, 9.0]])
NEEDS_DATA = set(THINNINGS) - {"normal", "gaussian", "mvnormal", "mvgaussian", "shifted-exponential"}
PARAMETERS = {"negative binomial": 3.0, "gamma": 2.0, "binomial": 30}


@pytest.mark.parametrize("family", ["poisson", "negative binomial", "binomial", "gamma", "exponential"])
@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_folds_add_up(family, n_folds):
    folds = rcompat.datathin(X, family, n_folds, arg=PARAMETERS.get(family), rng=RRandom(1))
    assert folds.shape == (3, 2, n_folds)
    # Sums of a few doubles; counts are exact.
    np.testing.assert_allclose(folds.sum(axis=2), X, rtol=1e-14)


@pytest.mark.parametrize("variance", [1.0, 4.0, 0.3])
@pytest.mark.parametrize("n_folds", [2, 3, 4])
def test_folds_of_normal_entries_add_up(variance, n_folds):
    """To the root of the rounding of an eigenvalue that is 0, here and in R."""
    folds = rcompat.datathin(X, "normal", n_folds, arg=variance, rng=RRandom(1))
    np.testing.assert_allclose(folds.sum(axis=2), X, rtol=0, atol=1e-6)


def test_folds_of_normal_rows_add_up():
    covariance = np.array([[2.0, 1.0], [1.0, 1.0]])
    folds = rcompat.datathin(X, "mvnormal", 3, arg=covariance, rng=RRandom(1))
    np.testing.assert_allclose(folds.sum(axis=2), X, rtol=0, atol=1e-13)  # the last is what is left
    each = np.tile(covariance, (3, 1, 1))
    np.testing.assert_array_equal(rcompat.datathin(X, "mvgaussian", 3, arg=each, rng=RRandom(1)), folds)


def test_squares_of_chi_squared_folds_add_up():
    folds = rcompat.datathin(X, "chi-squared", 3, rng=RRandom(1))
    np.testing.assert_allclose((folds**2).sum(axis=2), X, rtol=1e-14)  # squares of rounded roots


@pytest.mark.parametrize("family", ["shifted-exponential", "scaled-beta", "scaled-uniform"])
def test_one_fold_is_the_entry(family):
    arg = None if family == "scaled-uniform" else 2.0
    folds = rcompat.datathin(X, family, 3, arg=arg, rng=RRandom(1))
    np.testing.assert_array_equal((folds == X[..., None]).sum(axis=2), 1)


def test_a_vector_is_one_column():
    folds = rcompat.datathin([3, 4], "poisson", rng=RRandom(2))
    assert folds.shape == (2, 1, 2)


def test_categories_are_numbered_in_rs_order():
    """With equal weights the lowest uniforms give the second category, and so on, the highest the first."""
    n = 2000
    u = RRandom(5).runif(n)
    for k in (2, 3, 7, 12):
        expected = (np.floor(u * k).astype(int) + 1) % k
        np.testing.assert_array_equal(equal_categories(n, k, RRandom(5)), expected)


def test_the_running_stream_is_used_unless_one_is_given():
    rcompat.set_seed(3)
    first = rcompat.datathin(X, "exponential")
    np.testing.assert_array_equal(rcompat.datathin(X, "exponential", rng=RRandom(3)), first)


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("gamma", {}, "Extra parameter missing."),
        ("other", {}, "Extra parameter missing."),
        ("gamma", {"arg": "a"}, "Non-numeric parameter provided."),
        (
            "gamma",
            {"arg": [1.0, 2.0]},
            "If `arg` is not a scalar, its dimensions must match those of `data`.",
        ),
        ("multinomial", {"arg": [1, 2]}, "Incorrect dimensions for multinomial trials parameter."),
        ("mvnormal", {"arg": np.eye(3)}, "Incorrect dimensions for multivariate normal covariance matrices."),
        ("poisson", {"epsilon": [0.5, 0.6]}, "Epsilon does not sum to 1."),
    ],
)
def test_errors_of_r(family, options, message):
    with pytest.raises(RError) as error:
        rcompat.datathin(X, family, **options)
    assert error.value.r_message == message


@pytest.mark.parametrize(
    ("data", "family", "arg", "message"),
    [
        (X, "other", 1, "Invalid family argument"),
        (-X, "poisson", None, "Poisson data must be non-negative."),
        (X / 7, "poisson", None, "Poisson data must be integer valued."),
        (-X, "binomial", 8, "Binomial data must be non-negative."),
        (X / 7, "multinomial", 8, "Multinomial data must be integer valued."),
        (X, "binomial", 9, "Epsilon implies non-integer thinned population parameters."),
        (X, "negative binomial", 0, "Overdispersion parameter must be positive."),
        (X, "normal", -1, "Variance parameter must be positive."),
        (0 * X, "exponential", None, "Gamma data must be positive."),
        (X, "gamma", 0, "Shape parameter must be positive."),
        (-X, "chi-squared", None, "Chi-squared data must be positive."),
        (-X, "gamma-weibull", 1, "Weibull data must be positive."),
        (X, "weibull", 0, "Scale parameter must be positive."),
        (X + 1, "pareto", np.inf, "Gamma data must be positive."),
        (X / 4, "pareto", 1, "Pareto data must be greater than 1."),
        (X, "shifted-exponential", 0, "Rate parameter must be positive."),
        (-X, "scaled-uniform", None, "Scaled beta data must be positive."),
        (X, "scaled-beta", 0, "First beta parameter must be positive."),
    ],
)
def test_what_r_answers_with_a_printed_text(data, family, arg, message):
    stream = RRandom(1)
    with pytest.raises(RError) as error:
        rcompat.datathin(data, family, arg=arg, rng=stream)
    assert error.value.r_message == message
    assert stream.runif(1) == RRandom(1).runif(1)


@pytest.mark.parametrize("family", sorted(NEEDS_DATA))
def test_missing_values(family):
    x = np.where(X == 9, np.nan, X)
    arg = None if family in WITHOUT_PARAMETER else 1.5
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        rcompat.datathin(x, family, arg=arg)


@given(
    urn=st.lists(st.integers(0, 60), min_size=1, max_size=5), share=st.floats(0, 1), seed=st.integers(0, 99)
)
def test_balls_of_an_urn(urn, share, seed):
    balls = np.array(urn, dtype=float)
    drawn = float(round(share * balls.sum()))
    found = multivariate_hypergeometric(balls, drawn, RRandom(seed))
    assert ((found >= 0) & (found <= balls)).all()
    if len(urn) > 1:
        assert found.sum() == drawn


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_folds_of_rows_have_their_share_of_the_trials(n_folds):
    x = np.array([[30.0, 20, 10], [0, 60, 60], [20, 5, 5]])
    folds = rcompat.datathin(x, "multinomial", n_folds, arg=[60, 120, 30], rng=RRandom(1))
    np.testing.assert_array_equal(folds.sum(axis=2), x)
    np.testing.assert_array_equal(folds.sum(axis=1), np.outer([60, 120, 30], np.full(n_folds, 1 / n_folds)))


def test_trials_that_cannot_be():
    for trials in (8.5, 4, -2):  # of a fold: 4.25, fewer than the count, negative
        with pytest.warns(RWarning, match="NAs produced"):
            folds = rcompat.datathin([[5.0, 2.0]], "binomial", arg=np.array([[trials, 8]]), rng=RRandom(1))
        assert np.isnan(folds[0, 0]).all()
        assert folds[0, 1].sum() == 2
    with pytest.raises(ValueError, match="arg, the number of trials, must be finite"):
        rcompat.datathin(X, "binomial", arg=np.inf)
    with pytest.raises(
        ValueError, match="arg is empty; give one number, or those that family 'binomial' needs"
    ):
        rcompat.datathin(X, "binomial", arg=[])
    with (
        pytest.warns(RWarning, match="K parameter will be ignored"),
        pytest.raises(RError, match="replacement has length zero"),
    ):
        rcompat.datathin(X, "multinomial", arg=30, epsilon=[1.0])


def test_warnings_of_r():
    with pytest.warns(RWarning, match="Extra parameter provided was not used in poisson thinning"):
        rcompat.datathin(X, "poisson", arg=1)
    with pytest.warns(RWarning, match="K parameter will be ignored in favour of the length of epsilon"):
        assert rcompat.datathin(X, "poisson", epsilon=[0.25, 0.25, 0.5]).shape == (3, 2, 3)


def test_parameters_at_the_limits_are_rs() -> None:
    """An infinite overdispersion has no shares, so R gives NaN; of an infinite variance it has no root."""
    stream = RRandom(1)
    folds = rcompat.datathin([[1, 3], [2, 4]], "negative binomial", arg=[[2, 2], [np.inf, 3]], rng=stream)
    np.testing.assert_array_equal(folds.ravel(order="F"), [0, np.nan, 3, 1, 1, np.nan, 0, 3])
    assert stream.runif(1)[0] == pytest.approx(0.9919061, abs=5e-8)  # R's, as printed
    for family, arg in (("normal", np.inf), ("mvnormal", np.full((2, 2), np.nan))):
        with pytest.raises(RError, match=r"^infinite or missing values in 'x' \[give a finite variance"):
            rcompat.datathin([[1.0, 2.0]], family, arg=arg)


def test_a_million_folds_are_the_most():
    with pytest.raises(RError, match="give K from 2 to 1000000; got 1000001"):
        rcompat.datathin([[1.0]], "poisson", K=1_000_001)


def test_powers_beyond_the_largest_number_are_infinite() -> None:
    """As R's, which gives these numbers under this seed."""
    data = np.array([[1.0, 4.0], [2.0, 5.0], [3.0, 6.5]])
    folds = rcompat.datathin(data, family="weibull", arg=1e300, rng=RRandom(1))
    np.testing.assert_allclose(folds[0, 0], [0.1511859, 0.8488141], atol=5e-8)  # R's seven digits
    assert np.isinf(folds).sum() == 10

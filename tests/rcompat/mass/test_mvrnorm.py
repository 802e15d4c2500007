"""R's mvrnorm and rmvnorm: names, errors, the warning about signs, moments."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from sparsek.errors import BlasDependentWarning, RError, RWarning
from sparsek.rcompat import mvrnorm, rmvnorm
from sparsek.rng import RRandom

S = pd.DataFrame([[2.0, 1.0], [1.0, 3.0]], index=["r1", "r2"], columns=["c1", "c2"])
APART = np.diag([4.0, 1.0])


@pytest.fixture
def any_blas():
    """Signs of eigenvectors do not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BlasDependentWarning)
        yield


@pytest.mark.usefixtures("any_blas")
def test_names_are_those_of_the_mean_then_of_sigma():
    mu = pd.Series([1.0, 2.0], index=["a", "b"])
    assert mvrnorm(2, [1, 2], S, rng=RRandom(1)).attributes == {"dimnames": (None, ["r1", "r2"])}
    assert mvrnorm(2, mu, S, rng=RRandom(1)).attributes == {"dimnames": (None, ["a", "b"])}
    assert mvrnorm(1, mu, S, rng=RRandom(1)).attributes == {"names": ["a", "b"]}
    assert rmvnorm(2, mu, S, rng=RRandom(1)).attributes == {"dimnames": (None, ["a", "b"])}
    assert rmvnorm(2, [1, 2], S, rng=RRandom(1)).attributes == {}


def test_signs_that_rest_on_rounding_are_warned_of_where_they_matter():
    equal = np.full((3, 3), 0.5) + np.eye(3)
    with pytest.warns(BlasDependentWarning, match="R's own answer depends on its BLAS"):
        mvrnorm(1, [0, 0, 0], equal, rng=RRandom(1))
    rmvnorm(1, [0, 0, 0], equal, rng=RRandom(1))  # its root has no signs: no warning


def test_moments():
    for x in (mvrnorm(20000, [1, 2], APART, rng=RRandom(1)), rmvnorm(20000, [1, 2], APART, rng=RRandom(1))):
        x = np.asarray(x)
        assert np.abs(x.mean(axis=0) - [1, 2]).max() < 0.06  # four standard errors of 2 / sqrt(20000)
        assert np.abs(np.cov(x.T) - APART).max() < 0.17  # four standard errors of 4 sqrt(2 / 20000)


@pytest.mark.usefixtures("any_blas")
def test_moments_of_the_draws_themselves():
    covariances = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 1.0]])
    x = np.asarray(mvrnorm(7, [1, 2, 3], covariances, empirical=True, rng=RRandom(1)))
    np.testing.assert_allclose(x.mean(axis=0), [1, 2, 3], rtol=1e-14)  # rounding of seven numbers
    np.testing.assert_allclose(np.cov(x.T), covariances, rtol=0, atol=1e-14)  # likewise


def test_axes_without_spread_are_warned_of():
    with pytest.warns(BlasDependentWarning, match="of 2 axes"):
        mvrnorm(2, [1, 2], APART, empirical=True, rng=RRandom(1))


def test_defaults_of_rmvnorm():
    assert (
        rmvnorm(2, sigma=APART, rng=RRandom(1)).tolist() == rmvnorm(2, [0, 0], APART, rng=RRandom(1)).tolist()
    )
    assert (
        rmvnorm(2, [1, 2], rng=RRandom(1)).tolist() == rmvnorm(2, [1, 2], np.eye(2), rng=RRandom(1)).tolist()
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mvrnorm(2, [1], APART), RError, "incompatible arguments"),
        (lambda: mvrnorm(2, [1, 2], -APART), RError, "'Sigma' is not positive definite"),
        (lambda: mvrnorm(2, [1, 2], [[1, np.nan], [0, 1]]), RError, "infinite or missing values in 'x'"),
        (lambda: mvrnorm(0, [1, 2], APART), RError, "non-conformable arguments"),
        (lambda: mvrnorm(-1, [1, 2], APART), RError, "invalid arguments"),
        (lambda: mvrnorm(2.5, [1, 2], APART), ValueError, "n must be a whole number"),
        (lambda: mvrnorm(2, [1, 2]), ValueError, "mu and Sigma must be given"),
        (lambda: mvrnorm(2, [1, 2], APART, EISPACK=True), ValueError, "EISPACK=True is not carried over"),
        (lambda: mvrnorm(0, [1, 2], APART, empirical=True), RError, "a dimension is zero"),
        (
            lambda: mvrnorm(1, [1, 2], APART, empirical=True),
            RError,
            "non-conformable arguments .*needs n of at least 2; got 1",
        ),
        (lambda: rmvnorm(2), ValueError, "give mean or sigma"),
        (lambda: rmvnorm(2, [1, 2], method="chol"), ValueError, 'method must be "eigen"'),
        (lambda: rmvnorm(2, [1, 2, 3], APART), RError, "mean and sigma have non-conforming size"),
        (lambda: rmvnorm(2, [1, 2], [[1, 2], [3, 1]]), RError, "sigma must be a symmetric matrix"),
        (lambda: rmvnorm(2, []), RError, "0 x 0 matrix"),
        (lambda: rmvnorm(2, [1, 2], [[np.inf, 0], [0, 1]]), ValueError, "sigma must be finite"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_sigma_that_is_no_covariance_is_warned_of():
    with pytest.warns(RWarning, match="numerically not positive semidefinite"):
        rmvnorm(2, [1, 2], -APART, rng=RRandom(1))

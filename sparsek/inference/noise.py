"""The noise around the means: known, or estimated from data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2
from sklearn.covariance import ledoit_wolf

from sparsek.inputs.arguments import POSITIVE, names, takes
from sparsek.inputs.containers import as_array, numbers

Array = NDArray[Any]
METHODS = ("median", "sample", "shrunk")
CHI2_MEDIAN = float(chi2.median(1))
MOST_FEATURES = 2000
"""More features than these have no covariance matrix by default: it would take their number squared."""
MOST_EXPONENT = 400
"""Entries of data are scaled, to be squared and added, beyond 2 to this power and below its inverse."""


@takes(method=[names(*METHODS)])
def estimate_sigma(X: ArrayLike, method: str = "median") -> Any:
    r"""Estimate the noise of rows whose means may differ.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, or rows held out from clustering. NaN entries are left out, except by "shrunk".
    method : {"median", "sample", "shrunk"}, default="median"
        "median": one standard deviation for all features, the root of the median of
        :math:`(x_{ij} - \mathrm{median}_j)^2` over the median 0.4549 of a chi-squared variable (Chen and
        Witten 2023), which clusters in few features hardly raise. "sample": the pooled standard deviation of
        the columns, which clusters raise (Gao, Bien and Witten 2022). "shrunk": the covariance matrix of the
        rows, shrunk to a multiple of the identity (Ledoit and Wolf 2004); clusters raise it too.

    Returns
    -------
    float or ndarray of shape (n_features, n_features)
        Standard deviation in the unit of X, or covariance matrix in its square.

    Raises
    ------
    ValueError
        For another method, fewer than two rows, infinite entries, or data whose estimate is 0 or no number.

    See Also
    --------
    test_kmeans : Test two clusters of k-means.
    test_hierarchical : Test two clusters of a hierarchical clustering.

    References
    ----------
    Chen, Y. T. and Witten, D. M. (2023). Selective inference for k-means clustering. JMLR 24(152), Section
    4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.inference import estimate_sigma
    >>> X = np.random.default_rng(0).normal(scale=2, size=(200, 10))
    >>> round(estimate_sigma(X), 1)
    2.0
    """
    data = as_array(numbers(X, "X", holes=True), "X", np.float64)
    if data.ndim != 2 or len(data) < 2 or not data.size:
        raise ValueError(f"X must have at least 2 rows and a column; got shape {data.shape}")
    if np.isinf(data).any():
        raise ValueError("X has infinite entries, beside which there is no noise: leave these rows out")
    if method == "shrunk" and np.isnan(data).any():
        raise ValueError("method='shrunk' needs complete data; X has NaN: use 'median', or impute first")
    data = data[:, ~np.isnan(data).all(axis=0)]  # a column without values tells nothing
    if not data.size:
        raise ValueError("X has no values but NaN, so there is nothing to estimate sigma from")
    # Squares neither overflow nor vanish below and above these sizes.
    exponent = int(np.frexp(np.nanmax(np.abs(data)))[1])
    if abs(exponent) > MOST_EXPONENT:
        return _in_unit(data, exponent, method)
    if method == "shrunk":
        return np.asarray(ledoit_wolf(data)[0])
    if method == "median":
        squares = (data - np.nanmedian(data, axis=0)) ** 2
        # The median of squared normal numbers is that of chi-square with one degree, times the variance.
        sigma = float(np.sqrt(np.nanmedian(squares) / CHI2_MEDIAN))
    else:
        squares = (data - np.nanmean(data, axis=0)) ** 2
        # Each column loses one degree of freedom to its mean.
        freedom = np.count_nonzero(~np.isnan(data)) - data.shape[1]
        sigma = float(np.sqrt(np.nansum(squares) / freedom))
    if not sigma > 0:
        raise ValueError(f"the estimate of sigma by method={method!r} is {sigma}; give sigma as a number")
    return sigma


def _in_unit(data: Array, exponent: int, method: str) -> Any:
    """The estimate for data of extreme size, by data of size 1; ValueError for squares beyond all numbers."""
    found = estimate_sigma(np.ldexp(data, -exponent), method)
    if method != "shrunk":
        return float(np.ldexp(found, exponent))
    with np.errstate(over="ignore", under="ignore"):
        squares = np.ldexp(found, 2 * exponent)
    if not np.isfinite(squares).all() or not (np.diag(squares) > 0).all():
        raise ValueError(
            f"the covariance of X is too large or too small for double precision, with entries near "
            f"2**{exponent}: give X in another unit"
        )
    return squares


@dataclass(frozen=True, slots=True)
class Noise:
    """Law of the noise of a row."""

    sigma: Any  # (p, p): standard deviation of every feature, all independent, or the covariance matrix
    estimated: bool = False  # Whether sigma was estimated on the data themselves

    @property
    def is_isotropic(self) -> bool:
        """Whether sigma is one number."""
        return np.ndim(self.sigma) == 0

    def length(self, difference: Array) -> float:
        """The statistic of a difference of means: its length, after whitening by a full covariance matrix."""
        if self.is_isotropic:
            return float(np.linalg.norm(difference))
        # The length after whitening, sqrt(d' Sigma^-1 d).
        return float(np.sqrt(difference @ np.linalg.solve(self.sigma, difference)))

    def unit(self) -> float:
        """Standard deviation of the statistic for a contrast of length 1."""
        return float(self.sigma) if self.is_isotropic else 1.0

    def feature(self, j: int, n_features: int) -> tuple[float, Array]:
        """Standard deviation of a feature, and how all move with it: its column of the covariance, scaled."""
        if self.is_isotropic:
            return float(self.sigma), np.eye(1, n_features, j)[0]
        variance = self.sigma[j, j]
        # Given a change of feature j by 1, the others change by their regression on it.
        return float(np.sqrt(variance)), self.sigma[:, j] / variance


def resolve_noise(sigma: Any, X: Array) -> Noise:
    """The noise that a caller gives, or names an estimate of; None means `default_method`."""
    if sigma is None or isinstance(sigma, str):
        return Noise(estimate_sigma(X, default_method(X) if sigma is None else sigma), estimated=True)
    if isinstance(sigma, int | float | np.number) and not isinstance(sigma, bool):
        if not POSITIVE.is_satisfied_by(sigma):
            raise ValueError(f"sigma must be positive and finite; got {sigma}")
        return Noise(float(sigma))
    matrix = as_array(numbers(sigma, "sigma"), "sigma", np.float64)
    p = X.shape[1]
    if matrix.shape != (p, p):
        raise ValueError(
            f"sigma must be a number, one of {', '.join(METHODS)}, or a covariance matrix of shape ({p}, "
            f"{p}); got shape {matrix.shape}"
        )
    if not np.allclose(matrix, matrix.T):
        raise ValueError("sigma must be symmetric; pass (sigma + sigma.T) / 2")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if not least > 0:
        raise ValueError(
            f"sigma must be positive definite; its smallest eigenvalue is {least:.3g}: use sigma='shrunk', "
            "or leave out features that others determine"
        )
    return Noise(matrix)


def default_method(X: Array) -> str:
    """The estimate of the noise that holds its level whatever the covariance, where it can be made."""
    return "sample" if np.isnan(X).any() or X.shape[1] > MOST_FEATURES else "shrunk"

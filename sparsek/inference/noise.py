"""The noise around the means: known, or estimated from data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2
from sklearn.covariance import ledoit_wolf

from sparsek.numerics.containers import numbers

Array = NDArray[Any]
METHODS = ("median", "sample", "shrunk")
CHI2_MEDIAN = float(chi2.median(1))
MOST_FEATURES = 2000
"""More features than these have no covariance matrix by default: it would take their number squared."""


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
        For another method, fewer than two rows, or data whose estimate is 0.

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
    data = np.asarray(numbers(X, "X", holes=True), dtype=np.float64)
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    if data.ndim != 2 or len(data) < 2:
        raise ValueError(f"X must have two dimensions and at least 2 rows; got shape {data.shape}")
    if method == "shrunk":
        if np.isnan(data).any():
            raise ValueError("method='shrunk' needs complete data; X has NaN: use 'median', or impute first")
        return np.asarray(ledoit_wolf(data)[0])
    if method == "median":
        squares = (data - np.nanmedian(data, axis=0)) ** 2
        sigma = float(np.sqrt(np.nanmedian(squares) / CHI2_MEDIAN))
    else:
        squares = (data - np.nanmean(data, axis=0)) ** 2
        freedom = np.count_nonzero(~np.isnan(data)) - data.shape[1]
        sigma = float(np.sqrt(np.nansum(squares) / freedom))
    if not sigma > 0:
        raise ValueError(f"the estimate of sigma by method={method!r} is {sigma}; give sigma as a number")
    return sigma


@dataclass(frozen=True, slots=True)
class Noise:
    """Law of the noise of a row.

    Attributes
    ----------
    sigma : float or ndarray of shape (p, p)
        Standard deviation of every feature, all independent, or the covariance matrix.
    estimated : bool
        Whether sigma was estimated on the data themselves.
    """

    sigma: Any
    estimated: bool = False

    @property
    def is_isotropic(self) -> bool:
        """Whether sigma is one number."""
        return np.ndim(self.sigma) == 0

    def length(self, difference: Array) -> float:
        """The statistic of a difference of means: its length, after whitening by a full covariance matrix."""
        if self.is_isotropic:
            return float(np.linalg.norm(difference))
        return float(np.sqrt(difference @ np.linalg.solve(self.sigma, difference)))

    def unit(self) -> float:
        """Standard deviation of the statistic for a contrast of length 1."""
        return float(self.sigma) if self.is_isotropic else 1.0

    def feature(self, j: int, n_features: int) -> tuple[float, Array]:
        """Standard deviation of a feature, and how all move with it: its column of the covariance, scaled."""
        if self.is_isotropic:
            return float(self.sigma), np.eye(1, n_features, j)[0]
        variance = self.sigma[j, j]
        return float(np.sqrt(variance)), self.sigma[:, j] / variance


def resolve_noise(sigma: Any, X: Array) -> Noise:
    """The noise that a caller gives, or names an estimate of; None means `default_method`."""
    if sigma is None or isinstance(sigma, str):
        return Noise(estimate_sigma(X, default_method(X) if sigma is None else sigma), estimated=True)
    if isinstance(sigma, int | float | np.number) and not isinstance(sigma, bool):
        if not 0 < sigma < np.inf:
            raise ValueError(f"sigma must be positive and finite; got {sigma}")
        return Noise(float(sigma))
    matrix = np.asarray(numbers(sigma, "sigma"), dtype=np.float64)
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

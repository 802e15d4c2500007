"""What R's tests of two clusters share: statistic, noise, draws of importance sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.special import gammaln
from scipy.stats import chi2

from sparsek.errors import RError
from sparsek.rcompat.base.data import as_fit, as_flag, as_number
from sparsek.rcompat.base.factors import as_labels
from sparsek.rcompat.base.singular import refuse_singular
from sparsek.rng import RRandom
from sparsek.selective.line import Line, difference_contrast, make_line
from sparsek.selective.tree import EXACT, cut

Array = NDArray[Any]


def used_sigma(sig: Any, estimate: float = 0.0) -> float:
    """The standard deviation of a test, given or else estimated: positive, with a square that is finite."""
    value = estimate if sig is None else as_number(sig, "sig")
    if value > 0 and 0 < value * value < np.inf:
        return value
    if sig is None:
        raise ValueError(
            f"the estimate of sig is {value:g}, because the columns are constant or not finite; give sig as "
            "a positive number"
        )
    raise ValueError(f"sig must be a positive number whose square is finite; got {sig!r}")


def checked_labels(labels: Any, n: int, name: str) -> Array:
    """Labels of n rows; ValueError for anything else."""
    found = as_labels(labels, name)
    if found.shape != (n,):
        raise ValueError(f"{name} must have {n} labels, one for each row of X; got shape {found.shape}")
    return found


def labels_of(function: Callable[[Any], Any], x: Array) -> Array:
    """Labels that a function of the user gives; an error that names it where it fails."""
    try:
        found = function(x)
    except Exception as error:  # the function can raise any error
        raise TypeError(f"cl_fun, called with a matrix of shape {x.shape}, failed: {error}") from error
    return checked_labels(found, len(x), "cl_fun(X)")


def refuse_incomplete(x: Array) -> None:
    """R's error where the conditions of a tree are computed from missing values."""
    if np.isnan(x).any():
        raise RError("missing value where TRUE/FALSE needed", "X has missing values; impute or drop rows")


def checked_tree(hcl: Any, n: int) -> Array:
    """The merges of a tree of n rows as scipy numbers them; ValueError for another number of rows."""
    merges = scipy_merges(as_fit(hcl, {"merge"}, "hcl", "hclust")["merge"])
    if len(merges) + 1 != n:
        raise ValueError(f"hcl is a tree of {len(merges) + 1} rows, and X has {n}; give the X of the tree")
    return merges


def exact_linkage(link: str, *not_complete: str) -> str:
    """The linkage of an exact test, by scipy's name; R's errors, the one for complete linkage as given."""
    if link == "complete":
        raise RError(*not_complete)
    name = "ward" if link == "ward.D" else link
    if name not in EXACT or link == "ward":
        raise RError(
            "Linkage should be 'single', 'average', 'centroid', 'ward.D', 'mcquitty', or 'median'",
            f"got {link!r}",
        )
    return name


def tree_clusters(hcl: Any, K: Any, n: int, pair: tuple[int, int]) -> tuple[Array, int, Array]:
    """The merges of a tree of n rows, how many clusters it is cut to, and their labels; R's errors."""
    k = number_of_clusters(K, n)
    merges = checked_tree(hcl, n)
    labels = cut(merges, k) + 1
    checked_pair(labels, pair)
    return merges, k, labels


class Contrast(NamedTuple):
    """Difference of the means of two clusters, its length, the variance of this, and where it moves rows."""

    difference: Array
    statistic: float
    variance: float
    line: Line


def pooled_sigma(x: Array) -> float:
    """The estimate of the standard deviation that R's packages use: pooled over the columns."""
    n, q = x.shape
    with np.errstate(over="ignore"):
        squares = ((x - x.mean(axis=0)) ** 2).sum()
    return float(np.sqrt(squares / (n * q - q)))


def median_sigma(x: Array) -> float:
    """The estimate of Chen and Witten (2023), from the median of the squared distances to column medians."""
    with np.errstate(over="ignore"):
        middle = np.median((x - np.median(x, axis=0)) ** 2)
    return float(np.sqrt(middle / chi2.ppf(0.5, 1)))


def make_contrast(
    x: Array, labels: Array, pair: tuple[int, int], iso: bool, sig: float | None, inverse: Any
) -> Contrast:
    """The contrast of two clusters, under one variance or a covariance matrix; estimates what is missing."""
    nu = difference_contrast(labels, *pair)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = nu @ x
    variance = float(nu @ nu)
    if as_flag(iso, "iso"):
        with np.errstate(over="ignore"):
            statistic = float(np.sqrt(difference @ difference))
        variance *= used_sigma(sig, pooled_sigma(x) if sig is None else 0.0) ** 2
    else:
        matrix = _inverse_covariance(x) if inverse is None else np.asarray(inverse, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            statistic = float(np.sqrt(difference @ matrix @ difference))
    # R divides by 0 here too, and infinite directions give NaN in what it does next.
    with np.errstate(invalid="ignore"):
        direction = difference / (statistic or np.nan)
    return Contrast(difference, statistic, variance, make_line(x, nu, direction))


def refuse_equal_means(contrast: Contrast, message: str) -> None:
    """R's error where the squared distance of two means is 0, or such that it vanishes or overflows."""
    if contrast.statistic == 0 or np.isinf(contrast.statistic):
        raise RError(
            message,
            "the means of the two clusters are equal, or their squared distance is 0 or infinite: rescale X "
            "and sig",
        )


def covariances(x: Array) -> Array:
    """Covariances of the columns, infinite or missing where they are beyond the largest number."""
    with np.errstate(all="ignore"):
        found: Array = np.atleast_2d(np.cov(x.T))
    return found


def _inverse_covariance(x: Array) -> Array:
    """The inverse of the covariances of the columns; RError as R's where they have none."""
    matrix = covariances(x)
    remedy = (
        "no column may have missing or infinite cells, be constant, or follow from others; or give SigInv"
    )
    if not np.isfinite(matrix).all():
        raise RError("system is computationally singular: reciprocal condition number = 0", remedy)
    refuse_singular(matrix, lapack.dgetrf(matrix)[0], remedy)
    found: Array = np.linalg.inv(matrix)
    return found


def sampled_p(
    x: Array, contrast: Contrast, ndraws: int, rng: RRandom, keeps: Callable[[Array], bool]
) -> tuple[float, float]:
    """P-value and standard error from draws of the statistic; NaN if none keeps the clusters."""
    if ndraws < 0:
        raise RError("invalid arguments", f"ndraws must be at least 1; got {ndraws}")
    scale, q = np.sqrt(contrast.variance), x.shape[1]
    phi = rng.rnorm(ndraws) * scale + contrast.statistic
    push = np.outer(contrast.line.shares, contrast.line.direction)
    found = [value >= 0 and keeps(x + (value - contrast.statistic) * push) for value in phi.tolist()]
    phi = phi[found]
    if not len(phi):
        return float("nan"), float("nan")
    r, z = phi / scale, (phi - contrast.statistic) / scale
    log_chi = -r * r / 2 + (q - 1) * np.log(r) - (q / 2 - 1) * np.log(2) - gammaln(q / 2)
    log_weights = log_chi + z * z / 2 + np.log(2 * np.pi) / 2
    shares = np.exp(log_weights - log_weights.max())
    shares /= shares.sum()
    beyond = phi >= contrast.statistic
    p = float(shares[beyond].sum())
    squares = shares * shares
    return p, float(np.sqrt((1 - p) ** 2 * squares[beyond].sum() + p**2 * squares[~beyond].sum()))


def number_of_clusters(K: Any, n: int) -> int:
    """Number of clusters of a tree of n rows; RError if it is none."""
    number = as_number(K, "K")
    if not (2 <= number <= n and number == int(number)):
        raise RError("number of clusters (K) should be between 2 and n", f"got {K} for n={n}")
    return int(number)


def checked_pair(labels: Array, pair: tuple[int, int]) -> int:
    """Number of clusters; RError for numbers of clusters that are none."""
    k = len(np.unique(labels))
    if not 2 <= k <= len(labels):
        raise RError("number of clusters (K) should be between 2 and n", f"got {k}")
    if not all(1 <= one <= k and one == int(one) for one in pair):
        raise RError("cluster indices should be between 1 and K", f"got {pair[0]} and {pair[1]} for K={k}")
    if pair[0] == pair[1]:
        raise ValueError(f"k1 and k2 must be different; got {pair[0]} twice")
    return k


def preserved(labels: Array, others: Array, pair: tuple[int, int]) -> bool:
    """R's rule: each cluster goes to one new cluster, and the new one of its number comes from one."""
    names = np.unique(others)
    for one in pair:
        if one > len(names):
            return False
        if (
            len(np.unique(others[labels == one])) != 1
            or len(np.unique(labels[others == names[one - 1]])) != 1
        ):
            return False
    return True


def scipy_merges(merge: Any) -> Array:
    """R's merges as scipy numbers them: rows from 0, then the merges."""
    merge = np.asarray(merge, dtype=np.int64)
    n = len(merge) + 1
    merges: Array = np.where(merge < 0, -merge - 1, n + merge - 1)
    return merges

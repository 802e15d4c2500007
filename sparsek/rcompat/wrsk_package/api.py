"""R's ``wrsk`` and the function ``lof`` of R's ``dbscan`` that it uses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import squareform

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.base.data import (
    RList,
    as_matrix,
    as_number,
    as_numbers,
    as_vector,
    real_number,
    shape_of,
)
from sparsek.rcompat.wrsk_package import algorithm as core
from sparsek.rng import RRandom, resolve_rng
from sparsek.starts.biweight import MAX_NEIGHBORS
from sparsek.starts.lof import factors_of_distances, local_outlier_factors
from sparsek.starts.robin import NONE, robin_rows

MOST_CLUSTERS = 10_000
"""Numbers of clusters beyond the number of rows get R's answer up to here."""
LARGEST = 1e150
"""Larger values have infinite squares."""


def wrsk(
    data: ArrayLike,
    k: float,
    s: float,
    iteration: int = 15,
    cutoff: float = 0.5,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Weighted robust sparse k-means as R's ``wrsk::wrsk``: the same answers under the same seed.

    Maximises ``sum_j w_j a_j`` over the partition and the feature weights w, with ``|w|_2 = 1``,
    ``|w|_1 <= s`` and ``w_j >= 0``, where a_j is the between-cluster sum of squares of
    feature j with rows weighted by their local outlier factors.

    Parameters
    ----------
    data : array_like or data frame of shape (n, p)
        Finite numbers, at least 11 rows.
    k : float
        Number of clusters, at least 2 (1 with a single feature fails too); a fraction is cut off.
    s : float
        Bound on the sum of the weights, dimensionless; 1 and less leave one feature.
    iteration : int, default=15
        Largest number of weight steps.
    cutoff : float, default=0.5
        Rows of at most this weight are outliers, dimensionless.
    rng : RRandom, optional
        [stream]
        One index is drawn per weight step and one more.

    Returns
    -------
    RList
        ``clusters`` (n,) from 1; ``outclusters`` (n,), the same with 0 for outliers; ``obsweights`` (n,) in
        [0, 1]; ``varweights`` (p,); ``WBCSS``, the criterion, in squared units of the data.

    Raises
    ------
    RError
        With R's message: fewer than 11 rows, one cluster, a cluster that loses its rows, equal rows that
        leave weights undefined, missing or infinite values.
    ValueError
        `data` with one dimension or beyond 1e150, `s` undefined, `iteration` not a whole number from 1 on.
    TypeError
        `data` sparse, complex, text or objects; another argument not one number.

    See Also
    --------
    sparsek.WeightedRobustSparseKMeans : Sparse k-means that gives outlying rows small weights.
    wrk : R's weighted robust k-means, bit for bit.
    wrskGap : R's gap statistic for `wrsk`.
    ROBIN : R's ROBIN.

    Notes
    -----
    As in R, every weight step starts k-means anew from ROBIN, and ``clusters`` come from one more start after
    the last weight step, so they need not be the partition that the weights were made from. Row names are
    not used (R takes them for row numbers, and fails where they are none).

    References
    ----------
    Brodinova, S., Filzmoser, P., Ortner, T., Breiteneder, C. & Rohm, M. (2019). Robust and sparse k-means
    clustering for high-dimensional data. Advances in Data Analysis and Classification 13, 905-932.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import rnorm, set_seed, wrsk
    >>> set_seed(5)
    >>> x = rnorm(360).reshape(60, 6, order="F")
    >>> x[:30, :2] += 4
    >>> x[0] += 6
    >>> fit = wrsk(x, 2, 1.5)
    >>> np.flatnonzero(fit.outclusters == 0)
    array([ 0, 40, 49, 52])
    >>> fit.varweights.round(3)
    array([0.726, 0.688, 0.002, 0.   , 0.007, 0.009])
    """
    values = wrsk_data(data)
    n_clusters = whole_clusters(k, len(values))
    steps = as_number(iteration, "iteration")
    if not (1 <= steps < math.inf and steps == math.floor(steps)):
        raise ValueError(f"iteration must be a whole number of at least 1; got {iteration!r}")
    limit = real_number(cutoff, "cutoff")
    fit = fit_wrsk(values, n_clusters, real_number(s, "s"), int(min(steps, 2**31)), limit, resolve_rng(rng))
    return wrsk_list(fit, limit)


def wrk(
    data: ArrayLike,
    D: ArrayLike,
    k: float,
    max_iter: float = 30,
    cutoff: float = 0.5,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Weighted robust k-means as R's ``wrsk::wrk``: k-means with means weighted by local outlier factors.

    Parameters
    ----------
    data : array_like or data frame of shape (n, p)
        Finite numbers.
    D : array_like of shape (n (n - 1) / 2,) or (n, n)
        Distances from :func:`dist`, for the start; at least 11 rows.
    k : float
        Number of clusters; 1 only with a single feature.
    max_iter : float, default=30
        Largest number of passes, the last of which only ends the iteration: at least 2.
    cutoff : float, default=0.5
        Rows of at most this weight are outliers, dimensionless.
    rng : RRandom, optional
        R's stream; one index is drawn.

    Returns
    -------
    RList
        ``clusters`` (n,) from 1; ``obsweights`` (n,) in [0, 1]; ``outclusters`` (n,), clusters with 0 for
        outliers; ``WCSS``, unweighted, about the centres before the last update; ``centers`` (k, p), NaN for
        an emptied cluster.

    Raises
    ------
    RError
        With R's message, as `wrsk`; also when the first pass puts all rows in one cluster without outliers.
    ValueError
        `D` undefined, negative or not of the size of `data`; `data` beyond 1e150 or with one dimension.
    TypeError
        As `wrsk`.

    See Also
    --------
    wrsk : R's weighted robust sparse k-means, bit for bit.

    Examples
    --------
    >>> from sparsek.rcompat import dist, rnorm, set_seed, wrk
    >>> set_seed(5)
    >>> x = rnorm(80).reshape(40, 2, order="F")
    >>> x[:20] += 5
    >>> wrk(x, dist(x), 2).clusters[[0, 39]]
    array([1, 2])
    """
    values = wrsk_data(data)
    n_clusters = whole_clusters(k, len(values))
    square, limit = _square(D, len(values)), real_number(cutoff, "cutoff")
    passes = max(1.0, min(real_number(max_iter, "max_iter"), 2.0**31))
    stream = resolve_rng(rng)
    factors = _start_factors(square, MAX_NEIGHBORS)
    reference = stream.unif_index(len(values))
    _require_finite(values)
    _require_clusters(n_clusters)
    rows = _start_rows(square, factors, reference, n_clusters, 1.05)
    fit = core.weighted_kmeans(values, values[rows], max_iter=passes, cutoff=limit)
    return RList(
        {
            "clusters": fit.labels + 1,
            "obsweights": fit.weights,
            "outclusters": np.where(fit.weights <= limit, 0, fit.labels + 1),
            "WCSS": fit.wcss,
            "centers": fit.centers,
        }
    )


def ROBIN(
    D: ArrayLike,
    data: ArrayLike,
    k: float,
    mp: float = 10,
    critRobin: float = 1.05,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Rows to start k-means from, far apart and not outlying, as R's ``wrsk::ROBIN``.

    Parameters
    ----------
    D : array_like of shape (n (n - 1) / 2,) or (n, n)
        Distances, from :func:`dist`.
    data : array_like or data frame of shape (n, p)
        The data; only the number of rows matters.
    k : float
        Number of rows; a fraction is cut off.
    mp : float, default=10
        Neighbours of the local outlier factors, from 1 to n - 1; a fraction is cut off.
    critRobin : float, default=1.05
        Only rows with smaller factors are chosen.
    rng : RRandom, optional
        R's stream; one index is drawn.

    Returns
    -------
    RList
        ``centers`` (k,), row numbers from 1, NaN when no row qualifies; ``lof`` (n,), the factors.

    Raises
    ------
    RError
        With R's message: `mp` out of range, `k` negative or undefined.
    ValueError
        `D` undefined, negative or not of the size of `data`.

    See Also
    --------
    sparsek.init.robin : Rows far from each other that are not outlying.
    lof : R's local outlier factors.

    Examples
    --------
    >>> from sparsek.rcompat import dist, rnorm, set_seed, ROBIN
    >>> set_seed(5)
    >>> x = rnorm(80).reshape(40, 2, order="F")
    >>> ROBIN(dist(x), x, 2).centers.shape
    (2,)
    """
    square = _square(D, len(as_matrix(data, "data").values))
    n_clusters, limit = whole_clusters(k, len(square)), real_number(critRobin, "critRobin")
    stream = resolve_rng(rng)
    factors = _start_factors(square, as_number(mp, "mp"))
    rows = _start_rows(square, factors, stream.unif_index(len(square)), n_clusters, limit)
    centers = np.array([math.nan if row == NONE else row + 1 for row in rows], dtype=np.float64)
    return RList({"centers": centers, "lof": factors})


def lof(x: ArrayLike, minPts: float = 5) -> FloatArray:
    """Local outlier factors, as R's ``dbscan::lof``.

    Parameters
    ----------
    x : array_like of shape (n, p), data frame, or array_like of shape (n (n - 1) / 2,)
        Data; or, with one dimension, distances from :func:`dist`. The two may treat ties differently in the
        last digit, as in R.
    minPts : float, default=5
        Number of neighbours plus one, from 2 to n; a fraction is cut off.

    Returns
    -------
    ndarray of shape (n,)
        Factors, dimensionless.

    Raises
    ------
    RError
        With R's message: missing values, `minPts` out of range.
    ValueError
        Infinite values, values beyond 1e150, a number of distances that no n gives.

    See Also
    --------
    sparsek.init.local_outlier_factors : Local outlier factors of the rows.
    ROBIN : R's ROBIN.

    References
    ----------
    Breunig, M. M., Kriegel, H.-P., Ng, R. T. & Sander, J. (2000). LOF: identifying density-based local
    outliers. SIGMOD 2000, 93-104.

    Examples
    --------
    >>> from sparsek.rcompat import lof
    >>> lof([[0.0], [1.0], [2.0], [9.0]], minPts=3).round(3)
    array([0.875, 1.333, 0.875, 4.375])
    """
    neighbors = as_number(minPts, "minPts") - 1
    if len(shape_of(x, "x")) == 1:
        distances = as_vector(x, "x")
        _require_values(distances, "NAs not allowed in dist for LOF!")
        square = _square(distances, None)
        return _start_factors(square, neighbors)
    values = as_matrix(x).values
    _require_values(values, "NAs not allowed for LOF using kdtree!")
    return local_outlier_factors(values, _neighbors(neighbors, len(values)))


def wrsk_list(fit: core.RobustSparseFit, cutoff: float) -> RList:
    """The result of one fit under R's names."""
    return RList(
        {
            "clusters": fit.labels + 1,
            "outclusters": np.where(fit.row_weights <= cutoff, 0, fit.labels + 1),
            "obsweights": fit.row_weights,
            "varweights": fit.feature_weights,
            "WBCSS": fit.criterion,
        }
    )


def fit_wrsk(
    values: FloatArray, k: int, s: float, iteration: int, cutoff: float, stream: RRandom
) -> core.RobustSparseFit:
    """Fit `wrsk` to checked arguments; R's errors come in R's order."""
    if len(values) > MAX_NEIGHBORS and (k < 1 or not np.isfinite(values).all()):
        stream.unif_index(len(values))
        _require_finite(values)
        _require_clusters(k)
    return core.run_wrsk(values, k, s, max_iter=iteration, cutoff=cutoff, rng=stream)


def wrsk_data(data: Any) -> FloatArray:
    """The data as a matrix."""
    if len(shape_of(data, "data")) == 1:
        raise ValueError(
            "data must be a matrix of n rows and p columns; got one dimension: data.reshape(-1, 1)?"
        )
    values = as_matrix(data, "data").values
    if (np.abs(values[np.isfinite(values)]) > LARGEST).any():
        raise ValueError(f"data must be within {LARGEST:g}, so that squares are finite: rescale them")
    return values


def _require_finite(values: FloatArray) -> None:
    """Raise R's errors about missing or infinite values."""
    if np.isnan(values).any():
        raise RError("NAs not allowed for LOF using kdtree!", "impute or drop the rows with missing values")
    if np.isinf(values).any():
        raise RError(core.UNDEFINED, "data must be finite: drop the rows with infinite values")


def _require_values(values: NDArray[Any], r_message: str) -> None:
    """Raise R's error about missing values; refuse infinite and huge values."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise RError(r_message, "impute or drop missing values")
    if values.dtype.kind == "f" and (np.abs(values) > LARGEST).any():
        raise ValueError(f"x must be within {LARGEST:g}, so that squares are finite")


def _square(D: Any, n: int | None) -> FloatArray:
    """Distances as a symmetric matrix."""
    d = as_numbers(D, "D")
    if d.ndim == 1:
        size = (1 + math.isqrt(1 + 8 * d.size)) // 2
        if size * (size - 1) // 2 != d.size:
            raise ValueError(f"D must hold n (n - 1) / 2 distances; got {d.size}")
        d = squareform(d.astype(np.float64), checks=False)
    if d.ndim != 2 or not np.array_equal(d, d.T) or (d < 0).any() or not np.isfinite(d).all():
        raise ValueError("D must be finite, non-negative and symmetric: take dist(data)")
    if n is not None and len(d) != n:
        raise ValueError(f"D has distances between {len(d)} rows, and data has {n}: take dist(data)")
    return d.astype(np.float64)


def _neighbors(neighbors: float, n: int) -> int:
    """The number of neighbours as an integer, after R's check."""
    if not 1 <= neighbors <= n - 1:
        raise RError(
            "minPts has to be at least 2 and not larger than the number of points",
            f"there are {n} points, and minPts (one more than the neighbours) is {neighbors + 1:g}",
        )
    return int(neighbors)


def _start_factors(square: FloatArray, neighbors: float) -> FloatArray:
    """Local outlier factors of given distances."""
    return factors_of_distances(square, _neighbors(neighbors, len(square)))


def _start_rows(square: FloatArray, factors: FloatArray, reference: int, k: int, limit: float) -> list[int]:
    """Starting rows by ROBIN."""
    if k < 0:
        raise RError("invalid 'length' argument", "k must be a number of clusters")
    return robin_rows(square.__getitem__, factors, reference, k, limit)


def _require_clusters(k: int) -> None:
    """R's errors about numbers of clusters below 1."""
    if k < 1:
        raise RError(
            "invalid 'length' argument" if k < 0 else "subscript out of bounds", "k must be at least 2"
        )


def whole_clusters(k: Any, n: int) -> int:
    """The number of clusters without its fraction; -1 if it is NaN, which R notices only later."""
    number = as_number(k, "k")
    if math.isinf(number):
        raise ValueError(f"k must be finite; got {k!r}")
    if number > max(n, MOST_CLUSTERS):
        raise ValueError(f"k must be at most the number of rows, {n}; got {number:g}")
    return -1 if math.isnan(number) or number <= -1 else int(number)

"""R's kGmedian: recursive k-medians, under R's name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import has_columns
from sparsek.rcompat.base.data import RList, as_matrix, as_number, require_runs, shape_of
from sparsek.rcompat.gmedian.api import as_whole
from sparsek.rcompat.gmedian.recursive_kmedians import kgmedian
from sparsek.rcompat.stats import runs as rkmeans
from sparsek.rng import RRandom, resolve_rng

FloatArray = NDArray[np.float64]


def kGmedian(
    X: Any,
    ncenters: Any = 2,
    gamma: float = 1,
    alpha: float = 0.75,
    nstart: float = 10,
    nstartkmeans: float = 10,
    iter_max: float = 20,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Recursive k-medians clustering, as R's ``kGmedian``, bit for bit.

    One pass over the rows moves the nearest centre towards each row, averaging on the way; the start with the
    smallest sum of sqrt(distance / sqrt(p)) is kept. The result depends on the order of the rows.

    Parameters
    ----------
    X : array_like of shape (n, p), pandas or polars frame
        Finite rows, in any unit.
    ncenters : int or array_like of shape (k, p), default=2
        Number of clusters, or the centres of the first start.
    gamma : float, default=1
        Size of the steps, in units of X.
    alpha : float, default=0.75
        Decay of the steps, dimensionless.
    nstart : int, default=10
        Number of starts: the first from `ncenters` or k-means, the others from random rows.
    nstartkmeans : int, default=10
        Starts of MacQueen's k-means for the first start.
    iter_max : int, default=20
        Its largest number of iterations.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``cluster`` (n, 1) from 1, ``centers`` (k, p), ``withinsrs`` (k, 1), sums of sqrt(distance / sqrt(p)),
        and ``size`` (k, 1).

    Raises
    ------
    RError
        R's errors, among them one column or one centre with several starts.
    TypeError, ValueError
        For input that is not a finite real matrix, or arguments that are not numbers.

    Warns
    -----
    RWarning
        The warnings of R's kmeans.

    See Also
    --------
    sparsek.GeometricKMedians : Clusters around geometric medians.
    Gmedian : R's recursive geometric median.

    Notes
    -----
    The package takes the square root of the distance where the paper has the distance; for the paper's
    algorithm see :class:`sparsek.GeometricKMedians`. Missing values with given centres are refused: R's
    answer is undefined there (deviation GM-2).

    References
    ----------
    Cardot, H., Cenac, P. and Monnez, J.-M. (2012). A fast and recursive algorithm for clustering large
    datasets with k-medians. Computational Statistics & Data Analysis 56, 1434-1449.

    Examples
    --------
    >>> from sparsek.rcompat import kGmedian, set_seed
    >>> set_seed(1)
    >>> kGmedian([[0.0, 0.0], [5.0, 5.0], [0.1, 0.0], [5.1, 5.0]], 2).size.ravel()
    array([2, 2])
    """
    data = as_matrix(X, "X")
    x, stream = data.values, resolve_rng(rng)
    step, decay = as_number(gamma, "gamma"), as_number(alpha, "alpha")
    if not (math.isfinite(step) and math.isfinite(decay)):
        raise ValueError(f"gamma and alpha must be finite; got {gamma} and {alpha}")
    count = as_number(nstart, "nstart")
    first = _first_centers(x, ncenters, nstartkmeans, iter_max, stream)
    if math.isnan(count):
        raise RError("missing value where TRUE/FALSE needed", "nstart must be a number")
    require_runs(count, "nstart")
    k = len(first)
    n_starts = int(max(1.0, count))
    more = _random_starts(x, k, n_starts, stream)
    fit = kgmedian(x, np.concatenate([first[None], more]), step, decay)
    return RList(
        {
            "cluster": fit.labels[:, None] + 1,
            "centers": fit.centers,
            "withinsrs": fit.within[:, None],
            "size": fit.sizes[:, None],
        },
        data.row_names,
        data.column_names,
        {"centers": ([str(j + 1) for j in range(k)], data.column_names)},
    )


def _first_centers(
    x: FloatArray, ncenters: Any, nstartkmeans: Any, iter_max: Any, rng: RRandom
) -> FloatArray:
    """Given centres, or those of R's kmeans by MacQueen's algorithm."""
    if has_columns(ncenters) or isinstance(ncenters, bool):
        raise RError("invalid 'size' argument", "ncenters must be a whole number or an array of centres")
    shape = shape_of(ncenters, "ncenters")
    if len(shape) == 2:
        return _given_centers(x, ncenters)
    if math.prod(shape) != 1:
        raise RError(
            "must have same number of columns in 'x' and 'centers'",
            f"ncenters must be one number or an array of shape (k, {x.shape[1]}); got {shape}",
        )
    starts = as_number(nstartkmeans, "nstartkmeans")
    if math.isnan(starts):
        raise RError("missing value where TRUE/FALSE needed", "nstartkmeans must be a number")
    require_runs(starts, "nstartkmeans")
    if starts < 2 and starts != 1:
        raise RError("argument is of length zero", f"nstartkmeans must be at least 1; got {starts:g}")
    fit = rkmeans.run_kmeans(
        x,
        _cluster_count(as_number(ncenters, "ncenters"), x),
        iter_max=as_whole(iter_max, "iter_max"),
        nstart=int(min(starts, 2**31 - 1)),
        algorithm="MacQueen",
        rng=rng,
    )
    return fit.centers


def _given_centers(x: FloatArray, ncenters: Any) -> FloatArray:
    """A matrix of centres, checked."""
    centers = as_matrix(ncenters, "ncenters").values
    if not (np.isfinite(x).all() and np.isfinite(centers).all()):
        raise ValueError(
            "X and ncenters must be finite: R's answer is undefined with missing or infinite values; "
            "remove or impute them"
        )
    if centers.shape[1] != x.shape[1]:
        raise RError(
            f"subtraction: incompatible matrix dimensions: 1x{x.shape[1]} and 1x{centers.shape[1]}",
            f"ncenters must have the {x.shape[1]} columns of X",
        )
    return centers


def _cluster_count(k: float, x: FloatArray) -> int:
    """The number of clusters as R reads it, or R's error."""
    remedy = f"ncenters must be a whole number from 1 to {len(x)}; got {k:g}"
    if math.isnan(k):
        raise RError("missing value where TRUE/FALSE needed", remedy)
    if k == -math.inf:
        raise RError("vector size cannot be infinite", remedy)
    if k <= -1:
        raise RError("invalid 'size' argument", remedy)
    if k < 1:
        raise RError("length of 'dimnames' [1] not equal to array extent", remedy)
    return int(min(k, 2**31 - 1))


def _random_starts(x: FloatArray, k: int, n_starts: int, rng: RRandom) -> FloatArray:
    """Rows drawn for the starts after the first: (n_starts - 1, k, p)."""
    n, p = x.shape
    if n_starts == 1:
        return np.empty((0, k, p))
    if k == 1 or p == 1:
        rng.sample_int(n, k)
        raise RError(
            "Not a matrix.",
            "R cannot draw more starts with one column or one centre: pass nstart=1",
        )
    if k > n:
        rng.sample_int(n, k)
    return x[rng.sample_sets(n, k, n_starts - 1) - 1]

"""R's ``sparcl``: ``KMeansSparseCluster`` and ``KMeansSparseCluster.permute``, answers and printing."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import FloatArray, long_sum, seq_length
from sparsek.errors import RError
from sparsek.rcompat.base.data import (
    RList,
    RMatrix,
    as_flag,
    as_matrix,
    as_vector,
    real_number,
    require_runs,
    shape_of,
)
from sparsek.rcompat.sparcl.permutations import kmeans_gap
from sparsek.rcompat.sparcl.results import SparseClusterGap, SparseClusters
from sparsek.rcompat.sparcl.sparse_kmeans import Report, SparseFit, quiet, sparse_kmeans_path
from sparsek.rcompat.stats.runs import require_finite
from sparsek.rng import RRandom, resolve_rng

_log = logging.getLogger(__name__)


def KMeansSparseCluster(
    x: ArrayLike,
    K: float | None = None,
    wbounds: ArrayLike | None = None,
    nstart: int = 20,
    silent: bool = False,
    maxiter: float = 6,
    centers: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> SparseClusters:
    """Sparse k-means as R's ``sparcl::KMeansSparseCluster``: the same answers under the same seed.

    Maximises ``sum_j w_j (TSS_j - WCSS_j)`` over the partition and the weights w, with ``|w|_2 <= 1``,
    ``|w|_1 <= wbound`` and ``w_j >= 0``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers.
    K : float, optional
        Number of clusters; `K` or `centers` must be given.
    wbounds : float or array_like of shape (m,), optional
        Bounds on the sum of the weights, each above 1 (dimensionless), used in the given order. Default: 20
        values from 1.1 to sqrt(p).
    nstart : int, default=20
        Random starts of the first k-means; the restarts later on are always 10, as in R.
    silent : bool, default=False
        False logs the progress at level INFO (R prints it, and does so by default).
    maxiter : float, default=6
        Largest number of weight steps per bound.
    centers : array_like of shape (K, p), optional
        Starting centres, in units of the data; nothing is then drawn for the start.
    rng : RRandom, optional

    Returns
    -------
    SparseClusters
        List with one `RList` per bound: ``ws``, ``Cs``, ``wcss``, ``crit``, ``wbound``.

    Raises
    ------
    RError
        With R's message: no or contradicting `K` and `centers`, a bound of 1 or less, more clusters than
        distinct rows, missing or infinite values, undefined weights (one cluster), one non-zero weight only.
    ValueError
        `x` with one dimension, `wbounds` empty or undefined, `nstart` not a whole number of at least 1.
    TypeError
        `x` sparse, complex, text or objects; `K` or `maxiter` not one number.

    Warns
    -----
    RWarning
        What R's k-means warns of.

    See Also
    --------
    sparsek.SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    KMeansSparseCluster_permute : R's choice of the bound, bit for bit.
    RSKC : R's robust sparse k-means, bit for bit.

    Notes
    -----
    As in R, the partition of one bound starts the next, so results depend on the order of `wbounds`, and the
    bound holds only approximately; below a scale of about 1e-5 it does not hold at all.

    References
    ----------
    Witten, D. M. & Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105, 713-726,
    Section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import KMeansSparseCluster, set_seed
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> set_seed(1)
    >>> KMeansSparseCluster(x, K=3, wbounds=1.5).print()
    Wbound is  1.5 :
    Number of non-zero weights:  5
    Sum of weights:  1.450404
    Clustering:  1 1 1 2 2 1 3 3 3 3 3 3
    <BLANKLINE>
    """
    matrix = _data(x)
    p = matrix.values.shape[1]
    start = _start(K, centers, p)
    bounds = seq_length(1.1, math.sqrt(p), 20) if wbounds is None else _bounds(wbounds)
    if bounds.min() <= 1:
        raise RError("wbounds should be greater than 1", f"the smallest is {bounds.min():g}: use larger ones")
    fits = sparse_kmeans_path(
        matrix.values,
        bounds.tolist(),
        start,
        n_init=_whole(nstart, "nstart"),
        max_iter=real_number(maxiter, "maxiter"),
        rng=resolve_rng(rng),
        report=_reporter("bound", silent),
    )
    return SparseClusters(_entry(fit, matrix) for fit in fits)


def KMeansSparseCluster_permute(
    x: ArrayLike,
    K: float | None = None,
    nperms: int = 25,
    wbounds: ArrayLike | None = None,
    silent: bool = False,
    nvals: int = 10,
    centers: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> SparseClusterGap:
    """Choose the bound by permutation, as R's ``sparcl::KMeansSparseCluster.permute``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers, at least two rows.
    K : float, optional
        Number of clusters; `K` or `centers` must be given.
    nperms : int, default=25
        Number of permuted data sets.
    wbounds : array_like of shape (m,), optional
        At least two bounds above 1. Default: `nvals` values from 1.2 to 0.9 sqrt(p), equally spaced in the
        logarithm.
    silent : bool, default=False
        False logs the progress at level INFO.
    nvals : int, default=10
        Number of default bounds.
    centers : array_like of shape (K, p), optional
        Starting centres, used for the permuted data too.
    rng : RRandom, optional

    Returns
    -------
    SparseClusterGap
        Mapping with ``tots``, ``permtots``, ``nnonzerows``, ``gaps``, ``sdgaps``, ``wbounds``, ``bestw``.

    Raises
    ------
    RError
        With R's message: fewer than two bounds, a bound of 1 or less, and everything that
        `KMeansSparseCluster` raises.
    ValueError
        `nperms` or `nvals` not a whole number of at least 1, fewer than two rows.

    Warns
    -----
    RWarning
        What R's k-means warns of.

    See Also
    --------
    sparsek.PermutationGap : Choose parameters by the permutation gap statistic.
    KMeansSparseCluster : R's sparse k-means, bit for bit.

    References
    ----------
    Witten, D. M. & Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105, 713-726,
    Section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import KMeansSparseCluster_permute, set_seed
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> set_seed(1)
    >>> KMeansSparseCluster_permute(x, K=2, nperms=3, nvals=3).print()
    Tuning parameter selection results for Sparse K-means Clustering:
      Wbound # Non-Zero W's Gap Statistic Standard Deviation
    1 1.2000              2        0.2168             0.2440
    2 1.6265              5        0.2758             0.2505
    3 2.2045              5        0.2758             0.2505
    Tuning parameter that leads to largest Gap statistic:  1.626484
    """
    data = _data(x).values
    p = data.shape[1]
    bounds = _default_grid(p, _whole(nvals, "nvals")) if wbounds is None else _bounds(wbounds)
    if bounds.min() <= 1:
        raise RError(
            "Wbounds should be greater than 1, since otherwise only one weight will be nonzero.",
            f"the smallest is {bounds.min():g}: use values above 1",
        )
    if len(bounds) < 2:
        raise RError("Wbounds should be a vector of at least two elements.", "got one: give more bounds")
    start = _start(K, centers, p)
    if len(data) < 2:
        raise ValueError("x must have at least 2 rows to be permuted; got 1")
    fit = kmeans_gap(
        data,
        bounds.tolist(),
        start,
        n_permutations=_whole(nperms, "nperms"),
        rng=resolve_rng(rng),
        report=_reporter("permutation", silent),
    )
    return SparseClusterGap(
        {
            "tots": fit.objectives,
            "permtots": fit.permuted,
            "nnonzerows": fit.n_nonzero,
            "gaps": fit.gaps,
            "sdgaps": fit.deviations,
            "wbounds": bounds,
            "bestw": fit.best_bound,
        }
    )


def _data(x: Any) -> RMatrix:
    """The data as a matrix; values that are not finite are refused later, by k-means, as in R."""
    if len(shape_of(x, "x")) == 1:
        raise ValueError("x must be a matrix of n rows and p columns; got one dimension: x.reshape(-1, 1)?")
    return as_matrix(x)


def _start(K: float | None, centers: ArrayLike | None, p: int) -> float | FloatArray:
    """Number of clusters or matrix of centres, after R's checks of both."""
    if centers is None:
        if K is None:
            raise RError("Must provide either K or centers.", "K is the number of clusters")
        k = real_number(K, "K")
        if k < 1:
            no_clusters = "number of cluster centres must lie between 1 and nrow(x)"
            raise RError(
                "invalid 'size' argument" if k <= -1 else no_clusters, f"K must be 1 or more; got {k:g}"
            )
        if k == math.inf:
            raise RError("more cluster centers than distinct data points.", "K must be finite")
        return k
    matrix = as_matrix(centers, "centers").values
    if K is not None and len(matrix) != K:
        raise RError(
            "If K and centers both are provided, then nrow(centers) must equal K!!!",
            f"K is {K} and centers has {len(matrix)} rows: leave one of them out",
        )
    if matrix.shape[1] != p:
        raise RError(
            "If centers is provided, then ncol(centers) must equal ncol(x).",
            f"centers has {matrix.shape[1]} columns and x has {p}",
        )
    require_finite(matrix, "centers", 1)
    return matrix


def _bounds(wbounds: ArrayLike) -> FloatArray:
    """The given bounds as a vector."""
    bounds = as_vector(wbounds, "wbounds")
    if bounds.size == 0 or np.isnan(bounds).any():
        raise ValueError(f"wbounds must be a number or a vector of numbers above 1; got {wbounds!r}")
    return bounds


def _default_grid(p: int, nvals: int) -> FloatArray:
    """Bounds from 1.2 to 0.9 sqrt(p), equally spaced in the logarithm."""
    logs = seq_length(elementary.log(1.2), elementary.log(0.9 * math.sqrt(p)), nvals)
    return np.array([elementary.exp(v) for v in logs])


def _whole(value: Any, name: str) -> int:
    """A whole number of at least 1."""
    number = real_number(value, name)
    if not 1 <= number < math.inf or number != math.floor(number):
        raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}")
    require_runs(number, name)
    return int(number)


def _reporter(what: str, silent: bool) -> Report:
    """Function that logs the progress, or does nothing when silent."""
    return quiet if as_flag(silent, "silent") else lambda done, due: _log.info("%s %d of %d", what, done, due)


def _entry(fit: SparseFit, matrix: RMatrix) -> RList:
    """One bound's result under R's names."""
    names = matrix.row_names, matrix.column_names
    features = dict.fromkeys(("ws", "wcss.perfeature", "bcss.perfeature"), matrix.column_names)
    sums = RList(
        {
            "wcss.perfeature": fit.within,
            "wcss": long_sum(fit.within),
            "wcss.ws": long_sum(fit.within * fit.weights),
            "bcss.perfeature": fit.between,
        },
        *names,
        features,
    )
    fields: dict[str, Any] = {"ws": fit.weights, "Cs": fit.labels + 1, "wcss": sums}
    fields |= {"crit": fit.objective, "wbound": fit.l1_bound}
    return RList(fields, *names, {**features, "Cs": matrix.row_names})

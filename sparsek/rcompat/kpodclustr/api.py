"""R's package kpodclustr: k-means of data with missing values by k-POD."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_matrix, as_number, require_entries, require_runs, shape_of
from sparsek.rcompat.kpodclustr import algorithm as core
from sparsek.rcompat.stats.api_kmeans import LARGEST_SIZE, centers_argument, vector_size
from sparsek.rng import RRandom, resolve_rng

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DISCARDED = 20
"""Discarded k-means runs of every iteration, kpodclustr's default of `max_iter`."""
SIZES = "Please select positive values for p, n, and k."
SHARE = "Please select a missingness percentage between 0 and 1."
NO_TRUTH = "missing value where TRUE/FALSE needed"

logger = logging.getLogger("sparsek")


def findMissing(X: ArrayLike) -> IntArray:
    """Positions of the missing cells, as kpodclustr's ``findMissing(X)``.

    Parameters
    ----------
    X : array_like of shape (n, p) or (n,), or a data frame
        Real data, NaN where missing.

    Returns
    -------
    ndarray of int64
        Positions from 1, column by column, increasing.

    Raises
    ------
    TypeError, ValueError
        For input that is not a real matrix or vector.

    See Also
    --------
    initialImpute : Fill the missing cells with the overall mean.
    kpod : R's k-POD, bit for bit.

    Examples
    --------
    >>> from sparsek.rcompat import findMissing
    >>> findMissing([[1.0, float("nan")], [float("nan"), 4.0]])
    array([2, 3])
    """
    return np.flatnonzero(np.isnan(as_matrix(X, "X").values.T)) + 1


def initialImpute(X: ArrayLike) -> FloatArray:
    """Fill every missing cell with the mean of all observed cells, as kpodclustr's ``initialImpute(X)``.

    Parameters
    ----------
    X : array_like of shape (n, p) or (n,), or a data frame
        Real data, NaN where missing.

    Returns
    -------
    ndarray of the shape of X
        A filled copy, in the unit of X; all NaN when nothing is observed.

    Raises
    ------
    TypeError, ValueError
        For input that is not a real matrix or vector.

    See Also
    --------
    findMissing : Positions of the missing cells.
    kpod : R's k-POD, bit for bit.

    Notes
    -----
    One number fills all cells: standardise columns of different units first.

    Examples
    --------
    >>> from sparsek.rcompat import initialImpute
    >>> initialImpute([[1.0, float("nan")], [2.0, 6.0]])
    array([[1., 3.],
           [2., 6.]])
    """
    filled = core.fill_with_mean(as_matrix(X, "X").values)
    return filled[:, 0] if len(shape_of(X, "X")) == 1 else filled


def kmpp(X: ArrayLike, k: int, *, rng: RRandom | None = None) -> FloatArray:
    """Draw k-means++ seeds, as kpodclustr's ``kmpp(X, k)``.

    Parameters
    ----------
    X : array_like of shape (n, p) or a data frame
        Finite real data without missing values.
    k : int
        Number of seeds, at least 2, a fraction counted as the integer below.
    rng : RRandom, optional

    Returns
    -------
    ndarray of shape (k, p), or (k,) for one column
        Rows of X, in its unit.

    Raises
    ------
    RError
        R's errors: fewer than two seeds, fewer than k distinct rows, missing or infinite values, a vector.
    TypeError, ValueError
        For input that is not a real matrix.

    See Also
    --------
    kpod : R's k-POD, bit for bit.
    sparsek.init.kmeans_plus_plus : K-means++.

    References
    ----------
    Arthur & Vassilvitskii (2007), k-means++: the advantages of careful seeding, SODA, 1027-1035.

    Examples
    --------
    >>> from sparsek.rcompat import kmpp, set_seed
    >>> set_seed(1)
    >>> kmpp([[1.0], [1.1], [5.0], [5.2]], 2)
    array([1. , 5.2])
    """
    x = as_matrix(X, "X").values
    seeds = _seeds(x, len(shape_of(X, "X")), k, resolve_rng(rng))
    return seeds[:, 0] if x.shape[1] == 1 else seeds


def _seeds(x: FloatArray, dimensions: int, k: Any, rng: RRandom) -> FloatArray:
    """Seeds (k, p), after R's checks of k and of the number of dimensions."""
    size = as_number(k, "k")
    vector_size(size, "k", "invalid 'length' argument")
    _refuse_vector(dimensions)
    seeds: FloatArray = x[core.seed_rows(x, _colon(2, size)[-1], rng)[0]]
    return seeds


def _refuse_vector(dimensions: int) -> None:
    """R's error for a vector in the place of a matrix."""
    if dimensions == 1:
        raise RError("argument of length 0", "X must be a matrix; got a vector: reshape it to one column")


def _colon(start: int, stop: float) -> range:
    """R's ``start:stop``."""
    distance = abs(stop - start)
    if distance >= LARGEST_SIZE:
        raise RError("result would be too long a vector", f"got {stop:g}")
    count = int(distance + 1.0 + 2.0**-23)  # R allows for rounding
    step = 1 if start <= stop else -1
    return range(start, start + step * count, step)


def _is_true(flag: Any, name: str) -> bool:
    """R's ``if (flag == TRUE)``."""
    if isinstance(flag, str):
        return flag == "TRUE"
    value = as_number(flag, name)
    if math.isnan(value):
        raise RError(NO_TRUTH, f"{name} must be True or False; got {flag!r}")
    return value == 1.0


def assign_clustpp(
    X: ArrayLike,
    init_centers: Any,
    kmpp_flag: bool = True,
    max_iter: int = DISCARDED,
    *,
    rng: RRandom | None = None,
) -> RList:
    """K-means, then further runs from new starts, as kpodclustr's ``assign_clustpp``.

    Parameters
    ----------
    X : array_like of shape (n, p) or a data frame
        Finite real data without missing values.
    init_centers : int or array_like of shape (k, p)
        Starting centres, or the number of clusters (random distinct rows start).
    kmpp_flag : bool, default=True
        Whether further runs from k-means++ seeds follow. See Notes.
    max_iter : int, default=20
        Number of further runs; m below 1 counts as the length of R's ``1:m``.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``clusts`` (n,) from 1, ``obj`` (the total sum of squares, squared units of X), ``centers`` (k, p),
        ``fit`` (share of the sum of squares between clusters, dimensionless).

    Raises
    ------
    RError
        R's errors: those of ``kmeans`` and of :func:`kmpp`.
    TypeError, ValueError
        For input that is not a real matrix.

    Warns
    -----
    RWarning
        R's warnings, those of the further runs included.

    See Also
    --------
    kpod : R's k-POD, bit for bit.
    kmpp : Draw k-means++ seeds.

    Notes
    -----
    The package compares the total sums of squares, which are equal for all runs: no further run is ever
    accepted. They change the state of the stream and give warnings, which are reproduced.

    Examples
    --------
    >>> from sparsek.rcompat import assign_clustpp
    >>> assign_clustpp([[1.0], [1.1], [5.0], [5.2]], [[1.0], [5.0]]).clusts
    array([1, 1, 2, 2])
    """
    data, stream = as_matrix(X, "X"), resolve_rng(rng)
    x = data.values
    found = core.kmeans_of_filled(x, centers_argument(init_centers, x), stream)
    if _is_true(kmpp_flag, "kmpp_flag"):
        runs = as_number(max_iter, "max_iter")
        if math.isnan(runs):
            raise RError("NA/NaN argument", f"max_iter must be a number; got {max_iter!r}")
        count = len(_colon(1, runs))
        require_runs(count, "max_iter")
        _refuse_vector(len(shape_of(X, "X")))
        core.run_discarded(x, len(found.centers), stream, count)
    fields = {"clusts": found.labels + 1, "obj": found.totss, "centers": found.centers, "fit": found.fit}
    clusters = [str(k + 1) for k in range(len(found.centers))]
    names = {"clusts": data.row_names, "centers": (clusters, data.column_names)}
    return RList(fields, data.row_names, data.column_names, names)


def kpod(
    X: ArrayLike, k: int, kmpp_flag: bool = True, maxiter: int = 100, *, rng: RRandom | None = None
) -> RList:
    """K-means of data with missing values, as kpodclustr's ``kpod(X, k, kmpp_flag, maxiter)``, bit for bit.

    Minimises ``sum_{observed (i, j)} (x_ij - c_{g(i) j})^2`` over labels g and centres c: missing cells are
    filled from their rows' centres, and k-means starts again from the last centres, until no label changes.

    Parameters
    ----------
    X : array_like of shape (n, p) or a data frame
        Real data, NaN where missing, in any unit.
    k : int
        Number of clusters, from 2 to n - 1.
    kmpp_flag : bool, default=True
        Whether each iteration also runs k-means from 20 k-means++ starts. The answer is the same; see Notes.
    maxiter : int, default=100
        Largest number of iterations; there is no warning when it is reached.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``cluster`` (n,) from 1, ``cluster_list`` (labels of every iteration), ``obj_vals`` (criterion of
        every iteration, squared units of X; 0 when nothing is missing), ``fit`` and ``fit_list``
        (1 - within / total sum of squares of the filled data, dimensionless).

    Raises
    ------
    RError
        R's errors, with its message: k out of range, fewer than k distinct rows, infinite values, a `maxiter`
        below 2 that is not enough.
    TypeError, ValueError
        For input that is not a real matrix.

    Warns
    -----
    RWarning
        R's warnings of every k-means run, those of the 20 starts included.

    See Also
    --------
    sparsek.KPod : K-means of data with missing values.
    kmpp : Draw k-means++ seeds.
    initialImpute : Fill the missing cells with the overall mean.

    Notes
    -----
    The 20 starts are compared by their total sums of squares, which are equal, so none is ever accepted; only
    their draws and warnings remain. :class:`sparsek.KPod` chooses among starts by the criterion above.

    References
    ----------
    Chi, Chi & Baraniuk (2016), k-POD: a method for k-means clustering of missing data, The American
    Statistician 70, 91-99.

    Examples
    --------
    >>> from sparsek.rcompat import kpod, set_seed
    >>> nan = float("nan")
    >>> set_seed(1)
    >>> kpod([[1, 2], [nan, 2.2], [1.2, nan], [7, 8], [nan, 8.1], [7.3, nan]], 2).cluster
    array([1, 1, 1, 2, 2, 2])
    """
    data, stream = as_matrix(X, "X"), resolve_rng(rng)
    limit = as_number(maxiter, "maxiter")
    vector_size(limit, "maxiter", "invalid 'length' argument")
    centers = _seeds(core.fill_with_mean(data.values), len(shape_of(X, "X")), k, stream)

    def discard(filled: FloatArray, n_clusters: int) -> None:
        if _is_true(kmpp_flag, "kmpp_flag"):
            core.run_discarded(filled, n_clusters, stream, DISCARDED)

    path = core.run_kpod(data.values, centers, _colon(2, limit), discard, stream)
    fits = np.array([step.fit for step in path])
    labels = [step.labels + 1 for step in path]
    return RList(
        {
            "cluster": labels[-1],
            "cluster_list": labels,
            "obj_vals": np.array([step.objective for step in path]),
            "fit": float(fits[-1]),
            "fit_list": fits,
        },
        data.row_names,
        data.column_names,
    )


def makeData(
    p: int,
    n: int,
    k: int,
    sigma: float,
    missing: float,
    seed: int | None = 12345,
    *,
    rng: RRandom | None = None,
) -> RList | None:
    """Simulate clustered data with missing values, as kpodclustr's ``makeData``.

    Each row is one of k standard normal centres plus normal noise. Then cells are drawn *with* replacement
    and made missing.

    Parameters
    ----------
    p, n, k : int
        Numbers of columns, rows and clusters.
    sigma : float
        Standard deviation of the noise (kpodclustr's manual calls it the variance).
    missing : float
        Draws of cells to lose, as a share of all cells, from 0 to 1; cells can be drawn twice.
    seed : int or None, default=12345
        Seeds the stream anew, whatever its state, as R does; None takes fresh entropy.
    rng : RRandom, optional

    Returns
    -------
    RList or None
        ``Orig`` (n, p), ``Missing`` (the same with NaN), ``truth`` (n,) from 1. As in R, None where a size
        is not positive or `missing` is outside [0, 1]; R's message goes to the logger "sparsek" as a warning.

    Raises
    ------
    RError
        For NaN among the sizes or as `missing`, and for an invalid seed.
    ValueError
        For sizes that are not whole numbers, where R returns matrices of wrong shapes.
    TypeError
        For arguments that are not numbers.

    See Also
    --------
    kpod : R's k-POD, bit for bit.

    Examples
    --------
    >>> from sparsek.rcompat import makeData
    >>> makeData(5, 50, 3, 0.15, 0.2).truth[:5]
    array([3, 1, 2, 1, 2])
    """
    stream = resolve_rng(rng)
    sizes = {name: as_number(value, name) for name, value in (("p", p), ("n", n), ("k", k))}
    noise, share = as_number(sigma, "sigma"), as_number(missing, "missing")
    if any(value <= 0 for value in sizes.values()):
        logger.warning(SIZES)
        return None
    if any(math.isnan(value) for value in (*sizes.values(), share)):
        raise RError(NO_TRUTH, "p, n, k and missing must be numbers; got NaN")
    if not 0 <= share <= 1:
        logger.warning(SHARE)
        return None
    if any(value != int(value) if math.isfinite(value) else True for value in sizes.values()):
        raise ValueError(f"p, n and k must be whole numbers; got p={p}, n={n}, k={k}")
    require_entries("the data", sizes["n"], sizes["p"])
    require_entries("the centres", sizes["k"], sizes["p"])
    return _simulate(int(sizes["p"]), int(sizes["n"]), int(sizes["k"]), noise, share, seed, stream)


def _simulate(p: int, n: int, k: int, sigma: float, share: float, seed: int | None, rng: RRandom) -> RList:
    """Draw in R's order: centres, labels, noise, lost cells."""
    rng.seed(seed)
    means = rng.rnorm(k * p).reshape((k, p), order="F")
    truth = rng.sample_int(k, n, True)
    complete = means[truth - 1] + sigma * rng.rnorm(n * p).reshape((n, p), order="F")
    lost = rng.sample_int(n * p, int(n * p * share), True) - 1
    partial = complete.copy(order="F")
    partial.ravel(order="K")[lost] = np.nan
    return RList({"Orig": complete, "Missing": np.ascontiguousarray(partial), "truth": truth})

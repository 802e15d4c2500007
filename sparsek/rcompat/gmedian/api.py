"""R's Gmedian: geometric medians and median covariation matrices, under R's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.errors import RError
from sparsek.inputs.containers import has_columns
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, as_number, require_runs, shape_of
from sparsek.rcompat.gmedian import medians as core

FloatArray = NDArray[np.float64]

RECYCLED = "number of columns of result is not a multiple of vector length (arg 1)"


def Gmedian(
    X: Any,
    init: Any = None,
    gamma: float = 2,
    alpha: float = 0.75,
    nstart: float = 2,
    epsilon: float = 1e-8,
) -> FloatArray:
    """Geometric median by an averaged stochastic gradient, as R's ``Gmedian``, bit for bit.

    Approximates the point that minimises ``sum_i |x_i - m|``. The result depends on the order of the rows.

    Parameters
    ----------
    X : array_like of shape (n, p), pandas or polars frame
        Rows, in any unit. A row with a missing or infinite value is passed over.
    init : array_like of shape (p,) or (m, p), optional
        Starting point, put before the rows; by default the first row is the starting point.
    gamma : float, default=2
        Size of the steps, in units of X.
    alpha : float, default=0.75
        Row i makes a step of size ``gamma i^-alpha``; dimensionless.
    nstart : int, default=2
        Number of passes over the rows; each continues from the end of the one before.
    epsilon : float, default=1e-8
        Rows nearer than this to the current point do not move it, units of X.

    Returns
    -------
    ndarray of shape (1, p)
        The median, units of X.

    Raises
    ------
    RError
        R's error, when a matrix `init` has another number of columns.
    TypeError, ValueError
        For input that is not a real matrix, or arguments that are not numbers.

    Warns
    -----
    RWarning
        R's warning, when a vector `init` is recycled with a remainder.

    See Also
    --------
    Weiszfeld : R's geometric median by Weiszfeld's iteration.
    GmedianCov : R's recursive median covariation matrix.

    References
    ----------
    Cardot, H., Cenac, P. and Zitt, P.-A. (2013). Efficient and fast estimation of the geometric median in
    Hilbert spaces with an averaged stochastic gradient algorithm. Bernoulli 19, 18-43.

    Examples
    --------
    >>> from sparsek.rcompat import Gmedian
    >>> Gmedian([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]], nstart=1).round(6)
    array([[0.669927, 0.483363]])
    """
    x = as_matrix(X, "X").values
    median = core.gmedian(
        _with_init(x, init),
        as_number(gamma, "gamma"),
        as_number(alpha, "alpha"),
        _passes(nstart),
        as_number(epsilon, "epsilon"),
    )
    return median[None]


def Weiszfeld(X: Any, weights: Any = None, epsilon: float = 1e-8, nitermax: float = 100) -> RList:
    """Geometric median by Weiszfeld's iteration, as R's ``Weiszfeld``, bit for bit.

    Minimises ``sum_i w_i |x_i - m|``; a row that meets the current point gets weight 0 there, so that the
    iteration can stop at a point that is not the minimum.

    Parameters
    ----------
    X : array_like of shape (n, p), pandas or polars frame
        Rows, in any unit.
    weights : array_like of shape (n,), optional
        Weights of the rows, dimensionless; all 1 by default. More than n are cut off.
    epsilon : float, default=1e-8
        Stop when a step, divided by the square root of p, is at most this, units of X.
    nitermax : int, default=100
        Largest number of iterations.

    Returns
    -------
    RList
        ``median`` (1, p), units of X, and ``iter``, the number of iterations.

    Raises
    ------
    RError
        R's error, when there are fewer weights than rows.
    TypeError, ValueError
        For input that is not a real matrix, or arguments that are not numbers.

    See Also
    --------
    Gmedian : R's recursive geometric median.
    WeiszfeldCov : R's median covariation matrix by Weiszfeld's iteration.

    References
    ----------
    Weiszfeld, E. (1937). Sur le point pour lequel la somme des distances de n points donnes est minimum.
    Tohoku Mathematical Journal 43, 355-386.

    Examples
    --------
    >>> from sparsek.rcompat import Weiszfeld
    >>> Weiszfeld([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [1.0, -1.0]]).iter
    1
    """
    x = as_matrix(X, "X").values
    median, n_iter = core.weiszfeld(
        x, _weights(weights, len(x)), as_number(epsilon, "epsilon"), as_whole(nitermax, "nitermax")
    )
    return RList({"median": median[None], "iter": n_iter})


def GmedianCov(
    X: Any,
    init: Any = None,
    nn: Any = True,
    scores: float = 2,
    gamma: float = 2,
    gc: float = 2,
    alpha: float = 0.75,
    nstart: float = 1,
) -> RList:
    """Median covariation matrix by an averaged stochastic gradient, as R's ``GmedianCov``.

    Parameters
    ----------
    X : array_like of shape (n, p)
        Rows, in any unit; R refuses data frames and vectors here.
    init : array_like of shape (p,) or (m, p), optional
        Starting point of the median, see :func:`Gmedian`.
    nn : bool, default=True
        Keep the matrix non-negative definite by limiting the steps.
    scores : int, default=2
        Number of eigenvectors to return, 0 for none.
    gamma, gc : float, default=2
        Sizes of the steps for the median and for the matrix.
    alpha : float, default=0.75
        Decay of the steps, dimensionless.
    nstart : int, default=1
        Number of passes.

    Returns
    -------
    RList
        ``median`` (1, p), ``covmedian`` (p, p), squared units of X; with scores > 0 also ``scores``
        (n, scores), ``vectors`` (p, scores) and ``sdev`` (scores,), tau scales of the scores.

    Raises
    ------
    RError
        R's errors: fewer than 3 columns, more scores than columns, a matrix that is not finite.
    TypeError, ValueError
        For input that is not a real matrix, or arguments that are not numbers.

    Warns
    -----
    RWarning
        R's warnings: all eigenvalues requested, a recycled `init`.

    See Also
    --------
    WeiszfeldCov : R's median covariation matrix by Weiszfeld's iteration.
    Gmedian : R's recursive geometric median.

    Notes
    -----
    The median and the matrix equal R's bit for bit. Eigenvectors come from another solver: they agree with
    R's within rounding and up to sign; here the entry of largest size in each is positive (deviation GM-1).

    References
    ----------
    Cardot, H. and Godichon-Baggioni, A. (2017). Fast estimation of the median covariation matrix with
    application to online robust principal components analysis. TEST 26, 461-480.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import GmedianCov
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) * [3, 1, 1, 1]
    >>> int(np.abs(GmedianCov(X, scores=1).vectors).argmax())
    0
    """
    if has_columns(X):
        raise RError(
            "Not compatible with requested type: [type=list; target=double].",
            "R takes no data frame here: pass np.asarray(X)",
        )
    if len(shape_of(X, "X")) == 1:
        raise RError("Not a matrix.", "X has one dimension: pass an array of shape (n, p)")
    x = as_matrix(X, "X").values
    decay, passes = as_number(alpha, "alpha"), _passes(nstart)
    median = core.gmedian(_with_init(x, init), as_number(gamma, "gamma"), decay, passes, 1e-8)
    matrix = core.median_covariation(x, median, as_number(gc, "gc"), decay, passes, as_flag(nn, "nn"))
    fields: dict[str, Any] = {"median": median[None], "covmedian": matrix}
    axes = _axes(x, median, matrix, scores)
    return RList({**fields, **{name: axes[name] for name in ("scores", "vectors", "sdev") if axes}})


def WeiszfeldCov(
    X: Any, weights: Any = None, scores: float = 2, epsilon: float = 1e-8, nitermax: float = 100
) -> RList:
    """Median covariation matrix by Weiszfeld's iteration, as R's ``WeiszfeldCov``.

    Minimises ``sum_i w_i |z_i z_i' - M|`` in Frobenius norm, z_i the rows less their geometric median.

    Parameters
    ----------
    X : array_like of shape (n, p), pandas or polars frame
        Rows, in any unit.
    weights : array_like of shape (n,), optional
        Weights of the rows, dimensionless; all 1 by default.
    scores : int, default=2
        Number of eigenvectors to return, 0 for none.
    epsilon : float, default=1e-8
        Stop when a step is at most this (of the matrix: divided by p).
    nitermax : int, default=100
        Largest number of iterations; 0 gives a matrix of zeros.

    Returns
    -------
    RList
        ``median`` (1, p), ``covmedian`` (p, p), with scores > 0 also ``scores`` (n, scores), ``sdev``
        (scores,) and ``vectors`` (p, scores), then ``iterm`` and ``itercov``, the numbers of iterations.

    Raises
    ------
    RError
        R's errors: fewer weights than rows, fewer than 3 columns, more scores than columns, a matrix that is
        not finite.
    TypeError, ValueError
        For input that is not a real matrix, or arguments that are not numbers.

    Warns
    -----
    RWarning
        R's warning when all eigenvalues are requested.

    See Also
    --------
    GmedianCov : R's recursive median covariation matrix.
    Weiszfeld : R's geometric median by Weiszfeld's iteration.

    Notes
    -----
    As for :func:`GmedianCov`: all fields equal R's bit for bit but for the eigenvectors and what follows from
    them (deviation GM-1).

    References
    ----------
    Cardot, H. and Godichon-Baggioni, A. (2017). Fast estimation of the median covariation matrix with
    application to online robust principal components analysis. TEST 26, 461-480.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import WeiszfeldCov
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) * [3, 1, 1, 1]
    >>> int(np.abs(WeiszfeldCov(X, scores=1).vectors).argmax())
    0
    """
    data = as_matrix(X, "X")
    x = data.values
    w = _weights(weights, len(x))
    tolerance, limit = as_number(epsilon, "epsilon"), as_whole(nitermax, "nitermax")
    median, n_median = core.weiszfeld(x, w, tolerance, limit)
    matrix, n_matrix = core.weiszfeld_covariation(x, median, w, tolerance, limit)
    fields: dict[str, Any] = {"median": median[None], "covmedian": matrix}
    axes = _axes(x, median, matrix, scores)
    fields |= {name: axes[name] for name in ("scores", "sdev", "vectors") if axes}
    fields |= {"iterm": n_median, "itercov": n_matrix}
    return RList(fields, data.row_names, data.column_names, {"scores": (data.row_names, None)})


def _with_init(x: FloatArray, init: Any) -> FloatArray:
    """The starting point put before the rows; a vector is recycled to their width, as by R's rbind."""
    shape = (0,) if init is None else shape_of(init, "init")
    if math.prod(shape) == 0:
        return x
    if len(shape) == 2:
        rows = as_matrix(init, "init").values
        if rows.shape[1] != x.shape[1]:
            raise RError(
                "number of columns of matrices must match (see arg 2)",
                f"init has {rows.shape[1]} columns, X has {x.shape[1]}",
            )
        return np.concatenate([rows, x])
    vector, p = as_matrix(init, "init").values[:, 0], x.shape[1]
    if len(vector) > p or p % len(vector):
        warn_as_r(RECYCLED)
    return np.concatenate([np.resize(vector, p)[None], x])


def _weights(weights: Any, n: int) -> FloatArray:
    """The weights as a vector, 1 for each row by default."""
    if weights is None:
        return np.ones(n)
    return as_matrix(weights, "weights").values.ravel(order="F")


def _passes(nstart: Any) -> int:
    """The number of passes over the rows."""
    passes = as_whole(nstart, "nstart")
    require_runs(passes, "nstart")
    return passes


def as_whole(value: Any, name: str) -> int:
    """A whole number, truncated as R does; NA counts as not positive.

    Raises TypeError when it is not one real number.
    """
    number = as_number(value, name)
    return int(max(min(number, 2**31 - 1), -(2**31))) if not math.isnan(number) else -1


def _axes(x: FloatArray, median: FloatArray, matrix: FloatArray, scores: Any) -> dict[str, FloatArray]:
    """Eigenvectors, scores and their tau scales; empty when none are asked for."""
    count, p = as_number(scores, "scores"), len(matrix)
    if math.isnan(count):
        raise RError("missing value where TRUE/FALSE needed", "scores must be a number")
    if count == 0:
        return {}
    if p < 3:
        raise RError("dimension of 'A' must be at least 3", f"X has {p} columns: pass scores=0")
    if not 0 < count <= p:
        raise RError("'k' must satisfy 0 < k < nrow(A)", f"scores must be from 0 to {p}; got {scores}")
    if count < 1:
        raise RError(
            "nev must satisfy 1 <= nev <= n - 1, n is the size of matrix",
            f"scores must be 0 or more; got {scores}",
        )
    message = "TridiagEigen: eigen decomposition failed"
    if count == p:
        warn_as_r("all eigenvalues are requested, eigen() is used instead")
        message = "infinite or missing values in 'x'"
    if not np.isfinite(matrix).all():
        raise RError(message, "the median covariation matrix is not finite: look for missing or equal rows")
    vectors = core.principal_axes(matrix, int(count))
    with np.errstate(over="ignore", invalid="ignore"):
        projected = (x - median) @ vectors
        sdev = np.array([core.scale_tau2(column) for column in projected.T])
    return {"scores": projected, "vectors": vectors, "sdev": sdev}

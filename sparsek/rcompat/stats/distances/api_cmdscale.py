"""R's ``cmdscale``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.lapack.symmetric_eigen import symmetric_eigen, warn_unsettled
from sparsek.bits.ordered_arithmetic import FloatArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, dimnames_of
from sparsek.rcompat.base.data import RList, RMatrix, as_flag, as_matrix, as_number, dimensions
from sparsek.rcompat.stats.distances.api_dist import Dist
from sparsek.rcompat.stats.distances.api_dist import as_matrix as matrix_of


def cmdscale(
    d: ArrayLike,
    k: float = 2,
    eig: bool = False,
    add: bool = False,
    x_ret: bool = False,
    list_: bool | None = None,
) -> Any:
    """Classical multidimensional scaling, as R's ``cmdscale``.

    Parameters
    ----------
    d : Dist of n objects, or array_like or data frame of shape (n, n)
        Distances.
    k : int, default=2
        Number of dimensions, below n.
    eig : bool, default=False
        Whether the eigenvalues are given.
    add : bool, default=False
        Must be False: R's additive constant is not carried over.
    x_ret : bool, default=False
        Whether the centred squares of the distances are given.
    list_ : bool, optional
        Whether the result is a list; by default if `eig` or `x_ret`.

    Returns
    -------
    RArray of shape (n, k) or RList
        Coordinates in the unit of d, with the names of the objects; fewer columns than k where fewer
        eigenvalues are positive. Or a list: ``points``, these; ``eig`` (n,), the eigenvalues, decreasing, in
        the squared unit; ``x`` (n, n), the centred squares; ``ac``, 0; ``GOF`` (2,), the shares that the
        dimensions have of the sum of the absolute and of the positive eigenvalues, dimensionless.

    Raises
    ------
    RError
        With R's message: missing or infinite distances, a matrix that is not square, or k out of range.
    ValueError
        `add` is True.
    TypeError
        For anything but real numbers.

    Warns
    -----
    RWarning
        With R's message, where fewer than k eigenvalues are positive, or what was asked for needs a list.
    BlasDependentWarning
        As of :func:`eigen`.

    See Also
    --------
    eigen : Eigenvalues and eigenvectors, whose signs and bits these are.
    prcomp : The same points from data.

    References
    ----------
    Gower, J. C. (1966). Some distance properties of latent root and vector methods used in multivariate
    analysis. Biometrika 53, 325-338.

    Examples
    --------
    >>> from sparsek.rcompat import cmdscale, dist
    >>> found = cmdscale(dist([[0, 0], [1, 1], [7, 4], [1, 2], [6, 9]]), k=1, eig=True)
    >>> found.GOF.round(3)
    array([0.902, 0.902])
    """
    wanted = {"eig": as_flag(eig, "eig"), "x.ret": as_flag(x_ret, "x_ret")}
    if as_flag(add, "add"):
        raise ValueError("add must be False: R's additive constant is not carried over")
    as_list = any(wanted.values()) if list_ is None else as_flag(list_, "list_")
    data = _distances(d)
    for name in (name for name, flag in wanted.items() if flag and not as_list):
        warn_as_r(f"{name}=TRUE is disregarded when list.=FALSE")
    if data.values.shape[0] != data.values.shape[1]:
        message = "distances must be result of 'dist' or a square matrix"
        raise RError(message, f"d has shape {data.values.shape}")
    n, most = len(data.values), _dimensions(k, len(data.values))
    with np.errstate(over="ignore", under="ignore"):
        centred = _centred(np.square(data.values))
    if not np.isfinite(centred).all():
        raise RError("infinite or missing values in 'x'", "drop objects with infinite distances")
    found = symmetric_eigen(-centred / 2)
    chosen = found.values[:most]
    positive = int((chosen > 0).sum())
    if positive < most:
        warn_as_r(f"only {positive} of the first {most} eigenvalues are > 0")
        chosen = chosen[chosen > 0]
    warn_unsettled(found.unsettled[found.unsettled < len(chosen)], len(chosen), "dimensions")
    points = RArray(
        found.vectors[:, : len(chosen)] * np.sqrt(chosen), dimnames=dimnames_of(data.row_names, None)
    )
    if not as_list:
        return points
    with np.errstate(invalid="ignore", divide="ignore"):
        totals = np.array([long_sum(np.abs(found.values)), long_sum(np.maximum(found.values, 0))])
        shares = long_sum(chosen) / totals
    return RList(
        {
            "points": points,
            "eig": found.values if wanted["eig"] else None,
            "x": centred.reshape(n, n) if wanted["x.ret"] else None,
            "ac": 0.0,
            "GOF": shares,
        }
    )


def _distances(d: Any) -> RMatrix:
    """The distances of all pairs, with the names of the objects."""
    if isinstance(d, Dist):
        labels = d.attributes.get("Labels")
        data = RMatrix(np.asarray(matrix_of(d)), labels, None)
    elif dimensions(d, "d") < 2:
        raise RError("distances must be result of 'dist' or a square matrix", "d is a vector")
    else:
        data = as_matrix(d, "d")
    if np.isnan(data.values).any():
        raise RError("NA values not allowed in 'd'", "drop objects with missing distances")
    return data


def _dimensions(k: Any, n: int) -> int:
    """The number of dimensions."""
    number = as_number(k, "k")
    if not math.isfinite(number):
        raise RError("missing value where TRUE/FALSE needed", f"k must be a number; got {k!r}")
    if not 1 <= math.trunc(number) <= n - 1:
        raise RError("'k' must be in {1, 2, ..  n - 1}", f"n is {n}; got {k!r}")
    return math.trunc(number)


def _centred(squares: FloatArray) -> FloatArray:
    """The squares without the means of the rows, then without those of the columns; sums one by one."""
    n = len(squares)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        rows = squares - (np.cumsum(squares, axis=1)[:, -1] / n)[:, None]
        columns: FloatArray = rows - np.cumsum(rows, axis=0)[-1] / n
    return columns

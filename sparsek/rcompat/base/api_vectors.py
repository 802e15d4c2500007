"""R's ``mean``, ``sum``, ``cumsum``, ``matrix``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    between_places,
    long_mean,
    long_median,
    long_running_sums,
    long_sum,
)
from sparsek.errors import RError
from sparsek.inputs.containers import as_array, has_columns
from sparsek.rcompat.base.arrays import RArray, names_of
from sparsek.rcompat.base.data import as_number, as_numbers, as_vector, require_entries

LARGEST = 2**31 - 1
"""Largest number of rows or columns."""


def mean(x: ArrayLike, trim: float = 0, na_rm: bool = False, **dots: Any) -> float:
    """Mean of all numbers, as R's ``mean``.

    Parameters
    ----------
    x : array_like
        Real numbers; a matrix counts as one vector.
    trim : float, default=0
        Share of the numbers that is left out at each end; from 0.5 on the median is given.
    na_rm : bool, default=False
        Whether missing values are left out.
    **dots : object
        R's ``...``: ignored, as by R.

    Returns
    -------
    float
        The mean, in the unit of x; NaN where nothing is left.

    Raises
    ------
    RError
        With R's message: `trim` is not one number.
    TypeError
        For complex numbers, sparse matrices and other objects.

    Warns
    -----
    RWarning
        With R's message, for text and data frames; the mean is NaN then.

    Examples
    --------
    >>> mean([1, 2, 9])
    4.0
    """
    if has_columns(x) or as_array(x, "x").dtype.kind in "US":
        warn_as_r("argument is not numeric or logical: returning NA")
        return math.nan
    values = np.ravel(as_numbers(x, "x"), order="F")
    share = as_array(trim, "trim")
    if share.dtype.kind not in "iuf" or share.size != 1:
        raise RError("'trim' must be numeric of length one", f"got {trim!r}")
    if na_rm is True or (isinstance(na_rm, np.bool_) and na_rm):
        values = values[~np.isnan(values)]
    return _trimmed_mean(values, float(share.reshape(())))


def _trimmed_mean(values: FloatArray, share: float) -> float:
    """Mean of a vector without the given share at each end."""
    n = len(values)
    if math.isnan(share):
        raise RError("missing value where TRUE/FALSE needed", "trim must not be missing")
    if n == 0:
        return -math.nan  # printed as NaN, as what a processor makes of 0 / 0
    if share > 0 and np.isnan(values).any():
        return math.nan
    with np.errstate(invalid="ignore", over="ignore"):
        if share >= 0.5:
            return long_median(values)
        if share > 0:
            drop = math.floor(n * share)
            values = between_places(values, drop, n - drop - 1)
        return long_mean(values)


def sum(*x: Any, na_rm: bool = False) -> float:
    """Sum of all numbers, as R's ``sum`` of doubles: the numbers of each argument, then these sums.

    Parameters
    ----------
    *x : array_like or data frame
        Real numbers.
    na_rm : bool, default=False
        Whether missing values are left out; a missing `na_rm` means yes, as in R.

    Returns
    -------
    float
        The sum, in the unit of x; 0 of nothing.

    Raises
    ------
    RError
        With R's message, for text and for data frames with other columns than numbers.
    TypeError
        For other objects that are not real numbers.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> rcompat.sum([1, 2, 9])
    12.0
    """
    drop_missing = bool(as_number(na_rm, "na_rm"))
    total = 0.0
    for part in x:
        if as_array(part, "x").dtype.kind in "US":
            raise RError("invalid 'type' (character) of argument", "give numbers")
        try:
            values = np.ravel(as_numbers(part, "x"), order="F")
        except TypeError as error:
            if not has_columns(part):
                raise
            message = "only defined on a data frame with all numeric-alike variables"
            raise RError(message, str(error)) from error
        with np.errstate(invalid="ignore", over="ignore"):
            total += long_sum(values[~np.isnan(values)] if drop_missing else values)
    return total


def cumsum(x: ArrayLike) -> RArray:
    """Running sums, as R's ``cumsum`` of doubles.

    Parameters
    ----------
    x : array_like
        Real numbers; a matrix is read column by column.

    Returns
    -------
    RArray of shape (n,)
        The sums, in the unit of x, with the names of x; from the first missing value on NaN.

    Raises
    ------
    TypeError
        For anything but real numbers.
    ValueError
        For a data frame.

    Examples
    --------
    >>> cumsum([1, 2, 4])
    RArray([1., 3., 7.])
    """
    if has_columns(x):
        raise ValueError("x is a data frame; give one of its columns, or np.asarray(x) for all numbers")
    return RArray(long_running_sums(np.ravel(as_numbers(x, "x"), order="F")), names=names_of(x))


def matrix(
    data: ArrayLike | None = None, nrow: Any = None, ncol: Any = None, byrow: Any = False
) -> FloatArray:
    """Fill a matrix, as R's ``matrix``: column by column, the numbers again and again.

    Parameters
    ----------
    data : array_like, optional
        Real numbers; a matrix is read column by column. Without any, the matrix is filled with NaN.
    nrow, ncol : int, optional
        Numbers of rows and columns; fractions are cut off. The one that is left out is just large enough for
        the data; without both there is one column.
    byrow : bool, default=False
        Whether the matrix is filled row by row.

    Returns
    -------
    ndarray of shape (nrow, ncol)
        The matrix.

    Raises
    ------
    RError
        With R's message: `nrow`, `ncol` or `byrow` is invalid.
    TypeError
        `data` are not real numbers.
    ValueError
        The matrix would need 16 GB or more.

    Warns
    -----
    RWarning
        With R's message, where the numbers do not fill the matrix evenly.

    Examples
    --------
    >>> matrix([1, 2, 3, 4, 5, 6], 2)
    array([[1., 3., 5.],
           [2., 4., 6.]])
    """
    values = np.ravel(as_numbers(math.nan if data is None else data, "data"), order="F")
    by_row = _first(byrow, "byrow", "invalid 'byrow' argument")
    if math.isnan(by_row):
        raise RError("invalid 'byrow' argument", "byrow must be True or False")
    rows, columns = _extents(len(values), _extent(nrow, "nrow"), _extent(ncol, "ncol"))
    require_entries("the matrix", rows, columns)
    message = _uneven(len(values), rows, columns)
    if message:
        warn_as_r(message)
    filled = _repeated(values if len(values) else np.array([math.nan]), rows * columns)
    return filled.reshape((rows, columns), order="C" if by_row else "F")


def _repeated(values: FloatArray, n: int) -> FloatArray:
    """The numbers one after the other, again and again, in one array of n."""
    filled = np.empty(n)
    whole = n - n % len(values)
    filled[:whole].reshape(-1, len(values))[:] = values
    filled[whole:] = values[: n - whole]
    return filled


def _first(value: Any, name: str, message: str) -> float:
    """The first entry of an argument; R's message where it has none or is not a number."""
    try:
        vector = as_vector(value, name)
    except TypeError as error:
        raise RError(message, str(error)) from error
    return float(vector[0]) if len(vector) else math.nan


def _extent(value: Any, name: str) -> int | None:
    """A number of rows or columns; None where it is left out."""
    if value is None:
        return None
    number = _first(value, name, "non-numeric matrix extent")
    if abs(number) > LARGEST:
        warn_as_r("NAs introduced by coercion to integer range")
    if not abs(number) <= LARGEST:
        raise RError(f"invalid '{name}' value (too large or NA)", f"{name} must be a number; got {value!r}")
    if math.trunc(number) < 0:
        raise RError(f"invalid '{name}' value (< 0)", f"got {value!r}")
    return math.trunc(number)


def _extents(size: int, rows: int | None, columns: int | None) -> tuple[int, int]:
    """Both extents of a matrix for so many numbers."""
    if rows is None and columns is None:
        return size, 1
    if rows is not None and columns is not None:
        return rows, columns
    given = columns if rows is None else rows
    if given == 0 and size:
        raise RError("data is too long", f"{size} numbers do not fit into a matrix without entries")
    other = -(-size // given) if given else 0
    return (other, given or 0) if rows is None else (rows, other)


def _uneven(size: int, rows: int, columns: int) -> str:
    """R's warning about numbers that do not fill a matrix evenly, or nothing."""
    if size > 1 and rows * columns % size:
        for extent, name in ((rows, "rows"), (columns, "columns")):
            if max(size, extent) % min(size, extent):
                text = "is not a sub-multiple or multiple of the number of"
                return f"data length [{size}] {text} {name} [{extent}]"
        return f"data length differs from size of matrix: [{size} != {rows} x {columns}]"
    return "non-empty data for zero-extent matrix" if size > 1 and rows * columns == 0 else ""

"""R's ``colMeans``, ``colSums``, ``rowMeans``, ``rowSums``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.column_sums import column_means, column_sums
from sparsek.rcompat.base.data import as_number, as_numeric_matrix, as_vector, dimensions


def colSums(x: ArrayLike, na_rm: Any = False, dims: float = 1) -> RArray:
    """Sums of the columns, as R's ``colSums``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real data.
    na_rm : bool, default=False
        Whether missing values are left out; a column without others has the sum 0.
    dims : int, default=1
        Number of dimensions that are rows: 1 for a matrix.

    Returns
    -------
    RArray of shape (p,)
        The sums, in the unit of the column, with the names of a frame's columns.

    Raises
    ------
    RError
        With R's message: x is a vector or not numeric, `na_rm` or `dims` is invalid.
    ValueError
        For an empty matrix or more than two dimensions.

    Examples
    --------
    >>> colSums([[1, 2], [3, 5]])
    RArray([4., 7.])
    """
    return _of_columns(x, na_rm, dims, averaged=False)


def colMeans(x: ArrayLike, na_rm: Any = False, dims: float = 1) -> RArray:
    """Means of the columns, as R's ``colMeans``.

    The sums are divided once, so that a mean may differ from R's ``mean`` in the last digit.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real data.
    na_rm : bool, default=False
        Whether missing values are left out; the mean of a column without others is NaN.
    dims : int, default=1
        Number of dimensions that are rows: 1 for a matrix.

    Returns
    -------
    RArray of shape (p,)
        The means, in the unit of the column, with the names of a frame's columns.

    Raises
    ------
    RError, ValueError
        As `colSums`.

    Examples
    --------
    >>> colMeans([[1, 2], [3, 5]])
    RArray([2. , 3.5])
    """
    return _of_columns(x, na_rm, dims, averaged=True)


def rowSums(x: ArrayLike, na_rm: Any = False, dims: float = 1) -> RArray:
    """Sums of the rows, as R's ``rowSums``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real data in one unit.
    na_rm : bool, default=False
        Whether missing values are left out; a row without others has the sum 0.
    dims : int, default=1
        Number of dimensions that are rows: 1 for a matrix.

    Returns
    -------
    RArray of shape (n,)
        The sums, in the unit of x, with the names of a frame's rows.

    Raises
    ------
    RError, ValueError
        As `colSums`.

    Examples
    --------
    >>> rowSums([[1, 2], [3, 5]])
    RArray([3., 8.])
    """
    return _of_rows(x, na_rm, dims, averaged=False)


def rowMeans(x: ArrayLike, na_rm: Any = False, dims: float = 1) -> RArray:
    """Means of the rows, as R's ``rowMeans``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real data in one unit.
    na_rm : bool, default=False
        Whether missing values are left out; the mean of a row without others is NaN.
    dims : int, default=1
        Number of dimensions that are rows: 1 for a matrix.

    Returns
    -------
    RArray of shape (n,)
        The means, in the unit of x, with the names of a frame's rows.

    Raises
    ------
    RError, ValueError
        As `colSums`.

    Examples
    --------
    >>> rowMeans([[1, 2], [3, 5]])
    RArray([1.5, 4. ])
    """
    return _of_rows(x, na_rm, dims, averaged=True)


def _of_columns(x: Any, na_rm: Any, dims: Any, averaged: bool) -> RArray:
    """Sums or means of the columns."""
    drop_missing = _check(x, na_rm, dims)
    data = as_numeric_matrix(x)
    compute = column_means if averaged else column_sums
    return RArray(compute(data.values, drop_missing), names=data.column_names)


def _of_rows(x: Any, na_rm: Any, dims: Any, averaged: bool) -> RArray:
    """Sums or means of the rows."""
    drop_missing = _check(x, na_rm, dims)
    data = as_numeric_matrix(x)
    compute = column_means if averaged else column_sums
    return RArray(compute(data.values.T, drop_missing), names=data.row_names)


def _check(x: Any, na_rm: Any, dims: Any) -> bool:
    """Refuse vectors and wrong arguments in R's words; whether missing values are left out."""
    if dimensions(x, "x") < 2:
        raise RError("'x' must be an array of at least two dimensions", "give a matrix or a data frame")
    try:
        rows = as_number(dims, "dims")
    except TypeError as error:
        raise RError("invalid 'dims'", str(error)) from error
    if np.isnan(rows):
        raise RError("missing value where TRUE/FALSE needed", "dims must be 1")
    if rows != 1:
        raise RError("invalid 'dims'", f"a matrix has dims=1; got {dims!r}")
    try:
        first = as_vector(na_rm, "na_rm")[:1]
    except (TypeError, ValueError):
        first = np.empty(0)
    if not len(first) or np.isnan(first[0]):
        raise RError("invalid 'na.rm' argument", f"na_rm must be True or False; got {na_rm!r}")
    return bool(first[0])

"""R's ``sweep`` and ``prop.table``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.api_table import RTable
from sparsek.rcompat.base.arrays import RArray, dimnames_of, like
from sparsek.rcompat.base.data import as_flag, as_matrix, as_number, as_numbers, as_vector, dimensions

OPERATORS: dict[str, Callable[..., Any]] = {
    "-": np.subtract,
    "+": np.add,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
"""R's operators by name."""


def sweep(
    x: ArrayLike,
    MARGIN: float,
    STATS: ArrayLike,
    FUN: str | Callable[..., Any] = "-",
    check_margin: bool = True,
    **dots: Any,
) -> RArray:
    """Take a number from each row or column, as R's ``sweep`` of a matrix.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real numbers.
    MARGIN : {1, 2}
        Whether rows, 1, or columns, 2, have a number each.
    STATS : array_like of shape (n,) or (p,)
        The numbers, recycled.
    FUN : {"-", "+", "*", "/", "^"} or callable, default="-"
        What to do: a function takes two matrices of the shape of x.
    check_margin : bool, default=True
        Whether to warn where `STATS` does not fit.
    **dots : object
        Further arguments of `FUN`.

    Returns
    -------
    RArray of shape (n, p)
        The result, with the names of x.

    Raises
    ------
    RError
        With R's message: x is a vector, or it has no such margin.
    ValueError
        `MARGIN` is not 1 or 2, `STATS` is empty, or `FUN` is unknown.
    TypeError
        For anything but real numbers.

    Warns
    -----
    RWarning
        With R's message, where `STATS` does not fit the rows or columns.

    Examples
    --------
    >>> sweep([[1, 2], [3, 4]], 2, [1, 2])
    RArray([[0., 0.],
            [2., 2.]])
    """
    if dimensions(x, "x") < 2:
        raise RError("'dims' cannot be of length 0", "x must be a matrix or a data frame")
    data, margin = as_matrix(x), as_number(MARGIN, "MARGIN")
    n, p = data.values.shape
    if margin not in (1, 2):
        if margin > 2 and as_flag(check_margin, "check_margin"):
            raise RError("missing value where TRUE/FALSE needed", f"MARGIN must be 1 or 2; got {MARGIN!r}")
        raise ValueError(f"MARGIN must be 1 for rows or 2 for columns; got {MARGIN!r}")
    values = as_vector(STATS, "STATS")
    if not len(values):
        raise ValueError("STATS is empty; give a number for each row or column")
    extent = n if margin == 1 else p
    if as_flag(check_margin, "check_margin"):
        if len(values) > extent:
            warn_as_r("STATS is longer than the extent of 'dim(x)[MARGIN]'")
        elif extent % len(values):
            warn_as_r("STATS does not recycle exactly across MARGIN")
    function = OPERATORS.get(FUN) if isinstance(FUN, str) else FUN
    if not callable(function):
        raise ValueError(f"FUN must be a function or one of {', '.join(OPERATORS)}; got {FUN!r}")
    filled = np.resize(values, n * p)
    other = filled.reshape((n, p), order="F") if margin == 1 else filled.reshape((n, p))
    try:
        with np.errstate(all="ignore"):
            found = function(data.values, other, **dots)
    except TypeError as error:
        raise TypeError(f"FUN must take two matrices of numbers; {FUN!r} does not: {error}") from error
    return RArray(found, dimnames=dimnames_of(data.row_names, data.column_names))


def prop_table(x: ArrayLike, margin: float | None = None) -> Any:
    """Shares of the sum, or of the sums of rows or columns, as R's ``prop.table``.

    Parameters
    ----------
    x : RTable, array_like or data frame of shape (n,) or (n, p)
        Counts or other numbers.
    margin : {1, 2}, optional
        Whether the numbers of each row, 1, or column, 2, have the sum 1; by default all of them have.

    Returns
    -------
    RTable, RArray or data frame of the shape of x
        Shares, dimensionless, with the names of x; NaN where the sum is 0 or missing.

    Raises
    ------
    RError
        With R's message: x has no such margin.
    TypeError
        For anything but real numbers.

    Examples
    --------
    >>> from sparsek.rcompat import prop_table, table
    >>> prop_table(table(["a", "b", "b", "b"])).tolist()
    [0.25, 0.75]
    """
    values = as_numbers(x, "x")
    if margin is None:
        sums: Any = long_sum(np.ravel(values, order="F"))
    else:
        side = as_number(margin, "margin")
        if side not in range(1, values.ndim + 1) or values.ndim > 2:
            raise RError(
                "'MARGIN' does not match dim(X)", f"x has shape {values.shape}; margin is {margin!r}"
            )
        if values.ndim == 1 and not isinstance(x, RTable):
            raise RError("'dims' cannot be of length 0", "x is a vector, without rows; leave margin out")
        sums = _sums_along(values, int(side))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return like(values / sums, x)


def _sums_along(values: FloatArray, side: int) -> FloatArray:
    """The sum that each number is divided by: its own, its row's or its column's."""
    if values.ndim == 1:
        return values
    if side == 1:
        return np.array([long_sum(row) for row in values])[:, None]
    return np.array([long_sum(column) for column in values.T])

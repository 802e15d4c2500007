"""R's ``scale``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, dimnames_of, names_of
from sparsek.rcompat.base.column_sums import column_means, root_mean_squares
from sparsek.rcompat.base.data import as_flag, as_numeric_matrix, as_vector


def scale(x: ArrayLike, center: Any = True, scale: Any = True) -> RArray:
    """Centre and scale the columns of a matrix, as R's ``scale``.

    Missing values are left out of means and deviations and stay missing.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Real data; a vector is one column.
    center : bool or array_like of shape (p,), default=True
        Whether the columns lose their means; or what they lose, in the unit of the column.
    scale : bool or array_like of shape (p,), default=True
        Whether the columns are divided by their root mean squares, of divisor n - 1 (after centring by means,
        their standard deviations); or by what, in the unit of the column.

    Returns
    -------
    RArray of shape (n, p)
        Dimensionless where scaled. A constant column that is centred and scaled becomes NaN, as in R. Its
        ``attributes`` hold ``"scaled:center"`` and ``"scaled:scale"``, arrays of shape (p,), where the
        columns were centred and scaled, and the names of a frame.

    Raises
    ------
    RError
        With R's message: x is not numeric, `center` or `scale` is of another length than x has columns.
    TypeError, ValueError
        `center` or `scale` is not a vector of real numbers, or x is empty or has more than two dimensions.

    See Also
    --------
    prcomp : R's principal components.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> z = rcompat.scale([[1, 10], [2, 30], [3, 20]])
    >>> z
    RArray([[-1., -1.],
            [ 0.,  1.],
            [ 1.,  0.]])
    >>> z.attributes["scaled:center"]
    RArray([ 2., 20.])
    """
    data = as_numeric_matrix(x)
    values, names = data.values, data.column_names
    shift = _wanted(center, "center", values.shape[1])
    factor = _wanted(scale, "scale", values.shape[1])
    attributes: dict[str, RArray] = {}
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        if shift is not False:
            by = RArray(column_means(values, drop_missing=True), names=names) if shift is True else shift
            values = values - np.asarray(by)
            attributes["scaled:center"] = by
        if factor is not False:
            by = RArray(root_mean_squares(values), names=names) if factor is True else factor
            values = values / np.asarray(by)
            attributes["scaled:scale"] = by
    return RArray(values, dimnames=dimnames_of(data.row_names, names), **attributes)


def _wanted(value: Any, name: str, p: int) -> bool | RArray:
    """An argument as R reads it: whether to centre or scale, or the numbers to do it by."""
    if value is None:
        raise RError(f"length of '{name}' must equal the number of columns of 'x'", f"{name} is missing")
    vector = as_vector(value, name)
    if np.asarray(value).dtype.kind == "b":
        if len(vector) != 1:
            raise RError("the condition has length > 1", f"{name} must be one truth value, or {p} numbers")
        return as_flag(vector, name)
    if len(vector) != p:
        message = f"length of '{name}' must equal the number of columns of 'x'"
        raise RError(message, f"{name} has {len(vector)} numbers and x has {p} columns")
    return RArray(vector, names=names_of(value))

"""R's ``var``, ``sd``, ``cov``, ``cor``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    long_column_deviations,
    long_covariances,
    long_deviation,
)
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, dimnames_of
from sparsek.rcompat.base.data import RMatrix, as_flag, as_matrix, as_numbers

USES = ("all.obs", "complete.obs", "pairwise.complete.obs", "everything", "na.or.complete")
METHODS = ("pearson", "kendall", "spearman")


def var(x: ArrayLike, y: ArrayLike | None = None, na_rm: bool = False, use: str | None = None) -> Any:
    """Variance of a vector, or covariances of the columns of a matrix, as R's ``var``.

    Parameters
    ----------
    x : array_like or data frame of shape (n,) or (n, p)
        Real data.
    y : array_like or data frame of shape (n,) or (n, q), optional
        Data whose columns are paired with those of x.
    na_rm : bool, default=False
        Whether rows with missing values are left out, where `use` is not given.
    use : str, optional
        As of `cov`.

    Returns
    -------
    float or RArray of shape (p, p) or (p, q)
        As of `cov`.

    Raises
    ------
    RError, TypeError, ValueError
        As of `cov`, and where `na_rm` is missing.

    Examples
    --------
    >>> var([1, 2, 4])
    2.3333333333333335
    """
    if use is None:
        use = "na.or.complete" if as_flag(na_rm, "na_rm") else "everything"
    kept = _kept_rows(use)
    data, other = as_matrix(x), None if y is None else as_matrix(y, "y")
    return _result(_covariances, data, other, kept, np.ndim(x) < 2 and (y is None or np.ndim(y) < 2))


def sd(x: ArrayLike, na_rm: bool = False) -> float:
    """Standard deviation of all numbers, as R's ``sd``.

    Parameters
    ----------
    x : array_like
        Real numbers; a matrix counts as one vector.
    na_rm : bool, default=False
        Whether missing values are left out.

    Returns
    -------
    float
        The standard deviation (divisor n - 1), in the unit of x; NaN of fewer than two numbers.

    Raises
    ------
    RError
        With R's message: x is a data frame, or `na_rm` is missing.
    TypeError
        For anything but real numbers.

    Examples
    --------
    >>> sd([1, 2, 3])
    1.0
    """
    if hasattr(x, "columns"):
        message = "'list' object cannot be coerced to type 'double'"
        raise RError(message, "x is a data frame; give one of its columns")
    values = np.ravel(as_numbers(x, "x"), order="F")
    if as_flag(na_rm, "na_rm"):
        values = values[~np.isnan(values)]
    with np.errstate(invalid="ignore", over="ignore"):
        return long_deviation(values)


def cov(x: ArrayLike, y: ArrayLike | None = None, use: str = "everything", method: str = "pearson") -> Any:
    """Covariances of columns, as R's ``cov``.

    Parameters
    ----------
    x : array_like or data frame of shape (n,) or (n, p)
        Real data.
    y : array_like or data frame of shape (n,) or (n, q), optional
        Data whose columns are paired with those of x; needed where x is a vector.
    use : {"everything", "all.obs", "complete.obs", "na.or.complete"}, default="everything"
        What missing values do: make the result missing, raise an error, or drop their rows, where
        "complete.obs" is an error and "na.or.complete" gives NaN if no row is left. A beginning of the name
        is enough.
    method : {"pearson"}, default="pearson"
        R's other methods are not carried over.

    Returns
    -------
    float or RArray of shape (p, p) or (p, q)
        Covariances (divisor n - 1), in the product of the columns' units: one number for two vectors, else a
        matrix with the names of the frames' columns. NaN of fewer than two rows.

    Raises
    ------
    RError
        With R's message: x or y is not numeric, they differ in length, y is needed, rows are missing,
        `use` or `method` does not exist.
    ValueError
        For ``"pairwise.complete.obs"`` and the methods "kendall" and "spearman", or without data.

    Examples
    --------
    >>> cov([1, 2, 3], [1, 5, 2])
    0.5
    """
    return _of_pairs(_covariances, x, y, use, method, "is.numeric({0}) || is.logical({0}) is not TRUE")


def cor(x: ArrayLike, y: ArrayLike | None = None, use: str = "everything", method: str = "pearson") -> Any:
    """Correlations of columns, as R's ``cor``.

    Parameters
    ----------
    x, y : array_like
        As of `cov`.
    use : {"everything", "all.obs", "complete.obs", "na.or.complete"}, default="everything"
        As of `cov`.
    method : {"pearson"}, default="pearson"
        As of `cov`.

    Returns
    -------
    float or RArray of shape (p, p) or (p, q)
        Correlations, dimensionless: one number for two vectors, else a matrix with the names of the frames'
        columns. NaN of fewer than two rows and of constant columns.

    Raises
    ------
    RError, ValueError
        As of `cov`.

    Warns
    -----
    RWarning
        "the standard deviation is zero", for a constant column.

    Examples
    --------
    >>> cor([[1, 2], [2, 4], [3, 6]])
    RArray([[1., 1.],
            [1., 1.]])
    """
    return _of_pairs(_correlations, x, y, use, method, "'{0}' must be numeric")


def _of_pairs(compute: Any, x: Any, y: Any, use: str, method: str, refusal: str) -> Any:
    """Covariances or correlations, after the checks that both have in common."""
    kept = _kept_rows(use)
    _check_method(method)
    if y is None and np.ndim(x) < 2:
        raise RError("supply both 'x' and 'y' or a matrix-like 'x'", "x is a vector")
    data = _numeric(x, "x", refusal)
    other = None if y is None else _numeric(y, "y", refusal)
    return _result(compute, data, other, kept, np.ndim(x) < 2 and np.ndim(y) < 2)


def _numeric(x: Any, name: str, refusal: str) -> RMatrix:
    """Data as a matrix, or R's message."""
    try:
        return as_matrix(x, name)
    except TypeError as error:
        raise RError(refusal.format(name), str(error)) from error


def _check_method(method: str) -> None:
    """Refuse methods that R does not have, and those that are not carried over."""
    matches = [name for name in METHODS if isinstance(method, str) and method and name.startswith(method)]
    if not matches:
        raise RError("'arg' should be one of “pearson”, “kendall”, “spearman”", f"got {method!r}")
    if matches[0] != "pearson":
        raise ValueError(f'method must be "pearson"; {matches[0]} is not carried over')


def _kept_rows(use: str) -> str:
    """The full name of what missing values do."""
    matches = [name for name in USES if isinstance(use, str) and use and name.startswith(use)]
    if not matches:
        raise RError("invalid 'use' argument", f"use must be one of {', '.join(USES)}; got {use!r}")
    if matches[0] == "pairwise.complete.obs":
        raise ValueError('use="pairwise.complete.obs" is not carried over: use "complete.obs"')
    return matches[0]


def _result(compute: Any, data: RMatrix, other: RMatrix | None, use: str, one_number: bool) -> Any:
    """Covariances or correlations of the rows that are kept, as R returns them."""
    x, y = data.values, None if other is None else other.values
    if y is not None and len(x) != len(y):
        raise RError("incompatible dimensions", f"x has {len(x)} rows and y has {len(y)}")
    missing = np.isnan(x if y is None else np.hstack([x, y])).any(axis=1)
    if missing.any() and use == "all.obs":
        raise RError("missing observations in cov/cor", f"{missing.sum()} rows have missing values")
    if missing.all() and use == "complete.obs":
        raise RError("no complete element pairs", "every row has a missing value")
    if use != "everything":
        x, y = x[~missing], None if y is None else y[~missing]
    second = data if other is None else other
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        nothing = np.full((x.shape[1], second.values.shape[1]), math.nan)
        values = nothing if len(x) < 2 else compute(x, y)
    if one_number:
        return float(values[0, 0])
    return RArray(values, dimnames=dimnames_of(data.column_names, second.column_names))


def _covariances(x: FloatArray, y: FloatArray | None) -> FloatArray:
    """Covariances of the columns of x with each other or with those of y."""
    return long_covariances(x, x if y is None else y)


def _correlations(x: FloatArray, y: FloatArray | None) -> FloatArray:
    """Correlations; R rounds the variances before the root for one matrix, and after it for two."""
    if y is None:
        products = long_covariances(x, x)
        a = b = np.sqrt(np.diagonal(products))
    else:
        products, a, b = long_covariances(x, y), long_column_deviations(x), long_column_deviations(y)
    flat = np.logical_or.outer(a == 0, b == 0)
    if y is None:  # R looks below the diagonal, in the rows of columns without missing values
        looked_at = np.tril(np.broadcast_to(~np.isnan(x).any(axis=0), flat.shape).T, -1)
    else:
        looked_at = np.logical_and.outer(~np.isnan(x).any(axis=0), ~np.isnan(y).any(axis=0))
    if (flat & looked_at).any():
        warn_as_r("the standard deviation is zero")
    r = np.clip(products / np.multiply.outer(a, b), -1.0, 1.0)
    r[flat] = math.nan
    if y is None:
        np.fill_diagonal(r, 1.0)
    return r

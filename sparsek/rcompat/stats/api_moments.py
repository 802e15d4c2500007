"""R's ``var``, ``sd``, ``cov``, ``cor``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    long_column_deviations,
    long_correlations,
    long_covariances,
    long_deviation,
    long_pair_covariances,
)
from sparsek.errors import RError
from sparsek.inputs.containers import has_columns
from sparsek.rcompat.base.arrays import RArray, dimnames_of
from sparsek.rcompat.base.data import RMatrix, as_flag, as_matrix, as_numbers, dimensions
from sparsek.rcompat.base.values.rank_correlations import column_ranks, concordances

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
    one_number = dimensions(x, "x") < 2 and (y is None or dimensions(y, "y") < 2)
    return _result(_covariances, data, other, kept, "pearson", one_number)


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
    if has_columns(x):
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
    use : {"everything", "all.obs", "complete.obs", "na.or.complete", "pairwise.complete.obs"}, \
default="everything"
        What missing values do: make the result missing; raise an error; drop their rows, where
        "complete.obs" is an error and "na.or.complete" gives NaN if no row is left; or drop them for each
        pair of columns ("pearson" alone). A beginning of the name is enough.
    method : {"pearson", "kendall", "spearman"}, default="pearson"
        Covariances; sums over all pairs of rows of the products of the signs of their differences; or
        covariances of the ranks. A beginning of the name is enough.

    Returns
    -------
    float or RArray of shape (p, p) or (p, q)
        Covariances (divisor n - 1), in the product of the columns' units (by the other methods
        dimensionless): one number for two vectors, else a
        matrix with the names of the frames' columns. NaN of fewer than two rows.

    Raises
    ------
    RError
        With R's message: x or y is not numeric, they differ in length, y is needed, rows are missing,
        `use` or `method` does not exist.
    ValueError
        Without data.

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
    use : {"everything", "all.obs", "complete.obs", "na.or.complete", "pairwise.complete.obs"}, \
default="everything"
        As of `cov`; pairs of columns for all methods.
    method : {"pearson", "kendall", "spearman"}, default="pearson"
        Pearson's correlation, Kendall's tau-b, or Spearman's rho.

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


def cov2cor(V: ArrayLike) -> RArray:
    """Correlations of a matrix of covariances, as R's ``cov2cor``.

    Parameters
    ----------
    V : array_like or data frame of shape (p, p)
        Covariances.

    Returns
    -------
    RArray of shape (p, p)
        Correlations, dimensionless, with the names of V and ones on the diagonal.

    Raises
    ------
    RError
        With R's message: V is not a square matrix of numbers.

    Warns
    -----
    RWarning
        With R's message, where a variance is 0, missing or negative.

    Examples
    --------
    >>> cov2cor([[4, 1], [1, 1]])
    RArray([[1. , 0.5],
            [0.5, 1. ]])
    """
    data = _numeric(V, "V", "'V' is not a square numeric matrix")
    values = data.values
    if dimensions(V, "V") < 2 or values.shape[0] != values.shape[1]:
        raise RError("'V' is not a square numeric matrix", f"its shape is {np.shape(V)}")
    variances = np.diagonal(values)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        inverse = np.sqrt(1 / variances)
        r = inverse[:, None] * values * inverse
    if (variances < 0).any():
        warn_as_r("NaNs produced")
    if not np.isfinite(inverse).all():
        warn_as_r("diag(.) had 0 or NA entries; non-finite result is doubtful")
    np.fill_diagonal(r, 1.0)
    return RArray(r, dimnames=dimnames_of(data.row_names, data.column_names))


def _of_pairs(compute: Any, x: Any, y: Any, use: str, method: str, refusal: str) -> Any:
    """Covariances or correlations, after the checks that both have in common."""
    kept, full = _kept_rows(use), _full_method(method)
    if y is None and dimensions(x, "x") < 2:
        raise RError("supply both 'x' and 'y' or a matrix-like 'x'", "x is a vector")
    if compute is _covariances and full != "pearson" and kept == "pairwise.complete.obs":
        message = "cannot handle 'pairwise.complete.obs'"
        raise RError(message, 'only method="pearson" has covariances pair by pair')
    data = _numeric(x, "x", refusal)
    other = None if y is None else _numeric(y, "y", refusal)
    if other is not None and len(data.values) != len(other.values) and full != "pearson":
        _refuse_rows(len(data.values), len(other.values), dimensions(y, "y") < 2, kept)
    return _result(compute, data, other, kept, full, dimensions(x, "x") < 2 and dimensions(y, "y") < 2)


def _refuse_rows(n: int, m: int, vector: bool, use: str) -> None:
    """R's messages about different lengths by the methods that rank; those of Pearson's come later."""
    remedy = f"x has {n} rows and y has {m}"
    if use == "pairwise.complete.obs":
        raise RError("not all arguments have the same length", remedy)
    if use in ("complete.obs", "na.or.complete"):
        if not vector:
            raise RError("number of rows of matrices must match (see arg 2)", remedy)
        if max(n, m) % min(n, m):
            shorter = 2 if m < n else 1
            warn_as_r(f"number of rows of result is not a multiple of vector length (arg {shorter})")


def _numeric(x: Any, name: str, refusal: str) -> RMatrix:
    """Data as a matrix, or R's message."""
    try:
        return as_matrix(x, name)
    except TypeError as error:
        raise RError(refusal.format(name), str(error)) from error


def _full_method(method: str) -> str:
    """The full name of a method."""
    matches = [name for name in METHODS if isinstance(method, str) and method and name.startswith(method)]
    if not matches:
        raise RError("'arg' should be one of “pearson”, “kendall”, “spearman”", f"got {method!r}")
    return matches[0]


def _kept_rows(use: str) -> str:
    """The full name of what missing values do."""
    matches = [name for name in USES if isinstance(use, str) and use and name.startswith(use)]
    if not matches:
        raise RError("invalid 'use' argument", f"use must be one of {', '.join(USES)}; got {use!r}")
    return matches[0]


def _result(
    compute: Any, data: RMatrix, other: RMatrix | None, use: str, method: str, one_number: bool
) -> Any:
    """Covariances or correlations, of the rows that are kept or pair by pair, as R returns them."""
    x, y = data.values, None if other is None else other.values
    if y is not None and len(x) != len(y):
        raise RError("incompatible dimensions", f"x has {len(x)} rows and y has {len(y)}")
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        if use == "pairwise.complete.obs":
            values = _of_common_rows(compute, x, y, method)
        else:
            values = _of_kept_rows(compute, x, y, use, method)
    if one_number:
        return float(values[0, 0])
    second = data if other is None else other
    return RArray(values, dimnames=dimnames_of(data.column_names, second.column_names))


def _of_kept_rows(compute: Any, x: FloatArray, y: FloatArray | None, use: str, method: str) -> FloatArray:
    """Covariances or correlations of the rows that are kept."""
    missing = np.isnan(x if y is None else np.hstack([x, y])).any(axis=1)
    if missing.any() and use == "all.obs":
        raise RError("missing observations in cov/cor", f"{missing.sum()} rows have missing values")
    if missing.all() and use == "complete.obs":
        raise RError("no complete element pairs", "every row has a missing value")
    if use != "everything":
        x, y = x[~missing], None if y is None else y[~missing]
    if len(x) < 2:
        return np.full((x.shape[1], (x if y is None else y).shape[1]), math.nan)
    if method == "kendall":
        return concordances(x, y, shares=compute is _correlations)
    if method == "spearman":
        x, y = column_ranks(x), None if y is None else column_ranks(y)
    found: NDArray[np.float64] = compute(x, y)
    return found


def _of_common_rows(compute: Any, x: FloatArray, y: FloatArray | None, method: str) -> FloatArray:
    """Covariances or correlations of each pair of columns over the rows that both have."""
    if compute is _covariances and method != "pearson":
        raise RError(
            "cannot handle 'pairwise.complete.obs'", 'only method="pearson" has pairwise covariances'
        )
    if method != "pearson":
        return _pair_by_pair(x, y, method)
    both = x if y is None else np.hstack([x, y])
    block = slice(None) if y is None else (slice(x.shape[1]), slice(x.shape[1], None))
    if compute is _covariances:
        return long_pair_covariances(both)[block]
    values, flat = long_correlations(both)
    if flat[block].any():
        warn_as_r("the standard deviation is zero")
    return values[block]


def _pair_by_pair(x: FloatArray, y: FloatArray | None, method: str) -> FloatArray:
    """Rank correlations of each pair of columns over the rows that both have."""
    second = x if y is None else y
    values = np.full((x.shape[1], second.shape[1]), math.nan)
    for i, j in np.ndindex(values.shape):
        if y is None and j > i:
            continue
        known = ~np.isnan(x[:, i]) & ~np.isnan(second[:, j])
        if known.any():
            a, b = x[known, i : i + 1], second[known, j : j + 1]
            values[i, j] = _of_kept_rows(_correlations, a, b, "everything", method)[0, 0]
    return values if y is not None else np.where(np.tri(len(values), dtype=bool), values, values.T)


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

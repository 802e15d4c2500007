"""Centring and scaling of the data, safe for huge offsets and for the smallest and largest numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.methods.shared.sums import Array

CHUNK_ENTRIES = 65_536
"""Entries handled at a time."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """The map z = (x * unit - offset) / spread, column by column.

    Attributes
    ----------
    unit : ndarray of shape (p,)
        Powers of two that bring extreme columns into the range where squares neither overflow nor underflow;
        1 for data of ordinary size.
    offset : ndarray of shape (p,)
        Column means of x * unit.
    spread : ndarray of shape (p,)
        Column standard deviations of x * unit; 1 where not standardised or constant.
    """

    unit: Array
    offset: Array
    spread: Array

    def apply(self, X: Array, columns: Array | slice = slice(None)) -> Array:
        """Prepared copy of the chosen columns: scaled, with a last column of ones."""
        offset, spread, unit = self.offset[columns], self.spread[columns], self.unit[columns]
        prepared = np.empty((len(X), len(offset) + 1), dtype=X.dtype)
        prepared[:, -1] = 1
        z = prepared[:, :-1]
        source = X[:, columns] if isinstance(columns, slice) else X.take(columns, axis=1)
        if np.any(unit != 1):
            source = source * unit
        np.subtract(source, offset, out=z)
        if np.any(spread != 1):
            z /= spread
        return prepared

    def invert(self, Z: Array) -> Array:
        """Prepared rows z, all columns, in the original units; never beyond the largest number.

        Means of numbers at the limit of the floating-point range may round to just above it.
        """
        limit = np.finfo(self.offset.dtype).max
        with np.errstate(over="ignore"):
            return np.clip((Z * self.spread + self.offset) / self.unit, -limit, limit)


def prepare(
    X: Array, weights: Array | None, *, standardize: bool, ddof: int = 1, by_column: bool = True
) -> tuple[Array, Scaling]:
    """Centre the columns of X at their weighted means; standardise them on request.

    Parameters
    ----------
    X : ndarray of shape (n, p), float64 or float32
        Data, finite; not changed.
    weights : ndarray of shape (n,) or None
        Positive numbers of repetitions of the rows; None for all 1.
    standardize : bool
        Divide by the standard deviation too; a constant column becomes all zeros.
    ddof : int
        The variance divides by sum(weights) - ddof.
    by_column : bool
        Choose `unit` for every column on its own (needs `standardize`, whose division cancels it) or once for
        all.

    Returns
    -------
    Z : ndarray of shape (n, p + 1)
        Prepared data; the last column holds ones.
    scaling : Scaling
        The map from X to Z.
    """
    top, bottom = X.max(axis=0), X.min(axis=0)
    constant = top == bottom
    unit = safe_unit(np.maximum(top, -bottom), constant, by_column)
    total = float(len(X)) if weights is None else float(weights.sum(dtype=np.float64))
    with np.errstate(over="ignore", invalid="ignore"):  # sums of constant columns, which are not used
        offset = _column_sums(X, weights, unit) / total
        # Second pass: the mean of the centred column corrects the rounding error of a sum of large numbers.
        offset = offset + _column_sums(X, weights, unit, offset) / total
    offset = np.where(constant, X[0] * unit, offset).astype(X.dtype)
    spread = np.ones(X.shape[1], dtype=X.dtype)
    scaling = Scaling(unit, offset, spread)
    Z = scaling.apply(X)
    if standardize:
        squares = column_squares(Z, weights)
        varying = ~constant & (squares > 0)
        spread[varying] = np.sqrt(squares[varying] / (total - ddof))
        Z[:, :-1] /= spread
    return Z, scaling


def identity(p: int, dtype: Any) -> Scaling:
    """Scaling that changes nothing."""
    return Scaling(np.ones(p, dtype), np.zeros(p, dtype), np.ones(p, dtype))


def column_squares(Z: Array, weights: Array | None) -> Array:
    """Weighted sums of squares of the columns of prepared data, in float64."""
    total = np.zeros(Z.shape[1] - 1)
    for rows in row_chunks(Z):
        total += _add_up(np.square(Z[rows, :-1]), weights, rows)
    return total


def row_chunks(X: Array) -> Iterator[slice]:
    """Slices of rows so small that intermediate results stay in the processor's cache."""
    step = max(1, CHUNK_ENTRIES // X.shape[1])
    for start in range(0, len(X), step):
        yield slice(start, start + step)


def _column_sums(X: Array, weights: Array | None, unit: Array, offset: Array | float = 0.0) -> Array:
    """Weighted column sums of X * unit - offset in float64."""
    total = np.zeros(X.shape[1])
    scaled = bool(np.any(unit != 1))
    for rows in row_chunks(X):
        part = X[rows] * unit if scaled else X[rows]
        total += _add_up(part - offset if np.any(offset) else part, weights, rows)
    return total


def _add_up(part: Array, weights: Array | None, rows: slice) -> Array:
    """Weighted column sums of `part`, some rows of the data, in float64."""
    if weights is None:
        return part.sum(axis=0, dtype=np.float64)
    return weights[rows].astype(np.float64) @ part


def safe_unit(size: Array, constant: Array, by_column: bool) -> Array:
    """Powers of two that bring the largest entry of each extreme column near 1; 1 for other columns.

    Parameters
    ----------
    size : ndarray of shape (p,)
        Largest absolute value of each column.
    constant : ndarray of shape (p,), bool
        Columns without variation. They do not count for a common power.
    by_column : bool
        A power for every column, or a common one, which is a power of four.

    Returns
    -------
    ndarray of shape (p,)
        The powers.
    """
    info = np.finfo(size.dtype)
    exponent = np.frexp(size)[1]
    room = info.maxexp - 4 - (exponent if by_column else exponent.max())
    if not by_column:
        exponent = np.frexp(np.full_like(size, np.max(size if constant.all() else size[~constant])))[1]
    # Squares of sums of n such numbers stay finite below this size, and normal above its inverse.
    limit = info.maxexp // 4
    extreme = np.abs(exponent) > limit
    # The factor itself must stay a normal number; the smallest subnormals then still reach a safe size.
    shift = np.clip(-exponent, -info.maxexp + 4, np.minimum(info.maxexp - 4, room))
    if not by_column:  # roots of squared sizes are exact too
        shift -= shift % 2
    return np.ldexp(np.ones_like(size), np.where(extreme, shift, 0))


def refuse_far_rows(
    X: Array, unit: Array | float, offset: Array | float = 0.0, spread: Array | float = 1.0
) -> None:
    """Raise ValueError if squares of (X * unit - offset) / spread overflow, naming the entry; not for NaN."""
    with np.errstate(over="ignore"):
        ends = [np.abs(end * unit - offset) / spread for end in (np.fmax.reduce(X), np.fmin.reduce(X))]
    size = np.fmax(*ends)
    if np.fmax.reduce(size) >= 2.0 ** (np.finfo(size.dtype).maxexp // 2 - 8):
        column = int(np.nanargmax(size))
        row = int(np.nanargmax(np.abs(X[:, column])))
        raise ValueError(
            f"X has the entry {X[row, column]:.6g} in row {row}, column {column}, so far from the data of "
            "the fit that its square overflows; leave the row out, or give it in the units of the fit"
        )

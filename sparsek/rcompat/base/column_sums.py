"""Sums and means of columns with R's roundings, missing values (NaN) left out or not."""

from __future__ import annotations

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_column_sums


def column_sums(x: FloatArray, drop_missing: bool) -> FloatArray:
    """Sums of the columns.

    Shapes: x (n, p); returns (p,).
    """
    return _sums(x, drop_missing)


def column_means(x: FloatArray, drop_missing: bool) -> FloatArray:
    """Means of the columns: the sums, divided before they are rounded.

    Shapes: x (n, p); returns (p,).
    """
    return _sums(x, drop_missing, _counts(x) if drop_missing else len(x))


def root_mean_squares(x: FloatArray) -> FloatArray:
    """Root mean squares of the columns without their missing values.

    Shapes: x (n, p); returns (p,).
    """
    with np.errstate(over="ignore", under="ignore"):
        squares = np.square(x)
    return np.sqrt(_sums(squares, drop_missing=True) / np.maximum(1, _counts(x) - 1))


@np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore")
def _sums(x: FloatArray, drop_missing: bool, divisors: int | IntArray | None = None) -> FloatArray:
    """Sums of the columns, or quotients."""
    return long_column_sums(np.where(np.isnan(x), 0.0, x) if drop_missing else x, divisors)


def _counts(x: FloatArray) -> IntArray:
    """How many values are not missing, by column."""
    counts: IntArray = len(x) - np.isnan(x).sum(axis=0)
    return counts

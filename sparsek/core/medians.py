"""Medians of columns of weighted rows, and limits of columns by them."""

from __future__ import annotations

import numpy as np

from sparsek.core.scaling import safe_unit
from sparsek.core.steps import Array


def observed_medians(X: Array, weights: Array | None) -> Array:
    """Weighted median of the observed entries of each column; NaN for a column without any."""
    if weights is None:
        if not np.isnan(X).any():
            return np.asarray(np.median(X, axis=0))
        empty = np.isnan(X).all(axis=0)
        # `nanmedian` warns of columns without any value, so that it gets zeros there.
        return np.where(empty, np.nan, np.nanmedian(np.where(empty, 0, X), axis=0))
    order = np.argsort(X, axis=0, kind="stable")  # missing entries last
    column = np.arange(X.shape[1])
    mass = np.where(np.isnan(X[order, column]), 0, weights[order])
    cumulative = np.cumsum(mass, axis=0, dtype=np.float64)
    half = cumulative[-1] / 2
    # Where the weights split exactly in halves, the median is the mean of the two values in the middle.
    low = np.argmax(cumulative >= half, axis=0)
    high = np.argmax(cumulative > half, axis=0)
    return np.asarray((X[order[low, column], column] + X[order[high, column], column]) / 2)


MAD_TO_SD = 1.4826
"""The standard deviation of normal data is this many median absolute deviations."""


def winsorizing_limits(X: Array, weights: Array | None, width: float) -> tuple[Array, Array]:
    """Median -+ width robust standard deviations of each column; infinite if half the values are equal."""
    top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    unit = safe_unit(np.maximum(top, -bottom), top == bottom, by_column=True)
    X = X * unit if np.any(unit != 1) else X
    median = np.nan_to_num(observed_medians(X, weights))
    spread = MAD_TO_SD * np.nan_to_num(observed_medians(np.abs(X - median), weights))
    reach = np.where(spread > 0, width * spread, np.inf)
    with np.errstate(over="ignore"):  # no limit where it would be beyond the largest number
        return ((median - reach) / unit).astype(X.dtype), ((median + reach) / unit).astype(X.dtype)

"""Medians of columns of weighted rows."""

from __future__ import annotations

import numpy as np

from sparsek.core.steps import Array


def observed_medians(X: Array, weights: Array | None) -> Array:
    """Weighted median of the observed entries of each column; NaN for a column without any."""
    if weights is None:
        if not np.isnan(X).any():
            return np.asarray(np.median(X, axis=0))
        empty = np.isnan(X).all(axis=0)
        return np.where(empty, np.nan, np.nanmedian(np.where(empty, 0, X), axis=0))
    order = np.argsort(X, axis=0, kind="stable")  # missing entries last
    column = np.arange(X.shape[1])
    mass = np.where(np.isnan(X[order, column]), 0, weights[order])
    cumulative = np.cumsum(mass, axis=0, dtype=np.float64)
    half = cumulative[-1] / 2
    low = np.argmax(cumulative >= half, axis=0)
    high = np.argmax(cumulative > half, axis=0)
    return np.asarray((X[order[low, column], column] + X[order[high, column], column]) / 2)

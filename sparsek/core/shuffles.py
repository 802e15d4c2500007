"""Columns that are shuffled each on its own, sorted first: the order of the rows does not matter.

Rows with weights are read at equally spaced places of the cumulative weights, as rows that are repeated.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from sparsek.core.steps import Array

MOST_REPEATED = 2_000_000
"""At most this many entries of weighted rows are repeated for shuffled columns, except where rows are few."""
FEW_ROWS = 1000
"""Up to this many rows are repeated in any case."""


def weight_points(weights: Array, per_row: int) -> Array:
    """Cumulative weights, equally spaced, at which columns are read: the middles of the repeated rows.

    As many as there are repeated rows where the weights are whole and few; else as many as there are rows.
    """
    total = float(weights.sum(dtype=np.float64))
    whole = bool((weights == np.rint(weights)).all())
    n = round(total) if whole and total <= max(FEW_ROWS, MOST_REPEATED / per_row) else len(weights)
    points: Array = (np.arange(n) + 0.5) * (total / n)
    return points


def masses_at(weights: Array | None, points: Array | None) -> Array | None:
    """Weights of rows that are read at these points; None where all are 1."""
    if weights is None or points is None or 2 * points[0] == 1:
        return None
    # The first point lies in the middle of the first row, so that twice the point is a row's weight.
    return np.full(len(points), 2 * points[0], weights.dtype)


def sorted_columns(X: Array, weights: Array | None, points: Array | None) -> Array:
    """The columns, each sorted, so that shuffles do not depend on the order of the rows.

    With weights, quantiles of the weighted values.
    """
    if weights is None or points is None:
        return np.sort(X, axis=0)
    found = np.empty((len(points), X.shape[1]), X.dtype)
    for column, values in zip(found.T, X.T, strict=True):
        order = np.argsort(values, kind="stable")
        column[:] = values[order[_places(weights[order], points)]]
    return found


def shuffled_variables(
    X: Array, weights: Array | None, points: Array | None, coding: Any, rng: np.random.Generator
) -> Array:
    """Rows whose variables are shuffled: the scaled indicators of a category stay together."""
    found = np.empty((len(X) if points is None else len(points), X.shape[1]), X.dtype)
    for columns in coding.columns:
        order = np.lexsort(X[:, columns].T)
        if weights is not None and points is not None:
            order = order[_places(weights[order], points)]
        found[:, columns] = X[np.ix_(rng.permutation(order), columns)]
    return found


def shuffled_matrix(X: Any, weights: Array | None, points: Array | None, rng: np.random.Generator) -> Any:
    """A sparse matrix with shuffled columns; with weights, of quantiles of the weighted values."""
    matrix = csc_array(X, copy=True)
    # Entries stored as 0 are no entries, so that both forms of the same data are shuffled alike.
    matrix.eliminate_zeros()
    n = X.shape[0] if points is None else len(points)
    columns, rows = [], []
    for start, end in pairwise(matrix.indptr.tolist()):
        values = matrix.data[start:end]
        if weights is None or points is None:
            columns.append(np.sort(values))
        else:
            columns.append(_sorted_entries(values, weights[matrix.indices[start:end]], points))
        rows.append(rng.choice(n, size=len(columns[-1]), replace=False))
    ends = np.cumsum([0, *map(len, columns)])
    shape = (n, X.shape[1])
    return csr_array(csc_array((np.concatenate(columns), np.concatenate(rows), ends), shape=shape))


def _sorted_entries(values: Array, weights: Array, points: Array) -> Array:
    """The quantiles of a sparse column that are not 0, of the weighted values that are not 0."""
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order].astype(np.float64)
    zero = int(np.searchsorted(values, 0))
    # The weight of all rows less that of the stored entries is the weight of the zeros.
    of_zeros = max(0.0, 2 * points[0] * len(points) - weights.sum())
    ends = np.searchsorted(points, np.cumsum(np.insert(weights, zero, of_zeros)), side="right")
    # The cumulative weights are rounded and may miss the last point.
    ends[-1] = len(points)
    counts = np.delete(np.diff(ends, prepend=0), zero)
    return np.repeat(values, counts)


def _places(weights: Array, points: Array) -> Array:
    """For each point, the number of the ordered row in whose weight it lies."""
    places = np.searchsorted(np.cumsum(weights, dtype=np.float64), points)
    # Rounded cumulative weights may end just below the last point.
    found: Array = np.minimum(places, len(weights) - 1)
    return found

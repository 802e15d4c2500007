"""A warning of entries and columns so large that the others are lost beside them in rounding."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from sparsek.errors import PrecisionWarning
from sparsek.methods.shared.scaling import CHUNK_ENTRIES
from sparsek.methods.shared.sums import Array

SAMPLED_ROWS = 1024
"""Number of rows, evenly spaced, that tell which columns need a closer look."""
ROUNDINGS = 64
"""A sum of squares is lost beside one that is larger by a factor of 1 / (64 eps) or more."""


def warn_of_lost_structure(X: Any, names: Any, kept: Array | None = None, *, common_scale: bool) -> None:
    """Warn of an entry beside which its column is lost in rounding, or else of a column that hides others.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Data, finite but for NaN. A sparse matrix is not looked at.
    names : sequence of p str, or None
        Names of the columns.
    kept : ndarray of bool, or None
        The rows of the caller's data that are rows of X; None for all.
    common_scale : bool
        Whether the method compares columns in the units of X. Only then a column can hide others.
    """
    if not isinstance(X, np.ndarray) or len(X) < 3:
        return
    top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    reach = top / 2 - bottom / 2  # half the range, which itself may overflow
    entry = _hiding_entry(X, reach)
    if entry is not None:
        row, column, n_more = entry
        row_given = row if kept is None else int(np.flatnonzero(kept)[row])
        also = f" (and {n_more} more of this column)" if n_more else ""
        message = (
            f"the entry {X[row, column]:.6g} in row {row_given}, column {_called(column, names)}{also} lies "
            "so far from most values of its column that sums of squares no longer show their differences; "
            "correct it, leave the row out, or, if it is the code of a missing value, replace it"
        )
        warnings.warn(PrecisionWarning(message, row_given, column), stacklevel=_callers_level())
    elif common_scale:
        hidden = _hidden_columns(X, reach, np.maximum(top, -bottom))
        if len(hidden):
            column, first = int(reach.argmax()), int(hidden[0])
            message = (
                f"column {_called(column, names)} spans {2 * float(reach[column]):.6g}, so much that "
                f"sums of squares no longer show the differences in {len(hidden)} other columns: column "
                f"{_called(first, names)}, for example, spans {2 * float(reach[first]):.6g}; standardize "
                "the columns, or leave this one out"
            )
            warnings.warn(PrecisionWarning(message, None, column), stacklevel=_callers_level())


def _hiding_entry(X: Array, reach: Array) -> tuple[int, int, int] | None:
    """Row and column of the farthest entry that hides most of its column, and how many others do; or None.

    Let d_1 <= d_2 <= ... be the distances of a column's values from their median. The first i values, at
    least half of all, are lost if i d_i^2 is less than the rounding of d_{i+1}^2.
    """
    limit = float(np.sqrt(ROUNDINGS * np.finfo(X.dtype).eps))
    found, farthest = None, 0.0
    for column in np.flatnonzero((reach > 0) & ~(_quarters(X) > limit * reach)).tolist():
        rows = np.flatnonzero(~np.isnan(X[:, column]))
        values = X[rows, column] / 2
        away = np.abs(values - _middle(values))
        d = np.sort(away)
        i = np.arange(len(d) // 2, len(d) - 1)
        lost = (d[i] > 0) & (d[i] < limit / np.sqrt(i + 1.0) * d[i + 1])
        if lost.any() and d[-1] > farthest:
            farthest = float(d[-1])
            found = int(rows[away.argmax()]), column, len(d) - 2 - int(i[lost.argmax()])
    return found


def _quarters(X: Array) -> Array:
    """Half the distance from the median within which a quarter of some values of a column lie, of each."""
    sample = X[:: max(1, len(X) // SAMPLED_ROWS)]
    found = np.empty(X.shape[1])
    step = max(1, CHUNK_ENTRIES // (4 * len(sample)))  # four arrays of this size are held at once
    for start in range(0, X.shape[1], step):
        part = sample[:, start : start + step] / 2
        away = np.sort(np.abs(part - _middle(part)), axis=0)
        found[start : start + step] = away[len(away) // 4]
    return found


def _middle(values: Array) -> Array:
    """A value in the middle of the sorted ones, by column; NaN if half of them are NaN."""
    return np.asarray(np.sort(values, axis=0)[(len(values) - 1) // 2])


def _hidden_columns(X: Array, reach: Array, size: Array) -> Array:
    """Columns whose squared differences are lost beside those of the largest column; no constants."""
    noise = 4 * float(np.finfo(X.dtype).eps) * size
    lost = reach < float(np.sqrt(ROUNDINGS * np.finfo(np.float64).eps)) * reach.max()
    return np.flatnonzero((reach > noise) & lost)


def _callers_level() -> int:
    """The `stacklevel` of a warning, given by the function that asks, which points outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sparsek."):
        level, frame = level + 1, frame.f_back
    return level


def _called(column: int, names: Any) -> str:
    """A column by its number and, if it has one, its name."""
    return str(column) if names is None else f"{column} ({str(names[column])!r})"

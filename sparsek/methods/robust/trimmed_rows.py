"""Which rows are trimmed: the farthest ones, up to a number of rows or to a weight.

A partition is written as one array of *classes*: the label of a row that is kept, and its complement
``~label``, which is negative, for a trimmed row. With weights of rows the trimmed weight can end within a
row, as it would within its copies: the class of this row is ``label | PART``, and the rest of its weight is
kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.medians import observed_medians
from sparsek.core.steps import Array, Labels, squared_distances

PART = 1 << 30
"""The bit of the class of a row that is trimmed in part."""
ROUNDING = 1e-12
"""A smaller share of the trimmed weight than this counts as 0."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Trim:
    """How much is trimmed. Its results, (n,), are masks of rows, or weights where rows have weights."""

    amount: float  # Number of rows, or their weight
    weights: Array | None = None  # (n,) float64

    def largest(self, values: Array) -> Array:
        """The rows of the largest values; of those tied at the border, the first ones."""
        if self.weights is None:
            return largest_entries(values, int(self.amount))
        return largest_weights(values, self.amount, self.weights)

    def smallest(self, values: Array) -> float:
        """Sum of the values that are left without the largest ones."""
        if self.weights is None:
            return float(np.sort(values)[: len(values) - int(self.amount)].sum(dtype=np.float64))
        return float((self.rest(self.largest(values)) * values).sum(dtype=np.float64))

    def rest(self, trimmed: Array) -> Array:
        """What is left of the rows."""
        return ~trimmed if self.weights is None else self.weights - trimmed

    def whole(self, trimmed: Array) -> Mask:
        """The rows that are trimmed with all their weight."""
        return trimmed if self.weights is None else trimmed == self.weights

    def classes(self, labels: Labels, trimmed: Array) -> Labels:
        """Labels, and which rows are trimmed, as one array."""
        found = np.where(self.whole(trimmed), ~labels, labels)
        if self.weights is not None:
            found[(trimmed > 0) & (found >= 0)] |= PART
        return found

    def kept(self, classes: Labels) -> Array:
        """What is left of the rows of these classes."""
        if self.weights is None:
            return np.asarray(classes >= 0)
        kept = np.where(classes < 0, 0, self.weights)
        part = classes >= PART
        # What rows trimmed as a whole leave of the trimmed weight is taken from the row trimmed in part.
        kept[part] -= np.clip(self.amount - self.weights[classes < 0].sum(), 0, kept[part])
        return kept


def labels_of(classes: Labels) -> Labels:
    """Nearest cluster of every row, trimmed ones too."""
    return np.where(classes < 0, ~classes, classes & ~np.int32(PART))


def trim_start(X: Array, labels: Labels, n_clusters: int, trim: Trim) -> Labels:
    """Classes from labels: the rows farthest from the column medians of their clusters are trimmed."""
    if trim.amount == 0:
        return labels
    medians = np.zeros((n_clusters, X.shape[1] - 1), dtype=X.dtype)
    for j in np.unique(labels):
        rows = labels == j
        medians[j] = observed_medians(X[rows, :-1], None if trim.weights is None else trim.weights[rows])
    return trim.classes(labels, trim.largest(squared_distances(X, labels, medians)))


def farthest_rows(
    X: Array, labels: Labels, centers: Array, trim: Trim, distances: Array, noise: Array
) -> Array:
    """The rows of largest distance; rows within `noise` of the border are compared exactly."""
    if trim.amount == 0:
        return np.zeros(len(X), dtype=bool if trim.weights is None else np.float64)
    border = _border(distances, trim)
    beyond = distances - distances[border]
    near = np.flatnonzero(np.abs(beyond) <= noise + noise[border])
    chosen: Array = beyond > 0
    # Rows near to the border are left open, and exact distances decide which of them are trimmed.
    chosen[near] = False
    if trim.weights is None:
        left = trim.amount - int(np.count_nonzero(chosen))
        among = Trim(left)
    else:
        chosen = np.where(chosen, trim.weights, 0)
        among = Trim(max(trim.amount - float(chosen.sum()), 0), trim.weights[near])
    chosen[near] = among.largest(squared_distances(X[near], labels[near], centers))
    return chosen


def _border(distances: Array, trim: Trim) -> Any:
    """The nearest of the trimmed rows."""
    if trim.weights is None:
        first = len(distances) - int(trim.amount)
        return np.argpartition(distances, first)[first]
    return np.argmin(np.where(trim.largest(distances) > 0, distances, np.inf))


def largest_entries(values: Array, number: int) -> Mask:
    """Mask of the largest entries; of entries tied at the border, the first ones."""
    chosen: Mask = np.zeros(len(values), dtype=bool)
    if number == 0:
        return chosen
    border = np.partition(values, len(values) - number)[len(values) - number]
    chosen = values > border
    tied = np.flatnonzero(values == border)
    # Of equal values the first ones fill the places that larger values leave.
    chosen[tied[: number - np.count_nonzero(chosen)]] = True
    return chosen


def largest_weights(values: Array, amount: float, weights: Array) -> Array:
    """Weights of the largest entries up to this amount, the last one in part; ties as above."""
    order = np.argsort(-values, kind="stable")
    mass = weights[order]
    room = amount - (np.cumsum(mass) - mass)
    # Cumulative weights are rounded, and so little room is none.
    room[room <= ROUNDING * amount] = 0
    taken = np.minimum(mass, room)
    found = np.empty(len(values))
    found[order] = np.where(mass - taken <= ROUNDING * amount, mass, taken)
    return found

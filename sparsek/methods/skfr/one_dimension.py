"""Exact k-means of single columns, by dynamic programming: Wang and Song (2011), The R Journal 3(2), 29-33.

The best clusters of numbers are intervals of the sorted numbers. Let S and W be the prefix sums of w x and of
w. The interval of the sorted rows i + 1..j has the gain (S_j - S_i)^2 / (W_j - W_i), and the first j rows
have in at most k intervals

    f_k(j) = max_i f_{k-1}(i) + (S_j - S_i)^2 / (W_j - W_i),   f_0(0) = 0.

The last interval of the best division begins later where j is larger. So the rows half-way between two others
need only the beginnings between theirs: n log n steps for all j, of all columns side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

EPS = float(np.finfo(np.float64).eps)
ROUNDINGS = 8
"""A gain has an error below this many times n eps, relative to the largest term. Half of it can be proved."""
GRID_TERMS = 64
"""A fit rounds its terms to 2^-44 of the largest one. The rounding of this many additional terms covers that.
"""


def best_gains(X: Array, weights: Array | None, n_clusters: int) -> tuple[Array, Array]:
    """Largest sum over at most k clusters of (sum w x)^2 / sum w, of each column, and its rounding error.

    The first is rounded upwards: the error is added to it. Prefix sums are wrong by less than eps n W r,
    where W is the sum of the weights and r the largest |x|. A gain is so wrong by less than 8 eps n W r^2,
    which k intervals and their log2 n choices of a beginning can each lose.

    Shapes: X (n, m), weights (n,); returns (m,), (m,).
    """
    columns, n = np.ascontiguousarray(X.T, np.float64), len(X)
    w = np.ones(n) if weights is None else weights.astype(np.float64)
    share, n_clusters = ROUNDINGS * (n + GRID_TERMS) * EPS, min(n_clusters, n)
    # No clusters explain more of a column than its sum of squares.
    whole = (np.square(columns) @ w) * (1 + share)
    if w.min() <= share * w.sum():  # sums would lose the lightest rows
        return whole, whole * share
    error = share * float(w.sum()) * np.square(np.abs(columns).max(axis=1))
    errors = np.minimum(n_clusters * (n.bit_length() + 1) * error, whole)
    found = Sorted.of(columns, w).best(n_clusters)
    return np.minimum(found + errors, whole), errors


@dataclass(frozen=True, slots=True)
class Sorted:
    """Prefix sums of sorted columns, m columns of n rows, flat."""

    n: int  # Number of rows
    m: int  # Number of columns
    sums: Array  # sums, masses: (m * (n + 1),): of w x and of w, from 0 on
    masses: Array

    @classmethod
    def of(cls, columns: Array, weights: Array) -> Sorted:
        """Sort the columns (m, n) and add them up."""
        m, n = columns.shape
        order = columns.argsort(axis=1, kind="stable")
        w = weights[order]
        sums, masses = np.zeros((2, m, n + 1))
        np.cumsum(np.take_along_axis(columns, order, axis=1) * w, axis=1, out=sums[:, 1:])
        np.cumsum(w, axis=1, out=masses[:, 1:])
        return cls(n, m, sums.ravel(), masses.ravel())

    def best(self, n_clusters: int) -> Array:
        """Largest gain of all rows of each column (m,) in at most `n_clusters` intervals."""
        # In the flat sums each column takes n + 1 places, the first of which is 0.
        first = np.arange(self.m)[:, None] * (self.n + 1)
        every = first + np.arange(self.n + 1)
        f = self.gains(np.broadcast_to(first, every.shape), every)
        if n_clusters == 1:
            return f[:, -1]
        for _ in range(n_clusters - 2):
            f = self.next_layer(f)
        # The last interval ends with the last row, so that it needs no layer of its own.
        found: Array = (f + self.gains(every, every[:, -1:])).max(axis=1)
        return found

    def gains(self, begins: Array, ends: Array) -> Array:
        """Gains of intervals between places of the flat sums; 0 of empty ones."""
        found = self.sums.take(ends) - self.sums.take(begins)
        found *= found
        masses = self.masses.take(ends) - self.masses.take(begins)
        # An empty interval has the sum 0, and its gain must be 0 and not 0 / 0.
        masses += masses == 0
        found /= masses
        return found

    def next_layer(self, f: Array) -> Array:
        """f_k of every row from f_{k-1}, (m, n + 1): rows at a distance first, then those half-way."""
        n, flat = self.n, f.ravel()
        begin = np.zeros((self.m, n + 1), np.intp)  # of the best last interval, by its end
        found = np.zeros_like(f)
        step = 1 << int(n).bit_length()
        while step > 1:
            half = step // 2
            ends = np.arange(half, n + 1, step)
            low = begin[:, ends - half]
            after = np.minimum(ends + half, n)
            high = np.where(ends + half <= n, begin[:, after], ends)
            # No interval begins after its end.
            high = np.minimum(high, ends)
            begin[:, ends], found[:, ends] = self._between(flat, ends, low, high)
            step = half
        return found

    def _between(self, flat: Array, ends: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """The best beginning within its limits, and its value, of intervals with these ends, (m, e)."""
        offsets = np.broadcast_to(np.arange(self.m)[:, None] * (self.n + 1), low.shape).ravel()
        counts = (high - low).ravel() + 1
        firsts = np.cumsum(counts) - counts
        begins = np.arange(counts.sum()) + np.repeat(low.ravel() + offsets - firsts, counts)
        # The candidates of all ends lie one after the other, so that one `reduceat` finds the best of each.
        values = self.gains(begins, np.repeat((offsets.reshape(low.shape) + ends).ravel(), counts))
        values += flat.take(begins)
        best = np.maximum.reduceat(values, firsts)
        reached = np.flatnonzero(values == np.repeat(best, counts))
        # Of equal values the earliest beginning is taken, so that beginnings ascend with the ends.
        first = reached[np.searchsorted(reached, firsts)]
        return (begins[first] - offsets).reshape(low.shape), best.reshape(low.shape)

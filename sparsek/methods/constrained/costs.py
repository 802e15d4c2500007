"""Costs of violated constraints: distances of the pairs, and the largest separation of the data.

A violated must-link costs c d_a(i, j), a violated cannot-link c (F_a - d_a(i, j)), where d_a is the squared
distance under feature weights a, and F_a = sum_j a_j f_j the maximal separation.

Source: Vouros and Vasilaki (2021), equations (9), (11) and (16); Bilenko, Basu and Mooney (2004), Section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparsek.core.steps import Array, Labels
from sparsek.methods.constrained.assignment import Pattern

STORED_ENTRIES = 4_000_000
"""Up to this many squared differences of the pairs are stored; more are recomputed in blocks of this size."""
PAIR_ROWS = 5000
"""Largest number of rows for `max_separation="pair"`, which compares all pairs of rows."""
PAIR_ENTRIES = 1_000_000
"""Number of distances computed at a time for `max_separation="pair"`."""


class Costs(NamedTuple):
    """Cost of each pair if violated, as a must-link and as a cannot-link; both of shape (m,)."""

    must: Array
    cannot: Array

    @property
    def together(self) -> Array:
        """Cost of having the two rows in one cluster rather than apart."""
        return self.cannot - self.must

    def violated(self, pattern: Pattern, labels: Labels) -> Array:
        """Cost of each pair under the labels, shape (m,)."""
        same = labels[pattern.first] == labels[pattern.second]
        return np.where(same, self.cannot, self.must)


@dataclass(frozen=True, slots=True)
class Extents:
    """Squared extent f_j of every feature, or of the farthest pair of rows if `rows` are given."""

    squares: Array  # (p,): (max_i x_ij - min_i x_ij)^2
    rows: Array | None  # (n, p): data for ``"pair"``

    def under(self, weights: Array) -> Array:
        """f_j under the feature weights, shape (p,)."""
        if self.rows is None:
            return self.squares
        i, j = farthest_pair(self.rows * np.sqrt(weights))
        squares: Array = np.square(self.rows[i] - self.rows[j])
        return squares


def farthest_pair(X: Array) -> tuple[int, int]:
    """Numbers of the two rows that are farthest apart."""
    norms = np.einsum("ij,ij->i", X, X)
    best, pair = -np.inf, (0, 0)
    step = max(1, PAIR_ENTRIES // len(X))
    for start in range(0, len(X), step):
        distances = norms[start : start + step, None] + norms - 2 * (X[start : start + step] @ X.T)
        i, j = np.unravel_index(np.argmax(distances), distances.shape)
        if distances[i, j] > best:
            best, pair = distances[i, j], (start + int(i), int(j))
    return pair


def measure_extents(X: Array, origin: Array, mode: str) -> Extents:
    """Extents of data whose origin lies at `origin`.

    Shapes: X (n, p), origin (p,).
    """
    low = X.min(axis=0)
    if mode == "box_origin":
        low = np.minimum(low, origin)
    if mode == "pair" and len(X) > PAIR_ROWS:
        raise ValueError(
            f"max_separation='pair' looks at all pairs of rows and takes at most {PAIR_ROWS} of them; "
            f"got {len(X)} rows; use 'box'"
        )
    return Extents(np.square(X.max(axis=0) - low), X if mode == "pair" else None)


class PairSquares:
    """Squared differences (x_uj - x_vj)^2 of the pairs, shape (m, p), stored if they are few."""

    def __init__(self, X: Array, pattern: Pattern) -> None:
        self.X, self.pattern = X, pattern
        m, p = len(pattern.first), X.shape[1]
        self.step = max(1, STORED_ENTRIES // p)
        self.stored = self.of(slice(None)) if m <= self.step else None

    def of(self, pairs: slice | Array) -> Array:
        """Squared differences of some pairs."""
        difference = self.X[self.pattern.first[pairs]]
        difference -= self.X[self.pattern.second[pairs]]
        return np.square(difference, out=difference)

    def distances(self, weights: Array) -> Array:
        """d_a of each pair, shape (m,)."""
        if self.stored is not None:
            return self.stored @ weights
        starts = range(0, len(self.pattern.first), self.step)
        return np.concatenate([self.of(slice(start, start + self.step)) @ weights for start in starts])

    def costs(self, weights: Array, extents: Array) -> Costs:
        """Costs of violated pairs under feature weights; F_a is the sum of the weighted extents."""
        distances = self.distances(weights)
        return Costs(self.pattern.ml * distances, self.pattern.cl * (weights @ extents - distances))

    def violations(self, labels: Labels, extents: Array) -> Array:
        """Costs of the violated pairs, each counted once, by feature and for weights of 1; shape (p,).

        V_j^ML + V_j^CL: must-links c (x_uj - x_vj)^2, cannot-links c max(0, f_j - (x_uj - x_vj)^2).
        """
        pattern = self.pattern
        same = labels[pattern.first] == labels[pattern.second]
        total = np.zeros(len(extents))
        for weight, violated, sign in ((pattern.ml, ~same, 1), (pattern.cl, same, -1)):
            pairs = np.flatnonzero(violated & (weight > 0))
            for start in range(0, len(pairs), self.step):
                chosen = pairs[start : start + self.step]
                squares = self.of(chosen)
                if sign < 0:
                    squares = np.maximum(extents - squares, 0)
                total += weight[chosen] @ squares
        return total

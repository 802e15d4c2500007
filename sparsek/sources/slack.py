"""Bounds that spare the distances of rows which cannot have changed cluster, for large data.

The slack of a row is the distance to its second nearest centre minus the distance to its own. When centre j
moves by m_j, the slack falls by at most m_own + max_j m_j; a row whose slack stays positive keeps its label.

Source: Hamerly (2010), "Making k-means even faster", SIAM International Conference on Data Mining.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparsek.core.steps import CHUNK_ROWS, Array, Labels, length
from sparsek.sources.blocks import PIECE_ENTRIES, AsGiven, Comparison, DenseSteps, z_grid

MIN_ROWS = 5000
"""Below this size, bookkeeping costs more than the distances."""
BYTES = 6
"""Memory for each row, in bytes."""


class Slack:
    """Slacks of all rows for one set of columns, in single precision and in a power of two near `size`.

    Scores of near rows are in doubt up to (6 m + 64) eps L^2 for m columns and the sum L of the lengths of
    row and centre, at most twice `size` (see `steps.doubt`); distances up to the root of twice that. A slack
    of at most twice `size` is rounded by less than `size` times 2^-22.
    """

    def __init__(self, n_rows: int, compared: Comparison, size: float) -> None:
        self.subspace, self.centers, self.rounding = compared.subspace, compared.centers, size * 2.0**-22
        self.unit = math.ldexp(1.0, -math.frexp(size)[1])  # single precision overflows long before squares do
        self.values = np.full(n_rows, -np.inf, np.float32)  # lower bounds; -inf where unknown
        self.labels: Any = None  # those that the slacks are of
        self.lengths: Array | None = None  # squared, of all rows; None until they are needed
        eps = float(np.finfo(compared.centers.dtype).eps)
        self.tolerance = np.float32(
            (np.sqrt((48 * len(self.subspace.columns) + 512) * eps) * size + self.rounding) * self.unit
        )

    def follow(self, centers: Array, labels: Labels) -> None:
        """Lower the slacks for centres that moved; forget them if the labels are others."""
        if labels is self.labels:
            moves = np.sqrt(((centers - self.centers) ** 2).sum(axis=1, dtype=np.float64))
            falls = (moves + moves.max()) * (1 + 2.0**-20) + self.rounding
            falls = (falls * self.unit).astype(np.float32)
            for start in range(0, len(labels), CHUNK_ROWS):
                rows = slice(start, start + CHUNK_ROWS)
                self.values[rows] -= falls[labels[rows]]
        else:
            self.values[:] = -np.inf
        self.centers = centers

    def open_rows(self, part: int) -> Array | None:
        """Numbers of the rows that may have moved; None where these are more than one in `part`."""
        may_move = self.values <= self.tolerance
        return np.flatnonzero(may_move) if part * np.count_nonzero(may_move) <= len(may_move) else None

    def nearest(self, place: Any, operand: Array, compared: Comparison, steps: DenseSteps) -> Labels:
        """Nearest centres of the rows at `place`, whose slacks are set anew."""
        labels, best, second = steps.nearest_two(operand, compared)
        self._renew(place, steps.lengths(operand, compared), best, second)
        return labels

    def nearest_as_given(
        self, X: Array, rows: Array | None, compared: Comparison, steps: DenseSteps, given: AsGiven
    ) -> Labels:
        """The same of these rows of X, None for all, by products with rows as they are given."""
        if self.lengths is None:
            self.lengths = steps.lengths_as_given(X, compared.subspace, given)
        ties = steps.ties_as_given(X, compared, given)
        # Of scores and of lengths; prepared rows are rounded, which moves them away from those given.
        moved = length(z_grid(steps.scaling, compared.subspace).unit)
        tolerance = np.float32((np.sqrt(4 * ties.doubt) + 2 * moved + self.rounding) * self.unit)
        self.tolerance = max(self.tolerance, tolerance)
        n = len(X) if rows is None else len(rows)
        labels, place = np.empty(n, np.int32), slice(None) if rows is None else rows
        best, second = np.empty((2, n), X.dtype)
        step = CHUNK_ROWS if rows is None else max(1, PIECE_ENTRIES // X.shape[1])  # some are copied
        for start in range(0, n, step):
            part = slice(start, start + step)
            some = X[part] if rows is None else X[rows[part]]
            labels[part], best[part], second[part] = steps.nearest_two_as_given(some, compared, given)
        near = np.flatnonzero(second <= best + best.dtype.type(ties.doubt))
        if len(near):
            labels[near] = ties.decide(near if rows is None else rows[near])
        self._renew(place, self.lengths[place], best, second)
        return labels

    def _renew(self, place: Any, norms: Array, best: Array, second: Array) -> None:
        """Set the slacks of some rows from their squared lengths and their scores."""
        own = np.sqrt(np.maximum(norms + 2 * best, 0))
        self.values[place] = (np.sqrt(np.maximum(norms + 2 * second, 0)) - own) * self.unit

    def settle(self, labels: Labels, found: Labels) -> None:
        """Keep the labels that a fit goes on with; where they are not those found, nothing is known."""
        if labels is not found:
            self.values[labels != found] = -np.inf
        self.labels = labels

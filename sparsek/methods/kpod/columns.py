"""Statistics of the observed values of each column, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.methods.rows.local import Source
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array


@dataclass(frozen=True, slots=True)
class Columns:
    """Weighted statistics of the observed values of each column: arrays of shape (p,), float64.

    Attributes
    ----------
    counts, means, squares : ndarray
        Numbers of observed values, their means (0 without any), and sums of squares about the means.
    top, bottom : ndarray
        Largest and smallest; NaN without any.
    """

    counts: Array
    means: Array
    squares: Array
    top: Array
    bottom: Array

    def merge(self, other: Columns) -> Columns:
        """Statistics of both sets of rows together (Chan, Golub and LeVeque 1983)."""
        counts = self.counts + other.counts
        share = other.counts / np.where(counts > 0, counts, 1)
        difference = other.means - self.means
        return Columns(
            counts,
            self.means + difference * share,
            self.squares + other.squares + difference**2 * self.counts * share,
            np.fmax(self.top, other.top),
            np.fmin(self.bottom, other.bottom),
        )

    def scaling(self, dtype: Any, standardize: bool) -> Scaling:
        """The centring of the columns, and on request their standard deviations."""
        offset = np.where(self.top == self.bottom, self.top, self.means).astype(dtype)
        ones = np.ones(len(offset), dtype)
        spread = observed_spread(self.squares, self.counts, dtype) if standardize else ones
        return Scaling(ones, offset, np.where(self.top == self.bottom, ones, spread))


def observed_spread(squares: Array, counts: Array, dtype: Any) -> Array:
    """Standard deviations of the observed values; 1 for a column that does not vary."""
    varying = (squares > 0) & (counts > 1)
    spread = np.sqrt(squares / np.where(varying, counts - 1, 1))
    return np.where(varying, spread, 1).astype(dtype)


def block_columns(X: Array, weights: Array | None) -> Columns:
    """Statistics of one block."""
    observed = ~np.isnan(X)
    w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
    counts = w @ observed
    safe = np.where(counts > 0, counts, 1)
    filled = np.where(observed, X, 0).astype(np.float64)
    means = w @ filled / safe
    filled -= means
    filled *= observed
    rest = w @ filled / safe  # corrects the mean for the rounding error of a sum of large numbers
    squares = w @ np.square(filled) - counts * rest**2
    return Columns(counts, means + rest, squares, np.fmax.reduce(X), np.fmin.reduce(X))


def observed_columns(
    source: Source, weights: Array | None, kept: Array
) -> tuple[Array, Array | None, Columns]:
    """Mask of rows with positive weight and an observed value, their weights, and `Columns`, in one pass."""
    some = np.zeros(len(kept), dtype=bool)
    p, done = source.shape[1], 0
    zeros, nothing = np.zeros(p), np.full(p, np.nan)
    found = Columns(zeros, zeros, zeros, nothing, nothing)
    for start, X in source.blocks():
        part = slice(start, start + len(X))
        some[part] = ~np.isnan(X).all(axis=1)
        rows = X if kept[part].all() else X[kept[part]]
        if len(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                mass = None if weights is None else weights[done : done + len(rows)]
                found = found.merge(block_columns(rows, mass))
        done += len(rows)
    return kept & some, weights if weights is None else weights[some[kept]], found

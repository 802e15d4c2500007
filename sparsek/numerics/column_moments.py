"""Means and sums of squares of columns, the same for every order and every storage of the rows.

A first pass finds the extremes. The second adds the differences from the middle between them, and their
squares, exactly (see `sparsek.numerics.exact_sums`). Terms about the middle keep their digits where columns
lie far from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csc_array, issparse

from sparsek.numerics.exact_sums import Array, Grid, exact_sum

CHUNK_ENTRIES = 65_536
"""Entries handled at a time."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Weighted statistics of the columns.

    Attributes
    ----------
    count : float
        Number of rows, or sum of their weights.
    means, squares : ndarray of shape (p,), float64
        Means of the observed values (0 where there is none), and sums of squares about them.
    top, bottom : ndarray of shape (p,)
        Largest and smallest values; NaN where a column has NaN or, of observed columns, no value.
    counts : ndarray of shape (p,) or None
        Numbers or weights of the observed values; None if all are.
    """

    count: float
    means: Array
    squares: Array
    top: Array
    bottom: Array
    counts: Array | None = None


@dataclass(frozen=True, slots=True)
class Extremes:
    """Largest and smallest values of the columns of some rows.

    Attributes
    ----------
    top, bottom : ndarray of shape (p,)
        The extremes; NaN for a column with NaN unless holes are left out.
    """

    top: Array
    bottom: Array

    @classmethod
    def of(cls, X: Any, holes: bool = False, unit: Array | None = None) -> Self:
        """Extremes of a block of rows, dense or sparse; with `holes`, NaN is left out."""
        if issparse(X):
            matrix: Any = X
            by_column: Any = csc_array(matrix)
            return cls(by_column.max(axis=0).toarray(), by_column.min(axis=0).toarray())
        top = np.full(X.shape[1], np.nan if holes else -np.inf, X.dtype)
        bottom = np.full(X.shape[1], np.nan if holes else np.inf, X.dtype)
        largest, smallest = (np.fmax, np.fmin) if holes else (np.maximum, np.minimum)
        for rows in row_chunks(X):
            part = X[rows] if unit is None else X[rows] * unit
            largest(top, largest.reduce(part), out=top)
            smallest(bottom, smallest.reduce(part), out=bottom)
        return cls(top, bottom)

    def merge(self, other: Extremes, holes: bool = False) -> Extremes:
        """Extremes of both sets of rows together, with `holes` of the values that are no NaN."""
        largest, smallest = (np.fmax, np.fmin) if holes else (np.maximum, np.minimum)
        return Extremes(largest(self.top, other.top), smallest(self.bottom, other.bottom))


@dataclass(frozen=True, slots=True)
class MomentSums:
    """How the second pass adds: the middle of each column, and the grids of the terms.

    Attributes
    ----------
    extremes : Extremes
        From the first pass.
    middle : ndarray of shape (p,), float64
        The middle between the extremes.
    first, second : Grid
        Grids of the weighted differences from the middle and of their weighted squares.
    mass : Grid or None
        Grid of the weights, where columns have holes.
    """

    extremes: Extremes
    middle: Array
    first: Grid
    second: Grid
    mass: Grid | None

    @classmethod
    def of(cls, extremes: Extremes, n_rows: int, weights: Array | None = None, holes: bool = False) -> Self:
        """The second pass over so many rows with these weights."""
        heaviest = 1.0 if weights is None else float(weights.max())
        top, bottom = (np.nan_to_num(end.astype(np.float64)) for end in (extremes.top, extremes.bottom))
        middle = top / 2 + bottom / 2
        reach = np.maximum(top - middle, middle - bottom)
        first, second = (Grid.of(terms * heaviest, n_rows) for terms in (reach, reach * reach))
        mass = Grid.of(np.full(len(middle), heaviest), n_rows) if holes else None
        return cls(extremes, middle, first, second, mass)

    def add(self, X: Any, weights: Array | None = None, unit: Array | None = None) -> Array:
        """Sums of a block of rows in multiples of the units, (2 or 3, p), int64."""
        if issparse(X):
            return self._add_sparse(X, weights)
        total = np.zeros((2 + (self.mass is not None), X.shape[1]), np.int64)
        step = chunk_rows(X)
        room, squares = np.empty((2, step, X.shape[1]))
        for rows in row_chunks(X):
            part = X[rows] if unit is None else X[rows] * unit
            w = None if weights is None else weights[rows].astype(np.float64)[:, None]
            terms, squared = room[: len(part)], squares[: len(part)]
            np.subtract(part, self.middle, out=terms)
            if self.mass is not None:
                observed = ~np.isnan(terms)
                np.copyto(terms, 0, where=~observed)
                shares = observed.astype(np.float64) if w is None else observed * w
                total[2] += self.mass.column_sums(shares)
            np.square(terms, out=squared)
            if w is not None:
                terms *= w
                squared *= w
            total[0] += self.first.column_sums(terms)
            total[1] += self.second.column_sums(squared)
        return total

    def _add_sparse(self, X: Any, weights: Array | None) -> Array:
        """Sums of sparse rows: first as if every entry were 0, then what the stored ones change."""
        by_column = csc_array(X)
        w = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        column = np.repeat(np.arange(len(self.middle)), np.diff(by_column.indptr))
        total = np.zeros((2, len(self.middle)), np.int64)
        stored, zero = by_column.data.astype(np.float64) - self.middle[column], -self.middle
        masses, numbers = np.unique(w, return_counts=True)
        for place, grid in enumerate((self.first, self.second)):
            own, blank = (stored, zero) if place == 0 else (np.square(stored), np.square(zero))
            mass, by_entry = w[by_column.indices], grid.chosen(column)
            changes = by_entry.multiples(mass * own) - by_entry.multiples(mass * blank[column])
            running = np.concatenate([[0], np.cumsum(changes)])  # whole numbers: differences are exact
            total[place] += np.diff(running[by_column.indptr])
            step = max(1, CHUNK_ENTRIES // len(blank))
            for start in range(0, len(masses), step):
                some = slice(start, start + step)
                terms = grid.multiples(masses[some, None] * blank)
                total[place] += (numbers[some, None] * terms).sum(axis=0)
        return total

    def moments(self, sums: Array, count: float) -> Moments:
        """Moments from the sums of all rows, whose weights add up to `count`."""
        counts = None if self.mass is None else self.mass.values(sums[2])
        divisor = count if counts is None else np.where(counts > 0, counts, 1)
        differences = self.first.values(sums[0])
        shift = differences / divisor
        squares = np.maximum(self.second.values(sums[1]) - differences * shift, 0)
        means = self.middle + shift
        if counts is not None:
            means = np.where(counts > 0, means, 0)
        else:  # whole numbers do not tell of NaN and overflow
            finite = np.isfinite(self.extremes.top) & np.isfinite(self.extremes.bottom)
            means, squares = np.where(finite, means, np.nan), np.where(finite, squares, np.nan)
        squares = np.where(np.isfinite(self.second.magic), squares, np.inf)
        return Moments(count, means, squares, self.extremes.top, self.extremes.bottom, counts)


def total_weight(n_rows: int, weights: Array | None) -> float:
    """Number of the rows or sum of their weights."""
    return float(n_rows) if weights is None else exact_sum(weights)


def column_moments(
    X: Array, weights: Array | None = None, unit: Array | None = None, holes: bool = False
) -> Moments:
    """Moments of the columns of X * unit; sums are not finite where entries are not, or where they overflow.

    With `holes`, NaN is left out.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        passes = MomentSums.of(Extremes.of(X, holes, unit), X.shape[0], weights, holes)
        return passes.moments(passes.add(X, weights, unit), total_weight(X.shape[0], weights))


def row_chunks(X: Array) -> Any:
    """Slices of rows so small that intermediate results stay in the processor's cache."""
    step = chunk_rows(X)
    return (slice(start, start + step) for start in range(0, len(X), step))


def chunk_rows(X: Array) -> int:
    """Number of rows of each of these slices; the last may have fewer."""
    return max(1, min(len(X), CHUNK_ENTRIES // X.shape[1]))

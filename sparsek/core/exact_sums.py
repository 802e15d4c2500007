"""Sums that are the same in every order of their terms, in any number of pieces, on every processor.

Cluster sums, and the means and sums of squares of columns, are added in this way. Every term is first rounded
to a multiple of a unit, a power of two that depends on the largest term and on the number of terms alone. The
multiples are whole numbers and are added as such. So no order of additions and no way of storing the terms
can change a bit, and what is taken out of a sum leaves no trace. For cluster sums of up to 262,000 rows the
unit is 2^-44 (6e-14) of the power of two above the largest entry. A term so loses up to nine of the 53 bits
of double precision; sums lose none.

Source: Demmel and Nguyen (2013), "Fast reproducible floating-point summation", 21st IEEE Symposium on
Computer Arithmetic, 163-172: their pre-rounding, with one bin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse

from sparsek.core import loops
from sparsek.engine import loops_run, masses, readable

Array = NDArray[Any]

MOST_BITS = 51
"""A term has at most 2 to this power multiples of the unit, so that term and `magic` fit one double together.
"""
ROW_BITS = 44
"""In matrix products a term has at most 2^44 multiples: 512 = 2^9 of them add up exactly in 53 bits."""
BLOCK_ROWS = 512
"""One matrix product gives the exact sum of at most this many rows."""
CHUNK_ENTRIES = 65_536
"""Intermediate results of this many entries stay in the processor's cache."""
SUMMED_ENTRIES = 131_072
"""Entries rounded at a time, so that they stay in the processor's cache."""
PRODUCT_ENTRIES = 8_000_000
"""Entries that one matrix product reads, so that its result stays small."""
DENSE_PRODUCTS = 1_000_000
"""Up to this many products, a small dense matrix beats a sparse one."""
LEAST_EXPONENT = -900
"""Terms below about two to this power are rounded away, because units must be normal numbers."""


class Grid(NamedTuple):
    """The unit of the terms of each column."""

    reach: Array  # (m,) float64: upper bounds of the absolute values of the terms
    unit: Array  # (m,) float64: powers of two; sums count multiples of them
    magic: Array  # (m,) float64: a term plus this number has the multiple in its last bits

    @classmethod
    def of(cls, reach: Array, n_terms: int, most_bits: int = MOST_BITS) -> Self:
        """Units for sums of at most `n_terms` terms of at most these absolute values."""
        # n_terms multiples of at most 2^bits add up to less than 2^62, so that no int64 overflows.
        bits = min(most_bits, 62 - int(n_terms).bit_length())
        reach = np.asarray(reach, np.float64)
        # The unit is a power of two, so that products and quotients with it are exact.
        unit = np.ldexp(1.0, np.maximum(np.frexp(reach)[1], LEAST_EXPONENT) - bits)
        # Doubles between 2^52 and 2^53 units are one unit apart: adding this number rounds to the unit.
        return cls(reach, unit, 1.5 * 2.0**52 * unit)

    @classmethod
    def of_rows(cls, reach: Array, n_rows: int) -> Self:
        """Units for cluster sums of `n_rows` rows, whose columns have at most these absolute values."""
        return cls.of(reach, n_rows, ROW_BITS)

    def multiples(self, terms: Array) -> Array:
        """Whole numbers (..., m), int64, from float64 terms, which are overwritten."""
        terms += self.magic
        # Neighbouring doubles have neighbouring bit patterns, so that a difference of patterns counts units.
        found: Array = terms.view(np.int64)
        found -= self.magic.view(np.int64)
        return found

    def column_sums(self, terms: Array) -> Array:
        """Sums of each column of float64 terms (n, m), in multiples of the unit; `terms` are overwritten."""
        terms += self.magic
        found: Array = terms.view(np.int64).sum(axis=0)
        # Each term holds the bits of `magic` once; where int64 wrapped around, subtracting undoes it.
        found -= len(terms) * self.magic.view(np.int64)
        return found

    def values(self, sums: Array) -> Array:
        """Sums of multiples as float64, each rounded once."""
        found: Array = sums * self.unit
        return found

    def round(self, terms: Array, out: Array | None = None) -> None:
        """Round float64 terms (n, m) to multiples of the unit, in place or to `out`."""
        terms += self.magic
        np.subtract(terms, self.magic, out=terms if out is None else out)

    def chosen(self, columns: Array | slice) -> Grid:
        """The grid of some columns."""
        return Grid(self.reach[columns], self.unit[columns], self.magic[columns])


def sum_grid(reach: Array, n_rows: int, weights: Array | None = None) -> Grid:
    """Units for cluster sums of rows whose last column is 1 and whose other columns have these bounds."""
    heaviest = 1.0 if weights is None else float(weights.max())
    # A weighted row adds weight times entry, and its weight to the size of its cluster.
    return Grid.of_rows(np.append(reach, 1.0) * heaviest, n_rows)


def reach_of(X: Array) -> Array:
    """Largest absolute value of each column, float64."""
    ends = Extremes.of(X)
    found: Array = np.maximum(np.maximum(ends.top, -ends.bottom).astype(np.float64), 0)
    return found


def added_rows(
    X: Array,
    grid: Grid,
    n_clusters: int,
    labels: Array,
    old: Array | None = None,
    weights: Array | None = None,
    rounded: bool = False,
) -> Array:
    """Sums of the rows of every cluster in multiples of the unit.

    Shapes: X (n, m), labels (n,), old (n,), weights (n,); returns (n_clusters, m) int64.
    """
    n, m = X.shape
    if loops_run(X, loops.add_rows):
        return _added_looped(X, grid, n_clusters, labels, old, weights)
    direct = rounded and weights is None and X.dtype == np.float64
    if weights is None and n <= BLOCK_ROWS and n * int(n_clusters) * m <= DENSE_PRODUCTS:
        signs = np.zeros((n_clusters, n))
        signs[labels, np.arange(n)] = 1
        if old is not None:
            # A row that stayed has 1 - 1 = 0 and leaves no trace in the change.
            signs[old, np.arange(n)] -= 1
        # At most 512 = 2^9 terms of 44 bits add up to 53 bits, so that this floating-point product is exact.
        terms = X if direct else (X + grid.magic) - grid.magic
        return ((signs @ terms) / grid.unit).astype(np.int64)
    total = np.zeros((n_clusters, m), np.int64)
    step = max(BLOCK_ROWS, (PRODUCT_ENTRIES if direct else SUMMED_ENTRIES) // m // BLOCK_ROWS * BLOCK_ROWS)
    room = np.empty((0 if direct else min(step, n), m))
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        terms = X[part]
        if not direct:
            terms = room[: part.stop - start]
            if weights is None:
                np.add(X[part], grid.magic, out=terms)
                terms -= grid.magic
            else:
                np.multiply(X[part], weights[part, None], out=terms, dtype=np.float64)
                grid.round(terms)
        members = block_members(n_clusters, labels[part], None if old is None else old[part])
        # The product of a block of 512 rows is exact, and whole numbers add the blocks in any order.
        by_block = (members @ terms).reshape(-1, n_clusters, m)
        by_block /= grid.unit
        total += by_block.astype(np.int64).sum(axis=0)
    return total


def _added_looped(
    X: Array, grid: Grid, n_clusters: int, labels: Array, old: Array | None, weights: Array | None
) -> Array:
    """`added_rows`, compiled."""
    new, before = (
        readable(np.ascontiguousarray(found, np.int32))
        for found in (labels, labels[:0] if old is None else old)
    )
    total = np.zeros((n_clusters, X.shape[1]), np.int64)
    loops.add_rows.compiled(readable(X), new, before, masses(weights, len(X)), grid.magic, total)
    return total


def block_members(n_clusters: int, labels: Array, old: Array | None = None) -> Any:
    """Matrix (blocks * k, n): 1 at the cluster of each row in its block of rows, -1 at its old cluster."""
    n = len(labels)
    blocks = np.arange(n, dtype=np.int32) // BLOCK_ROWS
    shape = (n_clusters * (int(blocks[-1]) + 1 if n else 0), n)
    # Each block of rows has its own k rows of the product.
    blocks *= n_clusters
    if old is None:
        return csc_array((np.ones(n), blocks + labels, np.arange(n + 1)), shape=shape)
    clusters = np.column_stack([blocks + labels, blocks + old]).ravel()
    return csc_array((np.tile([1.0, -1.0], n), clusters, np.arange(0, 2 * n + 1, 2)), shape=shape)


def exact_sum(values: Array) -> float:
    """The sum of some numbers, the same in every order."""
    terms = np.array(values, np.float64).ravel()
    if not len(terms):
        return 0.0
    grid = Grid.of(np.abs(terms).max(), len(terms))
    return float(grid.values(grid.multiples(terms).sum()))


@dataclass(frozen=True, slots=True)
class Moments:
    """Weighted statistics of the columns."""

    count: float  # Number of rows, or sum of their weights
    # means, squares: (p,) float64: means of the observed values (0 where there is none), and sums of squares
    # about them
    means: Array
    squares: Array
    # top, bottom: (p,): largest and smallest values; NaN where a column has NaN or, of observed columns, no
    # value
    top: Array
    bottom: Array
    counts: Array | None = None  # (p,): numbers or weights of the observed values; None if all are

    @property
    def masses(self) -> Any:
        """Numbers or weights of the observed values, of all columns or of each."""
        return self.count if self.counts is None else self.counts

    def ends(self, dtype: Any) -> tuple[Array, Array]:
        """Largest and smallest values in this type; 0 for observed columns without any value."""
        top, bottom = self.top.astype(dtype), self.bottom.astype(dtype)
        return (top, bottom) if self.counts is None else (np.nan_to_num(top), np.nan_to_num(bottom))


@dataclass(frozen=True, slots=True)
class Extremes:
    """Largest and smallest values of the columns of some rows, from the first pass over them."""

    top: Array  # top, bottom: (p,): the extremes; NaN for a column with NaN unless holes are left out
    bottom: Array

    @classmethod
    def of(cls, X: Any, holes: bool = False, unit: Array | None = None) -> Self:
        """Extremes of a block of rows, dense or sparse; with `holes`, NaN is left out."""
        if issparse(X):
            matrix: Any = X
            by_column: Any = csc_array(matrix)
            return cls(by_column.max(axis=0).toarray(), by_column.min(axis=0).toarray())
        top, bottom = (_looped_extremes if loops_run(X, loops.extremes) else _array_extremes)(X, holes)
        if unit is not None:  # as if each entry had been multiplied
            top *= unit
            bottom *= unit
        return cls(top, bottom)

    def merge(self, other: Extremes, holes: bool = False) -> Extremes:
        """Extremes of both sets of rows together, with `holes` of the values that are no NaN."""
        largest, smallest = (np.fmax, np.fmin) if holes else (np.maximum, np.minimum)
        return Extremes(largest(self.top, other.top), smallest(self.bottom, other.bottom))


def _looped_extremes(X: Array, holes: bool) -> tuple[Array, Array]:
    """Largest and smallest values of the columns, compiled."""
    # The loop skips NaN, so that a column without any value keeps these ends, which are the wrong way round.
    top, bottom = np.full(X.shape[1], -np.inf, X.dtype), np.full(X.shape[1], np.inf, X.dtype)
    missing = np.zeros(X.shape[1], bool)
    loops.extremes.compiled(readable(X), top, bottom, missing)
    unknown = top < bottom if holes else missing
    top[unknown] = bottom[unknown] = np.nan
    return top, bottom


def _array_extremes(X: Array, holes: bool) -> tuple[Array, Array]:
    """The same by whole arrays."""
    top = np.full(X.shape[1], np.nan if holes else -np.inf, X.dtype)
    bottom = np.full(X.shape[1], np.nan if holes else np.inf, X.dtype)
    largest, smallest = (np.fmax, np.fmin) if holes else (np.maximum, np.minimum)
    for rows in row_chunks(X):
        largest(top, largest.reduce(X[rows]), out=top)
        smallest(bottom, smallest.reduce(X[rows]), out=bottom)
    return top, bottom


@dataclass(frozen=True, slots=True)
class MomentSums:
    """How the second pass over the rows adds: the middle of each column, and the grids of the terms.

    The terms are differences from the middle, and their squares. They keep their digits where columns lie far
    from 0.
    """

    extremes: Extremes  # From the first pass
    middle: Array  # (p,) float64: the middle between the extremes
    # first, second: grids of the weighted differences from the middle and of their weighted squares
    first: Grid
    second: Grid
    mass: Grid | None  # Grid of the weights, where columns have holes

    @classmethod
    def of(cls, extremes: Extremes, n_rows: int, weights: Array | None = None, holes: bool = False) -> Self:
        """Prepare the second pass over `n_rows` rows with these weights."""
        heaviest = 1.0 if weights is None else float(weights.max())
        # A grid needs numbers; columns with NaN or infinity get their moments at the end, in `moments`.
        top, bottom = (np.nan_to_num(end.astype(np.float64)) for end in (extremes.top, extremes.bottom))
        # Each end is halved first, because the sum of two huge ends may overflow.
        middle = top / 2 + bottom / 2
        reach = np.maximum(top - middle, middle - bottom)
        first, second = (Grid.of(terms * heaviest, n_rows) for terms in (reach, reach * reach))
        mass = Grid.of(np.full(len(middle), heaviest), n_rows) if holes else None
        return cls(extremes, middle, first, second, mass)

    def add(self, X: Any, weights: Array | None = None, unit: Array | None = None) -> Array:
        """Sums of a block of rows in multiples of the units, (2 or 3, p), int64."""
        if issparse(X):
            return self._add_sparse(X, weights)
        if loops_run(X, loops.moments):
            return self._add_looped(X, weights, unit)
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
                # A missing value counts as the middle of the column, whose difference is 0.
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

    def _add_looped(self, X: Array, weights: Array | None, unit: Array | None) -> Array:
        """Sums of dense rows, compiled."""
        scale = np.ones(X.shape[1], X.dtype) if unit is None else unit
        magic = np.array([self.first.magic, self.second.magic])
        mass = np.empty(0) if self.mass is None else self.mass.magic
        total = np.zeros((2 + (self.mass is not None), X.shape[1]), np.int64)
        some = masses(weights, len(X))
        loops.moments.compiled(readable(X), scale, self.middle, some, magic, mass, total)
        return total

    def _add_sparse(self, X: Any, weights: Array | None) -> Array:
        """Sums of sparse rows: first as if every entry were 0, then what the stored ones change."""
        by_column = csc_array(X)
        w = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        column = np.repeat(np.arange(len(self.middle)), np.diff(by_column.indptr))
        total = np.zeros((2, len(self.middle)), np.int64)
        stored, zero = by_column.data.astype(np.float64) - self.middle[column], -self.middle
        # Zeros of rows of equal weight have equal terms, so that one term for each weight is enough.
        masses, numbers = np.unique(w, return_counts=True)
        for place, grid in enumerate((self.first, self.second)):
            own, blank = (stored, zero) if place == 0 else (np.square(stored), np.square(zero))
            mass, by_entry = w[by_column.indices], grid.chosen(column)
            # Each stored entry replaces the term of a zero, which was rounded in the same way.
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
        # Squares about the middle less n * shift^2 are those about the mean; rounding may leave them below 0.
        squares = np.maximum(self.second.values(sums[1]) - differences * shift, 0)
        means = self.middle + shift
        if counts is not None:
            means = np.where(counts > 0, means, 0)
        else:  # whole numbers do not tell of NaN and overflow
            finite = np.isfinite(self.extremes.top) & np.isfinite(self.extremes.bottom)
            means, squares = np.where(finite, means, np.nan), np.where(finite, squares, np.nan)
        # Squares that the grid cannot hold are near the largest number and count as overflow.
        squares = np.where(np.isfinite(self.second.reach + self.second.magic), squares, np.inf)
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


def row_chunks(X: Array) -> Iterator[slice]:
    """Slices of rows so small that intermediate results stay in the processor's cache."""
    step = chunk_rows(X)
    return (slice(start, start + step) for start in range(0, len(X), step))


def chunk_rows(X: Array) -> int:
    """Number of rows of each of these slices; the last may have fewer."""
    n_rows: int = max(1, min(len(X), CHUNK_ENTRIES // X.shape[1]))
    return n_rows

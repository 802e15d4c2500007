"""A block of dense rows: its moments, its nearest centres, its cluster sums.

The operations of a fit on one block, in prepared coordinates z = (x - offset) * rate (see
`sparsek.core.scaling`; `unit` is 1 here).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparsek.core.exact_sums import Grid, Moments, added_rows, reach_of, row_chunks, sum_grid
from sparsek.core.scaling import (
    Divisor,
    Scaling,
    deviations,
    divides,
    identity,
    refuse_small_divisors,
    takes_deviations,
)
from sparsek.core.steps import (
    Array,
    Labels,
    Ties,
    doubt_of,
    length,
    lowest_score,
    rows_of,
    scaled_coefficients,
)
from sparsek.sources.protocol import Subspace

PIECE_ENTRIES = 100_000
"""Entries that are prepared at a time, to be labelled or because their rows moved: they stay in the cache."""
LARGEST_SIZE = 2.0**400
"""Columns that are not brought near 1 may not be larger than this (1e120), nor smaller than its inverse. In
trials with sparse matrices, sizes of 2^-450 and 2^450 gave the features of data near 1, and 2^-470 others."""
SUMMED_ENTRIES, LEAST_ENTRIES, SUMMED_PART = 262_144, 16_384, 32
"""Numbers of entries that are prepared and summed at a time: at most the first; of small data a 32nd part,
but at least the second."""


def block_scaling(
    moments: Moments,
    n_rows: int,
    dtype: Any,
    divisor: Divisor,
    ddof: int = 1,
    unit: Array | None = None,
    levels: Array | None = None,
) -> tuple[Scaling, Array]:
    """Find the map of `n_rows` rows to prepared coordinates, and the columns' sums of squares there.

    Moments are those of x * unit, except the extremes, which are those of x. Where they leave out NaN, the
    map fills holes with 0. `levels` is a mask of the columns that are indicators of levels: one with the
    share p is divided by sqrt(p), in standardised units by sqrt(p n / (n - ddof)), as the deviations of
    numbers divide by n - ddof. The m indicators of a category then have the total variance m - 1, of which
    one has 1 - p (Chavent, Kuentz-Simonet and Saracco 2012, Section 2.1).
    """
    top, bottom = moments.ends(dtype)
    unit = np.ones(len(top), dtype) if unit is None else unit
    constant = top == bottom
    # The mean of equal numbers may be rounded; subtracting the number itself leaves exact zeros.
    offset = np.where(constant, top * unit, moments.means).astype(dtype)
    squares = np.where(constant, 0, moments.squares)
    spread = np.ones(len(offset), dtype)
    if takes_deviations(divisor):
        spread = deviations(squares, moments.masses, ddof, dtype)
    elif divides(divisor):
        given = top * unit - bottom * unit if isinstance(divisor, str) else divisor * unit
        # A constant column has no range to divide by.
        spread[~constant] = given[~constant]
    if levels is not None and levels.any():
        shares, occur = moments.means / unit, levels & (squares > 0)
        if divides(divisor):
            shares = shares * (moments.masses / np.where(moments.masses > ddof, moments.masses - ddof, 1))
        spread[occur] = np.sqrt(shares[occur])
    with np.errstate(over="ignore", divide="ignore"):  # given divisors may be those of other rows
        total = squares / spread.astype(np.float64) ** 2
    if isinstance(divisor, np.ndarray):
        refuse_small_divisors(divisor, total)
    scaling = Scaling(unit, offset, spread, fills=moments.counts is not None).gridded(top, bottom, n_rows)
    return scaling, total


def refuse_extremes(
    squares: Array, top: Array, bottom: Array, names: Any = None, dtype: Any = np.float64
) -> None:
    """Raise ValueError for the first column whose squares, or products of their sums, overflow or vanish."""
    info = np.finfo(dtype)
    largest, tiny = float(info.max), float(info.tiny)
    size = np.maximum(np.abs(top), np.abs(bottom)).astype(np.float64)
    varies = top > bottom
    # The square of the least size is tiny / eps, so that its last digit is not below the normal numbers.
    least, most = max(np.sqrt(tiny / float(info.eps)), 1 / LARGEST_SIZE), min(np.sqrt(largest), LARGEST_SIZE)
    large = ~np.isfinite(squares) | (squares > largest) | (varies & (size > LARGEST_SIZE))
    small = varies & (size < least)
    for wrong, what, limit in ((large, "overflow", most), (small, "vanish", least)):
        if wrong.any():
            column = int(np.argmax(wrong))
            called = column if names is None else f"{column} ({names[column]})"
            raise ValueError(
                f"the squares of column {called} {what}, whose size is {size[column]:.3g} (the limit for "
                f"sums of squares is {limit:.3g}); rescale it"
            )


def refuse_widest(squares: Array, top: Array, bottom: Array, dtype: Any) -> None:
    """`refuse_extremes` in the precision of the rows, of the column that outweighs the others."""
    widest = np.arange(len(squares)) == squares.argmax()
    squares, top, bottom = (np.where(widest, values, 0) for values in (squares, top, bottom))
    refuse_extremes(squares, top, bottom, dtype=dtype)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The centres of one assignment."""

    subspace: Subspace  # What the distance uses
    centers: Array  # (n_clusters, m): the centres in its coordinates, in the precision of the rows
    coefficients: Array  # (n_clusters, m + 1): their score coefficients for prepared columns
    factors: Any  # (m,): the factors of the columns; None for all 1
    doubt: float  # As in `Ties`


@dataclass(frozen=True, slots=True)
class DenseSteps:
    """Operations on blocks of a dense array. An operand is a prepared copy of some columns, ones last."""

    scaling: Scaling  # The map to prepared coordinates
    n_clusters: int  # Number of clusters
    grid: Grid  # Units of the cluster sums, see `exact_sums.sum_grid`
    is_rounded: bool = True  # Whether prepared rows are multiples of the units of their grid

    def room(self, n_rows: int, subspace: Subspace) -> Array | None:
        """Memory for the operands of all rows; None where an operand is its own memory."""
        return np.empty((n_rows, len(subspace.columns) + 1), self.scaling.offset.dtype)

    def operand(self, X: Array, subspace: Subspace, out: Array | None = None) -> Array:
        """The rows in the columns of the distance; the caller may keep them for later steps."""
        return self.scaling.apply(X, subspace.columns, out)

    def pieces(self, X: Array, subspace: Subspace) -> Iterator[tuple[slice, Array]]:
        """Operands of a few rows at a time, each written over the one before."""
        m = max(1, len(subspace.columns))
        step = max(1, min(PIECE_ENTRIES, max(LEAST_ENTRIES, X.shape[0] * m // SUMMED_PART)) // m)
        # A slice of all columns spares the map of every piece the choice among them.
        whole = len(subspace.columns) == X.shape[1]
        return self.scaling.pieces(X, step, slice(None) if whole else subspace.columns)

    def compared(self, subspace: Subspace, centers: Array) -> Comparison:
        """What the centres of one assignment give for the rows of every block."""
        dtype = self.scaling.offset.dtype
        factors, centers = self._factors(subspace, dtype), centers.astype(dtype)
        coefficients = scaled_coefficients(centers, factors)
        # The reach of the grid bounds every row, so that one margin holds for the rows of all blocks.
        margin = doubt_of(centers, length(z_grid(self.scaling, subspace).reach))
        return Comparison(subspace, centers, coefficients, factors, margin)

    def nearest(self, operand: Array, compared: Comparison, room: Array | None = None) -> Labels:
        """Nearest centre of each row."""
        ties = Ties(compared.centers, compared.doubt, rows_of(operand, compared.factors))
        return lowest_score(operand, compared.coefficients, room, ties)

    def nearest_rows(self, X: Array, subspace: Subspace, centers: Array) -> Labels:
        """Nearest centre of each row, without keeping an operand."""
        labels, compared = np.empty(len(X), np.int32), self.compared(subspace, centers)
        room: Any = None
        for rows, Z in self.pieces(X, subspace):
            room = np.empty(len(Z) * self.n_clusters, X.dtype) if room is None else room
            labels[rows] = self.nearest(Z, compared, room)
        return labels

    def coordinates(self, operand: Array, subspace: Subspace, some: Array | slice = slice(None)) -> Array:
        """Some rows in the coordinates of the distance."""
        return rows_of(operand, self._factors(subspace, operand.dtype))(some)

    def distances(self, operand: Array, subspace: Subspace, labels: Labels, centers: Array) -> Array:
        """Squared distance of each row to the centre of its label, float64."""
        found = np.empty(len(operand))
        for rows in row_chunks(operand):
            difference = self.coordinates(operand, subspace, rows) - centers[labels[rows]]
            found[rows] = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        return found

    @staticmethod
    def _factors(subspace: Subspace, dtype: Any) -> Any:
        """Factors of the columns of a subspace in the precision of the rows; None for all 1."""
        return None if subspace.factors is None else subspace.factors.astype(dtype)

    def sums(self, X: Array, labels: Labels, weights: Array | None, columns: Columns) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last, in units of the grid."""
        return self._added(X, labels, None, weights, columns)

    def change(
        self,
        X: Array,
        labels: Labels,
        old: Labels,
        weights: Array | None,
        columns: Columns,
        rows: Array | None = None,
    ) -> Array:
        """Change of the cluster sums by rows that all moved: the rows of X, or those with these numbers."""
        return self._added(X, labels, old, weights, columns, rows)

    def moved_change(self, X: Array, labels: Labels, old: Labels, columns: Columns) -> Array:
        """Change of the cluster sums by the rows whose label changed."""
        moved = np.flatnonzero(labels != old)
        return self._added(X, labels[moved], old[moved], None, columns, moved)

    def operand_change(
        self, operand: Array, subspace: Subspace, labels: Labels, old: Labels, weights: Array | None
    ) -> Array:
        """Change of the cluster sums by the rows of an operand that moved, in its columns."""
        moved = np.flatnonzero(labels != old)
        grid = self.grid.chosen(with_sizes(subspace.columns, self.grid))
        total = np.zeros((self.n_clusters, len(grid.unit)), np.int64)
        step = summed_rows(len(operand), len(grid.unit))
        for start in range(0, len(moved), step):
            some = moved[start : start + step]
            mass = None if weights is None else weights[some]
            rows, moves = operand[some], (labels[some], old[some])
            total += added_rows(rows, grid, self.n_clusters, *moves, mass, self.is_rounded)
        return total

    def _added(
        self,
        X: Array,
        labels: Labels,
        old: Labels | None,
        weights: Array | None,
        columns: Columns,
        rows: Array | None = None,
    ) -> Array:
        """What rows with these labels add to the sums: all of X, or those with these numbers."""
        grid = self.grid.chosen(with_sizes(columns, self.grid))
        total = np.zeros((self.n_clusters, len(grid.unit)), np.int64)
        step = summed_rows(X.shape[0], len(grid.unit))
        for some, Z in self.scaling.pieces(X, step, columns, rows):
            before = None if old is None else old[some]
            mass = None if weights is None else weights[some]
            total += added_rows(Z, grid, self.n_clusters, labels[some], before, mass, self.is_rounded)
        return total


class PreparedSteps(DenseSteps):
    """Operations on rows that are prepared already, ones last."""

    def room(self, n_rows: int, subspace: Subspace) -> Array | None:
        """None for all columns, which are no copy."""
        whole = len(subspace.columns) == len(self.scaling.offset)
        return None if whole else super().room(n_rows, subspace)

    def operand(self, X: Array, subspace: Subspace, out: Array | None = None) -> Array:
        """The rows in the columns of the distance: themselves, or a copy of some columns."""
        if len(subspace.columns) == X.shape[1] - 1:
            return X
        return X.take(np.append(subspace.columns, X.shape[1] - 1), axis=1, out=out, mode="clip")

    def pieces(self, X: Array, subspace: Subspace) -> Iterator[tuple[slice, Array]]:
        """Operands of a few rows at a time."""
        step = max(1, PIECE_ENTRIES // max(1, len(subspace.columns)))
        for start in range(0, len(X), step):
            part = slice(start, start + step)
            yield part, self.operand(X[part], subspace)

    def _added(
        self,
        X: Array,
        labels: Labels,
        old: Labels | None,
        weights: Array | None,
        columns: Columns,
        rows: Array | None = None,
    ) -> Array:
        total = np.zeros((self.n_clusters, X.shape[1]), np.int64)
        step = max(1, len(X) if rows is None else summed_rows(*X.shape))
        for start in range(0, len(labels), step):
            some = slice(start, start + step)
            Z, before = X[some] if rows is None else X[rows[some]], None if old is None else old[some]
            mass = None if weights is None else weights[some]
            total += added_rows(Z, self.grid, self.n_clusters, labels[some], before, mass, self.is_rounded)
        return total[:, with_sizes(columns, self.grid)]


Columns = Array | slice


def with_sizes(columns: Columns, grid: Grid) -> Columns:
    """The columns of cluster sums, among them that of the sizes, which is the last."""
    return (
        columns
        if isinstance(columns, slice) and columns == slice(None)
        else np.append(np.arange(len(grid.unit) - 1)[columns], len(grid.unit) - 1)
    )


def summed_rows(n_rows: int, n_columns: int) -> int:
    """How many rows are copied at a time to be summed; of small data few, because the copy takes time."""
    entries = min(SUMMED_ENTRIES, max(LEAST_ENTRIES, n_rows * n_columns // SUMMED_PART))
    return max(1, entries // n_columns)


def is_plain(X: Any) -> bool:
    """Whether the rows are an array of floating-point numbers one after the other."""
    if not isinstance(X, np.ndarray):
        return False
    return X.dtype in (np.float64, np.float32) and X.flags.c_contiguous and X.flags.aligned


def z_grid(scaling: Scaling, subspace: Subspace) -> Grid:
    """Reach and units of the rows in the coordinates of a distance."""
    assert scaling.grid is not None  # set from the extremes of all rows
    reach, unit, magic = scaling.grid.chosen(subspace.columns)
    factors = 1.0 if subspace.factors is None else subspace.factors
    # Multiples stay the same when values are scaled; `magic` is not used on this grid.
    return Grid(reach * factors, unit * factors, magic)


def scaled(sums: Array, subspace: Subspace) -> Array:
    """Multiply cluster sums (n_clusters, m + 1) by the factors of a subspace, except the sizes at the end."""
    return sums if subspace.factors is None else sums * np.append(subspace.factors, 1)


def dense_steps(scaling: Scaling, n_clusters: int, n_rows: int, weights: Array | None) -> DenseSteps:
    """Make the operations for dense blocks of `n_rows` rows with these weights."""
    return DenseSteps(scaling, n_clusters, sum_units(scaling, n_rows, weights))


def prepared_steps(
    Z: Array, n_clusters: int, weights: Array | None = None, grid: Grid | None = None
) -> PreparedSteps:
    """The operations for prepared rows, ones last; `grid` is that to which they were rounded, or None."""
    p = Z.shape[1] - 1
    # The last column, of ones, is no coordinate.
    rows = Grid.of_rows(reach_of(Z)[:-1], len(Z)) if grid is None else grid
    scaling = replace(identity(p, Z.dtype), grid=rows)
    return PreparedSteps(scaling, n_clusters, sum_units(scaling, len(Z), weights), grid is not None)


def sum_units(scaling: Scaling, n_rows: int, weights: Array | None) -> Grid:
    """Find the units of the cluster sums of `n_rows` rows with these weights."""
    assert scaling.grid is not None  # set from the extremes of all rows
    return sum_grid(scaling.grid.reach, n_rows, weights)

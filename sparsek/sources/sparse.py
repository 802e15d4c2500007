"""A sparse matrix, whose rows are never centred: sums and products of prepared rows z follow from those of x.

In prepared coordinates z = rate * x - shift, see `sparsek.core.scaling`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

from sparsek.core.exact_sums import Grid
from sparsek.core.scaling import Scaling
from sparsek.core.steps import (
    Array,
    Labels,
    Ties,
    doubt_of,
    fixed_direction,
    length,
    score_coefficients,
)
from sparsek.sources.blocks import (
    SUMMED_ENTRIES,
    Columns,
    Comparison,
    DenseSteps,
    sum_units,
    with_sizes,
    z_grid,
)
from sparsek.sources.protocol import Subspace
from sparsek.starts.seeds import HALF, OFFSET, WIDTH, View, clear_rounding, distance_of_counts


class SparseRows(NamedTuple):
    """Some columns of sparse rows, whose prepared coordinates are rate * x - shift."""

    X: Any
    rate: Array
    shift: Array


@dataclass(frozen=True, slots=True)
class SparseSteps:
    """Operations on blocks of a sparse array. An operand holds some columns; centres are scaled instead."""

    scaling: Scaling  # The map to prepared coordinates
    n_clusters: int  # Number of clusters
    grid: Grid  # Units of the cluster sums, see `exact_sums.sum_grid`
    matrix: Any = None  # All rows, whose entries in units are kept
    kept: list[Any] = field(default_factory=list)

    def room(self, n_rows: int, subspace: Subspace) -> None:
        """Operands are their own memory."""

    def operand(self, X: Any, subspace: Subspace, out: None = None) -> SparseRows:
        """The rows in the columns of the distance; the caller may keep them for later steps."""
        rate = 1 / self.scaling.spread[subspace.columns].astype(np.float64)
        chosen = X if len(subspace.columns) == X.shape[1] else X[:, subspace.columns]
        return SparseRows(chosen, rate, rate * self.scaling.offset[subspace.columns])

    def compared(self, subspace: Subspace, centers: Array) -> Comparison:
        """What the centres of one assignment give for the rows of every block."""
        centers = centers.astype(self.scaling.offset.dtype)
        grid = z_grid(self.scaling, subspace)
        shift = self.scaling.offset[subspace.columns] / self.scaling.spread[subspace.columns]
        if subspace.factors is not None:
            shift = shift * subspace.factors
        # The scores know nothing of the rounding to the grid.
        margin = doubt_of(centers, length(grid.reach) + 2 * length(shift), length(grid.unit))
        return Comparison(subspace, centers, score_coefficients(centers), subspace.factors, margin)

    def nearest(self, operand: SparseRows, compared: Comparison) -> Labels:
        """Nearest centre of each row."""
        subspace = compared.subspace
        scores = sparse_scores(scaled_rows(operand, subspace), compared.centers)
        labels: Labels = scores.argmin(axis=1).astype(np.int32)
        ties = Ties(compared.centers, compared.doubt, lambda some: self.coordinates(operand, subspace, some))
        ties.settle(scores.T, scores.min(axis=1), labels)
        return labels

    def coordinates(
        self, operand: SparseRows, subspace: Subspace, some: Array | slice = slice(None)
    ) -> Array:
        """Some rows in the coordinates of the distance, dense, with the rounding of `Scaling.apply`."""
        Z = self.scaling.of_columns(subspace.columns).apply(operand.X[some].toarray())[:, :-1]
        return Z if subspace.factors is None else Z * subspace.factors.astype(Z.dtype)

    def distances(self, operand: SparseRows, subspace: Subspace, labels: Labels, centers: Array) -> Array:
        """Squared distance of each row to the centre of its label; no row is made dense."""
        rows = scaled_rows(operand, subspace)
        own = sparse_scores(rows, centers)[np.arange(len(labels)), labels]
        # |z|^2 + 2 (|c|^2 / 2 - z'c) is the squared distance; only rounding brings it below 0.
        squares: Array = np.maximum(self.norms(rows) + 2 * own, 0)
        return squares

    @staticmethod
    def norms(operand: SparseRows) -> Array:
        """Squared length of each row."""
        X, rate, shift = operand
        # |rate x - shift|^2 is expanded, so that every product is with the sparse matrix.
        squares = (X.multiply(X) @ rate**2) - 2 * (X @ (rate * shift)) + shift @ shift
        return np.asarray(np.maximum(squares, 0))  # below 0 by rounding alone

    def sums(self, X: Any, labels: Labels, weights: Array | None, columns: Columns) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last, in units of the grid."""
        return self._added(X, labels, None, weights, slice(None))[:, with_sizes(columns, self.grid)]

    def change(
        self,
        X: Any,
        labels: Labels,
        old: Labels,
        weights: Array | None,
        columns: Columns,
        rows: Array | None = None,
    ) -> Array:
        """Change of the cluster sums by rows that all moved: the rows of X, or those with these numbers."""
        if rows is not None and not (X is self.matrix and self.kept):
            X, rows = X[rows], None
        return self._added(X, labels, old, weights, slice(None), rows)[:, with_sizes(columns, self.grid)]

    def operand_change(
        self, operand: Any, subspace: Subspace, labels: Labels, old: Labels, weights: Array | None
    ) -> Array:
        """Change of the cluster sums by the rows of an operand that moved, in its columns."""
        moved = np.flatnonzero(labels != old)
        some, X = None if weights is None else weights[moved], operand.X[moved]
        return self._added(X, labels[moved], old[moved], some, subspace.columns)

    def _added(
        self,
        X: Any,
        labels: Labels,
        old: Labels | None,
        weights: Array | None,
        columns: Columns,
        rows: Array | None = None,
    ) -> Array:
        """Cluster sums of rows with these columns: as if all entries were 0, then what stored ones add."""
        grid = self.grid.chosen(with_sizes(columns, self.grid))
        w = np.ones(len(labels)) if weights is None else weights.astype(np.float64)
        masses, place = np.unique(w, return_inverse=True)
        signs, clusters = np.ones(len(labels), np.int64), labels
        rows = np.arange(len(labels)) if rows is None else rows
        if old is not None:
            signs, clusters = np.concatenate([signs, -signs]), np.concatenate([labels, old])
            place, rows = np.tile(place, 2), np.tile(rows, 2)
        numbers = np.zeros((self.n_clusters, len(masses)), np.int64)
        # The term of a row of zeros depends on its weight alone: rows are counted by cluster and weight.
        np.add.at(numbers, (clusters, place), signs)
        blank = self._blank(columns)
        total = np.zeros((self.n_clusters, len(blank)), np.int64)
        step = max(1, SUMMED_ENTRIES // len(blank))
        for start in range(0, len(masses), step):
            some = slice(start, start + step)
            total += numbers[:, some] @ grid.multiples(masses[some, None] * blank)
        members = csr_array((signs, (clusters, rows)), shape=(self.n_clusters, X.shape[0]))
        total[:, :-1] += (members @ self._changes(X, w, columns, blank)).toarray()
        return total

    def _blank(self, columns: Columns) -> Array:
        """Prepared coordinates of a row of zeros, and a one."""
        zeros = np.zeros(len(self.scaling.offset[columns]), self.scaling.offset.dtype)
        return np.append(self.scaling.of_columns(columns).of_entries(zeros, slice(None)), 1.0)

    def _changes(self, X: Any, weights: Array, columns: Columns, blank: Array) -> Any:
        """What stored entries add to the sums of rows of zeros; kept for the matrix of the fit."""
        whole = X is self.matrix
        if whole and self.kept:
            return self.kept[0]
        X, scaling = csr_array(X), self.scaling.of_columns(columns)
        magic = self.grid.chosen(with_sizes(columns, self.grid)).magic[X.indices]
        mass = np.repeat(weights, np.diff(X.indptr))
        entries, zeros = mass * scaling.of_entries(X.data, X.indices), mass * blank[X.indices]
        entries += magic
        zeros += magic
        changes = entries.view(np.int64)  # the multiples, and of both the same that `magic` adds
        changes -= zeros.view(np.int64)
        found = csr_array((changes, X.indices, X.indptr), shape=X.shape)
        if whole:
            self.kept.append(found)
        return found


Steps = DenseSteps | SparseSteps


def sparse_steps(scaling: Scaling, n_clusters: int, matrix: Any, weights: Array | None) -> SparseSteps:
    """The operations for a sparse matrix whose rows have these weights."""
    return SparseSteps(scaling, n_clusters, sum_units(scaling, matrix.shape[0], weights), matrix)


def scaled_rows(operand: SparseRows, subspace: Subspace) -> SparseRows:
    """The rows with the factors of a subspace."""
    if subspace.factors is None:
        return operand
    return SparseRows(operand.X, operand.rate * subspace.factors, operand.shift * subspace.factors)


def sparse_scores(operand: SparseRows, centers: Array) -> Array:
    """Half the squared distances (n, n_clusters), without the squared length of the row."""
    X, rate, shift = operand
    coefficients = score_coefficients(centers.astype(np.float64))
    # In z = rate * x - shift, the shift gives one number for each centre, so that x stays sparse.
    constants = coefficients[:, -1] - coefficients[:, :-1] @ shift
    scores: Array = X @ (coefficients[:, :-1] * rate).T + constants
    return scores


@dataclass(frozen=True, slots=True)
class SparseView(View):
    """Some columns of a sparse matrix, in prepared coordinates z = rate * x - shift."""

    in_pieces: ClassVar[bool] = False
    distance: float = 0.0  # How far the rows may be from their coordinates
    rate: Any = None  # rate, shift: (m,): factor and shift of each column
    shift: Any = None
    take: Any = None  # ``take(rows)`` gives prepared rows, dense

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns in use."""
        return self.X.shape[0], self.X.shape[1]

    @property
    def slip(self) -> float:
        """How far rows may be from the coordinates by which those near to two seeds are decided."""
        return self.distance

    def canonical_order(self) -> Array:
        """Order of the rows by a fixed random linear combination, which makes equal rows neighbours."""
        return np.argsort(self.X @ (self.rate * fixed_direction(self.X.shape[1])), kind="stable")

    def norms(self) -> Array:
        """Squared lengths of the rows."""
        return SparseSteps.norms(SparseRows(self.X, self.rate, self.shift))

    def coordinates(self, rows: Array) -> Array:
        """The coordinates by which rows near to two seeds are decided, (r, m)."""
        found: Array = self.take(rows)
        return found

    def distances(self, chosen: Array, norms: Array, out: Array) -> None:
        """Squared distances of all rows to the chosen ones, (n_chosen, n); 0 if of the size of rounding."""
        X: Any = self.X
        centers = X[chosen].toarray() * self.rate - self.shift
        np.copyto(out, (norms[:, None] + 2 * sparse_scores(SparseRows(X, self.rate, self.shift), centers)).T)
        clear_rounding(out, chosen, norms)


def sparse_view(steps: SparseSteps, X: Any, columns: Array) -> SparseView:
    """A view of these columns of the rows."""
    subspace = Subspace(columns)
    operand = steps.operand(X, subspace)
    # Rounding to the grid moves each coordinate by half a unit at most.
    slip = length(z_grid(steps.scaling, subspace).unit)
    take = partial(steps.coordinates, operand, subspace)
    return SparseView(operand.X, slip, operand.rate, operand.shift, take)


def sparse_normal_distance(X: Any, scaling: Scaling, squares: Array, weights: Array | None = None) -> Array:
    """Distance from normality of the prepared columns; see `starts.seeds.normal_distance`.

    Shapes: X (n, p), squares (p,), weights (n,); returns (p,).
    """
    by_column = csc_array(X)
    n, p = by_column.shape
    mass = np.ones(n) if weights is None else weights.astype(np.float64)
    total = float(mass.sum())
    rate = np.divide(1, WIDTH * np.sqrt(squares / total), out=np.zeros(p), where=squares > 0)
    column = np.repeat(np.arange(p), np.diff(by_column.indptr))
    z = (by_column.data - scaling.offset[column]) * scaling.rate[column]
    stored = mass[by_column.indices]
    cells = _bins(z * rate[column]) + 2 * HALF * column
    counts = np.bincount(cells, stored, minlength=2 * HALF * p).astype(np.float64).reshape(p, 2 * HALF)
    # All zeros of a column fall into one bin, which gets the weight that the stored entries leave.
    zeros = total - np.bincount(column, stored, minlength=p)
    counts[np.arange(p), _bins(-scaling.offset * scaling.rate * rate)] += zeros
    return distance_of_counts(counts, total, squares > 0)


def _bins(z: Array) -> Array:
    """Number of the bin of each value."""
    return np.clip(np.floor(z - OFFSET), -HALF, HALF - 1).astype(np.intp) + HALF

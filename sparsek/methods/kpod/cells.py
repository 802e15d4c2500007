"""The observed cells of rows with holes, wherever the rows lie: sums, losses, nearest centres.

What works on a block of rows is an object with its settings, which Dask can send to its workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sparsek.core.exact_sums import Grid, added_rows, row_chunks, sum_grid
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels, length
from sparsek.sources.blocks import PIECE_ENTRIES, PreparedSteps
from sparsek.sources.partial import nearest_observed, observed_reach
from sparsek.sources.protocol import Rows, Subspace
from sparsek.sources.source import RowProblem, added, added_fields


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of blocks of rows in prepared coordinates."""

    scaling: Scaling  # The map to these coordinates, which keeps NaN
    never: Any = ()  # Columns that count as missing everywhere

    def pieces(self, X: Array) -> Iterator[tuple[slice, Array, Array]]:
        """Yield place, values (0 in the holes) and mask of observed values (1 or 0) of a few rows each."""
        for rows, Z in self.scaling.pieces(X, max(1, PIECE_ENTRIES // X.shape[1])):
            values = Z[:, :-1]
            if len(self.never):
                values[:, self.never] = np.nan
            missing = np.isnan(values)
            np.copyto(values, 0, where=missing)
            yield rows, values, (~missing).astype(values.dtype)

    def nearest(self, X: Array, centers: Array) -> tuple[Labels, Array]:
        """Nearest centre of each row over its observed features, and the mask of the rows that have one."""
        labels, some = np.empty(len(X), np.int32), np.empty(len(X), bool)
        for rows, values, observed in self.pieces(X):
            labels[rows] = nearest_observed(values, observed, centers)
            some[rows] = observed.any(axis=1)
        return labels, some

    def squares(self, X: Array, centers: Array) -> Array:
        """Squared distances over the observed features, by direct differences: (n, n_clusters)."""
        out = np.empty((len(X), len(centers)))
        for rows, values, observed in self.pieces(X):
            for k, center in enumerate(centers):
                # A hole holds 0 and not the centre, so that its difference must not count.
                difference = (values - center) * observed
                out[rows, k] = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        return out


class Totals(NamedTuple):
    """What a pass adds up."""

    loss: float  # Loss at the given labels and centres
    # (n_clusters, 2 p) int64: sums and numbers of the observed values by new labels, in units of the grid
    sums: Array
    sizes: Array  # (n_clusters,): numbers of rows
    n_moved: int  # Number of rows whose label is another


class Pass(NamedTuple):
    """Result of a pass over the observed cells."""

    loss: float  # Loss at the given labels and centres
    labels: Any  # (n,): nearest centres over the observed features; empty clusters have the farthest rows
    n_moved: int  # Number of rows whose label is another
    # (n_clusters, 2 p): `ObservedRows.sums` of these labels, if the pass computed them
    sums: Array | None = None


@dataclass(frozen=True, slots=True)
class Summing:
    """Cluster sums and numbers of the observed values of a block, (n_clusters, 2 p), in units of the grid."""

    cells: Cells
    n_clusters: int
    grid: Grid

    def __call__(self, X: Array, labels: Labels, weights: Array | None) -> Array:
        """The sums."""
        total = np.zeros((self.n_clusters, len(self.grid.unit)), np.int64)
        for rows, values, observed in self.cells.pieces(X):
            total += self.of_piece(values, observed, labels[rows], None if weights is None else weights[rows])
        return total

    def of_piece(self, values: Array, observed: Array, labels: Labels, weights: Array | None) -> Array:
        """The same of a few rows."""
        both = np.column_stack([values, observed])
        return added_rows(both, self.grid, self.n_clusters, labels, None, weights, rounded=True)


@dataclass(frozen=True, slots=True)
class Reassigning:
    """New labels of a block, and `Totals`; rows are at most of the length `size`."""

    summing: Summing
    centers: Array
    size: float

    def __call__(self, X: Array, labels: Labels, weights: Array | None) -> tuple[Labels, Totals]:
        """New labels, and what is added up."""
        new, summing, loss = np.empty(len(X), np.int32), self.summing, 0.0
        sums = np.zeros((summing.n_clusters, len(summing.grid.unit)), np.int64)
        for rows, values, observed in summing.cells.pieces(X):
            mass = None if weights is None else weights[rows]
            difference = (values - self.centers[labels[rows]]) * observed
            squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
            loss += float(squares.sum() if mass is None else mass @ squares)
            new[rows] = nearest_observed(values, observed, self.centers, self.size)
            sums += summing.of_piece(values, observed, new[rows], mass)
        sizes = np.bincount(new, minlength=summing.n_clusters)
        return new, Totals(loss, sums, sizes, int(np.count_nonzero(new != labels)))


@dataclass(frozen=True, slots=True)
class Filling:
    """Prepared rows of a block, ones last, whose holes are filled from the centres (k, p) of their labels."""

    scaling: Scaling
    centers: Array

    def __call__(self, X: Array, labels: Labels) -> Array:
        """The filled rows."""
        Z = self.scaling.apply(X)
        for rows in row_chunks(Z):
            z = Z[rows, :-1]
            np.copyto(z, self.centers[labels[rows]], where=np.isnan(z))
        return Z


class RowsWithHoles:
    """Rows with holes, each with an observed value, for all starts of a fit."""

    def __init__(self, problem: RowProblem) -> None:
        scaling, self._source = replace(problem.scaling, fills=False), problem.source
        assert scaling.grid is not None  # always set with the scaling
        self._scaling, self._n_clusters, self.dtype = scaling, problem.n_clusters, problem.source.dtype
        n, weights, self._grid = self._source.shape[0], self._source.weights, scaling.grid
        self._steps = PreparedSteps(scaling, problem.n_clusters, sum_grid(self._grid.reach, n, weights))
        # Values and marks of observed values are summed together; sizes, the last column, are not needed.
        both = sum_grid(observed_reach(self._grid), n, weights).chosen(slice(0, -1))
        self._summing = Summing(Cells(scaling), problem.n_clusters, both)

    def filled(self, labels: Any, centers: Array | None) -> Rows:
        """Labelled rows with holes filled from their centres; if None, with the feature's mean, 0."""
        if centers is None:
            centers = np.zeros((self._n_clusters, self._source.shape[1]), self.dtype)
        elif self.dtype == np.float64:
            centers = centers.copy()
            # Filled entries are rounded to the unit, as observed ones are, so that sums stay exact.
            self._grid.round(centers)
        rows: Rows = self._source.prepared_by(Filling(self._scaling, centers), self._steps, labels)
        return rows

    def nearest(self, labels: Any, centers: Array) -> Any:
        """Labels of the nearest centres over the observed features, from any labels."""
        work = Reassigning(self._summing, centers, length(self._grid.reach))
        return self._source.relabelled(work, added_fields, labels)[0]

    def moved(self, old: Any, new: Any) -> int:
        """Number of rows whose labels differ."""
        n_moved: int = self._source.moved(old, new)
        return n_moved

    def sums(self, labels: Any) -> Array:
        """Sums and numbers of the observed values of each cluster, (n_clusters, 2 p)."""
        return self._summing.grid.values(self._source.over(self._summing, added, labels))

    def reassigned(self, labels: Any, centers: Array) -> Pass:
        """Loss of labels and centres, and new labels; empty clusters take the farthest rows."""
        work = Reassigning(self._summing, centers, length(self._grid.reach))
        new, total = self._source.relabelled(work, added_fields, labels)
        if total.sizes.all():
            return Pass(total.loss, new, total.n_moved, self._summing.grid.values(total.sums))
        # In filled rows the distance over all features is that over the observed ones.
        filled: Any = self.filled(new, centers)
        filled.fill_empty(Subspace(np.arange(len(self._grid.unit))), centers)
        return Pass(total.loss, filled.labels, self.moved(labels, filled.labels))

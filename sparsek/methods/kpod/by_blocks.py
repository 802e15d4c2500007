"""Rows with missing cells (holes) that are read block by block, for k-POD.

The holes of a block are filled when it is read, from the labels and centres at that time of filling. A filled
copy of the data is kept only if there is memory for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.methods.kpod.algorithm import Pass, observed_grid, on_grid
from sparsek.methods.rows.blocks import PreparedSteps
from sparsek.methods.rows.local import Blocks, LocalRows, Passes
from sparsek.methods.rows.partial import nearest_observed
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels, length
from sparsek.numerics.exact_sums import Grid, added_rows, row_chunks, sum_grid


class FilledRows:
    """Prepared rows of other `Blocks`, ones last, with filled holes.

    Parameters
    ----------
    source : Blocks
        Rows with NaN.
    scaling : Scaling
        The map to prepared coordinates.
    labels : ndarray of shape (n,), int32
        Label of each row.
    centers : ndarray of shape (n_clusters, p) or None
        Centres that fill the holes of their rows; None for 0, the mean of the feature.
    """

    def __init__(self, source: Blocks, scaling: Scaling, labels: Labels, centers: Array | None) -> None:
        self._source, self._scaling, self._labels = source, scaling, labels
        assert scaling.grid is not None  # always set with the scaling
        self._centers = None if centers is None else on_grid(centers, scaling.grid)
        self.shape, self.dtype = source.shape, source.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, filled rows)."""
        for start, X in self._source.blocks():
            yield start, self._filled(X, slice(start, start + len(X)))

    def take(self, rows: Array) -> Array:
        """Some filled rows, given by ascending numbers."""
        return self._filled(self._source.take(rows), rows)

    def _filled(self, X: Array, rows: Array | slice) -> Array:
        filled = np.empty((len(X), X.shape[1] + 1), self.dtype)
        labels = self._labels[rows]
        for part in row_chunks(X):
            Z = self._scaling.apply(X[part])
            values = 0 if self._centers is None else self._centers[labels[part]]
            np.copyto(Z[:, :-1], values, where=np.isnan(Z[:, :-1]))
            filled[part] = Z
        return filled


@dataclass(frozen=True, slots=True)
class PartialBlocks:
    """Rows with holes of a source; see `sparsek.methods.kpod.algorithm.PartialRows`.

    Attributes
    ----------
    source : Blocks
        Rows with NaN, each with an observed value.
    scaling : Scaling
        The map to prepared coordinates.
    n_clusters : int
        Number of clusters.
    weights : ndarray of shape (n,) or None
        Sample weights.
    cache : float
        Bytes that filled rows may take.
    taken_entries : int
        Entries of moved rows that are read at a time.
    """

    source: Blocks
    scaling: Scaling
    n_clusters: int
    weights: Array | None
    cache: float
    taken_entries: int

    @property
    def dtype(self) -> Any:
        """float32 or float64."""
        return self.source.dtype

    @property
    def _grid(self) -> Grid:
        assert self.scaling.grid is not None  # always set with the scaling
        return self.scaling.grid

    def filled(self, labels: Labels, centers: Array | None) -> LocalRows:
        """Labelled rows with filled holes."""
        rows = FilledRows(self.source, self.scaling, labels, centers)
        steps = PreparedSteps(
            self.scaling, self.n_clusters, sum_grid(self._grid.reach, len(labels), self.weights)
        )
        return LocalRows(Passes(rows, steps, self.cache, self.weights, self.taken_entries), labels)

    def blocks(self) -> Iterator[tuple[slice, Array, Array, Array | None]]:
        """Yield slice, values (0 in the holes), mask of observed values and weights of each block."""
        for start, X in self.source.blocks():
            part = slice(start, start + len(X))
            Z = self.scaling.apply(X)[:, :-1]
            observed = ~np.isnan(Z)
            np.copyto(Z, 0, where=~observed)
            yield part, Z, observed.astype(Z.dtype), None if self.weights is None else self.weights[part]

    def observed_sums(self, labels: Labels) -> Array:
        """Sums and numbers of the observed values of each cluster, (n_clusters, 2 p), in one pass."""
        total: Any = 0
        grid = observed_grid(self._grid, len(labels), self.weights)
        for part, values, observed, weights in self.blocks():
            total = total + self._observed_sums(values, observed, labels[part], weights, grid)
        return grid.values(total)

    def observed_pass(self, labels: Labels, centers: Array) -> Pass:
        """Loss, new labels and their sums; empty clusters take the farthest rows."""
        new, total, loss = np.empty_like(labels), np.zeros((self.n_clusters, 2 * centers.shape[1]), int), 0.0
        grid, size = observed_grid(self._grid, len(labels), self.weights), length(self._grid.reach)
        for part, values, observed, weights in self.blocks():
            difference = (values - centers[labels[part]]) * observed
            squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
            loss += float(squares.sum() if weights is None else weights @ squares)
            new[part] = nearest_observed(values, observed, centers, size)
            total += self._observed_sums(values, observed, new[part], weights, grid)
        if np.bincount(new, minlength=self.n_clusters).all():
            return Pass(loss, new, grid.values(total))
        filled = self.filled(new.copy(), centers)
        filled.fill_empty(Metric(np.arange(centers.shape[1])), centers)
        return Pass(loss, filled.labels)

    def _observed_sums(
        self, values: Array, observed: Array, labels: Labels, weights: Array | None, grid: Grid
    ) -> Array:
        """Cluster sums and numbers of the observed values in units of the grid, (n_clusters, 2 p)."""
        cells = np.column_stack([values, observed])
        return added_rows(cells, grid, self.n_clusters, labels, None, weights, rounded=True)

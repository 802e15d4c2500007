"""k-POD as its authors describe it: majorisation-minimisation of the loss over the observed cells.

Minimises the sum over observed cells of (x_ij - c_g(i)j)^2 over labels g and centres c. Each iteration fills
the missing cells from their rows' centres and runs k-means on the filled data from the last labels; neither
can raise the loss. Once the labels stop changing, further iterations would only move the centres towards the
means of the observed values. The last iterations therefore set the centres to these means and the rows to
their nearest centres over the observed features. No further k-POD iteration changes the result.

Source: Chi, Chi and Baraniuk (2016), k-POD: a method for k-means clustering of missing data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsek.methods.rows.empty import fill_empty
from sparsek.methods.rows.lloyd import lloyd
from sparsek.methods.rows.local import LocalRows, array_rows
from sparsek.methods.rows.partial import PartialData, nearest_observed, observed_loss, observed_reach
from sparsek.methods.rows.protocol import Rows
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.sums import Array, Labels, length
from sparsek.numerics.exact_sums import Grid, added_rows, sum_grid

KMEANS_MAX_ITER = 300
"""Largest number of Lloyd iterations of one k-means fit."""


@dataclass(frozen=True, slots=True)
class Centers:
    """Centres (n_clusters, p) and the loss over the observed cells at the labels they were computed from."""

    centers: Array
    criterion: float


class Pass(NamedTuple):
    """Result of a pass over the observed cells.

    Attributes
    ----------
    loss : float
        Loss at the given labels and centres.
    labels : ndarray of shape (n,), int32
        Nearest centres over the observed features; empty clusters have the farthest rows.
    sums : ndarray of shape (n_clusters, 2 p) or None
        `PartialRows.observed_sums` of these labels, if the pass computed them.
    """

    loss: float
    labels: Labels
    sums: Array | None = None


class PartialRows(Protocol):
    """Centred rows with missing cells (holes); each row has an observed value."""

    @property
    def dtype(self) -> Any:
        """float32 or float64."""

    def filled(self, labels: Labels, centers: Array | None) -> Rows:
        """Labelled rows with holes filled from their centres; if None, with the feature's mean, 0."""

    def observed_sums(self, labels: Labels) -> Array:
        """Sums and numbers of the observed values of each cluster, (n_clusters, 2 p)."""

    def observed_pass(self, labels: Labels, centers: Array) -> Pass:
        """Loss of labels and centres, and the nearest centres over the observed features."""


def kpod(
    rows: PartialRows, labels: Labels, *, max_iter: int = 100, centers: Array | None = None
) -> FitResult[Centers]:
    """One start of k-POD.

    Parameters
    ----------
    rows : PartialRows
        The data.
    labels : ndarray of shape (n,), int32
        Initial labels.
    max_iter : int
        Largest number of iterations; each is a k-means fit or a step on the observed cells.
    centers : ndarray of shape (n_clusters, p) or None
        Centres that fill the holes at first; None for the means of the features.

    Returns
    -------
    FitResult
        Labels are nearest over the observed features; `history` holds the loss after each iteration.
    """
    labels, last, history = _fill_and_cluster(rows, labels, centers, max_iter)
    sums: Array | None = None
    while len(history) < max_iter:
        sums = rows.observed_sums(labels) if sums is None else sums
        last = observed_means(sums, last)
        after = rows.observed_pass(labels, last)
        history.append(after.loss)
        old, labels, sums = labels, after.labels, after.sums
        settled = np.array_equal(old, labels)
        if settled or len(history) == max_iter:
            return FitResult(labels, Centers(last, history[-1]), tuple(history), settled)
    nearest = rows.observed_pass(labels, last).labels
    return FitResult(nearest, Centers(last, history[-1]), tuple(history), False)


def _fill_and_cluster(
    rows: PartialRows, labels: Labels, centers: Array | None, max_iter: int
) -> tuple[Labels, Array, list[float]]:
    """Alternate filling holes and k-means until no label changes; returns labels, centres and losses."""
    filled = rows.filled(labels, centers)
    history: list[float] = []
    while True:
        old = labels
        centers = lloyd(filled, KMEANS_MAX_ITER).params.centers.astype(rows.dtype, copy=False)
        labels = filled.labels
        filled = rows.filled(labels, centers)
        history.append(filled.scatter(centers))  # filled holes equal their centres and add 0
        if np.array_equal(old, labels) or len(history) >= max_iter:
            return labels, centers, history


def observed_means(sums: Array, previous: Array) -> Array:
    """Means of the observed values of each cluster; the previous value if no member has one."""
    totals, counts = np.hsplit(sums, 2)
    means: Array = np.where(counts > 0, totals / np.where(counts > 0, counts, 1), previous)
    return means.astype(previous.dtype, copy=False)


class PackedRows:
    """Rows with holes of an array in memory; see `PartialRows`.

    Parameters
    ----------
    data : PartialData
        Centred data; every row has an observed value.
    n_clusters : int
        Number of clusters.
    grid : Grid
        The grid to which the values were rounded.
    weights : ndarray of shape (n,) or None
        Sample weights.
    """

    def __init__(self, data: PartialData, n_clusters: int, grid: Grid, weights: Array | None = None) -> None:
        self.data, self.n_clusters, self.weights = data, n_clusters, weights
        self.dtype = data.filled.dtype
        self._grid, self._sum_grid = grid, observed_grid(grid, len(data.filled), weights)
        self._filled = np.column_stack([data.values, np.ones(len(data.filled), dtype=self.dtype)])

    def filled(self, labels: Labels, centers: Array | None) -> LocalRows:
        """Labelled rows with filled holes, in one copy of the data that the next call overwrites."""
        holes = self.data.observed == 0
        values = 0 if centers is None else on_grid(centers, self._grid)[labels]
        np.copyto(self._filled[:, :-1], values, where=holes)
        return array_rows(self._filled, labels, self.n_clusters, self.weights, self._grid)

    def observed_sums(self, labels: Labels) -> Array:
        """Sums and numbers of the observed values of each cluster."""
        cells = self.data.filled[:, :-1]
        return self._sum_grid.values(
            added_rows(cells, self._sum_grid, self.n_clusters, labels, None, self.weights, rounded=True)
        )

    def observed_pass(self, labels: Labels, centers: Array) -> Pass:
        """Loss of labels and centres, and new labels; empty clusters take the farthest rows."""
        loss = observed_loss(self.data, labels, centers, self.weights)
        size = length(self._grid.reach)
        new = nearest_observed(self.data.values, self.data.observed, centers, size)
        if not np.bincount(new, minlength=self.n_clusters).all():
            new = fill_empty(self.filled(new, centers).X, new, centers)
        return Pass(loss, new)


def observed_grid(grid: Grid, n_rows: int, weights: Array | None) -> Grid:
    """Units of the sums and of the numbers of observed values, from the grid of the values."""
    return sum_grid(observed_reach(grid), n_rows, weights).chosen(slice(0, -1))


def on_grid(centers: Array, grid: Grid) -> Array:
    """The centres as they fill holes: rounded to the grid of the values."""
    if centers.dtype != np.float64:
        return centers
    rounded = centers.copy()
    grid.round(rounded)
    return rounded


def observed_squares(data: PartialData, centers: Array) -> NDArray[np.float64]:
    """Squared distances over the observed features, by direct differences: (n, n_clusters)."""
    out = np.empty((len(data.filled), len(centers)))
    for k, center in enumerate(centers):
        difference = data.values - center
        difference *= data.observed
        np.einsum("ij,ij->i", difference, difference, out=out[:, k], dtype=np.float64)
    return out

"""k-POD on rows that are read block by block: the steps of `sparsek.methods.kpod.algorithm`, pass by pass.

Filled rows are made of a block when it is read, from the labels and centres of the last refill: no copy of
the data is kept, unless there is memory for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sparsek.methods.kpod.algorithm import Centers
from sparsek.methods.rows.blocks import DenseSteps, Metric
from sparsek.methods.rows.lloyd import EVERYTHING, lloyd_rows
from sparsek.methods.rows.local import LocalRows, Source
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.scaling import Scaling, row_chunks
from sparsek.methods.shared.sums import Array, Labels, cluster_sums
from sparsek.methods.skfr.missing import nearest_observed


class Fill(NamedTuple):
    """What fills the holes of each row: the centre (n_clusters, p) of its label (n,)."""

    labels: Labels
    centers: Array


class FilledRows:
    """Prepared rows of a source, ones last, whose missing cells are filled; a source itself.

    Parameters
    ----------
    source : Source
        Rows with NaN.
    scaling : Scaling
        The map to prepared coordinates.
    fill : Fill or None
        What fills the holes; None for 0, the mean of the feature.
    """

    def __init__(self, source: Source, scaling: Scaling, fill: Fill | None) -> None:
        self._source, self._scaling, self._fill = source, scaling, fill
        self.shape, self.dtype = source.shape, source.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Number of the first row, and filled rows, of one block after the other."""
        for start, X in self._source.blocks():
            yield start, self._filled(X, slice(start, start + len(X)))

    def take(self, rows: Array) -> Array:
        """Some filled rows, by ascending number."""
        return self._filled(self._source.take(rows), rows)

    def _filled(self, X: Array, rows: Array | slice) -> Array:
        filled = np.empty((len(X), X.shape[1] + 1), self.dtype)
        labels = None if self._fill is None else self._fill.labels[rows]
        for part in row_chunks(X):
            Z = self._scaling.apply(X[part])
            values = 0 if self._fill is None or labels is None else self._fill.centers[labels[part]]
            np.copyto(Z[:, :-1], values, where=np.isnan(Z[:, :-1]))
            filled[part] = Z
        return filled


class FilledSteps(DenseSteps):
    """Steps on such rows, which all columns of are used: blocks are operands."""

    def operand(self, X: Array, metric: Metric) -> Array:
        """The rows."""
        return X

    def sums(self, X: Array, labels: Labels, weights: Array | None, columns: Array | slice) -> Array:
        """Cluster sums, sizes last."""
        return _sums(X, labels, self.n_clusters, weights)

    def change(
        self, X: Array, labels: Labels, old: Labels, weights: Array | None, columns: Array | slice
    ) -> Array:
        """What rows, all of which moved, change of the cluster sums."""
        return self.sums(X, labels, weights, columns) - self.sums(X, old, weights, columns)


@dataclass(frozen=True, slots=True)
class PartialRows:
    """Rows with holes and what every pass needs.

    Attributes
    ----------
    source : Source
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

    source: Source
    scaling: Scaling
    n_clusters: int
    weights: Array | None
    cache: float
    taken_entries: int

    def filled(self, labels: Labels, fill: Fill | None) -> LocalRows:
        """Labelled filled rows."""
        steps = FilledSteps(self.scaling, self.n_clusters)
        rows = FilledRows(self.source, self.scaling, fill)
        return LocalRows(rows, steps, self.cache, labels, self.weights, self.taken_entries)

    def blocks(self) -> Iterator[tuple[slice, Array, Array, Array | None]]:
        """Where its rows are, values with 0 in the holes, 1 where observed, and weights, of each block."""
        for start, X in self.source.blocks():
            part = slice(start, start + len(X))
            Z = self.scaling.apply(X)[:, :-1]
            observed = ~np.isnan(Z)
            np.copyto(Z, 0, where=~observed)
            yield part, Z, observed.astype(Z.dtype), None if self.weights is None else self.weights[part]


class Pass(NamedTuple):
    """What a pass over the observed cells finds.

    Attributes
    ----------
    loss : float
        Loss of the labels and centres that it was given.
    labels : ndarray of shape (n,), int32
        Nearest centres over the observed features; empty clusters have the farthest rows.
    sums : ndarray of shape (n_clusters, 2 p)
        Sums and numbers of the observed values of these labels.
    """

    loss: float
    labels: Labels
    sums: Array


def kpod_rows(
    rows: PartialRows, labels: Labels, *, max_iter: int, fill: Fill | None = None
) -> FitResult[Centers]:
    """One start of k-POD.

    Parameters
    ----------
    rows : PartialRows
        The data.
    labels : ndarray of shape (n,), int32
        Initial labels.
    max_iter : int
        Largest number of iterations, each a k-means or a step on the observed cells.
    fill : Fill or None
        What the holes are filled with at first; None for the means of the features.

    Returns
    -------
    FitResult
        That of `sparsek.methods.kpod.algorithm.kpod_descent`, up to the order of summation.
    """
    metric = Metric(np.arange(rows.source.shape[1]))
    labelled = rows.filled(labels, fill)
    history: list[float] = []
    stable = False
    while not stable and len(history) < max_iter:
        old = labels
        _, last = lloyd_rows(labelled, metric, labelled.sums(EVERYTHING))
        labels, last = labelled.labels, last.astype(rows.source.dtype)
        labelled = rows.filled(labels, Fill(labels, last))
        history.append(labelled.scatter(metric, last))  # holes lie at their centres
        stable = np.array_equal(labels, old)
    del labelled
    criterion, found = history[-1], observed_sums(rows, labels)
    while True:
        done = len(history) >= max_iter
        centers = last if done else observed_means(found, last).astype(last.dtype)
        after = observed_pass(rows, labels, centers)
        if done:
            return FitResult(after.labels, Centers(centers, criterion), tuple(history), False)
        history.append(after.loss)
        criterion, last = after.loss, centers
        old, labels, found = labels, after.labels, after.sums
        if np.array_equal(old, labels):
            return FitResult(labels, Centers(centers, criterion), tuple(history), True)
        if len(history) >= max_iter:
            return FitResult(labels, Centers(centers, criterion), tuple(history), False)


def observed_means(sums: Array, previous: Array) -> Array:
    """Means of the observed values of each cluster; what no member has observed keeps its previous value."""
    totals, counts = np.hsplit(sums, 2)
    return np.where(counts > 0, totals / np.where(counts > 0, counts, 1), previous)


def observed_sums(rows: PartialRows, labels: Labels) -> Array:
    """Sums and numbers of the observed values of each cluster, (n_clusters, 2 p), in one pass."""
    total: Any = 0.0
    for part, values, observed, weights in rows.blocks():
        total = total + _observed_sums(values, observed, labels[part], rows.n_clusters, weights)
    return np.asarray(total)


def observed_pass(rows: PartialRows, labels: Labels, centers: Array) -> Pass:
    """Loss of labels and centres, new labels, and their sums; empty clusters take the farthest rows."""
    new, total, loss = np.empty_like(labels), np.zeros((rows.n_clusters, 2 * centers.shape[1])), 0.0
    for part, values, observed, weights in rows.blocks():
        difference = (values - centers[labels[part]]) * observed
        squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        loss += float(squares.sum() if weights is None else weights @ squares)
        new[part] = nearest_observed(values, observed, centers)
        total += _observed_sums(values, observed, new[part], rows.n_clusters, weights)
    if np.bincount(new, minlength=rows.n_clusters).all():
        return Pass(loss, new, total)
    filled = rows.filled(new, Fill(new, centers))
    everything = np.arange(centers.shape[1])
    filled.fill_empty(Metric(everything), centers, everything)
    return Pass(loss, filled.labels, observed_sums(rows, filled.labels))


def _observed_sums(
    values: Array, observed: Array, labels: Labels, n_clusters: int, weights: Array | None
) -> Array:
    """Cluster sums of values and of observed cells, (n_clusters, 2 p)."""
    parts = (_sums(part, labels, n_clusters, weights) for part in (values, observed))
    return np.column_stack(list(parts))


def _sums(X: Array, labels: Labels, n_clusters: int, weights: Array | None) -> Array:
    """Cluster sums in float64."""
    mass = None if weights is None else weights.astype(np.float64)
    return cluster_sums(X.astype(np.float64, copy=False), labels, n_clusters, mass).sums

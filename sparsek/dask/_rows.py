"""Rows that are the chunks of a Dask array: labels stay with the workers, cluster sums come to the client.

The labels of an iteration are a task of the chunk and the centres alone, so that those that a lost worker
held are computed again from the chunk, not from all iterations before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed

from sparsek.core.kernels import Array, Labels
from sparsek.core.local_rows import Far, farthest, hand_out
from sparsek.core.row_blocks import DenseSteps, Metric, Moments, block_moments
from sparsek.core.row_fits import Moved

FAN_IN = 8
"""Results that one task of a reduction adds up."""


class Chunks(NamedTuple):
    """The chunks of rows of an array.

    Attributes
    ----------
    blocks : list of Delayed
        Each an array of shape (size, p).
    starts : ndarray of shape (n_chunks + 1,)
        Number of the first row of each, and of rows.
    """

    blocks: list[Any]
    starts: Array


def reduce_tree(combine: Callable[[Sequence[Any]], Any], parts: Sequence[Any]) -> Any:
    """Delayed results combined by `FAN_IN` at a time."""
    joined = delayed(combine)
    parts = list(parts)
    while len(parts) > 1:
        parts = [joined(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
    return parts[0]


def chunk_moments(chunks: Chunks) -> Moments:
    """Column statistics of all rows."""
    parts = [
        delayed(_checked_moments)(X, int(start))
        for X, start in zip(chunks.blocks, chunks.starts[:-1], strict=True)
    ]
    found: Moments = reduce_tree(_merge, parts).compute()
    return found


def cluster_sizes(labels: Sequence[Any], n_clusters: int) -> Array:
    """Numbers of rows of the clusters, from delayed labels."""
    parts = [delayed(np.bincount)(part, minlength=n_clusters) for part in labels]
    found: Array = reduce_tree(_add, parts).compute()
    return found


class DaskRows:
    """Rows of chunks with a label each; see `sparsek.core.row_fits.Rows`.

    Parameters
    ----------
    chunks : Chunks
        The rows.
    n_features : int
        Number of columns.
    steps : DenseSteps
        What is done with a chunk.
    labels : list of Delayed, ndarray of shape (n,) or None
        Labels to begin with; None for all 0, which the first `assign` replaces.
    """

    def __init__(self, chunks: Chunks, n_features: int, steps: DenseSteps, labels: Any = None) -> None:
        self.chunks, self.steps = chunks, steps
        self.shape = (int(chunks.starts[-1]), n_features)
        if labels is None:
            labels = np.zeros(self.shape[0], np.int32)
        self.labels: list[Any] = labels if isinstance(labels, list) else self._split(labels)

    def sums(self, columns: Array | slice) -> Array:
        """Cluster sums in these columns, sizes last."""
        steps = delayed(self.steps)
        parts = [
            delayed(_sums)(steps, X, labels, columns)
            for X, labels in zip(self.chunks.blocks, self.labels, strict=True)
        ]
        found: Array = reduce_tree(_add, parts).compute()
        return found

    def assign(self, metric: Metric, centers: Array, columns: Array | slice, fill: bool = False) -> Moved:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows.

        Parameters
        ----------
        metric : Metric
            The distance.
        centers : ndarray of shape (n_clusters, m)
            Centres in its coordinates.
        columns : ndarray or slice
            Columns in which the change of the cluster sums is wanted.
        fill : bool
            See `sparsek.core.lloyd.fill_empty`.

        Returns
        -------
        Moved
            Number of rows that moved, and the change.
        """
        distance = delayed((self.steps, metric, centers))
        old = self.labels
        labels = [delayed(_nearest)(distance, X) for X in self.chunks.blocks]
        self.labels, moved, counts = self._settle(labels, old, columns)
        if fill and not counts.all():
            self.labels, moved, _ = self._settle(self._filled(distance, counts), old, columns)
        return moved

    def scatter(self, metric: Metric, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        distance = delayed((self.steps, metric, centers))
        parts = [
            delayed(_scatter)(distance, X, labels)
            for X, labels in zip(self.chunks.blocks, self.labels, strict=True)
        ]
        return float(reduce_tree(_add, parts).compute())

    def _split(self, labels: Labels) -> list[Any]:
        """Labels by chunk."""
        starts = self.chunks.starts
        return [delayed(labels[a:b]) for a, b in pairwise(starts.tolist())]

    def _settle(
        self, labels: list[Any], old: list[Any], columns: Array | slice
    ) -> tuple[list[Any], Moved, Array]:
        """Labels computed where the chunks are, the change, and the sizes of the clusters: one graph."""
        steps = delayed(self.steps)
        parts = [
            delayed(_change)(steps, X, new, before, columns)
            for X, new, before in zip(self.chunks.blocks, labels, old, strict=True)
        ]
        *kept, total = dask.persist(*labels, reduce_tree(_add_changes, parts))
        n_moved, change, counts = total.compute()
        return kept, Moved(n_moved, change), counts

    def _filled(self, distance: Delayed, counts: Array) -> list[Any]:
        """Labels with the farthest rows handed to the empty clusters."""
        starts = self.chunks.starts
        parts = [
            delayed(_farthest)(distance, X, labels, int(start))
            for X, labels, start in zip(self.chunks.blocks, self.labels, starts[:-1], strict=True)
        ]
        far: list[Far] = list(dask.compute(*parts))
        rows, clusters = hand_out(far, counts)
        labels = list(self.labels)
        chunk = np.searchsorted(starts, rows, side="right") - 1
        for i in np.unique(chunk).tolist():
            here = chunk == i
            labels[i] = delayed(_relabelled)(labels[i], rows[here] - starts[i], clusters[here])
        return labels


def _checked_moments(X: Array, start: int) -> Moments:
    """Column statistics of one chunk; refuses numbers that are not finite."""
    moments = block_moments(X)
    if not np.isfinite(moments.squares).all():
        bad = np.argwhere(~np.isfinite(X))
        if len(bad):
            row, column = (int(i) for i in bad[0])
            raise ValueError(
                f"X has {X[row, column]} in row {start + row}, column {column}; rows must be complete and "
                "finite: drop them or fill the gaps first"
            )
        column = int(np.argmin(np.isfinite(moments.squares)))
        raise ValueError(f"the squares of column {column} of X overflow; rescale it")
    return moments


def _merge(parts: Sequence[Moments]) -> Moments:
    first, *others = parts
    for other in others:
        first = first.merge(other)
    return first


def _add(parts: Sequence[Any]) -> Any:
    return sum(parts[1:], start=parts[0])


def _add_changes(parts: Sequence[tuple[int, Array, Array]]) -> tuple[int, Array, Array]:
    moved, changes, counts = zip(*parts, strict=True)
    return sum(moved), _add(changes), _add(counts)


def _sums(steps: DenseSteps, X: Array, labels: Labels, columns: Array | slice) -> Array:
    return steps.sums(X, labels, None, columns)


def _nearest(distance: tuple[DenseSteps, Metric, Array], X: Array) -> Labels:
    steps, metric, centers = distance
    return steps.nearest(steps.operand(X, metric), centers)


def _change(
    steps: DenseSteps, X: Array, labels: Labels, old: Labels, columns: Array | slice
) -> tuple[int, Array, Array]:
    """Number of rows that moved, what they change of the sums, and sizes of the clusters."""
    moved = np.flatnonzero(labels != old)
    change = steps.change(X[moved], labels[moved], old[moved], None, columns)
    return len(moved), change, np.bincount(labels, minlength=steps.n_clusters)


def _scatter(distance: tuple[DenseSteps, Metric, Array], X: Array, labels: Labels) -> float:
    steps, metric, centers = distance
    return float(steps.distances(steps.operand(X, metric), labels, centers).sum(dtype=np.float64))


def _farthest(distance: tuple[DenseSteps, Metric, Array], X: Array, labels: Labels, start: int) -> Far:
    steps, metric, centers = distance
    return farthest(steps, steps.operand(X, metric), labels, centers, start)


def _relabelled(labels: Labels, rows: Array, clusters: Labels) -> Labels:
    labels = labels.copy()
    labels[rows] = clusters
    return labels

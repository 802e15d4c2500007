"""Rows that are read block by block in this process: from a file larger than memory, or a sparse matrix.

A pass over the data is made only where the columns of the distance change. Between, the chosen columns are
kept, if there is memory for them, and of the data only rows that moved are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from sparsek.methods.rows.blocks import Metric, Moments, Steps, block_moments
from sparsek.methods.rows.lloyd import Moved
from sparsek.methods.shared.sums import GATHERED_SHARE, Array, Labels

TAKEN_ENTRIES = 8_000_000
"""Entries of moved rows that are read at a time."""


class Source(Protocol):
    """Where rows are read from.

    Attributes
    ----------
    shape : tuple of int
        Numbers of rows and of columns.
    dtype : dtype
        float32 or float64.
    """

    shape: tuple[int, int]
    dtype: Any

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Number of the first row, and rows, dense or sparse, of one block after the other."""

    def take(self, rows: Array) -> Any:
        """Some rows, by ascending number."""


class Far(NamedTuple):
    """Rows far from their centres: number, label, squared distance and its rounding."""

    rows: Array
    labels: Array
    distances: Array
    noise: Array


def source_moments(source: Source, weights: Array | None = None) -> Moments:
    """Column statistics of all rows, in one pass."""
    found: Moments | None = None
    for start, X in source.blocks():
        part = block_moments(X, None if weights is None else weights[start : start + X.shape[0]])
        found = part if found is None else found.merge(part)
    if found is None:
        raise ValueError("the data have no rows")
    return found


class LocalRows:
    """Rows of a source with a label each; see `sparsek.methods.rows.lloyd.Rows`.

    Parameters
    ----------
    source : Source
        The rows.
    steps : Steps
        What is done with a block.
    cache_limit : float
        Bytes that the kept columns may take.
    labels : ndarray of shape (n,) or None
        Labels to begin with; None for all 0, which the first `assign` replaces.
    weights : ndarray of shape (n,) or None
        Sample weights.
    taken_entries : int
        Entries of moved rows that are read at a time.
    """

    def __init__(
        self,
        source: Source,
        steps: Steps,
        cache_limit: float,
        labels: Labels | None = None,
        weights: Array | None = None,
        taken_entries: int = TAKEN_ENTRIES,
    ) -> None:
        self.source, self.steps, self.shape = source, steps, source.shape
        self.labels = np.zeros(self.shape[0], np.int32) if labels is None else labels.astype(np.int32)
        self._weights, self._cache_limit, self._taken = weights, cache_limit, taken_entries
        self._metric: Metric | None = None
        self._kept: list[tuple[int, Any]] = []

    def sums(self, columns: Array | slice) -> Array:
        """Cluster sums in these columns, sizes last; one pass."""
        total: Any = 0.0
        for start, X in self.source.blocks():
            part = slice(start, start + X.shape[0])
            total = total + self.steps.sums(X, self.labels[part], self._some(part), columns)
        return np.asarray(total)

    def assign(self, metric: Metric, centers: Array, columns: Array | slice, fill: bool = False) -> Moved:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        old, new = self.labels, np.empty_like(self.labels)
        change = np.zeros((self.steps.n_clusters, len(self.steps.scaling.offset[columns]) + 1))
        inside, kept = columns is metric.columns, metric.same(self._metric)
        for start, operand, X in self._operands(metric):
            part = slice(start, start + _length(operand))
            new[part] = self.steps.nearest(operand, centers)
            if inside:
                change += self.steps.operand_change(operand, metric, new[part], old[part], self._some(part))
            elif not kept:
                change += self._change(X, new, old, part, columns)
        if kept and not inside:
            change += self._change_of_moved(new, old, columns)
        self.labels = new
        if fill and not np.bincount(new, minlength=self.steps.n_clusters).all():
            change += self.fill_empty(metric, centers, columns)
        return Moved(int(np.count_nonzero(self.labels != old)), change)

    def scatter(self, metric: Metric, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        total = 0.0
        for start, operand, _ in self._operands(metric):
            part = slice(start, start + _length(operand))
            squares = self.steps.distances(operand, self.labels[part], centers).astype(np.float64)
            weights = self._some(part)
            total += float(squares.sum() if weights is None else weights @ squares)
        return total

    def _operands(self, metric: Metric) -> Iterator[tuple[int, Any, Any]]:
        """First row, operand and, where it is read for that, the rows of each block; keeps the operands."""
        if metric.same(self._metric):
            for start, operand in self._kept:
                yield start, operand, None
            return
        self._metric, self._kept = None, []
        size = 0
        for start, X in self.source.blocks():
            operand = self.steps.operand(X, metric)
            size += _n_bytes(operand)
            if size <= self._cache_limit:
                self._kept.append((start, operand))
            else:
                self._kept.clear()
            yield start, operand, X
        self._metric = metric if size <= self._cache_limit else None

    def _some(self, rows: Array | slice) -> Array | None:
        """Weights of some rows."""
        return None if self._weights is None else self._weights[rows]

    def _change(self, X: Any, new: Labels, old: Labels, part: slice, columns: Array | slice) -> Array:
        """The change of the sums by the rows of a block that moved."""
        moved = np.flatnonzero(new[part] != old[part])
        rows = moved + part.start
        return self.steps.change(X[moved], new[rows], old[rows], self._some(rows), columns)

    def _change_of_moved(self, new: Labels, old: Labels, columns: Array | slice) -> Array:
        """The same for all rows: those that moved are read, or all where these are many."""
        moved = np.flatnonzero(new != old)
        total: Any = np.zeros((self.steps.n_clusters, len(self.steps.scaling.offset[columns]) + 1))
        if GATHERED_SHARE * len(moved) > len(new):
            for start, X in self.source.blocks():
                part = slice(start, start + X.shape[0])
                total += self._change(X, new, old, part, columns)
            return total
        step = max(1, self._taken // self.shape[1])
        for first in range(0, len(moved), step):
            some = moved[first : first + step]
            total += self.steps.change(
                self.source.take(some), new[some], old[some], self._some(some), columns
            )
        return total

    def fill_empty(self, metric: Metric, centers: Array, columns: Array | slice) -> Array:
        """Hand the rows farthest from their centres to the empty clusters; the change of the sums."""
        far = []
        for start, operand, _ in self._operands(metric):
            labels = self.labels[start : start + _length(operand)]
            far.append(farthest(self.steps, operand, labels, centers, start))
        counts = np.bincount(self.labels, minlength=self.steps.n_clusters)
        rows, clusters = hand_out(far, counts)
        order = np.argsort(rows)
        rows, clusters = rows[order], clusters[order]
        before = self.labels[rows]
        self.labels[rows] = clusters
        return self.steps.change(self.source.take(rows), clusters, before, self._some(rows), columns)


def farthest(steps: Steps, operand: Any, labels: Labels, centers: Array, start: int) -> Far:
    """The rows of a block that an empty cluster could be given.

    Twice as many as there are clusters suffice: at most one row per cluster is that cluster's only one, and
    each empty cluster takes one.
    """
    distances = steps.distances(operand, labels, centers)
    order = np.argsort(-distances, kind="stable")[: 2 * steps.n_clusters]
    noise = 64 * np.finfo(distances.dtype).eps * steps.norms(operand)[order]
    return Far(start + order, labels[order], distances[order], noise)


def hand_out(far: list[Far], counts: Array) -> tuple[Array, Array]:
    """Rows for the empty clusters, and these, paired as `hand_out_farthest` in `shared.loop` pairs them."""
    rows, labels, distances, noise = (np.concatenate(parts) for parts in zip(*far, strict=True))
    order = np.lexsort((rows, -distances))
    rows, labels, distances, noise = rows[order], labels[order], distances[order], noise[order]
    counts, taken = counts.copy(), np.zeros(len(rows), dtype=bool)
    chosen: list[tuple[int, int]] = []
    for k in np.flatnonzero(counts == 0).tolist():
        free = np.flatnonzero(~taken & (counts[labels] > 1))
        if not len(free) or distances[free[0]] <= noise[free[0]]:
            break
        first = free[0]
        taken[first] = True
        counts[labels[first]] -= 1
        counts[k] += 1
        chosen.append((int(rows[first]), k))
    found = np.array(chosen, dtype=np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1].astype(np.int32)


def _length(operand: Any) -> int:
    """Number of rows."""
    return int(operand[0].shape[0] if isinstance(operand, tuple) else len(operand))


def _n_bytes(operand: Any) -> int:
    """Memory that the operand takes."""
    if isinstance(operand, tuple):
        return sum(part.nbytes for part in (operand[0].data, operand[0].indices, operand[0].indptr))
    return int(operand.nbytes)

"""Rows that are read block by block in this process: from a file larger than memory, or a sparse matrix.

The columns of the distance are kept in memory if there is room for them. All rows are then read again only
when the columns change; until then only rows that moved are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from sparsek.methods.rows.array import farthest, hand_out
from sparsek.methods.rows.blocks import Columns, SparseSteps, Steps, scaled, with_sizes
from sparsek.methods.rows.protocol import NO_LABELS, Metric
from sparsek.methods.shared.sums import GATHERED_SHARE, Array, ClusterSums, Labels, pieces
from sparsek.numerics.exact_sums import Extremes, Grid, Moments, MomentSums, total_weight

TAKEN_ENTRIES = 8_000_000
"""Entries of moved rows that are read at a time."""
EVERYTHING = slice(None)


class Blocks(Protocol):
    """Data from which rows are read.

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
        """Yield the blocks in order, each as (number of its first row, dense or sparse rows)."""

    def take(self, rows: Array) -> Any:
        """Some rows, given by ascending numbers."""


def block_moments(
    blocks: Callable[[], Iterator[tuple[slice, Any]]],
    weights: Array | None,
    holes: bool = False,
    check_rows: Callable[[int], None] | None = None,
) -> Moments:
    """Column statistics of the rows of all blocks, in two passes.

    Parameters
    ----------
    blocks : callable
        ``blocks()`` yields places of rows and these rows, in order.
    weights : ndarray of shape (n,) or None
        Sample weights.
    holes : bool
        Whether NaN is left out.
    check_rows : callable or None
        ``check_rows(n)`` raises if there are too few rows.

    Returns
    -------
    Moments
        Not finite where a column is not.

    Raises
    ------
    ValueError
        If there are no rows.
    """
    extremes: Extremes | None = None
    n = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for part, X in blocks():
            found = Extremes.of(X, holes)
            extremes = found if extremes is None else extremes.merge(found, holes)
            n = part.stop
        if check_rows is not None:
            check_rows(n)
        if extremes is None:
            raise ValueError("the data have no rows")
        second = MomentSums.of(extremes, n, weights, holes)
        sums: Any = 0
        for part, X in blocks():
            sums = sums + second.add(X, None if weights is None else weights[part])
        return second.moments(sums, total_weight(n, weights))


class Passes:
    """Passes over a source, and the columns that the last pass has kept in memory.

    Parameters
    ----------
    source : Blocks
        The rows.
    steps : Steps
        Operations on a block.
    cache_limit : float
        Bytes that the kept columns may take.
    weights : ndarray of shape (n,) or None
        Sample weights.
    taken_entries : int
        Entries of moved rows that are read at a time.
    """

    def __init__(
        self,
        source: Blocks,
        steps: Steps,
        cache_limit: float,
        weights: Array | None = None,
        taken_entries: int = TAKEN_ENTRIES,
    ) -> None:
        self.source, self.steps, self.weights, self.taken_entries = source, steps, weights, taken_entries
        self._cache_limit = cache_limit
        self._metric: Metric | None = None
        self._kept: list[tuple[int, Any]] = []

    def holds(self, metric: Metric) -> bool:
        """Whether the columns of this metric are in memory."""
        return self._metric is not None and np.array_equal(metric.columns, self._metric.columns)

    def operands(self, metric: Metric) -> Iterator[tuple[int, Any, Any]]:
        """Yield first row, operand and rows (None if the operand was kept) of each block; keeps operands."""
        if self.holds(metric):
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

    def some_weights(self, rows: Array | slice) -> Array | None:
        """Weights of some rows."""
        return None if self.weights is None else self.weights[rows]

    def sums(self, labels: Labels, columns: Columns) -> Array:
        """Cluster sums in these columns, sizes last, in units of the grid; one pass."""
        total: Any = 0
        for start, X in self.source.blocks():
            part = slice(start, start + X.shape[0])
            total = total + self.steps.sums(X, labels[part], self.some_weights(part), columns)
        return np.asarray(total)

    def change(self, X: Any, new: Labels, old: Labels, part: slice, columns: Columns) -> Array:
        """Change of the cluster sums by the rows of a block that moved."""
        moved = np.flatnonzero(new[part] != old[part])
        rows = moved + part.start
        return self.steps.change(X, new[rows], old[rows], self.some_weights(rows), columns, moved)

    def change_of_moved(self, new: Labels, old: Labels, columns: Columns) -> Array:
        """Change of the cluster sums by all rows that moved; reads these, or all blocks if they are many."""
        moved = np.flatnonzero(new != old)
        total: Any = 0
        if GATHERED_SHARE * len(moved) > len(new) or isinstance(
            self.steps, SparseSteps
        ):  # these are in memory
            for start, X in self.source.blocks():
                total = total + self.change(X, new, old, slice(start, start + X.shape[0]), columns)
            return total
        step = max(1, self.taken_entries // self.source.shape[1])
        for first in range(0, len(moved), step):
            some = moved[first : first + step]
            taken = self.source.take(some)
            total = total + self.steps.change(taken, new[some], old[some], self.some_weights(some), columns)
        return total


class IncrementalRows:
    """Base of the holders that read their rows in passes: cluster sums follow the rows that moved.

    A subclass implements `assign`, which ends with `_note_moves`, and `_full_sums`.

    Parameters
    ----------
    shape : tuple of int
        Numbers of rows and of all columns.
    metric : Metric or None
        Columns and factors of these rows; None for all columns as they are.
    grid : Grid
        Units of the cluster sums over all columns.
    sums : ndarray of shape (n_clusters, m + 1), int64, or None
        Cluster sums of the labels in these units, if they are known.
    """

    def __init__(self, shape: tuple[int, int], metric: Metric | None, grid: Grid, sums: Array | None) -> None:
        self._metric = Metric(np.arange(shape[1])) if metric is None else metric
        self._columns: Columns = EVERYTHING if metric is None else metric.columns
        self._grid = grid.chosen(with_sizes(self._columns, grid))
        self.shape = (shape[0], len(self._metric.columns))
        self._known = sums
        self._change: Array = np.empty(0)

    def _full_sums(self) -> Array:
        """Cluster sums of the labels in the columns of these rows, in units of the grid; a pass."""
        raise NotImplementedError

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels; a pass, unless they are known."""
        known, self._known = self._known, None
        return self._as_sums(self._full_sums() if known is None else known)

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums after the last `assign`, from those before it."""
        assert previous.whole is not None  # `sums` sets it
        return self._as_sums(previous.whole + self._change)

    def _as_sums(self, whole: Array) -> ClusterSums:
        return ClusterSums(NO_LABELS, scaled(self._grid.values(whole), self._metric), whole=whole)

    def _note_moves(self, n_moved: int, change: Array) -> bool:
        """Keep the change of the cluster sums for `moved_sums`; whether a row moved."""
        self._known, self._change = None, change
        return n_moved > 0


def narrowed_sums(metric: Metric, sums: ClusterSums | None) -> Array | None:
    """Cluster sums in the columns of a metric, in units of the grid, from those over all columns."""
    return None if sums is None or sums.whole is None else sums.whole[:, np.append(metric.columns, -1)]


class LocalRows(IncrementalRows):
    """Rows of a source with a label each; see `sparsek.methods.rows.protocol.Rows`.

    Parameters
    ----------
    passes : Passes
        How the source is read.
    labels : ndarray of shape (n,) or None
        Initial labels; None if the first `assign` sets them, which then finds no change of cluster sums.
    metric : Metric or None
        Columns and factors of these rows; None for all columns as they are.
    sums : ndarray of shape (n_clusters, m + 1), int64, or None
        Cluster sums of the labels in units of the grid, if known.
    """

    def __init__(
        self,
        passes: Passes,
        labels: Labels | None = None,
        metric: Metric | None = None,
        sums: Array | None = None,
    ) -> None:
        super().__init__(passes.source.shape, metric, passes.steps.grid, sums)
        self.passes = passes
        self._labelled, n = labels is not None, self.shape[0]
        self.labels = np.zeros(n, np.int32) if labels is None else labels.astype(np.int32, copy=False)

    def _full_sums(self) -> Array:
        return self.passes.sums(self.labels, self._columns)

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        metric = self._metric if columns is None else Metric(columns)
        steps, old, new = self.passes.steps, self.labels, np.empty_like(self.labels)
        change: Any = np.zeros((steps.n_clusters, self.shape[1] + 1), np.int64)
        kept, compared = self.passes.holds(metric), steps.compared(metric, centers)
        for start, operand, X in self.passes.operands(metric):
            part = slice(start, start + _length(operand))
            new[part] = steps.nearest(operand, compared)
            if not self._labelled:
                continue
            if columns is None:
                weights = self.passes.some_weights(part)
                change += steps.operand_change(operand, metric, new[part], old[part], weights)
            elif not kept:
                change += self.passes.change(X, new, old, part, self._columns)
        if kept and columns is not None and self._labelled:
            change += self.passes.change_of_moved(new, old, self._columns)
        self.labels, self._labelled = new, True
        if fill and not np.bincount(new, minlength=steps.n_clusters).all():
            change += self.fill_empty(metric, centers)
        return self._note_moves(int(np.count_nonzero(self.labels != old)), change)

    def narrowed(self, metric: Metric, sums: ClusterSums | None) -> LocalRows:
        """The rows in the columns of a metric; they share the columns kept in memory."""
        labels = self.labels if self._labelled else None
        return LocalRows(self.passes, labels, metric, narrowed_sums(metric, sums))

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        total = 0.0
        for start, operand, _ in self.passes.operands(self._metric):
            part = slice(start, start + _length(operand))
            squares = self.passes.steps.distances(operand, self._metric, self.labels[part], centers)
            weights = self.passes.some_weights(part)
            total += float(squares.sum() if weights is None else weights @ squares)
        return total

    def fill_empty(self, metric: Metric, centers: Array) -> Array:
        """Give the rows farthest from their centres to the empty clusters; the change of the sums."""
        steps, far = self.passes.steps, []
        centers = centers.astype(self.passes.source.dtype)
        for start, operand, _ in self.passes.operands(metric):
            own = self.labels[start : start + _length(operand)]
            for part in pieces(len(own), len(metric.columns)):
                x, labels = steps.coordinates(operand, metric, part), own[part]
                far.append(farthest(x, labels, centers, start + part.start))
        counts = np.bincount(self.labels, minlength=steps.n_clusters)
        rows, clusters = hand_out(far, counts)
        order = np.argsort(rows)
        rows, clusters = rows[order], clusters[order]
        before = self.labels[rows]
        self.labels[rows] = clusters
        taken, weights = self.passes.source.take(rows), self.passes.some_weights(rows)
        return steps.change(taken, clusters, before, weights, self._columns)


def _length(operand: Any) -> int:
    """Number of rows of an operand."""
    return int(operand[0].shape[0] if isinstance(operand, tuple) else len(operand))


def _n_bytes(operand: Any) -> int:
    """Bytes of memory of an operand."""
    if isinstance(operand, tuple):
        return sum(part.nbytes for part in (operand[0].data, operand[0].indices, operand[0].indptr))
    return int(operand.nbytes)

"""Rows that are read block by block in this process: of an array, a sparse matrix or a file.

The columns of the distance are kept in memory if there is room for them. All rows are then read again only
when the columns change; until then only rows that moved are read. Otherwise rows are prepared again, a piece
at a time, while they are in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from sparsek.core.exact_sums import Extremes, Grid, Moments, MomentSums, total_weight
from sparsek.core.steps import (
    GATHERED_SHARE,
    Array,
    ClusterSums,
    Labels,
    pieces,
)
from sparsek.sources.blocks import (
    Columns,
    prepared_steps,
    scaled,
    with_sizes,
)
from sparsek.sources.empty import farthest, hand_out
from sparsek.sources.protocol import NO_LABELS, Subspace
from sparsek.sources.sparse import Steps

TAKEN_ENTRIES = 8_000_000
"""Entries of moved rows that are read at a time."""
EVERYTHING = slice(None)
Place = Array | slice


class Blocks(Protocol):
    """Data from which rows are read."""

    shape: tuple[int, int]  # Numbers of rows and of columns
    dtype: Any  # float32 or float64

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield the blocks in order, each as (number of its first row, dense or sparse rows)."""

    def take(self, rows: Array) -> Any:
        """Some rows, given by ascending numbers."""


def block_moments(
    blocks: Callable[[], Iterator[tuple[slice, Any]]],
    weights: Array | None,
    holes: bool = False,
    check_rows: Callable[[int], None] | None = None,
    unit: Array | None = None,
) -> Moments:
    """Column statistics of the rows of all blocks, in two passes.

    Shapes: weights (n,), unit (p,).

    Raises ValueError if there are no rows.
    """
    extremes: Extremes | None = None
    n = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for part, X in blocks():
            found = Extremes.of(X, holes, unit)
            extremes = found if extremes is None else extremes.merge(found, holes)
            n = part.stop
        if check_rows is not None:
            check_rows(n)
        if extremes is None:
            raise ValueError("the data have no rows")
        second = MomentSums.of(extremes, n, weights, holes)
        sums: Any = 0
        for part, X in blocks():
            # Whole numbers: how the rows are cut into blocks changes no bit.
            sums = sums + second.add(X, None if weights is None else weights[part], unit)
        return second.moments(sums, total_weight(n, weights))


class RowReader:
    """Reads the rows of a source in passes, and keeps columns in memory where they have room.

    Shapes: weights (n,).
    """

    def __init__(
        self,
        source: Any,
        steps: Steps,
        cache_limit: float = np.inf,
        weights: Array | None = None,
        taken_entries: int = TAKEN_ENTRIES,
    ) -> None:
        self.source, self.weights, self.taken_entries = source, weights, taken_entries
        self.steps: Any = steps
        self.in_memory = isinstance(source, OneBlock)
        self._cache_limit = cache_limit
        self._subspace: Subspace | None = None
        self._kept: list[tuple[int, Any]] = []

    def holds(self, subspace: Subspace) -> bool:
        """Whether the columns of this subspace are in memory."""
        return self._subspace is not None and np.array_equal(subspace.columns, self._subspace.columns)

    def operands(self, subspace: Subspace) -> Iterator[tuple[slice, Any, Any]]:
        """Yield place, operand and rows of each piece of the data; keeps operands if there is room.

        The rows are None where they were not read.
        """
        if self.holds(subspace):
            for start, operand in self._kept:
                yield slice(start, start + _length(operand)), operand, None
            return
        self._subspace, self._kept = None, []  # frees their memory first
        if self._room_for(subspace):
            yield from self._keep(subspace)
            return
        for start, X in self.source.blocks():
            for part, operand in self.steps.pieces(X, subspace):
                yield slice(start + part.start, start + part.start + len(operand)), operand, X[part]

    def _room_for(self, subspace: Subspace) -> bool:
        """Whether the columns of a subspace can be kept."""
        if self.in_memory and self.steps.room(0, subspace) is None:  # they take no memory
            return True
        n_bytes = self.source.shape[0] * (len(subspace.columns) + 1) * np.dtype(self.source.dtype).itemsize
        return bool(n_bytes <= self._cache_limit)

    def _keep(self, subspace: Subspace) -> Iterator[tuple[slice, Any, Any]]:
        """The operands of all blocks, which are kept."""
        whole, kept = self.steps.room(self.source.shape[0], subspace), []
        for start, X in self.source.blocks():
            place = slice(start, start + X.shape[0])
            operand = self.steps.operand(X, subspace, None if whole is None else whole[place])
            kept.append((start, operand))
            yield place, operand, X
        self._subspace, self._kept = subspace, kept if whole is None else [(0, whole)]

    def some_weights(self, rows: Place) -> Array | None:
        """Weights of some rows."""
        return None if self.weights is None else self.weights[rows]

    def sums(self, labels: Labels, columns: Columns) -> Array:
        """Cluster sums in these columns, sizes last, in units of the grid; one pass."""
        total: Any = 0
        for start, X in self.source.blocks():
            part = slice(start, start + X.shape[0])
            total = total + self.steps.sums(X, labels[part], self.some_weights(part), columns)
        return np.asarray(total)

    def change(self, X: Any, new: Labels, old: Labels, place: Place, columns: Columns) -> Array:
        """Change of the cluster sums by those of the rows X, which lie at `place`, that moved."""
        moved = np.flatnonzero(new[place] != old[place])
        rows = moved + place.start if isinstance(place, slice) else place[moved]
        change: Array = self.steps.change(X, new[rows], old[rows], self.some_weights(rows), columns, moved)
        return change

    def change_of_moved(self, new: Labels, old: Labels, columns: Columns) -> Array:
        """Change of the cluster sums by all rows that moved; reads these, or all blocks if they are many."""
        moved = np.flatnonzero(new != old)
        total: Any = 0
        few = GATHERED_SHARE * len(moved) <= len(new)
        if self.in_memory or not few:
            # Rows in memory are looked up where they are, which counts as no pass over the data.
            blocks = iter([(0, self.source.X)]) if self.in_memory and few else self.source.blocks()
            for start, X in blocks:
                total = total + self.change(X, new, old, slice(start, start + X.shape[0]), columns)
        else:
            for some, X in self._taken(moved):
                total = total + self.steps.change(X, new[some], old[some], self.some_weights(some), columns)
        change: Array = total
        return change

    def _taken(self, rows: Array) -> Iterator[tuple[Array, Any]]:
        """Some rows with their numbers, as many at a time as memory allows."""
        step = max(1, self.taken_entries // self.source.shape[1])
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            yield some, self.source.take(some)


class IncrementalRows:
    """Base of the holders that read their rows in passes: cluster sums follow the rows that moved.

    A subclass implements `assign`, which ends with `_note_moves`, and `_full_sums`.

    Shapes: sums (n_clusters, m + 1) int64.
    """

    def __init__(
        self, shape: tuple[int, int], subspace: Subspace | None, grid: Grid, sums: Array | None
    ) -> None:
        self._subspace = Subspace(np.arange(shape[1])) if subspace is None else subspace
        self._columns: Columns = EVERYTHING if subspace is None else subspace.columns
        self._grid = grid.chosen(with_sizes(self._columns, grid))
        self.shape = (shape[0], len(self._subspace.columns))
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
        return ClusterSums(
            self._labels_in_memory(), scaled(self._grid.values(whole), self._subspace), whole=whole
        )

    def _labels_in_memory(self) -> Labels:
        """The labels, if this process holds them."""
        return NO_LABELS

    def _note_moves(self, n_moved: int, change: Array) -> bool:
        """Keep the change of the cluster sums for `moved_sums`; whether a row moved."""
        self._known, self._change = None, change
        return n_moved > 0


def narrowed_sums(subspace: Subspace, sums: ClusterSums | None) -> Array | None:
    """Cluster sums in the columns of a subspace, in units of the grid, from those over all columns."""
    return None if sums is None or sums.whole is None else sums.whole[:, np.append(subspace.columns, -1)]


class LocalRows(IncrementalRows):
    """Rows of a source with a label each; see `sparsek.sources.protocol.Rows`.

    Shapes: labels (n,), sums (n_clusters, m + 1) int64.
    """

    def __init__(
        self,
        reader: RowReader,
        labels: Labels | None = None,
        subspace: Subspace | None = None,
        sums: Array | None = None,
    ) -> None:
        super().__init__(reader.source.shape, subspace, reader.steps.grid, sums)
        self.reader = reader
        self._labelled, n = labels is not None, self.shape[0]
        self.labels = np.zeros(n, np.int32) if labels is None else labels.astype(np.int32, copy=False)
        self._before: Any = None  # labels before the last `assign`

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        n: int = self.reader.steps.n_clusters
        return n

    @property
    def weights(self) -> Array | None:
        """Sample weights (n,), or None."""
        return self.reader.weights

    @property
    def block(self) -> Any:
        """The rows as they are in memory, dense; None for others."""
        source = self.reader.source
        return source.X if isinstance(source, OneBlock) and isinstance(source.X, np.ndarray) else None

    def columns(self, columns: Array) -> Array:
        """Some prepared columns of rows in memory."""
        found: Array = self.reader.steps.operand(self.block, Subspace(columns))
        return found[:, :-1]

    def _labels_in_memory(self) -> Labels:
        return self.labels

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums of the labels from those of other labels: of the rows that differ."""
        # The change that `assign` noted holds for the labels just before it alone.
        if previous.labels is not self._before:
            self._change = self.reader.change_of_moved(self.labels, previous.labels, self._columns)
        return super().moved_sums(previous)

    def _full_sums(self) -> Array:
        return self.reader.sums(self.labels, self._columns)

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        subspace = self._subspace if columns is None else Subspace(columns)
        steps, old, new = self.reader.steps, self.labels, self.labels.copy()
        compared = steps.compared(subspace, centers)
        at_hand = self.reader.in_memory or self.reader.holds(subspace)
        change: Any = np.zeros((steps.n_clusters, self.shape[1] + 1), np.int64)
        for place, operand, X in self.reader.operands(subspace):
            new[place] = steps.nearest(operand, compared)
            if not self._labelled:
                continue
            if columns is None:
                weights = self.reader.some_weights(place)
                # The operand has the columns of the sums, so that no row is prepared again.
                change += steps.operand_change(operand, subspace, new[place], old[place], weights)
            elif not at_hand:
                change += self.reader.change(X, new, old, place, self._columns)
        if at_hand and columns is not None and self._labelled:
            change += self.reader.change_of_moved(new, old, self._columns)
        self.labels, self._labelled = new, True
        if fill and not np.bincount(new, minlength=steps.n_clusters).all():
            change += self.fill_empty(subspace, centers)
        self._before = old
        return self._note_moves(int(np.count_nonzero(self.labels != old)), change)

    def array(self) -> Array:
        """The rows in the coordinates of their subspace, ones last: a copy, or prepared rows themselves."""
        steps, factors = self.reader.steps, self._subspace.factors
        parts = [steps.operand(X, self._subspace) for _, X in self.reader.source.blocks()]
        found: Array = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if factors is None:
            return found
        # Prepared rows belong to the caller and must not be scaled in place.
        given = found is getattr(self.reader.source, "X", None)
        scaled: Array = np.multiply(
            found, np.append(factors, 1).astype(found.dtype), out=None if given else found
        )
        return scaled

    def narrowed(self, subspace: Subspace, sums: ClusterSums | None) -> LocalRows:
        """The rows in the columns of a subspace; they share the columns kept in memory."""
        labels = self.labels if self._labelled else None
        return LocalRows(self.reader, labels, subspace, narrowed_sums(subspace, sums))

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        squares = np.empty(len(self.labels))
        for part, operand, _ in self.reader.operands(self._subspace):
            squares[part] = self.reader.steps.distances(operand, self._subspace, self.labels[part], centers)
        # One sum of all rows has the same rounding, whatever the pieces in which the rows were read.
        return float(squares.sum() if self.weights is None else self.weights @ squares)

    def fill_empty(self, subspace: Subspace, centers: Array) -> Array:
        """Give the rows farthest from their centres to the empty clusters; the change of the sums."""
        steps, far = self.reader.steps, []
        centers = centers.astype(self.reader.source.dtype)
        for place, operand, _ in self.reader.operands(subspace):
            own, first = self.labels[place], place.start
            for part in pieces(len(own), len(subspace.columns)):
                x, labels = steps.coordinates(operand, subspace, part), own[part]
                far.append(farthest(x, labels, centers, first + part.start))
        counts = np.bincount(self.labels, minlength=steps.n_clusters)
        rows, clusters = hand_out(far, counts)
        # Sources read rows by ascending numbers.
        order = np.argsort(rows)
        rows, clusters = rows[order], clusters[order]
        before = self.labels[rows]
        self.labels[rows] = clusters
        taken, weights = self.reader.source.take(rows), self.reader.some_weights(rows)
        change: Array = steps.change(taken, clusters, before, weights, self._columns)
        return change


class AssignedRows(LocalRows):
    """Base of rows in memory whose nearest centres are found in another way.

    A subclass implements ``_nearest(centers, columns)``.
    """

    def _nearest(self, centers: Array, columns: Array | None) -> Labels:
        """The labels of all rows over these columns; None for all."""
        raise NotImplementedError

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; ties go to the lowest index."""
        old, self.labels = self.labels, self._nearest(centers, columns)
        change, self._before = self.reader.change_of_moved(self.labels, old, self._columns), old
        return self._note_moves(int(np.count_nonzero(self.labels != old)), change)


def array_rows(
    Z: Array,
    labels: Labels,
    n_clusters: int,
    weights: Array | None = None,
    grid: Grid | None = None,
) -> LocalRows:
    """Labelled rows of prepared data; arguments as for `prepared_reader`."""
    return LocalRows(prepared_reader(Z, n_clusters, weights, grid), labels)


class OneBlock:
    """Rows in memory as one block: reading some of them again costs no pass."""

    def __init__(self, X: Any) -> None:
        self.X, self.shape, self.dtype, self.n_passes = X, X.shape, X.dtype, 0

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """All rows."""
        self.n_passes += 1
        yield 0, self.X

    def take(self, rows: Array) -> Any:
        """Some rows."""
        return self.X[rows]


class Counted:
    """Blocks that count how often they are read."""

    def __init__(self, blocks: Blocks) -> None:
        self._read, self.shape, self.dtype, self.n_passes = blocks, blocks.shape, blocks.dtype, 0

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield the blocks in order."""
        self.n_passes += 1
        return self._read.blocks()

    def take(self, rows: Array) -> Any:
        """Some rows."""
        return self._read.take(rows)


def prepared_reader(
    Z: Array, n_clusters: int, weights: Array | None = None, grid: Grid | None = None
) -> RowReader:
    """Reader of an array in memory that is prepared, ones last.

    `grid` is that to which the columns were rounded (`Scaling.grid`), None if they were not.
    """
    block = OneBlock(Z)
    block.shape = (Z.shape[0], Z.shape[1] - 1)
    return RowReader(block, prepared_steps(Z, n_clusters, weights, grid), weights=weights)


def _length(operand: Any) -> int:
    """Number of rows of an operand."""
    return int(operand[0].shape[0] if isinstance(operand, tuple) else len(operand))

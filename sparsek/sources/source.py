"""What a fit reads: rows of positive weight, wherever they lie, and their coordinates.

A sparse matrix and a file are read by this process, in blocks (`LocalSource`). The rows of a Dask collection
stay with its workers (`sparsek.sources.dask.source`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import Divisor, Scaling, divides, safe_unit
from sparsek.core.steps import Array, Labels, cluster_sizes
from sparsek.sources.blocks import (
    DenseSteps,
    block_scaling,
    dense_steps,
    is_plain,
    refuse_extremes,
    refuse_widest,
)
from sparsek.sources.holes import Filling, PreparedBy, has_value
from sparsek.sources.local import (
    TAKEN_ENTRIES,
    Blocks,
    Counted,
    LocalRows,
    OneBlock,
    RowReader,
    block_moments,
    prepared_reader,
)
from sparsek.sources.protocol import Rows, Subspace
from sparsek.sources.readers import Subset, array_reader, set_block_bytes
from sparsek.sources.sparse import Steps, sparse_normal_distance, sparse_steps, sparse_view
from sparsek.starts.seeds import View, normal_distance

KEPT_SHARE = 0.25
"""Compiled loops copy at most this share of the columns."""
LEAST_KEPT = 50_000
"""So many entries are kept in any case: of small data all columns, which is faster."""
COPIED_PART = 16
"""Starts copy the columns that they use if these are at most one in so many."""
COPIED_ENTRIES = 524_288
"""Data of up to so many entries, 4 MB, are copied: preparing them by pieces takes longer."""
BLOCK_ENTRIES = 131_072
"""Entries of an array of another type that are converted at a time: 1 MB."""


Work = Callable[[Any, Any, Any], Any]
Merge = Callable[[Sequence[Any]], Any]


class Source(Protocol):
    """Rows of positive weight."""

    shape: tuple[int, int]  # Numbers of rows and of columns
    dtype: Any  # float32 or float64
    weights: Array | None  # (n,): weights of the rows
    kept: NDArray[np.bool_]  # Mask of these rows among those given to `fit`
    # Entries of the sample of rows on which a start is found; None: drawn starts run on all rows
    sample_entries: float | None
    rescales: bool  # Whether columns of extreme size are brought near 1. Others refuse them
    holes: bool  # Whether NaN is a missing value, which column statistics leave out
    levels: Array | None  # (p,): mask of the columns that are indicators of levels; None for none
    batches: Labels | None  # (n,): the batches in whose scale rows are; None for rows as they are

    @property
    def n_passes(self) -> int:
        """How often all rows were read."""

    def moments(self, unit: Array | None = None) -> Moments:
        """Column statistics, in two passes; of x * unit where the source `rescales`."""

    def take(self, rows: Array) -> Any:
        """Some rows, given by ascending numbers, in memory."""

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Any], Rows]:
        """``rows(labels)`` gives labelled rows in these coordinates; None: the first `assign` sets labels."""

    def over(self, work: Work, merge: Merge, labels: Any = None) -> Any:
        """``merge(results)`` of ``work(X, labels, weights)`` for all blocks; those of X, None for none."""

    def relabelled(self, work: Work, merge: Merge, labels: Any = None) -> tuple[Any, Any]:
        """The same of a work that returns (new labels, result): the new labels, and the merged results."""

    def prepared_by(self, work: Filling, steps: DenseSteps, labels: Any) -> Rows:
        """Labelled rows, of which each block is ``work(X, labels)``: prepared, ones last."""

    def observed(self) -> Any:
        """The rows that have an observed value, as a source."""

    def moved(self, old: Any, new: Any) -> int:
        """Number of rows whose labels differ."""

    def sizes(self, labels: Any, n_clusters: int) -> Array:
        """Numbers of rows of the clusters."""

    def collected(self, labels: Any) -> Any:
        """The labels of a fit as an array."""


def added(parts: Sequence[Any]) -> Any:
    """The sum of some results: a `Merge`."""
    return sum(parts[1:], start=parts[0])


def added_fields(parts: Sequence[Any]) -> Any:
    """Named tuples added field by field: a `Merge`."""
    return type(parts[0])(*(added(fields) for fields in zip(*parts, strict=True)))


@dataclass(frozen=True, slots=True)
class Plan:
    """How a fit by blocks uses its memory."""

    cache: float  # Bytes for the selected columns of all rows
    taken_entries: int  # Entries of moved rows that are read at a time
    sample_entries: float  # Entries of the sample from which the start is found


@dataclass(frozen=True, slots=True)
class MappedView(View):
    """Some columns of rows that are prepared while they are read; X has `blocks` and `take`."""

    steps: Any = None  # Operations on a block
    subspace: Any = None  # The columns

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns in use."""
        return self.X.shape[0], len(self.subspace.columns)

    def pieces(self, n_rows: int) -> Iterator[tuple[slice, Array]]:
        """A few rows at a time, prepared, ones last, with their place."""
        for start, X in self.X.blocks():
            for part, Z in self.steps.pieces(X, self.subspace):
                yield slice(start + part.start, start + part.start + len(Z)), Z

    def taken(self, rows: Array) -> Array:
        """Some prepared rows, ones last."""
        found: Array = self.steps.operand(self.X.take(rows), self.subspace)
        return found


class LocalSource:
    """Rows that this process reads block by block."""

    sample_entries: float | None = None
    rescales = False
    levels: Array | None = None
    batches: Labels | None = None

    def __init__(
        self, blocks: Blocks, weights: Array | None, kept: NDArray[np.bool_], holes: bool = False
    ) -> None:
        self.read = blocks if isinstance(blocks, OneBlock) else Counted(blocks)
        self.weights, self.kept, self.holes = weights, kept, holes
        self.shape, self.dtype = blocks.shape, blocks.dtype
        self.cache, self.taken_entries = np.inf, TAKEN_ENTRIES

    @property
    def n_passes(self) -> int:
        """How often all rows were read."""
        return self.read.n_passes

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        return self.read.blocks()

    def take(self, rows: Array) -> Any:
        """Some rows, given by ascending numbers."""
        return self.read.take(rows)

    def moments(self, unit: Array | None = None) -> Moments:
        """Column statistics, in two passes; on request of x * unit, except the extremes."""
        return block_moments(self._places, self.weights, self.holes, unit=unit)

    def _places(self) -> Iterator[tuple[slice, Any]]:
        for start, X in self.blocks():
            yield slice(start, start + X.shape[0]), X

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Labels | None], LocalRows]:
        """Labelled rows in these coordinates, each with the columns that it keeps in memory."""
        steps = self._steps(scaling, n_clusters)
        return lambda labels: LocalRows(self._reader(steps), labels)

    def _reader(self, steps: Steps, blocks: Blocks | None = None) -> RowReader:
        read = self.read if blocks is None else blocks
        return RowReader(read, steps, self.cache, self.weights, self.taken_entries)

    def _steps(self, scaling: Scaling, n_clusters: int) -> Steps:
        return dense_steps(scaling, n_clusters, self.shape[0], self.weights)

    def view(self, scaling: Scaling, columns: Array) -> View:
        """Some columns as drawn starts see them: few are copied, many are prepared while they are read."""
        steps, subspace = dense_steps(scaling, 1, self.shape[0], self.weights), Subspace(columns)
        view = MappedView(self.read, steps, subspace)
        few = COPIED_PART * len(columns) <= self.shape[1]
        if not few and self.shape[0] * self.shape[1] > COPIED_ENTRIES:
            return view
        copied = np.empty((self.shape[0], len(columns) + 1), self.dtype)
        for rows, Z in view.pieces(self.shape[0]):
            copied[rows] = Z
        return View(copied)

    def normality(self, scaling: Scaling, squares: Array) -> Array:
        """Distance of each prepared column from normality; `squares` are the sums of their squares."""
        return normal_distance(self.view(scaling, np.arange(self.shape[1])), self.weights, squares)

    def over(self, work: Work, merge: Merge, labels: Labels | None = None) -> Any:
        """Merged results of a work on all blocks; see `Source`."""
        return self._merged(work, merge, labels, lambda place, found: found)

    def relabelled(self, work: Work, merge: Merge, labels: Labels | None = None) -> tuple[Labels, Any]:
        """New labels of all rows, and merged results; see `Source`."""
        new = np.empty(self.shape[0], np.int32)

        def keep(place: slice, found: tuple[Labels, Any]) -> Any:
            new[place] = found[0]
            return found[1]

        return new, self._merged(work, merge, labels, keep)

    def _merged(
        self, work: Work, merge: Merge, labels: Labels | None, keep: Callable[[slice, Any], Any]
    ) -> Any:
        """Merged values of ``keep(place, result)`` for all blocks."""
        total: list[Any] = []
        for place, X in self._places():
            mass = None if self.weights is None else self.weights[place]
            total.append(keep(place, work(X, None if labels is None else labels[place], mass)))
            # Results are merged at once, so that only one is held.
            total = [merge(total)]
        return total[0]

    def prepared_by(self, work: Filling, steps: DenseSteps, labels: Labels) -> LocalRows:
        """Labelled rows that a work prepares; see `Source`."""
        return LocalRows(self._reader(steps, PreparedBy(self.read, work, labels)), labels.copy())

    def observed(self) -> Self:
        """The rows that have an observed value."""
        some = np.concatenate([has_value(X) for _, X in self.blocks()])
        if some.all():
            return self
        kept = self.kept.copy()
        kept[kept] = some
        return self._some(some, None if self.weights is None else self.weights[some], kept)

    def _some(self, some: Array, weights: Array | None, kept: NDArray[np.bool_]) -> Self:
        """The rows of a mask, with their weights and the mask of them among those given to `fit`."""
        raise NotImplementedError

    def moved(self, old: Labels, new: Labels) -> int:
        """Number of rows whose labels differ."""
        return int(np.count_nonzero(old != new))

    def sizes(self, labels: Labels, n_clusters: int) -> Array:
        """Numbers of rows of the clusters."""
        return cluster_sizes(labels, n_clusters)

    def collected(self, labels: Labels) -> Labels:
        """The labels themselves."""
        return labels


class FileSource(LocalSource):
    """Rows of a file or of an array that are read by blocks; starts are drawn on a sample."""

    def __init__(
        self,
        blocks: Blocks,
        weights: Array | None,
        kept: NDArray[np.bool_],
        plan: Plan,
        holes: bool = False,
    ) -> None:
        super().__init__(blocks, weights, kept, holes)
        self.plan, self.cache, self.taken_entries = plan, plan.cache, plan.taken_entries
        self.sample_entries = plan.sample_entries

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Labels | None], LocalRows]:
        """Labelled rows in these coordinates, one at a time in use: all share what is kept in memory."""
        reader = self._reader(self._steps(scaling, n_clusters))
        return lambda labels: LocalRows(reader, labels)

    def _some(self, some: Array, weights: Array | None, kept: NDArray[np.bool_]) -> Self:
        return type(self)(Subset(self.read, some), weights, kept, self.plan, self.holes)


class ArraySource(LocalSource):
    """An array in memory, of any order, strides and type of numbers; all starts run on all rows.

    Shapes: X (n, p).
    """

    rescales = True

    def __init__(
        self,
        X: Array,
        weights: Array | None,
        kept: NDArray[np.bool_],
        checked: bool = True,
        holes: bool = False,
        levels: Array | None = None,
    ) -> None:
        self.array, self.checked, self.levels = X, checked, levels
        super().__init__(OneBlock(X) if is_plain(X) else converted_blocks(X), weights, kept, holes)
        self._prepared: tuple[Scaling, Array] | None = None

    def prepared(self, scaling: Scaling) -> Array:
        """All rows in these coordinates, ones last; the copy is kept until others are asked for."""
        if self._prepared is None or self._prepared[0] is not scaling:
            self._prepared = None  # frees its memory first
            Z = np.empty((self.shape[0], self.shape[1] + 1), self.dtype)
            for place, X in self._places():
                scaling.apply(X, out=Z[place])
            self._prepared = scaling, Z
        return self._prepared[1]

    def is_prepared(self, scaling: Scaling) -> bool:
        """Whether the copy in these coordinates is at hand."""
        return self._prepared is not None and self._prepared[0] is scaling

    def labelled(self, scaling: Scaling, n_clusters: int) -> ArrayRows:
        """Labelled rows of a prepared copy."""
        return ArrayRows(self, scaling, n_clusters)

    def view(self, scaling: Scaling, columns: Array) -> View:
        """Some columns as drawn starts see them."""
        Z = self.prepared(scaling)
        return View(Z if len(columns) == self.shape[1] else Z.take(np.append(columns, -1), axis=1))

    def dense(self) -> Array:
        """The rows as plain floating-point numbers: a copy where they are others."""
        return np.ascontiguousarray(self.array, self.dtype)

    def prepared_by(self, work: Filling, steps: DenseSteps, labels: Labels) -> LocalRows:
        """Labelled rows that a work prepares, all at once."""
        parts = [Z for _, Z in PreparedBy(self.read, work, labels).blocks()]
        block = OneBlock(parts[0] if len(parts) == 1 else np.concatenate(parts))
        block.shape = self.shape
        return LocalRows(self._reader(steps, block), labels.copy())

    def replaced(self, X: Array, holes: bool = False) -> Self:
        """Other numbers in the place of these, of the same rows and columns."""
        found = type(self)(X, self.weights, self.kept, holes=holes, levels=self.levels)
        found.batches = self.batches
        return found

    def _some(self, some: Array, weights: Array | None, kept: NDArray[np.bool_]) -> Self:
        found = type(self)(self.array[some], weights, kept, self.checked, self.holes, self.levels)
        found.batches = None if self.batches is None else self.batches[some]
        return found


@dataclass(frozen=True, slots=True)
class ArrayRows:
    """Gives labelled rows of an array in prepared coordinates."""

    source: ArraySource
    scaling: Scaling
    n_clusters: int

    def __call__(self, labels: Labels | None) -> LocalRows:
        """Rows of the prepared copy, which is made if it is not there."""
        source, Z = self.source, self.source.prepared(self.scaling)
        return LocalRows(prepared_reader(Z, self.n_clusters, source.weights, self.scaling.grid), labels)

    def for_one_pass(self, labels: Labels | None) -> LocalRows:
        """Rows that are prepared a piece at a time, unless their copy is small or at hand."""
        source = self.source
        if source.is_prepared(self.scaling) or source.shape[0] * source.shape[1] <= COPIED_ENTRIES:
            return self(labels)
        # A copy of large data takes longer to write than a pass takes to compute.
        steps = dense_steps(self.scaling, self.n_clusters, source.shape[0], source.weights)
        return LocalRows(RowReader(source.read, steps, cache_limit=0, weights=source.weights), labels)


def converted_blocks(X: Array) -> Blocks:
    """Blocks of an array of another order or type."""
    reader = array_reader(X)
    set_block_bytes(reader, BLOCK_ENTRIES * np.dtype(reader.dtype).itemsize)
    return reader


class MatrixSource(LocalSource):
    """A sparse matrix, which is never made dense; all starts run on all rows."""

    def __init__(self, X: Any, weights: Array | None, kept: NDArray[np.bool_]) -> None:
        super().__init__(OneBlock(X), weights, kept)
        self.X = X

    def _places(self) -> Iterator[tuple[slice, Any]]:
        yield slice(0, self.shape[0]), csc_array(self.X)

    def _steps(self, scaling: Scaling, n_clusters: int) -> Steps:
        return sparse_steps(scaling, n_clusters, self.X, self.weights)

    def view(self, scaling: Scaling, columns: Array) -> View:
        """Some columns as drawn starts see them."""
        return sparse_view(sparse_steps(scaling, 1, self.X, self.weights), self.X, columns)

    def normality(self, scaling: Scaling, squares: Array) -> Array:
        """Distance of each prepared column from normality; `squares` are the sums of their squares."""
        return sparse_normal_distance(self.X, scaling, squares, self.weights)


class DenseBlocks:
    """Blocks of a sparse matrix, which are made dense when they are read."""

    def __init__(self, X: Any) -> None:
        self.X, self.shape, self.dtype = X, X.shape, X.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each with the number of its first row."""
        step = max(1, BLOCK_ENTRIES // self.shape[1])
        for start in range(0, self.shape[0], step):
            yield start, self.X[start : start + step].toarray()

    def take(self, rows: Array) -> Array:
        """Some rows."""
        found: Array = self.X[rows].toarray()
        return found


class DensifiedSource(LocalSource):
    """A sparse matrix for methods that compare dense rows; all starts run on all rows."""

    def __init__(self, X: Any, weights: Array | None, kept: NDArray[np.bool_], holes: bool = False) -> None:
        super().__init__(DenseBlocks(X), weights, kept, holes)
        self.X, self.cache = X, LEAST_KEPT * X.dtype.itemsize

    def _some(self, some: Array, weights: Array | None, kept: NDArray[np.bool_]) -> Self:
        return type(self)(self.X[some], weights, kept, self.holes)


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Rows and their coordinates in one fit."""

    source: Any  # The rows, see `sparsek.sources.source`
    n_clusters: int  # Number of clusters
    moments: Moments  # Column statistics
    scaling: Scaling  # The map to prepared coordinates
    column_total: Array  # (p,): sum of squares of each prepared column
    # ``rows(labels)`` gives labelled rows, see `sparsek.sources.protocol`; labels are None if the first
    # `assign` sets them
    rows: Callable[[Any], Any]
    found: dict[str, Any] = field(default_factory=dict)  # What is found once for all starts, by name
    # (p,): mask of the columns that criteria add up; None for all. Others add a constant, in whose rounding
    # the differences between starts would be lost.
    counted: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, source: Source, moments: Moments, n_clusters: int, divisor: Divisor, ddof: int = 1) -> Self:
        """The problem in centred coordinates, whose columns are divided by what `divisor` says."""
        unit, found = None, moments
        if source.rescales:
            unit = common_unit(moments, source.dtype, divides(divisor))
            found = _in_unit(source, moments, unit)
        elif not divides(divisor):
            squares = np.where(moments.top == moments.bottom, 0, moments.squares)
            refuse_widest(squares, moments.top, moments.bottom, source.dtype)
        n, levels = source.shape[0], source.levels if source.batches is None else None
        scaling, total = block_scaling(found, n, source.dtype, divisor, ddof, unit, levels)
        return cls(source, n_clusters, moments, scaling, total, source.labelled(scaling, n_clusters))

    @property
    def tss(self) -> float:
        """Total sum of squares of the columns that count."""
        total = self.column_total if self.counted is None else self.column_total[self.counted]
        return float(total.sum())

    @property
    def uncounted(self) -> float:
        """Sum of squares of the columns that do not count."""
        return 0.0 if self.counted is None else float(self.column_total[~self.counted].sum())

    @classmethod
    def within(cls, source: Source, scaling: Scaling, n_clusters: int) -> Self:
        """The problem in coordinates that are known."""
        moments = source.moments()
        found = _in_unit(source, moments, scaling.unit)
        # Squares about a given offset are those about the mean plus n times the squared distance of both.
        squares = found.squares + found.masses * np.square(found.means - scaling.offset)
        total = squares / np.square(scaling.spread.astype(np.float64))
        return cls(source, n_clusters, moments, scaling, total, source.labelled(scaling, n_clusters))

    def on(self, source: Source) -> Self:
        """Some rows in the same coordinates, as a problem of their own."""
        return replace(self.within(source, self.scaling, self.n_clusters), counted=self.counted)

    def unscaled(self) -> Self:
        """The same rows, centred only."""
        return self.of(self.source, self.moments, self.n_clusters, divisor=False)

    def prepared(self, rows: Array) -> Array:
        """Some rows, given by numbers (...), in prepared coordinates, dense: (..., p)."""
        # Sources read rows by ascending numbers, each once.
        numbers, places = np.unique(rows, return_inverse=True)
        X = self.source.take(numbers)
        found = self.scaling.apply(X if isinstance(X, np.ndarray) else X.toarray())[:, :-1]
        return found[places.reshape(np.shape(rows))]

    def nearest(self, subspace: Subspace, centers: Array) -> Any:
        """Labels of the nearest centres."""
        rows = self.passing(None, subspace)
        rows.assign(centers)
        return rows.labels

    def passing(self, labels: Any, subspace: Subspace) -> Any:
        """Labelled rows in the columns of a subspace, which are read once."""
        rows = self.rows.for_one_pass if isinstance(self.rows, ArrayRows) else self.rows
        return rows(labels).narrowed(subspace, None)


def checked_moments(source: Source, names: Any = None) -> Moments:
    """Column statistics; ValueError for a column whose squares overflow or vanish, unless it is rescaled."""
    moments = source.moments()
    if not source.rescales:
        squares = moments.squares
        if isinstance(source, MatrixSource):
            size = np.maximum(np.abs(moments.top), np.abs(moments.bottom))
            squares = np.where(size > _largest_entry(source.dtype, source.shape[1]), np.inf, squares)
        refuse_extremes(squares, moments.top, moments.bottom, names)
    return moments


def _largest_entry(dtype: Any, p: int) -> float:
    """What an entry of a sparse row may be: lengths are sums of its squares, not of those about the means.

    The squares are in the precision of the rows; p of them, twice each product and the shift are added in
    double precision.
    """
    return float(np.sqrt(min(np.finfo(dtype).max, np.finfo(np.float64).max / (4 * p))))


def _in_unit(source: Source, moments: Moments, unit: Array) -> Moments:
    """The means and sums of squares of x * unit with the extremes of x."""
    if np.all(unit == 1):
        return moments
    moved = source.moments(unit)
    return replace(moments, means=moved.means, squares=moved.squares)


def common_unit(moments: Moments, dtype: Any, by_column: bool) -> Array:
    """Powers of two that bring columns of extreme size near 1."""
    top, bottom = moments.ends(dtype)
    return safe_unit(np.maximum(top, -bottom), top == bottom, by_column)

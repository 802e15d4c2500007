"""The rows of a Dask collection as a source of a fit, and predictions chunk by chunk.

Collections are cut into chunks of whole rows. Column statistics take two passes; marks tell later passes
whether chunks are still the same. The labels stay where the chunks are. Cluster sums are added up in a tree,
and the client does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, partial, reduce
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray
from pandas.api.types import is_extension_array_dtype, is_numeric_dtype

from sparsek._printable import on_one_line
from sparsek.core.exact_sums import Extremes, Moments, MomentSums
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels
from sparsek.sources.batches import require_batches
from sparsek.sources.blocks import DenseSteps, dense_steps
from sparsek.sources.dask.checks import checked_chunk, mark
from sparsek.sources.dask.graph import ChunkArrays, Chunks, as_array, kept_chunks, new_name, run
from sparsek.sources.dask.memory import spare_bytes
from sparsek.sources.dask.passes import over_chunks, parts_of, prepared_chunks, relabelled_chunks
from sparsek.sources.dask.rows import DaskRows, KeptColumns, cluster_sizes, moved_rows, taken
from sparsek.sources.holes import has_value
from sparsek.sources.sample import SAMPLE_ENTRIES
from sparsek.sources.source import added

BatchMap = Callable[[Array, Labels], Array]
"""Maps rows with the numbers of their batches."""


class DaskSource:
    """The rows of a Dask array or data frame; see `sparsek.sources.source.Source`.

    Shapes: X (n, p).
    """

    sample_entries: float | None = SAMPLE_ENTRIES
    rescales = False
    levels: Array | None = None
    batches: Labels | None = None

    def __init__(self, X: Any, memory_limit: float, holes: bool = False) -> None:
        self._rows, self._memory_limit, self.holes = as_rows(X, known=True), memory_limit, holes
        self._names = [str(name) for name in X.columns] if is_frame(X) else None
        self.shape, self.dtype = self._rows.shape, self._rows.dtype
        self.weights: Array | None = None
        self.kept: NDArray[np.bool_] = np.broadcast_to(True, self.shape[:1])
        self._sizes = self._rows.chunks[0]

    @cached_property
    def _chunks(self) -> Chunks:
        """The rows; the first use computes those that are kept."""
        return kept_chunks(self._rows, spare_bytes(self._memory_limit))

    @property
    def n_passes(self) -> int:
        """How often all rows were read."""
        return sum(map(len, self._chunks.reads))

    def moments(self, unit: Array | None = None) -> Moments:
        """Column statistics, in two passes; later passes notice if a chunk is not what it was."""
        found, self._chunks = chunk_moments(self._chunks, self._names, self.holes)
        return found

    def batch_moments(self, codes: Labels, n_batches: int) -> list[Moments]:
        """Column statistics of the rows of each batch, in two passes."""
        counts, parts = np.bincount(codes, minlength=n_batches), parts_of(self._chunks, codes)
        first = partial(_batch_extremes, n_batches, self.holes)
        extremes = over_chunks(self._chunks, first, _merge_batches, parts)
        with np.errstate(over="ignore", invalid="ignore"):  # columns whose squares overflow are refused later
            both = list(zip(extremes, counts.tolist(), strict=True))
            seconds = [MomentSums.of(ends, n, holes=self.holes) for ends, n in both]
            sums = over_chunks(self._chunks, partial(_batch_sums, seconds), added, parts)
            every = zip(seconds, sums, counts.tolist(), strict=True)
            return [second.moments(own, float(n)) for second, own, n in every]

    def mapped(self, within: BatchMap, codes: Labels) -> DaskSource:
        """The same rows, mapped within their batches whenever they are read."""
        found, parts = copy(self), parts_of(self._chunks, codes)
        found._chunks = prepared_chunks(self._chunks, within, parts, more=0)
        found.batches = codes
        return found

    def take(self, rows: Array) -> Array:
        """Some rows, given by ascending numbers, in memory."""
        return taken(self._chunks, rows)

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Any], DaskRows]:
        """Labelled rows in these coordinates; they share the columns that are kept."""
        steps = dense_steps(scaling, n_clusters, self.shape[0], None)
        return partial(DaskRows, self._chunks, steps, kept=KeptColumns(self._chunks, steps))

    def over(self, work: Any, merge: Any, labels: ChunkArrays | None = None) -> Any:
        """Merged results of a work on all chunks."""
        return over_chunks(self._chunks, work, merge, labels)

    def relabelled(self, work: Any, merge: Any, labels: ChunkArrays | None = None) -> tuple[ChunkArrays, Any]:
        """New labels of all rows, which stay with the workers, and merged results."""
        return relabelled_chunks(self._chunks, work, merge, labels)

    def prepared_by(self, work: Any, steps: DenseSteps, labels: ChunkArrays) -> DaskRows:
        """Labelled rows that a work prepares."""
        return DaskRows(prepared_chunks(self._chunks, work, labels), steps, labels)

    def observed(self) -> DaskSource:
        """The rows that have an observed value; a pass."""
        parts, n_empty = relabelled_chunks(self._chunks, _with_value, added)
        if not n_empty:
            return self
        kept = as_array(parts, self._chunks, bool).compute()
        masks = da.from_array(kept[:, None], chunks=(self._sizes, 1))
        counts = tuple(int(mask.sum()) for mask in np.split(kept, np.cumsum(self._sizes)[:-1]))
        chunks, meta = (counts, self._rows.chunks[1]), np.empty((0, 0), self.dtype)
        rows = da.map_blocks(_some_rows, self._rows, masks, chunks=chunks, dtype=self.dtype, meta=meta)
        found = DaskSource(rows, self._memory_limit, self.holes)
        found.kept, found._sizes, found._names = kept, self._sizes, self._names
        return found

    def moved(self, old: ChunkArrays, new: ChunkArrays) -> int:
        """Number of rows whose labels differ."""
        return moved_rows(old, new)

    def sizes(self, labels: ChunkArrays, n_clusters: int) -> Array:
        """Numbers of rows of the clusters."""
        return cluster_sizes(labels, n_clusters)

    def collected(self, labels: ChunkArrays) -> Any:
        """The labels as a Dask array in the chunks given to `fit`; -1 for rows that are not kept."""
        found, done, parts = as_array(labels, self._chunks, np.int32), 0, []
        if self.kept.all():
            return found
        for mask in np.split(self.kept, np.cumsum(self._sizes)[:-1]):
            some, n = found[done : done + int(mask.sum())], len(mask)
            parts.append(
                some.map_blocks(_spread, mask, chunks=((n,),), dtype=np.int32)
                if len(some)
                else da.full(n, -1, dtype=np.int32, chunks=n)
            )
            done += len(some)
        return da.concatenate(parts)


def _batch_extremes(
    n_batches: int, holes: bool, X: Array, codes: Labels, weights: None
) -> list[Extremes | None]:
    """Extremes of the rows of each batch; None for a batch that has none here."""
    return [Extremes.of(X[codes == b], holes) if (codes == b).any() else None for b in range(n_batches)]


def _merge_batches(parts: Sequence[list[Extremes | None]]) -> list[Extremes | None]:
    """Extremes by batch of all parts."""
    some = [[part for part in of_batch if part is not None] for of_batch in zip(*parts, strict=True)]
    return [_all(found) if found else None for found in some]


def _batch_sums(seconds: list[MomentSums], X: Array, codes: Labels, weights: None) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array([second.add(X[codes == b]) for b, second in enumerate(seconds)])


def _with_value(X: Array, labels: None, weights: None) -> tuple[Array, int]:
    some = has_value(X)
    return some, int(np.count_nonzero(~some))


def _some_rows(X: Array, mask: Array) -> Array:
    return X if mask.all() else X[mask[:, 0]]


def _spread(labels: Array, mask: Array) -> Array:
    found = np.full(len(mask), -1, np.int32)
    found[mask] = labels
    return found


def header(X: Any) -> Any:
    """A collection of no rows with the names and the number of the columns."""
    return X._meta if is_frame(X) else np.empty((0, X.shape[1]))


def lazily(model: Any, X: Any, what: str, codes: Labels | None = None) -> Any:
    """``predict``, ``transform``, ``impute`` or ``score`` of every chunk, as a Dask array.

    `codes` are the batches of the rows, (n,), which a model of batches takes by ``_called_within``.
    """
    rows = as_rows(X, known=codes is not None)
    if codes is not None:
        require_batches(codes, rows.shape[0])
    light = copy(model)  # small enough to be sent with every task
    light.labels_ = np.empty(0, np.int32)
    # a chunk is an array, without column names
    for name in ("feature_names_in_", "_completed", "_fitted_codes"):
        light.__dict__.pop(name, None)
    own = [] if codes is None else [da.from_array(codes[:, None], chunks=(rows.chunks[0], 1))]
    if what == "predict":
        options = {"drop_axis": 1, "dtype": np.int32, "meta": np.empty(0, np.int32)}
        return rows.map_blocks(_called, *own, model=light, what=what, **options)
    if what != "score":
        width = rows.shape[1] if what == "impute" else model._n_features_out
        sizes = {"chunks": (rows.chunks[0], (width,)), "dtype": rows.dtype}
        meta = np.empty((0, 0), rows.dtype)
        return rows.map_blocks(_called, *own, model=light, what=what, meta=meta, **sizes)
    parts = {"drop_axis": 1, "chunks": ((1,) * rows.numblocks[0],), "dtype": float}
    return rows.map_blocks(_scored, *own, model=light, meta=np.empty(0), **parts)


def _called(X: Array, codes: Array | None = None, *, model: Any, what: str, block_info: Any = None) -> Any:
    rows = _as_declared(X, block_info)
    return getattr(model, what)(rows) if codes is None else model._called_within(what, rows, codes[:, 0])


def _scored(X: Array, codes: Array | None = None, *, model: Any, block_info: Any = None) -> Array:
    return np.array([_called(X, codes, model=model, what="score", block_info=block_info)])


def _as_declared(X: Any, block_info: Any) -> Array:
    """The chunk of this task, if it has the shape that Dask was told."""
    if not block_info:
        return np.asarray(X)
    (number, *_), places = block_info[0]["chunk-location"], block_info[0]["array-location"]
    return checked_chunk(X, number, tuple(stop - start for start, stop in places), X.dtype, X.dtype)


def as_rows(X: Any, known: bool) -> Any:
    """A Dask array of floats whose chunks hold whole rows.

    Shapes: X (n, p); returns (n, p).

    Raises TypeError for another collection, and for columns that are not numbers; ValueError if X has not two
    dimensions, has no columns, or has chunks of unknown size.
    """
    if is_frame(X):
        X = _from_frame(X, known)
    if not isinstance(X, da.Array):
        raise TypeError(f"X must be a Dask array or a Dask data frame; got {type(X).__name__}")
    if type(X._meta) is not np.ndarray:
        raise TypeError(f"the chunks of X must be NumPy arrays; got {type(X._meta).__name__}")
    if X.ndim != 2 or not X.shape[1] >= 1:
        raise ValueError(
            f"X must have shape (n_samples, n_features) with at least one feature; got {X.shape}"
        )
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X must hold numbers; got dtype {X.dtype}")
    if known and np.isnan(X.chunks[0]).any():
        raise ValueError("the sizes of X's chunks are unknown; call X.compute_chunk_sizes() first")
    dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    if X.numblocks[1] > 1 or X.dtype != dtype:
        # What these steps make of wrong chunks would look right, or fail with words of their own.
        convert: Any = _as_floats
        X = X.map_blocks(convert, X.dtype, dtype=dtype, meta=np.empty((0, 0), dtype))
    return X.rechunk({1: -1}) if X.numblocks[1] > 1 else X


def _as_floats(chunk: Any, declared: Any, block_info: Any) -> Array:
    """A chunk as floats of the dtype of the result, checked."""
    told = block_info[None]
    place = told["chunk-location"]
    number = place[0] if told["num-chunks"][1] == 1 else place
    return checked_chunk(chunk, number, told["chunk-shape"], declared, told["dtype"])


def is_frame(X: Any) -> bool:
    """Whether X is a Dask data frame (a Delayed has any attribute)."""
    return hasattr(type(X), "to_dask_array")


def _from_frame(X: Any, known: bool) -> Any:
    """The array of a data frame whose columns are all numbers."""
    bad = [on_one_line(str(name)) for name, dtype in X.dtypes.items() if not is_numeric_dtype(dtype)]
    if bad:
        raise TypeError(f"columns {', '.join(bad[:5])} of X are not numbers; drop or encode them")
    # pandas' own types, such as Int64, would make an array of objects; their missing values become NaN.
    own = {name: np.float64 for name, dtype in X.dtypes.items() if is_extension_array_dtype(dtype)}
    X = X.astype(own) if own else X
    return X.to_dask_array(lengths=True if known else None)


First = tuple[Extremes, dict[int, float]]
"""What the first pass finds: extremes, and the mark of each chunk by the number of its first row."""


def chunk_moments(chunks: Chunks, names: Any = None, holes: bool = False) -> tuple[Moments, Chunks]:
    """Column statistics of all rows, in two passes, and the chunks with the marks of the first.

    Errors call columns by their `names`. With `holes`, NaN is left out.
    """
    first: First = _over_chunks(chunks, _first, (names, holes), _merge)
    extremes, marks = first
    chunks = chunks.marked(marks)
    with np.errstate(over="ignore", invalid="ignore"):  # columns whose squares overflow are refused later
        second = MomentSums.of(extremes, chunks.n_rows, holes=holes)
        sums = over_chunks(chunks, partial(_moment_sums, second), added)
        return second.moments(sums, float(chunks.n_rows)), chunks


def _over_chunks(chunks: Chunks, work: Callable[..., Any], shared: Any, merge: Callable[..., Any]) -> Any:
    """``work(group, starts, shared)`` of all groups of chunks, merged."""
    graph, where = dict(chunks.graph), new_name(work.__name__.strip("_"))
    graph[where, "shared"] = shared
    keys = [(where, i) for i in range(len(chunks.keys))]
    for key, group, starts in zip(keys, chunks.groups(), chunks.starts, strict=True):
        graph[key] = (work, group, starts, (where, "shared"))
    return run(graph, merge, keys)[0]


def _first(group: list[Array], starts: list[int], shared: tuple[Any, bool]) -> First:
    """Extremes and marks of some chunks; ValueError for an entry that cannot take part."""
    names, holes = shared
    found = [Extremes.of(X, holes) for X in group]
    for X, start, ends in zip(group, starts, found, strict=True):
        # Extremes of a chunk with a bad entry are not finite either, so that entries are looked at only then.
        refused = np.isinf if holes else _not_finite
        if refused(ends.top).any() or refused(ends.bottom).any():
            row, column = (int(i) for i in np.argwhere(refused(X))[0])
            remedy = (
                "replace it"
                if holes
                else "rows must be complete and finite: drop them or fill the gaps first"
            )
            raise ValueError(
                f"X has {X[row, column]} in row {start + row}, column {_named(column, names)}; {remedy}"
            )
    return _all(found), {start: mark(X) for start, X in zip(starts, group, strict=True)}


def _not_finite(values: Array) -> Array:
    return ~np.isfinite(values)


def _all(parts: Sequence[Extremes]) -> Extremes:
    """Extremes of all parts; NaN stands for a column without any value."""
    return reduce(partial(Extremes.merge, holes=True), parts)


def _merge(parts: Sequence[First]) -> First:
    extremes, marks = zip(*parts, strict=True)
    return _all(extremes), {start: m for some in marks for start, m in some.items()}


def _moment_sums(second: MomentSums, X: Array, labels: None, weights: None) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return second.add(X)


def _named(column: int, names: Any) -> str:
    """Number of a column, and its name if it has one, for messages."""
    return str(column) if names is None else f"{column} ({names[column]})"

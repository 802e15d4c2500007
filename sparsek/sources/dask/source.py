"""The rows of a Dask collection as a source of a fit, and predictions chunk by chunk.

The labels stay where the chunks are. Cluster sums are added up in a tree, and the client does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property, partial
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array
from sparsek.sources.blocks import DenseSteps, dense_steps
from sparsek.sources.dask.checks import checked_chunk
from sparsek.sources.dask.collections import as_rows, is_frame
from sparsek.sources.dask.graph import Chunks, Parts, as_array, kept_chunks
from sparsek.sources.dask.memory import spare_bytes
from sparsek.sources.dask.moments import chunk_moments
from sparsek.sources.dask.passes import over_chunks, prepared_chunks, relabelled_chunks
from sparsek.sources.dask.rows import DaskRows, KeptColumns, cluster_sizes, moved_rows, taken
from sparsek.sources.holes import has_value
from sparsek.sources.sample import SAMPLE_ENTRIES
from sparsek.sources.source import added


class DaskSource:
    """The rows of a Dask array or data frame; see `sparsek.sources.source.Source`.

    Shapes: X (n, p).
    """

    sample_entries: float | None = SAMPLE_ENTRIES
    rescales = False

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

    def take(self, rows: Array) -> Array:
        """Some rows, given by ascending numbers, in memory."""
        return taken(self._chunks, rows)

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Any], DaskRows]:
        """Labelled rows in these coordinates; they share the columns that are kept."""
        steps = dense_steps(scaling, n_clusters, self.shape[0], None)
        return partial(DaskRows, self._chunks, steps, kept=KeptColumns(self._chunks, steps))

    def over(self, work: Any, merge: Any, labels: Parts | None = None) -> Any:
        """Merged results of a work on all chunks."""
        return over_chunks(self._chunks, work, merge, labels)

    def relabelled(self, work: Any, merge: Any, labels: Parts | None = None) -> tuple[Parts, Any]:
        """New labels of all rows, which stay with the workers, and merged results."""
        return relabelled_chunks(self._chunks, work, merge, labels)

    def prepared_by(self, work: Any, steps: DenseSteps, labels: Parts) -> DaskRows:
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

    def moved(self, old: Parts, new: Parts) -> int:
        """Number of rows whose labels differ."""
        return moved_rows(old, new)

    def sizes(self, labels: Parts, n_clusters: int) -> Array:
        """Numbers of rows of the clusters."""
        return cluster_sizes(labels, n_clusters)

    def collected(self, labels: Parts) -> Any:
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


def lazily(model: Any, X: Any, what: str) -> Any:
    """``predict``, ``transform``, ``impute`` or ``score`` of every chunk, as a Dask array."""
    rows = as_rows(X, known=False)
    light = copy(model)  # small enough to be sent with every task
    light.labels_ = np.empty(0, np.int32)
    for name in ("feature_names_in_", "_completed"):  # a chunk is an array, without column names
        light.__dict__.pop(name, None)
    if what == "predict":
        return rows.map_blocks(_called, light, what, drop_axis=1, dtype=np.int32, meta=np.empty(0, np.int32))
    if what != "score":
        width = rows.shape[1] if what == "impute" else model._n_features_out
        sizes = {"chunks": (rows.chunks[0], (width,)), "dtype": rows.dtype}
        return rows.map_blocks(_called, light, what, meta=np.empty((0, 0), rows.dtype), **sizes)
    parts = {"drop_axis": 1, "chunks": ((1,) * rows.numblocks[0],), "dtype": float}
    return rows.map_blocks(_scored, light, meta=np.empty(0), **parts)


def _called(X: Array, model: Any, what: str, block_info: Any = None) -> Array:
    found: Array = getattr(model, what)(_as_declared(X, block_info))
    return found


def _scored(X: Array, model: Any, block_info: Any = None) -> Array:
    return np.array([model.score(_as_declared(X, block_info))])


def _as_declared(X: Any, block_info: Any) -> Array:
    """The chunk of this task, if it has the shape that Dask was told."""
    if not block_info:
        return np.asarray(X)
    (number, *_), places = block_info[0]["chunk-location"], block_info[0]["array-location"]
    return checked_chunk(X, number, tuple(stop - start for start, stop in places), X.dtype, X.dtype)

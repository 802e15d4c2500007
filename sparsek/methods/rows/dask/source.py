"""The rows of a Dask collection as a source of a fit, and predictions chunk by chunk.

The labels stay where the chunks are. Cluster sums are added up in a tree, and the client does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property, partial
from typing import Any

import numpy as np

from sparsek.methods.rows.blocks import dense_steps
from sparsek.methods.rows.dask.collections import as_rows, is_frame
from sparsek.methods.rows.dask.graph import Chunks, Parts, as_array, kept_chunks
from sparsek.methods.rows.dask.memory import spare_bytes
from sparsek.methods.rows.dask.moments import chunk_moments
from sparsek.methods.rows.dask.rows import DaskRows, KeptColumns, cluster_sizes, taken
from sparsek.methods.rows.sample import SAMPLE_ENTRIES
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array
from sparsek.numerics.exact_sums import Moments


class DaskSource:
    """The rows of a Dask array or data frame; see `sparsek.methods.rows.source.Source`.

    Parameters
    ----------
    X : dask array or dask DataFrame of shape (n, p)
        Numbers.
    memory_limit : float
        Bytes that the fit may take. Rows that are not in memory are kept there if they take much less.
    """

    sample_entries: float | None = SAMPLE_ENTRIES
    rescales = False

    def __init__(self, X: Any, memory_limit: float) -> None:
        self._rows, self._memory_limit = as_rows(X, known=True), memory_limit
        self._names = [str(name) for name in X.columns] if is_frame(X) else None
        self.shape, self.dtype = self._rows.shape, self._rows.dtype
        self.weights: Array | None = None
        self.kept = np.broadcast_to(True, self.shape[:1])

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
        found, self._chunks = chunk_moments(self._chunks, self._names)
        return found

    def take(self, rows: Array) -> Array:
        """Some rows, given by ascending numbers, in memory."""
        return taken(self._chunks, rows)

    def labelled(self, scaling: Scaling, n_clusters: int) -> Callable[[Any], DaskRows]:
        """Labelled rows in these coordinates; they share the columns that are kept."""
        steps = dense_steps(scaling, n_clusters, self.shape[0], None)
        return partial(DaskRows, self._chunks, steps, kept=KeptColumns(self._chunks, steps))

    def sizes(self, labels: Parts, n_clusters: int) -> Array:
        """Numbers of rows of the clusters."""
        return cluster_sizes(labels, n_clusters)

    def collected(self, labels: Parts) -> Any:
        """The labels as a Dask array in the chunks of the rows."""
        return as_array(labels, self._chunks, np.int32)


def header(X: Any) -> Any:
    """A collection of no rows with the names and the number of the columns."""
    return X._meta if is_frame(X) else np.empty((0, X.shape[1]))


def lazily(model: Any, X: Any, what: str) -> Any:
    """``predict``, ``transform`` or ``score`` of every chunk, as a Dask array."""
    rows = as_rows(X, known=False)
    light = copy(model)  # small enough to be sent with every task
    light.labels_ = np.empty(0, np.int32)
    light.__dict__.pop("feature_names_in_", None)  # a chunk is an array, without column names
    if what == "predict":
        return rows.map_blocks(_called, light, what, drop_axis=1, dtype=np.int32, meta=np.empty(0, np.int32))
    if what == "transform":
        sizes = {"chunks": (rows.chunks[0], (model._n_features_out,)), "dtype": rows.dtype}
        return rows.map_blocks(_called, light, what, meta=np.empty((0, 0), rows.dtype), **sizes)
    parts = {"drop_axis": 1, "chunks": ((1,) * rows.numblocks[0],), "dtype": float}
    return rows.map_blocks(_scored, light, meta=np.empty(0), **parts)


def _called(X: Array, model: Any, what: str) -> Array:
    return getattr(model, what)(X)


def _scored(X: Array, model: Any) -> Array:
    return np.array([model.score(X)])

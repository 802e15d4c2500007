"""Dask graphs written as dictionaries: building a task takes microseconds, with `delayed` some hundred."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import count
from typing import Any, NamedTuple
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from dask.base import flatten
from dask.threaded import get

from sparsek.methods.shared.sums import Array

Graph = dict[Hashable, Any]
FAN_IN = 8
"""Number of results that one task of a reduction combines."""


class Chunks(NamedTuple):
    """The chunks of rows of an array.

    Attributes
    ----------
    keys : list
        Keys of the tasks, each of which gives the rows of one chunk, of shape (size, p).
    graph : dict
        The tasks, and all tasks that they depend on.
    starts : ndarray of shape (n_chunks + 1,)
        Number of the first row of each chunk; last, the number of rows.
    """

    keys: list[Any]
    graph: Graph
    starts: Array


class Parts(NamedTuple):
    """One array for each chunk, held by the workers.

    Attributes
    ----------
    name : str
        The keys are ``(name, 0)``, ``(name, 1)`` and so on.
    graph : dict
        The value of each key: an array, or a future of a cluster.
    """

    name: str
    graph: Graph

    @property
    def keys(self) -> list[Any]:
        """The keys, in the order of the chunks."""
        return [(self.name, i) for i in range(len(self.graph))]


class Results:
    """Some keys of a graph as a Dask collection."""

    __dask_scheduler__ = staticmethod(get)

    def __init__(self, graph: Graph, keys: list[Any]) -> None:
        self.graph, self.keys = graph, keys

    def __dask_graph__(self) -> Graph:
        return self.graph

    def __dask_keys__(self) -> list[Any]:
        return self.keys

    def __dask_tokenize__(self) -> list[Any]:
        return self.keys

    @staticmethod
    def __dask_optimize__(graph: Graph, keys: list[Any], **options: Any) -> Graph:
        """The graph unchanged: every task is needed."""
        return graph

    def __dask_postcompute__(self) -> tuple[Any, tuple[Any, ...]]:
        return list, ()

    def __dask_postpersist__(self) -> tuple[Any, tuple[Any, ...]]:
        return _kept, ()


def _kept(graph: Graph, rename: Any = None) -> Results:
    """A collection of the computed tasks."""
    return Results(graph, list(graph))


def as_chunks(rows: da.Array) -> Chunks:
    """The non-empty chunks of rows."""
    (ready,) = dask.optimize(rows)
    # The optimised graph leaves out futures, which are needed here too.
    graph: Graph = {key: task for key, task in dict(rows.__dask_graph__()).items() if _is_future(task)}
    graph.update(ready.__dask_graph__())
    sizes = np.array(rows.chunks[0], dtype=np.intp)
    keys = list(flatten(ready.__dask_keys__()))
    kept = [key for key, size in zip(keys, sizes, strict=True) if size]
    return Chunks(kept, graph, np.concatenate([[0], np.cumsum(sizes[sizes > 0])]))


def new_name(what: str) -> str:
    """A unique task name; Dask's dashboard groups tasks by the part before the dash."""
    return f"{what}-{uuid4().hex}"


def reduce_tree(graph: Graph, combine: Callable[[Sequence[Any]], Any], keys: list[Any]) -> Any:
    """Add tasks that combine the results, `FAN_IN` at a time, to the graph; the key of the last one."""
    name = new_name(combine.__name__.strip("_"))
    for level in count():
        if len(keys) == 1:
            return keys[0]
        groups = [keys[i : i + FAN_IN] for i in range(0, len(keys), FAN_IN)]
        keys = [(name, level, i) for i in range(len(groups))]
        graph.update((key, (combine, group)) for key, group in zip(keys, groups, strict=True))


def run(graph: Graph, total: Any, kept: str | None = None, n_kept: int = 0) -> tuple[Any, Parts]:
    """Compute a graph: fetch the value of one key, and leave the parts named `kept` on the workers.

    Parameters
    ----------
    graph : dict
        Tasks.
    total : hashable
        Key of the value to fetch.
    kept : str or None
        Name of the parts.
    n_kept : int
        Their number.

    Returns
    -------
    tuple of object and Parts
        The fetched value, and the parts.
    """
    keys = [(kept, i) for i in range(n_kept)]
    (done,) = dask.persist(Results(graph, [*keys, total]))
    value = done.graph[total]
    value = value.result() if _is_future(value) else value
    return value, Parts(kept or "", {key: done.graph[key] for key in keys})


def _is_future(value: Any) -> bool:
    """Whether the value is a future of a cluster (tested without importing distributed)."""
    return hasattr(value, "add_done_callback")


def as_array(parts: Parts, starts: Array, dtype: Any) -> da.Array:
    """The parts as one Dask array."""
    sizes = tuple(np.diff(starts).tolist())
    return da.Array(parts.graph, parts.name, (sizes,), dtype=dtype)

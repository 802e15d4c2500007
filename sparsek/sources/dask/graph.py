"""Dask graphs written as dictionaries: building a task takes microseconds, with `delayed` some hundred."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import count
from operator import getitem, itemgetter
from traceback import walk_tb
from typing import Any, NamedTuple
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from dask.base import compute, optimize, persist
from dask.core import flatten
from dask.system import CPU_COUNT
from dask.threaded import get

from sparsek.core.steps import Array
from sparsek.sources.dask.checks import Declared, read
from sparsek.sources.dask.memory import client_in_force

Graph = dict[Hashable, Any]
FAN_IN = 8
"""Number of results that one task of a reduction, or the client, combines."""
GROUP_BYTES = 256_000_000
"""Bytes of chunks that one task works on, if they are several; its work then takes long beside its costs."""


class Chunks(NamedTuple):
    """The chunks of rows of an array, in groups: one task works on all chunks of a group."""

    # By group, the keys of the tasks, each of which gives the rows of one chunk, of shape (size, p). Until
    # the first pass, chunks that are declared to be empty stand at the end of the first group
    keys: list[list[Any]]
    graph: Graph  # The tasks, and all tasks that they depend on
    starts: list[list[int]]  # By group, the number of the first row of each chunk that has rows
    sizes: list[list[int]]  # By group, the numbers of rows of these
    declared: Sequence[Declared] = ()  # By group, what the chunks must be
    spare: float = np.inf  # Bytes that a fit may keep beside the chunks
    # A list with an entry for each pass over the chunks; empty where passes are not counted
    reads: tuple[list[None], ...] = ()

    def groups(self) -> list[Any]:
        """By group, what a task takes as its chunks: a list of arrays, checked whenever it is read."""
        for noted in self.reads:
            noted.append(None)
        return [(read, *both) for both in zip(self.keys, self.declared, strict=True)]

    @property
    def held(self) -> bool:
        """Whether all chunks are where the tasks run, so that no pass reads, computes or sends them."""
        own = client_in_force() is None
        tasks = (self.graph[key] for keys in self.keys for key in keys)
        return all(_is_future(task) or (own and _is_value(task)) for task in tasks)

    def marked(self, marks: dict[int, float]) -> Chunks:
        """The chunks with the marks of the first pass, by first row; the empty ones are not read again."""
        keys = [of_group[: len(starts)] for of_group, starts in zip(self.keys, self.starts, strict=True)]
        declared = [
            of_group.marked([marks[start] for start in starts])
            for of_group, starts in zip(self.declared, self.starts, strict=True)
        ]
        return self._replace(keys=keys, declared=declared)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(map(sum, self.sizes))

    def split(self, values: Array) -> list[Array]:
        """An array with an entry for each row, by group."""
        return [
            np.concatenate([values[start : start + size] for start, size in zip(*of_group, strict=True)])
            for of_group in zip(self.starts, self.sizes, strict=True)
        ]


class ChunkArrays(NamedTuple):
    """One array for each group of chunks, held by the workers."""

    name: str  # The keys are ``(name, 0)``, ``(name, 1)`` and so on
    graph: Graph  # The value of each key: an array, or a future of a cluster

    @property
    def keys(self) -> list[Any]:
        """The keys, in the order of the groups."""
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


def kept_chunks(rows: da.Array, spare: float) -> Chunks:
    """The chunks as `as_chunks` gives them; others are computed once if `spare` bytes suffice."""
    chunks, n_bytes = as_chunks(rows), rows.size * rows.dtype.itemsize
    if not chunks.held and n_bytes <= spare:
        with plain_losses({**chunks.graph, **dict(enumerate(chunks.groups()))}):
            rows = rows.persist()
        chunks, spare = as_chunks(rows), spare - n_bytes
    return chunks._replace(spare=spare)


def as_chunks(rows: da.Array) -> Chunks:
    """The chunks of rows; what a worker holds already is worked on in groups."""
    (ready,) = optimize(rows)
    # The optimised graph leaves out futures, which are needed here too.
    graph: Graph = {key: task for key, task in dict(rows.__dask_graph__()).items() if _is_future(task)}
    graph.update(ready.__dask_graph__())
    sizes = np.array(rows.chunks[0], dtype=np.intp)
    keys = list(flatten(ready.__dask_keys__()))
    starts, filled = np.cumsum(sizes) - sizes, np.flatnonzero(sizes)
    n_bytes = sizes[filled] * rows.shape[1] * rows.dtype.itemsize
    groups = [filled[group] for group in _groups([graph[keys[i]] for i in filled], n_bytes)]
    read_first = [*groups]
    if groups:
        read_first[0] = np.append(groups[0], np.flatnonzero(sizes == 0))
    return Chunks(
        [[keys[i] for i in group] for group in read_first],
        graph,
        [starts[group].tolist() for group in groups],
        [sizes[group].tolist() for group in groups],
        [Declared(group.tolist(), sizes[group].tolist(), rows.shape[1], rows.dtype) for group in read_first],
        reads=([],),
    )


def _groups(tasks: list[Any], n_bytes: Array) -> list[list[int]]:
    """Numbers of the chunks to work on together: those in one memory, a group for each thread there.

    A worker that holds more than its share has more groups, which the scheduler may give to others. Chunks
    that still are to be computed, or to be sent to a worker, stay alone.
    """
    if not tasks or not all(map(_is_future, tasks)):
        numbers = list(range(len(tasks)))
        if client_in_force() is None and all(map(_is_value, tasks)):
            return _shares(numbers, n_bytes, dask.config.get("num_workers", None) or CPU_COUNT, GROUP_BYTES)
        return [[i] for i in numbers]
    from distributed import wait

    with plain_losses():
        wait(tasks)
    client = tasks[0].client
    threads, holders = client.nthreads(), client.who_has(tasks)
    held: dict[str, list[int]] = {}
    for i, task in enumerate(tasks):
        held.setdefault(next(iter(holders[task.key]), f"lost {i}"), []).append(i)
    most = min(GROUP_BYTES, float(n_bytes.sum()) / max(1, sum(threads.values())))
    groups: list[list[int]] = []
    for worker, numbers in held.items():
        groups += _shares(numbers, n_bytes, threads.get(worker, 1), most)
    return groups


def _shares(numbers: list[int], n_bytes: Array, n_threads: int, most: float) -> list[list[int]]:
    """Some chunks in groups of about `most` bytes, or more groups, so that every thread has one."""
    if not numbers:
        return []
    needed = max(n_threads, round(n_bytes[numbers].sum() / most))
    return [part.tolist() for part in np.array_split(numbers, min(needed, len(numbers)))]


def new_name(what: str) -> str:
    """A unique task name; Dask's dashboard groups tasks by the part before the dash."""
    return f"{what}-{uuid4().hex}"


def _reduce(graph: Graph, combine: Callable[[Sequence[Any]], Any], keys: list[Any]) -> list[Any]:
    """Add tasks that combine the results, `FAN_IN` at a time, to the graph; the keys of the last ones."""
    name = new_name(combine.__name__.strip("_"))
    for level in count():
        if len(keys) <= FAN_IN:
            return keys
        groups = [keys[i : i + FAN_IN] for i in range(0, len(keys), FAN_IN)]
        keys = [(name, level, i) for i in range(len(groups))]
        graph.update((key, (combine, group)) for key, group in zip(keys, groups, strict=True))
    raise AssertionError  # the levels have no end


def run(
    graph: Graph,
    combine: Callable[[Sequence[Any]], Any],
    results: list[Any],
    kept: str | None = None,
    n_kept: int = 0,
) -> tuple[Any, ChunkArrays]:
    """Compute a graph: fetch the results combined, and leave the parts named `kept` on the workers.

    The workers combine them in a tree until a few are left, which the client combines.
    """
    keys = [(kept, i) for i in range(n_kept)]
    last = _reduce(graph, combine, results)
    done = keep(graph, [*keys, *last])
    found = fetched([done[key] for key in last], graph)
    return combine(found), ChunkArrays(kept or "", {key: done[key] for key in keys})


def keep(graph: Graph, keys: list[Any]) -> Graph:
    """Compute some keys of a graph and leave them on the workers: arrays, or futures of a cluster."""
    with plain_losses(graph):
        (done,) = persist(Results(graph, keys))
    found: Graph = done.graph
    return found


def fetched(values: list[Any], graph: Graph) -> list[Any]:
    """Results of `keep` of a graph in this process."""
    if not _is_future(values[0]):
        return values
    with plain_losses(graph):
        found: list[Any] = values[0].client.gather(values)
        return found


@contextmanager
def plain_losses(graph: Graph | None = None) -> Iterator[None]:
    """RuntimeError in words: chunks are lost, workers die again and again, a chunk of the graph fails."""
    try:
        yield
    except CancelledError as error:
        raise RuntimeError(
            "chunks of X were lost with the worker that held them, and Dask cannot compute them again (as "
            "after client.scatter, or when the client was restarted); make X again, and fit again"
        ) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # tested without importing distributed
            raise RuntimeError(
                f"workers died again and again at the same task, most often for want of memory ({error}); "
                "make the chunks of X smaller, or give the workers more memory"
            ) from error
        if graph is None or _is_ours(error):
            raise
        raise RuntimeError(
            f"{_failing_chunk(graph)} of X could not be computed ({type(error).__name__}: {error}); correct "
            "what makes the chunks of X, which X.compute() runs without sparsek"
        ) from error


def _is_ours(error: Exception) -> bool:
    """Whether an error comes from a task of sparsek: one of its functions was called by Dask."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    return "sparsek" in [name.partition(".")[0] for name in modules[_last_of_dask(modules) + 1 :]]


def _last_of_dask(modules: list[str]) -> int:
    """The place of the last module of Dask, -1 without one."""
    of_dask = [i for i, name in enumerate(modules) if name.startswith(("dask.", "distributed."))]
    return max(of_dask, default=-1)


def _failing_chunk(graph: Graph) -> str:
    """The first chunk that fails when it is computed alone."""
    for task in list(graph.values()):
        for part in [task, *task] if type(task) is tuple else []:
            if type(part) is not tuple or part[:1] != (read,):
                continue
            for key, number in zip(part[1], part[2].numbers, strict=True):
                probe = new_name("probe")
                try:
                    compute(Results({**graph, probe: (_is_there, key)}, [probe]))
                except Exception:  # whatever the task of the user raises
                    return f"chunk {number}"
    return "a chunk"


def _is_there(chunk: Any) -> bool:
    return True


def _is_value(task: Any) -> bool:
    """Whether a task is an array of this process instead of work to do."""
    return isinstance(task, np.ndarray) or type(task).__name__ == "DataNode"


def _is_future(value: Any) -> bool:
    """Whether the value is a future of a cluster (tested without importing distributed)."""
    return hasattr(value, "add_done_callback")


def as_array(parts: ChunkArrays, chunks: Chunks, dtype: Any) -> da.Array:
    """The parts as one Dask array, in the chunks of the rows."""
    name = new_name("labels")
    found: list[tuple[int, Any]] = []
    for key, starts, sizes in zip(parts.keys, chunks.starts, chunks.sizes, strict=True):
        end = 0
        for start, size in zip(starts, sizes, strict=True):
            found.append((start, (getitem, key, slice(end, end + size))))
            end += size
    found.sort(key=itemgetter(0))
    graph = parts.graph | {(name, i): task for i, (_, task) in enumerate(found)}
    lengths = np.diff([start for start, _ in found], append=chunks.n_rows)
    return da.Array(graph, name, (tuple(lengths.tolist()),), dtype=dtype)

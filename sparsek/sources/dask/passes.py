"""Work on all chunks, whose results are merged in a tree; labels, and rows prepared from them, stay there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import getitem
from typing import Any

import numpy as np

from sparsek.core.steps import Array, Labels
from sparsek.sources.dask.graph import FAN_IN, ChunkArrays, Chunks, Graph, new_name, run
from sparsek.sources.source import added


def over_chunks(chunks: Chunks, work: Any, merge: Any, labels: ChunkArrays | None = None) -> Any:
    """Merged results of a work on all chunks; see `sparsek.sources.source.Source.over`."""
    graph, constant = with_constant(_with_labels(chunks, labels), work, len(chunks.keys))
    name = new_name("over")
    keys = [(name, i) for i in range(len(chunks.keys))]
    for key, group, own in zip(keys, chunks.groups(), _keys(chunks, labels), strict=True):
        graph[key] = (_worked, constant, merge, group, own)
    return run(graph, merge, keys)[0]


def relabelled_chunks(
    chunks: Chunks, work: Any, merge: Any, labels: ChunkArrays | None = None
) -> tuple[ChunkArrays, Any]:
    """Do as `over_chunks` for work that gives labels and a result; give the labels and the merged results."""
    graph, constant = with_constant(_with_labels(chunks, labels), work, len(chunks.keys))
    both, name, result = new_name("both"), new_name("labels"), new_name("result")
    for i, (group, own) in enumerate(zip(chunks.groups(), _keys(chunks, labels), strict=True)):
        graph[both, i] = (_relabelled, constant, merge, group, own)
        graph[name, i], graph[result, i] = (getitem, (both, i), 0), (getitem, (both, i), 1)
    n_groups = len(chunks.keys)
    total, new = run(graph, merge, [(result, i) for i in range(n_groups)], name, n_groups)
    return new, total


def parts_of(chunks: Chunks, values: Array) -> ChunkArrays:
    """An array with an entry for each row as parts that go with the chunks."""
    name = new_name("values")
    return ChunkArrays(name, {(name, i): part for i, part in enumerate(chunks.split(values))})


def prepared_chunks(chunks: Chunks, work: Any, labels: ChunkArrays, more: int = 1) -> Chunks:
    """Chunks ``work(X, labels)`` with `more` further columns, which are made whenever they are read."""
    graph, constant = with_constant(_with_labels(chunks, labels), work, len(chunks.keys))
    name, uncounted = new_name("prepared"), chunks._replace(reads=())
    for i, (group, own) in enumerate(zip(uncounted.groups(), labels.keys, strict=True)):
        graph[name, i] = (_prepared, constant, group, own)
        graph.update(((name, i, j), (getitem, (name, i), j)) for j in range(len(chunks.starts[i])))
    keys: list[list[Any]] = [[(name, i, j) for j in range(len(of))] for i, of in enumerate(chunks.starts)]
    declared = [replace(of, n_columns=of.n_columns + more, marks=None) for of in chunks.declared]
    return chunks._replace(keys=keys, graph=graph, declared=declared, spare=chunks.spare / 2)


def over_labels(work: Callable[..., Any], *labels: ChunkArrays, constant: Any = None) -> Any:
    """The sum of ``work(labels of a group, ..., constant)`` of all groups of chunks."""
    graph: Graph = {key: task for parts in labels for key, task in parts.graph.items()}
    name = new_name("over")
    keys = [(name, i) for i in range(len(labels[0].keys))]
    for key, own in zip(keys, zip(*(parts.keys for parts in labels), strict=True), strict=True):
        graph[key] = (work, *own, constant)
    return run(graph, added, keys)[0]


def with_constant(graph: Graph, constant: Any, n_tasks: int) -> tuple[Graph, Any]:
    """Copy the graph and add what all tasks take, under a key; few tasks take the constant itself."""
    if n_tasks <= FAN_IN:
        return dict(graph), constant
    key = new_name("step")
    return {**graph, key: constant}, key


def with_places(group: list[Array]) -> Iterator[tuple[Array, slice]]:
    """The chunks of a group, each with the place of its rows among the labels of the group."""
    start = 0
    for X in group:
        yield X, slice(start, start + len(X))
        start += len(X)


def _with_labels(chunks: Chunks, labels: ChunkArrays | None) -> Graph:
    return chunks.graph if labels is None else {**chunks.graph, **labels.graph}


def _keys(chunks: Chunks, labels: ChunkArrays | None) -> list[Any]:
    return [None] * len(chunks.keys) if labels is None else labels.keys


def _worked(work: Any, merge: Any, group: list[Array], labels: Labels | None) -> Any:
    return merge([work(X, None if labels is None else labels[at], None) for X, at in with_places(group)])


def _relabelled(work: Any, merge: Any, group: list[Array], labels: Labels | None) -> tuple[Labels, Any]:
    both = [work(X, None if labels is None else labels[at], None) for X, at in with_places(group)]
    new, found = zip(*both, strict=True)
    return np.concatenate(new), merge(found)


def _prepared(work: Any, group: list[Array], labels: Labels) -> list[Array]:
    return [work(X, labels[here]) for X, here in with_places(group)]

"""Rows that are the chunks of a Dask array: labels stay with the workers, cluster sums come to the client.

The labels of an iteration depend on the chunk and the centres alone. If a worker is lost, its labels are
computed again from its chunks, not from all iterations before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sparsek.dask._graph import Chunks, Graph, Parts, new_name, reduce_tree, run
from sparsek.methods.rows.blocks import DenseSteps, Moments, block_moments, scaled
from sparsek.methods.rows.local import Far, IncrementalRows, farthest, hand_out, narrowed_sums
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.sums import Array, ClusterSums, Labels

CACHED_ENTRIES = 100_000
"""Entries labelled at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Step:
    """Arguments of one step that all chunks share; a task of its own, so that each worker gets them once.

    Attributes
    ----------
    steps : DenseSteps
        Operations on a chunk.
    columns : ndarray or slice
        Columns of the cluster sums.
    metric : Metric or None
        The distance.
    centers : ndarray of shape (n_clusters, m)
        Centres in the coordinates of the distance.
    """

    steps: DenseSteps
    columns: Array | slice
    metric: Metric | None = None
    centers: Any = None

    def operand(self, X: Array) -> Array:
        """The rows in the coordinates of the distance."""
        if self.metric is None:
            raise TypeError("this step has no distance")
        return self.steps.operand(X, self.metric)


def chunk_moments(chunks: Chunks, names: Any = None) -> Moments:
    """Column statistics of all rows; errors call columns by their `names`."""
    graph, where = dict(chunks.graph), new_name("moments")
    graph[where, "names"] = names
    keys = [(where, i) for i in range(len(chunks.keys))]
    for key, X, start in zip(keys, chunks.keys, chunks.starts.tolist(), strict=False):
        graph[key] = (_checked_moments, X, start, (where, "names"))
    found: Moments = run(graph, reduce_tree(graph, _merge, keys))[0]
    found.refuse_extremes(names)
    return found


def cluster_sizes(labels: Parts, n_clusters: int) -> Array:
    """Numbers of rows of the clusters."""
    graph, name = dict(labels.graph), new_name("sizes")
    keys = [(name, i) for i in range(len(labels.graph))]
    graph.update((key, (_sizes, part, n_clusters)) for key, part in zip(keys, labels.keys, strict=True))
    found: Array = run(graph, reduce_tree(graph, _add, keys))[0]
    return found


class DaskRows(IncrementalRows):
    """Rows of chunks with a label each; see `sparsek.methods.rows.protocol.Rows`.

    Parameters
    ----------
    chunks : Chunks
        The rows.
    steps : DenseSteps
        Operations on a chunk.
    labels : Parts, ndarray of shape (n,) or None
        Initial labels; None if the first `assign` sets them.
    metric : Metric or None
        Columns and factors of these rows; None for all columns as they are.
    sums : ndarray of shape (n_clusters, m + 1) or None
        Cluster sums of the labels, if known.
    """

    def __init__(
        self,
        chunks: Chunks,
        steps: DenseSteps,
        labels: Any = None,
        metric: Metric | None = None,
        sums: Array | None = None,
    ) -> None:
        super().__init__((int(chunks.starts[-1]), len(steps.scaling.offset)), metric, sums)
        self.chunks, self.steps = chunks, steps
        self.labels: Any = self._split(labels) if isinstance(labels, np.ndarray) else labels

    def _full_sums(self) -> Array:
        found: Array = self._added(_sums, Step(self.steps, self._columns))
        return found

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        metric = self._metric if columns is None else Metric(columns)
        step, old = Step(self.steps, self._columns, metric, centers), self.labels
        graph, constant = self._graph(step)
        name = new_name("labels")
        graph.update(((name, i), (_nearest, constant, X)) for i, X in enumerate(self.chunks.keys))
        n_moved, change, counts = self._settle(graph, constant, name, old)
        if fill and not counts.all():
            graph, constant = self._graph(step)
            name = self._hand_out(graph, step, counts)
            n_moved, change, _ = self._settle(graph, constant, name, old)
        return self._note_moves(n_moved, change if old is None else scaled(change, self._metric))

    def narrowed(self, metric: Metric, sums: ClusterSums | None) -> DaskRows:
        """The rows in the columns of a metric."""
        return DaskRows(self.chunks, self.steps, self.labels, metric, narrowed_sums(metric, sums))

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        return float(self._added(_scatter, Step(self.steps, slice(0), self._metric, centers)))

    def _split(self, labels: Labels) -> Parts:
        """Labels by chunk."""
        name = new_name("labels")
        parts = enumerate(pairwise(self.chunks.starts.tolist()))
        return Parts(name, {(name, i): labels[a:b] for i, (a, b) in parts})

    def _graph(self, step: Step) -> tuple[Graph, str]:
        """A graph of chunks, labels and the step, and the key of the step."""
        constant = new_name("step")
        labels = {} if self.labels is None else self.labels.graph
        return {**self.chunks.graph, **labels, constant: step}, constant

    def _added(self, work: Callable[..., Any], step: Step) -> Any:
        """``work(step, X, labels)`` of all chunks, added up."""
        graph, constant = self._graph(step)
        name = new_name(work.__name__.strip("_"))
        keys = [(name, i) for i in range(len(self.chunks.keys))]
        for key, X, labels in zip(keys, self.chunks.keys, self.labels.keys, strict=True):
            graph[key] = (work, constant, X, labels)
        return run(graph, reduce_tree(graph, _add, keys))[0]

    def _settle(self, graph: Graph, constant: str, name: str, old: Parts | None) -> tuple[int, Array, Array]:
        """Compute the labels called `name`: number of rows moved, change of the sums, cluster sizes."""
        if old is not None:
            graph.update(old.graph)
        n_chunks, change = len(self.chunks.keys), new_name("change")
        before = [None] * n_chunks if old is None else old.keys
        for i, (X, labels) in enumerate(zip(self.chunks.keys, before, strict=True)):
            graph[change, i] = (_change, constant, X, (name, i), labels)
        total = reduce_tree(graph, _add_changes, [(change, i) for i in range(n_chunks)])
        found: tuple[int, Array, Array]
        found, self.labels = run(graph, total, name, n_chunks)
        return found

    def _hand_out(self, graph: Graph, step: Step, counts: Array) -> str:
        """Add tasks for labels in which empty clusters get the farthest rows to the graph; their name."""
        far_graph, constant = self._graph(step)
        far, starts = new_name("far"), self.chunks.starts
        keys = [(far, i) for i in range(len(self.chunks.keys))]
        for i, (X, labels) in enumerate(zip(self.chunks.keys, self.labels.keys, strict=True)):
            far_graph[keys[i]] = (_farthest, constant, X, labels, int(starts[i]))
        found: Far = run(far_graph, reduce_tree(far_graph, _join, keys))[0]
        rows, clusters = hand_out([found], counts)
        chunk, name = np.searchsorted(starts, rows, side="right") - 1, new_name("labels")
        for i, labels in enumerate(self.labels.keys):
            here = chunk == i
            graph[name, i] = (_relabelled, labels, rows[here] - starts[i], clusters[here])
        return name


def _checked_moments(X: Array, start: int, names: Any) -> Moments:
    """Column statistics of one chunk; ValueError for an entry that is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        moments = block_moments(X)
    if not np.isfinite(moments.squares).all():
        bad = np.argwhere(~np.isfinite(X))
        if len(bad):
            row, column = (int(i) for i in bad[0])
            raise ValueError(
                f"X has {X[row, column]} in row {start + row}, column {_called(column, names)}; rows must be "
                "complete and finite: drop them or fill the gaps first"
            )
    return moments


def _called(column: int, names: Any) -> str:
    """Number of a column, and its name if it has one, for messages."""
    return str(column) if names is None else f"{column} ({names[column]})"


def _merge(parts: Sequence[Moments]) -> Moments:
    first, *others = parts
    with np.errstate(over="ignore", invalid="ignore"):
        for other in others:
            first = first.merge(other)
    return first


def _add(parts: Sequence[Any]) -> Any:
    return sum(parts[1:], start=parts[0])


def _add_changes(parts: Sequence[tuple[int, Array, Array]]) -> tuple[int, Array, Array]:
    moved, changes, counts = zip(*parts, strict=True)
    return sum(moved), _add(changes), _add(counts)


def _join(parts: Sequence[Far]) -> Far:
    return Far(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))


def _sizes(labels: Labels, n_clusters: int) -> Array:
    return np.bincount(labels, minlength=n_clusters)


def _sums(step: Step, X: Array, labels: Labels) -> Array:
    return step.steps.sums(X, labels, None, step.columns)


def _nearest(step: Step, X: Array) -> Labels:
    n_rows = max(1, CACHED_ENTRIES // max(1, step.centers.shape[1]))
    parts = [X[start : start + n_rows] for start in range(0, len(X), n_rows)]
    return np.concatenate([step.steps.nearest(step.operand(part), step.centers) for part in parts])


def _change(step: Step, X: Array, labels: Labels, old: Labels | None) -> tuple[int, Array, Array]:
    """Number of rows that moved, the change of the cluster sums, and the cluster sizes."""
    steps = step.steps
    counts = _sizes(labels, steps.n_clusters)
    if old is None:
        return len(labels), np.zeros((steps.n_clusters, 1)), counts
    moved = np.flatnonzero(labels != old)
    return len(moved), steps.change(X[moved], labels[moved], old[moved], None, step.columns), counts


def _scatter(step: Step, X: Array, labels: Labels) -> float:
    return float(step.steps.distances(step.operand(X), labels, step.centers).sum(dtype=np.float64))


def _farthest(step: Step, X: Array, labels: Labels, start: int) -> Far:
    return farthest(step.steps, step.operand(X), labels, step.centers, start)


def _relabelled(labels: Labels, rows: Array, clusters: Labels) -> Labels:
    if not len(rows):
        return labels
    labels = labels.copy()
    labels[rows] = clusters
    return labels

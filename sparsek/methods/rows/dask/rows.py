"""Rows that are the chunks of a Dask array: labels stay with the workers, cluster sums come to the client.

The labels of an iteration depend on the chunks and the centres alone. If a worker is lost, its labels are
computed again from its chunks, not from all iterations before. A task works on a group of chunks: the
functions here take a list of arrays, and labels of all their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from sparsek.methods.rows.blocks import DenseSteps, z_grid
from sparsek.methods.rows.dask.graph import FAN_IN, Chunks, Graph, Parts, keep, new_name, run
from sparsek.methods.rows.empty import Far, farthest, hand_out
from sparsek.methods.rows.local import IncrementalRows, narrowed_sums
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.sums import (
    Array,
    ClusterSums,
    Labels,
    Ties,
    length,
    lowest_score,
    scaled_coefficients,
)
from sparsek.numerics.exact_sums import Extremes, Moments, MomentSums

KEPT_SHARE = 4
"""Columns of distances are kept beside the chunks if they are at most one in this many."""
SPARE = 2
"""Columns that are kept, at most, for every column of the distance."""


@dataclass(frozen=True, slots=True)
class Step:
    """Arguments of one step that all chunks share.

    With many tasks it is a task of its own, so that each worker gets it once; with few it goes with them.

    Attributes
    ----------
    steps : DenseSteps
        Operations on a chunk.
    columns : ndarray or slice
        Columns of the cluster sums.
    metric : Metric or None
        The distance, if the step has one.
    centers : ndarray of shape (n_clusters, m) or None
        Centres in the coordinates of the distance.
    coefficients : ndarray of shape (n_clusters, m' + 1) or None
        What the centres give for kept columns, see `KeptColumns.coefficients`.
    kept : ndarray of shape (m',) or None
        The columns that are kept.
    """

    steps: DenseSteps
    columns: Array | slice
    metric: Any = None
    centers: Any = None
    coefficients: Any = None
    kept: Any = None

    def operand(self, X: Array) -> Array:
        """The rows in the coordinates of the distance."""
        return self.steps.operand(X, self.metric)


class KeptColumns:
    """Prepared columns of all chunks, kept beside them from one iteration to the next.

    They are those of the last distances, so that features that come and go find theirs.

    Parameters
    ----------
    chunks : Chunks
        The data.
    steps : DenseSteps
        Operations on chunks.

    Attributes
    ----------
    columns : ndarray of shape (m,)
        The sorted indices of those that are kept.
    parts : Parts or None
        The prepared columns by group; None before the first use.
    """

    def __init__(self, chunks: Chunks, steps: DenseSteps) -> None:
        self._chunks, self._steps = chunks, steps
        self.columns: Array = np.empty(0, dtype=np.intp)
        self.parts: Parts | None = None
        self._turn = 0
        self._used = np.zeros(
            len(steps.scaling.offset), dtype=np.intp
        )  # the turn when a column was last in use

    def cover(self, columns: Array) -> Parts | None:
        """The kept columns, with these among them; None where these are too many."""
        most = len(self._used) // KEPT_SHARE
        if len(columns) > most:
            return None
        self._turn += 1
        self._used[columns] = self._turn
        if self.parts is None or not np.isin(columns, self.columns).all():
            recent = np.argsort(-self._used, kind="stable")[: min(most, SPARE * len(columns))]
            self.columns = np.sort(recent[self._used[recent] > 0])
            self.parts = None  # frees their memory first
            step, groups = Step(self._steps, slice(0), Metric(self.columns)), self._chunks.keys
            graph, constant = _with_step(self._chunks.graph, step, len(groups))
            name = new_name("columns")
            graph.update(((name, i), (_operand, constant, X)) for i, X in enumerate(groups))
            self.parts = Parts(name, keep(graph, [(name, i) for i in range(len(groups))]))
        return self.parts

    def coefficients(self, metric: Metric, centers: Array) -> Array:
        """Score coefficients of centres for the kept columns, 0 for those that the distance leaves out."""
        scores = scaled_coefficients(centers, metric.factors)
        spread = np.zeros((len(centers), len(self.columns) + 1))
        spread[:, np.searchsorted(self.columns, metric.columns)] = scores[:, :-1]
        spread[:, -1] = scores[:, -1]
        return spread


def chunk_moments(chunks: Chunks, names: Any = None) -> Moments:
    """Column statistics of all rows, in two passes; errors call columns by their `names`."""
    extremes: Extremes = _over_chunks(chunks, _extremes, names, _merge)
    with np.errstate(over="ignore", invalid="ignore"):  # columns whose squares overflow are refused later
        second = MomentSums.of(extremes, chunks.n_rows)
        return second.moments(_over_chunks(chunks, _moment_sums, second, _add), float(chunks.n_rows))


def _over_chunks(chunks: Chunks, work: Callable[..., Any], shared: Any, merge: Callable[..., Any]) -> Any:
    """``work(group, starts, shared)`` of all groups of chunks, merged."""
    graph, where = dict(chunks.graph), new_name(work.__name__.strip("_"))
    graph[where, "shared"] = shared
    keys = [(where, i) for i in range(len(chunks.keys))]
    for key, group, starts in zip(keys, chunks.keys, chunks.starts, strict=True):
        graph[key] = (work, group, starts, (where, "shared"))
    return run(graph, merge, keys)[0]


def cluster_sizes(labels: Parts, n_clusters: int) -> Array:
    """Numbers of rows of the clusters."""
    graph, name = dict(labels.graph), new_name("sizes")
    keys = [(name, i) for i in range(len(labels.graph))]
    graph.update((key, (_sizes, part, n_clusters)) for key, part in zip(keys, labels.keys, strict=True))
    found: Array = run(graph, _add, keys)[0]
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
    sums : ndarray of shape (n_clusters, m + 1), int64, or None
        Cluster sums of the labels in units of the grid, if known.
    kept : KeptColumns or None
        Columns kept by other rows of these chunks.
    """

    def __init__(
        self,
        chunks: Chunks,
        steps: DenseSteps,
        labels: Any = None,
        metric: Metric | None = None,
        sums: Array | None = None,
        kept: KeptColumns | None = None,
    ) -> None:
        super().__init__((chunks.n_rows, len(steps.scaling.offset)), metric, steps.grid, sums)
        self.chunks, self.steps = chunks, steps
        self.labels: Any = self._split(labels) if isinstance(labels, np.ndarray) else labels
        self._kept = KeptColumns(chunks, steps) if kept is None else kept

    def _full_sums(self) -> Array:
        found: Array = self._added(_sums, Step(self.steps, self._columns))
        return found

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        metric = self._metric if columns is None else Metric(columns)
        kept = self._kept.cover(metric.columns)
        coefficients = None if kept is None else self._kept.coefficients(metric, centers)
        columns = None if kept is None else self._kept.columns
        step, old = Step(self.steps, self._columns, metric, centers, coefficients, columns), self.labels
        graph, constant = self._graph(step)
        name = new_name("labels")
        if kept is None:
            graph.update(((name, i), (_nearest, constant, X)) for i, X in enumerate(self.chunks.keys))
        else:
            graph.update(kept.graph)
            graph.update(((name, i), (_nearest_kept, constant, key)) for i, key in enumerate(kept.keys))
        n_moved, change, counts = self._settle(graph, constant, name, old)
        if fill and not counts.all():
            graph, constant = self._graph(step)
            name = self._hand_out(graph, step, counts)
            n_moved, change, _ = self._settle(graph, constant, name, old)
        return self._note_moves(n_moved, change)

    def narrowed(self, metric: Metric, sums: ClusterSums | None) -> DaskRows:
        """The rows in the columns of a metric."""
        return DaskRows(self.chunks, self.steps, self.labels, metric, narrowed_sums(metric, sums), self._kept)

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        return float(self._added(_scatter, Step(self.steps, slice(0), self._metric, centers)))

    def _split(self, labels: Labels) -> Parts:
        """Labels by group."""
        name = new_name("labels")
        return Parts(name, {(name, i): part for i, part in enumerate(self.chunks.split(labels))})

    def _graph(self, step: Step) -> tuple[Graph, Any]:
        """A graph of chunks, labels and the step, and what tasks name as the step."""
        labels = {} if self.labels is None else self.labels.graph
        return _with_step({**self.chunks.graph, **labels}, step, len(self.chunks.keys))

    def _added(self, work: Callable[..., Any], step: Step) -> Any:
        """``work(step, group, labels)`` of all groups, added up."""
        graph, constant = self._graph(step)
        name = new_name(work.__name__.strip("_"))
        keys = [(name, i) for i in range(len(self.chunks.keys))]
        for key, X, labels in zip(keys, self.chunks.keys, self.labels.keys, strict=True):
            graph[key] = (work, constant, X, labels)
        return run(graph, _add, keys)[0]

    def _settle(self, graph: Graph, constant: Any, name: str, old: Parts | None) -> tuple[int, Array, Array]:
        """Compute the labels called `name`: number of rows moved, change of the sums, cluster sizes."""
        if old is not None:
            graph.update(old.graph)
        n_chunks, change = len(self.chunks.keys), new_name("change")
        before = [None] * n_chunks if old is None else old.keys
        for i, (X, labels) in enumerate(zip(self.chunks.keys, before, strict=True)):
            graph[change, i] = (_change, constant, X, (name, i), labels)
        found: tuple[int, Array, Array]
        results = [(change, i) for i in range(n_chunks)]
        found, self.labels = run(graph, _add_changes, results, name, n_chunks)
        return found

    def _hand_out(self, graph: Graph, step: Step, counts: Array) -> str:
        """Add tasks for labels in which empty clusters get the farthest rows to the graph; their name."""
        far_graph, constant = self._graph(step)
        far, name = new_name("far"), new_name("labels")
        keys = [(far, i) for i in range(len(self.chunks.keys))]
        for i, (X, labels) in enumerate(zip(self.chunks.keys, self.labels.keys, strict=True)):
            far_graph[keys[i]] = (_farthest, constant, X, labels, self.chunks.starts[i])
        found: Far = run(far_graph, _join, keys)[0]
        rows, clusters = hand_out([found], counts)
        for i, labels in enumerate(self.labels.keys):
            graph[name, i] = (
                _relabelled,
                labels,
                self.chunks.starts[i],
                self.chunks.sizes[i],
                rows,
                clusters,
            )
        return name


def _extremes(group: list[Array], starts: list[int], names: Any) -> Extremes:
    """Extremes of some chunks; ValueError for an entry that is not finite."""
    found = [Extremes.of(X) for X in group]
    for X, start, ends in zip(group, starts, found, strict=True):
        if np.isfinite(ends.top).all() and np.isfinite(ends.bottom).all():
            continue
        row, column = (int(i) for i in np.argwhere(~np.isfinite(X))[0])
        raise ValueError(
            f"X has {X[row, column]} in row {start + row}, column {_called(column, names)}; rows must be "
            "complete and finite: drop them or fill the gaps first"
        )
    return _merge(found)


def _moment_sums(group: list[Array], starts: list[int], second: MomentSums) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return _add([second.add(X) for X in group])


def _called(column: int, names: Any) -> str:
    """Number of a column, and its name if it has one, for messages."""
    return str(column) if names is None else f"{column} ({names[column]})"


def _merge(parts: Sequence[Extremes]) -> Extremes:
    return reduce(Extremes.merge, parts)


def _add(parts: Sequence[Any]) -> Any:
    return sum(parts[1:], start=parts[0])


def _add_changes(parts: Sequence[tuple[int, Array, Array]]) -> tuple[int, Array, Array]:
    moved, changes, counts = zip(*parts, strict=True)
    return sum(moved), _add(changes), _add(counts)


def _join(parts: Sequence[Far]) -> Far:
    return Far(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))


def _sizes(labels: Labels, n_clusters: int) -> Array:
    return np.bincount(labels, minlength=n_clusters)


def _parts(group: list[Array]) -> Iterator[tuple[Array, slice]]:
    """The chunks of a group, each with the place of its rows among the labels of the group."""
    start = 0
    for X in group:
        yield X, slice(start, start + len(X))
        start += len(X)


def _with_step(graph: Graph, step: Step, n_tasks: int) -> tuple[Graph, Any]:
    """A copy of the graph with the step, and what tasks name as the step: its key; itself if they are few."""
    if n_tasks <= FAN_IN:
        return dict(graph), step
    constant = new_name("step")
    return {**graph, constant: step}, constant


def _sums(step: Step, group: list[Array], labels: Labels) -> Array:
    return _add([step.steps.sums(X, labels[here], None, step.columns) for X, here in _parts(group)])


def _nearest(step: Step, group: list[Array]) -> Labels:
    return np.concatenate([step.steps.nearest_rows(X, step.metric, step.centers) for X in group])


def _nearest_kept(step: Step, operands: list[Array]) -> Labels:
    return np.concatenate([_nearest_of_kept(step, Z) for Z in operands])


def _nearest_of_kept(step: Step, Z: Array) -> Labels:
    """Nearest centres of rows of which more columns are kept than the distance has."""
    metric, centers = step.metric, step.centers.astype(Z.dtype)
    places = np.searchsorted(step.kept, metric.columns)
    factors = None if metric.factors is None else metric.factors.astype(Z.dtype)

    def take(rows: Array) -> Array:
        some = Z[rows[:, None], places]
        return some if factors is None else some * factors

    ties = Ties.of(centers, length(z_grid(step.steps.scaling, metric).reach), take)
    return lowest_score(Z, step.coefficients.astype(Z.dtype), ties=ties)


def _operand(step: Step, group: list[Array]) -> list[Array]:
    return [step.operand(X) for X in group]


def _change(step: Step, group: list[Array], labels: Labels, old: Labels | None) -> tuple[int, Array, Array]:
    """Number of rows that moved, the change of the cluster sums, and the cluster sizes."""
    steps = step.steps
    counts = _sizes(labels, steps.n_clusters)
    if old is None:
        return len(labels), np.zeros((steps.n_clusters, 1), np.int64), counts
    changes = [steps.moved_change(X, labels[here], old[here], step.columns) for X, here in _parts(group)]
    return int(np.count_nonzero(labels != old)), _add(changes), counts


def _scatter(step: Step, group: list[Array], labels: Labels) -> float:
    found = 0.0
    for X, here in _parts(group):
        found += float(step.steps.distances(step.operand(X), step.metric, labels[here], step.centers).sum())
    return found


def _farthest(step: Step, group: list[Array], labels: Labels, starts: list[int]) -> Far:
    found = []
    for (X, here), start in zip(_parts(group), starts, strict=True):
        x = step.steps.coordinates(step.operand(X), step.metric)
        found.append(farthest(x, labels[here], step.centers.astype(x.dtype), start))
    return _join(found)


def _relabelled(labels: Labels, starts: list[int], sizes: list[int], rows: Array, clusters: Labels) -> Labels:
    """The labels of a group after some rows, numbered among all, got other clusters."""
    labels, place = labels.copy(), 0
    for start, size in zip(starts, sizes, strict=True):
        here = (rows >= start) & (rows < start + size)
        labels[rows[here] - start + place] = clusters[here]
        place += size
    return labels

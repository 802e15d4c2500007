"""Rows that are the chunks of a Dask array: labels stay with the workers, cluster sums come to the client.

The labels of an iteration depend on the chunks and the centres alone. If a worker is lost, its labels are
computed again from its chunks, not from all iterations before. A task works on a group of chunks: the
functions here take a list of arrays, and labels of all their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.core.steps import (
    Array,
    ClusterSums,
    Labels,
    Ties,
    length,
    lowest_score,
    scaled_coefficients,
)
from sparsek.sources.blocks import DenseSteps, z_grid
from sparsek.sources.dask.graph import ChunkArrays, Chunks, Graph, fetched, keep, new_name, run
from sparsek.sources.dask.passes import over_labels, with_constant, with_places
from sparsek.sources.empty import Far, farthest, hand_out
from sparsek.sources.local import IncrementalRows, narrowed_sums
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import added

SPARE = 2
"""At most this many columns are kept for every column of the distance, or half of all columns if that is
fewer."""
WIDEST = 4
"""Where more columns than this are kept for every column of the distance, they are chosen anew to save time.
"""


@dataclass(frozen=True, slots=True)
class ChunkStep:
    """Arguments of one step that all chunks share.

    With many tasks it is a task of its own, so that each worker gets it once; with few it goes with them.
    """

    steps: DenseSteps  # Operations on a chunk
    columns: Array | slice  # Columns of the cluster sums
    subspace: Any = None  # What the distance uses, if the step has one
    centers: Any = None  # (n_clusters, m): centres in the coordinates of the distance
    # (n_clusters, m' + 1): what the centres give for kept columns, see `KeptColumns.coefficients`
    coefficients: Any = None
    kept: Any = None  # (m',): the columns that are kept

    def operand(self, X: Array) -> Array:
        """The rows in the coordinates of the distance."""
        return self.steps.operand(X, self.subspace)


class KeptColumns:
    """Prepared columns of all chunks, kept beside them from one iteration to the next.

    They are those of the last distances, so that features that come and go find theirs.

    Shapes: columns (m,).
    """

    def __init__(self, chunks: Chunks, steps: DenseSteps) -> None:
        self._chunks, self._steps = chunks, steps
        self.columns: Array = np.empty(0, dtype=np.intp)
        self.parts: ChunkArrays | None = None
        self._turn = 0
        self._used = np.zeros(
            len(steps.scaling.offset), dtype=np.intp
        )  # the turn when a column was last in use

    def cover(self, columns: Array) -> ChunkArrays | None:
        """The kept columns, with these among them; None where memory does not suffice for these."""
        column = self._chunks.n_rows * self._steps.scaling.offset.itemsize
        p, most = len(self._used), self._chunks.spare // column
        if len(columns) > most:
            return None
        self._turn += 1
        self._used[columns] = self._turn
        wide = len(self.columns) > WIDEST * len(columns)
        if self.parts is None or wide or not np.isin(columns, self.columns).all():
            n_kept = int(min(most, max(len(columns), min(SPARE * len(columns), p // 2))))
            # Features come and go between iterations, and those in use last are the likeliest to come back.
            recent = np.argsort(-self._used, kind="stable")[:n_kept]
            self.columns = np.sort(recent[self._used[recent] > 0])
            self.parts = None  # frees their memory first
            step, groups = ChunkStep(self._steps, slice(0), Subspace(self.columns)), self._chunks.groups()
            graph, constant = with_constant(self._chunks.graph, step, len(groups))
            name = new_name("columns")
            graph.update(((name, i), (_operand, constant, X)) for i, X in enumerate(groups))
            self.parts = ChunkArrays(name, keep(graph, [(name, i) for i in range(len(groups))]))
        return self.parts

    def coefficients(self, subspace: Subspace, centers: Array) -> Array:
        """Score coefficients of centres for the kept columns, 0 for those that the distance leaves out."""
        scores = scaled_coefficients(centers, subspace.factors)
        spread = np.zeros((len(centers), len(self.columns) + 1))
        # Columns with the coefficient 0 change no score, so that no column must be copied out.
        spread[:, np.searchsorted(self.columns, subspace.columns)] = scores[:, :-1]
        spread[:, -1] = scores[:, -1]
        return spread


def cluster_sizes(labels: ChunkArrays, n_clusters: int) -> Array:
    """Numbers of rows of the clusters."""
    found: Array = over_labels(_sizes, labels, constant=n_clusters)
    return found


def moved_rows(old: ChunkArrays, new: ChunkArrays) -> int:
    """Number of rows whose labels differ."""
    return int(over_labels(_n_moved, old, new))


def taken(chunks: Chunks, rows: Array) -> Array:
    """Some rows, given by ascending numbers, in memory."""
    graph, name = dict(chunks.graph), new_name("taken")
    keys: list[Any] = []
    places: list[Array] = []
    for group, starts, sizes in zip(chunks.groups(), chunks.starts, chunks.sizes, strict=True):
        ends = [
            np.searchsorted(rows, [start, start + size]) for start, size in zip(starts, sizes, strict=True)
        ]
        wanted = [rows[a:b] - start for (a, b), start in zip(ends, starts, strict=True)]
        if any(map(len, wanted)):
            keys.append((name, len(keys)))
            graph[keys[-1]] = (_taken, group, wanted)
            places.append(np.concatenate([np.arange(a, b) for a, b in ends]))
    done = keep(graph, keys)
    found = fetched([done[key] for key in keys], graph)
    return np.concatenate(found)[np.argsort(np.concatenate(places))]


class DaskRows(IncrementalRows):
    """Rows of chunks with a label each; see `sparsek.sources.protocol.Rows`.

    Shapes: labels (n,), sums (n_clusters, m + 1) int64.
    """

    def __init__(
        self,
        chunks: Chunks,
        steps: DenseSteps,
        labels: Any = None,
        subspace: Subspace | None = None,
        sums: Array | None = None,
        kept: KeptColumns | None = None,
    ) -> None:
        super().__init__((chunks.n_rows, len(steps.scaling.offset)), subspace, steps.grid, sums)
        self.chunks, self.steps = chunks, steps
        self.labels: Any = self._split(labels) if isinstance(labels, np.ndarray) else labels
        self._kept = KeptColumns(chunks, steps) if kept is None else kept

    def _full_sums(self) -> Array:
        found: Array = self._added(_sums, ChunkStep(self.steps, self._columns))
        return found

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        subspace = self._subspace if columns is None else Subspace(columns)
        step, kept = self._step(subspace, centers)
        old, own = self.labels, kept if columns is None else None
        graph, constant = self._graph(step)
        name = new_name("labels")
        if kept is None:
            graph.update(((name, i), (_nearest, constant, X)) for i, X in enumerate(self.chunks.groups()))
        else:
            graph.update(kept.graph)
            graph.update(((name, i), (_nearest_kept, constant, key)) for i, key in enumerate(kept.keys))
        n_moved, change, counts = self._settle(graph, constant, name, old, own)
        if fill and not counts.all():
            graph, constant = self._graph(step)
            name = self._hand_out(graph, step, counts)
            n_moved, change, _ = self._settle(graph, constant, name, old, own)
        return self._note_moves(n_moved, change)

    def narrowed(self, subspace: Subspace, sums: ClusterSums | None) -> DaskRows:
        """The rows in the columns of a subspace."""
        return DaskRows(
            self.chunks, self.steps, self.labels, subspace, narrowed_sums(subspace, sums), self._kept
        )

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        return float(self._added(_scatter, ChunkStep(self.steps, slice(0), self._subspace, centers)))

    def fill_empty(self, subspace: Subspace, centers: Array) -> None:
        """Give the rows farthest from their centres to the empty clusters."""
        step, _ = self._step(subspace, centers)
        graph, constant = self._graph(step)
        name = self._hand_out(graph, step, cluster_sizes(self.labels, self.steps.n_clusters))
        self._settle(graph, constant, name, self.labels, None)

    def _step(self, subspace: Subspace, centers: Array) -> tuple[ChunkStep, ChunkArrays | None]:
        """An assignment to these centres, and the kept columns on which it runs, if there are."""
        kept = self._kept.cover(subspace.columns)
        if kept is None:
            return ChunkStep(self.steps, self._columns, subspace, centers), None
        coefficients = self._kept.coefficients(subspace, centers)
        return ChunkStep(self.steps, self._columns, subspace, centers, coefficients, self._kept.columns), kept

    def _split(self, labels: Labels) -> ChunkArrays:
        """Labels by group."""
        name = new_name("labels")
        return ChunkArrays(name, {(name, i): part for i, part in enumerate(self.chunks.split(labels))})

    def _graph(self, step: ChunkStep) -> tuple[Graph, Any]:
        """A graph of chunks, labels and the step, and what tasks name as the step."""
        labels = {} if self.labels is None else self.labels.graph
        return with_constant({**self.chunks.graph, **labels}, step, len(self.chunks.keys))

    def _added(self, work: Callable[..., Any], step: ChunkStep) -> Any:
        """``work(step, group, labels)`` of all groups, added up."""
        graph, constant = self._graph(step)
        name = new_name(work.__name__.strip("_"))
        keys = [(name, i) for i in range(len(self.chunks.keys))]
        for key, X, labels in zip(keys, self.chunks.groups(), self.labels.keys, strict=True):
            graph[key] = (work, constant, X, labels)
        return run(graph, added, keys)[0]

    def _settle(
        self, graph: Graph, constant: Any, name: str, old: ChunkArrays | None, kept: ChunkArrays | None
    ) -> tuple[int, Array, Array]:
        """Compute the labels called `name`: number of rows moved, change of the sums, cluster sizes.

        The change follows from the kept columns, where these are given, else from the chunks.
        """
        n_groups, change = len(self.chunks.keys), new_name("change")
        work: Callable[..., Any] = _change
        before, data = [None] * n_groups, [None] * n_groups
        if old is not None:
            graph.update(old.graph)
            before, data = old.keys, self.chunks.groups()
            if kept is not None:
                graph.update(kept.graph)
                work, data = _change_of_kept, kept.keys
        results = [(change, i) for i in range(n_groups)]
        for i, (key, X, labels) in enumerate(zip(results, data, before, strict=True)):
            graph[key] = (work, constant, X, (name, i), labels)
        found: tuple[int, Array, Array]
        found, self.labels = run(graph, _add_changes, results, name, n_groups)
        return found

    def _hand_out(self, graph: Graph, step: ChunkStep, counts: Array) -> str:
        """Add tasks for labels in which empty clusters get the farthest rows to the graph; their name."""
        far_graph, constant = self._graph(step)
        far, name = new_name("far"), new_name("labels")
        keys = [(far, i) for i in range(len(self.chunks.keys))]
        for i, (X, labels) in enumerate(zip(self.chunks.groups(), self.labels.keys, strict=True)):
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


def _add_changes(parts: Sequence[tuple[int, Array, Array]]) -> tuple[int, Array, Array]:
    moved, changes, counts = zip(*parts, strict=True)
    return sum(moved), added(changes), added(counts)


def _taken(group: list[Array], wanted: list[Array]) -> Array:
    return np.concatenate([X[rows] for X, rows in zip(group, wanted, strict=True)])


def _join(parts: Sequence[Far]) -> Far:
    return Far(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))


def _n_moved(old: Labels, new: Labels, constant: None) -> int:
    return int(np.count_nonzero(old != new))


def _sizes(labels: Labels, n_clusters: int) -> Array:
    return np.bincount(labels, minlength=n_clusters)


def _sums(step: ChunkStep, group: list[Array], labels: Labels) -> Array:
    sums: Array = added(
        [step.steps.sums(X, labels[here], None, step.columns) for X, here in with_places(group)]
    )
    return sums


def _nearest(step: ChunkStep, group: list[Array]) -> Labels:
    return np.concatenate([step.steps.nearest_rows(X, step.subspace, step.centers) for X in group])


def _nearest_kept(step: ChunkStep, operands: list[Array]) -> Labels:
    return np.concatenate([_nearest_of_kept(step, Z) for Z in operands])


def _nearest_of_kept(step: ChunkStep, Z: Array) -> Labels:
    """Nearest centres of rows, where the kept columns are more than those of the distance."""
    subspace, centers = step.subspace, step.centers.astype(Z.dtype)
    places = np.searchsorted(step.kept, subspace.columns)
    factors = None if subspace.factors is None else subspace.factors.astype(Z.dtype)

    def take(rows: Array) -> Array:
        some = Z[rows[:, None], places]
        scaled: Array = some if factors is None else some * factors
        return scaled

    ties = Ties.of(centers, length(z_grid(step.steps.scaling, subspace).reach), take)
    return lowest_score(Z, step.coefficients.astype(Z.dtype), ties=ties)


def _operand(step: ChunkStep, group: list[Array]) -> list[Array]:
    return [step.operand(X) for X in group]


def _change(step: ChunkStep, group: Any, labels: Labels, old: Labels | None) -> tuple[int, Array, Array]:
    """Number of rows that moved, the change of the cluster sums, and the cluster sizes."""
    steps = step.steps
    counts = _sizes(labels, steps.n_clusters)
    if old is None:
        return len(labels), np.zeros((steps.n_clusters, 1), np.int64), counts
    changes = [steps.moved_change(X, labels[here], old[here], step.columns) for X, here in with_places(group)]
    return int(np.count_nonzero(labels != old)), added(changes), counts


def _change_of_kept(
    step: ChunkStep, operands: list[Array], labels: Labels, old: Labels
) -> tuple[int, Array, Array]:
    """What `_change` gives, from kept columns."""
    steps, subspace = step.steps, step.subspace
    places = np.append(np.searchsorted(step.kept, subspace.columns), -1)
    changes = []
    for Z, here in with_places(operands):
        new, before = labels[here], old[here]
        moved = np.flatnonzero(new != before)
        some = Z[moved[:, None], places]
        changes.append(steps.operand_change(some, subspace, new[moved], before[moved], None))
    return int(np.count_nonzero(labels != old)), added(changes), _sizes(labels, steps.n_clusters)


def _scatter(step: ChunkStep, group: list[Array], labels: Labels) -> float:
    found = 0.0
    for X, here in with_places(group):
        found += float(step.steps.distances(step.operand(X), step.subspace, labels[here], step.centers).sum())
    return found


def _farthest(step: ChunkStep, group: list[Array], labels: Labels, starts: list[int]) -> Far:
    found = []
    for (X, here), start in zip(with_places(group), starts, strict=True):
        x = step.steps.coordinates(step.operand(X), step.subspace)
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

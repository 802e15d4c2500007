"""The data on a line whose tree has the same merges below a cut (Gao, Bien and Witten 2022, Section 3).

Dissimilarities are squared Euclidean distances. Under a linkage with a linear update formula (Lance and
Williams) all of them are quadratic on the line. Rows that end up in one cluster move together, so what is
merged has a constant height. The conditions are that every pair of clusters that does not end up in one stays
at least as far apart as all heights of its lifetime.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import pdist, squareform

from sparsek.selective.intervals import Conditions
from sparsek.selective.line import Line, Quadratic, cleared

Array = NDArray[Any]
EXACT = ("single", "average", "centroid", "ward", "mcquitty", "median")
"""Linkages whose set is exact; complete linkage takes maxima, whose conditions are no intersection."""
LINKAGES = (*EXACT, "complete")
BATCH = 200_000
"""Conditions that are collected before they are added."""


def tree_merges(X: Array, linkage: str) -> Array:
    """Merges of the tree on squared Euclidean distances, as scipy numbers clusters, shape (n - 1, 2)."""
    name: Any = "weighted" if linkage == "mcquitty" else linkage
    # scipy squares distances by itself for these three linkages, from the rows.
    squares_itself = linkage in ("ward", "centroid", "median")
    squares = pdist(X, "sqeuclidean")
    if not np.isfinite(squares).all():
        raise ValueError("squared distances of rows exceed the largest number; rescale X, and sigma with it")
    found = scipy_linkage(X if squares_itself else squares, name)
    return found[:, :2].astype(np.intp)


def cut(merges: Array, n_clusters: int) -> Array:
    """Labels from 0 in the order of the rows, after all merges but the last n_clusters - 1."""
    n = len(merges) + 1
    parent = np.arange(2 * n - 1)
    for step, (i, j) in enumerate(merges[: n - n_clusters].tolist()):
        parent[[i, j]] = n + step
    root = parent[:n]
    while not np.array_equal(root, parent[root]):
        root = parent[root]
    _, first, inverse = np.unique(root, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def tree_conditions(line: Line, merges: Array, n_clusters: int, linkage: str) -> Conditions:
    """Where the merges that leave n_clusters clusters stay the same.

    Shapes: merges (n - 1, 2).
    """
    steps = merges[: len(merges) + 1 - n_clusters]
    apart = _pairs(line)
    return _single(line, apart, steps) if linkage == "single" else _linear(line, apart, steps, linkage)


def _pairs(line: Line) -> Quadratic:
    """Squared distances of all pairs of rows, (n, n)."""
    # Rows are x_i + d c_i b, so that the squared length of a difference is quadratic in d.
    share = line.shares[:, None] - line.shares
    along = line.X @ line.direction
    return Quadratic(
        share * share * (line.direction @ line.direction),
        2 * share * (along[:, None] - along),
        squareform(pdist(line.X, "sqeuclidean")),
    )


def _single(line: Line, apart: Quadratic, steps: Array) -> Conditions:
    """Single linkage: no pair of rows of different clusters may come nearer than the largest height."""
    n = len(line.X)
    members = [np.array([i]) for i in range(n)]
    height = 0.0
    for i, j in steps.tolist():
        height = max(height, float(apart.gamma[np.ix_(members[i], members[j])].min()))
        members.append(np.concatenate([members[i], members[j]]))
    conditions = Conditions()
    # Rows with equal shares move together, so that their distance stays.
    pairs = np.nonzero(np.triu(line.shares[:, None] != line.shares))
    alpha, beta, gamma = apart.at(pairs)
    # The largest height minus the distance of the pair stays at most 0.
    conditions.add(*cleared(line, Quadratic(-alpha, -beta, height - gamma)))
    return conditions


def _linear(line: Line, apart: Quadratic, steps: Array, linkage: str) -> Conditions:
    """Linkages with a linear update: a condition for every pair of clusters that ever existed."""
    n = len(line.X)
    matrices = np.array(apart)  # (3, n, n): alpha, beta, gamma of the clusters in each slot
    slot, size = list(range(n)), np.ones(n)
    alive = np.ones(n, dtype=bool)
    born = np.zeros((n, n), dtype=np.intp)
    heights = np.empty(len(steps))
    conditions, batch = Conditions(), _Batch()

    def end(rows: Array, columns: Array, last: int) -> None:
        """Pairs of slots whose time ends with merge `last`: not nearer than any height of their time."""
        moving = (matrices[0, rows, columns] != 0) | (matrices[1, rows, columns] != 0)
        rows, columns = rows[moving], columns[moving]
        # The largest height from each merge on until the last one of the pair.
        highest = np.maximum.accumulate(heights[last::-1])[::-1]
        alpha, beta, gamma = matrices[:, rows, columns]
        batch.add(line, Quadratic(-alpha, -beta, highest[born[rows, columns]] - gamma), conditions)

    for step, (first, second) in enumerate(steps.tolist()):
        i, j = slot[first], slot[second]
        heights[step] = matrices[2, i, j]
        alive[[i, j]] = False
        others = np.flatnonzero(alive)
        for gone in (i, j):
            end(np.full(len(others), gone), others, step)
        both = matrices[:, i, j, None]
        mine, yours, shared = _weights(linkage, size[i], size[j], size[others])
        # The formula is linear, so that it holds for each coefficient of the quadratics alone.
        update = mine * matrices[:, i, others] + yours * matrices[:, j, others] + shared * both
        matrices[:, i, others] = matrices[:, others, i] = update
        # A merged cluster must keep its distance from the next merge on.
        born[i, others] = born[others, i] = step + 1
        size[i] += size[j]
        alive[i] = True
        slot.append(i)
    left = np.flatnonzero(alive)
    rows, columns = np.triu_indices(len(left), 1)
    lasting = born[left[rows], left[columns]] < len(steps)  # others have met no merge
    end(left[rows[lasting]], left[columns[lasting]], len(steps) - 1)
    batch.flush(line, conditions)
    return conditions


def _weights(linkage: str, n_i: float, n_j: float, n_others: Array) -> tuple[Any, Any, Any]:
    """Lance and Williams' weights of d(i, other), d(j, other) and d(i, j)."""
    both = n_i + n_j
    if linkage == "average":
        return n_i / both, n_j / both, 0.0
    if linkage == "centroid":
        return n_i / both, n_j / both, -n_i * n_j / both**2
    if linkage == "median":
        return 0.5, 0.5, -0.25
    if linkage == "mcquitty":
        return 0.5, 0.5, 0.0
    # Only Ward's linkage is left.
    total = both + n_others
    return (n_i + n_others) / total, (n_j + n_others) / total, -n_others / total


class _Batch:
    """Conditions that wait to be added together."""

    def __init__(self) -> None:
        self._found: list[Quadratic] = []
        self._size = 0

    def add(self, line: Line, found: Quadratic, conditions: Conditions) -> None:
        """Keep some; add all when they are many."""
        self._found.append(found)
        self._size += len(found.gamma)
        if self._size > BATCH:
            self.flush(line, conditions)

    def flush(self, line: Line, conditions: Conditions) -> None:
        """Add all."""
        if self._found:
            columns = zip(*self._found, strict=True)
            conditions.add(*cleared(line, Quadratic(*(np.concatenate(part) for part in columns))))
        self._found, self._size = [], 0

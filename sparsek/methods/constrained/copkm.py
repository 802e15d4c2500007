"""COP-KMeans: k-means in which every pairwise constraint holds.

Rows joined by must-links form a group. Groups are placed one after another, in the order of their first rows,
in the nearest cluster that holds no cannot-linked group placed before. This is the row-by-row algorithm of
the paper with closed constraints.

Source: Wagstaff, Cardie, Rogers and Schroedl (2001), "Constrained k-means clustering with background
knowledge", ICML, Table 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from sparsek.core.scaling import column_squares
from sparsek.core.steps import Array, FitResult, Labels, cluster_sums
from sparsek.errors import InfeasibleConstraintsError
from sparsek.methods.constrained.assignment import Pattern, build_pattern, settle
from sparsek.methods.constrained.constraints import PairwiseConstraints
from sparsek.methods.constrained.pckm import ConstrainedCenters, means, unknown_labels

CLIQUE_STEPS = 10_000
"""Largest number of steps of the search for mutually cannot-linked rows, which prove infeasibility."""


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """Sets of rows that must-links join, numbered by their first row."""

    of_row: Array  # (n,): group of each row
    first_rows: Array  # (n_groups,): first row of each group
    names: Array  # (n_groups,): number of this row in messages
    anchors: Array  # (n_groups, p + 1): prepared row that represents the group: its first row, or its mean
    pattern: Pattern  # Cannot-links between groups


def group_rows(X: Array, constraints: PairwiseConstraints, anchor: str, names: Array) -> LinkedRows:
    """Groups of consistent constraints; `names` holds the numbers of the rows in messages."""
    of_row = constraints.components()
    n_groups = int(of_row.max()) + 1
    first_rows = np.unique(of_row, return_index=True)[1]
    anchors = X[first_rows] if anchor == "first" else group_means(X, of_row, n_groups)
    pattern = build_pattern(PairwiseConstraints(n_groups, None, of_row[constraints.cannot_link]))
    return LinkedRows(of_row, first_rows, names[first_rows], anchors, pattern)


def group_means(X: Array, of_row: Array, n_groups: int) -> Array:
    """Means of the prepared rows of each group."""
    order = np.argsort(of_row, kind="stable")
    pointers = np.append(0, np.cumsum(np.bincount(of_row, minlength=n_groups)))
    members = csr_array((np.ones(len(of_row)), order, pointers), shape=(n_groups, len(of_row)))
    return np.ascontiguousarray((members @ X) / np.diff(pointers)[:, None])


def cop_kmeans(
    X: Array, groups: LinkedRows, centers: Array, *, max_iter: int = 100
) -> FitResult[ConstrainedCenters]:
    """One start of COP-KMeans.

    Shapes: X (n, p + 1), centers (n_clusters, p).

    Raises InfeasibleConstraintsError in some pass a group is cannot-linked to a group in every cluster.
    """
    total = float(column_squares(X, None).sum())
    n_clusters = len(centers)
    labels = unknown_labels(len(X), n_clusters)
    history: list[float] = []
    seen: dict[bytes, int] = {}
    converged = False
    while not converged and len(history) < max_iter:
        old = labels
        labels = place_groups(groups, centers, old)[groups.of_row]
        sums = cluster_sums(X, labels, n_clusters)
        centers = means(sums, centers)
        history.append(total - float(sums.total_gains.sum()))
        # Partitions can repeat in a cycle; then the best partition of the cycle is taken.
        since = seen.setdefault(blake2b(labels.tobytes()).digest(), len(history) - 1)
        converged = since < len(history) - 1 and history[-1] <= min(history[since:])
    params = ConstrainedCenters(centers, np.ones(X.shape[1] - 1), history[-1])
    return FitResult(labels, params, tuple(history), converged)


def place_groups(groups: LinkedRows, centers: Array, old: Labels) -> Labels:
    """Cluster of each group, placed in order; `old`, the labels of the previous pass, only save time."""
    pattern, n_clusters = groups.pattern, len(centers)
    # Cannot-links cost infinity. Groups that fit no cluster go to an extra one of large finite cost.
    costs = np.full((n_clusters + 1, pattern.n), np.finfo(np.float64).max)
    # Direct differences, because in the first pass rows of rounded data often tie between two centres.
    costs[:-1] = cdist(centers, groups.anchors[:, :-1], "sqeuclidean")
    guess = np.where(old < n_clusters, old, n_clusters + 1)[groups.first_rows]
    labels = settle(costs, pattern, np.full(len(pattern.first), np.inf), guess.astype(np.int32))
    # Only the first group in the extra cluster matters for the message.
    blocked = np.flatnonzero(labels == n_clusters)
    if len(blocked):
        raise InfeasibleConstraintsError(explain(groups, labels, int(blocked[0]), n_clusters))
    return labels


def explain(groups: LinkedRows, labels: Labels, blocked: int, n_clusters: int) -> str:
    """Message about a group that no cluster can take."""
    pattern, names = groups.pattern, groups.names
    entries = pattern.slots[pattern.earlier[blocked] : pattern.earlier[blocked + 1]]
    before = pattern.first[entries]
    holders = [int(before[np.argmax(labels[before] == k)]) for k in range(n_clusters)]
    taken = ", ".join(f"cluster {k} holds row {names[group]}" for k, group in enumerate(holders))
    message = f"row {names[blocked]} fits no cluster: {taken}, to which it is cannot-linked"
    clique = find_clique(pattern, before.tolist(), n_clusters)
    if clique:
        rows = ", ".join(map(str, np.sort(names[[*clique, blocked]])))
        return (
            f"{message}; rows {rows} and their must-links are all cannot-linked to each other and need "
            f"{n_clusters + 1} clusters; got n_clusters={n_clusters}"
        )
    return (
        f"{message}; an assignment that satisfies all constraints was not found, though one may exist; try "
        "more or other initial centres, another order of the rows, or more clusters"
    )


def find_clique(pattern: Pattern, candidates: list[int], size: int) -> list[int]:
    """Search `size` mutually cannot-linked groups among the candidates; empty if none are found."""
    partners = {}
    for i in candidates:
        after = pattern.second[pattern.later[i] : pattern.later[i + 1]]
        partners[i] = set(after.tolist()) & set(candidates)
    steps = 0
    stack: list[tuple[list[int], list[int]]] = [([], sorted(candidates))]
    while stack and steps < CLIQUE_STEPS:
        steps += 1
        chosen, rest = stack.pop()
        if len(chosen) == size:
            return chosen
        if len(chosen) + len(rest) < size:
            continue
        i = rest[0]
        stack.append((chosen, rest[1:]))
        stack.append(([*chosen, i], [j for j in rest[1:] if j in partners[i]]))
    return []

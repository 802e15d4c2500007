"""PCKM with a full metric for every cluster.

Minimises

    J = sum_i (d_{l_i}(x_i, m_{l_i}) - lambda log det A_{l_i})
        + sum over violated must-links c (d_{l_u}(u, v) + d_{l_v}(u, v)) / 2
        + sum over violated cannot-links c (F_{l_u} - d_{l_u}(u, v))

with d_h(x, z) = (x - z)' A_h (x - z) and the largest separation F_h of the data under A_h. Given the rest,
A_h = lambda n_h V_h^-1 with the scatter V_h of cluster h and of its violated pairs.

Source: Bilenko, Basu and Mooney (2004), "Integrating constraints and metric learning in semi-supervised
clustering", ICML, Section 3 and Figure 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparsek.core.scaling import column_squares
from sparsek.core.steps import Array, FitResult, Labels, cluster_sums
from sparsek.methods.constrained.assignment import Pattern
from sparsek.methods.constrained.costs import Costs, farthest_pair
from sparsek.methods.constrained.pckm import handle_empty, means, unknown_labels

FLOOR = 0.01
"""Least eigenvalue of V_h / n_h, as a share of the mean variance of the features over all rows."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics A_h = R_h R_h' of all clusters, with the spread of the data under each."""

    # (n_clusters, p, p): R_h: eigenvectors of A_h in columns, times the roots of the eigenvalues
    roots: Array
    log_det: Array  # (n_clusters,): log det A_h
    spread: Array  # (n_clusters, p, p): matrix M_h with F_h = tr(A_h M_h)
    separation: Array  # (n_clusters,): F_h

    def squares(self, differences: Array) -> Array:
        """d_h of rows of differences, shape (n_clusters, m)."""
        return np.array([np.square(differences @ root).sum(axis=1) for root in self.roots])

    def from_centers(self, X: Array, centers: Array) -> Array:
        """d_h(x_i, m_h) of all rows and clusters, shape (n_clusters, n)."""
        pairs = zip(centers, self.roots, strict=True)
        return np.array([cdist((m @ R)[None], X @ R, "sqeuclidean")[0] for m, R in pairs])

    def costs(self, X: Array, centers: Array, log_weight: float) -> Array:
        """`from_centers` less lambda log det A_h, up to a number that all clusters share.

        That number grows as the unit of X falls, and small distances would be lost beside it.
        """
        prices = log_weight * self.log_det
        found: Array = self.from_centers(X, centers) - (prices - prices.max())[:, None]
        return found


@dataclass(frozen=True, slots=True)
class FullCenters:
    """Centres (n_clusters, p) and metrics, with J."""

    centers: Array
    metrics: Metrics
    criterion: float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The pairs by the rows that they constrain."""

    rows: NDArray[np.int64]  # Rows with pairs, ascending
    pointers: NDArray[np.int64]  # (n + 1,): entries pointers[i] to pointers[i + 1] - 1 belong to row i
    partners: NDArray[np.int64]  # partners, pairs: (2 m,): the other row, and the number of the pair
    pairs: NDArray[np.int64]


def find_neighbours(pattern: Pattern) -> Neighbours:
    """List the pairs of every row."""
    ends = np.concatenate([pattern.first, pattern.second])
    order = np.argsort(ends, kind="stable")
    counts = np.bincount(ends, minlength=pattern.n)
    partners = np.concatenate([pattern.second, pattern.first])[order]
    pointers = np.append(0, np.cumsum(counts))
    return Neighbours(np.flatnonzero(counts), pointers, partners, order % max(1, len(pattern.first)))


def mpckm_full(
    X: Array,
    pattern: Pattern,
    centers: Array,
    *,
    labels: Labels | None = None,
    separation: str = "box",
    log_weight: float = 1.0,
    max_iter: int = 100,
    on_empty: str = "error",
) -> FitResult[FullCenters]:
    """One start of MPCKM with a full metric for every cluster.

    Shapes: X (n, p + 1), centers (n_clusters, p).

    Raises EmptyClusterError a cluster is empty after a pass and `on_empty` is "error".
    """
    rows, n_clusters = np.ascontiguousarray(X[:, :-1]), len(centers)
    n, p = rows.shape
    floor = FLOOR * float(column_squares(X, None).sum()) / (n * p) or 1.0
    differences = rows[pattern.first] - rows[pattern.second]
    neighbours = find_neighbours(pattern)
    labels = unknown_labels(n, n_clusters) if labels is None else labels
    roots = np.array([np.sqrt(log_weight) * np.eye(p)] * n_clusters)
    metrics = measured(rows, roots, np.full(n_clusters, p * np.log(log_weight)), separation)
    history: list[float] = []
    while True:
        old, distances = labels, metrics.squares(differences)
        prices = log_weight * metrics.log_det
        base = metrics.costs(rows, centers, log_weight)
        assigned = assign_rows(base, pattern, neighbours, distances, metrics.separation, old)
        costs = pair_costs(pattern, distances, metrics.separation, assigned)
        labels = handle_empty(X, pattern, costs, centers, assigned, on_empty, len(history) + 1)
        centers = means(cluster_sums(X, labels, n_clusters), centers)
        within = metrics.from_centers(rows, centers)[labels, np.arange(n)] - prices[labels]
        violated = pair_costs(pattern, distances, metrics.separation, labels).violated(pattern, labels)
        history.append(float(within.sum() + violated.sum()))
        converged = bool(np.array_equal(old, labels))
        if converged or len(history) == max_iter:
            return FitResult(labels, FullCenters(centers, metrics, history[-1]), tuple(history), converged)
        scatter = scatter_of_clusters(rows, labels, centers, pattern, differences, metrics.spread)
        counts = np.bincount(labels, minlength=n_clusters)
        metrics = measured(rows, *new_metrics(scatter, counts, metrics, floor, log_weight), separation)


def assign_rows(
    base: Array, pattern: Pattern, neighbours: Neighbours, distances: Array, separation: Array, labels: Labels
) -> Labels:
    """One pass over the rows in order; partners of unknown label (n_clusters) are left out."""
    labels = labels.copy()
    free = np.diff(neighbours.pointers) == 0
    labels[free] = base[:, free].argmin(axis=0)
    for i in neighbours.rows.tolist():
        part = slice(neighbours.pointers[i], neighbours.pointers[i + 1])
        known = labels[neighbours.partners[part]] < len(base)
        pairs, own = neighbours.pairs[part][known], labels[neighbours.partners[part][known]]
        d, places = distances[:, pairs].T, np.arange(len(pairs))
        there = d[places, own]
        apart = pattern.ml[pairs, None] * (d + there[:, None]) / 2
        apart[places, own] = pattern.cl[pairs] * (separation[own] - there)
        labels[i] = np.argmin(base[:, i] + apart.sum(axis=0))
    return labels


def pair_costs(pattern: Pattern, distances: Array, separation: Array, labels: Labels) -> Costs:
    """Cost of each pair if violated by these labels."""
    first, second, places = labels[pattern.first], labels[pattern.second], np.arange(len(pattern.first))
    own = distances[first, places]
    return Costs(pattern.ml * (own + distances[second, places]) / 2, pattern.cl * (separation[first] - own))


def scatter_of_clusters(
    rows: Array, labels: Labels, centers: Array, pattern: Pattern, differences: Array, spread: Array
) -> Array:
    """V_h of every cluster, shape (n_clusters, p, p)."""
    first, second = labels[pattern.first], labels[pattern.second]
    V = np.empty_like(spread)
    for h in range(len(centers)):
        own = rows[labels == h] - centers[h]
        apart = pattern.ml * ((first == h) ^ (second == h)) / 2
        together = pattern.cl * ((first == h) & (second == h))
        pairs = (differences * (apart - together)[:, None]).T @ differences
        V[h] = own.T @ own + pairs + together.sum() * spread[h]
    return V


def new_metrics(
    scatter: Array, counts: Array, metrics: Metrics, floor: float, log_weight: float
) -> tuple[Array, Array]:
    """Roots and log-determinants of lambda n_h V_h^-1, eigenvalues of V_h / n_h at least `floor`.

    An empty cluster keeps its metric.
    """
    roots, log_det = metrics.roots.copy(), metrics.log_det.copy()
    for h in np.flatnonzero(counts).tolist():
        values, vectors = np.linalg.eigh(scatter[h] / counts[h])
        values = log_weight / np.maximum(values, floor)
        roots[h] = vectors * np.sqrt(values)
        log_det[h] = np.log(values).sum()
    return roots, log_det


def measured(rows: Array, roots: Array, log_det: Array, separation: str) -> Metrics:
    """Metrics with the largest separation of the data under each."""
    spread = np.empty_like(roots)
    for h, root in enumerate(roots):
        turned = rows @ root
        if separation == "pair":
            i, j = farthest_pair(turned)
            difference = rows[i] - rows[j]
            spread[h] = np.outer(difference, difference)
        else:
            axes = root / np.linalg.norm(root, axis=0)
            spread[h] = (axes * np.ptp(rows @ axes, axis=0) ** 2) @ axes.T
    largest = np.einsum("hji,hjk,hki->h", roots, spread, roots)
    return Metrics(roots, log_det, spread, largest)

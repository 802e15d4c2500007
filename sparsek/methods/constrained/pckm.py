"""Pairwise constrained k-means: squares within clusters plus the costs of violated pairs.

Source: Basu, Banerjee and Mooney (2004), "Active semi-supervision for pairwise constrained clustering", SDM;
Vouros and Vasilaki (2021), equations (8) and (9).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.core.scaling import column_squares
from sparsek.core.steps import (
    Array,
    ClusterSums,
    FitResult,
    Labels,
    cluster_sums,
    hand_out_farthest,
    moved_sums,
    score_coefficients,
    squared_distances,
)
from sparsek.errors import EmptyClusterError
from sparsek.methods.constrained.assignment import Pattern
from sparsek.methods.constrained.costs import Costs
from sparsek.methods.constrained.skips import Margins, next_pass


@dataclass(frozen=True, slots=True)
class ConstrainedCenters:
    """Parameters after one pass."""

    centers: Array  # (n_clusters, p): cluster means
    weights: Array  # (p,): feature weights a of the pass
    criterion: float  # J


def pckm(
    X: Array,
    pattern: Pattern,
    costs: Costs,
    centers: Array,
    *,
    labels: Labels | None = None,
    max_iter: int = 25,
    on_empty: str = "error",
) -> FitResult[ConstrainedCenters]:
    """One start of PCKM.

    Shapes: X (n, p + 1), centers (n_clusters, p), labels (n,) int32.

    Raises EmptyClusterError a cluster is empty after a pass and `on_empty` is "error".
    """
    n_clusters = len(centers)
    total = float(column_squares(X, None).sum())
    weights = np.ones(X.shape[1] - 1)
    together = costs.together
    labels = unknown_labels(len(X), n_clusters) if labels is None else labels
    margins: Margins | None = None
    sums: ClusterSums | None = None
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        old = labels
        assigned, margins = next_pass(X, coefficients(centers), pattern, together, old, margins)
        labels = handle_empty(X, pattern, costs, centers, assigned, on_empty, len(history) + 1)
        if labels is not assigned:
            margins = None
        sums = moved_sums(X, labels, sums) if margins and sums else cluster_sums(X, labels, n_clusters)
        centers = means(sums, centers)
        within = total - float(sums.total_gains.sum())
        history.append(within + float(costs.violated(pattern, labels).sum()))
        converged = bool(np.array_equal(old, labels))
    return FitResult(labels, ConstrainedCenters(centers, weights, history[-1]), tuple(history), converged)


def unknown_labels(n: int, n_clusters: int) -> Labels:
    """Labels n_clusters, which mean that no label is known."""
    return np.full(n, n_clusters, dtype=np.int32)


def coefficients(centers: Array) -> Array:
    """Rows (-2 m_k, ||m_k||^2); times a prepared row x: ||x - m_k||^2 - ||x||^2."""
    return 2 * score_coefficients(centers)


def means(sums: ClusterSums, previous: Array) -> Array:
    """Cluster means; an empty cluster keeps its previous centre."""
    return np.where(sums.counts[:, None] > 0, sums.means, previous)


def handle_empty(
    X: Array, pattern: Pattern, costs: Costs, centers: Array, labels: Labels, on_empty: str, iteration: int
) -> Labels:
    """Labels after a pass, with empty clusters handled according to `on_empty`."""
    counts = np.bincount(labels, minlength=len(centers))
    if counts.all() or on_empty == "keep":
        return labels
    if on_empty == "error":
        raise EmptyClusterError(
            f"cluster {int(np.argmin(counts))} is empty after pass {iteration}; use other initial centres, "
            "fewer clusters or constraints, or on_empty='keep' or 'farthest'",
            iteration,
            labels,
        )
    violated = costs.violated(pattern, labels)
    cost = squared_distances(X, labels, centers)
    noise = 64 * np.finfo(X.dtype).eps * np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    for ends in (pattern.first, pattern.second):
        cost += np.bincount(ends, violated, len(labels))
    return hand_out_farthest(labels, counts, cost, noise)

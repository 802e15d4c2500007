"""PCKM with a learned diagonal metric.

Minimises J = sum_j a_j V_j - lambda n sum_j log a_j over partitions, centres and feature weights a > 0, with
V_j = sum_i (x_ij - m_{l_i j})^2 + V_j^ML + V_j^CL, each violated pair counted once.

Source: Bilenko, Basu and Mooney (2004), "Integrating constraints and metric learning in semi-supervised
clustering", ICML; Vouros and Vasilaki (2021), equations (10)-(12). In (12) the leading n_k must read n, and
a_j does not belong on the right-hand side.
"""

from __future__ import annotations

import numpy as np

from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import column_squares
from sparsek.core.steps import Array, ClusterSums, FitResult, Labels, cluster_sums, moved_sums
from sparsek.methods.constrained.assignment import Pattern
from sparsek.methods.constrained.costs import Extents, PairSquares
from sparsek.methods.constrained.pckm import ConstrainedCenters, handle_empty, means, unknown_labels
from sparsek.methods.constrained.skips import Margins, next_pass

CANCELLED = 0.01
"""If within-cluster squares are less than this share of the total, they are summed from differences."""


def mpckm(
    X: Array,
    pattern: Pattern,
    squares: PairSquares,
    extents: Extents,
    centers: Array,
    *,
    labels: Labels | None = None,
    log_weight: float = 1.0,
    max_iter: int = 100,
    on_empty: str = "error",
) -> FitResult[ConstrainedCenters]:
    """One start of MPCKM.

    Shapes: X (n, p + 1), centers (n_clusters, p).

    Raises EmptyClusterError a cluster is empty after a pass and `on_empty` is "error".
    """
    n, n_clusters = len(X), len(centers)
    totals = column_squares(X, None)
    scale = log_weight * n
    a = np.ones(len(totals))
    labels = unknown_labels(n, n_clusters) if labels is None else labels
    margins: Margins | None = None
    sums: ClusterSums | None = None
    history: list[float] = []
    while True:
        old, f = labels, extents.under(a)
        costs = squares.costs(a, f)
        c = metric_coefficients(centers, a)
        assigned, margins = next_pass(X, c, pattern, costs.together, old, margins)
        labels = handle_empty(X, pattern, costs, centers, assigned, on_empty, len(history) + 1)
        if labels is not assigned:
            margins = None
        sums = moved_sums(X, labels, sums) if margins and sums else cluster_sums(X, labels, n_clusters)
        centers = means(sums, centers)
        within = totals - sums.total_gains
        if margins is None or (within < CANCELLED * totals).any():
            within = within_by_feature(X, labels, centers)
        V = within + squares.violations(labels, f)
        history.append(float(a @ V) - scale * float(np.log(a[totals > 0]).sum()))
        converged = bool(np.array_equal(old, labels))
        if converged or len(history) == max_iter:
            return FitResult(labels, ConstrainedCenters(centers, a, history[-1]), tuple(history), converged)
        # A V_j that is only rounding counts as 0, because a_j would be infinite; a_j then stays.
        noise = (16 * np.finfo(np.float64).eps) ** 2 * totals + scale * np.finfo(np.float64).tiny * 4
        some = noise < V
        a = np.where(some, scale / np.where(some, V, 1), a)


def metric_coefficients(centers: Array, a: Array) -> Array:
    """Rows that times a prepared row x give sum_j a_j ((x_j - m_kj)^2 - x_j^2)."""
    return np.column_stack([-2 * a * centers, np.square(centers) @ a])


def within_by_feature(X: Array, labels: Labels, centers: Array) -> Array:
    """Sum of squares within clusters of every feature, by direct differences."""
    total = np.zeros(X.shape[1] - 1)
    for rows in row_chunks(X):
        difference = X[rows, :-1] - centers[labels[rows]]
        total += np.einsum("ij,ij->j", difference, difference)
    return total

"""Pairwise constrained sparse k-means: PCKM on weighted features, weights under an L1 bound.

Source: Vouros and Vasilaki (2021), equations (13)-(16); Witten and Tibshirani (2010), Section 3.1, for the
weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import find_threshold, soft_threshold
from sparsek.core.steps import Array, FitResult, Labels, cluster_sums
from sparsek.core.weights import l1_weights, weighted_columns, weights_settled
from sparsek.methods.constrained.assignment import Pattern
from sparsek.methods.constrained.costs import Extents, PairSquares
from sparsek.methods.constrained.pckm import ConstrainedCenters, means, pckm


@dataclass(frozen=True, slots=True)
class Options:
    """Options of PCSKM."""

    l1_bound: float  # Bound s on the L1 norm of the weights, at least 1
    # max_iter, inner_max_iter: largest numbers of weight updates, and of passes of each PCKM
    max_iter: int = 25
    inner_max_iter: int = 25
    tol: float = 1e-4  # Stop when sum|w - w_old| <= tol * sum|w_old|
    weight_solver: str = "exact"  # Search for the threshold: by sorting, or by 15 halvings
    # Subtract the costs of violated pairs from the between-cluster sums of squares, as equation (15) does
    penalties_in_weights: bool = False
    warm_labels: bool = False  # Each PCKM after the first starts with the labels of the one before
    on_empty: str = "error"  # As for `pckm`


def pcskm(
    X: Array,
    pattern: Pattern,
    squares: PairSquares,
    extents: Extents,
    centers: Array,
    options: Options,
    labels: Labels | None = None,
) -> FitResult[ConstrainedCenters]:
    """One start of PCSKM.

    Shapes: X (n, p + 1), centers (n_clusters, p), labels (n,) int32.

    Raises EmptyClusterError a cluster is empty after a pass and `on_empty` is "error"; ValueError
    `penalties_in_weights` leaves no feature with a positive value.
    """
    p, n_clusters = X.shape[1] - 1, len(centers)
    w = np.full(p, 1 / np.sqrt(p))
    history: list[float] = []
    while True:
        # Equal weights only scale all costs, so the first PCKM runs on X itself.
        first = not history
        Z = X if first else weighted_columns(X, w)
        a = np.ones(p) if first else w
        start = centers if first else (centers * np.sqrt(w))[:, w > 0]
        known = labels if first or options.warm_labels else None
        costs = squares.costs(a, extents.under(a))
        labels = pckm(
            Z, pattern, costs, start, labels=known, max_iter=options.inner_max_iter, on_empty=options.on_empty
        ).labels
        sums = cluster_sums(X, labels, n_clusters)
        centers = means(sums, centers)
        gains = sums.total_gains
        net = gains - squares.violations(labels, extents.under(a))
        old, w = w, constrained_weights(gains, net, options)
        history.append(-float(w @ net))
        converged = not w.any() or weights_settled(w, old, options.tol)
        if converged or len(history) == options.max_iter:
            return FitResult(labels, ConstrainedCenters(centers, w, history[-1]), tuple(history), converged)


def constrained_weights(gains: Array, net: Array, options: Options) -> Array:
    """Weights w = (gamma - Delta)_+ / ||(gamma - Delta)_+||_2; all 0 where nothing separates the clusters."""
    gamma = gains
    if options.penalties_in_weights:
        gamma = np.maximum(net, 0)
        if gains.any() and not gamma.any():
            raise ValueError(
                "penalties_in_weights=True leaves no feature that separates the clusters by more than its "
                "violated constraints cost; use penalties_in_weights=False, fewer or lighter constraints"
            )
    if options.weight_solver == "exact":
        return l1_weights(gamma, options.l1_bound)
    weights = soft_threshold(gamma, find_threshold(gamma, options.l1_bound))
    size = np.linalg.norm(weights)
    return weights / size if size else weights

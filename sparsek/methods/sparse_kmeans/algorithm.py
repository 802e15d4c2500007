"""Sparse k-means of Witten and Tibshirani, on BLAS and with the L1 bound met exactly.

Maximises sum_j w_j BCSS_j over partitions and weights with ||w||_2 <= 1, ||w||_1 <= s, w >= 0.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sparsek.methods.shared.loop import FitResult, alternate, lloyd
from sparsek.methods.shared.sums import Array, ClusterSums, Labels, cluster_sums
from sparsek.methods.shared.weights import l1_weights, labels_or_weights_settled

LLOYD_ITERATIONS = 300
"""Cap on Lloyd's iterations inside one assignment step; the next step carries on from there."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """Parameters after one update.

    Attributes
    ----------
    sums : ClusterSums
        Cluster sums over all features.
    weights : ndarray of shape (p,), float64
        Feature weights w.
    criterion : float
        -sum_j w_j BCSS_j.
    """

    sums: ClusterSums
    weights: Array
    criterion: float


def sparse_kmeans(
    X: Array,
    labels: Labels,
    *,
    n_clusters: int,
    l1_bound: float,
    sample_weight: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-4,
) -> FitResult[Weighting]:
    """One start of sparse k-means from given labels.

    Parameters
    ----------
    X : ndarray of shape (n, p + 1)
        Prepared data (centred, ones last).
    labels : ndarray of shape (n,), int32
        Initial labels; k-means with equal weights runs from them first, as in the paper.
    n_clusters : int
        Number of clusters.
    l1_bound : float
        Bound s on the L1 norm of the weights, in [1, sqrt(p)].
    sample_weight : ndarray of shape (n,) or None
        Sample weights.
    max_iter : int
        Largest number of weight updates.
    tol : float
        Stop when sum|w - w_old| <= tol * sum|w_old|; the paper has 1e-4.

    Returns
    -------
    FitResult
        Its `params` is a `Weighting`.
    """
    update = partial(update_weights, n_clusters=n_clusters, l1_bound=l1_bound, sample_weight=sample_weight)
    assign = partial(assign_by_lloyd, n_clusters=n_clusters, sample_weight=sample_weight)
    first = lloyd(X, labels, n_clusters, sample_weight, LLOYD_ITERATIONS)
    return alternate(X, first.labels, update, assign, partial(labels_or_weights_settled, tol=tol), max_iter)


def update_weights(
    X: Array,
    labels: Labels,
    previous: Weighting | None,
    *,
    n_clusters: int,
    l1_bound: float,
    sample_weight: Array | None,
) -> Weighting:
    """BCSS per feature, soft-thresholded to the L1 bound and scaled to unit L2 norm."""
    sums = cluster_sums(X, labels, n_clusters, sample_weight)
    bcss = sums.gains.sum(axis=0, dtype=np.float64)
    weights = l1_weights(bcss, l1_bound)
    return Weighting(sums, weights, -float(weights @ bcss))


def assign_by_lloyd(
    X: Array, params: Weighting, labels: Labels, *, n_clusters: int, sample_weight: Array | None
) -> Labels:
    """K-means on the columns scaled by sqrt(w), from the current labels."""
    if not params.weights.any():
        return labels
    weighted = weighted_columns(X, params.weights)
    return lloyd(weighted, labels, n_clusters, sample_weight, LLOYD_ITERATIONS).labels


def weighted_columns(X: Array, weights: Array) -> Array:
    """Prepared data with columns scaled by sqrt(w), those of weight 0 left out."""
    used = np.flatnonzero(weights)
    scale = np.append(np.sqrt(weights[used]), 1).astype(X.dtype)
    columns = X.take(np.append(used, -1), axis=1)
    columns *= scale
    return columns

"""SKFR under the absolute loss: cluster medians instead of means.

Minimises sum_i ||z_i - theta_label(i)||_1 where theta is zero outside s features. With columns centred at
their medians, feature l explains |z_l| - sum_j sum_{C_j} |z_il - med_jl| of the total; ranking keeps the
largest.

Source: Zhang, Lange and Xu (2020), Section 3 (outliers).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.methods.shared.loop import FitResult, alternate
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.skfr.missing import select_features


@dataclass(frozen=True, slots=True)
class MedianRanking:
    """Parameters after one update.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        The partition that the parameters were computed from.
    medians, gains : ndarray of shape (n_clusters, p)
        Cluster medians, and the absolute deviation that each explains.
    selected : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features; one row per cluster in scope "local".
    columns : ndarray of shape (m,)
        Sorted union of `selected`.
    centers : ndarray of shape (n_clusters, m)
        Sparse centres in these columns; an empty cluster stays at the origin.
    criterion : float
        The loss.
    """

    labels: Labels
    medians: Array
    gains: Array
    selected: Array
    columns: Array
    centers: Array
    criterion: float


def skfr_median(
    Z: Array,
    labels: Labels,
    *,
    n_clusters: int,
    n_selected: int,
    local: bool = False,
    weights: Array | None = None,
    max_iter: int = 300,
) -> FitResult[MedianRanking]:
    """One start under the absolute loss, from given labels.

    Parameters
    ----------
    Z : ndarray of shape (n, p)
        Data, columns with median 0.
    labels : ndarray of shape (n,), int32
        Initial labels.
    n_clusters, n_selected : int
        Number of clusters k and of features s.
    local : bool
        Select s features within each cluster.
    weights : ndarray of shape (n,) or None
        Sample weights.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    FitResult
        Its `params` is a `MedianRanking`.
    """
    sizes = np.abs(Z) if weights is None else np.abs(Z) * weights[:, None]
    update = partial(
        rank_medians, sizes=sizes, n_clusters=n_clusters, n_selected=n_selected, local=local, weights=weights
    )
    return alternate(Z, labels, update, _assign, max_iter=max_iter)


def rank_medians(
    Z: Array,
    labels: Labels,
    previous: MedianRanking | None,
    *,
    sizes: Array,
    n_clusters: int,
    n_selected: int,
    local: bool,
    weights: Array | None,
) -> MedianRanking:
    """Medians and gains of the clusters whose members changed; the others keep theirs."""
    if previous is None:
        medians, gains = np.zeros((2, n_clusters, Z.shape[1]), dtype=Z.dtype)
        changed = np.arange(n_clusters)
    else:
        medians, gains = previous.medians.copy(), previous.gains.copy()
        moved = labels != previous.labels
        changed = np.union1d(labels[moved], previous.labels[moved])
    for cluster in changed:
        rows = np.flatnonzero(labels == cluster)
        inside = Z[rows]
        medians[cluster], deviation = column_medians(inside, None if weights is None else weights[rows])
        gains[cluster] = sizes[rows].sum(axis=0) - deviation
    selected, columns, theta = select_features(gains, medians, n_selected, local)
    chosen = gains[np.arange(n_clusters)[:, None], selected] if local else gains[:, selected]
    criterion = float(sizes.sum(dtype=np.float64) - chosen.sum(dtype=np.float64))
    return MedianRanking(labels, medians, gains, selected, columns, theta, criterion)


def column_medians(X: Array, weights: Array | None = None) -> tuple[Array, Array]:
    """Median of each column (the middle of the two middle values), and the sum of absolute deviations from
    it.

    Parameters
    ----------
    X : ndarray of shape (m, p)
        Data; without rows the medians and deviations are 0.
    weights : ndarray of shape (m,) or None
        Positive sample weights.

    Returns
    -------
    medians, deviations : ndarray of shape (p,)
        In the units of X.
    """
    if len(X) == 0:
        return np.zeros(X.shape[1], X.dtype), np.zeros(X.shape[1], X.dtype)
    if weights is None:
        medians = np.median(X, axis=0)
        return medians, np.abs(X - medians).sum(axis=0)
    order = np.argsort(X, axis=0, kind="stable")
    cumulative = np.cumsum(weights[order], axis=0, dtype=np.float64)
    half = cumulative[-1] / 2
    low = np.argmax(cumulative >= half, axis=0)
    high = np.argmax(cumulative > half, axis=0)
    column = np.arange(X.shape[1])
    medians = (X[order[low, column], column] + X[order[high, column], column]) / 2
    return medians, weights @ np.abs(X - medians)


def _assign(Z: Array, params: MedianRanking, labels: Labels) -> Labels:
    """Nearest sparse centre in the sum of absolute differences; ties go to the lowest index."""
    return nearest_absolute(Z[:, params.columns], params.centers)


def nearest_absolute(block: Array, centers: Array) -> Labels:
    """Index of the centre with the smallest sum of absolute differences."""
    return cdist(block, centers, "cityblock").argmin(axis=1).astype(np.int32)

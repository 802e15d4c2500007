"""Sparse k-means with feature ranking (SKFR1, SKFR2).

Minimises h(C, theta) = sum_j sum_{i in C_j} ||z_i - theta_j||^2 where theta_j is zero outside s features: one
common set (scope "global", SKFR1) or one per cluster ("local", SKFR2). After a centre update
h = TSS - (sum of the selected gains), so the objective costs nothing extra.

Source: Zhang, Lange and Xu (2020), "Simple and scalable sparse k-means clustering via feature ranking",
NeurIPS 33.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sparsek.core.kernels import (
    Array,
    ClusterSums,
    Labels,
    cluster_sums,
    largest,
    moved_sums,
    nearest,
    nonzero,
)
from sparsek.core.lloyd import FitResult, alternate
from sparsek.core.slack import Slack, after_move, fresh_slack, nearest_with_slack


@dataclass(frozen=True, slots=True)
class Ranking:
    """Parameters after one update.

    Attributes
    ----------
    sums : ClusterSums
        Cluster sums over all features.
    selected : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features; one row per cluster in scope "local".
    columns : ndarray of shape (m,)
        Sorted union of `selected`.
    block : ndarray of shape (n, m + 1)
        The prepared data in these columns, ones last.
    centers : ndarray of shape (n_clusters, m)
        Sparse centres theta in these columns, standardised units; an empty cluster stays at the origin.
    criterion : float
        h.
    slack : Slack or None
        Bounds that spare distances, for large data.
    """

    sums: ClusterSums
    selected: Array
    columns: Array
    block: Array
    centers: Array
    criterion: float
    slack: Slack | None

    @property
    def labels(self) -> Labels:
        """The partition that the parameters were computed from."""
        return self.sums.labels


def skfr(
    Z: Array,
    labels: Labels,
    *,
    n_clusters: int,
    n_selected: int,
    local: bool = False,
    weights: Array | None = None,
    tss: float,
    max_iter: int = 300,
) -> FitResult[Ranking]:
    """One start of SKFR from given labels.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data (standardised, ones last).
    labels : ndarray of shape (n,), int32
        Initial labels.
    n_clusters, n_selected : int
        Number of clusters k and of features s.
    local : bool
        SKFR2: select s features within each cluster.
    weights : ndarray of shape (n,) or None
        Sample weights.
    tss : float
        Total sum of squares of Z.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    FitResult
        Its `params` is a `Ranking`.
    """
    update = partial(
        rank, n_clusters=n_clusters, n_selected=n_selected, local=local, weights=weights, tss=tss
    )
    return alternate(Z, labels, update, assign, max_iter=max_iter)


def rank(
    Z: Array,
    labels: Labels,
    previous: Ranking | None,
    *,
    n_clusters: int,
    n_selected: int,
    local: bool,
    weights: Array | None,
    tss: float,
) -> Ranking:
    """Cluster means, features ranked by their gains, centres zero outside the selected set."""
    if previous is None:
        sums = cluster_sums(Z, labels, n_clusters, weights)
    else:
        sums = moved_sums(Z, labels, previous.sums, weights)
    counts = nonzero(sums.counts)[:, None]
    if local:
        gains = sums.gains
        selected = largest(gains, n_selected)
        theta = np.zeros_like(gains)
        np.put_along_axis(theta, selected, np.take_along_axis(sums.means, selected, axis=1), axis=1)
        columns = np.unique(selected)
        theta = theta[:, columns]
        explained = np.take_along_axis(gains, selected, axis=1).sum(dtype=np.float64)
    else:
        total = sums.total_gains
        selected = columns = largest(total[None], n_selected)[0]
        theta = sums.sums[:, columns] / counts
        explained = total[columns].sum(dtype=np.float64)
    block = select_columns(Z, columns, previous)
    if previous is None or previous.slack is None or not np.array_equal(columns, previous.columns):
        slack = fresh_slack(block)
    else:
        slack = after_move(previous.slack, labels, previous.centers, theta)
    return Ranking(sums, selected, columns, block, theta, float(tss - explained), slack)


def select_columns(Z: Array, columns: Array, previous: Ranking | None) -> Array:
    """Prepared data in the given columns; the previous copy where the columns are the same."""
    if previous is not None and np.array_equal(columns, previous.columns):
        return previous.block
    if len(columns) == Z.shape[1] - 1:
        return Z
    return Z.take(np.append(columns, -1), axis=1)


def assign(Z: Array, params: Ranking, labels: Labels) -> Labels:
    """Nearest sparse centre; features outside the selection are the same for every cluster."""
    if params.slack is None:
        return nearest(params.block, params.centers)
    return nearest_with_slack(params.block, params.centers, labels, params.slack)

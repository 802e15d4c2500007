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

from sparsek.methods.shared.loop import FitResult, alternate
from sparsek.methods.shared.slack import Slack, after_move, fresh_slack, nearest_with_slack
from sparsek.methods.shared.sums import (
    Array,
    ClusterSums,
    Labels,
    cluster_sums,
    largest,
    moved_sums,
    nearest,
    nonzero,
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What a start came to.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        The partition that the rest was computed from.
    selected : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features; one row per cluster in scope "local".
    columns : ndarray of shape (m,)
        Sorted union of `selected`.
    centers : ndarray of shape (n_clusters, m)
        Sparse centres theta in these columns, standardised units; an empty cluster stays at the origin.
    criterion : float
        h.
    """

    labels: Labels
    selected: Array
    columns: Array
    centers: Array
    criterion: float


@dataclass(frozen=True, slots=True)
class Ranking(Selection):
    """Parameters after one update: a selection and what the next update can use.

    Attributes
    ----------
    sums : ClusterSums
        Cluster sums over all features.
    block : ndarray of shape (n, m + 1)
        The prepared data in `columns`, ones last.
    slack : Slack or None
        Bounds that spare distances, for large data.
    """

    sums: ClusterSums
    block: Array
    slack: Slack | None

    def result(self) -> Selection:
        """The selection alone, which holds no data."""
        return Selection(self.labels, self.selected, self.columns, self.centers, self.criterion)


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
) -> FitResult[Selection]:
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
        Its `params` is a `Selection`.
    """
    update = partial(
        rank, n_clusters=n_clusters, n_selected=n_selected, local=local, weights=weights, tss=tss
    )
    fit = alternate(Z, labels, update, assign, max_iter=max_iter)
    found = fit.params.result()
    return FitResult(found.labels if fit.converged else fit.labels, found, fit.history, fit.converged)


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
    selected, columns, theta, explained = sparse_means(sums, n_selected, local)
    if previous is not None and np.array_equal(columns, previous.columns):
        block, slack = previous.block, previous.slack
        if slack is not None:
            slack = after_move(slack, labels, previous.centers, theta)
    else:
        block = select_columns(Z, columns, None if previous is None else previous.block)
        slack = fresh_slack(block)
    return Ranking(labels, selected, columns, theta, tss - explained, sums, block, slack)


def sparse_means(sums: ClusterSums, n_selected: int, local: bool) -> tuple[Array, Array, Array, float]:
    """Selected features, their union, sparse centres there, and the sum of the selected gains."""
    if local:
        gains = sums.gains
        selected = largest(gains, n_selected)
        theta = np.zeros_like(gains)
        np.put_along_axis(theta, selected, np.take_along_axis(sums.means, selected, axis=1), axis=1)
        columns = np.unique(selected)
        explained = np.take_along_axis(gains, selected, axis=1)
        return selected, columns, theta[:, columns], float(explained.sum(dtype=np.float64))
    total = sums.total_gains
    columns = largest(total[None], n_selected)[0]
    theta = sums.sums[:, columns] / nonzero(sums.counts)[:, None]
    return columns, columns, theta, float(total[columns].sum(dtype=np.float64))


def select_columns(Z: Array, columns: Array, old: Array | None) -> Array:
    """Prepared data in the given columns; takes the place of the old ones where these are as many."""
    if len(columns) == Z.shape[1] - 1:
        return Z
    columns = np.append(columns, Z.shape[1] - 1)
    # Indices are in range: "clip" only spares numpy a buffer.
    if old is not None and old.shape[1] == len(columns):
        return Z.take(columns, axis=1, out=old, mode="clip")
    return Z.take(columns, axis=1, mode="clip")


def assign(Z: Array, params: Ranking, labels: Labels) -> Labels:
    """Nearest sparse centre; features outside the selection are the same for every cluster."""
    if params.slack is None:
        return nearest(params.block, params.centers)
    return nearest_with_slack(params.block, params.centers, labels, params.slack)

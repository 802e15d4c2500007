"""SKFR on partially observed data: descent on the loss over the observed entries.

Minimises the sum over the observed entries of (z_il - theta_label(i),l)^2 where theta is sparse as in SKFR.
Two ways: exact block descent, in which means, gains and distances use the observed entries only; and the
majorisation-minimisation of k-POD, in which the holes are filled from the centres before every step.

Sources: Zhang, Lange and Xu (2020), Section 3 (missing data); Chi, Chi and Baraniuk (2016), "k-POD".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sparsek.methods.shared.loop import FitResult, alternate
from sparsek.methods.shared.sums import Array, ClusterSums, Labels, cluster_sums, largest, moved_sums, nonzero

TOLERANCE = 1e-9
"""The filled-in form stops when the loss changes by less than this share of the total sum of squares."""


@dataclass(frozen=True, slots=True)
class PartialData:
    """Standardised data with holes.

    Attributes
    ----------
    filled : ndarray of shape (n, 2 p + 1)
        The values with 0 in the holes, then 1 where observed and 0 where not, then a column of ones.
    n_features : int
        Number p of features.
    tss : float
        Sum of squares of the observed values.
    """

    filled: Array
    n_features: int
    tss: float

    @property
    def values(self) -> Array:
        """Values with 0 in the holes, (n, p)."""
        return self.filled[:, : self.n_features]

    @property
    def observed(self) -> Array:
        """1 where observed, 0 in the holes, (n, p)."""
        return self.filled[:, self.n_features : -1]


@dataclass(frozen=True, slots=True)
class PartialRanking:
    """Parameters after one update.

    Attributes
    ----------
    sums : ClusterSums
        Cluster sums of the values, numbers of observed values and sizes.
    gains : ndarray of shape (n_clusters, p)
        Sum of squares of each feature that each cluster explains.
    selected : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features; one row per cluster in scope "local".
    columns : ndarray of shape (m,)
        Sorted union of `selected`.
    centers : ndarray of shape (n_clusters, m)
        Sparse centres in these columns.
    criterion : float
        Loss over the observed entries.
    """

    sums: ClusterSums
    gains: Array
    selected: Array
    columns: Array
    centers: Array
    criterion: float

    @property
    def labels(self) -> Labels:
        """The partition that the parameters were computed from."""
        return self.sums.labels


def pack(Z: Array, weights: Array | None = None) -> PartialData:
    """Standardised data (n, p) with NaN as `PartialData`."""
    n, p = Z.shape
    filled = np.ones((n, 2 * p + 1), dtype=Z.dtype)
    observed = ~np.isnan(Z)
    filled[:, p:-1] = observed
    filled[:, :p] = np.where(observed, Z, 0)
    squares = np.einsum("ij,ij->i", filled[:, :p], filled[:, :p], dtype=np.float64)
    return PartialData(filled, p, float(squares.sum() if weights is None else weights @ squares))


def skfr_observed(
    data: PartialData,
    labels: Labels,
    *,
    n_clusters: int,
    n_selected: int,
    local: bool = False,
    weights: Array | None = None,
    max_iter: int = 300,
) -> FitResult[PartialRanking]:
    """One start of exact block descent; arguments as for `sparsek.methods.skfr.algorithm.skfr`.

    Parameters
    ----------
    data : PartialData
        Data.
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
        Its `params` is a `PartialRanking`.
    """

    def update(filled: Array, labels: Labels, previous: PartialRanking | None) -> PartialRanking:
        if previous is None:
            sums = cluster_sums(filled, labels, n_clusters, weights)
        else:
            sums = moved_sums(filled, labels, previous.sums, weights)
        return rank_observed(data, sums, n_selected, local)

    return alternate(data.filled, labels, update, partial(_assign_observed, data), max_iter=max_iter)


def rank_observed(data: PartialData, sums: ClusterSums, n_selected: int, local: bool) -> PartialRanking:
    """Means of the observed values, features ranked by N_jl mu_jl^2."""
    p = data.n_features
    counts = nonzero(sums.sums[:, p:-1])
    gains = sums.sums[:, :p] ** 2 / counts
    means = sums.sums[:, :p] / counts
    selected, columns, theta = select_features(gains, means, n_selected, local)
    chosen = gains[np.arange(len(gains))[:, None], selected] if local else gains[:, selected]
    return PartialRanking(
        sums, gains, selected, columns, theta, float(data.tss - chosen.sum(dtype=np.float64))
    )


def select_features(gains: Array, means: Array, n_selected: int, local: bool) -> tuple[Array, Array, Array]:
    """Selected features, the union of them, and the sparse centres there."""
    if not local:
        selected = largest(gains.sum(axis=0)[None], n_selected)[0]
        return selected, selected, means[:, selected]
    selected = largest(gains, n_selected)
    theta = np.zeros_like(means)
    np.put_along_axis(theta, selected, np.take_along_axis(means, selected, axis=1), axis=1)
    columns = np.unique(selected)
    return selected, columns, theta[:, columns]


def _assign_observed(data: PartialData, filled: Array, params: PartialRanking, labels: Labels) -> Labels:
    """Nearest centre over the observed selected features; ties go to the lowest index."""
    return nearest_observed(data.values[:, params.columns], data.observed[:, params.columns], params.centers)


def nearest_observed(values: Array, observed: Array, centers: Array) -> Labels:
    """Index of the centre with the smallest squared distance over the observed features of each row."""
    scores = observed @ (0.5 * centers * centers).T
    scores -= values @ centers.T
    return scores.argmin(axis=1).astype(np.int32)


def skfr_filled(
    data: PartialData,
    labels: Labels,
    *,
    n_clusters: int,
    n_selected: int,
    local: bool = False,
    weights: Array | None = None,
    max_iter: int = 300,
) -> FitResult[PartialRanking]:
    """One start of the form that fills the holes from the centres before every step, as k-POD does.

    Parameters
    ----------
    data : PartialData
        Data.
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
        Its `params` is a `PartialRanking`; the sums are those of the filled data.
    """
    p = data.n_features
    holes = data.observed == 0
    full = np.column_stack([data.values, np.ones(len(labels), dtype=data.filled.dtype)])
    history: list[float] = []
    done = False
    while not done and len(history) < max_iter:
        old = labels
        sums = cluster_sums(full, labels, n_clusters, weights)
        # Not sums.gains: columns with filled holes are not centred, so that a single cluster has gains too.
        gains = sums.sums[:, :-1] ** 2 / nonzero(sums.counts)[:, None]
        selected, columns, theta = select_features(gains, sums.means, n_selected, local)
        centers = np.zeros((n_clusters, p), dtype=full.dtype)
        centers[:, columns] = theta
        labels = nearest_observed(full[:, columns], np.ones_like(full[:, columns]), theta)
        # The loss falls from one assignment to the next; just after a centre update it need not.
        history.append(_observed_loss(data, labels, centers, weights))
        params = PartialRanking(sums, gains, selected, columns, theta, history[-1])
        full[:, :p][holes] = centers[labels][holes]
        stable = len(history) > 1 and history[-2] - history[-1] <= TOLERANCE * data.tss
        done = stable and np.array_equal(old, labels)
    return FitResult(labels, params, tuple(history), done)


def _observed_loss(data: PartialData, labels: Labels, centers: Array, weights: Array | None) -> float:
    """Sum over the observed entries of the squared distances to the centres."""
    difference = (data.values - centers[labels]) * data.observed
    squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
    return float(squares.sum() if weights is None else weights @ squares)

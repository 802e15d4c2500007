"""Entropy-weighted k-means: soft weights of features and of feature groups, per cluster or for all clusters.

Minimises over partitions, centres c, group weights w and feature weights v (rows repeated s_i times)

    sum_l sum_{i in l} s_i sum_j w_lg(j) v_lj (x_ij - c_lj)^2
        + group_gamma sum_lg w_lg log w_lg + feature_gamma sum_lj v_lj log v_lj,

where w >= 0 sums to 1 over the groups g, and v >= 0 sums to 1 within every group. EWKM has a single group,
FG-k-means several, and TW-k-means several with one set of weights for all clusters.

Sources: Jing, Ng and Huang (2007), "An entropy weighting k-means algorithm for subspace clustering of
high-dimensional sparse data", IEEE TKDE 19, 1026-1041 (EWKM); Chen, Ye, Xu and Huang (2012), "A feature group
weighting method for subspace clustering of high-dimensional data", Pattern Recognition 45, 434-446
(FG-k-means); Chen, Xu, Huang and Ye (2013), "TW-k-means: automated two-level variable weighting clustering
algorithm for multiview data", IEEE TKDE 25, 932-944.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import xlogy

from sparsek.core.steps import (
    Array,
    ClusterSums,
    FitResult,
    Labels,
    alternate,
    cluster_sums,
    hand_out_farthest,
    lowest_score,
    moved_sums,
    nonzero,
)
from sparsek.core.weights import softmax


@dataclass(frozen=True, slots=True)
class FeatureGroups:
    """Feature groups, with sums and minima over the features of each group."""

    index: Array  # (p,) int: group of each feature, from 0
    order: Array  # (p,) int: features sorted by group
    first: Array  # (n_groups,) int: where each group begins in `order`

    @property
    def sizes(self) -> Array:
        """Number of features of each group, shape (n_groups,)."""
        return np.diff(self.first, append=len(self.index))

    def sums(self, values: Array) -> Array:
        """Sums over each group, shape (n_sets, n_groups)."""
        return np.add.reduceat(values[:, self.order], self.first, axis=1)

    def minima(self, values: Array) -> Array:
        """Minima over each group, shape (n_sets, n_groups)."""
        return np.minimum.reduceat(values[:, self.order], self.first, axis=1)


def group_features(index: Array) -> FeatureGroups:
    """Groups from the group number of each feature; all of 0..G-1 occur."""
    order = np.argsort(index, kind="stable")
    return FeatureGroups(index, order, np.searchsorted(index[order], np.arange(index.max() + 1)))


@dataclass(frozen=True, slots=True)
class EntropyProblem:
    """Constants of the minimisation problem."""

    n_clusters: int  # Number of clusters
    groups: FeatureGroups  # Feature groups
    # group_gamma, feature_gamma: factors of the entropy terms, positive, squared units of the data
    group_gamma: float
    feature_gamma: float
    shared: bool  # One set of weights for all clusters (TW-k-means)
    column_tss: Array  # (p,): total sums of squares of the features, to which rounding errors are relative
    sample_weight: Array | None = None  # (n,): sample weights s


@dataclass(frozen=True, slots=True)
class EntropyWeighting:
    """Parameters after one update."""

    sums: ClusterSums  # Cluster sums of x and of x^2
    centers: Array  # (n_clusters, p): cluster means c; an empty cluster stays at the origin
    feature_weights: Array  # (n_sets, p) float64: v, one row per cluster or a single one for all
    group_weights: Array  # (n_sets, n_groups) float64: w
    weights: Array  # (n_clusters, p) float64: w v, the weights of the distance
    criterion: float  # Dispersion plus entropy terms
    size: float  # Sum of the absolute values of the criterion's terms


def entropy_kmeans(
    Q: Array, labels: Labels, problem: EntropyProblem, *, max_iter: int = 300, tol: float = 1e-6
) -> FitResult[EntropyWeighting]:
    """One start from given labels.

    Shapes: Q (n, 2 p + 1), labels (n,) int32.
    """
    update = partial(update_entropy_weights, problem=problem)
    settled = partial(criterion_settled, tol=tol, exact=len(problem.groups.first) == 1)
    return alternate(Q, labels, update, assign, settled, max_iter)


def with_squares(Z: Array) -> Array:
    """Rows (x, x^2, 1) of prepared rows (x, 1)."""
    p = Z.shape[1] - 1
    Q = np.empty((len(Z), 2 * p + 1), dtype=Z.dtype)
    Q[:, :p] = Z[:, :-1]
    np.square(Z[:, :-1], out=Q[:, p:-1])
    Q[:, -1] = 1
    return Q


def update_entropy_weights(
    Q: Array, labels: Labels, previous: EntropyWeighting | None, *, problem: EntropyProblem
) -> EntropyWeighting:
    """Means; feature weights given the last group weights; group weights given the new feature weights."""
    groups, n_clusters = problem.groups, problem.n_clusters
    if previous is None:
        sums = cluster_sums(Q, labels, n_clusters, problem.sample_weight)
        w = equal_group_weights(1 if problem.shared else n_clusters, groups)
    else:
        sums = moved_sums(Q, labels, previous.sums, problem.sample_weight)
        w = previous.group_weights
    centers, D = dispersions(Q, sums, problem)
    if problem.shared:
        # One set of weights for all clusters responds to the dispersion of all together (TW-k-means).
        D = D.sum(axis=0, keepdims=True)
    # The minimiser over v for given w: the dispersion of a feature counts by the weight of its group.
    v = grouped_softmax(w[:, groups.index] * D, problem.feature_gamma, groups)
    B = groups.sums(v * D)
    # The minimiser over w for given v: B is the weighted dispersion of the group.
    w = softmax(B, problem.group_gamma)
    dispersion = float((w * B).sum())
    entropy = -problem.group_gamma * xlogy(w, w).sum() - problem.feature_gamma * xlogy(v, v).sum()
    weights = np.broadcast_to(w[:, groups.index] * v, centers.shape)
    return EntropyWeighting(
        sums, centers, v, w, weights, float(dispersion - entropy), float(dispersion + entropy)
    )


def equal_group_weights(n_sets: int, groups: FeatureGroups) -> Array:
    """Weights 1/G, with which the papers' algorithms start."""
    n_groups = len(groups.first)
    return np.full((n_sets, n_groups), 1 / n_groups)


def grouped_softmax(dispersion: Array, gamma: float, groups: FeatureGroups) -> Array:
    """As `softmax`, within each group."""
    with np.errstate(over="ignore", under="ignore"):
        shares = np.exp((groups.minima(dispersion)[:, groups.index] - dispersion) / gamma)
        return shares / groups.sums(shares)[:, groups.index]


def dispersions(Q: Array, sums: ClusterSums, problem: EntropyProblem) -> tuple[Array, Array]:
    """Centres and D_lj = sum_{i in l} s_i (x_ij - c_lj)^2, float64, both of shape (n_clusters, p).

    D is sum x^2 - (sum x)^2 / n. If this subtraction would lose more than a third of the digits of D (or of
    gamma: a D far below gamma hardly changes a weight), the cluster's D is summed from differences instead.
    """
    p = len(problem.column_tss)
    counts = nonzero(sums.counts).astype(np.float64)[:, None]
    first = sums.sums[:, :p].astype(np.float64)
    means = first / counts
    # sum x^2 - n mean^2; only rounding brings it below 0.
    D = np.maximum(sums.sums[:, p : 2 * p] - first * means, 0)
    eps = float(np.finfo(Q.dtype).eps)
    needed = np.maximum(D, min(problem.group_gamma, problem.feature_gamma)) * eps ** (2 / 3)
    for k in np.flatnonzero((4 * eps * problem.column_tss > needed).any(axis=1) & (sums.counts > 0)):
        means[k], D[k] = exact_dispersion(Q, np.flatnonzero(sums.labels == k), means[k], problem)
    return means.astype(Q.dtype), D


def exact_dispersion(Q: Array, rows: Array, mean: Array, problem: EntropyProblem) -> tuple[Array, Array]:
    """Mean and D of one cluster from the differences of its rows to an approximate mean."""
    difference = Q[rows, : len(mean)] - mean
    if problem.sample_weight is None:
        s = np.ones(len(rows))
    else:
        s = problem.sample_weight[rows].astype(np.float64)
    shift = s @ difference / s.sum()
    # The mean of the differences corrects the approximate mean, so that D is about the exact one.
    difference -= shift
    return mean + shift, s @ np.square(difference, out=difference)


def assign(Q: Array, params: EntropyWeighting, labels: Labels) -> Labels:
    """Nearest centre by each cluster's weights; an empty cluster takes the farthest row."""
    labels = lowest_score(Q, distance_coefficients(params, Q.dtype))
    counts = np.bincount(labels, minlength=len(params.centers))
    if counts.all():
        return labels
    p = params.centers.shape[1]
    weights = params.weights[labels]
    distances = np.einsum("ij,ij->i", np.square(Q[:, :p] - params.centers[labels]), weights)
    # A row at its centre, up to rounding, would gain nothing in a cluster of its own.
    noise = 64 * np.finfo(Q.dtype).eps * np.einsum("ij,ij->i", Q[:, p:-1], weights)
    return hand_out_farthest(labels, counts, distances, noise)


def distance_coefficients(params: EntropyWeighting, dtype: np.dtype) -> Array:
    """Rows (-2 u c, u, sum_j u_j c_j^2) with u = w v, for products with (x, x^2, 1): weighted distances."""
    centers = params.centers.astype(np.float64)
    weighted = params.weights * centers
    constant = (weighted * centers).sum(axis=1)
    return np.column_stack([-2 * weighted, params.weights, constant]).astype(dtype)


def criterion_settled(
    old: Labels,
    new: Labels,
    params: EntropyWeighting,
    previous: EntropyWeighting | None,
    *,
    tol: float,
    exact: bool,
) -> bool:
    """Whether the criterion hardly changed or, if `exact`, no label did (the next update would repeat)."""
    if exact and np.array_equal(old, new):
        return True
    if previous is None:
        return False
    # Group and feature weights depend on each other and keep changing by rounding, so tol has a minimum.
    smallest = 8 * float(np.finfo(params.centers.dtype).eps)
    return previous.criterion - params.criterion <= max(tol, smallest) * params.size

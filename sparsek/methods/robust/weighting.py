"""Weighted robust sparse k-means as in its paper, Brodinova et al. (2019), by matrix products.

Rows are weighted by their local outlier factors inside their cluster; features are weighted by the weighted
between-cluster sums of squares, under an L1 bound that is met exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.core.steps import (
    Array,
    ClusterSums,
    FitResult,
    Labels,
    alternate,
    cluster_sums,
    nearest,
    squared_distances,
)
from sparsek.core.weights import l1_weights, weighted_columns, weights_settled
from sparsek.starts.biweight import MAX_NEIGHBORS, biweight
from sparsek.starts.lof import local_outlier_factors
from sparsek.starts.robin import robin_rows

INNER_ITERATIONS = 30
"""Largest number of passes of one assignment step; the next step continues from its result."""
LEAST_CHANGE = 1e-9
"""Weights that come back this close, relative to their sum, are the same: sums round to 1e-14 or so."""


@dataclass(frozen=True, slots=True)
class RobustMeans:
    """Weighted means of one partition."""

    sums: ClusterSums  # Sums weighted by the rows' weights
    row_weights: FloatArray  # (n,): weights of the rows, in [0, 1]
    criterion: float  # Minus the weighted between-cluster sum of squares


@dataclass(frozen=True, slots=True)
class RobustWeighting:
    """Parameters after one update."""

    sums: ClusterSums  # Sums over all features, weighted by the rows' weights
    # (n,): the smaller of the weights computed in the weighted features and in all features
    row_weights: FloatArray
    weights: Array  # (p,) float64: feature weights w
    criterion: float  # ``-sum_j w_j a_j`` with the weighted between-cluster sums of squares a_j


@dataclass(frozen=True, slots=True)
class WeightedStart(FitResult[RobustWeighting]):
    """Result of one start."""

    cycle: int  # Number of weight updates that repeat for ever; 1 where the weights stay the same


def robust_row_weights(x: FloatArray) -> FloatArray:
    """Weights of the rows of one cluster by the translated biweight of their local outlier factors.

    Shapes: x (q, p) float64; returns (q,).
    """
    q = len(x)
    if q <= 2:
        return np.ones(q)
    factors = local_outlier_factors(x, min(MAX_NEIGHBORS, q - 1))
    finite = np.isfinite(factors)
    deviations = factors[finite] - factors[finite].mean()
    # Squares of factors beyond 1e154 would overflow.
    exponent = max(0, int(np.frexp(np.abs(deviations).max(initial=0))[1]))
    deviations = np.ldexp(deviations, -exponent)
    spread = np.sqrt(deviations @ deviations / max(1, len(deviations) - 1))
    weights = np.zeros(q)
    # Factors are near 1 in size: smaller differences are rounding.
    weights[finite] = biweight(deviations / spread) if spread > np.ldexp(1e-12, -exponent) else 1.0
    return weights


def robust_labels(X: Array, factors: FloatArray, n_clusters: int, reference: int) -> Labels:
    """Labels of the rows nearest to ROBIN's centres.

    Shapes: X (n, p + 1), factors (n,); returns (n,) int32.
    """
    data = X[:, :-1]

    def distances_from(row: int) -> FloatArray:
        difference = data - data[row]
        squares: FloatArray = np.einsum("ij,ij->i", difference, difference)
        return squares

    return nearest(X, data[robin_rows(distances_from, factors, reference, n_clusters)])


def weighted_robust_sparse_kmeans(
    X: Array,
    labels: Labels,
    *,
    n_clusters: int,
    l1_bound: float,
    cutoff: float = 0.5,
    max_iter: int = 100,
    tol: float = 1e-4,
) -> WeightedStart:
    """One start of weighted robust sparse k-means from given labels.

    Shapes: X (n, p + 1), labels (n,) int32.

    Source: Brodinova et al. (2019).
    """
    full = X[:, :-1].astype(np.float64)
    known: dict[bytes, FloatArray] = {}
    states: list[tuple[Labels, RobustWeighting]] = []
    columns, first = X, None
    rounding = max(LEAST_CHANGE, 64 * float(np.finfo(X.dtype).eps))
    while first is None and len(states) < max_iter:
        labels, row_weights = _robust_kmeans(columns, labels, n_clusters, cutoff)
        # A row counts as outlying if it is so in the weighted features or in all of them.
        row_weights = np.minimum(row_weights, _weights_by_cluster(full, labels, n_clusters, known))
        params = _feature_step(X, labels, row_weights, n_clusters, l1_bound)
        states.append((labels, params))
        first = _first_of_round(states, tol, rounding)
        columns = weighted_columns(X, params.weights)
    if not states:
        raise ValueError(f"max_iter must be at least 1; got {max_iter}")
    chosen = len(states) - 1 if first is None else _lowest(states, first, rounding)
    history = tuple(params.criterion for _, params in states[: chosen + 1])
    cycle = 1 if first is None else len(states) - first
    return WeightedStart(*states[chosen], history, first is not None, cycle)


def _first_of_round(states: list[tuple[Labels, RobustWeighting]], tol: float, rounding: float) -> int | None:
    """First state to choose from: the last if the weights settled, or the first of a cycle's last round.

    Labels and weights determine the next state. So a cycle is complete where both are again what they were,
    the weights up to rounding: their last digits come from sums in an order that the processor chooses.
    """
    last = len(states) - 1
    labels, params = states[last]
    if not params.weights.any():
        return last
    for i in reversed(range(last)):
        earlier, before = states[i]
        settles = i == last - 1
        share = max(tol, rounding) if settles else rounding
        returned = settles or np.array_equal(labels, earlier)
        if returned and weights_settled(params.weights, before.weights, share):
            return i + 1
    return None


def _lowest(states: list[tuple[Labels, RobustWeighting]], first: int, rounding: float) -> int:
    """Number of the first state, from `first` on, whose criterion is the lowest up to rounding."""
    criteria = np.array([params.criterion for _, params in states[first:]])
    # Criteria are not positive, so that this factor raises the limit by rounding.
    return first + int(np.argmax(criteria <= criteria.min() * (1 - rounding)))


def _feature_step(
    X: Array, labels: Labels, row_weights: FloatArray, n_clusters: int, l1_bound: float
) -> RobustWeighting:
    """Weighted between-cluster sums of squares, thresholded to the L1 bound and scaled to unit L2 norm."""
    sums = cluster_sums(X, labels, n_clusters, row_weights.astype(X.dtype))
    between = _between(sums)
    weights = l1_weights(between, l1_bound)
    return RobustWeighting(sums, row_weights, weights, -float(weights @ between))


def _robust_kmeans(X: Array, labels: Labels, n_clusters: int, cutoff: float) -> tuple[Labels, FloatArray]:
    """K-means with weighted means from given labels; return labels and the row weights in these columns."""
    data = X[:, :-1].astype(np.float64)
    known: dict[bytes, FloatArray] = {}

    def update(X: Array, labels: Labels, previous: RobustMeans | None) -> RobustMeans:
        row_weights = _weights_by_cluster(data, labels, n_clusters, known)
        sums = cluster_sums(X, labels, n_clusters, row_weights.astype(X.dtype))
        return RobustMeans(sums, row_weights, -float(_between(sums).sum()))

    def assign(X: Array, params: RobustMeans, labels: Labels) -> Labels:
        return _fill_empty(X, nearest(X, params.sums.means), params, cutoff)

    result = alternate(X, labels, update, assign, max_iter=INNER_ITERATIONS)
    return result.labels, _weights_by_cluster(data, result.labels, n_clusters, known)


def _weights_by_cluster(
    x: FloatArray, labels: Labels, n_clusters: int, known: dict[bytes, FloatArray]
) -> FloatArray:
    """Weights of all rows; `known` stores those of clusters that came before."""
    weights = np.empty(len(x))
    for k in range(n_clusters):
        rows = np.flatnonzero(labels == k)
        key = rows.tobytes()
        if key not in known:
            known[key] = robust_row_weights(x[rows])
        weights[rows] = known[key]
    return weights


def _between(sums: ClusterSums) -> Array:
    """Weighted between-cluster sum of squares of every feature, in float64."""
    total = sums.sums.sum(axis=0, dtype=np.float64)
    # Weighted rows do not have the mean 0, so that the sum of squares of the common mean is taken off.
    between = sums.gains.sum(axis=0, dtype=np.float64) - total[:-1] ** 2 / total[-1]
    return np.maximum(between, 0) if np.count_nonzero(sums.counts) > 1 else np.zeros_like(between)


def _fill_empty(X: Array, labels: Labels, params: RobustMeans, cutoff: float) -> Labels:
    """Give each empty cluster the row farthest from its centre, among rows that are no outliers."""
    counts = np.bincount(labels, minlength=len(params.sums.sums))
    if counts.all():
        return labels
    distances = squared_distances(X, labels, params.sums.means)
    noise = 64 * np.finfo(X.dtype).eps * np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    # A row at its centre, up to rounding, would gain nothing in a cluster of its own.
    open_rows = (params.row_weights > cutoff) & (distances > noise)
    labels = labels.copy()
    for k in np.flatnonzero(counts == 0):
        row = int(np.argmax(np.where(open_rows & (counts[labels] > 1), distances, -1)))
        if not open_rows[row] or counts[labels[row]] < 2:
            break
        counts[labels[row]] -= 1
        counts[k] += 1
        labels[row] = k
        open_rows[row] = False
    return labels

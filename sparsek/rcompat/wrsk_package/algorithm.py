"""Weighted robust sparse k-means with R's wrsk answers, bit for bit: Brodinova et al. (2019).

Rows get weights from their local outlier factors inside their clusters. Features get weights from the
weighted between-cluster sums of squares under an L1 bound. The partition is k-means with weighted means on
columns multiplied by the root of their weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import (
    UNDERFLOW,
    UNIT,
    FloatArray,
    exact_distances,
    find_threshold,
    l2_norm,
    long_column_sums,
    long_mean,
    long_sum,
    sequential_sum,
)
from sparsek.errors import RError
from sparsek.rng import RRandom
from sparsek.starts.biweight import MAX_NEIGHBORS, biweight
from sparsek.starts.lof import local_outlier_factors
from sparsek.starts.robin import robin_rows

IntArray = NDArray[np.intp]

INNER_ITERATIONS = 30
"""Largest number of passes of one k-means."""
CONVERGED = 1e-8
"""Relative gain of the criterion at which the iteration ends."""
NOWHERE = -1
"""Label of all rows when every centre is undefined."""
UNDEFINED = "missing value where TRUE/FALSE needed"
"""R's message where a comparison is undefined."""


@dataclass(frozen=True, slots=True)
class WeightedPartition:
    """Weighted robust k-means for given features."""

    labels: IntArray  # Clusters from 0
    # (n,): weights of the rows in [0, 1], dimensionless; NaN in a cluster whose factors are all equal
    weights: FloatArray
    # Unweighted sum of squared distances to the centres before the last update, squared units of the data
    wcss: float
    centers: FloatArray  # (k, p): weighted means; NaN for an emptied cluster


@dataclass(frozen=True, slots=True)
class RobustSparseFit:
    """Weighted robust sparse k-means."""

    labels: IntArray  # Clusters from 0
    row_weights: FloatArray  # (n,): weights of the rows in [0, 1], dimensionless
    feature_weights: FloatArray  # (p,): weights of the features, unit L2 norm, dimensionless
    criterion: float  # ``sum_j w_j a_j`` with the weighted between-cluster sums of squares a_j (maximised)


def outlier_weights(x: FloatArray) -> FloatArray:
    """Weights of the rows of one cluster by the translated biweight of their local outlier factors.

    Shapes: x (q, p); returns (q,).
    """
    q = len(x)
    if q <= 2:
        return np.ones(q)
    factors = local_outlier_factors(x, min(MAX_NEIGHBORS, q - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = factors - long_mean(factors)
        return biweight(deviations / math.sqrt(long_sum(deviations * deviations) / (q - 1)))


class _DataMatrix:
    """One data matrix; weights and means of its clusters are stored, because most clusters come again."""

    def __init__(self, x: FloatArray) -> None:
        self.x = x
        with np.errstate(invalid="ignore"):  # of few infinite rows, which are refused with R's error
            self.shift = x.mean(axis=0)
            self.centred = x - self.shift
            self.squares = np.einsum("ij,ij->i", self.centred, self.centred)
        self._weights: dict[bytes, FloatArray] = {}
        self._means: dict[bytes, FloatArray] = {}

    def weights(self, rows: IntArray) -> FloatArray:
        """`outlier_weights` of a cluster."""
        key = rows.tobytes()
        if key not in self._weights:
            self._weights[key] = outlier_weights(self.x[rows])
        return self._weights[key]

    def mean(self, rows: IntArray) -> FloatArray:
        """Mean of a cluster with these weights."""
        key = rows.tobytes()
        if key not in self._means:
            self._means[key] = _weighted_mean(self.x[rows], self.weights(rows))
        return self._means[key]

    def distances_from(self, row: int) -> FloatArray:
        """Distances from one row to all, as R's ``dist``."""
        found: FloatArray = np.sqrt(exact_distances(self.x, self.x[row]))
        return found

    def nearest(self, centers: FloatArray) -> IntArray:
        """Nearest centre of every row, first on ties; an undefined centre is never nearest."""
        present = np.flatnonzero(~np.isnan(centers).any(axis=1))
        if not len(present):
            return np.full(len(self.x), NOWHERE)
        c = centers[present] - self.shift
        norms = np.einsum("ij,ij->i", c, c)
        d2 = self.squares[:, None] - 2 * (self.centred @ c.T) + norms
        bound = (8 * c.shape[1] + 120) * UNIT * (self.squares + norms.max()) + UNDERFLOW
        labels = d2.argmin(axis=1)
        unsure = np.count_nonzero(d2 <= (d2.min(axis=1) + 2 * bound)[:, None], axis=1) > 1
        if unsure.any():
            x = self.x[unsure]
            labels[unsure] = np.argmin([_long_distances(x, center) for center in centers[present]], axis=0)
        nearest: IntArray = present[labels]
        return nearest


def _long_distances(x: FloatArray, centers: FloatArray) -> FloatArray:
    """Squared distances of rows to one centre, or to a centre each, summed in extended precision."""
    return long_column_sums(np.square(x - centers).T)


def _weighted_mean(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted column means as R's ``weighted.mean``; NaN without rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return long_column_sums(x * weights[:, None]) / long_sum(weights)


def _groups(labels: IntArray, k: int) -> list[IntArray]:
    """Row numbers of every cluster."""
    return [np.flatnonzero(labels == label) for label in range(k)]


def weighted_kmeans(
    x: FloatArray, centers: FloatArray, *, max_iter: float = INNER_ITERATIONS, cutoff: float = 0.5
) -> WeightedPartition:
    """K-means with weighted means from given centres, as R's ``wrk`` after its start.

    Shapes: x (n, p) float64, centers (k, p).

    Raises RError with R's message: the first pass puts all rows in one cluster without outliers, or
    `max_iter` is below 2; every cluster has undefined weights.
    """
    return _iterate(_DataMatrix(x), centers, max_iter, cutoff)


def _iterate(data: _DataMatrix, centers: FloatArray, max_iter: float, cutoff: float) -> WeightedPartition:
    """Run the passes of `weighted_kmeans`."""
    n, k = len(data.x), len(centers)
    if k == 1 and data.x.shape[1] > 1:
        raise RError(
            "length of 'center' must equal the number of columns of 'x'", "use at least two clusters"
        )
    previous: IntArray = np.ones(n, dtype=np.intp)
    labels, weights, before = previous, np.ones(n), centers
    found = False
    for _ in range(1, math.ceil(max_iter)):
        new_labels, new_weights = data.nearest(centers), np.ones(n)
        groups = _groups(new_labels, k)
        for rows in groups:
            new_weights[rows] = data.weights(rows)
        classes = np.where(new_weights <= cutoff, 0, new_labels + 1)
        if np.array_equal(classes, previous):
            break
        if np.isnan(centers).any():
            raise RError(
                UNDEFINED,
                "a cluster lost all its rows, or all its local outlier factors are equal so that its rows "
                "have no weights: use fewer clusters, or remove copies of rows",
            )
        labels, weights, before, previous, found = new_labels, new_weights, centers, classes, True
        centers = np.array([data.mean(rows) for rows in groups])
    if not found:
        raise RError(
            "object 'cluster' not found",
            "the first pass put all rows in one cluster without outliers, or max.iter is below 2: "
            "check that the data vary",
        )
    wcss = long_sum(_long_distances(data.x, before[labels]))
    return WeightedPartition(labels, weights, wcss, centers)


def _start_factors(data: _DataMatrix) -> FloatArray:
    """Local outlier factors for ROBIN, computed from the distances as in R."""
    n = len(data.x)
    if n <= MAX_NEIGHBORS:
        raise RError(
            "minPts has to be at least 2 and not larger than the number of points",
            f"ROBIN looks at {MAX_NEIGHBORS} neighbours: at least {MAX_NEIGHBORS + 1} rows needed; got {n}",
        )
    return local_outlier_factors(data.x, MAX_NEIGHBORS, rounded_roots=True)


def _robust_partition(data: _DataMatrix, k: int, cutoff: float, rng: RRandom) -> WeightedPartition:
    """Weighted k-means from ROBIN's start; one index is drawn."""
    factors = _start_factors(data)
    rows = robin_rows(data.distances_from, factors, rng.unif_index(len(factors)), k)
    return _iterate(data, data.x[rows], INNER_ITERATIONS, cutoff)


def run_wrsk(
    x: FloatArray, k: int, l1_bound: float, *, max_iter: int = 15, cutoff: float = 0.5, rng: RRandom
) -> RobustSparseFit:
    """Weighted robust sparse k-means, as R's ``wrsk``.

    Shapes: x (n, p) float64.

    Raises RError where R fails too: ten rows or fewer, one cluster, data that do not vary, undefined weights.

    Source: Brodinova et al. (2019), as the package does it.
    """
    data, p = _DataMatrix(x), x.shape[1]
    weights, last = np.full(p, 1 / math.sqrt(p)), -math.inf
    for n_iter in range(1, max_iter + 1):
        labels, row_weights = _both_weights(data, weights, k, cutoff, rng)
        between = between_sums(x, _groups(labels, k), row_weights, weights)
        weights = _feature_weights(between, l1_bound)
        criterion = long_sum(weights * between)
        gain = (criterion - last) / criterion if criterion else math.nan
        if math.isnan(gain):
            raise RError(
                UNDEFINED if n_iter < max_iter else "NAs not allowed in dist for LOF!",
                "the feature weights are undefined, because no feature differs between clusters or a cluster "
                "has equal local outlier factors everywhere: remove copies of rows, or use fewer clusters",
            )
        if gain < CONVERGED or n_iter == max_iter:
            break
        last = criterion
    labels, row_weights = _both_weights(data, weights, k, cutoff, rng)
    return RobustSparseFit(labels, row_weights, weights, criterion)


def _both_weights(
    data: _DataMatrix, feature_weights: FloatArray, k: int, cutoff: float, rng: RRandom
) -> tuple[IntArray, FloatArray]:
    """Partition on the weighted features; row weights, the smaller of those on weighted and all features."""
    used = feature_weights != 0
    reduced = np.ascontiguousarray(data.x[:, used] * np.sqrt(feature_weights[used]))
    part = _robust_partition(_DataMatrix(reduced), k, cutoff, rng)
    full = np.ones(len(data.x))
    for rows in _groups(part.labels, k):
        full[rows] = data.weights(rows)
    return part.labels, np.minimum(part.weights, full)


def between_sums(
    x: FloatArray, groups: list[IntArray], row_weights: FloatArray, feature_weights: FloatArray
) -> FloatArray:
    """Weighted between-cluster sum of squares of every feature, at least 0.

    Shapes: x (n, p), row_weights (n,), feature_weights (p,); returns (p,).
    """
    correction = long_sum(feature_weights) / float(sequential_sum(feature_weights[:, None])[0])
    overall = _weighted_mean(x, row_weights)
    parts = []
    for rows in filter(len, groups):
        members, w = x[rows], row_weights[rows, None]
        mean = _weighted_mean(members, row_weights[rows])
        gains = w * np.square(members - overall) - w * np.square(members - mean)
        parts.append(long_column_sums(gains * correction))
    found: FloatArray = np.maximum(long_column_sums(np.array(parts)), 0.0)
    return found


def _feature_weights(between: FloatArray, l1_bound: float) -> FloatArray:
    """Soft-thresholded and normalised sums of squares; NaN where they are undefined or all 0."""
    if not np.isfinite(between).all():
        return np.full_like(between, math.nan)
    shrunk = np.maximum(between - find_threshold(between, l1_bound), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return shrunk / l2_norm(shrunk)

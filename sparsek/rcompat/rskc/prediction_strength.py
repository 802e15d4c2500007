"""Number of clusters by the prediction strength of robust sparse k-means, as RSKC's Clest computes it.

Source: Dudoit & Fridlyand (2002), "A prediction-based resampling method for estimating the number of clusters
in a dataset", Genome Biology 3, research0036; with RSKC in place of partitioning around medoids.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_mean, long_median
from sparsek.errors import RError
from sparsek.metrics._counts import classification_error
from sparsek.rcompat.rskc.algorithm import means_of_kept
from sparsek.rcompat.rskc.revised_silhouette import weighted_distances
from sparsek.rng import RRandom

TIE_TOL = 1e-5
"""Relative tolerance of R's max.col."""

Report = Callable[[str], None]
Cluster = Callable[[FloatArray, int], tuple[IntArray, IntArray, FloatArray]]


@dataclass(frozen=True, slots=True)
class ClestFit:
    """Result of Clest for k = 2..K."""

    n_clusters: int  # The estimate
    # (K - 1, 4): observed less reference error, observed error, reference error, P-value
    statistics: FloatArray
    reference: FloatArray  # (B0, K - 1): errors of the reference data sets
    observed: FloatArray  # (B, K - 1): errors of the data's partitions


def clest(
    x: FloatArray,
    largest_k: int,
    cluster: Cluster,
    *,
    n_splits: int,
    n_reference: int,
    beta: float,
    axes: FloatArray | None,
    rng: RRandom,
    report: Report,
) -> ClestFit:
    """Estimate the number of clusters.

    Shapes: x (n, p), axes (p, p).
    """
    turned = x if axes is None else ordered_product(x, axes)
    low, high = np.fmin.reduce(turned), np.fmax.reduce(turned)
    reference = np.empty((n_reference, largest_k - 1))
    for b in range(n_reference):
        report(f"reference data {b + 1} of {n_reference}")
        u = rng.runif(x.size).reshape(x.shape, order="F")
        with np.errstate(divide="ignore", over="ignore"):  # a constant column stays constant
            u = u / (1 / (high - low)) + low
        turned_back = u if axes is None else ordered_product(u, axes.T)
        reference[b] = split_errors(np.ascontiguousarray(turned_back), largest_k, cluster, rng)
    observed = np.empty((n_splits, largest_k - 1))
    for b in range(n_splits):
        report(f"split {b + 1} of {n_splits} of the data")
        observed[b] = split_errors(x, largest_k, cluster, rng)
    return _decide(reference, observed, beta)


def _decide(reference: FloatArray, observed: FloatArray, beta: float) -> ClestFit:
    """The number of clusters with the smallest significant difference; 1 when none is significant."""
    error = np.array([long_median(column) for column in observed.T])
    expected = np.array([long_mean(column) for column in reference.T])
    p_values = (reference < error).sum(axis=0) / len(reference)
    statistic = error - expected
    significant = np.flatnonzero(p_values < beta)
    k = 1 if len(significant) == 0 else int(significant[statistic[significant].argmin()]) + 2
    return ClestFit(k, np.column_stack([statistic, error, expected, p_values]), reference, observed)


def split_errors(x: FloatArray, largest_k: int, cluster: Cluster, rng: RRandom) -> FloatArray:
    """Error rates between the clusters of a test set and those that a learning set predicts for it.

    Shapes: x (n, p); returns (largest_k - 1,).

    Raises RError when missing values leave a distance undefined.
    """
    n = len(x)
    rows = rng.sample_int(n, math.ceil(n * 2 / 3)) - 1
    learning = x[rows]
    test = np.delete(x, rows, axis=0)
    errors = np.empty(largest_k - 1)
    for k in range(2, largest_k + 1):
        labels, trimmed, weights = cluster(learning, k)
        used = weights != 0
        root = np.sqrt(weights[used])
        kept = np.ones(len(learning), dtype=bool)
        kept[trimmed] = False
        centers = means_of_kept(learning[:, used] * root, labels, kept, k)
        distances = weighted_distances(test[:, used] * root, centers, weights[used])
        predicted = random_nearest(distances, rng)
        labels, _, _ = cluster(test, k)
        if np.isnan(distances).any():
            raise RError(
                "NAs in foreign function call (arg 1)",
                "a row has no feature in common with a centre: impute missing values or use a larger L1",
            )
        errors[k - 2] = classification_error(predicted, labels)
    return errors


def random_nearest(distances: FloatArray, rng: RRandom) -> IntArray:
    """Position of the smallest in each row, near ties broken at random as by R's max.col.

    Shapes: distances (m, k); returns (m,).
    """
    smallest: IntArray = np.argmin(distances, axis=1)
    tol = TIE_TOL * distances.max(axis=1)
    gaps = np.diff(np.sort(distances, axis=1), axis=1)
    for i in np.flatnonzero((gaps <= 2 * tol[:, None]).any(axis=1)):
        best, at, ties = distances[i, 0], 0, 1
        for j, d in enumerate(distances[i, 1:].tolist(), start=1):
            if -d > -best + tol[i]:
                best, at, ties = d, j, 1
            elif -d >= -best - tol[i]:
                ties += 1
                if ties * float(rng.runif(1)[0]) < 1:
                    at = j
        smallest[i] = at
    return smallest

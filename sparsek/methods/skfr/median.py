"""SKFR under the absolute loss: cluster medians instead of means.

Minimises sum_i ||z_i - theta_label(i)||_1 where theta is zero outside s features. With columns centred at
their medians, feature l explains sum_i |z_il| - sum_j sum_{C_j} |z_il - med_jl| of the total; ranking keeps
the largest.

Source: Zhang, Lange and Xu (2020), Section 3 (outliers).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.core.exact_sums import Moments
from sparsek.core.medians import observed_medians
from sparsek.core.scaling import Divisor
from sparsek.core.steps import Array, Labels
from sparsek.methods.skfr.algorithm import Ranked, select_features
from sparsek.methods.skfr.problem import LossProblem
from sparsek.sources.source import ArraySource, RowProblem


class ClusterMedians(NamedTuple):
    """Cluster medians (n_clusters, p), and their gains: the absolute deviation (n_clusters, p) explained."""

    medians: Array
    gains: Array


class MedianRows:
    """Labelled rows whose clusters are described by medians, for the loop `skfr`.

    Shapes: Z (n, p), labels (n,) int32, weights (n,).
    """

    def __init__(self, Z: Array, labels: Labels, n_clusters: int, weights: Array | None = None) -> None:
        self.Z, self.labels, self.n_clusters, self.weights = Z, labels, n_clusters, weights
        self.sizes = absolute_sizes(Z, weights)
        self._old = labels

    def sums(self) -> ClusterMedians:
        """Medians and gains of all clusters."""
        shape = (self.n_clusters, self.Z.shape[1])
        found = ClusterMedians(np.zeros(shape, self.Z.dtype), np.zeros(shape, self.Z.dtype))
        return self._updated(found, np.arange(self.n_clusters))

    def assign(self, centers: Array, columns: Array) -> bool:
        """Label every row with the centre of least absolute differences; ties go to the lowest index."""
        self._old, self.labels = self.labels, nearest_absolute(self.Z[:, columns], centers)
        return not np.array_equal(self._old, self.labels)

    def moved_sums(self, previous: ClusterMedians) -> ClusterMedians:
        """Medians and gains after the last `assign`; only clusters whose members changed are updated."""
        moved = self.labels != self._old
        # Both the clusters that lost rows and those that gained some have other medians.
        changed = np.union1d(self.labels[moved], self._old[moved])
        return self._updated(ClusterMedians(previous.medians.copy(), previous.gains.copy()), changed)

    def _updated(self, found: ClusterMedians, clusters: Array) -> ClusterMedians:
        """Set the medians and gains of these clusters."""
        for cluster in clusters:
            rows = np.flatnonzero(self.labels == cluster)
            some = None if self.weights is None else self.weights[rows]
            found.medians[cluster], deviation = column_medians(self.Z[rows], some)
            found.gains[cluster] = self.sizes[rows].sum(axis=0) - deviation
        return found


def absolute_problem(
    source: ArraySource, moments: Moments, n_clusters: int, divisor: Divisor, ddof: int, loss: Any
) -> LossProblem:
    """Complete rows, on request in standard deviations, with columns centred at their medians."""
    X, weights = source.dense(), source.weights
    found = RowProblem.of(source, moments, n_clusters, divisor, ddof)
    known = replace(found.scaling, grid=None)
    Z = known.apply(X)[:, :-1]
    medians, _ = column_medians(Z, weights)
    Z -= medians  # now exactly 0
    # Medians are in prepared units; the offset of the map is in those before the division.
    scaling = replace(known, offset=(known.offset + medians * known.spread).astype(X.dtype))
    dense, ends = ArraySource(X, weights, source.kept), (moments.top, moments.bottom)
    centred = RowProblem.within(dense, scaling.gridded(*ends, len(X)), n_clusters)
    total = absolute_sizes(Z, weights).sum(axis=0, dtype=np.float64)
    rows: Any = partial(MedianRows, Z, n_clusters=n_clusters, weights=weights)
    more: dict[str, Any] = {"rank": rank_medians, "loss": loss, "drawn": centred, "given": centred}
    return LossProblem(dense, n_clusters, moments, scaling, total, rows, **more)


def absolute_sizes(Z: Array, weights: Array | None) -> Array:
    """Weighted absolute values of the entries, (n, p)."""
    return np.abs(Z) if weights is None else np.abs(Z) * weights[:, None]


def rank_medians(found: ClusterMedians, **ranking: Any) -> Ranked:
    """The s features with the largest gains of their medians, and the medians there."""
    return Ranked(*select_features(found.gains, found.medians, **ranking), found.gains)


def column_medians(X: Array, weights: Array | None = None) -> tuple[Array, Array]:
    """Median of each column (mean of the two middle values), and the sum of absolute deviations from it.

    Shapes: X (m, p), weights (m,); returns medians, deviations (p,).
    """
    if len(X) == 0:
        return np.zeros(X.shape[1], X.dtype), np.zeros(X.shape[1], X.dtype)
    if weights is None:
        medians = np.median(X, axis=0)
        return medians, np.abs(X - medians).sum(axis=0)
    medians = observed_medians(X, weights)
    return medians, weights @ np.abs(X - medians)


def nearest_absolute(block: Array, centers: Array) -> Labels:
    """Index of the centre with the smallest sum of absolute differences."""
    labels: Labels = cdist(block, centers, "cityblock").argmin(axis=1).astype(np.int32)
    return labels

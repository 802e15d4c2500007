"""The revised silhouette of robust sparse k-means: distance to the nearest centre against the second nearest.

Source: Kondo (2011), "Robustification of the sparse K-means clustering algorithm", MSc thesis, University of
British Columbia.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    IntArray,
    long_column_sums,
    long_sum,
    sequential_sum,
)
from sparsek.rcompat.rskc.algorithm import means_of_kept


@dataclass(frozen=True, slots=True)
class RevisedWidths:
    """A revised silhouette."""

    centers: FloatArray  # (k, q): centres of the features in use, times the root of the weights
    distances: FloatArray  # (n, k): weighted squared distances
    # (n,): (second smallest distance - smallest) / second smallest; NaN where a distance is undefined
    widths: FloatArray
    sorted_widths: list[FloatArray]  # The defined widths of each cluster, decreasing
    # Rows (from 0) in that order, NaN at places that R leaves empty because of ties
    sorted_rows: list[FloatArray]


def weighted_distances(z: FloatArray, centers: FloatArray, weights: FloatArray) -> FloatArray:
    """Squared distances to centres over the features that row and centre share, scaled up for the others.

    Shapes: z (n, q), centers (k, q), weights (q,); returns (n, k).
    """
    total = long_sum(weights)
    columns = []
    for center in centers:
        t = np.ascontiguousarray((z - center).T)
        common = ~np.isnan(t)
        t *= t
        t[~common] = 0.0
        seen = sequential_sum(np.where(common, weights[:, None], 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            columns.append(long_column_sums(t) * (total / seen))
    return np.stack(columns, axis=1)


def revised_silhouette(
    x: FloatArray, labels: IntArray, k: int, weights: FloatArray, left_out: IntArray
) -> RevisedWidths:
    """Silhouette of a weighted clustering.

    Shapes: x (n, p), labels (n,), weights (p,).
    """
    if k == 2 and 2 * np.count_nonzero(labels == 0) < len(labels):
        labels = 1 - labels
    used = weights != 0
    z = x[:, used] * np.sqrt(weights[used])
    kept = np.ones(len(x), dtype=bool)
    kept[left_out] = False
    centers = means_of_kept(z, labels, kept, k)
    distances = weighted_distances(z, centers, weights[used])
    nearest = np.sort(distances, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = (nearest[:, 1] - nearest[:, 0]) / nearest[:, 1]
    widths[np.isnan(distances).any(axis=1)] = np.nan
    widths_by_cluster, rows_by_cluster = [], []
    for j in range(k):
        rows = np.flatnonzero(labels == j)
        w = widths[rows]
        widths_by_cluster.append(np.sort(w[~np.isnan(w)])[::-1])
        rows_by_cluster.append(_placed(rows, w))
    return RevisedWidths(centers, distances, widths, widths_by_cluster, rows_by_cluster)


def _placed(rows: IntArray, widths: FloatArray) -> FloatArray:
    """Rows placed by the rank of their width, the largest first.

    Ties share their mean rank; rows with a fractional rank are not placed. Undefined widths rank above all
    others. Of several rows at one place the last stays; empty places at the end are cut off.
    """
    defined = ~np.isnan(widths)
    ranks = np.empty(len(rows))
    ranks[defined] = rankdata(widths[defined])
    ranks[~defined] = np.count_nonzero(defined) + 1 + np.arange(np.count_nonzero(~defined))
    places = len(rows) - ranks
    placed = np.full(len(rows), np.nan)
    for row, place in zip(rows, places, strict=True):
        if place == int(place):
            placed[int(place)] = row
    filled = np.flatnonzero(~np.isnan(placed))
    return placed[: filled[-1] + 1] if len(filled) else placed[:0]

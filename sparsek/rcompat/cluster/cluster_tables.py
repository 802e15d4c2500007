"""What R's ``pam`` tells of its clusters: sizes, diameters, separations, isolation, silhouettes.

Source: Kaufman & Rousseeuw (1990), "Finding Groups in Data", chapter 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList

SILHOUETTE_COLUMNS = ["cluster", "neighbor", "sil_width"]


@dataclass(frozen=True, slots=True)
class Widths:
    """Silhouette widths of a partition."""

    objects: IntArray  # Objects from 0: by cluster, and in it from the widest on
    # (n, 3): cluster and neighbouring cluster, both from 1, and silhouette width of these objects
    table: FloatArray
    by_cluster: FloatArray  # (k,): means of the widths
    overall: float  # Mean of all widths


def describe_clusters(d: FloatArray, labels: IntArray, medoids: IntArray) -> tuple[FloatArray, IntArray]:
    """Numbers on the clusters, and whether they are isolated.

    Shapes: d (n, n); returns (k, 5).
    """
    table, isolation = np.zeros((len(medoids), 5)), np.zeros(len(medoids), dtype=np.int64)
    for c, medoid in enumerate(medoids):
        inside = labels == c
        own, within = d[inside, medoid], d[np.ix_(inside, inside)]
        table[c, 0] = len(own)
        table[c, 1:4] = own.max(), sequential_sum(own[:, None])[0] / len(own), within.max()
        if inside.all():
            continue
        outward = d[np.ix_(inside, ~inside)].min(axis=1)
        table[c, 4] = outward.min()
        if len(own) > 1 and (within.max(axis=1) < outward).all():
            isolation[c] = 2 if table[c, 3] < table[c, 4] else 1
    return table, isolation


def silhouette_list(d: FloatArray, labels: IntArray, k: int, names: list[str]) -> RList:
    """R's list of silhouette widths, with the names of the objects.

    Shapes: d (n, n).
    """
    sorted_widths = silhouette_widths(d, labels, k)
    rows = [names[i] for i in sorted_widths.objects]
    table = RArray(sorted_widths.table, dimnames=(rows, SILHOUETTE_COLUMNS))
    means = {"clus.avg.widths": sorted_widths.by_cluster, "avg.width": sorted_widths.overall}
    return RList({"widths": table, **means})


def silhouette_widths(d: FloatArray, labels: IntArray, k: int) -> Widths:
    """Silhouettes as ``pam`` computes them, sorted.

    Shapes: d (n, n).
    """
    sizes = np.bincount(labels, minlength=k)
    sums = np.stack([sequential_sum(d[labels == c]) for c in range(k)], axis=1)
    every = np.arange(len(d))
    own = sums[every, labels] / np.maximum(sizes[labels] - 1, 1)
    means = sums / sizes
    means[every, labels] = np.inf
    neighbours = means.argmin(axis=1)
    neighbours[(neighbours == labels) & (labels == 0)] = 1
    neighbours[np.isinf(means.min(axis=1))] = -2  # none: -1 in R's table
    widths = _widths(own, means[every, neighbours % k])
    widths[sizes[labels] == 1] = 0.0
    objects = np.lexsort((every, -widths, labels))
    by_cluster, total = np.empty(k), 0.0
    for c in range(k):
        part = float(sequential_sum(widths[objects[labels[objects] == c], None])[0])
        by_cluster[c] = part / sizes[c]
        total += part
    table = np.stack([labels + 1.0, neighbours + 1.0, widths], axis=1)[objects]
    return Widths(objects, table, by_cluster, total / len(d))


def _widths(own: FloatArray, other: FloatArray) -> FloatArray:
    """Silhouette widths from mean dissimilarities to the own and to the nearest other cluster."""
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = np.where(other > own, 1 - own / other, other / own - 1)
    widths[own == other] = 0.0
    return np.clip(widths, -1.0, 1.0)

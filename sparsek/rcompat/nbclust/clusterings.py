"""What puts the rows into clusters: trees and k-means, as NbClust runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import IntArray
from sparsek.rcompat.base.data import as_numbers
from sparsek.rcompat.nbclust.gap import draw_uniform, sum_of_variances
from sparsek.rcompat.nbclust.grouping import GivenData, group, make_rows
from sparsek.rcompat.nbclust.scatter_indices import Groupings
from sparsek.rcompat.stats.api_hclust import cutree, hclust
from sparsek.rcompat.stats.api_kmeans import kmeans
from sparsek.rcompat.stats.distances.api_dist import dist
from sparsek.rcompat.stats.distances.pairs import square_matrix
from sparsek.rng import RRandom

Labels = Callable[..., IntArray]
"""From a number of clusters, and how often R makes them, to clusters from 0."""
SEED = 1
"""R seeds the stream by this before each run of k-means and each uniform column."""


def make_labels(rows: GivenData, d: Any, method: str, stream: RRandom) -> Labels:
    """What makes so many clusters from 0."""
    return _kmeans_labels(rows, stream) if method == "kmeans" else _tree_labels(d, method)


def add_uniform(groups: Groupings, method: str, first: int, last: int, stream: RRandom) -> Groupings:
    """The groupings beside those of uniform rows by Euclidean distances; RError as R's for a row far away."""
    x = draw_uniform(groups[1].rows.x, stream, SEED)
    d = dist(x)
    rows = make_rows(x, square_matrix(as_numbers(d, "diss"), "diss"))
    cut = make_labels(rows, d, method, stream)
    both = dict(groups)
    for q in range(first, last + 1):
        both[q] = replace(groups[q], uniform=group(rows, cut(q)))
        sum_of_variances(groups[q])  # R makes this sum of the data too, and does not use it
    return both


def in_order(last: int) -> list[int]:
    """Numbers of clusters up to the one after the last; the one that R makes last is at the end."""
    end = max(last - 1, 2)
    return sorted(range(1, last + 2), key=lambda q: q == end)


def count_runs(q: int, first: int, last: int) -> int:
    """How often R runs k-means for q clusters: with each number, its neighbours and the largest one."""
    near = sum(first <= k <= last for k in (q - 1, q, q + 1))
    return max(1, near + (last - first + 1) * (q == last))


def _tree_labels(d: Any, method: str) -> Labels:
    """What cuts the tree into so many clusters from 0."""
    tree = hclust(d, method)
    return lambda q, runs=1: np.asarray(cutree(tree, q), dtype=np.int64) - 1


def _kmeans_labels(rows: GivenData, stream: RRandom) -> Labels:
    """What makes so many clusters from 0 by k-means, seeded each time."""
    if not rows.x.shape[1]:
        raise ValueError('data are needed for method "kmeans"')

    def cut(q: int, runs: int = 1) -> IntArray:
        for _ in range(runs):
            stream.seed(SEED)
            found = kmeans(rows.x, q, rng=stream)
            if not found["ifault"]:
                break  # further runs give the same, and no warnings
        return np.asarray(found["cluster"], dtype=np.int64) - 1

    return cut

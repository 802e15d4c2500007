"""Consensus matrices of clusterings of resamples, and measures and clusters from them (Monti et al. 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

LEFT_OUT = -2
"""Label of a row that a resample left out."""
OUTLIER = -1
"""Label of a row that the estimator put into no cluster."""
COLUMNS = 1024
"""Number of indicators multiplied at a time."""
MATRICES = 3
"""Largest number of n x n matrices of doubles held at once when numbers of clusters are compared."""

Floats = NDArray[np.float64]
Counts = NDArray[np.float32]  # whole numbers, exact up to 2^24
LabelTable = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How close the entries of a consensus matrix are to 0 and 1."""

    # Share of the pairs with an entry above the lower limit and not above the upper one: PAC
    ambiguous: float
    # Area under the distribution function of the entries from 0 to 1, which is 1 minus their mean
    area: float


def sampled_together(labels: LabelTable) -> Counts:
    """How often each pair of rows was in the same resample, condensed; `labels` is (n_resamples, n)."""
    return _pair_counts(labels != LEFT_OUT)


def clustered_together(labels: LabelTable) -> Counts:
    """How often each pair of rows was in the same cluster, condensed; `labels` is (n_resamples, n)."""
    clusters = np.arange(max(labels.max(), 0) + 1)
    return _pair_counts((labels[:, None] == clusters[:, None]).reshape(-1, labels.shape[1]))


def _pair_counts(indicators: NDArray[np.bool_]) -> Counts:
    """For each pair of columns of (m, n), the number of rows in which both are true, by matrix products."""
    n = indicators.shape[1]
    total: Any = np.zeros((n, n), dtype=np.float32)
    for first in range(0, len(indicators), COLUMNS):
        block = indicators[first : first + COLUMNS].astype(np.float32)
        total += block.T @ block
    condensed: Counts = squareform(total, checks=False)
    return condensed


def consensus(together: Counts, sampled: Counts) -> Floats:
    """Share of a pair's common resamples in which it shared a cluster; 0 if it has none."""
    shares = np.zeros(len(together))
    return np.divide(together, sampled, out=shares, where=sampled > 0, dtype=np.float64)


def pair_weights(weights: Floats | None, seen: NDArray[np.bool_]) -> Floats | None:
    """For each pair of rows that was seen, condensed, the product of their weights; None without weights."""
    if weights is None:
        return None
    # Products of shares up to 1 cannot overflow, and the scale of the weights does not matter.
    shares = weights / weights.max()
    products: Floats = squareform(np.outer(shares, shares), checks=False)[seen]
    return products


def agreement(entries: Floats, lower: float, upper: float, weights: Floats | None = None) -> Agreement:
    """PAC = F(upper) - F(lower) and the area, by weights of the pairs; both 0 if there are no entries."""
    if not len(entries):
        return Agreement(0.0, 0.0)
    if weights is not None:
        total = float(weights.sum())
        # F counts entries at its argument: those at the lower end are left out, those at the upper one count.
        between = weights[(entries > lower) & (entries <= upper)].sum()
        return Agreement(float(between) / total, 1 - float((weights * entries).sum()) / total)
    ambiguous = np.count_nonzero((entries > lower) & (entries <= upper)) / len(entries)
    # The area below the distribution function of numbers from 0 to 1 is 1 minus their mean.
    return Agreement(ambiguous, 1 - float(entries.mean()))


def consensus_labels(entries: Floats, n_clusters: int, weights: Floats | None = None) -> NDArray[np.int32]:
    """Clusters of average linkage on 1 minus the consensus, numbered by first appearance."""
    if weights is not None:
        return _weighted_labels(squareform(1 - entries, checks=False), n_clusters, weights)
    tree = linkage(1 - entries, "average")
    labels: NDArray[np.int32] = cut_tree(tree, [n_clusters])[:, 0].astype(np.int32)
    return labels


def _weighted_labels(distances: Floats, n_clusters: int, weights: Floats) -> NDArray[np.int32]:
    """The same where the average of two clusters is over their weights; changes `distances`.

    Lance and Williams' update with weights of the rows as the first sizes.
    """
    n = len(distances)
    sizes, found = weights.astype(np.float64), np.arange(n)
    np.fill_diagonal(distances, np.inf)
    for _ in range(n - n_clusters):
        first, second = sorted(divmod(int(distances.argmin()), n))
        share = sizes[first] / (sizes[first] + sizes[second])
        # Average linkage: the distance to a merged cluster is the mean of both, by their weights.
        row = share * distances[first] + (1 - share) * distances[second]
        distances[first] = distances[:, first] = row
        distances[second] = distances[:, second] = np.inf
        sizes[first] += sizes[second]
        found[found == second] = first
    labels: NDArray[np.int32] = np.unique(found, return_inverse=True)[1].astype(np.int32)
    return labels


def within_clusters(
    matrix: Floats, labels: NDArray[np.int32], n_clusters: int, weights: Floats | None = None
) -> Floats:
    """Mean consensus of the pairs in each cluster (Monti et al., m(k)), by weights; 1 for a single row."""
    member = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
    own = member  # what the diagonal of ones adds
    if weights is not None:
        member = member * (weights / weights.max())[:, None]
        own = member * member
    # The product counts every pair in both orders, and each row with itself, which is taken off.
    sums = np.einsum("ik,ik->k", member, matrix @ member) - own.sum(axis=0)
    sizes = member.sum(axis=0)
    pairs = np.where((own > 0).sum(axis=0) > 1, sizes * sizes - own.sum(axis=0), 0)
    means: Floats = np.divide(sums, pairs, out=np.ones(n_clusters), where=pairs > 0)
    return means

"""Sparse k-means with absolute differences in place of squared ones.

Maximises sum_j w_j a_j over partitions and weights with ||w||_2 <= 1, ||w||_1 <= s, w >= 0, where

    a_j = (1/n) sum_ii' |x_ij - x_i'j| - sum_k (1/n_k) sum_{i, i' in k} |x_ij - x_i'j|.

Given the weights, single rows move as long as that lowers W = sum_k T_k / n_k, where T_k is the sum of the
weighted dissimilarities within cluster k. Sums of absolute differences to the members of a cluster come from
sorted columns and cumulative sums.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Sections 2 and 3 (any dissimilarity that adds up over the features). Moves: Hartigan (1975), "Clustering
Algorithms", Wiley.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, FitResult, Labels, nonzero
from sparsek.core.weights import weights_settled
from sparsek.methods.shared.groups import Grouping
from sparsek.methods.sparse_kmeans.algorithm import bounded_weights

NOISE = 1e-12
"""A move counts as rounding if it lowers W by less than this share of W with one cluster."""


@dataclass(frozen=True, slots=True)
class AbsoluteWeighting:
    """Weights of a partition."""

    weights: Array  # (p,) float64: feature weights w
    criterion: float  # -sum_j w_j a_j


@dataclass(frozen=True, slots=True)
class SortedColumns:
    """Rows with every column sorted."""

    data: Array  # (n, p) float64: rows
    order: NDArray[np.intp]  # (n, p) int: rows in ascending order of each column
    mass: Array  # (n,) float64: numbers of repetitions of the rows, positive

    def memberships(self, labels: Labels, n_clusters: int) -> Array:
        """Matrix (n, n_clusters) with the mass of each row in its cluster."""
        matrix = np.zeros((len(labels), n_clusters))
        matrix[np.arange(len(labels)), labels] = self.mass
        return matrix

    def sums(self, memberships: Array, X: Array, columns: Array) -> Iterator[Array]:
        """Sums of |x_ij - z_lj| over the members l of each cluster, shape (len(X), n_clusters), by column.

        Members count by their mass; `columns` are the columns wanted.
        """
        counts = memberships.sum(axis=0)
        start = np.zeros((1, len(counts)))
        for j in columns.tolist():
            sorted_rows = self.order[:, j]
            values, members = self.data[sorted_rows, j], memberships[sorted_rows]
            below = np.concatenate([start, np.cumsum(members, axis=0)])
            total = np.concatenate([start, np.cumsum(members * values[:, None], axis=0)])
            place = np.searchsorted(values, X[:, j], side="right")
            # Members below x add x - z and those above add z - x: cumulative masses and sums give both parts.
            yield X[:, j, None] * (2 * below[place] - counts) - 2 * total[place] + total[-1]


def sort_columns(X: Array, weights: Array | None = None) -> SortedColumns:
    """Sort every column of X."""
    mass = np.ones(len(X)) if weights is None else weights.astype(np.float64)
    return SortedColumns(X, np.argsort(X, axis=0, kind="stable"), mass)


def absolute_sparse_kmeans(
    rows: SortedColumns,
    labels: Labels,
    *,
    n_clusters: int,
    l1_bound: float,
    max_iter: int = 100,
    tol: float = 1e-4,
    candidates: Array | None = None,
    groups: Grouping | None = None,
) -> FitResult[AbsoluteWeighting]:
    """One start of sparse k-means with absolute differences from given labels; only `candidates` count.

    Shapes: labels (n,) int32.
    """
    p = rows.data.shape[1]
    counts = np.isin(np.arange(p), np.arange(p) if candidates is None else candidates)
    labels = move_rows(rows, counts / np.sqrt(np.count_nonzero(counts)), labels, n_clusters)
    weights: Array | None = None
    history: list[float] = []
    while True:
        a, previous = counts * between(rows, labels, n_clusters), weights
        weights = bounded_weights(a, l1_bound, groups)
        history.append(-float(weights @ a))
        moved = move_rows(rows, weights, labels, n_clusters)
        done = np.array_equal(moved, labels) or weights_settled(weights, previous, tol)
        if done or len(history) >= max_iter:
            return FitResult(labels, AbsoluteWeighting(weights, history[-1]), tuple(history), done)
        labels = moved


def between(rows: SortedColumns, labels: Labels, n_clusters: int) -> Array:
    """a_j of every feature, shape (p,)."""
    if len(np.unique(labels)) == 1:
        return np.zeros(rows.data.shape[1])
    memberships = rows.memberships(labels, n_clusters)
    counts = memberships.sum(axis=0)
    a = np.empty(rows.data.shape[1])
    for j, sums in enumerate(rows.sums(memberships, rows.data, np.arange(len(a)))):
        # Each pair of a cluster is counted in both orders, as in the definition of a_j.
        within = (sums * memberships).sum(axis=0) / nonzero(counts)
        a[j] = rows.mass @ sums.sum(axis=1) / counts.sum() - within.sum()
    return np.maximum(a, 0)  # below 0 by rounding alone


def move_rows(rows: SortedColumns, weights: Array, labels: Labels, n_clusters: int) -> Labels:
    """Move single rows, each to its best cluster, until no move lowers W."""
    used = np.flatnonzero(weights)
    if not len(used):
        return labels
    labels = labels.copy()
    memberships, mass = rows.memberships(labels, n_clusters), rows.mass
    counts = memberships.sum(axis=0)
    sizes = np.bincount(labels, minlength=n_clusters)
    sums = weighted_sums(rows, memberships, rows.data, weights)
    within = (sums * memberships).sum(axis=0)
    # Weights are not negative, so that differences of weighted columns are weighted differences.
    scaled = rows.data[:, used] * weights[used]
    noise = NOISE * float(mass @ sums.sum(axis=1)) / mass.sum()
    everyone = np.arange(len(labels))
    while True:
        gains = gains_of_moves(sums, within, counts, labels, mass)
        gains[sizes[labels] == 1] = -np.inf
        candidates = everyone[gains.max(axis=1) > noise]
        if not len(candidates):
            return labels
        for i in candidates.tolist():
            one = slice(i, i + 1)
            # Moves of rows before this one may have changed what it gains.
            own = gains_of_moves(sums[one], within, counts, labels[one], mass[one])[0]
            target, source = int(np.argmax(own)), int(labels[i])
            if own[target] <= noise or sizes[source] == 1:
                continue
            # A pair counts in both orders, so that the row takes twice its sum with it.
            within[source] -= 2 * mass[i] * sums[i, source]
            within[target] += 2 * mass[i] * sums[i, target]
            for totals, amount in ((counts, mass[i]), (sizes, 1)):
                totals[source] -= amount
                totals[target] += amount
            distances = mass[i] * np.abs(scaled - scaled[i]).sum(axis=1)
            sums[:, source] -= distances
            sums[:, target] += distances
            labels[i] = target


def weighted_sums(rows: SortedColumns, memberships: Array, X: Array, weights: Array) -> Array:
    """Weighted sums of absolute differences to the members of each cluster, shape (len(X), n_clusters)."""
    used = np.flatnonzero(weights)
    total = np.zeros((len(X), memberships.shape[1]))
    for weight, sums in zip(weights[used], rows.sums(memberships, X, used), strict=True):
        total += weight * sums
    return total


def gains_of_moves(sums: Array, within: Array, counts: Array, labels: Labels, mass: Array) -> Array:
    """By how much W falls when a row moves to each cluster; without meaning for the last row of a cluster."""
    places = np.arange(len(labels))
    size, total = counts[labels], within[labels]
    left = np.where(size > mass, size - mass, 1)
    # T_k counts a pair in both orders, so that a row that leaves takes twice its sum away.
    leaving = total / size - (total - 2 * mass * sums[places, labels]) / left
    moved = mass[:, None]
    gains: Array = leaving[:, None] - (
        (within + 2 * moved * sums) / (counts + moved) - within / nonzero(counts)
    )
    gains[places, labels] = -np.inf
    return gains


@dataclass(frozen=True, slots=True)
class AbsoluteModel:
    """Clusters of a fit, for new rows."""

    rows: SortedColumns  # The rows of the fit in the features of positive weight
    memberships: Array  # (n, n_clusters): their masses in their clusters
    weights: Array  # Weights of these features
    halves: Array  # (n_clusters,): T_k / (2 n_k^2); infinite, negative, for a cluster without rows

    def distances(self, X: Array) -> Array:
        """Mean dissimilarity to the members of each cluster less half the mean among them; at least 0."""
        sums = weighted_sums(self.rows, self.memberships, X, self.weights)
        found: Array = np.maximum(sums / nonzero(self.memberships.sum(axis=0)) - self.halves, 0)
        return found


def absolute_model(rows: SortedColumns, labels: Labels, weights: Array, n_clusters: int) -> AbsoluteModel:
    """Clusters for new rows; `rows` and `weights` are those of the features of positive weight."""
    memberships, data = rows.memberships(labels, n_clusters), rows.data
    counts = memberships.sum(axis=0)
    within = (weighted_sums(rows, memberships, data, weights) * memberships).sum(axis=0)
    # Minus infinity makes an empty cluster infinitely far from every row.
    halves = np.where(counts > 0, within / nonzero(2 * counts**2), -np.inf)
    return AbsoluteModel(rows, memberships, weights, halves)


def cluster_medians(rows: SortedColumns, labels: Labels, n_clusters: int) -> Array:
    """Medians of all features, shape (n_clusters, p); 0 for a cluster without rows."""
    medians = np.zeros((n_clusters, rows.data.shape[1]))
    for k in np.unique(labels).tolist():
        for j in range(rows.data.shape[1]):
            own = rows.order[labels[rows.order[:, j]] == k, j]
            mass = np.cumsum(rows.mass[own])
            # Where the masses split exactly in halves, the median is the mean of both middle values.
            sides = [np.searchsorted(mass, mass[-1] / 2, side) for side in ("left", "right")]
            medians[k, j] = rows.data[own[np.minimum(sides, len(own) - 1)], j].mean()
    return medians

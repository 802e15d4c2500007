"""Sums, gains and nearest centres: the array steps that the methods share.

Data matrices here are *prepared* (see `sparsek.methods.shared.scaling.prepare`): columns centred, and one
last column of ones. The ones turn cluster sums into cluster sizes, and carry the constant of the distance
through a matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from sparsek.numerics.exact_sums import Grid, added_rows
from sparsek.numerics.near_ties import Ties

Array = NDArray[Any]
Labels = NDArray[np.int32]

SMALL_SCORES = 20_000
"""Up to this many distances, numpy's own argmin beats the cached chunks."""
CHUNK_ROWS = 8192
"""Rows scored at a time, so that the (n_clusters, rows) scores stay in the processor's cache."""
REFRESH_ROWS = 4
"""The sums of one start are recomputed when this many times n rows have moved."""
GATHERED_SHARE = 16
"""If at most one row in this many moved, the moved rows are copied; else all rows are read."""
MOVED_ENTRIES = 1_000_000
"""Entries of moved rows that are copied at a time."""
DENSE_CHANGE = 1_000_000
"""Up to this many products, a small dense matrix beats a sparse one."""


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums of the rows of each cluster.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        The partition, clusters numbered from 0.
    sums : ndarray of shape (n_clusters, p + 1)
        Weighted sums of the prepared rows; the last column holds the cluster sizes.
    age : int
        Rows that moved since the sums were last computed in full; 0 for exact sums.
    whole : ndarray of shape (n_clusters, p + 1), int64, or None
        The exact sums in multiples of the units of a grid; None for sums that were rounded on the way.
    """

    labels: Labels
    sums: Array
    age: int = 0
    whole: Array | None = None

    @property
    def counts(self) -> Array:
        """Cluster sizes (sums of sample weights), shape (n_clusters,)."""
        return self.sums[:, -1]

    @property
    def means(self) -> Array:
        """Cluster means, shape (n_clusters, p); an empty cluster stays at the origin."""
        return self.sums[:, :-1] / nonzero(self.counts)[:, None]

    @property
    def gains(self) -> Array:
        """n_k mu_kl^2 = S_kl^2 / n_k, (n_clusters, p); 0 for empty clusters and for a cluster of all rows."""
        if np.count_nonzero(self.counts) == 1:
            # The mean of centred data is 0 but for rounding.
            return np.zeros_like(self.sums[:, :-1])
        sums = self.sums[:, :-1]
        return sums * sums / nonzero(self.counts)[:, None]

    @property
    def total_gains(self) -> Array:
        """Gains added over the clusters, shape (p,)."""
        if np.count_nonzero(self.counts) == 1:
            return np.zeros_like(self.sums[0, :-1])
        return added_gains(self.sums)


def added_gains(sums: Array) -> Array:
    """Gains (..., p) added over the clusters, one after the other, from their sums (..., k, p + 1)."""
    gains = np.square(sums[..., :-1])
    gains *= (1 / nonzero(sums[..., -1]))[..., None]
    total: Array = gains[..., 0, :].copy()
    for k in range(1, sums.shape[-2]):
        total += gains[..., k, :]
    return total


def exact_sums(
    X: Array, labels: Labels, n_clusters: int, grid: Grid, weights: Array | None = None, rounded: bool = False
) -> ClusterSums:
    """Sum the rows of each cluster exactly; `rounded`: the rows are multiples of the units of the grid."""
    whole = added_rows(X, grid, n_clusters, labels, None, weights, rounded)
    return ClusterSums(labels, grid.values(whole), whole=whole)


def exact_moved_sums(
    X: Array,
    labels: Labels,
    previous: ClusterSums,
    grid: Grid,
    weights: Array | None = None,
    rounded: bool = False,
) -> ClusterSums:
    """The same of new labels from the previous sums: only rows that moved are read, if these are not many."""
    n_clusters, moved = len(previous.sums), np.flatnonzero(labels != previous.labels)
    if previous.whole is None or 4 * len(moved) > len(labels):
        return exact_sums(X, labels, n_clusters, grid, weights, rounded)
    whole = previous.whole.copy()
    step = max(1, MOVED_ENTRIES // X.shape[1])
    for start in range(0, len(moved), step):
        some = moved[start : start + step]
        mass = None if weights is None else weights[some]
        whole += added_rows(X[some], grid, n_clusters, labels[some], previous.labels[some], mass, rounded)
    return ClusterSums(labels, grid.values(whole), whole=whole)


def nonzero(counts: Array) -> Array:
    """Replace counts of 0 by 1, for division."""
    return counts + (counts == 0)


def cluster_sums(X: Array, labels: Labels, n_clusters: int, weights: Array | None = None) -> ClusterSums:
    """Sum the rows of each cluster: one-hot matrix times X, which reads X once in storage order."""
    n = len(labels)
    data = np.ones(n, dtype=X.dtype) if weights is None else weights
    one_hot = csc_array((data, labels, np.arange(n + 1, dtype=np.int32)), shape=(n_clusters, n))
    return ClusterSums(labels, one_hot @ X)


def moved_sums(X: Array, labels: Labels, previous: ClusterSums, weights: Array | None = None) -> ClusterSums:
    """Cluster sums of new labels from the previous sums: only rows that moved are read."""
    n_clusters, n = len(previous.sums), len(labels)
    moved = np.flatnonzero(labels != previous.labels)
    m = len(moved)
    age = previous.age + m
    if age > REFRESH_ROWS * n or 4 * m > n:
        return cluster_sums(X, labels, n_clusters, weights)
    new, old = labels[moved], previous.labels[moved]
    step = np.ones(m, dtype=X.dtype) if weights is None else weights[moved]
    if m * n_clusters * X.shape[1] <= DENSE_CHANGE:
        change = np.zeros((n_clusters, m), dtype=X.dtype)
        change[new, np.arange(m)] = step
        change[old, np.arange(m)] = -step
        sums = previous.sums + change @ X[moved]
    else:
        data, rows = np.column_stack([step, -step]).ravel(), np.column_stack([new, old]).ravel()
        if GATHERED_SHARE * m <= n:
            pointers = np.arange(0, 2 * m + 1, 2, dtype=np.int32)
            sums = previous.sums + csc_array((data, rows, pointers), shape=(n_clusters, m)) @ X[moved]
        else:
            # One column per row of X, empty for rows that stayed. The product copies no row.
            pointers = np.zeros(n + 1, dtype=np.int32)
            pointers[moved + 1] = 2
            moves = csc_array((data, rows, np.cumsum(pointers, out=pointers)), shape=(n_clusters, n))
            sums = previous.sums + moves @ X
    empty = np.bincount(labels, minlength=n_clusters) == 0
    if empty.any():
        sums[empty] = 0  # exact zeros instead of rounding errors
    return ClusterSums(labels, sums, age)


def score_coefficients(centers: Array) -> Array:
    """Rows (-theta_k, ||theta_k||^2 / 2); times a prepared row x: (||x - theta_k||^2 - ||x||^2) / 2."""
    coefficients = np.empty((*centers.shape[:-1], centers.shape[-1] + 1), centers.dtype)
    np.negative(centers, out=coefficients[..., :-1])
    coefficients[..., -1] = 0.5 * np.einsum("...i,...i->...", centers, centers)
    return coefficients


def scaled_coefficients(centers: Array, factors: Any) -> Array:
    """Score coefficients of centres for rows whose columns times `factors` are comparable with them."""
    coefficients = score_coefficients(centers)
    if factors is not None:
        coefficients[:, :-1] *= factors
    return coefficients


def nearest(X: Array, centers: Array, room: Array | None = None, ties: Ties | None = None) -> Labels:
    """Index of the nearest centre of each prepared row; ties go to the lowest index; see `lowest_score`."""
    return lowest_score(X, score_coefficients(centers), room, ties)


def lowest_score(
    X: Array, coefficients: Array, room: Array | None = None, ties: Ties | None = None
) -> Labels:
    """Index of the smallest entry of each row of X @ coefficients.T; ties go to the lowest index.

    `room` is memory for the scores, n * n_clusters entries of the type of X, for callers with many pieces.
    Rows whose scores are equal up to rounding are decided by `ties`, if given.
    """
    n, n_clusters = len(X), len(coefficients)
    labels = np.empty(n, dtype=np.int32)
    step = n if n * n_clusters <= SMALL_SCORES else CHUNK_ROWS
    if room is None:
        room = np.empty(n_clusters * min(n, step), np.result_type(X, coefficients))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        scores = room[: n_clusters * (rows.stop - start)].reshape(n_clusters, -1)
        np.matmul(coefficients, X[rows].T, out=scores)
        if step == n:
            labels[:], best = scores.argmin(axis=0), scores.min(axis=0)
        else:
            labels[rows], best = lowest(scores)
        if ties is not None:
            ties.settle(scores, best, labels[rows], start)
    return labels


def first_minimum(scores: Array) -> Array:
    """Row index of the smallest entry of each column, lowest index on ties; faster than argmin(axis=0)."""
    return lowest(scores)[0]


def lowest(scores: Array) -> tuple[Array, Array]:
    """The same, and the smallest entry."""
    n_rows = len(scores)
    small = np.min_scalar_type(-n_rows)
    best = scores[0].copy()
    labels = np.zeros(scores.shape[1], dtype=small)
    for k in range(1, n_rows):
        better = scores[k] < best
        np.minimum(best, scores[k], out=best)
        np.maximum(labels, np.multiply(better, k, dtype=small), out=labels)
    return labels, best


def two_smallest(scores: Array) -> tuple[Array, Array, Array]:
    """Index of the smallest entry of each column, lowest on ties; that entry; and the second smallest."""
    small = np.min_scalar_type(-len(scores))
    best = scores[0].copy()
    second = np.full_like(best, np.inf)
    labels = np.zeros(len(best), dtype=small)
    for k in range(1, len(scores)):
        better = scores[k] < best
        np.minimum(second, np.maximum(best, scores[k]), out=second)
        np.minimum(best, scores[k], out=best)
        np.maximum(labels, np.multiply(better, k, dtype=small), out=labels)
    return labels, best, second


def select_columns(X: Array, columns: Array, old: Array | None) -> Array:
    """Prepared data in the given columns; overwrites `old`, the previous selection, if of the same width."""
    if len(columns) == X.shape[1] - 1:
        return X
    columns = np.append(columns, X.shape[1] - 1)
    # The indices are in range; mode "clip" only lets numpy write without a buffer.
    if old is not None and old.shape[1] == len(columns):
        return X.take(columns, axis=1, out=old, mode="clip")
    return X.take(columns, axis=1, mode="clip")


def squared_distances(X: Array, labels: Labels, centers: Array) -> Array:
    """||x_i - theta_label(i)||^2 by direct differences, for prepared rows."""
    difference = X[:, :-1] - centers[labels]
    return np.einsum("ij,ij->i", difference, difference)


def largest(gains: Array, n_selected: int) -> NDArray[np.intp]:
    """Sorted indices of the n_selected largest gains of each row; ties go to the lowest index."""
    last = gains.shape[1] - n_selected
    threshold = np.partition(gains, last, axis=1)[:, last, None]
    chosen = gains >= threshold
    found = np.nonzero(chosen)[1]
    if len(found) == len(gains) * n_selected:
        return found.reshape(len(gains), n_selected)
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > n_selected):
        tied = np.flatnonzero(gains[row] == threshold[row])
        surplus = np.count_nonzero(chosen[row]) - n_selected
        chosen[row, tied[len(tied) - surplus :]] = False
    return np.nonzero(chosen)[1].reshape(len(gains), n_selected)

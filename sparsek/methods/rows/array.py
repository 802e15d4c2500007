"""Rows of an array in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.slack import (
    Slack,
    after_move,
    fresh_slack,
    nearest_with_slack,
    squared_lengths,
)
from sparsek.methods.shared.sums import (
    Array,
    ClusterSums,
    Labels,
    Ties,
    exact_lengths,
    exact_moved_sums,
    exact_sums,
    length,
    lowest_score,
    pieces,
    row_keys,
    rows_of,
    score_coefficients,
    select_columns,
)
from sparsek.methods.shared.weights import scaled_columns
from sparsek.numerics.exact_sums import Grid, reach_of, sum_grid

COPIED_ENTRIES = 4_000_000
"""Columns of a metric are copied from arrays of at most this many entries, which is faster."""
COPIED_SHARE = 0.25
"""Of larger arrays only this share of the columns is copied."""


class ArrayRows:
    """Prepared rows in memory with a label each; see `sparsek.methods.rows.protocol.Rows`.

    Parameters
    ----------
    X : ndarray of shape (n, p + 1)
        Prepared data, ones last.
    labels : ndarray of shape (n,), int32
        Initial labels.
    n_clusters : int
        Number of clusters.
    weights : ndarray of shape (n,) or None
        Sample weights.
    grid : Grid or None
        The grid to which the columns were rounded (`Scaling.grid`); None if they were not.
    sums : Grid or None
        Units of the cluster sums, see `exact_sums.sum_grid`; None: they are found from the rows.
    """

    def __init__(
        self,
        X: Array,
        labels: Labels,
        n_clusters: int,
        weights: Array | None = None,
        grid: Grid | None = None,
        sums: Grid | None = None,
    ) -> None:
        self.X, self.labels, self.n_clusters, self.weights = X, labels, n_clusters, weights
        self.shape = (X.shape[0], X.shape[1] - 1)
        self.grid = grid
        self.reach = reach_of(X)[:-1] if grid is None else grid.reach
        self._sum_grid = sum_grid(self.reach, len(X), weights) if sums is None else sums
        self._columns: Array | None = None
        self._block = X
        self._slack: Slack | None = None
        self._centers: Array | None = None
        self._assigned = labels
        self._size = 0.0

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels."""
        rounded = self.grid is not None
        return exact_sums(self.X, self.labels, self.n_clusters, self._sum_grid, self.weights, rounded)

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        old, centers = self.labels, centers.astype(self.X.dtype, copy=False)
        if self._slack is not None and old is not self._assigned:  # the slacks are of other labels
            self._slack.values[:] = -np.inf
        self.labels = self._nearest_in(np.arange(self.shape[1]) if columns is None else columns, centers)
        if fill:
            found, self.labels = self.labels, self._filled(centers)
            if self._slack is not None and found is not self.labels:
                self._slack.values[found != self.labels] = -np.inf  # these are not with their nearest centre
        self._assigned = self.labels
        return not np.array_equal(old, self.labels)

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums after the last `assign`, updated from `previous`."""
        rounded = self.grid is not None
        return exact_moved_sums(self.X, self.labels, previous, self._sum_grid, self.weights, rounded)

    def narrowed(self, metric: Metric, sums: ClusterSums | None) -> ArrayRows:
        """The rows in the columns of a metric; many columns of a large array are not copied."""
        factors = np.ones(len(metric.columns)) if metric.factors is None else metric.factors
        if self.X.size > COPIED_ENTRIES and len(metric.columns) > COPIED_SHARE * self.shape[1]:
            return ScaledRows(self, metric.columns, factors, sums)
        chosen = np.append(metric.columns, -1)
        grid = None if self.grid is None else self.grid.chosen(metric.columns)
        grids = grid, self._sum_grid.chosen(chosen)
        some = ArrayRows(self.X.take(chosen, axis=1), self.labels, self.n_clusters, self.weights, *grids)
        return ScaledRows(some, np.arange(len(metric.columns)), factors, chosen_sums(sums, metric.columns))

    def array(self) -> Array:
        """The rows as an array, ones last."""
        return self.X

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        difference = self.array()[:, :-1] - centers[self.labels]
        squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        return float(squares.sum() if self.weights is None else self.weights @ squares)

    def _filled(self, centers: Array) -> Labels:
        """The labels, where each empty cluster has taken the row farthest from its centre."""
        return fill_empty(self.X, self.labels, centers)

    def _nearest_in(self, columns: Array, centers: Array) -> Labels:
        """Nearest centre over some columns; if these are unchanged, rows that cannot move are skipped."""
        if self._columns is not None and np.array_equal(columns, self._columns):
            if self._slack is not None and self._centers is not None:
                self._slack = after_move(self._slack, self.labels, self._centers, centers)
        else:
            self._take(columns)
            self._columns = columns
        self._centers = centers
        coefficients, ties = self._coefficients(centers), self._ties(columns, centers)
        if self._slack is None:
            return lowest_score(self._block, coefficients, ties=ties)
        return nearest_with_slack(self._block, coefficients, self.labels, self._slack, ties)

    def _take(self, columns: Array) -> None:
        """Keep the rows in other columns, with slacks of which nothing is known."""
        self._block = select_columns(self.X, columns, None if self._columns is None else self._block)
        self._size = length(self.reach[columns])
        self._slack = fresh_slack(squared_lengths(self._block), len(columns))

    def _coefficients(self, centers: Array) -> Array:
        """Score coefficients of centres for the columns that are kept."""
        return score_coefficients(centers)

    def _ties(self, columns: Array, centers: Array) -> Ties:
        """How rows near to two centres are decided."""
        return Ties.of(centers, self._size, rows_of(self._block))


class ScaledRows(ArrayRows):
    """Some columns of rows in memory, times factors, without a copy.

    The factors go into the centres and into the cluster sums, which are small.

    Parameters
    ----------
    rows : ArrayRows
        All columns of the rows, with their labels.
    columns : ndarray of shape (m,)
        Sorted indices.
    factors : ndarray of shape (m,)
        Positive factors of these columns.
    sums : ClusterSums or None
        Cluster sums of the labels over all columns, if they are known.
    """

    def __init__(self, rows: ArrayRows, columns: Array, factors: Array, sums: ClusterSums | None) -> None:
        super().__init__(rows.X, rows.labels, rows.n_clusters, rows.weights, rows.grid, rows._sum_grid)
        self.shape = (len(rows.X), len(columns))
        self._used = np.append(columns, rows.shape[1])
        self._sum_factors = np.append(factors, 1)
        self._factors = self._sum_factors.astype(rows.X.dtype)
        self._sums = sums
        self._kept = np.arange(len(columns) + 1)

    def array(self) -> Array:
        """The rows as an array, ones last: a copy."""
        return scaled_columns(self.X, self._used[:-1], self._factors[:-1])

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels."""
        if self._sums is None or self._sums.labels is not self.labels:
            self._sums = super().sums()
        return self._scaled(self._sums)

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums after the last `assign`, updated from those before it."""
        known = self._sums
        self._sums = super().sums() if known is None else super().moved_sums(known)
        return self._scaled(self._sums)

    def _filled(self, centers: Array) -> Labels:
        if np.bincount(self.labels, minlength=len(centers)).all():
            return self.labels
        return fill_empty(self.array(), self.labels, centers)

    def _take(self, columns: Array) -> None:
        self._kept = np.append(columns, -1)
        factors = np.zeros(self.X.shape[1], self.X.dtype)
        factors[self._used[columns]] = self._factors[columns]
        self._slack = fresh_slack(squared_lengths(self.X, factors), len(columns))
        self._size = length(self.reach[self._used[columns]] * self._factors[columns])

    def _coefficients(self, centers: Array) -> Array:
        coefficients = np.zeros((len(centers), self.X.shape[1]), self.X.dtype)
        kept = self._kept
        coefficients[:, self._used[kept]] = score_coefficients(centers) * self._factors[kept]
        return coefficients

    def _ties(self, columns: Array, centers: Array) -> Ties:
        used, factors = self._used[columns], self._factors[columns]
        return Ties.of(centers, self._size, lambda rows: self.X[rows[:, None], used] * factors)

    def _scaled(self, sums: ClusterSums) -> ClusterSums:
        return ClusterSums(sums.labels, sums.sums[:, self._used] * self._sum_factors, sums.age)


def chosen_sums(sums: ClusterSums | None, columns: Array) -> ClusterSums | None:
    """Exact cluster sums in some columns; None where they are not known."""
    if sums is None or sums.whole is None:
        return None
    kept = np.append(columns, -1)
    return ClusterSums(sums.labels, sums.sums[:, kept], sums.age, sums.whole[:, kept])


def fill_empty(X: Array, labels: Labels, centers: Array) -> Labels:
    """Give each empty cluster the row farthest from its centre, which always lowers the sum of squares."""
    counts = np.bincount(labels, minlength=len(centers))
    if counts.all():
        return labels
    rows, clusters = hand_out([farthest(X[:, :-1], labels, centers)], counts)
    labels = labels.copy()
    labels[rows] = clusters
    return labels


class Far(NamedTuple):
    """Rows far from their centres: number, label, squared distance, its rounding error, and `row_keys`."""

    rows: Array
    labels: Array
    distances: Array
    noise: Array
    keys: Array


def farthest(X: Array, labels: Labels, centers: Array, start: int = 0) -> Far:
    """Rows of a block that may be given to an empty cluster: those farthest from their centres.

    Twice as many as there are clusters suffice: at most one row per cluster is that cluster's only one, and
    each empty cluster takes one. Of rows at the same distance those with the smaller key come first, so that
    the order of the rows does not matter.
    """
    distances, noise, keys = np.empty((3, len(X)))
    for part in pieces(len(X), X.shape[1]):
        x = X[part].astype(np.float64)
        keys[part] = row_keys(x)
        noise[part] = 64 * np.finfo(X.dtype).eps * np.einsum("ij,ij->i", x, x)
        distances[part] = exact_lengths(x - centers[labels[part]])
    order = np.lexsort((keys, -distances))[: 2 * len(centers)]
    return Far(start + order, labels[order], distances[order], noise[order], keys[order])


def hand_out(far: list[Far], counts: Array) -> tuple[Array, Array]:
    """Rows for the empty clusters, and their clusters: the farthest row of a cluster that has others."""
    rows, labels, distances, noise, keys = (np.concatenate(parts) for parts in zip(*far, strict=True))
    order = np.lexsort((rows, keys, -distances))
    rows, labels, distances, noise = rows[order], labels[order], distances[order], noise[order]
    counts, taken = counts.copy(), np.zeros(len(rows), dtype=bool)
    chosen: list[tuple[int, int]] = []
    for k in np.flatnonzero(counts == 0).tolist():
        free = np.flatnonzero(~taken & (counts[labels] > 1))
        # Moving a row that lies at its centre, up to rounding, gains nothing.
        if not len(free) or distances[free[0]] <= noise[free[0]]:
            break
        first = free[0]
        taken[first] = True
        counts[labels[first]] -= 1
        counts[k] += 1
        chosen.append((int(rows[first]), k))
    found = np.array(chosen, dtype=np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1].astype(np.int32)

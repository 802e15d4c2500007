"""Rows of an array in memory."""

from __future__ import annotations

import numpy as np

from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.loop import hand_out_farthest
from sparsek.methods.shared.slack import Slack, after_move, fresh_slack, nearest_with_slack
from sparsek.methods.shared.sums import (
    Array,
    ClusterSums,
    Labels,
    cluster_sums,
    moved_sums,
    nearest,
    select_columns,
    squared_distances,
)
from sparsek.methods.shared.weights import scaled_columns


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
    """

    def __init__(self, X: Array, labels: Labels, n_clusters: int, weights: Array | None = None) -> None:
        self.X, self.labels, self.n_clusters, self.weights = X, labels, n_clusters, weights
        self.shape = (X.shape[0], X.shape[1] - 1)
        self._columns: Array | None = None
        self._block = X
        self._slack: Slack | None = None
        self._centers: Array | None = None

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels."""
        return cluster_sums(self.X, self.labels, self.n_clusters, self.weights)

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows."""
        old = self.labels
        self.labels = nearest(self.X, centers) if columns is None else self._nearest_in(columns, centers)
        if fill:
            self.labels = fill_empty(self.X, self.labels, centers)
        return not np.array_equal(old, self.labels)

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums after the last `assign`, updated from `previous`."""
        return moved_sums(self.X, self.labels, previous, self.weights)

    def narrowed(self, metric: Metric, sums: ClusterSums | None) -> ArrayRows:
        """The rows in the columns of a metric, as a copy."""
        factors = np.ones(len(metric.columns)) if metric.factors is None else metric.factors
        columns = scaled_columns(self.X, metric.columns, factors)
        return ArrayRows(columns, self.labels, self.n_clusters, self.weights)

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""
        difference = self.X[:, :-1] - centers[self.labels]
        squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
        return float(squares.sum() if self.weights is None else self.weights @ squares)

    def _nearest_in(self, columns: Array, centers: Array) -> Labels:
        """Nearest centre over some columns; if these are unchanged, rows that cannot move are skipped."""
        if self._columns is not None and np.array_equal(columns, self._columns):
            if self._slack is not None and self._centers is not None:
                self._slack = after_move(self._slack, self.labels, self._centers, centers)
        else:
            self._block = select_columns(self.X, columns, None if self._columns is None else self._block)
            self._slack = fresh_slack(self._block)
            self._columns = columns
        self._centers = centers
        if self._slack is None:
            return nearest(self._block, centers)
        return nearest_with_slack(self._block, centers, self.labels, self._slack)


def fill_empty(X: Array, labels: Labels, centers: Array) -> Labels:
    """Give each empty cluster the row farthest from its centre, which always lowers the sum of squares."""
    counts = np.bincount(labels, minlength=len(centers))
    if counts.all():
        return labels
    # Moving a row that lies at its centre, up to rounding, gains nothing.
    noise = 64 * np.finfo(X.dtype).eps * np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    return hand_out_farthest(labels, counts, squared_distances(X, labels, centers), noise)

"""Distances of all rows to the centres of MinMax k-means, by R's sums or by matrix products."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, exact_distances, long_column_means
from sparsek.core.exact_sums import row_chunks
from sparsek.core.steps import Array, Labels, cluster_sums, nonzero, score_coefficients

GRAM_MAX_ROWS = 2000
"""Inner products of the rows are used for at most this many rows, and not for more rows than columns."""
NOISE = 16
"""A squared distance of at most this many machine epsilons times the row's squared length counts as 0."""


class Space(Protocol):
    """Rows with their distances and means; `prepared` are the rows centred, with a column of ones."""

    @property
    def prepared(self) -> Array:
        """Prepared rows, shape (n, p + 1)."""

    def rows(self, chosen: Array) -> Array:
        """Some rows as centres."""

    def means(self, labels: Labels, n_clusters: int) -> Array:
        """Cluster means, shape (n_clusters, p)."""

    def to_centers(self, centers: Array) -> FloatArray:
        """Distances to given centres: shape (n_clusters, n)."""

    def to_means(self, labels: Labels, n_clusters: int) -> FloatArray:
        """Distances to the means of a partition: shape (n_clusters, n)."""


class SequentialSpace:
    """R's sums: means in extended precision, squares left to right; results of two partitions are stored."""

    def __init__(self, x: FloatArray, power: int = 1) -> None:
        self._x, self._power = x, power
        self._known: dict[bytes, tuple[FloatArray, FloatArray]] = {}
        self._older: dict[bytes, tuple[FloatArray, FloatArray]] = {}

    @property
    def prepared(self) -> Array:
        """Prepared rows, shape (n, p + 1)."""
        return np.column_stack([self._x - self._x.mean(axis=0), np.ones(len(self._x))])

    def rows(self, chosen: Array) -> Array:
        """Some rows as centres."""
        return self._x[chosen]

    def means(self, labels: Labels, n_clusters: int) -> Array:
        """Cluster means, shape (n_clusters, p)."""
        return np.array([center for center, _ in self._clusters(labels, n_clusters)])

    def to_centers(self, centers: Array) -> FloatArray:
        """Distances to given centres: shape (n_clusters, n)."""
        return np.array([self._distances(center) for center in centers])

    def to_means(self, labels: Labels, n_clusters: int) -> FloatArray:
        """Distances to the means of a partition: shape (n_clusters, n)."""
        return np.array([distances for _, distances in self._clusters(labels, n_clusters)])

    def _clusters(self, labels: Labels, n_clusters: int) -> list[tuple[FloatArray, FloatArray]]:
        """Mean of each cluster and the distances to it."""
        found: dict[bytes, tuple[FloatArray, FloatArray]] = {}
        for k in range(n_clusters):
            members = np.flatnonzero(labels == k)
            key = members.tobytes()
            pair = self._known.get(key) or self._older.get(key)
            if pair is None:
                center = long_column_means(self._x[members])
                pair = center, self._distances(center)
            found[key] = pair
        # Results of two partitions are kept, because the algorithm can go back to the one before.
        if found.keys() != self._known.keys():
            self._older, self._known = self._known, found
        return list(found.values())

    def _distances(self, center: FloatArray) -> FloatArray:
        """Distance of every row to a centre: the root of a left-to-right sum, or the sum itself."""
        squares = np.concatenate([exact_distances(self._x[rows], center) for rows in row_chunks(self._x)])
        return np.sqrt(squares) if self._power == 1 else squares


class ProductSpace:
    """Matrix products of the data or, if there are fewer rows than columns, of inner products of the rows."""

    def __init__(self, X: Array, power: int = 2) -> None:
        self.prepared = X
        self._power = power
        self._squares = np.einsum("ij,ij->i", X[:, :-1], X[:, :-1], dtype=np.float64)
        self._noise = NOISE * np.finfo(X.dtype).eps * self._squares
        n, p = X.shape
        self._gram = X[:, :-1] @ X[:, :-1].T if n <= min(p, GRAM_MAX_ROWS) else None

    def rows(self, chosen: Array) -> Array:
        """Some rows as centres."""
        return self.prepared[chosen, :-1]

    def means(self, labels: Labels, n_clusters: int) -> Array:
        """Cluster means, shape (n_clusters, p)."""
        return cluster_sums(self.prepared, labels, n_clusters).means

    def to_centers(self, centers: Array) -> FloatArray:
        """Distances to given centres: shape (n_clusters, n)."""
        return self._clean(2.0 * (score_coefficients(centers) @ self.prepared.T) + self._squares)

    def to_means(self, labels: Labels, n_clusters: int) -> FloatArray:
        """Distances to the means of a partition: shape (n_clusters, n)."""
        if self._gram is None:
            return self.to_centers(self.means(labels, n_clusters))
        n = len(labels)
        members = np.zeros((n_clusters, n), dtype=self._gram.dtype)
        members[labels, np.arange(n)] = 1
        # With shares of rows as coefficients, products of rows give products with the means.
        members /= nonzero(members.sum(axis=1))[:, None]
        products = members @ self._gram
        # The squared length of a mean is the mean of its products with the members.
        own = np.einsum("kn,kn->k", products, members)
        return self._clean(self._squares - 2 * products + own[:, None])

    def _clean(self, squares: FloatArray) -> FloatArray:
        """Squared distances, or their roots; values within rounding are set to 0."""
        squares[squares <= self._noise] = 0
        return np.sqrt(squares) if self._power == 1 else squares

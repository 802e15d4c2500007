"""Distances of all rows to the centres of MinMax k-means, by matrix products."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
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

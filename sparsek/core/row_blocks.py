"""A block of rows, dense or sparse: its moments, its nearest centres, its cluster sums.

Fits by blocks of rows need of a block what these classes give, in prepared coordinates
z = (x - offset) / spread (see `sparsek.core.scaling`; `unit` is 1 here). Sparse rows are never centred: sums
and products of z follow from those of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array, issparse

from sparsek.core.kernels import Array, Labels, cluster_sums, nearest, score_coefficients, squared_distances
from sparsek.core.scaling import Scaling, row_chunks


@dataclass(frozen=True, slots=True)
class Metric:
    """The columns that a distance uses.

    Attributes
    ----------
    columns : ndarray of shape (m,)
        Sorted indices.
    factors : ndarray of shape (m,) or None
        Positive factors of the prepared columns; None for all 1.
    """

    columns: Array
    factors: Array | None = None

    def same(self, other: Metric | None) -> bool:
        """Whether the other one gives the same distances."""
        if other is None or not np.array_equal(self.columns, other.columns):
            return False
        if self.factors is None or other.factors is None:
            return self.factors is other.factors
        return np.array_equal(self.factors, other.factors)


@dataclass(frozen=True, slots=True)
class Moments:
    """Column statistics of some rows.

    Attributes
    ----------
    count : int
        Number of rows.
    mean, squares : ndarray of shape (p,), float64
        Means, and sums of squares about them.
    top, bottom : ndarray of shape (p,)
        Largest and smallest values.
    """

    count: int
    mean: Array
    squares: Array
    top: Array
    bottom: Array

    def merge(self, other: Moments) -> Moments:
        """Statistics of both sets of rows together (Chan, Golub and LeVeque 1983)."""
        count = self.count + other.count
        difference = other.mean - self.mean
        return Moments(
            count,
            self.mean + difference * (other.count / count),
            self.squares + other.squares + difference**2 * (self.count * other.count / count),
            np.maximum(self.top, other.top),
            np.minimum(self.bottom, other.bottom),
        )

    def scaling(self, dtype: Any, standardize: bool, ddof: int = 1) -> tuple[Scaling, Array]:
        """The map to prepared coordinates, and the sums of squares of the columns there."""
        constant = self.top == self.bottom
        offset = np.where(constant, self.top, self.mean).astype(dtype)
        squares = np.where(constant, 0, self.squares)
        spread = np.ones(len(offset), dtype)
        varying = squares > 0
        if standardize:
            spread[varying] = np.sqrt(squares[varying] / (self.count - ddof))
        return Scaling(np.ones(len(offset), dtype), offset, spread), squares / spread.astype(np.float64) ** 2


def block_moments(X: Any) -> Moments:
    """Column statistics of the rows of a dense or sparse array; float64 throughout."""
    return _sparse_moments(X) if issparse(X) else _dense_moments(X)


def _dense_moments(X: Array) -> Moments:
    n, p = X.shape
    mean, squares = np.zeros(p), np.zeros(p)
    for rows in row_chunks(X):
        mean += X[rows].sum(axis=0, dtype=np.float64) / n
    rest = np.zeros(p)
    for rows in row_chunks(X):
        difference = X[rows] - mean
        rest += difference.sum(axis=0) / n
        squares += np.einsum("ij,ij->j", difference, difference)
    # `rest` is what the rounding of a sum of large numbers has left.
    return Moments(n, mean + rest, squares - n * rest**2, X.max(axis=0), X.min(axis=0))


def _sparse_moments(X: Any) -> Moments:
    n = X.shape[0]
    X = csc_array(X, dtype=np.float64, copy=False)
    mean = X.sum(axis=0) / n
    per_column = np.diff(X.indptr)
    squares = np.zeros(len(mean))
    filled = per_column > 0  # reduceat needs segments that are not empty
    difference = X.data - np.repeat(mean, per_column)
    squares[filled] = np.add.reduceat(difference**2, X.indptr[:-1][filled]) if filled.any() else 0
    squares += (n - per_column) * mean**2
    return Moments(n, mean, squares, X.max(axis=0).toarray(), X.min(axis=0).toarray())


@dataclass(frozen=True, slots=True)
class DenseSteps:
    """Steps on blocks of an ordinary array; an operand is a prepared copy of some columns, ones last.

    Attributes
    ----------
    scaling : Scaling
        The map to prepared coordinates.
    n_clusters : int
        Number of clusters.
    """

    scaling: Scaling
    n_clusters: int

    def operand(self, X: Array, metric: Metric) -> Array:
        """The rows in the coordinates of the distance; may be kept for another step."""
        Z = self.scaling.apply(X, metric.columns)
        if metric.factors is not None:
            Z[:, :-1] *= metric.factors.astype(Z.dtype)
        return Z

    def nearest(self, operand: Array, centers: Array) -> Labels:
        """Nearest centre of each row; ties go to the lowest index."""
        return nearest(operand, centers.astype(operand.dtype))

    def distances(self, operand: Array, labels: Labels, centers: Array) -> Array:
        """Squared distance of each row to the centre of its label."""
        return squared_distances(operand, labels, centers.astype(operand.dtype))

    def norms(self, operand: Array) -> Array:
        """Squared length of each row."""
        return np.einsum("ij,ij->i", operand, operand) - 1

    def sums(self, X: Array, labels: Labels, columns: Array | slice) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last."""
        Z = self.scaling.apply(X, columns)
        return cluster_sums(Z, labels, self.n_clusters).sums.astype(np.float64)

    def change(self, X: Array, labels: Labels, old: Labels, columns: Array | slice) -> Array:
        """What rows, all of which moved, change of the cluster sums."""
        return _moves(labels, old, self.n_clusters) @ self.scaling.apply(X, columns)

    def operand_change(self, operand: Array, metric: Metric, labels: Labels, old: Labels) -> Array:
        """The same from an operand, in its columns; `labels` and `old` belong to all its rows."""
        moved = np.flatnonzero(labels != old)
        change = _moves(labels[moved], old[moved], self.n_clusters) @ operand[moved]
        if metric.factors is not None:
            change[:, :-1] /= metric.factors
        return change


@dataclass(frozen=True, slots=True)
class SparseSteps:
    """Steps on blocks of a sparse array; an operand holds some columns, the scaling goes into the centres.

    Attributes
    ----------
    scaling : Scaling
        The map to prepared coordinates.
    n_clusters : int
        Number of clusters.
    """

    scaling: Scaling
    n_clusters: int

    def operand(self, X: Any, metric: Metric) -> tuple[Any, Array, Array]:
        """The rows in the columns of the distance; may be kept for another step."""
        rate = 1 / self.scaling.spread[metric.columns].astype(np.float64)
        if metric.factors is not None:
            rate *= metric.factors
        chosen = X if len(metric.columns) == X.shape[1] else X[:, metric.columns]
        return chosen, rate, rate * self.scaling.offset[metric.columns]

    def nearest(self, operand: tuple[Any, Array, Array], centers: Array) -> Labels:
        """Nearest centre of each row; ties go to the lowest index."""
        return _sparse_scores(operand, centers).argmin(axis=1).astype(np.int32)

    def distances(self, operand: tuple[Any, Array, Array], labels: Labels, centers: Array) -> Array:
        """Squared distance of each row to the centre of its label."""
        own = _sparse_scores(operand, centers)[np.arange(len(labels)), labels]
        return np.maximum(self.norms(operand) + 2 * own, 0)

    def norms(self, operand: tuple[Any, Array, Array]) -> Array:
        """Squared length of each row."""
        X, rate, shift = operand
        return (X.multiply(X) @ rate**2) - 2 * (X @ (rate * shift)) + shift @ shift

    def sums(self, X: Any, labels: Labels, columns: Array | slice) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last."""
        n = len(labels)
        members = csc_array((np.ones(n), labels, np.arange(n + 1)), shape=(self.n_clusters, n))
        return self._centred(members, X, columns)

    def change(self, X: Any, labels: Labels, old: Labels, columns: Array | slice) -> Array:
        """What rows, all of which moved, change of the cluster sums."""
        return self._centred(_moves(labels, old, self.n_clusters), X, columns)

    def operand_change(
        self, operand: tuple[Any, Array, Array], metric: Metric, labels: Labels, old: Labels
    ) -> Array:
        """The same from an operand, in its columns; `labels` and `old` belong to all its rows."""
        moved = np.flatnonzero(labels != old)
        moves = _moves(labels[moved], old[moved], self.n_clusters)
        return self._centred(moves, operand[0][moved], metric.columns, whole=False)

    def _centred(self, members: Any, X: Any, columns: Array | slice, whole: bool = True) -> Array:
        """Sums of prepared rows from those of the rows; X has all columns or, if not `whole`, just these."""
        sizes = members.sum(axis=1)
        raw = (members @ X).toarray()
        raw = raw[:, columns] if whole else raw
        centred = raw - np.outer(sizes, self.scaling.offset[columns].astype(np.float64))
        return np.column_stack([centred / self.scaling.spread[columns], sizes])


Steps = DenseSteps | SparseSteps


def make_steps(sparse: bool, scaling: Scaling, n_clusters: int) -> Steps:
    """The steps for dense or for sparse blocks."""
    return SparseSteps(scaling, n_clusters) if sparse else DenseSteps(scaling, n_clusters)


def _sparse_scores(operand: tuple[Any, Array, Array], centers: Array) -> Array:
    """Half the squared distances (n, n_clusters), less what all centres of a row share."""
    X, rate, shift = operand
    coefficients = score_coefficients(centers.astype(np.float64))
    constants = coefficients[:, -1] - coefficients[:, :-1] @ shift
    return X @ (coefficients[:, :-1] * rate).T + constants


def _moves(labels: Labels, old: Labels, n_clusters: int) -> Any:
    """The matrix (n_clusters, n) with 1 where a row arrives and -1 where it leaves."""
    n = len(labels)
    clusters = np.column_stack([labels, old]).ravel()
    return csc_array((np.tile([1.0, -1.0], n), clusters, np.arange(0, 2 * n + 1, 2)), shape=(n_clusters, n))

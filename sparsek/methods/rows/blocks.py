"""A block of rows, dense or sparse: its moments, its nearest centres, its cluster sums.

The operations of a fit on one block, in prepared coordinates z = (x - offset) / spread (see
`sparsek.methods.shared.scaling`; `unit` is 1 here). Sparse rows are never centred: sums and products of z
follow from those of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array, issparse

from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.scaling import Scaling, row_chunks
from sparsek.methods.shared.sums import Array, Labels, nearest, score_coefficients, squared_distances

PIECE_ENTRIES = 100_000
"""Entries that are prepared at a time, to be labelled or because their rows moved: they stay in the cache."""
SUMMED_ENTRIES = 262_144
"""Entries that are prepared and summed at a time, for the same reason."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Weighted column statistics of some rows.

    Attributes
    ----------
    count : float
        Number of rows, or sum of their weights.
    mean, squares : ndarray of shape (p,), float64
        Means, and sums of squares about them.
    top, bottom : ndarray of shape (p,)
        Largest and smallest values.
    """

    count: float
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

    def refuse_extremes(self, names: Any = None) -> None:
        """Raise ValueError for the first column whose squares overflow or vanish; `names` name it there."""
        refuse_extremes(self.squares, self.top, self.bottom, names)

    def scaling(self, dtype: Any, standardize: bool, ddof: int = 1) -> tuple[Scaling, Array]:
        """The map to prepared coordinates, and the sums of squares of the columns there."""
        constant = self.top == self.bottom
        offset = np.where(constant, self.top, self.mean).astype(dtype)
        squares = np.where(constant, 0, self.squares)
        if not standardize:
            refuse_widest(squares, self.top, self.bottom, dtype)
        spread = np.ones(len(offset), dtype)
        varying = squares > 0
        if standardize:
            spread[varying] = np.sqrt(squares[varying] / (self.count - ddof))
        return Scaling(np.ones(len(offset), dtype), offset, spread), squares / spread.astype(np.float64) ** 2


def refuse_extremes(
    squares: Array, top: Array, bottom: Array, names: Any = None, dtype: Any = np.float64
) -> None:
    """Raise ValueError for the first column whose sum of squares leaves the range of normal numbers."""
    info = np.finfo(dtype)
    size = np.maximum(np.abs(top), np.abs(bottom)).astype(np.float64)
    large = ~np.isfinite(squares) | (squares > info.max)
    small = (top > bottom) & (size < np.sqrt(info.tiny / info.eps))
    for wrong, what in ((large, "overflow"), (small, "vanish")):
        if wrong.any():
            column = int(np.argmax(wrong))
            called = column if names is None else f"{column} ({names[column]})"
            raise ValueError(
                f"the squares of column {called} {what}, whose size is {size[column]:.3g}; rescale it"
            )


def refuse_widest(squares: Array, top: Array, bottom: Array, dtype: Any) -> None:
    """`refuse_extremes` in the precision of the rows, of the column that outweighs the others."""
    widest = np.arange(len(squares)) == squares.argmax()
    squares, top, bottom = (np.where(widest, values, 0) for values in (squares, top, bottom))
    refuse_extremes(squares, top, bottom, dtype=dtype)


def block_moments(X: Any, weights: Array | None = None) -> Moments:
    """Column statistics of the rows of a dense or sparse array; float64 throughout."""
    return _sparse_moments(X, weights) if issparse(X) else _dense_moments(X, weights)


def _dense_moments(X: Array, weights: Array | None) -> Moments:
    n, p = X.shape
    w = np.ones(n) if weights is None else weights.astype(np.float64)
    total = float(w.sum())
    mean, rest, squares = np.zeros(p), np.zeros(p), np.zeros(p)
    for rows in row_chunks(X):
        mean += w[rows] @ X[rows] / total
    for rows in row_chunks(X):
        difference = X[rows] - mean
        rest += w[rows] @ difference / total
        squares += w[rows] @ np.square(difference)
    # `rest` corrects the mean for the rounding error of a sum of large numbers.
    return Moments(total, mean + rest, squares - total * rest**2, X.max(axis=0), X.min(axis=0))


def _sparse_moments(X: Any, weights: Array | None) -> Moments:
    n = X.shape[0]
    w = np.ones(n) if weights is None else weights.astype(np.float64)
    total = float(w.sum())
    by_column = csc_array(X)
    mean = by_column.T @ w / total
    mass = w[by_column.indices]
    columns = np.repeat(np.arange(len(mean)), np.diff(by_column.indptr))
    stored = np.bincount(columns, mass, len(mean))
    squares = np.bincount(columns, mass * (by_column.data - mean[columns]) ** 2, len(mean))
    squares = squares + np.maximum(total - stored, 0) * mean**2
    return Moments(total, mean, squares, by_column.max(axis=0).toarray(), by_column.min(axis=0).toarray())


@dataclass(frozen=True, slots=True)
class DenseSteps:
    """Operations on blocks of a dense array. An operand is a prepared copy of some columns, ones last.

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
        """The rows in the coordinates of the distance; the caller may keep them for later steps."""
        Z = self.scaling.apply(X, metric.columns)
        if metric.factors is not None:
            Z[:, :-1] *= metric.factors.astype(Z.dtype)
        return Z

    def nearest(self, operand: Array, centers: Array) -> Labels:
        """Nearest centre of each row; ties go to the lowest index."""
        return nearest(operand, centers.astype(operand.dtype))

    def nearest_rows(self, X: Array, metric: Metric, centers: Array) -> Labels:
        """Nearest centre of each row, without keeping an operand."""
        labels, centers = np.empty(len(X), np.int32), centers.astype(X.dtype)
        step = max(1, PIECE_ENTRIES // max(1, len(metric.columns)))
        room = np.empty(min(step, len(X)) * self.n_clusters, X.dtype)
        for rows, Z in self.scaling.pieces(X, step, metric.columns):
            if metric.factors is not None:
                Z[:, :-1] *= metric.factors.astype(Z.dtype)
            labels[rows] = nearest(Z, centers, room)
        return labels

    def distances(self, operand: Array, labels: Labels, centers: Array) -> Array:
        """Squared distance of each row to the centre of its label."""
        return squared_distances(operand, labels, centers.astype(operand.dtype))

    def norms(self, operand: Array) -> Array:
        """Squared length of each row."""
        return np.einsum("ij,ij->i", operand, operand) - 1

    def sums(self, X: Array, labels: Labels, weights: Array | None, columns: Array | slice) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last."""
        width = len(self.scaling.offset[columns]) + 1
        total = np.zeros((self.n_clusters, width))
        step = max(1, SUMMED_ENTRIES // width)
        for rows, Z in self.scaling.pieces(X, step, columns):
            some = None if weights is None else weights[rows]
            total += _members(labels[rows], some, self.n_clusters) @ Z
        return total

    def change(
        self, X: Array, labels: Labels, old: Labels, weights: Array | None, columns: Array | slice
    ) -> Array:
        """Change of the cluster sums by rows that all moved."""
        return _moves(labels, old, weights, self.n_clusters) @ self.scaling.apply(X, columns)

    def moved_change(self, X: Array, labels: Labels, old: Labels, columns: Array | slice) -> Array:
        """Change of the cluster sums by the rows whose label changed."""
        moved = np.flatnonzero(labels != old)
        change = np.zeros((self.n_clusters, len(self.scaling.offset[columns]) + 1))
        step = max(1, PIECE_ENTRIES // X.shape[1])
        for rows, Z in self.scaling.pieces(X, step, columns, moved):
            change += _moves(labels[moved[rows]], old[moved[rows]], None, self.n_clusters) @ Z
        return change

    def operand_change(
        self, operand: Array, metric: Metric, labels: Labels, old: Labels, weights: Array | None
    ) -> Array:
        """Change of the cluster sums by the rows of an operand that moved, in its coordinates."""
        moved = np.flatnonzero(labels != old)
        some = None if weights is None else weights[moved]
        change: Array = _moves(labels[moved], old[moved], some, self.n_clusters) @ operand[moved]
        return change


@dataclass(frozen=True, slots=True)
class SparseSteps:
    """Operations on blocks of a sparse array. An operand holds some columns; centres are scaled instead.

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
        """The rows in the columns of the distance; the caller may keep them for later steps."""
        rate = 1 / self.scaling.spread[metric.columns].astype(np.float64)
        if metric.factors is not None:
            rate *= metric.factors
        chosen = X if len(metric.columns) == X.shape[1] else X[:, metric.columns]
        return chosen, rate, rate * self.scaling.offset[metric.columns]

    def nearest(self, operand: tuple[Any, Array, Array], centers: Array) -> Labels:
        """Nearest centre of each row; ties go to the lowest index."""
        return sparse_scores(operand, centers).argmin(axis=1).astype(np.int32)

    def distances(self, operand: tuple[Any, Array, Array], labels: Labels, centers: Array) -> Array:
        """Squared distance of each row to the centre of its label."""
        own = sparse_scores(operand, centers)[np.arange(len(labels)), labels]
        return np.maximum(self.norms(operand) + 2 * own, 0)

    @staticmethod
    def norms(operand: tuple[Any, Array, Array]) -> Array:
        """Squared length of each row."""
        X, rate, shift = operand
        return (X.multiply(X) @ rate**2) - 2 * (X @ (rate * shift)) + shift @ shift

    def sums(self, X: Any, labels: Labels, weights: Array | None, columns: Array | slice) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last."""
        return self._centred(_members(labels, weights, self.n_clusters), X, columns)

    def change(
        self, X: Any, labels: Labels, old: Labels, weights: Array | None, columns: Array | slice
    ) -> Array:
        """Change of the cluster sums by rows that all moved."""
        return self._centred(_moves(labels, old, weights, self.n_clusters), X, columns)

    def operand_change(
        self, operand: Any, metric: Metric, labels: Labels, old: Labels, weights: Array | None
    ) -> Array:
        """Change of the cluster sums by the rows of an operand that moved, in its coordinates."""
        moved = np.flatnonzero(labels != old)
        some = None if weights is None else weights[moved]
        moves = _moves(labels[moved], old[moved], some, self.n_clusters)
        return scaled(self._centred(moves, operand[0][moved], metric.columns, whole=False), metric)

    def _centred(self, members: Any, X: Any, columns: Array | slice, whole: bool = True) -> Array:
        """Sums of prepared rows from sums of rows; X has all columns or, if not `whole`, only `columns`."""
        sizes = members.sum(axis=1)
        raw = (members @ X).toarray()
        raw = raw[:, columns] if whole else raw
        centred = raw - np.outer(sizes, self.scaling.offset[columns].astype(np.float64))
        return np.column_stack([centred / self.scaling.spread[columns], sizes])


Steps = DenseSteps | SparseSteps


def scaled(sums: Array, metric: Metric) -> Array:
    """Cluster sums (n_clusters, m + 1) times the factors of a metric; the sizes, last, stay unchanged."""
    return sums if metric.factors is None else sums * np.append(metric.factors, 1)


def settled(sums: Array) -> Array:
    """Cluster sums with exact zeros, instead of rounding errors, for empty clusters."""
    rounding = 64 * np.finfo(np.float64).eps * sums[:, -1].sum()
    return np.where(sums[:, -1:] <= rounding, 0, sums)


def make_steps(sparse: bool, scaling: Scaling, n_clusters: int) -> Steps:
    """The operations for dense or for sparse blocks."""
    return SparseSteps(scaling, n_clusters) if sparse else DenseSteps(scaling, n_clusters)


def sparse_scores(operand: tuple[Any, Array, Array], centers: Array) -> Array:
    """Half the squared distances (n, n_clusters), without the term that is equal for all centres."""
    X, rate, shift = operand
    coefficients = score_coefficients(centers.astype(np.float64))
    constants = coefficients[:, -1] - coefficients[:, :-1] @ shift
    return X @ (coefficients[:, :-1] * rate).T + constants


def _members(labels: Labels, weights: Array | None, n_clusters: int) -> Any:
    """Sparse matrix (n_clusters, n) with the weight of each row at its cluster."""
    n = len(labels)
    data = np.ones(n) if weights is None else weights.astype(np.float64)
    return csc_array((data, labels, np.arange(n + 1)), shape=(n_clusters, n))


def _moves(labels: Labels, old: Labels, weights: Array | None, n_clusters: int) -> Any:
    """Sparse matrix (n_clusters, n): a row's weight at its new cluster, minus its weight at its old one."""
    n = len(labels)
    clusters = np.column_stack([labels, old]).ravel()
    step = np.ones(n) if weights is None else weights.astype(np.float64)
    data = np.column_stack([step, -step]).ravel()
    return csc_array((data, clusters, np.arange(0, 2 * n + 1, 2)), shape=(n_clusters, n))

"""K-means from inner products of the rows: fewer rows than features need no features.

The n^2 inner products are found once for all starts, whose first k-means weights all features alike. A pass
over the rows then takes n^2 additions instead of n p K, and a move of a single row n instead of p K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import sequential_sum
from sparsek.core.steps import Array, Labels, first_minimum, hand_out_farthest, nonzero
from sparsek.engine import compiles
from sparsek.methods.sparse_kmeans import literal
from sparsek.sources.local import LocalRows

MOST_ROWS = 1000
"""With more rows, products with the features are as fast."""
BLOCK_ENTRIES = 131_072
"""Entries whose products are found at a time."""
EXPECTED_PASSES = 300
"""A fit makes about this number of passes over the products."""
FAINT = 100
"""A row whose entries are smaller than the largest by two to this power is 0 up to rounding."""
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class InnerProducts:
    """Inner products of the rows, and how k-means uses them."""

    matrix: NDArray[np.float64]  # (n, n) float64: inner products
    mass: NDArray[np.float64]  # (n,) float64: sample weights
    compiled: bool  # Whether the loops run compiled

    def k_means(self, labels: Labels, n_clusters: int, max_iter: int) -> Labels:
        """The partition by Lloyd's algorithm and, where it converged, moves of single rows.

        Shapes: labels (n,) int32; returns (n,) int32.
        """
        if self.compiled:
            labels = labels.copy()
            literal.k_means.compiled(self.matrix, self.mass, labels, n_clusters, max_iter, EPS)
            return labels
        return _k_means(self.matrix, self.mass, labels, n_clusters, max_iter)


def products_of(rows: LocalRows, columns: Array | None = None) -> InnerProducts | None:
    """Inner products of rows in memory over some columns; None where these are few or the rows many."""
    n, p = rows.shape
    columns = np.arange(p) if columns is None else columns
    # The products of n rows are fewer numbers than the rows only where n is at most the number of columns.
    if n > min(len(columns), MOST_ROWS):
        return None
    mass = np.ones(n) if rows.weights is None else rows.weights.astype(np.float64)
    compiled = compiles(EXPECTED_PASSES * float(n) ** 2, literal.k_means)
    return InnerProducts(inner_products(rows, columns), mass, compiled)


def inner_products(held: LocalRows, columns: Array) -> NDArray[np.float64]:
    """Inner products of prepared rows over some columns, in double precision.

    Each row of a block of columns is the sum of two parts of so few bits that sums of products of parts are
    exact in any order. The product of the second parts, of the size of rounding, is left out.
    """
    n = held.shape[0]
    found, step = np.zeros((n, n)), max(1, BLOCK_ENTRIES // n)
    for start in range(0, len(columns), step):
        rows = held.columns(columns[start : start + step]).astype(np.float64)
        first = _rounded(rows)
        rows -= first
        found += first @ first.T
        cross = first @ _rounded(rows).T
        # The product of the second parts with the first ones is the transposed of this.
        cross += cross.T.copy()
        found += cross
    return found


def _rounded(rows: Array) -> Array:
    """The entries of each row rounded to a unit, so that sums of products of rows are exact."""
    top = np.maximum(rows.max(axis=1), -rows.min(axis=1))
    exponent = np.frexp(top)[1]
    exponent = np.maximum(exponent, exponent.max() - FAINT)
    # Products of two such parts have twice as many bits, and so many of them add up to 53 bits at most.
    bits = (53 - rows.shape[1].bit_length()) // 2
    magic = np.ldexp(1.5 * 2.0**52, exponent - bits)[:, None]
    found: Array = (rows + magic) - magic
    return found


@dataclass(slots=True)
class _Partition:
    """Labels with T (K, n), weights of the clusters and U: see `sparsek.methods.sparse_kmeans.literal`."""

    G: Array
    mass: Array
    labels: Labels
    T: Array
    size: Array
    U: Array

    def distances(self, rows: Any = slice(None)) -> Array:
        """Squared distances of rows to the means, (K, rows)."""
        size = nonzero(self.size)[:, None]
        a, b = 2 / size, self.U[:, None] / (size * size)
        found: Array = np.maximum(self.G.diagonal()[rows] - a * self.T[:, rows] + b, 0)
        return found

    def best_moves(self, rows: Array) -> tuple[Array, Array, Array]:
        """What the best move of each row gains, its target, and the size of the numbers behind it."""
        squares, w, lengths = self.distances(rows), self.mass[rows], self.G.diagonal()[rows]
        own, places = self.labels[rows], np.arange(len(rows))
        # Hartigan (1975): a row that joins cluster m moves its mean and adds n_m / (n_m + w) times w d.
        costs = self.size[:, None] / (self.size[:, None] + w) * squares - lengths
        costs[own, places] = np.inf
        target = costs.argmin(axis=0)
        left = self.size[own] - w
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = w * (self.size[own] / left * squares[own, places] - lengths - costs[target, places])
        gains[left <= literal.LEAST_SHARE * self.size[own]] = -np.inf
        return gains, target, w * (squares.max(axis=0) + lengths)

    def move(self, i: int, target: int) -> None:
        """Take row i to another cluster."""
        own, w = self.labels[i], self.mass[i]
        # The row's products with its cluster leave U in both orders, its own product only once.
        self.U[own] += w * (w * self.G[i, i] - 2 * self.T[own, i])
        self.U[target] += w * (w * self.G[i, i] + 2 * self.T[target, i])
        self.size[own] -= w
        self.size[target] += w
        self.T[own] -= w * self.G[i]
        self.T[target] += w * self.G[i]
        self.labels[i] = target


def _partition(G: Array, mass: Array, labels: Labels, n_clusters: int) -> _Partition:
    """The sums of products for some labels."""
    terms = mass[:, None] * G
    # Sums from the first row to the last, as in the loops: rounding decides alike between equal rows.
    T = np.array([sequential_sum(terms[labels == m]) for m in range(n_clusters)])
    products = mass * T[labels, np.arange(len(G))]
    size, U = (np.bincount(labels, added, minlength=n_clusters) for added in (mass, products))
    return _Partition(G, mass, labels, T, size, U)


def _k_means(G: Array, mass: Array, labels: Labels, n_clusters: int, max_iter: int) -> Labels:
    """The array form of `sparsek.methods.sparse_kmeans.literal.k_means`."""
    for _ in range(max_iter):
        found = _partition(G, mass, labels, n_clusters)
        squares = found.distances()
        new = first_minimum(squares).astype(np.int32)
        counts = np.bincount(new, minlength=n_clusters)
        if not counts.all():
            # A row at its centre, up to rounding, would gain nothing in a cluster of its own.
            noise = literal.AT_CENTER * EPS * G.diagonal()
            new = hand_out_farthest(new, counts, squares[new, np.arange(len(G))], noise)
        if np.array_equal(new, labels):
            found.labels = labels.copy()
            _descend(found)
            return found.labels
        labels = new
    return labels


def _descend(found: _Partition) -> None:
    """Move rows one by one, those that gain most first, until no move gains."""
    for _ in range(literal.MOST_PASSES):
        gains, _, _ = found.best_moves(np.arange(len(found.G)))
        rows = np.flatnonzero(gains > 0)
        moved = False
        for i in rows[np.argsort(-gains[rows], kind="stable")].tolist():
            # Moves of rows before this one may have changed its gain.
            (gain,), (target,), (scale,) = found.best_moves(np.array([i]))
            if gain > literal.NO_GAIN * EPS * scale:
                found.move(i, int(target))
                moved = True
        if not moved:
            break

"""Squared distances: fast ones with an error bound, and exact ones as R sums them, feature by feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

UNIT = 2.0**-53
UNDERFLOW = 1e-290  # products this small lose relative accuracy
GRAM_MAX_ROWS, GRAM_MIN_FEATURES = 2000, 64
CHUNK_CELLS = 2_000_000


class Geometry:
    """One data set prepared for distances: shifted rows, their squares, a Gram matrix if it saves time.

    ``extended`` (n, p + 2) holds the rows (x, 1, |x|^2), whose product with (-2 c, |c|^2, 1) is the
    squared distance. The error of an approximate squared distance is at most
    ``error_factor(t) * (|x|^2 + |c|^2)`` in shifted coordinates, after t moves between clusters.
    """

    def __init__(self, raw: FloatArray, allow_gram: bool = True) -> None:
        n, p = raw.shape
        self.raw = raw
        self.shift = raw.mean(axis=0)
        self.extended = np.empty((n, p + 2))
        self.x = np.subtract(raw, self.shift, out=self.extended[:, :p])
        self.squares = np.einsum("ij,ij->i", self.x, self.x)
        self.largest_square = float(self.squares.max())
        self.extended[:, p] = 1.0
        self.extended[:, p + 1] = self.squares
        self.gram: FloatArray | None = None
        if allow_gram and p >= GRAM_MIN_FEATURES and n <= min(GRAM_MAX_ROWS, 2 * p):
            self.gram = self.x @ self.x.T

    def error_factor(self, n_moves: int) -> float:
        """Relative error bound: rounding of the products (with a factor 2 to spare) and of updated sums."""
        n, p = self.raw.shape
        if self.gram is None:
            return (8 * p + 120) * UNIT
        return (8 * p + 120 + 4 * n * (n_moves + n)) * UNIT

    def member_products(self, labels: IntArray, k: int) -> FloatArray | None:
        """Sums over each cluster of inner products with every row (r, k, n); None without a Gram matrix."""
        if self.gram is None:
            return None
        return first_member_sums(self.gram, labels, k)[0]

    def gram_rows(self, rows: IntArray) -> FloatArray:
        """Inner products of some rows with every row: (q, n)."""
        assert self.gram is not None
        return self.gram.take(rows, axis=0)


def exact_distances(x: FloatArray, c: FloatArray) -> FloatArray:
    """Squared distance of each row of x (q, p) to the same row of c (q, p), summed feature by feature."""
    t = np.ascontiguousarray((x - c).T)
    t *= t
    if t.shape[1] == 1:
        return np.add.accumulate(t[:, 0])[-1:]
    return np.add.reduce(t, axis=0)


def first_member_sums(x: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, IntArray]:
    """Sums of member rows in increasing row order, and sizes, for r labellings: (r, k, p) and (r, k).

    The indicator matrix of the clusters is stored by columns, so the product adds the rows of x in order.
    """
    r, n = labels.shape
    rows = (labels + (np.arange(r) * k)[:, None]).T.ravel()
    ones = np.ones(n * r)
    one_hot = sparse.csc_array((ones, rows, np.arange(0, n * r + 1, r)), shape=(r * k, n))
    sizes = np.bincount(rows, minlength=r * k)
    return (one_hot @ x).reshape(r, k, x.shape[1]), sizes.reshape(r, k)


def two_nearest(geometry: Geometry, centers: FloatArray) -> tuple[IntArray, IntArray]:
    """Nearest and second nearest centre of every row for r sets of centres (r, k, p): (r, n) each.

    Distances closer than the error bound are compared by R's own sums; ties go to the lower index.
    """
    r, k, p = centers.shape
    n = len(geometry.raw)
    first, second = np.empty((2, r, n), dtype=np.int64)
    shifted = centers - geometry.shift
    norms = np.einsum("rkp,rkp->rk", shifted, shifted)
    step = max(1, CHUNK_CELLS // (r * k))
    for begin in range(0, n, step):
        block = slice(begin, min(begin + step, n))
        d = (geometry.x[block] @ shifted.reshape(r * k, p).T).reshape(-1, r, k)
        d *= -2.0
        d += norms
        d += geometry.squares[block, None, None]
        bound = geometry.squares[block, None] + norms.max(axis=1)
        bound *= 2 * geometry.error_factor(0)
        bound += UNDERFLOW
        a, b = _two_smallest(d, bound, geometry.raw[block], centers)
        first[:, block], second[:, block] = a.T, b.T
    return first, second


def _two_smallest(
    d: FloatArray, bound: FloatArray, raw: FloatArray, centers: FloatArray
) -> tuple[IntArray, IntArray]:
    """Positions of the two smallest along the last axis; doubtful cases are compared by exact distances."""
    m, r, k = d.shape
    flat = np.arange(m * r) * k
    cells = d.reshape(-1)
    first = d.argmin(axis=2)
    d1 = cells[flat + first.ravel()].reshape(m, r)
    cells[flat + first.ravel()] = np.inf
    second = d.argmin(axis=2)
    d2 = cells[flat + second.ravel()].reshape(m, r)
    unsure = d2 <= d1 + bound
    if k > 2:
        unsure |= np.count_nonzero(d <= (d2 + bound)[:, :, None], axis=2) > 1
    i, s = np.nonzero(unsure)
    if len(i):
        exact = np.stack([exact_distances(raw[i], centers[s, j]) for j in range(k)], axis=1)
        rows = np.arange(len(i))
        best = exact.argmin(axis=1)
        exact[rows, best] = np.inf
        first[i, s], second[i, s] = best, exact.argmin(axis=1)
    return first, second

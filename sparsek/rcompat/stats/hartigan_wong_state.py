"""The state of several starts of Hartigan and Wong's algorithm, and the moves that change it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.numerics.exact_distances import UNDERFLOW, Geometry, exact_distances

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

BIG = 1e30
PER_START = (
    "centers", "scaled", "norms", "sizes", "ratio", "live", "stamp", "touched",
    "c1", "c2", "idle", "position", "step", "quiet", "ident", "products",
)  # fmt: skip


class Starts:
    """All starts; the first m rows of every array are still running, the others have retired.

    ``centers`` (r, k, p) are the running centres with R's rounding, ``sizes``, ``live``, ``stamp`` and
    ``touched`` (r, k) as in the paper, ``ratio`` = a1 / a2, ``c1`` and ``c2`` (r, n).
    ``scaled`` (r, k, p + 2) holds a2 (-2 c, |c|^2, 1) in shifted coordinates: its product with
    (x, 1, |x|^2) is the paper's R2. With a Gram matrix, ``products`` (r, k, n) holds instead the sums
    over each cluster of inner products with every row.
    """

    def __init__(self, geometry: Geometry, c1: IntArray, c2: IntArray, centers: FloatArray, sizes: IntArray):
        r, self.k = sizes.shape
        self.n, p = geometry.raw.shape
        self.geometry = geometry
        self.c1, self.c2, self.centers, self.sizes = c1, c2, centers, sizes
        self.scaled = np.empty((r, self.k, p + 2 if geometry.gram is None else 0))
        self.norms, self.ratio = np.empty((2, r, self.k))
        self.live = np.zeros((r, self.k), dtype=np.int64)
        self.stamp = np.full((r, self.k), -1, dtype=np.int64)
        self.touched = np.ones((r, self.k), dtype=bool)
        self.idle, self.position, self.step, self.quiet = np.zeros((4, r), dtype=np.int64)
        self.ident = np.arange(r)
        self.first_point = (np.arange(r) * self.n)[:, None]
        self.first_cluster = (np.arange(r) * self.k)[:, None]
        self.products = geometry.member_products(c1, self.k)
        self.n_moves = 0
        self.any_alone = False
        counts = np.arange(1.0, self.n + 1)
        self.a1 = np.concatenate([[np.nan, BIG], counts[1:] / (counts[1:] - 1.0)])  # by size
        self.a2 = np.concatenate([[np.nan], counts / (counts + 1.0)])
        self.ratios = self.a1 / self.a2
        self._derive(np.arange(r * self.k), centers.reshape(r * self.k, p), sizes.ravel())

    def _derive(self, which: IntArray, centers: FloatArray, sizes: IntArray) -> None:
        """Recompute ``ratio`` and ``scaled`` or ``norms`` of some clusters (flat indices)."""
        if sizes.min() == 1:
            self.any_alone = True
        self.ratio.put(which, self.ratios.take(sizes))
        shifted = centers - self.geometry.shift
        norms = np.einsum("qp,qp->q", shifted, shifted)
        if self.products is not None:
            self.norms.put(which, norms)
            return
        p = shifted.shape[1]
        row = np.empty((len(which), p + 2))
        np.multiply(shifted, -2.0, out=row[:, :p])
        row[:, p] = norms
        row[:, p + 1] = 1.0
        row *= self.a2.take(sizes)[:, None]
        self.scaled.reshape(-1, p + 2)[which] = row

    def retire(self, done: BoolArray, m: int) -> int:
        """Move the finished ones of the first m starts behind the others; return how many remain."""
        order = np.argsort(done, kind="stable")
        left = m - int(np.count_nonzero(done))
        if 0 < left < m:
            for name in PER_START:
                array = getattr(self, name)
                if array is not None:
                    array[:m] = array[order]
        return left

    def window(self, points: IntArray, own: IntArray) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """Approximate R2 of the points in each window for every cluster (m, b, k), R1 for their own (m, b).

        Also the flat index of each point's first cell in R2, and the flat index of its own cluster.
        """
        m, b = points.shape
        k = self.k
        if self.products is None:
            r2 = np.matmul(self.geometry.extended.take(points, axis=0), self.scaled[:m].transpose(0, 2, 1))
        else:
            rows = (self.first_cluster[:m] + np.arange(k)) * self.n
            r2 = self.products.take(points[:, :, None] + rows[:, None, :])
            sizes = self.sizes[:m]
            a2 = self.a2.take(sizes)
            r2 *= (a2 * (-2.0) / sizes)[:, None, :]
            r2 += (a2 * self.norms[:m])[:, None, :]
            r2 += self.geometry.squares.take(points)[:, :, None] * a2[:, None, :]
        first_cell = np.arange(0, m * b * k, k).reshape(m, b)
        clusters = own + self.first_cluster[:m]
        r1 = r2.reshape(-1).take(first_cell + own)
        r1 *= self.ratio.take(clusters)
        return r2, first_cell, r1, clusters

    def bound(self) -> float:
        """Bound on the error of all |R2 - R1| (a1 / a2 <= 3); a centre is a mean, no longer than the rows."""
        return 10.0 * self.geometry.error_factor(self.n_moves) * self.geometry.largest_square + UNDERFLOW

    def point_bounds(self, points: IntArray) -> FloatArray:
        """Bound on the error of |R2 - R1| for each point: (m, b)."""
        shifted = self.centers[: len(points)] - self.geometry.shift
        norms = np.einsum("rkp,rkp->rk", shifted, shifted).max(axis=1)
        factor = 4.0 * self.geometry.error_factor(self.n_moves)
        return factor * (self.geometry.squares.take(points) + norms[:, None]) + UNDERFLOW

    def alone(self, clusters: IntArray) -> BoolArray | None:
        """Whether each point is alone in its cluster (flat index); None when no cluster has one member."""
        return self.sizes.take(clusters) == 1 if self.any_alone else None

    def exact(self, start: IntArray, point: IntArray, cluster: IntArray) -> FloatArray:
        """R's own squared distances of points to running centres, elementwise."""
        return exact_distances(self.geometry.raw[point], self.centers[start, cluster])

    def move(self, start: IntArray, point: IntArray, target: IntArray) -> IntArray:
        """Move one point per start to its target cluster; return flat indices of clusters left, then joined.

        The source's centre becomes (c N - x) / (N - 1) and the target's (c N + x) / (N + 1), as in R.
        """
        q = len(start)
        source = self.c1[start, point]
        first = start * self.k
        both = np.concatenate([first + source, first + target])
        x = self.geometry.raw.take(point, axis=0)
        sizes = self.sizes.take(both)
        flat = self.centers.reshape(-1, x.shape[1])
        centers = flat.take(both, axis=0)
        centers *= sizes[:, None]
        centers[:q] -= x
        centers[q:] += x
        sizes[:q] -= 1
        sizes[q:] += 1
        centers /= sizes[:, None]
        flat[both] = centers
        self.sizes.put(both, sizes)
        self._derive(both, centers, sizes)
        self.c1[start, point] = target
        self.c2[start, point] = source
        if self.products is not None:
            gram = self.geometry.gram_rows(point)
            products = self.products.reshape(-1, self.n)
            products[both[:q]] -= gram
            products[both[q:]] += gram
        self.n_moves += 1
        return both

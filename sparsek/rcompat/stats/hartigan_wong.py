"""Hartigan and Wong's k-means (AS 136) as R runs it, all starts side by side.

20 starts on iris take 12 ms; the loop of `literal` run as Python takes 201. `hartigan_wong_single` runs one
start, for which this form takes 1.1 to 2.8 times as long; starts one by one take 1.4 to 7 times this form's
time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import (
    UNDERFLOW,
    Geometry,
    exact_distances,
    first_member_sums,
    two_nearest,
)
from sparsek.rcompat.stats.hartigan_wong_single import BIG, Single

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

QUICK_TRANSFER_STEPS = 50
FIRST_WINDOW, MIN_WINDOW, MAX_CELLS = 32, 8, 60_000
CONVERGED, NOT_CONVERGED, QUICK_TRANSFER_LIMIT = 0, 2, 4


@dataclass(frozen=True, slots=True)
class Run:
    """One start: labels from 0 (n,), optimal-transfer stages begun, and R's ifault (0, 2 or 4)."""

    labels: IntArray
    n_iter: int
    ifault: int


def quick_transfer_limit(n: int) -> int:
    """Number of steps after which R ends a quick-transfer stage."""
    return min(QUICK_TRANSFER_STEPS * n, 2**31 - 1)


def _resize(window: int, n_moving: int, n_at_work: int, m: int, s: Starts) -> int:
    """Next window length: long enough that most starts find a move, short enough to stay cheap."""
    if n_moving > 0.9 * n_at_work:
        window //= 2
    elif n_moving < 0.7 * n_at_work:
        window *= 2
    size: int = max(min(window, MAX_CELLS // (max(m, 1) * s.k), s.n), min(MIN_WINDOW, s.n))
    return size


def _optimal_window(
    s: Starts, points: IntArray, at: IntArray, restrict: bool
) -> tuple[IntArray, BoolArray, BoolArray | None]:
    """Best other cluster of each point, whether it moves, whether it is alone in its cluster: (m, b) each."""
    own = s.c1.take(at)
    r2, first_cell, r1, ratio_at = s.window(points, own)
    cells = r2.reshape(-1)
    allowed = _allowed(s, points, at, own, r2, first_cell) if restrict else None
    cells[first_cell + own] = np.inf
    best_cluster = r2.argmin(axis=2)
    best = cells.take(first_cell + best_cluster)
    moves = best < r1
    bound = s.bound()
    if np.count_nonzero(r2 <= (best + bound)[:, :, None]) > points.size or (abs(best - r1) <= bound).any():
        bounds = s.point_bounds(points)
        unsure = np.count_nonzero(r2 <= (best + bounds)[:, :, None], axis=2) > 1
        unsure |= np.abs(best - r1) <= bounds
        r, b = np.nonzero(unsure)
        if len(r):
            open_to = None if allowed is None else allowed[r, b]
            best_cluster[r, b], moves[r, b] = _settle_optimal(s, r, points[r, b], open_to)
    alone = s.alone(ratio_at)
    if alone is not None:
        moves &= ~alone
    return best_cluster, moves, alone


def _allowed(
    s: Starts, points: IntArray, at: IntArray, own: IntArray, r2: FloatArray, first_cell: IntArray
) -> BoolArray | None:
    """Clusters that may take each point: all if its own is live, else live ones and the runner-up (step 3).

    The values of all other clusters in `r2` become infinite. None when all clusters stay live in the window.
    """
    m = len(points)
    live, number = s.live[:m], points + 1
    if live.min() > number[:, -1].max():
        return None
    cells = r2.reshape(-1)
    at_second = first_cell + s.c2.take(at)
    kept = cells.take(at_second)
    allowed: BoolArray = live[:, None, :] > number[:, :, None]
    allowed |= (s.live.take(own + s.first_cluster[:m]) > number)[:, :, None]
    np.copyto(r2, np.inf, where=~allowed)
    cells[at_second] = kept
    return allowed


def _settle_optimal(
    s: Starts, start: IntArray, point: IntArray, allowed: BoolArray | None
) -> tuple[IntArray, BoolArray]:
    """Best other cluster of single points, and whether they move, decided by R's own sums."""
    k, rows = s.k, np.arange(len(start))
    own, runner_up = s.c1[start, point], s.c2[start, point]
    d = np.stack([s.exact(start, point, np.full_like(point, j)) for j in range(k)], axis=1)
    a2 = s.a2.take(s.sizes[start])
    best_cluster, best = runner_up.copy(), d[rows, runner_up] * a2[rows, runner_up]
    for j in range(k):
        better = (own != j) & (runner_up != j) & (d[:, j] < best / a2[:, j])
        if allowed is not None:
            better &= allowed[:, j]
        best = np.where(better, d[:, j] * a2[:, j], best)
        best_cluster[better] = j
    return best_cluster, best < s.a1.take(s.sizes[start, own]) * d[rows, own]


def _optimal_transfer(s: Starts, m: int, restrict: bool) -> BoolArray:
    """Run one optimal-transfer stage of the first m starts; return which (by ident) converged."""
    n = s.n
    converged = np.zeros(len(s.ident), dtype=bool)
    s.live[:m][s.touched[:m]] = n + 1
    s.position[:m] = 0
    window = min(FIRST_WINDOW, n)
    while m:
        position, idle = s.position[:m], s.idle[:m]
        left = n - np.maximum(position, idle)
        offsets = np.arange(window)
        points = np.minimum(position[:, None] + offsets, n - 1)
        at = points + s.first_point[:m]
        best_cluster, moves, alone = _optimal_window(s, points, at, restrict)
        moves &= offsets < left[:, None]
        first = moves.argmax(axis=1)
        has = moves.reshape(-1).take(np.arange(0, m * window, window) + first)
        seen = np.where(has, first, np.minimum(left, window))
        keep = offsets < seen[:, None]
        if alone is not None:
            keep &= ~alone
        s.c2.put(at[keep], best_cluster[keep])
        idle += seen
        position += seen
        start = has.nonzero()[0]
        if len(start):
            point = position[start]
            both = s.move(start, point, best_cluster[start, first[start]])
            point += 1
            position[start] = point
            idle[start] = 0
            s.live.put(both, np.concatenate([point, point]) + n)
        if left.min() <= window:
            done = (idle == n) | (position == n)
            converged[s.ident[:m][idle == n]] = True
            m = _retire_many(s, done, m)
        window = _resize(window, len(start), int(np.count_nonzero(left)), m, s)
    s.touched[:] = False
    s.live -= n
    np.copyto(s.stamp, s.live)  # step of the last move; at most 1 when there was none
    return converged


def _retire_many(s: Starts, done: BoolArray, m: int) -> int:
    """Retire finished starts once they are at least half of the first m; until then they stay idle."""
    return s.retire(done, m) if 2 * np.count_nonzero(done) >= m else m


def _quick_window(s: Starts, points: IntArray, steps: IntArray) -> BoolArray:
    """Whether each point of the windows moves to its runner-up: (m, b)."""
    m = len(points)
    at = points + s.first_point[:m]
    own, other = s.c1.take(at), s.c2.take(at)
    r2, first_cell, r1, ratio_at = s.window(points, own)
    best = r2.reshape(-1).take(first_cell + other)
    latest = np.maximum(s.stamp.take(ratio_at), s.stamp.take(other + s.first_cluster[:m]))
    active = steps < latest
    moves: BoolArray = best < r1
    if (abs(best - r1) <= s.bound()).any():
        unsure = active & (np.abs(best - r1) <= s.point_bounds(points))
        r, b = np.nonzero(unsure)
        if len(r):
            point, c1, c2 = points[r, b], own[r, b], other[r, b]
            a1, a2 = s.a1.take(s.sizes[r, c1]), s.a2.take(s.sizes[r, c2])
            limit = a1 * s.exact(r, point, c1) / a2
            moves[r, b] = s.exact(r, point, c2) < limit
    moves &= active
    alone = s.alone(ratio_at)
    if alone is not None:
        moves &= ~alone
    return moves


def _quick_transfer(s: Starts, m: int) -> BoolArray:
    """Run one quick-transfer stage of the first m starts; return which (by ident) hit R's step limit."""
    n, last_step = s.n, quick_transfer_limit(s.n) - 1
    limited = np.zeros(len(s.ident), dtype=bool)
    s.step[:m] = s.quiet[:m] = 0
    window = min(FIRST_WINDOW, n)
    while m:
        step, quiet = s.step[:m], s.quiet[:m]
        left = np.minimum(n - quiet, last_step - step)
        offsets = np.arange(window)
        steps = step[:, None] + (offsets + 1)
        points = (step % n)[:, None] + offsets
        points -= n * (points >= n)
        moves = _quick_window(s, points, steps)
        moves &= offsets < left[:, None]
        first = moves.argmax(axis=1)
        has = moves.reshape(-1).take(np.arange(0, m * window, window) + first)
        seen = np.where(has, first, np.minimum(left, window))
        step += seen
        quiet += seen
        start = has.nonzero()[0]
        if len(start):
            point = points[start, first[start]]
            both = s.move(start, point, s.c2[start, point])
            now = step[start] + 1
            step[start] = now
            quiet[start] = s.idle[start] = 0
            s.touched.put(both, True)
            s.stamp.put(both, np.concatenate([now, now]) + n)
        if left.min() <= window:
            ended = quiet == n
            stopped = ~ended & (step >= last_step)
            limited[s.ident[:m][stopped]] = True
            m = _retire_many(s, ended | stopped, m)
        window = _resize(window, len(start), int(np.count_nonzero(left)), m, s)
    return limited


def _run_single(s: Single, iter_max: int) -> Run:
    """Run all stages of a single start."""
    for n_iter in range(1, iter_max + 1):
        if s.optimal_transfer(restrict=n_iter > 1):
            return Run(s.c1, n_iter, CONVERGED)
        if s.quick_transfer(quick_transfer_limit(s.n) - 1):
            return Run(s.c1, n_iter, QUICK_TRANSFER_LIMIT)
        if s.k == 2:
            return Run(s.c1, n_iter, CONVERGED)
        s.stamp[:] = 0
    return Run(s.c1, iter_max + 1, NOT_CONVERGED)


def hartigan_wong(x: FloatArray, centers: FloatArray, iter_max: int) -> list[Run | None]:
    """Run AS 136 from each set of starting centres.

    Shapes: x (n, p), centers (r, k, p).
    """
    n_starts, k, _ = centers.shape
    geometry = Geometry(x, allow_gram=n_starts > 1)
    c1, c2 = two_nearest(geometry, centers)
    sums, sizes = first_member_sums(x, c1, k)
    filled = (sizes > 0).all(axis=1)
    names = np.flatnonzero(filled)
    results: list[Run | None] = [None] * n_starts
    if not len(names):
        return results
    if n_starts == 1:
        means = sums[0] / sizes[0][:, None]
        return [_run_single(Single(geometry, c1[0], c2[0], means, sizes[0]), iter_max)]
    s = Starts(geometry, c1[filled], c2[filled], sums[filled] / sizes[filled][:, :, None], sizes[filled])
    m = len(names)

    def finish(done: BoolArray, n_iter: int, ifault: int) -> int:
        for r in np.flatnonzero(done):
            results[names[s.ident[r]]] = Run(s.c1[r].copy(), n_iter, ifault)
        return s.retire(done, m)

    for n_iter in range(1, iter_max + 1):
        if not m:
            break
        converged = _optimal_transfer(s, m, restrict=n_iter > 1)
        m = finish(converged[s.ident[:m]], n_iter, CONVERGED)
        limited = _quick_transfer(s, m)
        m = finish(limited[s.ident[:m]], n_iter, QUICK_TRANSFER_LIMIT)
        if k == 2:
            m = finish(np.ones(m, dtype=bool), n_iter, CONVERGED)
        s.stamp[:m] = 0
    finish(np.ones(m, dtype=bool), iter_max + 1, NOT_CONVERGED)
    return results


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
        bounds: FloatArray = factor * (self.geometry.squares.take(points) + norms[:, None]) + UNDERFLOW
        return bounds

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

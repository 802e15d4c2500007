"""Hartigan and Wong's k-means (AS 136) as R runs it, all starts side by side.

Source: Hartigan & Wong (1979), "Algorithm AS 136: A k-means clustering algorithm", Applied Statistics
28, 100-108. Points move one at a time, and every move shifts two centres, so the moves of one start form
a chain. Different starts do not touch each other: each step below looks, for every start, at a window of
points from where that start stands, finds its first point that moves, and makes these moves together.

Window distances come from matrix products and carry an error bound. A comparison that the bound cannot
settle is repeated with R's own sums (left to right over features), so that every decision is R's.

Stages and names follow the paper: R1 = a1 d(i, own), R2 = a2 d(i, other), live sets, and for each point
its cluster ``c1`` and its runner-up ``c2``. Points and clusters count from 0, steps from 1 as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.distance import (
    FloatArray,
    Geometry,
    exact_distances,
    first_member_sums,
    two_nearest,
)

IntArray = NDArray[np.int64]
BIG = 1e30
QUICK_TRANSFER_STEPS = 50
MIN_WINDOW, MAX_CELLS = 8, 60_000
CONVERGED, NOT_CONVERGED, QUICK_TRANSFER_LIMIT = 0, 2, 4


@dataclass(frozen=True, slots=True)
class Run:
    """One start: labels from 0 (n,), optimal-transfer stages begun, and R's ifault (0, 2 or 4)."""

    labels: IntArray
    n_iter: int
    ifault: int


class _Starts:
    """The state of all unfinished starts; the first ``m`` rows of every array are at work.

    ``centers`` are the running centres with R's rounding; ``sizes``, ``a1``, ``a2``, ``live``, ``stamp``
    and ``touched`` have one entry per start and cluster, ``c1`` and ``c2`` one per start and point.
    """

    rows = ("centers", "shifted", "norms", "sizes", "a1", "a2", "live", "stamp", "touched", "c1", "c2",
            "idle", "position", "step", "quiet", "ident")  # fmt: skip

    def __init__(self, geometry: Geometry, c1: IntArray, c2: IntArray, centers: FloatArray, sizes: FloatArray):
        n_starts, k = sizes.shape
        self.geometry = geometry
        self.c1, self.c2 = c1, c2
        self.centers, self.sizes = centers, sizes
        self.shifted = centers - geometry.shift
        self.norms = np.einsum("rkp,rkp->rk", self.shifted, self.shifted)
        self.a1 = np.where(sizes == 1, BIG, sizes / np.maximum(sizes - 1.0, 1.0))
        self.a2 = sizes / (sizes + 1.0)
        self.live = np.zeros((n_starts, k), dtype=np.int64)
        self.stamp = np.full((n_starts, k), -1, dtype=np.int64)
        self.touched = np.ones((n_starts, k), dtype=bool)
        self.idle, self.position, self.step, self.quiet = np.zeros((4, n_starts), dtype=np.int64)
        self.ident = np.arange(n_starts)
        self.products = geometry.member_products(c1, k)
        self.n_moves = 0

    def swap(self, a: int, b: int) -> None:
        """Exchange two starts in every array."""
        if a == b:
            return
        for name in self.rows:
            array = getattr(self, name)
            array[[a, b]] = array[[b, a]]
        if self.products is not None:
            self.products[[a, b]] = self.products[[b, a]]

    def retire(self, done: NDArray[np.bool_], m: int) -> int:
        """Move the finished ones of the first m starts behind the others; return how many remain."""
        for r in np.flatnonzero(done)[::-1]:
            m -= 1
            self.swap(int(r), m)
        return m

    def window_distances(self, points: IntArray, m: int) -> tuple[FloatArray, FloatArray]:
        """Approximate squared distances (m, b, k) of each start's window and their error bounds (m, b)."""
        g = self.geometry
        if self.products is None:
            inner = np.matmul(g.x[points], self.shifted[:m].transpose(0, 2, 1))
        else:
            inner = self.products[np.arange(m)[:, None], points] / self.sizes[:m, None, :]
        norms = self.norms[:m]
        square = g.squares[points]
        inner *= -2.0
        inner += norms[:, None, :]
        inner += square[:, :, None]
        bound = square + norms.max(axis=1)[:, None]
        bound *= g.error_factor(self.n_moves)
        return inner, bound

    def exact(self, start: IntArray, point: IntArray, cluster: IntArray) -> FloatArray:
        """R's own squared distances of points to running centres, elementwise."""
        return exact_distances(self.geometry.raw[point], self.centers[start, cluster])

    def move(self, start: IntArray, point: IntArray, target: IntArray) -> IntArray:
        """Move one point per start to its target cluster; return the clusters left."""
        source = self.c1[start, point]
        x = self.geometry.raw[point]
        n1, n2 = self.sizes[start, source], self.sizes[start, target]
        left = (self.centers[start, source] * n1[:, None] - x) / (n1 - 1.0)[:, None]
        joined = (self.centers[start, target] * n2[:, None] + x) / (n2 + 1.0)[:, None]
        who, both = np.concatenate([start, start]), np.concatenate([source, target])
        centers = np.concatenate([left, joined])
        sizes = np.concatenate([n1 - 1.0, n2 + 1.0])
        shifted = centers - self.geometry.shift
        self.centers[who, both] = centers
        self.shifted[who, both] = shifted
        self.norms[who, both] = np.einsum("qp,qp->q", shifted, shifted)
        self.sizes[who, both] = sizes
        self.a1[who, both] = np.where(sizes == 1, BIG, sizes / np.maximum(sizes - 1.0, 1.0))
        self.a2[who, both] = sizes / (sizes + 1.0)
        self.c1[start, point] = target
        self.c2[start, point] = source
        if self.products is not None:
            gram = self.geometry.gram[point]
            self.products[start, :, source] -= gram
            self.products[start, :, target] += gram
        self.n_moves += 1
        return source


def _resize(window: int, share_moving: float, m: int, k: int, n: int) -> int:
    """Next window length: about one move per window, within bounds."""
    if share_moving > 0.75:
        window //= 2
    elif share_moving < 0.45:
        window *= 2
    return max(min(window, MAX_CELLS // (m * k), n), min(MIN_WINDOW, n))


def _first(moves: NDArray[np.bool_]) -> tuple[IntArray, NDArray[np.bool_]]:
    """For each row, the position of the first True and whether there is one."""
    first = moves.argmax(axis=1)
    return first, moves[np.arange(len(moves)), first]


def _settle_optimal(
    s: _Starts, start: IntArray, point: IntArray, allowed: NDArray[np.bool_]
) -> tuple[IntArray, NDArray[np.bool_]]:
    """R's decision for single points by R's own sums: best other cluster, and whether the point moves."""
    k = s.sizes.shape[1]
    own, best_cluster = s.c1[start, point], s.c2[start, point].copy()
    d = np.stack([s.exact(start, point, np.full_like(point, j)) for j in range(k)], axis=1)
    rows = np.arange(len(start))
    a2 = s.a2[start]
    best = d[rows, best_cluster] * a2[rows, best_cluster]
    runner_up = best_cluster.copy()
    for j in range(k):
        better = allowed[:, j] & (own != j) & (runner_up != j) & (d[:, j] < best / a2[:, j])
        best = np.where(better, d[:, j] * a2[:, j], best)
        best_cluster[better] = j
    return best_cluster, best < s.a1[start, own] * d[rows, own]


def _optimal_window(
    s: _Starts, points: IntArray, m: int, restrict: bool
) -> tuple[IntArray, NDArray[np.bool_], NDArray[np.bool_]]:
    """Best other cluster, whether the point moves, and whether it is alone in its cluster: (m, b) each."""
    k = s.sizes.shape[1]
    shape = points.shape
    rows = np.arange(m)[:, None]
    c1 = s.c1[rows, points]
    d, bound = s.window_distances(points, m)
    flat = np.arange(points.size) * k
    at_own = flat + c1.ravel()
    own = (d.reshape(-1)[at_own]).reshape(shape) * s.a1[rows, c1]
    d *= s.a2[:m, None, :]
    if restrict:
        at_second = flat + s.c2[rows, points].ravel()
        kept = d.reshape(-1)[at_second]
        number = points + 1
        allowed = s.live[:m, None, :] > number[:, :, None]
        allowed |= (s.live[rows, c1] > number)[:, :, None]
        d[~allowed] = np.inf
        d.reshape(-1)[at_second] = kept
    else:
        allowed = None
    d.reshape(-1)[at_own] = np.inf
    best_cluster = d.argmin(axis=2)
    best = d.reshape(-1)[flat + best_cluster.ravel()].reshape(shape)
    moves = best < own
    close = d <= (best + bound)[:, :, None]
    unsure = np.abs(best - own) <= bound
    if np.count_nonzero(close) > points.size:
        unsure |= np.count_nonzero(close, axis=2) > 1
    alone = s.sizes[rows, c1] == 1
    if unsure.any():
        r, b = np.nonzero(unsure)
        open_to = np.ones((len(r), k), dtype=bool) if allowed is None else allowed[r, b]
        best_cluster[r, b], moves[r, b] = _settle_optimal(s, r, points[r, b], open_to)
    moves &= ~alone
    return best_cluster, moves, alone


def _optimal_transfer(s: _Starts, m: int, restrict: bool) -> NDArray[np.bool_]:
    """One optimal-transfer stage of the first m starts; which of the starts (by ident) converged."""
    n, k = s.geometry.raw.shape[0], s.sizes.shape[1]
    converged = np.zeros(len(s.ident), dtype=bool)
    s.live[:m][s.touched[:m]] = n + 1
    s.position[:m] = 0
    window = min(16, n)
    while m:
        position = s.position[:m]
        valid = np.minimum(window, np.minimum(n - position, n - s.idle[:m]))
        offsets = np.arange(window)
        points = np.minimum(position[:, None] + offsets, n - 1)
        best_cluster, moves, alone = _optimal_window(s, points, m, restrict)
        moves &= offsets < valid[:, None]
        first, has = _first(moves)
        seen = np.where(has, first, valid)
        r, b = np.nonzero((offsets < seen[:, None]) & ~alone)
        s.c2[r, points[r, b]] = best_cluster[r, b]
        s.position[:m] += seen + has
        s.idle[:m] += seen
        if has.any():
            start = np.flatnonzero(has)
            point, target = points[start, first[start]], best_cluster[start, first[start]]
            source = s.move(start, point, target)
            s.idle[start] = 0
            s.live[start, source] = s.live[start, target] = n + 1 + point
            s.stamp[start, source] = s.stamp[start, target] = 1 + point
        quiet = s.idle[:m] == n
        converged[s.ident[:m][quiet]] = True
        m = s.retire(quiet | (s.position[:m] == n), m)
        if m:
            window = _resize(window, float(np.mean(has)), m, k, n)
    s.touched[:] = False
    s.live -= n
    return converged


def _quick_window(s: _Starts, points: IntArray, m: int, steps: IntArray) -> NDArray[np.bool_]:
    """Whether each point of the windows moves to its runner-up: (m, b)."""
    k = s.sizes.shape[1]
    rows = np.arange(m)[:, None]
    c1, c2 = s.c1[rows, points], s.c2[rows, points]
    active = (steps < s.stamp[rows, c1]) | (steps < s.stamp[rows, c2])
    active &= s.sizes[rows, c1] != 1
    d, bound = s.window_distances(points, m)
    flat = np.arange(points.size) * k
    d1 = d.reshape(-1)[flat + c1.ravel()].reshape(points.shape)
    d2 = d.reshape(-1)[flat + c2.ravel()].reshape(points.shape)
    a1, a2 = s.a1[rows, c1], s.a2[rows, c2]
    limit = a1 * d1 / a2
    moves = d2 < limit
    unsure = active & (np.abs(d2 - limit) <= 6.0 * bound)  # a1 <= 2 and 1/a2 <= 2
    if unsure.any():
        r, b = np.nonzero(unsure)
        point = points[r, b]
        e1, e2 = s.exact(r, point, c1[r, b]), s.exact(r, point, c2[r, b])
        moves[r, b] = e2 < a1[r, b] * e1 / a2[r, b]
    moves &= active
    return moves


def _quick_transfer(s: _Starts, m: int) -> NDArray[np.bool_]:
    """One quick-transfer stage of the first m starts; which of the starts hit R's limit of steps."""
    n, k = s.geometry.raw.shape[0], s.sizes.shape[1]
    last_step = min(QUICK_TRANSFER_STEPS * n, 2**31 - 1) - 1
    limited = np.zeros(len(s.ident), dtype=bool)
    s.step[:m] = s.quiet[:m] = 0
    window = min(16, n)
    while m:
        step = s.step[:m]
        valid = np.minimum(window, np.minimum(n - s.quiet[:m], last_step - step))
        offsets = np.arange(window)
        steps = step[:, None] + (offsets + 1)
        points = (steps - 1) % n
        moves = _quick_window(s, points, m, steps)
        moves &= offsets < valid[:, None]
        first, has = _first(moves)
        seen = np.where(has, first, valid)
        s.step[:m] += seen + has
        s.quiet[:m] += seen
        if has.any():
            start = np.flatnonzero(has)
            point = points[start, first[start]]
            target = s.c2[start, point]
            source = s.move(start, point, target)
            s.quiet[start] = s.idle[start] = 0
            s.touched[start, source] = s.touched[start, target] = True
            s.stamp[start, source] = s.stamp[start, target] = s.step[start] + n
        ended = s.quiet[:m] == n
        stopped = ~ended & (s.step[:m] >= last_step)
        limited[s.ident[:m][stopped]] = True
        m = s.retire(ended | stopped, m)
        if m:
            window = _resize(window, float(np.mean(has)), m, k, n)
    return limited


def _by_ident(s: _Starts, flags: NDArray[np.bool_], m: int) -> NDArray[np.bool_]:
    """Flags kept by identity, in the present order of the first m starts."""
    return flags[s.ident[:m]]


def hartigan_wong(x: FloatArray, centers: FloatArray, iter_max: int) -> list[Run | None]:
    """Run AS 136 from each set of starting centres.

    Parameters
    ----------
    x : ndarray of shape (n, p)
        Finite data, C order.
    centers : ndarray of shape (r, k, p)
        Starting centres of r starts, with 1 < k < n.
    iter_max : int
        Largest number of optimal-transfer stages.

    Returns
    -------
    list of Run or None, length r
        None for a start that leaves a cluster empty at its first assignment (an error in R).
    """
    n_starts, k, _ = centers.shape
    geometry = Geometry(x, n_starts * k)
    c1, c2 = two_nearest(geometry, centers)
    sums, sizes = first_member_sums(x, c1, k)
    filled = (sizes > 0).all(axis=1)
    results: list[Run | None] = [None] * n_starts
    names = np.flatnonzero(filled)
    means = sums[filled] / sizes[filled][:, :, None]
    s = _Starts(geometry, c1[filled], c2[filled], means, sizes[filled])
    m = len(names)

    def finish(done: NDArray[np.bool_], n_iter: int, ifault: int) -> int:
        for r in np.flatnonzero(done):
            results[names[s.ident[r]]] = Run(s.c1[r].copy(), n_iter, ifault)
        return s.retire(done, m)

    for n_iter in range(1, iter_max + 1):
        if not m:
            break
        converged = _optimal_transfer(s, m, restrict=n_iter > 1)
        m = finish(_by_ident(s, converged, m), n_iter, CONVERGED)
        limited = _quick_transfer(s, m)
        m = finish(_by_ident(s, limited, m), n_iter, QUICK_TRANSFER_LIMIT)
        if k == 2:
            m = finish(np.ones(m, dtype=bool), n_iter, CONVERGED)
        s.stamp[:m] = 0
    finish(np.ones(m, dtype=bool), iter_max + 1, NOT_CONVERGED)
    return results

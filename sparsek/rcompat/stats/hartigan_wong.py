"""Hartigan and Wong's k-means (AS 136) as R runs it, all starts side by side.

Source: Hartigan & Wong (1979), "Algorithm AS 136: A k-means clustering algorithm", Applied Statistics
28, 100-108. Points move one at a time, and every move shifts two centres, so each move of a start depends on
the moves before it. Different starts are independent: each step below takes, for every start, a window of
points from the present position of the start, finds the first point that moves, and makes the moves of all
starts together. A single start gains nothing from this and uses `hartigan_wong_single`.

Distances in a window come from matrix products and have an error bound. A comparison closer than the bound
is repeated with R's own sums (left to right over features), so that every decision is R's.

Stages and names follow the paper: R1 = a1 d(i, own), R2 = a2 d(i, other), live sets, and for each point
its cluster ``c1`` and its runner-up ``c2``. Points and clusters count from 0, steps from 1 as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.numerics.exact_distances import Geometry, first_member_sums, two_nearest
from sparsek.rcompat.stats.hartigan_wong_single import Single
from sparsek.rcompat.stats.hartigan_wong_state import Starts

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
    return max(min(window, MAX_CELLS // (max(m, 1) * s.k), s.n), min(MIN_WINDOW, s.n))


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
    moves = best < r1
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

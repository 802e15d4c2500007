"""Hartigan and Wong's algorithm for a single start: blocks of points, then doubtful points one by one.

All points of a block are first compared with the centres at its beginning. As the centres move, only the
points whose margin is no larger than the movement so far are compared again, one at a time. See
`hartigan_wong` for the source, the names and the rule that every decision is R's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import UNDERFLOW, Geometry, exact_distances

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

BIG = 1e30
BLOCK = 512


class Single:
    """One start: the paper's state, and the movement of the centres since the present block began.

    ``centers`` (k, p) have R's rounding; ``scaled`` (k, p + 2) is as in `hartigan_wong.Starts`.
    ``path`` is the length of each centre's path since the block began, ``before`` the sizes at that time.
    """

    def __init__(self, geometry: Geometry, c1: IntArray, c2: IntArray, centers: FloatArray, sizes: IntArray):
        self.geometry, self.c1, self.c2, self.centers = geometry, c1, c2, centers
        self.n, p = geometry.raw.shape
        self.k = len(centers)
        self.size: list[int] = sizes.tolist()
        self.scaled, self.ratio = np.empty((self.k, p + 2)), np.empty(self.k)
        for cluster in range(self.k):
            self._derive(cluster)
        self.live, self.stamp = [self.n + 1] * self.k, np.full(self.k, -1)
        self.idle = 0
        self.factor = 4.0 * geometry.error_factor(0)
        self.largest_bound = 3.0 * self.factor * geometry.largest_square + UNDERFLOW
        self._begin_block(0.0)

    def _derive(self, cluster: int) -> None:
        """Update ``scaled`` and ``ratio`` from a cluster's centre and size."""
        n = float(self.size[cluster])
        a2 = n / (n + 1.0)
        self.ratio[cluster] = self._a1(cluster) / a2
        row = self.scaled[cluster]
        shifted = self.centers[cluster] - self.geometry.shift
        np.multiply(shifted, -2.0 * a2, out=row[:-2])
        row[-2], row[-1] = a2 * float(shifted @ shifted), a2

    def _a1(self, cluster: int) -> float:
        n = float(self.size[cluster])
        return BIG if n == 1 else n / (n - 1.0)

    def _a2(self, cluster: int) -> float:
        n = float(self.size[cluster])
        return n / (n + 1.0)

    def _begin_block(self, largest_root: float) -> None:
        """Reset the movement of the centres; `largest_root` is the largest sqrt(R) of the block."""
        self.path, self.before = [0.0] * self.k, list(self.size)
        self.touches = [0] * self.k
        self.largest_root, self.slack = largest_root, 0.0

    def _move(self, i: int, target: int) -> None:
        """Move a point as R does; the slack grows: |d sqrt R| <= 1.5 path + 0.75 u / (N - u - 1)^2 sqrt R."""
        source, x = int(self.c1[i]), self.geometry.raw[i]
        for cluster, sign in ((source, -1), (target, 1)):
            n = float(self.size[cluster])
            old = self.centers[cluster]
            new = (old * n - x) / (n - 1.0) if sign < 0 else (old * n + x) / (n + 1.0)
            step = new - old
            self.centers[cluster] = new
            self.size[cluster] += sign
            self._derive(cluster)
            self.path[cluster] += math.sqrt(step @ step)
            self.touches[cluster] += 1
            spare = self.before[cluster] - self.touches[cluster] - 1.0
            if spare <= 0:
                self.slack = math.inf
            else:
                relative = 0.75 * self.touches[cluster] / spare**2
                self.slack = max(self.slack, 3.0 * self.path[cluster] + 2.0 * relative * self.largest_root)
        self.c1[i], self.c2[i] = target, source

    def _bound(self, points: slice | int) -> Any:
        """Bounds on the error of |R2 - R1| for some points, any clusters (a1 / a2 <= 3)."""
        longest = (self.scaled[:, -2] / self.scaled[:, -1]).max()
        return self.factor * (self.geometry.squares[points] + longest) + UNDERFLOW

    def _sure(self, i: int, difference: float) -> bool:
        """Whether the difference of two R values of a point exceeds the error bound."""
        return difference > self.largest_bound or difference > self._bound(i)

    def exact(self, i: int) -> list[float]:
        """R's own squared distances of a point to all running centres."""
        distances: list[float] = exact_distances(self.geometry.raw[i], self.centers).tolist()
        return distances

    def _judge_optimal(self, block: slice, restrict: bool) -> tuple[IntArray, FloatArray]:
        """Best other cluster of each point; margin in sqrt(R), not positive if it may move or is alone."""
        own, rows = self.c1[block], np.arange(block.stop - block.start)
        r2 = self.geometry.extended[block] @ self.scaled.T
        r1 = r2[rows, own] * self.ratio[own]
        if restrict:
            number, live = np.arange(block.start + 1, block.stop + 1), np.array(self.live)
            closed = (live <= number[:, None]) & (live[own] <= number)[:, None]
            closed[rows, self.c2[block]] = False
            r2[closed] = np.inf
        r2[rows, own] = np.inf
        target = r2.argmin(axis=1)
        best = r2[rows, target]
        r2[rows, target] = np.inf
        second, bound = r2.min(axis=1), self._bound(block)
        margin = np.minimum(_gap(best, r1, bound), _gap(second, best, bound))
        margin[np.array(self.size)[own] == 1] = -1.0
        largest = max(best.max(), second.max(initial=0.0, where=np.isfinite(second)))
        self._begin_block(math.sqrt(max(largest + bound.max(), 0.0)))
        return target, margin

    def optimal_transfer(self, restrict: bool) -> bool:
        """Run one optimal-transfer stage; return whether it converged."""
        position = 0
        while position < self.n and self.idle < self.n:
            stop = position + min(BLOCK, self.n - position, self.n - self.idle)
            target, margin = self._judge_optimal(slice(position, stop), restrict)
            position = self._walk_optimal(position, stop, target, margin, restrict)
        self.live = [v - self.n for v in self.live]
        self.stamp[:] = self.live
        converged: bool = self.idle == self.n
        return converged

    def _walk_optimal(
        self, begin: int, stop: int, target: IntArray, margin: FloatArray, restrict: bool
    ) -> int:
        """Move the points of a block; return the point where the block ends or must be compared again."""
        i, again = begin, 0
        while i < stop:
            near = margin[i - begin :] <= self.slack
            j = int(near.argmax())
            skipped = j if near[j] else stop - i
            self.c2[i : i + skipped] = target[i - begin : i - begin + skipped]
            self.idle += skipped
            i += skipped
            if i == stop:
                break
            self.idle += 1
            if self.size[self.c1[i]] > 1 and self._place(i, restrict):
                source, joined = int(self.c2[i]), int(self.c1[i])
                opens = restrict and min(self.live[source], self.live[joined]) <= stop
                self.idle, self.live[source], self.live[joined] = 0, self.n + i + 1, self.n + i + 1
                if opens:
                    return i + 1
            again += 1
            i += 1
            if 4 * again > BLOCK // 2 and self.slack > 0.0:
                return i
        return stop

    def _place(self, i: int, restrict: bool) -> bool:
        """Move one point to its best other cluster, or record that as runner-up; return whether it moved."""
        own, number = int(self.c1[i]), i + 1
        closed: list[int] = []
        if restrict and self.live[own] <= number:
            closed = [m for m in range(self.k) if self.live[m] <= number and m != self.c2[i]]
        r2 = self.scaled @ self.geometry.extended[i]
        r1 = float(r2[own] * self.ratio[own])
        r2[own] = np.inf
        r2[closed] = np.inf
        target = int(r2.argmin())
        best = float(r2[target])
        moves = best < r1
        r2[target] = np.inf
        if not self._sure(i, min(abs(best - r1), float(r2.min()) - best)):
            target, moves = self._settle(i, own, closed)
        if moves:
            self._move(i, target)
        else:
            self.c2[i] = target
        return moves

    def _settle(self, i: int, own: int, closed: list[int]) -> tuple[int, bool]:
        """Best other cluster of a point, and whether it moves, decided by R's own sums."""
        d, target = self.exact(i), int(self.c2[i])
        best = d[target] * self._a2(target)
        for m in range(self.k):
            if m in (own, self.c2[i]) or m in closed or d[m] >= best / self._a2(m):
                continue
            best, target = d[m] * self._a2(m), m
        return target, best < self._a1(own) * d[own]

    def _judge_quick(self, block: slice, first_step: int) -> FloatArray:
        """Margin of each point in sqrt(R): not positive if it may move, NaN if it is not active."""
        own, other = self.c1[block], self.c2[block]
        rows = np.arange(len(own))
        r2 = self.geometry.extended[block] @ self.scaled.T
        best, r1 = r2[rows, other], r2[rows, own] * self.ratio[own]
        bound = self._bound(block)
        margin = _gap(best, r1, bound)
        self._begin_block(math.sqrt(max(best.max() + bound.max(), 0.0)))
        active = first_step + rows < np.maximum(self.stamp[own], self.stamp[other])
        margin[~active] = np.nan
        return margin

    def quick_transfer(self, last_step: int) -> bool:
        """Run one quick-transfer stage; return whether it hit R's limit of steps."""
        n, step, self.last_move = self.n, 0, 0
        while step < min(self.last_move + n, last_step):
            begin = step % n
            length = min(BLOCK, n - begin, self.last_move + n - step, last_step - step)
            margin = self._judge_quick(slice(begin, begin + length), step + 1)
            step = self._walk_quick(begin, step, margin)
        limited: bool = step < self.last_move + n
        return limited

    def _walk_quick(self, begin: int, step: int, margin: FloatArray) -> int:
        """Move the points of a block; return the step where the block ends or must be compared again."""
        length, j, again = len(margin), 0, 0
        while j < length:
            near = margin[j:] <= self.slack
            ahead = int(near.argmax())
            if not near[ahead]:
                break
            j += ahead
            i, now = begin + j, step + j + 1
            j += 1
            if self.size[self.c1[i]] > 1 and self._passes_over(i):
                source, joined = int(self.c2[i]), int(self.c1[i])
                opens = min(self.stamp[source], self.stamp[joined]) <= step + length
                self.stamp[source] = self.stamp[joined] = now + self.n
                self.live[source] = self.live[joined] = self.n + 1
                self.last_move, self.idle = now, 0
                if opens:
                    return now
            again += 1
            if 4 * again > BLOCK // 2 and self.slack > 0.0:
                return now
        return step + length

    def _passes_over(self, i: int) -> bool:
        """Move a point to its runner-up if that is better; return whether it moved."""
        own, other, e = int(self.c1[i]), int(self.c2[i]), self.geometry.extended[i]
        r1 = float(self.scaled[own] @ e) * float(self.ratio[own])
        r2 = float(self.scaled[other] @ e)
        moves = r2 < r1
        if not self._sure(i, abs(r2 - r1)):
            d = self.exact(i)
            moves = d[other] < self._a1(own) * d[own] / self._a2(other)
        if moves:
            self._move(i, other)
        return moves


def _gap(above: FloatArray, below: FloatArray, bound: FloatArray) -> FloatArray:
    """Lower bound of sqrt(above) - sqrt(below), given a bound on the error of both; may be negative."""
    return np.sqrt(np.maximum(above - bound, 0.0)) - np.sqrt(np.maximum(below + bound, 0.0))

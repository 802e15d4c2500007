"""Distances and trimming for many runs of trimmed k-means at once: fast, with the same decisions as R.

Squared distances come from one matrix product, with a bound on their error. Decisions that this error could
change (nearest centre, rows at the trimming border) use R's sums instead, left to right over features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import (
    UNDERFLOW,
    UNIT,
    FloatArray,
    IntArray,
    exact_distances,
    sequential_sum,
)

CELLS = 131_072
"""Largest number of distances computed at a time, so that they stay in the processor's cache."""


def shell_order(m: FloatArray) -> IntArray:
    """Order of increasing values, NaN last, as R's ``rsort_with_index``, which reorders ties.

    Shapes: m (n,); returns (n,).
    """
    n = len(m)
    gap = 1
    while gap <= n // 9:
        gap = 3 * gap + 1
    values, order = m, np.arange(n)
    while gap > 0:
        short = -n % gap
        chains = np.append(values, np.full(short, np.nan)).reshape(-1, gap)
        rank = np.argsort(chains, axis=0, kind="stable") * gap + np.arange(gap)
        rank = rank.ravel()
        rank = rank[rank < n] if short else rank
        values, order = values[rank], order[rank]
        gap //= 3
    return order


@dataclass(frozen=True, slots=True)
class NearestCenters:
    """Nearest centres of every row for r runs."""

    labels: IntArray  # (r, n): nearest centre, first on ties: exact
    distances: FloatArray  # (r, n): squared distance to it, up to `error`; NaN without a common feature
    error: FloatArray  # (r,): bound on the absolute error of the distances of each run


class PreparedRows:
    """The rows that are clustered, prepared for distances to any number of centres.

    Shapes: x (n, p), weights (p,).
    """

    def __init__(self, x: FloatArray, weights: FloatArray, skip_missing: bool = True) -> None:
        self.x, self.weights = x, weights
        self.n, self.p = x.shape
        self.seen = ~np.isnan(x)
        self.missing = skip_missing and not self.seen.all()
        self.total = float(sequential_sum(weights[:, None])[0])
        self.factor = 2 * (8 * self.p + 120) * UNIT
        self.shift = np.zeros(self.p)
        np.divide(
            x.sum(axis=0, where=self.seen), self.seen.sum(axis=0), out=self.shift, where=self.seen.any(axis=0)
        )
        z = np.where(self.seen, x - self.shift, 0.0) if self.missing else x - self.shift
        self.squares = np.einsum("ij,ij->i", z, z)
        self.largest_square = float(np.fmax.reduce(self.squares, initial=0.0))
        if self.missing:
            self.mask = np.ascontiguousarray(self.seen.T, dtype=np.float64)
            self.left = np.concatenate([z.T, (z * z).T, self.mask])
            self.summed = np.hstack([np.where(self.seen, x, 0.0), self.mask.T])
        else:
            self.left = np.concatenate([z.T, np.ones((1, self.n)), self.squares[None]])
            self.summed = x

    def exact(self, rows: IntArray, centers: FloatArray) -> FloatArray:
        """Squared distance of each row to the centre beside it (q, p), by R's sums.

        A missing coordinate of a centre is skipped; an infinite one makes the distance of rows observed there
        NaN.
        """
        x = self.x[rows]
        if self.missing:
            t = np.ascontiguousarray((x - centers).T)
            common = ~np.isnan(t)
            t *= t
            t[~common] = 0.0
            seen = sequential_sum(np.where(common, self.weights[:, None], 0.0))
            with np.errstate(divide="ignore", invalid="ignore"):
                d = sequential_sum(t) * (self.total / seen)
        else:
            d = exact_distances(x, centers)
        d[np.isinf(d)] = np.nan
        return d

    def exact_nearest(self, rows: IntArray, centers: FloatArray) -> tuple[IntArray, FloatArray]:
        """Label and distance of rows, each with its own centres (q, k, p).

        The comparison is R's: start with the first centre, go on where the value so far is greater.
        """
        d = np.stack([self.exact(rows, centers[:, j]) for j in range(centers.shape[1])], axis=1)
        labels = np.where(np.isnan(d), np.inf, d).argmin(axis=1)
        labels[np.isnan(d[:, 0])] = 0
        return labels, d[np.arange(len(d)), labels]

    def nearest(self, centers: FloatArray) -> NearestCenters:
        """Nearest centre of every row for r sets of centres (r, k, p)."""
        r, k, _ = centers.shape
        labels = np.empty((r, self.n), dtype=np.int64)
        distances = np.empty((r, self.n))
        error = np.empty(r)
        step = max(1, CELLS // (k * self.n))
        for begin in range(0, r, step):
            block = slice(begin, begin + step)
            d, error[block] = self._approximate(centers[block])
            self._smallest(d, error[block], centers[block], labels[block], distances[block])
        return NearestCenters(labels, distances, error)

    def _approximate(self, centers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Squared distances (r, k, n) from matrix products, and the bound on their error for each run."""
        r, k, p = centers.shape
        c = (centers - self.shift).reshape(r * k, p)
        known = ~np.isnan(c)
        if self.missing:
            c[~known] = 0.0
        norms = np.einsum("ij,ij->i", c, c)
        usable = np.isfinite(norms)
        c[~usable] = norms[~usable] = 0.0
        ratio: float | FloatArray = 1.0
        if self.missing:
            d = np.concatenate([-2 * c, known.astype(float), c * c], axis=1) @ self.left
            seen = (known * self.weights) @ self.mask
            with np.errstate(divide="ignore"):
                ratio = self.total / seen
            ratio[np.isinf(ratio)] = np.nan
            d *= ratio
        else:
            d = np.concatenate([-2 * c, norms[:, None], np.ones((r * k, 1))], axis=1) @ self.left
        d[~usable] = np.nan
        scale = float(np.fmax.reduce(np.ravel(ratio), initial=1.0))
        largest = norms.reshape(r, k).max(axis=1) + self.largest_square
        return d.reshape(r, k, self.n), self.factor * scale * largest + UNDERFLOW

    def _smallest(
        self, d: FloatArray, error: FloatArray, centers: FloatArray, labels: IntArray, best: FloatArray
    ) -> None:
        """Write the smallest distance and its centre (the first one); recompute doubtful cases exactly."""
        labels[:] = 0
        best[:] = d[:, 0]
        second = np.full_like(best, np.inf)
        for j in range(1, d.shape[1]):
            np.minimum(second, np.maximum(best, d[:, j]), out=second)
            labels[d[:, j] < best] = j
            np.minimum(best, d[:, j], out=best)
        run, row = np.nonzero(~(second - best > 2 * error[:, None]))
        if len(run):
            labels[run, row], best[run, row] = self.exact_nearest(row, centers[run])

    def trim(self, near: NearestCenters, centers: FloatArray, n_in: int) -> IntArray:
        """Labels with -1 for all but the `n_in` nearest rows of each run."""
        classes = near.labels.copy()
        if n_in == 0:
            classes[:] = -1
        elif n_in < self.n:
            border = np.partition(near.distances, (n_in - 1, n_in), axis=1)
            low, high = border[:, n_in - 1], border[:, n_in]
            classes[~(near.distances <= low[:, None])] = -1  # undefined distances are trimmed first
            for run in np.flatnonzero(~(high - low > 2 * near.error)).tolist():
                rows = self._trimmed(near, run, centers[run], n_in, low[run], high[run])
                classes[run] = near.labels[run]
                classes[run, rows] = -1
        return classes

    def _trimmed(
        self, near: NearestCenters, run: int, centers: FloatArray, n_in: int, low: float, high: float
    ) -> IntArray:
        """Trimmed rows of one run, when the error bound leaves the trimming border in doubt."""
        m, slack = near.distances[run], 2 * near.error[run]
        if not np.isnan(m).any():
            doubtful = np.flatnonzero((m >= high - slack) & (m <= low + slack))
            surely = np.flatnonzero(m > low + slack)
            exact = self.exact(doubtful, centers[near.labels[run, doubtful]])
            order = np.argsort(exact, kind="stable")
            kept = len(doubtful) - (self.n - n_in - len(surely))
            if exact[order[kept - 1]] < exact[order[kept]]:
                return np.concatenate([doubtful[order[kept:]], surely])
        return self.sorted_rows(near.labels[run], centers)[n_in:]

    def sorted_rows(self, labels: IntArray, centers: FloatArray) -> IntArray:
        """All rows of one run by increasing distance to their centres, ties in the order of R's sort."""
        return shell_order(self.exact(np.arange(self.n), centers[labels]))

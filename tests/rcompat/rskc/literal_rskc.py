"""Robust sparse k-means as in RSKC, point by point: the oracle of the fast version.

Slow on purpose: one run and one distance at a time. NaN stands for a missing value.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.ordered_arithmetic import long_column_sums, long_sum
from sparsek.errors import RError

NAN = float("nan")
INF = float("inf")


def ordered_sum(values):
    """Sum from left to right in double precision."""
    total = 0.0
    for v in values:
        total += v
    return total


def squares_apart(row, center, weights):
    """Ordered sum of squared differences over the common columns, scaled for missing ones."""
    total, seen = 0.0, 0.0
    for a, b, w in zip(row, center, weights, strict=True):
        if a is None or b is None:
            continue
        total += (a - b) * (a - b)  # Python's power may round otherwise
        seen += w
    return total, seen


class Trimmed:
    """Trimmed k-means of all runs; None in a row or centre is a missing value, which is skipped."""

    def __init__(self, x, k, alpha, weights=None, max_iter=10000):
        self.missing = bool(np.isnan(x).any())
        self.x = [[None if math.isnan(v) else v for v in row] for row in np.asarray(x).tolist()]
        self.n, self.p, self.k = *np.shape(x), k
        self.n_in = math.ceil((1 - alpha) * self.n)
        self.weights = [1.0] * self.p if weights is None else list(weights)
        self.total = ordered_sum(self.weights)
        self.max_iter = max_iter

    def distance(self, row, center):
        """Squared distance; NaN without a common column."""
        total, seen = squares_apart(row, center, self.weights)
        if not self.missing:
            return total
        if seen == 0:
            return NAN
        return total * (self.total / seen)

    def nearest(self, row, centers):
        """Label and distance of the nearest centre; a NaN distance wins for the first centre only."""
        best, label = self.distance(row, centers[0]), 0
        for j in range(1, self.k):
            d = self.distance(row, centers[j])
            if best > d:
                best, label = d, j
        return label, best

    def means(self, classes, last):
        """Means of the members; an empty cluster takes the last row."""
        centers = []
        for j in range(self.k):
            rows = [row for row, c in zip(self.x, classes, strict=True) if c == j]
            centers.append([mean([row[f] for row in rows]) for f in range(self.p)] if rows else self.x[last])
        return centers

    def draw(self, rng):
        """Start rows from k uniforms."""
        chosen = []
        for i in range(self.k):
            v = math.floor(100000 * float(rng.runif(1)[0]) + 0.5) % (self.n - i)
            chosen.append(v + sum(c <= v for c in chosen))
        return chosen

    def run_all(self, n_runs, rng, centers=None):
        """Labels, trimmed rows and criterion of the last best run; None if every criterion is NaN."""
        previous, best, found = [-30] * self.n, INF, None
        for _ in range(n_runs):
            c = [self.x[i] for i in self.draw(rng)] if centers is None else centers
            for passes in range(1, self.max_iter + 1):
                self.passes = passes
                labels, m = map(list, zip(*(self.nearest(row, c) for row in self.x), strict=True))
                order = shell_order(m)
                classes = list(labels)
                for i in order[self.n_in :]:
                    classes[i] = -1
                if classes == previous or passes == self.max_iter:
                    break
                c = self.means(classes, order[-1])
                previous = classes
            criterion = 0.0
            for i in order[: self.n_in]:
                criterion += m[i]
            if criterion <= best:
                best = criterion
                found = (np.array(labels), sorted(order[self.n_in :]), criterion)
        return found


def mean(values):
    """Ordered mean of the values that are not missing."""
    total, count = 0.0, 0
    for v in values:
        if v is not None:
            total += v
            count += 1
    return total / count if count else None


def greater(a, b):
    """R's comparison of doubles, NaN last."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and not math.isnan(b)
    return a > b


def shell_order(m):
    """Order of R's rsort_with_index, which is not stable."""
    values, index, n = list(m), list(range(len(m))), len(m)
    h = 1
    while h <= n // 9:
        h = 3 * h + 1
    while h > 0:
        for i in range(h, n):
            v, iv, j = values[i], index[i], i
            while j >= h and greater(values[j - h], v):
                values[j], index[j] = values[j - h], index[j - h]
                j -= h
            values[j], index[j] = v, iv
        h //= 3
    return index


def column_means(x, rows):
    """R's colMeans with na.rm: long sums, NaN where nothing was observed."""
    values = [[v for v in column if not math.isnan(v)] for column in x[rows].T.tolist()]
    return np.array([long_column_sums(np.array([v]).T, len(v))[0] if v else NAN for v in values])


def distant_rows(x, labels, kept, k, n_out):
    """The rows farthest from the mean of their own cluster, without feature weights."""
    p = x.shape[1]
    found = []
    for j in range(k):
        mu = column_means(x, np.flatnonzero((labels == j) & kept))
        for i in np.flatnonzero(labels == j):
            t = (x[i] - mu) ** 2
            count = int((~np.isnan(x[i])).sum())
            found.append((long_sum(t[~np.isnan(t)]) * (p / count) if count else NAN, i))
    order = sorted(range(len(found)), key=lambda a: INF if math.isnan(found[a][0]) else -found[a][0])
    return sorted(int(found[a][1]) for a in order[:n_out])


def threshold(a, bound):
    """Soft threshold by at most 15 halvings."""

    def ratio(v):
        return long_sum(v / math.sqrt(long_sum(v * v)))

    if not a.any() or ratio(a) <= bound:
        return 0.0
    low, high = 0.0, a.max() - 1e-5
    for _ in range(15):
        if high - low <= 1e-4:
            break
        middle = (low + high) / 2
        if ratio(np.maximum(a - middle, 0)) < bound:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def gains(row, T, mu, weights, total):
    """Gain of the cluster means over the overall mean, scaled for missing features."""
    seen = 0.0
    for v, w in zip(row, weights, strict=True):
        seen += 0.0 if math.isnan(v) else float(w)
    return ((row - T) ** 2 - (row - mu) ** 2) * (total / seen)


def step_b(x, labels, used, k, weights, bound):
    """New weights and their between sum of squares."""
    T = column_means(x, np.flatnonzero(used))
    parts, total = [], long_sum(weights)
    for j in range(k):
        rows = np.flatnonzero((labels == j) & used)
        if not len(rows):
            continue
        mu = column_means(x, rows)
        terms = np.array([gains(x[i], T, mu, weights, total) for i in rows])
        parts.append([long_sum(column[~np.isnan(column)]) for column in terms.T])
    a = np.maximum([long_sum(np.array(column)) for column in zip(*parts, strict=True)], 0)
    if not a.any():
        return None, NAN
    delta = threshold(a, bound)
    s = np.maximum(a - delta, 0)
    w = s / math.sqrt(long_sum(s * s))
    return w, long_sum(w * a)


def only(n, *left_out):
    """Mask of the rows that are not left out."""
    kept = np.ones(n, bool)
    for rows in left_out:
        kept[rows] = False
    return kept


def step_a(x, w, k, alpha, n_init, state, rng):
    """Trimmed k-means of the weighted data, from random starts and from the last clusters."""
    used = w != 0
    z = x[:, used] * np.sqrt(w[used])
    step = Trimmed(z, k, alpha, w[used])
    fit = step.run_all(n_init, rng)
    if fit is None:
        raise ValueError("every criterion is undefined")
    if state is None:
        return fit
    labels, out = state
    kept = only(len(x), out)
    centers = [column_means(z, np.flatnonzero((labels == j) & kept)) for j in range(k)]
    warm = step.run_all(1, rng, [c.tolist() for c in centers] if math.isfinite(centers[0][0]) else None)
    return warm if warm is not None and warm[2] < fit[2] else fit


def rskc(x, k, alpha, bound, n_init, rng):
    """Labels, oW, oE, weights and history of the criterion."""
    n, p = x.shape
    n_out = math.floor(n * alpha)
    w, old, history, answer = np.full(p, 1 / math.sqrt(p)), -INF, [NAN] * 10, None
    for i in range(1, 11):
        labels, out, _ = step_a(x, w, k, alpha, n_init, answer and answer[:2], rng)
        for j in range(k if n_out else 0):
            if j not in labels:
                last = not any(label > j for label in labels)
                raise RError("subscript out of bounds" if last else "replacement has length zero")
        far = distant_rows(x, labels, only(n, out), k, n_out) if n_out else []
        used_rows = only(n, out, far)
        if len(set(labels[used_rows])) == 1:
            continue
        if p == 1:
            raise RError("'x' must be an array of at least two dimensions")
        new, criterion = step_b(x, labels, used_rows, k, w, bound) if used_rows.any() else (None, NAN)
        if math.isnan(criterion):
            if answer is None:
                rng.runif(n_init * k)
            raise RError("missing value where TRUE/FALSE needed")
        answer = (labels, out, far)
        if math.isfinite(old) and (criterion - old) / criterion < 1e-8:
            return *answer, w, history[: i - 1]
        old, w = criterion, new
        history[i - 1] = criterion
    if answer is None:
        raise RError("object 'save.out.a2' not found")
    return *answer, w, history[:9]

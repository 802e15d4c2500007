"""Point-by-point transcriptions of the published k-means algorithms: the oracles of the fast versions.

Slow on purpose. Every distance is the left-to-right sum over features; nothing is screened or skipped.
"""

from __future__ import annotations

import numpy as np

BIG = 1e30
QUICK_TRANSFER_STEPS = 50


def squared_distance(x, c):
    """Left-to-right sum of squared differences."""
    total = 0.0
    for a, b in zip(x, c, strict=True):
        t = a - b
        total += t * t
    return total


def member_means(x, labels, k):
    """Sum of the member rows in increasing order, divided by their number."""
    p = len(x[0])
    sums = [[0.0] * p for _ in range(k)]
    counts = [0] * k
    for row, label in zip(x, labels, strict=True):
        counts[label] += 1
        s = sums[label]
        for j in range(p):
            s[j] += row[j]
    means = [[v / c if c else float("nan") for v in s] for s, c in zip(sums, counts, strict=True)]
    return means, counts


class HartiganWong:
    """AS 136 (Hartigan & Wong 1979) as written, with R's limit on quick-transfer steps."""

    def __init__(self, x, centers):
        self.x = np.asarray(x, dtype=float).tolist()
        self.c = np.asarray(centers, dtype=float).tolist()
        self.n, self.k = len(self.x), len(self.c)
        self.n_transfers = 0
        self.ifault = 0

    def run(self, iter_max):
        if not 1 < self.k < self.n:
            raise ValueError("number of cluster centres must lie between 1 and nrow(x)")
        n, k = self.n, self.k
        self.c1, self.c2 = [0] * n, [0] * n
        for i, row in enumerate(self.x):
            d = [squared_distance(row, c) for c in self.c]
            first = min(range(k), key=d.__getitem__)
            self.c1[i] = first
            self.c2[i] = min((j for j in range(k) if j != first), key=d.__getitem__)
        self.c, self.size = member_means(self.x, self.c1, k)
        if 0 in self.size:
            raise ValueError("empty cluster: try a better set of initial centers")
        self.a1 = [BIG if m == 1 else m / (m - 1.0) for m in self.size]
        self.a2 = [m / (m + 1.0) for m in self.size]
        self.touched = [True] * k
        self.stamp = [-1] * k
        self.live = [0] * k
        self.idle = 0
        self.n_iter = 0
        self.ifault = 2
        for it in range(1, iter_max + 1):
            self.n_iter = it
            if self.optimal_transfer():
                self.ifault = 0
                break
            if self.quick_transfer():
                self.ifault = 4
                break
            if k == 2:
                self.ifault = 0
                break
            self.stamp = [0] * k
        else:
            self.n_iter = iter_max + 1
        self.c, self.size = member_means(self.x, self.c1, k)
        self.withinss = [0.0] * k
        for j in range(len(self.x[0])):
            for row, label in zip(self.x, self.c1, strict=True):
                t = row[j] - self.c[label][j]
                self.withinss[label] += t * t
        return self

    def move(self, i, src, dst):
        n1, n2 = float(self.size[src]), float(self.size[dst])
        c1, c2 = self.c[src], self.c[dst]
        for j, v in enumerate(self.x[i]):
            c1[j] = (c1[j] * n1 - v) / (n1 - 1.0)
            c2[j] = (c2[j] * n2 + v) / (n2 + 1.0)
        self.size[src] -= 1
        self.size[dst] += 1
        for m in (src, dst):
            size = float(self.size[m])
            self.a1[m] = BIG if size == 1 else size / (size - 1.0)
            self.a2[m] = size / (size + 1.0)
        self.c1[i], self.c2[i] = dst, src
        self.n_transfers += 1

    def optimal_transfer(self):
        n = self.n
        for m in range(self.k):
            if self.touched[m]:
                self.live[m] = n + 1
        for i in range(1, n + 1):
            self.idle += 1
            own, row = self.c1[i - 1], self.x[i - 1]
            if self.size[own] != 1:
                r1 = self.a1[own] * squared_distance(row, self.c[own])
                best_l = first = self.c2[i - 1]
                best = self.a2[first] * squared_distance(row, self.c[first])
                for m in range(self.k):
                    if m in (own, first) or (i >= self.live[own] and i >= self.live[m]):
                        continue
                    d = squared_distance(row, self.c[m])
                    if d >= best / self.a2[m]:
                        continue
                    best, best_l = d * self.a2[m], m
                if best >= r1:
                    self.c2[i - 1] = best_l
                else:
                    self.idle = 0
                    self.live[own] = self.live[best_l] = n + i
                    self.stamp[own] = self.stamp[best_l] = i
                    self.move(i - 1, own, best_l)
            if self.idle == n:
                return True
        self.touched = [False] * self.k
        self.live = [v - n for v in self.live]
        return False

    def quick_transfer(self):
        n = self.n
        step = quiet = 0
        while True:
            for i in range(1, n + 1):
                quiet += 1
                step += 1
                if step >= min(QUICK_TRANSFER_STEPS * n, 2**31 - 1):
                    return True
                own, other = self.c1[i - 1], self.c2[i - 1]
                if self.size[own] != 1 and (step < self.stamp[own] or step < self.stamp[other]):
                    row = self.x[i - 1]
                    r1 = self.a1[own] * squared_distance(row, self.c[own])
                    if squared_distance(row, self.c[other]) < r1 / self.a2[other]:
                        quiet = self.idle = 0
                        self.touched[own] = self.touched[other] = True
                        self.stamp[own] = self.stamp[other] = step + n
                        self.move(i - 1, own, other)
                if quiet == n:
                    return False


def nearest(row, centers):
    """Index of the nearest centre; ties go to the first, a NaN centre never wins."""
    best, best_d = 0, float("inf")
    for m, c in enumerate(centers):
        d = squared_distance(row, c)
        if d < best_d:
            best, best_d = m, d
    return best


def points_outer_withinss(x, labels, centers):
    """One running sum per cluster, points outer, features inner."""
    out = [0.0] * len(centers)
    for row, label in zip(x, labels, strict=True):
        for a, b in zip(row, centers[label], strict=True):
            t = a - b
            out[label] += t * t
    return out


def lloyd(x, centers, iter_max):
    """R's Lloyd (and Forgy): labels, centres, withinss, iterations, empty cluster met."""
    x, centers = np.asarray(x, float).tolist(), np.asarray(centers, float).tolist()
    labels = [-1] * len(x)
    n_iter = iter_max + 1
    for it in range(1, iter_max + 1):
        new = [nearest(row, centers) for row in x]
        if new == labels:
            n_iter = it
            break
        labels = new
        centers, _ = member_means(x, labels, len(centers))
    return labels, centers, points_outer_withinss(x, labels, centers), n_iter


def macqueen(x, centers, iter_max):
    """R's MacQueen: centres move with every single reassignment."""
    x, centers = np.asarray(x, float).tolist(), np.asarray(centers, float).tolist()
    labels = [nearest(row, centers) for row in x]
    centers, size = member_means(x, labels, len(centers))
    n_iter = iter_max + 1
    for it in range(1, iter_max + 1):
        changed = False
        for i, row in enumerate(x):
            new, old = nearest(row, centers), labels[i]
            if new == old:
                continue
            changed = True
            labels[i] = new
            size[old] -= 1
            size[new] += 1
            for j, v in enumerate(row):
                gone = centers[old][j] - v
                centers[old][j] += gone / size[old] if size[old] else np.sign(gone) * np.inf
                centers[new][j] += (v - centers[new][j]) / size[new]
        if not changed:
            n_iter = it
            break
    return labels, centers, points_outer_withinss(x, labels, centers), n_iter

"""K-means from inner products of the rows, step by step: Lloyd's algorithm, then moves of single rows.

With G_ij = <x_i, x_j>, T_mi = sum_(j in m) w_j G_ij, U_m = sum_(i in m) w_i T_mi and n_m the weight of
cluster m, the squared distance of row i to the mean of cluster m is G_ii - 2 T_mi / n_m + U_m / n_m^2.

Sources: Lloyd (1982), "Least squares quantization in PCM"; Hartigan (1975), "Clustering algorithms", Chapter
4; Shell (1959), "A high-speed sorting procedure".
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Literal

LEAST_SHARE = 1e-6
"""A row of nearly all the weight of its cluster is its last one and stays."""
AT_CENTER, NO_GAIN = 64, 256
"""Rows this many roundings from their centre do not fill empty clusters; gains up to as many do not count."""
MOST_PASSES = 300
"""Cap on the passes over all rows of one descent."""


@Literal
def add_products(G, mass, labels, T, size, U):
    """T, the weights of the clusters and U, for the labels."""
    T[:] = 0.0
    size[:] = 0.0
    U[:] = 0.0
    for j in range(G.shape[0]):
        m, w = labels[j], mass[j]
        size[m] += w
        for i in range(G.shape[0]):
            T[m, i] += w * G[j, i]
    for i in range(G.shape[0]):
        U[labels[i]] += mass[i] * T[labels[i], i]


@Literal
def distance(G, T, size, U, m, i):
    """Squared distance of row i to the mean of cluster m; an empty cluster's is the origin."""
    n_m = size[m] if size[m] != 0 else 1.0
    return max(G[i, i] - 2 * T[m, i] / n_m + U[m] / (n_m * n_m), 0.0)


@Literal
def assign(G, T, size, U, labels, far, counts):
    """Give every row to its nearest mean, lowest index on ties, and set its distance."""
    counts[:] = 0
    for i in range(G.shape[0]):
        best, nearest = np.inf, 0
        for m in range(T.shape[0]):
            d = distance(G, T, size, U, m, i)
            if d < best:
                best, nearest = d, m
        labels[i], far[i] = nearest, best
        counts[nearest] += 1


@Literal
def fill_empty(G, labels, far, counts, eps):
    """Give each empty cluster the row farthest from its mean, of a cluster with several rows."""
    for m in range(counts.shape[0]):
        if counts[m] == 0:
            row, most = 0, -2.0
            for i in range(labels.shape[0]):
                d = far[i] if counts[labels[i]] > 1 else -1.0
                if d > most:
                    row, most = i, d
            if most <= AT_CENTER * eps * G[row, row]:
                return
            counts[labels[row]] -= 1
            counts[m] += 1
            labels[row], far[row] = m, 0.0


@Literal
def best_move(G, mass, labels, T, size, U, i):
    """What row i gains by its best move, the target, and the size of the numbers that rounding rests on."""
    own, w = labels[i], mass[i]
    target, cost, farthest = 0, np.inf, 0.0
    for m in range(T.shape[0]):
        d = distance(G, T, size, U, m, i)
        new = size[m] / (size[m] + w) * d - G[i, i]
        farthest = max(farthest, d)
        if m != own and new < cost:
            target, cost = m, new
    left = size[own] - w
    if left <= LEAST_SHARE * size[own]:
        return -np.inf, target, farthest
    gain = w * (size[own] / left * distance(G, T, size, U, own, i) - G[i, i] - cost)
    return gain, target, w * (farthest + G[i, i])


@Literal
def sort_by_gain(rows, gains, n):
    """The first n rows by falling gain, lowest row first among equal ones."""
    gap = 1
    while gap < n:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for a in range(gap, n):
            row, b = rows[a], a
            while b >= gap:
                other = rows[b - gap]
                if gains[other] > gains[row] or (gains[other] == gains[row] and other < row):
                    break
                rows[b] = other
                b -= gap
            rows[b] = row


@Literal
def move_row(G, mass, labels, T, size, U, i, target):
    """Take row i to another cluster."""
    own, w = labels[i], mass[i]
    U[own] += w * (w * G[i, i] - 2 * T[own, i])
    U[target] += w * (w * G[i, i] + 2 * T[target, i])
    size[own] -= w
    size[target] += w
    for j in range(G.shape[0]):
        T[own, j] -= w * G[i, j]
        T[target, j] += w * G[i, j]
    labels[i] = target


@Literal
def descend(G, mass, labels, T, size, U, rows, gains, eps):
    """Move rows one by one, those that gain most first, until no move gains; whether any moved."""
    ever = False
    for _ in range(MOST_PASSES):
        found, moved = 0, False
        for i in range(G.shape[0]):
            gains[i], _target, _scale = best_move(G, mass, labels, T, size, U, i)
            if gains[i] > 0:
                rows[found] = i
                found += 1
        sort_by_gain(rows, gains, found)
        for place in range(found):
            i = rows[place]
            gain, target, scale = best_move(G, mass, labels, T, size, U, i)
            if gain > NO_GAIN * eps * scale:
                move_row(G, mass, labels, T, size, U, i, target)
                moved = ever = True
        if not moved:
            break
    return ever


@Literal
def k_means(G, mass, labels, k, max_iter, eps):
    """Both algorithms from some labels, which become the result; whether a label changed."""
    n = G.shape[0]
    T, size, U = np.empty((k, n)), np.empty(k), np.empty(k)
    far, before = np.empty(n), np.empty_like(labels)
    rows, counts = np.empty(n, np.int64), np.empty(k, np.int64)
    for iteration in range(max_iter):
        for i in range(n):
            before[i] = labels[i]
        add_products(G, mass, labels, T, size, U)
        assign(G, T, size, U, labels, far, counts)
        fill_empty(G, labels, far, counts, eps)
        changed = False
        for i in range(n):
            changed = changed or labels[i] != before[i]
        if not changed:
            return descend(G, mass, labels, T, size, U, rows, far, eps) or iteration > 0
    return True

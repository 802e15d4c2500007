"""K-means from inner products of the rows, step by step: Lloyd's algorithm, then moves of single rows.

Let G_ij = <x_i, x_j>, T_mi = sum_(j in m) w_j G_ij, U_m = sum_(i in m) w_i T_mi, and n_m be the weight of
cluster m. The squared distance of row i to the mean of cluster m is G_ii - a_m T_mi + b_m, where a_m = 2 /
n_m and b_m = U_m / n_m^2.

Sources: Lloyd (1982), "Least squares quantization in PCM"; Hartigan (1975), "Clustering algorithms", Chapter
4; Shell (1959), "A high-speed sorting procedure".
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Loop

LEAST_SHARE = 1e-6
"""A row stays if it leaves less than this share of its cluster's weight, because it is the last one there."""
AT_CENTER, NO_GAIN = 64, 256
"""A row within the first number of roundings of its centre fills no empty cluster. A gain counts only above
the second number of roundings."""
MOST_PASSES = 300
"""Cap on the passes over all rows of one descent."""


@Loop
def set_factors(m, size, U, a, b):
    """a and b of cluster m; an empty cluster's mean is the origin."""
    n_m = size[m] if size[m] != 0 else 1.0
    a[m], b[m] = 2 / n_m, U[m] / (n_m * n_m)


@Loop
def add_products(G, mass, labels, sums):
    """T, the weights of the clusters and U for the labels, and what follows from them."""
    T, size, U, a, b = sums
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
    for m in range(size.shape[0]):
        set_factors(m, size, U, a, b)


@Loop
def assign(lengths, sums, labels, far, counts):
    """Give every row to its nearest mean, lowest index on ties, and set its distance."""
    T, _size, _U, a, b = sums
    far[:] = np.inf
    counts[:] = 0
    for m in range(T.shape[0]):
        for i in range(lengths.shape[0]):
            d = max(lengths[i] - a[m] * T[m, i] + b[m], 0.0)
            labels[i] = m if d < far[i] else labels[i]
            far[i] = min(far[i], d)
    for i in range(lengths.shape[0]):
        counts[labels[i]] += 1


@Loop
def fill_empty(lengths, labels, far, counts, eps):
    """Give each empty cluster the row farthest from its mean, of a cluster with several rows."""
    for m in range(counts.shape[0]):
        if counts[m] == 0:
            row, most = 0, -2.0
            for i in range(labels.shape[0]):
                d = far[i] if counts[labels[i]] > 1 else -1.0
                if d > most:
                    row, most = i, d
            # A row at its centre, up to rounding, would gain nothing in a cluster of its own.
            if most <= AT_CENTER * eps * lengths[row]:
                return
            counts[labels[row]] -= 1
            counts[m] += 1
            labels[row], far[row] = m, 0.0


@Loop
def set_gains(lengths, mass, labels, sums, gains, costs):
    """What every row gains by its best move."""
    T, size, _U, a, b = sums
    costs[:] = np.inf
    for m in range(T.shape[0]):
        for i in range(lengths.shape[0]):
            d = max(lengths[i] - a[m] * T[m, i] + b[m], 0.0)
            # Hartigan (1975): a row that joins cluster m moves its mean and adds n_m / (n_m + w) times w d.
            new = size[m] / (size[m] + mass[i]) * d - lengths[i]
            costs[i] = min(costs[i], np.inf if labels[i] == m else new)
    for i in range(lengths.shape[0]):
        own, w = labels[i], mass[i]
        left, d = size[own] - w, max(lengths[i] - a[own] * T[own, i] + b[own], 0.0)
        gains[i] = -np.inf
        # The last row of a cluster stays, because a move would leave the cluster empty.
        if left > LEAST_SHARE * size[own]:
            gains[i] = w * (size[own] / left * d - lengths[i] - costs[i])


@Loop
def best_move(lengths, mass, labels, sums, i):
    """What row i gains by its best move, the target, and the size of the numbers that rounding rests on."""
    T, size, _U, a, b = sums
    own, w, nearest = labels[i], mass[i], 0.0
    target, cost, farthest = 0, np.inf, 0.0
    for m in range(T.shape[0]):
        d = max(lengths[i] - a[m] * T[m, i] + b[m], 0.0)
        farthest = max(farthest, d)
        if m == own:
            nearest = d
        else:
            new = size[m] / (size[m] + w) * d - lengths[i]
            if new < cost:
                target, cost = m, new
    left = size[own] - w
    if left <= LEAST_SHARE * size[own]:
        return -np.inf, target, farthest
    return w * (size[own] / left * nearest - lengths[i] - cost), target, w * (farthest + lengths[i])


@Loop
def sort_by_gain(rows, gains, n):
    """The first n rows by falling gain, lowest row first among equal ones."""
    gap = 1
    while gap < n:
        # The gaps 1, 4, 13, 40, ... are Knuth's; from the largest on, each sorts more finely.
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


@Loop
def move_row(G, mass, labels, sums, i, target):
    """Take row i to another cluster."""
    T, size, U, a, b = sums
    own, w = labels[i], mass[i]
    # The row's products with its cluster leave U in both orders, its own product only once.
    U[own] += w * (w * G[i, i] - 2 * T[own, i])
    U[target] += w * (w * G[i, i] + 2 * T[target, i])
    size[own] -= w
    size[target] += w
    for j in range(G.shape[0]):
        T[own, j] -= w * G[i, j]
        T[target, j] += w * G[i, j]
    labels[i] = target
    set_factors(own, size, U, a, b)
    set_factors(target, size, U, a, b)


@Loop
def descend(G, lengths, mass, labels, sums, rows, gains, costs, eps):
    """Move rows one by one, those that gain most first, until no move gains."""
    for _ in range(MOST_PASSES):
        found, moved = 0, False
        set_gains(lengths, mass, labels, sums, gains, costs)
        for i in range(G.shape[0]):
            if gains[i] > 0:
                rows[found] = i
                found += 1
        sort_by_gain(rows, gains, found)
        for place in range(found):
            i = rows[place]
            # Moves of rows before this one may have changed its gain.
            gain, target, scale = best_move(lengths, mass, labels, sums, i)
            if gain > NO_GAIN * eps * scale:
                move_row(G, mass, labels, sums, i, target)
                moved = True
        if not moved:
            break


@Loop
def k_means(G, mass, labels, k, max_iter, eps):
    """Both algorithms from some labels, which become the result."""
    n = G.shape[0]
    sums = np.empty((k, n)), np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    far, costs, lengths, before = np.empty(n), np.empty(n), np.empty(n), np.empty_like(labels)
    rows, counts = np.empty(n, np.int64), np.empty(k, np.int64)
    for i in range(n):
        lengths[i] = G[i, i]
    for _ in range(max_iter):
        for i in range(n):
            before[i] = labels[i]
        add_products(G, mass, labels, sums)
        assign(lengths, sums, labels, far, counts)
        fill_empty(lengths, labels, far, counts, eps)
        changed = False
        for i in range(n):
            changed = changed or labels[i] != before[i]
        if not changed:
            descend(G, lengths, mass, labels, sums, rows, far, costs, eps)
            return

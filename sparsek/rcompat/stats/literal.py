"""The k-means algorithms of R as they were published, point by point.

Every squared distance is the left-to-right sum over the columns. Sources: Hartigan & Wong (1979), AS 136,
Applied Statistics 28, 100-108, with R's limit on quick-transfer steps; Lloyd (1982); MacQueen (1967). Centres
are held by columns, (p, k), so that the sums of all clusters grow side by side.
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Loop, inlined

BIG = 1e30
QUICK_TRANSFER_STEPS = 50
LARGEST_INT = 2**31 - 1
EMPTY = -1
"""In place of R's ifault: a starting centre was nearest to no row."""


@inlined
def all_distances(row, centers, d):
    """Squared distances of a row to all centres, into d; four columns at a time, which is faster."""
    p = centers.shape[0]
    fours = p - p % 4
    d[:] = 0.0
    for j in range(0, fours, 4):
        for m in range(centers.shape[1]):
            t, u = row[j] - centers[j, m], row[j + 1] - centers[j + 1, m]
            v, w = row[j + 2] - centers[j + 2, m], row[j + 3] - centers[j + 3, m]
            d[m] = d[m] + t * t + u * u + v * v + w * w
    for j in range(fours, p):
        for m in range(centers.shape[1]):
            t = row[j] - centers[j, m]
            d[m] += t * t


@inlined
def distance(row, centers, m):
    """Squared distance of a row to centre m."""
    total = 0.0
    for j in range(centers.shape[0]):
        t = row[j] - centers[j, m]
        total += t * t
    return total


@inlined
def two_distances(row, centers, m1, m2):
    """Squared distances of a row to two centres."""
    first = second = 0.0
    for j in range(centers.shape[0]):
        t, u = row[j] - centers[j, m1], row[j] - centers[j, m2]
        first += t * t
        second += u * u
    return first, second


@Loop
def sum_members(x, labels, centers, size):
    """Sums of the member rows, in increasing order, into centers; their numbers into size."""
    centers[:] = 0.0
    size[:] = 0
    for i in range(x.shape[0]):
        m = labels[i]
        size[m] += 1
        for j in range(x.shape[1]):
            centers[j, m] += x[i, j]


@Loop
def average_members(x, labels, centers, size):
    """Means of the member rows into centers, NaN for an empty cluster; their numbers into size."""
    sum_members(x, labels, centers, size)
    for m in range(size.shape[0]):
        for j in range(x.shape[1]):
            centers[j, m] = centers[j, m] / size[m] if size[m] > 0 else np.nan


@Loop
def set_factors(m, size, a1, a2):
    """Factors of the change that losing or gaining a row makes to the sum of squares of cluster m."""
    a1[m] = BIG if size[m] == 1 else size[m] / (size[m] - 1.0)
    a2[m] = size[m] / (size[m] + 1.0)


@Loop
def move(x, i, source, target, c1, c2, centers, size, a1, a2):
    """Move row i to another cluster and update both centres."""
    n1, n2 = float(size[source]), float(size[target])
    for j in range(x.shape[1]):
        centers[j, source] = (centers[j, source] * n1 - x[i, j]) / (n1 - 1.0)
        centers[j, target] = (centers[j, target] * n2 + x[i, j]) / (n2 + 1.0)
    size[source] -= 1
    size[target] += 1
    set_factors(source, size, a1, a2)
    set_factors(target, size, a1, a2)
    c1[i], c2[i] = target, source


@Loop
def nearest_two(x, centers, c1, c2, d):
    """The nearest and the second nearest centre of every row; the lowest index wins ties."""
    for i in range(x.shape[0]):
        all_distances(x[i], centers, d)
        first, second = (0, 1) if d[0] <= d[1] else (1, 0)
        for m in range(2, d.shape[0]):
            if d[m] < d[first]:
                first, second = m, first
            elif d[m] < d[second]:
                second = m
        c1[i], c2[i] = first, second


@Loop
def optimal_transfer(x, c1, c2, centers, size, a1, a2, touched, stamp, live, idle, d):
    """Give every row in turn to the best cluster; return the rows since the last move, n at convergence."""
    n, k = x.shape[0], size.shape[0]
    for m in range(k):
        if touched[m]:
            live[m] = n + 1
    for i in range(1, n + 1):
        idle += 1
        own, first = c1[i - 1], c2[i - 1]
        if size[own] != 1:
            row = x[i - 1]
            own_live, n_live = i < live[own], 0
            for m in range(k):
                n_live += i < live[m]
            side_by_side = own_live or n_live > 2
            if side_by_side:
                all_distances(row, centers, d)
            else:
                d[own], d[first] = two_distances(row, centers, own, first)
            r1 = a1[own] * d[own]
            best, best_cluster = a2[first] * d[first], first
            for m in range(k):
                if m in (own, first) or not (own_live or i < live[m]):
                    continue
                new = d[m] if side_by_side else distance(row, centers, m)
                if new < best / a2[m]:
                    best, best_cluster = new * a2[m], m
            if best >= r1:
                c2[i - 1] = best_cluster
            else:
                idle = 0
                live[own] = live[best_cluster] = n + i
                stamp[own] = stamp[best_cluster] = i
                move(x, i - 1, own, best_cluster, c1, c2, centers, size, a1, a2)
        if idle == n:
            return idle
    for m in range(k):
        touched[m] = False
        live[m] -= n
    return idle


@Loop
def quick_transfer(x, c1, c2, centers, size, a1, a2, touched, stamp, idle):
    """Swap rows between their nearest two clusters; return `idle`, or -1 at R's limit of steps."""
    n = x.shape[0]
    step = quiet = 0
    limit = min(QUICK_TRANSFER_STEPS * n, LARGEST_INT)
    while True:
        for i in range(n):
            quiet += 1
            step += 1
            if step >= limit:
                return -1
            own, other = c1[i], c2[i]
            if size[own] != 1 and (step < stamp[own] or step < stamp[other]):
                to_own, to_other = two_distances(x[i], centers, own, other)
                if to_other < a1[own] * to_own / a2[other]:
                    quiet = idle = 0
                    touched[own] = touched[other] = True
                    stamp[own] = stamp[other] = step + n
                    move(x, i, own, other, c1, c2, centers, size, a1, a2)
            if quiet == n:
                return idle


@Loop
def withinss_by_column(x, labels, centers, withinss):
    """Sums of squares of the clusters as AS 136 adds them: column after column."""
    withinss[:] = 0.0
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            t = x[i, j] - centers[j, labels[i]]
            withinss[labels[i]] += t * t


@Loop
def withinss_by_row(x, labels, centers, withinss):
    """Sums of squares of the clusters, row after row."""
    withinss[:] = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            t = x[i, j] - centers[j, labels[i]]
            withinss[labels[i]] += t * t


@Loop
def hartigan_wong(x, centers, iter_max, c1, size, withinss):
    """Hartigan and Wong's algorithm; centers, labels c1, size and withinss are set; n_iter and ifault."""
    n, k = x.shape[0], size.shape[0]
    c2, d = np.empty(n, np.int64), np.empty(k)
    nearest_two(x, centers, c1, c2, d)
    average_members(x, c1, centers, size)
    for m in range(k):
        if size[m] == 0:
            return 0, EMPTY
    a1, a2 = np.empty(k), np.empty(k)
    for m in range(k):
        set_factors(m, size, a1, a2)
    touched, stamp, live = np.ones(k, np.bool_), np.full(k, -1), np.zeros(k, np.int64)
    idle, n_iter, ifault = np.int64(0), iter_max + 1, 2  # with a plain 0 numba compiles loops twice
    for it in range(1, iter_max + 1):
        idle = optimal_transfer(x, c1, c2, centers, size, a1, a2, touched, stamp, live, idle, d)
        if idle == n:
            n_iter, ifault = it, 0
            break
        idle = quick_transfer(x, c1, c2, centers, size, a1, a2, touched, stamp, idle)
        if idle < 0 or k == 2:
            n_iter, ifault = it, 4 if idle < 0 else 0
            break
        stamp[:] = 0
    average_members(x, c1, centers, size)
    withinss_by_column(x, c1, centers, withinss)
    return n_iter, ifault


@inlined
def nearest(row, centers, d):
    """Index of the nearest centre; the first wins ties, a NaN centre never wins."""
    all_distances(row, centers, d)
    best, least = 0, np.inf
    for m in range(d.shape[0]):
        if d[m] < least:
            best, least = m, d[m]
    return best


@Loop
def lloyd(x, centers, iter_max, labels, size, withinss):
    """Lloyd's algorithm, which is Forgy's too; centers, labels, size and withinss are set; n_iter and 0."""
    d = np.empty(size.shape[0])
    labels[:] = -1
    n_iter = iter_max + 1
    for it in range(1, iter_max + 1):
        changed = False
        for i in range(x.shape[0]):
            new = nearest(x[i], centers, d)
            changed = changed or new != labels[i]
            labels[i] = new
        if not changed:
            n_iter = it
            break
        average_members(x, labels, centers, size)
    withinss_by_row(x, labels, centers, withinss)
    return n_iter, 0


@Loop
def macqueen(x, centers, iter_max, labels, size, withinss):
    """MacQueen's algorithm: both centres follow every single row that moves; results as of `lloyd`."""
    d = np.empty(size.shape[0])
    for i in range(x.shape[0]):
        labels[i] = nearest(x[i], centers, d)
    average_members(x, labels, centers, size)
    n_iter = iter_max + 1
    for it in range(1, iter_max + 1):
        changed = False
        for i in range(x.shape[0]):
            old, new = labels[i], nearest(x[i], centers, d)
            if new == old:
                continue
            changed = True
            labels[i] = new
            size[old] -= 1
            size[new] += 1
            for j in range(x.shape[1]):
                gone = centers[j, old] - x[i, j]
                if size[old] > 0:
                    centers[j, old] += gone / size[old]
                else:
                    centers[j, old] += np.sign(gone) * np.inf
                centers[j, new] += (x[i, j] - centers[j, new]) / size[new]
        if not changed:
            n_iter = it
            break
    withinss_by_row(x, labels, centers, withinss)
    return n_iter, 0

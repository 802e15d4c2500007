"""Steps on single rows that methods share: the nearest centre by exact sums, and moves (Hartigan 1975)."""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop

LEAST_SHARE = 1e-6
"""A row stays if it leaves less than this share of its cluster's weight, because it is the last one there."""
MOST_BITS, LEAST_EXPONENT = 51, -900
"""As in `sparsek.core.exact_sums`."""


@Loop
def unit_of(top, n):
    """The unit to which n terms of at most this size are rounded, to be added exactly."""
    bits = 62
    while n > 0:
        # 62 less the bits of n, as in `Grid.of`: n terms of so many bits add up within an int64.
        bits, n = bits - 1, n // 2
    return math.ldexp(1.0, max(math.frexp(top)[1], LEAST_EXPONENT) - min(bits, MOST_BITS))


@Loop
def nearest_exactly(row, centers):
    """The nearest centre of a row by exact sums of rounded squares, lowest index on ties."""
    top = 0.0
    for m in range(centers.shape[0]):
        for a in range(row.shape[0]):
            t = np.float64(row[a]) - np.float64(centers[m, a])
            top = max(top, t * t)
    unit = unit_of(top, row.shape[0])
    magic, least, nearest = 1.5 * 2.0**52 * unit, np.int64(0), 0
    for m in range(centers.shape[0]):
        total = np.int64(0)
        for a in range(row.shape[0]):
            t = np.float64(row[a]) - np.float64(centers[m, a])
            # The rounded square divided by the unit, a power of two, is a whole number without rounding.
            total += np.int64(((t * t + magic) - magic) / unit)
        if m == 0 or total < least:
            least, nearest = total, m
    return nearest


@Loop
def set_distances(X, i, sums, used, near, inside):
    """Squared distances of row i to the means, and its squared lengths, in the columns of each cluster."""
    p = X.shape[1] - 1
    for m in range(sums.shape[0]):
        # The sums of an empty cluster are 0, so that it stays at the origin.
        size = sums[m, p] if sums[m, p] != 0 else sums[m, p] + 1
        distance, length = 0.0, 0.0
        for j in range(p):
            if used[m, j]:
                t = X[i, j] - sums[m, j] / size
                distance += t * t
                length += X[i, j] * X[i, j]
        near[m], inside[m] = distance, length


@Loop
def move_rows(X, labels, sums, mass, used, rows, noise):
    """Move rows one by one where that gains more than rounding; how many moved."""
    k, p = sums.shape[0], X.shape[1] - 1
    near, inside, moved = np.empty(k), np.empty(k), 0
    for place in range(rows.shape[0]):
        i = rows[place]
        own, w = labels[i], mass[i]
        set_distances(X, i, sums, used, near, inside)
        target, cost, farthest, longest = 0, np.inf, 0.0, 0.0
        for m in range(k):
            # Outside its columns a cluster explains nothing: all squares of the row, less `inside`, remain.
            new = sums[m, p] / (sums[m, p] + w) * near[m] - inside[m]
            if m != own and new < cost:
                target, cost = m, new
            farthest, longest = max(farthest, near[m]), max(longest, inside[m])
        left = sums[own, p] - w
        # The last row of a cluster stays, because a move would leave the cluster empty.
        if left > LEAST_SHARE * sums[own, p]:
            gain = w * (sums[own, p] / left * near[own] - inside[own] - cost)
            if gain > noise * w * (farthest + longest):
                moved += 1
                labels[i] = target
                for j in range(p + 1):
                    sums[own, j] -= w * X[i, j]
                    sums[target, j] += w * X[i, j]
    return moved

"""R's distances and agglomerative clustering as they were published, pair by pair.

Sources: `distances` and `agglomeration` of this folder name them. Dissimilarities are a triangle: pairs
(1, 2), (1, 3), ..., (n - 1, n).
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop

EUCLIDEAN, MANHATTAN, CANBERRA, MINKOWSKI, MAXIMUM, BINARY = range(6)
WARD, SINGLE, COMPLETE, AVERAGE, MCQUITTY, MEDIAN, CENTROID = range(7)
SMALLEST = 2.0**-1022
"""Smallest normal number: values up to it are nothing for the Canberra distance."""


@Loop
def power(value, exponent):
    """Power of a number not below 0; squares are products."""
    return value * value if exponent == 2.0 else math.pow(value, exponent)


@Loop
def contribution(a, b, method, p):
    """What a feature adds to the distance of two rows; NaN where it is left out."""
    difference = abs(a - b)
    if method == EUCLIDEAN:
        return difference * difference
    if method == MANHATTAN:
        return difference
    if method == MINKOWSKI:
        return power(difference, p)
    total = abs(a) + abs(b)
    if total <= SMALLEST:
        return np.nan
    return 1.0 if math.isinf(difference) and math.isinf(total) else difference / total


@Loop
def sum_without_missing(columns, i, j, method, p):
    """Sum over the features that are not left out, scaled up to all features."""
    total, used = 0.0, 0
    for f in range(columns.shape[0]):
        term = contribution(columns[f, i], columns[f, j], method, p)
        if not math.isnan(term):
            total += term
            used += 1
    return total / (used / columns.shape[0]) if used else np.nan


@Loop
def largest_difference(columns, i, j):
    """Largest absolute difference, NaN where all are missing."""
    largest = np.nan
    for f in range(columns.shape[0]):
        difference = abs(columns[f, i] - columns[f, j])
        if not difference <= largest and not math.isnan(difference):
            largest = difference
    return largest


@Loop
def share_of_one(columns, i, j):
    """Share of the features in which one is 0, of those in which not both are."""
    usable = present = different = 0
    for f in range(columns.shape[0]):
        a, b = columns[f, i], columns[f, j]
        if math.isfinite(a) and math.isfinite(b):
            usable += 1
            if a != 0.0 or b != 0.0:
                present += 1
                different += (a != 0.0) != (b != 0.0)
    if usable == 0:
        return np.nan
    return different / present if present else 0.0


@Loop
def sums_of_row(columns, i, method, p, out):
    """Sums over the features for row i and all later ones, which grow side by side."""
    out[:] = 0.0
    for f in range(columns.shape[0]):
        value = columns[f, i]
        others = columns[f, i + 1 :]
        if method == EUCLIDEAN:
            for j in range(out.shape[0]):
                t = value - others[j]
                out[j] += t * t
        else:
            for j in range(out.shape[0]):
                out[j] += contribution(value, others[j], method, p)
    for j in range(out.shape[0]):
        if math.isnan(out[j]):
            out[j] = sum_without_missing(columns, i, i + 1 + j, method, p)
        if method == EUCLIDEAN:
            out[j] = math.sqrt(out[j])
        elif method == MINKOWSKI:
            out[j] = power(out[j], 1.0 / p)


@Loop
def distances(columns, method, p, out):
    """Distances of all pairs of rows; columns (q, n)."""
    n, done = columns.shape[1], 0
    for i in range(n - 1):
        row = out[done : done + n - 1 - i]
        if method in (MAXIMUM, BINARY):
            for j in range(i + 1, n):
                one = method == MAXIMUM
                row[j - i - 1] = largest_difference(columns, i, j) if one else share_of_one(columns, i, j)
        else:
            sums_of_row(columns, i, method, p, row)
        done += n - 1 - i


@Loop
def pair(n, i, j):
    """Place of the pair of i and a later j in the triangle."""
    return i * n - ((i * (i + 1)) >> 1) + j - i - 1


@Loop
def updated(di, dj, dij, mi, mj, mk, method):
    """Lance and Williams' update, in R's order of operations."""
    if method == SINGLE:
        return min(di, dj)
    if method == COMPLETE:
        return max(di, dj)
    if method == AVERAGE:
        return (mi * di + mj * dj) / (mi + mj)
    if method == MCQUITTY:
        return (di + dj) / 2
    if method == MEDIAN:
        return ((di + dj) - dij / 2) / 2
    if method == CENTROID:
        return (mi * di + mj * dj - mi * mj * dij / (mi + mj)) / (mi + mj)
    return ((mi + mk) * di + (mj + mk) * dj - mk * dij) / (mi + mj + mk)


@Loop
def search(d, n, alive, first, neighbour, gap):
    """Find the nearest of the later clusters for the one at place `first` of those that are left."""
    i = alive[first]
    gap[i], neighbour[i] = np.inf, n
    for place in range(first + 1, alive.shape[0]):
        j = alive[place]
        if d[pair(n, i, j)] < gap[i]:
            gap[i], neighbour[i] = d[pair(n, i, j)], j


@Loop
def merge_clusters(d, n, i, j, alive, size, method, neighbour, gap):
    """Merge cluster j into an earlier one i; `alive` has neither been told yet."""
    dij = gap[i]
    for place in range(alive.shape[0]):
        k = alive[place]
        if k in (i, j):
            continue
        at_i = pair(n, min(i, k), max(i, k))
        at_j = pair(n, min(j, k), max(j, k))
        d[at_i] = updated(d[at_i], d[at_j], dij, size[i], size[j], size[k], method)
        if k < i and d[at_i] < gap[k]:
            gap[k], neighbour[k] = d[at_i], -1 - i  # nearer than all others: no search
    size[i] += size[j]


@Loop
def closest(alive, gap):
    """The cluster with the nearest later neighbour; the first wins ties."""
    best = alive[0]
    for place in range(1, alive.shape[0]):
        if gap[alive[place]] < gap[best]:
            best = alive[place]
    return best


@Loop
def drawing_order(merge, order):
    """Order of the leaves: the last merge is expanded, left branches first."""
    todo = np.empty(order.shape[0] + 1, np.int64)
    todo[0], waiting, done = merge.shape[0], 1, 0
    while waiting:
        waiting -= 1
        entry = todo[waiting]
        if entry < 0:
            order[done] = -entry
            done += 1
        else:
            todo[waiting], todo[waiting + 1] = merge[entry - 1, 1], merge[entry - 1, 0]
            waiting += 2


@Loop
def record_merge(step, i, j, row_of, merge):
    """R's numbering of a merge: objects negative and first, earlier merges by their row."""
    a = row_of[i] if row_of[i] else -i - 1
    b = row_of[j] if row_of[j] else -j - 1
    both = a < 0 and b < 0
    merge[step, 0], merge[step, 1] = (max(a, b), min(a, b)) if both else (min(a, b), max(a, b))
    row_of[i] = step + 1


@Loop
def agglomerate(d, size, method, merge, height, order):
    """Merge the two closest clusters again and again; d and size are changed, the others set."""
    n = size.shape[0]
    left, alive = n, np.arange(n)
    neighbour, gap, row_of = np.empty(n, np.int64), np.empty(n), np.zeros(n, np.int64)
    for i in range(n):
        search(d, n, alive, i, neighbour, gap)
    for step in range(n - 1):
        i = closest(alive[:left], gap)
        j = neighbour[i]
        height[step] = gap[i]
        record_merge(step, i, j, row_of, merge)
        merge_clusters(d, n, i, j, alive[:left], size, method, neighbour, gap)
        kept = 0
        for place in range(left):
            if alive[place] != j:
                alive[kept] = alive[place]
                kept += 1
        left = kept
        for place in range(left):
            k = alive[place]
            if neighbour[k] < 0:
                neighbour[k] = -1 - neighbour[k]
            elif k == i or neighbour[k] in (i, j):
                search(d, n, alive[:left], place, neighbour, gap)
    drawing_order(merge, order)

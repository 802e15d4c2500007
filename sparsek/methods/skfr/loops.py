"""Algorithm 1 of the SKFR paper (Zhang, Lange & Xu 2020) step by step: sparse k-means with feature ranking.

Rows are prepared when they are read: z = (x unit - offset) rate, rounded. The last column of the cluster
sums holds the sizes. The distances of many rows grow side by side.

Rows that cannot have a new nearest centre are skipped (Hamerly 2010, "Making k-means even faster"): the slack
of a row is at most the distance to its second nearest centre minus the distance to its own. It falls by at
most the move of the own centre plus the largest move of any centre.
"""

from __future__ import annotations

import numpy as np

from sparsek.core.loops import add_row, move_row, prepare_column, prepare_rows, tile_rows
from sparsek.engine import Loop
from sparsek.methods.shared.loops import nearest_exactly, unit_of

TILE = 256
"""Rows whose distances grow side by side."""
FIRST_ITERATIONS = 64
"""Room for criteria at first; it doubles when full."""
KEPT_PART = 4
"""Selected features are kept in prepared form if they are at most a quarter of all, or few entries."""
KEPT_ENTRIES = 1_000_000
"""Up to this many entries count as few."""
ROUNDINGS = 1024
"""Distances may be wrong by this many units of rounding, plus one for each column."""


@Loop
def set_sums(X, scale, weights, labels, before, magic, rows, tile, sums):
    """Sums of the prepared rows of every cluster, sizes last, in whole numbers of units.

    They are set anew or, with labels before, changed by the rows with a new one. `rows` and `tile`, with 1 in
    the last column, are room for some rows.
    """
    filled = 0
    if before.shape[0] == 0:
        sums[:] = 0
    for i in range(X.shape[0]):
        if before.shape[0] == 0 or before[i] != labels[i]:
            rows[filled] = i
            filled += 1
        if filled > 0 and (filled == rows.shape[0] or i == X.shape[0] - 1):
            prepare_rows(X, rows, filled, scale, tile, 0)
            for c in range(filled):
                weight, new = weights[rows[c]], labels[rows[c]]
                if before.shape[0] == 0:
                    add_row(tile, c, weight, magic, sums, new)
                else:
                    move_row(tile, c, weight, magic, sums, before[rows[c]], new)
            filled = 0


@Loop
def set_totals(sums, unit, totals):
    """The sums of the clusters in floating point, each rounded once."""
    for m in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            totals[m, j] = sums[m, j] * unit[j]


@Loop
def order_statistic(entries, place, values):
    """Find the entry at this place, from 0, in increasing order (Hoare 1961, FIND); overwrites `values`."""
    low, high = 0, values.shape[0] - 1
    for j in range(values.shape[0]):
        values[j] = entries[j]
    while low < high:
        pivot, i, j = values[place], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        # Entries up to j are at most the pivot and those from i on at least: the place lies in one part.
        if j < place:
            low = i
        if place < i:
            high = j
    return values[place]


@Loop
def rank_features(sums, lift, gains, lifted, work, selected):
    """Write the s features with the largest gains to `selected`; of equal ones the lowest index comes first.

    `lift` is added to the gains by which features are ranked, not to those that count.

    Returns the sum of their gains, and whether the selection is another than before.
    """
    p, s = gains.shape[0], selected.shape[0]
    filled = 0
    for m in range(sums.shape[0]):
        filled += sums[m, p] != 0
    gains[:] = 0.0
    for m in range(sums.shape[0]):
        if sums[m, p] != 0 and filled > 1:  # the mean of all rows is 0 but for rounding
            # One division for a cluster is quicker than one for each feature.
            inverse = 1 / sums[m, p]
            for j in range(p):
                gains[j] += sums[m, j] * sums[m, j] * inverse
    for j in range(p):
        lifted[j] = gains[j] + lift[j]
    threshold = order_statistic(lifted, p - s, work)
    tied = s
    for j in range(p):
        # What is left of s after the larger gains is the number of places for gains equal to the threshold.
        tied -= lifted[j] > threshold
    found, explained, changed = 0, 0.0, False
    for j in range(p):
        if lifted[j] > threshold or (lifted[j] == threshold and tied > 0):
            tied -= lifted[j] == threshold
            changed = changed or selected[found] != j
            selected[found] = j
            found += 1
            explained += gains[j]
    return explained, changed


@Loop
def set_centers(sums, selected, centers, moves):
    """Means of the clusters in the selected features, the origin for an empty one, and how far they moved."""
    p = sums.shape[1] - 1
    for m in range(sums.shape[0]):
        # The sums of an empty cluster are 0, so that it stays at the origin.
        size = sums[m, p] if sums[m, p] != 0 else sums[m, p] + 1
        moves[m] = 0.0
        for a in range(selected.shape[0]):
            mean = sums[m, selected[a]] / size
            moves[m] += (mean - centers[m, a]) ** 2
            centers[m, a] = mean
        moves[m] = np.sqrt(moves[m])


@Loop
def pack(X, scale, selected, rows, n, block):
    """Write the selected features of the first n of some rows to a block, prepared, a feature in each row."""
    for i in range(n):
        for a in range(selected.shape[0]):
            block[a, i] = X[rows[i], selected[a]]
    for a in range(selected.shape[0]):
        prepare_column(block, a, n, scale, selected[a])


@Loop
def take_rows(packed, rows, n, tile):
    """Copy the first n of some rows from the packed features."""
    for a in range(tile.shape[0]):
        for i in range(n):
            tile[a, i] = packed[a, rows[i]]


@Loop
def nearest_two(tile, n, centers, d, best, second, labels):
    """The nearest centre of n rows, lowest index on ties, and squared distances to the two nearest."""
    best[:] = np.inf
    second[:] = np.inf
    for m in range(centers.shape[0]):
        d[:] = 0.0
        for a in range(centers.shape[1]):
            center = centers[m, a]
            for i in range(n):
                t = tile[a, i] - center
                d[i] += t * t
        for i in range(n):
            second[i] = min(second[i], max(best[i], d[i]))
            labels[i] = m if d[i] < best[i] else labels[i]
            best[i] = min(best[i], d[i])


@Loop
def exact_doubt(reach, columns):
    """Bound the difference of two squared distances that exact sums may order the other way.

    No centre is farther from the origin than a row can be whose columns reach so far.
    """
    longest = 0.0
    for a in range(columns.shape[0]):
        longest += reach[columns[a]] * reach[columns[a]]
    # A row and a centre are at most twice the longest row apart, so that squares reach 4 times its square.
    return 2 * columns.shape[0] * unit_of(4 * longest, columns.shape[0])


@Loop
def assign(X, scale, selected, packed, centers, moves, labels, slack, margin, doubt):
    """Give every row to its nearest centre."""
    n, s, dtype = X.shape[0], selected.shape[0], X.dtype
    rows, found, tile = np.empty(TILE, np.int64), np.empty(TILE, np.int32), np.empty((s, TILE), dtype)
    d, best, second = np.empty(TILE, dtype), np.empty(TILE, dtype), np.empty(TILE, dtype)
    farthest, filled, least = 0.0, 0, np.sqrt(doubt)
    for m in range(moves.shape[0]):
        farthest = max(farthest, moves[m])
    for i in range(n):
        # Hamerly's bound; the moves are enlarged by their rounding, so that no row is skipped wrongly.
        slack[i] -= (1 + margin) * (moves[labels[i]] + farthest)
        # Rows near to a tie are compared as well, so that exact sums decide all ties by one rule.
        if slack[i] <= least:
            rows[filled] = i
            filled += 1
        if filled == TILE or (i == n - 1 and filled > 0):
            if packed.shape[1] > 0:
                take_rows(packed, rows, filled, tile)
            else:
                pack(X, scale, selected, rows, filled, tile)
            nearest_two(tile, filled, centers, d, best, second, found)
            for c in range(filled):
                # Within their rounding the two distances may be in the wrong order.
                if second[c] - best[c] <= margin * second[c] + doubt:
                    found[c] = nearest_exactly(tile[:, c], centers)
                labels[rows[c]] = found[c]
                # Rounding may make the second distance too large and the first too small: both are corrected.
                slack[rows[c]] = (1 - margin) * np.sqrt(second[c]) - (1 + margin) * np.sqrt(best[c])
            filled = 0


@Loop
def longer(values):
    """Copy the values to an array of twice the length."""
    n = values.shape[0]
    doubled = np.empty(2 * n)
    for i in range(n):
        doubled[i] = values[i]
    return doubled


@Loop
def skfr1(X, scale, reach, weights, labels, total, max_iter, selected, centers, eps, unit, magic, sums, lift):
    """Alternate both steps until no label changes.

    Returns the criterion after each iteration, whether they ended so, and the labels before the last one.
    `labels` are the start and become the result; `selected` and `centers` become those of the labels before.
    Entries times weights are rounded to multiples of `unit`, so that the order of sums does not matter;
    `sums` become those of the labels before, in these units. Rows X are prepared when they are read;
    selected features are kept if they are few. `lift` is as in `rank_features`.
    """
    n, p, k, s = X.shape[0], X.shape[1], centers.shape[0], selected.shape[0]
    totals, slack = np.empty((k, p + 1)), np.empty(n, X.dtype)
    gains, lifted, work = np.empty(p), np.empty(p), np.empty(p)
    history, moves, margin = np.empty(FIRST_ITERATIONS), np.empty(k), (ROUNDINGS + s) * eps
    before, it, doubt, size = np.empty_like(labels), 0, 0.0, tile_rows(p + 1)
    rows, tile, none = np.empty(size, np.int64), np.ones((size, p + 1), X.dtype), before[:0]
    # Kept features are prepared once for all iterations with them; room for 0 rows means that none are kept.
    packed = np.empty((s, n if KEPT_PART * s <= p or n * s <= KEPT_ENTRIES else 0), X.dtype)
    everything = np.arange(n)
    selected[:] = -1
    centers[:] = 0.0
    set_sums(X, scale, weights, labels, none, magic, rows, tile, sums)
    while True:
        set_totals(sums, unit, totals)
        explained, changed = rank_features(totals, lift, gains, lifted, work, selected)
        set_centers(totals, selected, centers, moves)
        if it == history.shape[0]:
            history = longer(history)
        history[it] = total - explained
        it += 1
        if changed:
            # Distances in the old features say nothing about the new ones, so that every row is compared.
            slack[:] = 0.0
            if packed.shape[1] > 0:
                pack(X, scale, selected, everything, n, packed)
            doubt = exact_doubt(reach, selected)
        for i in range(n):
            before[i] = labels[i]
        assign(X, scale, selected, packed, centers, moves, labels, slack, margin, doubt)
        n_moved = 0
        for i in range(n):
            n_moved += labels[i] != before[i]
        if n_moved == 0 or it == max_iter:
            return history[:it], n_moved == 0, before
        # A row that moved is taken out and added, so that above half of the rows a new sum is quicker.
        known = none if 2 * n_moved > n else before
        set_sums(X, scale, weights, labels, known, magic, rows, tile, sums)

"""Lloyd's algorithm on some columns of rows that are prepared as they are read, step by step.

Rows that cannot have a new nearest centre are neither read nor compared. A row has an upper bound of the
distance to its own centre and a lower bound of the distance to every other one (Elkan 2003, "Using the
triangle inequality to accelerate k-means"). The way that each centre has gone so far is added to the first
and taken from the second. The least lower bound minus the upper bound is the slack of the row (Hamerly 2010,
"Making k-means even faster"). It is followed from one iteration to the next, and the bounds are looked at
only when it is used up.

Distances come from products of matrices. Where two centres are closer to each other than the rounding of
these, exact sums decide (`nearest_exactly`).
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop
from sparsek.methods.shared.loops import nearest_exactly

MOST_CLOSED = 2
"""All rows of a piece are compared if more than half of them may have a new nearest centre."""
BELOW = 1 - 2.0**-21
"""Lower bounds are kept in single precision, divided by a power of two near the longest row. So none
overflows.

This factor takes them below its rounding.
"""
PREPARED, CENTRED, SCALED = 0, 1, 2
"""Kinds of rows: these columns of prepared rows; rows to be centred; to be scaled too."""
CAUTION = 4
"""A slack counts as used up if it is at most this many times the root of the rounding of squared distances.
"""


@Loop
def read_rows(view, rows, filled, tile):
    """Prepare the columns of some rows: the map of `Scaling.apply`."""
    X, columns, unit, offset, rate, magic, whole, kind = view
    for c in range(filled):
        i = rows[c]
        if kind == PREPARED:
            for a in range(tile.shape[1]):
                tile[c, a] = X[i, a]
        elif whole and kind == CENTRED:
            for a in range(tile.shape[1]):
                z = X[i, a] * unit[a] - offset[a]
                tile[c, a] = (z + magic[a]) - magic[a]
        else:
            for a in range(tile.shape[1]):
                z = (X[i, columns[a]] * unit[a] - offset[a]) * rate[a]
                tile[c, a] = (z + magic[a]) - magic[a]


@Loop
def set_centers(sums, unit, stretch, centers, moves, drift):
    """Means of the clusters, columns times factors, the origin for an empty one; adds how far they moved."""
    p = centers.shape[1]
    for m in range(sums.shape[0]):
        # Sums are whole numbers, and the unit of each column gives their values.
        size, way = sums[m, p] * unit[p], 0.0
        size = size if size != 0 else 1.0
        for a in range(p):
            old = np.float64(centers[m, a])
            centers[m, a] = ((sums[m, a] * unit[a]) * stretch[a]) / size
            way += (centers[m, a] - old) ** 2
        moves[m] = np.sqrt(way)
        drift[m] += moves[m]


@Loop
def set_coefficients(centers, score):
    """Coefficients of the scores, halved squared distances less that of the row; gives the longest centre."""
    coefficients, halves, factors = score[0], score[1], score[2]
    longest = 0.0
    for m in range(centers.shape[0]):
        halves[m] = 0.0
        for a in range(centers.shape[1]):
            center = np.float64(centers[m, a])
            coefficients[a, m] = -center * factors[a]
            halves[m] += 0.5 * center * center
        longest = max(longest, 2 * halves[m])
    return np.sqrt(longest)


@Loop
def set_raw_coefficients(view, score):
    """Coefficients of the same scores for rows as they are given, less a constant for each centre."""
    _X, columns, unit, offset, rate, _magic, _whole, _kind = view
    coefficients, _halves, _factors, raw, constants = score
    constants[:] = 0.0
    for a in range(columns.shape[0]):
        for m in range(raw.shape[1]):
            raw[columns[a], m] = coefficients[a, m] * unit[a] * rate[a]
            # z = (x unit - offset) rate: the part of the offset is one number for each centre.
            constants[m] -= coefficients[a, m] * offset[a] * rate[a]


@Loop
def raw_scores(X, score):
    """Scores of rows as they are given, less half the squared length of the centre."""
    products = np.dot(X, score[3])
    for c in range(products.shape[0]):
        for m in range(products.shape[1]):
            products[c, m] += score[4][m]
    return products


@Loop
def slack_of(i, own, upper, lower, drift, power):
    """How much nearer the own centre of a row is than any other, at least."""
    least = np.inf
    for m in range(drift.shape[0]):
        if m != own:
            # A centre that has gone so far may be nearer by that much.
            least = min(least, lower[i, m] * power - drift[m])
    return least - (upper[i] + drift[own])


@Loop
def move_rows(view, tile, rows, found, filled, held, grid, sums):
    """Take the rows with a new label from one sum to the other, in whole numbers of units; how many."""
    inverse, magic = grid[1], grid[2]
    labels, mass, counts = held
    p, moved = tile.shape[1], 0
    for c in range(filled):
        if found[c] != labels[rows[c]]:
            rows[moved], found[moved] = rows[c], found[c]
            moved += 1
    read_rows(view, rows, moved, tile)
    for c in range(moved):
        old, new, weight = labels[rows[c]], found[c], mass[rows[c]]
        for a in range(p):
            # The rounded term times 1 / unit, a power of two, is a whole number without any rounding.
            value = np.int64(((weight * tile[c, a] + magic[a]) - magic[a]) * inverse[a])
            sums[old, a] -= value
            sums[new, a] += value
        value = np.int64(((weight + magic[p]) - magic[p]) * inverse[p])
        sums[old, p] -= value
        sums[new, p] += value
        counts[old] -= 1
        counts[new] += 1
        labels[rows[c]] = new
    return moved


@Loop
def set_lengths(tile, filled, factors, rows, lengths):
    """Squared lengths of the rows of a tile, columns times factors."""
    found = np.dot(tile[:filled] * tile[:filled], factors * factors)
    for c in range(filled):
        lengths[rows[c]] = found[c]


@Loop
def nearest_two(scores, halves, best, second, found):
    """The nearest centre of every row of a tile, lowest index on ties, and the scores of the two nearest."""
    n = scores.shape[1]
    for c in range(n):
        best[c], second[c], found[c] = np.inf, np.inf, 0
    for m in range(halves.shape[0]):
        for c in range(n):
            s = scores[m, c] + halves[m]
            scores[m, c] = s
            # The larger of the best so far and the new score is the only new candidate for the second place.
            second[c] = min(second[c], max(best[c], s))
            found[c] = m if s < best[c] else found[c]
            best[c] = min(best[c], s)


@Loop
def set_bounds(scores, rows, second, bounds, drift, own):
    """Bounds of the distances of some rows to all centres, and the distance to the second nearest."""
    _upper, lower, slack, lengths, power = bounds
    n = scores.shape[1]
    for c in range(n):
        own[c] = lengths[rows[c]]
        slack[rows[c]] = np.sqrt(max(own[c] + 2 * second[c], 0.0))
    share = BELOW / power
    for m in range(scores.shape[0]):
        for c in range(n):
            scores[m, c] = np.sqrt(max(own[c] + 2 * scores[m, c], 0.0))
        for c in range(n):
            # The drift so far is added now, because `slack_of` subtracts all of it.
            lower[rows[c], m] = (scores[m, c] + drift[m]) * share


@Loop
def settle(products, rows, view, room, centers, score, bounds, drift, doubt, held, grid, sums):
    """Give some rows to their nearest centres by their scores, and renew their bounds; how many moved."""
    tile, (best, second, own), found, exact = room
    halves, factors = score[1], score[2]
    upper, _lower, slack, _lengths, _power = bounds
    filled = products.shape[0]
    scores = np.empty((halves.shape[0], filled))
    for m in range(halves.shape[0]):
        for c in range(filled):
            scores[m, c] = products[c, m]
    nearest_two(scores, halves, best, second, found)
    set_bounds(scores, rows, second, bounds, drift, own)
    for c in range(filled):
        i = rows[c]
        if second[c] - best[c] <= doubt:
            read_rows(view, rows[c:], 1, tile)
            for a in range(exact.shape[0]):
                exact[a] = tile[0, a] * factors[a]
            # A row at a tie is compared in every iteration, because no slack is known to be left.
            found[c], slack[i] = nearest_exactly(exact, centers), -np.inf
        # The drift so far is subtracted now, because `slack_of` adds all of it.
        upper[i] = scores[found[c], c] - drift[found[c]]
        slack[i] -= scores[found[c], c]
    return move_rows(view, tile, rows, found, filled, held, grid, sums)


@Loop
def open_rows(start, stop, labels, moves, farthest, least, bounds, drift, rows, filled):
    """Add those of some rows that may have a new nearest centre to the list; its new length."""
    upper, lower, slack, _lengths, power = bounds
    for i in range(start, stop):
        slack[i] -= moves[labels[i]] + farthest
        if slack[i] <= least:
            # The bounds of all centres are tighter than the slack, but take k steps: they come second.
            slack[i] = slack_of(i, labels[i], upper, lower, drift, power)
            if slack[i] <= least:
                rows[filled] = i
                filled += 1
    return filled


@Loop
def assign(view, raw, room, lists, centers, score, bounds, moves, drift, doubt, held, grid, sums, first):
    """Give every row to its nearest centre, and take it to the sum of its new cluster; how many moved.

    Of a piece in which most rows are open, all are compared, as given; else the open ones are collected.
    """
    tile, (rows, piece) = room[0], lists
    n, step = held[0].shape[0], tile.shape[0]
    filled, moved, farthest, least = 0, 0, moves.max(), CAUTION * np.sqrt(doubt)
    for start in range(0, n, step):
        stop, before = min(start + step, n), filled
        filled = open_rows(start, stop, held[0], moves, farthest, least, bounds, drift, rows, filled)
        if raw.shape[0] == n and not first and MOST_CLOSED * (filled - before) > stop - start:
            filled = before
            for c in range(stop - start):
                # Where most rows are open, the whole piece is compared as given, without a prepared copy.
                piece[c] = start + c
            products = raw_scores(raw[start:stop], score)
            moved += settle(
                products, piece, view, room, centers, score, bounds, drift, doubt, held, grid, sums
            )
        while filled >= step or (stop == n and filled > 0):
            some = min(step, filled)
            read_rows(view, rows, some, tile)
            if first:
                # Lengths of rows stay the same in all iterations.
                set_lengths(tile, some, score[2], rows, bounds[3])
            products = np.dot(tile[:some], score[0])
            moved += settle(
                products, rows, view, room, centers, score, bounds, drift, doubt, held, grid, sums
            )
            for c in range(some, filled):
                # Rows that did not fit the tile move to the front of the list.
                rows[c - some] = rows[c]
            filled -= some
    return moved


@Loop
def lloyd(view, raw, room, stretch, factors, held, before, centers, grid, sums, size, share, max_iter):
    """Alternate both steps until no label changes, or until a cluster has no row.

    Returns the number of iterations, and whether no label changed in the last one. The labels `held` are the
    start and become the result; `before` become the labels before the last iteration, `centers` the centres
    that it compared. `sums` follow the labels, in whole numbers of units.
    """
    labels, _mass, counts = held
    n, k, p = labels.shape[0], centers.shape[0], centers.shape[1]
    lower = np.full((n, k), -np.inf, np.float32)
    # Divided by a power of two near the longest row, bounds fit single precision.
    power = math.ldexp(1.0, math.frexp(size)[1])
    bounds = np.zeros(n), lower, np.full(n, -np.inf), np.empty(n), power
    moves, drift = np.zeros(k), np.zeros(k)
    score = np.empty((p, k)), np.empty(k), factors, np.zeros((raw.shape[1], k)), np.zeros(k)
    lists = np.empty(2 * room[0].shape[0], np.int64), np.empty(room[0].shape[0], np.int64)
    for iteration in range(max_iter):
        set_centers(sums, grid[0], stretch, centers, moves, drift)
        longest = size + set_coefficients(centers, score)
        doubt, first = share * longest * longest, iteration == 0
        if first:
            # The first centres come from no others: their way from the origin is no drift.
            drift[:] = 0.0
        for i in range(n):
            before[i] = labels[i]
        if raw.shape[0] == n:
            set_raw_coefficients(view, score)
        moved = assign(
            view, raw, room, lists, centers, score, bounds, moves, drift, doubt, held, grid, sums, first
        )
        if moved == 0 or counts.min() == 0:
            return iteration + 1, moved == 0
    return max_iter, False

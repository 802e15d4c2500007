"""Lloyd's algorithm on some columns of rows that are prepared as they are read, step by step.

Rows that cannot have a new nearest centre are neither read nor compared. A row has an upper bound of the
distance to its own centre and a lower bound of the distance to every other one (Elkan 2003, "Using the
triangle inequality to accelerate k-means"). The way that each centre has gone so far is added to the first
and taken from the second. The least lower bound minus the upper bound is the slack of the row (Hamerly 2010,
"Making k-means even faster"); it is followed from one iteration to the next, and the bounds are looked at
only when it is used up.

Distances come from products of matrices. Where two centres are closer to each other than the rounding of
these, exact sums decide (`nearest_exactly`).
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Literal
from sparsek.methods.shared.literal import nearest_exactly

BELOW = 1 - 2.0**-21
"""Lower bounds are kept in single precision; this factor takes them below its rounding."""
PREPARED, CENTRED, DIVIDED = 0, 1, 2
"""Kinds of rows: these columns of prepared rows; rows to be centred; to be divided too."""
CAUTION = 4
"""Slacks of up to so many roots of the rounding of squared distances count as used up."""


@Literal
def read_rows(view, rows, filled, tile):
    """Prepare the columns of some rows: the map of `Scaling.apply`."""
    X, columns, unit, offset, spread, magic, whole, kind = view
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
                z = (X[i, columns[a]] * unit[a] - offset[a]) / spread[a]
                tile[c, a] = (z + magic[a]) - magic[a]


@Literal
def set_centers(sums, unit, stretch, centers, moves, drift):
    """Means of the clusters, columns times factors, the origin for an empty one; adds how far they moved."""
    p = centers.shape[1]
    for m in range(sums.shape[0]):
        size, way = sums[m, p] * unit[p], 0.0
        size = size if size != 0 else 1.0
        for a in range(p):
            old = np.float64(centers[m, a])
            centers[m, a] = ((sums[m, a] * unit[a]) * stretch[a]) / size
            way += (centers[m, a] - old) ** 2
        moves[m] = np.sqrt(way)
        drift[m] += moves[m]


@Literal
def set_coefficients(centers, factors, coefficients, halves):
    """Coefficients of the scores, halved squared distances less that of the row; the longest centre."""
    longest = 0.0
    for m in range(centers.shape[0]):
        halves[m] = 0.0
        for a in range(centers.shape[1]):
            center = np.float64(centers[m, a])
            coefficients[a, m] = -center * factors[a]
            halves[m] += 0.5 * center * center
        longest = max(longest, 2 * halves[m])
    return np.sqrt(longest)


@Literal
def slack_of(i, own, upper, lower, drift):
    """How much nearer the own centre of a row is than any other, at least."""
    least = np.inf
    for m in range(drift.shape[0]):
        if m != own:
            least = min(least, lower[i, m] - drift[m])
    return least - (upper[i] + drift[own])


@Literal
def move_rows(tile, filled, rows, found, held, grid, sums):
    """Take the rows of a tile from one sum to the other, in whole numbers of units; how many moved."""
    _, inverse, magic = grid
    labels, mass, counts = held
    p, moved = tile.shape[1], 0
    for c in range(filled):
        i, new = rows[c], found[c]
        old, weight = labels[i], mass[i]
        if new != old:
            for a in range(p):
                value = np.int64(((weight * tile[c, a] + magic[a]) - magic[a]) * inverse[a])
                sums[old, a] -= value
                sums[new, a] += value
            value = np.int64(((weight + magic[p]) - magic[p]) * inverse[p])
            sums[old, p] -= value
            sums[new, p] += value
            counts[old] -= 1
            counts[new] += 1
            labels[i] = new
            moved += 1
    return moved


@Literal
def set_lengths(tile, filled, factors, rows, lengths):
    """Squared lengths of the rows of a tile, columns times factors."""
    found = np.dot(tile[:filled] * tile[:filled], factors * factors)
    for c in range(filled):
        lengths[rows[c]] = found[c]


@Literal
def nearest_two(scores, halves, best, second, found):
    """The nearest centre of every row of a tile, lowest index on ties, and the scores of the two nearest."""
    n = scores.shape[1]
    for c in range(n):
        best[c], second[c], found[c] = np.inf, np.inf, 0
    for m in range(halves.shape[0]):
        for c in range(n):
            s = scores[m, c] + halves[m]
            scores[m, c] = s
            second[c] = min(second[c], max(best[c], s))
            found[c] = m if s < best[c] else found[c]
            best[c] = min(best[c], s)


@Literal
def set_bounds(scores, rows, second, bounds, drift, own):
    """Bounds of the distances of the rows of a tile to all centres, and that to the second nearest."""
    _upper, lower, slack, lengths = bounds
    n = scores.shape[1]
    for c in range(n):
        own[c] = lengths[rows[c]]
        slack[rows[c]] = np.sqrt(max(own[c] + 2 * second[c], 0.0))
    for m in range(scores.shape[0]):
        for c in range(n):
            scores[m, c] = np.sqrt(max(own[c] + 2 * scores[m, c], 0.0))
        for c in range(n):
            lower[rows[c], m] = (scores[m, c] + drift[m]) * BELOW


@Literal
def settle_tile(room, filled, centers, score, bounds, drift, doubt, held, grid, sums):
    """Give the rows of a tile to their nearest centres, and renew their bounds; how many moved."""
    tile, rows, (best, second, own), found, exact = room
    coefficients, halves, factors = score
    upper, _lower, slack, _lengths = bounds
    products, scores = np.dot(tile[:filled], coefficients), np.empty((halves.shape[0], filled))
    for m in range(halves.shape[0]):
        for c in range(filled):
            scores[m, c] = products[c, m]
    nearest_two(scores, halves, best, second, found)
    set_bounds(scores, rows, second, bounds, drift, own)
    for c in range(filled):
        i = rows[c]
        if second[c] - best[c] <= doubt:
            for a in range(exact.shape[0]):
                exact[a] = tile[c, a] * factors[a]
            found[c], slack[i] = nearest_exactly(exact, centers), -np.inf
        upper[i] = scores[found[c], c] - drift[found[c]]
        slack[i] -= scores[found[c], c]
    return move_rows(tile, filled, rows, found, held, grid, sums)


@Literal
def assign(view, room, centers, score, bounds, moves, drift, doubt, held, grid, sums, first):
    """Give every row to its nearest centre, and take it to the sum of its new cluster; how many moved."""
    tile, rows, _scores, _found, _exact = room
    upper, lower, slack, lengths = bounds
    labels, _mass, _counts = held
    filled, moved, farthest, least = 0, 0, moves.max(), CAUTION * np.sqrt(doubt)
    for i in range(labels.shape[0]):
        slack[i] -= moves[labels[i]] + farthest
        if slack[i] <= least:
            slack[i] = slack_of(i, labels[i], upper, lower, drift)
            if slack[i] <= least:
                rows[filled] = i
                filled += 1
        if filled == tile.shape[0] or (i == labels.shape[0] - 1 and filled > 0):
            read_rows(view, rows, filled, tile)
            if first:
                set_lengths(tile, filled, score[2], rows, lengths)
            moved += settle_tile(room, filled, centers, score, bounds, drift, doubt, held, grid, sums)
            filled = 0
    return moved


@Literal
def lloyd(view, room, stretch, factors, held, before, centers, grid, sums, size, share, max_iter):
    """Alternate both steps until no label changes, or until a cluster has no row.

    Returns the number of iterations, and whether no label changed in the last one. The labels `held` are the
    start and become the result; `before` become the labels before the last iteration, `centers` the centres
    that it compared. `sums` follow the labels, in whole numbers of units.
    """
    labels, _mass, counts = held
    n, k, p = labels.shape[0], centers.shape[0], centers.shape[1]
    lower = np.full((n, k), -np.inf, np.float32)
    bounds = np.zeros(n), lower, np.full(n, -np.inf), np.empty(n)
    moves, drift = np.zeros(k), np.zeros(k)
    score = np.empty((p, k)), np.empty(k), factors
    for iteration in range(max_iter):
        set_centers(sums, grid[0], stretch, centers, moves, drift)
        longest = size + set_coefficients(centers, factors, score[0], score[1])
        doubt, first = share * longest * longest, iteration == 0
        if first:
            drift[:] = 0.0
        for i in range(n):
            before[i] = labels[i]
        moved = assign(view, room, centers, score, bounds, moves, drift, doubt, held, grid, sums, first)
        if moved == 0 or counts.min() == 0:
            return iteration + 1, moved == 0
    return max_iter, False

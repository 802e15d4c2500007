"""The passes over the rows of a table, entry by entry: extremes, moments, prepared rows and their sums.

Terms are rounded to multiples of a unit and added as whole numbers, as `sparsek.core.exact_sums` tells.
A map is the four arrays unit, offset, rate and magic, one number for each column: z = (x * unit - offset) *
rate, rounded to multiples of a unit by adding and subtracting magic. An empty magic rounds nothing.
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Loop, inlined

TILE_ENTRIES = 4096
"""Prepared entries that are read again before others are prepared."""


@inlined
def bits(x):
    """The bits of a double as a whole number; differences between terms plus magic are multiples of units."""
    return np.float64(x).view(np.int64)


@Loop
def extremes(X, top, bottom, missing):
    """Raise `top` and lower `bottom` to the entries that are no NaN; mark the columns that have NaN."""
    p = top.shape[0]
    for i in range(X.shape[0]):
        found = False
        for j in range(p):
            x = X[i, j]
            # Comparisons with NaN are false, so that NaN moves neither end.
            top[j] = x if x > top[j] else top[j]
            bottom[j] = x if x < bottom[j] else bottom[j]
            found |= x != x
        # Few rows have NaN, so that the columns are looked at entry by entry only in these.
        if found:
            for j in range(p):
                missing[j] |= X[i, j] != X[i, j]


@Loop
def moments(X, unit, middle, weights, magic, mass, total):
    """Add the weighted differences from the middle to total[0], their squares to [1], the weights to [2].

    NaN counts as 0. Terms are rounded by the rows of `magic`; [2] exists only if `mass`, its magic, is given.
    """
    p, terms = middle.shape[0], np.empty(middle.shape[0])
    for i in range(X.shape[0]):
        weight = weights[i]
        for j in range(p):
            t = np.float64(X[i, j] * unit[j]) - middle[j]
            # NaN alone differs from itself; a missing value counts as the middle of its column.
            terms[j] = t if t == t else 0.0
        for j in range(p):
            total[0, j] += bits(weight * terms[j] + magic[0, j]) - bits(magic[0, j])
        for j in range(p):
            total[1, j] += bits(weight * (terms[j] * terms[j]) + magic[1, j]) - bits(magic[1, j])
        for j in range(mass.shape[0]):
            share = weight if X[i, j] == X[i, j] else 0.0
            total[2, j] += bits(share + mass[j]) - bits(mass[j])


@Loop
def prepare_rows(X, rows, n, scale, Z, at):
    """Map the first n of some rows, and write them to the rows of Z from `at` on."""
    unit, offset, rate, magic = scale
    rounds = magic.shape[0] > 0
    for c in range(n):
        i, to = rows[c], at + c
        if rounds:
            for j in range(unit.shape[0]):
                z = (X[i, j] * unit[j] - offset[j]) * rate[j]
                # The sum drops the digits below the unit, and the difference is the rounded number.
                Z[to, j] = (z + magic[j]) - magic[j]
        else:
            for j in range(unit.shape[0]):
                Z[to, j] = (X[i, j] * unit[j] - offset[j]) * rate[j]


@Loop
def prepare_chosen(X, columns, scale, Z):
    """Map some columns of all rows, and write them to the first columns of Z."""
    p, filled = columns.shape[0], 0
    size = tile_rows(p)
    tile, rows = np.empty((size, p), X.dtype), np.arange(size)
    for i in range(X.shape[0]):
        for j in range(p):
            # Chosen columns are copied side by side, so that the map then runs over memory in order.
            tile[filled, j] = X[i, columns[j]]
        filled += 1
        if filled == size or i == X.shape[0] - 1:
            prepare_rows(tile, rows, filled, scale, Z, i + 1 - filled)
            filled = 0


@Loop
def tile_rows(p):
    """How many rows of p columns stay in the processor's nearest cache."""
    return max(1, TILE_ENTRIES // max(1, p))


@Loop
def prepare_column(block, a, n, scale, j):
    """Map the first n entries of row a of a block, which belong to column j, in place."""
    unit, offset, rate, magic = scale
    for i in range(n):
        block[a, i] = (block[a, i] * unit[j] - offset[j]) * rate[j]
    if magic.shape[0] > 0:
        for i in range(n):
            block[a, i] = (block[a, i] + magic[j]) - magic[j]


@inlined
def add_row(Z, i, weight, magic, sums, new):
    """Add row i times its weight to row `new` of sums of multiples of units."""
    for j in range(magic.shape[0]):
        sums[new, j] += bits(weight * np.float64(Z[i, j]) + magic[j]) - bits(magic[j])


@inlined
def move_row(Z, i, weight, magic, sums, old, new):
    """Take row i times its weight out of row `old` of the sums and add it to row `new`."""
    for j in range(magic.shape[0]):
        term = bits(weight * np.float64(Z[i, j]) + magic[j]) - bits(magic[j])
        sums[old, j] -= term
        sums[new, j] += term


@Loop
def add_rows(X, labels, old, weights, magic, sums):
    """Add every row to the sum of its cluster, and take it out of that of its old one, if there are any."""
    for i in range(X.shape[0]):
        if old.shape[0] == 0:
            add_row(X, i, weights[i], magic, sums, labels[i])
        elif old[i] != labels[i]:
            move_row(X, i, weights[i], magic, sums, old[i], labels[i])

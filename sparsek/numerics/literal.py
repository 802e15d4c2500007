"""The passes over the rows of a table, entry by entry: extremes, moments, prepared rows and their sums.

Terms are rounded to multiples of a unit and added as whole numbers, as `sparsek.numerics.exact_sums` tells.
A map is the four arrays unit, offset, spread and magic, one number for each column: z = (x * unit - offset) /
spread, rounded to multiples of a unit by adding and subtracting magic. An empty spread stands for 1 in each
column, and an empty magic rounds nothing.
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Literal, inlined


@inlined
def bits(x):
    """The bits of a double as a whole number; differences between terms plus magic are multiples of units."""
    return np.float64(x).view(np.int64)


@Literal
def extremes(X, top, bottom, missing):
    """Raise `top` and lower `bottom` to the entries that are no NaN; mark the columns that have NaN."""
    p = top.shape[0]
    for i in range(X.shape[0]):
        found = False
        for j in range(p):
            x = X[i, j]
            top[j] = x if x > top[j] else top[j]
            bottom[j] = x if x < bottom[j] else bottom[j]
            found |= x != x
        if found:
            for j in range(p):
                missing[j] |= X[i, j] != X[i, j]


@Literal
def moments(X, unit, middle, weights, magic, mass, total):
    """Add the weighted differences from the middle to total[0], their squares to [1], the weights to [2].

    NaN counts as 0. Terms are rounded by the rows of `magic`; [2] exists only if `mass`, its magic, is given.
    """
    p, terms = middle.shape[0], np.empty(middle.shape[0])
    for i in range(X.shape[0]):
        weight = weights[i]
        for j in range(p):
            t = np.float64(X[i, j] * unit[j]) - middle[j]
            terms[j] = t if t == t else 0.0
        for j in range(p):
            total[0, j] += bits(weight * terms[j] + magic[0, j]) - bits(magic[0, j])
        for j in range(p):
            total[1, j] += bits(weight * (terms[j] * terms[j]) + magic[1, j]) - bits(magic[1, j])
        for j in range(mass.shape[0]):
            share = weight if X[i, j] == X[i, j] else 0.0
            total[2, j] += bits(share + mass[j]) - bits(mass[j])


@Literal
def prepare_row(X, i, scale, Z, at):
    """Row i under a map to row `at` of Z."""
    unit, offset, spread, magic = scale
    if spread.shape[0] > 0 and magic.shape[0] > 0:
        for j in range(unit.shape[0]):
            z = (X[i, j] * unit[j] - offset[j]) / spread[j]
            Z[at, j] = (z + magic[j]) - magic[j]
    elif spread.shape[0] > 0:
        for j in range(unit.shape[0]):
            Z[at, j] = (X[i, j] * unit[j] - offset[j]) / spread[j]
    elif magic.shape[0] > 0:
        for j in range(unit.shape[0]):
            z = X[i, j] * unit[j] - offset[j]
            Z[at, j] = (z + magic[j]) - magic[j]
    else:
        for j in range(unit.shape[0]):
            Z[at, j] = X[i, j] * unit[j] - offset[j]


@Literal
def prepare_column(block, a, n, scale, j):
    """The first n entries of row a of a block, which are of column j, under a map, in place."""
    unit, offset, spread, magic = scale
    for i in range(n):
        block[a, i] = block[a, i] * unit[j] - offset[j]
    if spread.shape[0] > 0:
        for i in range(n):
            block[a, i] /= spread[j]
    if magic.shape[0] > 0:
        for i in range(n):
            block[a, i] = (block[a, i] + magic[j]) - magic[j]


@Literal
def prepare_rows(X, scale, out):
    """All rows under a map, with 1 in a last column."""
    p = out.shape[1] - 1
    for i in range(X.shape[0]):
        prepare_row(X, i, scale, out, i)
        out[i, p] = 1


@Literal
def add_row(Z, i, weight, magic, sums, new):
    """Add row i times its weight to row `new` of sums of multiples of units."""
    for j in range(magic.shape[0]):
        sums[new, j] += bits(weight * np.float64(Z[i, j]) + magic[j]) - bits(magic[j])


@Literal
def move_row(Z, i, weight, magic, sums, old, new):
    """Take row i times its weight out of row `old` of the sums and add it to row `new`."""
    for j in range(magic.shape[0]):
        term = bits(weight * np.float64(Z[i, j]) + magic[j]) - bits(magic[j])
        sums[old, j] -= term
        sums[new, j] += term


@Literal
def add_rows(X, labels, old, weights, magic, sums):
    """Add every row to the sum of its cluster, and take it out of that of its old one, if there are any."""
    for i in range(X.shape[0]):
        if old.shape[0] == 0:
            add_row(X, i, weights[i], magic, sums, labels[i])
        elif old[i] != labels[i]:
            move_row(X, i, weights[i], magic, sums, old[i], labels[i])

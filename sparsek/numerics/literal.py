"""The passes over the rows of a table, entry by entry: extremes, moments, prepared rows and their sums.

Terms are rounded to multiples of a unit and added as whole numbers, as `sparsek.numerics.exact_sums` tells.
A map is the four arrays unit, offset, rate and magic, one number for each column: z = (x * unit - offset) *
rate, rounded to multiples of a unit by adding and subtracting magic. An empty magic rounds nothing.
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
def prepare_row(x, scale, out):
    """One row under a map."""
    unit, offset, rate, magic = scale
    if magic.shape[0] > 0:
        for j in range(out.shape[0]):
            out[j] = ((x[j] * unit[j] - offset[j]) * rate[j] + magic[j]) - magic[j]
    else:
        for j in range(out.shape[0]):
            out[j] = (x[j] * unit[j] - offset[j]) * rate[j]


@Literal
def entry(x, j, scale):
    """One entry of column j under a map."""
    unit, offset, rate, magic = scale
    z = (x * unit[j] - offset[j]) * rate[j]
    return z if magic.shape[0] == 0 else (z + magic[j]) - magic[j]


@Literal
def prepare_rows(X, columns, scale, out):
    """Some columns of all rows, or all if none are named, under their map, with 1 in a last column."""
    p = out.shape[1] - 1
    for i in range(X.shape[0]):
        if columns.shape[0] == 0:
            prepare_row(X[i], scale, out[i, :p])
        for a in range(columns.shape[0]):
            out[i, a] = entry(X[i, columns[a]], a, scale)
        out[i, p] = 1


@Literal
def add_row(z, weight, magic, sums):
    """Add the weighted row to sums of multiples of units."""
    for j in range(z.shape[0]):
        sums[j] += bits(weight * np.float64(z[j]) + magic[j]) - bits(magic[j])


@Literal
def move_row(z, weight, magic, old, new):
    """Take the weighted row out of a sum and add it to another."""
    for j in range(z.shape[0]):
        term = bits(weight * np.float64(z[j]) + magic[j]) - bits(magic[j])
        old[j] -= term
        new[j] += term


@Literal
def add_rows(X, labels, old, weights, magic, sums):
    """Add every row to the sum of its cluster, and take it out of that of its old one, if there are any."""
    for i in range(X.shape[0]):
        if old.shape[0] == 0:
            add_row(X[i], weights[i], magic, sums[labels[i]])
        elif old[i] != labels[i]:
            move_row(X[i], weights[i], magic, sums[old[i]], sums[labels[i]])

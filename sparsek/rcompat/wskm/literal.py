"""The steps of ewkm, fgkm and twkm row by row, in the order and width of wskm's sums.

Every cluster has a set of weights, or all clusters have one set in common. Exponentials and logarithms are
those of the C library, as in R; where it is another one than R's, they are taken outside. Sources: Jing, Ng
& Huang (2007), IEEE TKDE 19, 1026-1041; Chen, Ye, Xu & Huang (2012), Pattern Recognition 45, 434-446; Chen,
Xu, Huang & Ye (2013), IEEE TKDE 25, 932-944.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop

LARGEST = 1.79769e308
ROWS = 64
"""Rows of a block: enough for compilers to compute several at once."""


@Loop
def assign(blocks, centers, weights, labels):
    """Give every row to its nearest centre, the last one on ties; without any distance it keeps its label.

    weights are (k, p), or (1, p) for all centres. blocks (b, p, ROWS) has the rows by columns, so that the
    sums of many rows grow side by side. What fills the last block gets no label.
    """
    k, p = centers.shape
    d, least, best = np.empty(ROWS), np.empty(ROWS), np.empty(ROWS, np.int64)
    for block in range(blocks.shape[0]):
        for r in range(ROWS):
            least[r], best[r] = LARGEST, -1
        for m in range(k):
            s = m if weights.shape[0] > 1 else 0
            for r in range(ROWS):
                d[r] = 0.0
            for j in range(p):
                values, center, weight = blocks[block, j], centers[m, j], weights[s, j]
                for r in range(ROWS):
                    t = values[r] - center
                    d[r] += weight * (t * t)
            for r in range(ROWS):
                if d[r] <= least[r]:
                    least[r], best[r] = d[r], m
        first = block * ROWS
        for r in range(min(ROWS, labels.shape[0] - first)):
            if best[r] >= 0:
                labels[first + r] = best[r]


@Loop
def means(x, labels, k):
    """Means, and whether all clusters have rows; from the first empty cluster on they stay sums."""
    n, p = x.shape
    centers, sizes = np.zeros((k, p)), np.zeros(k)
    for i in range(n):
        m = labels[i]
        sizes[m] += 1.0
        for j in range(p):
            centers[m, j] += x[i, j]
    for m in range(k):
        if sizes[m] == 0:
            return centers, False
        for j in range(p):
            centers[m, j] /= sizes[m]
    return centers, True


@Loop
def dispersions(x, labels, centers, weights):
    """Weighted sums of squares about the centres, of every set of weights and feature."""
    n, p = x.shape
    sums = np.zeros(weights.shape)
    for i in range(n):
        m = labels[i]
        s = m if weights.shape[0] > 1 else 0
        for j in range(p):
            t = x[i, j] - centers[m, j]
            sums[s, j] += weights[s, j] * (t * t)
    return sums


@Loop
def group_dispersions(blocks, labels, centers, weights, groups, sums):
    """Into sums (k, G): weighted sums of squares of clusters and groups, over rows within each feature."""
    for j in range(blocks.shape[1]):
        g = groups[j]
        for block in range(blocks.shape[0]):
            first = block * ROWS
            for r in range(min(ROWS, labels.shape[0] - first)):
                m = labels[first + r]
                t = blocks[block, j, r] - centers[m, j]
                sums[m, g] += weights[m, j] * (t * t)


@Loop
def common_group_dispersions(x, labels, centers, weights, groups, sums):
    """Into sums (1, G): weighted sums of squares of every group, over features within each row."""
    n, p = x.shape
    for i in range(n):
        m = labels[i]
        for j in range(p):
            t = x[i, j] - centers[m, j]
            sums[0, groups[j]] += weights[0, j] * (t * t)


@Loop
def exponents(sums, divisor, groups, n_groups, running):
    """Sums over a divisor less the largest of their row and group; `running`: of this row or one before."""
    v, highest = np.empty(sums.shape), np.empty(n_groups)
    for s in range(v.shape[0]):
        if s == 0 or not running:
            for g in range(n_groups):
                highest[g] = -np.inf
        for j in range(v.shape[1]):
            v[s, j] = sums[s, j] / divisor
            if v[s, j] > highest[groups[j]] or np.isnan(v[s, j]):
                highest[groups[j]] = v[s, j]
        for j in range(v.shape[1]):
            v[s, j] -= highest[groups[j]]
    return v


@Loop
def exponentials(v):
    """Exponentials in place of the entries."""
    for s in range(v.shape[0]):
        for j in range(v.shape[1]):
            v[s, j] = math.exp(v[s, j])


@Loop
def entropy_terms(v):
    """``v log v`` of every entry."""
    terms = np.empty(v.shape)
    for s in range(v.shape[0]):
        for j in range(v.shape[1]):
            terms[s, j] = v[s, j] * math.log(v[s, j])
    return terms


@Loop
def scale_to_one(v, groups, n_groups):
    """Divide by the sums over every row and group."""
    totals = np.empty(n_groups)
    for s in range(v.shape[0]):
        for g in range(n_groups):
            totals[g] = 0.0
        for j in range(v.shape[1]):
            totals[groups[j]] += v[s, j]
        for j in range(v.shape[1]):
            v[s, j] /= totals[groups[j]]


@Loop
def to_shares(v, groups, n_groups, smallest):
    """Scale to sum 1 in every row and group, raise to a smallest value and scale again."""
    scale_to_one(v, groups, n_groups)
    for s in range(v.shape[0]):
        for j in range(v.shape[1]):
            if v[s, j] < smallest:
                v[s, j] = smallest
    scale_to_one(v, groups, n_groups)


@Loop
def total(x, labels, centers, weights):
    """Weighted sum of squares about the centres, row by row."""
    n, p = x.shape
    value = 0.0
    for i in range(n):
        m = labels[i]
        s = m if weights.shape[0] > 1 else 0
        for j in range(p):
            t = x[i, j] - centers[m, j]
            value += weights[s, j] * (t * t)
    return value


@Loop
def float_total(x, labels, centers, weights):
    """As `total`, every term added in double to a sum in single precision."""
    n, p = x.shape
    value = np.float32(0.0)
    for i in range(n):
        m = labels[i]
        for j in range(p):
            t = x[i, j] - centers[m, j]
            value = np.float32(value + weights[m, j] * (t * t))
    return value


@Loop
def float_sum(terms):
    """Sum in single precision of doubles, each added in double."""
    value = np.float32(0.0)
    for i in range(terms.shape[0]):
        value = np.float32(value + terms[i])
    return value

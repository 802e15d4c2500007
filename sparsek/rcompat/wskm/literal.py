"""The steps of ewkm, fgkm and twkm row by row, in the order and width of wskm's sums.

Every set of weights belongs to one cluster, or a single set to all. Exponentials and logarithms are taken
outside, because R has them from the C library. Sources: Jing, Ng & Huang (2007), IEEE TKDE 19, 1026-1041; Chen,
Ye, Xu & Huang (2012), Pattern Recognition 45, 434-446; Chen, Xu, Huang & Ye (2013), IEEE TKDE 25, 932-944.
"""

from __future__ import annotations

import numpy as np

from sparsek.engine import Literal

LARGEST = 1.79769e308


@Literal
def all_distances(row, centers, weights, d):
    """Weighted squared distances of a row to all centres, which are held by columns (p, k), into d."""
    p, k = centers.shape
    d[:] = 0.0
    for j in range(0, p - 1, 2):
        for m in range(k):
            t, u = row[j] - centers[j, m], row[j + 1] - centers[j + 1, m]
            d[m] = d[m] + weights[j, m] * (t * t) + weights[j + 1, m] * (u * u)
    if p % 2:
        for m in range(k):
            t = row[p - 1] - centers[p - 1, m]
            d[m] += weights[p - 1, m] * (t * t)


@Literal
def assign(x, centers, weights, labels):
    """Give every row to its nearest centre, the last one on ties; without any distance it keeps its label."""
    d = np.empty(centers.shape[1])
    for i in range(x.shape[0]):
        all_distances(x[i], centers, weights, d)
        least = LARGEST
        for m in range(d.shape[0]):
            if d[m] <= least:
                labels[i], least = m, d[m]


@Literal
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


@Literal
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


@Literal
def group_dispersions(columns, labels, centers, weights, groups, sums):
    """Into sums (k, G): weighted sums of squares of every cluster and group, over rows within each feature."""
    p, n = columns.shape
    for j in range(p):
        g = groups[j]
        for i in range(n):
            m = labels[i]
            t = columns[j, i] - centers[m, j]
            sums[m, g] += weights[m, j] * (t * t)


@Literal
def common_group_dispersions(x, labels, centers, weights, groups, sums):
    """Into sums (1, G): weighted sums of squares of every group, over features within each row."""
    n, p = x.shape
    for i in range(n):
        m = labels[i]
        for j in range(p):
            t = x[i, j] - centers[m, j]
            sums[0, groups[j]] += weights[0, j] * (t * t)


@Literal
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


@Literal
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


@Literal
def float_sum(terms):
    """Sum in single precision of doubles, each added in double."""
    value = np.float32(0.0)
    for i in range(terms.shape[0]):
        value = np.float32(value + terms[i])
    return value

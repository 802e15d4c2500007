"""Indices of the sums of squares and products, as NbClust computes them.

T, the total, is of the rows as they are, not about their mean, except in the indices of Calinski and Harabasz
and of Ratkowsky and Lance. Source: Charrad et al. (2014); Sarle (1983) for the CCC.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, long_covariances, long_sum
from sparsek.rcompat.nbclust.grouping import ClusteredData, Pooled, scatter

Groupings = dict[int, ClusteredData]
Index = Callable[[Groupings, int], float]


def kl(groups: Groupings, q: int) -> float:
    """Krzanowski and Lai's index."""
    p = groups[q].rows.x.shape[1]

    def difference(k: int) -> float:
        return np.float64((k - 1) ** (2 / p) * trace_w(groups, k - 1) - k ** (2 / p) * trace_w(groups, k))

    return abs(difference(q) / difference(q + 1))


def ch(groups: Groupings, q: int) -> float:
    """Calinski and Harabasz' index."""
    n, within = len(groups[q].labels), trace_w(groups, q)
    return (trace_w(groups, 1) - within) / (q - 1) / (within / (n - q))


def hartigan(groups: Groupings, q: int) -> float:
    """Hartigan's index, with n - q in place of n - q - 1; infinite where nothing is left."""
    return (trace_w(groups, q) / trace_w(groups, q + 1) - 1) * (len(groups[q].labels) - q)


def ccc(groups: Groupings, q: int) -> float:
    """The cubic clustering criterion."""
    n, p = groups[q].rows.x.shape
    pooled = _pooled(groups, q)
    total, within = pooled.total, pooled.within
    s = np.sqrt(np.maximum(np.linalg.eigvalsh(total / (n - 1))[::-1], 0))
    u = s / (s.prod() / q) ** (1 / p)
    used = min(int((u >= 1).sum()), q - 1)
    if 0 < used < p:
        u = s / (s[:used].prod() / q) ** (1 / used)
    left = (1 / (n + u[:used])).sum() + (u[used:] ** 2 / (n + u[used:])).sum()
    expected = 1 - left / (u**2).sum() * ((n - q) ** 2 / n) * (1 + 4 / n)
    found = 1 - np.trace(within) / np.trace(total)
    return float(np.log((1 - expected) / (1 - found)) * math.sqrt(n * used / 2) / (0.001 + expected) ** 1.2)


def scott(groups: Groupings, q: int) -> float:
    """Scott and Symons' index."""
    pooled = _pooled(groups, q)
    return float(len(groups[q].labels) * np.log(pooled.ratio))


def marriot(groups: Groupings, q: int) -> float:
    """Marriot's index."""
    return q**2 * _pooled(groups, q).determinant


def tr_cov_w(groups: Groupings, q: int) -> float:
    """Trace of the covariances of the columns of W."""
    within = _pooled(groups, q).within
    return long_sum(np.diag(long_covariances(within, within)))


def trace_pooled(groups: Groupings, q: int) -> float:
    """Trace of W as it is inverted."""
    return long_sum(np.diag(_pooled(groups, q).within))


def trace_w(groups: Groupings, q: int) -> float:
    """Trace of W, which may be divided by where it is 0."""
    return np.float64(long_sum(groups[q].squares))


def friedman(groups: Groupings, q: int) -> float:
    """Friedman and Rubin's trace, of the products of the diagonals of the inverse of W and of B."""
    pooled = _pooled(groups, q)
    return long_sum(np.diag(pooled.inverse) * np.diag(pooled.between))


def _pooled(groups: Groupings, q: int) -> Pooled:
    """T and W as they are inverted; R takes logarithms of both quotients whatever is asked for, and warns."""
    pooled = groups[q].pooled
    assert pooled is not None
    for quotient in (np.trace(pooled.within), pooled.ratio):
        if quotient < 0:
            warn_as_r("NaNs produced")
    return pooled


def rubin(groups: Groupings, q: int) -> float:
    """Trace of T over that of W."""
    pooled = _pooled(groups, q)
    return long_sum(np.diag(pooled.total)) / long_sum(np.diag(pooled.within))


def ratkowsky(groups: Groupings, q: int) -> float:
    """Ratkowsky and Lance's index."""
    total, within = (np.diag(scatter(groups[k])) for k in (1, q))
    return float(np.sqrt((total - within) / total).mean() / math.sqrt(q))


def ball(groups: Groupings, q: int) -> float:
    """Ball and Hall's index."""
    return trace_w(groups, q) / q


def norm_of_variances(rows: FloatArray) -> float:
    """Length of the vector of variances, of divisor n."""
    return float(np.sqrt((rows.var(axis=0) ** 2).sum()))


def _scattering(g: ClusteredData) -> float:
    """Mean length of the variances within, over that of all."""
    within = [norm_of_variances(g.members(k)) for k in range(g.q)]
    return float(np.mean(within)) / norm_of_variances(g.rows.x)


def _apart(g: ClusteredData) -> float:
    """Total separation of the centres."""
    between = np.sqrt(((g.centers[:, None] - g.centers) ** 2).sum(axis=2))
    ratio = between.max() / between[between > 0].min()
    return float(ratio * (1 / between.sum(axis=1)).sum())


def sd_index(groups: Groupings, q: int) -> float:
    """The SD validity index; its weight is the separation of the largest number of clusters."""
    largest = max(groups) - 1
    return _apart(groups[largest]) * _scattering(groups[q]) + _apart(groups[q])


def s_dbw(groups: Groupings, q: int) -> float:
    """The S_Dbw index; the density of a centre counts rows of its own cluster alone."""
    g = groups[q]
    radius = math.sqrt(sum(norm_of_variances(g.members(k)) for k in range(q))) / q
    total = 0.0
    for i in range(q):
        for j in range(q):
            if i != j:
                own = max(_near(g.members(k), g.centers[k], radius) for k in (i, j))
                middle = (g.centers[i] + g.centers[j]) / 2
                total += sum(_near(g.members(k), middle, radius) for k in (i, j)) / own if own else 0.0
    return _scattering(g) + total / (q * (q - 1))


def _near(rows: FloatArray, point: FloatArray, radius: float) -> int:
    """Number of rows within a radius of a point."""
    return int((np.sqrt(((rows - point) ** 2).sum(axis=1)) <= radius).sum())


def db(groups: Groupings, q: int) -> float:
    """Davies and Bouldin's index."""
    g = groups[q]
    spread = np.sqrt([((g.members(k) - g.centers[k]) ** 2).sum(axis=1).mean() for k in range(q)])
    between = np.sqrt(((g.centers[:, None] - g.centers) ** 2).sum(axis=2))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (spread[:, None] + spread) / between
    np.fill_diagonal(ratios, -np.inf)
    return float(ratios.max(axis=1).mean())


def d_index(groups: Groupings, q: int) -> float:
    """Mean distance of the rows to their centres."""
    g = groups[q]
    return float(np.sqrt(((g.rows.x - g.centers[g.labels]) ** 2).sum(axis=1)).mean())

"""W, as NbClust computes it where it is inverted, and its triangles.

W is T less B, and both have the roundings of R's products; so has what R finds singular. Source: Golub & Van
Loan (2013), algorithm 3.4.1; measured in R.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum
from sparsek.errors import RError
from sparsek.rcompat.base.singular import refuse_singular
from sparsek.rcompat.nbclust.grouping import ClusteredData, Pooled

LARGEST = math.log(np.finfo(float).max)
"""Exponentials of more are infinite."""
REMEDY = (
    "the clusters have W of a smaller rank than columns: lower max_nc, or drop constant and repeated columns"
)


def add_pooled(groups: dict[int, ClusteredData], first: int, last: int) -> tuple[int, RError | None]:
    """Put T and W to the groups; the last number of clusters with an inverse of W, and the error after it."""
    for q in range(first, last + 1):
        try:
            groups[q] = replace(groups[q], pooled=pool(groups[q]))
        except RError as error:
            return q - 1, error
    return last, None


def _determinant(triangles: FloatArray, order: IntArray) -> float:
    """Determinant by the logarithms of the pivots, as R's.

    Shapes: triangles (p, p), order (p,).
    """
    pivots = np.diag(triangles).tolist()
    if 0 in pivots:
        return 0.0
    logarithm = 0.0
    for pivot in pivots:
        logarithm += math.log(abs(pivot))
    exchanges = int(np.triu(order[:, None] > order).sum())
    negative = sum(pivot < 0 for pivot in pivots)
    size = math.exp(logarithm) if logarithm < LARGEST else math.inf
    return size * (-1 if (exchanges + negative) % 2 else 1)


@np.errstate(all="ignore")
def pool(g: ClusteredData) -> Pooled:
    """T and W of the rows in clusters; RError as R's where W is singular."""
    total = ordered_product(g.rows.x.T, g.rows.x)
    groups = [g.members(k) for k in range(g.q)]
    centers = np.array([sequential_sum(rows * (1 / len(rows))) for rows in groups])
    sums = np.array([sequential_sum(np.tile(c, (n, 1))) for c, n in zip(centers, g.sizes, strict=True)])
    between = ordered_product(sums.T, centers)
    within = total - between
    triangles, order = _triangles(within)
    refuse_singular(within, triangles, REMEDY)
    determinant = _determinant(triangles, order)
    ratio = float(np.divide(_determinant(*_triangles(total)), determinant))
    return Pooled(total, between, within, _inverse(triangles, order), determinant, ratio)


def _triangles(w: FloatArray) -> tuple[FloatArray, IntArray]:
    """L and U of a matrix in one, and the order of its rows.

    Shapes: w (p, p), returns (p, p), (p,).
    """
    a, order = w.copy(), np.arange(len(w))
    for j in range(len(a)):
        pivot = j + int(np.abs(a[j:, j]).argmax())
        if a[pivot, j] == 0:
            continue
        if pivot != j:
            a[[j, pivot]] = a[[pivot, j]]
            order[[j, pivot]] = order[[pivot, j]]
        a[j + 1 :, j] *= 1 / a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return a, order


def _inverse(a: FloatArray, order: IntArray) -> FloatArray:
    """Inverse from the triangles.

    Shapes: a (p, p), order (p,), returns (p, p).
    """
    p = len(a)
    b = np.eye(p)[order]
    for k in range(p):
        b[k + 1 :] -= np.outer(a[k + 1 :, k], b[k])
    for k in range(p - 1, -1, -1):
        b[k] /= a[k, k]
        b[:k] -= np.outer(a[:k, k], b[k])
    return b

"""Agglomerative clustering with R's order of operations and ties, under seven linkages.

Sources: Lance & Williams (1967), "A general theory of classificatory sorting strategies", Computer Journal
9, 373-380, for the update; Murtagh (1983), Computer Journal 26, 354-359, for the stored nearest neighbours.
Every object stores its nearest neighbour among the later objects only; the first minimum wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

METHODS = ("average", "complete", "single", "centroid", "ward.D", "mcquitty", "median")


@dataclass(frozen=True, slots=True)
class Tree:
    """A sequence of merges.

    Attributes
    ----------
    merge : ndarray of int64, shape (n - 1, 2)
        As in R: objects are negative, counted from 1; earlier merges positive, by their row from 1.
    height : ndarray of shape (n - 1,)
        Dissimilarity of each merge, in the unit of the dissimilarities.
    order : ndarray of int64, shape (n,)
        Objects from 1 in the order of a drawing without crossings.
    """

    merge: IntArray
    height: FloatArray
    order: IntArray


def run_hclust(d: FloatArray, method: str) -> Tree:
    """Merge the two closest clusters again and again.

    Parameters
    ----------
    d : ndarray of shape (n, n)
        Symmetric dissimilarities, not squared; the diagonal is ignored. Not changed.
    method : str
        The linkage, one of `METHODS`.

    Returns
    -------
    Tree
        Merges, heights and order as in R.
    """
    n = len(d)
    d = d.astype(np.float64)
    np.fill_diagonal(d, np.inf)
    size = np.ones(n)
    active = np.ones(n, dtype=bool)
    neighbour = np.full(n, n, dtype=np.int64)
    gap = np.full(n, np.inf)
    for i in range(n - 1):
        _search(d, active, neighbour, gap, i)
    pairs, height = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    for step in range(n - 1):
        i = int(gap.argmin())
        j = int(neighbour[i])
        pairs[step], height[step] = (i, j), gap[i]
        active[j] = False
        gap[j] = np.inf
        others = np.flatnonzero(active)
        others = others[others != i]
        sizes = size[i], size[j], size[others]
        d[i, others] = d[others, i] = _linkage(d[i, others], d[j, others], height[step], sizes, method)
        size[i] += size[j]
        before = others[others < i]
        nearer = before[d[before, i] < gap[before]]
        gap[nearer], neighbour[nearer] = d[nearer, i], i
        stale = np.flatnonzero(active & ((neighbour == i) | (neighbour == j)))
        for k in {i, *stale.tolist()}:
            _search(d, active, neighbour, gap, k)
    merge = _signed(pairs)
    return Tree(merge, height, _drawing_order(merge))


def cut(merge: IntArray, counts: IntArray) -> IntArray:
    """Groups of the objects after all but the last merges.

    Parameters
    ----------
    merge : ndarray of int64, shape (n - 1, 2)
        As in `Tree`.
    counts : ndarray of int64, shape (m,)
        Numbers of groups, each from 1 to n.

    Returns
    -------
    ndarray of int64, shape (n, m)
        Groups from 1, numbered by their first object.
    """
    n = len(merge) + 1
    owner = np.arange(n)
    groups = np.empty((n, len(counts)), dtype=np.int64)
    names = np.empty(n - 1, dtype=np.int64)  # name of the cluster made by each merge
    for step in range(n):
        for column in np.flatnonzero(counts == n - step):
            _, first, inverse = np.unique(owner, return_index=True, return_inverse=True)
            rank = np.argsort(np.argsort(first))
            groups[:, column] = rank[inverse] + 1
        if step < n - 1:
            a, b = (-k - 1 if k < 0 else names[k - 1] for k in merge[step].tolist())
            owner[owner == b] = a
            names[step] = a
    return groups


def _search(d: FloatArray, active: NDArray[np.bool_], neighbour: IntArray, gap: FloatArray, i: int) -> None:
    """Store the nearest of the later active objects (the first of equal ones) and its distance."""
    later = i + 1 + np.flatnonzero(active[i + 1 :])
    if not len(later):
        gap[i] = np.inf
        return
    nearest = later[d[i, later].argmin()]
    neighbour[i], gap[i] = nearest, d[i, nearest]


def _linkage(
    di: FloatArray, dj: FloatArray, dij: float, sizes: tuple[float, float, FloatArray], method: str
) -> FloatArray:
    """Lance and Williams' update, in R's order of operations; sizes of i, of j and of the others."""
    mi, mj, m = sizes
    if method == "single":
        return np.minimum(di, dj)
    if method == "complete":
        return np.maximum(di, dj)
    if method == "average":
        return (mi * di + mj * dj) / (mi + mj)
    if method == "mcquitty":
        return (di + dj) / 2
    if method == "median":
        return (di + dj - dij / 2) / 2
    if method == "ward.D":
        return ((mi + m) * di + (mj + m) * dj - m * dij) / (mi + mj + m)
    return (mi * di + mj * dj - mi * mj * dij / (mi + mj)) / (mi + mj)


def _signed(pairs: IntArray) -> IntArray:
    """R's numbering of merges: objects negative and first, earlier merges by their row."""
    merge = np.empty_like(pairs)
    row_of: dict[int, int] = {}
    for step, (i, j) in enumerate(pairs.tolist()):
        a, b = row_of.get(i, -i - 1), row_of.get(j, -j - 1)
        if a < 0 and b < 0:
            a, b = max(a, b), min(a, b)
        else:
            a, b = min(a, b), max(a, b)
        merge[step] = a, b
        row_of[i] = step + 1
    return merge


def _drawing_order(merge: IntArray) -> IntArray:
    """Order of the leaves: the last merge is expanded, left branches first."""
    order: list[int] = []
    todo = [len(merge)]
    while todo:
        entry = todo.pop()
        if entry < 0:
            order.append(-entry)
        else:
            left, right = merge[entry - 1].tolist()
            todo += [right, left]
    return np.array(order, dtype=np.int64)

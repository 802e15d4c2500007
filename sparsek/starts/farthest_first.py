"""Rows chosen one after the other, far from those before: the loop of Maximin, ROBIN and DKM++.

Sources: Gonzalez (1985), "Clustering to minimize the maximum intercluster distance", Theoretical Computer
Science 38, 293-306; Katsavounidis, Kuo & Zhang (1994), "A new initialization technique for generalized Lloyd
iteration", IEEE Signal Processing Letters 1, 144-146.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.bits.ordered_arithmetic import FloatArray


def farthest_first(
    distances_from: Callable[[int], FloatArray],
    start: FloatArray,
    n_clusters: int,
    choose: Callable[[FloatArray, list[int]], int],
) -> list[int]:
    """Choose rows by their distance to the nearest row chosen before.

    Shapes: start (n,).
    """
    chosen: list[int] = []
    nearest = start
    for _ in range(n_clusters):
        row = choose(nearest, chosen)
        # The start distances choose the first row alone.
        nearest = np.minimum(nearest, distances_from(row)) if chosen else distances_from(row)
        chosen.append(row)
    return chosen


def maximin_rows(x: FloatArray, n_clusters: int, first: int | None = None) -> list[int]:
    """Farthest-first rows: `first`, or the one farthest from the origin; ties go to the lowest row.

    Raises ValueError when there are fewer than `n_clusters` distinct rows.
    """
    start = np.sqrt(np.einsum("ij,ij->i", x, x))
    return maximin_by_distances(row_distances(x), start, n_clusters, first)


def maximin_by_distances(
    distances_from: Callable[[int], FloatArray], start: FloatArray, n_clusters: int, first: int | None = None
) -> list[int]:
    """`maximin_rows` from given distances: between rows, and of the rows to the origin (`start`)."""

    def choose(nearest: FloatArray, chosen: list[int]) -> int:
        if not chosen:
            return int(start.argmax()) if first is None else first
        # The first of equal maxima, so that ties go to the lowest row.
        row = int(nearest.argmax())
        if nearest[row] == 0:
            raise too_few_distinct(len(chosen), n_clusters)
        return row

    return farthest_first(distances_from, start, n_clusters, choose)


def row_distances(x: FloatArray) -> Callable[[int], FloatArray]:
    """Function that gives the distances of all rows of x from one row; they are 0 for equal rows."""

    def distances_from(row: int) -> FloatArray:
        distances: FloatArray = cdist(x[row : row + 1], x)[0]
        return distances

    return distances_from


def too_few_distinct(found: int, n_clusters: int) -> ValueError:
    """The error for data whose rows all equal one of the chosen rows."""
    return ValueError(
        f"the data have {found} distinct rows, fewer than n_clusters={n_clusters}; lower n_clusters"
    )

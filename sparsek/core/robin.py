"""ROBIN: starting centres far apart and not outlying, from local outlier factors.

Sources: Al Hasan, Chaoji, Salem & Zaki (2009), "Robust partitional clustering by outlier and density
insensitive seeding", Pattern Recognition Letters 30, 994-1002; the one-sided rule is that of Brodinova et al.
(2019).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sparsek.core.rnum import FloatArray

NONE = -1
"""Stands for a centre that does not exist, because every factor reaches the limit."""


def robin_rows(
    distances_from: Callable[[int], FloatArray],
    factors: FloatArray,
    reference: int,
    n_clusters: int,
    limit: float = 1.05,
) -> list[int]:
    """Rows that start a partition.

    Each centre is the farthest row from the reference (the first centre) or from the nearest centre so far
    whose factor is below `limit`.

    Parameters
    ----------
    distances_from : callable
        Gives the distances (n,) from one row, by its number, to all rows.
    factors : ndarray of shape (n,)
        Local outlier factors.
    reference : int
        The row that the first centre is far from.
    n_clusters : int
        How many rows.
    limit : float, default=1.05
        Only rows with smaller factors are chosen.

    Returns
    -------
    list of int
        Row numbers from 0 in order of selection; all `NONE` when no factor is below `limit`, which cannot be
        above 1, because the densest row has a factor of at most 1. Ties go to the lowest row. A row can come
        twice when fewer distinct rows than clusters qualify.
    """
    eligible = np.flatnonzero(factors < limit)
    if not len(eligible):
        return [NONE] * n_clusters
    chosen: list[int] = []
    key = distances_from(reference)
    for _ in range(n_clusters):
        row = int(eligible[key[eligible].argmax()])
        key = np.minimum(key, distances_from(row)) if chosen else distances_from(row)
        chosen.append(row)
    return chosen

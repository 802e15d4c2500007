"""ROBIN: starting centres far apart and not outlying, from local outlier factors.

Sources: Al Hasan, Chaoji, Salem & Zaki (2009), "Robust partitional clustering by outlier and density
insensitive seeding", Pattern Recognition Letters 30, 994-1002; the one-sided rule is that of Brodinova et al.
(2019).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import callers_level
from sparsek.starts.farthest_first import farthest_first

NONE = -1
"""Row number when no row can be chosen because no factor is below the limit."""


def robin_rows(
    distances_from: Callable[[int], FloatArray],
    factors: FloatArray,
    reference: int,
    n_clusters: int,
    limit: float = 1.05,
) -> list[int]:
    """Starting rows as R's wrsk chooses them.

    Among the rows whose factor is below `limit`, the first centre is the farthest from the reference, every
    other the farthest from its nearest centre so far.

    Shapes: factors (n,).
    """
    eligible = np.flatnonzero(factors < limit)
    if not len(eligible):
        return [NONE] * n_clusters

    def choose(nearest: FloatArray, chosen: list[int]) -> int:
        return int(eligible[nearest[eligible].argmax()])

    return farthest_first(distances_from, distances_from(reference), n_clusters, choose)


def robin_band_rows(
    distances_from: Callable[[int], FloatArray],
    factors: FloatArray,
    start: FloatArray,
    n_clusters: int,
    crit: float = 0.05,
) -> list[int]:
    """Starting rows as Al Hasan et al. choose them, all different.

    Among the rows whose factor differs from 1 by less than `crit`, the first centre is the farthest from the
    reference, every other the farthest from its nearest centre so far. Once all these rows are chosen, the
    rows with a factor below 1 + crit follow, with a warning.

    Shapes: factors (n,), start (n,).

    Raises ValueError when fewer than `n_clusters` factors are below 1 + crit.
    """
    below = factors < 1 + crit
    inside = below & (factors > 1 - crit)
    if np.count_nonzero(below) < n_clusters:
        raise ValueError(
            f"ROBIN needs n_clusters={n_clusters} rows with a local outlier factor below 1 + crit = "
            f"{1 + crit:g}; there are {np.count_nonzero(below)}: raise crit or change n_neighbors"
        )
    if np.count_nonzero(inside) < n_clusters:
        warnings.warn(
            f"only {np.count_nonzero(inside)} rows have a local outlier factor within crit={crit:g} of 1; "
            f"the others of the {n_clusters} centres are denser than that: raise crit or change n_neighbors",
            UserWarning,
            stacklevel=callers_level(),
        )

    def choose(nearest: FloatArray, chosen: list[int]) -> int:
        allowed = inside if len(chosen) < np.count_nonzero(inside) else below
        keys = np.where(allowed, nearest, -1.0)
        # Distances of 0 may be the largest that are left; a chosen row still comes after them.
        keys[chosen] = -1
        return int(keys.argmax())

    return farthest_first(distances_from, start, n_clusters, choose)

"""Deterministic starts by name, and the local outlier factors for ROBIN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.neighbors import KDTree

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.starts.dkm import dkm_start
from sparsek.starts.farthest_first import maximin_rows, row_distances
from sparsek.starts.lof import TOLERANCE, local_outlier_factors, neighbor_factors
from sparsek.starts.robin import robin_band_rows

N_NEIGHBORS = 10
"""Default number of neighbours of a local outlier factor."""
TREE_ROWS, TREE_FEATURES = 2000, 15
"""With more rows and at most this many features, a search tree is faster than computing all distances."""


def tolerant_factors(x: FloatArray, n_neighbors: int, simple: bool = True) -> FloatArray:
    """Local outlier factors (n,); distances within a relative tolerance count as ties.

    Raises ValueError when `n_neighbors` is not within 1..n - 1.
    """
    n, p = x.shape
    # The tree is asked for n_neighbors + 2 rows, which must exist.
    if n > max(TREE_ROWS, n_neighbors + 1) and p <= TREE_FEATURES and n_neighbors > 0:
        sizes, columns, distances, reach = tree_neighbors(x, n_neighbors)
        return neighbor_factors(sizes, columns, distances, None if simple else reach)
    # Squared distances are compared there, so that the tolerance is squared too.
    return local_outlier_factors(x, n_neighbors, simple=simple, tie=(1 + TOLERANCE) ** 2)


def tree_neighbors(
    x: FloatArray, m: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray, FloatArray]:
    """Find the m nearest neighbours of each row by a tree.

    The result is their numbers (n,), the neighbours, their distances, and the m-th distance of each row (n,).

    For rows whose next neighbour ties with the m-th, a second query finds all neighbours at that distance.
    """
    n = len(x)
    tree = KDTree(x)
    # One more is asked for because a row finds itself, and one more to see a tie with the m-th.
    found, nearest = tree.query(x, k=m + 2)
    reach = found[:, m]
    tied = np.flatnonzero(found[:, -1] <= reach * (1 + TOLERANCE))
    untied = np.flatnonzero(found[:, -1] > reach * (1 + TOLERANCE))
    rows = [np.repeat(untied, m + 1)]
    columns, distances = [nearest[untied, :-1].ravel()], [found[untied, :-1].ravel()]
    if len(tied):
        near, far = tree.query_radius(x[tied], reach[tied] * (1 + TOLERANCE), return_distance=True)
        rows.append(np.repeat(tied, [len(one) for one in near]))
        columns.extend(near)
        distances.extend(far)
    row, column, distance = (np.concatenate(parts) for parts in (rows, columns, distances))
    # Neighbours are other rows; equal rows have other numbers and stay.
    others = np.flatnonzero(row != column)
    others = others[np.argsort(row[others], kind="stable")]
    return np.bincount(row[others], minlength=n), column[others], distance[others], reach


def robin_start(
    x: FloatArray,
    n_clusters: int,
    n_neighbors: int | None = None,
    crit: float = 0.05,
    simple: bool = True,
    reference: str | int = "mean",
) -> list[int]:
    """ROBIN's rows; `n_neighbors` of None means 10, or all other rows where these are fewer.

    Raises ValueError when `n_neighbors` is out of range or too few rows qualify.
    """
    if n_neighbors is None and len(x) == 1:
        return [0]
    m = min(N_NEIGHBORS, len(x) - 1) if n_neighbors is None else n_neighbors
    factors = tolerant_factors(x, m, simple)
    distances_from = row_distances(x)
    if reference == "lof":
        reference = int(np.abs(factors - 1).argmin())
    if isinstance(reference, str):
        point = x.mean(axis=0) if reference == "mean" else np.zeros(x.shape[1])
        start: FloatArray = cdist(point[None], x)[0]
    else:
        start = distances_from(reference)
    return robin_band_rows(distances_from, factors, start, n_clusters, crit)


SEEDINGS: dict[str, Callable[[Any, int], list[int]]] = {
    "dkm++": lambda x, n_clusters: dkm_start(x, n_clusters).rows,
    "robin": robin_start,
    "maximin": maximin_rows,
}
"""Methods without random numbers: functions from (n, p) data and K to rows in order of selection."""

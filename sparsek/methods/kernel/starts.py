"""DKM++, ROBIN and Maximin in the space of a kernel, from the distances between rows in that space."""

from __future__ import annotations

from functools import partial

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.core.steps import Array
from sparsek.starts.dkm import TILE, decay, dense_rows
from sparsek.starts.farthest_first import maximin_by_distances
from sparsek.starts.lof import TOLERANCE, factors_of_distances
from sparsek.starts.robin import robin_band_rows
from sparsek.starts.seeds import clear_rounding


def kernel_rows(name: str, K: Array, n_clusters: int, n_neighbors: int) -> list[int]:
    """Starting rows of a partition, chosen without random numbers.

    Shapes: K (n, n + 1).

    Raises ValueError when there are too few distinct rows, or too few that qualify for ROBIN.
    """
    n = len(K)
    from_mean = np.sqrt(np.maximum(K.diagonal(), 0))
    distances = kernel_distances(K)
    distances_from = distances.__getitem__
    if name == "maximin":
        return maximin_by_distances(distances_from, from_mean, n_clusters)
    if name == "robin":
        if n == 1:
            return [0]
        factors = factors_of_distances(distances, min(n_neighbors, n - 1), simple=True, tie=1 + TOLERANCE)
        return robin_band_rows(distances_from, factors, from_mean, n_clusters)
    tree = spanning_tree_of(distances)
    return dense_rows(tree, partial(densities_of, distances), distances_from, n_clusters).rows


def kernel_distances(K: Array) -> FloatArray:
    """Distances (n, n) of the rows of a prepared kernel; 0 where squares are negative or only rounding."""
    norms = np.maximum(K.diagonal(), 0)
    squares: FloatArray = -2 * K[:, :-1]
    squares += norms
    squares += norms[:, None]
    clear_rounding(squares, np.arange(len(K)), norms)
    return np.sqrt(np.maximum(squares, 0, out=squares), out=squares)


def spanning_tree_of(distances: FloatArray) -> tuple[FloatArray, float]:
    """Edge lengths (n - 1,) of a minimum spanning tree, by Prim's algorithm, and the largest distance."""
    n = len(distances)
    nearest, outside = distances[0].copy(), np.ones(n, dtype=bool)
    lengths = np.empty(n - 1)
    position = 0
    for m in range(n - 1):
        outside[position], nearest[position] = False, np.inf
        position = int(nearest.argmin())
        lengths[m] = nearest[position]
        np.minimum(nearest, distances[position], out=nearest, where=outside)
    return lengths, float(distances.max())


def densities_of(distances: FloatArray, radius: float) -> FloatArray:
    """For each row, the sum of exp(-distance / radius) over all other rows within `radius`."""
    n = len(distances)
    densities = np.empty(n)
    for start in range(0, n, TILE):
        rows = slice(start, min(start + TILE, n))
        shares = decay(np.square(distances[rows]), radius)
        np.fill_diagonal(shares[:, rows], 0)
        densities[rows] = shares.sum(axis=1)
    return densities

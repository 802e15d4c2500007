"""Local outlier factors with the digits of R's ``dbscan::lof``: Breunig, Kriegel, Ng & Sander (2000).

A row's density is the inverse of the mean reachability ``max(kd_j, d_ij)`` of its neighbours j, where kd_j is
the distance of j to its own m-th neighbour. In the simple form of Al Hasan et al. (2009) it is the inverse of
the mean distance. The factor of a row is the mean density of its neighbours divided by its own density: about
1 inside a group, larger for outliers. All rows at the m-th distance are neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import (
    UNDERFLOW,
    UNIT,
    FloatArray,
    long_segment_sums,
    sequential_sum,
)

IntArray = NDArray[np.intp]

BLOCK_CELLS = 2_000_000
"""Number of distances held at a time."""
PAIR_CELLS = 131_072
"""Number of coordinates of pairs of rows held at a time: few enough for the processor's cache."""
TIE = 1 + 2.0**-52
"""R's k-d tree counts a row as neighbour up to the m-th smallest squared distance times this."""
TOLERANCE = 1e-10
"""Relative difference below which distances are tied when R's digits are not needed: data on a grid have many
ties, which rounding would break differently on each platform."""


def local_outlier_factors(
    x: FloatArray,
    n_neighbors: int,
    *,
    rounded_roots: bool = False,
    simple: bool = False,
    tie: float = TIE,
) -> FloatArray:
    """Local outlier factor of every row.

    Shapes: x (n, p) float64; returns (n,).

    Raises ValueError when `n_neighbors` is not within 1..n - 1.

    Distances come from a matrix product in blocks of rows; those near the m-th smallest are computed again,
    exactly as R does. Memory is a block plus the neighbours: n m, more with ties.

    Source: Breunig, Kriegel, Ng and Sander (2000), "LOF: identifying density-based local outliers", SIGMOD,
    93-104, Definitions 3-7.
    """
    n = len(x)
    _check_neighbors(n_neighbors, n)
    centred = x - x.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    step = max(1, BLOCK_CELLS // n)
    blocks = [
        _block_neighbors(x, centred, squares, range(i, min(i + step, n)), n_neighbors, rounded_roots, tie)
        for i in range(0, n, step)
    ]
    sizes, columns, distances, reach = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return neighbor_factors(sizes, columns, distances, None if simple else reach)


def factors_of_distances(
    d: FloatArray, n_neighbors: int, *, simple: bool = False, tie: float = 1.0
) -> FloatArray:
    """Local outlier factors from a matrix of distances, as ``dbscan::lof`` of a dist object.

    Shapes: d (n, n); returns (n,).

    Raises ValueError when `n_neighbors` is not within 1..n - 1.
    """
    n = len(d)
    _check_neighbors(n_neighbors, n)
    others = d.astype(np.float64)
    np.fill_diagonal(others, np.inf)
    reach = np.partition(others, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
    near = others <= tie * reach[:, None]
    np.fill_diagonal(near, False)
    sizes, columns = np.count_nonzero(near, axis=1), np.nonzero(near)[1]
    return neighbor_factors(sizes, columns, others[near], None if simple else reach)


def _check_neighbors(n_neighbors: int, n: int) -> None:
    """Refuse a number of neighbours outside 1..n - 1."""
    if not 1 <= n_neighbors < n:
        raise ValueError(f"n_neighbors must be within 1..{n - 1} for {n} rows; got {n_neighbors}")


def _block_neighbors(
    x: FloatArray,
    centred: FloatArray,
    squares: FloatArray,
    rows: range,
    m: int,
    rounded_roots: bool,
    tie: float,
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Neighbours of a block of rows: how many each row has, which, how far, and the m-th distances."""
    block = slice(rows.start, rows.stop)
    d2 = centred[block] @ centred.T
    d2 *= -2.0
    # |x|^2 - 2 x'y + |y|^2 is the squared distance.
    d2 += squares
    d2 += squares[block, None]
    own = np.arange(len(rows)), np.arange(rows.start, rows.stop)
    # No row is its own neighbour.
    d2[own] = np.inf
    bound = (8 * x.shape[1] + 120) * UNIT * (squares[block] + squares.max()) + UNDERFLOW
    mth = np.partition(d2, m - 1, axis=1)[:, m - 1]
    # The m-th distance and each candidate may be off by the bound, so that this misses no true neighbour.
    near = d2 <= (mth + 3 * bound + (tie - 1) * (mth + bound))[:, None]
    near[own] = False
    i, columns = np.nonzero(near)
    squared = _pair_distances(x, i + rows.start, columns)
    order = np.lexsort((squared, i))
    first = np.cumsum(np.count_nonzero(near, axis=1)) - np.count_nonzero(near, axis=1)
    # The m-th distance is read again among the exact ones.
    mth = squared[order[first + m - 1]]
    reach = np.sqrt(mth)
    distances = np.sqrt(squared)
    keep = distances <= reach[i] if rounded_roots else squared <= (mth * tie)[i]
    return np.bincount(i[keep], minlength=len(rows)), columns[keep], distances[keep], reach


def _pair_distances(x: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Squared distances of pairs of rows, summed left to right over the features as R does."""
    columns = np.ascontiguousarray(x.T)
    squared = np.empty(len(i))
    step = max(2, PAIR_CELLS // len(columns))
    for begin in range(0, len(i), step):
        pairs = slice(begin, begin + step)
        t = columns.take(i[pairs], axis=1)
        t -= columns.take(j[pairs], axis=1)
        t *= t
        squared[pairs] = sequential_sum(t)
    return squared


def neighbor_factors(
    sizes: IntArray, columns: IntArray, distances: FloatArray, reach: FloatArray | None
) -> FloatArray:
    """Mean density of the neighbours of each row divided by the row's own density.

    Shapes: sizes (n,), columns, distances (sum(sizes),), reach (n,); returns (n,).
    """
    first = np.cumsum(sizes) - sizes
    if reach is not None:
        # The reachability distance of Breunig et al.: at least the m-th distance of the neighbour.
        distances = np.maximum(reach[columns], distances)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = 1 / (long_segment_sums(distances, first) / sizes)
        factors = long_segment_sums(density[columns], first) / sizes / density
    # More than m equal rows have infinite densities; their factor, inf / inf, counts as 1.
    factors[np.isnan(factors)] = 1.0
    return factors

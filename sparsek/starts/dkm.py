"""DKM++: starting rows in dense places far apart, without random draws.

Source: Nidheesh, Nazeer & Ameer (2017), "An enhanced deterministic K-Means clustering algorithm for cancer
subtype prediction from gene expression data", Computers in Biology and Medicine 91, 213-221.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparsek.bits.ordered_arithmetic import UNDERFLOW, UNIT, FloatArray, exact_distances
from sparsek.starts.farthest_first import farthest_first, row_distances, too_few_distinct
from sparsek.starts.lof import TOLERANCE

MAX_ROWS = 30_000
"""Default limit on the rows: the time grows with their square, and more rows take minutes."""
TILE = 512
"""Rows and columns of a tile of distances, small enough for the processor's cache."""
DIRECT_SHARE = 0.05
"""If more than this share of a tile is inexact, the whole tile is computed by direct differences."""


@dataclass(frozen=True, slots=True)
class DensityStart:
    """Result of DKM++."""

    rows: list[int]  # Row numbers from 0 in order of selection
    radius: float  # eps, in units of the largest distance between two rows
    # (n,): rho, dimensionless: sums over the rows within the radius of exp(-distance / radius)
    densities: FloatArray


def dkm_start(
    x: FloatArray,
    n_clusters: int,
    quantile: str = "hazen",
    edge_scale: str = "normalised",
    max_rows: int | None = MAX_ROWS,
) -> DensityStart:
    """Rows of high density far from each other.

    Shapes: x (n, p) float64.

    Raises ValueError when there are more than `max_rows` rows or too few distinct ones.

    Time grows with n^2 p, memory with n p: distances are computed twice, a row and a tile at a time.

    If the products of all other rows are 0, the lowest row that equals no chosen row is taken; the authors'
    program can take an equal row there.
    """
    n = len(x)
    if max_rows is not None and n > max_rows:
        raise ValueError(
            f"DKM++ compares all pairs of rows, which for n={n} rows takes long; max_rows is {max_rows}: "
            "take k-means++ or Maximin, or call sparsek.init.dkm_plus_plus with a larger max_rows"
        )
    tree = spanning_tree(x)
    return dense_rows(tree, partial(kernel_densities, x), row_distances(x), n_clusters, quantile, edge_scale)


def dense_rows(
    tree: tuple[FloatArray, float],
    densities_within: Callable[[float], FloatArray],
    distances_from: Callable[[int], FloatArray],
    n_clusters: int,
    quantile: str = "hazen",
    edge_scale: str = "normalised",
) -> DensityStart:
    """DKM++ from a spanning tree, densities and distances of the rows."""
    lengths, largest = tree
    n = len(lengths) + 1
    if largest == 0:
        raise ValueError(f"all {n} rows are equal, and DKM++ needs different ones; take k-means++")
    edges = lengths if edge_scale == "raw" else lengths / largest
    low, high = np.quantile(edges, [0.25, 0.75], method="hazen" if quantile == "hazen" else "linear")
    # The radius eps is the longest edge, or Tukey's outer fence q3 + 3 IQR where that is shorter.
    radius = float(min(edges.max(), high + 3 * (high - low)))
    if radius == 0:
        zeros = np.count_nonzero(lengths == 0)
        raise ValueError(
            f"the data have too few distinct rows for DKM++: {n - zeros} among {n}; leave out repeated rows"
        )
    densities = densities_within(radius * largest)
    spread = densities.max() - densities.min()
    relative = (densities - densities.min()) / spread if spread > 0 else np.ones(n)

    def choose(nearest: FloatArray, chosen: list[int]) -> int:
        if chosen and not nearest.any():
            raise too_few_distinct(len(chosen), n_clusters)
        # A row that equals a chosen one has the distance 0 and must never be taken.
        products = np.where(nearest > 0, relative * nearest, -1)
        # The first of the products that tie up to rounding is the same on every processor.
        return int(np.argmax(products >= products.max() * (1 - TOLERANCE)))

    rows = farthest_first(distances_from, np.ones(n), n_clusters, choose)
    return DensityStart(rows, radius, densities)


def spanning_tree(x: FloatArray) -> tuple[FloatArray, float]:
    """Edge lengths (n - 1,) of a minimum spanning tree, by Prim's algorithm, and the largest distance.

    Rows outside the tree are stored first, so that every distance is computed only once.
    """
    n = len(x)
    outside, nearest = x.copy(), np.full(n, np.inf)
    squares = np.empty(n - 1)
    largest, position = 0.0, 0
    for m in range(n - 1, 0, -1):
        row = outside[position : position + 1].copy()
        # The last row outside takes the place of the one that joins the tree.
        outside[position], nearest[position] = outside[m], nearest[m]
        distances = cdist(row, outside[:m], "sqeuclidean")[0]
        # Every pair is met once on the way, so that the largest distance costs no pass of its own.
        largest = max(largest, float(distances.max()))
        np.minimum(nearest[:m], distances, out=nearest[:m])
        position = int(nearest[:m].argmin())
        squares[m - 1] = nearest[position]
    return np.sqrt(squares), float(np.sqrt(largest))


def kernel_densities(x: FloatArray, radius: float) -> FloatArray:
    """For each row, the sum of exp(-distance / radius) over all other rows within `radius`."""
    n, p = x.shape
    # About their mean rows are short, and so is the rounding error of products with them.
    centred = x - x.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    # left @ right' is |x|^2 - 2 x y + |y|^2
    left = np.column_stack([-2 * centred, squares, np.ones(n)])
    right = np.column_stack([centred, np.ones(n), squares])
    bound = (8 * p + 120) * UNIT * 2 * squares.max() + UNDERFLOW
    densities = np.zeros(n)
    tiles = [slice(i, min(i + TILE, n)) for i in range(0, n, TILE)]
    for a, rows in enumerate(tiles):
        for columns in tiles[a:]:
            d2 = left[rows] @ right[columns].T
            # Below this size the error bound exceeds the relative tolerance by which distances tie.
            _repair(d2, x[rows], x[columns], bound / TOLERANCE)
            shares = decay(d2, radius)
            if rows == columns:
                # A row's own distance adds nothing to its density.
                np.fill_diagonal(shares, 0)
            else:
                # Distances are symmetric: a tile off the diagonal counts for its rows and for its columns.
                densities[columns] += shares.sum(axis=0)
            densities[rows] += shares.sum(axis=1)
    return densities


def _repair(d2: FloatArray, x: FloatArray, y: FloatArray, least: float) -> None:
    """Compute squared distances below `least` (where rounding exceeds the tolerance) from differences."""
    doubtful = d2 < least
    count = np.count_nonzero(doubtful)
    if count > DIRECT_SHARE * d2.size:
        cdist(x, y, "sqeuclidean", out=d2)
    elif count:
        i, j = np.nonzero(doubtful)
        d2[i, j] = exact_distances(x[i], y[j])


def decay(d2: FloatArray, radius: float) -> NDArray[np.float64]:
    """exp(-d / radius) for d up to the radius, ties included, else 0; `d2` is overwritten."""
    ratio = np.sqrt(d2, out=d2)
    ratio /= -radius
    # A distance equal to the radius up to rounding counts as within it.
    within = ratio >= -(1 + TOLERANCE)
    np.exp(ratio, out=ratio)
    ratio *= within
    return ratio

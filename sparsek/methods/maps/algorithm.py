"""The batch self-organising map of prepared rows (see `sparsek.core.steps`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array, FitResult, Labels, cluster_sums, nearest, squared_distances

FloatArray = NDArray[np.float64]

REACH = 2.0
"""Standard deviations along the principal axes that the first nodes cover, to either side."""
LEAST_SHARE = 1e-12
"""A node to which the rows count less than this, of one row, stays where it is."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of a map; the criterion is the sum of squared distances to the nearest."""

    nodes: Array  # (n_clusters, p)
    criterion: float


def places(shape: tuple[int, int], lattice: str) -> FloatArray:
    """Places of the nodes in the plane of the map, row by row, one apart: (n_clusters, 2)."""
    row, column = np.divmod(np.arange(shape[0] * shape[1]), shape[1])
    if lattice == "rectangular":
        return np.column_stack([column, row]).astype(float)
    return np.column_stack([column + 0.5 * (row % 2), row * 0.75**0.5])


def near_square(n_clusters: int) -> tuple[int, int]:
    """The sides, the shorter first, of the map nearest to a square."""
    rows = next(r for r in range(int(n_clusters**0.5), 0, -1) if n_clusters % r == 0)
    return rows, n_clusters // rows


def nodes_on_axes(Z: Array, shape: tuple[int, int], weights: Array | None) -> Array:
    """Nodes evenly spaced on the plane of the two principal axes, the longer side along the first.

    Each axis points to where its largest entry is positive.
    """
    mass = np.ones(len(Z)) if weights is None else weights
    rows = np.sqrt(mass)[:, None] * Z[:, :-1]
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
    axes = axes * np.where(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)] < 0, -1, 1)[:, None]
    longest = np.zeros((2, Z.shape[1] - 1), dtype=Z.dtype)
    found = min(2, len(axes))
    longest[:found] = (sizes[:, None] * axes)[:found] / np.sqrt(mass.sum())
    along = longest if shape[1] >= shape[0] else longest[::-1]
    across, down = (np.linspace(-REACH, REACH, side) if side > 1 else np.zeros(1) for side in shape[::-1])
    nodes = down[:, None, None] * along[1] + across[None, :, None] * along[0]
    return np.asarray(nodes.reshape(shape[0] * shape[1], -1), dtype=Z.dtype)


def batch_map(
    Z: Array, nodes: Array, at: FloatArray, radii: FloatArray, weights: Array | None = None
) -> FitResult[Nodes]:
    """The map after a pass over the rows for each radius of the neighbourhood (Kohonen 2001, section 3.6).

    A pass moves every node to the mean of the rows, each counted by how near its node is on the map.
    """
    apart = cdist(at, at, "sqeuclidean")
    labels = nearest(Z, nodes)
    history = []
    for radius in radii:
        nodes = _step(Z, labels, nodes, np.exp(-apart / (2 * radius**2)), weights)
        labels = nearest(Z, nodes)
        history.append(_criterion(Z, labels, nodes, weights))
    return FitResult(labels, Nodes(nodes, history[-1]), tuple(history), True)


def _step(Z: Array, labels: Labels, nodes: Array, near: FloatArray, weights: Array | None) -> Array:
    """Moved nodes."""
    sums = cluster_sums(Z, labels, len(nodes), weights).sums.astype(np.float64)
    moved = nodes.copy()
    for node, counted in enumerate(near):
        total = (counted[:, None] * sums).sum(axis=0)  # no product of matrices: the same on every processor
        if total[-1] > LEAST_SHARE:
            moved[node] = total[:-1] / total[-1]
    return moved


def _criterion(Z: Array, labels: Labels, nodes: Array, weights: Array | None) -> float:
    squares = squared_distances(Z, labels, nodes)
    return float((squares if weights is None else weights * squares).sum(dtype=np.float64))


def topographic_error(distances: FloatArray, at: FloatArray, weights: Array | None) -> float:
    """The share of rows whose two nearest nodes are no neighbours on the map."""
    first, second = np.argsort(distances, axis=1, kind="stable")[:, :2].T
    torn = np.linalg.norm(at[first] - at[second], axis=1) > 1 + 1e-9
    return float(np.average(torn, weights=weights))

"""The nearest of some centroids, as ``knn1`` of R's package class finds it, near ties by draws."""

from __future__ import annotations

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum
from sparsek.errors import RError
from sparsek.rng import RRandom

NEAR = 1e-4
"""Squared distances are tied where they differ by at most this share."""


def nearest_centroids(x: FloatArray, centroids: FloatArray, stream: RRandom) -> IntArray:
    """Numbers from 0 of the centroids nearest to the rows.

    Shapes: x (n, p), centroids (k, p); returns (n,).

    Raises RError with R's message, for missing values; ValueError where all distances of a row are infinite.
    """
    if np.isnan(x).any() or np.isnan(centroids).any():
        raise RError("no missing values are allowed", "drop or impute rows with missing values")
    near = (1 + NEAR) ** len(centroids) * 1.001  # a chain of ties, each compared with the last one
    with np.errstate(over="ignore"):
        squares = np.stack([sequential_sum((x - c).T ** 2) for c in centroids], axis=1)
        least = squares.min(axis=1, keepdims=True)
        alone = (squares <= near * least).sum(axis=1) == 1
    if np.isinf(least).any():
        raise ValueError(
            f"the squared distances of row {int(least.argmax()) + 1} to all centroids overflow, and R has no "
            "result; divide the data by a power of 2"
        )
    nearest = squares.argmin(axis=1)
    for i in np.flatnonzero(~alone):
        nearest[i] = _drawn(_tied(squares[i].tolist()), stream)
    return np.asarray(nearest)


def _tied(squares: list[float]) -> list[int]:
    """The places of the least value and of those that R takes for ties, each compared with the last one."""
    tied, last = [0], squares[0]
    for j, value in enumerate(squares[1:], 1):
        if value <= last * (1 + NEAR):
            tied = [j] if value < last * (1 - NEAR) else [*tied, j]
            last = value
    return tied


def _drawn(tied: list[int], stream: RRandom) -> int:
    """One of the tied, drawn as R does, which also draws where centroids before the first have no vote."""
    chosen = tied[0]
    if len(tied) > 1:
        stream.runif(max(chosen - 1, 0))
    for count, j in enumerate(tied[1:], 2):
        if stream.runif(1)[0] < 1 / count:
            chosen = j
    return chosen

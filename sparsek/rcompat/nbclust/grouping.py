"""Rows in clusters, and what the indices of NbClust need of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_column_means, long_sum


@dataclass(frozen=True, slots=True)
class GivenData:
    """The data, the same for all numbers of clusters."""

    x: FloatArray  # (n, p): rows, (n, 0) where only dissimilarities are given
    d: FloatArray  # (n, n): dissimilarities
    pairs: FloatArray  # (n (n - 1) / 2,): those of the pairs


@dataclass(frozen=True, slots=True)
class Pooled:
    """Sums of squares and products about zero, and within the clusters."""

    total: FloatArray  # (p, p): T
    between: FloatArray  # (p, p): B
    within: FloatArray  # (p, p): W, which is T less B
    inverse: FloatArray  # (p, p): that of W
    determinant: float  # That of W
    ratio: float  # The determinant of T over that of W


@dataclass(frozen=True, slots=True)
class ClusteredData:
    """The rows in clusters from 0."""

    rows: GivenData  # The data
    labels: IntArray  # (n,): clusters from 0
    sizes: IntArray  # (q,): numbers of rows
    centers: FloatArray  # (q, p): means
    squares: FloatArray  # (q,): sums of squares about them
    within: FloatArray  # Dissimilarities of pairs in one cluster
    between: FloatArray  # Dissimilarities of pairs in two clusters
    uniform: ClusteredData | None = None  # Uniform rows in as many clusters, where the gap needs them
    pooled: Pooled | None = None  # T and W, where R inverts W

    @property
    def q(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    def members(self, k: int) -> FloatArray:
        """The rows of a cluster.

        Shapes: returns (size, p).
        """
        return np.asarray(self.rows.x[self.labels == k])


def make_rows(x: FloatArray, d: FloatArray) -> GivenData:
    """The data with the dissimilarities of the pairs.

    Shapes: x (n, p), d (n, n).
    """
    return GivenData(x, d, d[np.triu_indices(len(d), 1)])


def sum_of_squares(rows: FloatArray, center: FloatArray | float) -> float:
    """Sum of squares about a point, with the roundings of R's ``sum``.

    Shapes: rows (size, p), center (p,).
    """
    squares: FloatArray = (rows - center) ** 2
    return long_sum(squares.ravel(order="F"))


def group(rows: GivenData, labels: IntArray) -> ClusteredData:
    """The rows in the clusters of labels from 0.

    Shapes: labels (n,).
    """
    sizes = np.bincount(labels)
    members = [rows.x[labels == k] for k in range(len(sizes))]
    centers = np.array([long_column_means(part) for part in members])
    squares = np.array([sum_of_squares(part, c) for part, c in zip(members, centers, strict=True)])
    same = (labels[:, None] == labels)[np.triu_indices(len(labels), 1)]
    return ClusteredData(rows, labels, sizes, centers, squares, rows.pairs[same], rows.pairs[~same])


def scatter(g: ClusteredData) -> FloatArray:
    """W, the sums of squares and products within the clusters.

    Shapes: returns (p, p).
    """
    centred = g.rows.x - g.centers[g.labels]
    return np.asarray(centred.T @ centred)

"""The protocol `Rows`: the operations on rows that the algorithms use, however the rows are stored.

`LocalRows` are of an array, a sparse matrix or the blocks of a file, `ObservedRows` of an array with holes,
and `DaskRows` of the chunks of a Dask array. The large objects, rows and labels, stay with the
holder. The small ones, cluster sums, features and centres, belong to the algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparsek.core.steps import Array, ClusterSums

NO_LABELS = np.empty(0, dtype=np.int32)
"""Placeholder in `ClusterSums` when the labels stay with the holder of the rows."""


@dataclass(frozen=True, slots=True)
class Subspace:
    """The columns that a distance uses, each with its factor."""

    columns: Array  # (m,): sorted indices
    factors: Array | None = None  # (m,): positive factors of the prepared columns; None for all 1


class Rows(Protocol):
    """Rows with a label each, in prepared coordinates."""

    shape: tuple[int, int]  # Numbers of rows and of columns
    labels: Any  # (n,): the labels; `assign` replaces them by a new array

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels, over all columns."""

    def assign(self, centers: Array, columns: Array | None = None, fill: bool = False) -> bool:
        """Label every row with its nearest centre; ties go to the lowest index.

        Shapes: centers (n_clusters, m), columns (m,).
        """

    def moved_sums(self, previous: ClusterSums) -> ClusterSums:
        """Cluster sums after the last `assign`, updated from `previous`."""

    def narrowed(self, subspace: Subspace, sums: ClusterSums | None) -> Rows:
        """The same rows and labels in the columns of a subspace, scaled by its factors."""

    def scatter(self, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels, over all columns."""

"""Sums of squares within clusters, feature by feature, with R's roundings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.numerics.ordered_sums import BLOCK_ENTRIES, FloatArray, long_column_sums

IntArray = NDArray[np.intp]
Groups = list[IntArray]


def members_by_appearance(labels: IntArray) -> Groups:
    """Row numbers of every cluster, clusters in the order in which the labels first appear."""
    present, first = np.unique(labels, return_index=True)
    return [np.flatnonzero(labels == present[i]) for i in np.argsort(first)]


def squares_about_mean(rows: FloatArray) -> FloatArray:
    """Column sums of squared deviations, with R's roundings."""
    m, q = rows.shape
    squares = np.empty(q)
    step = max(1, BLOCK_ENTRIES // m)
    for start in range(0, q, step):  # in blocks of columns, to avoid a second copy of the data
        block = rows[:, start : start + step]
        mean = (long_column_sums(block) / m).astype(np.float64)
        squares[start : start + step] = long_column_sums(np.square(block - mean))
    return squares


class SumsOfSquares:
    """Sums of squares per feature of one data set; sums of the last partition's clusters are reused."""

    def __init__(self, x: FloatArray) -> None:
        self._x = x
        self.total = squares_about_mean(x) if len(x) > 1 else np.zeros(x.shape[1])
        self._by_cluster: dict[bytes, FloatArray] = {}

    def within(self, groups: Groups, factors: FloatArray | None = None) -> FloatArray:
        """WCSS per feature, each cluster multiplied by its factor; clusters of one row add nothing."""
        known, self._by_cluster = self._by_cluster, {}
        total = np.zeros(self._x.shape[1])
        for k, rows in enumerate(groups):
            if len(rows) > 1:
                key = rows.tobytes()
                part = known[key] if key in known else squares_about_mean(self._x[rows])
                self._by_cluster[key] = part
                total += part if factors is None else part * factors[k]
        return total

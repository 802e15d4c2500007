"""Rows with missing entries (holes): which have an entry, and blocks in which the holes are filled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, Labels, pieces
from sparsek.sources.local import Blocks

Filling = Callable[[Array, Labels], Array]
"""What prepares a block from its rows and their labels."""


class PreparedBy:
    """Blocks ``work(X, labels)`` of other blocks X, such as prepared rows, ones last.

    Shapes: labels (n,).
    """

    def __init__(self, blocks: Blocks, work: Filling, labels: Labels) -> None:
        self._read, self._work, self._labels = blocks, work, labels
        self.shape, self.dtype = blocks.shape, blocks.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the prepared blocks in order, each with the number of its first row."""
        for start, X in self._read.blocks():
            yield start, self._work(X, self._labels[start : start + len(X)])

    def take(self, rows: Array) -> Array:
        """Some prepared rows, given by ascending numbers."""
        return self._work(self._read.take(rows), self._labels[rows])


def has_value(X: Array) -> NDArray[np.bool_]:
    """Mask of the rows that have an entry other than NaN."""
    some: NDArray[np.bool_] = ~np.isnan(X[:, 0])
    rest = np.flatnonzero(~some)  # most rows are decided by their first entry
    for part in pieces(len(rest), X.shape[1]):
        some[rest[part]] = ~np.isnan(X[rest[part]]).all(axis=1)
    return some

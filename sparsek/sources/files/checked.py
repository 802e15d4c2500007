"""Rows of a reader, checked at every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsek.core.steps import Array
from sparsek.sources.readers import Reader

Look = Callable[[Array, Any], None]


class CheckedBlocks:
    """Rows of a reader; ValueError for infinite and unexpected missing entries, at every pass.

    `look` gets each block with the numbers of its rows, and may raise too.
    """

    def __init__(self, reader: Reader, allow_nan: bool, look: Look | None = None) -> None:
        self._reader, self._allow_nan, self._look = reader, allow_nan, look
        self.shape, self.dtype = reader.shape, reader.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        for start, X in self._reader.blocks():
            self._check(X, range(start, start + len(X)))
            yield start, X

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""
        X = self._reader.take(rows)
        self._check(X, rows)
        return X

    def _check(self, X: Array, rows: Any) -> None:
        self._refuse(X, rows)
        if self._look is not None:
            self._look(X, rows)

    def _refuse(self, X: Array, rows: Any) -> None:
        """Raise ValueError for the first bad entry, or OSError if it came by a change of the file."""
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):
                return
        bad = np.isinf(X) if self._allow_nan else ~np.isfinite(X)
        if not bad.any():
            return
        self._reader.check()
        row, column = np.unravel_index(int(bad.argmax()), bad.shape)
        value, names = X[row, column], self._reader.names
        named = "" if names is None else f" ({names[column]!r})"
        kind = "missing (NaN)" if np.isnan(value) else f"infinite ({value})"
        remedy = "KPod takes missing values" if np.isnan(value) else "replace it"
        raise ValueError(
            f"{self._reader.name} has a {kind} entry in row {rows[row]}, column {column}{named}, counted "
            f"from 0; {remedy}"
        )

"""What a chunk must be, and the check of every chunk that a task reads.

Dask believes what it is told of the chunks of an array. A function given to ``map_blocks`` may return fewer
rows than declared, or other rows when it is called again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.core.steps import Array

MARKED_ROWS = 16
"""Rows of a chunk, evenly spaced, that tell whether it is the same in every pass; up to twice as many."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a Dask array says of a group of its chunks."""

    numbers: list[int]  # Their numbers among all chunks of rows
    sizes: list[int]  # The number of rows of each
    n_columns: int  # Number of columns
    dtype: Any  # float32 or float64
    marks: list[float] | None = None  # The `mark` of each in the first pass; None in this pass

    def marked(self, marks: list[float]) -> Declared:
        """The same of the first chunks, with their marks; the others are empty."""
        n = len(marks)
        return Declared(self.numbers[:n], self.sizes[:n], self.n_columns, self.dtype, marks)


def read(group: list[Any], declared: Declared) -> list[Array]:
    """The chunks of a group that have rows, checked.

    Raises TypeError for a chunk that is not a NumPy array, or of a dtype that does not fit. Raises ValueError
    for a chunk of another shape than declared, or one that is not what it was in the first pass.
    """
    d, found = declared, []
    for i, (chunk, number, size) in enumerate(zip(group, d.numbers, d.sizes, strict=True)):
        X = checked_chunk(chunk, number, (size, d.n_columns), d.dtype, d.dtype)
        if d.marks is not None:
            _refuse_changes(mark(X), d.marks[i], number, d)
        if size:
            found.append(X)
    return found


def checked_chunk(chunk: Any, number: Any, shape: tuple[float, ...], declared: Any, dtype: Any) -> Array:
    """A chunk as an array of this dtype; sizes that are NaN in the declared shape are not known."""
    if type(chunk) not in (np.ndarray, np.memmap):
        raise TypeError(
            f"chunk {number} of X is of type {type(chunk).__name__}, but chunks must be NumPy arrays; "
            "convert them by X.map_blocks, sparse ones with toarray()"
        )
    if len(chunk.shape) != 2 or _differs(chunk.shape[1], shape[1]):
        raise ValueError(
            f"chunk {number} of X has shape {chunk.shape}, but {shape} is declared; declare the shapes that "
            "the chunks have, as in X.map_blocks(..., chunks=...)"
        )
    if _differs(len(chunk), shape[0]):
        raise ValueError(
            f"chunk {number} of X has {len(chunk)} rows, but {shape[0]} are declared; call "
            "X.compute_chunk_sizes() first"
        )
    if chunk.dtype != declared and not np.can_cast(chunk.dtype, dtype, "safe"):
        raise TypeError(
            f"chunk {number} of X has dtype {chunk.dtype}, but {declared} is declared; convert the chunks to "
            "one dtype where they are made, and declare this one"
        )
    return np.asarray(chunk).astype(dtype, copy=False)


def _differs(found: int, declared: float) -> bool:
    return not np.isnan(declared) and found != declared


def mark(X: Array) -> float:
    """A number that tells other rows from these: the sum of the sizes of some entries, without NaN."""
    with np.errstate(over="ignore"):
        return float(np.nansum(np.abs(X[:: max(1, len(X) // MARKED_ROWS)]), dtype=np.float64))


def _refuse_changes(found: float, first: float, number: int, declared: Declared) -> None:
    """Raise ValueError if a mark has changed by more than rounding on another processor may do."""
    # Half of the digits must agree: other rows differ by more, and other processors by less.
    if abs(found - first) > np.sqrt(np.finfo(declared.dtype).eps) * first:
        raise ValueError(
            f"chunk {number} of X had other entries when it was read again; give X a fixed seed, or persist "
            "it first"
        )

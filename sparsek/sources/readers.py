"""Readers of rows: arrays in memory, chunked arrays of Zarr and HDF5.

A reader is a `sparsek.sources.local.Blocks` whose blocks can be given a size. Blocks may share buffers:
a part of a block that is needed later must be copied before the next block is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparsek.core.steps import Array

BLOCK_BYTES = 32_000_000
"""Size of a block, unless `memory_limit` demands a smaller one."""
GAP_BYTES = 65_536
"""Rows with a gap of fewer bytes than this between them are read at once."""


def unwatched() -> None:
    """The watch of data in memory, which sees nothing."""


class Reader(Protocol):
    """Rows of a file or of an array."""

    name: str  # Name of the file or array, for messages
    shape: tuple[int, int]  # Numbers of rows and of columns
    dtype: Any  # float32, or float64 for data of any other type
    names: list[str] | None  # Names of the columns
    array: Any  # The rows, if they are an array in memory
    block_rows: int  # Number of rows of a block; may be set

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""

    def check(self) -> None:
        """Raise OSError if files have changed since the reader was made; each pass begins and ends so."""


@dataclass(slots=True)
class RangeReader:
    """A `Reader` of data of which any range of rows can be read."""

    name: str  # name, shape, dtype, names, array, block_rows: see `Reader`
    shape: tuple[int, int]
    dtype: Any
    # ``read(start, stop)`` gives rows, which are valid until the second next call
    read: Callable[[int, int], Array]
    chunk_rows: int = 1  # Number of rows that are stored together, and read at once
    array: Any = None
    names: list[str] | None = None
    block_rows: int = 1
    ahead: bool = False  # Whether to read the next block in another thread while a block is in use
    check: Callable[[], None] = unwatched  # See `Reader`

    def __post_init__(self) -> None:
        set_block_bytes(self, BLOCK_BYTES)

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        n, step = self.shape[0], self.block_rows
        if step > self.chunk_rows:
            step -= step % self.chunk_rows  # whole chunks, so that none is read twice
        starts = range(0, n, step)
        self.check()
        if not self.ahead or len(starts) == 1:
            for start in starts:
                yield start, self._rows(start, min(start + step, n))
        else:
            with ThreadPoolExecutor(1) as thread:
                coming = thread.submit(self._rows, 0, step)
                for start in starts:
                    block, following = coming.result(), start + step
                    if following < n:
                        coming = thread.submit(self._rows, following, min(following + step, n))
                    yield start, block
        self.check()

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""
        if self.array is not None:
            return np.asarray(self.array[rows], dtype=self.dtype)
        found = np.empty((len(rows), self.shape[1]), self.dtype)
        gap = max(self.chunk_rows, GAP_BYTES // row_bytes(self))
        for part in spans(rows, gap, self.block_rows):
            some = rows[part]
            found[part] = self._rows(int(some[0]), int(some[-1]) + 1)[some - some[0]]
        self.check()
        return found

    def _rows(self, start: int, stop: int) -> Array:
        """Some rows; OSError if they cannot be read, or are not there any more."""
        try:
            rows = self.read(start, stop)
            if rows.shape != (stop - start, self.shape[1]):
                raise OSError(f"an array of shape {rows.shape} came instead")
        except MemoryError:
            raise
        except Exception as error:  # of h5py, Zarr and alike: a damaged file can raise any error
            self.check()
            raise OSError(
                f"rows {start} to {stop - 1} of {self.name} cannot be read: {error}; restore it and start "
                "again"
            ) from error
        return rows


def row_bytes(reader: Reader | RangeReader) -> int:
    """Bytes of one row."""
    return int(reader.shape[1] * np.dtype(reader.dtype).itemsize)


def set_block_bytes(reader: Reader | RangeReader, n_bytes: float) -> None:
    """Set the number of rows of a block from its size in bytes."""
    reader.block_rows = max(1, int(n_bytes // row_bytes(reader)))


def spans(rows: Array, gap: int, longest: int) -> Iterator[slice]:
    """Parts of ascending row numbers: at most `gap` from one to the next, `longest` from end to end."""
    cuts = np.flatnonzero(np.diff(rows) > gap) + 1
    for first, last in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        begin = int(first)
        while begin < last:
            end = begin + int(np.searchsorted(rows[begin:last], rows[begin] + longest))
            yield slice(begin, end)
            begin = end


def as_floats(dtype: Any) -> Any:
    """The floating-point type to which rows are converted."""
    return np.float32 if np.dtype(dtype).newbyteorder("=") == np.float32 else np.float64


def checked_shape(X: Any, name: str) -> tuple[int, int]:
    """The shape of a matrix of numbers; ValueError or TypeError for anything else."""
    if len(X.shape) != 2:
        raise ValueError(
            f"{name} must have two dimensions, rows and features; its shape is {tuple(X.shape)}; reshape it"
        )
    if X.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers; its dtype is {X.dtype}")
    n, p = X.shape
    if n < 1 or p < 1:
        raise ValueError(f"{name} has {n} rows and {p} columns; at least one of each is needed")
    return int(n), int(p)


def array_reader(X: Array, name: str = "X") -> RangeReader:
    """Reader of an array in memory."""
    shape, dtype = checked_shape(X, name), as_floats(X.dtype)
    return RangeReader(name, shape, dtype, lambda start, stop: np.asarray(X[start:stop], dtype), array=X)


class Subset:
    """Some rows of a source, numbered from 0."""

    def __init__(self, everything: Any, kept: Array) -> None:
        self._everything, self._kept = everything, kept
        self.shape = (int(np.count_nonzero(kept)), everything.shape[1])
        self.dtype = everything.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        done = 0
        for start, X in self._everything.blocks():
            chosen = self._kept[start : start + len(X)]
            size = int(np.count_nonzero(chosen))
            if size:
                yield done, X if size == len(X) else X[chosen]
            done += size

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""
        taken: Array = self._everything.take(np.flatnonzero(self._kept)[rows])
        return taken


def load(reader: Reader) -> Any:
    """All rows as an array, or as a data frame if the columns have names."""
    whole = np.empty(reader.shape, reader.dtype)
    for start, X in reader.blocks():
        whole[start : start + len(X)] = X
    if reader.names is None:
        return whole
    import pandas as pd

    return pd.DataFrame(whole, columns=reader.names)

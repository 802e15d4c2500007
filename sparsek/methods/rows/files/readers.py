"""Readers of rows: arrays in memory or mapped, chunked arrays of Zarr and HDF5, and ``.npy`` files.

A reader is a `sparsek.methods.rows.local.Source` whose blocks can be given a size. Blocks may share buffers:
a part of a block that is needed later must be copied before the next block is read.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sparsek.methods.shared.sums import Array

BLOCK_BYTES = 32_000_000
"""Size of a block, unless `memory_limit` demands a smaller one."""
GAP_BYTES = 65_536
"""Rows with a gap of fewer bytes than this between them are read at once."""


class Reader(Protocol):
    """Rows of a file or of an array.

    Attributes
    ----------
    name : str
        Name of the file or array, for messages.
    shape : tuple of int
        Numbers of rows and of columns.
    dtype : dtype
        float32, or float64 for data of any other type.
    names : list of str or None
        Names of the columns.
    array : ndarray or None
        The rows, if they are an array in memory or a memory map.
    block_rows : int
        Number of rows of a block; may be set.
    """

    name: str
    shape: tuple[int, int]
    dtype: Any
    names: list[str] | None
    array: Any
    block_rows: int

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""


@dataclass(slots=True)
class RowReader:
    """A `Reader` of data of which any range of rows can be read.

    Attributes
    ----------
    name, shape, dtype, names, array, block_rows
        See `Reader`.
    read : callable
        ``read(start, stop)`` gives rows, which are valid until the second next call.
    chunk_rows : int
        Number of rows that are stored together, and read at once.
    ahead : bool
        Whether to read the next block in another thread while a block is in use.
    """

    name: str
    shape: tuple[int, int]
    dtype: Any
    read: Callable[[int, int], Array]
    chunk_rows: int = 1
    array: Any = None
    names: list[str] | None = None
    block_rows: int = 1
    ahead: bool = False

    def __post_init__(self) -> None:
        set_block_bytes(self, BLOCK_BYTES)

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        n, step = self.shape[0], self.block_rows
        if step > self.chunk_rows:
            step -= step % self.chunk_rows  # whole chunks, so that none is read twice
        starts = range(0, n, step)
        if not self.ahead or len(starts) == 1:
            for start in starts:
                yield start, self.read(start, min(start + step, n))
            return
        with ThreadPoolExecutor(1) as thread:
            coming = thread.submit(self.read, 0, step)
            for start in starts:
                block, following = coming.result(), start + step
                if following < n:
                    coming = thread.submit(self.read, following, min(following + step, n))
                yield start, block

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""
        if self.array is not None and not isinstance(self.array, np.memmap):
            return np.asarray(self.array[rows], dtype=self.dtype)
        found = np.empty((len(rows), self.shape[1]), self.dtype)
        gap = max(self.chunk_rows, GAP_BYTES // row_bytes(self))
        for part in spans(rows, gap, self.block_rows):
            some = rows[part]
            found[part] = self.read(int(some[0]), int(some[-1]) + 1)[some - some[0]]
        return found


def row_bytes(reader: Reader | RowReader) -> int:
    """Bytes of one row."""
    return int(reader.shape[1] * np.dtype(reader.dtype).itemsize)


def set_block_bytes(reader: Reader | RowReader, n_bytes: float) -> None:
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


def array_reader(X: Array, name: str = "X") -> RowReader:
    """Reader of an array in memory, or of a memory map, whose pages are released after every block."""
    shape, dtype = checked_shape(X, name), as_floats(X.dtype)
    if not isinstance(X, np.memmap):
        return RowReader(name, shape, dtype, lambda start, stop: np.asarray(X[start:stop], dtype), array=X)

    def read(start: int, stop: int) -> Array:
        rows = np.array(X[start:stop], dtype=dtype, order="C", subok=False)
        release(X)
        return rows

    return RowReader(name, shape, dtype, read, array=X)


def release(X: np.memmap) -> None:
    """Release the pages of a memory map from this process's memory, unless it is copy-on-write."""
    pages = getattr(X, "_mmap", None)
    if pages is not None and hasattr(mmap, "MADV_DONTNEED") and X.mode in ("r", "r+"):
        pages.madvise(mmap.MADV_DONTNEED)


def chunked_reader(X: Any) -> RowReader:
    """Reader of a Zarr array, an HDF5 dataset or anything with `shape`, `dtype`, `chunks` and slices."""
    name = f"the {type(X).__name__.lower()} {getattr(X, 'name', '')}".strip()
    shape, dtype = checked_shape(X, name), as_floats(X.dtype)
    chunk = int(X.chunks[0]) if X.chunks else 1
    return RowReader(
        name, shape, dtype, lambda start, stop: np.asarray(X[start:stop], dtype), max(1, min(chunk, shape[0]))
    )


def npy_reader(path: Path) -> RowReader:
    """Reader of a ``.npy`` file: reads into two buffers, or a memory map if columns are contiguous."""
    name = str(path)
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{name} is no complete .npy file of numbers: {error}") from error
    shape = checked_shape(mapped, name)
    if not mapped.flags.c_contiguous:
        return array_reader(mapped, name)
    stored, offset, floats = mapped.dtype, mapped.offset, as_floats(mapped.dtype)
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    buffers = [np.empty((0, shape[1]), stored)] * 2

    def read(start: int, stop: int) -> Array:
        buffers.reverse()
        if len(buffers[0]) < stop - start:
            buffers[0] = np.empty((stop - start, shape[1]), stored)
        rows = buffers[0][: stop - start]
        read_at(file, rows, offset + start * shape[1] * stored.itemsize, name)
        return rows.astype(floats, copy=False)

    reader = RowReader(name, shape, floats, read, ahead=True)
    weakref.finalize(read, os.close, file)
    return reader


def read_at(file: int, rows: Array, position: int, name: str) -> None:
    """Fill an array with the bytes of a file from a position on."""
    free = memoryview(rows).cast("B")
    while len(free):
        if hasattr(os, "preadv"):
            got = os.preadv(file, [free], position)
        else:  # Windows has no preadv
            os.lseek(file, position, os.SEEK_SET)
            found = os.read(file, len(free))
            got, free[: len(found)] = len(found), found
        if not got:
            raise OSError(f"{name} ends before its last row; it has been cut off since it was opened")
        free, position = free[got:], position + got


class Subset:
    """Some rows of a reader, numbered from 0.

    Parameters
    ----------
    reader : Reader
        All rows.
    kept : ndarray of bool, shape (n_all,)
        Mask of the rows of the subset.
    """

    def __init__(self, reader: Any, kept: Array) -> None:
        self._reader, self._kept = reader, kept
        self.shape = (int(np.count_nonzero(kept)), reader.shape[1])
        self.dtype = reader.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        done = 0
        for start, X in self._reader.blocks():
            chosen = self._kept[start : start + len(X)]
            size = int(np.count_nonzero(chosen))
            if size:
                yield done, X if size == len(X) else X[chosen]
            done += size

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""
        taken: Array = self._reader.take(np.flatnonzero(self._kept)[rows])
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

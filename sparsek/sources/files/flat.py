"""Readers of ``.npy`` files and memory maps, whose numbers lie in a file one after the other.

They are read as files are read, not through the map: if a mapped file is cut off, the next touch of its pages
ends Python without an error (SIGBUS).
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparsek.core.steps import Array
from sparsek.sources.files.watch import watch_file
from sparsek.sources.readers import RangeReader, array_reader, as_floats, checked_shape, unwatched

COLUMNS_BYTES = 2_000_000
"""Size of the pieces of columns that are read before they become parts of rows."""
GAP_BYTES = 8_192
"""Columns whose wanted parts lie no farther apart than this are read together with what is between them."""
COMPARED_ROWS = 17
"""Rows by which a file is recognised as the one behind a memory map."""


class Layout(NamedTuple):
    """Where the numbers of a matrix lie in a file."""

    position: int  # Byte of the first number
    stored: Any  # Type of the numbers
    # Bytes from one column to the next, each column being contiguous; None for rows one after the other
    pitch: int | None


def npy_reader(path: Path) -> RangeReader:
    """Reader of a ``.npy`` file."""
    name = str(path)
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # a damaged header can raise any error
        raise ValueError(f"{name} is no complete .npy file of numbers: {error}") from error
    shape, layout = checked_shape(mapped, name), _layout(mapped)
    assert layout is not None  # a whole array in C or in Fortran order
    return flat_reader(path, name, shape, layout)


def mapped_reader(X: np.memmap) -> RangeReader:
    """Reader of a memory map: of its file, or else of its pages, which are released after every block."""
    name = f"the memory map of {X.filename}" if X.filename else "the memory map"
    shape = checked_shape(X, name)
    pages: Any = getattr(X, "_mmap", None)
    if pages is None:  # computed from a map, so an array in memory
        return array_reader(np.asarray(X), name)
    if X.mode not in ("r", "c"):
        X.flush()
    layout, check = _layout(X), unwatched
    if X.mode != "c" and X.filename and os.path.isfile(X.filename):
        reader = None if layout is None else flat_reader(Path(X.filename), name, shape, layout)
        if reader is not None and _same_rows(X, pages, reader):
            return reader
        check = unwatched if reader is not None else watch_file(Path(X.filename), name)

    def read(start: int, stop: int) -> Array:
        _refuse_short(X, pages, name)
        rows = np.array(X[start:stop], dtype=as_floats(X.dtype), order="C", subok=False)
        if hasattr(mmap, "MADV_DONTNEED") and X.mode in ("r", "r+"):
            pages.madvise(mmap.MADV_DONTNEED)
        return rows

    return RangeReader(name, shape, as_floats(X.dtype), read, check=check)


def flat_reader(path: Path, name: str, shape: tuple[int, int], layout: Layout) -> RangeReader:
    """Reader of a matrix in a file; it reads the next block in another thread while a block is in use."""
    file = open_file(path)
    position, stored, pitch = layout.position, layout.stored, layout.pitch or 0
    n_columns, floats, size = shape[1], as_floats(stored), stored.itemsize
    buffers = [np.empty((0, n_columns), floats if pitch else stored)] * 2

    def read_rows(rows: Array, start: int) -> None:
        read_at(file, memoryview(rows).cast("B"), position + start * n_columns * size, name)

    def read_columns(rows: Array, start: int) -> None:
        for columns, pieces in read_pieces(file, layout, range(start, start + len(rows)), n_columns, name):
            rows[:, columns] = pieces.T

    fill = read_columns if pitch else read_rows

    def read(start: int, stop: int) -> Array:
        buffers.reverse()
        if len(buffers[0]) < stop - start:
            buffers[0] = np.empty((stop - start, n_columns), buffers[0].dtype)
        rows = buffers[0][: stop - start]
        fill(rows, start)
        return rows.astype(floats, copy=False)

    weakref.finalize(read, os.close, file)
    # Rows near each other cost no more than one, where they lie on the same page of every column.
    together = max(1, mmap.PAGESIZE // size) if pitch else 1
    check = watch_file(file, name)
    return RangeReader(name, shape, floats, read, together, ahead=not pitch, check=check)


def open_file(path: Path) -> int:
    """The number of a file opened for reading."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))


def read_pieces(
    file: int, layout: Layout, rows: range, n_columns: int, name: str
) -> Iterator[tuple[slice, Array]]:
    """Some rows of a matrix that lies in a file by columns: parts of the columns, and these rows of them.

    Shapes: a piece (columns of the part, rows), valid until the next one is read.
    """
    size, pitch = layout.stored.itemsize, layout.pitch or 0
    n_bytes, first_byte = len(rows) * size, layout.position + rows.start * size
    together = pitch - n_bytes <= GAP_BYTES
    step = pitch if together else n_bytes  # from a column to the next in memory
    width = min(n_columns, max(1, COLUMNS_BYTES // step))
    buffer = memoryview(bytearray(width * step))
    for first in range(0, n_columns, width):
        columns = slice(first, min(first + width, n_columns))
        count = columns.stop - first
        if together:
            read_at(file, buffer[: (count - 1) * step + n_bytes], first_byte + first * pitch, name)
        else:
            for i in range(count):
                read_at(file, buffer[i * step :][:n_bytes], first_byte + (first + i) * pitch, name)
        yield columns, np.ndarray((count, len(rows)), layout.stored, buffer, strides=(step, size))


def _preadv(file: int, free: memoryview, position: int) -> int:
    """Read some bytes of a file from a position on; their number."""
    return os.preadv(file, [free], position)


def _seek_and_read(file: int, free: memoryview, position: int) -> int:
    """As `_preadv`, where there is none: on Windows."""
    os.lseek(file, position, os.SEEK_SET)
    found = os.read(file, len(free))
    free[: len(found)] = found
    return len(found)


_read_some = _preadv if hasattr(os, "preadv") else _seek_and_read


def read_at(file: int, free: memoryview, position: int, name: str) -> None:
    """Fill a buffer with the bytes of a file from a position on."""
    while (got := _read_some(file, free, position)) < len(free):
        if not got:
            raise OSError(f"{name} ends before its last row; it has been cut off since it was opened")
        free, position = free[got:], position + got


def _layout(X: np.memmap) -> Layout | None:
    """Where the numbers of a map or of a part of it lie in the file; None if rows and columns have gaps."""
    pages: Any = X._mmap  # type: ignore[attr-defined]
    begin = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY
    first = np.frombuffer(pages, np.uint8, 1).__array_interface__["data"][0]
    position = begin + X.__array_interface__["data"][0] - first
    if X.flags.c_contiguous:
        return Layout(position, X.dtype, None)
    if X.strides[0] == X.itemsize and X.strides[1] >= len(X) * X.itemsize:
        return Layout(position, X.dtype, X.strides[1])
    return None


def _same_rows(X: np.memmap, pages: Any, reader: RangeReader) -> bool:
    """Whether some rows of the file equal those of the map; another file may have taken its name."""
    _refuse_short(X, pages, reader.name)
    rows = np.unique(np.linspace(0, len(X) - 1, COMPARED_ROWS).astype(np.intp))
    try:
        found = reader.take(rows)
    except OSError:
        return False
    return np.array_equal(found, np.asarray(X[rows], reader.dtype), equal_nan=True)


def _refuse_short(X: np.memmap, pages: Any, name: str) -> None:
    """Raise OSError if a mapped file has been cut off: touching its pages would end Python."""
    begin = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY
    if pages.size() < begin + len(pages):
        raise OSError(
            f"{name} needs a file of {begin + len(pages)} bytes, which has been cut off to {pages.size()} "
            "since it was opened; restore the file and open it again"
        )

"""Finds the reader of data that can be read block by block."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from sparsek.sources.files.flat import mapped_reader, npy_reader
from sparsek.sources.files.parquet import ParquetReader
from sparsek.sources.files.plink import PlinkReader
from sparsek.sources.files.watch import watch_stored
from sparsek.sources.readers import RangeReader, Reader, array_reader, as_floats, checked_shape

READERS = (RangeReader, ParquetReader, PlinkReader)
PARQUET = (".parquet", ".pq")
OPENED = {
    ".h5": "h5py.File(path)['name']",
    ".hdf5": "h5py.File(path)['name']",
    ".zarr": "zarr.open_array(path, mode='r')",
    ".npz": "numpy.load(path)['name']",
    ".csv": "pandas.read_csv(path)",
}
"""How to open files that cannot be read by path, for error messages."""


def as_reader(X: Any) -> Reader | None:
    """The reader of a path, of a chunked array or of an ndarray of numbers; None for anything else.

    Raises FileNotFoundError, ValueError or TypeError if X looks like one of these but cannot be read.
    """
    if isinstance(X, READERS):
        return X
    if isinstance(X, str | os.PathLike):
        return path_reader(Path(X))
    if isinstance(X, np.memmap):
        return mapped_reader(X)
    if isinstance(X, np.ndarray):
        return array_reader(X) if X.ndim == 2 and X.size and X.dtype.kind in "fiub" else None
    return chunked_reader(X) if is_chunked(X) else None


def chunked_reader(X: Any) -> RangeReader:
    """Reader of a Zarr array, an HDF5 dataset or anything with `shape`, `dtype`, `chunks` and slices."""
    name = f"the {type(X).__name__.lower()} {getattr(X, 'name', '')}".strip()
    shape, dtype = checked_shape(X, name), as_floats(X.dtype)
    chunk = int(X.chunks[0]) if X.chunks else 1
    return RangeReader(
        name,
        shape,
        dtype,
        lambda start, stop: np.asarray(X[start:stop], dtype),
        max(1, min(chunk, shape[0])),
        check=watch_stored(X, name),
    )


def path_reader(path: Path) -> Reader:
    """The reader of a file or folder."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    suffix = path.suffix.lower()
    if suffix == ".npy" and path.is_file():
        return npy_reader(path)
    if suffix == ".bed" and path.is_file():
        return PlinkReader(path)
    if suffix in PARQUET or (path.is_dir() and suffix not in OPENED):
        return ParquetReader(path)
    remedy = f"open it and pass the data: {OPENED[suffix]}" if suffix in OPENED else "convert it"
    raise ValueError(
        f"{path} is neither .npy nor Parquet (a .parquet file or a folder of them) nor PLINK's .bed; {remedy}"
    )


def is_chunked(X: Any) -> bool:
    """Whether X is a chunked array of Zarr, h5py or alike, but not of Dask."""
    if not all(hasattr(X, name) for name in ("shape", "dtype", "chunks", "__getitem__")):
        return False
    chunks = X.chunks
    return chunks is None or all(isinstance(size, int | np.integer) for size in chunks)

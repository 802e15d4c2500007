"""Data for the tests of fits by blocks, in all forms that estimators take."""

import tracemalloc
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

KINDS = [
    "npy",
    "npy by column",
    "memmap",
    "hdf5",
    "hdf5 in one",
    "zarr",
    "parquet",
    "folder",
    "array",
]


class ZarrLike:
    """An array with the attributes of a Zarr array."""

    def __init__(self, X: np.ndarray, chunks: tuple[int, int]) -> None:
        self._X, self.chunks, self.shape, self.dtype = X, chunks, X.shape, X.dtype

    def __getitem__(self, rows: slice) -> np.ndarray:
        assert isinstance(rows, slice)  # only ranges of rows are read
        return self._X[rows].copy()


def mixture(seed: int, n: int = 300, p: int = 8, k: int = 3) -> np.ndarray:
    """Normal data with groups in the first three columns, and columns of different size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, :3] += rng.normal(0, 3, (k, 3))[rng.integers(k, size=n), : min(3, p)] if p >= 3 else 0
    return X * rng.uniform(0.5, 20, p) + rng.normal(0, 5, p)


def punch(X: np.ndarray, seed: int, share: float = 0.2) -> np.ndarray:
    """A copy with missing entries."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(X.shape) < share, np.nan, X)


def frame(X: np.ndarray) -> pd.DataFrame:
    """A data frame with column names."""
    return pd.DataFrame(X, columns=[f"gene{j}" for j in range(X.shape[1])])


def as_kind(X: np.ndarray, kind: str, folder: Path) -> Any:
    """The rows in another form; files are written to the folder."""
    if kind == "array":
        return X
    if kind == "zarr":
        return ZarrLike(X, (max(1, len(X) // 5), 3))
    if kind.startswith("hdf5"):
        chunks = (max(1, len(X) // 7), 2) if kind == "hdf5" else None
        with h5py.File(folder / "data.h5", "w") as file:
            file.create_dataset("X", data=X, chunks=chunks)
        return h5py.File(folder / "data.h5", "r")["X"]
    if kind == "parquet":
        frame(X).to_parquet(folder / "data.parquet", row_group_size=max(1, len(X) // 4))
        return folder / "data.parquet"
    if kind == "folder":
        parts = folder / "parts"
        parts.mkdir()
        for number, rows in enumerate(np.array_split(np.arange(len(X)), 3)):
            frame(X[rows]).to_parquet(parts / f"part{number}.parquet", row_group_size=max(1, len(rows) // 2))
        return str(parts)
    path = folder / "data.npy"
    np.save(path, np.asfortranarray(X) if kind == "npy by column" else X)
    return np.load(path, mmap_mode="r") if kind == "memmap" else path


def memory_taken(model: Any, X: np.ndarray) -> float:
    """What a fit in memory takes at its peak beside the data, in sizes of the data."""
    model.fit(X)  # loops are compiled, which takes memory too
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / X.nbytes

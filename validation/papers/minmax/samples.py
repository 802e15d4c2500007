"""The data sets, with missing values filled, raw or standardised."""

from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from sparsek import datasets
from validation.papers.minmax.designs import GENES
from validation.papers.shared.data import find_missing, use_data_beside

FloatArray = NDArray[np.float64]
FILLS = ("means", "medians", "rows dropped")
"""Ways to fill missing values: by the means or medians of their columns, or by dropping their rows."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A data set."""

    X: FloatArray  # (n, p): values; missing ones are filled with the means of their columns
    target: NDArray[np.int64]  # (n,): classes, as many as clusters are sought

    @property
    def n_clusters(self) -> int:
        """Number of classes."""
        return len(np.unique(self.target))


@cache
def load_sample(name: str, download: bool = False) -> Sample:
    """A data set by name.

    Raises sparsek.datasets.DatasetError if the data are not at hand, or cannot be downloaded.
    """
    X, target = _with_holes(name, download)
    return Sample(np.where(np.isnan(X), np.nanmean(X, axis=0), X), target)


def fill_holes(name: str, fill: str) -> Sample:
    """A data set at hand whose missing values are filled in one of the ways of `FILLS`."""
    if fill == "means":
        return load_sample(name)
    X, target = _with_holes(name, False)
    if fill == "medians":
        return Sample(np.where(np.isnan(X), np.nanmedian(X, axis=0), X), target)
    kept = ~np.isnan(X).any(axis=1)
    return Sample(X[kept], target[kept])


def _with_holes(name: str, download: bool) -> tuple[FloatArray, NDArray[np.int64]]:
    """Values, NaN where missing, and classes."""
    use_data_beside()
    if name in GENES:
        bunch = datasets.fetch_microarray(name, download_if_missing=download)
    else:
        bunch = getattr(datasets, f"fetch_{name}")(download_if_missing=download)
    return np.asarray(bunch.data, dtype=np.float64), bunch.target


@cache
def scaled(name: str, scaling: str) -> FloatArray:
    """A data set, raw or with columns or rows standardised (divisor n - 1 or p - 1)."""
    return scale(load_sample(name).X, scaling)


def scale(X: FloatArray, scaling: str) -> FloatArray:
    """Values, raw or with columns or rows standardised (divisor n - 1 or p - 1)."""
    if scaling == "raw":
        return X
    axis = 1 if scaling == "rows" else 0
    spread = X.std(axis=axis, ddof=1, keepdims=True)
    return (X - X.mean(axis=axis, keepdims=True)) / np.where(spread > 0, spread, 1)


@cache
def row_coordinates(name: str) -> FloatArray:
    """Standardised columns rotated to as many coordinates as rows, with equal distances."""
    Z = scaled(name, "standardised")
    if Z.shape[1] <= len(Z):
        return Z
    values, vectors = np.linalg.eigh(Z @ Z.T)
    return vectors * np.sqrt(np.maximum(values, 0))


def find_data(names: tuple[str, ...], download: bool) -> tuple[list[str], dict[str, str]]:
    """Availability of data sets.

    Raises sparsek.datasets.ChecksumError if a file is damaged.
    """
    gone = find_missing(names, partial(load_sample, download=download))
    why = "neither at hand nor to be downloaded" if download else "not at hand"
    return [name for name in names if name not in gone], dict.fromkeys(gone, why)

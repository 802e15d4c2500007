"""The data sets, and the starting rows."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek import datasets, init
from validation.papers.pcskm.designs import DATA, SEED
from validation.papers.shared import data

FETCHED = tuple({data.origin: None for data in DATA.values() if data.origin not in ("", "fisheriris")})
"""Names in `fetch_pcskm`; iris is scikit-learn's."""
ROWS = {"dkm++": init.dkm_plus_plus, "robin": init.robin, "maximin": init.maximin}


@dataclass(frozen=True, slots=True)
class Sample:
    """A data set."""

    X: NDArray[np.float64]  # (n, p): values as in the source
    target: NDArray[np.int64]  # (n,): classes from 0
    n_clusters: int  # Number of classes


def find_missing(download: bool) -> dict[str, str]:
    """Missing data sets, with the reason.

    Raises sparsek.datasets.ChecksumError if a file is damaged.
    """
    return data.find_missing(DATA, lambda name: _read(name, 0, download_if_missing=download))


def _read(name: str, replicate: int, **options: Any) -> tuple[Any, Any]:
    """Data and classes: scikit-learn's iris, a random draw, or data of `fetch_pcskm`."""
    described = DATA[name]
    if described.n_informative:
        size = described.n_informative + described.n_uninformative
        bunch = datasets.make_brodinova(
            size, described.n_informative, (40,) * 3, random_state=np.random.default_rng([SEED, replicate])
        )
        return bunch.data, bunch.target
    if name == "fisheriris":
        bunch = datasets.load_iris()
    else:
        data.use_data_beside()
        bunch = datasets.fetch_pcskm(described.origin, replicate=replicate, **options)
    X = bunch.data
    if described.n_added:
        noise = np.random.default_rng([SEED, replicate]).exponential(size=(len(X), described.n_added))
        X = np.hstack([X, noise])
    return X, bunch.target


@cache
def load_sample(name: str, replicate: int) -> Sample:
    """A data set by name.

    Raises sparsek.datasets.DatasetError if the data are neither here nor can be downloaded.
    """
    X, target = _read(name, replicate)
    classes, codes = np.unique(np.asarray(target), return_inverse=True)
    return Sample(np.ascontiguousarray(X, dtype=float), codes.astype(np.int64), len(classes))


@cache
def start_rows(name: str, replicate: int, start: str) -> NDArray[np.int64]:
    """The starting rows of a method that uses no constraints.

    Shapes: returns (n_clusters,).
    """
    sample = load_sample(name, replicate)
    return np.asarray(ROWS[start](sample.X, sample.n_clusters))

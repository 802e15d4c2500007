"""The data sets, scaled and filled according to a reading, and the starting rows."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek import datasets
from sparsek.core.scaling import prepare
from sparsek.starts.seeds import labels_from_centers, seeded_rows
from validation.papers.shared.data import find_missing, use_data_beside
from validation.papers.skfr.real_tables.designs import BENCHMARKS, MICE, SEED, Reading

FloatArray = NDArray[np.float64]
LOADED = ("iris", "wine", "wdbc")
"""Data sets of scikit-learn."""
FETCHED = ("mice_protein", *(name for name in BENCHMARKS if name not in LOADED))


@dataclass(frozen=True, slots=True)
class Sample:
    """A data set."""

    name: str  # Key of `BENCHMARKS` or of `MICE`
    X: FloatArray  # (n, p): values in the origin's units, NaN where missing
    target: NDArray[np.int64]  # (n,): classes
    features: tuple[str, ...]  # Names of the columns
    n_clusters: int  # Number of clusters that the paper asks for


def _fetch(name: str, **options: Any) -> Any:
    """The result of the loader or fetcher of a data set."""
    use_data_beside()
    if name in MICE:
        return datasets.fetch_mice_protein(**options)
    if name in LOADED:
        return getattr(datasets, f"load_{name}")()
    return getattr(datasets, f"fetch_{name}")(**options)


def is_here(name: str) -> bool:
    """Whether a data set is available without a download; an error if its file is damaged."""
    return not find_missing([name], partial(_fetch, download_if_missing=False))


@cache
def load_sample(name: str) -> Sample:
    """A data set by name.

    Raises sparsek.datasets.DatasetError if the data are neither here nor can be downloaded.
    """
    bunch = _fetch(name)
    rows = np.ones(len(bunch.target), dtype=bool)
    n_clusters = len(bunch.target_names)
    if name in MICE:
        rows = np.char.startswith(bunch.target_names.astype(str), name[0])[bunch.target]
        n_clusters = MICE[name] ** 2
    features = tuple(str(feature).removesuffix("_N") for feature in bunch.feature_names)
    return Sample(name, np.asarray(bunch.data, float)[rows], bunch.target[rows], features, n_clusters)


def fill_holes(sample: Sample, fill: str) -> FloatArray:
    """The values with missing cells filled by means of their column ("column"), or of their column in their
    class ("class"), or left missing ("none")."""
    X = sample.X.copy()
    if fill == "none":
        return X
    groups = sample.target if fill == "class" else np.zeros(len(X), dtype=int)
    everywhere = np.nanmean(X, axis=0)
    for group in np.unique(groups):
        rows = groups == group
        counts = (~np.isnan(X[rows])).sum(axis=0)
        means = np.where(counts > 0, np.nansum(X[rows], axis=0) / np.maximum(counts, 1), everywhere)
        X[rows] = np.where(np.isnan(X[rows]), means, X[rows])
    return X


@cache
def scaled(name: str, scaling: str, fill: str) -> FloatArray:
    """A data set with columns raw, scaled to [0, 1], or standardised (divisor n - 1)."""
    X = fill_holes(load_sample(name), fill)
    if scaling == "raw":
        return X
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    offset = low if scaling == "minmax" else np.nanmean(X, axis=0)
    spread = high - low if scaling == "minmax" else np.nanstd(X, axis=0, ddof=1)
    return (X - offset) / np.where(spread > 0, spread, 1)


def start_seed(trial: int) -> int:
    """The seed from which the rows of start number `trial` are drawn."""
    return int(np.random.default_rng([SEED, trial]).integers(2**31))


@cache
def start_rows(name: str, reading: Reading, trial: int) -> tuple[int, ...]:
    """The starting rows of start number `trial`, equal for every method."""
    Z, _ = prepare(scaled(name, reading.seeds_on, reading.fill), None, standardize=False, by_column=False)
    seeds = np.array([start_seed(trial)])
    rows = seeded_rows(Z, load_sample(name).n_clusters, seeds, None, reading.power)
    return tuple(rows[0].tolist())


def start_labels(name: str, reading: Reading, trial: int) -> NDArray[np.int32]:
    """Number of the nearest starting row, on the columns on which these were drawn."""
    X = scaled(name, reading.seeds_on, reading.fill)
    Z, scaling = prepare(X, None, standardize=False, by_column=False)
    return labels_from_centers(Z, scaling.apply(X[list(start_rows(name, reading, trial))])[:, :-1])

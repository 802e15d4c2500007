"""Base class of the estimators that take files and arrays larger than memory, and their use of memory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsek.methods.rows.files.opening import READERS, as_reader
from sparsek.methods.rows.files.readers import BLOCK_BYTES, Reader, load, row_bytes, set_block_bytes
from sparsek.methods.rows.local import TAKEN_ENTRIES
from sparsek.methods.rows.sample import SAMPLE_ENTRIES
from sparsek.methods.shared.base import CentroidClusterer, check_integer, is_plain_array
from sparsek.methods.shared.sums import Array
from sparsek.methods.starts.by_name import SEEDINGS
from sparsek.numerics.containers import holds_sparse, numbers

UNITS = {"": 1, "B": 1} | {
    prefix + end: base**power
    for power, prefix in enumerate("KMGT", start=1)
    for end, base in (("B", 1000), ("IB", 1024))
}
"""Bytes of each unit of memory, by the unit's name in capitals."""
UNKNOWN_MEMORY = 8 * 1024**3
"""Memory assumed for a machine that does not report its own."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a fit by blocks uses its memory.

    Attributes
    ----------
    cache : float
        Bytes for the selected columns of all rows.
    taken_entries : int
        Entries of moved rows that are read at a time.
    sample_entries : float
        Entries of the sample from which the start is found.
    """

    cache: float
    taken_entries: int
    sample_entries: float


class BlockInput(CentroidClusterer):
    """Estimators that take paths, chunked arrays and memory maps, and read by blocks beyond `memory_limit`.

    A subclass sets ``_copies``: the memory that a fit in memory needs beside the data, in multiples of their
    size.
    """

    memory_limit: Any
    _copies: float

    def _opened(self, X: Any) -> Any:
        """X unchanged or loaded if a fit in memory keeps to `memory_limit`; else its reader."""
        limit = resolve_memory_limit(self.memory_limit)
        if not is_plain_array(X):
            X = numbers(X, "X", self._finite == "allow-nan")
        if type(X) is np.ndarray and X.dtype.kind in "fiub":
            floats = X.size * (4 if X.dtype == np.float32 else 8)
            if self._copies * floats <= limit:
                return X
        reader = as_reader(X)
        if reader is None:
            return X
        if self._needed(reader) > limit:
            return reader
        return load(reader) if reader.array is None else X

    def _needed(self, reader: Reader) -> float:
        """Bytes that a fit in memory takes, not counting an array that is in memory already."""
        held = isinstance(reader.array, np.ndarray) and not isinstance(reader.array, np.memmap)
        return reader.shape[0] * row_bytes(reader) * (self._copies + (not held))

    def _refuse_for_blocks(self, reader: Reader, wrong: Iterable[tuple[str, Any, Any]] = ()) -> None:
        """ValueError for options (name, value, remedy) and named starts that need the data in memory."""
        wrong = list(wrong)
        if isinstance(self.init, str) and self.init in SEEDINGS:
            wrong.append(("init", self.init, "k-means++"))
        for name, value, default in wrong:
            raise ValueError(
                f"{name}={value!r} needs the data in memory, where the fit takes about "
                f"{in_words(self._needed(reader))}, more than memory_limit="
                f"{in_words(resolve_memory_limit(self.memory_limit))}; raise memory_limit or use "
                f"{name}={default!r}"
            )

    def _validate_blocks(
        self, reader: Reader, sample_weight: ArrayLike | None
    ) -> tuple[Array | None, NDArray[np.bool_]]:
        """Positive weights, and the mask of their rows; stores number and names of the features."""
        check_integer("n_clusters", self.n_clusters, 1)
        check_integer("n_init", self.n_init, 1)
        validate_data(self, _header(reader), skip_check_array=True)
        data: Any = reader
        weights = self._fit_weights = self._validate_weights(sample_weight, data)
        kept = np.ones(reader.shape[0], dtype=bool) if weights is None else weights > 0
        self._check_rows(int(kept.sum()), "rows of positive weight")
        return weights if weights is None or kept.all() else weights[kept], kept

    def _check_rows(self, n_rows: int, kind: str) -> None:
        """Raise ValueError if there are fewer rows than clusters."""
        if n_rows < self.n_clusters:
            raise ValueError(
                f"n_samples={n_rows} ({kind}) must be at least n_clusters={self.n_clusters}; add rows or "
                "lower n_clusters"
            )

    def _plan(self, reader: Reader) -> Plan:
        """Divide `memory_limit` among cache, moved rows and sample, and set the size of the blocks."""
        limit, n = resolve_memory_limit(self.memory_limit), reader.shape[0]
        block = min(limit / 40, BLOCK_BYTES)
        set_block_bytes(reader, block)
        size = np.dtype(reader.dtype).itemsize
        taken = int(min(TAKEN_ENTRIES, limit / 40 / size))
        sample = min(SAMPLE_ENTRIES, limit / (2 * (1 + self._copies) * size))
        per_row = 4 * 4 + 1 + (2 * size if self._fit_weights is not None else 0)  # labels, mask, weights
        # A step needs several times the memory of its block, or of the moved rows that it reads.
        return Plan(max(0.0, limit - n * per_row - 8 * block - 3 * size * taken), taken, sample)

    def _validate_new(self, X: Any) -> Any:
        X = X if holds_sparse(X) else numbers(X, "X", self._finite == "allow-nan")
        reader = as_reader(X)
        in_memory = reader is None or (
            reader.array is not None and self._needed(reader) <= resolve_memory_limit(self.memory_limit)
        )
        if reader is None or in_memory:
            return super()._validate_new(X)
        check_is_fitted(self)
        validate_data(self, _header(reader), reset=False, skip_check_array=True)
        return CheckedBlocks(reader, allow_nan=self._finite == "allow-nan")


class CheckedBlocks:
    """Blocks of a reader; ValueError for a block with infinite or unexpected missing entries.

    Parameters
    ----------
    reader : Reader
        Rows.
    allow_nan : bool
        Whether NaN is allowed, as a missing value.
    """

    def __init__(self, reader: Reader, allow_nan: bool) -> None:
        self._reader, self._allow_nan = reader, allow_nan
        self.shape, self.dtype = reader.shape, reader.dtype

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        for start, X in self._reader.blocks():
            check_block(X, start, self._reader, self._allow_nan)
            yield start, X


def check_block(X: Array, start: int, reader: Reader, allow_nan: bool) -> None:
    """Raise ValueError if a block has infinite values, or missing ones that are not allowed."""
    bad = np.isinf(X) if allow_nan else ~np.isfinite(X)
    if bad.any():
        row, column = np.unravel_index(int(bad.argmax()), bad.shape)
        value = X[row, column]
        named = f" ({reader.names[column]!r})" if reader.names is not None else ""
        kind = "missing (NaN)" if np.isnan(value) else f"infinite ({value})"
        remedy = "KPod takes missing values" if np.isnan(value) else "replace it"
        raise ValueError(
            f"{reader.name} has a {kind} entry in row {start + row}, column {column}{named}, counted from 0; "
            f"{remedy}"
        )


def is_reader(X: Any) -> TypeGuard[Reader]:
    """Whether `_opened` returned a reader: the data are read by blocks."""
    return isinstance(X, READERS)


def _header(reader: Reader) -> Any:
    """A small array or data frame from which scikit-learn reads the number and names of the features."""
    if reader.names is None:
        return np.empty((1, reader.shape[1]))
    return pd.DataFrame([[0.0] * reader.shape[1]], columns=reader.names)


def resolve_memory_limit(limit: Any) -> float:
    """Bytes that a fit may take: half of the physical memory for None, or a number or a text such as "2GB".

    Raises TypeError or ValueError for anything else.
    """
    if limit is None:
        return physical_memory() / 2
    if isinstance(limit, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", limit, flags=re.IGNORECASE)
        unit = UNITS.get(found[2].upper()) if found else None
        if found is None or unit is None:
            raise ValueError(f"memory_limit must look like '2GB', '500 MB' or '1.5GiB'; got {limit!r}")
        limit = float(found[1]) * unit
    elif isinstance(limit, bool) or not isinstance(limit, Real):
        raise TypeError(f"memory_limit must be None, a number of bytes or a text like '2GB'; got {limit!r}")
    if not limit > 0:
        raise ValueError(f"memory_limit must be positive; got {limit}")
    return float(limit)


def physical_memory() -> float:
    """Bytes of memory of this machine."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return float(UNKNOWN_MEMORY)


def in_words(n_bytes: float) -> str:
    """A number of bytes for messages, as "2.5 GB"."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"

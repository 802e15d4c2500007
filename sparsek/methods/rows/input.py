"""Base class of the estimators that take files and arrays larger than memory, and their use of memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsek.methods.rows.files.opening import READERS, as_reader
from sparsek.methods.rows.files.readers import BLOCK_BYTES, Reader, load, row_bytes, set_block_bytes
from sparsek.methods.rows.local import TAKEN_ENTRIES
from sparsek.methods.rows.sample import SAMPLE_ENTRIES
from sparsek.methods.rows.source import Plan
from sparsek.methods.shared.base import CentroidClusterer, is_plain_array
from sparsek.methods.shared.parameters import check_values, parse_bytes
from sparsek.methods.shared.sums import Array
from sparsek.numerics.containers import holds_sparse, numbers

BLOCK_PARTS = 40
"""How many blocks `memory_limit` must hold: a step needs several times the memory of its block."""
MOST_BLOCKS = 10_000
"""Largest number of blocks of a pass: the work on smaller blocks would take longer than their rows."""
UNKNOWN_MEMORY = 8 * 1024**3
"""Memory assumed for a machine that does not report its own."""


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
        return reader.shape[0] * row_bytes(reader) * (self._copies + (reader.array is None))

    def _refuse(self, wrong: Iterable[tuple[str, Any, Any]], needs: str, remedy: str) -> None:
        """ValueError for the first of some options (name, value, default)."""
        for name, value, default in wrong:
            raise ValueError(f"{name}={value!r} needs {needs}; {remedy} or use {name}={default!r}")

    def _checked(
        self,
        reader: Reader,
        sample_weight: ArrayLike | None,
        wrong: Iterable[tuple[str, Any, Any]] = (),
        allow_nan: bool = False,
    ) -> tuple[CheckedBlocks, Array | None, NDArray[np.bool_], Plan]:
        """Rows of a reader, the positive weights, the mask of their rows, and the plan of a fit by blocks.

        `wrong` are options (name, value, default) that need the data in memory.
        """
        limit = in_words(resolve_memory_limit(self.memory_limit))
        needs = f"the data in memory, where the fit takes about {in_words(self._needed(reader))}, more than "
        self._refuse(wrong, needs + f"memory_limit={limit}", "raise memory_limit")
        validate_data(self, _header(reader), skip_check_array=True)
        data: Any = reader
        weights = self._fit_weights = self._validate_weights(sample_weight, data)
        kept = np.ones(reader.shape[0], dtype=bool) if weights is None else weights > 0
        self._check_rows(int(kept.sum()), "rows of positive weight")
        if weights is not None and not kept.all():
            weights = weights[kept]
        return CheckedBlocks(reader, allow_nan), weights, kept, self._plan(reader)

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
        size = np.dtype(reader.dtype).itemsize
        per_row = 4 * 4 + 1 + (2 * size if self._fit_weights is not None else 0)  # labels, mask, weights
        least = max(BLOCK_PARTS * row_bytes(reader) * -(-n // MOST_BLOCKS), 2 * n * per_row)
        if limit < least:
            raise ValueError(
                f"memory_limit={in_words(limit)} is too small for {n} rows of {row_bytes(reader)} bytes: "
                f"a fit by blocks needs at least {least} bytes, {in_words(least)}; raise memory_limit"
            )
        block = _set_blocks(reader, limit)
        taken = int(min(TAKEN_ENTRIES, limit / BLOCK_PARTS / size))
        sample = min(SAMPLE_ENTRIES, limit / (2 * (1 + self._copies) * size))
        # A step needs several times the memory of its block, or of the moved rows that it reads.
        return Plan(max(0.0, limit - n * per_row - 8 * block - 3 * size * taken), taken, sample)

    def _validate_new(self, X: Any) -> Any:
        check_values(self, "memory_limit", [self.memory_limit])
        X = X if holds_sparse(X) else numbers(X, "X", self._finite == "allow-nan")
        reader, limit = as_reader(X), resolve_memory_limit(self.memory_limit)
        if reader is None or (reader.array is not None and self._needed(reader) <= limit):
            return super()._validate_new(X)
        check_is_fitted(self)
        _set_blocks(reader, limit)
        validate_data(self, _header(reader), reset=False, skip_check_array=True)
        return CheckedBlocks(reader, allow_nan=self._finite == "allow-nan")


class CheckedBlocks:
    """Rows of a reader; ValueError for infinite and unexpected missing entries, at every pass.

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
            self._refuse(X, range(start, start + len(X)))
            yield start, X

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers."""
        X = self._reader.take(rows)
        self._refuse(X, rows)
        return X

    def _refuse(self, X: Array, rows: Any) -> None:
        """Raise ValueError for the first bad entry, or OSError if it came by a change of the file."""
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):
                return
        bad = np.isinf(X) if self._allow_nan else ~np.isfinite(X)
        if not bad.any():
            return
        self._reader.check()
        row, column = np.unravel_index(int(bad.argmax()), bad.shape)
        value, names = X[row, column], self._reader.names
        named = "" if names is None else f" ({names[column]!r})"
        kind = "missing (NaN)" if np.isnan(value) else f"infinite ({value})"
        remedy = "KPod takes missing values" if np.isnan(value) else "replace it"
        raise ValueError(
            f"{self._reader.name} has a {kind} entry in row {rows[row]}, column {column}{named}, counted "
            f"from 0; {remedy}"
        )


def is_reader(X: Any) -> TypeGuard[Reader]:
    """Whether `_opened` returned a reader: the data are read by blocks."""
    return isinstance(X, READERS)


def _set_blocks(reader: Reader, limit: float) -> float:
    """Set the size of the blocks that this limit of memory allows; return it in bytes."""
    block = min(limit / BLOCK_PARTS, BLOCK_BYTES)
    set_block_bytes(reader, block)
    return block


def _header(reader: Reader) -> Any:
    """A small array or data frame from which scikit-learn reads the number and names of the features."""
    if reader.names is None:
        return np.empty((1, reader.shape[1]))
    return pd.DataFrame([[0.0] * reader.shape[1]], columns=reader.names)


def resolve_memory_limit(limit: float | str | None) -> float:
    """Bytes that `memory_limit` allows: for None half of the physical memory."""
    if limit is None:
        return physical_memory() / 2
    return float(parse_bytes(limit) or 0) if isinstance(limit, str) else float(limit)


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

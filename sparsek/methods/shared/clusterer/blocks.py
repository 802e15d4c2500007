"""Rows that are not in memory: files, chunked arrays and memory maps read by blocks, and Dask collections."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sparsek.inputs.arguments import in_words, resolve_memory_limit
from sparsek.inputs.containers import holds_sparse, numbers
from sparsek.inputs.validation import check_data, is_plain_array, require_rows
from sparsek.methods.shared.base import NO_WEIGHTS
from sparsek.methods.shared.parameters import check_values
from sparsek.methods.shared.weighted import WeightedClusterer
from sparsek.sources.local import TAKEN_ENTRIES
from sparsek.sources.readers import (
    BLOCK_BYTES,
    Reader,
    Subset,
    array_reader,
    load,
    row_bytes,
    set_block_bytes,
)
from sparsek.sources.sample import SAMPLE_ENTRIES
from sparsek.sources.source import (
    FileSource,
    Plan,
    Source,
)

BLOCK_PARTS = 40
"""How many blocks `memory_limit` must hold: a step needs several times the memory of its block."""
MOST_BLOCKS = 10_000
"""Largest number of blocks of a pass: the work on smaller blocks would take longer than their rows."""


class BlockInput(WeightedClusterer):
    """Estimators that take paths, chunked arrays and memory maps, and read by blocks beyond `memory_limit`.

    A subclass sets ``_copies``: the memory that a fit in memory needs beside the data, in multiples of their
    size.
    """

    memory_limit: Any
    _copies: float
    _holes = False  # whether column statistics leave out NaN
    _keeps_to_limit: Callable[[Any], bool]

    def _opened(self, X: Any) -> Any:
        """X unchanged or loaded if a fit in memory keeps to `memory_limit`; else its reader."""
        if not is_plain_array(X):
            X = numbers(X, "X", self._finite == "allow-nan")
        if type(X) is np.ndarray and X.dtype.kind in "fiub" and self._keeps_to_limit(X):
            return X
        from sparsek.sources.files.opening import as_reader  # a fit to an array loads no file formats

        reader = as_reader(X)
        if reader is None:
            return X
        if self._needed(reader) > resolve_memory_limit(self.memory_limit):
            return reader
        return load(reader) if reader.array is None else X

    def _needed(self, reader: Reader) -> float:
        """Bytes that a fit in memory takes, not counting an array that is in memory already."""
        return reader.shape[0] * row_bytes(reader) * (self._copies + (reader.array is None))

    def _refuse(self, wrong: Iterable[tuple[str, Any, Any]], needs: str, remedy: str) -> None:
        """ValueError for the first of some options (name, value, default)."""
        for name, value, default in wrong:
            raise ValueError(f"{name}={value!r} needs {needs}; {remedy} or use {name}={default!r}")

    def _file_source(self, reader: Reader, sample_weight: ArrayLike | None) -> FileSource:
        """Rows of a reader of positive weight, with the plan of a fit by blocks."""
        from sparsek.sources.files.checked import CheckedBlocks

        limit = in_words(resolve_memory_limit(self.memory_limit))
        needs = f"the data in memory, where the fit takes about {in_words(self._needed(reader))}, more than "
        self._refuse(self._not_plain(sparse=False), needs + f"memory_limit={limit}", "raise memory_limit")
        check_data(self, _header(reader), skip_check_array=True)
        data: Any = reader
        weights = self._fit_weights = self._validate_weights(sample_weight, data)
        kept = np.ones(reader.shape[0], dtype=bool) if weights is None else weights > 0
        self._check_rows(int(kept.sum()), "rows of positive weight")
        if weights is not None and not kept.all():
            weights = weights[kept]
        rows, plan = CheckedBlocks(reader, self._holes), self._plan(reader)
        return FileSource(rows if kept.all() else Subset(rows, kept), weights, kept, plan, self._holes)

    def _check_rows(self, n_rows: int, kind: str) -> None:
        """Raise ValueError if there are fewer rows than clusters."""
        require_rows(n_rows, self.n_clusters, kind)

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
        limit = resolve_memory_limit(self.memory_limit)
        if is_plain_array(X) and (X.ndim != 2 or not X.size or self._needed(array_reader(X)) <= limit):
            return super()._validate_new(X)
        from sparsek.sources.files.checked import CheckedBlocks
        from sparsek.sources.files.opening import as_reader

        reader = as_reader(X)
        if reader is None or (reader.array is not None and self._needed(reader) <= limit):
            return super()._validate_new(X)
        check_is_fitted(self)
        _set_blocks(reader, limit)
        check_data(self, _header(reader), reset=False, skip_check_array=True)
        return CheckedBlocks(reader, self._finite == "allow-nan", self._refuse_far_rows)

    def _not_plain(self, sparse: bool) -> list[tuple[str, Any, Any]]:
        """Name, value and default of the options that need a dense array in memory."""
        return []

    def _dask_source(self, X: Any, sample_weight: ArrayLike | None) -> Source:
        """The rows of a Dask collection."""
        from sparsek.sources.dask.source import DaskSource, header

        if sample_weight is not None:
            raise ValueError(NO_WEIGHTS)
        needs = "the data in memory, but X is a Dask collection"
        self._refuse(self._not_plain(sparse=False), needs, "pass X.compute()")
        source = DaskSource(X, resolve_memory_limit(self.memory_limit), self._holes)
        self._check_rows(source.shape[0], "rows")
        check_data(self, header(X), reset=True, skip_check_array=True)
        self._fit_weights = None
        return source

    def _lazily(self, X: Any, what: str) -> Any:
        """``predict``, ``transform`` or ``score`` of the chunks of a Dask collection."""
        from sparsek.sources.dask.source import header, lazily

        check_is_fitted(self)
        check_data(self, header(X), reset=False, skip_check_array=True)
        return lazily(self, X, what)


def is_reader(X: Any) -> TypeGuard[Reader]:
    """Whether `_opened` returned a reader: the data are read by blocks."""
    return hasattr(X, "block_rows")


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

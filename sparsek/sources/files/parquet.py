"""Reader of Parquet: one file, or a folder of files with the same columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sparsek._printable import on_one_line
from sparsek.core.steps import Array
from sparsek.sources.files.footer import row_groups
from sparsek.sources.files.watch import Watch, watch_file
from sparsek.sources.readers import BLOCK_BYTES, as_floats, set_block_bytes

BUFFER_BYTES = 65_536
"""Of each column's stream."""
SHOWN = 5
"""Columns named in a message."""


class ParquetReader:
    """A `sparsek.sources.readers.Reader` of Parquet files."""

    def __init__(self, path: Path) -> None:
        self.name, self.array = str(path), None
        self.names: list[str] | None = None
        self.files = _files(path)
        self._watches: dict[Path, Watch] = {}
        types: dict[str, Any] = {}
        self._groups: list[tuple[int, int]] = []  # number of the file, and of the row group in it
        sizes = []
        for number, file in enumerate(self.files):
            self._watches[file] = watch_file(file, str(file))
            with _open(file) as opened:
                found = _columns(opened.schema_arrow, file)
                types = types or found
                _compare(types, found, self.files[0], file)
                groups = range(opened.num_row_groups)
                self._groups += [(number, group) for group in groups]
                sizes += [opened.metadata.row_group(group).num_rows for group in groups]
        self.names = list(types)
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self.shape = (int(self._starts[-1]), len(types))
        if not self.shape[0]:
            raise ValueError(f"{self.name} has no rows")
        single = all(as_floats(dtype) is np.float32 for dtype in types.values())
        self.dtype: Any = np.float32 if single else np.float64
        self.block_rows = 1
        set_block_bytes(self, BLOCK_BYTES)

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the blocks in order, each as (number of its first row, rows)."""
        start = 0
        for file in self.files:
            for X in self._batches(file, None):
                yield start, X
                start += len(X)

    def take(self, rows: Array) -> Array:
        """A copy of some rows, given by ascending numbers; reads only the row groups that hold them."""
        found = np.empty((len(rows), self.shape[1]), self.dtype)
        ends = np.searchsorted(rows, self._starts)
        for group in np.flatnonzero(np.diff(ends)).tolist():
            file, number = self._groups[group]
            start = int(self._starts[group])
            for X in self._batches(self.files[file], [number]):
                first, last = np.searchsorted(rows, [start, start + len(X)])
                found[first:last] = X[rows[first:last] - start]
                start += len(X)
        return found

    def check(self) -> None:
        """Raise OSError if a file has been changed since the reader was made."""
        for watch in self._watches.values():
            watch()

    def _batches(self, file: Path, groups: list[int] | None) -> Iterator[Array]:
        """Rows of a file, or of some of its row groups, in batches; the file must be as it was."""
        from pyarrow import ArrowException

        unchanged = self._watches[file]
        unchanged()
        with _open(file) as opened:
            try:
                batches = opened.iter_batches(self.block_rows, row_groups=groups, columns=self.names)
                for batch in batches:
                    X = np.empty((batch.num_rows, self.shape[1]), self.dtype)
                    for j, column in enumerate(batch.columns):
                        values = column.cast("uint8") if column.type == "bool" else column
                        X[:, j] = values.to_numpy(zero_copy_only=False)
                    yield X
            except (ArrowException, OSError) as error:
                unchanged()
                raise _damaged(file, error) from error
        unchanged()


def _files(path: Path) -> list[Path]:
    """The files; FileNotFoundError if one that a ``_metadata`` file lists is missing."""
    if path.is_file():
        return [path]
    files = sorted(file for file in path.glob("*.parquet") if not file.name.startswith((".", "_")))
    if not files:
        raise FileNotFoundError(f"the folder {path} has no files *.parquet")
    index = path / "_metadata"
    if index.is_file():
        with _open(index):  # raises a clear error for what is no Parquet file
            listed = {path / name for name in _listed(index) if name}
        missing = sorted(str(file) for file in listed - set(files))
        if missing:
            raise FileNotFoundError(f"{index} lists {missing[0]}, which is not there; restore or rewrite it")
    return files


def _listed(index: Path) -> set[str]:
    """The files of the row groups in a ``_metadata`` file."""
    try:
        return {column.file_path for group in row_groups(index) for column in group[:1]}
    except ValueError as error:
        raise _damaged(index, error) from error


def _open(file: Path) -> Any:
    """The opened file; a clear error if it is missing or damaged, or pyarrow is not installed."""
    try:
        import pyarrow.parquet as pq
        from pyarrow import ArrowException
    except ImportError as error:
        raise ImportError('Parquet needs pyarrow: pip install "sparsek[files]"') from error
    try:
        return pq.ParquetFile(file, buffer_size=BUFFER_BYTES, pre_buffer=False)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{file} has gone since the folder was listed; restore it") from error
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(file, error) from error


def _damaged(file: Path, error: Exception) -> ValueError:
    """The error for a file that cannot be read."""
    return ValueError(f"{file} is no readable Parquet file: {' '.join(str(error).split())}")


def _columns(schema: Any, file: Path) -> dict[str, Any]:
    """Type of each column except pandas' index columns; TypeError if one is not numeric."""
    try:
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        fields = [field for field in schema if field.name not in index]
    except (ValueError, TypeError, AttributeError) as error:  # of pandas' JSON, and of names
        raise _damaged(file, error) from error
    bad = [f"{on_one_line(field.name)} ({field.type})" for field in fields if not _is_number(field.type)]
    if bad:
        shown = ", ".join(bad[:SHOWN]) + (", ..." if bad[SHOWN:] else "")
        raise TypeError(f"{file} has columns that are not numbers: {shown}; write the file without them")
    if not fields:
        raise ValueError(f"{file} has no columns")
    if len({field.name for field in fields}) < len(fields):
        raise ValueError(f"{file} has several columns of one name; rename them")
    return {field.name: np.dtype(field.type.to_pandas_dtype()) for field in fields}


def _is_number(kind: Any) -> bool:
    """Whether an Arrow type is numeric or boolean."""
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _compare(first: dict[str, Any], found: dict[str, Any], file: Path, other: Path) -> None:
    """Raise ValueError if two files differ in columns or types."""
    if list(first) != list(found):
        unlike = [name for name in [*first, *found] if (name in first) != (name in found)]
        what = f"column {unlike[0]!r} is in one only" if unlike else "their columns are in another order"
        raise ValueError(f"{file} and {other} differ in their columns: {what}; write them alike")
    for name, dtype in first.items():
        if dtype != found[name]:
            raise ValueError(
                f"column {name!r} is {dtype} in {file} and {found[name]} in {other}; write it in one type"
            )

"""Parquet and Feather files, read by pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from sparsek._limits import check_unpacked
from sparsek.sources.files.footer import row_groups

CELL_BYTES = 8
"""What a cell takes at least."""


def read_parquet(file: Path) -> pd.DataFrame:
    """The table of a Parquet file, if its numbers and texts stay below the limit."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file) as opened:
        found, leaves = opened.metadata, list(opened.schema)
    cells = [max(CELL_BYTES, leaf.length or 0) for leaf in leaves]
    lists = [j for j, leaf in enumerate(leaves) if leaf.max_repetition_level > 0]
    columns = row_groups(file) if lists else []  # pyarrow ends the process for those of a damaged file
    numbers = 0
    for i in range(found.num_row_groups):
        group = found.row_group(i)
        entries = sum(cells[j] * columns[i][j].n_values for j in lists)
        numbers += max(group.total_byte_size, sum(cells) * group.num_rows + entries)
    check_unpacked(file, numbers, "its table")
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    if texts:
        check_unpacked(file, numbers + _text_bytes(file, texts), "its table")
    return pd.read_parquet(file, dtype_backend="numpy_nullable")


def read_feather(file: Path) -> pd.DataFrame:
    """The table of a Feather file (version 2), if its numbers and texts stay below the limit."""
    from pyarrow.ipc import open_file

    numbers = 0
    with open_file(str(file)) as opened:
        for i in range(opened.num_record_batches):
            numbers += sum(map(_column_bytes, opened.get_batch(i).columns))
            check_unpacked(file, numbers, "its table")
    return pd.read_feather(file, dtype_backend="numpy_nullable")


def _column_bytes(array: Any) -> int:
    """Bytes of a column, repeated texts as often as they occur."""
    from pyarrow import types

    if types.is_dictionary(array.type) and not types.is_string(array.type.value_type):
        array = array.dictionary_decode()
    return CELL_BYTES * len(array) + (_expanded(array) if types.is_dictionary(array.type) else array.nbytes)


def _text_bytes(file: Path, paths: list[str]) -> int:
    """Bytes of the texts of some columns of a Parquet file, which holds a repeated text once."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file, read_dictionary=paths) as opened:
        table = opened.read(columns=paths)
    return sum(_expanded(chunk) for column in table.columns for chunk in column.chunks)


def _expanded(array: Any) -> int:
    """Bytes of the texts of an Arrow array, which may stand in lists, as often as they occur."""
    from pyarrow import compute, types

    if types.is_dictionary(array.type):
        lengths = compute.binary_length(array.dictionary)
        return int(compute.sum(compute.take(lengths, array.indices)).as_py() or 0)
    if types.is_struct(array.type):
        return sum(map(_expanded, array.flatten()))
    return _expanded(array.flatten()) if types.is_nested(array.type) else 0

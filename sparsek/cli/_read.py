"""Reads the user's files: tables of numbers, and pairs of rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek._limits import SizeError, check_table_zip, check_unpacked
from sparsek.cli._cells import (
    MISSING,
    Ids,
    InputError,
    NoValue,
    ReadOptions,
    as_category,
    check_file,
    choose_columns,
    not_numbers,
    table_of_cells,
)
from sparsek.cli._options import FORMATS
from sparsek.cli._text import as_separator, read_rows
from sparsek.inputs.arguments import in_words, physical_memory
from sparsek.sources.files.footer import row_groups
from sparsek.sources.files.plink import PlinkReader
from sparsek.sources.readers import load

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
CELL_BYTES = 8
"""What a cell takes at least."""
MOST_ROWS = 2**20
"""Rows of a sheet at most, as spreadsheet programs have them."""
SHEET = "the sheet, empty cells with it,"
"""What a sheet is called in a message about its size."""
FEATURE_NAMES = "feature_names"
"""Array of an npz file that names the columns of its matrix."""


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers with names."""

    frame: pd.DataFrame  # (n, p): the numbers, float64, NaN where missing
    ids: list[str]  # Identifiers of the rows: the id column, or numbers from 1
    file: Path  # The file they were read from
    id_name: str = ""  # Name of the id column, empty if it has none

    def sha256(self) -> str:
        """Checksum of the file."""
        with self.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def read_table(file: Path, options: ReadOptions) -> Table:
    """The numbers of a file, as the options say."""
    check_file(file)
    if options.decimal not in (".", ","):
        raise InputError(f"--decimal must be a point or a comma; got {options.decimal!r}")
    compressed = file.suffix.lower() == ".gz"
    suffix = (file.with_suffix("") if compressed else file).suffix.lower()
    if suffix in SEPARATORS:
        separator = as_separator(SEPARATORS[suffix] if options.sep is None else options.sep)
        if separator == options.decimal:
            raise InputError(f"--decimal {separator!r} needs another separator of columns, such as --sep ';'")
        frame, ids = table_of_cells(read_rows(file, separator), options, file, "line")
    elif suffix == ".xlsx" and not compressed:
        frame, ids = _read_sheet(file, options)
    elif suffix in (".parquet", ".npz", ".h5ad", ".bed") and not compressed:
        frame, ids = _typed_table(_read_typed(file, suffix, options), options, file)
    else:
        raise InputError(f"{file} is of no known format: {FORMATS}; rename the file if it is one of them")
    if ids is None:
        return Table(frame, [str(n) for n in range(1, len(frame) + 1)], file)
    return Table(frame, ids.of_rows, file, ids.name)


def _read_sheet(file: Path, options: ReadOptions) -> tuple[pd.DataFrame, Ids | None]:
    """The numbers and ids of an Excel sheet, cell by cell."""
    rows = enumerate(_third_party(file, _sheet_rows, name=options.sheet), start=1)
    filled = dropwhile(lambda row: all(cell in ("", None) for cell in row[1]), rows)
    return table_of_cells(filled, options, file, "row")


def _sheet_rows(file: Path, name: str | None) -> list[list[Any]]:
    """The rows of a sheet, None for the first one, all of one length; empty cells are ""."""
    check_table_zip(file)
    with _opened(file, name, values=True) as sheet:
        rows = [[_sheet_value(cell, sheet.title) for cell in row] for row in _counted(sheet.rows, file)]
    if any(cell is None for row in rows for cell in row):
        _mark_formulas(rows, file, name)
    while rows and all(cell == "" for cell in rows[-1]):
        rows.pop()
    width = max((len(_without_end(row)) for row in rows), default=0)
    check_unpacked(file, CELL_BYTES * len(rows) * width, SHEET)
    return [row[:width] + [""] * (width - len(row)) for row in rows]


def _counted(rows: Iterable[Any], file: Path) -> Iterator[Any]:
    """Rows of a sheet, empty cells before the last one with them, if they stay below the limits."""
    cells = 0
    for number, row in enumerate(rows, start=1):
        if number > MOST_ROWS:
            raise InputError(f"{file} has a row beyond {MOST_ROWS}, the last of a sheet; write it as csv")
        cells += len(row)
        check_unpacked(file, CELL_BYTES * cells, SHEET)
        yield row


@contextmanager
def _opened(file: Path, name: str | None, values: bool) -> Iterator[Any]:
    """A sheet with the values that were stored beside formulas, or with the formulas."""
    from openpyxl import load_workbook

    with file.open("rb") as stream:  # openpyxl leaves a damaged file open
        book = load_workbook(stream, read_only=True, data_only=values, keep_links=False)
        titles = [sheet.title for sheet in book.worksheets]
        if not titles or (name is not None and name not in titles):
            raise InputError(f"{file} has no sheet {name!r}; it has {', '.join(titles) or 'none'}")
        sheet = book[titles[0] if name is None else name]
        sheet.reset_dimensions()  # files may declare wrong ones
        yield sheet


def _sheet_value(cell: Any, sheet: str) -> Any:
    """What a cell holds: "" where it is empty, None where a formula may have no value."""
    value = cell.value
    if value is None:
        return None if cell.data_type == "n" and hasattr(cell, "coordinate") else ""
    if cell.data_type == "e" and value not in MISSING:
        return NoValue(
            f"cell {cell.coordinate} of sheet {sheet!r} holds the error {value}; correct it, or write NA "
            "where the value is missing"
        )
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _mark_formulas(rows: list[list[Any]], file: Path, name: str | None) -> None:
    """Put `NoValue` for formulas without a stored value, and "" for cells that are empty."""
    with _opened(file, name, values=False) as sheet:
        for row, cells in zip(rows, sheet.rows, strict=True):
            for j, cell in enumerate(cells):
                if row[j] is None:
                    row[j] = _unknown(cell, sheet.title) if cell.data_type == "f" else ""


def _unknown(cell: Any, sheet: str) -> NoValue:
    """A formula whose value nobody has computed."""
    return NoValue(
        f"cell {cell.coordinate} of sheet {sheet!r} holds a formula without a value, as programs write it; "
        "open the file in a spreadsheet program and save it"
    )


def _without_end(row: list[Any]) -> list[Any]:
    """A row without the empty cells at its end."""
    stop = len(row)
    while stop and row[stop - 1] == "":
        stop -= 1
    return row[:stop]


def _third_party(file: Path, read: Callable[..., Any], **settings: Any) -> Any:
    """What another package reads from a file; a damaged file can raise any error there."""
    try:
        return read(file, **settings)
    except (InputError, SizeError):
        raise
    except ImportError as error:
        extra = "anndata" if file.suffix == ".h5ad" else "files"
        raise InputError(
            f'{file.suffix[1:]} files need another package: pip install "sparsek[{extra}]"'
        ) from error
    except Exception as error:  # the libraries that read a damaged file can raise any error
        text = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"cannot read {file}: {text}") from error


def _read_typed(file: Path, suffix: str, options: ReadOptions) -> pd.DataFrame:
    """A file whose columns have types."""
    if suffix == ".npz":
        frame: pd.DataFrame = _third_party(file, _read_npz, name=options.array)
        return frame
    if suffix == ".h5ad":
        return pd.DataFrame(_third_party(file, _read_h5ad, layer=options.array))
    if suffix == ".bed":
        return _read_bed(file)
    # Types that can hold missing values: whole numbers with missing ones stay whole numbers, as ids need.
    frame = _third_party(file, _read_parquet)
    return frame


def _read_bed(file: Path) -> pd.DataFrame:
    """The genotypes of PLINK's files, with the ids of the samples as index."""
    try:
        reader = PlinkReader(file)
        check_unpacked(file, CELL_BYTES * reader.shape[0] * reader.shape[1], "its table")
        genotypes: pd.DataFrame = load(reader)
    except (OSError, ValueError) as error:
        raise error if isinstance(error, SizeError) else InputError(str(error)) from error
    return genotypes.set_axis(pd.Index(reader.ids, name="sample"))


def _read_parquet(file: Path) -> pd.DataFrame:
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


def _typed_table(frame: pd.DataFrame, options: ReadOptions, file: Path) -> tuple[pd.DataFrame, Ids | None]:
    """The numbers and ids of a table whose columns have types."""
    names = [str(name) for name in frame.columns]
    columns = choose_columns(names, options, file)
    ids = None
    if columns.id_col is not None:
        ids = frame.iloc[:, columns.id_col]
    elif not isinstance(frame.index, pd.RangeIndex):  # the index that pandas wrote
        ids = frame.index.to_series()
    numbers = frame.iloc[:, columns.features]
    if numbers.empty:
        raise InputError(f"{file} has {len(frame)} rows and {numbers.shape[1]} columns of numbers; no data")
    texts = {
        j
        for j in columns.features
        if not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[j])
        or pd.api.types.is_complex_dtype(frame.dtypes.iloc[j])
    }
    words = {j for j in texts if isinstance(frame.dtypes.iloc[j], pd.StringDtype | pd.CategoricalDtype)}
    categories = columns.categories | (words if columns.all_text else set())
    if texts - categories:
        raise not_numbers(file, [names[j] for j in sorted(texts - categories)])
    plain = numbers.iloc[:, [place for place, j in enumerate(columns.features) if j not in categories]]
    values = plain.to_numpy(dtype=np.float64, na_value=np.nan)
    named = pd.DataFrame(values, columns=[names[j] for j in columns.features if j not in categories])
    for place, j in enumerate(columns.features):
        if j in categories:
            cells = [None if pd.isna(cell) else cell for cell in frame.iloc[:, j]]
            named.insert(place, names[j], as_category(cells))
    if ids is None:
        return named, None
    of_rows = ["" if pd.isna(value) else str(value) for value in ids]
    return named, Ids("" if ids.name is None else str(ids.name), of_rows)


def _read_h5ad(file: Path, layer: str | None) -> pd.DataFrame:
    """The matrix of an AnnData file, or a layer of it: cells in rows, genes in columns."""
    import anndata

    _check_h5ad(file)
    stored = anndata.read_h5ad(file)
    if layer is not None and layer not in stored.layers:
        known = ", ".join(stored.layers) or "none"
        raise InputError(f"{file} has no layer {layer!r}; its layers: {known}")
    if layer is None and stored.X is None:
        raise InputError(f"{file} has no X; name one of its layers ({', '.join(stored.layers)}) by --array")
    frame: pd.DataFrame = stored.to_df(layer)
    return frame


def _check_h5ad(file: Path) -> None:
    """Refuse an AnnData file whose arrays, or whose matrix as a dense table, are too large."""
    import h5py

    with h5py.File(file) as opened:
        sizes: list[int] = []
        opened.visititems(lambda _, entry: sizes.append(int(getattr(entry, "nbytes", 0))))
        elsewhere = _elsewhere(opened)
        if elsewhere:
            raise InputError(
                f"{elsewhere[0]} of {file} lies in another file, and nothing is read from there; write all "
                "of it into one file, as anndata does"
            )
        rows, columns = (len(opened[part][opened[part].attrs["_index"]]) for part in ("obs", "var"))
    check_unpacked(file, sum(sizes), "what is in it")
    size, memory = 8 * rows * columns, physical_memory()
    if size > memory / 2:
        raise InputError(
            f"{file} has {rows} cells and {columns} genes, which as a table take {in_words(size)}, more than "
            f"half of the memory of this machine ({in_words(memory)}): keep fewer genes, or fit its sparse "
            "matrix in Python (sparsek.anndata.cluster)"
        )


def _elsewhere(opened: Any) -> list[str]:
    """Names of what an HDF5 file takes from other files: by links, as raw bytes, or as a virtual array."""
    import h5py

    found: list[str] = []

    def look(name: str, entry: Any) -> None:
        if isinstance(entry, h5py.Dataset):
            found.extend([name] if entry.external or entry.is_virtual else [])
            return
        links = {key: entry.get(key, getlink=True) for key in entry}
        found.extend(f"{name}/{key}" for key, link in links.items() if isinstance(link, h5py.ExternalLink))

    look("", opened)
    opened.visititems(look)
    return found


def _read_npz(file: Path, name: str | None) -> pd.DataFrame:
    """The array of this name, or the only matrix."""
    check_table_zip(file)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        if name is None:
            shapes = {key: stored[key].shape for key in stored.files}
            matrices = [key for key, shape in shapes.items() if len(shape) == 2]
            if len(matrices) != 1:
                raise InputError(f"{file} has {len(matrices)} matrices among {shapes}; name one by --array")
            name = matrices[0]
        elif name not in stored.files:
            raise InputError(f"{file} has no array {name!r}; it has {', '.join(stored.files)}")
        array: NDArray[Any] = stored[name]
        names = stored[FEATURE_NAMES] if FEATURE_NAMES in stored.files else None
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise InputError(
            f"array {name!r} of {file} must be a matrix of numbers; got shape {array.shape}, {array.dtype}"
        )
    if names is None:
        return pd.DataFrame(array, columns=[f"x{j}" for j in range(1, array.shape[1] + 1)])
    if names.dtype.kind != "U" or names.shape != array.shape[1:]:
        raise InputError(
            f"{FEATURE_NAMES} of {file} must be {array.shape[1]} texts, one for each column of {name!r}; got "
            f"shape {names.shape}, {names.dtype}"
        )
    return pd.DataFrame(array, columns=names.tolist())


def read_constraints(file: Path, ids: list[str]) -> dict[str, NDArray[np.int64]]:
    """Pairs of rows from a csv file of the columns row, row, must or cannot; rows by their ids."""
    check_file(file)
    if len(set(ids)) < len(ids):
        raise InputError(
            f"constraints need ids without repeats; there are {len(ids) - len(set(ids))} repeats"
        )
    position = {name: number for number, name in enumerate(ids)}
    links: dict[str, list[list[int]]] = {"must": [], "cannot": []}
    for line, cells in read_rows(file, ","):
        if len(cells) != 3:
            raise InputError(
                f"line {line} of {file} must have 3 cells, id,id,must or cannot; it has {len(cells)}"
            )
        first, second, kind = cells
        unknown = [name for name in (first, second) if name not in position]
        if unknown or kind not in links:
            what = f"no row {unknown[0]!r}" if unknown else f"link {kind!r}, which must be must or cannot"
            raise InputError(f"line {line} of {file}: {what}")
        links[kind].append([position[first], position[second]])
    if not any(links.values()):
        raise InputError(f"{file} is empty; it must have lines id,id,must or id,id,cannot")
    return {f"{kind}_link": np.array(found, dtype=np.int64) for kind, found in links.items() if found}

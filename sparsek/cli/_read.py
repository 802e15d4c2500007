"""Reads the user's files: tables of numbers, and pairs of rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import dropwhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek._limits import SizeError, check_unpacked
from sparsek.cli._cells import (
    Ids,
    InputError,
    ReadOptions,
    Row,
    as_category,
    check_file,
    choose_columns,
    not_numbers,
    without_missing,
)
from sparsek.cli._formats.arrays import read_npy, read_npz
from sparsek.cli._formats.arrow import read_feather, read_parquet
from sparsek.cli._formats.gct import read_gct
from sparsek.cli._formats.h5ad import read_h5ad
from sparsek.cli._formats.r_objects import read_r
from sparsek.cli._formats.rows import table_of_cells
from sparsek.cli._formats.separators import recognise
from sparsek.cli._formats.sheets import other_sheets, sheet_rows
from sparsek.cli._formats.statistics import read_spss, read_stata
from sparsek.cli._formats.turned import turned_frame, turned_table
from sparsek.cli._options import FORMATS
from sparsek.cli._text import read_rows
from sparsek.sources.files.plink import PlinkReader
from sparsek.sources.readers import load

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
"""What usually separates the columns of a text, by the end of its name."""
CELL_BYTES = 8
"""What a cell takes at least."""
EXTRAS = {".h5ad": "anndata", ".rds": "foreign", ".rdata": "foreign", ".rda": "foreign", ".sav": "foreign"}
"""Extras that bring what reads a format; all others are read by the extra `files`."""
Read = tuple[pd.DataFrame, Ids | None]
"""A table and the identifiers of its rows."""


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers with names."""

    frame: pd.DataFrame  # (n, p): the numbers, float64, NaN where missing
    ids: list[str]  # Identifiers of the rows: the id column, or numbers from 1
    file: Path  # The file they were read from
    id_name: str = ""  # Name of the id column, empty if it has none
    recognised: str = ""  # What the first lines of a text showed, in words

    def sha256(self) -> str:
        """Checksum of the file."""
        with self.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def read_table(file: Path, options: ReadOptions) -> Table:
    """The numbers of a file, as the options say."""
    check_file(file)
    if options.decimal not in (None, ".", ","):
        raise InputError(f"--decimal must be a point or a comma; got {options.decimal!r}")
    compressed = file.suffix.lower() == ".gz"
    suffix = (file.with_suffix("") if compressed else file).suffix.lower()
    told = ""
    if suffix in SEPARATORS:
        separator, decimal, told = recognise(file, SEPARATORS[suffix], options)
        if separator == decimal:
            raise InputError(f"--decimal {separator!r} needs another separator of columns, such as --sep ';'")
        options = replace(options, decimal=decimal)
        frame, ids = _table(read_rows(file, separator, options.skip), options, file, "line")
    elif suffix == ".gct":
        rows, of_gct = read_gct(file, options)
        frame, ids = _table(rows, of_gct, file, "line")
    elif suffix == ".xlsx" and not compressed:
        frame, ids = _read_sheet(file, options)
    elif suffix in TYPED and not compressed:
        frame, ids = _read_typed(file, suffix, options)
    else:
        raise InputError(f"{file} is of no known format: {FORMATS}; rename the file if it is one of them")
    if ids is None:
        return Table(frame, [str(n) for n in range(1, len(frame) + 1)], file, recognised=told)
    return Table(frame, ids.of_rows, file, ids.name, told)


def _table(rows: Iterator[Row], options: ReadOptions, file: Path, unit: str) -> Read:
    """The numbers and ids of rows of cells."""
    read = turned_table if options.transpose else table_of_cells
    return read(rows, options, file, unit)


def _read_sheet(file: Path, options: ReadOptions) -> Read:
    """The numbers and ids of an Excel sheet, cell by cell."""
    rows = enumerate(_third_party(file, sheet_rows, name=options.sheet)[options.skip :], options.skip + 1)
    filled = dropwhile(lambda row: all(cell in ("", None) for cell in row[1]), rows)
    try:
        return _table(filled, options, file, "row")
    except InputError as error:
        others = other_sheets(file) if options.sheet is None else []
        if not others:
            raise
        raise InputError(
            f"{error}. This is the first sheet; the others are {', '.join(others)}: name one by --sheet"
        ) from error


def _third_party(file: Path, read: Callable[..., Any], **settings: Any) -> Any:
    """What another package reads from a file; a damaged file can raise any error there."""
    try:
        return read(file, **settings)
    except (InputError, SizeError):
        raise
    except ImportError as error:
        extra = EXTRAS.get(file.suffix.lower(), "files")
        raise InputError(
            f'{file.suffix[1:]} files need another package: pip install "sparsek[{extra}]"'
        ) from error
    except Exception as error:  # the libraries that read a damaged file can raise any error
        text = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"cannot read {file}: {text}") from error


TYPED: dict[str, Callable[[Path, ReadOptions], pd.DataFrame]] = {
    ".bed": lambda file, _: _read_bed(file),
    ".dta": lambda file, _: read_stata(file),
    ".feather": lambda file, _: read_feather(file),
    ".h5ad": lambda file, options: read_h5ad(file, options),
    ".npy": lambda file, _: read_npy(file),
    ".npz": lambda file, options: read_npz(file, options.array),
    # Types that can hold missing values: whole numbers with missing ones stay whole numbers, as ids need.
    ".parquet": lambda file, _: read_parquet(file),
    ".rda": lambda file, options: read_r(file, options.array),
    ".rdata": lambda file, options: read_r(file, options.array),
    ".rds": lambda file, options: read_r(file, options.array),
    ".sav": lambda file, _: read_spss(file),
}
"""What reads a file whose columns have types."""


def _read_typed(file: Path, suffix: str, options: ReadOptions) -> Read:
    """The numbers and ids of a file whose columns have types."""
    if options.skip:
        raise InputError(f"--skip leaves out lines of texts and rows of sheets; {file} is neither")
    frame = _third_party(file, lambda path: TYPED[suffix](path, options))
    if options.transpose:
        frame, options = turned_frame(frame, options, file)
    return _typed_table(frame, options, file)


def _read_bed(file: Path) -> pd.DataFrame:
    """The genotypes of PLINK's files, with the ids of the samples as index."""
    try:
        reader = PlinkReader(file)
        check_unpacked(file, CELL_BYTES * reader.shape[0] * reader.shape[1], "its table")
        genotypes: pd.DataFrame = load(reader)
    except (OSError, ValueError) as error:
        raise error if isinstance(error, SizeError) else InputError(str(error)) from error
    return genotypes.set_axis(pd.Index(reader.ids, name="sample"))


def _typed_table(frame: pd.DataFrame, options: ReadOptions, file: Path) -> Read:
    """The numbers and ids of a table whose columns have types."""
    names, ids = [str(name) for name in frame.columns], None
    of_index = {str(name) for name in frame.index.names} - {*names}
    options = replace(options, drop=tuple(name for name in options.drop if name not in of_index))
    if options.id_col in of_index:
        ids = frame.index.get_level_values(options.id_col).to_series()
        options = replace(options, id_col=None)
    columns = choose_columns(names, options, file)
    if columns.id_col is not None:
        ids = frame.iloc[:, columns.id_col]
    elif ids is None and not isinstance(frame.index, pd.RangeIndex):  # the index that pandas wrote
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
    values = without_missing(plain.to_numpy(dtype=np.float64, na_value=np.nan, copy=True), options)
    named = pd.DataFrame(values, columns=[names[j] for j in columns.features if j not in categories])
    for place, j in enumerate(columns.features):
        if j in categories:
            cells = [None if pd.isna(cell) else cell for cell in frame.iloc[:, j]]
            named.insert(place, names[j], as_category(cells, options.missing))
    if ids is None:
        return named, None
    of_rows = ["" if pd.isna(value) else str(value) for value in ids]
    return named, Ids("" if ids.name is None else str(ids.name), of_rows)


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

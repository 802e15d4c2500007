"""Reads the user's files: tables of numbers, and pairs of rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
EXACT: dict[str, Any] = {}
"""Option that makes pandas read decimals correctly rounded; pandas 3.1 always does and deprecates it."""
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
    EXACT["float_precision"] = "round_trip"
FORMATS = "csv, tsv (also .gz), parquet, xlsx, npz"


class InputError(ValueError):
    """An error in the user's input; the text says in one line what is wrong and how to correct it."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a table.

    Attributes
    ----------
    header : bool
        Whether the first line holds the names.
    id_col : str or None
        Name, or number from 1, of the column that identifies the rows.
    drop : tuple of str
        Columns to leave out.
    sep : str or None
        Separator of the columns; None takes the one usual for the file's ending.
    sheet : str or None
        Sheet of an Excel file; None takes the first.
    array : str or None
        Array of an npz file; None takes the only one with two dimensions.
    """

    header: bool = True
    id_col: str | None = None
    drop: tuple[str, ...] = ()
    sep: str | None = None
    sheet: str | None = None
    array: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers with names.

    Attributes
    ----------
    frame : DataFrame of shape (n, p)
        The numbers, float64, NaN where missing.
    ids : list of str, length n
        Identifiers of the rows: the id column, or numbers from 1.
    file : Path
        The file they were read from.
    """

    frame: pd.DataFrame
    ids: list[str]
    file: Path

    def sha256(self) -> str:
        """Checksum of the file."""
        with self.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def read_table(file: Path, options: ReadOptions) -> Table:
    """The numbers of a file, as the options say."""
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    frame = _read_frame(file, options)
    frame.columns = [str(name) for name in frame.columns]
    ids = [str(number) for number in range(1, len(frame) + 1)]
    if not isinstance(frame.index, pd.RangeIndex):  # R's row names, or the index that pandas wrote
        ids = [str(name) for name in frame.index]
        frame = frame.reset_index(drop=True)
    left_out = [_find_column(frame.columns, name, file) for name in options.drop]
    if options.id_col is not None:
        left_out.append(_find_column(frame.columns, options.id_col, file))
        ids = [str(value) for value in frame[left_out[-1]]]
    frame = frame.drop(columns=left_out)
    if frame.empty:
        raise InputError(f"{file} has {len(frame)} rows and {frame.shape[1]} columns of numbers; no data")
    texts = [str(name) for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    if texts:
        raise InputError(
            f"{file} has columns that are not numbers: {', '.join(texts[:5])}{', ...' if texts[5:] else ''}; "
            "name the one that identifies the rows by --id-col, leave others out by --drop"
        )
    numbers = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return Table(pd.DataFrame(numbers, columns=frame.columns), ids, file)


def _read_frame(file: Path, options: ReadOptions) -> pd.DataFrame:
    """The file as pandas reads it."""
    compressed = file.suffix == ".gz"
    suffix = (file.with_suffix("") if compressed else file).suffix.lower()
    try:
        if suffix in SEPARATORS:
            return _read_text(file, SEPARATORS[suffix] if options.sep is None else options.sep, options)
        if suffix == ".parquet" and not compressed:
            return pd.read_parquet(file)
        if suffix == ".xlsx" and not compressed:
            sheet = 0 if options.sheet is None else options.sheet
            frame = pd.read_excel(file, sheet_name=sheet, header=0 if options.header else None)
            return frame if options.header else _numbered(frame)
        if suffix == ".npz" and not compressed:
            return _read_npz(file, options.array)
    except ImportError as error:
        raise InputError(f'{suffix[1:]} files need another package: pip install "sparsek[files]"') from error
    except (OSError, ValueError, KeyError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {file}: {' '.join(str(error).split())}") from error
    raise InputError(f"{file} is of no known format: {FORMATS}; rename the file if it is one of them")


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Name the columns x1, x2, ..."""
    return frame.set_axis([f"x{j}" for j in range(1, frame.shape[1] + 1)], axis=1)


def _read_text(file: Path, sep: str, options: ReadOptions) -> pd.DataFrame:
    """A table in a text file; decimals correctly rounded, identifiers word for word."""
    settings: dict[str, Any] = {"sep": sep, "header": 0 if options.header else None}
    names = list(pd.read_csv(file, nrows=0 if options.header else 1, **settings).columns)
    labels = names if options.header else [f"x{j}" for j in range(1, len(names) + 1)]
    if options.header and len(names) == 1 and sep == "," and ";" in str(names[0]):
        raise InputError(f"{file} seems to be separated by semicolons; use --sep ';'")
    if options.header and _holds_no_names(names):
        raise InputError(f"line 1 of {file} holds numbers only, no names; use --no-header")
    texts: Any = {}
    if options.id_col is not None:
        texts = {names[labels.index(_find_column(pd.Index(labels), options.id_col, file))]: str}
    frame = pd.read_csv(file, dtype=texts, **settings, **EXACT)
    return frame if options.header else _numbered(frame)


def _holds_no_names(names: list[Any]) -> bool:
    """Whether the first line holds numbers only; 0, 1, 2, ... and 1, 2, 3, ... count as names."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return False
    return not any(numbers == list(range(first, first + len(names))) for first in (0, 1))


def _read_npz(file: Path, name: str | None) -> pd.DataFrame:
    """The array of this name, or the only matrix."""
    with np.load(file, allow_pickle=False) as stored:
        if name is None:
            shapes = {key: stored[key].shape for key in stored.files}
            matrices = [key for key, shape in shapes.items() if len(shape) == 2]
            if len(matrices) != 1:
                raise InputError(f"{file} has {len(matrices)} matrices among {shapes}; name one by --array")
            name = matrices[0]
        elif name not in stored.files:
            raise InputError(f"{file} has no array {name!r}; it has {', '.join(stored.files)}")
        array: NDArray[Any] = stored[name]
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise InputError(
            f"array {name!r} of {file} must be a matrix of numbers; got shape {array.shape}, {array.dtype}"
        )
    return _numbered(pd.DataFrame(array))


def _find_column(columns: pd.Index, name: str, file: Path) -> str:
    """A column by its name or, where no column has it, by its number from 1."""
    if name in columns:
        return name
    if name.isdigit() and 1 <= int(name) <= len(columns):
        return str(columns[int(name) - 1])
    shown = ", ".join(map(str, columns[:8])) + (", ..." if len(columns) > 8 else "")
    raise InputError(f"{file} has no column {name!r}; it has {len(columns)}: {shown}")


def read_constraints(file: Path, ids: list[str]) -> dict[str, NDArray[np.int64]]:
    """Pairs of rows from a csv file of the columns row, row, must or cannot; rows by their ids."""
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    try:
        pairs = pd.read_csv(file, header=None, dtype=str, skipinitialspace=True)
    except ValueError as error:
        raise InputError(f"cannot read {file}: {' '.join(str(error).split())}") from error
    if pairs.shape[1] != 3:
        raise InputError(f"{file} must have 3 columns, row,row,must or cannot; it has {pairs.shape[1]}")
    if len(set(ids)) < len(ids):
        raise InputError(
            f"constraints need ids without repeats; there are {len(ids) - len(set(ids))} repeats"
        )
    position = {name: number for number, name in enumerate(ids)}
    links: dict[str, list[list[int]]] = {"must": [], "cannot": []}
    for line, (first, second, kind) in enumerate(pairs.itertuples(index=False), start=1):
        unknown = [name for name in (first, second) if name not in position]
        if unknown or kind not in links:
            what = f"no row {unknown[0]!r}" if unknown else f"link {kind!r}, which must be must or cannot"
            raise InputError(f"line {line} of {file}: {what}")
        links[kind].append([position[first], position[second]])
    return {f"{kind}_link": np.array(found, dtype=np.int64) for kind, found in links.items() if found}

"""Tables from rows of cells, by fixed rules: a cell is a number or missing, or an error names its place.

Light: errors in options come before numpy and pandas are loaded.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

MISSING = frozenset(
    {"", "NA", "NaN", "nan", "-NaN", "-nan", "N/A", "n/a", "NULL", "null", "None", "<NA>", "#NA", "#N/A"}
    | {"#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
)
"""Texts of cells without a value."""
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)
"""Texts of numbers; Python reads more as such, among them 1_000 and the digits of other scripts."""
SPACES = " \t\r\n"
"""Characters that do not count around a number or a column's name."""
ALL_TEXT = "all-text"
"""What --categories takes in place of names: all columns with a cell that is no number."""
SEPARATORS = {";": "semicolons: use --sep ';'", "\t": "tabs: use --sep '\\t'", ",": "commas: use --sep ','"}
"""What separates columns, with advice for a table that seems to have another separator."""
COMMA_TO_POINT = str.maketrans({",": ".", ".": ","})
NOT_PLAIN = re.compile(r"[_nN\x0b\x0c\x1c-\x1f]")
"""What `float` takes and this module does not, or may not: 1_0, a vertical tab or form feed, NAN."""
Row = tuple[int, Sequence[Any]]
"""Number of a row in its file, from 1, and its cells."""


class InputError(ValueError):
    """An error in the user's input; the text says in one line what is wrong and how to correct it."""


def check_file(file: Path) -> None:
    """Refuse what is no regular file."""
    if file.is_dir():
        raise InputError(f"{file} is a folder; name a file in it")
    if file.exists() and not file.is_file():
        raise InputError(
            f"{file} is a pipe or a device, which cannot be read twice; write the table to a file and name it"
        )
    if file.is_file():
        return
    if str(file) == "-":
        raise InputError("standard input cannot be read twice; write the table to a file and name it")
    raise InputError(f"there is no file {file}")


@dataclass(frozen=True, slots=True)
class NoValue:
    """A cell that a spreadsheet could not compute."""

    text: str  # Where it is, what is in it, and what to do


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a table."""

    header: bool = True  # Whether the first line holds the names
    id_col: str | None = None  # Name, or number from 1, of the column that identifies the rows
    drop: tuple[str, ...] = ()  # Columns to leave out
    sep: str | None = None  # Separator of the columns; None takes the one usual for the file's ending
    sheet: str | None = None  # Sheet of an Excel file; None takes the first
    # Array of an npz file, or layer of an h5ad file; None takes the only one with two dimensions, or X
    array: str | None = None
    decimal: str = "."  # The decimal mark of numbers in texts
    truth: str | None = None  # Name, or number from 1, of a column of known classes, which is left out
    categories: tuple[str, ...] = ()  # Columns that are categories; `ALL_TEXT` for those with texts
    batch: str | None = None  # The same of a column of batches
    weights: str | None = None  # The same of a column of weights of the rows


@dataclass(frozen=True, slots=True)
class Ids:
    """Identifiers of the rows, word for word."""

    name: str  # Name of their column, empty if it has none
    of_rows: list[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table hold what."""

    names: list[str]  # Names of all columns
    features: list[int]  # Positions of the columns of numbers
    id_col: int | None  # Position of the column that identifies the rows
    categories: frozenset[int] = frozenset()  # Positions of the columns of categories, among the features
    all_text: bool = False  # Whether features with a cell that is no number are categories too


def choose_columns(names: list[str], options: ReadOptions, file: Path) -> Columns:
    """The columns that are left, and the one with the ids; an error if a name is missing or repeated."""
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if name and first.setdefault(name, position) != position:
            raise InputError(
                f"columns {first[name] + 1} and {position + 1} of {file} are both named {name!r}; "
                "names must differ"
            )
    left_out = [_find_column(names, name, file) for name in options.drop]
    id_col = None if options.id_col is None else _find_column(names, options.id_col, file)
    if options.truth is not None:
        left_out.append(_truth_column(names, _find_column(names, options.truth, file), left_out, id_col))
    if options.batch is not None:
        left_out.append(_batch_column(names, _find_column(names, options.batch, file), options, file))
    if options.weights is not None:
        left_out.append(_find_column(names, options.weights, file))
    features = [j for j in range(len(names)) if j not in left_out and j != id_col]
    unnamed = [j + 1 for j in features if not names[j]]
    if unnamed:
        raise InputError(
            f"column {unnamed[0]} of {file} has no name; if it identifies the rows use "
            f"--id-col {unnamed[0]}, or leave it out by --drop {unnamed[0]}"
        )
    all_text = options.categories == (ALL_TEXT,)
    given = () if all_text else options.categories
    categories = frozenset(_find_column(names, name, file) for name in given)
    wrong = [names[j] for j in categories if j not in features]
    if wrong:
        raise InputError(
            f"--categories names column {wrong[0]!r}, which is left out of the fit by another option"
        )
    return Columns(names, features, id_col, categories, all_text)


def _truth_column(names: list[str], truth: int, left_out: list[int], id_col: int | None) -> int:
    """The column of known classes; an error if another option names it too."""
    if truth == id_col:
        raise InputError(
            f"--truth and --id-col both name column {names[truth]!r}; classes that are different in every "
            "row cannot be compared with clusters: name one of the two otherwise"
        )
    if truth in left_out:
        raise InputError(
            f"--truth and --drop both name column {names[truth]!r}; --truth leaves it out already: take it "
            "out of --drop"
        )
    return truth


def _batch_column(names: list[str], batch: int, options: ReadOptions, file: Path) -> int:
    """The column of batches; an error if it has the known classes too."""
    if options.truth is not None and batch == _find_column(names, options.truth, file):
        raise InputError(
            f"--truth and --batch both name column {names[batch]!r}; differences between batches are taken "
            "out before the fit, so that no cluster can follow them: name one of the two otherwise"
        )
    return batch


def _find_column(names: list[str], name: str, file: Path) -> int:
    """Position of a column by its name or, where no column has it, by its number from 1."""
    if name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(names):
        return int(name) - 1
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    raise InputError(f"{file} has no column {name!r}; it has {len(names)}: {shown}")


def _with_points(text: str, decimal: str) -> str:
    """A text with points for decimal commas, and commas for points, if the comma is the decimal mark."""
    return text.translate(COMMA_TO_POINT) if decimal == "," else text


def number_of(cell: Any, decimal: str = ".") -> float:
    """The number in a cell, correctly rounded, NaN if it is missing; ValueError if it holds anything else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        text = cell.strip(SPACES)
        if text in MISSING:
            return math.nan
        number = _with_points(text, decimal)
        if NUMBER.fullmatch(number):
            return float(number)
    elif isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    raise ValueError(f"{cell!r} is not a number")


def _plain_numbers(cells: Sequence[Any], decimal: str) -> list[float]:
    """The numbers in cells of plain texts; ValueError where `number_of` has to look at each."""
    text = "".join(cells)
    if not text.isascii() or NOT_PLAIN.search(text):
        raise ValueError
    return list(map(float, (_with_points(cell, decimal) for cell in cells) if decimal == "," else cells))


@dataclass(slots=True)
class _Numbers:
    """The numbers of a table, row after row, and the first cell of every column that is not a number."""

    columns: Columns
    decimal: str
    values: array[float] = field(default_factory=lambda: array("d"))
    rows: list[Sequence[Any]] = field(default_factory=list)  # The cells, where columns may be categories
    wrong: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def add(self, row: int, cells: Sequence[Any]) -> None:
        """Append the numbers of a row."""
        if self.columns.categories or self.columns.all_text:
            self.rows.append(cells)
        try:
            self.values.extend(_plain_numbers(cells, self.decimal))
        except (ValueError, TypeError):
            for position, cell in zip(self.columns.features, cells, strict=True):
                try:
                    self.values.append(number_of(cell, self.decimal))
                except ValueError:
                    self.wrong.setdefault(position, (row, cell))
                    self.values.append(math.nan)

    def frame(self, file: Path, unit: str) -> pd.DataFrame:
        """The table; an error if a column is not of numbers or nothing is left."""
        names = [self.columns.names[j] for j in self.columns.features]
        rows = len(self.values) // len(names) if names else 0
        if not rows:
            raise InputError(f"{file} has {rows} rows and {len(names)} columns of numbers; no data")
        of_categories = {j for j in self.wrong if self.columns.all_text} | self.columns.categories
        wrong = {position: cell for position, cell in self.wrong.items() if position not in of_categories}
        if wrong:
            position, (row, cell) = min(wrong.items(), key=lambda item: item[1][0])
            _refuse_no_value(file, cell)
            place = f"{unit} {row}, column {self.columns.names[position]}: {shorten(cell)}"
            texts = [self.columns.names[j] for j in sorted(wrong)]
            raise not_numbers(file, texts, f"; {place} is not a number{_hint(cell, len(names))}")
        import numpy as np  # late, see the module
        import pandas as pd

        found = pd.DataFrame(np.array(self.values).reshape(rows, len(names)), columns=names)
        for column, position in enumerate(self.columns.features):
            if position in of_categories:
                cells = [row[column] for row in self.rows]
                _refuse_no_value(file, *cells)
                found[names[column]] = as_category(cells)
        return found


def _refuse_no_value(file: Path, *cells: Any) -> None:
    """An error at a cell that a spreadsheet could not compute."""
    for cell in cells:
        if isinstance(cell, NoValue):
            raise InputError(f"{file}: {cell.text}")


def not_numbers(file: Path, names: list[str], place: str = "") -> InputError:
    """The error for columns that do not hold numbers."""
    return InputError(
        f"{file} has columns that are not numbers: {', '.join(names[:5])}{', ...' if names[5:] else ''}; "
        "name the one that identifies the rows by --id-col, leave others out by --drop, or read them as "
        f"categories by --categories (a,b or {ALL_TEXT}){place}"
    )


def as_category(cells: Sequence[Any]) -> pd.Series[Any]:
    """Cells as a category, missing ones without a level."""
    import pandas as pd  # late, see the module

    texts = [None if cell is None else str(cell).strip(SPACES) for cell in cells]
    return pd.Series([None if text in MISSING else text for text in texts], dtype="category")


def shorten(cell: Any) -> str:
    """A cell as it is shown in a message."""
    text = str(cell)
    return repr(text if len(text) <= 30 else text[:30] + "...")


def _hint(cell: Any, width: int) -> str:
    """What may be meant by a cell that is not a number."""
    text = str(cell).strip(SPACES)
    if text.lower() in ("true", "false", "t", "f", "yes", "no"):
        return "; write 1 and 0 for true and false"
    number = re.fullmatch(r"[+-]?[\d.,' _\u00a0\u202f]*\d", text) and text.count(",") < 2
    if number and not text.isdigit():
        return (
            "; a decimal point must be a point unless --decimal says otherwise, and thousands must not be "
            "separated"
        )
    if width == 1:
        for separator, advice in SEPARATORS.items():
            if separator in text:
                return f"; the columns seem to be separated by {advice}"
    return ""


def header_names(cells: Sequence[Any]) -> list[str]:
    """Names of the columns from the cells of the header."""
    return ["" if cell is None else str(cell).strip(SPACES) for cell in cells]


def _holds_no_names(names: list[str], decimal: str) -> bool:
    """Whether the first line holds numbers only; 0, 1, 2, ... and 1, 2, 3, ... count as names."""
    names = [_with_points(name, decimal) for name in names]
    if not all(NUMBER.fullmatch(name) for name in names):
        return False
    numbers = [float(name) for name in names]
    return not any(numbers == list(range(first, first + len(names))) for first in (0, 1))


def table_of_cells(
    rows: Iterable[Row], options: ReadOptions, file: Path, unit: str
) -> tuple[pd.DataFrame, Ids | None]:
    """The numbers of a table, shape (n, p), and with an id column the ids."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        raise InputError(f"{file} is empty; no data")
    top, cells = first
    names = [f"x{j}" for j in range(1, len(cells) + 1)]
    if options.header:
        _refuse_no_value(file, *cells)
        names = header_names(cells)
        if _holds_no_names(names, options.decimal):
            raise InputError(f"{unit} {top} of {file} holds numbers only, no names; use --no-header")
    else:
        rows = chain([first], rows)
    columns = choose_columns(names, options, file)
    numbers, ids = _Numbers(columns, options.decimal), []
    pick = _picker(columns.features)
    for row, cells in rows:
        if len(cells) != len(names):
            raise _wrong_width(file, unit, (row, cells), first, options.header)
        if columns.id_col is not None:
            _refuse_no_value(file, cells[columns.id_col])
            ids.append("" if cells[columns.id_col] is None else str(cells[columns.id_col]))
        numbers.add(row, pick(cells))
    frame = numbers.frame(file, unit)
    return frame, None if columns.id_col is None else Ids(names[columns.id_col], ids)


def _picker(positions: list[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that gives the cells at these positions."""
    if len(positions) < 2:
        return lambda cells: [cells[j] for j in positions]
    return itemgetter(*positions)


def _wrong_width(file: Path, unit: str, wrong: Row, first: Row, header: bool) -> InputError:
    """The error for a row with more or fewer cells than the first one has."""
    (row, cells), (top, names) = wrong, first
    text = f"{unit} {row} of {file} has {len(cells)} cells, but {unit} {top} has {len(names)}"
    if any(str(row_cells[0]).startswith("#") for row_cells in (cells, names)):
        return InputError(f"{text}; lines of comments are not understood: delete them")
    if len(cells) == len(names) + 1 and str(cells[-1]).strip(SPACES) == "":
        return InputError(f"{text}; there is a separator too many at its end")
    if header and len(cells) == len(names) + 1:
        return InputError(
            f"{text}; if the first cells are row names, as R's write.table makes them, put a name for their "
            f"column at the start of {unit} {top}, such as id, and use --id-col 1 (with col.names=NA "
            "write.table does the first)"
        )
    return InputError(f"{text}; every {unit} must have the same number of cells")

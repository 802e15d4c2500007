"""What cells of a table may be, by fixed rules: numbers, missing, categories; and what columns are for.

Light: errors in options come before numpy and pandas are loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
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
    decimal: str | None = None  # The decimal mark of numbers in texts; None for the one that is recognised
    truth: str | None = None  # Name, or number from 1, of a column of known classes, which is left out
    categories: tuple[str, ...] = ()  # Columns that are categories; `ALL_TEXT` for those with texts
    batch: str | None = None  # The same of a column of batches
    weights: str | None = None  # The same of a column of weights of the rows
    na: tuple[str, ...] = ()  # Further texts, or numbers, of cells without a value
    skip: int = 0  # Lines or rows before the names of the columns
    transpose: bool | None = None  # Whether rows are features; None as the format says, else no
    names_col: str | None = None  # Of a table whose rows are features: the column with their names

    @property
    def missing(self) -> frozenset[str]:
        """Texts of cells without a value."""
        return MISSING.union(self.na)

    @property
    def missing_numbers(self) -> list[float]:
        """Numbers that stand for no value."""
        texts = (with_points(text, self.mark) for text in self.na)
        return [float(text) for text in texts if NUMBER.fullmatch(text)]

    @property
    def mark(self) -> str:
        """The decimal mark, a point where nothing else is known."""
        return self.decimal or "."


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
    left_out = [find_column(names, name, file) for name in options.drop]
    id_col = None if options.id_col is None else find_column(names, options.id_col, file)
    if options.truth is not None:
        left_out.append(_truth_column(names, find_column(names, options.truth, file), left_out, id_col))
    if options.batch is not None:
        left_out.append(_batch_column(names, find_column(names, options.batch, file), options, file))
    if options.weights is not None:
        left_out.append(find_column(names, options.weights, file))
    features = [j for j in range(len(names)) if j not in left_out and j != id_col]
    unnamed = [j + 1 for j in features if not names[j]]
    if unnamed:
        raise InputError(
            f"column {unnamed[0]} of {file} has no name; if it identifies the rows use "
            f"--id-col {unnamed[0]}, or leave it out by --drop {unnamed[0]}"
        )
    all_text = options.categories == (ALL_TEXT,)
    given = () if all_text else options.categories
    categories = frozenset(find_column(names, name, file) for name in given)
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
    if options.truth is not None and batch == find_column(names, options.truth, file):
        raise InputError(
            f"--truth and --batch both name column {names[batch]!r}; differences between batches are taken "
            "out before the fit, so that no cluster can follow them: name one of the two otherwise"
        )
    return batch


def find_column(names: list[str], name: str, file: Path) -> int:
    """Position of a column by its name or, where no column has it, by its number from 1."""
    if name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(names):
        return int(name) - 1
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    raise InputError(f"{file} has no column {name!r}; it has {len(names)}: {shown}")


def with_points(text: str, decimal: str) -> str:
    """A text with points for decimal commas, and commas for points, if the comma is the decimal mark."""
    return text.translate(COMMA_TO_POINT) if decimal == "," else text


def number_of(cell: Any, decimal: str = ".", missing: frozenset[str] = MISSING) -> float:
    """The number in a cell, correctly rounded, NaN if it is missing; ValueError if it holds anything else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        text = cell.strip(SPACES)
        if text in missing:
            return math.nan
        number = with_points(text, decimal)
        if NUMBER.fullmatch(number):
            return float(number)
    elif isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    raise ValueError(f"{cell!r} is not a number")


def numbers_of(cells: Sequence[Any], options: ReadOptions) -> tuple[list[float], list[int]]:
    """The numbers in cells, NaN where there is none; and the places of those that hold anything else."""
    try:
        return _plain_numbers(cells, options.mark), []
    except (ValueError, TypeError):
        pass
    numbers, wrong, missing = [], [], options.missing
    for place, cell in enumerate(cells):
        try:
            numbers.append(number_of(cell, options.mark, missing))
        except ValueError:
            wrong.append(place)
            numbers.append(math.nan)
    return numbers, wrong


def without_missing(values: Any, options: ReadOptions) -> Any:
    """An array of numbers, NaN for those that stand for no value."""
    for number in options.missing_numbers:
        values[values == number] = math.nan
    return values


def _plain_numbers(cells: Sequence[Any], decimal: str) -> list[float]:
    """The numbers in cells of plain texts; ValueError where `number_of` has to look at each."""
    text = "".join(cells)
    if not text.isascii() or NOT_PLAIN.search(text):
        raise ValueError
    return list(map(float, (with_points(cell, decimal) for cell in cells) if decimal == "," else cells))


def refuse_no_value(file: Path, *cells: Any) -> None:
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


def as_category(cells: Sequence[Any], missing: frozenset[str] = MISSING) -> pd.Series[Any]:
    """Cells as a category, missing ones without a level."""
    import pandas as pd  # late, see the module

    texts = [None if cell is None else str(cell).strip(SPACES) for cell in cells]
    return pd.Series([None if text in missing else text for text in texts], dtype="category")


def shorten(cell: Any) -> str:
    """A cell as it is shown in a message."""
    text = str(cell)
    return repr(text if len(text) <= 30 else text[:30] + "...")

"""Tables from rows of cells: a cell is a number or missing, or an error names its place."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sparsek.cli._cells import (
    NUMBER,
    SPACES,
    Columns,
    Ids,
    InputError,
    ReadOptions,
    Row,
    as_category,
    choose_columns,
    not_numbers,
    numbers_of,
    refuse_no_value,
    shorten,
    with_points,
    without_missing,
)

SEPARATORS = {";": "semicolons: use --sep ';'", "\t": "tabs: use --sep '\\t'", ",": "commas: use --sep ','"}
"""What separates columns, with advice for a table that seems to have another separator."""


@dataclass(slots=True)
class _Numbers:
    """The numbers of a table, row after row, and the first cell of every column that is not a number."""

    columns: Columns
    options: ReadOptions
    values: array[float] = field(default_factory=lambda: array("d"))
    rows: list[Sequence[Any]] = field(default_factory=list)  # The cells, where columns may be categories
    wrong: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def add(self, row: int, cells: Sequence[Any]) -> None:
        """Append the numbers of a row."""
        if self.columns.categories or self.columns.all_text:
            self.rows.append(cells)
        numbers, wrong = numbers_of(cells, self.options)
        self.values.extend(numbers)
        for place in wrong:
            self.wrong.setdefault(self.columns.features[place], (row, cells[place]))

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
            refuse_no_value(file, cell)
            place = f"{unit} {row}, column {self.columns.names[position]}: {shorten(cell)}"
            texts = [self.columns.names[j] for j in sorted(wrong)]
            raise not_numbers(file, texts, f"; {place} is not a number{_hint(cell, len(names))}")
        found = pd.DataFrame(
            without_missing(np.array(self.values), self.options).reshape(rows, len(names)), columns=names
        )
        for column, position in enumerate(self.columns.features):
            if position in of_categories:
                cells = [row[column] for row in self.rows]
                refuse_no_value(file, *cells)
                found[names[column]] = as_category(cells, self.options.missing)
        return found


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
        names = header_names(cells)
        refuse_title(file, names, unit, top)
        refuse_no_value(file, *cells)
        if _holds_no_names(names, options.mark):
            raise InputError(f"{unit} {top} of {file} holds numbers only, no names; use --no-header")
    else:
        rows = chain([first], rows)
    columns = choose_columns(names, options, file)
    numbers, ids = _Numbers(columns, options), []
    pick = _picker(columns.features)
    for row, cells in rows:
        if len(cells) != len(names):
            raise wrong_width(file, unit, (row, cells), first, options.header)
        if columns.id_col is not None:
            refuse_no_value(file, cells[columns.id_col])
            ids.append("" if cells[columns.id_col] is None else str(cells[columns.id_col]))
        numbers.add(row, pick(cells))
    frame = numbers.frame(file, unit)
    return frame, None if columns.id_col is None else Ids(names[columns.id_col], ids)


def header_names(cells: Sequence[Any]) -> list[str]:
    """Names of the columns from the cells of the header."""
    return ["" if cell is None else str(cell).strip(SPACES) for cell in cells]


def _holds_no_names(names: list[str], decimal: str) -> bool:
    """Whether the first line holds numbers only; 0, 1, 2, ... and 1, 2, 3, ... count as names."""
    names = [with_points(name, decimal) for name in names]
    if not all(NUMBER.fullmatch(name) for name in names):
        return False
    numbers = [float(name) for name in names]
    return not any(numbers == list(range(first, first + len(names))) for first in (0, 1))


def refuse_title(file: Path, names: list[str], unit: str, row: int) -> None:
    """An error where one cell is filled among three or more that should hold names."""
    filled = [name for name in names if name]
    if len(names) > 2 and len(filled) == 1:
        raise InputError(
            f"{unit} {row} of {file} should name {len(names)} columns and holds one text, "
            f"{shorten(filled[0])}; if that is a title, --skip {row} leaves it out"
        )


def _picker(positions: list[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that gives the cells at these positions."""
    if len(positions) < 2:
        return lambda cells: [cells[j] for j in positions]
    return itemgetter(*positions)


def wrong_width(file: Path, unit: str, wrong: Row, first: Row, header: bool) -> InputError:
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
    if header and len(names) == 1 and len(cells) > 1:
        return InputError(f"{text}; if {unit} {top} is a title, --skip {top} leaves it out")
    return InputError(f"{text}; every {unit} must have the same number of cells")


def _hint(cell: Any, width: int) -> str:
    """What may be meant by a cell that is not a number."""
    text = str(cell).strip(SPACES)
    if text.lower() in ("true", "false", "t", "f", "yes", "no"):
        return "; write 1 and 0 for true and false"
    if len(text) == 1 and not text.isalnum():
        return f"; if it stands for a missing value, use --na {text!r}"
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

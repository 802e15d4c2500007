"""Sheets of Excel files, cell by cell, read by openpyxl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparsek._limits import check_table_zip, check_unpacked
from sparsek.cli._cells import MISSING, InputError, NoValue

CELL_BYTES = 8
"""What a cell takes at least."""
MOST_ROWS = 2**20
"""Rows of a sheet at most, as spreadsheet programs have them."""
SHEET = "the sheet, empty cells with it,"
"""What a sheet is called in a message about its size."""


def sheet_rows(file: Path, name: str | None) -> list[list[Any]]:
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


def other_sheets(file: Path) -> list[str]:
    """Names of the sheets after the first."""
    from openpyxl import load_workbook

    with file.open("rb") as stream:
        return [
            sheet.title for sheet in load_workbook(stream, read_only=True, keep_links=False).worksheets[1:]
        ]


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

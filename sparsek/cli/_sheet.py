"""Cells of an Excel sheet; a cell that a program left without a value says so, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparsek._limits import check_table_zip
from sparsek.cli._cells import MISSING, InputError, NoValue

Rows = list[list[Any]]


def read_sheet(file: Path, name: str | None) -> Rows:
    """The rows of a sheet, None for the first one, all of one length; empty cells are ""."""
    check_table_zip(file)
    with _opened(file, name, values=True) as sheet:
        rows = [[_value(cell, sheet.title) for cell in row] for row in sheet.rows]
    if any(cell is None for row in rows for cell in row):
        _mark_formulas(rows, file, name)
    while rows and all(cell == "" for cell in rows[-1]):
        rows.pop()
    width = max((len(_without_end(row)) for row in rows), default=0)
    return [row[:width] + [""] * (width - len(row)) for row in rows]


@contextmanager
def _opened(file: Path, name: str | None, values: bool) -> Iterator[Any]:
    """A sheet with the values that were stored beside formulas, or with the formulas."""
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=values, keep_links=False)
    try:
        titles = [sheet.title for sheet in book.worksheets]
        if not titles or (name is not None and name not in titles):
            raise InputError(f"{file} has no sheet {name!r}; it has {', '.join(titles) or 'none'}")
        sheet = book[titles[0] if name is None else name]
        sheet.reset_dimensions()  # files may declare wrong ones
        yield sheet
    finally:
        book.close()


def _value(cell: Any, sheet: str) -> Any:
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


def _mark_formulas(rows: Rows, file: Path, name: str | None) -> None:
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

"""Sections of the report beside parity: text, pictures, tables, settings and remarks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

COUNTED = 20
"""A whole number from here on shows that a column holds counts, perhaps among rates."""
Value = str | float | int | None
"""Content of a table cell; None is left blank."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Our choice of a setting that a paper leaves open."""

    text: str  # The setting
    kind: str  # "inferred" (from printed numbers or from the authors' code) or "our choice"

    def __str__(self) -> str:
        return f"{self.text} ({self.kind})"


def inferred(text: str) -> Setting:
    """A setting inferred from printed numbers or from the authors' code."""
    return Setting(text, "inferred")


def our_choice(text: str) -> Setting:
    """A setting on which nothing is known, chosen by us."""
    return Setting(text, "our choice")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the report."""

    caption: str  # Caption of the table
    columns: tuple[str, ...]  # Headings
    rows: tuple[tuple[Value, ...], ...]  # Numbers, texts or None. The words of `VERDICTS` are coloured
    digits: int  # Decimal places of the numbers that are not whole
    numeric: tuple[bool, ...]  # Columns that are aligned to the right


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its caption, and the drawing as one <svg> element."""

    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report."""

    title: str  # Heading
    anchor: str  # Name of the section in links
    text: str  # First paragraph
    pictures: tuple[Picture, ...] = ()  # Pictures, shown first
    tables: tuple[Table, ...] = ()  # Tables, shown next
    settings: tuple[Setting, ...] = ()  # Settings that the source leaves open
    remarks: tuple[str, ...] = ()  # Paragraphs at the end


VERDICTS = {
    **dict.fromkeys(("holds", "equal", "equivalent"), "good"),
    **dict.fromkeys(("does not hold", "differs", "different, higher", "different, lower"), "bad"),
}
"""Coloured words in tables, with their class in the page."""


def make_table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], digits: int = 3) -> Table:
    """A table from any values: numpy's numbers become Python's, NaN becomes None.

    Raises ValueError if a row has not one value per column.
    """
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"{caption}: {len(columns)} columns, but a row of {len(row)}: {list(row)}")
    plain = tuple(tuple(map(_plain, row)) for row in rows)
    numeric = tuple(any(isinstance(row[i], int | float) for row in plain) for i in range(len(columns)))
    return Table(caption, tuple(columns), plain, digits, numeric)


def _plain(value: Any) -> Value:
    """A cell's value as a type of JSON, which has neither NaN nor infinity."""
    if value is None or isinstance(value, str):
        return value
    number = np.asarray(value).item()
    if isinstance(number, float) and math.isinf(number):
        return "∞" if number > 0 else "-∞"
    return None if number != number else number


def show_cells(table: Mapping[str, Any]) -> list[list[tuple[str, str]]]:
    """The cells of a table for a page."""
    columns = list(zip(*table["rows"], strict=True))
    shown = [
        zip(
            _show_column(column, table["digits"]),
            [_cell_class(value, numeric) for value in column],
            strict=True,
        )
        for column, numeric in zip(columns, table["numeric"], strict=bool(columns))
    ]
    return [list(row) for row in zip(*shown, strict=True)]


def _show_column(column: Sequence[Value], digits: int) -> list[str]:
    """Texts of a column; means of counts have one decimal, and numbers that round to zero get no sign."""
    numbers = [abs(value) for value in column if isinstance(value, int | float)]
    whole = all(number == int(number) for number in numbers) and any(number >= 2 for number in numbers)
    counts = any(number >= COUNTED and number == int(number) for number in numbers)

    def show(value: Value) -> str:
        if not isinstance(value, float):
            return "" if value is None else str(value)
        if whole or (counts and abs(value) >= 2 and value == int(value)):
            return f"{value:.0f}"
        return f"{value:z.{1 if counts and abs(value) >= COUNTED else digits}f}"

    return [show(value) for value in column]


def _cell_class(value: Value, numeric: bool) -> str:
    """The class of a cell: a verdict, a number, a word that is not broken."""
    if value in VERDICTS:
        return f"{VERDICTS[value]} word"
    if numeric:
        return "n"
    return "word" if isinstance(value, str) and len(value) < 16 else ""


def count_claims(section: Mapping[str, Any]) -> tuple[int, int]:
    """How many claims of a section hold in its full run, and how many it has."""
    rows = [row for table in section["tables"] if table["columns"][0] == "Claim" for row in table["rows"]]
    found = [next((value for value in row if value in ("holds", "does not hold")), None) for row in rows]
    return found.count("holds"), len(found) - found.count(None)


def without_pictures(section: dict[str, Any]) -> dict[str, Any]:
    """A section as plain values, without its drawings, whose numbers are in the tables."""
    return {name: value for name, value in section.items() if name != "pictures"}

"""Sections of the report beside parity: text, pictures, tables, settings and remarks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Value = str | float | int | None
"""Content of a table cell; None is left blank."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Our choice of a setting that a paper leaves open.

    Attributes
    ----------
    text : str
        The setting.
    kind : str
        "inferred" (from printed numbers or from the authors' code) or "our choice".
    """

    text: str
    kind: str

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
    """A table of the report.

    Attributes
    ----------
    caption : str
        Caption of the table.
    columns : tuple of str
        Headings.
    rows : tuple of tuple
        Numbers, texts or None. The words of `VERDICTS` are coloured.
    digits : int
        Decimal places of the numbers that are not whole.
    numeric : tuple of bool
        Columns that are aligned to the right.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    digits: int
    numeric: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its caption, and the drawing as one <svg> element."""

    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report.

    Attributes
    ----------
    title : str
        Heading.
    anchor : str
        Name of the section in links.
    text : str
        First paragraph.
    pictures : tuple of Picture
        Pictures, shown first.
    tables : tuple of Table
        Tables, shown next.
    settings : tuple of Setting
        Settings that the source leaves open.
    remarks : tuple of str
        Paragraphs at the end.
    """

    title: str
    anchor: str
    text: str
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    settings: tuple[Setting, ...] = ()
    remarks: tuple[str, ...] = ()


VERDICTS = {
    **dict.fromkeys(("holds", "equal", "equivalent"), "good"),
    **dict.fromkeys(("does not hold", "differs", "different, higher", "different, lower"), "bad"),
}
"""Coloured words in tables, with their class in the page."""


def make_table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], digits: int = 3) -> Table:
    """A table from any values: numpy's numbers become Python's, NaN becomes None.

    Parameters
    ----------
    caption : str
        Caption of the table.
    columns : sequence of str
        Headings.
    rows : sequence of sequences
        One value per column.
    digits : int, default=3
        Decimal places.

    Returns
    -------
    Table
        The table.

    Raises
    ------
    ValueError
        If a row has not one value per column.
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


def show_value(value: Value, digits: int) -> str:
    """A cell's text; numbers that round to zero get no sign."""
    if isinstance(value, float):
        return f"{value:z.{digits}f}"
    return "" if value is None else str(value)


def without_pictures(section: dict[str, Any]) -> dict[str, Any]:
    """A section as plain values, without its drawings, whose numbers are in the tables."""
    return {name: value for name, value in section.items() if name != "pictures"}

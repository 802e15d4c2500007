"""Tables of a summary as text, HTML and LaTeX.

A table has named columns, or holds facts, see `facts`. No form cuts a cell in two, or a value from its name.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any
from unicodedata import category, east_asian_width

import numpy as np
import pandas as pd

from sparsek._printable import in_html, on_one_line, printable

WIDTH = 80
"""Largest number of characters of a line, unless a single pair or column needs more."""
GAP = "  "
"""Between two columns; two pairs of facts are twice as far apart."""
LONGEST_NAME, SHORTEST_NAME = 28, 16
"""Largest number of characters of a feature's name, in narrow tables and in wide ones."""
DIGITS = 4
"""Significant digits of the largest number of a column."""
LARGEST, SMALLEST = 1e7, 1e-3
"""Columns whose largest number is not between these are shown with exponents."""
MARKS = ("selected", "chosen", "used", "holds")
"""Columns whose True and False are shown as "yes" and nothing; elsewhere they are labels, shown as such."""
LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$",
})  # fmt: skip
"""What LaTeX takes for its own characters."""


def facts(left: Mapping[str, str], right: Mapping[str, str]) -> pd.DataFrame:
    """A table of facts, names and values: two on a line, and empty texts below the shorter side."""
    rows = zip_longest(left.items(), right.items(), fillvalue=("", ""))
    return pd.DataFrame([[*one, *other] for one, other in rows], dtype=object)


def as_text(heading: str, frame: pd.DataFrame) -> str:
    """A table as lines of at most `WIDTH` characters, as a terminal shows them.

    Facts that are wider stand one below the other. A wide table comes in parts that repeat the first columns.
    A line is longer where a single fact, or the first columns and one other, need it.
    """
    columns = _columns(frame)
    if not _has_names(frame):
        return _block(heading, _fitting(columns))
    first, *others = _parts(_with_short_names(columns))
    return "\n".join([_block(heading, first), *(_block(f"{heading} (continued)", part) for part in others)])


def _block(heading: str, columns: list[_Column]) -> str:
    """A part of a table, between rules."""
    head, *rows = [GAP.join(cells) for cells in zip(*(column.lines() for column in columns), strict=True)]
    width = _width(columns)
    above = [wrapped(heading)] if heading else []
    names = [head, "-" * width] if head.strip() else []
    return "\n".join(line.rstrip() for line in [*above, "=" * width, *names, *rows, "-" * width])


def as_html(frame: pd.DataFrame) -> str:
    """A table as HTML without styles."""
    names, _, rows = as_texts(frame)
    lines = [("th", names)] * bool(names) + [("td", row) for row in rows]
    cells = ["".join(f"<{tag}>{in_html(cell)}</{tag}>" for cell in line) for tag, line in lines]
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in cells), "</table>"])


def as_latex(frame: pd.DataFrame) -> str:
    """A table as a LaTeX tabular with the rules of booktabs."""
    names, right, rows = as_texts(frame)
    lines = [" & ".join(cell.translate(LATEX) for cell in line) + r" \\" for line in [names, *rows]]
    head = [lines[0], r"\midrule"] if names else []
    columns = "".join("r" if number else "l" for number in right)
    parts = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *head, *lines[1:], r"\bottomrule"]
    return "\n".join([*parts, r"\end{tabular}"])


def as_texts(frame: pd.DataFrame) -> tuple[list[str], list[bool], list[list[str]]]:
    """Names of the columns, none for facts; which hold numbers; and the cells as texts, row by row."""
    columns = _columns(frame)
    names = [column.name for column in columns] if _has_names(frame) else []
    rows = [list(row) for row in zip(*(column.cells for column in columns), strict=True)]
    return names, [column.right for column in columns], rows


def wrapped(text: str) -> str:
    """A sentence in lines of at most `WIDTH` characters; the following ones are indented."""
    return textwrap.fill(printable(text), WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def without_middle(name: str, longest: int) -> str:
    """A name, with dots in place of its middle if it is too long: names often differ at their ends."""
    if len(name) <= longest:
        return name
    head = longest // 2
    return f"{name[:head]}…{name[len(name) - (longest - head - 1) :]}"


def width_of(text: str) -> int:
    """Characters that a text takes in a terminal: two for wide letters, none for accents of their own."""
    return sum(
        0 if category(letter) in ("Mn", "Me", "Cf") else 2 if east_asian_width(letter) in ("W", "F") else 1
        for letter in text
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as texts."""

    name: str  # Empty for facts
    right: bool  # Whether its cells stand to the right
    cells: list[str]

    @property
    def width(self) -> int:
        return max(map(width_of, [self.name, *self.cells]))

    def lines(self) -> list[str]:
        """The name and the cells, all of one width."""
        texts, width = [self.name, *self.cells], self.width
        padding = [" " * (width - width_of(text)) for text in texts]
        return [
            space + text if self.right else text + space for text, space in zip(texts, padding, strict=True)
        ]


def _width(columns: list[_Column]) -> int:
    """Characters that columns take beside each other."""
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def _fitting(facts: list[_Column]) -> list[_Column]:
    """Facts with a wider gap between two on a line; all of them below one another if these do not fit."""
    names, values, others, of_others = facts
    beside = [names, values, replace(others, cells=[GAP + name for name in others.cells]), of_others]
    if _width(beside) <= WIDTH:
        return beside
    pairs = [*zip(names.cells, values.cells, strict=True), *zip(others.cells, of_others.cells, strict=True)]
    known = [(name, value) for name, value in pairs if name or value]
    widths = [width_of(name + GAP + value) for name, value in known]
    lines = [
        name + " " * (max(widths) - width) + GAP + value
        for (name, value), width in zip(known, widths, strict=True)
    ]
    return [_Column("", False, lines)]


def _with_short_names(columns: list[_Column]) -> list[_Column]:
    """The columns, with names of features that leave room for the others."""
    others = _width([column for column in columns if column.name != "feature"])
    longest = int(np.clip(WIDTH - others - len(GAP), SHORTEST_NAME, LONGEST_NAME))
    return [
        replace(column, cells=[without_middle(name, longest) for name in column.cells])
        if column.name == "feature"
        else column
        for column in columns
    ]


def _parts(columns: list[_Column]) -> list[list[_Column]]:
    """The columns of each part: the first ones, then as many others as fit."""
    n_first = _n_first(columns)
    first = columns[:n_first]
    parts = [list(first)]
    for column in columns[n_first:]:
        if len(parts[-1]) > n_first and _width([*parts[-1], column]) > WIDTH:
            parts.append(list(first))
        parts[-1].append(column)
    return parts


def _n_first(columns: list[_Column]) -> int:
    """How many columns tell the rows apart, if they leave half of a line; a rank has a name beside it."""
    if columns[0].name == "rank":
        return 2
    for n in range(1, len(columns)):
        rows = list(zip(*(column.cells for column in columns[:n]), strict=True))
        if _width(columns[:n]) > WIDTH // 2:
            break
        if len(set(rows)) == len(rows):
            return n
    return 1


def _has_names(frame: pd.DataFrame) -> bool:
    """Whether the columns have names; facts have none."""
    return isinstance(frame.columns[0], str)


def _columns(frame: pd.DataFrame) -> list[_Column]:
    """The columns as texts; of facts, values stand to the right."""
    found = []
    for j, name in enumerate(frame.columns):
        own = frame.iloc[:, j]
        named, right = (str(name), _is_number(own)) if _has_names(frame) else ("", j % 2 == 1)
        found.append(_Column(on_one_line(named), right, _texts(own)))
    return found


def _is_number(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers."""
    return bool(pd.api.types.is_numeric_dtype(column)) and not pd.api.types.is_bool_dtype(column)


def _texts(column: pd.Series[Any]) -> list[str]:
    """A column as texts; its decimal points stand below one another."""
    if column.name in MARKS and pd.api.types.is_bool_dtype(column):
        return ["yes" if value else "" for value in column]
    if not pd.api.types.is_float_dtype(column):
        return [on_one_line(str(value)) for value in column]
    values = column.to_numpy(dtype=np.float64)
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if 0 < size < SMALLEST or size >= LARGEST:
        return ["" if np.isnan(value) else f"{value:.{DIGITS - 1}e}" for value in values]
    before = int(np.floor(np.log10(size))) + 1 if size >= 1 else 0
    texts = ["" if np.isnan(value) else f"{value:.{max(DIGITS - before, 0)}f}" for value in values]
    while all(not text or ("." in text and text[-1] in "0.") for text in texts) and any(texts):
        texts = [text[:-1] for text in texts]  # zeros that end every number
    return texts

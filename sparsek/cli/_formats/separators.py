"""What separates the columns of a text, and its decimal mark, where the first lines leave no doubt."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

from sparsek.cli._cells import ReadOptions
from sparsek.cli._text import as_separator, open_lines

CANDIDATES = ("\t", ";", ",", "|", " ")
"""Separators that are recognised, blanks last."""
NAMED = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", " ": "blanks"}
"""What a message calls them."""
LINES = 200
"""Lines that are looked at."""
COMMA = re.compile(r"[+-]?(?:(?:0?|\d{4,}),\d+|\d+,(?!\d{3}$)\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""Numbers whose comma can be no mark of thousands."""
POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?", re.ASCII)
"""Numbers with a decimal point."""


def recognise(file: Path, usual: str, options: ReadOptions) -> tuple[str, str, str]:
    """The separator and the decimal mark of a text, and in words what was recognised of them.

    What the options give is taken. So is the usual separator wherever the line of names has it. Another one
    is taken if it divides all lines into as many cells, two at least.
    """
    separator = None if options.sep is None else as_separator(options.sep)
    if separator is not None and options.decimal is not None:
        return separator, options.decimal, ""
    with open_lines(file) as lines:
        sample = [line for line in islice(lines, options.skip, options.skip + LINES) if line.strip()]
    told = []
    if separator is None:
        separator = _separator(sample, usual)
        told += [] if separator == usual else [f"columns separated by {NAMED[separator]}"]
    decimal = options.decimal
    if decimal is None:
        decimal = _decimal(sample, separator)
        told += ["commas as decimal marks"] if decimal == "," else []
    return separator, decimal, " and ".join(told)


def _separator(lines: list[str], usual: str) -> str:
    """The separator that divides lines alike."""
    if _widths(lines[:1], usual) not in ([], [1]):
        return usual
    for candidate in CANDIDATES:
        widths = _widths(lines, candidate) or [0]
        first, others = widths[0], set(widths[1:])
        # R's write.table gives the names of rows no name of their own: one cell more than names.
        if candidate != usual and first > 1 and len(others) == 1 and others <= {first, first + 1}:
            return candidate
    return usual


def _widths(lines: Iterable[str], separator: str) -> list[int]:
    """Number of cells of each row, none where a quoted cell cannot be read."""
    return [len(cells) for cells in _cells(lines, separator)]


def _cells(lines: Iterable[str], separator: str) -> list[list[str]]:
    """The rows of a text as far as they can be read; a blank stands for any number of them."""
    if separator == " ":
        lines = (re.sub(r"[ \t]+", " ", line.strip()) for line in lines)
    try:
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
        return [row for row in reader if row]
    except csv.Error:
        return []


def _decimal(lines: list[str], separator: str) -> str:
    """The comma, if there are numbers with it and none with a point; else the point."""
    if separator == ",":
        return "."
    cells = [cell.strip() for cell in chain.from_iterable(_cells(lines[1:], separator))]
    commas = any(COMMA.fullmatch(cell) for cell in cells)
    return "," if commas and not any(POINT.fullmatch(cell) for cell in cells) else "."

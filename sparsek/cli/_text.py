"""Reads the rows of text files: quoted cells, line numbers, encodings; and the groups of features."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sparsek._limits import check_gzip
from sparsek.cli._cells import SPACES, InputError, Row, check_file

NAMED_SEPARATORS = {"\\t": "\t", "\\s+": " "}
"""Separators that are hard to type, as they may be written after --sep."""
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
"""First bytes of a text in UTF-16."""
LONGEST_LINE = 64 * 1000**2
"""Characters of a line at most: enough for a million columns."""
GROUPS_HEADER = ("feature", "group")
"""The first line of a file of groups may name its columns so."""


def as_separator(text: str) -> str:
    """The character that separates columns; a blank stands for any number of them."""
    separator = NAMED_SEPARATORS.get(text, text)
    if len(separator) != 1 or separator in '"\r\n\0':
        raise InputError(
            f"--sep takes a single character, '\\t' for a tab or '\\s+' for blanks; got {text!r}"
        )
    return separator


def read_rows(file: Path, separator: str, skip: int = 0) -> Iterator[Row]:
    """Cells of every row, with the number of the line where the row begins; blank lines are left out.

    `skip` lines at the beginning are left out too. Raises InputError if the file is damaged or no text in
    UTF-8, if a line has more than `LONGEST_LINE` characters, or if a quoted cell does not end. It does so too
    if a table of one column has a blank line, which may stand for a missing value. Raises SizeError if the
    file unpacks to more than the limit.
    """
    with open_lines(file) as lines:
        for _ in range(skip):
            next(lines, None)
        yield from _rows(file, _checked_lines(file, lines, separator, skip), separator, skip)


@contextmanager
def open_lines(file: Path) -> Iterator[Iterator[str]]:
    """The lines of a text, unpacked, as they are."""
    packed = file.suffix.lower() == ".gz"
    try:
        if packed:
            check_gzip(file)
        with gzip.open(file) if packed else file.open("rb") as stream:
            if stream.peek(2)[:2] in OTHER_ENCODINGS:
                raise InputError(f"{file} is text in UTF-16; save it as UTF-8")
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
            yield iter(lambda: text.readline(LONGEST_LINE + 1), "")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {file}: {' '.join(str(error).split())}") from error


def _checked_lines(file: Path, lines: Iterator[str], separator: str, skip: int) -> Iterator[str]:
    """The lines of a text after those skipped; an error at the first that is not UTF-8."""
    for number, line in enumerate(lines, start=skip + 1):
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"line {number} of {file} has more than {LONGEST_LINE} characters; a table has one line for "
                "each row"
            )
        if "\0" in line or any("\udc80" <= character <= "\udcff" for character in _beyond_ascii(line)):
            raise InputError(f"line {number} of {file} is not text in UTF-8; save the file as UTF-8")
        yield line.replace("\t", " ").rstrip(" \r\n") + "\n" if separator == " " else line


def _beyond_ascii(line: str) -> str:
    """The line if it holds more than ASCII, else nothing."""
    return "" if line.isascii() else line


def _rows(file: Path, lines: Iterator[str], separator: str, skip: int) -> Iterator[Row]:
    """Rows of a text."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    width, blank = 0, 0
    while True:
        start = skip + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(
                f"line {start} of {file} cannot be read: {error}; quotes around a cell must end with it, and "
                "a quote inside is written twice"
            ) from error
        if not cells or (cells == [""] and width != 1):
            blank = blank or start
            continue
        if blank and width == 1:
            raise InputError(
                f"line {blank} of {file} is blank, which may be a missing value or nothing; write NA or "
                "delete the line"
            )
        width, blank = width or len(cells), 0
        yield start, cells


def read_groups(file: Path) -> dict[str, list[str]]:
    """The features of each group, from a csv file of the columns feature, group."""
    check_file(file)
    groups: dict[str, list[str]] = {}
    seen: dict[str, int] = {}
    for line, cells in read_rows(file, ","):
        if len(cells) != 2 or "" in cells:
            raise InputError(f"line {line} of {file} must have 2 cells, feature,group; it has {cells}")
        feature, group = cells
        if not seen and (feature, group) == GROUPS_HEADER:
            continue
        if feature in seen:
            raise InputError(f"line {line} of {file} has {feature!r} again, which is in line {seen[feature]}")
        seen[feature] = line
        groups.setdefault(group, []).append(feature)
    if not groups:
        raise InputError(f"{file} is empty; it must have lines feature,group")
    return groups


def parse_orders(texts: Sequence[str] | None) -> dict[str, list[str]] | None:
    """The levels of columns by name, from texts ``a,b=low<high``; None where no order is to be guessed."""
    if texts is not None and list(texts) == ["none"]:
        return None
    orders: dict[str, list[str]] = {}
    for text in texts or ():
        columns, _, given = text.partition("=")
        levels = [level.strip(SPACES) for level in given.split("<")]
        if not columns or len(levels) < 2 or "" in levels or len(set(levels)) < len(levels):
            raise InputError(
                "--ordered takes columns and their different levels from the lowest to the highest, such as "
                f"--ordered 'q1,q2=No<Maybe<Yes', or none; got {text!r}"
            )
        for name in columns.split(","):
            if name.strip() in orders:
                raise InputError(f"--ordered names column {name.strip()!r} twice; give it one list of levels")
            orders[name.strip()] = levels
    return orders

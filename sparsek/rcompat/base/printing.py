"""Numbers, tables and filled lines as R's ``cat`` and ``print`` show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

PRINT_WIDTH = 80


def _digits(v: float, most: int) -> tuple[str, int]:
    """Significant digits (at most so many, no trailing zeros) and decimal exponent."""
    mantissa, exponent = f"{abs(v):.{most - 1}e}".split("e")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)


def format_number(v: float) -> str:
    """A number as R's ``cat`` shows it: 7 significant digits, the shorter of fixed and scientific."""
    return format_column([float(v)])[0]


def as_character(v: float) -> str:
    """A number as R's ``as.character`` writes it: as `format_number`, with 15 significant digits."""
    return format_column([float(v)], 15)[0]


def format_column(values: Iterable[float], digits: int = 7) -> list[str]:
    """Numbers as R prints them in one column: equally many decimals, at most so many significant digits."""
    values = [float(v) for v in values]
    finite = [v for v in values if math.isfinite(v)]
    parts = [_digits(v, digits) for v in finite]
    decimals = max((max(0, len(d) - e - 1) for d, e in parts), default=0)
    mantissa = max((len(d) for d, _ in parts), default=1) - 1
    fixed = max((len(f"{v:.{decimals}f}") for v in finite), default=0)
    scientific = max((len(f"{v:.{mantissa}e}") for v in finite), default=0)
    style = f".{decimals}f" if fixed <= scientific else f".{mantissa}e"
    return ["NA" if math.isnan(v) else f"{v:{style}}".replace("inf", "Inf") for v in values]


def format_columns(values: list[list[str]], row_labels: list[str], column_labels: list[str]) -> str:
    """A right-aligned table under a header, as R prints a matrix: less than 80 characters a line."""
    return "\n".join(column_parts(values, row_labels, column_labels))


def column_parts(
    values: list[list[str]], row_labels: list[str], column_labels: list[str], corner: str = ""
) -> list[str]:
    """The parts of such a table, of as many columns as lines hold; the corner stands above the row labels."""
    left = max(map(len, [corner, *row_labels]))
    columns = [[row[j] for row in values] for j in range(len(column_labels))]
    widths = [
        max([len(head), *map(len, column)]) for head, column in zip(column_labels, columns, strict=True)
    ]
    parts, begin = [], 0
    while begin == 0 or begin < len(columns):
        end = begin + 1
        while end < len(columns) and left + sum(widths[begin : end + 1]) + end + 1 - begin < PRINT_WIDTH:
            end += 1
        chosen = list(zip(widths, column_labels, columns, strict=True))[begin:end]
        lines = [f"{corner:<{left}}" + "".join(f" {head:>{w}}" for w, head, _ in chosen)]
        for i, label in enumerate(row_labels):
            lines.append(f"{label:<{left}}" + "".join(f" {column[i]:>{w}}" for w, _, column in chosen))
        parts.append("\n".join(lines))
        begin = end
    return parts


def row_numbers(n: int) -> list[str]:
    """Labels of the rows of a matrix without names, of equal width."""
    width = len(f"[{n + 1},]")
    return [f"[{i + 1},]".rjust(width) for i in range(n)]


def format_table(columns: dict[str, Any]) -> str:
    """A data frame as R prints it after rounding to 4 digits."""
    cells = [format_column([round(float(e), 4) for e in values]) for values in columns.values()]
    rows = [list(row) for row in zip(*cells, strict=True)]
    return format_columns(rows, [str(i + 1) for i in range(len(rows))], list(columns))


def fill(items: list[str]) -> str:
    """Items in lines of at most 80 characters, broken where R's ``cat(fill = TRUE)`` breaks them."""
    lines, width = [""], 0
    for item in items:
        if width and width + len(item) + 1 > PRINT_WIDTH:
            lines.append("")
            width = 0
        lines[-1] += item + " "
        width += len(item) + 1
    lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def format_vector(values: list[str], names: list[str] | None = None) -> str:
    """Strings in cells of equal width, as R prints them: below their names, or after ``[index]``."""
    cell = max(map(len, values + (names or [])), default=0)
    if names:
        per_line = max(1, PRINT_WIDTH // (cell + 1))
        rows = []
        for begin in range(0, len(values), per_line):
            for line in (names, values):
                rows.append("".join(f"{v:>{cell}} " for v in line[begin : begin + per_line]))
        return "\n".join(rows)
    align = "<" if values and values[0].startswith('"') else ">"
    head = len(f"[{len(values)}]")
    per_line = max(1, (PRINT_WIDTH - head) // (cell + 1))
    return "\n".join(
        f"{f'[{begin + 1}]':>{head}} "
        + " ".join(f"{v:{align}{cell}}" for v in values[begin : begin + per_line])
        for begin in range(0, len(values), per_line)
    )


def format_matrix(matrix: NDArray[np.float64], row_labels: list[str], column_labels: list[str]) -> str:
    """A numeric matrix as R prints it, each column with its own number of decimals."""
    columns = [format_column(column) for column in matrix.T]
    rows = [[column[i] for column in columns] for i in range(len(matrix))]
    return format_columns(rows, row_labels, column_labels)


def format_value(value: Any) -> str:
    """A field of a list: None as NULL; vectors, matrices and lists as R prints them; others by ``str``."""
    if value is None:
        return "NULL"
    if isinstance(value, list | tuple) and any(isinstance(v, Mapping | np.ndarray | list) for v in value):
        return "\n\n".join(f"[[{i + 1}]]\n{format_value(v)}" for i, v in enumerate(value))
    array = np.asarray(value)
    if array.ndim == 2:
        columns = [f"[,{j + 1}]" for j in range(array.shape[1])]
        return format_matrix(array.astype(float), row_numbers(len(array)), columns)
    if array.dtype.kind in "iu":
        return format_vector([str(v) for v in array.ravel()])
    if array.dtype.kind == "f":
        return format_vector(format_column(array.ravel()))
    return str(value)

"""Numbers, tables and filled lines as R's ``cat`` and ``print`` show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from sparsek.rcompat.base.expressions import deparse

PRINT_WIDTH = 80
DIGITS = 7
"""R's option digits: most significant digits that are printed."""
MAX_PRINT = 99999
"""R's option max.print: number of cells of a table that are printed."""
Names = Sequence[str] | tuple[Sequence[str] | None, Sequence[str] | None] | None
"""Names of a vector, or a tuple of the names of the rows and of the columns of a matrix."""


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


def format_column(values: Iterable[float], digits: int = DIGITS) -> list[str]:
    """Numbers as R prints them in one column: equally many decimals, at most so many significant digits."""
    values = [float(v) for v in values]
    finite = [v for v in values if math.isfinite(v)]
    parts = [_digits(v, digits) for v in finite]
    decimals = max((max(0, len(d) - e - 1) for d, e in parts), default=0)
    mantissa = max((len(d) for d, _ in parts), default=1) - 1
    exponents = [max(e, 0) for _, e in parts]
    whole = max((_room(v, e) for v, e in zip(finite, exponents, strict=True)), default=0)
    width = whole + 1 + decimals if decimals else 0
    fixed = max((len(f"{v:.{decimals}f}") for v in finite), default=0)
    wider, fixed = width > fixed > 0, max(fixed, width)
    scientific = max((len(f"{v:.{mantissa}e}") for v in finite), default=0)
    style = f".{decimals}f" if fixed <= scientific else f".{mantissa}e"
    texts = [_missing(v) if math.isnan(v) else f"{v + 0.0:{style}}".replace("inf", "Inf") for v in values]
    return [text.rjust(width) for text in texts] if wider and style.endswith("f") else texts


def _room(v: float, exponent: int) -> int:
    """R's width before the point: 5 for 9999.991, which 4 digits make 10000, but 6 for 999990."""
    return (v < 0) + exponent + (abs(v) + 0.5 >= 10.0**exponent)


def _missing(v: float) -> str:
    """R's NA for a missing value; NaN for one that an x86 processor made, whose sign is negative."""
    return "NaN" if math.copysign(1.0, v) < 0 else "NA"


def format_columns(values: list[list[str]], row_labels: list[str], column_labels: list[str]) -> str:
    """A right-aligned table under a header, in parts of less than 80 characters a line, cut at R's limit."""
    shown = min(len(values), max(1, MAX_PRINT // max(1, len(column_labels))))
    parts = column_parts(values[:shown], row_labels[:shown], column_labels)
    if shown < len(values):
        parts.append(f' [ reached getOption("max.print") -- omitted {len(values) - shown} rows ]')
    return "\n".join(parts)


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


def format_vector(values: list[str], names: Sequence[str] | None = None, align: str = "") -> str:
    """Strings in cells of equal width, as R prints them: below their names, or after ``[index]``."""
    cell = max(map(len, [*values, *(names or [])]), default=0)
    if names:
        per_line = max(1, PRINT_WIDTH // (cell + 1))
        rows = []
        for begin in range(0, len(values), per_line):
            for line in (names, values):
                rows.append("".join(f"{v:>{cell}} " for v in line[begin : begin + per_line]))
        return "\n".join(rows)
    align = align or ("<" if values and values[0].startswith('"') else ">")
    head = len(f"[{len(values)}]")
    per_line = max(1, (PRINT_WIDTH - head) // (cell + 1))
    return "\n".join(
        f"{f'[{begin + 1}]':>{head}} "
        + " ".join(f"{v:{align}{cell}}" for v in values[begin : begin + per_line])
        for begin in range(0, len(values), per_line)
    )


def format_cells(values: NDArray[Any], digits: int = DIGITS) -> list[str]:
    """The entries of a vector as R prints them: numbers, truth values, texts in quotes; None as NA."""
    if values.dtype.kind == "f":
        return format_column(values.tolist(), digits)
    if values.dtype.kind in "iu":
        return [str(v) for v in values.tolist()]
    return ["NA" if v is None or v != v else deparse(v, str(v)) for v in values.tolist()]


def format_matrix(
    matrix: NDArray[Any],
    row_names: Sequence[str] | None = None,
    column_names: Sequence[str] | None = None,
    digits: int = DIGITS,
) -> str:
    """A matrix as R prints it: each column with decimals of its own, numbers where it has no names."""
    n, p = matrix.shape
    cells = [format_cells(column, digits) for column in matrix.T]
    heads = list(column_names or [f"[,{j + 1}]" for j in range(p)])
    if matrix.dtype.kind in "UO":  # texts begin at the left
        widths = [max(map(len, [head, *column])) for head, column in zip(heads, cells, strict=True)]
        cells = [[f"{cell:<{w}}" for cell in column] for w, column in zip(widths, cells, strict=True)]
        heads = [f"{head:<{w}}" for w, head in zip(widths, heads, strict=True)]
    if n == 0:
        return column_parts([], [], heads, " " * len(row_numbers(1)[0]))[0]
    rows = [[column[i] for column in cells] for i in range(n)]
    return format_columns(rows, list(row_names or row_numbers(n)), heads)


def format_array(values: NDArray[Any], names: Names = None, digits: int = DIGITS) -> str:
    """A vector or a matrix as R prints it, with names where it has some."""
    if values.ndim == 2:
        rows, columns = names if isinstance(names, tuple) else (None, None)
        return format_matrix(values, rows, columns, digits)
    if not values.size:
        empty = {"f": "numeric", "i": "integer", "u": "integer", "b": "logical"}
        return f"{'' if names is None else 'named '}{empty.get(values.dtype.kind, 'character')}(0)"
    listed = None if names is None or isinstance(names, tuple) else [str(name) for name in names]
    texts = values.dtype.kind == "U" or (
        values.dtype.kind == "O" and any(isinstance(v, str) for v in values.flat)
    )
    align = "<" if texts else ">"
    return format_vector(format_cells(values.ravel(), digits), listed, align)

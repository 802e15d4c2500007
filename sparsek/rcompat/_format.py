"""Numbers, tables and filled lines as R's ``cat`` and ``print`` show them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sparsek.rcompat._rlist import format_columns

PRINT_WIDTH = 80


def _digits(v: float) -> tuple[str, int]:
    """Significant digits (at most 7, no trailing zeros) and decimal exponent."""
    mantissa, exponent = f"{abs(v):.6e}".split("e")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)


def format_number(v: float) -> str:
    """A number as R's ``cat`` shows it: 7 significant digits, the shorter of fixed and scientific."""
    return format_column([float(v)])[0]


def format_column(values: Iterable[float]) -> list[str]:
    """Numbers as R prints them in one column: the same number of decimals, 7 significant digits at most."""
    values = [float(v) for v in values]
    finite = [v for v in values if math.isfinite(v)]
    parts = [_digits(v) for v in finite]
    decimals = max((max(0, len(d) - e - 1) for d, e in parts), default=0)
    mantissa = max((len(d) for d, _ in parts), default=1) - 1
    fixed = max((len(f"{v:.{decimals}f}") for v in finite), default=0)
    scientific = max((len(f"{v:.{mantissa}e}") for v in finite), default=0)
    style = f".{decimals}f" if fixed <= scientific else f".{mantissa}e"
    return ["NA" if math.isnan(v) else f"{v:{style}}".replace("inf", "Inf") for v in values]


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

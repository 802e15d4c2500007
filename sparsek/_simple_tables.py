"""Tables of a summary as text, HTML and LaTeX, all by statsmodels' `SimpleTable`."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from statsmodels.iolib.table import SimpleTable

WIDTH = 80
"""Largest number of characters of a line."""
LONGEST_NAME, SHORTEST_NAME = 28, 16
"""Largest number of characters of a feature's name, in narrow tables and in wide ones."""
DIGITS = 4
"""Significant digits of the largest number of a column."""
LARGEST, SMALLEST = 1e7, 1e-3
"""Columns whose largest number is not between these are shown with exponents."""
LATEX: dict[str, str | int | None] = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$",
}  # fmt: skip
"""What LaTeX takes for its own characters."""


def as_text(heading: str, frame: pd.DataFrame) -> str:
    """A table as lines of at most `WIDTH` characters; wide ones in parts that repeat the first columns."""
    cells = _cells(frame)
    if "feature" in cells:
        others = sum(_widths(cells).values()) - _widths(cells)["feature"]
        longest = int(np.clip(WIDTH - others, SHORTEST_NAME, LONGEST_NAME))
        cells["feature"] = [without_middle(name, longest) for name in cells["feature"]]
    blocks = []
    for number, part in enumerate(_parts(cells)):
        table = _simple(cells[part], frame[part], heading if number == 0 else f"{heading} (continued)")
        blocks.append(table.as_text())
    return "\n".join(line.rstrip() for block in blocks for line in block.splitlines())


def without_middle(name: str, longest: int) -> str:
    """A name, with dots in place of its middle if it is too long: names often differ at their ends."""
    if len(name) <= longest:
        return name
    head = longest // 2
    return f"{name[:head]}…{name[len(name) - (longest - head - 1) :]}"


def as_html(frame: pd.DataFrame) -> str:
    """A table as HTML without styles."""
    cells = _cells(frame)
    return str(_simple(cells, frame, headers=_has_names(cells)).as_html())


def as_texts(frame: pd.DataFrame) -> tuple[list[str], list[bool], list[list[str]]]:
    """Names of the columns, none for facts; which hold numbers; and the cells as texts, row by row."""
    cells = _cells(frame)
    names = list(cells.columns) if _has_names(cells) else []
    right = [_is_number(frame[name]) for name in frame] if names else [False, True] * (cells.shape[1] // 2)
    return names, right, cells.to_numpy().tolist()


def as_latex(frame: pd.DataFrame) -> str:
    """A table as a LaTeX tabular with the rules of booktabs."""
    return str(_simple(_cells(frame), frame).as_latex_tabular(center=False))


def wrapped(text: str) -> str:
    """A sentence in lines of at most `WIDTH` characters; the following ones are indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _simple(
    cells: pd.DataFrame, frame: pd.DataFrame, heading: str = "", headers: bool = False
) -> SimpleTable:
    """The table: texts to the left, numbers to the right; names of columns as these, or as `headers`."""
    from statsmodels.iolib.table import SimpleTable

    n = cells.shape[1]
    right = (
        "".join("r" if _is_number(frame[name]) else "l" for name in frame) if _has_names(cells) else "lrlr"
    )
    rows = cells.to_numpy().tolist()
    named = _has_names(cells) and not headers
    # statsmodels looks up formats by the numbers of the columns, and treats number 0 in its own way.
    aligns = f"l{right}"
    table = SimpleTable(
        [list(cells.columns), *rows] if named else rows,
        headers=list(cells.columns) if headers else None,
        title=heading,
        datatypes=list(range(1, n + 1)),
        txt_fmt={"data_aligns": aligns, "colsep": "  ", "title_align": "l"} | _formats("%s", n),
        html_fmt={"data_aligns": aligns} | _formats(lambda text: f"<td>{escape(text)}</td>", n),
        ltx_fmt={"data_aligns": aligns} | _formats(_latex, n),
    )
    if named:
        table[0].dec_below = "header_dec_below"
    return table


def _formats(cell: Any, n: int) -> dict[str, Any]:
    """The same format of the cells for every column."""
    return {"data_fmts": [cell] * (n + 1)}


def _has_names(cells: pd.DataFrame) -> bool:
    """Whether the columns have names; facts have none."""
    return isinstance(cells.columns[0], str)


def _latex(text: str) -> str:
    """A text without LaTeX's own characters."""
    return text.translate(str.maketrans(LATEX))


def _widths(cells: pd.DataFrame) -> dict[Any, int]:
    """Characters that each column takes, with the space after it."""
    return {name: max(map(len, [str(name), *cells[name]])) + 2 for name in cells}


def _parts(cells: pd.DataFrame) -> list[list[Any]]:
    """Names of the columns of each part: the first ones, then as many others as fit."""
    widths, names = _widths(cells), list(cells)
    stub = names[: 2 if "rank" in names else 1]
    room = WIDTH + 2 - sum(widths[name] for name in stub)
    parts, used = [list(stub)], 0
    for name in names[len(stub) :]:
        if used and used + widths[name] > room:
            parts.append(list(stub))
            used = 0
        parts[-1].append(name)
        used += widths[name]
    return parts


def _cells(frame: pd.DataFrame) -> pd.DataFrame:
    """The cells as texts."""
    return pd.DataFrame({name: _column(frame[name]) for name in frame}, columns=frame.columns, dtype=object)


def _is_number(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers."""
    return bool(pd.api.types.is_numeric_dtype(column)) and not pd.api.types.is_bool_dtype(column)


def _column(column: pd.Series[Any]) -> list[str]:
    """A column as texts; its decimal points stand below one another."""
    if pd.api.types.is_bool_dtype(column):
        return ["yes" if value else "" for value in column]
    if not pd.api.types.is_float_dtype(column):
        return [str(value) for value in column]
    values = column.to_numpy(dtype=np.float64)
    size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    if 0 < size < SMALLEST or size >= LARGEST:
        return ["" if np.isnan(value) else f"{value:.{DIGITS - 1}e}" for value in values]
    before = int(np.floor(np.log10(size))) + 1 if size >= 1 else 0
    texts = ["" if np.isnan(value) else f"{value:.{max(DIGITS - before, 0)}f}" for value in values]
    while all(not text or ("." in text and text[-1] in "0.") for text in texts) and any(texts):
        texts = [text[:-1] for text in texts]  # zeros that end every number
    return texts

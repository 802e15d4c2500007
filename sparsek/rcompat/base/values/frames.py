"""What pandas has, printed as R prints it: data frames, named vectors and factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.inputs.containers import counts_only
from sparsek.rcompat.base.factors import as_factor
from sparsek.rcompat.base.printing import (
    DIGITS,
    PRINT_WIDTH,
    format_array,
    format_column,
    format_columns,
    format_vector,
)

MISSING = "<NA>"
"""How a missing text or category is printed."""
MATRICES = "matrices"
"""Attribute of a frame: places of the columns of each matrix, which R prints with equally many decimals."""
LEVELS = "Levels: "
LEVEL_MARGIN = len(LEVELS) + 7
"""So much narrower than the line are levels that are all printed."""


def format_pandas(value: Any, digits: int = DIGITS) -> str:
    """A frame, a column or categories as R prints them."""
    if isinstance(value, pd.DataFrame):
        return format_frame(value, digits)
    if pd.api.types.is_scalar(value):
        return "[1] NA" if pd.isna(value) else str(value)
    if str(value.dtype) == "category":
        return format_factor(value)
    named = isinstance(value, pd.Series) and not counts_only(value.index)
    return format_array(plain_column(value), [str(i) for i in value.index] if named else None, digits)


def plain_column(column: Any) -> NDArray[Any]:
    """A column as an array: numbers, truth values, or objects with None where something is missing."""
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) and not pd.isna(column).any():
        return np.asarray(column, dtype=bool)
    if pd.api.types.is_any_real_numeric_dtype(kind):
        if pd.api.types.is_integer_dtype(kind) and not pd.isna(column).any():
            return np.asarray(column, dtype=np.int64)
        return np.asarray(pd.Series(column).to_numpy(dtype=float, na_value=np.nan))
    return np.array([None if pd.isna(v) else v for v in column], dtype=object)


def format_frame(frame: pd.DataFrame, digits: int = DIGITS) -> str:
    """A data frame as R prints it."""
    n, heads = len(frame), [str(name) for name in frame.columns]
    if not heads:
        return f"data frame with 0 columns and {n} rows"
    if not n:
        names = format_vector(heads, None, "<")
        return f"{names}\n<0 rows> (or 0-length row.names)"
    cells = [frame_cells(frame.iloc[:, j], digits) for j in range(len(heads))]
    for places in frame.attrs.get(MATRICES, []):
        if max(places) < len(heads) and n:
            numbers = np.concatenate([np.asarray(frame.iloc[:, j], dtype=float) for j in places])
            texts = format_column(numbers.tolist(), digits)
            texts = [text.rjust(max(map(len, texts))) for text in texts]
            for part, j in enumerate(places):
                cells[j] = texts[part * n : (part + 1) * n]
    labels = [str(i + 1) for i in range(n)] if counts_only(frame.index) else [str(i) for i in frame.index]
    return format_columns([list(row) for row in zip(*cells, strict=True)], labels, heads)


def frame_cells(column: Any, digits: int) -> list[str]:
    """The entries of a column of a frame."""
    if str(column.dtype) == "category":
        factor = as_factor(column, "column")
        return [factor.levels[code] if code >= 0 else MISSING for code in factor.codes]
    values = plain_column(column)
    if values.dtype.kind == "f":
        return format_column(values.tolist(), digits)
    truth = pd.api.types.is_bool_dtype(column.dtype)
    missing = "NA" if truth else MISSING
    return [missing if v is None else str(v).upper() if truth else str(v) for v in values.tolist()]


def format_factor(values: Any) -> str:
    """Categories as R prints a factor: its labels, then its levels, in the middle left out where long."""
    factor, ordered = as_factor(values, "x"), bool(getattr(values, "cat", values).ordered)
    texts = [factor.levels[code] if code >= 0 else MISSING for code in factor.codes]
    shown = format_vector(texts, None, "<") if texts else "factor(0)"
    between, levels = (" < " if ordered else " "), factor.levels
    widths = np.cumsum([len(level) + len(between) for level in levels])
    fits = int((widths <= PRINT_WIDTH - LEVEL_MARGIN).sum())
    head = LEVELS
    if fits < len(levels):
        head = f"{len(levels)} {LEVELS}"
        levels = [*levels[: max(1, fits - 1)], "...", levels[-1]]
    return f"{shown}\n{head}{between.join(levels)}"

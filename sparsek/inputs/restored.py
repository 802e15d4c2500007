"""Tables with categories whose missing entries are filled."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsek.inputs.containers import column_labels
from sparsek.inputs.mixed import Coding, FloatArray, as_columns, column_of


def restored(coding: Coding, values: FloatArray, X: Any, name: str = "X") -> Any:
    """The data with columns in place of their missing entries: numbers, the nearest scores, the main levels.

    Shapes: values (n, q), without missing values but where a column has none; returns what X is, (n, p), an
    Arrow table as a frame of pandas.
    """
    X = as_columns(X, name)
    table = np.asarray(coding.table(X, name))
    found: list[Any] = []
    for j, (variable, columns) in enumerate(zip(coding.variables, coding.columns, strict=True)):
        column, holes = column_of(X, j), np.isnan(table[:, j])
        levels = variable.levels
        if not isinstance(column, np.ndarray):
            column = column.reset_index(drop=True)
        if not holes.any():
            found.append(column)
            continue
        filled: Any = values[holes, columns[0]]
        if levels is not None:
            first = values[np.ix_(holes, columns)].argmax(axis=1) if variable.coded else np.rint(filled) - 1
            filled = [levels[int(place)] for place in np.clip(first, 0, len(levels) - 1)]
        column = column.copy()
        column[holes] = filled
        found.append(column)
    return _as_given(found, X)


def _as_given(columns: list[Any], X: Any) -> Any:
    """Columns as the table or array that X is."""
    if isinstance(X, np.ndarray):
        return np.column_stack(columns)
    import pandas as pd

    if not (isinstance(X, pd.DataFrame) or hasattr(X, "column_names")):
        lists = [column.astype(object).where(column.notna(), None).tolist() for column in columns]
        return type(X)(dict(zip(column_labels(X), lists, strict=True)), schema=X.schema)
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(column_labels(X)) if hasattr(X, "column_names") else X.columns
    return frame.set_axis(X.index) if isinstance(X, pd.DataFrame) else frame

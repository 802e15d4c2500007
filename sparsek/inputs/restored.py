"""Tables with categories whose missing entries are filled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.inputs.containers import column_labels
from sparsek.inputs.mixed import CodedRows, Coding, FloatArray, Variable, as_columns, column_of


def restored(coding: Coding, values: FloatArray, X: Any, name: str = "X") -> Any:
    """The data with columns in place of their missing entries: numbers, the nearest scores, the main levels.

    Shapes: values (n, q), without missing values but where a column has none; returns what X is, (n, p), an
    Arrow table as a frame of pandas.
    """
    if isinstance(X, CodedRows):
        return CodedRows(np.where(np.isnan(X.values), coding.collapsed(values), X.values), coding)
    X = as_columns(X, name)
    table = np.asarray(coding.table(X, name))
    found: list[Any] = []
    for j, (variable, columns) in enumerate(zip(coding.variables, coding.columns, strict=True)):
        column, holes = column_of(X, j), np.isnan(table[:, j])
        if not isinstance(column, np.ndarray):
            column = column.reset_index(drop=True)
        if holes.any():
            filled = np.where(holes, values[:, columns[0]], table[:, j])
            own = values[:, columns]
            column = filled if variable.levels is None else _with_levels(variable, column, holes, own)
        found.append(column)
    return _as_given(found, X)


def _with_levels(variable: Variable, column: Any, holes: NDArray[np.bool_], values: FloatArray) -> Any:
    """A column with its main levels, or the levels of the nearest scores, in place of missing entries."""
    assert variable.levels is not None  # asked by the caller
    places = values.argmax(axis=1) if variable.coded else np.rint(values[:, 0]) - 1
    found = np.array(column, dtype=object)
    for row in np.flatnonzero(holes).tolist():
        found[row] = variable.levels[int(np.clip(places[row], 0, len(variable.levels) - 1))]
    if isinstance(column, np.ndarray):
        return found.astype(column.dtype)
    import pandas as pd

    sparse = isinstance(column.dtype, pd.SparseDtype)
    return pd.Series(found, dtype=column.dtype.subtype if sparse else column.dtype)


def _as_given(columns: list[Any], X: Any) -> Any:
    """Columns as the table or array that X is; numbers with filled entries are of double precision."""
    if isinstance(X, np.ndarray):
        return np.column_stack(columns)
    import pandas as pd

    if not (isinstance(X, pd.DataFrame) or hasattr(X, "column_names")):
        filled = [isinstance(column, np.ndarray) for column in columns]
        columns = [pd.Series(column) for column in columns]
        lists = [column.astype(object).where(column.notna(), None).tolist() for column in columns]
        schema = {name: None if new else X.schema[name] for name, new in zip(X.columns, filled, strict=True)}
        return type(X)(dict(zip(X.columns, lists, strict=True)), schema=schema)
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(column_labels(X)) if hasattr(X, "column_names") else X.columns
    return frame.set_axis(X.index) if isinstance(X, pd.DataFrame) else frame

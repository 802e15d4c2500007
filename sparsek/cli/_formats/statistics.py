"""Files of Stata, read by pandas, and of SPSS, read by pyreadstat. Labelled values are categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from sparsek._limits import check_unpacked

CELL_BYTES = 8
"""What a cell takes at least."""


def read_stata(file: Path) -> pd.DataFrame:
    """The table of a .dta file; a column is ordered categories where every value of it has a label."""
    numbers = pd.read_stata(file, convert_categoricals=False)
    try:
        frame = pd.read_stata(file)
    except ValueError:  # two values have the same label
        return _indexed(numbers)
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            partly = not all(isinstance(label, str) for label in column.cat.categories)
            frame[name] = numbers[name] if partly else column
    return _indexed(frame)


def read_spss(file: Path) -> pd.DataFrame:
    """The table of a .sav file; a column is ordered categories where every value of it has a label."""
    import pyreadstat

    _, found = pyreadstat.read_sav(str(file), metadataonly=True)
    check_unpacked(file, CELL_BYTES * (found.number_rows or 0) * (found.number_columns or 0), "its table")
    frame, found = pyreadstat.read_sav(str(file))
    for name, labels in found.variable_value_labels.items():
        frame[name] = _labelled(frame[name], labels)
    return _indexed(frame)


def _labelled(values: pd.Series[Any], labels: dict[Any, str]) -> pd.Series[Any]:
    """Categories in the order of the numbers, or the numbers if one of them has no label."""
    if not set(values.dropna()) <= set(labels) or len(set(labels.values())) < len(labels):
        return values
    order = [labels[value] for value in sorted(labels)]
    return pd.Series(pd.Categorical(values.map(labels), categories=order, ordered=True), index=values.index)


def _indexed(frame: pd.DataFrame) -> pd.DataFrame:
    """Texts as texts, and rows without names."""
    texts = [name for name in frame if frame[name].dtype == object]
    return frame.astype(dict.fromkeys(texts, "string")).reset_index(drop=True)

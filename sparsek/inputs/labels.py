"""Labels of rows, of any type that can be hashed, turned into numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.inputs.containers import unmasked


def as_series(labels: Any, name: str, remedy: str) -> pd.Series[Any]:
    """Labels as a Series, whatever they are; TypeError and ValueError name the argument.

    `remedy` is for missing labels.
    """
    if isinstance(labels, str | bytes | Mapping | Set | Iterator) or not np.iterable(labels):
        raise TypeError(
            f"{name} must be a sequence with one label for each row of X; got {type(labels).__name__}"
        )
    labels = unmasked(labels, name)
    shape = getattr(labels, "shape", (0,))
    if len(shape) != 1:
        raise ValueError(f"{name} must have one dimension; got shape {tuple(shape)}: pass one column of them")
    if isinstance(labels, pd.Series | pd.Index | pd.Categorical | np.ndarray):
        series = pd.Series(labels)
    else:
        series = pd.Series(np.asarray(labels) if hasattr(labels, "__array__") else list(labels), dtype=object)
    missing = series.isna().to_numpy()
    if missing.any():
        raise ValueError(
            f"{name} has {int(missing.sum())} missing entries, the first in row {int(missing.argmax())}; "
            f"{remedy}"
        )
    return series


def factorized(series: pd.Series[Any], name: str) -> tuple[NDArray[Any], list[Any]]:
    """The number of the label of each row, and the labels: categories in order, others as rows have them."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        used = series.cat.remove_unused_categories().cat
        return used.codes.to_numpy(), used.categories.tolist()
    try:
        found, values = pd.factorize(series)
    except TypeError as error:
        raise TypeError(f"{name} must be hashable, such as numbers and texts: {error}") from None
    return found, values.tolist()


def in_order(numbers: list[int], values: list[Any]) -> list[int]:
    """Numbers of labels in the order of the labels, or as they are where labels cannot be compared."""
    try:
        return sorted(numbers, key=values.__getitem__)
    except TypeError:
        return numbers

"""Input of the R facade: arrays, lists and data frames become double matrices, or a clear error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, slots=True)
class RMatrix:
    """A double matrix (n, p) in C order with the names that the input carried."""

    values: NDArray[np.float64]
    row_names: list[str] | None
    column_names: list[str] | None


def as_matrix(x: Any, name: str = "x") -> RMatrix:
    """Turn data into a double matrix as R's ``as.matrix`` would; a vector becomes one column.

    Parameters
    ----------
    x : array_like, pandas or polars frame
        Real numbers. Missing and infinite values pass: the functions differ in what they do with them.
    name : str, default="x"
        The argument's name, for messages.

    Returns
    -------
    RMatrix
        The values (a copy only where needed) and the names of rows and columns.

    Raises
    ------
    TypeError
        For sparse, complex, text or object data.
    ValueError
        For an empty matrix or more than two dimensions.
    """
    if sparse.issparse(x):
        raise TypeError(f"{name} is a sparse matrix; these are not supported yet: pass {name}.toarray()")
    row_names, column_names = _names(x)
    values = np.asarray(x.to_numpy() if hasattr(x, "to_numpy") else x)
    if values.dtype.kind == "O" and hasattr(x, "dtypes"):
        values = _numeric_frame(x, name)
    if values.dtype.kind not in "bif" + "u":
        raise TypeError(
            f"{name} must hold real numbers; got dtype {values.dtype}: "
            "drop or encode text columns, take real parts, or convert objects with .astype(float)"
        )
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{name} must have 1 or 2 dimensions; got {values.ndim}: reshape it to (n, p)")
    if values.size == 0:
        raise ValueError(f"{name} is empty: its shape is {values.shape}; at least one row and column needed")
    return RMatrix(np.ascontiguousarray(values, dtype=np.float64), row_names, column_names)


def _numeric_frame(x: Any, name: str) -> NDArray[np.float64]:
    """Values of a frame of mixed numeric types (nullable ones included) as double."""
    try:
        return np.asarray(x.astype(float).to_numpy(), dtype=float)
    except (AttributeError, TypeError, ValueError):
        raise TypeError(
            f"{name} must hold real numbers; its columns have types "
            f"{sorted({str(t) for t in x.dtypes})}: drop or encode the columns that are not numeric"
        ) from None


def _names(x: Any) -> tuple[list[str] | None, list[str] | None]:
    """Row and column names of a frame, None where it has none."""
    columns = getattr(x, "columns", None)
    index = getattr(x, "index", None)
    column_names = None if columns is None else [str(c) for c in columns]
    row_names = None if index is None or callable(index) or _is_range(index) else [str(i) for i in index]
    return row_names, column_names


def _is_range(index: Any) -> bool:
    """Whether an index is pandas' default one, which names nothing."""
    return type(index).__name__ == "RangeIndex"


def as_number(value: Any, name: str) -> float:
    """A scalar argument as a float; anything but one real number is an error.

    Parameters
    ----------
    value : float
        The argument.
    name : str
        Its name, for messages.

    Returns
    -------
    float
        The number (NaN passes).

    Raises
    ------
    TypeError
        When it is not one real number.
    """
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "bifu":
        raise TypeError(f"{name} must be one number; got {value!r}")
    return float(array.reshape(()))

"""R's data: matrices from arrays, lists and data frames; lists with R's names, attributes and printing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sparsek.rcompat.base.printing import format_value


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


class RList(Mapping[str, Any]):
    """A result as R returns it.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data, used for printing.

    Examples
    --------
    >>> fit = RList({"tot.withinss": 2.5, "iter": 1})
    >>> fit["tot.withinss"], fit.tot_withinss
    (2.5, 2.5)
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        row_names: list[str] | None = None,
        column_names: list[str] | None = None,
    ) -> None:
        self._fields = dict(fields)
        self._by_attribute = {name.replace(".", "_"): name for name in self._fields}
        self.row_names = row_names
        self.column_names = column_names

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        by_attribute = self.__dict__.get("_by_attribute", {})
        if name in by_attribute:
            return self._fields[by_attribute[name]]
        raise AttributeError(f"no field {name!r}; the fields are {', '.join(by_attribute) or 'not set'}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._by_attribute]

    def __str__(self) -> str:
        return "\n".join(f"${name}\n{format_value(value)}\n" for name, value in self._fields.items())

    def __repr__(self) -> str:
        return str(self)

    def print(self) -> None:
        """Print the result as R does."""
        print(self)

"""Arrays that carry R's attributes: names, dimnames, scaled:center and the like."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray


class RArray(np.ndarray[Any, np.dtype[np.float64]]):
    """Numbers with R's attributes.

    It is an array like any other. What is computed from it is a plain array; a part of it has no attributes.

    Parameters
    ----------
    values : array_like
        The numbers.
    **attributes : object
        Attributes; those that are None are left out.

    Attributes
    ----------
    attributes : dict
        By R's names: ``"names"`` is a list of texts, ``"dimnames"`` holds the names of the rows and those of
        the columns, each a list of texts or None.

    Examples
    --------
    >>> RArray([1.0, 2.0], names=["a", "b"]).attributes
    {'names': ['a', 'b']}
    """

    attributes: dict[str, Any]

    def __new__(cls, values: ArrayLike, **attributes: Any) -> Self:
        """Copy the numbers and keep the attributes."""
        array = np.array(values, dtype=np.float64).view(cls)
        array.attributes = {name: value for name, value in attributes.items() if value is not None}
        return array

    def __array_finalize__(self, origin: Any) -> None:
        self.attributes = {}

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return np.asarray(array)[()]

    def __reduce__(self) -> Any:
        return _restore, (np.asarray(self), self.attributes)

    def __copy__(self) -> Self:
        return type(self)(self, **self.attributes)


def _restore(values: NDArray[np.float64], attributes: dict[str, Any]) -> RArray:
    """An array that was pickled."""
    return RArray(values, **attributes)


def names_of(x: Any) -> list[str] | None:
    """Names of the entries of a vector.

    Parameters
    ----------
    x : object
        An `RArray`, or a pandas Series, whose index names its entries unless it only counts them.

    Returns
    -------
    list of str or None
        The names; None for anything else.
    """
    if isinstance(x, RArray):
        return x.attributes.get("names")
    index: Any = getattr(x, "index", None)
    unnamed = index is None or callable(index) or hasattr(x, "columns") or counts_only(index)
    return None if unnamed else [str(i) for i in index]


def counts_only(index: Any) -> bool:
    """Whether an index is pandas' default one, which names nothing.

    Parameters
    ----------
    index : object
        The index of a frame or a Series.

    Returns
    -------
    bool
        Whether it is.
    """
    return type(index).__name__ == "RangeIndex"


def dimnames_of(row_names: list[str] | None, column_names: list[str] | None) -> Any:
    """The attribute ``dimnames``.

    Parameters
    ----------
    row_names, column_names : list of str or None
        Names of the rows and of the columns.

    Returns
    -------
    tuple or None
        Both; None where there are none.
    """
    return None if row_names is None and column_names is None else (row_names, column_names)

"""Functions that R's ``apply`` and its relatives call, given by name or as they are, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import has_columns
from sparsek.rcompat.base.arrays import RArray, names_of
from sparsek.rcompat.base.data import RList, as_numbers
from sparsek.rcompat.base.expressions import deparse
from sparsek.rcompat.base.values.lists import is_vector

Function = Callable[..., Any]


def _range(x: Any) -> RArray:
    """R's ``range``: the smallest and the largest number."""
    values = as_numbers(x, "x")
    return RArray([values.min(), values.max()])


NOTHING: Mapping[str, Any] = {}
"""No further arguments."""
FUNCTIONS: dict[str, Function] = {
    "length": np.size,
    "max": lambda x: float(as_numbers(x, "x").max()),
    "min": lambda x: float(as_numbers(x, "x").min()),
    "range": _range,
}
"""Functions by R's name that `sparsek.rcompat` does not have, because Python has them."""


def function_of(FUN: Any) -> Function:
    """The function that was given, or that has R's name.

    Raises RError for a name that no function has, and for anything else.
    """
    if callable(FUN):
        return cast("Function", FUN)
    if not isinstance(FUN, str):
        text = deparse(FUN, type(FUN).__name__)
        raise RError(f"'{text}' is not a function, character or symbol", "give a function or its name")
    public = import_module("sparsek.rcompat")
    name = FUN.replace(".", "_")
    found = FUNCTIONS.get(FUN) or (getattr(public, name) if name in public.__all__ else None)
    if not callable(found):
        listed = f"give a function, the name of one of sparsek.rcompat, or {', '.join(FUNCTIONS)}"
        raise RError(f"object '{FUN}' of mode 'function' was not found", listed)
    return found


def partial_of(
    FUN: Any,
    more: tuple[Any, ...] = (),
    named: Mapping[str, Any] = NOTHING,
    name: str = "FUN",
    takes: str = "numbers",
) -> Function:
    """The function that was given or has R's name, with further arguments; errors tell what it takes."""
    function = function_of(FUN)

    def call(*first: Any) -> Any:
        try:
            return function(*first, *more, **named)
        except TypeError as error:
            raise TypeError(f"{name}={FUN!r}, called with {takes}, failed: {error}") from error

    return call


def as_entries(value: Any) -> NDArray[Any] | None:
    """A result as a vector, a matrix column by column; None for one that is a list in R."""
    listed = isinstance(value, list | tuple) and not is_vector(value)
    if value is None or isinstance(value, dict) or listed or has_columns(value):
        return None
    array = np.asarray(value)
    return None if array.dtype.kind == "O" and array.ndim == 0 else np.ravel(array, order="F")


def side_by_side(results: Sequence[Any]) -> NDArray[Any] | None:
    """Results of the same length as the columns of a matrix; None where they are lists or differ in length.

    Shapes: returns (m, number of results).
    """
    columns = [as_entries(result) for result in results]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns) or len({len(column) for column in known}) != 1:
        return None
    return np.stack(known, axis=1)


def entry_names(results: Sequence[Any]) -> list[str] | None:
    """The names of the entries of the results, where all have the same; R gives them to the rows."""
    found = [names_of(result) if np.ndim(result) == 1 else None for result in results]
    return found[0] if found and all(names == found[0] for names in found) else None


def listed(results: Sequence[Any], names: Sequence[str] | None) -> Any:
    """Results as R's list, with names where there are some and no two are the same."""
    if names is None or len(set(names)) < len(names):
        return [np.atleast_1d(result) if np.isscalar(result) else result for result in results]
    return RList(dict(zip(names, results, strict=True)))

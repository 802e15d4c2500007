"""Arrays that carry R's attributes: names, dimnames, scaled:center and the like."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.inputs.containers import column_labels, counts_only, has_columns
from sparsek.rcompat.base.printing import Names, format_array


class RArray(np.ndarray[Any, np.dtype[Any]]):
    """Numbers with R's attributes, printed as R prints them.

    It is an array like any other. Arithmetic on all of its numbers, as in ``1 - x``, keeps the attributes, a
    comparison and a part keep the names, as in R; sums and the like are plain.

    Parameters
    ----------
    values : array_like
        The numbers; whole numbers stay whole numbers; truth values, texts and objects stay as they are; all
        others become double precision.
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
        kind = np.asarray(values).dtype.kind
        kept = np.int64 if kind in "iu" else None if kind in "OUSb" else np.float64
        array = np.array(values, dtype=kept).view(cls)
        array.attributes = {name: value for name, value in attributes.items() if value is not None}
        return array

    def __array_finalize__(self, origin: Any) -> None:
        self.attributes = {}

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if self.attributes and isinstance(part, RArray):
            part.attributes = _attributes_of_part(self, key, part.ndim)
        return part

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        if context is None or context[0].signature is not None or not plain.ndim:
            return plain[()]
        kept: dict[str, Any] = {}
        for value in reversed(context[1]):
            if isinstance(value, RArray) and value.shape == plain.shape:
                kept |= value.attributes
        compared = plain.dtype.kind == "b"
        if compared:
            kept = {name: kept[name] for name in ("names", "dimnames") if name in kept}
        if not kept:
            return plain
        result = plain.view(RArray if compared else type(self))
        result.attributes = kept
        return result

    def __reduce__(self) -> Any:
        return _restore, (type(self), np.asarray(self), self.attributes)

    def __copy__(self) -> Self:
        return type(self)(self, **self.attributes)

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Self:
        return type(self)(self, **copy.deepcopy(self.attributes, memo))

    def __str__(self) -> str:
        names = self._names()
        if not self.ndim:
            return str(np.asarray(self))
        others = [name for name in self.attributes if name not in ("names", "dimnames")]
        blocks = [f'attr(,"{name}")\n{self.attributes[name]}' for name in others]
        return "\n".join([format_array(np.asarray(self), names), *blocks])

    def _names(self) -> Names:
        """The names of the entries, or of the rows and columns."""
        return self.attributes.get("dimnames") if self.ndim == 2 else self.attributes.get("names")

    def print(self) -> None:
        """Print the numbers as R does."""
        print(self)

    def named(self) -> Any:
        """Show the numbers under their names.

        Returns
        -------
        pandas Series or DataFrame
            The numbers; numbered from 0 where there are no names.
        """
        return as_pandas(np.asarray(self), self._names(), "the array")


def as_pandas(values: Any, names: Names, what: str) -> Any:
    """A vector or a matrix with its names, without a copy.

    Raises TypeError for anything but a vector or a matrix.
    """
    import pandas as pd

    if np.ndim(values) == 1:
        index = None if names is None or isinstance(names, tuple) else list(names)
        return pd.Series(values, index, copy=False)
    if np.ndim(values) != 2:
        raise TypeError(f"{what} must be a vector or a matrix to be shown under names; it is {values!r}")
    rows, columns = names if isinstance(names, tuple) else (None, None)
    return pd.DataFrame(values, rows, columns, copy=False)


def with_names(values: NDArray[Any], names: Names) -> NDArray[Any]:
    """A vector or a matrix as an `RArray` that shares its numbers and has these names."""
    if isinstance(names, tuple):
        names = dimnames_of(*names)
    if names is None or np.ndim(values) != 1 + isinstance(names, tuple):
        return values
    array = np.asarray(values).view(RArray)
    others = values.attributes if isinstance(values, RArray) else {}
    array.attributes = {"dimnames" if isinstance(names, tuple) else "names": names, **others}
    return array


def _attributes_of_part(array: RArray, key: Any, ndim: int) -> dict[str, Any]:
    """The names of a part of a vector or a matrix; none where the part has another form than R's."""
    names: Any = array._names()
    keys = key if isinstance(key, tuple) else (key,)
    if names is None or len(keys) > array.ndim or any(k is None or k is Ellipsis for k in keys):
        return {}
    if array.ndim == 1:
        names, keys = (names,), keys[:1]
    keys = (*keys, *[slice(None)] * (len(names) - len(keys)))
    if any(np.ndim(k) > 1 for k in keys):
        return {}
    parts = [None if n is None else np.array(n, dtype=object)[k] for n, k in zip(names, keys, strict=True)]
    kept = [
        None if part is None else list(np.atleast_1d(part))
        for part, k in zip(parts, keys, strict=True)
        if not isinstance(k, int | np.integer)
    ]
    if len(kept) != ndim or all(part is None for part in kept):
        return {}
    return {"dimnames": tuple(kept)} if ndim == 2 else {"names": kept[0]}


def _restore(kind: type[RArray], values: NDArray[Any], attributes: dict[str, Any]) -> RArray:
    """An array that was pickled."""
    return kind(values, **attributes)


def names_of(x: Any) -> list[str] | None:
    """Names of the entries of a vector."""
    if isinstance(x, RArray):
        return x.attributes.get("names")
    index: Any = getattr(x, "index", None)
    unnamed = index is None or callable(index) or has_columns(x) or counts_only(index)
    return None if unnamed else [str(i) for i in index]


def dimnames_of(row_names: list[str] | None, column_names: list[str] | None) -> Any:
    """The attribute ``dimnames``."""
    return None if row_names is None and column_names is None else (row_names, column_names)


def like(values: NDArray[Any], x: Any) -> Any:
    """Numbers with the class and the names that others carry."""
    if values.ndim == 0:
        return float(values)
    if isinstance(x, RArray):
        return type(x)(values, **x.attributes)
    if has_columns(x) and hasattr(x, "index"):
        return type(x)(values, x.index, x.columns)
    if has_columns(x):  # a table of polars or Arrow, without names of rows
        return RArray(values, dimnames=dimnames_of(None, column_labels(x)))
    if isinstance(x, Mapping):  # a vector with names that is kept as a list
        return RArray(values, names=list(x))
    return RArray(values, names=names_of(x) if values.ndim == 1 else None)

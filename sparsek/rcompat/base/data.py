"""R's data: matrices from arrays, lists and data frames; lists with R's names, attributes and printing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sparsek.errors import RError
from sparsek.inputs.containers import as_array, counts_only, numbers
from sparsek.rcompat.base.arrays import RArray, as_pandas, with_names
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import Names
from sparsek.rcompat.base.values.lists import format_list

MOST_RUNS = 10**8
"""Largest number of starts, permutations or data sets of one call."""
MOST_ENTRIES = 2**31
"""Largest number of entries of an array that a call makes, 16 GB."""


@dataclass(frozen=True, slots=True)
class RMatrix:
    """A double matrix (n, p) in C order with the names that the input carried."""

    values: NDArray[np.float64]
    row_names: list[str] | None
    column_names: list[str] | None
    others: dict[str, Any] = field(default_factory=dict)  # R's other attributes, as those of scale


def as_matrix(x: Any, name: str = "x") -> RMatrix:
    """Turn data into a double matrix as R's ``as.matrix`` would; a vector becomes one column.

    Raises TypeError for sparse, complex, text or object data; ValueError for an empty matrix or more than two
    dimensions.
    """
    if sparse.issparse(x):
        raise TypeError(f"{name} is a sparse matrix; these are not supported yet: pass {name}.toarray()")
    others = dict(x.attributes) if isinstance(x, RArray) else {}
    carried, _ = others.pop("dimnames", None), others.pop("names", None)
    x = _plain(x, name)
    row_names, column_names = carried or _names(x)
    values = np.asarray(x)
    if values.dtype.kind not in "bif" + "u":
        raise TypeError(
            f"{name} must hold real numbers; got {_described(x, values)}: "
            "drop or encode text columns, take real parts, or convert objects with .astype(float)"
        )
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{name} must have 1 or 2 dimensions; got {values.ndim}: reshape it to (n, p)")
    if values.size == 0:
        raise ValueError(f"{name} is empty: its shape is {values.shape}; at least one row and column needed")
    return RMatrix(np.ascontiguousarray(values, dtype=np.float64), row_names, column_names, others)


def as_numeric_matrix(x: Any) -> RMatrix:
    """As `as_matrix`, with the error of R's ``scale``, ``colMeans`` and the like for other data than numbers.

    Raises RError for sparse, complex, text or object data; ValueError for an empty matrix or more than two
    dimensions.
    """
    try:
        return as_matrix(x)
    except TypeError as error:
        raise RError("'x' must be numeric", str(error)) from error


def _plain(x: Any, name: str) -> Any:
    """Data as plain numbers, with NaN for masked entries; numbers and arrays of them as they are."""
    if isinstance(x, int | float) or (type(x) is np.ndarray and x.dtype.kind in "biuf" and x.itemsize <= 8):
        return x
    return numbers(x, name, holes=True)


def _described(x: Any, values: NDArray[Any]) -> str:
    """What was given in place of numbers."""
    return f"dtype {values.dtype}" if values.dtype.kind != "O" else f"an object of type {type(x).__name__}"


def _names(x: Any) -> tuple[list[str] | None, list[str] | None]:
    """Row and column names of a frame, None where it has none."""
    columns = getattr(x, "columns", None)
    index = getattr(x, "index", None)
    column_names = None if columns is None else [str(c) for c in columns]
    row_names = None if index is None or callable(index) or counts_only(index) else [str(i) for i in index]
    return row_names, column_names


def as_numbers(value: Any, name: str) -> NDArray[np.float64]:
    """An argument of any number of dimensions as double precision.

    Raises TypeError for anything but real numbers; ValueError for rows of different lengths, or numbers too
    large for double precision.
    """
    array = np.asarray(_plain(value, name))
    if sparse.issparse(value) or array.dtype.kind not in "bifu":
        raise TypeError(f"{name} must hold real numbers; got {value!r}")
    return np.asarray(array, dtype=np.float64)


def as_vector(value: Any, name: str) -> NDArray[np.float64]:
    """An argument as a vector of double precision; a single number has length 1.

    Shapes: returns (m,).

    Raises TypeError, ValueError as `as_numbers`, and for more than one dimension.
    """
    vector = np.atleast_1d(as_numbers(value, name))
    if vector.ndim != 1:
        raise ValueError(f"{name} must be a number or a vector; got shape {vector.shape}")
    return vector


def dimensions(x: Any, name: str) -> int:
    """How many dimensions an argument has; ValueError for rows of different lengths."""
    return int(np.ndim(x) if hasattr(x, "shape") else as_array(x, name).ndim)


def shape_of(x: Any, name: str) -> tuple[int, ...]:
    """The shape of an argument, without converting what has one.

    Raises TypeError, ValueError as `as_numbers`.
    """
    if isinstance(x, int | float):
        return ()
    return tuple(x.shape) if hasattr(x, "shape") else np.shape(numbers(x, name, holes=True))


def real_number(value: Any, name: str) -> float:
    """One number, not NaN."""
    number = as_number(value, name)
    if math.isnan(number):
        raise ValueError(f"{name} must be a number; got NaN")
    return number


def as_number(value: Any, name: str) -> float:
    """A scalar argument as a float; anything but one real number is an error.

    Raises TypeError when it is not one real number.
    """
    try:
        array = np.asarray(_plain(value, name))
    except ValueError:
        array = np.empty(0)
    if array.size != 1 or array.dtype.kind not in "bifu":
        raise TypeError(f"{name} must be one number; got {value!r}")
    return float(array.reshape(()))


def whole_numbers(**values: Any) -> tuple[int, ...]:
    """Scalar arguments as integers, truncated as R does.

    Raises TypeError when one is not a real number; ValueError when one is missing, or 2^31 or more in size.
    """
    numbers = {name: as_number(value, name) for name, value in values.items()}
    for name, number in numbers.items():
        if not abs(number) < 2**31:
            raise ValueError(f"{name} must be a whole number below 2^31 in size; got {number:g}")
    return tuple(int(number) for number in numbers.values())


def as_flag(value: Any, name: str) -> bool:
    """True or False, as R's ``if`` reads a condition.

    Raises TypeError when it is not one truth value or number; RError when it is missing.
    """
    number = as_number(value, name)
    if math.isnan(number):
        raise RError("missing value where TRUE/FALSE needed", f"{name} must be True or False")
    return bool(number)


def as_fit(value: Any, fields: set[str], name: str, origin: str) -> Any:
    """A result of another function, given as an argument.

    Raises TypeError when it has not these fields.
    """
    if not isinstance(value, Mapping) or not fields <= set(value):
        raise TypeError(f"{name} must be a result of {origin}; got {type(value).__name__}")
    return value


def require_runs(number: float, name: str) -> None:
    """Refuse numbers of repetitions that would not end within days, before anything is allocated.

    Raises ValueError above `MOST_RUNS`.
    """
    if number > MOST_RUNS:
        raise ValueError(f"{name} must be at most {MOST_RUNS}, or it would run for days; got {number:g}")


def require_entries(name: str, *sizes: float) -> None:
    """Refuse an array too large for a machine's memory, before it is allocated.

    Raises ValueError above `MOST_ENTRIES` entries, MemoryError where so many numbers cannot be had at once.
    """
    entries, shape = math.prod(sizes), " x ".join(f"{size:g}" for size in sizes)
    if entries > MOST_ENTRIES:
        raise ValueError(f"{name} would have {shape} entries, more than {MOST_ENTRIES}: ask for less")
    try:
        np.empty(int(entries))
    except MemoryError:
        raise MemoryError(
            f"{name} would have {shape} entries, more than memory can hold: ask for less"
        ) from None


class RList(dict[str, Any]):
    """A result as R returns it: fields by R's names, read and written by key or as attributes.

    As an attribute a field's dots are underscores, its name may be abbreviated, and it goes before a method
    of the same name: ``eigen(x).values`` are the eigenvalues.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data.
    names : mapping of str to names, optional
        By field: names of the entries of a vector, or a tuple of the names of rows and of columns. Such
        fields become `RArray`.

    Examples
    --------
    >>> fit = RList({"tot.withinss": 2.5, "iter": 1, "size": np.array([3, 4])}, names={"size": ["a", "b"]})
    >>> fit["tot.withinss"], fit.tot_withinss, fit.tot
    (2.5, 2.5, 2.5)
    >>> fit.iter = 2
    >>> fit["iter"]
    2
    >>> fit.named("size")
    a    3
    b    4
    dtype: int64
    """

    r_class: ClassVar[tuple[str, ...]] = ()
    """What R's ``class`` gives, where it is more than a list."""
    _no_fields: ClassVar[frozenset[str]] = frozenset({"row_names", "column_names"})
    """Attributes that are no fields of R's result."""

    def __init__(
        self,
        fields: Mapping[str, Any],
        row_names: list[str] | None = None,
        column_names: list[str] | None = None,
        names: Mapping[str, Names] | None = None,
    ) -> None:
        super().__init__(fields)
        for name, of_entries in (names or {}).items():
            if of_entries is not None and name in fields:
                dict.__setitem__(self, name, with_names(dict.__getitem__(self, name), of_entries))
        self.row_names = row_names
        self.column_names = column_names

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and dict.__len__(self):
            field = _field(self, name)
            if field is not None:
                return dict.__getitem__(self, field)
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        by_attribute = {field.replace(".", "_"): field for field in dict.__iter__(self)}
        full = None if name.startswith("_") else partial_match(name, by_attribute)
        if full is not None:
            return self[by_attribute[full]]
        fitting = [field for field in by_attribute if name and field.startswith(name)]
        problem = f"{name!r} begins {' and '.join(fitting)}" if len(fitting) > 1 else f"no field {name!r}"
        raise AttributeError(f"{problem}; the fields are {', '.join(by_attribute) or 'not set'}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in self._no_fields:
            super().__setattr__(name, value)
        else:
            self[_field(self, name) or name] = value

    def __delattr__(self, name: str) -> None:
        field = _field(self, name)
        if field is None:
            super().__delattr__(name)
        else:
            del self[field]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(field.replace(".", "_") for field in dict.__iter__(self))]

    def __reduce__(self) -> Any:
        return _restored, (type(self), dict(self), dict(vars(self)))

    def copy(self) -> Self:
        """Give a second list with the same fields.

        Returns
        -------
        RList
            The list, of the same class.
        """
        found: Self = _restored(type(self), dict(self), dict(vars(self)))
        return found

    __copy__ = copy

    def __str__(self) -> str:
        return format_list(self)

    def __repr__(self) -> str:
        return str(self)

    def in_list(self, tag: str) -> str:
        """Give the printed text inside another list.

        Parameters
        ----------
        tag : str
            The name of this one there, which the names of its fields begin with.

        Returns
        -------
        str
            R's text.
        """
        plain = type(self).__str__ is RList.__str__
        return format_list(self, tag) if plain else str(self)

    def named(self, field: str) -> Any:
        """Show a field under R's names, as ``names`` and ``dimnames`` give them.

        Parameters
        ----------
        field : str
            Name of a field that is a vector or a matrix, with R's dots; may be abbreviated.

        Returns
        -------
        pandas Series or DataFrame
            The field; numbered from 0 where R has no names.

        Raises
        ------
        AttributeError
            A field that is not there, or several that begin so.
        TypeError
            A field that is neither a vector nor a matrix.
        """
        full = partial_match(field, list(dict.__iter__(self)))
        value = self.__getattr__(field.replace(".", "_")) if full is None else self[full]
        return value.named() if isinstance(value, RArray) else as_pandas(value, None, field)

    def print(self) -> None:
        """Print the result as R does."""
        print(self)


def _field(fields: RList, name: str) -> str | None:
    """The field that an attribute stands for; None where there is none of exactly this name."""
    if dict.__contains__(fields, name):
        return name
    if "_" not in name:
        return None
    return next((field for field in dict.__iter__(fields) if field.replace(".", "_") == name), None)


def _restored(kind: type[RList], fields: dict[str, Any], attributes: dict[str, Any]) -> Any:
    """A list of a class with its fields and attributes."""
    made = kind.__new__(kind)
    dict.update(made, fields)
    vars(made).update(attributes)
    return made

"""The columns of R's ``daisy`` as numbers with their types; checks with R's messages in R's order."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.inputs.containers import as_frame, counts_only, has_columns
from sparsek.rcompat.base.data import as_matrix, as_numbers, as_vector, dimensions
from sparsek.rcompat.base.factors import as_factor

NOT_DATA = "x is not a dataframe or a numeric matrix."
FEWEST_ROWS = 10
"""With so many rows columns of two numbers are warned of."""
KINDS = {"asymm": "A", "symm": "S", "ordratio": "T"}
"""Types that may be given, by their letters."""
RATIO = "logratio"


@dataclass(frozen=True, slots=True)
class Variables:
    """The columns of data."""

    values: FloatArray  # (n, p): numbers, codes of categories from 1, 0 and 1 of binary variables
    types: list[str]  # R's letter of each column
    row_names: list[str] | None  # row_names, column_names: names, where there are some
    column_names: list[str] | None
    levels: dict[int, list[str]]  # Levels of each column of categories or texts


@dataclass(frozen=True, slots=True)
class Warned:
    """Which checks of types warn."""

    binary: bool  # binary, logical: numbers of two values, truth values
    logical: bool


def read_variables(x: Any, type: Any, warned: Warned) -> Variables:
    """The columns with their types: what they are, and what was said of them.

    RError with R's messages: no data, columns of another kind, or types that do not fit; RWarning with R's
    messages.
    """
    found = _frame(as_frame(x)) if has_columns(x) else _matrix(x)
    logical = [j for j, letter in enumerate(found.types) if letter == "L"]
    said = _given_types(type, found)
    values, types = found.values, list(found.types)
    for name in KINDS:
        for j in said.get(name, []):
            types[j] = KINDS[name]
    binary = [j for name in ("asymm", "symm") for j in said.get(name, [])]
    _check_binary(found, binary)
    for j in [*binary, *logical]:
        values[:, j] = _codes(values[:, j])
    if has_columns(x):  # of a matrix R takes the numbers as they are
        ratios = said.get("ordratio", [])
        values[:, ratios] = _codes(values[:, ratios])
        values[:, said.get(RATIO, [])] = _logarithms(values[:, said.get(RATIO, [])])
    if warned.binary and len(values) >= FEWEST_ROWS:
        two = [j + 1 for j, letter in enumerate(types) if letter == "I" and _count(values[:, j]) == 2]
        if two:
            warn_as_r(f"binary variable(s) {', '.join(map(str, two))} treated as interval scaled")
    unsaid = [j + 1 for j in logical if types[j] == "L"]
    if unsaid and warned.logical:
        columns = f"variable{'s' * (len(unsaid) > 1)} {', '.join(map(str, unsaid))}"
        warn_as_r(f"setting 'logical' {columns} to type 'asymm'")
    types = ["A" if letter == "L" else letter for letter in types]
    return replace(found, types=types)


def _matrix(x: Any) -> Variables:
    """A matrix of numbers."""
    if dimensions(x, "x") != 2 or np.asarray(x).dtype.kind not in "iuf":
        raise RError(NOT_DATA, "give a data frame or a matrix of numbers")
    matrix = as_matrix(x)
    types = ["I"] * matrix.values.shape[1]
    return Variables(matrix.values.copy(), types, matrix.row_names, matrix.column_names, {})


def _frame(frame: Any) -> Variables:
    """The columns of a frame: numbers, truth values and categories."""
    import pandas as pd

    columns: list[FloatArray] = []
    types: list[str] = []
    levels: dict[int, list[str]] = {}
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if str(column.dtype) == "category":
            codes = as_factor(column, "x").codes
            columns.append(np.where(codes < 0, math.nan, codes + 1.0))
            types.append("O" if column.cat.ordered else "N")
            levels[j] = as_factor(column, "x").levels
        elif pd.api.types.is_bool_dtype(column.dtype):
            columns.append(column.to_numpy(dtype=float, na_value=math.nan))
            types.append("L")
        elif pd.api.types.is_numeric_dtype(column.dtype):
            columns.append(as_numbers(column, "x"))
            types.append("I")
        else:
            date = pd.api.types.is_datetime64_any_dtype(column.dtype)
            factor = as_factor(column.astype(str), "x")
            columns.append(factor.codes + np.float64(1))
            levels[j] = factor.levels
            types.append("Date" if date else "character")
    if not columns or not len(frame):
        raise ValueError(f"x is empty: its shape is {frame.shape}; at least one row and column needed")
    rows = None if counts_only(frame.index) else [str(name) for name in frame.index]
    return Variables(np.column_stack(columns), types, rows, [str(name) for name in frame.columns], levels)


def require_known_types(types: list[str]) -> None:
    """Refuse columns of texts and dates, for which a class stands in place of a letter."""
    wrong = [(str(j + 1), letter) for j, letter in enumerate(types) if len(letter) > 1]
    if wrong:
        numbers = ", ".join(j for j, _ in wrong)
        message = "".join(f"invalid type {kind} for column numbers {numbers}" for _, kind in wrong)
        raise RError(message, "make categories of texts: frame.astype('category')")


def _given_types(type: Any, found: Variables) -> dict[str, list[int]]:
    """The columns, from 0, of each type that was given."""
    if type is None:
        return {}
    if not isinstance(type, dict):
        raise RError("invalid \u2018type\u2019; must be named list", "give a dict such as {'asymm': [1, 3]}")
    return {name: _places(name, columns, found) for name, columns in type.items()}


def _places(name: str, columns: Any, found: Variables) -> list[int]:
    """Columns given by number from 1, or by name."""
    listed: NDArray[Any] = np.atleast_1d(np.asarray(columns))
    if listed.dtype.kind in "UO" and all(isinstance(v, str) for v in listed):
        names = found.column_names or []
        if not set(listed.tolist()) <= set(names):
            raise RError(f"type${name} has invalid column names", f"the columns are {', '.join(names)}")
        return [names.index(v) for v in listed.tolist()]
    numbers = as_vector(columns, f"type[{name!r}]")
    p = len(found.types)
    if not all(1 <= v <= p for v in numbers):
        raise RError(f"type${name} must be in 1:ncol(x)", f"x has {p} columns; got {columns!r}")
    return [int(v) - 1 for v in numbers]


def _count(column: FloatArray) -> int:
    """How many different numbers a column has."""
    return len(np.unique(column[~np.isnan(column)]))


def _codes(numbers: FloatArray) -> FloatArray:
    """The place of each number among the different ones, from 0; missing ones stay."""
    codes, known = numbers.copy(), ~np.isnan(numbers)
    codes[known] = np.unique(numbers[known], return_inverse=True)[1]
    return codes


def _check_binary(found: Variables, columns: list[int]) -> None:
    """Refuse columns that are said to be binary with more than two values or others than 0 and 1."""
    counts = [len(found.levels[j]) if j in found.levels else _count(found.values[:, j]) for j in columns]
    if any(count > 2 for count in counts):
        message = "at least one binary variable has more than 2 levels."
        raise RError(message, "asymm and symm are for columns of two values")
    if any(count < 2 for count in counts):
        warn_as_r("at least one binary variable has not 2 different levels.")
    labels = [found.levels.get(j) or np.unique(found.values[:, j]).tolist() for j in columns]
    numbers = [[_number(label) for label in given] for given in labels]
    for given in labels:
        if any(isinstance(label, str) and math.isnan(_number(label)) for label in given):
            warn_as_r("NAs introduced by coercion")
    if any(v not in (0.0, 1.0) and v == v for given in numbers for v in given):
        message = "at least one binary variable has values not in {0,1,NA}"
        raise RError(message, "write the two values as 0 and 1")


def _number(label: str | float) -> float:
    """A label as a number; NaN for one that is none."""
    try:
        return float(label)
    except ValueError:
        return math.nan


def _logarithms(numbers: FloatArray) -> FloatArray:
    """R's ``log10``: NaN of negative numbers, with R's warning."""
    if (numbers < 0).any():
        warn_as_r("NaNs produced")
    flat = [math.log10(v) if v > 0 else (-math.inf if v == 0 else math.nan) for v in numbers.ravel()]
    return np.reshape(flat, numbers.shape)

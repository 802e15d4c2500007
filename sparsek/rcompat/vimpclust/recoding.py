"""Mixed data as numbers: standardised columns, and dummy variables of levels (Chavent et al. 2014)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import issparse

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_column_sums, long_deviation, long_mean
from sparsek.errors import RError
from sparsek.inputs.containers import as_frame, counts_only, has_columns
from sparsek.inputs.mixed import indicators
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_matrix, as_numbers, dimensions
from sparsek.rcompat.base.factors import Factor, as_factor, collation_key

SAME_LEVELS = """Some categorical variables have same names of categories,
             rename categories or use the option rename.level=TRUE to rename it automatically"""


@dataclass(frozen=True, slots=True)
class Mixed:
    """Columns of numbers, and those of categories."""

    numbers: dict[str, FloatArray]
    factors: dict[str, Factor]
    row_names: list[str] | None
    texts: bool = False  # Whether some are of texts
    whole: bool = False  # Whether some are of whole numbers
    refused: str | None = None  # A column that is of another kind

    @property
    def names(self) -> list[str]:
        """Names of the columns, numbers first."""
        return [*self.numbers, *self.factors]

    @property
    def complete(self) -> bool:
        """Whether nothing is missing or infinite."""
        known = all(np.isfinite(column).all() for column in self.numbers.values())
        return known and all((factor.codes >= 0).all() for factor in self.factors.values())

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(next(iter([*self.numbers.values(), *(f.codes for f in self.factors.values())])))


@dataclass(frozen=True, slots=True)
class Coded:
    """Recoded columns."""

    values: FloatArray  # (n, q)
    names: list[str]
    index: IntArray  # (q,): the column, from 1, that each comes from
    attributes: dict[str, Any] = field(default_factory=dict)


def read_mixed(x: Any) -> Mixed:
    """The columns of a frame or a matrix; truth values are left out, as in R.

    Raises TypeError, ValueError for what is no table, or has no such columns.
    """
    mixed = _frame(as_frame(x)) if has_columns(x) else _matrix(x)
    if not mixed.names and mixed.refused is None:
        raise ValueError("X has no column of numbers, texts or categories")
    return mixed


def check_mixed(mixed: Mixed, renamed: bool) -> None:
    """Refuse columns of one value or without a scale, columns of other kinds, and levels of one name.

    Raises RError with R's messages; RWarning of whole numbers, which are taken for numbers.
    """
    if mixed.whole:
        warn_as_r("Columns of class integer are considered as quantitative")
    if mixed.refused is not None:
        message = "undefined columns selected"
        raise RError(message, f"make column {mixed.refused!r} numbers or unordered categories")
    for name, column in mixed.numbers.items():
        if np.isnan(_standardised(column)[0]).any():
            message = "There are columns in X.quanti where all the values are identical"
            raise RError(message, f"leave out {name!r}, or rescale it where it is huge, tiny or infinite")
    level_names(mixed, renamed)
    if any(len(factor.levels) < 2 for factor in mixed.factors.values()):
        message = "There are columns in X.quali where all the categories are identical"
        raise RError(message, "leave constant columns out")


def _matrix(x: Any) -> Mixed:
    """The columns of a matrix, called X1, X2 and so on; a single one is called data."""
    if not issparse(x) and dimensions(x, "x") == 2 and np.asarray(x).dtype.kind == "U":
        factors = {f"X{j + 1}": _used(as_factor(column, "X")) for j, column in enumerate(np.asarray(x).T)}
        return Mixed({}, factors, None, texts=True)
    matrix = as_matrix(x, "X")
    p = matrix.values.shape[1]
    names = matrix.column_names or (["data"] if p == 1 else [f"X{j + 1}" for j in range(p)])
    return Mixed(dict(zip(names, matrix.values.T, strict=True)), {}, matrix.row_names)


def _frame(frame: Any) -> Mixed:
    """The columns of a frame."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names) or not len(frame):
        raise ValueError(f"X must have rows and columns of different names; got {len(frame)} rows of {names}")
    columns = {name: frame.iloc[:, j] for j, name in enumerate(names)}
    kinds = {name: _kind(column.dtype) for name, column in columns.items()}
    numbers = {name: as_numbers(c, "X") for name, c in columns.items() if kinds[name] in ("number", "whole")}
    factors = {
        name: _used(as_factor(column if kinds[name] == "category" else column.to_numpy(object), "X"))
        for name, column in columns.items()
        if kinds[name] in ("category", "text")
    }
    rows = None if counts_only(frame.index) else [str(name) for name in frame.index]
    found = kinds.values()
    refused = next((name for name, kind in kinds.items() if kind == "other"), None)
    return Mixed(numbers, factors, rows, "text" in found, "whole" in found, refused)


def _kind(dtype: Any) -> str:
    """What a column holds: numbers, whole ones, truth values, categories, texts, or something else."""
    from pandas.api import types

    if str(dtype) == "category":
        return "other" if dtype.ordered else "category"
    if types.is_bool_dtype(dtype):
        return "truth"
    if types.is_numeric_dtype(dtype):
        return "whole" if types.is_integer_dtype(dtype) else "number"
    return "text" if types.is_object_dtype(dtype) or types.is_string_dtype(dtype) else "other"


def _used(factor: Factor) -> Factor:
    """A factor without the levels that no row has; R sorts the others anew."""
    found = np.unique(factor.codes[factor.codes >= 0]).tolist()
    present = sorted(found, key=lambda code: collation_key(factor.levels[code]))
    places = np.full(len(factor.levels) + 1, -1)
    places[present] = np.arange(len(present))
    return Factor(places[factor.codes], [factor.levels[code] for code in present])


def level_names(mixed: Mixed, renamed: bool) -> list[str]:
    """Names of the levels of all categorical columns; RError where two are the same."""
    names = [
        f"{name}={level}" if renamed else level
        for name, factor in mixed.factors.items()
        for level in factor.levels
    ]
    if len(set(names)) < len(names):
        raise RError(SAME_LEVELS, "use renamelevel=True")
    return names


def _standardised(column: FloatArray) -> tuple[FloatArray, float, float]:
    """A column centred and over its standard deviation, its mean and this deviation.

    Shapes: column (n,); returns (n,).
    """
    n, known = len(column), column[~np.isnan(column)]
    if not len(known):
        return column, math.nan, math.nan
    with np.errstate(all="ignore"):  # R goes on with Inf and NaN
        center = long_mean(known)
        filled = np.where(np.isnan(column), center, column)
        scale = long_deviation(filled) * math.sqrt((n - 1) / n)
        return (filled - center) / np.float64(scale), center, scale


def recode(mixed: Mixed, renamed: bool) -> Coded:
    """Numbers centred and over their standard deviations, levels centred and over the roots of their shares.

    Missing numbers become the mean, rows without a level have none of them.
    """
    names = [*mixed.numbers, *level_names(mixed, renamed)]
    n = mixed.size
    centers, scales, parts = [], [], []
    for column in mixed.numbers.values():
        z, center, scale = _standardised(column)
        centers.append(center)
        scales.append(scale)
        parts.append(z[:, None])
    for factor in mixed.factors.values():
        levels = indicators(factor.codes, len(factor.levels))
        levels /= np.sqrt(long_column_sums(levels) / n)
        parts.append(levels - long_column_sums(levels, n))
    index = np.repeat(np.arange(len(parts)) + 1, [part.shape[1] for part in parts])
    attributes = {} if mixed.factors else {
        "scaled:center": RArray(centers, names=names),
        "scaled:scale": RArray(scales, names=names),
    }  # fmt: skip
    return Coded(np.hstack(parts), names, index, attributes)

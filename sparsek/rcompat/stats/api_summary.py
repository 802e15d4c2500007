"""R's ``summary`` of vectors, factors, data frames and lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sparsek.bits.ordered_arithmetic import long_mean
from sparsek.inputs.containers import as_array, as_frame, has_columns
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.factors import as_factor
from sparsek.rcompat.base.printing import column_parts, format_column, format_vector
from sparsek.rcompat.base.values.api_rounding import small_as_zero
from sparsek.rcompat.base.values.lists import is_vector
from sparsek.rcompat.stats.api_quantiles import quantile
from sparsek.rcompat.stats.distances.api_dist import Dist

NAMES = ["Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max."]
MISSING = "NA's"
DIGITS = 4
"""Significant digits of a printed summary."""
MOST_LEVELS = 7
"""Rows of a summary of a frame's factor; further levels are counted together."""
KINDS = {"f": "numeric", "i": "numeric", "u": "numeric", "b": "logical"}


class VectorSummary(RArray):
    """Summary of a vector: smallest and largest number, quartiles, mean, and how many are missing."""

    def __str__(self) -> str:
        return format_vector(shown_numbers(np.asarray(self)), self.attributes["names"])


class TextSummary(RList):
    """Summary of texts, truth values or lists, printed as R prints a table of texts."""

    def __str__(self) -> str:
        width = max(len(text) for pair in self.items() for text in pair)
        return format_vector([f"{text:>{width}}" for text in self.values()], list(self))


class TableSummary(RArray):
    """Summary of a frame or a list: a matrix of texts, printed as R prints a table."""

    def __str__(self) -> str:
        rows, heads = self.attributes["dimnames"]
        if not heads:
            return "< table of extent 0 x 0 >"
        cells = np.asarray(self)
        widths = [max(map(len, [head, *column])) for head, column in zip(heads, cells.T, strict=True)]
        padded = [[f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)] for row in cells]
        filled = [f"{head:<{w}}" for head, w in zip(heads, widths, strict=True)]
        return "\n".join(column_parts(padded, rows, filled))


def summary(object: Any) -> Any:
    """Summarise a value, as R's ``summary``.

    Parameters
    ----------
    object : array_like, pandas Series, Categorical or DataFrame, or a result of a function
        Numbers, truth values, texts, categories, the columns of a frame or of a matrix, or a list. Results
        that have a method ``summary`` get theirs.

    Returns
    -------
    RArray or RList
        Of numbers smallest, quartiles, mean and largest, in their unit, and the number of missing ones where
        there are such; of categories the counts; of a frame or list a table of texts. Printed as by R.

    Raises
    ------
    TypeError
        For objects that are no data.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> rcompat.summary([1, 2, 3.5]).print()  # doctest: +NORMALIZE_WHITESPACE
       Min. 1st Qu.  Median    Mean 3rd Qu.    Max.
      1.000   1.500   2.000   2.167   2.750   3.500
    """
    own = getattr(type(object), "summary", None)
    if callable(own):
        return own(object)
    if object is None:
        return TextSummary({"Length": "0", "Class": "NULL", "Mode": "NULL"})
    if callable(object) or issparse(object) or isinstance(object, Set):
        raise TypeError(f"summary takes vectors, tables and lists; got {object!r}")
    if has_columns(object):
        frame = as_frame(object)
        heads = [str(name) for name in frame.columns]
        return _of_columns([frame.iloc[:, j] for j in range(len(heads))], heads)
    if isinstance(object, Mapping):
        return _of_fields(object)
    if isinstance(object, list) and not is_vector(object):
        return _of_fields({str(i + 1): value for i, value in enumerate(object)})
    values = object if getattr(object, "ndim", 0) else np.atleast_1d(np.asarray(object))
    if values.ndim == 2:
        names = dict(getattr(object, "attributes", {})).get("dimnames", (None, None))[1]
        heads = list(names or [f"V{j + 1}" for j in range(values.shape[1])])
        return _of_columns(list(np.asarray(values).T), heads)
    return _of_vector(values if values.ndim == 1 else np.ravel(values, order="F"))


def _of_vector(values: Any) -> Any:
    """Summary of a vector of numbers, truth values, texts or categories."""
    if str(values.dtype) == "category":
        names, counts = _level_counts(values, math.inf)
        return RArray(counts, names=names)
    kind, array = _kind(values)
    if kind == "numeric":
        return VectorSummary(_numbers(array), names=NAMES + [MISSING] * bool(np.isnan(array).any()))
    if kind == "logical":
        return TextSummary(dict(_truths(array)))
    return TextSummary({"Length": str(len(array)), "Class": kind, "Mode": kind})


def _kind(values: Any) -> tuple[str, NDArray[Any]]:
    """What R would call the mode of a vector, and its entries."""
    if hasattr(values, "to_numpy"):
        from sparsek.rcompat.base.values.frames import plain_column

        array = plain_column(values)
    else:
        array = np.asarray(values)
    known = [v for v in array.tolist() if v is not None] if array.dtype.kind == "O" else []
    if array.dtype.kind == "b" or (known and all(isinstance(v, bool | np.bool_) for v in known)):
        return "logical", array
    if array.dtype.kind in "iuf":
        return "numeric", array.astype(np.float64)
    if array.dtype.kind == "c":
        return "complex", array
    strange = [v for v in known if not isinstance(v, str | bytes | bool | int | float)]
    if array.dtype.kind not in "OUST" or strange:
        what = repr(strange[0]) if strange else str(array.dtype)
        raise TypeError(f"summary takes numbers, truth values, texts and categories; got {what}")
    return "character", array


def _numbers(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Smallest, quartiles, mean and largest, and the number of missing ones where there are such."""
    known = array[~np.isnan(array)]
    quarters = np.asarray(quantile(known))
    average = long_mean(known) if len(known) else -math.nan  # printed as NaN
    missing = [float(len(array) - len(known))] * (len(known) < len(array))
    return np.array([*quarters[:3], average, *quarters[3:], *missing])


def shown_numbers(numbers: NDArray[np.float64]) -> list[str]:
    """The numbers of a summary as R formats them, rounded to 7 digits of the largest before."""
    finite, rounded = np.isfinite(numbers), numbers.copy()
    if finite.any():
        rounded[finite] = small_as_zero(numbers[finite])  # the number of missing ones counts too, as in R
    return format_column(rounded[: len(NAMES)].tolist(), DIGITS) + [f"{v:g}" for v in numbers[len(NAMES) :]]


def _truths(array: NDArray[Any]) -> list[tuple[str, str]]:
    """Mode and counts of truth values."""
    values = array.tolist()
    counts = [("FALSE", values.count(False)), ("TRUE", values.count(True)), (MISSING, values.count(None))]
    return [("Mode", "logical"), *((name, str(count)) for name, count in counts if count)]


def _level_counts(column: Any, most: float) -> tuple[list[str], list[int]]:
    """Levels and counts, missing ones last; the rarest together where there are more than so many."""
    factor = as_factor(column, "column")
    counts = np.bincount(factor.codes[factor.codes >= 0], minlength=len(factor.levels)).tolist()
    pairs = list(zip(factor.levels, counts, strict=True))
    missing = int((factor.codes < 0).sum())
    room = most - bool(missing)
    if len(pairs) > room:
        pairs = sorted(pairs, key=lambda pair: -pair[1])
        kept = int(room) - 1
        pairs = [*pairs[:kept], ("(Other)", sum(count for _, count in pairs[kept:]))]
    if missing:
        pairs.append((MISSING, missing))
    return [name for name, _ in pairs], [count for _, count in pairs]


def _of_columns(columns: list[Any], heads: list[str]) -> TableSummary:
    """Summary of the columns of a frame: a matrix of texts."""
    if not columns:
        return TableSummary(np.empty((0, 0), dtype=object), dimnames=([], []))
    blocks, labels = [], []
    for column, head in zip(columns, heads, strict=True):
        names, values = _labelled(column)
        wide = max(map(len, names))
        blocks.append([f"{name:<{wide}}:{value}  " for name, value in zip(names, values, strict=True)])
        labels.append(" " * math.floor(wide - len(head) / 2) + head)
    rows = max(map(len, blocks))
    cells = np.array([block + [""] * (rows - len(block)) for block in blocks], dtype=object).T
    return TableSummary(cells, dimnames=([""] * rows, labels))


def _labelled(column: Any) -> tuple[list[str], list[str]]:
    """Names and formatted values of the summary of a column."""
    if str(column.dtype) == "category":
        names, counts = _level_counts(column, MOST_LEVELS)
        return names, _padded([str(count) for count in counts], str.rjust)
    kind, array = _kind(column)
    if kind == "numeric":
        numbers = shown_numbers(_numbers(array))
        main, missing = numbers[: len(NAMES)], numbers[len(NAMES) :]
        return NAMES + [MISSING] * len(missing), _padded(main, str.rjust) + missing
    pairs = (
        _truths(array)
        if kind == "logical"
        else [("Length", str(len(array))), ("Class", kind), ("Mode", kind)]
    )
    return [name for name, _ in pairs], _padded([value for _, value in pairs], str.ljust)


def _padded(texts: list[str], justify: Callable[[str, int], str]) -> list[str]:
    """Texts of one width."""
    wide = max(map(len, texts))
    return [justify(text, wide) for text in texts]


def _of_fields(fields: Mapping[str, Any]) -> TableSummary:
    """Length, class and mode of the fields of a list."""
    rows = [_field(value) for value in dict(fields).values()]
    wide = max((len(row[0]) for row in rows), default=0)
    rows = [[length.rjust(wide), *others] for length, *others in rows]
    return TableSummary(np.array(rows, dtype=object), dimnames=(list(fields), ["Length", "Class ", "Mode"]))


def _field(value: Any) -> list[str]:
    """Length, class and mode of a field."""
    if value is None:
        return ["0", "-none-", "NULL"]
    if isinstance(value, Call):
        return [str(value.count("=") + 1), "-none-", "call"]
    if isinstance(value, Mapping):
        return [str(len(value)), "-none-", "list"]
    if callable(value):
        return ["1", "-none-", "function"]
    kind = "dist" if isinstance(value, Dist) else "-none-"
    try:
        entries = np.atleast_1d(as_array(value, "a field")).ravel()
    except ValueError:  # parts of different lengths
        return [str(len(value)), "-none-", "list"]
    return [str(entries.size), kind, _kind(entries)[0]]

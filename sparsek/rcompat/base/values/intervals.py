"""Numbers divided into intervals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_flag, as_number, as_vector
from sparsek.rcompat.base.factors import as_labels, text_of

LARGEST_DIGITS = 50
"""Significant digits that may be asked for."""
MOST_DIGITS = 12
"""Most significant digits of ends that would be the same text."""
BEYOND = 1000
"""The outer ends of intervals of equal length are this part of the range beyond it."""
MOST_INTERVALS = 10**7


def intervals(x: Any, breaks: Any, labels: Any, lowest: Any, right: Any, digits: Any, ordered: Any) -> Any:
    """The interval of each number: R's ``cut`` of numbers.

    Raises RError with R's message, for other data than numbers and ends that are no intervals.
    """
    try:
        values = as_vector(x, "x")
    except (TypeError, ValueError) as error:
        raise RError("'x' must be numeric", str(error)) from error
    if np.asarray(x).dtype.kind == "b":
        raise RError("'x' must be numeric", "x holds truth values")
    ends = _ends(values, as_vector(breaks, "breaks"))
    on_right, closed = as_flag(right, "right"), as_flag(lowest, "include_lowest")
    names = _names(labels, ends, _places(digits), on_right, closed)
    codes = np.searchsorted(ends, values, side="left" if on_right else "right") - 1
    if closed:
        codes[values == ends[0 if on_right else -1]] = 0 if on_right else len(ends) - 2
    codes[np.isnan(values) | (codes >= len(ends) - 1)] = -1
    if names is None:
        return RArray(np.where(codes < 0, np.nan, codes + 1.0) if (codes < 0).any() else codes + 1)
    levels = list(dict.fromkeys(names))
    places = np.array([levels.index(name) for name in names] + [-1], dtype=np.int64)
    found: IntArray = places[codes]
    return pd.Categorical.from_codes(found, pd.Index(levels), ordered=as_flag(ordered, "ordered_result"))


def _ends(values: FloatArray, breaks: FloatArray) -> FloatArray:
    """The ends of the intervals, sorted; missing ones are left out."""
    if len(breaks) == 1:
        number = breaks[0]
        if not 2 <= number <= MOST_INTERVALS:
            raise RError(
                "invalid number of intervals", f"breaks must be 2 to {MOST_INTERVALS}; got {number:g}"
            )
        known = values[~np.isnan(values)]
        if not known.size or not np.isfinite(known).all():
            raise RError("'from' must be a finite number", "x must have finite numbers")
        return _equal_ends(float(known.min()), float(known.max()), int(number))
    ends = np.sort(breaks[~np.isnan(breaks)])
    if len(ends) < 2:
        raise RError("invalid number of intervals", f"breaks must have two ends; got {len(ends)}")
    if (ends[1:] == ends[:-1]).any():
        raise RError("'breaks' are not unique", "drop the repeated ends")
    return ends


def _equal_ends(low: float, high: float, number: int) -> FloatArray:
    """Ends of intervals of equal length, the outer ones beyond the range."""
    length = high - low
    beyond = (length or abs(low) or 1.0) / BEYOND
    first, last = (low, high) if length else (low - beyond, high + beyond)
    ends: FloatArray = first + np.arange(number + 1, dtype=np.float64) * ((last - first) / number)
    ends[-1] = last
    if length:
        ends[0], ends[-1] = low - beyond, high + beyond
    if (ends[1:] == ends[:-1]).any():
        raise RError("'breaks' are not unique", "fewer intervals fit into the range of x")
    return ends


def _names(labels: Any, ends: FloatArray, digits: int, right: bool, closed: bool) -> list[str] | None:
    """Names of the intervals; None for their numbers."""
    if labels is False:
        return None
    if labels is None:
        return _written(_texts(ends, digits), right, closed)
    found = [text_of(label) for label in np.atleast_1d(as_labels(np.atleast_1d(labels), "labels")).tolist()]
    if any(label is None for label in found):
        raise ValueError(f"labels must have no missing name; got {found}")
    if len(found) != len(ends) - 1:
        message = "lengths of 'breaks' and 'labels' differ"
        raise RError(message, f"there are {len(ends) - 1} intervals and {len(found)} labels")
    return found


def _places(digits: Any) -> int:
    """The least number of significant digits in names of intervals."""
    number = as_number(digits, "dig_lab")
    if not 0 <= number <= LARGEST_DIGITS:
        raise ValueError(f"dig_lab must be from 0 to {LARGEST_DIGITS}; got {digits!r}")
    return int(number)


def _texts(ends: FloatArray, digits: int) -> list[str]:
    """The ends as different texts of few digits; infinite ones are of one width."""
    texts: list[str] = []
    infinite = " Inf" if np.isneginf(ends[0]) else "Inf"
    for places in range(digits, max(MOST_DIGITS, digits) + 1):
        texts = [infinite if v == np.inf else f"{v + 0.0:.{places}g}" for v in ends.tolist()]
        texts[0] = texts[0].replace("inf", "Inf")
        if len(set(texts)) == len(texts):
            break
    return texts


def _written(texts: list[str], right: bool, closed: bool) -> list[str]:
    """Intervals by their ends, an end that belongs to its interval beside a square bracket."""
    before, after = ("(", "]") if right else ("[", ")")
    names = [f"{before}{low},{high}{after}" for low, high in pairwise(texts)]
    if closed and right:
        names[0] = f"[{names[0][1:]}"
    elif closed:
        names[-1] = f"{names[-1][:-1]}]"
    return names

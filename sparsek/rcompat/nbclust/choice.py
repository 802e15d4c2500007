"""The number of clusters that an index proposes, as NbClust reads it.

Source: Charrad et al. (2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError

Choice = tuple[float, ...]
"""A number of clusters, NaN for none, and the value of the index that speaks for it."""
NONE: Choice = (math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Values:
    """An index for the numbers of clusters from a first one on, not rounded."""

    first: int  # Smallest number of clusters
    values: FloatArray  # (m,): the index
    critical: FloatArray | None  # (m,): critical values, where there are some
    level: float  # Significance level


Rule = Callable[[Values], Choice]


def largest(v: Values) -> Choice:
    """The largest value."""
    return _at(v.values, v.first, v.values)


def largest_or_slip(v: Values) -> Choice:
    """The largest value; where all are NaN, R's minus infinity alone: what follows moves up by one place."""
    if not np.isnan(v.values).all():
        return largest(v)
    warn_as_r("no non-missing arguments to max; returning -Inf")
    for _ in range(2):
        warn_as_r("data length [59] is not a sub-multiple or multiple of the number of rows [2]")
    return (-math.inf,)


def smallest(v: Values) -> Choice:
    """The smallest value."""
    return _at(-v.values, v.first, v.values)


def largest_step(v: Values) -> Choice:
    """The largest difference from the number before."""
    steps = np.abs(np.diff(v.values))
    return _at(steps, v.first + 1, steps)


def largest_bend(v: Values) -> Choice:
    """The largest second difference."""
    bends = np.diff(v.values, 2)
    return _at(bends, v.first + 1, bends)


def smallest_bend(v: Values) -> Choice:
    """The smallest second difference."""
    bends = np.diff(v.values, 2)
    return _at(-bends, v.first + 1, bends)


def first_above(v: Values) -> Choice:
    """The first value from its critical value on."""
    return _first(v, v.values >= _critical(v))


def first_below(v: Values) -> Choice:
    """The first value up to its critical value."""
    return _first(v, v.values <= _critical(v))


def first_insignificant(v: Values) -> Choice:
    """The first whose p-value, the critical value here, is from the level on."""
    return _first(v, _critical(v) >= v.level)


def first_not_negative(v: Values) -> Choice:
    """The first whose critical value is not negative."""
    return _first(v, _critical(v) >= 0)


def before_below_one(v: Values) -> Choice:
    """The number before the first value below 1."""
    i = _place(v.values < 1, np.isnan(v.values))
    if i is None:
        return NONE
    return float(v.first + i - 1), float(v.values[i - 1]) if i else math.nan


def by_eye(v: Values) -> Choice:
    """None: the index is read from a picture."""
    return 0.0, 0.0


def side_by_side(proposed: Sequence[Choice]) -> FloatArray:
    """Numbers above values, filled in column by column as R does it.

    Shapes: returns (2, m).
    """
    flat = [entry for choice in proposed for entry in choice]
    return np.resize(np.array(flat), (len(proposed), 2)).T


def majority(numbers: FloatArray) -> int:
    """The number that most indices propose, the smallest of several.

    Shapes: numbers (m,).
    """
    proposed = numbers[np.isfinite(numbers) & (numbers > 0)]
    found, counts = np.unique(proposed, return_counts=True)
    return int(found[counts.argmax()])


def _critical(v: Values) -> FloatArray:
    """The critical values."""
    assert v.critical is not None
    return v.critical


def _at(scores: FloatArray, first: int, shown: FloatArray) -> Choice:
    """The first number of the best score, and what is shown of it."""
    if np.isnan(scores).all():
        return NONE
    i = int(np.nanargmax(scores))
    return float(first + i), float(shown[i])


def _first(v: Values, found: np.ndarray) -> Choice:
    """The first number that is found, and its value."""
    i = _place(found, np.isnan(v.values) | np.isnan(_critical(v)))
    return NONE if i is None else (float(v.first + i), float(v.values[i]))


def _place(found: np.ndarray, unknown: np.ndarray) -> int | None:
    """The first place that is found; RError with R's message where one before is unknown."""
    places = np.flatnonzero(found)
    if unknown[: places[0] if len(places) else None].any():
        message = (
            "an index is not defined of one or two rows, or of equal rows: lower max_nc, or take another"
        )
        raise RError("missing value where TRUE/FALSE needed", message)
    return int(places[0]) if len(places) else None

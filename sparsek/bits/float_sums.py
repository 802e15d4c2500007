"""Sums accumulated in single precision, as C code with a ``float`` accumulator makes them, without a loop.

While the accumulator lies in [2^e, 2^(e+1)) it is a multiple of the unit u = 2^(e-23), and adding a double
term adds the term rounded to that unit. In units, these are whole numbers, whose sum is exact in any order.
Terms are added one by one where the accumulator leaves the interval. So are terms that lie so near half a
unit that rounding first to double and then to single precision could give another result.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray

FIRST, NEXT = 96, 8
"""Number of terms added one by one: at the beginning, and where the unit changes or half a unit is near."""
LONGEST = 16384
"""Terms added at a time."""
NEAR_HALF = 0.5 - 2.0**-29
"""Below this distance from a whole number of units, rounding to double cannot change the rounded term."""
UNITS = 2.0**24
"""The accumulator stays below this number of its units."""


def float_sum(terms: FloatArray) -> float:
    """Sum of doubles, each added in double to an accumulator then rounded to single precision."""
    flat = np.ravel(terms)
    if flat.size and flat.min() < 0:
        return -float_sum(-flat)
    with np.errstate(over="ignore", invalid="ignore"):
        total, begin = _add_literally(0.0, flat[:FIRST]), FIRST
        while begin < len(flat) and math.isfinite(total):
            block = flat[begin : begin + min(begin, LONGEST)]
            total, used = _add_whole_units(total, block)
            begin += used
            if used < len(block):
                total = _add_literally(total, flat[begin : begin + NEXT])
                begin += NEXT
        return total if math.isfinite(total) else total + float(flat[begin:].sum())


def _add_literally(total: float, terms: FloatArray) -> float:
    """Add terms one by one."""
    single = np.float32
    for term in terms.tolist():
        total = float(single(total + term))
    return total


def _add_whole_units(total: float, terms: FloatArray) -> tuple[float, int]:
    """Add terms while the unit of the total stays the same; return the new total and how many were added."""
    # The distance of single-precision numbers at the total.
    unit = float(np.spacing(np.float32(total)))
    room = UNITS - total / unit
    scaled = terms / unit
    whole = np.rint(scaled)
    scaled -= whole
    np.abs(scaled, out=scaled)
    used = len(terms)
    # Only the terms before the first doubtful one are added as whole numbers.
    if scaled.max() >= NEAR_HALF:
        used = int((scaled >= NEAR_HALF).argmax())
    added = float(whole[:used].sum())
    if not added < room:
        # The unit changes where the total reaches 2^24 units; terms from there on wait.
        sums = np.cumsum(whole[:used])
        used = int(np.searchsorted(sums, room))
        added = float(sums[used - 1]) if used else 0.0
    return total + added * unit, used

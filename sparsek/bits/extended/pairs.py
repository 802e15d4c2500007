"""80-bit arithmetic on pairs of doubles, for many columns at once.

A number of 64 significant bits is ``high + low``: high is the nearest double, low the rest. Sums of doubles
are split into a rounded sum and its exact error (Knuth), so that every step is rounded correctly to 64 bits.

References
----------
Knuth, D. E. (1998). The Art of Computer Programming 2, third edition, Section 4.2.2, Theorem B.
Dekker, T. J. (1971). A floating-point technique for extending the available precision. Numerische Mathematik
18, 224-242.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.extended import integers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Pair = tuple[FloatArray, FloatArray]

COLUMNS = 2048
"""Columns computed at a time: few enough for the processor's cache."""
LARGEST, SMALLEST = 2.0**300, 2.0**-300
"""Entries within these limits, and zeros, cannot overflow or underflow in any step."""

EXPONENT = 0x7FF << 52
HALF = 1 << 51
SPLITTER = 2.0**27 + 1
DOUBT = 2.0**-20
"""Quotients this near to the middle of two 80-bit numbers, in their distance, are computed exactly."""


def are_ordinary(a: FloatArray) -> bool:
    """Whether all entries are 0 or of a size that pairs can hold."""
    size = np.abs(a)
    return bool(size.max() <= LARGEST) and not bool(((size < SMALLEST) & (size != 0)).any())


def column_sums(a: FloatArray, divisors: FloatArray | None) -> FloatArray:
    """As `software.column_sums`, for ordinary entries and one divisor for each column."""
    sums = np.empty(a.shape[1])
    for start in range(0, len(sums), COLUMNS):
        part = slice(start, start + COLUMNS)
        total = _total(a[:, part])
        sums[part] = (total if divisors is None else _divide(total, divisors[part]))[0]
    return sums


def column_means(a: FloatArray) -> FloatArray:
    """As `software.column_means`, for ordinary entries."""
    means = np.empty(a.shape[1])
    for start in range(0, len(means), COLUMNS):
        part = slice(start, start + COLUMNS)
        block = a[:, part]
        numbers = np.full(block.shape[1], float(len(a)))
        s = _divide(_total(block), numbers)
        rest = _total(block, (-s[0], -s[1]))
        means[part] = _add(s, *_divide(rest, numbers))[0]
    return means


def _total(a: FloatArray, shift: Pair | None = None) -> Pair:
    """Column sums of the entries, to each of which a pair is added first."""
    total = np.zeros(a.shape[1]), np.zeros(a.shape[1])
    for row in a:
        total = _add(total, row) if shift is None else _add(total, *_add(shift, row))
    return total


def _two_sum(a: FloatArray, b: FloatArray) -> Pair:
    """Rounded sum and its exact error."""
    s = a + b
    t = s - a
    # Knuth's sum, which is exact whichever of the two numbers is larger.
    return s, (a - (s - t)) + (b - t)


def _add(a: Pair, high: FloatArray, low: FloatArray | None = None) -> Pair:
    """Sum of a pair and a double, or of two pairs, rounded to 64 bits."""
    s, error = _two_sum(a[0], high)
    f, rest = _two_sum(a[1], error)
    if low is None:
        s, f = _two_sum(s, f)
        f, rest = _two_sum(f, rest)
        return _round(s, f, rest)
    f, more = _two_sum(f, low)
    rest, least = _two_sum(rest, more)
    s, f = _two_sum(s, f)
    f, rest = _two_sum(f, rest)
    return _round(s, f, rest + least)  # only the sign of what is left counts


def _magic(high: FloatArray, low: FloatArray) -> IntArray:
    """Bits of the power of two at or below the absolute value of ``high + low``."""
    # A low part of the other sign takes a power of two below itself, so that the exponent is one less.
    bits = high.view(np.int64) - (high * low < 0)
    return bits & EXPONENT


def _round(high: FloatArray, low: FloatArray, rest: FloatArray) -> Pair:
    """Round the sum of three doubles, each less than half the last place of the one before, to 64 bits."""
    # 1.5 * 2^(e - 11) has the last place 2^(e - 63), that of a 64-bit number between 2^e and 2^(e + 1).
    magic = (_magic(high, low) - (11 << 52) | HALF).view(np.float64)
    rounded = (low + magic) - magic
    if rest.any():  # what looks like a tie is none
        gap = low - rounded
        unit = np.spacing(magic)
        # A half unit with a rest on the same side is more than a half, and is rounded away from 0.
        wrong = (np.abs(gap) == unit / 2) & (gap * np.sign(rest) > 0)
        rounded[wrong] += 2 * gap[wrong]
    s = high + rounded
    return s, rounded - (s - high)


def _divide(a: Pair, divisors: FloatArray) -> Pair:
    """Quotients by whole numbers, rounded to 64 bits."""
    q = a[0] / divisors
    product, error = _two_product(q, divisors)
    # What the first quotient leaves, divided again, gives the digits after it.
    rest = (((a[0] - product) - error) + a[1]) / divisors
    high, low = _two_sum(q, rest)
    magic = (_magic(high, low) - (11 << 52) | HALF).view(np.float64)
    rounded = (low + magic) - magic
    unit = np.spacing(np.abs(magic))
    doubtful = np.abs(np.abs(low - rounded) - unit / 2) < DOUBT * unit
    s = high + rounded
    low = rounded - (s - high)
    for i in np.flatnonzero(doubtful):
        # The quotient is too near to a tie for its approximate rest to decide.
        number = integers.add(integers.from_float(a[0][i]), integers.from_float(a[1][i]))
        m, e = integers.divide(number, integers.from_float(divisors[i]))
        s[i] = integers.to_float((m, e))
        low[i] = integers.to_float(integers.add((m, e), integers.from_float(-s[i])))
    return s, low


def _two_product(a: FloatArray, b: FloatArray) -> Pair:
    """Rounded product and its exact error."""
    p = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    # Products of halves are exact, so that added in this order they give the error of p.
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: FloatArray) -> Pair:
    """Two doubles of at most 26 bits with this sum."""
    # Dekker (1971): multiplying by 2^27 + 1 splits a double into halves of 26 bits.
    t = SPLITTER * a
    high = t - (t - a)
    return high, a - high

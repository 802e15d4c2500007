"""80-bit arithmetic on Python's whole numbers.

A number is ``m * 2**e``, where the whole number m has at most 64 significant bits. Sums, products and
quotients of doubles stay far within the exponents of the 80-bit type, so that exponents need no limit here.
Zero has no sign: callers that need it look at their terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Number = tuple[int, int]

BITS = 64
DOUBLE_BITS = 53
SPARE = 63 - DOUBLE_BITS
"""A double's whole number can be shifted by this many places within 64 signed bits."""
PLACES = 256
"""Rounding that drops fewer places reads its constants from tables, which halves its time."""
HALVES = (0, *(1 << places for places in range(PLACES - 1)))
MASKS = tuple((1 << places) - 1 for places in range(PLACES))
LEAST_EXPONENT = -1074
"""Exponent of the smallest positive double."""


def round_bits(m: int) -> int:
    """Round to 64 significant bits, to nearest, ties to even."""
    extra = m.bit_length() - BITS
    if extra <= 0:
        return m
    half, mask = (HALVES[extra], MASKS[extra]) if extra < PLACES else (1 << extra - 1, (1 << extra) - 1)
    dropped = m & mask
    # A tie goes to the even number: up where the last kept bit is 1.
    if dropped > half or (dropped == half and m >> extra & 1):
        return m + (mask + 1 - dropped)
    return m - dropped


def add(a: Number, b: Number) -> Number:
    """Sum, rounded."""
    # Both numbers are brought to the smaller exponent, which loses no bit.
    low = min(a[1], b[1])
    return round_bits((a[0] << a[1] - low) + (b[0] << b[1] - low)), low


def multiply(a: Number, b: Number) -> Number:
    """Product, rounded."""
    return round_bits(a[0] * b[0]), a[1] + b[1]


def divide(a: Number, b: Number) -> Number:
    """Quotient, rounded; `b` is not 0."""
    # The quotient must have more than 64 bits, so that it can be rounded.
    shift = max(0, BITS + 2 + b[0].bit_length() - a[0].bit_length())
    quotient, rest = divmod(abs(a[0]) << shift, abs(b[0]))
    sign = -1 if (a[0] < 0) != (b[0] < 0) else 1
    # A last bit of 1 stands for the rest, so that a quotient with a rest is never taken for a tie.
    return sign * round_bits(quotient << 1 | (rest != 0)), a[1] - b[1] - shift - 1


def square_root(a: Number) -> Number:
    """Square root, rounded; `a` is not negative."""
    shift = max(0, 2 * BITS + 4 - a[0].bit_length())
    # The exponent must be even, because the root halves it.
    shift += (a[1] - shift) & 1
    square = a[0] << shift
    root = math.isqrt(square)
    # A last bit of 1 stands for the rest, as in `divide`.
    return round_bits(root << 1 | (root * root != square)), (a[1] - shift) // 2 - 1


def from_float(value: float) -> Number:
    """A finite double."""
    mantissa, exponent = math.frexp(value)
    return int(math.ldexp(mantissa, DOUBLE_BITS)), exponent - DOUBLE_BITS


def to_float(a: Number) -> float:
    """The nearest double, ties to even: infinite beyond the largest; a rounded zero keeps its sign."""
    spare = max(0, a[0].bit_length() - BITS)
    m, e = a[0] >> spare, a[1] + spare  # the places that go are zeros
    extra = LEAST_EXPONENT - e
    if extra > 0 and m.bit_length() <= DOUBLE_BITS + extra:  # subnormal: the last place is fixed
        m, e = (m + (1 << extra - 1) - 1 + (m >> extra & 1)) >> extra, LEAST_EXPONENT
        return math.ldexp(float(m), e) if m or a[0] >= 0 else -0.0
    try:
        return math.ldexp(float(m), e)
    except OverflowError:
        return math.inf if m > 0 else -math.inf


def whole_numbers(v: FloatArray) -> tuple[list[int], int]:
    """Finite doubles as whole numbers with one exponent: ``v[i] == numbers[i] * 2**exponent``."""
    mantissas, exponents = np.frexp(v)
    numbers = np.ldexp(mantissas, DOUBLE_BITS).astype(np.int64)
    filled = numbers != 0
    # `frexp` gives 0 the exponent 0, which must not count; 2000 is above every exponent of a double.
    low = int(exponents.min(where=filled, initial=2000))
    shifts = np.where(filled, exponents - low, 0)
    if shifts.max(initial=0) <= SPARE:
        return (numbers << shifts).tolist(), low - DOUBLE_BITS
    pairs = zip(numbers.tolist(), shifts.tolist(), strict=True)
    return [m << shift for m, shift in pairs], low - DOUBLE_BITS


def add_up(numbers: Iterable[int]) -> int:
    """Sum from left to right, rounded to 64 bits at every step; all numbers have the same exponent."""
    total = 0
    for number in numbers:
        total += number
        extra = total.bit_length() - BITS
        if extra >= PLACES:
            total = round_bits(total)
        elif extra > 0:  # as `round_bits`, whose call would take as long as all of this
            dropped = total & MASKS[extra]
            if dropped > HALVES[extra] or (dropped == HALVES[extra] and total >> extra & 1):
                total += MASKS[extra] + 1 - dropped
            else:
                total -= dropped
    return total

"""Numbers rounded to decimals as R rounds them."""

from __future__ import annotations

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray

EXACT_DIGITS = 15
"""A number that would keep more digits than these stays as it is."""
LOG10_OF_2 = 0.301029995663981195
LARGEST_EXPONENT = 308


def round_half(values: FloatArray, places: int) -> FloatArray:
    """Numbers to decimals: the nearer of the two decimal numbers around each, the even one between both."""
    if places == 0:
        return np.rint(values)
    rounded = np.array(values, dtype=np.float64)
    exponents = np.frexp(rounded)[1] - 1  # of powers of two: the number lies at about the middle between two
    digits = places + (exponents + 0.5) * LOG10_OF_2
    todo = np.isfinite(rounded) & (rounded != 0) & (digits <= EXACT_DIGITS)
    if places > LARGEST_EXPONENT or not todo.any():
        return rounded
    if places < -LARGEST_EXPONENT:  # no number is half of such a unit
        rounded[todo] = 0.0
        return rounded
    x, unit = rounded[todo], _power_of_ten(places)
    floors = np.floor(x * unit)
    with np.errstate(over="ignore"):  # above the largest number, the lower one is nearer
        low, high = floors / unit, np.ceil(x * unit) / unit
    above, below = high - x, x - low
    up = (above < below) | ((above == below) & (floors % 2 == 1))
    rounded[todo] = np.where(up, high, low)
    return rounded


def _power_of_ten(n: int) -> float:
    """10 to the power n as R multiplies it, which from 23 on may differ from the nearest number."""
    found, factor, rest = 1.0, 10.0, abs(n)
    while rest:
        if rest & 1:
            found *= factor
        factor, rest = factor * factor, rest >> 1
    return 1 / found if n < 0 else found

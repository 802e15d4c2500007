"""R's ``round`` and ``zapsmall``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.inputs.containers import as_array
from sparsek.rcompat.base.arrays import like
from sparsek.rcompat.base.data import as_number, as_numbers
from sparsek.rcompat.base.values.rounding import round_half

ZAPPED = 7
"""Digits that `zapsmall` keeps of the largest number."""


def round(x: ArrayLike, digits: float = 0) -> Any:
    """Round to decimals, as R's ``round``.

    A number goes to the nearer of the two decimal numbers around it, and to the even one where it is as near
    to both, which numpy and Python decide otherwise.

    Parameters
    ----------
    x : array_like
        Real numbers.
    digits : float, default=0
        Decimals, a fraction to the nearest; below 0 powers of ten.

    Returns
    -------
    float or RArray
        The numbers with the names of x; one number for one number.

    Raises
    ------
    RError
        With R's message, for texts.
    TypeError
        For other objects that are not real numbers, and for `digits` that is not one number.

    Examples
    --------
    >>> round([0.15, 2.675, 1234.5], 1)
    RArray([1.0000e-01, 2.7000e+00, 1.2345e+03])
    """
    if as_array(x, "x").dtype.kind in "US":
        raise RError("non-numeric argument to mathematical function", "give numbers")
    wanted = as_number(digits, "digits")
    values = as_numbers(x, "x")
    if math.isnan(wanted):
        return like(np.full(values.shape, math.nan), x)
    places = math.floor(min(max(wanted, -400.0), 400.0) + 0.5)
    return like(round_half(values, places), x)


def zapsmall(x: ArrayLike, digits: float = ZAPPED) -> Any:
    """Round numbers to the digits of the largest one, as R's ``zapsmall``.

    Parameters
    ----------
    x : array_like
        Real numbers.
    digits : float, default=7
        Digits of the largest number that are kept.

    Returns
    -------
    float or RArray
        The numbers with the names of x; one number for one number.

    Raises
    ------
    RError
        With R's message: x is empty.
    TypeError
        For anything but real numbers.

    Examples
    --------
    >>> zapsmall([1e-20, 1, 2.5])
    RArray([0. , 1. , 2.5])
    """
    values = as_numbers(x, "x")
    if not values.size:
        raise RError("invalid 'x'", "x is empty")
    return like(small_as_zero(values, as_number(digits, "digits")), x)


def small_as_zero(values: FloatArray, digits: float = ZAPPED) -> FloatArray:
    """Numbers rounded to so many digits of the largest of them."""
    if math.isnan(digits):
        return np.full(values.shape, digits)
    if digits == math.inf:
        return values.copy()
    known = np.abs(values[~np.isnan(values)])
    largest = float(known.max()) if known.size else 0.0
    places = max(0.0, digits - math.log10(largest)) if 0 < largest < math.inf else 0.0
    return round_half(values, math.floor(places + 0.5))

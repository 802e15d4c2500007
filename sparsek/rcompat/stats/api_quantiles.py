"""R's ``median`` and ``quantile``."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, long_median
from sparsek.errors import RError
from sparsek.inputs.containers import has_columns
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_flag, as_number, as_numbers, as_vector

OUTSIDE = 100 * 2.0**-52
"""So far may a probability lie outside 0 and 1."""
FUZZ = 4 * 2.0**-52
"""A place this little below a whole number counts as whole."""
PLOTTING = {4: (0.0, 1.0), 5: (0.5, 0.5), 6: (0.0, 0.0), 8: (1 / 3, 1 / 3), 9: (3 / 8, 3 / 8)}
"""Hyndman and Fan's alpha and beta of the types that interpolate."""
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def median(x: ArrayLike, na_rm: bool = False, **dots: Any) -> float:
    """Median of all numbers, as R's ``median``.

    Parameters
    ----------
    x : array_like
        Real numbers; a matrix counts as one vector.
    na_rm : bool, default=False
        Whether missing values are left out.
    **dots : object
        R's ``...``: ignored, as by R.

    Returns
    -------
    float
        The median, in the unit of x; NaN where values are missing or none are left.

    Raises
    ------
    RError
        With R's message: x is a data frame, or `na_rm` is missing.
    TypeError
        For anything but real numbers.

    Examples
    --------
    >>> median([1, 2, 4, 9])
    3.0
    """
    if has_columns(x):
        raise RError("need numeric data", "x is a data frame; give one of its columns")
    values = np.ravel(as_numbers(x, "x"), order="F")
    if as_flag(na_rm, "na_rm"):
        values = values[~np.isnan(values)]
    if not len(values) or np.isnan(values).any():
        return math.nan
    with np.errstate(invalid="ignore"):
        return long_median(values)


def quantile(
    x: ArrayLike, probs: ArrayLike = QUARTERS, na_rm: bool = False, names: bool = True, type: float = 7
) -> RArray:
    """Quantiles of the nine types of Hyndman and Fan (1996), as R's ``quantile``.

    Parameters
    ----------
    x : array_like
        Real numbers; a matrix counts as one vector.
    probs : array_like of shape (m,), default=(0, 0.25, 0.5, 0.75, 1)
        Probabilities, from 0 to 1; the quantile of a missing one is missing.
    na_rm : bool, default=False
        Whether missing values are left out.
    names : bool, default=True
        Whether the result has the attribute ``names``, such as "25%".
    type : int, default=7
        The kind of quantile, from 1 to 9: types 1 to 3 are numbers of the sample or means of two, types 4 to
        9 lie between two.

    Returns
    -------
    RArray of shape (m,)
        The quantiles, in the unit of x; NaN where x is empty.

    Raises
    ------
    RError
        With R's message: missing values and `na_rm` is False, or probabilities outside 0 and 1.
    ValueError
        For another `type`, or a data frame.
    TypeError
        For anything but real numbers.

    References
    ----------
    Hyndman, R. J. & Fan, Y. (1996). Sample quantiles in statistical packages. The American Statistician 50,
    361-365.

    Examples
    --------
    >>> quantile([1, 2, 4, 9])
    RArray([1.  , 1.75, 3.  , 5.25, 9.  ])
    >>> quantile([1, 2, 4, 9], 1 / 3).attributes
    {'names': ['33.33333%']}
    """
    kind = as_number(type, "type")
    if kind not in range(1, 10):
        raise ValueError(f"type must be a whole number from 1 to 9; got {type!r}")
    if has_columns(x):
        raise ValueError("x is a data frame; give one of its columns, or np.asarray(x) for all numbers")
    values = np.ravel(as_numbers(x, "x"), order="F")
    missing = np.isnan(values)
    if not as_flag(na_rm, "na_rm") and missing.any():
        message = "missing values and NaN's not allowed if 'na.rm' is FALSE"
        raise RError(message, f"x has {missing.sum()} of them: na_rm=True leaves them out")
    shares = as_vector(probs, "probs")
    if (shares < -OUTSIDE).any() or (shares > 1 + OUTSIDE).any():
        raise RError("'probs' outside [0,1]", f"got {probs!r}")
    shares = np.clip(shares, 0.0, 1.0)
    found = _quantiles(np.sort(values[~missing]), shares, int(kind))
    return RArray(found, names=[_percent(p) for p in shares] if as_flag(names, "names") else None)


def _quantiles(ordered: FloatArray, shares: FloatArray, kind: int) -> FloatArray:
    """Quantiles of a sorted vector."""
    result = np.full(len(shares), math.nan)
    known = ~np.isnan(shares)
    if not len(ordered):
        return result
    if kind == 7:
        place = (len(ordered) - 1) * shares[known]
        place += 1
        below = np.floor(place)
        h = place - below
    else:
        below, h = _places(len(ordered), shares[known], kind)
    padded = np.concatenate([ordered[:1], ordered, ordered[-1:]])
    at = np.clip(below, 0, len(ordered)).astype(int)
    low, high = padded[at], padded[at + 1]
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        between = (1 - h) * low + h * high
    result[known] = np.where(h == 1, high, np.where((h > 0) & (low != high), between, low))
    return result


def _places(n: int, shares: FloatArray, kind: int) -> tuple[FloatArray, FloatArray]:
    """The place below each quantile of a type other than 7, from 1, and the weight of the next place."""
    if kind <= 3:
        place = n * shares - (0.5 if kind == 3 else 0.0)
        below = np.floor(place + FUZZ)
        above = place > below
        if kind == 2:
            return below, (above + 1.0) / 2
        return below, (above if kind == 1 else (place != below) | (below % 2 == 1)).astype(float)
    a, b = PLOTTING[kind]
    place = a + shares * (n + 1 - a - b)
    below = np.floor(place + FUZZ)
    h = place - below
    return below, np.where(np.abs(h) < FUZZ, 0.0, h)


def _percent(share: Any) -> str:
    """A probability as the name of its quantile: 7 significant digits, never with an exponent."""
    if math.isnan(share):
        return ""
    digits = f"{Decimal(f'{100 * share:.6e}'):f}"
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + "%"

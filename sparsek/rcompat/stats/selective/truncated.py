"""P-values of truncated chi-squared and normal variables by the approximations of R's packages for clusters.

Both packages compare probabilities of unions of intervals. A chi-squared variable is taken to a normal one by
the cube-root-like transform of Canal (2005), and tails of the normal one are approximated uniformly by a
rational function (Bryc 2002). `sparsek.inference` has the exact values.

Sources: Bryc, W. (2002). A uniform approximation to the right normal tail integral. Applied Mathematics and
Computation 127, 365-374. Canal, L. (2005). A normal approximation for the chi-square distribution.
Computational Statistics and Data Analysis 48, 803-808.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[Any]
NOTHING = 1e-6
"""Chi-squared values up to this become minus infinity."""
FAR = 10_000.0
"""Infinite ends become this, or twice the largest finite end."""
UNDERFLOW = 1e-100
"""Normal probabilities below this are approximated."""


def chi_squared_ratio(df: int, part: Array, whole: Array) -> float:
    """Approximate P(x in part) / P(x in whole) for a chi-squared x; unions of intervals as rows."""
    return normal_ratio(_positive_halves(_to_normal(part, df)), _positive_halves(_to_normal(whole, df)))


def normal_ratio(part: Array, whole: Array, scale: float | None = None) -> float:
    """Approximate ratio for a standard normal variable; intervals with positive finite ends."""
    if scale is None:
        squares = np.concatenate([part.T.ravel(), whole.T.ravel()]) ** 2
        for candidate in np.quantile(squares, np.arange(6) / 5):
            ratio = normal_ratio(part, whole, float(candidate))
            if not np.isnan(ratio):
                return ratio
        return float("nan")
    with np.errstate(all="ignore"):
        upper, lower = (np.sum(_tails(u[:, 0], scale) - _tails(u[:, 1], scale)) for u in (part, whole))
        return float(upper / lower)


def normal_survival(q: float, deviation: float, whole: Array) -> float:
    """P(z >= q | z in whole) for a normal z with mean 0."""
    q, whole = q / deviation, whole / deviation
    if np.isinf(whole[0]).all():  # the whole line: no approximation, however small
        return float(ndtr(-q))
    part = np.column_stack([np.maximum(whole[:, 0], q), whole[:, 1]])
    part = part[part[:, 0] < part[:, 1]]
    if not len(part):
        return 0.0
    if np.array_equal(part, whole):
        return 1.0
    part, whole = _positive_halves(part), _positive_halves(whole)
    upper, lower = _probability(part), _probability(whole)
    if min(upper, lower) < UNDERFLOW:
        ratio = normal_ratio(part, whole, q * q)
        ratio = normal_ratio(part, whole) if np.isnan(ratio) else ratio
    else:
        ratio = upper / lower
    return float(max(0.0, min(1.0, ratio)))


def _tails(z: Array, scale: float) -> Array:
    """Bryc's tail integral of each number, times exp(scale / 2)."""
    top = z * z + 5.575192695 * z + 12.77436324
    bottom = np.sqrt(2 * np.pi) * z**3 + 14.38718147 * z * z + 31.53531977 * z + 2 * 12.77436324
    return np.asarray(top / bottom * np.exp(-(z * z - scale) / 2))


def _to_normal(x: Array, df: int) -> Array:
    """Canal's transform."""
    mean = 5 / 6 - 1 / (9 * df) - 7 / (648 * df**2) + 25 / (2187 * df**3)
    deviation = np.sqrt(1 / (18 * df) + 1 / (162 * df**2) - 37 / (11664 * df**3))
    with np.errstate(invalid="ignore"):
        share = np.maximum(x, 0) / df
        root = share ** (1 / 6) - 0.5 * share ** (1 / 3) + share**0.5 / 3
    z = (np.where(np.isposinf(x), 0, root) - mean) / deviation
    return np.where(x <= NOTHING, -np.inf, np.where(np.isposinf(x), np.inf, z))


def _positive_halves(intervals: Array) -> Array:
    """Intervals of |z| that have together the same probability, with finite ends."""
    found: list[tuple[float, float]] = []
    for low, high in intervals.tolist():
        if low <= 0 and high <= 0:
            found.append((-high, -low))
        elif low >= 0 and high >= 0:
            found.append((low, high))
        else:
            found += [(0.0, abs(low)), (0.0, abs(high))]
    halves = np.array(found).reshape(-1, 2)
    infinite = np.isinf(halves)
    if infinite.any():
        halves[infinite] = max(FAR, 2 * halves[~infinite].max(initial=0))
    return halves


def _probability(intervals: Array) -> float:
    """P(z in the intervals), each a difference of upper tails or, where that is 0, of lower ones."""
    low, high = intervals.T
    above = ndtr(-low) - ndtr(-high)
    return float(np.sum(np.where(above != 0, above, ndtr(high) - ndtr(low))))

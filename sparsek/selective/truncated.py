"""Chi and normal laws truncated to unions of intervals, accurate far out in the tails.

Everything is computed as logarithms. The probability of an interval is a difference of two tails where these
differ enough, and an integral of the density where they nearly cancel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincc, gammaln, logsumexp

from sparsek.selective.intervals import intersection_from

Array = NDArray[Any]

SMALLEST = 1e-290
"""Tails below this are computed by a continued fraction or a series, whose logarithms do not underflow."""
CANCELLED = 0.1
"""An interval that holds less than this share of its tail is integrated."""
NODES, WEIGHTS = leggauss(48)
MOST_TERMS = 100_000
"""Largest number of terms of a series or a continued fraction."""


def truncated_chi_tail(statistic: float, intervals: Array, df: int) -> float:
    """P(r >= statistic | r in the intervals) for r with the chi law of `df` degrees of freedom.

    Shapes: intervals (m, 2).
    """
    return _ratio(intersection_from(intervals, statistic), intervals, df)


def truncated_normal_two_sided(statistic: float, intervals: Array) -> float:
    """P(|z| >= |statistic| given that z is in the intervals) for a standard normal z.

    Shapes: intervals (m, 2).
    """
    upper = np.clip(intervals, 0, np.inf)
    lower = np.clip(-intervals[:, ::-1], 0, np.inf)
    # |z| of a negative interval lies in its mirror image, so that one tail serves both sides.
    sizes = np.concatenate([upper, lower])  # of |z|: parts of the positive and of the negative half
    sizes = sizes[sizes[:, 0] < sizes[:, 1]]
    return _ratio(intersection_from(sizes, abs(statistic)), sizes, 1)


def _ratio(part: Array, whole: Array, df: int) -> float:
    """Probability of `part` divided by that of `whole`."""
    if not len(part):
        return 0.0
    found = [logsumexp([log_chi_probability(low, high, df) for low, high in rows]) for rows in (part, whole)]
    return float(min(1.0, np.exp(found[0] - found[1])))


def log_chi_probability(low: float, high: float, df: int) -> float:
    """Logarithm of P(low <= r <= high) for r with the chi law of `df` degrees of freedom."""
    a = df / 2
    below, above = _log_lower(a, low), _log_upper(a, high)
    if gammainc(a, low * low / 2) > 0.5:  # above the median: a difference of upper tails
        tail, lost = _log_upper(a, low), above
    elif gammaincc(a, high * high / 2) > 0.5:  # below the median: a difference of lower tails
        tail, lost = _log_lower(a, high), below
    else:
        tail, lost = 0.0, float(np.logaddexp(below, above))
    # 1 - exp(lost - tail), without the digits that the difference would lose near 0.
    share = -np.expm1(lost - tail) if lost > -np.inf else 1.0
    return tail + float(np.log(share)) if share > CANCELLED else _log_integral(low, high, df)


def _log_integral(low: float, high: float, df: int) -> float:
    """The same by Gauss-Legendre quadrature of the density, which changes little on such an interval."""
    middle, half = (low + high) / 2, (high - low) / 2
    x = half * NODES
    # log f(middle + x) - log f(middle), without cancellation
    log_ratio = (df - 1) * np.log1p(x / middle) - x * (middle + x / 2)
    log_density = (df - 1) * np.log(middle) - middle * middle / 2 - (df / 2 - 1) * np.log(2) - gammaln(df / 2)
    return float(log_density + np.log(half) + logsumexp(log_ratio, b=WEIGHTS))


def _log_upper(a: float, r: float) -> float:
    """Logarithm of the upper regularised incomplete gamma function at r^2 / 2."""
    if r == np.inf:
        return -np.inf
    x = r * r / 2
    value = float(gammaincc(a, x))
    return float(np.log(value)) if value > SMALLEST else _front(a, r) + _log_fraction(a, x)


def _log_lower(a: float, r: float) -> float:
    """Logarithm of the lower regularised incomplete gamma function at r^2 / 2."""
    if r == 0:
        return -np.inf
    x = r * r / 2
    value = float(gammainc(a, x))
    return float(np.log(value)) if value > SMALLEST else _front(a, r) + _log_series(a, x)


def _front(a: float, r: float) -> float:
    """Logarithm of x^a exp(-x) / Gamma(a) at x = r^2 / 2."""
    return float(a * (2 * np.log(r) - np.log(2)) - r * r / 2 - gammaln(a))


def _log_fraction(a: float, x: float) -> float:
    """Logarithm of the continued fraction of the upper tail (Lentz's method; x far above a)."""
    b = x + 1 - a
    c, d = np.inf, 1 / b
    total = d
    for i in range(1, MOST_TERMS):
        # Gamma(a, x) has a continued fraction of numerators -i (i - a) and denominators x + 2 i + 1 - a.
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        total *= c * d
        # A factor of 1 up to rounding changes the product no more.
        if abs(c * d - 1) < np.finfo(float).eps:
            break
    return float(np.log(total))


def _log_series(a: float, x: float) -> float:
    """Logarithm of the power series of the lower tail (x far below a)."""
    term = total = 1 / a
    for i in range(1, MOST_TERMS):
        # The lower tail is x^a e^-x times the sum of x^i / (a (a + 1) ... (a + i)).
        term *= x / (a + i)
        total += term
        if term < total * np.finfo(float).eps:
            break
    return float(np.log(total))

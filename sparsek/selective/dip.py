"""Hartigan's dip test: as R has it, by the package diptest, and without its table of quantiles."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def between_clusters(values: Array, labels: Array, a: Any, b: Any) -> Array:
    """Values of the rows of cluster a, of b, and of the clusters whose means lie between theirs."""
    found = np.unique(labels)
    order = np.argsort([values[labels == label].mean() for label in found], kind="stable")
    ranks = dict(zip(found[order].tolist(), range(len(found)), strict=True))
    low, high = sorted((ranks[a], ranks[b]))
    return values[np.isin(labels, found[order[low : high + 1]])]


TIED_LEVELS = {
    4: (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
    5: (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4),
    6: (0, 0.01, 0.02, 0.05, 0.1, 0.2),
    7: (0, 0.01, 0.02, 0.05),
    8: (0, 0.01, 0.02),
}
"""By number of values: levels whose quantile is the least dip, 1 / (2n), and the next level of the table."""


def dip_test(values: Array) -> tuple[float, float]:
    """The dip of the values, and its p-value from a table as R reads it; ImportError without diptest.

    Of 4 to 8 values several quantiles of the table are equal to the least dip. R takes the mean of their
    levels there, diptest the largest of them.
    """
    try:
        from diptest import diptest
    except ImportError as error:
        raise ImportError('the dip test needs diptest: pip install "sparsek[inference]"') from error
    statistic, p = diptest(np.ascontiguousarray(values, dtype=np.float64), allow_zero=False)
    level = 1 - float(p)
    if len(values) in TIED_LEVELS:
        *tied, following = TIED_LEVELS[len(values)]
        mean = sum(tied) / len(tied)
        # Between this mean and the next level, the place of the level stays in proportion.
        share = (level - tied[-1]) / (following - tied[-1])
        level = mean + share * (following - mean) if share < 1 else level
    return float(statistic), 1 - level


SAMPLES, MOST_VALUES = 999, 300
"""Uniform samples of the reference, and their largest size: sqrt(n) times the dip hardly depends on more."""


def one_peak_p_value(values: Array) -> float:
    """The share of uniform samples, the values among them, with as large a dip.

    Of all distributions with one peak the uniform one has the largest dips (Hartigan and Hartigan 1985).
    """
    n = len(values)
    reference = _reference(min(n, MOST_VALUES))
    # Dips of samples are multiples of 1 / (2n) at least now and then, which rounding must not order.
    larger = np.count_nonzero(reference >= dip(values) * np.sqrt(n) * (1 - 1e-9))
    # The values count as one of the samples, so that p is never 0.
    return float((1 + larger) / (1 + SAMPLES))


@lru_cache(maxsize=64)
def _reference(n: int) -> Array:
    """sqrt(n) times the dips of uniform samples of n values."""
    rng = np.random.default_rng(n)
    dips = np.array([dip(rng.uniform(size=n)) for _ in range(SAMPLES)])
    scaled: Array = np.sqrt(n) * dips
    return scaled


def dip(values: Array) -> float:
    """The largest distance of the distribution of values to the nearest one with one peak.

    A distribution with one peak is convex before the peak and concave behind it. The interval of the peak
    shrinks to where the greatest convex minorant and the least concave majorant are farthest apart. It ends
    when they are nowhere farther apart inside it than the distribution is from either of them outside
    (Hartigan and Hartigan 1985, Section 3). Equal values are taken in their order.
    """
    x = np.sort(values)
    n = len(x)
    # The least dip of n values is 1 / (2 n), also of equal ones.
    if x[0] == x[-1]:
        return 1 / (2 * n)
    # The distribution function just below each value and at it.
    below, above = np.arange(n) / n, np.arange(1, n + 1) / n
    low, high, twice = 0, n - 1, 1 / n
    while True:
        part = slice(low, high + 1)
        # The least concave majorant is the greatest convex minorant of the negative, turned round.
        minorant, majorant = _hull(x[part], below[part]), _hull(x[part], -above[part])
        convex = np.interp(x[part], x[part][minorant], below[part][minorant])
        concave = np.interp(x[part], x[part][majorant], above[part][majorant])
        gaps = concave - convex
        at_minorant, at_majorant = int(np.argmax(gaps[minorant])), int(np.argmax(gaps[majorant]))
        if gaps[minorant][at_minorant] >= gaps[majorant][at_majorant]:
            first = int(minorant[at_minorant])
            last = int(majorant[np.searchsorted(majorant, first)])
        else:
            last = int(majorant[at_majorant])
            first = int(minorant[np.searchsorted(minorant, last, side="right") - 1])
        # Inside, the curves are nowhere farther apart than the distribution is outside: the dip is found.
        if max(gaps[minorant].max(), gaps[majorant].max()) <= twice:
            return twice / 2
        left = (above[part] - convex)[: first + 1].max() if first else 0.0
        right = (concave - below[part])[last:].max() if last < high - low else 0.0
        twice = max(twice, left, right)
        if first == 0 and last == high - low:
            return twice / 2
        low, high = low + first, low + last


def _hull(x: Array, y: Array) -> NDArray[np.intp]:
    """The places where points with ascending x touch their greatest convex minorant."""
    kept: list[int] = []
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    for number, (place, height) in enumerate(points):
        while len(kept) > 1:
            (x0, y0), (x1, y1) = points[kept[-2]], points[kept[-1]]
            # Slopes are compared as products, so that equal places divide by no 0.
            if (y1 - y0) * (place - x0) < (height - y0) * (x1 - x0):
                break
            kept.pop()
        kept.append(number)
    return np.array(kept, dtype=np.intp)

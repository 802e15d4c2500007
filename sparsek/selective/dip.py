"""Hartigan's dip test, by the package diptest, of the rows of neighbouring clusters."""

from __future__ import annotations

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
        share = (level - tied[-1]) / (following - tied[-1])
        level = mean + share * (following - mean) if share < 1 else level
    return float(statistic), 1 - level

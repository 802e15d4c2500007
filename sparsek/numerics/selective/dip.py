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


def dip_test(values: Array) -> tuple[float, float]:
    """The dip of the values, and its p-value from a table; ImportError without diptest."""
    try:
        from diptest import diptest
    except ImportError as error:
        raise ImportError('the dip test needs diptest: pip install "sparsek[inference]"') from error
    statistic, p = diptest(np.ascontiguousarray(values, dtype=np.float64))
    return float(statistic), float(p)

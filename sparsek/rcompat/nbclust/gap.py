"""The gap statistic, as NbClust computes it.

Source: Tibshirani, Walther & Hastie (2001); Charrad et al. (2014); measured in R: all columns of all ten
uniform samples are the same draws.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.nbclust.grouping import ClusteredData
from sparsek.rcompat.nbclust.scatter_indices import Groupings, trace_w
from sparsek.rng import RRandom

SAMPLES = 10
"""Samples of R. All have the same rows, and after the first one their sums of squares are scaled."""
MOST_ROWS = 2.0**31
"""Where R's numbers of rows end."""


def draw_uniform(x: FloatArray, stream: RRandom, seed: int) -> FloatArray:
    """Rows from the smallest to the largest number of each column; each column starts from the seed.

    Shapes: x (n, p), returns (n, p).
    """
    columns = []
    for column in x.T:
        stream.seed(seed)
        columns.append(stream.runif(len(x), column.min(), column.max()))
    return np.stack(columns, axis=1)


def gap(groups: Groupings, q: int) -> float:
    """Mean logarithm of the sums of squares of the samples, less that of the rows."""
    return float(_logarithms(groups, q).mean() - np.log(trace_w(groups, q)))


def gap_decides(groups: Groupings, q: int) -> float:
    """Gap of q less that of q + 1, plus the standard error of the latter."""
    error = _logarithms(groups, q + 1).std() * math.sqrt(1 + 1 / SAMPLES)
    return float(gap(groups, q) - gap(groups, q + 1) + error)


def _logarithms(groups: Groupings, q: int) -> FloatArray:
    """Logarithms of the sums of squares of the samples.

    Shapes: returns (10,).
    """
    g = groups[q].uniform
    assert g is not None
    sums = np.array([trace_w({q: g}, q), *[sum_of_variances(g)] * (SAMPLES - 1)])
    return np.asarray(np.log(sums))


def sum_of_variances(g: ClusteredData) -> float:
    """Sizes times variances of divisor n - 1, of a single row the whole part of the variance of its numbers.

    RError, as R's, where that is too large for the number of rows of a matrix.
    """
    total = 0.0
    for k, size in enumerate(g.sizes):
        rows = g.members(k)
        if size > 1:
            total += float(size * rows.var(axis=0, ddof=1).sum())
            continue
        variance = float(rows.var(ddof=1))
        if variance >= MOST_ROWS:
            warn_as_r("NAs introduced by coercion to integer range")
            message = f"the numbers of a single row have a variance of {variance:.3g}: scale the columns"
            raise RError("invalid 'nrow' value (too large or NA)", message)
        total += math.floor(variance)
    return total

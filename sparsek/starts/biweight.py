"""Weights of rows from their local outlier factors: Brodinova et al. (2019), translated biweight."""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, long_mean

CUT_TUNING, MAD_FACTOR, LARGEST = 2.5, 1.4826, 2.0
"""Standardised factors up to median + 2.5 MAD have weight 1, those above 2 have weight 0."""
MAX_NEIGHBORS = 10
"""Number of neighbours of a local outlier factor; in clusters of up to ten rows, all other rows."""


def biweight(z: FloatArray) -> FloatArray:
    """Translated biweight of standardised local outlier factors.

    Shapes: z (q,); returns (q,).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = _median(z)
        # 1.4826 times the median deviation is the standard deviation of normal numbers.
        cut = middle + CUT_TUNING * (MAD_FACTOR * _median(np.abs(z - middle)))
        excess = (z - cut) / (LARGEST - cut)
        root = 1 - excess * excess
        weights = root * root
    weights[z < cut] = 1.0
    weights[z > LARGEST] = 0.0
    return weights


def _median(v: FloatArray) -> float:
    """R's median: NaN if any value is NaN; the mean of the middle two for an even number of values."""
    if np.isnan(v).any():
        return math.nan
    half, odd = divmod(len(v), 2)
    v = np.sort(v)
    return float(v[half]) if odd else long_mean(v[half - 1 : half + 1])

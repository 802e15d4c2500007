"""The counts of the screening, entry by entry."""

from __future__ import annotations

import numpy as np

from sparsek.engine import Literal


@Literal
def count_bins(Z, weights, rate, offset, counts):
    """Weights of the rows in each column's bins (p, 2 half): floor(z rate - offset), the outer ones open."""
    half = counts.shape[1] // 2
    for i in range(Z.shape[0]):
        for j in range(rate.shape[0]):
            place = np.floor(Z[i, j] * rate[j] - offset)
            counts[j, half + int(min(max(place, -half), half - 1))] += weights[i]

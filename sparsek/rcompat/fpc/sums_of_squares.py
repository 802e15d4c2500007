"""Sums of squares of columns, of all rows and within clusters."""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, long_covariances


def squares_within(data: FloatArray, labels: FloatArray, k: int) -> FloatArray:
    """Sums of squares of the columns about the means of the clusters 1 to k.

    Shapes: data (n, p), labels (n,); returns (p,).
    """
    within = np.zeros(data.shape[1])
    for cluster in np.unique(labels[(labels >= 1) & (labels <= k) & (labels == np.floor(labels))]):
        members = data[labels == cluster]
        if len(members) > 1:
            within += squares(members)
    return within


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def squares(data: FloatArray) -> FloatArray:
    """Sums of squares of the columns about their means, R's NA for missing values and fewer than two rows.

    Shapes: data (n, p); returns (p,).
    """
    if len(data) < 2:
        return np.full(data.shape[1], math.nan)
    found = (len(data) - 1) * np.diagonal(long_covariances(data, data))
    return np.where(np.isnan(data).any(axis=0), math.nan, found)

"""Row scaling and column correlations with R's roundings; missing values are NaN and are skipped."""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, long_correlations, long_deviation, long_mean


def standardize_rows(x: FloatArray) -> FloatArray:
    """Every row less its mean and divided by its standard deviation, as R rounds.

    Shapes: x (n, p); returns (n, p).
    """
    z = np.empty_like(x)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for i, row in enumerate(x):
            observed = row[~np.isnan(row)]
            centred = row - (long_mean(observed) if len(observed) else math.nan)
            z[i] = centred / long_deviation(centred[~np.isnan(centred)])
    return z


def pairwise_correlations(x: FloatArray) -> FloatArray:
    """Correlations of the columns, each over the rows observed in both, as R's ``cor(x, use = "pairwise")``.

    Shapes: x (n, q); returns (q, q).

    RWarning "the standard deviation is zero", for such a column.
    """
    r, flat = long_correlations(x)
    if flat.any():
        warn_as_r("the standard deviation is zero")
    return r

"""Row scaling and column correlations with R's roundings; missing values are NaN and are skipped."""

from __future__ import annotations

import math
import warnings

import numpy as np

from sparsek.errors import RWarning
from sparsek.numerics.ordered_arithmetic import FloatArray, long_deviation, long_mean


def standardize_rows(x: FloatArray) -> FloatArray:
    """Every row less its mean and divided by its standard deviation, as R rounds.

    Parameters
    ----------
    x : ndarray of shape (n, p)
        Data. Not changed.

    Returns
    -------
    ndarray of shape (n, p)
        Dimensionless; a constant row, or one of fewer than two observed values, becomes NaN.
    """
    z = np.empty_like(x)
    with np.errstate(invalid="ignore", divide="ignore"):
        for i, row in enumerate(x):
            observed = row[~np.isnan(row)]
            centred = row - (long_mean(observed) if len(observed) else math.nan)
            z[i] = centred / long_deviation(centred[~np.isnan(centred)])
    return z


def pairwise_correlations(x: FloatArray) -> FloatArray:
    """Correlations of the columns, each over the rows observed in both, as R's ``cor(x, use = "pairwise")``.

    Parameters
    ----------
    x : ndarray of shape (n, q)
        Data.

    Returns
    -------
    ndarray of shape (q, q)
        Correlations; NaN where fewer than two rows are common or a column is constant over them.

    Warns
    -----
    RWarning
        "the standard deviation is zero", for such a column.
    """
    q = x.shape[1]
    observed = ~np.isnan(x)
    values = np.where(observed, x, 0.0).astype(np.longdouble)
    count = np.zeros((q, q))
    total = np.zeros((q, q), dtype=np.longdouble)  # sums of feature i where j is observed too
    for row, seen in zip(values, observed, strict=True):
        both = seen[:, None] & seen
        count += both
        total += row[:, None] * both
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
        products, squares = np.zeros_like(total), np.zeros_like(total)
        for row, seen in zip(values, observed, strict=True):
            deviation = (row[:, None] - mean) * (seen[:, None] & seen)
            products += deviation * deviation.T
            squares += deviation * deviation
        root = np.sqrt(squares / (count - 1))
        r = products / (count - 1) / (root * root.T)
    flat = (count >= 2) & ((squares == 0) | (squares.T == 0))
    if flat.any():
        warnings.warn("the standard deviation is zero", RWarning, stacklevel=2)
    r[flat | (count < 2)] = np.nan
    return np.clip(r, -1.0, 1.0).astype(np.float64)

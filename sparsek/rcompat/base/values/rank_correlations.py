"""Ranks of columns, and Kendall's sums over pairs of rows."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import rankdata

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray

BLOCK = 2**22
"""Entries of a block of signs, a byte each."""


def column_ranks(x: FloatArray) -> FloatArray:
    """Ranks within the columns, from 1, means for ties; missing values stay missing."""
    ranks = np.full(x.shape, math.nan)
    for column, ranked in zip(x.T, ranks.T, strict=True):
        known = ~np.isnan(column)
        ranked[known] = rankdata(column[known])
    return ranks


def concordances(x: FloatArray, y: FloatArray | None, shares: bool) -> FloatArray:
    """Kendall's sums of the products of signs over all pairs of rows, or his tau-b.

    Shapes: x (n, p), y (n, q); returns (p, p) or (p, q).

    RWarning "the standard deviation is zero", for constant columns, where shares are wanted.
    """
    p = x.shape[1]
    both = x if y is None else np.hstack([x, y])
    second = slice(None) if y is None else slice(p, None)
    sums = _sums_of_signs(both)
    unknown = np.array([bool(np.isnan(column).any()) for column in both.T])
    found = sums[:p, second].copy()
    if shares:
        roots = np.sqrt(np.diagonal(sums))
        flat = (roots[:p] == 0)[:, None] | (roots[second] == 0)
        looked_at = ~(unknown[:p, None] | unknown[second])
        if y is None:
            np.fill_diagonal(looked_at, False)
        if (flat & looked_at).any():
            warn_as_r("the standard deviation is zero")
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.clip(found / np.multiply.outer(roots[:p], roots[second]), -1.0, 1.0)
        found[flat] = math.nan
    found[unknown[:p]] = math.nan
    found[:, unknown[second]] = math.nan
    if shares and y is None:
        np.fill_diagonal(found, 1.0)
    return found


def _sums_of_signs(x: FloatArray) -> FloatArray:
    """Sums over all pairs of rows of the products of the signs of two columns' differences, exact."""
    sums = np.zeros((x.shape[1], x.shape[1]))
    rows = max(1, BLOCK // x.size)
    for begin in range(0, len(x), rows):
        part = x[begin : begin + rows, None]
        signs = (part > x).astype(np.float64) - (part < x)
        flat = signs.reshape(-1, x.shape[1])
        sums += flat.T @ flat  # whole numbers below 2**53
    return sums

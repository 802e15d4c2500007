"""MADD with the bits of the code released with the sparse MinMax k-means paper: same order of sums.

`sparsek.methods.madd.algorithm` is faster and differs in the last digits, which matter if a row is equally
far from two clusters. The order was found by experiments with tied data: sums over features from left to
right, times 1 / p; sums over rows in extended precision, times 1 / (n - 2).
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import long_column_sums
from sparsek.core.steps import Array


def base_in_order(X: Array, version: int) -> Array:
    """Phi between all rows.

    Shapes: X (n, p) float64; returns (n, n).
    """
    n, p = X.shape
    total = np.zeros((n, n))
    for column in X.T:
        gaps = np.abs(column[:, None] - column)
        total += gaps * gaps if version == 0 else _decay(gaps) if version == 2 else gaps
    return np.sqrt(total) * (1 / math.sqrt(p)) if version == 0 else total * (1 / p)


def _decay(gaps: Array) -> Array:
    """1 - exp(-gap), with the digits of R's C library."""
    return np.array([1 - elementary.exp(-gap) for gap in gaps.ravel().tolist()]).reshape(gaps.shape)


def madd_in_order(phi: Array) -> Array:
    """Rho of all pairs of at least three rows.

    Shapes: phi (n, n); returns (n, n).
    """
    n = len(phi)
    total = np.empty((n, n))
    for i in range(n):
        terms = np.abs(phi[:, i, None] - phi)
        terms[i] = 0
        np.fill_diagonal(terms, 0)  # the sum leaves out z = i and z = j
        total[i] = long_column_sums(terms)
    return total * (1 / (n - 2))

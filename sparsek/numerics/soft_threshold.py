"""The soft threshold that meets an L1 bound, by sparcl's bisection: Witten and Tibshirani (2010).

Sums run in R's order and width where a fast sum cannot decide the comparison.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.errors import RError
from sparsek.numerics.ordered_sums import FloatArray, long_sum

THRESHOLD_TOL = 1e-4
"""Width (in units of the BCSS) at which the threshold search stops."""
MAX_HALVINGS = 15
BELOW_LARGEST = 1e-5
"""The threshold search starts this far below the largest BCSS (in its units)."""


def l2_norm(v: FloatArray) -> float:
    """Root of the long sum of squares."""
    return math.sqrt(long_sum(v * v))


def soft_threshold(v: FloatArray, d: float) -> FloatArray:
    """Shrink towards zero by d; a negative d enlarges the non-zero entries, as in R."""
    return np.sign(v) * np.maximum(0.0, np.abs(v) - d)


def find_threshold(a: FloatArray, l1_bound: float) -> float:
    """Threshold that brings the normalised ``soft_threshold(a)`` to the L1 bound, by R's bisection.

    Parameters
    ----------
    a : ndarray of shape (p,)
        Between-cluster sums of squares per feature.
    l1_bound : float
        Bound on the L1 norm of the unit vector.

    Returns
    -------
    float
        0 when the bound holds already, else the last midpoint, in units of ``a``. Negative when the largest
        entry is below 1e-5, because the upper end of the search interval is then negative.

    Raises
    ------
    RError
        When ``a`` is not finite, so that a comparison is undefined.
    """
    if l2_norm(a) == 0 or _compare_l1(a, l1_bound) <= 0:
        return 0.0
    lo, hi = 0.0, float(np.abs(a).max()) - BELOW_LARGEST
    halvings = 0
    while halvings < MAX_HALVINGS and hi - lo > THRESHOLD_TOL:
        middle = (lo + hi) / 2
        if _compare_l1(soft_threshold(a, middle), l1_bound) < 0:
            hi = middle
        else:
            lo = middle
        halvings += 1
    return (lo + hi) / 2


def _compare_l1(v: FloatArray, l1_bound: float) -> float:
    """A number with the sign of ``|v / l2(v)|_1 - l1_bound``: from fast sums, or R's sums if in doubt."""
    size = float(v @ v)
    margin = float(np.abs(v).sum()) / math.sqrt(size) - l1_bound if 1e-200 < size < 1e200 else 0.0
    if 1e-9 * l1_bound < abs(margin) < math.inf:  # both sums are good to p * 1e-16
        return margin
    norm = l2_norm(v)
    excess = long_sum(np.abs(v / norm)) - l1_bound if norm else math.nan
    if math.isnan(excess):
        raise RError(
            "missing value where TRUE/FALSE needed",
            "the between-cluster sums of squares are not finite: rescale the data",
        )
    return excess

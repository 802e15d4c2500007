"""Armadillo's arithmetic, which R's Gmedian is compiled with: sums and norms in Armadillo's order.

Found by comparing bits with R (Armadillo 12, reference BLAS). Sums and norms of expressions run in two
accumulators, one for the even and one for the odd positions. The norm of a stored array of 32 or more
elements is the BLAS's ``dnrm2``, left to right. A norm of 0 or beyond the range is computed again from scaled
entries. A product z'z of at most 48 entries of z uses two accumulators too, a larger one runs in order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import sequential_sum

FloatArray = NDArray[np.float64]

BLAS_NORM = 32  # Armadillo calls the BLAS for the norm of an array of at least this many elements
SMALL_PRODUCT = 48  # Armadillo multiplies z'z itself when z has at most this many elements
SAFE_LOW, SAFE_HIGH = 1e-280, 1e290  # sums of squares between these need none of dnrm2's scaled accumulators


def pair_sum(v: FloatArray) -> float:
    """Sum of a vector: even and odd positions are summed separately, then the two sums are added.

    Shapes: v (n,).
    """
    # Armadillo's sum of no entries is 0.
    if not len(v):
        return 0.0
    even = np.add.accumulate(v[::2]).item(-1)
    total: float = even + np.add.accumulate(v[1::2]).item(-1) if len(v) > 1 else even
    return total


def column_norms(d: FloatArray) -> FloatArray:
    """Euclidean norms of the columns, each rounded as by `norm`.

    Shapes: d (p, m); returns (m,).
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        t = d * d
        norms = np.sqrt(sequential_sum(t[0::2]) + sequential_sum(t[1::2]))
    for j in np.flatnonzero((norms == 0) | ~np.isfinite(norms)):
        norms[j] = _robust_norm(d[:, j])
    return norms


def norm(v: FloatArray) -> float:
    """Euclidean norm of an expression: two accumulators, scaled where these under- or overflow.

    numpy warns of that, unless told not to.

    Shapes: v (p,).
    """
    value = math.sqrt(pair_sum(v * v))
    return value if value != 0 and math.isfinite(value) else _robust_norm(v)


def stored_norm(v: FloatArray) -> float:
    """Euclidean norm of a stored array: the BLAS's from 32 elements on. numpy may warn as by `norm`.

    Shapes: v (p,).
    """
    if len(v) < BLAS_NORM:
        return norm(v)
    total = np.add.accumulate(v * v).item(-1)
    value = math.sqrt(total) if SAFE_LOW < total < SAFE_HIGH else _blue_norm(v)
    return value if value != 0 and math.isfinite(value) else _robust_norm(v)


def _robust_norm(v: FloatArray) -> float:
    """The norm from entries divided by the largest, NaN if that is infinite."""
    largest = float(np.fmax.reduce(np.abs(v)))
    if largest == 0:
        return 0.0
    with np.errstate(invalid="ignore"):
        scaled = v / largest
        return math.sqrt(pair_sum(scaled * scaled)) * largest


def _blue_norm(v: FloatArray) -> float:
    """Reference BLAS's ``dnrm2`` (LAPACK 3.10 on): accumulators for small, middle and big entries."""
    # Blue's constants, as LAPACK 3.10 has them for doubles: squares beyond them lose digits or overflow.
    low, high, small_scale, big_scale = 2.0**-511, 2.0**486, 2.0**537, 2.0**-538
    small = middle = big = 0.0
    for a in np.abs(v).tolist():
        if a > high:
            big += (a * big_scale) * (a * big_scale)
        elif a < low:
            # Beside big squares the small ones are below rounding.
            small += (a * small_scale) * (a * small_scale) if big == 0 else 0.0
        else:
            middle += a * a
    if big > 0:
        return math.sqrt(big + middle * big_scale * big_scale) / big_scale
    if small > 0 and middle == 0:
        return math.sqrt(small) / small_scale
    if small > 0:
        low, high = sorted((math.sqrt(middle), math.sqrt(small) / small_scale))
        ratio = low / high
        return math.sqrt(high * high * (1 + ratio * ratio))
    return math.sqrt(middle)

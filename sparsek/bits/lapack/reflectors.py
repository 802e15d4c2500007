"""Householder reflectors with the additions of the reference BLAS: LAPACK's dlarfg, dlarf and dnrm2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, sequential_sum

SMALLEST = 2.0**-1022
"""Smallest normal number, LAPACK's "safe minimum"."""
PRECISION = 2.0**-52
"""LAPACK's "precision": the distance from 1 to the next number."""


def dot(x: FloatArray, y: FloatArray) -> float:
    """Inner product of two vectors, terms added from the first to the last; 0 of none."""
    return float(np.add.accumulate(x * y)[-1]) if len(x) else 0.0


def _scaled_squares(x: FloatArray, scale: float) -> float:
    """Sum of squares of the entries times a power of two."""
    y = x * scale
    return dot(y, y)


def norm(x: FloatArray) -> float:
    """Euclidean length by Blue's three sums, as dnrm2 (Anderson 2017, ACM TOMS 44, algorithm 978)."""
    size = np.abs(x)
    big, small = size > 2.0**486, size < 2.0**-511
    middle = _scaled_squares(x[~(big | small)], 1.0)
    if big.any():
        # Beside big squares the small ones are below rounding.
        total = _scaled_squares(x[big], 2.0**-538)
        return math.sqrt(total + middle * 2.0**-538 * 2.0**-538) * 2.0**538
    low = math.sqrt(_scaled_squares(x[small], 2.0**537)) / 2.0**537
    if low == 0 or middle == 0:
        return math.sqrt(middle) + low
    least, most = sorted((math.sqrt(middle), low))
    ratio = least / most
    return math.sqrt(most * most * (1 + ratio * ratio))


def hypotenuse(a: float, b: float) -> float:
    """Length of (a, b), as dlapy2."""
    least, most = sorted((abs(a), abs(b)))
    if least == 0:
        return most
    ratio = least / most
    return most * math.sqrt(1 + ratio * ratio)


def make_reflector(x: FloatArray) -> tuple[FloatArray, float, float]:
    """The reflector I - tau v v' that turns x into a multiple of the first unit vector, as dlarfg.

    Shapes: x (n,); returns v (n,).
    """
    v = x.copy()
    v[0] = 1.0
    first, length = float(x[0]), norm(x[1:])
    if length == 0:
        return v, first, 0.0
    # The sign opposite to the first entry keeps `first - beta` from cancelling.
    beta = -math.copysign(hypotenuse(first, length), first)
    rest, scalings, least = x[1:], 0, SMALLEST / 2.0**-53
    # As dlarfg: a vector of tiny entries is scaled up until its length has all digits.
    while abs(beta) < least and scalings < 20:
        scalings, rest, beta, first = scalings + 1, rest / least, beta / least, first / least
    if scalings:
        beta = -math.copysign(hypotenuse(first, norm(rest)), first)
    v[1:] = rest * (1 / (first - beta))
    tau = (beta - first) / beta
    for _ in range(scalings):
        beta *= least
    return v, beta, tau


def reflect_rows(v: FloatArray, tau: float, c: FloatArray) -> None:
    """Multiply c in place by I - tau v v' from the left, as dlarf.

    As there, the rows after the last of v that is not 0 and the columns whose products add up to 0 are not
    touched, so that a -0 among them stays.
    """
    if tau == 0 or not c.size:
        return
    # Adding 0 turns -0 into 0, as sums in the BLAS that start from 0 do.
    products = sequential_sum(c * v[:, None]) + 0.0
    last, used = _length_in_use(v), products != 0
    if last == len(v) and used.all():
        c += np.outer(v, -tau * products)
    else:
        c[:last, used] += np.outer(v[:last], -tau * products[used])


def reflect_columns(v: FloatArray, tau: float, c: FloatArray) -> None:
    """Multiply c in place by I - tau v v' from the right, as dlarf.

    As there, the columns where v is 0 and the rows after the last that is not all 0 are not touched.
    """
    if tau == 0 or not c.size:
        return
    products = sequential_sum((c * v).T) + 0.0
    used = v != 0
    if used.all() and products[-1] != 0:
        c += np.outer(products, -tau * v)
    else:
        last = _length_in_use(c.any(axis=1))
        c[:last, used] += np.outer(products[:last], -tau * v[used])


def _length_in_use(x: Any) -> int:
    """Number of entries up to the last that is not 0."""
    found = np.flatnonzero(x)
    return int(found[-1]) + 1 if len(found) else 0


def ordered_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Product of two matrices, terms added from the first to the last, as the reference BLAS does.

    Shapes: a (n, p), b (p, q); returns (n, q).
    """
    total = np.zeros((len(a), b.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for column, row in zip(a.T, b, strict=True):
            total += np.outer(column, row)
    return total

"""Products with many reflectors, added as the reference BLAS adds: LAPACK's dormbr, dlarft and dlarfb.

Schreiber, R. & Van Loan, C. (1989). A storage-efficient WY representation for products of Householder
transformations. SIAM Journal on Scientific and Statistical Computing 10, 53-57.
"""

from __future__ import annotations

import numpy as np

from sparsek.bits.lapack.bidiagonal import Reflectors
from sparsek.bits.lapack.reflectors import reflect_columns, reflect_rows
from sparsek.bits.ordered_arithmetic import FloatArray, sequential_sum

BLOCK = 32
"""Reflectors in a block where there is room for as many."""
TRIANGLE = 65 * 64
"""Numbers of work space that dormqr and dormlq keep for the triangle of a block."""


def times_reflectors(reflectors: Reflectors, c: FloatArray, room: int, right: bool) -> None:
    """Multiply a matrix in place by a product of reflectors from the left, or from the right transposed."""
    c = c.T if right else c
    k, width = len(reflectors), c.shape[1]
    size = BLOCK
    if size < k and room < width * size + TRIANGLE:
        size = max(0, room - TRIANGLE) // width
    if size < 2 or size >= k:
        for i, (v, tau) in reversed(list(enumerate(reflectors))):
            if right:
                reflect_columns(v, tau, c[i:].T)
            else:
                reflect_rows(v, tau, c[i:])
        return
    for begin in reversed(range(0, k, size)):
        part = reflectors[begin : begin + size]
        directions = np.zeros((len(c) - begin, len(part)))
        for j, (v, _) in enumerate(part):
            directions[j:, j] = v
        triangle = _triangle(directions, [tau for _, tau in part], right)
        _apply(directions, triangle, c[begin:], right)


def _chain(start: FloatArray, terms: FloatArray) -> FloatArray:
    """Terms added to a start, one after the other."""
    return sequential_sum(np.concatenate([start[None], terms]))


def _triangle(v: FloatArray, factors: list[float], right: bool) -> FloatArray:
    """The triangle T of the product of reflectors I - V T V', as dlarft."""
    k = len(factors)
    t = np.zeros((k, k))
    for i, tau in enumerate(factors):
        start, below = -tau * v[i, :i], v[i + 1 :, :i]
        if right:
            x = _chain(start, below * (-tau * v[i + 1 :, i])[:, None])
        else:
            x = start + -tau * sequential_sum(below * v[i + 1 :, i, None])
        for j in range(i):
            t[:j, i] += x[j] * t[:j, j]
            t[j, i] = x[j] * t[j, j]
        t[i, i] = tau
    return t


def _apply(v: FloatArray, t: FloatArray, c: FloatArray, right: bool) -> None:
    """Multiply c in place by I - V T V' from the left, as dlarfb; `right`: in the order for c transposed."""
    k = v.shape[1]
    w, rest = c[:k].copy(), c[k:]
    for j in range(k):
        w[j] = _chain(w[j], v[j + 1 : k, j, None] * w[j + 1 :])
    for j in range(k if len(rest) else 0):
        terms = v[k:, j, None] * rest
        w[j] = _chain(w[j], terms) if right else w[j] + sequential_sum(terms)
    for j in range(k):
        w[j] = _chain(t[j, j] * w[j], t[j, j + 1 :, None] * w[j + 1 :])
    for j in range(k):
        rest += np.outer(v[k:, j], -w[j])
    for j in reversed(range(k)):
        terms = v[j, :j, None] * w[:j]
        w[j] = _chain(w[j], terms if right else terms[::-1])
    c[:k] -= w

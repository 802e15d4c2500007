"""Singular values and vectors as LAPACK's dgesdd has them with the reference BLAS.

Each step repeats the additions of the reference BLAS in their order: the bidiagonal form, its singular values
and vectors, and the products with the reflectors (LAPACK's dormbr, dlarft and dlarfb: Schreiber & Van Loan,
1989, SIAM Journal on Scientific and Statistical Computing 10, 53-57).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from sparsek.bits.lapack.bidiagonal import Bidiagonal, Reflectors, bidiagonal, lq, qr
from sparsek.bits.lapack.divided import SMALL, solve_divided
from sparsek.bits.lapack.implicit_qr import diagonalise, rotation
from sparsek.bits.lapack.reflectors import PRECISION, SMALLEST, ordered_product, reflect_columns, reflect_rows
from sparsek.bits.lapack.symmetric_eigen import AGREEMENT, TRIALS
from sparsek.bits.ordered_arithmetic import FloatArray, sequential_sum


@dataclass(frozen=True, slots=True)
class SingularVectors:
    """Singular values and vectors."""

    values: FloatArray  # (k,): singular values, decreasing; k is the smaller side of the matrix
    left: FloatArray  # (n, k) or (n, n): left singular vectors in columns
    right: FloatArray  # (k, p) or (p, p): right singular vectors in rows
    unsettled: np.ndarray  # Pairs, from 0, whose sign or direction rests on rounding


def _upper(diagonal: FloatArray, beside: FloatArray) -> FloatArray:
    """The matrix with this diagonal and these entries above it."""
    return np.asarray(np.diag(diagonal) + np.diag(beside, 1))


def _rotate_up(diagonal: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Make a lower bidiagonal matrix upper by rotations from the left; both factors of each, as dbdsdc."""
    d, e, turns = diagonal.copy(), beside.copy(), np.zeros((len(beside), 2))
    for i in range(len(e)):
        cosine, sine, d[i] = rotation(float(d[i]), float(e[i]))
        e[i], d[i + 1] = sine * d[i + 1], cosine * d[i + 1]
        turns[i] = cosine, sine
    return d, e, turns


def _turn_back(u: FloatArray, turns: FloatArray) -> None:
    """Undo the rotations in the left singular vectors, as dlasr."""
    for i, (cosine, sine) in reversed(list(enumerate(turns))):
        if cosine != 1 or sine != 0:
            below = u[i + 1].copy()
            u[i + 1] = cosine * below + sine * u[i]
            u[i] = -sine * below + cosine * u[i]


def _solve_by_scipy(d: FloatArray, e: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Left vectors, values and right vectors of an upper bidiagonal matrix, by scipy's dgesdd."""
    u, values, vt, info = lapack.dgesdd(_upper(d, e))
    if info != 0:
        raise np.linalg.LinAlgError(f"LAPACK's dgesdd did not converge; its code is {info}")
    return u, values, vt


def _unsettled(d: FloatArray, e: FloatArray, u: FloatArray, vt: FloatArray) -> np.ndarray:
    """Pairs whose sign or direction is another when the bidiagonal matrix is rounded otherwise."""
    draws = np.random.default_rng(0)
    # A sign or direction that survives all trials does not rest on rounding.
    same = np.ones(len(d), dtype=bool)
    unit = PRECISION * float(np.abs(_upper(d, e)).max())
    for _ in range(TRIALS if len(d) > 1 else 0):
        # Up to two units of rounding: a vector that turns round under these is not settled.
        near_d = d + unit * draws.integers(-2, 3, len(d))
        left, _, right = _solve_by_scipy(near_d, e + unit * draws.integers(-2, 3, len(e)))
        same &= ((left * u).sum(axis=0) > AGREEMENT) & ((right * vt).sum(axis=1) > AGREEMENT)
    return np.flatnonzero(~same)


def _scaling(a: FloatArray) -> tuple[float, float]:
    """Factors by which dgesdd brings the largest entry into a safe range and back; 1 where it is in it."""
    least = math.sqrt(SMALLEST) / PRECISION
    largest = float(np.abs(a).max())
    target = min(max(largest, least), 1 / least)
    return (target / largest, largest / target) if 0 < largest != target else (1.0, 1.0)


def _times(values: FloatArray, factor: float) -> FloatArray:
    """Values times a factor, infinite beyond the largest double, as in R."""
    with np.errstate(over="ignore"):
        return np.asarray(values * factor)


def _is_long(a: FloatArray) -> bool:
    """Whether dgesdd first makes the matrix square by an orthogonal factor."""
    # dgesdd's crossover: from sides in the ratio 11 / 6 on, an orthogonal factor first saves time.
    return bool(a.shape[0] != a.shape[1] and max(a.shape) >= int(min(a.shape) * 11 / 6))


def _bidiagonal(a: FloatArray) -> tuple[Bidiagonal, FloatArray, FloatArray, FloatArray]:
    """The bidiagonal form of a matrix, its two diagonals rotated to the upper form, and the rotations."""
    b = bidiagonal(a)
    if a.shape[0] < a.shape[1]:
        return b, *_rotate_up(b.diagonal, b.beside)
    return b, b.diagonal, b.beside, np.zeros((0, 2))


def _decompose(a: FloatArray, full: bool, wanted: int = 0) -> SingularVectors:
    """Decompose a matrix of similar sides by its bidiagonal form; dgesdd has the work space that it wants."""
    n, p = a.shape
    k = min(n, p)
    room = max(BLOCK * (n + p), 3 * k * k + 4 * k, wanted)
    b, d, e, turns = _bidiagonal(a)
    u, values, vt = (diagonalise if k <= SMALL else solve_divided)(d, e)
    unsettled = _unsettled(d, e, u, vt)
    _turn_back(u, turns)
    lower = n < p
    left, right = np.eye(n, n if full else k), np.eye(p if full else k, p)
    left[:k, :k], right[:k, :k] = u, vt
    times_reflectors(b.left, left[lower:], room, right=False)
    times_reflectors(b.right, right[:, (not lower) :], room, right=True)
    return SingularVectors(values, left, right, unsettled)


def singular_vectors(a: FloatArray, full: bool = False) -> SingularVectors:
    """Singular values and vectors, as dgesdd with the reference BLAS.

    Where the smaller side is at most 128, every bit is that of dgesdd; beyond, the last digits may differ,
    because dgesdd makes larger matrices bidiagonal in blocks.

    Shapes: a (n, p).
    """
    n, p = a.shape
    k = min(n, p)
    factor, back = _scaling(a)
    a = a * factor
    wanted = BLOCK * max(n, p) - 2 * k if full else 0
    if not _is_long(a):
        found = _decompose(a, full)
        left, right = found.left, found.right
    elif n > p:
        q, r = qr(a, n if full else k)
        found = _decompose(r, False, wanted)
        left, right = q.copy(), found.right
        left[:, :k] = ordered_product(q[:, :k], found.left)
    else:
        r, q = lq(a, p if full else k)
        found = _decompose(r, False, wanted)
        left, right = found.left, q.copy()
        right[:k] = ordered_product(found.right, q[:k])
    return SingularVectors(_times(found.values, back), left, right, found.unsettled)


def singular_values(a: FloatArray) -> FloatArray:
    """Singular values alone, decreasing, which LAPACK computes by its dlasq1.

    Shapes: a (n, p); returns (k,).
    """
    factor, back = _scaling(a)
    a = a * factor
    if _is_long(a):
        a = qr(a, a.shape[1])[1] if a.shape[0] > a.shape[1] else lq(a, len(a))[0]
    _, d, e, _ = _bidiagonal(a)
    _, values, _, info = lapack.dgesdd(_upper(d, e), compute_uv=0)
    if info != 0:
        raise np.linalg.LinAlgError(f"LAPACK's dgesdd did not converge; its code is {info}")
    return _times(values, back)


BLOCK = 32
"""Reflectors in a block where there is room for as many."""
TRIANGLE = 65 * 64
"""Numbers of work space that dormqr and dormlq keep for the triangle of a block."""


def times_reflectors(reflectors: Reflectors, c: FloatArray, room: int, right: bool) -> None:
    """Multiply a matrix in place by a product of reflectors from the left, or from the right transposed."""
    c = c.T if right else c
    k, width = len(reflectors), c.shape[1]
    size = BLOCK
    # As dormqr: the block shrinks to the work space that there is.
    if size < k and room < width * size + TRIANGLE:
        size = max(0, room - TRIANGLE) // width
    # As dormqr: where one block would hold all reflectors, they are applied one by one.
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

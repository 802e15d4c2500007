"""Eigenvalues and eigenvectors of a symmetric matrix as LAPACK's dsyevr has them with the reference BLAS.

The matrix is made tridiagonal here, with the additions of the reference BLAS in their order; scipy's dstemr
then takes the tridiagonal matrix, which needs no BLAS. So signs and bits are those of R with that BLAS.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from sparsek.bits.lapack.reflectors import (
    PRECISION,
    SMALLEST,
    dot,
    make_reflector,
    reflect_rows,
)
from sparsek.bits.ordered_arithmetic import FloatArray, sequential_sum
from sparsek.errors import BlasDependentWarning

BLOCK = 28
"""Columns of a block of dsytrd in the workspace that dsyevr asks for."""
UNBLOCKED = 32
"""Rows up to which dsytrd works without blocks."""
TRIALS = 24
"""Number of tridiagonal matrices with other roundings that show which vectors rest on rounding."""
AGREEMENT = 0.999
"""Cosine between two computed directions from which on they count as the same."""


@dataclass(frozen=True, slots=True)
class SymmetricEigen:
    """Eigenvalues and eigenvectors."""

    values: FloatArray  # (n,): eigenvalues, decreasing
    vectors: FloatArray  # (n, n): eigenvectors in columns, of length 1
    unsettled: np.ndarray  # Columns, from 0, whose sign or direction rests on rounding


@dataclass(frozen=True, slots=True)
class Tridiagonal:
    """A matrix as Q T Q', with the reflectors of Q in the columns of a matrix, as dsytrd leaves them."""

    # diagonal, beside: diagonal of T, shape (n,), and the entries beside it, shape (n - 1,)
    diagonal: FloatArray
    beside: FloatArray
    # Direction and factor of every reflector, in order; the directions begin below the diagonal
    reflectors: list[tuple[FloatArray, float]]


def _times_symmetric(alpha: float, lower: FloatArray, x: FloatArray) -> FloatArray:
    """Product of alpha, a symmetric matrix given by its lower triangle, and x, as dsymv."""
    own = sequential_sum((np.tril(lower) * (alpha * x)).T)
    return own + alpha * sequential_sum(np.tril(lower, -1) * x[:, None])


def _subtract_products(y: FloatArray, columns: FloatArray, factors: FloatArray) -> FloatArray:
    """y less the columns times their factors, one column after the other, as dgemv."""
    return sequential_sum(np.vstack([y[None, :], (columns * -factors).T]))


def _rank_two(c: FloatArray, v: FloatArray, w: FloatArray) -> None:
    """c less v w' and w v' in place, as dsyr2."""
    c += np.outer(v, -w)
    c += np.outer(w, -v)


def _reduce_block(a: FloatArray, size: int, found: Tridiagonal, at: int) -> None:
    """Make the first columns of a tridiagonal, and update what is right of them, as dlatrd and dsyr2k."""
    n = len(a)
    v, w = np.zeros((n, size)), np.zeros((n, size))
    for i in range(size):
        # Only this column is brought up to date; the rest of the matrix waits for the end of the block.
        column = _subtract_products(a[i:, i], v[i:, :i], w[i, :i])
        column = _subtract_products(column, w[i:, :i], v[i, :i])
        found.diagonal[at + i] = column[0]
        direction, beta, tau = make_reflector(column[1:])
        found.beside[at + i] = beta
        found.reflectors.append((direction, tau))
        v[i + 1 :, i] = direction
        below, earlier, mixed = a[i + 1 :, i + 1 :], v[i + 1 :, :i], w[i + 1 :, :i]
        y = _times_symmetric(1.0, below, direction)
        y = _subtract_products(y, earlier, sequential_sum(mixed * direction[:, None]))
        y = _subtract_products(y, mixed, sequential_sum(earlier * direction[:, None]))
        # The next column of W follows from y as in dlatrd, so that A - V W' - W V' updates the rest.
        y = y * tau
        w[i + 1 :, i] = y + -0.5 * tau * dot(y, direction) * direction
    for i in range(size):
        _rank_two(a[size:, size:], v[size:, i], w[size:, i])


def tridiagonal(a: FloatArray) -> Tridiagonal:
    """Make a symmetric matrix tridiagonal, as dsytrd does with the lower triangle.

    Shapes: a (n, n).
    """
    a = np.tril(a)
    n, at = len(a), 0
    found = Tridiagonal(np.zeros(n), np.zeros(n - 1), [])
    while n > UNBLOCKED and at < n - UNBLOCKED:
        _reduce_block(a[at:, at:], BLOCK, found, at)
        at += BLOCK
    for i in range(at, n - 1):
        found.diagonal[i] = a[i, i]
        v, found.beside[i], tau = make_reflector(a[i + 1 :, i])
        found.reflectors.append((v, tau))
        if tau != 0:
            below = a[i + 1 :, i + 1 :]
            w = _times_symmetric(tau, below, v)
            # As dsytd2: with w = x - tau / 2 (x'v) v the rest becomes A - v w' - w v'.
            _rank_two(below, v, w + -0.5 * tau * dot(w, v) * v)
    found.diagonal[n - 1] = a[n - 1, n - 1]
    return found


def _solve(diagonal: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues, increasing, and eigenvectors of a tridiagonal matrix, by scipy's dstemr."""
    n = len(diagonal)
    e = np.append(beside, 0.0)
    size, size_int, _ = lapack.dstemr_lwork(diagonal, e, 0, 0.0, 0.0, 1, n, compute_v=1)
    found, values, vectors, info = lapack.dstemr(
        diagonal, e, 0, 0.0, 0.0, 1, n, compute_v=1, lwork=int(size), liwork=int(size_int)
    )
    return (values, vectors) if info == 0 and found == n else _solve_by_bisection(diagonal, beside)


def _solve_by_bisection(diagonal: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same by dstebz and dstein, as dsyevr does where dstemr fails."""
    _, values, blocks, splits, _ = lapack.dstebz(diagonal, beside, 0, 0.0, 0.0, 1, 1, 0.0, "B")
    vectors, info = lapack.dstein(diagonal, beside, values, blocks, splits)
    if info != 0:
        raise np.linalg.LinAlgError(f"LAPACK's dstein did not converge; its code is {info}")
    order = np.argsort(values, kind="stable")
    return values[order], vectors[:, order]


def _unsettled(t: Tridiagonal, vectors: FloatArray) -> np.ndarray:
    """Columns whose sign or direction is another when T is rounded otherwise."""
    draws = np.random.default_rng(0)
    same = np.ones(len(vectors), dtype=bool)
    unit = PRECISION * float(max(np.abs(t.diagonal).max(), np.abs(t.beside).max()))
    for _ in range(TRIALS):
        # Up to two units of rounding: a vector that turns round under these is not settled.
        d = t.diagonal + unit * draws.integers(-2, 3, len(t.diagonal))
        e = t.beside + unit * draws.integers(-2, 3, len(t.beside))
        same &= (_solve(d, e)[1] * vectors).sum(axis=0) > AGREEMENT
    return np.flatnonzero(~same)


def _scaling(a: FloatArray) -> float:
    """The factor by which dsyevr brings the largest entry into a safe range; 1 where it is in it."""
    least = math.sqrt(SMALLEST / PRECISION)
    # dsyevr's limits, within which its squares neither overflow nor vanish.
    most = min(1 / least, 1 / math.sqrt(math.sqrt(SMALLEST)))
    largest = float(np.abs(np.tril(a)).max())
    if 0 < largest < least:
        return least / largest
    return most / largest if largest > most else 1.0


def symmetric_eigen(a: FloatArray) -> SymmetricEigen:
    """Eigenvalues and eigenvectors of a symmetric matrix, as dsyevr with the reference BLAS.

    Up to 143 rows every bit is that of dsyevr; beyond, the last digits of the vectors may differ. So they may
    where dstemr fails, which was seen with entries near 1e150.

    Shapes: a (n, n).
    """
    n = len(a)
    if n == 1:
        return SymmetricEigen(a[0].copy(), np.ones((1, 1)), np.empty(0, dtype=np.intp))
    factor = _scaling(a)
    t = tridiagonal(a * factor)
    values, vectors = _solve(t.diagonal, t.beside)
    # Eigenvalues are returned in decreasing order, so that numbers of columns are counted from the end.
    unsettled = n - 1 - _unsettled(t, vectors)[::-1]
    vectors = np.ascontiguousarray(vectors)
    for i, (v, tau) in reversed(list(enumerate(t.reflectors))):
        reflect_rows(v, tau, vectors[i + 1 :])
    values = values if factor == 1 else values * (1 / factor)
    return SymmetricEigen(values[::-1].copy(), vectors[:, ::-1].copy(), unsettled)


def symmetric_eigenvalues(a: FloatArray) -> FloatArray:
    """Eigenvalues of a symmetric matrix alone, decreasing, which LAPACK computes by its dsterf.

    Shapes: a (n, n); returns (n,).
    """
    if len(a) == 1:
        only: FloatArray = a[0].copy()
        return only
    factor = _scaling(a)
    t = tridiagonal(a * factor)
    values, info = lapack.dsterf(t.diagonal, t.beside)
    if info != 0:
        raise np.linalg.LinAlgError(f"LAPACK's dsterf did not converge; its code is {info}")
    values = values if factor == 1 else values * (1 / factor)
    decreasing: FloatArray = values[::-1].copy()
    return decreasing


def warn_unsettled(columns: np.ndarray, n: int, what: str, stacklevel: int = 3) -> None:
    """Warn of vectors whose sign or direction rests on rounding."""
    if len(columns):
        warnings.warn(
            "R's own answer depends on its BLAS here: rounding decides on the signs or directions of "
            f"{len(columns)} of {n} {what}; these are of the reference BLAS",
            BlasDependentWarning,
            stacklevel=stacklevel,
        )

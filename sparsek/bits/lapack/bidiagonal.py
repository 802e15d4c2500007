"""Orthogonal factors with the additions of the reference BLAS: LAPACK's dgebd2, dgeqr2, dgelq2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.lapack.reflectors import make_reflector, reflect_columns, reflect_rows
from sparsek.bits.ordered_arithmetic import FloatArray

Reflectors = list[tuple[FloatArray, float]]
"""Direction and factor of reflectors, in order; each begins one place after the one before it."""


@dataclass(frozen=True, slots=True)
class Bidiagonal:
    """A matrix as Q B P'."""

    # diagonal, beside: diagonal of B, shape (k,), and the entries beside it, shape (k - 1,): above it where
    # the matrix has at least as many rows as columns, else below it
    diagonal: FloatArray
    beside: FloatArray
    # left, right: reflectors of Q and of P. One list has k entries, the other k - 1, which begin one place
    # later
    left: Reflectors
    right: Reflectors


def bidiagonal(a: FloatArray) -> Bidiagonal:
    """Make a matrix bidiagonal, as dgebd2.

    Shapes: a (n, p).
    """
    k = min(a.shape)
    found = Bidiagonal(np.zeros(k), np.zeros(k - 1), [], [])
    (_make_upper if a.shape[0] >= a.shape[1] else _make_lower)(a.copy(), found)
    return found


def _make_upper(a: FloatArray, found: Bidiagonal) -> None:
    """Work on a matrix of at least as many rows as columns."""
    for i in range(a.shape[1]):
        v, found.diagonal[i], tau = make_reflector(a[i:, i])
        found.left.append((v, tau))
        reflect_rows(v, tau, a[i:, i + 1 :])
        if i < a.shape[1] - 1:
            v, found.beside[i], tau = make_reflector(a[i, i + 1 :])
            found.right.append((v, tau))
            reflect_columns(v, tau, a[i + 1 :, i + 1 :])


def _make_lower(a: FloatArray, found: Bidiagonal) -> None:
    """Work on a matrix of more columns than rows."""
    for i in range(a.shape[0]):
        v, found.diagonal[i], tau = make_reflector(a[i, i:])
        found.right.append((v, tau))
        reflect_columns(v, tau, a[i + 1 :, i:])
        if i < a.shape[0] - 1:
            v, found.beside[i], tau = make_reflector(a[i + 1 :, i])
            found.left.append((v, tau))
            reflect_rows(v, tau, a[i + 1 :, i + 1 :])


def qr(a: FloatArray, columns: int) -> tuple[FloatArray, FloatArray]:
    """Orthogonal and upper triangular factor of a tall matrix, as dgeqr2 and dorg2r.

    Shapes: a (n, p); returns q (n, columns), r (p, p).
    """
    a = a.copy()
    p = a.shape[1]
    found: Reflectors = []
    for i in range(p):
        v, a[i, i], tau = make_reflector(a[i:, i])
        found.append((v, tau))
        reflect_rows(v, tau, a[i:, i + 1 :])
    q = np.eye(len(a), columns)
    for i, (v, tau) in reversed(list(enumerate(found))):
        reflect_rows(v, tau, q[i:, i + 1 :])
        q[i:, i] = -tau * v
        q[i, i] = 1 - tau
    return q, np.triu(a[:p])


def lq(a: FloatArray, rows: int) -> tuple[FloatArray, FloatArray]:
    """Lower triangular and orthogonal factor of a wide matrix, as dgelq2 and dorgl2.

    Shapes: a (n, p); returns l (n, n), q (rows, p).
    """
    a = a.copy()
    n = len(a)
    found: Reflectors = []
    for i in range(n):
        v, a[i, i], tau = make_reflector(a[i, i:])
        found.append((v, tau))
        reflect_columns(v, tau, a[i + 1 :, i:])
    q = np.eye(rows, a.shape[1])
    for i, (v, tau) in reversed(list(enumerate(found))):
        reflect_columns(v, tau, q[i + 1 :, i:])
        q[i, i:] = -tau * v
        q[i, i] = 1 - tau
    return np.tril(a[:, :n]), q

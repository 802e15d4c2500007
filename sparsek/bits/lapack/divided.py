"""Singular values and vectors of larger bidiagonal matrices: LAPACK's dbdsdc, dlasd0 to dlasd3 and dlamrg.

The matrix is divided into small ones, whose values and vectors are merged pair by pair. The roots of the
secular equation come from scipy's dlasd4, which uses no BLAS.

Gu, M. & Eisenstat, S. C. (1995). A divide-and-conquer algorithm for the bidiagonal SVD. SIAM Journal on
Matrix Analysis and Applications 16, 79-92.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from sparsek.bits.lapack.implicit_qr import UNIT, decreasing_order, diagonalise_part
from sparsek.bits.lapack.reflectors import hypotenuse, norm, ordered_product
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray

SMALL = 25
"""Size up to which a matrix is not divided."""
ABOVE, BELOW, BOTH = range(3)
"""Where a left vector has entries: above the joining row, below it, or both."""


@dataclass(slots=True)
class SingularPart:
    """Singular values and vectors of a part of the matrix."""

    left: FloatArray  # (n, n): left singular vectors in columns
    # (m, m): right singular vectors in rows; m is n, or n + 1 where the part has one column more than rows
    right: FloatArray
    values: FloatArray  # (n,): singular values
    order: IntArray  # (n,): positions of the values, increasing


@dataclass(slots=True)
class _Merged:
    """Vectors of two parts side by side.

    By increasing value: the values, their entries of the joining row, where their left vectors have entries,
    and their columns in `left`, which are their rows in `right`.
    """

    left: FloatArray
    right: FloatArray
    values: list[float]
    row: list[float]
    kinds: list[int]
    columns: list[int]


def solve_divided(diagonal: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Singular values and vectors of an upper bidiagonal matrix, as dbdsdc.

    Shapes: diagonal, beside (n,); returns left (n, n), values (n,), right (n, n).
    """
    n = len(diagonal)
    left, right = np.eye(n), np.eye(n)
    largest = max(float(np.abs(diagonal).max()), float(np.abs(beside).max()))
    if largest == 0:
        return left, np.zeros(n), right
    d, e = diagonal * (1 / largest), beside * (1 / largest)
    # dbdsdc takes nine tenths of the rounding unit as the size that counts as 0.
    least = 0.9 * UNIT
    # A diagonal of 0 would make the secular equation break down.
    d = np.where(np.abs(d) < least, np.copysign(least, d), d)
    start = 0
    for cut in [*np.flatnonzero(np.abs(e) < least).tolist(), n - 1]:
        part = slice(start, cut + 1)
        if start == n - 1:
            # A part of one entry is its own value, and the left vector takes the sign.
            left[start, start] = math.copysign(1.0, d[start])
            d[start] = abs(d[start])
        else:
            found = _solve(d[part], e[start:cut])
            left[part, part], d[part], right[part, part] = found.left, found.values, found.right
        start = cut + 1
    values = d * largest
    order = decreasing_order(values)
    return left[:, order], values[order], right[order]


def _solve(d: FloatArray, e: FloatArray) -> SingularPart:
    """Solve a part, divided as often as its size asks for."""
    n = len(d)
    levels = 0 if n <= SMALL else int(math.log(n / (SMALL + 1)) / math.log(2)) + 1
    return _divide(d, e, levels)


def _divide(d: FloatArray, e: FloatArray, levels: int) -> SingularPart:
    """Divide a part `levels` times."""
    if levels == 0:
        left, values, right = diagonalise_part(d, e)
        return SingularPart(left, right, values, np.arange(len(d)))
    middle = len(d) // 2
    above = _divide(d[:middle], e[:middle], levels - 1)
    below = _divide(d[middle + 1 :], e[middle + 1 :], levels - 1)
    return _merge(above, below, float(d[middle]), float(e[middle]))


def _merge(above: SingularPart, below: SingularPart, alpha: float, beta: float) -> SingularPart:
    """Join two parts by the row between them, whose entries are alpha and beta, as dlasd1."""
    scale = max(abs(alpha), abs(beta), *np.abs(above.values), *np.abs(below.values))
    alpha, beta = alpha / scale, beta / scale
    merged = _side_by_side(above, below, alpha, beta, 1 / scale)
    # dlasd2 takes eight units of rounding of the largest entry as 0.
    tol = 8 * UNIT * max(abs(merged.values[-1]), abs(alpha), abs(beta))
    middle = len(above.values)
    kept, gone = _deflate(merged, tol)
    first, vector = _joining_vector(merged, middle, alpha, beta, tol)
    poles = np.array([0.0, *(merged.values[i] for i in kept + gone)])
    # dlasd2 keeps the second pole away from the first, which is 0.
    poles[1] = tol / 2 if abs(poles[1]) <= tol / 2 else poles[1]
    row = np.array([first, *(merged.row[i] for i in kept)])
    k = len(row)
    poles[:k], left, right = _secular(poles[:k], row)
    order = _merge_order(poles[:k].tolist(), poles[k:][::-1].tolist())
    # The deflated values stand in decreasing order and were merged from the back.
    order[order >= k] = len(poles) - 1 + k - order[order >= k]
    return SingularPart(*_vectors(merged, kept, gone, middle, vector, left, right), poles * scale, order)


def _vectors(
    merged: _Merged,
    kept: list[int],
    gone: list[int],
    middle: int,
    vector: FloatArray,
    left: FloatArray,
    right: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Left and right vectors of the joined parts, from those of the joining row, as the end of dlasd3."""
    n = len(merged.left)
    grouped = sorted(range(len(kept)), key=lambda i: merged.kinds[kept[i]])  # the order of the additions
    places, columns = [0, *(i + 1 for i in grouped)], [merged.columns[kept[i]] for i in grouped]
    rest = [merged.columns[i] for i in gone]
    unit = np.eye(n)[middle]
    new_left = ordered_product(np.column_stack([unit, merged.left[:, columns]]), left[places])
    new_right = ordered_product(right[:, places], np.vstack([vector, merged.right[columns]]))
    return (
        np.column_stack([new_left, merged.left[:, rest]]),
        np.vstack([new_right, merged.right[rest], merged.right[n:]]),
    )


def _side_by_side(
    above: SingularPart, below: SingularPart, alpha: float, beta: float, factor: float
) -> _Merged:
    """The vectors of both parts, with their values times a factor in one increasing order."""
    top, low = len(above.values), len(below.values)
    n, m = top + low + 1, top + 1 + len(below.right)
    left, right = np.eye(n), np.zeros((m, m))
    left[:top, :top], left[top + 1 :, top + 1 :] = above.left, below.left
    right[: top + 1, : top + 1], right[top + 1 :, top + 1 :] = above.right, below.right
    values = [above.values[above.order] * factor, below.values[below.order] * factor]
    # The joining row in the basis of the right vectors of both parts.
    row = [alpha * above.right[above.order, top], beta * below.right[below.order, 0]]
    order = _merge_order(values[0].tolist(), values[1].tolist())
    return _Merged(
        left,
        right,
        np.concatenate(values)[order].tolist(),
        np.concatenate(row)[order].tolist(),
        np.repeat([ABOVE, BELOW], [top, low])[order].tolist(),
        np.concatenate([above.order, top + 1 + below.order])[order].tolist(),
    )


def _joining_vector(
    merged: _Merged, middle: int, alpha: float, beta: float, tol: float
) -> tuple[float, FloatArray]:
    """First entry of the joining row and its right vector; a vector of no value is turned in place."""
    right = merged.right
    vector, first = right[middle].copy(), alpha * float(right[middle, middle])
    # A square matrix has no right vector without a value.
    if len(right) == len(merged.left):
        return (tol if abs(first) <= tol else first), vector
    last = right[-1].copy()
    second = beta * float(last[middle + 1])
    # A turn of the two vectors brings both entries of the joining row into one of them.
    length = hypotenuse(first, second)
    c, s = (1.0, 0.0) if length <= tol else (first / length, second / length)
    right[-1] = c * last - s * vector
    return max(length, tol), c * vector + s * last


def _merge_order(first: list[float], second: list[float]) -> IntArray:
    """Positions of two lists, one after the other, in their common increasing order, as dlamrg."""
    order, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] <= second[j]:
            order.append(i)
            i += 1
        else:
            order.append(len(first) + j)
            j += 1
    return np.array([*order, *range(i, len(first)), *range(len(first) + j, len(first) + len(second))])


def _deflate(merged: _Merged, tol: float) -> tuple[list[int], list[int]]:
    """Which values stay in the joining row; which hardly are in it, or leave it as close ones are turned."""
    kept: list[int] = []
    gone: list[int] = []
    previous = -1
    for j, value in enumerate(merged.values):
        if abs(merged.row[j]) <= tol:
            gone.append(j)
            continue
        if previous >= 0 and abs(value - merged.values[previous]) <= tol:
            _turn(merged, previous, j)
            gone.append(previous)
        elif previous >= 0:
            kept.append(previous)
        previous = j
    return kept + [previous] * (previous >= 0), gone[::-1]


def _turn(merged: _Merged, i: int, j: int) -> None:
    """Rotate the vectors of two close values so that the first one leaves the joining row."""
    row, columns = merged.row, merged.columns
    length = hypotenuse(row[j], row[i])
    c, s = row[j] / length, -row[i] / length
    row[j], row[i] = length, 0.0
    for vectors in (merged.left.T, merged.right):
        x, y = vectors[columns[i]].copy(), vectors[columns[j]].copy()
        vectors[columns[i]], vectors[columns[j]] = c * x + s * y, c * y - s * x
    if merged.kinds[j] != merged.kinds[i]:
        merged.kinds[j] = BOTH


def _secular(poles: FloatArray, row: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values and vectors of the matrix with this first row and these poles below it, as dlasd3."""
    k = len(poles)
    if k == 1:
        sign = 1.0 if row[0] > 0 else -1.0
        return np.abs(row), np.array([[sign]]), np.ones((1, 1))
    length = norm(row)
    values, minus, plus = np.empty(k), np.empty((k, k)), np.empty((k, k))
    for j in range(k):
        minus[:, j], values[j], plus[:, j], info = lapack.dlasd4(
            j, poles, row * (1 / length), length * length
        )
        if info != 0:
            raise np.linalg.LinAlgError("the singular values did not converge")
    products = minus * plus
    sizes = products[:, -1].copy()
    for i in range(k):
        others = np.delete(poles, i)
        for quotient in (products[i, :-1] / (poles[i] - others) / (poles[i] + others)).tolist():
            sizes[i] *= quotient
    # Gu and Eisenstat: the row that has exactly these values gives vectors that are orthogonal.
    z = np.copysign(np.sqrt(np.abs(sizes)), row)
    right = z[:, None] / minus / plus
    left = poles[:, None] * right
    left[0] = -1.0
    for vectors in (left, right):
        vectors /= np.array([norm(column) for column in vectors.T])
    return values, left, right.T.copy()

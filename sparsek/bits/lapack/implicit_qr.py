"""Singular values and vectors of small bidiagonal matrices: LAPACK's dbdsqr with dlartg, dlas2 and dlasv2.

Demmel, J. & Kahan, W. (1990). Accurate singular values of bidiagonal matrices. SIAM Journal on Scientific and
Statistical Computing 11, 873-912.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sparsek.bits.lapack.reflectors import SMALLEST
from sparsek.bits.ordered_arithmetic import FloatArray

UNIT = 2.0**-53
"""LAPACK's "epsilon": half the distance from 1 to the next number."""
# dbdsqr multiplies the unit by its power -1/8, where that is between 10 and 100.
TOLERANCE = 2.0**6.625 * UNIT
"""Relative size below which an entry beside the diagonal counts as 0."""
MOST_PASSES = 6
"""The iteration gives up after this many times the square of the size of the matrix in steps."""

Rotation = tuple[float, float]
"""Cosine and sine."""


def rotation(f: float, g: float) -> tuple[float, float, float]:
    """Cosine, sine and length of the rotation that turns (f, g) into (length, 0), as dlartg."""
    if g == 0:
        return 1.0, 0.0, f
    if f == 0:
        return 0.0, math.copysign(1.0, g), abs(g)
    # Between these sizes neither the squares nor their sum overflow or vanish.
    least, most = math.sqrt(SMALLEST), math.sqrt(1 / SMALLEST / 2)
    unit = 1.0
    if not (least < abs(f) < most and least < abs(g) < most):
        unit = min(1 / SMALLEST, max(SMALLEST, abs(f), abs(g)))
        f, g = f / unit, g / unit
    length = math.sqrt(f * f + g * g)
    r = math.copysign(length, f)
    return abs(f) / length, g / r, r * unit


def _least_value(f: float, g: float, h: float) -> float:
    """The smaller singular value of the triangle (f, g; 0, h), as dlas2."""
    low, high = sorted((abs(f), abs(h)))
    g = abs(g)
    if low == 0:
        return 0.0
    sums, differences = 1 + low / high, (high - low) / high
    if g < high:
        ratio = (g / high) * (g / high)
        return low * (2 / (math.sqrt(sums * sums + ratio) + math.sqrt(differences * differences + ratio)))
    ratio = high / g
    # The product of both values is f h, and the larger one is g where g is so much larger than both.
    if ratio == 0:
        return (low * high) / g
    a, b = sums * ratio, differences * ratio
    half = (low * (1 / (math.sqrt(1 + a * a) + math.sqrt(1 + b * b)))) * ratio
    return half + half


def _sign(x: float) -> float:
    """1 or -1."""
    return math.copysign(1.0, x)


def _solve_ordered(ft: float, gt: float, ht: float) -> tuple[float, float, Rotation, Rotation]:
    """Sizes of both singular values of a triangle with abs(ft) >= abs(ht); left and right rotation."""
    fa, ga, ha = abs(ft), abs(gt), abs(ht)
    if ga == 0:
        return ha, fa, (1.0, 0.0), (1.0, 0.0)
    # The entry beside the diagonal is so large that the others leave its size as it is.
    if ga > fa and fa / ga < UNIT:
        least = fa / (ga / ha) if ha > 1 else (fa / ga) * ha
        return least, ga, (1.0, ht / gt), (ft / gt, 1.0)
    d = fa - ha
    ell = 1.0 if d == fa else d / fa
    m = gt / ft
    t = 2 - ell
    s = math.sqrt(t * t + m * m)
    r = abs(m) if ell == 0 else math.sqrt(ell * ell + m * m)
    a = 0.5 * (s + r)
    # As dlasv2: where the square of m vanishes, t is found without it.
    if m * m != 0:
        t = (m / (s + t) + m / (r + ell)) * (1 + a)
    elif ell == 0:
        t = math.copysign(2.0, ft) * _sign(gt)
    else:
        t = gt / math.copysign(d, ft) + m / t
    length = math.sqrt(t * t + 4)
    right = (2 / length, t / length)
    return ha / a, fa * a, ((right[0] + right[1] * m) / a, (ht / ft) * right[1] / a), right


def solve_triangle(f: float, g: float, h: float) -> tuple[float, float, Rotation, Rotation]:
    """Singular values and vectors of the triangle (f, g; 0, h), as dlasv2."""
    swap = abs(h) > abs(f)
    least, most, left, right = _solve_ordered(*((h, g, f) if swap else (f, g, h)))
    if swap:
        left, right = (right[1], right[0]), (left[1], left[0])
    largest = max(abs(f), abs(h))
    # As in dlasv2 the signs follow from the largest of the three entries.
    if abs(g) > largest:
        sign = _sign(right[1]) * _sign(left[0]) * _sign(g)
    elif swap:
        sign = _sign(right[1]) * _sign(left[1]) * _sign(h)
    else:
        sign = _sign(right[0]) * _sign(left[0]) * _sign(f)
    return math.copysign(least, sign * _sign(f) * _sign(h)), math.copysign(most, sign), left, right


@dataclass(slots=True)
class QRIteration:
    """The state of the iteration."""

    d: FloatArray  # d, e: (n,): the diagonal, and the entries above it
    e: FloatArray
    left: FloatArray  # left, right: (n, n): singular vectors in rows
    right: FloatArray


def _rotate(rows: FloatArray, i: int, turn: Rotation) -> None:
    """Turn the rows i and i + 1, as dlasr and drot."""
    cosine, sine = turn
    if cosine != 1 or sine != 0:
        below = rows[i + 1].copy()
        rows[i + 1] = cosine * below - sine * rows[i]
        rows[i] = sine * below + cosine * rows[i]


def _threshold(d: FloatArray, e: FloatArray) -> float:
    """Size below which an entry beside the diagonal is set to 0."""
    smallest = size = abs(float(d[0]))
    for diagonal, beside in zip(d[1:].tolist(), e.tolist(), strict=True):
        if smallest == 0:
            break
        # Demmel and Kahan's recurrence for a lower bound of the smallest singular value.
        size = abs(diagonal) * (size / (size + abs(beside)))
        smallest = min(smallest, size)
    n = len(d)
    threshold: float = max(TOLERANCE * (smallest / math.sqrt(n)), MOST_PASSES * (n * (n * SMALLEST)))
    return threshold


def _without_shift(d: list[float], e: list[float]) -> list[tuple[Rotation, Rotation]]:
    """One pass of the zero-shift iteration over a block, in place; the rotations of both sides."""
    turns = []
    # Without a shift nothing is subtracted, so that small values keep all their digits.
    cosine, old = 1.0, (1.0, 0.0)
    for i in range(len(e)):
        cosine, sine, r = rotation(d[i] * cosine, e[i])
        if i > 0:
            e[i - 1] = old[1] * r
        old_cosine, old_sine, d[i] = rotation(old[0] * r, d[i + 1] * sine)
        old = old_cosine, old_sine
        turns.append(((cosine, sine), old))
    h = d[-1] * cosine
    d[-1], e[-1] = h * old[0], h * old[1]
    return turns


def _with_shift(d: list[float], e: list[float], shift: float) -> list[tuple[Rotation, Rotation]]:
    """One pass of the shifted iteration over a block, in place; the rotations of both sides."""
    turns = []
    # (d^2 - shift^2) / d without the cancellation of the squares.
    f, g = (abs(d[0]) - shift) * (_sign(d[0]) + shift / d[0]), e[0]
    for i in range(len(e)):
        c, s, r = rotation(f, g)
        if i > 0:
            e[i - 1] = r
        # Each rotation removes the entry that the one before has put outside the two diagonals.
        f, e[i] = c * d[i] + s * e[i], c * e[i] - s * d[i]
        g, d[i + 1] = s * d[i + 1], c * d[i + 1]
        first = c, s
        c, s, d[i] = rotation(f, g)
        f, d[i + 1] = c * e[i] + s * d[i + 1], c * d[i + 1] - s * e[i]
        if i < len(e) - 1:
            g, e[i + 1] = s * e[i + 1], c * e[i + 1]
        turns.append((first, (c, s)))
    e[-1] = f
    return turns


def _negligible(d: list[float], e: list[float]) -> tuple[int | None, float]:
    """The entry beside the diagonal of a block that counts as 0; a lower bound of the singular values."""
    if abs(e[-1]) <= TOLERANCE * abs(d[-1]):
        return len(e) - 1, 0.0
    bound = smallest = abs(d[0])
    for i, beside in enumerate(e):
        if abs(beside) <= TOLERANCE * bound:
            return i, 0.0
        # The bound of the part up to here, by the recurrence of `_threshold`.
        bound = abs(d[i + 1]) * (bound / (bound + abs(beside)))
        smallest = min(smallest, bound)
    return None, smallest


def _shift(d: list[float], e: list[float], smallest: float, n: int) -> float:
    """The shift of a pass; 0 where a shift would cost accuracy."""
    largest = max(map(abs, d + e))
    # Beside a much larger value a shift would cost the smallest one its digits.
    if n * TOLERANCE * (smallest / largest) <= max(UNIT, 0.01 * TOLERANCE):
        return 0.0
    shift = _least_value(d[-2], e[-1], d[-1])
    first = abs(d[0])
    # As dbdsqr: a shift whose square is lost beside that of the first entry is none.
    return 0.0 if first > 0 and (shift / first) * (shift / first) < UNIT else shift


def _pass(state: QRIteration, first: int, last: int, up: bool, threshold: float) -> bool:
    """One pass over the block from first to last; False where it only found an entry that counts as 0."""
    step = -1 if up else 1
    d = state.d[first : last + 1][::step].tolist()
    e = state.e[first:last][::step].tolist()
    zero, smallest = _negligible(d, e)
    if zero is not None:
        state.e[last - 1 - zero if up else first + zero] = 0.0
        return False
    shift = _shift(d, e, smallest, len(state.d))
    turns = _with_shift(d, e, shift) if shift else _without_shift(d, e)
    if abs(e[-1]) <= threshold:
        e[-1] = 0.0
    state.d[first : last + 1], state.e[first:last] = d[::step], e[::step]
    # Read from its end the block is the transpose of an upper one, so that the two sides change places.
    for i, (one, other) in enumerate(turns):
        if up:
            _rotate(state.right, last - 1 - i, (other[0], -other[1]))
            _rotate(state.left, last - 1 - i, (one[0], -one[1]))
        else:
            _rotate(state.right, first + i, one)
            _rotate(state.left, first + i, other)
    return True


def _iterate(state: QRIteration) -> None:
    """Turn the matrix into a diagonal one."""
    d, e, n = state.d, state.e, len(state.d)
    threshold, done, up = _threshold(d, e), -1, False
    old_first = old_last = -1
    last = n - 1
    while last > 0:
        if done >= MOST_PASSES * n * n:
            raise np.linalg.LinAlgError("the singular values did not converge")
        # Entries that count as 0 separate blocks, of which the last one is worked on.
        small = np.flatnonzero(np.abs(e[:last]) <= threshold)
        first = int(small[-1]) + 1 if len(small) else 0
        if first > 0:
            e[first - 1] = 0.0
        if first == last:
            last -= 1
        elif first == last - 1:
            least, most, left, right = solve_triangle(float(d[first]), float(e[first]), float(d[last]))
            d[first], e[first], d[last] = most, 0.0, least
            _rotate(state.right, first, right)
            _rotate(state.left, first, left)
            last -= 2
        else:
            if first > old_last or last < old_first:
                # dbdsqr chases the bulge from the larger end to the smaller one.
                up = abs(d[first]) < abs(d[last])
            if _pass(state, first, last, up, threshold):
                old_first, old_last = first, last
                done += last - first


def _finish(state: QRIteration) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Iterate, and give left vectors in columns, decreasing values and right vectors in rows, as dbdsqr."""
    _iterate(state)
    n = len(state.d)
    negative = np.flatnonzero(state.d < 0)  # a -0 stays
    values = state.d.copy()
    values[negative] *= -1
    state.right[negative] *= -1
    order = list(range(n))
    for end in range(n - 1, 0, -1):
        smallest = min(range(end + 1), key=lambda j: (values[order[j]], -j))
        order[smallest], order[end] = order[end], order[smallest]
    right = np.vstack([state.right[order], state.right[n:]])
    return state.left[order].T.copy(), values[order], right


def diagonalise(diagonal: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Singular values and vectors of an upper bidiagonal matrix, as dbdsdc of a small one.

    Shapes: diagonal, beside (n,); returns left (n, n), values (n,), right (n, n).
    """
    n = len(diagonal)
    if n == 1:
        return np.array([[_sign(float(diagonal[0]))]]), np.abs(diagonal), np.ones((1, 1))
    left, values, right = diagonalise_part(diagonal, beside)
    order = decreasing_order(values)
    return left[:, order], values[order], right[order]


def decreasing_order(values: FloatArray) -> list[int]:
    """Order of the values from the largest by exchanges, as at the end of dbdsdc."""
    order = list(range(len(values)))
    for i in range(len(values) - 1):
        top = min(range(i, len(values)), key=lambda j: (-values[order[j]], j))
        order[i], order[top] = order[top], order[i]
    return order


def diagonalise_part(diagonal: FloatArray, beside: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Singular values and vectors of a part of an upper bidiagonal matrix, as dlasdq.

    Shapes: diagonal (n,), beside (n - 1,) or (n,); returns left (n, n), values (n,), right (m, m).
    """
    n, wide = len(diagonal), len(beside) == len(diagonal)
    state = QRIteration(diagonal.copy(), beside.copy(), np.eye(n), np.eye(n + wide))
    d, e = state.d, state.e
    for rows in (state.right, state.left) if wide else ():  # to a lower bidiagonal matrix, and back
        for i in range(n - 1):
            cosine, sine, d[i] = rotation(float(d[i]), float(e[i]))
            e[i], d[i + 1] = sine * d[i + 1], cosine * d[i + 1]
            _rotate(rows, i, (cosine, sine))
        if rows is state.right:
            cosine, sine, d[-1] = rotation(float(d[-1]), float(e[-1]))
            _rotate(rows, n - 1, (cosine, sine))
    state.e = e[: n - 1]
    left, values, right = _finish(state)
    order = list(range(n))
    for i in range(n):
        smallest = min(range(i, n), key=lambda j: (values[order[j]], j))
        order[i], order[smallest] = order[smallest], order[i]
    return left[:, order], values[order], np.vstack([right[:n][order], right[n:]])

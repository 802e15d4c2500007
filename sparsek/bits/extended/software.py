"""80-bit arithmetic without an 80-bit type: whole numbers for few columns, pairs of doubles for many.

Infinities and NaN are added as doubles, which gives what 80 bits give.
"""

from __future__ import annotations

import math
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.extended import integers, pairs
from sparsek.bits.extended.integers import Number

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

BLOCK_ENTRIES = 65_536
"""Number of entries held as whole numbers at a time, unless a single column has more."""
WIDE = 100
"""From this number of columns on, pairs are faster than whole numbers."""


def column_sums(a: FloatArray, divisors: int | IntArray | None = None) -> FloatArray:
    """Column sums, divided by whole numbers if these are given, then rounded to doubles."""
    m, q = a.shape
    numbers = None if divisors is None else np.broadcast_to(np.asarray(divisors, dtype=np.float64), q)
    if m == 0:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.zeros(q) if numbers is None else np.zeros(q) / numbers
    if q >= WIDE and pairs.are_ordinary(a) and (numbers is None or numbers.min() > 0):
        return pairs.column_sums(a, numbers)
    sums = np.empty(q)
    step = max(1, BLOCK_ENTRIES // m)
    for start in range(0, q, step):
        part = slice(start, start + step)
        block = np.ravel(a[:, part].T)
        first = np.arange(0, len(block), m)
        sums[part] = _segments(block, first, None if numbers is None else numbers[part])
    return sums


def column_means(a: FloatArray) -> FloatArray:
    """Column means: the quotient of sum and number, plus the mean of what is left."""
    if a.shape[1] >= WIDE and pairs.are_ordinary(a):
        return pairs.column_means(a)
    return np.array([_centre(column) for column in a.T])


def vector_sum(v: FloatArray) -> float:
    """Sum of at least one value."""
    if not np.isfinite(v).all():
        return _sum_of_special(v)
    numbers, e = integers.whole_numbers(v)
    return integers.to_float((integers.add_up(numbers), e))


def running_sums(v: FloatArray) -> FloatArray:
    """Running sums; from the first infinity or NaN on, those of the infinities and NaN alone."""
    finite = np.isfinite(v)
    special = len(v) if finite.all() else int(finite.argmin())
    numbers, e = integers.whole_numbers(v[:special])
    sums, total = np.empty(len(v)), 0
    for i, number in enumerate(numbers):
        total = integers.round_bits(total + number)
        sums[i] = integers.to_float((total, e))
    with np.errstate(invalid="ignore"):
        sums[special:] = np.cumsum(np.where(finite, 0.0, v)[special:])
    return sums


def vector_mean(v: FloatArray) -> float:
    """Mean of at least one value; where the sum is no double, every term is divided before it is added."""
    if not np.isfinite(v).all() or math.isfinite(vector_sum(v)):
        return _centre(v)
    quotients, e = integers.whole_numbers(v / len(v))
    s: Number = (integers.add_up(quotients), e)
    if not math.isfinite(integers.to_float(s)):
        return integers.to_float(s)
    rest: Number = (0, 0)
    for gap, low in (integers.add(integers.from_float(x), (-s[0], s[1])) for x in v.tolist()):
        rest = integers.add(rest, integers.divide((gap, low), (len(v), 0)))
    return integers.to_float(integers.add(s, rest))


def _centre(v: FloatArray) -> float:
    """Quotient of sum and number, plus the mean of what is left."""
    if not np.isfinite(v).all():
        return _sum_of_special(v)
    s, gaps, e = _gaps(v)
    # R adds the mean of the residuals, which repairs what the first sum lost.
    rest = integers.divide((integers.add_up(gaps), e), (len(gaps), 0))
    return integers.to_float(integers.add(s, rest))


def vector_deviation(v: FloatArray) -> float:
    """Standard deviation (divisor n - 1) of at least two values, about the mean rounded to a double."""
    if not np.isfinite(v).all():
        return math.nan
    gaps = _gaps_of_rounded(v)
    return math.sqrt(integers.to_float(_mean_product(gaps, gaps)))


def covariances(x: FloatArray, y: FloatArray) -> FloatArray:
    """Covariances (divisor n - 1) of columns about the means rounded to doubles; NaN where not finite."""
    a, b = ([_gaps_of_rounded(v) if np.isfinite(v).all() else None for v in z.T] for z in (x, y))
    return np.array(
        [[math.nan if not u or not v else integers.to_float(_mean_product(u, v)) for v in b] for u in a]
    )


def column_deviations(x: FloatArray) -> FloatArray:
    """Standard deviations (divisor n - 1) about the means rounded to doubles, rounded after the root."""
    deviations = np.full(x.shape[1], math.nan)
    for j, v in enumerate(x.T):
        if np.isfinite(v).all():
            gaps = _gaps_of_rounded(v)
            deviations[j] = integers.to_float(integers.square_root(_mean_product(gaps, gaps)))
    return deviations


def _gaps_of_rounded(v: FloatArray) -> tuple[list[int], int]:
    """Deviations from the mean rounded to a double, as whole numbers with one exponent."""
    numbers, e = integers.whole_numbers(np.append(v, _centre(v)))
    mean = numbers.pop()
    return [integers.round_bits(number - mean) for number in numbers], e


def _mean_product(a: tuple[list[int], int], b: tuple[list[int], int]) -> Number:
    """Sum of products, divided by their number less 1."""
    products = (integers.round_bits(u * v) for u, v in zip(a[0], b[0], strict=True))
    return integers.divide((integers.add_up(products), a[1] + b[1]), (len(a[0]) - 1, 0))


def segment_sums(values: FloatArray, first: IntArray) -> FloatArray:
    """Sums of consecutive segments, which begin at the positions `first`; none is empty."""
    return _segments(values, first)


def _segments(values: FloatArray, first: IntArray, divisors: FloatArray | None = None) -> FloatArray:
    """Sums of consecutive segments, divided by whole numbers if these are given."""
    finite = np.isfinite(values)
    numbers, e = integers.whole_numbers(values if finite.all() else np.where(finite, values, 0.0))
    ends = [*first[1:].tolist(), len(numbers)]
    totals = [integers.add_up(numbers[i:j]) for i, j in zip(first.tolist(), ends, strict=True)]
    if divisors is None:
        sums = np.array([integers.to_float((total, e)) for total in totals])
    else:
        quotients = map(_quotient, totals, repeat(e), map(int, divisors.tolist()))
        sums = np.array(list(quotients))
    if not finite.all():
        with np.errstate(invalid="ignore"):
            special = np.add.reduceat(np.where(finite, 0.0, values), first)
        # A segment with an infinity or NaN has the sum of these alone.
        sums = np.where(np.isfinite(special), sums, special)
    return sums


def _quotient(total: int, e: int, divisor: int) -> float:
    """A sum divided by a whole number."""
    if divisor == 0:
        return math.nan if total == 0 else math.copysign(math.inf, total)
    return integers.to_float(integers.divide((total, e), (divisor, 0)))


def _sum_of_special(v: FloatArray) -> float:
    """Sum of the infinities and NaN of a vector."""
    with np.errstate(invalid="ignore"):
        return float(v[~np.isfinite(v)].sum())


def correlations(x: FloatArray, observed: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Correlations of all pairs of columns over the rows observed in both; which pairs have a constant."""
    q = x.shape[1]
    r, flat = np.full((q, q), np.nan), np.zeros((q, q), dtype=np.bool_)
    for i in range(q):
        for j in range(i + 1):
            both = observed[:, i] & observed[:, j]
            a, b = x[both, i], x[both, j]
            if len(a) >= 2 and np.isfinite(a).all() and np.isfinite(b).all():
                r[i, j], flat[i, j] = _correlation(a, b)
                r[j, i], flat[j, i] = r[i, j], flat[i, j]
    return r, flat


def pair_covariances(x: FloatArray, observed: BoolArray) -> FloatArray:
    """Covariances of all pairs of columns over the rows observed in both."""
    q = x.shape[1]
    found = np.full((q, q), np.nan)
    for i in range(q):
        for j in range(i + 1):
            both = observed[:, i] & observed[:, j]
            a, b = x[both, i], x[both, j]
            if len(a) >= 2 and np.isfinite(a).all() and np.isfinite(b).all():
                _, a_gaps, a_e = _gaps(a)
                _, b_gaps, b_e = _gaps(b)
                products = zip(a_gaps, b_gaps, strict=True)
                total = integers.add_up(integers.round_bits(gap * other) for gap, other in products)
                number = integers.divide((total, a_e + b_e), (len(a) - 1, 0))
                found[i, j] = found[j, i] = integers.to_float(number)
    return found


def _correlation(a: FloatArray, b: FloatArray) -> tuple[float, bool]:
    """Correlation of two vectors, and whether one of them is constant; the correlation is NaN then."""
    count = (len(a) - 1, 0)
    _, a_gaps, a_e = _gaps(a)
    _, b_gaps, b_e = _gaps(b)
    squares = [
        # R rounds every product to extended precision before it adds it.
        (integers.add_up(integers.round_bits(gap * gap) for gap in gaps), 2 * e)
        for gaps, e in ((a_gaps, a_e), (b_gaps, b_e))
    ]
    if not squares[0][0] or not squares[1][0]:
        return math.nan, True
    products = zip(a_gaps, b_gaps, strict=True)
    total = integers.add_up(integers.round_bits(gap * other) for gap, other in products)
    roots = [integers.square_root(integers.divide(square, count)) for square in squares]
    r = integers.divide(integers.divide((total, a_e + b_e), count), integers.multiply(*roots))
    return min(1.0, max(-1.0, integers.to_float(r))), False


def _gaps(v: FloatArray) -> tuple[Number, list[int], int]:
    """Quotient s of sum and number, and the deviations from it as whole numbers with one exponent."""
    numbers, e = integers.whole_numbers(v)
    s = integers.divide((integers.add_up(numbers), e), (len(numbers), 0))
    # The quotient and the numbers are brought to the smaller of their exponents, which is exact.
    low = min(s[1], e)
    m, up = s[0] << s[1] - low, e - low
    return s, [integers.round_bits((number << up) - m) for number in numbers], low


def decimal_number(digits: int, exponent: int) -> float:
    """``digits * 10**exponent`` with digits below 2**64, the power by repeated squaring."""
    power: Number = (1, 0)
    base: Number = (10, 0)
    left = abs(exponent)
    while left:
        power = integers.multiply(power, base) if left & 1 else power
        base, left = integers.multiply(base, base), left >> 1
    combine = integers.divide if exponent < 0 else integers.multiply
    return integers.to_float(combine((digits, 0), power))

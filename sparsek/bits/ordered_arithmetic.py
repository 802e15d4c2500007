"""Arithmetic in R's order and width: sums, sums of squares, squared distances, the threshold of an L1 bound.

Long sums run in the 80-bit type in which R adds on x86-64, from 0, so that a sum of negative zeros is 0.
Where ``numpy.longdouble`` is another type, and under ``SPARSEK_LONGDOUBLE=software``,
`sparsek.bits.extended` gives the same bits. This module alone decides.

Sums beyond the largest number are infinite and those of both infinities are NaN without a warning, as in R.

Fast arithmetic screens a comparison under an error bound; what it leaves open is computed in R's order.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sparsek.bits.extended import software
from sparsek.errors import RError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Groups = list[IntArray]
Given = ParamSpec("Given")
Found = TypeVar("Found")

BLOCK_ENTRIES = 65_536
"""Number of entries held in extended precision at a time."""

VARIABLE = "SPARSEK_LONGDOUBLE"
"""Environment variable, read at import: "software" chooses our own arithmetic on every platform."""
LONG_DOUBLE_BITS = int(np.finfo(np.longdouble).nmant) + 1
"""Significant bits of ``numpy.longdouble``: 64 for the 80-bit type, 53 for double, 113 for quadruple."""


def _wants_software() -> bool:
    """What the environment variable says."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "software"):
        raise ValueError(f'{VARIABLE} must be "software" or empty; got {wanted!r}: unset it or correct it')
    return wanted == "software"


IN_SOFTWARE = _wants_software()
"""Whether our own arithmetic is asked for."""
HAS_EXTENDED = LONG_DOUBLE_BITS == 64 and not IN_SOFTWARE
"""Whether ``numpy.longdouble`` computes, not our own 80-bit arithmetic."""


def as_in_r(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function without numpy's warnings of overflow and of undefined numbers, also in threads."""

    @wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        with np.errstate(over="ignore", invalid="ignore"):
            return function(*args, **kwargs)

    return called


@as_in_r
def sequential_sum(a: FloatArray) -> FloatArray:
    """Column sums of a 2-d array, rows added top to bottom in double.

    Shapes: a (m, q); returns (q,).
    """
    a = np.ascontiguousarray(a)
    if a.shape[0] == 0:
        return np.zeros(a.shape[1])
    # numpy would add a single column in pairs, and not from the top.
    if a.shape[1] == 1:
        return np.add.accumulate(a[:, 0])[-1:]
    # Along the first axis of a block numpy adds row after row.
    total: FloatArray = np.add.reduce(a, axis=0)
    return total


@as_in_r
def long_column_sums(a: FloatArray, divisors: int | IntArray | None = None) -> FloatArray:
    """Column sums of a 2-d array as R adds: rows top to bottom in extended precision, rounded once.

    Shapes: a (m, q); returns (q,).
    """
    if not HAS_EXTENDED:
        return software.column_sums(a, divisors)
    sums = _unrounded_sums(a)
    return (sums if divisors is None else sums / divisors).astype(np.float64)


def _unrounded_sums(a: FloatArray | NDArray[np.longdouble]) -> NDArray[np.longdouble]:
    """Column sums, rows added top to bottom, not yet rounded to doubles."""
    rows = np.ascontiguousarray(a)
    if rows.shape[1] == 1 and len(rows):
        # R starts from 0, so that a sum of negative zeros is 0; adding 0 does the same.
        return np.add.accumulate(rows[:, 0], dtype=np.longdouble)[-1:] + np.longdouble(0)
    sums: NDArray[np.longdouble] = np.add.reduce(rows, axis=0, dtype=np.longdouble)
    return sums


@as_in_r
def long_column_means(a: FloatArray) -> FloatArray:
    """Column means of a 2-d array as in R's ``cov``: a long sum's quotient, plus the mean of the residuals.

    R's ``mean`` differs where the sum is beyond the largest double: `long_mean`.

    Shapes: a (m, q); returns (q,).
    """
    m, q = a.shape
    if m == 1:
        row: FloatArray = a[0].copy()
        return row
    if not HAS_EXTENDED:
        return software.column_means(a)
    means = np.empty(q)
    step = max(1, BLOCK_ENTRIES // m)
    for start in range(0, q, step):
        block = a[:, start : start + step]
        s = _unrounded_sums(block) / m
        # R adds the mean of the residuals, which repairs what the first sum lost.
        means[start : start + step] = s + _unrounded_sums(block - s) / m
    return means


@as_in_r
def long_sum(v: FloatArray) -> float:
    """Sum of a vector as R's ``sum``: left to right in extended precision, rounded once."""
    v = np.ravel(v)
    if v.size == 0:
        return 0.0
    if not HAS_EXTENDED:
        return software.vector_sum(v)
    return float(np.add.accumulate(v, dtype=np.longdouble)[-1]) + 0.0


@as_in_r
def long_running_sums(v: FloatArray) -> FloatArray:
    """Running sums of a vector as R's ``cumsum``: in extended precision, each rounded once.

    Shapes: v (n,); returns (n,).
    """
    if not HAS_EXTENDED:
        return software.running_sums(v)
    return np.add.accumulate(v, dtype=np.longdouble).astype(np.float64) + 0.0


@as_in_r
def long_mean(v: FloatArray) -> float:
    """Mean of a vector as R's ``mean``: by a long sum, then the mean of the residuals is added.

    Where the sum is beyond the largest double, every term is divided before it is added.
    """
    v = np.ravel(v)
    if not HAS_EXTENDED:
        return software.vector_mean(v)
    terms = v.astype(np.longdouble)
    total = np.add.accumulate(terms)[-1]
    if np.isfinite(float(total)):
        s = total / v.size
        return float(s + np.add.accumulate(terms - s)[-1] / v.size)
    # The sum is no double, so that the terms are divided before they are added.
    s = np.add.accumulate(v / v.size, dtype=np.longdouble)[-1]
    if np.isfinite(float(s)):
        s += np.add.accumulate((terms - s) / v.size)[-1]
    return float(s)


def long_median(v: FloatArray) -> float:
    """Median as R's: the middle value, or the mean of the two in the middle.

    Shapes: v (n,).
    """
    half = len(v) // 2
    if len(v) % 2 == 0:
        return long_mean(np.sort(v)[half - 1 : half + 1])
    middle = float(np.partition(v, half)[half])
    # Zeros of both signs are equal, and the exchanges of R's partial sort decide which is in the middle.
    return middle if middle else _found(v.tolist(), half)


def between_places(v: FloatArray, low: int, high: int) -> FloatArray:
    """The values at these places of the sorted vector and between them, as R's partial sort leaves them.

    The order counts: a long sum of terms that nearly cancel depends on it.
    """
    values = v.tolist()
    _found(values, low)
    if high > low:
        _found(values, high, low + 1)
    return np.array(values[low : high + 1])


def _found(values: list[float], k: int, first: int = 0) -> float:
    """The value at place k after a partial sort: which zero, of both signs, depends on its exchanges.

    Source: Hoare (1961), "Algorithm 65: find", Communications of the ACM 4, 321-322.
    """
    last = len(values) - 1
    while first < last:
        pivot, i, j = values[k], first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if j < k:
            first = i
        if k < i:
            last = j
    return values[k]


@as_in_r
def long_deviation(v: FloatArray) -> float:
    """Standard deviation (divisor n - 1) as R's ``sd``: a long sum of squares about the rounded mean."""
    v = np.ravel(v)
    if v.size < 2:
        return math.nan
    if not HAS_EXTENDED:
        return software.vector_deviation(v)
    squares = (v.astype(np.longdouble) - long_column_means(v[:, None])) ** 2
    return math.sqrt(float(np.add.accumulate(squares)[-1] / (v.size - 1)))


@as_in_r
def long_segment_sums(values: FloatArray, first: IntArray) -> FloatArray:
    """Sums of consecutive segments in extended precision, each rounded once.

    Shapes: values (n,), first (s,); returns (s,).
    """
    if not HAS_EXTENDED:
        return software.segment_sums(values, first)
    return np.add.reduceat(values.astype(np.longdouble), first).astype(np.float64)


@as_in_r
def long_covariances(x: FloatArray, y: FloatArray) -> FloatArray:
    """Covariances of columns as R's ``cov``: long sums of products about the rounded means.

    Shapes: x (n, p), y (n, q); returns (p, q).
    """
    if not HAS_EXTENDED:
        return software.covariances(x, y)
    a, b = (z.astype(np.longdouble) - long_column_means(z) for z in (x, y))
    sums = np.stack([_unrounded_sums(column[:, None] * b) for column in a.T])
    return (sums / (len(x) - 1)).astype(np.float64)


@as_in_r
def long_column_deviations(x: FloatArray) -> FloatArray:
    """Standard deviations of columns about the rounded means, rounded after the root.

    `long_deviation` rounds before the root too. R's ``cor`` of two arguments needs the other one.

    Shapes: x (n, p); returns (p,).
    """
    if not HAS_EXTENDED:
        return software.column_deviations(x)
    squares = np.square(x.astype(np.longdouble) - long_column_means(x))
    deviations: FloatArray = np.sqrt(_unrounded_sums(squares) / (len(x) - 1)).astype(np.float64)
    return deviations


@as_in_r
def long_correlations(x: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Correlations of the columns in extended precision, each over the rows observed in both.

    Shapes: x (n, q); returns (q, q).
    """
    if not HAS_EXTENDED:
        return software.correlations(x, ~np.isnan(x))
    count, products, squares = _pair_sums(x)
    with np.errstate(divide="ignore"):
        root = np.sqrt(squares / (count - 1))
        r = products / (count - 1) / (root * root.T)
    flat = (count >= 2) & ((squares == 0) | (squares.T == 0))
    # R has no correlation for fewer than two common rows or a constant column.
    r[flat | (count < 2)] = np.nan
    return np.clip(r, -1.0, 1.0).astype(np.float64), flat


@as_in_r
def long_pair_covariances(x: FloatArray) -> FloatArray:
    """Covariances of the columns in extended precision, each over the rows observed in both.

    Shapes: x (n, q); returns (q, q).
    """
    if not HAS_EXTENDED:
        return software.pair_covariances(x, ~np.isnan(x))
    count, products, _ = _pair_sums(x)
    with np.errstate(divide="ignore"):
        return np.where(count < 2, np.nan, (products / (count - 1)).astype(np.float64))


def _pair_sums(x: FloatArray) -> tuple[FloatArray, NDArray[np.longdouble], NDArray[np.longdouble]]:
    """Of pairs of columns: common rows, and sums about the means of products and the first's squares."""
    observed, q = ~np.isnan(x), x.shape[1]
    values = np.where(observed, x, 0.0).astype(np.longdouble)
    count = np.zeros((q, q))
    total = np.zeros((q, q), dtype=np.longdouble)  # sums of feature i where j is observed too
    for row, seen in zip(values, observed, strict=True):
        both = seen[:, None] & seen
        count += both
        total += np.where(both, row[:, None], 0)  # a product with 0 would make infinity NaN
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / count
        products, squares = np.zeros_like(total), np.zeros_like(total)
        for row, seen in zip(values, observed, strict=True):
            deviation = np.where(seen[:, None] & seen, row[:, None] - mean, 0)
            products += deviation * deviation.T
            squares += deviation * deviation
    return count, products, squares


def decimal_number(digits: int, exponent: int) -> float:
    """A decimal number as R reads it: a whole number times or over a power of ten, in extended precision."""
    if not HAS_EXTENDED:
        return software.decimal_number(digits, exponent)
    value = np.longdouble(np.uint64(digits))
    power, base, left = np.longdouble(1), np.longdouble(10), abs(exponent)
    # R multiplies powers by repeated squaring, and the order of the products decides how they round.
    while left:
        power = power * base if left & 1 else power
        base, left = base * base, left >> 1
    return float(value / power if exponent < 0 else value * power)


def seq_length(start: float, stop: float, length: int) -> FloatArray:
    """Equally spaced values as R's ``seq(start, stop, length.out=length)``, end points exact.

    Shapes: returns (length,).
    """
    if length == 1:
        return np.array([float(start)])
    values = start + np.arange(length, dtype=np.float64) * ((stop - start) / (length - 1))
    # The last value may be off by rounding; R gives the end itself.
    values[-1] = stop
    return values


def members_by_appearance(labels: IntArray) -> Groups:
    """Row numbers of every cluster, clusters in the order in which the labels first appear."""
    present, first = np.unique(labels, return_index=True)
    return [np.flatnonzero(labels == present[i]) for i in np.argsort(first)]


def squares_about_mean(rows: FloatArray) -> FloatArray:
    """Column sums of squared deviations, with R's roundings."""
    m, q = rows.shape
    squares = np.empty(q)
    step = max(1, BLOCK_ENTRIES // m)
    for start in range(0, q, step):  # in blocks of columns, to avoid a second copy of the data
        block = rows[:, start : start + step]
        mean = long_column_sums(block, m)
        squares[start : start + step] = long_column_sums(np.square(block - mean))
    return squares


class SumsOfSquares:
    """Sums of squares per feature of one data set; sums of the last partition's clusters are reused."""

    def __init__(self, x: FloatArray) -> None:
        self._x = x
        self.total = squares_about_mean(x) if len(x) > 1 else np.zeros(x.shape[1])
        self._by_cluster: dict[bytes, FloatArray] = {}

    def within(self, groups: Groups, factors: FloatArray | None = None) -> FloatArray:
        """WCSS per feature, each cluster multiplied by its factor; clusters of one row add nothing."""
        known, self._by_cluster = self._by_cluster, {}
        total = np.zeros(self._x.shape[1])
        for k, rows in enumerate(groups):
            if len(rows) > 1:
                key = rows.tobytes()
                part = known[key] if key in known else squares_about_mean(self._x[rows])
                self._by_cluster[key] = part
                total += part if factors is None else part * factors[k]
        return total


UNIT = 2.0**-53
UNDERFLOW = 1e-290  # products this small lose relative accuracy
GRAM_MAX_ROWS, GRAM_MIN_FEATURES = 2000, 64
CHUNK_CELLS = 2_000_000


class Geometry:
    """One data set prepared for distances: shifted rows, their squares, a Gram matrix if it saves time.

    ``extended`` (n, p + 2) holds the rows (x, 1, |x|^2), whose product with (-2 c, |c|^2, 1) is the
    squared distance. The error of an approximate squared distance is at most
    ``error_factor(t) * (|x|^2 + |c|^2)`` in shifted coordinates, after t moves between clusters.
    """

    def __init__(self, raw: FloatArray, allow_gram: bool = True) -> None:
        n, p = raw.shape
        self.raw = raw
        self.shift = raw.mean(axis=0)
        self.extended = np.empty((n, p + 2))
        # About their mean rows are short, and so is the rounding error of products with them.
        self.x = np.subtract(raw, self.shift, out=self.extended[:, :p])
        self.squares = np.einsum("ij,ij->i", self.x, self.x)
        self.largest_square = float(self.squares.max())
        self.extended[:, p] = 1.0
        self.extended[:, p + 1] = self.squares
        self.gram: FloatArray | None = None
        if allow_gram and p >= GRAM_MIN_FEATURES and n <= min(GRAM_MAX_ROWS, 2 * p):
            self.gram = self.x @ self.x.T

    def error_factor(self, n_moves: int) -> float:
        """Relative error bound: rounding of the products (with a factor 2 to spare) and of updated sums."""
        n, p = self.raw.shape
        terms: int = 8 * p + 120
        if self.gram is not None:
            # Sums of inner products have up to n terms, and each move updates them once more.
            terms += 4 * n * (n_moves + n)
        return terms * UNIT

    def member_products(self, labels: IntArray, k: int) -> FloatArray | None:
        """Sums over each cluster of inner products with every row (r, k, n); None without a Gram matrix."""
        if self.gram is None:
            return None
        return first_member_sums(self.gram, labels, k)[0]

    def gram_rows(self, rows: IntArray) -> FloatArray:
        """Inner products of some rows with every row: (q, n)."""
        assert self.gram is not None
        return self.gram.take(rows, axis=0)


@as_in_r
def exact_distances(x: FloatArray, c: FloatArray) -> FloatArray:
    """Squared distance of each row of x (q, p) to the same row of c (q, p), summed feature by feature."""
    t = np.ascontiguousarray((x - c).T)
    t *= t
    # numpy would add a single column in pairs, and not feature by feature.
    if t.shape[1] == 1:
        return np.add.accumulate(t[:, 0])[-1:]
    sums: FloatArray = np.add.reduce(t, axis=0)
    return sums


def first_member_sums(x: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, IntArray]:
    """Sums of member rows in increasing row order, and sizes, for r labellings: (r, k, p) and (r, k).

    The indicator matrix of the clusters is stored by columns, so the product adds the rows of x in order.
    """
    r, n = labels.shape
    rows = (labels + (np.arange(r) * k)[:, None]).T.ravel()
    ones = np.ones(n * r)
    one_hot = sparse.csc_array((ones, rows, np.arange(0, n * r + 1, r)), shape=(r * k, n))
    sizes = np.bincount(rows, minlength=r * k)
    return (one_hot @ x).reshape(r, k, x.shape[1]), sizes.reshape(r, k)


def two_nearest(geometry: Geometry, centers: FloatArray) -> tuple[IntArray, IntArray]:
    """Nearest and second nearest centre of every row for r sets of centres (r, k, p): (r, n) each.

    Distances closer than the error bound are compared by R's own sums; ties go to the lower index.
    """
    r, k, p = centers.shape
    n = len(geometry.raw)
    first, second = np.empty((2, r, n), dtype=np.int64)
    shifted = centers - geometry.shift
    norms = np.einsum("rkp,rkp->rk", shifted, shifted)
    step = max(1, CHUNK_CELLS // (r * k))
    for begin in range(0, n, step):
        block = slice(begin, min(begin + step, n))
        d = (geometry.x[block] @ shifted.reshape(r * k, p).T).reshape(-1, r, k)
        d *= -2.0
        d += norms
        d += geometry.squares[block, None, None]
        bound = geometry.squares[block, None] + norms.max(axis=1)
        # Each of two distances that are compared may be off by the bound.
        bound *= 2 * geometry.error_factor(0)
        bound += UNDERFLOW
        a, b = _two_smallest(d, bound, geometry.raw[block], centers)
        first[:, block], second[:, block] = a.T, b.T
    return first, second


def _two_smallest(
    d: FloatArray, bound: FloatArray, raw: FloatArray, centers: FloatArray
) -> tuple[IntArray, IntArray]:
    """Positions of the two smallest along the last axis; doubtful cases are compared by exact distances."""
    m, r, k = d.shape
    flat = np.arange(m * r) * k
    cells = d.reshape(-1)
    first = d.argmin(axis=2)
    d1 = cells[flat + first.ravel()].reshape(m, r)
    # The smallest is covered, so that the next search finds the second smallest.
    cells[flat + first.ravel()] = np.inf
    second = d.argmin(axis=2)
    d2 = cells[flat + second.ravel()].reshape(m, r)
    unsure = d2 <= d1 + bound
    if k > 2:
        # Two centres may be second nearest; exact distances decide these rows too.
        unsure |= np.count_nonzero(d <= (d2 + bound)[:, :, None], axis=2) > 1
    i, s = np.nonzero(unsure)
    if len(i):
        exact = np.stack([exact_distances(raw[i], centers[s, j]) for j in range(k)], axis=1)
        rows = np.arange(len(i))
        best = exact.argmin(axis=1)
        # The nearest is covered, so that the next search finds the second nearest.
        exact[rows, best] = np.inf
        first[i, s], second[i, s] = best, exact.argmin(axis=1)
    return first, second


THRESHOLD_TOL = 1e-4
"""Width (in units of the BCSS) at which the threshold search stops."""
MAX_HALVINGS = 15
BELOW_LARGEST = 1e-5
"""The threshold search starts this far below the largest BCSS (in its units)."""


def l2_norm(v: FloatArray) -> float:
    """Root of the long sum of squares."""
    with np.errstate(over="ignore"):  # R's norm is infinite then
        return math.sqrt(long_sum(v * v))


def soft_threshold(v: FloatArray, d: float) -> FloatArray:
    """Shrink towards zero by d; a negative d enlarges the non-zero entries, as in R."""
    return np.sign(v) * np.maximum(0.0, np.abs(v) - d)


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # undefined comparisons raise R's error
def find_threshold(a: FloatArray, l1_bound: float) -> float:
    """Threshold that brings the normalised ``soft_threshold(a)`` to the L1 bound, by R's bisection.

    Shapes: a (p,).

    Raises RError when ``a`` is not finite, so that a comparison is undefined.
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

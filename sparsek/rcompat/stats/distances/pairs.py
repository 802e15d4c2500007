"""Distances between rows in R's order of operations: features added first to last, in double.

Canberra: Lance & Williams (1966), "Computer programs for hierarchical polythetic classification", Computer
Journal 9, 60-64, with absolute values in the denominator. A feature in which a pair has no value, or whose
contribution is no number, is left out; sums are then scaled up to all features.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Literal

import numpy as np
from scipy.spatial.distance import pdist

from sparsek.bits.elementary import is_glibc_compiled, power
from sparsek.bits.ordered_arithmetic import FloatArray, sequential_sum
from sparsek.engine import compiles
from sparsek.rcompat.stats import literal_trees as literal

BLOCK_ENTRIES = 65_536
"""Contributions, features x pairs, that are held at a time."""
Formula = Callable[[FloatArray, FloatArray], FloatArray]
"""Distances between rows (q, r, 1) and others (q, 1, m): (r, m)."""
SCIPY_NAMES: dict[str, Literal["euclidean", "cityblock", "chebyshev"]] = {
    "euclidean": "euclidean",
    "manhattan": "cityblock",
    "maximum": "chebyshev",
}
"""Methods for which scipy has a compiled loop, with its names of them."""
SMALLEST = float(np.finfo(np.float64).tiny)
"""Smallest normal number: values up to it are nothing for the Canberra distance."""
CODES = {
    "euclidean": literal.EUCLIDEAN,
    "manhattan": literal.MANHATTAN,
    "canberra": literal.CANBERRA,
    "minkowski": literal.MINKOWSKI,
    "maximum": literal.MAXIMUM,
    "binary": literal.BINARY,
}
"""The methods by the numbers of `literal_trees`."""


def pair_distances(x: FloatArray, method: str, p: float) -> FloatArray:
    """Distances of all pairs of rows.

    Shapes: x (n, q); returns (n (n - 1) / 2,).
    """
    if method in SCIPY_NAMES and _scipy_adds_in_order() and np.isfinite(x).all():
        return np.asarray(pdist(x, SCIPY_NAMES[method]))
    return _in_blocks(x, method, p)


@cache
def _scipy_adds_in_order() -> bool:
    """Whether scipy's compiled loops have the bits of sums from first to last, no product and sum fused."""
    probe = np.random.default_rng(0).standard_normal((20, 11))
    return all(
        np.array_equal(pdist(probe, name), _in_blocks(probe, method, 2))
        for method, name in SCIPY_NAMES.items()
    )


def _in_blocks(x: FloatArray, method: str, p: float) -> FloatArray:
    """As `pair_distances`, for all methods and missing values."""
    n, q = x.shape
    distances = np.empty(n * (n - 1) // 2)
    columns = np.ascontiguousarray(x.T)
    if compiles(2.0 * distances.size * q, literal.distances) and (
        method != "minkowski" or is_glibc_compiled()
    ):
        literal.distances.compiled(columns, CODES[method], p, distances)
        return distances
    compute = partial(_minkowski, p=p) if method == "minkowski" else BY_METHOD[method]
    done = first = 0
    with np.errstate(all="ignore"):
        while first < n - 1:
            rows = max(1, BLOCK_ENTRIES // (q * (n - 1 - first)))
            last = min(first + rows, n - 1)
            block = _rectangle(columns, first, last, compute)
            for i in range(last - first):
                end = done + n - 1 - first - i
                distances[done:end] = block[i, i:]
                done = end
            first = last
    return distances


def _rectangle(columns: FloatArray, first: int, last: int, compute: Formula) -> FloatArray:
    """Distances of the rows from ``first`` to before ``last`` and all rows after ``first``."""
    q, n = columns.shape
    rows, others = columns[:, first:last, None], columns[:, None, first + 1 :]
    step = max(1, BLOCK_ENTRIES // (q * (last - first)))
    parts = [compute(rows, others[:, :, begin : begin + step]) for begin in range(0, n - 1 - first, step)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def n_objects(d: FloatArray, name: str) -> int:
    """Number of objects that a triangle or a symmetric matrix of dissimilarities is of.

    Shapes: d (n (n - 1) / 2,) or (n, n).

    Raises ValueError for anything else.
    """
    if d.ndim == 2 and d.shape[0] == d.shape[1] and np.array_equal(d, d.T, equal_nan=True):
        return len(d)
    n = (1 + math.isqrt(1 + 8 * d.size)) // 2
    if d.ndim != 1 or n * (n - 1) // 2 != d.size:
        raise ValueError(
            f"{name} must hold n (n - 1) / 2 dissimilarities or be symmetric; got shape {d.shape}"
        )
    return n


def square_matrix(d: FloatArray, name: str) -> FloatArray:
    """A triangle of dissimilarities as a symmetric matrix.

    Shapes: d (n (n - 1) / 2,) or (n, n); returns (n, n).

    Raises ValueError for anything else.
    """
    n = n_objects(d, name)
    if d.ndim == 2:
        return d
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = d
    return square + square.T


def count_infinite(x: FloatArray) -> int:
    """Pairs of rows and features in which one value or both are infinite and none is missing."""
    infinite, present = np.isinf(x).sum(axis=0), (~np.isnan(x)).sum(axis=0)
    finite = present - infinite
    return int((present * (present - 1) // 2 - finite * (finite - 1) // 2).sum())


def _added(terms: FloatArray) -> FloatArray:
    """Sums over the features (first axis), those without a number left out and the sum scaled up."""
    flat = terms.reshape(len(terms), -1)
    sums = sequential_sum(flat).reshape(terms.shape[1:])
    if not np.isnan(sums).any():
        return sums
    left_out = np.isnan(terms)
    shares = (len(terms) - left_out.sum(axis=0)) / len(terms)
    flat = np.where(left_out, 0.0, terms).reshape(len(terms), -1)
    sums = sequential_sum(flat).reshape(terms.shape[1:])
    return np.where(shares > 0, sums / shares, np.nan)


def _euclidean(a: FloatArray, b: FloatArray) -> FloatArray:
    """Root of the sum of squared differences."""
    terms = a - b
    np.multiply(terms, terms, out=terms)
    return np.sqrt(_added(terms))


def _maximum(a: FloatArray, b: FloatArray) -> FloatArray:
    """Largest absolute difference."""
    largest: FloatArray = np.fmax.reduce(_absolute(a, b), axis=0)
    return largest


def _manhattan(a: FloatArray, b: FloatArray) -> FloatArray:
    """Sum of absolute differences."""
    return _added(_absolute(a, b))


def _canberra(a: FloatArray, b: FloatArray) -> FloatArray:
    """Sum of absolute differences, each divided by the sum of the absolute values."""
    differences, totals = _absolute(a, b), np.abs(a) + np.abs(b)
    terms = differences / totals
    terms[np.isinf(differences) & np.isinf(totals)] = 1.0
    terms[totals <= literal.SMALLEST] = np.nan
    return _added(terms)


def _binary(a: FloatArray, b: FloatArray) -> FloatArray:
    """Share of the features in which one is 0, of those in which not both are."""
    usable = np.isfinite(a) & np.isfinite(b)
    one, both = ((a != 0) ^ (b != 0)) & usable, (a != 0) & (b != 0) & usable
    different, present = one.sum(axis=0), (one | both).sum(axis=0)
    shares = np.where(present > 0, different / np.maximum(present, 1), 0.0)
    return np.where(usable.any(axis=0), shares, np.nan)


def _minkowski(a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    """Root of order p of the sum of the powers of the absolute differences."""
    return powers(_added(powers(_absolute(a, b), p)), 1 / p)


def _absolute(a: FloatArray, b: FloatArray) -> FloatArray:
    """Absolute differences."""
    terms = a - b
    return np.abs(terms, out=terms)


def powers(values: FloatArray, exponent: float) -> FloatArray:
    """Powers of numbers not below 0 with R's bits: squares are products."""
    if exponent == 2:
        return values * values
    flat = [raised(v, exponent) for v in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)


def raised(value: float, exponent: float) -> float:
    """One power; infinite where it is too large, or that of 0 is not defined."""
    try:
        return power(value, exponent)
    except (OverflowError, ValueError):
        return np.inf


BY_METHOD: dict[str, Formula] = {
    "euclidean": _euclidean,
    "maximum": _maximum,
    "manhattan": _manhattan,
    "canberra": _canberra,
    "binary": _binary,
}
"""The formulas by method, without the one that has an exponent."""

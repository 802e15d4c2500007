"""R's arithmetic: sums in R's order and width.

R adds vectors left to right, and ``sum``, ``mean``, ``colSums`` and their kin do so in the platform's
``long double`` (80 bits on x86-64) before rounding once to double. Numpy's ``np.sum`` adds pairwise in
double and differs in the last digits, so parity code sums with the functions below and nothing else.

Numpy adds strictly row by row along the first axis of a C-ordered array with at least two columns;
a single column must go through ``accumulate``.
"""

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

HAS_EXTENDED = np.finfo(np.longdouble).nmant >= 63
"""Whether ``numpy.longdouble`` is at least the 80-bit type that R uses on x86-64."""

BLOCK_ENTRIES = 65_536
"""Number of entries held in extended precision at a time."""


def sequential_sum(a: FloatArray) -> FloatArray:
    """Column sums of a 2-d array, rows added top to bottom in double.

    Parameters
    ----------
    a : ndarray of shape (m, q)
        Terms; converted to C order when they are not.

    Returns
    -------
    ndarray of shape (q,)
        ``((a[0] + a[1]) + a[2]) + ...``
    """
    a = np.ascontiguousarray(a)
    if a.shape[0] == 0:
        return np.zeros(a.shape[1])
    if a.shape[1] == 1:
        return np.add.accumulate(a[:, 0])[-1:]
    return np.add.reduce(a, axis=0)


def long_column_sums(a: FloatArray) -> NDArray[np.longdouble]:
    """Column sums of a 2-d array, rows added top to bottom in extended precision, not yet rounded.

    Parameters
    ----------
    a : ndarray of shape (m, q)
        Terms.

    Returns
    -------
    ndarray of longdouble, shape (q,)
        Unrounded sums; ``.astype(float)`` rounds once, as R does.
    """
    a = np.ascontiguousarray(a)
    if a.shape[0] == 0:
        return np.zeros(a.shape[1], dtype=np.longdouble)
    if not HAS_EXTENDED:  # exact sums round to the same double as 80-bit sums in practice
        return np.array([math.fsum(column) for column in a.T], dtype=np.longdouble)
    if a.shape[1] == 1:
        return np.add.accumulate(a[:, 0], dtype=np.longdouble)[-1:]
    return np.add.reduce(a, axis=0, dtype=np.longdouble)


def long_column_means(a: FloatArray) -> FloatArray:
    """Column means of a 2-d array, each as R's ``mean``.

    Parameters
    ----------
    a : ndarray of shape (m, q)
        At least one row, finite.

    Returns
    -------
    ndarray of shape (q,)
        The means; a single row is its own mean.
    """
    m, q = a.shape
    if m == 1:
        return a[0].copy()
    means = np.empty(q)
    step = max(1, BLOCK_ENTRIES // m)
    for start in range(0, q, step):
        block = a[:, start : start + step]
        s = long_column_sums(block) / m
        means[start : start + step] = s + long_column_sums(block - s) / m
    return means


def long_sum(v: FloatArray) -> float:
    """Sum of a vector as R's ``sum``: left to right in extended precision, rounded once.

    Parameters
    ----------
    v : array_like
        Terms; a matrix is read in C order.

    Returns
    -------
    float
        The sum.
    """
    v = np.ravel(v)
    if v.size == 0:
        return 0.0
    if not HAS_EXTENDED:
        return math.fsum(v)
    return float(np.add.accumulate(v, dtype=np.longdouble)[-1])


def long_mean(v: FloatArray) -> float:
    """Mean of a vector as R's ``mean``: by a long sum, then the mean of the residuals is added.

    Parameters
    ----------
    v : array_like
        At least one value.

    Returns
    -------
    float
        The mean.
    """
    v = np.ravel(v).astype(np.longdouble)
    s = np.add.accumulate(v)[-1] / v.size
    if np.isfinite(float(s)):
        s += np.add.accumulate(v - s)[-1] / v.size
    return float(s)


def long_deviation(v: FloatArray) -> float:
    """Standard deviation (divisor n - 1) as R's ``sd``: a long sum of squares about the rounded `long_mean`.

    Parameters
    ----------
    v : array_like
        Values.

    Returns
    -------
    float
        The standard deviation; NaN for fewer than two values.
    """
    v = np.ravel(v)
    if v.size < 2:
        return math.nan
    squares = (v.astype(np.longdouble) - long_mean(v)) ** 2
    return math.sqrt(float(np.add.accumulate(squares)[-1] / (v.size - 1)))


def seq_length(start: float, stop: float, length: int) -> FloatArray:
    """Equally spaced values as R's ``seq(start, stop, length.out=length)``, end points exact.

    Parameters
    ----------
    start, stop : float
        First and last value.
    length : int
        Number of values, at least 1.

    Returns
    -------
    ndarray of shape (length,)
        ``start + i * ((stop - start) / (length - 1))``.
    """
    if length == 1:
        return np.array([float(start)])
    values = start + np.arange(length, dtype=np.float64) * ((stop - start) / (length - 1))
    values[-1] = stop
    return values

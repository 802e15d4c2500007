"""Geometric median and median covariation matrix as R's Gmedian computes them, to the same bits.

Sources: Weiszfeld (1937), Tohoku Mathematical Journal 43, 355-386; Cardot, Cenac & Zitt (2013), Bernoulli 19,
18-43, averaged stochastic gradient median; Cardot & Godichon-Baggioni (2017), TEST 26, 461-480, median
covariation matrix; Maronna & Zamar (2002), Technometrics 44, 307-317, the tau scale.

The recursions over rows are the loops of `literal`, which run in Python with array forms of their steps.
Weiszfeld's searches also have an array form: on iris they take 1.5 and 3.4 ms, the loops run as Python 23 and
130.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits import elementary
from sparsek.bits.armadillo import (
    SMALL_PRODUCT,
    column_norms,
    norm,
    pair_sum,
    stored_norm,
)
from sparsek.bits.ordered_arithmetic import sequential_sum
from sparsek.engine import Loop, compiles
from sparsek.errors import RError
from sparsek.rcompat.gmedian import literal

FloatArray = NDArray[np.float64]

BLOCK_CELLS = 4_000_000
NO_LIMIT = 2**31 - 1
"""An infinite nitermax, as R reads it."""
MOST_STEPS = 10_000
"""Iterations after which a search without a limit is given up; one that converges needs some hundreds."""
TAU_C1, TAU_C2 = 4.5, 3.0
TOO_FEW_WEIGHTS = "Mat::operator(): index out of bounds", "fewer weights than rows: give one each"
STEP = 600
"""A step of a recursion in Python takes as long as so many multiplications."""
ITERATIONS = 20
"""About how many iterations Weiszfeld's search takes."""


def powers(bases: Sequence[int], exponent: float) -> FloatArray:
    """C's ``pow`` of every base: infinite where Python raises."""
    try:
        return np.fromiter(map(elementary.power, bases, repeat(exponent)), np.float64, len(bases))
    except OverflowError:
        return np.array([_power(base, exponent) for base in bases])


def _power(base: float, exponent: float) -> float:
    """C's ``pow``."""
    try:
        return elementary.power(base, exponent)
    except OverflowError:
        return math.inf


def gmedian(x: FloatArray, gamma: float, alpha: float, nstart: int, epsilon: float) -> FloatArray:
    """Averaged stochastic gradient median: passes over the rows from the first one on.

    Row i moves the iterate by ``sqrt(p) gamma i^-alpha`` towards itself; the average is the result.

    Shapes: x (n, p); returns (p,).
    """
    n, p = x.shape
    run = _recursion(literal.gmedian, nstart * n * (STEP + p))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        steps = math.sqrt(p) * gamma * powers(range(2, n + 1), -alpha)
        return np.asarray(run(np.require(x, requirements="W"), steps, nstart, epsilon))


def _recursion(loop: Loop, work: float) -> Callable[..., Any]:
    """A recursion over the rows, compiled or with steps on arrays."""
    return loop.compiled if compiles(work, loop) else loop.with_others(_ON_ARRAYS)


def _move(point: FloatArray, direction: FloatArray, step: float) -> None:
    """As `literal.move`."""
    point += direction * step


def _follow(average: FloatArray, point: FloatArray, count: float) -> None:
    """As `literal.follow`."""
    change = point - average
    change /= count
    average += change


def _outer_product(z: FloatArray, product: FloatArray) -> None:
    """As `literal.outer_product`."""
    np.multiply(z[:, None], z, product.reshape(len(z), -1))


_ON_ARRAYS = {
    "subtract": np.subtract, "norm": norm, "stored_norm": stored_norm, "move": _move, "follow": _follow,
    "outer_product": _outer_product,
}  # fmt: skip
"""Array forms of what the recursions call, by its names there."""


def weiszfeld(x: FloatArray, weights: FloatArray, epsilon: float, nitermax: int) -> tuple[FloatArray, int]:
    """Weiszfeld's iteration from the plain mean; a row at the current point gets weight 0.

    Shapes: x (n, p), weights (m,); returns (p,).

    Raises RError when a row away from the current point has no weight; ValueError when nitermax is infinite
    and `MOST_STEPS` iterations bring no step as small as epsilon; R may run forever there.
    """
    p = x.shape[1]
    if compiles(ITERATIONS * x.size, literal.weiszfeld):
        return _compiled_search(literal.weiszfeld, x, weights, epsilon, nitermax)
    m = _running_mean(x)
    columns = np.ascontiguousarray(x.T)
    n_iter, change, moved = 0, 1.0, False
    with np.errstate(all="ignore"):
        while n_iter < nitermax and change > epsilon:
            _refuse_endless(n_iter, nitermax, epsilon, change)
            w = _inverse_weights(weights, column_norms(columns - m[:, None]))
            moved = moved or bool(w[1].any())
            new = sequential_sum(x * (w[0] / pair_sum(w[0]))[:, None]) + 0.0 if moved else m
            change = norm(new - m) / math.sqrt(p)
            m, n_iter = new, n_iter + 1
    return m, n_iter


def _compiled_search(
    search: Loop, x: FloatArray, weights: FloatArray, epsilon: float, nitermax: int
) -> tuple[FloatArray, int]:
    """The point found and the number of iterations of one of Weiszfeld's searches, compiled."""
    limit = MOST_STEPS if nitermax >= NO_LIMIT else nitermax
    x, weights = (np.require(a, requirements=["C", "W"]) for a in (x, weights))
    point, n_iter, change = search.compiled(x, weights, epsilon, limit)
    if n_iter == literal.NO_WEIGHT:
        raise RError(*TOO_FEW_WEIGHTS)
    if change > epsilon:
        _refuse_endless(n_iter, nitermax, epsilon, change)
    return point, n_iter


def _refuse_endless(n_iter: int, nitermax: int, epsilon: float, change: float) -> None:
    """ValueError when an iteration without a limit has made `MOST_STEPS` steps."""
    if n_iter == MOST_STEPS and nitermax >= NO_LIMIT:
        raise ValueError(
            f"after {MOST_STEPS} iterations the steps are still {change:.3g}, more than epsilon = {epsilon}, "
            "and nitermax sets no end: give a finite nitermax or a larger epsilon"
        )


def _running_mean(x: FloatArray) -> FloatArray:
    """Mean by m += (x_i - m) / i."""
    m, v = np.zeros(x.shape[1]), np.empty(x.shape[1])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for i, row in enumerate(x, 1):
            np.subtract(row, m, out=v)
            v /= i
            m += v
    return m


def _inverse_weights(weights: FloatArray, d: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """weight / distance where the distance is positive, else 0; mask of the positive distances."""
    away = d > 0
    if away[len(weights) :].any():
        raise RError(*TOO_FEW_WEIGHTS)
    given = np.ones(len(d))
    given[: len(weights)] = weights[: len(d)]
    return np.divide(given, d, out=np.zeros(len(d)), where=away), away


def median_covariation(
    x: FloatArray, median: FloatArray, gc: float, alpha: float, nstart: int, nonnegative: bool
) -> FloatArray:
    """Averaged stochastic gradient estimate of the median covariation matrix.

    Shapes: x (n, p), median (p,); returns (p, p).
    """
    n, p = x.shape
    with np.errstate(all="ignore"):
        sizes = p * gc * powers(range(2, n + 1), -alpha)
        run = _recursion(literal.median_covariation, nstart * n * (STEP + p * p))
        return np.asarray(run(x - median, sizes, nstart, nonnegative)).reshape(p, p)


def weiszfeld_covariation(
    x: FloatArray, median: FloatArray, weights: FloatArray, epsilon: float, nitermax: int
) -> tuple[FloatArray, int]:
    """Weiszfeld's iteration for the median covariation matrix, the median of the matrices z_i z_i'.

    Shapes: x (n, p), median (p,), weights (m,); returns (p, p).

    Raises RError when a row away from the current point has no weight; ValueError when nitermax is infinite
    and `MOST_STEPS` iterations bring no step as small as epsilon; R may run forever there.
    """
    n, p = x.shape
    if nitermax < 1 or not epsilon < 1:
        return np.zeros((p, p)), 0
    n_iter, change = 0, 1.0
    with np.errstate(all="ignore"):
        z = x - median
        if compiles(ITERATIONS * n * p * p, literal.weiszfeld_covariation):
            m, n_iter = _compiled_search(literal.weiszfeld_covariation, z, weights, epsilon, nitermax)
            return m.reshape(p, p), n_iter
        blocks = list(_outer_products(z)) if n * p * p <= BLOCK_CELLS else None
        m = _cross_product(z).ravel() / n
        while n_iter < nitermax and change > epsilon:
            _refuse_endless(n_iter, nitermax, epsilon, change)
            new, total = np.zeros(p * p), []
            for begin, rows in blocks or _outer_products(z):
                distances = column_norms(np.ascontiguousarray(rows.T) - m[:, None])
                w, _ = _inverse_weights(weights[begin : begin + len(rows)], distances)
                new = sequential_sum(np.concatenate([new[None], rows * w[:, None]]))
                total.append(w)
            new /= pair_sum(np.concatenate(total))
            change = norm(new - m) / p
            m, n_iter = new, n_iter + 1
    return m.reshape(p, p), n_iter


def _outer_products(z: FloatArray, cells: int = BLOCK_CELLS // 4) -> Iterator[tuple[int, FloatArray]]:
    """The matrices z_i z_i' as rows of blocks (b, p * p); each block with the index of its first row."""
    n, p = z.shape
    step = max(1, cells // (p * p))
    for begin in range(0, n, step):
        rows = z[begin : begin + step]
        yield begin, (rows[:, :, None] * rows[:, None, :]).reshape(-1, p * p)


def _cross_product(z: FloatArray) -> FloatArray:
    """z'z, added in the order of Armadillo and the reference BLAS."""
    n, p = z.shape
    parts = (z[0::2], z[1::2]) if p > 1 and n * p <= SMALL_PRODUCT else (z,)
    total = np.zeros(p * p)
    for part in parts:
        sums = np.zeros(p * p)
        for _, rows in _outer_products(part):
            sums = sequential_sum(np.concatenate([sums[None], rows]))
        total = total + sums
    return total.reshape(p, p)


def principal_axes(matrix: FloatArray, count: int) -> FloatArray:
    """Eigenvectors of the eigenvalues that are largest in magnitude, in decreasing order of eigenvalue.

    Shapes: matrix (p, p); returns (p, count).
    """
    values, vectors = np.linalg.eigh(matrix)
    kept = np.sort(np.argsort(-np.abs(values), kind="stable")[:count])[::-1]
    vectors = vectors[:, kept]
    leading = vectors[np.abs(vectors).argmax(axis=0), np.arange(count)]
    return vectors * np.where(leading < 0, -1.0, 1.0)


@np.errstate(over="ignore")  # values far out have weight 0, and the largest rho
def scale_tau2(x: FloatArray) -> float:
    """Robust tau scale of Maronna and Zamar with R's constants (4.5 and 3), consistent at the normal.

    Shapes: x (n,).
    """
    center = np.median(x)
    s0 = float(np.median(np.abs(x - center)))
    if s0 == 0:
        return 0.0
    w = np.maximum(0.0, 1 - ((x - center) / (TAU_C1 * s0)) ** 2) ** 2
    mu = (w @ x) / w.sum()
    rho = np.minimum(((x - mu) / s0) ** 2, TAU_C2**2)
    b = TAU_C2 * 0.6744897501960817  # times the upper quartile of the standard normal
    density = math.exp(-b * b / 2) / math.sqrt(2 * math.pi)
    below = 0.5 * math.erfc(-b / math.sqrt(2))
    consistency = 2 * ((1 - b * b) * below - b * density + b * b) - 1
    return s0 * math.sqrt(float(rho.sum()) / (len(x) * consistency))

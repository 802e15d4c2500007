"""Gmedian's algorithms row by row, in Armadillo's order of summation.

Norms and sums run in two accumulators, one for the even and one for the odd positions. Sizes of steps come as
arrays, because R takes powers from the C library. Sources: Weiszfeld (1937), Tohoku Mathematical Journal 43,
355-386; Cardot, Cenac & Monnez (2012), Computational Statistics & Data Analysis 56, 1434-1449; Cardot, Cenac
& Zitt (2013), Bernoulli 19, 18-43; Cardot & Godichon-Baggioni (2017), TEST 26, 461-480.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.armadillo import BLAS_NORM, SAFE_HIGH, SAFE_LOW, SMALL_PRODUCT
from sparsek.engine import Loop, inlined

SMALL, BIG = 2.0**-511, 2.0**486
SMALL_SCALE, BIG_SCALE = 2.0**537, 2.0**-538
NO_WEIGHT = -1
"""In place of a number of iterations: a row away from the median has no weight."""


# --- norms ------------------------------------------------------------------------------------------------


@Loop
def pair_sum(terms):
    """Sum of the terms at even positions plus sum of those at odd ones."""
    n = terms.shape[0]
    even = odd = 0.0
    for j in range(0, n - 1, 2):
        even += terms[j]
        odd += terms[j + 1]
    if n % 2:
        even += terms[n - 1]
    return even + odd


@Loop
def robust_norm(v):
    """Euclidean norm from entries divided by the largest; NaN where that is infinite."""
    largest = np.nan
    for j in range(v.shape[0]):
        if not (abs(v[j]) <= largest or np.isnan(v[j])):
            largest = abs(v[j])
    if largest == 0:
        return 0.0
    squares = np.empty(v.shape[0])
    for j in range(v.shape[0]):
        squares[j] = (v[j] / largest) * (v[j] / largest)
    return math.sqrt(pair_sum(squares)) * largest


@Loop
def norm(v):
    """Euclidean norm of an expression: two accumulators, scaled where these under- or overflow."""
    p = v.shape[0]
    even = odd = 0.0
    for j in range(0, p - 1, 2):
        even += v[j] * v[j]
        odd += v[j + 1] * v[j + 1]
    if p % 2:
        even += v[p - 1] * v[p - 1]
    value = math.sqrt(even + odd)
    return value if 0 < value < np.inf else robust_norm(v)


@Loop
def blue_norm(v):
    """Reference BLAS's ``dnrm2`` (LAPACK 3.10 on): accumulators for small, middle and big entries."""
    small = middle = big = 0.0
    for j in range(v.shape[0]):
        a = abs(v[j])
        if a > BIG:
            big += (a * BIG_SCALE) * (a * BIG_SCALE)
        elif a < SMALL:
            small += (a * SMALL_SCALE) * (a * SMALL_SCALE) if big == 0 else 0.0
        else:
            middle += a * a
    if big > 0:
        return math.sqrt(big + middle * BIG_SCALE * BIG_SCALE) / BIG_SCALE
    if small > 0 and middle == 0:
        return math.sqrt(small) / SMALL_SCALE
    if small > 0:
        one, other = math.sqrt(middle), math.sqrt(small) / SMALL_SCALE
        low, high = min(one, other), max(one, other)
        ratio = low / high
        return math.sqrt(high * high * (1 + ratio * ratio))
    return math.sqrt(middle)


@Loop
def stored_norm(v):
    """Euclidean norm of a stored array: from 32 elements on the BLAS's, left to right."""
    if v.shape[0] < BLAS_NORM:
        return norm(v)
    total = 0.0
    for j in range(v.shape[0]):
        total += v[j] * v[j]
    value = math.sqrt(total) if SAFE_LOW < total < SAFE_HIGH else blue_norm(v)
    return value if 0 < value < np.inf else robust_norm(v)


# --- steps of the recursions, for which Python has array forms ----------------------------------------------


@inlined
def subtract(a, b, difference):
    """The entries of a less those of b, into difference."""
    for j in range(a.shape[0]):
        difference[j] = a[j] - b[j]


@inlined
def move(point, direction, step):
    """Move a point by a step along a direction."""
    for j in range(point.shape[0]):
        point[j] += direction[j] * step


@inlined
def follow(average, point, count):
    """Make an average that of one point more, the last of `count`."""
    for j in range(point.shape[0]):
        average[j] += (point[j] - average[j]) / count


@inlined
def outer_product(z, product):
    """The entries of z z' into product."""
    p = z.shape[0]
    for a in range(p):
        for b in range(p):
            product[a * p + b] = z[a] * z[b]


# --- geometric medians ------------------------------------------------------------------------------------


@Loop
def gmedian(x, steps, nstart, epsilon):
    """Average of an iterate m that row i moves towards itself by steps[i - 1]; passes over the rows."""
    m, a, v = x[0].copy(), x[0].copy(), np.empty(x.shape[1])
    for _ in range(nstart):
        for i in range(1, x.shape[0]):
            subtract(x[i], m, v)
            d = norm(v)
            if d > epsilon:
                move(m, v, steps[i - 1] / d)
            follow(a, m, i + 1.0)
    return a


@Loop
def weiszfeld(x, weights, epsilon, nitermax):
    """Weiszfeld's iteration from the mean: the median, the number of iterations and the last step."""
    n, p = x.shape
    m, v, w = np.zeros(p), np.empty(p), np.empty(n)
    for i in range(n):
        for j in range(p):
            m[j] += (x[i, j] - m[j]) / (i + 1.0)
    n_iter, change, moved = 0, 1.0, False
    while n_iter < nitermax and change > epsilon:
        for i in range(n):
            for j in range(p):
                v[j] = x[i, j] - m[j]
            d = norm(v)
            if d > 0 and i >= weights.shape[0]:
                return m, NO_WEIGHT, change
            w[i] = weights[i] / d if d > 0 else 0.0
            moved = moved or d > 0
        new = m
        if moved:
            new, total = np.zeros(p), pair_sum(w)
            for i in range(n):
                share = w[i] / total
                for j in range(p):
                    new[j] += x[i, j] * share
        m, change, n_iter = new, norm(new - m) / math.sqrt(p), n_iter + 1
    return m, n_iter, change


# --- median covariation matrices, their rows one after the other ------------------------------------------


@Loop
def median_covariation(z, sizes, nstart, nonnegative):
    """Average of an iterate v that z_i z_i' moves towards itself; `nonnegative` limits the steps to 1."""
    n, p = z.shape
    v, e = np.empty(p * p), np.empty(p * p)
    outer_product(z[0], v)
    average = v.copy()
    for _ in range(nstart):
        for i in range(1, n):
            outer_product(z[i], e)
            subtract(e, v, e)
            d = stored_norm(e)
            step = (1.0 / d if d != 0 else np.inf) * sizes[i - 1]
            move(v, e, 1.0 if nonnegative and not step < 1 else step)
            follow(average, v, i + 1.0)
    return average


@Loop
def mean_product(z):
    """z'z / n, added in the order of Armadillo: even rows and odd rows apart if z has few entries."""
    n, p = z.shape
    even, odd, product = np.zeros(p * p), np.zeros(p * p), np.empty(p * p)
    apart = p > 1 and n * p <= SMALL_PRODUCT
    for i in range(n):
        outer_product(z[i], product)
        total = odd if apart and i % 2 else even
        for c in range(p * p):
            total[c] += product[c]
    return (even + odd) / n


@Loop
def weiszfeld_covariation(z, weights, epsilon, nitermax):
    """Weiszfeld's iteration for the median of the matrices z_i z_i'; results as of `weiszfeld`."""
    n, p = z.shape
    m, product, v, w = mean_product(z), np.empty(p * p), np.empty(p * p), np.empty(n)
    n_iter, change = 0, 1.0
    while n_iter < nitermax and change > epsilon:
        new = np.zeros(p * p)
        for i in range(n):
            outer_product(z[i], product)
            for c in range(p * p):
                v[c] = product[c] - m[c]
            d = norm(v)
            if d > 0 and i >= weights.shape[0]:
                return m, NO_WEIGHT, change
            w[i] = weights[i] / d if d > 0 else 0.0
            for c in range(p * p):
                new[c] += product[c] * w[i]
        new /= pair_sum(w)
        m, change, n_iter = new, norm(new - m) / p, n_iter + 1
    return m, n_iter, change


# --- recursive k-medians, centres by columns (p, s * k): the k centres of every start side by side ---------


@Loop
def all_distances(row, centers, even, odd):
    """Distances of a row to all centres, into even."""
    p, columns = centers.shape
    for c in range(columns):
        even[c] = odd[c] = 0.0
    for j in range(0, p - 1, 2):
        for c in range(columns):
            t, u = row[j] - centers[j, c], row[j + 1] - centers[j + 1, c]
            even[c] += t * t
            odd[c] += u * u
    if p % 2:
        for c in range(columns):
            t = row[p - 1] - centers[p - 1, c]
            even[c] += t * t
    for c in range(columns):
        even[c] = math.sqrt(even[c] + odd[c])
    for c in range(columns):
        if not 0 < even[c] < np.inf:
            v = np.empty(p)
            for j in range(p):
                v[j] = row[j] - centers[j, c]
            even[c] = robust_norm(v)


@Loop
def nearest(d, first, k):
    """Column of the nearest of k centres from the column `first` on; the lowest wins ties, -1 if none is."""
    best, least = -1, np.inf
    for c in range(first, first + k):
        if d[c] < least:
            best, least = c, d[c]
    return best


@Loop
def kmedians(x, centers, k, powers, gamma, averages, labels, within):
    """One pass that moves the nearest centre to each row; labels (s, n) and within, zeros at first, are set.

    averages begin as a copy of centers. False where a row has no distance to any centre within the range of
    doubles.
    """
    n, p = x.shape
    columns, root = centers.shape[1], math.sqrt(p)
    even, odd, counts = np.empty(columns), np.empty(columns), np.ones(columns, np.int64)
    for i in range(n):
        all_distances(x[i], centers, even, odd)
        for first in range(0, columns, k):
            c = nearest(even, first, k)
            if c < 0:
                return False
            scaled = even[c] / root
            step = gamma / (powers[counts[c] - 1] * math.sqrt(scaled)) if scaled > 0 else 0.0
            counts[c] += 1
            for j in range(p):
                centers[j, c] += step * (x[i, j] - centers[j, c])
                averages[j, c] += (centers[j, c] - averages[j, c]) / counts[c]
    for i in range(n):
        all_distances(x[i], averages, even, odd)
        for first in range(0, columns, k):
            c = nearest(even, first, k)
            if c < 0:
                return False
            labels[first // k, i] = c - first
            within[c] += math.sqrt(even[c] / root)
    return True

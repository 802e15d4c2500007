"""COSA: dissimilarities of rows that may cluster on subsets of the features, different for each row.

Every row i has weights w_i over the features, large where its nearest neighbours lie close; d_ijk is the
scaled absolute difference of rows i and j in feature k, raised to a power. Neighbours, weights and
dissimilarities are updated in turn while a homotopy parameter eta grows from lambda.

Source: Friedman and Meulman (2004), "Clustering objects on subsets of attributes", JRSS B 66, 815-849, for
numeric features without targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from sparsek.core.scaling import safe_unit
from sparsek.core.steps import Array

SMALLEST_WEIGHT = 1e-300
"""Smallest weight; it keeps every dissimilarity finite."""
WINDOW = 11
"""Number of iterations over which changes of the weights are averaged for the stopping rule."""
NORMAL_QUARTILES = 1.35
"""Distance of the quartiles of a normal distribution in standard deviations, as rounded in the paper."""
LARGEST_VALUE = 1e150
"""Largest power of a scaled difference, relative to lambda; larger ones count as this."""
BLOCK_ENTRIES = 500_000
"""Number of differences between rows, in single features, held at a time."""


@dataclass(frozen=True, slots=True)
class CosaDistances:
    """Dissimilarities of COSA."""

    distances: Array  # (n, n): symmetric, zero diagonal, dimensionless
    weights: Array  # (n, p): weights of the features for each row: rows sum to 1; 0 for constant features
    eta: float  # Last homotopy parameter, dimensionless
    n_iter: int  # Number of updates of the weights
    converged: bool  # Whether the weights settled within the iterations


def iterate_cosa(
    X: Array,
    *,
    regularization: float,
    n_neighbors: int,
    relax: float,
    power: float,
    whole: bool,
    max_iter: int,
    tol: float,
    quartiles: float = NORMAL_QUARTILES,
) -> CosaDistances:
    """Alternate dissimilarities, neighbours and weights until the weights settle.

    Shapes: X (n, p) float64.
    """
    n, p = X.shape
    top, bottom = X.max(axis=0), X.min(axis=0)
    varying = np.flatnonzero(top > bottom)
    weights = np.zeros((n, p))
    if not len(varying):
        return CosaDistances(np.zeros((n, n)), weights, regularization, 0, True)
    X = X[:, varying] * safe_unit(np.maximum(top, -bottom)[varying], varying < 0, by_column=True)
    with np.errstate(over="ignore"):
        Z = X / quartile_distances(X) * quartiles
    # Differences of larger numbers, and powers of them, would overflow.
    largest = LARGEST_VALUE ** (1 / max(1.0, power)) * min(1.0, regularization)
    np.clip(Z, -largest, largest, out=Z)
    w = np.full(Z.shape, 1 / len(varying))
    eta, total, done = regularization, tol, False
    D = dissimilarities(Z, w, eta, power, whole)
    iteration = 0
    while not done and iteration < max_iter:
        iteration += 1
        spread = dispersions(Z, neighbours(D, n_neighbors), power)
        previous, w = w, np.maximum(softmax(-spread / regularization, axis=1), SMALLEST_WEIGHT)
        # The denominator is the largest possible change; with one feature no weight can change.
        change = float(np.abs(w - previous).sum()) / (2 * n * max(1 - 1 / len(varying), 1e-300))
        total = change if iteration % WINDOW == 0 else total + change
        eta = regularization * (1 + relax * iteration)
        D = dissimilarities(Z, w, eta, power, whole)
        done = iteration % WINDOW == WINDOW - 1 and total / WINDOW <= tol
    weights[:, varying] = w
    return CosaDistances(D, weights, eta, iteration, done)


def quartile_distances(X: Array) -> Array:
    """Order statistic [3 n / 4] minus [n / 4]; while that is 0, both move outwards by one."""
    n = len(X)
    ordered = np.sort(X, axis=0)
    low, high = max(n // 4 - 1, 0), max(3 * n // 4 - 1, 0)
    found: Array = ordered[high] - ordered[low]
    while not found.all():
        low, high = max(low - 1, 0), min(high + 1, n - 1)
        found = np.where(found > 0, found, ordered[high] - ordered[low])
    return found


def neighbours(D: Array, n_neighbors: int) -> Array:
    """The nearest other rows of each row, shape (n, n_neighbors); ties go to the lowest index."""
    others = D.copy()
    np.fill_diagonal(others, np.inf)
    return np.argsort(others, axis=1, kind="stable")[:, :n_neighbors]


def dispersions(Z: Array, nearest: Array, power: float) -> Array:
    """s_ik: the (upper) median of the differences of row i from its neighbours in feature k."""
    middle = nearest.shape[1] // 2  # the paper counts from 1: [K / 2 + 1]
    s = np.empty_like(Z)
    step = max(1, BLOCK_ENTRIES // (nearest.shape[1] * Z.shape[1]))
    for begin in range(0, len(Z), step):
        part = slice(begin, begin + step)
        differences = np.abs(Z[nearest[part]] - Z[part, None, :])
        s[part] = np.partition(differences, middle, axis=1)[:, middle]
    return s if power == 1 else s**power


def dissimilarities(Z: Array, w: Array, eta: float, power: float, whole: bool) -> Array:
    """D_ij = -eta T log(sum_k t_k exp(-d_ijk / eta) / T), with t the weights and T their sum.

    "Each" takes t_k = max(w_ik, w_jk), "whole" t = w_i or w_j, whichever gives the larger D.
    """
    n = len(Z)
    D = np.zeros((n, n))
    for part, rest, decays, least in _decays(Z, eta, power):
        if whole:
            own = np.log(np.einsum("ijk,ik->ij", decays, w[part]))
            other = np.log(np.einsum("ijk,jk->ij", decays, w[rest]))
            D[part, rest] = eta * (least - np.minimum(own, other))
        else:
            t = np.maximum(w[part, None, :], w[rest])
            total = t.sum(axis=2)
            D[part, rest] = eta * total * (least - np.log(np.einsum("ijk,ijk->ij", decays, t) / total))
        D[rest, part] = D[part, rest].T
    np.fill_diagonal(D, 0)
    return D


def _decays(Z: Array, eta: float, power: float) -> Iterator[tuple[slice, slice, Array, Array]]:
    """Blocks of rows i, rows j >= the first i, exp(m_ij - d_ijk / eta), and m_ij = min_k d_ijk / eta."""
    step = max(1, BLOCK_ENTRIES // Z.size)
    for begin in range(0, len(Z), step):
        part, rest = slice(begin, begin + step), slice(begin, None)
        values = np.abs(Z[part, None, :] - Z[rest])
        if power != 1:
            values **= power
        values /= eta
        least = values.min(axis=2)
        np.subtract(least[:, :, None], values, out=values)
        yield part, rest, np.exp(values, out=values), least

"""Data that move along a line, centres that move with them, and nearest centres as quadratic conditions.

Row i moves as x_i + d c_i b with the number d; d = 0 is the observed data. Means of rows move on lines too,
so that squared distances are quadratic in d. "Centre k is the nearest one" is a set of quadratic inequalities
(Gao, Bien and Witten 2022, Section 3; Chen and Witten 2023, Section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsek.selective.intervals import Conditions

Array = NDArray[Any]
ROUNDINGS = 64
"""Coefficients below this many roundings of their largest possible size count as 0."""


@dataclass(frozen=True, slots=True)
class Line:
    """Rows x_i + d c_i b."""

    X: Array  # (n, p): the observed rows, columns centred
    shares: Array  # (n,): c, which sums to 0: the column means do not move
    direction: Array  # (p,): b


class Centers(NamedTuple):
    """Centres that move as values + d rates."""

    values: Array
    rates: Array


class Quadratic(NamedTuple):
    """Coefficients of alpha d^2 + beta d + gamma, arrays of one shape."""

    alpha: Array
    beta: Array
    gamma: Array

    def minus(self, other: Quadratic) -> Quadratic:
        """The difference."""
        return Quadratic(*(mine - yours for mine, yours in zip(self, other, strict=True)))

    def at(self, index: Any) -> Quadratic:
        """Some of them."""
        return Quadratic(*(coefficient[index] for coefficient in self))


def make_line(X: Array, contrast: Array, direction: Array) -> Line:
    """The line on which the contrast of the rows grows by d times `direction`.

    Shapes: X (n, p), contrast (n,), direction (p,).
    """
    # Rows that move along nu / |nu|^2 change the contrast nu'X by exactly d.
    return Line(X - X.mean(axis=0), contrast / (contrast @ contrast), direction)


def difference_contrast(labels: Array, a: Any, b: Any) -> Array:
    """The vector nu with X^T nu = mean of cluster a minus mean of cluster b."""
    in_a, in_b = labels == a, labels == b
    contrast: Array = in_a / in_a.sum() - in_b / in_b.sum()
    return contrast


def means(line: Line, labels: Array, n_clusters: int) -> Centers:
    """Means of the clusters; an empty cluster stays at the origin."""
    counts = np.bincount(labels, minlength=n_clusters)
    sums = np.zeros((n_clusters, line.X.shape[1]))
    np.add.at(sums, labels, line.X)
    shares = np.zeros(n_clusters)
    for k in np.flatnonzero(counts):
        own = line.shares[labels == k]
        shares[k] = own[0] if (own == own[0]).all() else own.mean()  # the same number, without rounding
    return Centers(sums / np.maximum(counts, 1)[:, None], shares[:, None] * line.direction)


def rows_as_centers(line: Line, rows: Array) -> Centers:
    """Rows of the data as centres, which move with them."""
    return Centers(line.X[rows], line.shares[rows][:, None] * line.direction)


def fixed_centers(centers: Array) -> Centers:
    """Centres that do not move, in the coordinates of the line."""
    return Centers(centers, np.zeros_like(centers))


def scores(line: Line, centers: Centers) -> Quadratic:
    """Half the squared distance of row i to centre k, without the part that all centres share; (n, k)."""
    values, rates = centers
    c, b = line.shares[:, None], line.direction
    with np.errstate(over="ignore", invalid="ignore"):
        # Half of |m + d r|^2 less (x + d c b)'(m + d r), by powers of d.
        alpha = 0.5 * (rates * rates).sum(axis=1) - c * (rates @ b)
        beta = (values * rates).sum(axis=1) - line.X @ rates.T - c * (values @ b)
        gamma = 0.5 * (values * values).sum(axis=1) - line.X @ values.T
    return Quadratic(alpha, beta, gamma)


def assign(line: Line, centers: Centers, conditions: Conditions) -> Array:
    """Nearest centre of every row, ties to the lowest; adds the conditions that keep it the nearest."""
    found = scores(line, centers)
    if not all(np.isfinite(coefficient).all() for coefficient in found):
        conditions.overflows = True
    labels: Array = found.gamma.argmin(axis=1)
    own = found.at((np.arange(len(labels)), labels))
    with np.errstate(over="ignore", invalid="ignore"):
        difference = cleared(line, Quadratic(*(coefficient[:, None] for coefficient in own)).minus(found))
    conditions.add(*difference)
    size = max(float(np.square(rows).sum(axis=1).max()) for rows in (line.X, centers.values))
    # At d = 0 the two centres are as near up to rounding: a tie that the smallest move may decide.
    close = difference.gamma >= -ROUNDINGS * np.finfo(float).eps * size
    decided = close & ((difference.alpha != 0) | (difference.beta != 0))
    conditions.tied.update(np.flatnonzero(decided.any(axis=1)).tolist())
    return labels


def cleared(line: Line, found: Quadratic) -> Quadratic:
    """The coefficients with those set to 0 that are only rounding."""
    step = np.abs(line.shares).max() * np.linalg.norm(line.direction)
    size = np.hypot.reduce(line.X, axis=1).max()
    # Coefficients of d^2 are of the size of step^2, and those of d of the size of step times a row.
    noise = ROUNDINGS * np.finfo(float).eps * step
    alpha = np.where(np.abs(found.alpha) <= noise * step, 0, found.alpha)
    return Quadratic(alpha, np.where(np.abs(found.beta) <= noise * size, 0, found.beta), found.gamma)

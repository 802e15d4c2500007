"""The other passes of power k-means: the critical power, centres of no row, the scatter, nearest centres."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from sparsek.core.exact_sums import total_weight
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels, Ties, length, nearest, rows_of, squared_distances
from sparsek.methods.power.one_pass import Distances, PowerProblem, State, relative, soft_weights
from sparsek.sources.blocks import PIECE_ENTRIES
from sparsek.sources.source import added

POWER_ITERATIONS = 30
"""Iterations of the power method for an eigenvalue; fewer give a lower power s, which is safe."""
MOST_FEATURES = 512
"""With at most this many features, one pass finds the matrix of the power method."""


def critical_power(problem: PowerProblem) -> float:
    """Power above which centres near the mean of prepared rows all converge to it: 1 - 1 / (2 lambda).

    With centres at delta_j close to the mean 0, phi_ij is proportional to 1 + 2 (1 - s) x_i' delta_j /
    ||x_i||^2, up to terms that all centres share. So a step multiplies differences of centres by 2 (1 - s) C,
    where C is the mean of x x' / ||x||^2. The differences grow if 2 (1 - s) lambda > 1 for the largest
    eigenvalue lambda of C, between 1 / p and 1: the more features, the lower the power must be.
    """
    source = problem.source
    farthest: Farthest = source.over(Lengths(problem.scaling), _first_longest)
    direction, largest = farthest.row, 0.0
    count, times = total_weight(source.shape[0], source.weights), _mean_products(problem)
    for _ in range(POWER_ITERATIONS):
        size = float(np.linalg.norm(direction))
        if size == 0:
            return 0.0
        # A step of the power method: the length of the product tends to the largest eigenvalue.
        direction = times(direction / size) / count
        largest = float(np.linalg.norm(direction))
    return 1 - 1 / (2 * largest)


def _mean_products(problem: PowerProblem) -> Callable[[Array], Array]:
    """Products of a direction with the sum of x x' / ||x||^2: a matrix, or a pass for each if it is large."""

    def passed(directions: Array | None) -> Array:
        found: Array = problem.source.over(DirectionSums(problem.scaling, directions), added)
        return found

    if problem.n_features <= MOST_FEATURES:
        return passed(None).dot
    return lambda direction: passed(direction[:, None])[0]


class Farthest(NamedTuple):
    """Largest squared length, and the first row that has it."""

    norm: float
    row: Array


def _first_longest(parts: Sequence[Farthest]) -> Farthest:
    return reduce(lambda one, other: other if other.norm > one.norm else one, parts)


@dataclass(frozen=True, slots=True)
class Lengths:
    """The longest centred row of a block."""

    scaling: Scaling

    def __call__(self, X: Array, labels: None, weights: None) -> Farthest:
        """The row and its squared length."""
        found = []
        for _, Z in _few(self.scaling, X):
            norms = np.einsum("ij,ij->i", Z[:, :-1], Z[:, :-1])
            row = int(norms.argmax())
            found.append(Farthest(float(norms[row]), Z[row, :-1].astype(np.float64)))
        return _first_longest(found)


@dataclass(frozen=True, slots=True)
class DirectionSums:
    """Sums of B' x x' / ||x||^2 over the rows of a block for directions B (p, m), or of x x' / ||x||^2."""

    scaling: Scaling
    directions: Array | None

    def __call__(self, X: Array, labels: None, weights: Array | None) -> Array:
        """The sums, (m, p) or (p, p)."""
        found: Any = 0
        for rows, Z in _few(self.scaling, X):
            x = Z[:, :-1].astype(np.float64)
            norms = np.einsum("ij,ij->i", x, x)
            mass = np.ones(len(x)) if weights is None else weights[rows].astype(np.float64)
            # A row at the mean has no direction and takes no part.
            shares = np.divide(mass, norms, out=np.zeros_like(norms), where=norms > 0)
            found = found + (shares[:, None] * (x if self.directions is None else x @ self.directions)).T @ x
        return np.asarray(found)


class Remote(NamedTuple):
    """Sum of phi and of phi x, relative to the exponential of `top`."""

    top: float
    mass: float
    sums: Array


def _rescaled(parts: Sequence[Remote]) -> Remote:
    top = max(part.top for part in parts)
    # All parts are brought to the largest exponential, which is 1, so that not all of them underflow.
    factors = [np.exp(part.top - top) for part in parts]
    both = list(zip(factors, parts, strict=True))
    return Remote(top, sum(f * part.mass for f, part in both), added([f * part.sums for f, part in both]))


@dataclass(frozen=True, slots=True)
class Remotely:
    """Sums of a block for a cluster of a single start whose weights phi underflow, from their logarithms."""

    distances: Distances
    cluster: int
    s: float

    def __call__(self, X: Array, labels: None, weights: Array | None) -> Remote:
        """The sums."""
        found, s = [], self.s
        for piece in self.distances.pieces(X, weights):
            D = piece.D[0].astype(np.float64)
            L = np.log(np.maximum(D, np.finfo(piece.D.dtype).tiny))
            # Multiplying all distances of a row by a number leaves phi as it is: the least becomes 1.
            L -= L.min(axis=0)
            # log phi = (s - 1) log D_j + (1/s - 1) log sum_l D_l^s.
            logs = (s - 1) * L[self.cluster] + (1 / s - 1) * logsumexp(s * L, axis=0)
            if piece.mass is not None:
                logs += np.log(piece.mass)
            phi = np.exp(logs - logs.max())
            found.append(Remote(float(logs.max()), float(phi.sum()), phi @ piece.Z[:, :-1]))
        return _rescaled(found)


def remote_center(problem: PowerProblem, state: State, cluster: int, s: float) -> Array:
    """Centre of a single start whose weights phi underflow."""
    found: Remote = problem.source.over(Remotely(Distances.of(problem, state), cluster, s), _rescaled)
    return found.sums / found.mass


@dataclass(frozen=True, slots=True)
class Scattering:
    """S of a block for a single start, from the differences between rows and new centres."""

    distances: Distances
    centers: Array
    s: float
    ridge: float

    def __call__(self, X: Array, labels: None, weights: Array | None) -> Array:
        """S, shape (p,)."""
        S = np.zeros(X.shape[1])
        for piece in self.distances.pieces(X, weights):
            _, ratio, logs = relative(piece.D)
            phi, _ = soft_weights(piece.D, ratio, logs, self.s, piece.mass, self.ridge)
            for share, center in zip(phi[0], self.centers, strict=True):
                S += share @ np.square(piece.Z[:, :-1] - center)
        return S


def exact_scatter(problem: PowerProblem, state: State, centers: Array, s: float) -> Array:
    """S of a single start from the differences between rows and new centres."""
    work = Scattering(Distances.of(problem, state), centers, s, problem.ridge)
    found: Array = problem.source.over(work, added)
    return found


@dataclass(frozen=True, slots=True)
class Nearest:
    """Nearest centres of a block, and the weighted sum of the squared distances to them."""

    scaling: Scaling  # The map to centred coordinates
    factors: Array | None  # (p,): factors of these coordinates; None for all 1
    centers: Array  # (K, p): centres, times these factors
    size: float  # Bound on the lengths of the rows, times these factors

    def __call__(self, X: Array, labels: Any, weights: Array | None) -> tuple[Labels, float]:
        """Labels and sum."""
        found, total = np.empty(len(X), np.int32), 0.0
        for rows, Z in _few(self.scaling, X):
            if self.factors is not None:
                Z[:, :-1] *= self.factors
            found[rows] = nearest(Z, self.centers, ties=Ties.of(self.centers, self.size, rows_of(Z)))
            closest = squared_distances(Z, found[rows], self.centers).astype(np.float64)
            total += float(closest.sum() if weights is None else weights[rows] @ closest)
        return found, total


def nearest_rows(problem: PowerProblem, factors: Array | None, centers: Array) -> tuple[Any, float]:
    """Labels of the nearest centres, and the sum of the squared distances to them; see `Nearest`."""
    size = problem.reach * length(np.ones(problem.n_features) if factors is None else factors)
    found: tuple[Any, float] = problem.source.relabelled(
        Nearest(problem.scaling, factors, centers, size), added
    )
    return found


def _few(scaling: Scaling, X: Array) -> Iterator[tuple[slice, Array]]:
    """Centred rows, ones last, a few at a time, with their place."""
    return scaling.pieces(X, max(1, PIECE_ENTRIES // X.shape[1]))

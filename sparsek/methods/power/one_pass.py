"""One pass of power k-means over the data: weights of the rows and their sums, for all starts at once.

Distances come from matrix products, in chunks of rows that fit into the cache; distances that would lose
digits by cancellation are summed from differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, xlogy

from sparsek.methods.shared.sums import Array

CHUNK_ENTRIES = 2**15
"""Largest (starts x clusters x rows) array of one chunk, to stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class PowerProblem:
    """Data and constants of the minimisation problem.

    Attributes
    ----------
    Q : ndarray of shape (n, p + 2) or (n, 2 p + 1)
        Centred rows (x, ||x||^2, 1), or (x, x^2, 1) where features are weighted.
    n_features : int
        p.
    sample_weight : ndarray of shape (n,) or None
        Numbers of repetitions of the rows.
    gamma : float
        Factor of the entropy term, squared units of the data; 0 leaves all features at weight 1.
    ridge : float
        The released R code of the entropy-weighted form adds this (1e-4) to the distances and to the sums of
        their powers, and leaves K^(-1/s) out of the weights phi. For comparison with it only.
    """

    Q: Array
    n_features: int
    sample_weight: Array | None = None
    gamma: float = 0.0
    ridge: float = 0.0


@dataclass(frozen=True, slots=True)
class State:
    """Parameters of R starts.

    Attributes
    ----------
    centers : ndarray of shape (R, K, p)
        Centres theta.
    weights : ndarray of shape (R, p) or None
        Feature weights omega; None if all are 1.
    """

    centers: Array
    weights: Array | None

    def take(self, starts: Any) -> State:
        """Some of the starts."""
        return State(self.centers[starts], None if self.weights is None else self.weights[starts])


def with_norms(Z: Array) -> Array:
    """Rows (x, ||x||^2, 1) of prepared rows (x, 1)."""
    return np.insert(Z, -1, np.einsum("ij,ij->i", Z[:, :-1], Z[:, :-1]), axis=1)


@dataclass(frozen=True, slots=True)
class Step:
    """Sums over the rows under the weights phi of one step.

    Attributes
    ----------
    sums : ndarray of shape (R, K, m), float64
        phi' Q: weighted sums of x, of the squares, and of 1.
    criterion : ndarray of shape (R,), float64
        Criterion at the centres and the power that led to them.
    """

    sums: Array
    criterion: Array

    def take(self, starts: Any) -> Step:
        """Some of the starts."""
        return Step(self.sums[starts], self.criterion[starts])


def soft_step(problem: PowerProblem, state: State, s: float, s_criterion: float) -> Step:
    """Sums under the weights at power s, and the criterion at power `s_criterion`, in one pass over Q."""
    n_starts, n_clusters, _ = state.centers.shape
    m = problem.Q.shape[1]
    sums, criterion = np.zeros((n_starts * n_clusters, m)), np.zeros(n_starts)
    for rows, D in distances(problem, state):
        closest, ratio, logs = relative(D)
        phi, total = soft_weights(problem, rows, D, ratio, logs, s)
        sums += phi.reshape(len(sums), -1) @ problem.Q[rows]
        if s_criterion != s:
            total = np.exp(-s_criterion * logs).sum(axis=1)
        means = closest * total.astype(np.float64) ** (1 / s_criterion)
        criterion += (
            means.sum(axis=1) if problem.sample_weight is None else means @ problem.sample_weight[rows]
        )
    criterion *= n_clusters ** (-1 / s_criterion)
    criterion += entropy_term(problem, state)
    return Step(sums.reshape(n_starts, n_clusters, m), criterion)


def entropy_term(problem: PowerProblem, state: State) -> Array:
    """gamma sum_l omega_l log omega_l, shape (R,)."""
    if state.weights is None:
        return np.zeros(len(state.centers))
    return problem.gamma * xlogy(state.weights, state.weights).sum(axis=1)


def distances(problem: PowerProblem, state: State) -> Iterator[tuple[slice, Array]]:
    """Chunks of rows with D, shape (R, K, rows), by matrix products, or differences where D is small."""
    Q, p = problem.Q, problem.n_features
    n_starts, n_clusters, _ = state.centers.shape
    weights = np.ones((n_starts, Q.shape[1] - 1 - p)) if state.weights is None else state.weights
    weighted = weights[:, None] * state.centers.astype(np.float64)
    constants = (weighted * state.centers).sum(axis=2, keepdims=True)
    spread = np.broadcast_to(weights[:, None], (n_starts, n_clusters, weights.shape[1]))
    coefficients = np.concatenate([-2 * weighted, spread, constants], axis=2).astype(Q.dtype)
    coefficients = coefficients.reshape(n_starts * n_clusters, -1)
    size = max(32, CHUNK_ENTRIES // len(coefficients))
    for first in range(0, len(Q), size):
        rows = slice(first, first + size)
        D = (coefficients @ Q[rows].T).reshape(n_starts, n_clusters, -1)
        norms = weights.astype(Q.dtype) @ Q[rows, p:-1].T
        repair(D, norms, Q[rows, :p], state)
        yield rows, D


def repair(D: Array, norms: Array, X: Array, state: State) -> None:
    """Replace small D, which have lost a third of their digits, by sums of squared differences."""
    lost = np.less(D, norms[:, None] * np.finfo(D.dtype).eps ** (1 / 3))
    if not lost.any():
        return
    start, cluster, row = np.nonzero(lost)
    size = max(1, 16 * CHUNK_ENTRIES // X.shape[1])
    for first in range(0, len(row), size):
        r, k, i = (index[first : first + size] for index in (start, cluster, row))
        difference = X[i] - state.centers[r, k]
        np.square(difference, out=difference)
        if state.weights is not None:
            difference *= state.weights[r]
        D[r, k, i] = difference.sum(axis=1)


def relative(D: Array) -> tuple[Array, Array, Array]:
    """Smallest D of every row, shape (R, rows); r = min_l D_l / D and log r, shape (R, K, rows)."""
    floor = np.finfo(D.dtype).tiny
    closest = D.min(axis=1)
    with np.errstate(divide="ignore", under="ignore"):
        ratio = np.maximum(closest, floor)[:, None] / np.maximum(D, floor)
        return closest, ratio, np.log(ratio)


def soft_weights(
    problem: PowerProblem, rows: slice, D: Array, ratio: Array, logs: Array, s: float
) -> tuple[Array, Array]:
    """phi = r^(1 - s) S^(1/s - 1) times the sample weights, shape (R, K, rows), and S, shape (R, rows)."""
    with np.errstate(under="ignore"):
        phi = np.exp(-s * logs)
        total = phi.sum(axis=1)
        phi *= ratio
        factor = total ** (1 / s - 1)
        if problem.sample_weight is not None:
            factor *= problem.sample_weight[rows]
        phi *= factor[:, None]
    if problem.ridge:
        powers = np.logaddexp(logsumexp(s * np.log(D), axis=1, keepdims=True), np.log(problem.ridge))
        phi = np.exp((s - 1) * np.log(D + problem.ridge) + (1 / s - 1) * powers)
    return phi, total

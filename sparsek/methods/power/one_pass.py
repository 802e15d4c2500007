"""One pass of power k-means over the rows, wherever they lie: their weights and sums, for all starts at once.

Distances come from matrix products, in pieces of rows that fit into the cache; distances that would lose
digits by cancellation are summed from differences. What works on a block of rows is an object with its
settings, which Dask can send to its workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp, xlogy

from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array
from sparsek.sources.source import RowProblem, Source, added_fields

CHUNK_ENTRIES = 2**15
"""Largest (starts x clusters x rows) array of one piece, to stay in the processor's cache."""
ROW_ENTRIES = 2**17
"""Largest (rows x features) array of one piece."""


@dataclass(frozen=True, slots=True)
class PowerProblem:
    """Data and constants of the minimisation problem."""

    source: Source  # The rows
    scaling: Scaling  # The map to centred coordinates, which rounds to no grid
    reach: float  # Largest absolute value of a coordinate
    # Factor of the entropy term, squared units of the data; 0 leaves all features at weight 1
    gamma: float = 0.0
    # The released R code of the entropy-weighted form adds this (1e-4) to the distances and to the sums of
    # their powers, and leaves K^(-1/s) out of the weights phi. For comparison with it only
    ridge: float = 0.0

    @classmethod
    def of(cls, rows: RowProblem, gamma: float = 0.0, ridge: float = 0.0) -> PowerProblem:
        """The problem for some rows."""
        assert rows.scaling.grid is not None  # set from the extremes of all rows
        # The grid knows how far the columns reach; the rows themselves are not rounded to it.
        reach = float(rows.scaling.grid.reach.max())
        return cls(rows.source, replace(rows.scaling, grid=None), reach, gamma, ridge)

    @property
    def n_features(self) -> int:
        """Number p of features."""
        return self.source.shape[1]

    @property
    def dtype(self) -> Any:
        """float32 or float64."""
        return self.source.dtype


@dataclass(frozen=True, slots=True)
class State:
    """Parameters of R starts."""

    centers: Array  # (R, K, p): centres theta
    weights: Array | None  # (R, p): feature weights omega; None if all are 1

    def take(self, starts: Any) -> State:
        """Some of the starts."""
        return State(self.centers[starts], None if self.weights is None else self.weights[starts])


class PowerStep(NamedTuple):
    """Sums over the rows under the weights phi of one step."""

    sums: Array  # (R, K, p + 1) float64: weighted sums of x and of 1
    squares: Array  # (R, K, p) or (R, K, 0) float64: weighted sums of x^2, where features are weighted
    criterion: Array  # (R,) float64: criterion at the centres and the power that led to them

    def take(self, starts: Any) -> PowerStep:
        """Some of the starts."""
        return PowerStep(self.sums[starts], self.squares[starts], self.criterion[starts])


class Piece(NamedTuple):
    """A few rows and their distances."""

    Z: Array  # (rows, p + 1): centred rows, ones last
    squares: Array  # (rows, p) or (rows, 0): x^2, where features are weighted
    D: Array  # (R, K, rows): squared distances
    mass: Array | None  # (rows,): numbers of repetitions of the rows


@dataclass(frozen=True, slots=True)
class Distances:
    """Squared distances of rows from the centres of all starts."""

    scaling: Scaling  # The map to centred coordinates
    state: State  # Centres and feature weights
    # (R K, p + 1): times a centred row, ones last: its squared distances without its own squared length
    coefficients: Array

    @classmethod
    def of(cls, problem: PowerProblem, state: State) -> Distances:
        """The distances at some parameters."""
        weights = 1.0 if state.weights is None else state.weights[:, None]
        # sum omega (x - theta)^2 = sum omega x^2 - 2 (omega theta)'x + sum omega theta^2.
        weighted = weights * state.centers.astype(np.float64)
        constants = (weighted * state.centers).sum(axis=2, keepdims=True)
        coefficients = np.concatenate([-2 * weighted, constants], axis=2).astype(problem.dtype)
        return cls(problem.scaling, state, coefficients.reshape(-1, coefficients.shape[2]))

    def pieces(self, X: Array, weights: Array | None) -> Iterator[Piece]:
        """The rows of a block, a few at a time, by matrix products, or differences where D is small."""
        n_starts, n_clusters, p = self.state.centers.shape
        omega = None if self.state.weights is None else self.state.weights.astype(X.dtype)
        size = max(32, min(CHUNK_ENTRIES // len(self.coefficients), ROW_ENTRIES // p))
        for rows, Z in self.scaling.pieces(X, size):
            x = Z[:, :p]
            squares = np.square(x) if omega is not None else x[:, :0]
            norms = np.einsum("ij,ij->i", x, x)[None] if omega is None else omega @ squares.T
            D = (self.coefficients @ Z.T).reshape(n_starts, n_clusters, -1)
            D += norms[:, None]
            repair(D, norms, x, self.state)
            yield Piece(Z, squares, D, None if weights is None else weights[rows])


@dataclass(frozen=True, slots=True)
class Softening:
    """Sums of a block under the weights at power s, and the criterion at power `s_criterion`."""

    distances: Distances
    s: float
    s_criterion: float
    ridge: float

    def __call__(self, X: Array, labels: None, weights: Array | None) -> PowerStep:
        """The sums, without the factor of the criterion that all rows share."""
        n_starts, n_clusters, p = self.distances.state.centers.shape
        n_squares = 0 if self.distances.state.weights is None else p
        sums, squares = np.zeros((n_starts * n_clusters, p + 1)), np.zeros((n_starts * n_clusters, n_squares))
        criterion = np.zeros(n_starts)
        for piece in self.distances.pieces(X, weights):
            closest, ratio, logs = relative(piece.D)
            phi, total = soft_weights(piece.D, ratio, logs, self.s, piece.mass, self.ridge)
            flat = phi.reshape(len(sums), -1)
            sums += flat @ piece.Z
            squares += flat @ piece.squares
            # The criterion is that of the power that led to these centres, and not of the next step.
            if self.s_criterion != self.s:
                total = np.exp(-self.s_criterion * logs).sum(axis=1)
            means = closest * total.astype(np.float64) ** (1 / self.s_criterion)
            criterion += means.sum(axis=1) if piece.mass is None else means @ piece.mass
        shape = n_starts, n_clusters, -1
        return PowerStep(sums.reshape(shape), squares.reshape((*shape[:2], n_squares)), criterion)


def soft_step(problem: PowerProblem, state: State, s: float, s_criterion: float) -> PowerStep:
    """Sums under the weights at power s, and the criterion at power `s_criterion`, in one pass."""
    work = Softening(Distances.of(problem, state), s, s_criterion, problem.ridge)
    found: PowerStep = problem.source.over(work, added_fields)
    # M_s = K^(-1/s) S^(1/s) min D: the first factor is the same for all rows.
    factor = state.centers.shape[1] ** (-1 / s_criterion)
    return found._replace(criterion=found.criterion * factor + entropy_term(problem, state))


def entropy_term(problem: PowerProblem, state: State) -> Array:
    """gamma sum_l omega_l log omega_l, shape (R,)."""
    if state.weights is None:
        return np.zeros(len(state.centers))
    terms: Array = problem.gamma * xlogy(state.weights, state.weights).sum(axis=1)
    return terms


def repair(D: Array, norms: Array, X: Array, state: State) -> None:
    """Replace small D, which have lost a third of their digits, by sums of squared differences."""
    # D from the difference of numbers of the size of `norms` has an error of eps times these.
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
    """The smallest D of every row, (R, rows), and r = min_l D_l / D and log r, both (R, K, rows)."""
    floor = np.finfo(D.dtype).tiny
    closest = D.min(axis=1)
    with np.errstate(divide="ignore", under="ignore"):
        # The smallest normal number stands for 0, so that a row on a centre has the ratio 1 and not 0 / 0.
        ratio = np.maximum(closest, floor)[:, None] / np.maximum(D, floor)
        return closest, ratio, np.log(ratio)


def soft_weights(
    D: Array, ratio: Array, logs: Array, s: float, mass: Array | None = None, ridge: float = 0.0
) -> tuple[Array, Array]:
    """phi = r^(1 - s) S^(1/s - 1) times `mass`, (R, K, rows), and S = sum_l r_l^-s, (R, rows)."""
    with np.errstate(under="ignore"):
        phi = np.exp(-s * logs)
        total = phi.sum(axis=1)
        phi *= ratio
        factor = total ** (1 / s - 1)
        if mass is not None:
            factor *= mass
        phi *= factor[:, None]
    if ridge:
        # As the released code does it: the ridge is added to the distances and to the sum of their powers.
        powers = np.logaddexp(logsumexp(s * np.log(D), axis=1, keepdims=True), np.log(ridge))
        phi = np.exp((s - 1) * np.log(D + ridge) + (1 / s - 1) * powers)
    return phi, total

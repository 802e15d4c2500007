"""Power k-means: k-means as the limit of criteria with power means of the distances, for all starts at once.

The power mean of K numbers is M_s(y) = (sum_j y_j^s / K)^(1/s), and tends to their minimum for s -> -inf.
With D_ij = ||x_i - theta_j||^2, the criterion f_s = sum_i M_s(D_i1, ..., D_iK) is smooth at moderate s and
that of k-means in the limit. A step of majorisation and minimisation at fixed s is

    phi_ij = D_ij^(s - 1) (sum_l D_il^s)^(1/s - 1),   theta_j = sum_i phi_ij x_i / sum_i phi_ij,

and s falls between steps. With r_ij = min_l D_il / D_ij and S_i = sum_j r_ij^(-s), which lies in [1, K],
phi_ij = r_ij^(1 - s) S_i^(1/s - 1) and M_s = K^(-1/s) S_i^(1/s) min_l D_il: nothing overflows. Terms that
underflow are negligible, except if a centre is nearest to no row: its weights are then computed relative to
the largest of them.

The entropy-weighted form learns feature weights omega (one set, non-negative, sum 1): D_ij = sum_l omega_l
(x_il - theta_jl)^2, and gamma sum_l omega_l log omega_l is added to the criterion.

Sources: Xu and Lange (2019), "Power k-means clustering", ICML, PMLR 97, 6921-6931; Chakraborty, Paul, Das and
Xu (2020), "Entropy weighted power k-means clustering", AISTATS, PMLR 108, 691-701.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparsek.core.steps import Array
from sparsek.core.weights import softmax
from sparsek.methods.power.one_pass import PowerProblem, PowerStep, State, entropy_term, soft_step
from sparsek.methods.power.passes import exact_scatter, remote_center

LAST_STEP = -120.0
"""Power at which the released code stops lowering it."""
LOWEST_POWER = -1e12
"""Lower powers change nothing: even distances that differ only by rounding then have power ratio 0."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Rule by which the power falls, and stopping rule of a start."""

    s0: float  # First power, negative
    eta: float  # Factor of the power, above 1
    # ``lower(s, eta)`` is the next power; called after every second step
    lower: Callable[[float, float], float]
    tol: float  # Tolerance of the stopping rule
    # Stop when the L1 norms of the columns of the change of the centres (clusters x features) are all below
    # `tol`; else when the criterion falls by at most tol sqrt(p) times its value and s <= -sqrt(p), or -120
    by_movement: bool


def lower_in_steps(s: float, eta: float) -> float:
    """Lower the power by 0.2 down to -1, then by the factor eta down to -120."""
    if s > -1:
        return s - 0.2
    return s * eta if s > LAST_STEP else s


def lower_by_factor(s: float, eta: float) -> float:
    """Lower the power by the factor eta."""
    return max(s * eta, LOWEST_POWER)


SCHEDULES = {
    "authors": Schedule(-3.0, 1.06, lower_in_steps, 1e-7, False),
    "geometric": Schedule(-1.0, 1.04, lower_by_factor, 1e-3, True),
}
"""Schedules of the software released by the authors of the two papers."""


@dataclass(frozen=True, slots=True)
class PowerFit:
    """Result of one start."""

    centers: Array  # (K, p): last centres
    weights: Array | None  # (p,): last feature weights
    power: float  # Power s after the last step
    history: tuple[float, ...]  # Criterion after each step, at the power of that step; never increasing
    converged: bool  # Whether the stopping rule was met within `max_iter`

    @property
    def criterion(self) -> float:
        """Criterion after the last step."""
        return self.history[-1]


def power_kmeans(problem: PowerProblem, centers: Array, schedule: Schedule, max_iter: int) -> list[PowerFit]:
    """Run all starts from given centres.

    Shapes: centers (R, K, p).
    """
    n_starts, p = len(centers), problem.n_features
    weights = None if problem.gamma == 0 else np.full((n_starts, p), 1 / p)
    state, s = State(centers, weights), max(schedule.s0, LOWEST_POWER)
    running = np.arange(n_starts)
    fits: dict[int, PowerFit] = {}
    step = soft_step(problem, state, s, s)
    criteria = step.criterion[None]
    for n_iter in range(1, max_iter + 1):
        new = updated(problem, state, step, s)
        # The power falls after every second step, as in the released code.
        used, s = s, s if n_iter % 2 else schedule.lower(s, schedule.eta)
        # One pass gives the weights for the next step and the criterion of this one, at its own power.
        step = soft_step(problem, new, s, used)
        criteria = np.vstack([criteria, step.criterion])
        done = has_settled(problem, schedule, state, new, criteria, s)
        for i in np.flatnonzero(done | (n_iter == max_iter)):
            row = new.take(i)
            history = tuple(criteria[1:, i].tolist())
            fits[int(running[i])] = PowerFit(row.centers, row.weights, s, history, bool(done[i]))
        if done.all():
            break
        if done.any():
            left = np.flatnonzero(~done)
            running, criteria, new, step = running[left], criteria[:, left], new.take(left), step.take(left)
        state = new
    return [fits[i] for i in range(n_starts)]


def has_settled(
    problem: PowerProblem, schedule: Schedule, old: State, new: State, criteria: Array, s: float
) -> Array:
    """Mask of the starts that end, shape (R,)."""
    eps = float(np.finfo(problem.dtype).eps)
    if schedule.by_movement:
        # Movements below the rounding of centres as large as max|x| do not count.
        known = 8 * eps * problem.reach * new.centers.shape[1]
        movement = np.abs(new.centers - old.centers).sum(axis=1).max(axis=1)
        settled: Array = movement < max(schedule.tol, known)
        return settled
    root = np.sqrt(problem.n_features)
    # Sum of the absolute values of the criterion's terms; the entropy term is negative.
    size = criteria[-2] - 2 * entropy_term(problem, old)
    small = criteria[-2] - criteria[-1] <= max(schedule.tol * root, 8 * eps) * size
    settled = small & (s <= max(-root, LAST_STEP))
    return settled


def updated(problem: PowerProblem, state: State, step: PowerStep, s: float) -> State:
    """Centres, and feature weights given these, that minimise the majorising function at power s."""
    p = problem.n_features
    counts = step.sums[:, :, -1:]
    # A centre whose weights nearly underflow would be the quotient of two numbers without digits.
    unseen = counts < np.sqrt(np.finfo(problem.dtype).tiny)
    centers = step.sums[:, :, :p] / np.where(unseen, 1, counts)
    for start, cluster in np.argwhere(unseen[:, :, 0]):
        centers[start, cluster] = remote_center(problem, state.take([start]), cluster, s)
    weights = None
    if problem.gamma > 0:
        S = scatter(problem, state, step, centers, s)
        # phi leaves out the factor K^(-1/s) of the power mean, so that gamma is divided by it.
        factor = 1.0 if problem.ridge else centers.shape[1] ** (1 / s)
        weights = softmax(S, problem.gamma * factor)
    return State(centers.astype(problem.dtype), weights)


def scatter(problem: PowerProblem, state: State, step: PowerStep, centers: Array, s: float) -> Array:
    """S_l = sum_ij phi_ij (x_il - theta_jl)^2 about the new centres, shape (R, p).

    S comes from sums of squares, or from differences if the sums would lose more than a third of the digits
    of S (or of gamma: an S far below gamma hardly changes a weight).
    """
    p = problem.n_features
    first, squares, counts = step.sums[:, :, :p], step.squares, step.sums[:, :, -1:]
    # sum phi (x - theta)^2, expanded; only rounding brings it below 0.
    S: Array = np.maximum((squares - 2 * centers * first + counts * centers**2).sum(axis=1), 0)
    eps = float(np.finfo(problem.dtype).eps)
    # Differences of size S from sums of size Q have an error of eps Q, a third of the digits of S at most.
    needed = np.maximum(S, problem.gamma) * eps ** (2 / 3)
    for start in np.flatnonzero((4 * eps * squares.sum(axis=1) > needed).any(axis=1)):
        S[start] = exact_scatter(problem, state.take([start]), centers[start], s)
    return S

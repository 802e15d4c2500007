"""Entropy-weighted k-means with the arithmetic, the restarts and the counters of R's ``wskm::ewkm``.

Source: Jing, Ng & Huang (2007), An entropy weighting k-means algorithm for subspace clustering of
high-dimensional sparse data, IEEE Transactions on Knowledge and Data Engineering 19(8), 1026-1041.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.inputs.threads import thread_control
from sparsek.rcompat.wskm.steps import Steps, choose_steps, one_group
from sparsek.rng import RRandom

SMALLEST_WEIGHT = 1e-4
"""Smallest weight times p, before the weights are scaled to sum 1."""
LARGEST_FLOAT = float(np.finfo(np.float32).max)
MOST_RESTARTS = 10_000
"""Largest number of restarts that all fail; R goes on for ever, or up to its limit."""


@dataclass(frozen=True, slots=True)
class EntropyFit:
    """A run of ewkm."""

    labels: IntArray  # Clusters from 0
    # centers, weights: (k, p): centres in the unit of the data and feature weights (dimensionless), empty
    # clusters included
    centers: FloatArray
    weights: FloatArray
    # n_iter, total_iter, n_restarts: counters as R reports them; ``n_iter`` is -1 when the last restart
    # stopped at once
    n_iter: int
    total_iter: int
    n_restarts: int


def run_ewkm(
    x: FloatArray,
    centers: int | FloatArray,
    *,
    gamma: float,
    max_iter: int,
    tol: float,
    max_restarts: int,
    rng: RRandom,
) -> EntropyFit:
    """Minimise ``sum_l sum_{i in l} sum_j w_lj (x_ij - c_lj)^2 + gamma sum_lj w_lj log w_lj``.

    Shapes: x (n, p), centers (k, p).

    Raises ValueError when R would search without end: at least as many clusters as rows, or restarts without
    end.
    """
    with thread_control().limit(limits=1), np.errstate(all="ignore"):
        c = random_centers(x, centers, rng) if isinstance(centers, int) else centers
        return _iterate(x, c, gamma, max_iter, tol, max_restarts, rng)


def _iterate(
    x: FloatArray, c: FloatArray, gamma: float, max_iter: int, tol: float, max_restarts: int, rng: RRandom
) -> EntropyFit:
    """Run `run_ewkm` from given centres."""
    k, p = c.shape
    steps, first, even = choose_steps(x, k), np.zeros(len(x), dtype=np.int64), np.ones((k, p))
    weights, labels, features = even / p, first, one_group(p)
    cost, n_iter, total_iter, n_restarts = LARGEST_FLOAT, 0, 0, 0
    while True:
        n_iter += 1
        if n_iter > max_iter:
            break
        labels = steps.assign(c, weights, first)
        c, full = steps.means(labels, k)
        if not full and n_restarts != max_restarts:
            n_restarts += 1
            total_iter, n_iter = total_iter + n_iter, 0
            refuse_endless(n_restarts, max_restarts, k)
            c = random_centers(x, k, rng)
        steps.set_partition(labels, c)
        weights = steps.shares(steps.dispersions(even), gamma, features, SMALLEST_WEIGHT / p)
        old, cost = cost, _cost(steps, weights, gamma)
        if np.float64(abs(np.float32(old - cost))) / cost < tol:
            break
    total_iter += n_iter - (n_iter == max_iter + 1)
    return EntropyFit(labels, c, weights, n_iter - 1, total_iter, n_restarts)


def random_centers(x: FloatArray, k: int, rng: RRandom) -> FloatArray:
    """Distinct rows of x (never the last one); a row that was drawn before is drawn again."""
    n = len(x)
    require_rows(k, n)
    rows: list[int] = []
    while len(rows) < k:
        for row in ((n - 1) * rng.runif(k - len(rows))).astype(int).tolist():
            if row not in rows:
                rows.append(row)
    return x[rows]


def require_rows(k: int, n: int) -> None:
    """Refuse more starting rows than R can draw."""
    if k > max(n - 1, 1):
        raise ValueError(
            f"centers must be at most {max(n - 1, 1)} for x with {n} rows; got {k}: the starting rows "
            "are drawn from all but the last one, and R searches for ever"
        )


def refuse_endless(n_restarts: int, max_restarts: int, k: int) -> None:
    """ValueError when more than `MOST_RESTARTS` starts left a cluster empty; a negative limit is none."""
    if n_restarts > MOST_RESTARTS:
        limit = "for ever" if max_restarts < 0 else f"up to maxrestart = {max_restarts}"
        raise ValueError(
            f"none of {MOST_RESTARTS} starts filled {k} clusters, and R goes on {limit}: "
            f"use fewer centers, or maxrestart from 0 to {MOST_RESTARTS}"
        )


def _cost(steps: Steps, weights: FloatArray, gamma: float) -> float:
    """The objective, computed in single precision."""
    entropy = steps.float_sum(steps.entropy_terms(weights).T)
    return float(np.float32(steps.float_total(weights) + gamma * entropy))

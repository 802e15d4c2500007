"""K-means with weights of features and feature groups, in the arithmetic of R's ``wskm::fgkm``, ``twkm``.

Sources: Chen, Ye, Xu & Huang (2012), A feature group weighting method for subspace clustering of
high-dimensional data, Pattern Recognition 45(1), 434-446 (a set of weights per cluster); Chen, Xu, Huang & Ye
(2013), TW-k-means: automated two-level variable weighting clustering algorithm for multiview data, IEEE
Transactions on Knowledge and Data Engineering 25(4), 932-944 (one set for all clusters).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.inputs.threads import thread_control
from sparsek.rcompat.base.data import require_entries
from sparsek.rcompat.wskm.entropy_kmeans import (
    random_centers,
    refuse_endless,
    require_rows,
)
from sparsek.rcompat.wskm.steps import (
    Steps,
    choose_steps,
    left_to_right,
    make_groups,
    one_group,
)
from sparsek.rng import RRandom

SMALLEST_WEIGHT = 1e-5
"""Smallest weight times the number of weights, before they are scaled to sum 1."""
LARGEST = 1.79769e308


@dataclass(frozen=True, slots=True)
class GroupPenalty:
    """Groups of features and penalties on uneven weights."""

    groups: IntArray  # Group of every feature, from 0
    n_groups: int  # Number of groups; a group may be empty
    # gamma, eta: weights of the entropies of the group weights (R's ``lambda``) and of the feature weights,
    # in squared units of the data
    gamma: float
    eta: float
    per_cluster: bool  # Whether every cluster has weights of its own (fgkm) or all share one set (twkm)


@dataclass(frozen=True, slots=True)
class GroupFit:
    """A run of fgkm or twkm; m is the number of sets of weights: k or 1."""

    labels: IntArray  # Clusters from 0
    centers: FloatArray  # (k, p): centres in the unit of the data
    feature_weights: FloatArray  # (m, p): weights of the features (dimensionless)
    group_weights: FloatArray  # (m, G): weights of the groups (dimensionless)
    finished: bool  # False when every start left a cluster empty
    n_iter: int  # n_iter, total_iter, n_restarts: counters as R reports them
    total_iter: int
    n_restarts: int


def run_fgkm(
    x: FloatArray,
    centers: int | FloatArray,
    penalty: GroupPenalty,
    *,
    max_iter: int,
    tol: float,
    max_restarts: int,
    rng: RRandom,
) -> GroupFit:
    """Minimise ``sum gw fw (x - c)^2 + gamma sum gw log gw + eta sum fw log fw``.

    Shapes: x (n, p), centers (k, p).

    Raises ValueError when R would search without end: at least as many clusters as rows, no iteration
    allowed, or more than `MOST_RESTARTS` starts that leave a cluster empty.
    """
    if max_iter < 1 and max_restarts > 0:
        raise ValueError(f"maxiter must be at least 1; got {max_iter}: R starts over for ever")
    if isinstance(centers, int):
        if max_restarts > 0:
            require_rows(centers, len(x))
        require_entries("the weights", centers, x.shape[1])
    k, p = (centers, x.shape[1]) if isinstance(centers, int) else centers.shape
    m = k if penalty.per_cluster else 1
    weights = np.zeros((m, p)), np.zeros((m, penalty.n_groups))
    c = np.zeros((k, p)) if isinstance(centers, int) else centers
    fit = GroupFit(np.zeros(len(x), dtype=np.int64), c, *weights, False, 0, 0, 0)
    steps = choose_steps(x, k)
    with thread_control().limit(limits=1), np.errstate(all="ignore"):
        while fit.n_restarts < max_restarts and not fit.finished:
            if isinstance(centers, int):
                fit = replace(fit, centers=random_centers(x, k, rng))
            fit = _run_start(steps, fit, penalty, max_iter, tol)
            refuse_endless(fit.n_restarts, max_restarts, k)
    return fit


def _run_start(steps: Steps, fit: GroupFit, penalty: GroupPenalty, max_iter: int, tol: float) -> GroupFit:
    """Iterate from the centres and labels of a fit until convergence or an empty cluster.

    As in R, feature weights of a later cluster can be 0/0: the largest exponent of all clusters so far is
    subtracted.
    """
    groups, labels, c = penalty.groups, fit.labels, fit.centers
    features = np.tile(1 / np.bincount(groups)[groups], (len(fit.feature_weights), 1))
    group_weights = np.full(fit.group_weights.shape, 1 / penalty.n_groups)
    of_features, of_groups = make_groups(groups, penalty.n_groups), one_group(penalty.n_groups)
    smallest, smallest_of_groups = SMALLEST_WEIGHT / len(groups), SMALLEST_WEIGHT / penalty.n_groups
    n_iter, cost, finished = 0, LARGEST, False
    while not finished:
        n_iter += 1
        weights = group_weights[:, groups]
        labels = steps.assign(c, features * weights, labels)
        c, full = steps.means(labels, len(c))
        if not full:
            break
        steps.set_partition(labels, c)
        features = steps.shares(steps.dispersions(weights), penalty.eta, of_features, smallest, running=True)
        sums = steps.group_dispersions(features, of_features, penalty.per_cluster)
        group_weights = steps.shares(sums, penalty.gamma, of_groups, smallest_of_groups)
        old, cost = cost, _cost(steps, features, group_weights, penalty)
        finished = bool(abs(np.float64(old - cost) / old) <= tol) or n_iter == max_iter
    total_iter, n_restarts = fit.total_iter + n_iter, fit.n_restarts + (not finished)
    return GroupFit(labels, c, features, group_weights, finished, n_iter, total_iter, n_restarts)


def _cost(steps: Steps, features: FloatArray, group_weights: FloatArray, penalty: GroupPenalty) -> float:
    """The objective, every sum from left to right."""
    dispersion = steps.total(group_weights[:, penalty.groups] * features)
    sums = [left_to_right(steps.entropy_terms(a)) for a in (group_weights, features)]
    return dispersion + penalty.gamma * sums[0] + penalty.eta * sums[1]

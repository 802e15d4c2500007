"""MinMax k-means: clusters weighted so that the largest sum of distances shrinks.

Minimises max_k V_k, where V_k is the sum of the distances in cluster k. It is relaxed to sum_k w_k^alpha V_k
with weights w on the simplex and 0 <= alpha < 1. For given clusters w_k is proportional to V_k^(1 / (1 -
alpha)). alpha grows step by step from 0, where this is k-means.

`minmax` is the algorithm of Tzortzis and Likas (2014), on squared distances. `minmax_released` repeats the
code released with Dey, Das and Mallipeddi (2020), in its arithmetic: distances not squared, ten iterations,
and one stored partition to return to when a cluster loses all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.core.steps import Array, Labels, cluster_sums, squared_distances
from sparsek.methods.minmax.distances import Space
from sparsek.rng import RRandom
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows

MAX_STARTS = 100
"""Largest number of random starts; the released code has no limit."""
STEEP = 0.9
"""Above this alpha the weights are computed through logarithms, because powers of V overflow."""
AHEAD = 16
"""Number of iterations computed at once while labels stay and alpha has stopped growing."""
MARGIN = 1 + 1e-12
"""Safety factor, far above rounding, for the decision that labels stay."""


@dataclass(frozen=True, slots=True)
class MinMaxFit:
    """One start of MinMax k-means."""

    labels: Labels  # (n,) int32: clusters from 0
    centers: FloatArray  # (n_clusters, p): cluster means
    partition: Labels  # (n,) int32: the labels of which `centers` are the means
    weights: FloatArray  # (n_clusters,): cluster weights w, on the simplex
    alpha: float  # The exponent reached
    scatter: FloatArray  # (n_clusters,): V: sum of the distances in each cluster
    history: tuple[float, ...]  # The relaxed criterion of every iteration
    converged: bool  # Whether the change of the criterion fell below the tolerance
    # False if clusters were lost even at alpha = 0, so that there is no solution from this start
    solved: bool
    n_events: int  # Iterations in which a cluster was lost

    @property
    def criterion(self) -> float:
        """The largest V_k, which MinMax minimises."""
        return float(self.scatter.max())

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.history)


def weight_powers(scatter: FloatArray, alpha: float) -> FloatArray:
    """V_k^(1/(1-alpha)), scaled if it could overflow; all equal if every V is 0."""
    top = float(scatter.max())
    if top == 0:
        return np.ones(len(scatter))
    # w_k is proportional to V_k^(1 / (1 - alpha)), which minimises the relaxed criterion for given clusters.
    exponent = 1 / (1 - alpha)
    if alpha <= STEEP:
        # The weights depend on ratios alone; V of extreme size is divided by a power of two, which is exact.
        shift = 0 if 1e-30 < top < 1e30 else -math.frexp(top)[1]
        return np.array([elementary.power(v, exponent) for v in np.ldexp(scatter, shift).tolist()])
    shares = (scatter / top).tolist()
    return np.array([elementary.exp(exponent * elementary.log(v)) if v else 0.0 for v in shares])


def weight_factors(weights: FloatArray, alpha: float) -> FloatArray:
    """w_k^alpha, with the digits of R's C library; 0^0 = 1."""
    return np.array([elementary.power(w, alpha) for w in weights.tolist()])


def minmax_released(
    space: Space,
    start: Array,
    *,
    n_clusters: int,
    alpha_max: float = 0.5,
    alpha_step: float = 0.01,
    beta: float = 0.0,
    max_iter: int = 10,
    tol: float = 1e-4,
) -> MinMaxFit:
    """MinMax k-means as in the code released with the sparse MinMax paper.

    Shapes: start (n,) int32.
    """
    distances, centers_of = _first_distances(space, start, n_clusters)
    weights, alpha, growing, n_events = np.full(n_clusters, 1 / n_clusters), 0.0, True, 0
    scatter = np.zeros(n_clusters)
    stored: tuple[Labels, FloatArray] | None = None
    history: list[float] = []
    converged, solved = False, True
    while solved and not converged and len(history) < max_iter:
        scores = distances * weight_factors(weights, alpha)[:, None]
        labels = partition = scores.argmin(axis=0).astype(np.int32)
        if not np.bincount(labels, minlength=n_clusters).all():
            # A lost cluster: alpha goes back by a step and grows no more.
            alpha, growing, n_events = alpha - alpha_step, False, n_events + 1
            solved = alpha >= 0 and stored is not None
            partition, weights = stored or (partition, weights)
        if not solved:
            alpha = 0.0
            history.append(math.nan)
            continue
        distances, centers_of = _next_distances(space, partition, n_clusters, distances, centers_of)
        if growing and alpha < alpha_max:
            stored = partition, weights
            alpha += alpha_step
        scatter = np.array([np.add.accumulate(d[partition == k])[-1] for k, d in enumerate(distances)])
        powers = weight_powers(scatter, alpha)
        weights = beta * weights + (1 - beta) * powers / np.add.accumulate(powers)[-1]
        history.append(float(weight_factors(weights, alpha) @ distances.sum(axis=1)))
        converged = len(history) > 1 and abs(history[-1] - history[-2]) <= tol
    centers = start if centers_of is None else space.means(centers_of, n_clusters)
    return MinMaxFit(
        labels, centers, partition, weights, alpha, scatter, tuple(history), converged, solved, n_events
    )


def _first_distances(space: Space, start: Array, n_clusters: int) -> tuple[FloatArray, Labels | None]:
    """Distances to the starting centres; if labels are given, also the partition whose means they are."""
    if start.ndim == 2:
        return space.to_centers(start), None
    return space.to_means(start, n_clusters), start.astype(np.int32)


def _next_distances(
    space: Space, labels: Labels, n_clusters: int, distances: FloatArray, centers_of: Labels | None
) -> tuple[FloatArray, Labels]:
    """Distances to the means of a partition; the known ones if the partition is unchanged."""
    if centers_of is labels or (centers_of is not None and np.array_equal(centers_of, labels)):
        return distances, labels
    return space.to_means(labels, n_clusters), labels


def draw_released(space: Space, n_clusters: int, n_rows: int, rng: RRandom, **options: Any) -> MinMaxFit:
    """`minmax_released` from distinct random rows, drawn until it is solved, at most `MAX_STARTS` times."""
    for _ in range(MAX_STARTS):
        start = space.rows(rng.sample_int(n_rows, n_clusters) - 1)
        fit = minmax_released(space, start, n_clusters=n_clusters, **options)
        if fit.solved:
            return fit
    return plain_kmeans(space.prepared, fit.labels, n_clusters)


def plain_kmeans(X: Array, labels: Labels, n_clusters: int) -> MinMaxFit:
    """K-means on prepared rows (MinMax at alpha = 0), for data on which no start is solved."""
    found = lloyd(array_rows(X, labels, n_clusters))
    centers = cluster_sums(X, found.labels, n_clusters).means
    own = squared_distances(X, found.labels, centers)
    scatter = np.bincount(found.labels, own, n_clusters).astype(np.float64)
    powers = weight_powers(scatter, 0.0)
    weights = powers / powers.sum()
    total = float(scatter.sum())
    return MinMaxFit(found.labels, centers, found.labels, weights, 0.0, scatter, (total,), True, False, 0)


def minmax(
    space: Space,
    start: Array,
    *,
    n_clusters: int,
    alpha_init: float = 0.0,
    alpha_max: float = 0.5,
    alpha_step: float = 0.01,
    beta: float = 0.3,
    max_iter: int = 500,
    tol: float = 1e-6,
) -> MinMaxFit:
    """MinMax k-means of Tzortzis and Likas (2014) from labels or centres.

    Shapes: start (n,) int32.
    """
    distances, partition = _first_distances(space, start, n_clusters)
    weights = np.full(n_clusters, 1 / n_clusters)
    # 1e-9 keeps a quotient such as 0.14 / 0.01, which rounding lifts above 14, from giving 15 steps.
    top = math.ceil((alpha_max - alpha_init) / alpha_step - 1e-9) if alpha_step > 0 else 0
    level, growing, alpha, n_events = 0, top > 0, alpha_init, 0
    stack: list[tuple[Labels, FloatArray]] = []
    history: list[float] = []
    cycle = _Cycle()
    ahead: list[tuple[FloatArray, float | None]] = []
    value: float | None = None
    while True:
        if value is None:
            labels, scatter, value = _assign(distances, weight_factors(weights, alpha))
        history.append(value)
        settled = partition is not None and (labels is partition or np.array_equal(labels, partition))
        converged = cycle.ended(labels, value, float(scatter.max()), growing, settled, tol)
        solved = not math.isnan(value)
        if not solved:
            # A lost cluster: alpha goes back by a step and grows no more.
            level, growing, n_events = level - 1, False, n_events + 1
            solved = level >= 0 and n_events <= len(stack)
            if solved:
                labels, weights = stack[-n_events]
        if converged or not solved or len(history) == max_iter:
            break
        if growing:
            stack.append((labels, weights))
            level += 1
            growing = level < top
        alpha = min(alpha_init + level * alpha_step, alpha_max)
        known = distances
        distances, partition = _next_distances(space, labels, n_clusters, known, partition)
        if distances is not known or math.isnan(value):
            scatter = _scatter(distances, labels)
            ahead = [(_coming_weights(scatter, np.array([alpha]), weights, beta)[0], None)]
        # With V as it is, the weights of the coming iterations are known.
        elif not ahead:
            last = top if growing else level
            levels = np.minimum(np.arange(level, last + AHEAD), last)
            alphas = np.minimum(alpha_init + levels * alpha_step, alpha_max)
            coming = _coming_weights(scatter, alphas, weights, beta)
            ahead = _look_ahead(distances, labels, scatter, coming, alphas)
        weights, value = ahead.pop()
    if solved and not settled:  # a cycle, or the last iteration allowed
        scatter = _scatter(space.to_means(labels, n_clusters), labels)
    centers = space.means(labels, n_clusters)
    return MinMaxFit(
        labels, centers, labels, weights, alpha, scatter, tuple(history), converged, solved, n_events
    )


def _assign(distances: FloatArray, factors: FloatArray) -> tuple[Labels, FloatArray, float]:
    """Labels, V and the criterion, which is NaN if a cluster has no more than one row."""
    labels = (distances * factors[:, None]).argmin(axis=0).astype(np.int32)
    scatter = _scatter(distances, labels)
    kept = np.bincount(labels, minlength=len(distances)).min() > 1
    return labels, scatter, float(factors @ scatter) if kept else math.nan


def _scatter(distances: FloatArray, labels: Labels) -> FloatArray:
    """V: sums of the distances of the rows to the centres of their clusters."""
    own = distances[labels, np.arange(len(labels))]
    return np.bincount(labels, own, len(distances)).astype(np.float64)


def _look_ahead(
    distances: FloatArray, labels: Labels, scatter: FloatArray, coming: FloatArray, alphas: FloatArray
) -> list[tuple[FloatArray, float | None]]:
    """Weights of the next iterations, the last first, each with its criterion.

    All but the latest surely keep the labels; if the latest may change one, its criterion is None.
    """
    factors = coming ** alphas[:, None]
    with np.errstate(invalid="ignore"):  # infinity times 0
        # The enlarged factors make the answer safe: rounding can only say too seldom that labels stay.
        stay = _limits(distances, labels) * (factors * MARGIN)[:, None, :] < factors[:, :, None]
    # Labels are only known as long as those of every iteration before are.
    certain = np.logical_and.accumulate(stay.all(axis=(1, 2)))
    values = [
        value if known else None for value, known in zip((factors @ scatter).tolist(), certain, strict=True)
    ]
    return list(zip(coming, values, strict=True))[np.count_nonzero(certain) :: -1]


def _coming_weights(scatter: FloatArray, alphas: FloatArray, weights: FloatArray, beta: float) -> FloatArray:
    """Weights that follow `weights` for a sequence of alphas and unchanged V: (n_alphas, n_clusters)."""
    top = scatter.max()
    # The weights depend on ratios of V alone, and powers of numbers up to 1 cannot overflow.
    relative = scatter / top if top > 0 else np.ones_like(scatter)
    coming: FloatArray = relative ** (1 / (1 - alphas))[:, None]
    coming /= coming.sum(axis=1, keepdims=True)
    if beta:
        for row in coming:
            row *= 1 - beta
            row += beta * weights
            weights = row
    return coming


def _limits(distances: FloatArray, labels: Labels) -> FloatArray:
    """Entry (l, k): the largest d_ik / d_il over rows i of cluster k, 0 on the diagonal; no cluster is empty.

    Labels stay while w_l^alpha is larger than entry (l, k) times w_k^alpha for all l and k.
    """
    # Rows of one cluster are neighbours now, so that one `reduceat` gives the limits of all clusters.
    order = np.argsort(labels, kind="stable")
    ordered = distances[:, order]
    with np.errstate(divide="ignore", invalid="ignore"):  # a row at a centre: no limit
        ratios = ordered[labels[order], np.arange(len(labels))] / ordered
    firsts = np.searchsorted(labels[order], np.arange(len(distances)))
    limits: FloatArray = np.maximum.reduceat(ratios, firsts, axis=1)
    np.fill_diagonal(limits, 0)
    return limits


class _Cycle:
    """Detects that the iterations have settled, at one partition or in a cycle of partitions."""

    def __init__(self) -> None:
        self._seen: dict[bytes, list[int]] = {}
        self._values: list[float] = []
        self._largest: list[float] = []
        self._last: int | None = None

    def ended(
        self, labels: Labels, value: float, largest: float, growing: bool, settled: bool, tol: float
    ) -> bool:
        """Whether to stop here: neither labels nor criterion changed, or this is the best one of a cycle.

        The criterion is NaN after a lost cluster. The iterations never end at NaN or at the value after it.
        """
        t = len(self._values)
        self._values.append(value)
        self._largest.append(largest)
        if t > 0 and settled and _close(value, self._values[-2], tol):
            return True
        if growing or math.isnan(value):
            return False
        if self._last is None:
            earlier = self._seen.setdefault(labels.tobytes(), [])
            since = next((u for u in earlier[::-1] if _close(value, self._values[u], tol)), t)
            earlier.append(t)
            if since == t or np.isnan(self._values[since:]).any():
                return False
            # The cycle repeats, so that its best iteration comes again so many iterations from now.
            self._last = t + int(np.argmin(self._largest[since:t]))
        return t >= self._last


def _close(new: float, old: float, tol: float) -> bool:
    """Whether the change is small relative to the old value; False for NaN."""
    return new == old or (old > 0 and abs(1 - new / old) < tol)

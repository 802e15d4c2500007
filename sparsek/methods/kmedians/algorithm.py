"""Geometric k-medians: centres minimise sums of distances; all rows at once or row by row.

Sources: Weiszfeld (1937), Tohoku Mathematical Journal 43, 355-386; Vardi & Zhang (2000), PNAS 97, 1423-1426,
the correction if an iterate equals a row; Cardot, Cenac & Monnez (2012), Computational Statistics & Data
Analysis 56, 1434-1449, the averaged recursive algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import (
    Array,
    FitResult,
    Labels,
    alternate,
    cluster_sums,
    hand_out_farthest,
    nearest_center,
    nonzero,
    squared_distances,
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GeometricMedians:
    """Centres of one iteration."""

    centers: Array  # (n_clusters, p): in the coordinates of the prepared data
    criterion: float  # Weighted sum of the distances of the rows to the centres of their clusters
    # Largest movement of a centre in this iteration, divided by the median distance of the rows to their
    # centres (the mean distance if the median is 0)
    shift: float = 0.0
    n_steps: int = 0  # Iterations so far


def kmedians(
    X: Array,
    labels: Labels,
    n_clusters: int,
    weights: Array | None = None,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> FitResult[GeometricMedians]:
    """Alternate one Weiszfeld step of every cluster with the assignment to the nearest centre.

    Shapes: X (n, p + 1), labels (n,) int32, weights (n,).
    """
    mass = np.ones(len(X), X.dtype) if weights is None else weights

    def settled(
        old: Labels, new: Labels, params: GeometricMedians, previous: GeometricMedians | None
    ) -> bool:
        return np.array_equal(old, new) and params.shift <= tol

    update = partial(_step, n_clusters=n_clusters, weights=mass)
    run = alternate(X, labels, update, _assign, settled, max_iter)
    centers = _to_rows(X, run.labels, run.params.centers, mass)
    labels = nearest_center(X, centers)
    criterion = min(float(cluster_distances(X, labels, centers, mass).sum()), run.criterion)
    return FitResult(
        labels, GeometricMedians(centers, criterion), (*run.history[:-1], criterion), run.converged
    )


def cluster_distances(X: Array, labels: Labels, centers: Array, weights: Array) -> FloatArray:
    """Weighted sum of the distances of each cluster's rows to its centre: (n_clusters,)."""
    distances = np.sqrt(squared_distances(X, labels, centers)) * weights
    return np.asarray(np.bincount(labels, distances, len(centers)), dtype=np.float64)


def _step(
    X: Array, labels: Labels, previous: GeometricMedians | None, *, n_clusters: int, weights: Array
) -> GeometricMedians:
    """One step of every cluster; a centre stays if rounding would increase its sum of distances.

    Steps become ever shorter if the median is a row, so after 1, 2, 4, ... steps each centre moves to its
    nearest row if that lowers the sum.
    """
    old = cluster_means(X, labels, n_clusters, weights) if previous is None else previous.centers
    n_steps = 1 if previous is None else previous.n_steps + 1
    new = vardi_zhang_step(X, labels, old, weights)
    # This holds for powers of two alone.
    if n_steps & (n_steps - 1) == 0:
        new = _to_rows(X, labels, new, weights)
    before, after = (cluster_distances(X, labels, centers, weights) for centers in (old, new))
    better = after < before
    new = np.where(better[:, None], new, old)
    shift = float(np.sqrt(np.square(new - old).sum(axis=1)).max())
    if shift > 0:
        distances = np.sqrt(squared_distances(X, labels, new))
        # In units of the distances, so that the tolerance depends on no unit of X.
        shift /= float(np.median(distances) or distances.mean() or 1)
    return GeometricMedians(new, float(np.minimum(before, after).sum()), shift, n_steps)


def cluster_means(X: Array, labels: Labels, n_clusters: int, weights: Array) -> Array:
    """Weighted means of the clusters, 0 for an empty one."""
    sums = cluster_sums(X, labels, n_clusters, weights).sums
    return sums[:, :-1] / nonzero(sums[:, -1])[:, None]


def vardi_zhang_step(X: Array, labels: Labels, centers: Array, weights: Array) -> Array:
    """Weiszfeld's step with the correction for rows at the centre (Vardi & Zhang 2000).

    Shapes: X (n, p + 1), labels (n,) int32, centers (n_clusters, p), weights (n,); returns (n_clusters, p).
    """
    distances = np.sqrt(squared_distances(X, labels, centers))
    # A row at the centre has no direction; Vardi and Zhang (2000) count its weight apart.
    met = distances <= _noise(X)
    inverse = np.divide(weights, distances, out=np.zeros_like(distances), where=~met)
    sums = cluster_sums(X, labels, len(centers), inverse).sums
    targets = sums[:, :-1] / nonzero(sums[:, -1])[:, None]
    # The length of the sum of unit vectors to the rows, with which these pull the centre away.
    pull = sums[:, -1] * np.sqrt(np.square(targets - centers).sum(axis=1))
    held = np.bincount(labels, weights * met, len(centers))
    # Where the weight of rows at the centre outweighs the pull of the others, the centre is the median.
    share = np.divide(held, pull, out=np.ones(len(centers)), where=pull > held)
    share[held == 0] = 0.0
    share[sums[:, -1] == 0] = 1.0
    share = share.astype(X.dtype)[:, None]
    moved: Array = (1 - share) * targets + share * centers
    return moved


def _noise(X: Array) -> float:
    """Distance up to which a row counts as equal to a centre: rounding of the largest coordinate."""
    return float(4 * np.finfo(X.dtype).eps * np.abs(X[:, :-1]).max())


def _assign(X: Array, params: GeometricMedians, labels: Labels) -> Labels:
    """Nearest centres; a label changes only if the distance falls; an empty cluster takes a far row."""
    proposed = nearest_center(X, params.centers)
    changed = np.flatnonzero(proposed != labels)
    rows = X[changed]
    now, then = (squared_distances(rows, which[changed], params.centers) for which in (labels, proposed))
    proposed[changed[~(then < now)]] = labels[changed[~(then < now)]]
    counts = np.bincount(proposed, minlength=len(params.centers))
    if counts.all():
        return proposed
    noise = 64 * np.finfo(X.dtype).eps * np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    return hand_out_farthest(proposed, counts, squared_distances(X, proposed, params.centers), noise)


def _to_rows(X: Array, labels: Labels, centers: Array, weights: Array) -> Array:
    """Move each centre to its nearest row if that lowers its sum of distances (medians are often rows)."""
    distances = squared_distances(X, labels, centers)
    order = np.lexsort((distances, labels))
    found, first = np.unique(labels[order], return_index=True)
    rows = centers.copy()
    rows[found] = X[order[first], :-1]
    before, after = (cluster_distances(X, labels, which, weights) for which in (centers, rows))
    return np.where((after < before)[:, None], rows, centers)


@dataclass(slots=True)
class Recursion:
    """State of the recursive algorithm for several starts."""

    # centers, averages: (n_starts, n_clusters, p): iterates and their averages; the averages are the
    # estimates
    centers: Array
    averages: Array
    counts: NDArray[np.int64]  # (n_starts, n_clusters) int64: 1 + number of rows that have moved each centre
    gamma: FloatArray  # (n_starts,): length of the first step


def start_recursion(X: Array, starts: list[Labels], n_clusters: int, weights: Array | None) -> Recursion:
    """Start at the means of the starting clusters, with the mean distance to them as the first step length.

    Shapes: X (n, p + 1), starts (n,) int32, weights (n,).
    """
    mass = np.ones(len(X), X.dtype) if weights is None else weights
    centers = np.array([cluster_means(X, labels, n_clusters, mass) for labels in starts])
    sums = [cluster_distances(X, labels, c, mass).sum() for labels, c in zip(starts, centers, strict=True)]
    counts = np.ones(centers.shape[:2], dtype=np.int64)
    return Recursion(centers, centers.copy(), counts, np.array(sums) / mass.sum(dtype=np.float64))


def advance(state: Recursion, X: Array, order: NDArray[np.intp], alpha: float) -> None:
    """Let each row move its nearest centre, one row per start at a time.

    Row x moves its nearest centre m, which c - 1 rows have moved before, by gamma c^-alpha (x - m) / |x - m|
    (by 0 if x = m). The average of the iterates is updated with weight 1 / (c + 1).

    Shapes: X (n, p + 1), order (n_steps, n_starts).
    """
    centers, averages, counts = state.centers, state.averages, state.counts
    starts = np.arange(len(centers))
    gamma, noise = state.gamma.astype(X.dtype), _noise(X)
    lengths = (np.arange(1, counts.max() + len(order) + 1) ** -float(alpha)).astype(X.dtype)
    for rows in order:
        differences = X[rows, None, :-1] - centers
        squares = np.einsum("skp,skp->sk", differences, differences)
        j = squares.argmin(axis=1)
        distance = np.sqrt(squares[starts, j])
        c = counts[starts, j]
        step = gamma * lengths[c - 1]
        step = np.divide(step, distance, out=np.zeros_like(distance), where=distance > noise)
        moved = centers[starts, j] + step[:, None] * differences[starts, j]
        centers[starts, j] = moved
        counts[starts, j] = c + 1
        average = averages[starts, j]
        averages[starts, j] = average + (moved - average) / (c + 1).astype(X.dtype)[:, None]


def drawn_order(
    order: NDArray[np.intp], weights: Array | None, seeds: list[int], n_starts: int
) -> NDArray[np.intp]:
    """Rows drawn independently, each with probability proportional to its weight: (n_steps, n_starts).

    Shapes: order (n,), weights (n,); returns (n_steps, n_starts).
    """
    mass = np.ones(len(order)) if weights is None else weights[order].astype(np.float64)
    cumulative = np.cumsum(mass)
    n_steps = max(len(order), int(np.ceil(cumulative[-1])))
    uniforms = [np.random.default_rng([*seeds, start]).random(n_steps) for start in range(n_starts)]
    positions = np.searchsorted(cumulative, np.array(uniforms).T * cumulative[-1], side="right")
    # A uniform just below 1 may round to the total, above which there is no row.
    drawn: NDArray[np.intp] = order[np.minimum(positions, len(order) - 1)]
    return drawn

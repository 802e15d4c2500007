"""SKFR1 for all starts at once: the same steps as `sparsek.core.skfr`, stacked, for small data.

With few rows, the cost of a start is the number of array calls, not arithmetic. Stacking R starts makes one
call of R: R partitions are one of R * n_clusters clusters, and the data are read once for all. Starts that
have converged leave the stack.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from sparsek.core.kernels import REFRESH_EVERY, Array, Labels, largest, nonzero
from sparsek.core.lloyd import FitResult
from sparsek.core.skfr import Selection

STACK_ENTRIES = 2_000_000
"""Largest stacked array, of scored data or of cluster sums; beyond it, one start at a time is as fast."""


def fits_stack(n_starts: int, shape: tuple[int, ...], n_clusters: int, n_selected: int) -> bool:
    """Whether the stack for data of this shape stays small enough to pay."""
    n, p = shape
    return n_starts > 1 and n_starts * max(n * max(n_selected, n_clusters), n_clusters * p) <= STACK_ENTRIES


def skfr_stack(
    Z: Array,
    starts: list[Labels],
    *,
    n_clusters: int,
    n_selected: int,
    weights: Array | None,
    tss: float,
    max_iter: int,
) -> list[FitResult[Selection]]:
    """Run SKFR1 from every start; parameters as for `sparsek.core.skfr.skfr`.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data.
    starts : list of ndarray of shape (n,), int32
        Initial labels.
    n_clusters, n_selected : int
        Number of clusters k and of features s.
    weights : ndarray of shape (n,) or None
        Sample weights.
    tss : float
        Total sum of squares of Z.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    list of FitResult
        In the order of the starts.
    """
    columns = np.ascontiguousarray(Z[:, :-1].T)
    labels = np.array(starts)
    active = np.arange(len(starts))
    histories: list[list[float]] = [[] for _ in starts]
    results: dict[int, FitResult[Selection]] = {}
    sums = old = None
    for iteration in range(1, max_iter + 1):
        if old is None or iteration % REFRESH_EVERY == 0:
            sums = _add_rows(Z, labels, None, n_clusters, weights)
        else:
            sums += _add_rows(Z, labels, old, n_clusters, weights)
            empty = _empty(labels, n_clusters)
            if empty.any():
                sums[empty] = 0  # not the rounding that the last row left behind
        selected, theta, explained = _rank_all(sums, n_selected)
        new = _assign_all(columns, selected, theta)
        done = (new == labels).all(axis=1)
        for i, start in enumerate(active.tolist()):
            histories[start].append(float(tss - explained[i]))
            if done[i] or iteration == max_iter:
                found = Selection(labels[i], selected[i], selected[i], theta[i], histories[start][-1])
                results[start] = FitResult(new[i], found, tuple(histories[start]), bool(done[i]))
        old, labels, sums, active = labels[~done], new[~done], sums[~done], active[~done]
        if not len(active):
            break
    return [results[start] for start in range(len(starts))]


def _add_rows(Z: Array, new: Labels, old: Labels | None, n_clusters: int, weights: Array | None) -> Array:
    """Cluster sums (R, k, p + 1) of the labels `new` (R, n), or their change since the labels `old`."""
    n_starts, n = new.shape
    offset = n_clusters * np.arange(n_starts, dtype=np.int32)[:, None]
    if old is None:
        moved = np.ones((n, n_starts), dtype=bool)
        ends = [(new, 1)]
    else:
        moved = (new != old).T
        ends = [(new, 1), (old, -1)]
    # One column per row of Z, its entries the clusters that gain or lose it.
    clusters = np.column_stack([(labels + offset).T[moved] for labels, _ in ends]).ravel()
    step = np.ones(n, Z.dtype) if weights is None else weights
    entries = np.repeat(step, np.count_nonzero(moved, axis=1))
    data = np.column_stack([sign * entries for _, sign in ends]).ravel()
    pointers = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(len(ends) * np.count_nonzero(moved, axis=1), out=pointers[1:])
    change = csc_array((data, clusters, pointers), shape=(n_starts * n_clusters, n)) @ Z
    return change.reshape(n_starts, n_clusters, -1)


def _empty(labels: Labels, n_clusters: int) -> Array:
    """Which clusters of each start have no rows, (R, k)."""
    n_starts = len(labels)
    clusters = labels + n_clusters * np.arange(n_starts, dtype=np.int32)[:, None]
    counts = np.bincount(clusters.ravel(), minlength=n_starts * n_clusters)
    return counts.reshape(n_starts, n_clusters) == 0


def _rank_all(sums: Array, n_selected: int) -> tuple[Array, Array, Array]:
    """Selected features (R, s), centres there (R, k, s) and explained sums of squares (R,)."""
    single = np.count_nonzero(sums[:, :, -1], axis=1) == 1
    counts = nonzero(sums[:, :, -1])[:, :, None]
    sums = sums[:, :, :-1]
    gains = (sums * sums / counts).sum(axis=1)
    gains[single] = 0
    selected = largest(gains, n_selected)
    starts = np.arange(len(sums))[:, None]
    explained = gains[starts, selected].sum(axis=1, dtype=np.float64)
    theta = sums[starts[:, :, None], np.arange(sums.shape[1])[:, None], selected[:, None, :]] / counts
    return selected, theta, explained


def _assign_all(columns: Array, selected: Array, theta: Array) -> Labels:
    """Nearest sparse centre of each row, (R, n); ties go to the lowest index."""
    scores = theta @ columns.take(selected, axis=0)
    np.subtract(0.5 * np.einsum("rkl,rkl->rk", theta, theta)[:, :, None], scores, out=scores)
    n_clusters = scores.shape[1]
    small = np.min_scalar_type(-n_clusters)
    best = scores[:, 0].copy()
    labels = np.zeros(best.shape, dtype=small)
    for k in range(1, n_clusters):
        better = scores[:, k] < best
        np.minimum(best, scores[:, k], out=best)
        np.maximum(labels, np.multiply(better, k, dtype=small), out=labels)
    return labels.astype(np.int32)

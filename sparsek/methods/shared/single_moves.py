"""Moves of single rows after k-means (Hartigan's criterion).

Lloyd's algorithm ends where every row is with its nearest centre. Moving row i of weight w from cluster a to
b still lowers the sum of squares if n_b / (n_b + w) d_ib^2 < n_a / (n_a - w) d_ia^2, because both centres
follow the row. Where no row can move so, every row is with its nearest centre too.

Source: Hartigan (1975), "Clustering algorithms", Wiley, Chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from sparsek.core.exact_sums import row_chunks
from sparsek.core.steps import (
    Array,
    FitResult,
    Labels,
    Params,
    cluster_sums,
    nonzero,
    score_coefficients,
)
from sparsek.engine import compiles
from sparsek.methods.shared import loops
from sparsek.methods.shared.base import best_of

MOST_PASSES = 300
"""Cap on the passes over all rows of one descent."""
RECOMPUTED = 100
"""After this many moves the sums of clusters are found anew, because each move rounds them."""
CHUNK_ROWS = 8192
"""Rows scored at a time."""
KEPT_BITS = {"d": 44, "f": 15}
"""Gains are rounded to this many bits below the scale of the row; the rest is noise to `_move` too."""
P = TypeVar("P", bound=Params)


def refine_best(
    results: list[FitResult[P]], rounding: float, improve: Callable[[FitResult[P]], FitResult[P] | None]
) -> list[FitResult[P]]:
    """Let the best start go on from moves of single rows until its criterion stays; give all results."""
    best = best_of(results, rounding)
    place = next(i for i, result in enumerate(results) if result is best)
    while best.converged:
        found = improve(best)
        if found is None or found.criterion >= best.criterion:
            break
        # Only values below the last one go on the history, so that it never rises.
        lower = tuple(value for value in found.history if value < best.criterion)
        best = replace(found, history=best.history + lower)
    return [*results[:place], best, *results[place + 1 :]]


def descend(
    X: Array, labels: Labels, n_clusters: int, weights: Array | None = None, used: Array | None = None
) -> Labels:
    """Labels after moves of single rows, each of which lowers the within-cluster sum of squares.

    Shapes: X (n, m + 1), labels (n,) int32, weights (n,), used (n_clusters, m) bool; returns (n,) int32.
    """
    mass = np.ones(len(X), X.dtype) if weights is None else weights
    labels, lengths, n_moved = labels.copy(), _lengths(X, used), RECOMPUTED
    sums: Any = None
    for _ in range(MOST_PASSES):
        if n_moved >= RECOMPUTED:
            sums, n_moved = cluster_sums(X, labels, n_clusters, weights).sums, 0
        movable = _candidates(X, labels, sums, mass, used, lengths)
        moved = _move(X, labels, sums, mass, used, movable)
        if not moved:
            break
        n_moved += moved
    return labels


def _lengths(X: Array, used: Array | None) -> Array:
    """Squared lengths of the rows in the columns of each cluster (n, n_clusters), or in all (n, 1)."""
    found = np.empty((len(X), 1 if used is None else len(used)), X.dtype)
    for rows in row_chunks(X):
        block = np.square(X[rows, :-1])
        found[rows] = block.sum(axis=1)[:, None] if used is None else block @ used.T.astype(X.dtype)
    return found


def _candidates(
    X: Array, labels: Labels, sums: Array, mass: Array, used: Array | None, lengths: Array
) -> Array:
    """Rows that seem to gain by a move, those that gain most first."""
    centers = sums[:, :-1] / nonzero(sums[:, -1])[:, None]
    if used is not None:
        centers = centers * used
    coefficients, longest = score_coefficients(centers), float(np.square(centers).sum(axis=1).max())
    gains = np.empty(len(X))
    for start in range(0, len(X), CHUNK_ROWS):
        rows = slice(start, start + CHUNK_ROWS)
        inside = lengths[rows]
        # Scores are |c|^2 / 2 - x'c: doubled, plus |x|^2, they are squared distances.
        near = np.maximum(2 * (X[rows] @ coefficients.T) + inside, 0)
        found = _gains(near, inside, labels[rows], sums[:, -1], mass[rows])[0]
        gains[rows] = _rounded(found, mass[rows] * (inside.max(axis=1) + longest))
    found = np.flatnonzero(gains > 0)
    return found[np.argsort(-gains[found], kind="stable")]


def _rounded(gains: Array, scale: Array) -> Array:
    """Gains without the last digits, in which products of matrices differ between processors."""
    unit = np.ldexp(1.0, np.frexp(scale)[1] - KEPT_BITS[gains.dtype.char])
    found: Array = np.round(gains / unit) * unit
    return found


def _gains(near: Array, inside: Array, labels: Array, sizes: Array, mass: Array) -> tuple[Array, Array]:
    """What the best move of each row gains, and its target.

    `near` (n, n_clusters) are squared distances in the columns that each cluster uses, `inside` the squared
    lengths of the rows there. In the other columns the centre is the origin, whatever moves.
    """
    rows, w = np.arange(len(labels)), mass[:, None]
    # Hartigan (1975): a row that joins a cluster adds n / (n + w) of its distance, because the mean follows.
    costs = sizes / (sizes + w) * near - inside
    costs[rows, labels] = np.inf
    target = costs.argmin(axis=1)
    left = sizes[labels] - mass
    own = np.broadcast_to(inside, near.shape)[rows, labels]
    with np.errstate(divide="ignore", invalid="ignore"):
        # A row that leaves saves n / (n - w) of its distance, because the mean goes away from it.
        saved = sizes[labels] / left * near[rows, labels] - own
    # A row that is its cluster's last one stays.
    saved[left <= loops.LEAST_SHARE * sizes[labels]] = -np.inf
    return mass * (saved - costs[rows, target]), target


def _move(X: Array, labels: Labels, sums: Array, mass: Array, used: Array | None, rows: Array) -> int:
    """Move rows one by one where that gains by direct differences, and count them.

    Updates `labels` and `sums`.
    """
    noise = 256 * float(np.finfo(X.dtype).eps)
    if compiles(float(X.size) * len(sums), loops.move_rows, single=X.dtype == np.float32):
        columns = np.ones((len(sums), X.shape[1] - 1), dtype=bool) if used is None else used
        return int(loops.move_rows.compiled(X, labels, sums, mass, columns, rows, noise))
    moved, centers = 0, sums[:, :-1] / nonzero(sums[:, -1])[:, None]
    for i in rows.tolist():
        x, some = X[i, :-1], slice(i, i + 1)
        differences = np.square(x - centers)
        squares = np.square(x)
        if used is None:
            near, inside = differences.sum(axis=1)[None], squares.sum()[None, None]
        else:
            near = np.where(used, differences, 0).sum(axis=1)[None]
            inside = (used @ squares)[None]
        (gain,), (target,) = _gains(near, inside, labels[some], sums[:, -1], mass[some])
        # A gain below the rounding of its terms could be undone by the next move, without end.
        if gain > noise * mass[i] * (near.max() + inside.max()):
            both = [labels[i], target]
            sums[both[0]] -= mass[i] * X[i]
            sums[target] += mass[i] * X[i]
            centers[both] = sums[both, :-1] / nonzero(sums[both, -1])[:, None]
            labels[i] = target
            moved += 1
    return moved

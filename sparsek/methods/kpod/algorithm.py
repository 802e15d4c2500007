"""k-POD as its authors describe it: majorisation-minimisation of the loss over the observed cells.

Minimises the sum over observed cells of (x_ij - c_g(i)j)^2 over labels g and centres c. Each iteration fills
the missing cells from their rows' centres and runs k-means on the filled data from the last labels; neither
can raise the loss. Once the labels stop changing, further iterations would only move the centres towards the
means of the observed values. The last iterations therefore set the centres to these means and the rows to
their nearest centres over the observed features. No further k-POD iteration changes the result.

Source: Chi, Chi and Baraniuk (2016), k-POD: a method for k-means clustering of missing data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.core.steps import Array, FitResult
from sparsek.methods.kpod.cells import RowsWithHoles
from sparsek.sources.lloyd import lloyd

KMEANS_MAX_ITER = 300
"""Largest number of Lloyd iterations of one k-means fit."""


@dataclass(frozen=True, slots=True)
class ObservedCenters:
    """Centres (n_clusters, p) and the loss over the observed cells at the labels they were computed from."""

    centers: Array
    criterion: float


def kpod(
    rows: RowsWithHoles, labels: Any, *, max_iter: int = 100, centers: Array | None = None
) -> FitResult[ObservedCenters]:
    """One start of k-POD.

    Shapes: labels (n,), centers (n_clusters, p).
    """
    labels, last, history = _fill_and_cluster(rows, labels, centers, max_iter)
    sums: Array | None = None
    while len(history) < max_iter:
        # Each pass sums by its new labels, so that only the first sums need a pass of their own.
        sums = rows.sums(labels) if sums is None else sums
        last = observed_means(sums, last)
        after = rows.reassigned(labels, last)
        history.append(after.loss)
        labels, sums = after.labels, after.sums
        settled = after.n_moved == 0
        if settled or len(history) == max_iter:
            return FitResult(labels, ObservedCenters(last, history[-1]), tuple(history), settled)
    nearest = rows.reassigned(labels, last).labels
    return FitResult(nearest, ObservedCenters(last, history[-1]), tuple(history), False)


def _fill_and_cluster(
    rows: RowsWithHoles, labels: Any, centers: Array | None, max_iter: int
) -> tuple[Any, Array, list[float]]:
    """Alternate filling holes and k-means until no label changes; returns labels, centres and losses."""
    filled: Any = rows.filled(labels, centers)
    history: list[float] = []
    while True:
        old = labels
        centers = lloyd(filled, KMEANS_MAX_ITER).params.centers.astype(rows.dtype, copy=False)
        labels, filled = filled.labels, None  # frees the memory of the filled rows first
        filled = rows.filled(labels, centers)
        history.append(filled.scatter(centers))  # filled holes equal their centres and add 0
        if rows.moved(old, labels) == 0 or len(history) >= max_iter:
            return labels, centers, history


def observed_means(sums: Array, previous: Array) -> Array:
    """Means of the observed values of each cluster; the previous value if no member has one."""
    totals, counts = np.hsplit(sums, 2)
    # A feature that no member has observed adds nothing to the loss, so that any centre is as good.
    means: Array = np.where(counts > 0, totals / np.where(counts > 0, counts, 1), previous)
    return means.astype(previous.dtype, copy=False)

"""k-POD as its authors describe it: majorisation-minimisation of the loss over the observed cells.

Minimises the sum over observed cells of (x_ij - c_g(i)j)^2 over labels g and centres c. Each iteration fills
the missing cells from their rows' centres and runs k-means on the filled data from the last labels; neither
can raise the loss. With labels that no longer change, the centres approach the means of the observed values:
the last iterations go there directly and on to nearest centres over the observed features. The result is a
point that no further k-POD iteration changes.

Source: Chi, Chi and Baraniuk (2016), k-POD: a method for k-means clustering of missing data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.methods.shared.loop import FitResult, alternate, fill_empty, lloyd
from sparsek.methods.shared.sums import Array, Labels, cluster_sums
from sparsek.methods.skfr.missing import PartialData, nearest_observed

KMEANS_MAX_ITER = 300
"""Largest number of Lloyd iterations of one k-means."""


@dataclass(frozen=True, slots=True)
class Centers:
    """Centres (n_clusters, p) and the loss over the observed cells at the labels they were computed from."""

    centers: Array
    criterion: float


def kpod_descent(
    data: PartialData, labels: Labels, *, n_clusters: int, weights: Array | None = None, max_iter: int = 100
) -> FitResult[Centers]:
    """One start of k-POD.

    Parameters
    ----------
    data : PartialData
        Centred data with holes; every row has an observed value.
    labels : ndarray of shape (n,), int32
        Initial labels.
    n_clusters : int
        Number of clusters.
    weights : ndarray of shape (n,) or None
        Sample weights.
    max_iter : int
        Largest number of iterations, each a k-means or a step on the observed cells.

    Returns
    -------
    FitResult
        Labels are nearest over the observed features; `history` holds the loss after each iteration.
    """
    filled = np.column_stack([data.values, np.ones(len(labels), dtype=data.filled.dtype)])
    history: list[float] = []
    stable = False
    while not stable and len(history) < max_iter:
        old = labels
        found = lloyd(filled, old, n_clusters, weights, KMEANS_MAX_ITER)
        labels, last = found.labels, found.params.centers
        history.append(observed_loss(data, labels, last, weights))
        _refill(data, filled, labels, last)
        stable = np.array_equal(labels, old)

    def update(X: Array, labels: Labels, previous: Centers | None) -> Centers:
        before = last if previous is None else previous.centers
        centers = observed_means(data, labels, before, weights)
        return Centers(centers, observed_loss(data, labels, centers, weights))

    def assign(X: Array, params: Centers, labels: Labels) -> Labels:
        labels = nearest_observed(data.values, data.observed, params.centers)
        if len(np.unique(labels)) == n_clusters:
            return labels
        _refill(data, filled, labels, params.centers)
        return fill_empty(filled, labels, params.centers)

    if len(history) < max_iter:
        end = alternate(filled, labels, update, assign, max_iter=max_iter - len(history))
        return FitResult(end.labels, end.params, (*history, *end.history), end.converged)
    params = Centers(last, history[-1])
    return FitResult(assign(filled, params, labels), params, tuple(history), False)


def observed_means(data: PartialData, labels: Labels, previous: Array, weights: Array | None) -> Array:
    """Means of the observed values of each cluster; what no member has observed keeps its previous value."""
    sums = cluster_sums(data.filled, labels, len(previous), weights).sums
    p = data.n_features
    counts = sums[:, p:-1]
    return np.where(counts > 0, sums[:, :p] / np.where(counts > 0, counts, 1), previous)


def observed_squares(data: PartialData, centers: Array) -> NDArray[np.float64]:
    """Squared distances over the observed features, by direct differences: (n, n_clusters)."""
    out = np.empty((len(data.filled), len(centers)))
    for k, center in enumerate(centers):
        difference = (data.values - center) * data.observed
        np.einsum("ij,ij->i", difference, difference, out=out[:, k], dtype=np.float64)
    return out


def observed_loss(data: PartialData, labels: Labels, centers: Array, weights: Array | None) -> float:
    """Sum over the observed cells of the squared differences from the centres."""
    difference = (data.values - centers[labels]) * data.observed
    squares = np.einsum("ij,ij->i", difference, difference, dtype=np.float64)
    return float(squares.sum() if weights is None else weights @ squares)


def _refill(data: PartialData, filled: Array, labels: Labels, centers: Array) -> None:
    """Fill the missing cells from the rows' centres."""
    np.copyto(filled[:, :-1], centers[labels], where=data.observed == 0)

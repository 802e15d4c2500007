"""SKFR and sparse k-means on rows that are not one array: the same steps, whatever holds the rows.

The steps are those of `sparsek.methods.skfr.algorithm` and `sparsek.methods.sparse_kmeans.algorithm`. What is
large, the rows and their labels, stays with an object that follows `Rows`; what is small, cluster sums,
features and centres, is here.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from sparsek.methods.rows.blocks import Metric
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.sums import REFRESH_ROWS, Array, ClusterSums, nonzero
from sparsek.methods.shared.weights import l1_weights, weights_settled
from sparsek.methods.skfr.algorithm import Selection, sparse_means
from sparsek.methods.sparse_kmeans.algorithm import LLOYD_ITERATIONS, Weighting

NO_LABELS = np.empty(0, dtype=np.int32)
"""Stands for labels that the rows hold."""
EVERYTHING = slice(None)


class Moved(NamedTuple):
    """What an assignment did: how many rows changed cluster, and the change of the cluster sums."""

    n_rows: int
    change: Array


class Rows(Protocol):
    """Rows with a label each, in prepared coordinates.

    Attributes
    ----------
    shape : tuple of int
        Numbers of rows and of columns.
    labels : array_like of shape (n,)
        The labels; another array with every assignment.
    """

    shape: tuple[int, int]
    labels: Any

    def sums(self, columns: Array | slice) -> Array:
        """Cluster sums (n_clusters, m + 1) in these columns, sizes last."""

    def assign(self, metric: Metric, centers: Array, columns: Array | slice, fill: bool = False) -> Moved:
        """Label every row with its nearest centre; with `fill`, empty clusters take the farthest rows.

        Parameters
        ----------
        metric : Metric
            The distance.
        centers : ndarray of shape (n_clusters, m)
            Centres in its coordinates.
        columns : ndarray or slice
            Columns in which the change of the cluster sums is wanted.
        fill : bool
            See `sparsek.methods.shared.loop.fill_empty`.

        Returns
        -------
        Moved
            Number of rows that moved, and the change of `sums(columns)`.
        """

    def scatter(self, metric: Metric, centers: Array) -> float:
        """Sum of the squared distances of the rows to the centres of their labels."""


def skfr_rows(rows: Rows, *, n_selected: int, local: bool, tss: float, max_iter: int) -> FitResult[Selection]:
    """SKFR from the labels that the rows have.

    Parameters
    ----------
    rows : Rows
        Labelled rows.
    n_selected : int
        Number of features s.
    local : bool
        SKFR2: select s features within each cluster.
    tss : float
        Total sum of squares of the prepared data.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    FitResult
        Its labels are those of `rows` at the end, its `params` a `Selection` with the labels that it was
        computed from, as `rows` holds them.
    """
    n, sums, age = rows.shape[0], rows.sums(EVERYTHING), 0
    history: list[float] = []
    while True:
        selected, columns, theta, explained = sparse_means(ClusterSums(NO_LABELS, sums), n_selected, local)
        history.append(tss - explained)
        before = rows.labels
        moved = rows.assign(Metric(columns), theta, EVERYTHING)
        if moved.n_rows == 0 or len(history) == max_iter:
            found = Selection(before, selected, columns, theta, history[-1])
            return FitResult(rows.labels, found, tuple(history), moved.n_rows == 0)
        age += moved.n_rows
        if age > REFRESH_ROWS * n:
            sums, age = rows.sums(EVERYTHING), 0
        else:
            sums = settled(sums + moved.change)


def sparse_kmeans_rows(
    rows: Rows, *, l1_bound: float, max_iter: int, tol: float, refine: bool = False
) -> FitResult[Weighting]:
    """Sparse k-means from the labels that the rows have.

    Parameters
    ----------
    rows : Rows
        Labelled rows.
    l1_bound : float
        Bound s on the L1 norm of the weights, in [1, sqrt(p)].
    max_iter : int
        Largest number of weight updates.
    tol : float
        Stop when sum|w - w_old| <= tol * sum|w_old|.
    refine : bool
        The labels come from another fit; else k-means with equal weights runs from them first, as in the
        paper.

    Returns
    -------
    FitResult
        Its labels are those of `rows`; its `params` is a `Weighting`.
    """
    all_columns = np.arange(rows.shape[1])
    if not refine:
        lloyd_rows(rows, Metric(all_columns), rows.sums(EVERYTHING))
    params: Weighting | None = None
    history: list[float] = []
    done = False
    while not done and len(history) < max_iter:
        previous, sums = params, ClusterSums(NO_LABELS, rows.sums(EVERYTHING))
        bcss = sums.gains.sum(axis=0, dtype=np.float64)
        weights = l1_weights(bcss, l1_bound)
        params = Weighting(sums, weights, -float(weights @ bcss))
        history.append(params.criterion)
        used = np.flatnonzero(weights)
        columns = np.append(used, -1)
        metric = Metric(used, np.sqrt(weights[used]))
        still = not len(used) or not lloyd_rows(rows, metric, sums.sums[:, columns])[0]
        # No label changed: the weights would repeat exactly.
        done = still or weights_settled(weights, None if previous is None else previous.weights, tol)
    if params is None:
        raise ValueError(f"max_iter must be at least 1; got {max_iter}")
    return FitResult(rows.labels, params, tuple(history), done)


def lloyd_rows(rows: Rows, metric: Metric, sums: Array) -> tuple[bool, Array]:
    """Lloyd's k-means in these columns, from their cluster sums; whether any row moved, and the centres."""
    n, age, travelled = rows.shape[0], 0, 0
    factors = 1.0 if metric.factors is None else metric.factors
    for _ in range(LLOYD_ITERATIONS):
        centers = sums[:, :-1] / nonzero(sums[:, -1])[:, None] * factors
        moved = rows.assign(metric, centers, metric.columns, fill=True)
        if moved.n_rows == 0:
            break
        age += moved.n_rows
        travelled += moved.n_rows
        if age > REFRESH_ROWS * n:
            sums, age = rows.sums(metric.columns), 0
        else:
            sums = settled(sums + moved.change)
    return travelled > 0, centers


def settled(sums: Array) -> Array:
    """Cluster sums with exact zeros for empty clusters, not the rounding that the last row left behind."""
    rounding = 64 * np.finfo(np.float64).eps * sums[:, -1].sum()
    return np.where(sums[:, -1:] <= rounding, 0, sums)

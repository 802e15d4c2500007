"""Sparse k-means of Witten and Tibshirani, with matrix products and with the L1 bound met exactly.

Maximises sum_j w_j BCSS_j over partitions and weights with ||w||_2 <= 1, ||w||_1 <= s, w >= 0.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.methods.rows.lloyd import lloyd
from sparsek.methods.rows.local import LocalRows
from sparsek.methods.rows.protocol import Metric, Rows
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.single_moves import descend
from sparsek.methods.shared.sums import Array, ClusterSums
from sparsek.methods.shared.weights import l1_weights, weights_settled
from sparsek.methods.sparse_kmeans.products import Products

LLOYD_ITERATIONS = 300
"""Cap on Lloyd's iterations inside one assignment step; the next step carries on from there."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """Parameters after one update.

    Attributes
    ----------
    sums : ClusterSums
        Cluster sums over all features.
    weights : ndarray of shape (p,), float64
        Feature weights w.
    criterion : float
        -sum_j w_j BCSS_j.
    """

    sums: ClusterSums
    weights: Array
    criterion: float


def sparse_kmeans(
    rows: Rows,
    *,
    l1_bound: float,
    max_iter: int = 100,
    tol: float = 1e-4,
    refine: bool = True,
    warm: bool = False,
    products: Products | None = None,
) -> FitResult[Weighting]:
    """One start of sparse k-means from the labels that the rows have.

    Parameters
    ----------
    rows : Rows
        Centred rows with the initial labels; afterwards they have the labels of the result.
    l1_bound : float
        Bound s on the L1 norm of the weights, in [1, sqrt(p)].
    max_iter : int
        Largest number of weight updates, at least 1.
    tol : float
        Stop when sum|w - w_old| <= tol * sum|w_old|; the paper has 1e-4.
    refine : bool
        Whether every k-means ends with moves of single rows, if the rows are an array in memory.
    warm : bool
        Whether the labels come from another fit. If not, k-means with equal weights runs from them first, as
        in the paper.
    products : Products or None
        Inner products of the rows. Where they are given, every k-means runs on them, with moves of single
        rows.

    Returns
    -------
    FitResult
        Its `params` is a `Weighting`.
    """
    if not warm:
        _k_means(rows, refine, products)
    weights: Array | None = None
    history: list[float] = []
    while True:
        previous, found = weights, weigh(rows.sums(), l1_bound)
        weights = found.weights
        history.append(found.criterion)
        moved = bool(weights.any()) and assign_by_k_means(rows, found, refine, products)
        # If no label changed, the next weights would be equal.
        done = not moved or weights_settled(weights, previous, tol)
        if done or len(history) >= max_iter:
            return FitResult(rows.labels, found, tuple(history), done)


def weigh(sums: ClusterSums, l1_bound: float) -> Weighting:
    """BCSS per feature, soft-thresholded to the L1 bound and scaled to unit L2 norm."""
    bcss = sums.total_gains
    weights = l1_weights(bcss, l1_bound)
    return Weighting(sums, weights, -float((weights * bcss).sum()))


def assign_by_k_means(
    rows: Rows, found: Weighting, refine: bool = False, products: Products | None = None
) -> bool:
    """K-means on the columns scaled by sqrt(w), from the current labels; returns whether a label changed."""
    if products is not None:
        assert isinstance(rows, LocalRows)  # only those have products
        return _k_means(rows, refine, products.under(rows.array(), found.weights))
    used = np.flatnonzero(found.weights)
    narrow = rows.narrowed(Metric(used, np.sqrt(found.weights[used])), found.sums)
    moved = _k_means(narrow, refine)
    rows.labels = narrow.labels
    return moved


def _k_means(rows: Rows, refine: bool, products: Products | None = None) -> bool:
    """Lloyd's algorithm and, where it converged, moves of single rows; returns whether a label changed."""
    if products is not None:
        assert isinstance(rows, LocalRows)  # only those have products
        rows.labels, moved = products.k_means(rows.labels, rows.n_clusters, LLOYD_ITERATIONS)
        return moved
    found = lloyd(rows, LLOYD_ITERATIONS)
    moved = found.n_iter > 1
    if not refine or not found.converged or not isinstance(rows, LocalRows):
        return moved
    before = rows.labels
    rows.labels = descend(rows.array(), before, rows.n_clusters, rows.weights)
    return moved or not np.array_equal(rows.labels, before)

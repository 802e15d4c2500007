"""Sparse k-means of Witten and Tibshirani, with matrix products and with the L1 bound met exactly.

Maximises sum_j w_j BCSS_j over partitions and weights with ||w||_2 <= 1, ||w||_1 <= s, w >= 0.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.core.steps import Array, ClusterSums, FitResult
from sparsek.core.weights import LLOYD_ITERATIONS, group_weights, l1_weights, weights_settled
from sparsek.engine import compiles
from sparsek.methods.shared.groups import Grouping
from sparsek.methods.shared.single_moves import descend
from sparsek.methods.sparse_kmeans import loops
from sparsek.methods.sparse_kmeans.compiled import compiled_lloyd
from sparsek.methods.sparse_kmeans.products import InnerProducts
from sparsek.sources.blocks import PreparedSteps
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import LocalRows, narrowed_sums
from sparsek.sources.protocol import Rows, Subspace

EXPECTED_ITERATIONS = 10
"""Iterations of a start, about, that read all rows."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """Parameters after one update."""

    sums: ClusterSums  # Cluster sums over all features
    weights: Array  # (p,) float64: feature weights w
    criterion: float  # -sum_j w_j BCSS_j


def sparse_kmeans(
    rows: Rows,
    *,
    l1_bound: float,
    max_iter: int = 100,
    tol: float = 1e-4,
    refine: bool = True,
    warm: bool = False,
    products: InnerProducts | None = None,
    fast: bool = False,
    candidates: Array | None = None,
    groups: Grouping | None = None,
) -> FitResult[Weighting]:
    """One start of sparse k-means from the labels that the rows have; only `candidates` get a weight."""
    sums = None
    if products is not None and not warm:
        assert isinstance(rows, LocalRows)  # only those have products
        rows.labels = products.k_means(rows.labels, rows.n_clusters, LLOYD_ITERATIONS)
    elif not warm:
        subspace = None if candidates is None else Subspace(candidates)
        sums = _k_means(rows, subspace, None, refine, fast)[1]
    weights: Array | None = None
    history: list[float] = []
    while True:
        sums = rows.sums() if sums is None or not isinstance(rows, LocalRows) else rows.moved_sums(sums)
        previous, found = weights, weigh(sums, l1_bound, candidates, groups)
        weights = found.weights
        history.append(found.criterion)
        # Where no feature explains anything, all weights are 0 and no distance tells the clusters apart.
        moved = bool(weights.any()) and _k_means(rows, _subspace(found), found.sums, refine, fast)[0]
        # If no label changed, the next weights would be equal.
        done = not moved or weights_settled(weights, previous, tol)
        if done or len(history) >= max_iter:
            return FitResult(rows.labels, found, tuple(history), done)


def lloyd_compiles(rows: Rows) -> bool:
    """Whether Lloyd's algorithm on these rows should run compiled; ask once for all starts."""
    if not isinstance(rows, LocalRows) or rows.block is None:
        return False
    work = EXPECTED_ITERATIONS * rows.n_clusters * float(rows.block.size)
    return compiles(work, loops.lloyd, single=rows.block.dtype == np.float32)


def weigh(
    sums: ClusterSums, l1_bound: float, candidates: Array | None = None, groups: Grouping | None = None
) -> Weighting:
    """BCSS per feature, 0 outside `candidates`, soft-thresholded to the L1 bound, of unit L2 norm."""
    bcss = sums.total_gains
    if candidates is not None:
        # A feature without a gain gets no weight.
        bcss[np.isin(np.arange(len(bcss)), candidates, invert=True)] = 0
    weights = bounded_weights(bcss, l1_bound, groups)
    return Weighting(sums, weights, -float((weights * bcss).sum()))


def bounded_weights(a: Array, l1_bound: float, groups: Grouping | None) -> Array:
    """The weights of the features under the bound, or that of groups."""
    if groups is None:
        return l1_weights(a, l1_bound)
    return group_weights(a, l1_bound, groups.codes, groups.degrees)


def _k_means(
    rows: Rows, subspace: Subspace | None, known: ClusterSums | None, refine: bool, fast: bool
) -> tuple[bool, ClusterSums | None]:
    """Lloyd's algorithm and, where it converged, moves of single rows, from the current labels.

    All columns count the same where `subspace` is None; `known` are cluster sums of the current labels.
    Returns whether a label changed, and cluster sums of Lloyd's labels where they are known.
    """
    if fast:
        assert isinstance(rows, LocalRows)  # see `lloyd_compiles`
        moved, converged, sums = _compiled_lloyd(rows, subspace, known)
    else:
        some = rows if subspace is None else rows.narrowed(subspace, known)
        result = lloyd(some, LLOYD_ITERATIONS)
        moved, converged, sums = result.n_iter > 1, result.converged, None
        rows.labels = some.labels
    if not refine or not converged or not isinstance(rows, LocalRows) or rows.block is None:
        return moved, sums
    before, some = rows.labels, rows if subspace is None else rows.narrowed(subspace, None)
    rows.labels = descend(some.array(), before, rows.n_clusters, rows.weights)
    return moved or not np.array_equal(rows.labels, before), sums


def _subspace(found: Weighting) -> Subspace:
    """The columns in use, scaled by sqrt(w)."""
    used = np.flatnonzero(found.weights)
    # In columns times sqrt(w), the squared distance is that with the weights w.
    return Subspace(used, np.sqrt(found.weights[used]))


def _compiled_lloyd(
    rows: LocalRows, subspace: Subspace | None, known: ClusterSums | None
) -> tuple[bool, bool, ClusterSums | None]:
    """Lloyd's algorithm: whether a label changed, whether it converged, sums over all columns if known."""
    steps: Any = rows.reader.steps
    ended = compiled_lloyd(
        rows.block,
        None if isinstance(steps, PreparedSteps) else steps.scaling,
        Subspace(np.arange(rows.shape[1])) if subspace is None else subspace,
        rows.labels,
        rows.n_clusters,
        steps.grid,
        rows.weights,
        LLOYD_ITERATIONS,
        None if subspace is None or known is None else narrowed_sums(subspace, known),
        steps.is_rounded,
    )
    rows.labels = ended.labels
    sums = None
    # Sums over some columns do not give those over all, by which the weights are found.
    if ended.whole.shape[1] == rows.shape[1] + 1:
        sums = ClusterSums(ended.labels, steps.grid.values(ended.whole), whole=ended.whole)
    return ended.n_iter > 1, ended.converged, sums

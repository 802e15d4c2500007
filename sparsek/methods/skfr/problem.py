"""The rows of one fit of SKFR, and its starts: compiled, one at a time, or for small data stacked.

With few rows, the cost of a start without numba is the number of array calls, not arithmetic. Stacking R
starts replaces R calls by one: R partitions are treated as one of R * n_clusters clusters, and the data are
read once for all. Starts that have converged leave the stack.

Measured with ``python validation/benchmarks/methods/skfr_parts.py stack``: one by one, twenty starts from
random labels take 4.5 times as long at n = 150, 4.0 at 400, 3.7 at 1000, 5.5 at (300, 1000).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from sparsek.core.exact_sums import BLOCK_ROWS, Grid, reach_of, sum_grid
from sparsek.core.medians import winsorizing_limits
from sparsek.core.scaling import Divisor
from sparsek.core.steps import (
    Array,
    ClusterSums,
    FitResult,
    Labels,
    Ties,
    doubt,
    rows_of,
    run_all,
    score_coefficients,
    used_features,
)
from sparsek.engine import compiles, readable
from sparsek.methods.shared.single_moves import descend
from sparsek.methods.skfr import loops
from sparsek.methods.skfr.algorithm import Ranked, Selection, Sizes, ranked_means, skfr, sparse_means
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import ArraySource, RowProblem

STACKED_DATA = 500_000
"""Larger data are not stacked, because a stack takes several times their memory."""
STACK_ENTRIES = 2_000_000
"""Most entries of a stacked array (scored data or cluster sums); beyond, single starts are as fast."""
MIN_TOGETHER = 16
"""If fewer starts than this fit in a stack, single starts are as fast."""
EXPECTED_ITERATIONS = 10
"""Iterations of a start, about."""
WIDE = 64
"""With more selected features than this, matrix products are faster than loops, compiled."""
TRANSPOSED_ENTRIES = 2_000_000
"""Data of up to this many entries get a transposed copy, from which columns are gathered faster."""


@dataclass(frozen=True, slots=True)
class RankedProblem(RowProblem):
    """Complete rows under the squared loss."""

    # ``rank(sums, **sizes.ranking)`` gives features and centres from what the rows sum up
    rank: Callable[..., Ranked] = sparse_means

    def start(self, labels: Any, sizes: Sizes, keep_sums: bool = False) -> FitResult[Selection]:
        """One start on its own."""
        rank = partial(self.rank, **sizes.ranking)
        return skfr(self.rows(labels), rank, tss=self.tss, max_iter=sizes.max_iter, keep_sums=keep_sums)

    def gains(self, found: Selection) -> Array:
        """Gain of each feature in each cluster of the partition."""
        if found.gains is not None:
            return found.gains
        return (self.rows(found.labels).sums() if found.sums is None else found.sums).gains

    def starting(self, drawn: bool) -> RowProblem:
        """The rows on which starts are chosen: drawn or named ones, or those that the user gives."""
        return self

    def inertia(self, labels: Any, columns: Array, centers: Array) -> float:
        """Loss of the labelled rows over all features, the centres being 0 outside these columns."""
        rows = self.passing(labels, Subspace(columns))
        return float(rows.scatter(centers) + np.delete(self.column_total, columns).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class LossProblem(RankedProblem):
    """Rows in memory that have holes, or another loss.

    `column_total` is the loss of each column at the origin, and `rows` gives rows that this loss labels.
    """

    loss: Any  # The loss, see `sparsek.methods.skfr.losses`
    # drawn, given: the rows on which starts are drawn, and those that label rows by centres that the user
    # gives
    drawn: RowProblem
    given: RowProblem

    def starting(self, drawn: bool) -> RowProblem:
        """The rows on which starts are chosen: drawn or named ones, or those that the user gives."""
        return self.drawn if drawn else self.given

    def inertia(self, labels: Any, columns: Array, centers: Array) -> float:
        """Loss of the rows at their nearest centres over all features."""
        source: Any = self.source
        losses = self.loss.losses(source.array, self.scaling, columns, centers)
        return float(losses.sum() if source.weights is None else source.weights @ losses)


def array_problem(
    X: Array, n_clusters: int, weights: Array | None = None, divisor: Divisor = True
) -> RankedProblem:
    """The rows of an array in prepared coordinates."""
    source = ArraySource(X, weights, np.ones(len(X), dtype=bool))
    return RankedProblem.of(source, source.moments(), n_clusters, divisor)


def run_rows(
    problem: RankedProblem,
    starts: Iterable[Any],
    sizes: Sizes,
    n_jobs: int | None = None,
    last: bool = True,
) -> list[FitResult[Selection]]:
    """Every start: one by one or, with ranked features of complete rows in memory, compiled or in stacks.

    A single start keeps the cluster sums if it is the `last` of a fit.
    """
    source: Any = problem.source
    single = last and isinstance(starts, list) and len(starts) == 1
    alone = partial(problem.start, sizes=sizes, keep_sums=single)
    ranked = problem.rank is sparse_means and isinstance(source, ArraySource)
    if not ranked or sizes.local or sizes.groups:
        return run_all(alone, starts, n_jobs)
    work, pays = _work(problem, sizes, starts), sizes.n_selected <= WIDE
    if compiles(work, loops.skfr1, pays=pays, single=source.dtype == np.float32):
        return run_all(partial(run_compiled, problem, sizes=sizes, keep_sums=single), starts, n_jobs)
    together = stack_size(source.shape, problem.n_clusters, sizes.n_selected)
    if single or together == 1:
        return run_all(alone, starts, n_jobs)
    results: list[FitResult[Selection]] = []
    Z, remaining = source.prepared(problem.scaling), iter(starts)
    while some := list(islice(remaining, together)):
        results += skfr_stack(problem, Z, some, sizes)
    return results


def _work(problem: RankedProblem, sizes: Sizes, starts: Iterable[Any]) -> float:
    """About how many multiplications the starts take."""
    (n, p), k = problem.source.shape, problem.n_clusters
    n_starts = len(starts) if isinstance(starts, list) else 1
    work: float = n * p + n_starts * EXPECTED_ITERATIONS * float(k) * (n * sizes.n_selected + p)
    return work


def run_compiled(
    problem: RankedProblem, labels: Labels, sizes: Sizes, keep_sums: bool = False
) -> FitResult[Selection]:
    """One start of SKFR1 by its loop, compiled."""
    return run_loop(loops.skfr1.compiled, problem, labels, sizes, keep_sums)


def run_loop(
    skfr1: Callable[..., Any], problem: RankedProblem, labels: Labels, sizes: Sizes, keep_sums: bool = False
) -> FitResult[Selection]:
    """One start by its loop, compiled or not."""
    source: Any = problem.source
    X, scaling, z_grid = source.dense(), problem.scaling, problem.scaling.grid
    assert z_grid is not None  # always set for the rows of a source
    weights = np.ones(len(X)) if source.weights is None else source.weights.astype(np.float64)
    grid = sum_grid(z_grid.reach, len(X), source.weights)
    labels, selected = labels.copy(), np.empty(sizes.n_selected, np.intp)
    centers, eps = np.empty((problem.n_clusters, sizes.n_selected), X.dtype), float(np.finfo(X.dtype).eps)
    whole = np.empty((problem.n_clusters, X.shape[1] + 1), np.int64)
    rows = readable(X), scaling.loops(), z_grid.reach, weights
    state, units = (labels, problem.tss, sizes.max_iter, selected, centers, eps), (grid.unit, grid.magic)
    lift = np.zeros(X.shape[1]) if sizes.lift is None else sizes.lift
    history, converged, before = skfr1(*rows, *state, *units, whole, lift)
    sums = ClusterSums(before, grid.values(whole), whole=whole) if keep_sums else None
    found = Selection(before, selected, selected, centers, float(history[-1]), None, sums)
    return FitResult(labels, found, tuple(history.tolist()), converged)


def reach_of_rows(Z: Array, grid: Grid | None) -> Array:
    """Largest absolute value of each column but the ones."""
    return reach_of(Z)[:-1] if grid is None else grid.reach


def improve(problem: RankedProblem, sizes: Sizes, best: FitResult[Selection]) -> FitResult[Selection] | None:
    """The start that goes on from moves of single rows in the selected features; None if no row moves."""
    columns = best.params.columns
    p = problem.source.shape[1]
    used = used_features(best.params.selected, p)[:, columns] if sizes.local else None
    rows: Any = problem.rows(best.labels).narrowed(Subspace(columns), None)
    labels = descend(rows.array(), best.labels, problem.n_clusters, problem.source.weights, used)
    return None if np.array_equal(labels, best.labels) else run_rows(problem, [labels], sizes)[0]


def stack_size(shape: tuple[int, ...], n_clusters: int, n_selected: int) -> int:
    """Number of starts for which a stack on data of this shape is faster; 1 if a stack is not."""
    n, p = shape
    if n * p > STACKED_DATA:
        return 1
    together = STACK_ENTRIES // max(n * max(n_selected, n_clusters), n_clusters * p)
    return together if together >= MIN_TOGETHER else 1


def skfr_stack(
    problem: RankedProblem, Z: Array, starts: list[Labels], sizes: Sizes
) -> list[FitResult[Selection]]:
    """SKFR1 from every start at once: the loop of `sparsek.methods.skfr.algorithm.skfr` with its rule.

    Shapes: Z (n, p + 1), starts (n,) int32.
    """
    n_clusters, max_iter, total = problem.n_clusters, sizes.max_iter, problem.tss
    weights, z_grid = problem.source.weights, problem.scaling.grid
    columns = np.ascontiguousarray(Z.T) if Z.size <= TRANSPOSED_ENTRIES else None
    labels = np.array(starts)
    active = np.arange(len(starts))
    explained = np.empty((min(max_iter, 64), len(starts)))  # doubled when full
    results: list[Any] = [None] * len(starts)
    reach = reach_of_rows(Z, z_grid)
    grid = sum_grid(reach, len(Z), weights)
    terms = _terms(Z, weights, grid, z_grid is not None)
    sums = _full_sums(terms, labels, grid, n_clusters)
    for iteration in range(1, max_iter + 1):
        if iteration > len(explained):
            explained = np.concatenate([explained, np.empty_like(explained)])
        # Sums within one block of rows are exact in floating point and need no whole numbers.
        values = sums if len(Z) <= BLOCK_ROWS else grid.values(sums)
        selected, theta, explained[iteration - 1, active] = ranked_means(
            values, n_selected=sizes.n_selected, lift=sizes.lift
        )
        theta = theta.astype(Z.dtype)
        new = _assign_all(_blocks(Z, columns, selected), theta, reach[selected])
        moved = new != labels
        done = ~moved.any(axis=1)
        for i in np.flatnonzero(done | (iteration == max_iter)).tolist():
            history = tuple((total - explained[:iteration, active[i]]).tolist())
            found = Selection(labels[i], selected[i], selected[i], theta[i], history[-1])
            results[active[i]] = FitResult(new[i], found, history, bool(done[i]))
        if done.all():
            break
        if done.any():
            going = ~done
            new, labels, moved = new[going], labels[going], moved[going]
            sums, active = sums[going], active[going]
        sums += _change(terms, new, labels, moved, grid, n_clusters)
        labels = new
    return results


def _terms(Z: Array, weights: Array | None, grid: Grid, rounded: bool) -> Array:
    """The rows times their weights, rounded to the units of the cluster sums; Z itself where it is that."""
    if weights is None and rounded and Z.dtype == np.float64:
        return Z
    terms = Z.astype(np.float64) if weights is None else Z * weights.astype(np.float64)[:, None]
    grid.round(terms)
    return terms


def _full_sums(terms: Array, labels: Labels, grid: Grid, n_clusters: int) -> Array:
    """Cluster sums (R, k, p + 1), see `_added`, of labels (R, n); rows are read once for all."""
    n_starts, n = labels.shape
    # Cluster k of start r has the number r * n_clusters + k, so that one product sums all starts.
    clusters = labels + n_clusters * np.arange(n_starts, dtype=np.int32)[:, None]
    # Each row has one entry for every start, so that the rows are read once for all starts.
    pointers = np.arange(0, n_starts * n + 1, n_starts, dtype=np.int32)
    entries = np.ones(n_starts * n), clusters.T.ravel(), pointers
    return _added(terms, entries, grid, (n_starts, n_clusters), n > BLOCK_ROWS)


def _change(terms: Array, new: Labels, old: Labels, moved: Array, grid: Grid, n_clusters: int) -> Array:
    """Change of the cluster sums from the labels `old` (R, n) to `new`."""
    n_starts = len(new)
    chosen = np.flatnonzero(moved.any(axis=0))
    moved = moved[:, chosen]
    rows, starts = moved.T.nonzero()
    # One column per row, with entries at the clusters that gain or lose the row.
    clusters = np.empty((len(rows), 2), dtype=np.int32)
    np.add(new[starts, chosen[rows]], n_clusters * starts, out=clusters[:, 0], casting="unsafe")
    np.add(old[starts, chosen[rows]], n_clusters * starts, out=clusters[:, 1], casting="unsafe")
    pointers = np.zeros(len(chosen) + 1, dtype=np.int32)
    np.cumsum(2 * np.count_nonzero(moved, axis=0), out=pointers[1:])
    entries = np.tile([1.0, -1.0], len(rows)), clusters.ravel(), pointers
    return _added(terms[chosen], entries, grid, (n_starts, n_clusters), new.shape[1] > BLOCK_ROWS)


def _added(
    terms: Array, entries: tuple[Array, Array, Array], grid: Grid, shape: tuple[int, int], whole: bool
) -> Array:
    """Sums of rows by start and cluster; `entries` are signs, clusters of all starts, and column pointers.

    They are whole numbers of units or, if not `whole`, their floating-point values, which are exact for rows
    of one block.
    """
    signs, clusters, pointers = entries
    n, size = len(terms), shape[0] * shape[1]
    if not whole:
        return (csc_array(entries, shape=(size, n)) @ terms).reshape(*shape, -1)
    block = np.arange(n, dtype=np.int32) // BLOCK_ROWS
    n_blocks = int(block[-1]) + 1 if n else 0
    clusters = clusters + np.repeat(size * block, np.diff(pointers))
    by_block = csc_array((signs, clusters, pointers), shape=(n_blocks * size, n)) @ terms
    by_block /= grid.unit
    added: Array = by_block.reshape(n_blocks, size, -1).astype(np.int64).sum(axis=0).reshape(*shape, -1)
    return added


def _blocks(Z: Array, columns: Array | None, selected: Array) -> Array:
    """The selected columns and the ones, (R, s + 1, n); `columns` is Z transposed, or None for large data."""
    n_starts, p = len(selected), Z.shape[1] - 1
    chosen = np.concatenate([selected, np.full((n_starts, 1), p)], axis=1)
    if columns is not None:
        return columns.take(chosen, axis=0)
    return Z.take(chosen.ravel(), axis=1).reshape(len(Z), n_starts, -1).transpose(1, 2, 0)


def _assign_all(blocks: Array, theta: Array, reach: Array) -> Labels:
    """Nearest sparse centre of each row, (R, n); `reach` (R, s) bounds the selected columns."""
    n_clusters = theta.shape[1]
    scores = score_coefficients(theta) @ blocks
    small = np.min_scalar_type(-n_clusters)
    best = scores[:, 0].copy()
    labels = np.zeros(best.shape, dtype=small)
    for k in range(1, n_clusters):
        better = scores[:, k] < best
        np.minimum(best, scores[:, k], out=best)
        np.maximum(labels, np.multiply(better, k, dtype=small), out=labels)
    labels = labels.astype(np.int32)
    # One margin for all rows of a start: no row is longer than the reach of its columns.
    longest = np.sqrt(np.square(theta.astype(np.float64)).sum(axis=2).max(axis=1))
    margin = doubt(theta, np.sqrt(np.square(reach).sum(axis=1)) + longest).astype(best.dtype)
    best += margin[:, None]
    near = scores <= best[:, None]
    # Every best score is near to itself; no more marks than that mean no ties.
    if np.count_nonzero(near) == best.size:
        return labels
    for r in np.flatnonzero(np.count_nonzero(near, axis=(1, 2)) > best.shape[1]).tolist():
        rows = np.flatnonzero(np.count_nonzero(near[r], axis=0) > 1)
        # A doubt of 0 suffices, because `decide` compares in double precision by itself.
        labels[r, rows] = Ties(theta[r], 0.0, rows_of(blocks[r].T)).decide(rows)
    return labels


def winsorized(source: ArraySource, width: float) -> tuple[ArraySource, tuple[Array, Array]]:
    """The rows within the limits of their columns, and these."""
    X = source.dense()
    limits = winsorizing_limits(X, source.weights, width)
    if source.levels is not None:
        limits[0][source.levels], limits[1][source.levels] = -np.inf, np.inf
    return source.replaced(np.clip(X, *limits)), limits

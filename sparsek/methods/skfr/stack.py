"""The starts of SKFR: compiled, one at a time, or for small data all at once, stacked.

With few rows, the cost of a start without numba is the number of array calls, not arithmetic. Stacking R
starts replaces R calls by one: R partitions are treated as one of R * n_clusters clusters, and the data are
read once for all. Starts that have converged leave the stack.

Measured with ``python validation/benchmarks/methods/skfr.py stack``: one by one, twenty starts from random
labels take 1.8 times as long at n = 150, 2.0 to 2.1 times at n = 400 and 1000, 1.4 times at (300, 1000).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from sparsek.engine import compiles_if
from sparsek.methods.rows.array import ArrayRows
from sparsek.methods.shared.loop import FitResult, run_all
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.single_moves import descend
from sparsek.methods.shared.sums import (
    Array,
    ClusterSums,
    Labels,
    Ties,
    added_gains,
    doubt,
    exact_sums,
    largest,
    nonzero,
    rows_of,
    score_coefficients,
    select_columns,
)
from sparsek.methods.skfr import literal
from sparsek.methods.skfr.algorithm import Selection, skfr, sparse_means
from sparsek.methods.skfr.forms import Form
from sparsek.numerics.exact_sums import BLOCK_ROWS, Grid, reach_of, sum_grid
from sparsek.numerics.loops import masses, readable

STACK_ENTRIES = 2_000_000
"""Most entries of a stacked array (scored data or cluster sums); beyond, single starts are as fast."""
MIN_TOGETHER = 16
"""If fewer starts than this fit in a stack, single starts are as fast."""
WIDE = 64
"""With more selected features than this, matrix products are faster than loops, compiled."""
TRANSPOSED_ENTRIES = 2_000_000
"""Data of up to this many entries get a transposed copy, from which columns are gathered faster."""


def run_plain(Z: Array, starts: Iterable[Labels], form: Form) -> list[FitResult[Selection]]:
    """Every start under the squared loss on complete data: compiled, in stacks or one by one."""
    single = isinstance(starts, list) and len(starts) == 1
    if not form.local and compiles_if(form.n_selected <= WIDE):
        return run_all(partial(run_compiled, Z, form=form, keep_sums=single), starts, form.n_jobs)
    together = 1 if form.local else stack_size(Z.shape, form.n_clusters, form.n_selected)
    if isinstance(starts, list) and single:
        return [run_single(Z, starts[0], form, keep_sums=True)]
    if together == 1:
        return run_all(partial(run_single, Z, form=form), starts, form.n_jobs)
    results: list[FitResult[Selection]] = []
    remaining = iter(starts)
    while some := list(islice(remaining, together)):
        results += skfr_stack(Z, some, form) if len(some) > 1 else [run_single(Z, some[0], form)]
    return results


def run_single(Z: Array, labels: Labels, form: Form, keep_sums: bool = False) -> FitResult[Selection]:
    """One start on its own."""
    rank = partial(sparse_means, n_selected=form.n_selected, local=form.local)
    rows = ArrayRows(Z, labels, form.n_clusters, form.weights, form.grid)
    return skfr(rows, rank, tss=form.total, max_iter=form.max_iter, keep_sums=keep_sums)


def run_compiled(Z: Array, labels: Labels, form: Form, keep_sums: bool = False) -> FitResult[Selection]:
    """One start of SKFR1 by the literal algorithm, compiled."""
    return run_literal(literal.skfr1.compiled, Z, labels, form, keep_sums)


def run_literal(
    skfr1: Callable[..., Any],
    X: Array,
    labels: Labels,
    form: Form,
    keep_sums: bool = False,
    scaling: Scaling | None = None,
) -> FitResult[Selection]:
    """One start by the literal algorithm, compiled or not; `scaling` prepares the rows, None: they are."""
    n, k, s, reach = len(X), form.n_clusters, form.n_selected, reach_of_rows(X, form)
    grid, p = sum_grid(reach, n, form.weights), len(reach)
    labels, selected, centers = labels.copy(), np.empty(s, np.intp), np.empty((k, s), X.dtype)
    whole, eps = np.empty((k, p + 1), np.int64), float(np.finfo(X.dtype).eps)
    scale = (np.empty(0, X.dtype),) * 4 if scaling is None else scaling.for_loops()
    rows = readable(X), scale, reach
    limits = form.total, form.max_iter
    history, converged, before = skfr1(
        *rows, masses(form.weights, n), labels, *limits, selected, centers, eps, grid.unit, grid.magic, whole
    )
    sums = ClusterSums(before, grid.values(whole), whole=whole) if keep_sums else None
    found = Selection(before, selected, selected, centers, float(history[-1]), None, sums)
    return FitResult(labels, found, tuple(history.tolist()), converged)


def full_sums(Z: Array, labels: Labels, form: Form) -> ClusterSums:
    """Exact cluster sums of a partition."""
    rounded = form.grid is not None
    return exact_sums(Z, labels, form.n_clusters, sums_grid(Z, form), form.weights, rounded)


def sums_grid(Z: Array, form: Form) -> Grid:
    """Units of the cluster sums."""
    return sum_grid(reach_of_rows(Z, form), len(Z), form.weights)


def reach_of_rows(Z: Array, form: Form) -> Array:
    """Largest absolute value of each column but the ones."""
    return reach_of(Z)[:-1] if form.grid is None else form.grid.reach


def improve(Z: Array, form: Form, best: FitResult[Selection]) -> FitResult[Selection] | None:
    """The start that goes on from moves of single rows in the selected features; None if no row moves."""
    columns = best.params.columns
    used = (best.params.selected[:, :, None] == columns).any(axis=1) if form.local else None
    block = select_columns(Z, columns, None)
    labels = descend(block, best.labels, form.n_clusters, form.weights, used)
    return None if np.array_equal(labels, best.labels) else run_plain(Z, [labels], form)[0]


def stack_size(shape: tuple[int, ...], n_clusters: int, n_selected: int) -> int:
    """Number of starts for which a stack on data of this shape is faster; 1 if a stack is not."""
    n, p = shape
    together = STACK_ENTRIES // max(n * max(n_selected, n_clusters), n_clusters * p)
    return together if together >= MIN_TOGETHER else 1


def skfr_stack(Z: Array, starts: list[Labels], form: Form) -> list[FitResult[Selection]]:
    """SKFR1 from every start at once: the steps of `sparsek.methods.skfr.algorithm.skfr`.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data.
    starts : list of ndarray of shape (n,), int32
        Initial labels.
    form : Form
        Sizes, limit, sample weights and total sum of squares.

    Returns
    -------
    list of FitResult
        In the order of the starts.
    """
    n_clusters, max_iter = form.n_clusters, form.max_iter
    columns = np.ascontiguousarray(Z.T) if Z.size <= TRANSPOSED_ENTRIES else None
    labels = np.array(starts)
    active = np.arange(len(starts))
    explained = np.empty((min(max_iter, 64), len(starts)))  # doubled when full
    results: list[Any] = [None] * len(starts)
    grid, reach = sums_grid(Z, form), reach_of_rows(Z, form)
    terms = _terms(Z, form, grid)
    sums = _full_sums(terms, labels, grid, n_clusters)
    for iteration in range(1, max_iter + 1):
        if iteration > len(explained):
            explained = np.concatenate([explained, np.empty_like(explained)])
        values = sums if len(Z) <= BLOCK_ROWS else grid.values(sums)
        selected, theta, explained[iteration - 1, active] = _rank_all(values, form.n_selected)
        theta = theta.astype(Z.dtype)
        new = _assign_all(_blocks(Z, columns, selected), theta, reach[selected])
        moved = new != labels
        done = ~moved.any(axis=1)
        for i in np.flatnonzero(done | (iteration == max_iter)).tolist():
            history = tuple((form.total - explained[:iteration, active[i]]).tolist())
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


def _terms(Z: Array, form: Form, grid: Grid) -> Array:
    """The rows times their weights, rounded to the units of the cluster sums; Z itself where it is that."""
    weights = form.weights
    if weights is None and form.grid is not None and Z.dtype == np.float64:
        return Z
    terms = Z.astype(np.float64) if weights is None else Z * weights.astype(np.float64)[:, None]
    grid.round(terms)
    return terms


def _full_sums(terms: Array, labels: Labels, grid: Grid, n_clusters: int) -> Array:
    """Cluster sums (R, k, p + 1), see `_added`, of labels (R, n); rows are read once for all."""
    n_starts, n = labels.shape
    clusters = labels + n_clusters * np.arange(n_starts, dtype=np.int32)[:, None]
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
    return by_block.reshape(n_blocks, size, -1).astype(np.int64).sum(axis=0).reshape(*shape, -1)


def _rank_all(sums: Array, n_selected: int) -> tuple[Array, Array, Array]:
    """Selected features (R, s), centres there (R, k, s) and explained sums of squares (R,)."""
    gains = added_gains(sums)
    gains[np.count_nonzero(sums[:, :, -1], axis=1) == 1] = 0
    selected = largest(gains, n_selected)
    explained = np.take_along_axis(gains, selected, axis=1).sum(axis=1, dtype=np.float64)
    theta = np.take_along_axis(sums, selected[:, None, :], axis=2)
    theta /= nonzero(sums[:, :, -1])[:, :, None]
    return selected, theta, explained


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
    longest = np.sqrt(np.square(theta.astype(np.float64)).sum(axis=2).max(axis=1))
    margin = doubt(theta, np.sqrt(np.square(reach).sum(axis=1)) + longest).astype(best.dtype)
    best += margin[:, None]
    near = scores <= best[:, None]
    if np.count_nonzero(near) == best.size:
        return labels
    for r in np.flatnonzero(np.count_nonzero(near, axis=(1, 2)) > best.shape[1]).tolist():
        rows = np.flatnonzero(np.count_nonzero(near[r], axis=0) > 1)
        labels[r, rows] = Ties(theta[r], 0.0, rows_of(blocks[r].T)).decide(rows)
    return labels

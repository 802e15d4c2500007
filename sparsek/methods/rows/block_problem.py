"""A fit to rows that are read block by block: column statistics, random sample, given starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sparsek.methods.rows.blocks import dense_steps, refuse_extremes
from sparsek.methods.rows.files.readers import Subset
from sparsek.methods.rows.input import Plan
from sparsek.methods.rows.local import LocalRows, Passes, Source, block_moments
from sparsek.methods.rows.problem import RowProblem, StartRequest
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.rows.sample import sample_rows
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.starts.given import given_start
from sparsek.numerics.exact_sums import Moments


def kept_moments(source: Source, weights: Array | None, kept: Array) -> Moments:
    """Column statistics of the rows kept, in two passes over all rows.

    Parameters
    ----------
    source : Source
        All rows.
    weights : ndarray of shape (n_kept,) or None
        Their weights.
    kept : ndarray of bool, shape (n,)
        Mask of the rows kept.

    Returns
    -------
    Moments
        In float64.

    Raises
    ------
    ValueError
        For a column whose squares overflow.
    """

    def blocks() -> Iterator[tuple[slice, Array]]:
        done, everything = 0, bool(kept.all())
        for start, X in source.blocks():
            rows = X if everything else X[kept[start : start + len(X)]]
            if len(rows):
                yield slice(done, done + len(rows)), rows
                done += len(rows)

    found = block_moments(blocks, weights)
    refuse_extremes(found.squares, found.top, found.bottom)
    return found


def block_problem(
    everything: Source,
    weights: Array | None,
    kept: Array,
    scaling: Scaling,
    column_total: Array,
    n_clusters: int,
    plan: Plan,
) -> RowProblem:
    """The `RowProblem` of the rows kept, in these coordinates; all its labelled rows share one cache."""
    source: Source = everything if kept.all() else Subset(everything, kept)
    steps = dense_steps(scaling, n_clusters, source.shape[0], weights)
    passes = Passes(source, steps, plan.cache, weights, plan.taken_entries)

    def rows(labels: Labels | None) -> LocalRows:
        return LocalRows(passes, labels)

    return RowProblem(source, weights, scaling, column_total, rows)


def labels_from(problem: RowProblem, metric: Metric, centers: Array) -> Labels:
    """Labels of the nearest centres; the columns of the distance are kept if there is memory for them."""
    narrow = problem.rows(None).narrowed(metric, None)
    narrow.assign(centers)
    labels: Labels = narrow.labels
    return labels


def draw_sample(
    source: Source, weights: Array | None, n_clusters: int, random_state: Any, entries: float
) -> tuple[Array, Array | None]:
    """Rows drawn at random, ascending, and their weights."""
    chosen = sample_rows(*source.shape, n_clusters, check_random_state(random_state), entries)
    return source.take(chosen), None if weights is None else weights[chosen]


def start_labels(source: Source, scaling: Scaling, given: Array) -> Labels:
    """Given labels (n,) unchanged; for prepared centres (n_clusters, p) the nearest ones, in one pass."""
    if given.ndim == 1:
        return given
    steps = dense_steps(scaling, len(given), source.shape[0], None)
    metric = Metric(np.arange(given.shape[1]))
    compared = steps.compared(metric, given)
    labels = np.empty(source.shape[0], np.int32)
    for start, X in source.blocks():
        labels[start : start + len(X)] = steps.nearest(steps.operand(X, metric), compared)
    return labels


def given_block_start(source: Source, scaling: Scaling, wanted: StartRequest) -> Array:
    """Labels (n,) of the rows kept, or prepared centres (n_clusters, p), as `init` gives them.

    Parameters
    ----------
    source : Source
        The rows kept.
    scaling : Scaling
        The map to prepared coordinates.
    wanted : StartRequest
        Request whose `init` holds labels, row numbers or centres.

    Returns
    -------
    ndarray
        One dimension: labels; two: centres.
    """

    def take(positions: Array) -> Array:
        order = np.argsort(positions)
        centers = np.empty((len(positions), source.shape[1]), source.dtype)
        centers[order] = source.take(positions[order])
        return scaling.apply(centers)[:, :-1]

    def scale(centers: Array) -> Array:
        centers = centers.astype(source.dtype)
        return centers if wanted.is_scaled else scaling.apply(centers)[:, :-1]

    return given_start(wanted.init, wanted.kept, wanted.n_clusters, source.shape[1], take, scale)

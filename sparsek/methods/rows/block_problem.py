"""Fits of SKFR and SparseKMeans to rows that are read block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sparsek.methods.rows.blocks import DenseSteps, Metric, Moments, block_moments
from sparsek.methods.rows.files.readers import Reader, Subset
from sparsek.methods.rows.input import Plan, check_block
from sparsek.methods.rows.local import LocalRows, Source
from sparsek.methods.rows.problem import RowProblem, fit_ranking, fit_weights
from sparsek.methods.rows.sample import ranking_start, sample_rows, weights_start
from sparsek.methods.shared.base import resolve_l1_bound
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.starts.by_name import kept_positions
from sparsek.numerics.threads import thread_control


def fit_block_ranking(model: Any, reader: Reader, sample_weight: ArrayLike | None) -> Any:
    """SKFR's `fit` by blocks."""
    model._check_parameters()
    defaults = {"winsorize": None, "loss": "squared", "projection": None, "anneal": False}
    model._refuse_for_blocks(reader, defaults | {"missing": "observed"})
    weights, kept = model._validate_blocks(reader, sample_weight)
    model._check_sizes(reader.shape[1], weights, stacklevel=5)
    plan = model._plan(reader)
    with thread_control().limit(limits=1):
        moments = checked_moments(reader, weights, kept)
        scaling, total = moments.scaling(reader.dtype, model.standardize, model.ddof)
        problem = block_problem(reader, weights, kept, scaling, total, model.n_clusters, plan)
        if isinstance(model.init, str) or callable(model.init):
            sample, some = draw_sample(model, problem.source, weights, plan.sample_entries)
            start = labels_from(problem, *ranking_start(model, sample, scaling, some))
        else:
            raw = model.standardize and model.init_on == "raw"
            scale = moments.scaling(reader.dtype, False)[0] if raw else scaling
            given = given_start(model, problem.source, kept, scale, model.standardize and not raw)
            start = start_labels(problem.source, scale, given)
        best = fit_ranking(model, problem, [start])
    model.labels_ = model._all_labels(reader, best.labels, kept)
    return model


def fit_block_weights(model: Any, reader: Reader, sample_weight: ArrayLike | None) -> Any:
    """SparseKMeans' `fit` by blocks."""
    model._refuse_for_blocks(reader, {})
    weights, kept = model._validate_blocks(reader, sample_weight)
    model.l1_bound_ = resolve_l1_bound(model.l1_bound, reader.shape[1])
    plan = model._plan(reader)
    drawn = isinstance(model.init, str) or callable(model.init)
    with thread_control().limit(limits=1):
        moments = checked_moments(reader, weights, kept)
        scaling, total = moments.scaling(reader.dtype, False)
        problem = block_problem(reader, weights, kept, scaling, total, model.n_clusters, plan)
        if drawn:
            sample, some = draw_sample(model, problem.source, weights, plan.sample_entries)
            start = labels_from(problem, *weights_start(model, sample, scaling, some))
        else:
            start = start_labels(problem.source, scaling, given_start(model, problem.source, kept, scaling))
        best = fit_weights(model, problem, [start], refine=drawn)
    model.labels_ = model._all_labels(reader, best.labels, kept)
    return model


def checked_moments(reader: Reader, weights: Array | None, kept: Array) -> Moments:
    """Column statistics of the rows kept, in one pass, which also finds what is no finite number.

    Parameters
    ----------
    reader : Reader
        All rows.
    weights : ndarray of shape (n_kept,) or None
        Their weights.
    kept : ndarray of bool, shape (n,)
        Which rows count.

    Returns
    -------
    Moments
        In float64.

    Raises
    ------
    ValueError
        For an entry that is missing or infinite, and for a column whose squares overflow.
    """
    found: Moments | None = None
    done, everything = 0, bool(kept.all())
    for start, X in reader.blocks():
        if not everything:
            check_block(X, start, reader, allow_nan=False)
        rows = X if everything else X[kept[start : start + len(X)]]
        if not len(rows):
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            part = block_moments(rows, None if weights is None else weights[done : done + len(rows)])
            found = part if found is None else found.merge(part)
        if not np.isfinite(part.squares).all():
            check_block(X, start, reader, allow_nan=False)
        done += len(rows)
    assert found is not None  # there is a row for every cluster
    if not np.isfinite(found.squares).all():
        column = int(np.argmin(np.isfinite(found.squares)))
        size = max(abs(found.top[column]), abs(found.bottom[column]))
        raise ValueError(f"the squares of column {column} overflow, whose size is {size:.3g}; rescale it")
    return found


def block_problem(
    reader: Reader,
    weights: Array | None,
    kept: Array,
    scaling: Scaling,
    column_total: Array,
    n_clusters: int,
    plan: Plan,
) -> RowProblem:
    """What the fits need of the rows kept, in these coordinates; there is one start, and one cache."""
    source: Source = reader if kept.all() else Subset(reader, kept)
    labelled = LocalRows(
        source, DenseSteps(scaling, n_clusters), plan.cache, None, weights, plan.taken_entries
    )

    def rows(labels: Labels | None) -> LocalRows:
        if labels is not None:
            labelled.labels = labels
        return labelled

    return RowProblem(source, weights, scaling, column_total, rows)


def labels_from(problem: RowProblem, metric: Metric, centers: Array) -> Labels:
    """Labels of the nearest centres; the columns stay at hand, where there is memory for them."""
    rows = problem.rows(None)
    rows.assign(metric, centers, metric.columns)
    labels: Labels = rows.labels
    return labels


def draw_sample(
    model: Any, source: Source, weights: Array | None, entries: float
) -> tuple[Array, Array | None]:
    """Rows drawn at random, ascending, and their weights."""
    rng = check_random_state(model.random_state)
    chosen = sample_rows(*source.shape, model.n_clusters, rng, entries)
    return source.take(chosen), None if weights is None else weights[chosen]


def nearest_labels(source: Source, steps: DenseSteps, metric: Metric, centers: Array) -> Labels:
    """Labels of the nearest centres, in one pass."""
    labels = np.empty(source.shape[0], np.int32)
    for start, X in source.blocks():
        labels[start : start + len(X)] = steps.nearest(steps.operand(X, metric), centers)
    return labels


def start_labels(source: Source, scaling: Scaling, given: Array) -> Labels:
    """Labels from labels (n,) or from prepared centres (n_clusters, p)."""
    if given.ndim == 1:
        return given.astype(np.int32)
    return nearest_labels(source, DenseSteps(scaling, len(given)), Metric(np.arange(given.shape[1])), given)


def given_start(model: Any, source: Source, kept: Array, scaling: Scaling, is_scaled: bool = False) -> Array:
    """Labels (n,) of the rows kept, or prepared centres (n_clusters, p), as `init` gives them.

    Parameters
    ----------
    model : CentroidClusterer
        Its `init`: labels, row numbers or centres.
    source : Source
        The rows kept.
    kept : ndarray of bool, shape (n_samples,)
        Which of the rows given they are.
    scaling : Scaling
        The map to prepared coordinates.
    is_scaled : bool
        Centres are given in these coordinates, not in units of the data.

    Returns
    -------
    ndarray
        One dimension: labels; two: centres.
    """
    rows = np.asarray(model.init)
    if rows.shape == (model.n_clusters,) != kept.shape and np.issubdtype(rows.dtype, np.integer):
        positions = kept_positions(rows, kept)
        order = np.argsort(positions)
        centers: Array = np.empty((len(rows), source.shape[1]), source.dtype)
        centers[order] = source.take(positions[order])
        return scaling.apply(centers)[:, :-1]
    given: Array = model._checked_init(model.init, kept, source.shape[1])
    if given.ndim == 1:
        return given
    given = given.astype(source.dtype)
    return given if is_scaled else scaling.apply(given)[:, :-1]

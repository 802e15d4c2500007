"""The forms of SKFR behind one door: squared or absolute loss, complete or partial data, projected means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from sparsek.methods.shared.loop import FitResult, run_all
from sparsek.methods.shared.scaling import Scaling, column_squares, prepare
from sparsek.methods.shared.sums import Array, Labels, cluster_sums
from sparsek.methods.skfr.algorithm import skfr, sparse_means
from sparsek.methods.skfr.median import column_medians, skfr_median
from sparsek.methods.skfr.missing import PartialData, pack, skfr_filled, skfr_observed
from sparsek.methods.skfr.projection import Projection, projected_kmeans
from sparsek.methods.skfr.stack import skfr_stack, stack_size

MAD_TO_SD = 1.4826
"""The standard deviation of normal data is this many median absolute deviations."""
ANNEAL_STEPS = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """Prepared data of one fit.

    Attributes
    ----------
    Z : ndarray of shape (n, p + 1)
        Standardised columns with 0 in the holes, ones last.
    scaling : Scaling
        The map from the data to Z.
    partial : PartialData or None
        The data with holes.
    column_total : ndarray of shape (p,)
        Sum of squares of each column, or of absolute values under the absolute loss.
    """

    Z: Array
    scaling: Scaling
    partial: PartialData | None
    column_total: Array


@dataclass(frozen=True, slots=True)
class Inputs:
    """Checked data of one fit.

    Attributes
    ----------
    data : ndarray of shape (n, p)
        The rows of positive weight, winsorised.
    weights : ndarray of shape (n,) or None
        Their weights.
    kept : ndarray of bool, shape (n_samples,)
        Which of the rows given they are.
    problem : Problem
        The same, standardised.
    """

    data: Array
    weights: Array | None
    kept: Array
    problem: Problem


@dataclass(frozen=True, slots=True)
class Form:
    """What is minimised, and how.

    Attributes
    ----------
    n_clusters, n_selected, max_iter : int
        Sizes and limit.
    local : bool
        Features per cluster.
    weights : ndarray of shape (n,) or None
        Sample weights.
    total : float
        Loss of all centres at the origin.
    absolute : bool
        Absolute loss.
    fill : bool
        On partial data, fill the holes instead of leaving them out.
    project : callable or None
        Projection of the means instead of a ranking.
    n_jobs : int or None
        Threads over starts.
    """

    n_clusters: int
    n_selected: int
    max_iter: int
    local: bool
    weights: Array | None
    total: float
    absolute: bool
    fill: bool
    project: Projection | None
    n_jobs: int | None


@dataclass(frozen=True, slots=True)
class Solution:
    """Features and centres of the best start.

    Attributes
    ----------
    selected : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features.
    columns : ndarray of shape (m,)
        Their union.
    centers : ndarray of shape (n_clusters, m)
        Centres there.
    gains : ndarray of shape (n_clusters, p)
        What each cluster explains of each feature.
    """

    selected: Array
    columns: Array
    centers: Array
    gains: Array


def prepare_problem(
    X: Array, weights: Array | None, *, standardize: bool, ddof: int, absolute: bool
) -> Problem:
    """Centre at means (medians under the absolute loss) and standardise by what is observed."""
    holes = np.isnan(X)
    if holes.any():
        return _prepare_partial(X, holes, weights, standardize, ddof)
    Z, scaling = prepare(X, weights, standardize=standardize, ddof=ddof, by_column=standardize)
    if not absolute:
        return Problem(Z, scaling, None, column_squares(Z, weights))
    medians, deviations = column_medians(Z[:, :-1], weights)
    Z[:, :-1] -= medians
    moved = replace(scaling, offset=(scaling.offset + medians * scaling.spread).astype(X.dtype))
    return Problem(Z, moved, None, deviations.astype(np.float64))


def _prepare_partial(X: Array, holes: Array, weights: Array | None, standardize: bool, ddof: int) -> Problem:
    """Standardise by the observed entries of each column; a column without any becomes zeros."""
    w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
    counts = w @ ~holes
    safe = np.where(counts > 0, counts, 1)
    filled = np.where(holes, 0, X)
    offset = (w @ filled) / safe
    centred = np.where(holes, 0, X - offset)
    centred -= np.where(holes, 0, (w @ centred) / safe)
    squares = w @ centred**2
    spread = np.ones(X.shape[1])
    varying = squares > (64 * np.finfo(X.dtype).eps * offset) ** 2 * safe
    if standardize:
        spread[varying] = np.sqrt(squares[varying] / np.maximum(counts[varying] - ddof, 1))
    centred[:, ~varying] = 0
    Z = np.ones((len(X), X.shape[1] + 1), dtype=X.dtype)
    Z[:, :-1] = centred / spread
    scaling = Scaling(np.ones(X.shape[1], X.dtype), offset.astype(X.dtype), spread.astype(X.dtype))
    packed = pack(np.where(holes, np.nan, Z[:, :-1]), weights)
    return Problem(Z, scaling, packed, column_squares(Z, weights))


def run_starts(problem: Problem, starts: Iterable[Labels], form: Form, anneal: bool) -> list[FitResult[Any]]:
    """Every start; with `anneal`, through decreasing numbers of features, each begun where the last ended."""
    p = problem.Z.shape[1] - 1
    if anneal and form.project is None and form.n_selected < p:
        steps = np.geomspace(p, form.n_selected, ANNEAL_STEPS).round().astype(int)[:-1]
        for size in dict.fromkeys(steps.tolist()):
            starts = [result.labels for result in _run(problem, starts, replace(form, n_selected=size))]
    return _run(problem, starts, form)


def _run(problem: Problem, starts: Iterable[Labels], form: Form) -> list[FitResult[Any]]:
    """Every start in one form: stacked where the data are small, else one by one."""
    common: dict[str, Any] = {
        "n_clusters": form.n_clusters,
        "weights": form.weights,
        "max_iter": form.max_iter,
    }
    numbers = {**common, "n_selected": form.n_selected}
    run: Callable[[Labels], FitResult[Any]]
    if form.project is not None:
        run = partial(projected_kmeans, problem.Z, project=form.project, tss=form.total, **common)
    elif problem.partial is not None:
        fit = skfr_filled if form.fill else skfr_observed
        run = partial(fit, problem.partial, local=form.local, **numbers)
    elif form.absolute:
        run = partial(skfr_median, problem.Z[:, :-1], local=form.local, **numbers)
    else:
        run = partial(skfr, problem.Z, local=form.local, tss=form.total, **numbers)
        together = 1 if form.local else stack_size(problem.Z.shape, form.n_clusters, form.n_selected)
        if together > 1:
            stack = partial(skfr_stack, problem.Z, tss=form.total, **numbers)
            return _run_stacks(run, stack, iter(starts), together)
    return run_all(run, starts, form.n_jobs)


def _run_stacks(
    single: Callable[[Labels], FitResult[Any]],
    stack: Callable[[list[Labels]], list[FitResult[Any]]],
    starts: Iterator[Labels],
    together: int,
) -> list[FitResult[Any]]:
    """Every start, so many at a time."""
    results: list[FitResult[Any]] = []
    while some := list(islice(starts, together)):
        results += stack(some) if len(some) > 1 else [single(some[0])]
    return results


def solve(problem: Problem, best: FitResult[Any], form: Form) -> Solution:
    """Features and centres of the best start."""
    params = best.params
    if form.project is not None:
        columns = np.flatnonzero((params.centers != 0).any(axis=0))
        columns = columns if len(columns) else np.arange(1)
        return Solution(columns, columns, params.centers[:, columns], params.gains)
    if problem.partial is not None or form.absolute:
        return Solution(params.selected, params.columns, params.centers, params.gains)
    # Once more in full, free of the rounding of incremental sums.
    sums = cluster_sums(problem.Z, params.labels, form.n_clusters, form.weights)
    selected, columns, theta, _ = sparse_means(sums, form.n_selected, form.local)
    return Solution(selected, columns, theta, sums.gains)


def winsorizing_limits(X: Array, width: float) -> tuple[Array, Array]:
    """Median -+ width robust standard deviations of each column; no limits where half the values are
    equal."""
    median = np.nan_to_num(_nanmedian(X))
    spread = MAD_TO_SD * np.nan_to_num(_nanmedian(np.abs(X - median)))
    reach = np.where(spread > 0, width * spread, np.inf)
    return (median - reach).astype(X.dtype), (median + reach).astype(X.dtype)


def _nanmedian(X: Array) -> Array:
    """Column medians of the observed entries; NaN for a column without any, silently."""
    if not np.isnan(X).any():
        return np.median(X, axis=0)
    empty = np.isnan(X).all(axis=0)
    return np.where(empty, np.nan, np.nanmedian(np.where(empty, 0, X), axis=0))

"""The variants of SKFR: absolute loss, partially observed data, projected means, annealing, winsorising."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sparsek.methods.rows.local import array_rows
from sparsek.methods.rows.partial import ObservedRows, PartialData, pack
from sparsek.methods.rows.source import ArraySource
from sparsek.methods.shared.loop import FitResult, run_all
from sparsek.methods.shared.scaling import Scaling, column_squares, prepare, safe_unit
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.skfr.algorithm import Selection, skfr
from sparsek.methods.skfr.bregman import (
    BregmanData,
    BregmanRows,
    Divergence,
    bregman_data,
    column_totals,
    rank_bregman,
    stabilized,
)
from sparsek.methods.skfr.median import (
    MedianRows,
    absolute_sizes,
    column_medians,
    observed_medians,
    rank_medians,
)
from sparsek.methods.skfr.missing import rank_observed, skfr_filled
from sparsek.methods.skfr.projection import Projection, rank_projected
from sparsek.numerics.exact_sums import Grid, reach_of

MAD_TO_SD = 1.4826
"""The standard deviation of normal data is this many median absolute deviations."""
ANNEAL_STEPS = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """Prepared data of one fit.

    Attributes
    ----------
    Z : ndarray of shape (n, p + 1)
        Standardised columns with 0 in missing entries (holes), ones last.
    scaling : Scaling
        The map from the data to Z.
    partial : PartialData or None
        The data with their missing entries; None if complete.
    column_total : ndarray of shape (p,)
        Sum of squares of each column, or of absolute values under the absolute loss, or of divergences from
        its mean.
    bregman : BregmanData or None
        The data under a Bregman divergence; Z then serves the starts only, and the map is to differences from
        the overall means.
    """

    Z: Array
    scaling: Scaling
    partial: PartialData | None
    column_total: Array
    bregman: BregmanData | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """Data of one fit in another form than the plain one.

    Attributes
    ----------
    source : ArraySource
        The rows of positive weight, winsorised.
    prepared : Problem
        The standardised data.
    """

    source: ArraySource
    prepared: Problem

    @property
    def scaling(self) -> Scaling:
        """The map from the data to prepared coordinates."""
        return self.prepared.scaling

    @property
    def column_total(self) -> Array:
        """Loss of each column at the origin."""
        return self.prepared.column_total

    @property
    def tss(self) -> float:
        """Loss of all centres at the origin."""
        return float(self.prepared.column_total.sum())


@dataclass(frozen=True, slots=True)
class Form:
    """The variant of SKFR to fit: loss, sizes and options.

    Attributes
    ----------
    n_clusters, n_selected, max_iter : int
        Sizes and limit.
    local : bool
        Whether each cluster has its own features.
    weights : ndarray of shape (n,) or None
        Sample weights.
    total : float
        Loss of all centres at the origin.
    n_jobs : int or None
        Threads over starts.
    absolute : bool
        Absolute loss.
    fill : bool
        Whether to fill missing entries instead of leaving them out.
    project : callable or None
        Projection of the means that replaces the ranking.
    """

    n_clusters: int
    n_selected: int
    max_iter: int
    local: bool
    weights: Array | None
    total: float
    n_jobs: int | None
    absolute: bool = False
    fill: bool = False
    project: Projection | None = None


def prepare_absolute(X: Array, weights: Array | None, *, standardize: bool, ddof: int) -> Problem:
    """Standardise complete data and centre the columns at their medians."""
    Z, scaling = prepare(X, weights, standardize=standardize, ddof=ddof, by_column=standardize)
    medians, deviations = column_medians(Z[:, :-1], weights)
    Z[:, :-1] -= medians
    offset = (scaling.offset + medians * scaling.spread).astype(X.dtype)
    moved = replace(scaling, offset=offset, grid=None)
    return Problem(Z, moved, None, deviations.astype(np.float64))


def prepare_bregman(X: Array, weights: Array | None, divergence: Divergence) -> Problem:
    """The data themselves, their means, and rows for the starts."""
    data = bregman_data(X, weights, divergence)
    ones = np.ones(X.shape[1])
    scaling = Scaling(ones, data.overall, ones)
    return Problem(stabilized(data, weights)[0], scaling, None, column_totals(data, weights), data)


def prepare_partial(X: Array, weights: Array | None, *, standardize: bool, ddof: int) -> Problem:
    """Standardise by the observed entries of each column; a column without any becomes zeros."""
    holes = np.isnan(X)
    top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    unit = safe_unit(np.maximum(top, -bottom), top == bottom, standardize)
    X = X * unit if np.any(unit != 1) else X
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
    grid = Grid.of_rows(reach_of(Z)[:-1], len(Z))
    if Z.dtype == np.float64:
        grid.round(Z[:, :-1])
    scaling = Scaling(unit, offset.astype(X.dtype), spread.astype(X.dtype), grid)
    packed = pack(np.where(holes, np.nan, Z[:, :-1]), weights)
    return Problem(Z, scaling, packed, column_squares(Z, weights))


def run_form(inputs: Inputs, starts: Iterable[Labels], form: Form) -> list[FitResult[Selection]]:
    """The result of every start, in a form that is not plain."""
    problem, grid = inputs.prepared, inputs.scaling.grid
    sizes: dict[str, Any] = {"n_clusters": form.n_clusters, "weights": form.weights}
    ranks: dict[str, Any] = {"n_selected": form.n_selected, "local": form.local}
    total = form.total
    rows: Callable[..., Any]
    rank: Callable[..., Any]
    if problem.bregman is not None:
        rows = partial(BregmanRows, problem.bregman)
        rank = partial(rank_bregman, data=problem.bregman, **ranks)
    elif problem.partial is not None:
        if form.fill:
            filled = partial(skfr_filled, problem.partial, max_iter=form.max_iter, **sizes, **ranks)
            return run_all(filled, starts, form.n_jobs)
        rows = partial(ObservedRows, problem.partial, grid=grid)
        rank = partial(rank_observed, **ranks)
        total = problem.partial.tss
    elif form.absolute:
        Z = problem.Z[:, :-1]
        rows, rank = partial(MedianRows, Z), partial(rank_medians, **ranks)
        total = float(absolute_sizes(Z, form.weights).sum(dtype=np.float64))
    else:
        assert form.project is not None  # otherwise the form would be plain
        rows, rank = (
            partial(array_rows, problem.Z, grid=grid),
            partial(rank_projected, project=form.project),
        )

    def run(labels: Labels) -> FitResult[Selection]:
        labelled: Any = rows(labels=labels, **sizes)
        return skfr(labelled, rank, tss=total, max_iter=form.max_iter)

    return run_all(run, starts, form.n_jobs)


def annealed(
    run: Callable[[Iterable[Labels], Form], list[FitResult[Selection]]],
    starts: Iterable[Labels],
    form: Form,
    p: int,
) -> Iterable[Labels]:
    """Labels after fits with decreasing numbers of features, each started from the labels of the last.

    Parameters
    ----------
    run : callable
        ``run(starts, form)`` runs every start.
    starts : iterable of ndarray of shape (n,), int32
        Initial labels.
    form : Form
        The form with the final number of features, which is not run here.
    p : int
        Number of features of the data: the first size.

    Returns
    -------
    iterable of ndarray of shape (n,), int32
        Labels for the last number of features.
    """
    if form.project is not None or form.n_selected >= p:
        return starts
    sizes = np.geomspace(p, form.n_selected, ANNEAL_STEPS).round().astype(int)[:-1]
    for size in dict.fromkeys(sizes.tolist()):
        starts = [result.labels for result in run(starts, replace(form, n_selected=size))]
    return starts


def winsorizing_limits(X: Array, weights: Array | None, width: float) -> tuple[Array, Array]:
    """Median -+ width robust standard deviations of each column; infinite if half the values are equal."""
    top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    unit = safe_unit(np.maximum(top, -bottom), top == bottom, by_column=True)
    X = X * unit if np.any(unit != 1) else X
    median = np.nan_to_num(observed_medians(X, weights))
    spread = MAD_TO_SD * np.nan_to_num(observed_medians(np.abs(X - median), weights))
    reach = np.where(spread > 0, width * spread, np.inf)
    with np.errstate(over="ignore"):  # no limit where it would be beyond the largest number
        return ((median - reach) / unit).astype(X.dtype), ((median + reach) / unit).astype(X.dtype)

"""The starts of a fit to the rows of a source.

Given starts are labels, row numbers or centres. Drawn starts run on all rows of an array or a sparse matrix.
Of rows that are not in memory a random sample is taken, on which the drawn starts run as on an array; the
sparse centres of the best one label all rows, and the fit goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sparsek.methods.rows.problem import RowProblem
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.rows.sample import sample_rows
from sparsek.methods.rows.source import Source
from sparsek.methods.shared.steps import Array, Labels
from sparsek.methods.starts.given import given_start
from sparsek.methods.starts.seeds import each_start, screened_columns, screened_labels


def given_point(problem: RowProblem, init: Any, kept: Array, is_scaled: bool = False) -> Array:
    """Labels (n,) of the rows, or prepared centres (n_clusters, p), as `init` gives them.

    Parameters
    ----------
    problem : RowProblem
        The rows, in the scale of the start.
    init : array-like
        Labels, row numbers or centres.
    kept : ndarray of bool, shape (n_samples,)
        Mask of the rows that take part, among those that `init` speaks of.
    is_scaled : bool
        Whether centres are given in prepared coordinates instead of units of X.
    """

    def scale(centers: Array) -> Array:
        centers = centers.astype(problem.source.dtype)
        return centers if is_scaled else problem.scaling.apply(centers)[:, :-1]

    return given_start(init, kept, problem.n_clusters, problem.source.shape[1], problem.prepared, scale)


def as_labels(problem: RowProblem, point: Array) -> Any:
    """Labels (n,), or those of the nearest of prepared centres, in the form that the rows take."""
    if point.ndim == 1:
        return problem.rows(point).labels
    return problem.nearest(Metric(np.arange(point.shape[1])), point)


def draw_sample(source: Source, n_clusters: int, random_state: Any) -> tuple[Array, Array | None]:
    """Rows drawn at random, ascending, and their weights."""
    assert source.sample_entries is not None  # asked by the caller
    generator = check_random_state(random_state)
    chosen = sample_rows(*source.shape, n_clusters, generator, source.sample_entries)
    return source.take(chosen), None if source.weights is None else source.weights[chosen]


@dataclass(frozen=True, slots=True)
class Seeding:
    """How k-means++ draws the starts.

    Attributes
    ----------
    seeds : ndarray of shape (n_init,)
        Seeds of the generators of the starts.
    power : int
        Rows are drawn with probability proportional to distance ** power; 0 gives equal probabilities.
    n_trials : int
        Rows drawn for each seed, of which the best is taken.
    """

    seeds: Array
    power: int
    n_trials: int


def seeded_starts(problem: RowProblem, seeding: Seeding) -> list[Labels]:
    """Drawn starts on all columns."""
    source: Any = problem.source
    view = source.view(problem.scaling, np.arange(source.shape[1]))
    return screened_labels([view], *_draws(problem, seeding))


def drawn_rows(problem: RowProblem, seeding: Seeding) -> Array:
    """Numbers of the rows drawn on all columns, (n_starts, n_clusters)."""
    source: Any = problem.source
    view = source.view(problem.scaling, np.arange(source.shape[1]))
    clusters, seeds, weights, power, n_trials = _draws(problem, seeding)
    drawn = each_start([view], clusters, seeds, weights, power, n_trials=n_trials)
    return np.array([rows for _, rows in drawn])


def screened_starts(problem: RowProblem, seeding: Seeding, n_selected: int) -> list[Labels]:
    """Screened starts."""
    source: Any = problem.source
    if "order" not in problem.found:  # the columns, the least normal first
        distance = source.normality(problem.scaling, problem.column_total)
        problem.found["order"] = np.argsort(-distance, kind="stable")
    columns = screened_columns(problem.found["order"], n_selected)
    views = [source.view(problem.scaling, some) for some in columns[: len(seeding.seeds)]]
    return screened_labels(views, *_draws(problem, seeding))


def _draws(problem: RowProblem, seeding: Seeding) -> tuple[Any, ...]:
    """The other arguments of `screened_labels`."""
    return problem.n_clusters, seeding.seeds, problem.source.weights, seeding.power, seeding.n_trials

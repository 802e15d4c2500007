"""A fit to rows that are not one dense array: column statistics, starts, labelled rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from sparsek.methods.rows.blocks import block_scaling, refuse_extremes, sparse_steps
from sparsek.methods.rows.local import LocalRows, Passes, Source, block_moments
from sparsek.methods.rows.protocol import Metric, Rows
from sparsek.methods.rows.sparse_starts import sparse_normal_distance, sparse_screened_labels, sparse_view
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.starts.by_name import SEEDINGS
from sparsek.methods.starts.given import given_start
from sparsek.methods.starts.seeds import each_start


class Matrix:
    """A sparse matrix as a source: one block."""

    def __init__(self, X: Any) -> None:
        self.X, self.shape, self.dtype = X, X.shape, X.dtype

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """All rows."""
        yield 0, self.X

    def take(self, rows: Array) -> Any:
        """Some rows."""
        return self.X[rows]


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Checked data of one fit.

    Attributes
    ----------
    source : Source
        The rows of positive weight.
    weights : ndarray of shape (n,) or None
        Their weights.
    scaling : Scaling
        The map to prepared coordinates.
    column_total : ndarray of shape (p,)
        Sum of squares of each prepared column.
    rows : callable
        ``rows(labels)`` gives labelled rows; labels are None if the first `assign` sets them.
    """

    source: Source
    weights: Array | None
    scaling: Scaling
    column_total: Array
    rows: Callable[[Labels | None], Rows]


def sparse_problem(
    X: Any, weights: Array | None, n_clusters: int, standardize: bool, ddof: int
) -> RowProblem:
    """Column statistics of a sparse matrix, and its rows.

    Parameters
    ----------
    X : csr_array of shape (n, p)
        Rows of positive weight.
    weights : ndarray of shape (n,) or None
        Sample weights.
    n_clusters : int
        Number of clusters.
    standardize : bool
        Divide by the standard deviations.
    ddof : int
        The variance divides by sum(weights) - ddof.

    Returns
    -------
    RowProblem
        Statistics and rows for a fit.
    """
    source, by_column = Matrix(X), csc_array(X)
    moments = block_moments(lambda: iter([(slice(0, X.shape[0]), by_column)]), weights)
    refuse_extremes(moments.squares, moments.top, moments.bottom)
    scaling, column_total = block_scaling(moments, X.shape[0], X.dtype, standardize, ddof)
    steps = sparse_steps(scaling, n_clusters, X, weights)

    def rows(labels: Labels | None) -> LocalRows:
        return LocalRows(Passes(source, steps, np.inf, weights), labels)

    return RowProblem(source, weights, scaling, column_total, rows)


@dataclass(frozen=True, slots=True)
class StartRequest:
    """The starts that an estimator asks for.

    Attributes
    ----------
    init : str, array-like or callable
        The parameter `init` of the estimator; a name must be one that draws seeds.
    n_clusters : int
        Number of clusters.
    seeds : ndarray of shape (n_init,)
        Seeds of the generators of the starts.
    power : int
        k-means++ draws with probability proportional to distance ** power; 0 gives equal probabilities.
    kept : ndarray of bool, shape (n_samples,)
        Mask of the given rows that have positive weight.
    is_scaled : bool
        Whether centres are given in prepared coordinates instead of units of X.
    n_trials : int
        Rows drawn for each seed, of which the best is taken.
    """

    init: Any
    n_clusters: int
    seeds: Array
    power: int
    kept: Array
    is_scaled: bool = False
    n_trials: int = 1


def sparse_starts(X: Any, problem: RowProblem, wanted: StartRequest) -> Iterable[Labels]:
    """Initial labels of the rows of a sparse matrix, chosen as for dense ones.

    Parameters
    ----------
    X : csr_array of shape (n, p)
        The rows of positive weight.
    problem : RowProblem
        Statistics of these rows, in the scaling in which starts are chosen.
    wanted : StartRequest
        Starts.

    Returns
    -------
    iterable of ndarray of shape (n,), int32
        One entry per start.
    """
    steps = sparse_steps(problem.scaling, wanted.n_clusters, X, problem.weights)
    everything = Metric(np.arange(X.shape[1]))
    if isinstance(wanted.init, str):
        if wanted.init in SEEDINGS:
            raise ValueError(
                f"init={wanted.init!r} needs dense data; use 'k-means++', or convert X with '.toarray()'"
            )
        views = [sparse_view(steps, X, everything.columns)]
        sizes = {"power": wanted.power, "n_trials": wanted.n_trials}
        drawn = each_start(views, wanted.n_clusters, wanted.seeds, problem.weights, **sizes)
        return [labels for labels, _ in drawn]
    read = partial(
        given_start,
        n_clusters=wanted.n_clusters,
        n_features=X.shape[1],
        take=lambda rows: problem.scaling.apply(X[rows].toarray())[:, :-1],
        scale=lambda centers: _prepared(centers.astype(X.dtype), problem.scaling, wanted.is_scaled),
    )
    if callable(wanted.init):
        everyone = np.ones(X.shape[0], dtype=bool)
        found = [
            read(wanted.init(X, wanted.n_clusters, random_state=int(seed)), everyone) for seed in wanted.seeds
        ]
    else:
        found = [read(wanted.init, wanted.kept)]
    operand = steps.operand(X, everything)
    return [
        start if start.ndim == 1 else steps.nearest(operand, steps.compared(everything, start))
        for start in found
    ]


def screened_starts(X: Any, problem: RowProblem, wanted: StartRequest, n_selected: int) -> Iterable[Labels]:
    """Screened starts on the rows of a sparse matrix; arguments as for `sparse_starts`."""
    distance = sparse_normal_distance(X, problem.scaling, problem.column_total, problem.weights)
    order = np.argsort(-distance, kind="stable")
    steps = sparse_steps(problem.scaling, wanted.n_clusters, X, problem.weights)
    sizes = {"power": wanted.power, "n_trials": wanted.n_trials}
    return sparse_screened_labels(X, steps, order, wanted.seeds, n_selected, problem.weights, **sizes)


def _prepared(centers: Array, scaling: Scaling, is_scaled: bool) -> Array:
    """Centres in prepared coordinates."""
    return centers if is_scaled else scaling.apply(centers)[:, :-1]

"""Fits of SKFR and SparseKMeans to rows that are not one dense array: sparse matrices, and blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from sparsek.methods.rows.blocks import Metric, SparseSteps, make_steps
from sparsek.methods.rows.lloyd import EVERYTHING, NO_LABELS, Rows, skfr_rows, sparse_kmeans_rows
from sparsek.methods.rows.local import LocalRows, Source, source_moments
from sparsek.methods.rows.sparse_starts import sparse_normal_distance, sparse_screened_labels, sparse_view
from sparsek.methods.shared.base import resolve_l1_bound
from sparsek.methods.shared.loop import FitResult, run_all
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, ClusterSums, Labels
from sparsek.methods.skfr.algorithm import sparse_means
from sparsek.methods.skfr.forms import Solution
from sparsek.methods.starts.by_name import SEEDINGS, kept_positions
from sparsek.methods.starts.seeds import each_start
from sparsek.numerics.threads import thread_control

Fit = FitResult[Any]


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
        ``rows(labels)`` gives labelled rows; None for labels that `assign` sets.
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
        What the fits need.
    """
    source = Matrix(X)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = source_moments(source, weights)
    if not np.isfinite(moments.squares).all():
        column = int(np.argmin(np.isfinite(moments.squares)))
        raise ValueError(
            f"the squares of column {column} overflow, whose largest value is {moments.top[column]:.3g}; "
            "rescale it"
        )
    scaling, column_total = moments.scaling(X.dtype, standardize, ddof)
    steps = make_steps(True, scaling, n_clusters)
    return RowProblem(
        source,
        weights,
        scaling,
        column_total,
        lambda labels: LocalRows(source, steps, np.inf, labels, weights),
    )


def fit_sparse_ranking(model: Any, X: Any, sample_weight: ArrayLike | None) -> Any:
    """SKFR's `fit` of a sparse matrix, which is never made dense."""
    model._check_parameters()
    model._refuse_for_sparse()
    data, weights, kept = model._validate_fit(X, sample_weight)
    model._check_sizes(data.shape[1], weights, stacklevel=5)
    data = csr_array(data)
    with thread_control().limit(limits=1):
        problem = sparse_problem(data, weights, model.n_clusters, model.standardize, model.ddof)
        if model._screens():
            screened = model._n_selected(data.shape[1])
            starts = sparse_starts(model, data, problem, kept, model.power, screened)
        elif model.standardize and model.init_on == "raw":
            raw = sparse_problem(data, weights, model.n_clusters, False, model.ddof)
            starts = sparse_starts(model, data, raw, kept, model.power)
        else:
            starts = sparse_starts(model, data, problem, kept, model.power)
        best = fit_ranking(model, problem, starts)
    model.labels_ = model._all_labels(X, best.labels, kept)
    return model


def fit_sparse_weights(model: Any, X: Any, sample_weight: ArrayLike | None) -> Any:
    """SparseKMeans' `fit` of a sparse matrix, which is never made dense; `l1_bound_` is set here."""
    data, weights, kept = model._validate_fit(X, sample_weight)
    model.l1_bound_ = resolve_l1_bound(model.l1_bound, data.shape[1])
    data = csr_array(data)
    with thread_control().limit(limits=1):
        problem = sparse_problem(data, weights, model.n_clusters, False, 1)
        best = fit_weights(model, problem, sparse_starts(model, data, problem, kept, 2))
    model.labels_ = model._all_labels(X, best.labels, kept)
    return model


def fit_ranking(model: Any, problem: RowProblem, starts: Iterable[Labels]) -> Fit:
    """Run SKFR from every start, and set what follows from the best, but for its labels."""
    n_selected, local = model._n_selected(problem.source.shape[1]), model.scope == "local"
    tss = float(problem.column_total.sum())

    def run(labels: Labels) -> Fit:
        rows = problem.rows(labels)
        return skfr_rows(rows, n_selected=n_selected, local=local, tss=tss, max_iter=model.max_iter)

    model._scaling, model._limits, model.tss_ = problem.scaling, None, tss
    results = run_all(run, starts, model.n_jobs)
    best = model._best_start(results, tss, problem.source.dtype)
    rows = problem.rows(best.params.labels)
    # Once more in full, free of the rounding of incremental sums.
    sums = ClusterSums(NO_LABELS, rows.sums(EVERYTHING))
    selected, columns, theta, _ = sparse_means(sums, n_selected, local)
    dtype = problem.source.dtype
    model._store(Solution(selected, columns, theta.astype(dtype), sums.gains), problem.column_total)
    model._finish(results, best)
    scatter = problem.rows(best.labels).scatter(Metric(columns), theta)
    model.inertia_ = float(model._in_square_units(scatter + problem.column_total[~model._support].sum()))
    return best


def fit_weights(model: Any, problem: RowProblem, starts: Iterable[Labels], refine: bool = False) -> Fit:
    """Run sparse k-means from every start, and set what follows from the best, but for its labels."""
    options = {"max_iter": model.max_iter, "tol": model.tol, "refine": refine}

    def run(labels: Labels) -> Fit:
        return sparse_kmeans_rows(problem.rows(labels), l1_bound=model.l1_bound_, **options)

    results = run_all(run, starts, model.n_jobs)
    best = model._best_start(results, float(problem.column_total.sum()), problem.source.dtype)
    model._scaling = problem.scaling
    model._store_best(best)
    used = np.flatnonzero(model._support)
    metric = Metric(used, np.sqrt(model.feature_weights_[used]))
    rows = problem.rows(best.labels)
    rows.assign(metric, model._centers, metric.columns)  # the inner k-means has other means
    model.inertia_ = rows.scatter(metric, model._centers)
    return best


def sparse_starts(
    model: Any, X: Any, problem: RowProblem, kept: Array, power: int, screened: int | None = None
) -> Iterable[Labels]:
    """Initial labels of the rows of a sparse matrix, chosen as `_initial_labels` does for dense ones.

    Parameters
    ----------
    model : CentroidClusterer
        Its `init`, `n_init` and `random_state` count.
    X : csr_array of shape (n, p)
        The rows of positive weight.
    problem : RowProblem
        The same; its scaling is that of the starts.
    kept : ndarray of bool, shape (n_samples,)
        Which of the rows given have positive weight.
    power : {1, 2}
        Of k-means++.
    screened : int or None
        Number of features that will be selected, for screened starts.

    Returns
    -------
    iterable of ndarray of shape (n,), int32
        One entry per start.
    """
    weights = problem.weights
    steps = SparseSteps(problem.scaling, model.n_clusters)
    seeds = model._draw_seeds()
    if screened is not None:
        distance = sparse_normal_distance(X, problem.scaling, problem.column_total, weights)
        order = np.argsort(-distance, kind="stable")
        return sparse_screened_labels(X, steps, order, seeds, screened, weights, power)
    everything = Metric(np.arange(X.shape[1]))
    if isinstance(model.init, str):
        if model.init in SEEDINGS:
            raise ValueError(
                f"init={model.init!r} needs dense data; use 'k-means++', or convert X with '.toarray()'"
            )
        power = model._seeding_power(power)
        views = [sparse_view(steps, X, everything.columns)]
        return (labels for labels, _ in each_start(views, model.n_clusters, seeds, weights, power))
    if callable(model.init):
        given = [model.init(X, model.n_clusters, random_state=int(seed)) for seed in seeds]
        found = [
            _given_start(model, init, X, problem.scaling, np.ones(X.shape[0], dtype=bool)) for init in given
        ]
    else:
        is_scaled = getattr(model, "init_on", "raw") == "standardized" and model.standardize
        found = [_given_start(model, model.init, X, problem.scaling, kept, is_scaled)]
    operand = steps.operand(X, everything)
    return [start if start.ndim == 1 else steps.nearest(operand, start) for start in found]


def _given_start(
    model: Any, init: ArrayLike, X: Any, scaling: Scaling, kept: Array, is_scaled: bool = False
) -> Array:
    """Labels (n,) from labels, or prepared centres from row numbers or centres (in units of X, or scaled)."""
    rows = np.asarray(init)
    if rows.shape == (model.n_clusters,) != kept.shape and np.issubdtype(rows.dtype, np.integer):
        centers = X[kept_positions(rows, kept)].toarray()
    else:
        given = model._checked_init(init, kept, X.shape[1])
        if given.ndim == 1:
            return given.astype(np.int32)
        centers = given.astype(X.dtype)
        if is_scaled:
            return centers
    return scaling.apply(centers)[:, :-1]

"""Base of the power k-means estimators: starts, annealing of all starts at once, choice of the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from sparsek.methods.power.algorithm import (
    SCHEDULES,
    PowerFit,
    Schedule,
    critical_power,
    power_kmeans,
)
from sparsek.methods.power.one_pass import PowerProblem
from sparsek.methods.rows.lloyd import lloyd
from sparsek.methods.rows.local import array_rows
from sparsek.methods.shared import parameters as allowed
from sparsek.methods.shared.base import CentroidClusterer
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.scaling import column_squares
from sparsek.methods.shared.sums import Array, Labels, cluster_sums, nearest, squared_distances
from sparsek.methods.starts.seeds import seeded_rows
from sparsek.numerics.threads import thread_control

LARGEST_S0 = -0.1
"""Largest first power; above it K^(1 / s) would overflow or underflow."""
POLISH_ITERATIONS = 300
"""Largest number of Lloyd's iterations after the annealing."""


@dataclass(frozen=True, slots=True)
class LimitFit(FitResult[PowerFit]):
    """Result of one start, with a criterion that does not depend on its last power, to compare starts.

    Attributes
    ----------
    limit : float
        Criterion at the last parameters for s = -inf.
    """

    limit: float

    @property
    def criterion(self) -> float:
        """Criterion in the limit."""
        return self.limit


class PowerClusterer(CentroidClusterer):
    """Base of both estimators. A subclass gives the criterion."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CentroidClusterer._parameter_constraints,
        "init": allowed.starts(),
        "schedule": [allowed.names(*SCHEDULES)],
        "s0": [allowed.number(None, LARGEST_S0, "right"), None],
        "eta": [allowed.number(1, closed="neither"), None],
        "standardize": allowed.FLAG,
        "polish": allowed.FLAG,
        "max_iter": allowed.COUNT,
        "tol": [allowed.NOT_NEGATIVE, None],
    }

    s0: float | None
    eta: float | None
    schedule: str
    standardize: bool
    polish: bool
    max_iter: int
    tol: float | None
    _why_fewer = "duplicate points in X, or to centres that met at a high power: lower s0, or polish"

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite; float32 stays float32. Never changed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of repetitions of the rows, not negative; 0 leaves a row out.

        Returns
        -------
        object
            The fitted estimator.
        """
        self._validate_params()
        data, weights, kept = self._validate_fit(X, sample_weight)
        with thread_control().limit(limits=1):
            Z = self._prepared(data, weights, ddof=0)
            column_tss = column_squares(Z, weights)
            centers = self._initial_centers(data, Z, weights, kept)
            schedule = self._find_schedule(Z, weights, column_tss)
            problem = self._problem(Z, weights, column_tss)
            fits = power_kmeans(problem, centers, schedule, self.max_iter)
            results = [self._in_the_limit(Z, fit, problem) for fit in fits]
            best = self._best_start(list(results), float(column_tss.sum()), Z.dtype)
            self._store(best.params)
            self.s0_ = schedule.s0
            self.criterion_history_ = self._in_square_units(best.history)
            self.objective_ = float(self._in_square_units(best.criterion))
            self.start_objectives_ = self._in_square_units(self.start_objectives_)
            self.inertia_ = self._inertia(data, weights)
        self.labels_ = self._all_labels(X, best.labels, kept)
        return self

    def _problem(self, Z: Array, weights: Array | None, column_tss: Array) -> PowerProblem:
        """The minimisation problem; `column_tss` are the sums of squares of the columns of Z."""
        raise NotImplementedError

    def _initial_centers(self, X: Array, Z: Array, weights: Array | None, kept: Array) -> Array:
        """Centres of every start, shape (n_starts, n_clusters, p), in the prepared coordinates."""
        seeds = self._draw_seeds()
        starts = self._given_starts(seeds, X, Z, self._scaling, kept)
        if starts is None:
            return Z[seeded_rows(Z, self.n_clusters, seeds, weights, **self._seeding(2)), :-1]
        return np.stack([start if start.ndim == 2 else self._means(Z, start, weights) for start in starts])

    def _means(self, Z: Array, labels: Labels, weights: Array | None) -> Array:
        """Means of the clusters of given labels."""
        return cluster_sums(Z, labels, self.n_clusters, weights).means

    def _find_schedule(self, Z: Array, weights: Array | None, column_tss: Array) -> Schedule:
        """The schedule named by `schedule`, with the parameters given."""
        schedule = SCHEDULES[self.schedule]
        s0 = min(schedule.s0, critical_power(Z, weights)) if self.s0 is None else float(self.s0)
        tol = schedule.tol if self.tol is None else float(self.tol)
        if schedule.by_movement:
            total = float(len(Z)) if weights is None else float(weights.sum(dtype=np.float64))
            tol *= float(np.sqrt(column_tss.mean() / total))
        return replace(schedule, s0=s0, eta=float(self.eta or schedule.eta), tol=tol)

    def _in_the_limit(self, Z: Array, fit: PowerFit, problem: PowerProblem) -> LimitFit:
        """Labels of the nearest centres and the criterion for s = -inf, after Lloyd's k-means on request."""
        weighted = weighted_rows(Z, fit.weights)
        labels = nearest(weighted, weighted_centers(fit))
        if self.polish:
            rows = array_rows(weighted, labels, self.n_clusters, problem.sample_weight)
            labels = lloyd(rows, POLISH_ITERATIONS).labels
            sums = cluster_sums(Z, labels, self.n_clusters, problem.sample_weight)
            fit = replace(fit, centers=np.where(sums.counts[:, None] > 0, sums.means, fit.centers))
        closest = squared_distances(weighted, labels, weighted_centers(fit)).astype(np.float64)
        total = closest.sum() if problem.sample_weight is None else problem.sample_weight @ closest
        if fit.weights is not None:
            total += problem.gamma * xlogy(fit.weights, fit.weights).sum()
        return LimitFit(labels, fit, fit.history, fit.converged, float(total))

    def _store(self, fit: PowerFit) -> None:
        """Set the attributes about centres and the power."""
        self.cluster_centers_ = self._scaling.invert(fit.centers)
        self.s_ = fit.power
        self._weights = fit.weights
        self._centers = weighted_centers(fit)

    def _coordinates(self, X: Array) -> Array:
        return weighted_rows(self._scaling.apply(X), self._weights)


def weighted_rows(Z: Array, weights: Array | None) -> Array:
    """Prepared rows with columns scaled by the roots of the weights."""
    return Z if weights is None else Z * np.append(np.sqrt(weights), 1).astype(Z.dtype)


def weighted_centers(fit: PowerFit) -> Array:
    """Centres with columns scaled by the roots of the weights."""
    centers: Array = fit.centers
    return centers if fit.weights is None else centers * np.sqrt(fit.weights).astype(centers.dtype)

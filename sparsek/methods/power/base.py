"""Base of the power k-means estimators: starts, annealing of all starts at once, choice of the best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import xlogy

from sparsek.core.steps import Array, FitResult
from sparsek.inputs.arguments import names, number
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import is_dask
from sparsek.methods.power.algorithm import SCHEDULES, PowerFit, Schedule, power_kmeans
from sparsek.methods.power.one_pass import PowerProblem, relative
from sparsek.methods.power.passes import critical_power, nearest_rows
from sparsek.methods.shared.base import dense_pieces
from sparsek.methods.shared.fits import RowFits, drawn_rows
from sparsek.methods.shared.soft import led_by
from sparsek.sources.lloyd import lloyd
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import RowProblem
from sparsek.starts.by_name import SEEDINGS

LARGEST_S0 = -0.1
"""Largest first power; above it K^(1 / s) would overflow or underflow."""
POLISH_ITERATIONS = 300
"""Largest number of Lloyd's iterations after the annealing."""


@dataclass(frozen=True, slots=True)
class LimitFit(FitResult[PowerFit]):
    """Result of one start, with a criterion that does not depend on its last power, to compare starts."""

    limit: float  # Criterion at the last parameters for s = -inf

    @property
    def criterion(self) -> float:
        """Criterion in the limit."""
        return self.limit


ScheduleName = Annotated[str, names(*SCHEDULES)]
FirstPower = Annotated[float, number(None, LARGEST_S0, "right")]
Factor = Annotated[float, number(1, closed="neither")]


class PowerClusterer(RowFits):
    """Base of both estimators. A subclass gives the criterion."""

    _facts: ClassVar = {**RowFits._facts, "Power s at the end": "s_"}
    _texts: ClassVar = {
        "init": "Starting centres; of labels the means are taken. [starts]",
        "n_init": "Number of starts, run together; the one with the smallest `objective_` is kept.",
        "standardize": (
            "Divide every column by its standard deviation (divisor n). Distances, `objective_` and the "
            "like are then dimensionless."
        ),
        "max_iter": "Largest number of iterations.",
        "cluster_centers_": (
            "Last centres theta, units of X: means of all rows under the weights of the last iteration, "
            "or of the clusters after `polish`."
        ),
        "criterion_history_": (
            "The criterion after each iteration, at the power of that iteration; never increasing."
        ),
        "tol": (
            'Tolerance of `schedule`, dimensionless: 1e-7 ("authors"), or 1e-3 ("geometric"), there in '
            "units of the root of the mean variance of the columns."
        ),
        "schedule": (
            'How the power s falls after every second iteration, and when a start ends. "authors": by 0.2 '
            "down to -1, then by the factor `eta` down to -120; ends when the criterion falls by at most "
            'tol * sqrt(n_features) times its value and s <= -sqrt(n_features), or -120. "geometric": by '
            "the factor `eta`; ends when no feature's change of the centres, summed over the clusters, "
            "reaches `tol`."
        ),
        "s0": (
            "First power s, at most -0.1, dimensionless; near 0 smoothest, -1 the harmonic mean. None "
            'takes -3 ("authors") or -1 ("geometric"), or the critical power where that is lower (see '
            "Notes)."
        ),
        "eta": 'Factor of the power, above 1; None takes 1.06 ("authors") or 1.04 ("geometric").',
        "s0_": "First power used.",
        "s_": "Power after the last iteration.",
    }

    s0: float | None
    eta: float | None
    schedule: str
    standardize: bool
    polish: bool
    max_iter: int
    tol: float | None
    _copies = 1.6
    _why_fewer = "duplicate points in X, or to centres that met at a high power: lower s0, or polish"

    def _criterion(self, problem: RowProblem) -> PowerProblem:
        """The minimisation problem."""
        raise NotImplementedError

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        """No parameter depends on these."""

    def _standardizing(self) -> tuple[bool, int]:
        return self.standardize, 0

    def _starts(self, problem: Any, seeds: Array | None = None) -> tuple[Array, bool]:
        """Centres of every start, shape (n_starts, n_clusters, p); those that are drawn, on a sample."""
        some: RowProblem = self._sample(problem) if self._samples(problem.source) else problem
        exact = replace(some, scaling=replace(some.scaling, grid=None))
        if isinstance(self.init, str) and self.init not in SEEDINGS:
            seeds = self._draw_seeds() if seeds is None else seeds
            return exact.prepared(drawn_rows(some, self._row_seeding(seeds))), False
        points = self._given_points(exact, seeds)
        found = [point if point.ndim == 2 else some.rows(point).sums().means for point in points]
        return np.stack(found).astype(some.source.dtype), False

    def _run(self, problem: RowProblem, starts: Iterable[Any], warm: bool = False) -> list[FitResult[Any]]:
        """The results of all starts, which are run together."""
        self._set_scaling(replace(problem.scaling, grid=None))
        criterion = self._criterion(problem)
        schedule = self._find_schedule(problem, criterion)
        self.s0_ = schedule.s0
        fits = power_kmeans(criterion, np.asarray(starts), schedule, self.max_iter)
        return [self._in_the_limit(problem, criterion, fit) for fit in fits]

    def _find_schedule(self, problem: RowProblem, criterion: PowerProblem) -> Schedule:
        """The schedule named by `schedule`, with the parameters given."""
        schedule = SCHEDULES[self.schedule]
        # Above the critical power all centres would meet at the mean.
        s0 = min(schedule.s0, critical_power(criterion)) if self.s0 is None else float(self.s0)
        tol = schedule.tol if self.tol is None else float(self.tol)
        if schedule.by_movement:
            # The tolerance is in units of the root of the mean variance, so that units of X do not matter.
            tol *= float(np.sqrt(problem.column_total.mean() / problem.moments.count))
        return replace(schedule, s0=s0, eta=float(self.eta or schedule.eta), tol=tol)

    def _in_the_limit(self, problem: RowProblem, criterion: PowerProblem, fit: PowerFit) -> LimitFit:
        """Labels of the nearest centres and the criterion for s = -inf, after Lloyd's k-means on request."""
        factors = None if fit.weights is None else np.sqrt(fit.weights).astype(fit.centers.dtype)
        labels, total = nearest_rows(criterion, factors, weighted_centers(fit))
        if self.polish:
            used = np.arange(criterion.n_features) if factors is None else np.flatnonzero(factors)
            subspace = Subspace(used, None if factors is None else factors[used].astype(np.float64))
            rows = problem.rows(labels).narrowed(subspace, None)
            labels = lloyd(rows, POLISH_ITERATIONS).labels
            sums = problem.rows(labels).sums()
            # A cluster that lost all rows keeps its centre.
            means = np.where(sums.counts[:, None] > 0, sums.means, fit.centers)
            fit = replace(fit, centers=means.astype(fit.centers.dtype))
            total = rows.scatter(weighted_centers(fit)[:, used])
        if fit.weights is not None:
            total += criterion.gamma * float(xlogy(fit.weights, fit.weights).sum())
        return LimitFit(labels, fit, fit.history, fit.converged, total)

    def _store(self, problem: RowProblem, results: list[FitResult[Any]], best: FitResult[Any]) -> None:
        """Set the attributes that follow from the best start."""
        self._store_fit(best.params)
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self._in_square_units(best.criterion))
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._inertia_over(problem.source)

    def _store_fit(self, fit: PowerFit) -> None:
        """Set the attributes about centres and the power."""
        self.cluster_centers_ = self._scaling.invert(fit.centers)
        self.s_ = fit.power
        self._weights = fit.weights
        self._centers = weighted_centers(fit)

    def predict_proba(self, X: ArrayLike) -> Any:
        r"""Memberships of the rows at the last power, as of fuzzy c-means with the exponent 1 - 1 / `s_`.

        With d the squared distances of `transform`, :math:`u_{ij} = d_{ij}^s / \sum_l d_{il}^s`. The power
        mean of the distances at s is the criterion of fuzzy c-means in the centres. At the low powers at
        which fits end, a row belongs to its nearest centre alone unless two are nearly as far.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data. Where `fit` takes Dask collections, one of these too.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            u; rows sum to 1, and the largest entry of a row is that of the cluster that `predict` gives. For
            a Dask collection, a lazy array with the chunks of its rows.

        References
        ----------
        Hathaway, R. J. and Bezdek, J. C. (1995). Optimization of clustering criteria by reformulation. IEEE
        Transactions on Fuzzy Systems 3, 241-245.
        """
        if is_dask(X):
            return self._lazily(X, "predict_proba")
        data = self._validate_new(X)
        with thread_control().limit(limits=1):
            return np.concatenate([self._memberships(piece) for _, piece in dense_pieces(data)])

    def _memberships(self, X: Array) -> Array:
        """Memberships of checked rows."""
        D = np.square(cdist(self._coordinates(X)[:, :-1], self._centers))
        u = fuzzy_memberships(D, self.s_)
        return led_by(self._columns_numbered(u), self._numbered(self._nearest(X)), X.dtype)

    def _coordinates(self, X: Array) -> Array:
        return weighted_rows(self._scaling.apply(X), self._weights)


def fuzzy_memberships(D: Array, s: float) -> Array:
    """Shares of D^s in the sums of the rows, at a negative power s; rows on a centre have it alone.

    Shapes: D (n, K), squared distances; returns (n, K).
    """
    *_, logs = relative(D[:, :, None])
    with np.errstate(under="ignore"):
        powers = np.exp(-s * logs[:, :, 0])
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


def weighted_rows(Z: Array, weights: Array | None) -> Array:
    """Prepared rows with columns scaled by the roots of the weights."""
    return Z if weights is None else Z * np.append(np.sqrt(weights), 1).astype(Z.dtype)


def weighted_centers(fit: PowerFit) -> Array:
    """Centres with columns scaled by the roots of the weights."""
    centers: Array = fit.centers
    return centers if fit.weights is None else centers * np.sqrt(fit.weights).astype(centers.dtype)

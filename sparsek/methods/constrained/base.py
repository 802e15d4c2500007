"""Base of the estimators with pairwise constraints: constraints from pairs and labels, starts, the fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from sparsek.core.scaling import Scaling, column_squares
from sparsek.core.steps import Array, FitResult, Labels, cluster_sums, squared_distances
from sparsek.errors import (
    ConstraintConflictWarning,
    EmptyClusterError,
    InfeasibleConstraintsError,
    callers_level,
)
from sparsek.inputs.arguments import names
from sparsek.inputs.containers import unmasked
from sparsek.inputs.threads import thread_control
from sparsek.methods.constrained.assignment import Pattern, build_pattern
from sparsek.methods.constrained.checks import class_codes
from sparsek.methods.constrained.constraints import PairwiseConstraints
from sparsek.methods.constrained.costs import Extents, PairSquares, measure_extents
from sparsek.methods.constrained.pckm import ConstrainedCenters
from sparsek.methods.constrained.seeding import count_neighbourhoods, seed_centers
from sparsek.methods.shared.base import CentroidClusterer
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import starts
from sparsek.starts.given import checked_init
from sparsek.starts.seeds import seeded_rows

Start = tuple[Array, Labels | None]
"""Initial centres in the coordinates of the prepared data; labels (n_clusters where unknown) or None."""
Solver = Callable[[Array, Labels | None], FitResult[ConstrainedCenters]]
"""Runs one start from initial centres and labels."""


class ConstrainedProblem(NamedTuple):
    """Prepared data and constraints, rows in the order in which they are visited."""

    X: Array  # (n, p + 1): prepared data
    constraints: PairwiseConstraints  # The constraints
    order: Array  # (n,): rows in the order of the visits


PairStarts = Annotated[Any, *starts("seeding")]
MaxSeparation = Annotated[str, names("box", "box_origin", "pair")]
OnEmpty = Annotated[str, names("error", "keep", "farthest")]


class ConstrainedClusterer(CentroidClusterer):
    """Base of the estimators with pairwise constraints.

    A subclass implements `_solver` and `_coordinates`; it may override the rest.
    """

    _counts: ClassVar = {
        "Must-links violated": "violated_must_link_",
        "Cannot-links violated": "violated_cannot_link_",
    }
    _texts: ClassVar = {
        "n_init": (
            "Number of starts; the one with the smallest `objective_` is kept. Starts that fail are left out."
        ),
        "max_iter": "Largest number of passes over the rows of one start.",
        "inertia_": (
            "Sum over rows of the squared distance to the centre of their cluster, squared units of X."
        ),
        "n_iter_": "Passes of the best start.",
        "start_objectives_": "`objective_` of every start, NaN for those that failed.",
        "start_n_iter_": "Iterations of every start, 0 for those that failed.",
        "constraints_": "The pairs given and those from labels.",
        "violated_must_link_, violated_cannot_link_": "Indices of the violated pairs in `constraints_`.",
    }

    _predicts_otherwise = "predict knows no pairs"
    _no_weights = NoWeights(
        "a pair binds two rows, and which of their copies it binds is not defined",
        "SparseKMeans without pairs",
    )

    order: Any
    max_iter: int
    label_seeds: bool = False

    def _solver(self, problem: ConstrainedProblem) -> Solver:
        """Function that runs one start from initial centres and labels."""
        raise NotImplementedError

    def _solvers(self, problem: ConstrainedProblem, n_starts: int) -> list[Solver]:
        """The function that runs each start."""
        return [self._solver(problem)] * n_starts

    def _set_fit(self, data: Array, best: FitResult[ConstrainedCenters]) -> None:
        """Set the attributes of the best start."""
        self._set_means(data, best, best.params.centers)

    def _set_means(self, data: Array, best: FitResult[ConstrainedCenters], coordinates: Array) -> None:
        """Set the attributes of the best start; `coordinates` are its centres in `_coordinates`."""
        self._centers = coordinates
        self.cluster_centers_ = self._scaling.invert(best.params.centers)
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._within(data)

    def fit(  # type: ignore[override]  # y holds classes here, not any object
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        ml_weight: ArrayLike = 1.0,
        cl_weight: ArrayLike = 1.0,
    ) -> Self:
        """Cluster the rows of X under pairwise constraints.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite. Never changed; computed in double precision.
        y : array-like of shape (n_samples,) or None
            Class labels, -1 or NaN for unlabelled rows. Rows of one class are must-linked and rows of
            different classes cannot-linked, in addition to the pairs given. With more classes than clusters
            the classes have to share clusters: then only the must-links are made, with a warning.
        must_link, cannot_link : array-like of shape (n_pairs, 2), integers, or None
            Pairs of rows, from 0, that belong together or apart. A pair listed several times counts as often.
        ml_weight, cl_weight : float or array-like of shape (n_pairs,), default=1.0
            Weights of the violated pairs: one for all, or one for each pair given (then pairs from labels
            have weight 1).

        Returns
        -------
        ConstrainedClusterer
            The fitted estimator.
        """
        self._validate_params()
        data = self._validate_fit(X, None)[0].astype(np.float64, copy=False)
        self.constraints_ = self._constraints(len(data), y, must_link, cannot_link, ml_weight, cl_weight)
        order = self._checked_order(len(data))
        with thread_control().limit(limits=1):
            Z = self._prepared(data, None)
            self._column_total = column_squares(Z, None)
            starts = self._starts(data, Z)
            problem = self._in_order(Z, order)
            results = self._run(problem, starts)
            done = [result for result in results if result is not None]
            best: Any = self._best_start(done, self._criterion_size(Z), Z.dtype)
        self._spread_out([result is not None for result in results])
        self.labels_ = np.empty(len(data), dtype=np.int32)
        self.labels_[order] = best.labels
        self._count_violations()
        self._set_fit(data, best)
        self.labels_ = self._number(self.labels_)
        self._compare_predictions(X)
        return self

    def fit_predict(  # type: ignore[override]  # y holds classes here, not any object
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        ml_weight: ArrayLike = 1.0,
        cl_weight: ArrayLike = 1.0,
    ) -> NDArray[np.int32]:
        """Fit to data and return the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,) or None
            Class labels, -1 or NaN for unlabelled rows.
        must_link, cannot_link : array-like of shape (n_pairs, 2), integers, or None
            Pairs of rows that belong together or apart.
        ml_weight, cl_weight : float or array-like of shape (n_pairs,), default=1.0
            Weights of the violated pairs.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            `labels_`.
        """
        pairs = {"must_link": must_link, "cannot_link": cannot_link}
        return self.fit(X, y, **pairs, ml_weight=ml_weight, cl_weight=cl_weight).labels_

    def score(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the sum of squared distances to the nearest centre; constraints play no part.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        y : None
        sample_weight : array-like of shape (n_samples,) or None

        Returns
        -------
        float
            Larger is better.
        """
        return self._score(X, sample_weight)

    def _criterion_size(self, Z: Array) -> float:
        """Size of the sums of which the criterion is the difference, for its rounding error."""
        return float(column_squares(Z, None).sum())

    def _constraints(self, n: int, y: Any, ml: Any, cl: Any, ml_weight: Any, cl_weight: Any) -> Any:
        """The given pairs and those that follow from labels."""
        given = PairwiseConstraints(n, ml, cl, ml_weight, cl_weight)
        if y is not None:
            codes = class_codes(y)
            if len(codes) != n:
                raise ValueError(f"y must have one label for each of the {n} rows of X; got {len(codes)}")
            added = self._label_pairs(codes)
            n_classes = int(codes.max(initial=-1)) + 1
            apart = added.cannot_link
            if n_classes > self.n_clusters:
                apart = None
                warnings.warn(
                    f"y has {n_classes} classes, more than n_clusters={self.n_clusters}: classes have to "
                    "share clusters, so labels give must-links only",
                    ConstraintConflictWarning,
                    stacklevel=callers_level(),
                )
            given = PairwiseConstraints(
                n,
                np.vstack([given.must_link, added.must_link]),
                given.cannot_link if apart is None else np.vstack([given.cannot_link, apart]),
                _with_labels(ml_weight, given.ml_weight, len(added.must_link)),
                _with_labels(cl_weight, given.cl_weight, 0 if apart is None else len(apart)),
            )
        self._check_conflicts(given)
        return given

    def _label_pairs(self, codes: Array) -> PairwiseConstraints:
        """Pairs that follow from classes (-1 where unknown)."""
        return PairwiseConstraints.from_labels(codes)

    def _check_conflicts(self, constraints: PairwiseConstraints) -> None:
        """Warn of constraints that cannot all hold."""
        n_conflicts = len(constraints.conflicts())
        if n_conflicts:
            warnings.warn(
                f"{n_conflicts} cannot-links contradict the must-links: all are kept, but not all can hold",
                ConstraintConflictWarning,
                stacklevel=callers_level(),
            )

    def _checked_order(self, n: int) -> Array:
        """Rows in the order of the visits, checked."""
        if self.order is None:
            return np.arange(n)
        order = np.asarray(unmasked(self.order, "order"))
        if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
            raise ValueError(f"order must be a permutation of the {n} rows 0..{n - 1}; got {self.order!r}")
        return order

    def _in_order(self, Z: Array, order: Array) -> ConstrainedProblem:
        """The problem with its rows in the order of the visits."""
        given = self.constraints_
        if np.array_equal(order, np.arange(len(order))):
            return ConstrainedProblem(Z, given, order)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        ml, cl = rank[given.must_link], rank[given.cannot_link]
        moved = PairwiseConstraints(len(order), ml, cl, given.ml_weight, given.cl_weight)
        return ConstrainedProblem(Z[order], moved, order)

    def _starts(self, data: Array, Z: Array) -> list[Start]:
        """Initial centres and labels of every start."""
        seeds = self._draw_seeds()
        if isinstance(self.init, str) and self.init == "seeding":
            components = self.constraints_.components()
            if count_neighbourhoods(components) >= self.n_clusters:
                seeds = seeds[:1]
            rngs = [np.random.default_rng(int(seed)) for seed in seeds]
            found = [seed_centers(Z[:, :-1], components, self.n_clusters, rng) for rng in rngs]
            return [(start.centers, self._known(start.labels)) for start in found]
        given = self._given_starts(seeds, data, Z, self._scaling, np.ones(len(Z), dtype=bool))
        if given is None:
            rows = seeded_rows(Z, self.n_clusters, seeds, None, **self._seeding(2))
            return [(Z[chosen, :-1], None) for chosen in rows]
        return [(start, None) if start.ndim == 2 else self._start_from_labels(start, Z) for start in given]

    def _given_start(self, init: ArrayLike, prepared: Array, scaling: Scaling, kept: Array) -> Array:
        """A given start; unlike in other estimators, a label of -1 means unknown."""
        given = np.asarray(unmasked(init, "init"))
        if given.shape != kept.shape or not np.issubdtype(given.dtype, np.integer) or given.min() != -1:
            return super()._given_start(init, prepared, scaling, kept)
        checked_init(np.maximum(given, 0), kept, self.n_clusters, prepared.shape[1] - 1)
        return given.astype(np.int32)

    def _start_from_labels(self, labels: Labels, Z: Array) -> Start:
        """Start at the means of the rows with known labels."""
        known = labels >= 0
        sums = cluster_sums(Z[known], labels[known], self.n_clusters)
        if not sums.counts.all():
            missing = int(np.argmin(sums.counts))
            raise ValueError(f"labels given as init must have every cluster; no row has label {missing}")
        return sums.means, self._known(labels)

    def _known(self, labels: Array) -> Labels | None:
        """Labels known in the first pass, n_clusters where unknown; None without `label_seeds`."""
        return np.where(labels < 0, self.n_clusters, labels).astype(np.int32) if self.label_seeds else None

    def _run(
        self, problem: ConstrainedProblem, starts: list[Start]
    ) -> list[FitResult[ConstrainedCenters] | None]:
        """Run all starts; None for failed ones. If all fail, the last error is raised."""
        order = problem.order

        def attempt(solve: Solver, centers: Array, labels: Labels | None) -> Any:
            try:
                return solve(centers, None if labels is None else labels[order])
            except (EmptyClusterError, InfeasibleConstraintsError) as error:
                return error

        outcomes = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(attempt)(solve, *start)
            for solve, start in zip(self._solvers(problem, len(starts)), starts, strict=True)
        )
        results = [outcome if isinstance(outcome, FitResult) else None for outcome in outcomes]
        if any(results):
            return results
        error = outcomes[-1]
        if isinstance(error, EmptyClusterError):
            error.labels[order] = error.labels.copy()
        raise error

    def _spread_out(self, succeeded: list[bool]) -> None:
        """Set the attributes about the starts, with NaN and 0 for failed ones."""
        objectives, n_iter = self.start_objectives_, self.start_n_iter_
        self.start_objectives_ = np.full(len(succeeded), np.nan)
        self.start_n_iter_ = np.zeros(len(succeeded), dtype=n_iter.dtype)
        self.start_objectives_[succeeded] = objectives
        self.start_n_iter_[succeeded] = n_iter

    def _count_violations(self) -> None:
        ml, cl = self.labels_[self.constraints_.must_link], self.labels_[self.constraints_.cannot_link]
        self.violated_must_link_ = np.flatnonzero(ml[:, 0] != ml[:, 1])
        self.violated_cannot_link_ = np.flatnonzero(cl[:, 0] == cl[:, 1])

    def _within(self, data: Array) -> float:
        """Sum of squared distances of the rows to the centres of their clusters."""
        closest = squared_distances(self._coordinates(data), self.labels_, self._centers)
        return float(self._in_square_units(closest.sum()))


class SoftlyConstrainedClusterer(ConstrainedClusterer):
    """Base of the estimators that penalise violated constraints."""

    _texts: ClassVar = {
        "init": (
            'Starts: "k-means++", "random", "dkm++", "robin", "maximin" (see :mod:`sparsek.init`) or '
            '"seeding" (the paper\'s), the means of the neighbourhoods that must-links form, and random '
            "rows where these are fewer than `n_clusters` (see :func:`sparsek.init.seeding`). An array "
            "holds centres of shape (n_clusters, n_features) in the units of X, row numbers of shape "
            "(n_clusters,), or labels of shape (n_samples,), -1 where unknown, whose means are the "
            "centres. A callable ``init(X, n_clusters, random_state=seed)``, called for every start, "
            "returns any of these. Arrays, and names without random draws, make one start."
        ),
        "label_seeds": (
            'The first pass knows the labels that "seeding", or labels given as `init`, come with.'
        ),
        "on_empty": (
            "A cluster that loses all its rows keeps its centre; takes the row of largest cost; or makes "
            "the start fail, as in the authors' program."
        ),
        "order": "Permutation of the rows in which they are visited; None for the order of X.",
    }

    max_separation: str
    on_empty: str
    _why_fewer = "the constraints, or duplicate points in X"

    def _geometry(self, problem: ConstrainedProblem) -> tuple[Pattern, PairSquares, Extents]:
        """Pairs, their squared differences, and the extents of the data."""
        pattern = build_pattern(problem.constraints)
        rows = np.ascontiguousarray(problem.X[:, :-1])
        origin = -self._scaling.offset / self._scaling.spread
        return pattern, PairSquares(rows, pattern), measure_extents(rows, origin, self.max_separation)


def _with_labels(given: Any, weights: Array, n_added: int) -> Array:
    """Weights of the given pairs, then of the pairs from labels."""
    return np.append(weights, np.full(n_added, 1.0 if np.ndim(given) else given))

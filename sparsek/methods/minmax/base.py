"""Base of MinMaxKMeans and SparseMinMaxKMeans: parameters, starts, prediction with weighted clusters."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from sparsek.core.scaling import Scaling, column_squares
from sparsek.core.steps import Array, Labels, cluster_sums
from sparsek.inputs.arguments import Numbers, number
from sparsek.methods.minmax.minmax import MinMaxFit, weight_factors
from sparsek.methods.shared.base import CentroidClusterer
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.rng import RRandom
from sparsek.starts.seeds import seeded_rows

VARIANTS: dict[str, dict[str, float]] = {
    "tl": {"beta": 0.3, "max_iter": 500, "tol": 1e-6},
    "paper": {"beta": 0.0, "max_iter": 500, "tol": 1e-6},
    "r": {"beta": 0.0, "max_iter": 10, "tol": 1e-4},
}
"""Defaults of the MinMax iterations."""


AlphaStep = Annotated[float, Numbers(0), number(1e-5, 1, "both")]  # smaller ones take forever


class MinMaxClusterer(CentroidClusterer):
    """Base of the MinMax estimators; `_store` sets the attributes used for prediction."""

    _facts: ClassVar = {**CentroidClusterer._facts, "Power p at the end": "alpha_"}
    _cluster_columns: ClassVar = {"weight": "cluster_weights_"}
    _no_weights = NoWeights(
        "rows are counted to decide whether a cluster is lost",
        "SKFR, SparseKMeans or PowerKMeans",
    )
    _predicts_otherwise = "they were assigned before the last centres and weights were found"
    _by_cluster = (*CentroidClusterer._by_cluster, "cluster_weights_")
    variant: str
    alpha_max: float
    alpha_step: float
    cluster_centers_: Array
    cluster_weights_: NDArray[np.float64]
    alpha_: float
    _scaling: Scaling
    _power: int = 2

    def _check_alphas(self, alpha_init: float = 0.0) -> None:
        """Raise unless alpha_init <= alpha_max, and the last alpha is below 1."""
        # The last step of the released code can exceed alpha_max.
        highest = self.alpha_max + (self.alpha_step if self.variant == "r" else 0)
        if not alpha_init <= self.alpha_max or not highest < 1:
            raise ValueError(
                f"alpha must stay below 1, where the cluster weights are undefined, and alpha_init must not "
                f"exceed alpha_max; got alpha_init={alpha_init}, alpha_max={self.alpha_max}, "
                f"alpha_step={self.alpha_step}; lower them"
            )

    def _stream(self) -> RRandom:
        """R's stream; an integer `random_state` is the seed of R's ``set.seed``."""
        if isinstance(self.random_state, Integral):
            return RRandom(int(self.random_state))
        return RRandom(int(check_random_state(self.random_state).randint(2**31 - 1)))

    def _given_centers(
        self, seeds: Array, X: Array, Z: Array, scaling: Scaling, kept: Array
    ) -> list[Array] | None:
        """Prepared starting centres that do not come from random rows; None for init="random"."""
        starts = self._given_starts(seeds, X, Z, scaling, kept)
        if starts is not None:
            return [self._as_centers(Z, start) for start in starts]
        seeding = self._seeding(2)
        if seeding["power"] == 0:
            return None
        return [Z[rows, :-1] for rows in seeded_rows(Z, self.n_clusters, seeds, None, **seeding)]

    def _as_centers(self, Z: Array, start: Array) -> Array:
        """Prepared centres; for labels the means of the clusters."""
        return start if start.ndim == 2 else cluster_sums(Z, start, self.n_clusters).means

    def _drawing(self, seed: Any) -> Callable[[Array], Array]:
        """A function that draws distinct random rows of prepared data, anew at each call."""
        generator = np.random.default_rng(seed)

        def draw(Z: Array) -> Array:
            """Random rows as starting centres."""
            (rows,) = seeded_rows(Z, self.n_clusters, generator.integers(2**31 - 1, size=1), None, 0)
            return Z[rows, :-1]

        return draw

    def _store_clusters(self, fit: MinMaxFit, Z: Array) -> None:
        """Set the attributes about clusters."""
        self.labels_ = fit.labels
        self.alpha_ = float(fit.alpha)
        self.cluster_weights_ = fit.weights
        self._factors = weight_factors(fit.weights, fit.alpha)
        self.n_lost_ = fit.n_events
        self._column_total = column_squares(Z, None)
        means = cluster_sums(Z, fit.partition, self.n_clusters).means
        self.cluster_centers_ = self._scaling.invert(means)
        self._means = means
        if not fit.solved:
            self._warn(
                "no start kept all clusters, so this is plain k-means (alpha = 0); lower n_clusters or the "
                "alphas, or remove duplicate rows"
            )

    def _nearest(self, X: Array) -> Labels:
        labels: Labels = self._scores(self._coordinates(X)).argmin(axis=1).astype(np.int32)
        return labels

    def _inertia(self, X: Array, weights: Array | None) -> float:
        return self._sum_of_least(self._coordinates(X))

    def _sum_of_least(self, Z: Array) -> float:
        """Sum over rows of the smallest w_k^alpha d_k, in units of X."""
        return float(self._in_units_of_scatter(self._scores(Z).min(axis=1).sum()))

    def _in_units_of_scatter(self, values: Any) -> NDArray[np.float64]:
        """(Squared) distances, converted to units of X."""
        convert = self._in_units if self._power == 1 else self._in_square_units
        return np.asarray(convert(np.asarray(values, dtype=np.float64)))

    def _scores(self, Z: Array) -> NDArray[np.float64]:
        """w_k^alpha d_k for every row (in the coordinates of `_coordinates`) and cluster."""
        # Rows are compared by w_k^alpha d_k, which the weights of the clusters enlarge.
        scores: NDArray[np.float64] = cdist(Z[:, :-1], self._centers) ** self._power * self._factors
        return scores

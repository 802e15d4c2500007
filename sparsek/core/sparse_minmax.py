"""Sparse MinMax k-means of Dey, Das and Mallipeddi (2020): as in the released code, and by the formulas.

Maximises sum_j omega_j a_j, a_j = TSS_j - sum_k w_k^alpha WCSS_kj, over partitions and feature weights
omega >= 0 with ||omega||_2 <= 1 and ||omega||_1 <= s; w and alpha come from MinMax k-means.

`ReleasedSteps` sums in R's order and width and draws from R's stream; `PaperSteps` works on squared distances
with MinMax k-means of Tzortzis and Likas, run to its end, and meets the bound s exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparsek.core.gap import GapFit, compare_objectives
from sparsek.core.kernels import Array, Labels, cluster_sums, l1_weights
from sparsek.core.minmax import (
    MAX_STARTS,
    MinMaxFit,
    SquaredDistances,
    draw_released,
    minmax,
    minmax_released,
    plain_kmeans,
    weight_factors,
)
from sparsek.core.rnum import FloatArray, long_column_means, long_sum
from sparsek.core.scaling import column_squares, row_chunks
from sparsek.core.sparcl import (
    SumsOfSquares,
    count_nearest,
    find_threshold,
    l2_norm,
    members_by_appearance,
    soft_threshold,
)
from sparsek.core.sparse_kmeans import weighted_columns
from sparsek.rng import RRandom

MAX_PASSES = 6
"""Weight steps at one bound in the released code."""
TOL = 1e-4
"""Relative L1 change of the feature weights at which a bound is finished."""


@dataclass(frozen=True, slots=True)
class SparseMinMaxFit:
    """Sparse MinMax k-means at one bound.

    Attributes
    ----------
    l1_bound : float
        The bound s.
    weights : ndarray of shape (p,)
        Feature weights omega, unit L2 norm; all 0 where no feature separates clusters.
    minmax : MinMaxFit
        The last MinMax k-means, on the weighted features.
    within : ndarray of shape (p,)
        sum_k w_k^alpha WCSS_kj.
    between : ndarray of shape (p,)
        a_j.
    history : tuple of float
        sum_j omega_j a_j after every weight step, maximised; it need not rise, because w and alpha move.
    converged : bool
        Whether the weights settled within the number of passes.
    """

    l1_bound: float
    weights: FloatArray
    minmax: MinMaxFit
    within: FloatArray
    between: FloatArray
    history: tuple[float, ...]
    converged: bool

    @property
    def labels(self) -> Labels:
        """Clusters from 0."""
        return self.minmax.labels

    @property
    def criterion(self) -> float:
        """Minus the last criterion, so that less is better."""
        return -self.history[-1] if self.history else 0.0

    @property
    def n_iter(self) -> int:
        """Number of weight steps."""
        return len(self.history)


class Steps(Protocol):
    """The steps between which sparse MinMax k-means alternates."""

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j."""

    def feature_weights(self, between: FloatArray, l1_bound: float) -> FloatArray:
        """omega for given a."""

    def repartition(self, weights: FloatArray, fit: MinMaxFit) -> MinMaxFit:
        """MinMax k-means on the weighted features, from the present clusters."""

    def again(self) -> Steps:
        """The same steps, whose draws do not move those of this object."""

    def fit_bound(self, first: MinMaxFit, l1_bound: float, max_iter: int, tol: float) -> SparseMinMaxFit:
        """One bound."""


def fit_bound(
    steps: Steps, n_features: int, first: MinMaxFit, l1_bound: float, max_iter: int, tol: float
) -> SparseMinMaxFit:
    """Alternate between feature weights and clusters at one bound.

    Parameters
    ----------
    steps : Steps
        The steps.
    n_features : int
        Number of features p.
    first : MinMaxFit
        Where to begin.
    l1_bound : float
        Bound s on the L1 norm of the feature weights.
    max_iter : int
        Largest number of weight steps; 0 leaves equal weights.
    tol : float
        Stop when sum|omega - omega_old| <= tol * sum|omega_old|.

    Returns
    -------
    SparseMinMaxFit
        Weights, clusters and criterion.
    """
    fit = first
    weights = np.full(n_features, 1 / np.sqrt(n_features))
    within, between = steps.sums(fit)
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        if history:
            fit = steps.repartition(weights, fit)
            within, between = steps.sums(fit)
        previous, weights = weights, steps.feature_weights(between, l1_bound)
        change, size = long_sum(np.abs(weights - previous)), long_sum(np.abs(previous))
        converged = not weights.any() or (len(history) > 0 and change / size <= tol)
        history.append(long_sum(weights * between))
    return SparseMinMaxFit(l1_bound, weights, fit, within, between, tuple(history), converged)


class ReleasedSteps:
    """The steps of the released code on one data set."""

    def __init__(self, x: FloatArray, n_clusters: int, rng: RRandom) -> None:
        self._x, self._k, self._rng = x, n_clusters, rng
        self._sums = SumsOfSquares(x)

    def start(self, centers: FloatArray | None = None) -> MinMaxFit:
        """MinMax k-means on the features as they are, from given centres or else from random rows."""
        fit = None if centers is None else minmax_released(self._x, centers)
        return fit if fit is not None and fit.solved else draw_released(self._x, self._k, self._rng)

    def again(self) -> ReleasedSteps:
        """The same steps with a copy of the stream."""
        other = copy(self)
        other._rng = copy(self._rng)
        return other

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j, in R's sums."""
        factors = weight_factors(fit.weights, fit.alpha)
        groups = members_by_appearance(fit.labels.astype(np.intp))
        within = self._sums.within(groups, np.array([factors[fit.labels[rows[0]]] for rows in groups]))
        return within, self._sums.total - within

    def feature_weights(self, between: FloatArray, l1_bound: float) -> FloatArray:
        """omega by R's bisection."""
        shrunk = soft_threshold(np.maximum(between, 0), find_threshold(between, l1_bound))
        norm = l2_norm(shrunk)
        return shrunk / norm if norm > 0 else np.zeros_like(shrunk)

    def repartition(self, weights: FloatArray, fit: MinMaxFit) -> MinMaxFit:
        """MinMax k-means from the cluster means where each is the nearest to a row, else from random rows."""
        used = weights != 0
        z = np.ascontiguousarray(self._x[:, used]) * np.sqrt(weights[used])
        groups = members_by_appearance(fit.labels.astype(np.intp))
        centers = np.array([long_column_means(z[rows]) for rows in groups])
        if len(groups) < self._k:
            return self.restart(z, "lost cluster")
        if count_nearest(z, centers) < self._k:
            return draw_released(z, self._k, self._rng)
        fit = minmax_released(z, centers)
        return fit if fit.solved else self.restart(z, "no solution")

    def restart(self, z: FloatArray, why: str) -> MinMaxFit:
        """From random rows, where the released code fails ("lost cluster") or never ends ("no solution")."""
        return draw_released(z, self._k, self._rng)

    def fit_bound(
        self, first: MinMaxFit, l1_bound: float, max_iter: int = MAX_PASSES, tol: float = TOL
    ) -> SparseMinMaxFit:
        """One bound, with R's draws."""
        p = self._x.shape[1]
        self._rng.rnorm(p)  # R's initial value of the old weights, which has no effect
        return fit_bound(self, p, first, l1_bound, max_iter, tol)


class PaperSteps:
    """The steps of the paper's formulas on prepared data.

    Parameters
    ----------
    X : ndarray of shape (n, p + 1)
        Prepared data.
    n_clusters : int
        Number of clusters.
    drawing : callable
        ``drawing(seed)`` gives a function that draws starting centres (n_clusters, q) for prepared data.
    options : dict
        Further arguments of `minmax`.
    """

    def __init__(
        self,
        X: Array,
        n_clusters: int,
        drawing: Callable[[Any], Callable[[Array], Array]],
        options: dict[str, Any],
    ) -> None:
        self._X, self._k, self._drawing, self._options = X, n_clusters, drawing, options
        self._total = column_squares(X, None)
        self._seed: Any = 0
        self._draw = drawing(self._seed)

    def with_seed(self, seed: Any) -> PaperSteps:
        """The same steps with draws from a seed."""
        other = copy(self)
        other._seed, other._draw = seed, self._drawing(seed)
        return other

    def again(self) -> PaperSteps:
        """The same steps with all draws still to come."""
        return self.with_seed(self._seed)

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j, by differences to the means."""
        factors = weight_factors(fit.weights, fit.alpha)[fit.labels]
        means = cluster_sums(self._X, fit.labels, self._k).means
        within = np.zeros(len(self._total))
        for rows in row_chunks(self._X):
            within += factors[rows] @ np.square(self._X[rows, :-1] - means[fit.labels[rows]])
        return within, np.maximum(self._total - within, 0)

    def feature_weights(self, between: FloatArray, l1_bound: float) -> FloatArray:
        """omega, with the bound met exactly."""
        return l1_weights(between, l1_bound)

    def repartition(self, weights: FloatArray, fit: MinMaxFit) -> MinMaxFit:
        """MinMax k-means from the present clusters, from random rows where that has no solution."""
        Z = weighted_columns(self._X, weights)
        return solved_minmax(SquaredDistances(Z), fit.labels, self._k, self._draw, self._options)

    def fit_bound(self, first: MinMaxFit, l1_bound: float, max_iter: int, tol: float) -> SparseMinMaxFit:
        """One bound."""
        return fit_bound(self, len(self._total), first, l1_bound, max_iter, tol)


def solved_minmax(
    space: SquaredDistances,
    start: Array,
    n_clusters: int,
    draw: Callable[[Array], Array],
    options: dict[str, Any],
) -> MinMaxFit:
    """`minmax` from the start given, then from drawn ones until it is solved; plain k-means after many."""
    for _ in range(MAX_STARTS):
        fit = minmax(space, start, n_clusters=n_clusters, **options)
        if fit.solved:
            return fit
        if len(space.X) < 2 * n_clusters:  # two rows for each cluster are needed
            break
        start = draw(space.X)
    return plain_kmeans(space.X, fit.labels, n_clusters)


def fit_path(
    steps: Steps,
    first: MinMaxFit,
    l1_bounds: Sequence[float],
    max_iter: int = MAX_PASSES,
    tol: float = TOL,
) -> list[SparseMinMaxFit]:
    """Sparse MinMax k-means along a sequence of bounds, the clusters of one bound starting the next.

    Parameters
    ----------
    steps : Steps
        The steps on one data set.
    first : MinMaxFit
        Where the first bound begins.
    l1_bounds : sequence of float
        Bounds, each above 1, used in the given order.
    max_iter : int
        Largest number of weight steps per bound.
    tol : float
        As in `fit_bound`.

    Returns
    -------
    list of SparseMinMaxFit
        One per bound.
    """
    fits = []
    for bound in l1_bounds:
        fits.append(steps.fit_bound(first, float(bound), max_iter, tol))
        first = fits[-1].minmax
    return fits


def permutation_gap(
    x: FloatArray,
    l1_bounds: Sequence[float],
    steps: Callable[[FloatArray], ReleasedSteps],
    *,
    n_permutations: int = 25,
    rng: RRandom,
) -> GapFit:
    """Compare the criterion along the bounds with that of data sets whose columns are shuffled.

    Parameters
    ----------
    x : ndarray of shape (n, p), float64, C order
        Data.
    l1_bounds : sequence of float
        Bounds, each above 1, used in the given order.
    steps : callable
        The steps for a data set, drawing from the same stream.
    n_permutations : int
        Number of permuted data sets, all drawn before the first fit.
    rng : RRandom
        R's stream.

    Returns
    -------
    GapFit
        Objectives, gaps, standard deviations, best bound.
    """
    n, p = x.shape
    draws = [rng.permutations(n, p) - 1 for _ in range(n_permutations)]
    original = steps(x)
    fits = fit_path(original, original.start(), l1_bounds)
    permuted = np.empty((len(fits), n_permutations))
    for i, rows in enumerate(draws):
        shuffled = np.ascontiguousarray(np.take_along_axis(x, rows.T, axis=0))
        shuffled_steps = steps(shuffled)
        path = fit_path(shuffled_steps, shuffled_steps.start(), l1_bounds)
        permuted[:, i] = [-f.criterion for f in path]
    reached = np.array([-f.criterion for f in fits])
    return compare_objectives(reached, permuted, [f.weights for f in fits], l1_bounds)

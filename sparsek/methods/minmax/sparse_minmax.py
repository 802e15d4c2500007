"""Sparse MinMax k-means of Dey, Das and Mallipeddi (2020): as the released code, and by the paper's formulas.

Maximises sum_j omega_j a_j, a_j = TSS_j - sum_k w_k^alpha WCSS_kj, over partitions and feature weights
omega >= 0 with ||omega||_2 <= 1 and ||omega||_1 <= s; w and alpha come from MinMax k-means.

`ReleasedSteps` takes R's draws and R's bisection, and equals the released code up to rounding. `PaperSteps`
works on squared distances with MinMax k-means of Tzortzis and Likas, run to its end, and meets the bound s
exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    find_threshold,
    l2_norm,
    long_sum,
    members_by_appearance,
    soft_threshold,
)
from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import column_squares
from sparsek.core.steps import Array, Labels, cluster_sums, squared_distances
from sparsek.core.weights import l1_weights, weighted_columns, weights_settled
from sparsek.methods.minmax.distances import NOISE, ProductSpace, Space
from sparsek.methods.minmax.minmax import (
    MAX_STARTS,
    MinMaxFit,
    draw_released,
    minmax,
    minmax_released,
    plain_kmeans,
    weight_factors,
)
from sparsek.rng import RRandom

MAX_PASSES = 6
"""Weight steps at one bound in the released code."""
TOL = 1e-4
"""Relative L1 change of the feature weights at which a bound is finished."""
RELEASED_ALPHA = 0.1
"""The alpha at which the ten iterations of the released code aim."""


@dataclass(frozen=True, slots=True)
class SparseMinMaxFit:
    """Sparse MinMax k-means at one bound."""

    l1_bound: float  # The bound s
    # (p,): feature weights omega, unit L2 norm; all 0 where no feature separates clusters
    weights: FloatArray
    minmax: MinMaxFit  # The last MinMax k-means, on the weighted features
    within: FloatArray  # (p,): sum_k w_k^alpha WCSS_kj
    between: FloatArray  # (p,): a_j
    # sum_j omega_j a_j after every weight step, maximised; it need not rise, because w and alpha move
    history: tuple[float, ...]
    converged: bool  # Whether the weights settled within the number of passes
    # What starts are compared by, smaller is better: see `compared`. NaN until then
    criterion: float = math.nan

    @property
    def labels(self) -> Labels:
        """Clusters from 0."""
        return self.minmax.labels

    @property
    def n_iter(self) -> int:
        """Number of weight steps."""
        return len(self.history)


class Steps(Protocol):
    """The alternating steps of sparse MinMax k-means."""

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j."""

    def feature_weights(self, between: FloatArray, l1_bound: float) -> FloatArray:
        """omega for given a."""

    def repartition(self, weights: FloatArray, fit: MinMaxFit) -> MinMaxFit:
        """MinMax k-means on the weighted features, from the present clusters."""

    def again(self) -> Steps:
        """A copy of the steps with random draws of its own."""

    def fit_bound(self, first: MinMaxFit, l1_bound: float, max_iter: int, tol: float) -> SparseMinMaxFit:
        """Fit one bound."""


def fit_bound(
    steps: Steps, n_features: int, first: MinMaxFit, l1_bound: float, max_iter: int, tol: float
) -> SparseMinMaxFit:
    """Alternate between feature weights and clusters at one bound."""
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
        settled = len(history) > 0 and weights_settled(weights, previous, tol)
        converged = settled or not weights.any()
        history.append(long_sum(weights * between))
    return SparseMinMaxFit(l1_bound, weights, fit, within, between, tuple(history), converged)


def released_weights(between: FloatArray, l1_bound: float) -> FloatArray:
    """omega by R's bisection."""
    shrunk = soft_threshold(np.maximum(between, 0), find_threshold(between, l1_bound))
    norm = l2_norm(shrunk)
    return shrunk / norm if norm > 0 else np.zeros_like(shrunk)


class ReleasedSteps:
    """The steps of the released code on prepared data, with R's draws, by matrix products.

    Shapes: X (n, p + 1).
    """

    def __init__(self, X: Array, n_clusters: int, rng: RRandom, beta: float = 0.0) -> None:
        self._X, self._rng = X, rng
        self._k, self._beta = n_clusters, beta
        self._total = column_squares(X, None)
        self._space: Space | None = None

    def start(self, centers: FloatArray | None = None) -> MinMaxFit:
        """MinMax k-means on the features as they are, from given centres or else from random rows."""
        space = self._plain()
        fit = None if centers is None else self._minmax(space, centers)
        return fit if fit is not None and fit.solved else self._draw(space)

    def again(self) -> ReleasedSteps:
        """A copy of the steps with a copy of the stream."""
        other = copy(self)
        other._rng = copy(self._rng)
        return other

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j, by differences to the means."""
        return weighted_sums(self._X, self._total, fit, self._k)

    def feature_weights(self, between: FloatArray, l1_bound: float) -> FloatArray:
        """omega by R's bisection."""
        return released_weights(between, l1_bound)

    def repartition(self, weights: FloatArray, fit: MinMaxFit) -> MinMaxFit:
        """MinMax k-means from the cluster means if each is nearest to some row, else from random rows."""
        space, k = self._weighted(weights), self._k
        groups = members_by_appearance(fit.labels.astype(np.intp))
        if len(groups) < k:
            return self.restart(space, "lost cluster")
        labels = np.empty(len(fit.labels), dtype=np.int32)
        for number, rows in enumerate(groups):
            labels[rows] = number
        if len(np.unique(space.to_means(labels, k).argmin(axis=0))) < k:
            return self._draw(space)
        fit = self._minmax(space, labels)
        return fit if fit.solved else self.restart(space, "no solution")

    def restart(self, space: Space, why: str) -> MinMaxFit:
        """MinMax k-means from random rows, where the released code fails or never ends (`why`)."""
        return self._draw(space)

    def fit_bound(
        self, first: MinMaxFit, l1_bound: float, max_iter: int = MAX_PASSES, tol: float = TOL
    ) -> SparseMinMaxFit:
        """Fit one bound, with R's draws."""
        p = len(self._total)
        self._rng.rnorm(p)  # R draws its initial old weights, which have no effect
        return fit_bound(self, p, first, l1_bound, max_iter, tol)

    def _plain(self) -> Space:
        """The features as they are."""
        if self._space is None:
            self._space = ProductSpace(self._X, 1)
        return self._space

    def _weighted(self, weights: FloatArray) -> Space:
        """The features of positive weight, scaled."""
        return ProductSpace(weighted_columns(self._X, weights), 1)

    def _draw(self, space: Space) -> MinMaxFit:
        """MinMax k-means from random rows."""
        return draw_released(space, self._k, len(self._X), self._rng, beta=self._beta)

    def _minmax(self, space: Space, start: Array) -> MinMaxFit:
        """MinMax k-means from labels or centres."""
        return minmax_released(space, start, n_clusters=self._k, beta=self._beta)


def weighted_sums(X: Array, total: FloatArray, fit: MinMaxFit, k: int) -> tuple[FloatArray, FloatArray]:
    """sum_k w_k^alpha WCSS_kj and a_j on prepared data, by differences to the means of the labels."""
    factors = weight_factors(fit.weights, fit.alpha)[fit.labels]
    means = cluster_sums(X, fit.labels, k).means
    within = np.zeros(len(total))
    for rows in row_chunks(X):
        within += factors[rows] @ np.square(X[rows, :-1] - means[fit.labels[rows]])
    between = total - within
    # A difference that rounding can explain would give weight to a feature that separates nothing.
    between[between <= NOISE * np.finfo(X.dtype).eps * total] = 0
    return within, between


def compared(X: Array, fit: SparseMinMaxFit, n_clusters: int, alpha: float) -> SparseMinMaxFit:
    """The fit with its criterion at an alpha that all starts share, with the best cluster weights.

    Starts that lost clusters end at smaller alphas, where the factors w_k^alpha are larger and
    sum_j omega_j a_j is smaller for the very same clusters and features. The paper's model is
    max over clusters and omega, min over w, of sum_j omega_j a_j at one alpha. The minimum over w is
    sum_j omega_j TSS_j - (sum_k V_k^(1 / (1 - alpha)))^(1 - alpha), V_k = sum_j omega_j WCSS_kj.

    Shapes: X (n, p + 1).
    """
    Z = weighted_columns(X, fit.weights)
    own = squared_distances(Z, fit.labels, cluster_sums(Z, fit.labels, n_clusters).means)
    scatter = np.bincount(fit.labels, own, n_clusters)
    top = float(scatter.max())
    # Divided by the largest V, powers do not overflow; the norm is multiplied by it again.
    within = top * np.sum((scatter / top) ** (1 / (1 - alpha))) ** (1 - alpha) if top > 0 else 0.0
    return replace(fit, criterion=float(within - np.square(Z[:, :-1]).sum(dtype=np.float64)))


class PaperSteps:
    """The steps of the paper's formulas on prepared data.

    Shapes: X (n, p + 1).
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
        """A copy of the steps that draws from a seed."""
        other = copy(self)
        other._seed, other._draw = seed, self._drawing(seed)
        return other

    def again(self) -> PaperSteps:
        """A copy of the steps whose draws begin again."""
        return self.with_seed(self._seed)

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j, by differences to the means."""
        return weighted_sums(self._X, self._total, fit, self._k)

    def feature_weights(self, between: FloatArray, l1_bound: float) -> FloatArray:
        """omega, with the bound met exactly."""
        return l1_weights(between, l1_bound)

    def repartition(self, weights: FloatArray, fit: MinMaxFit) -> MinMaxFit:
        """MinMax k-means from the present clusters, or from random rows if that has no solution."""
        Z = weighted_columns(self._X, weights)
        return solved_minmax(ProductSpace(Z), fit.labels, self._k, self._draw, self._options)

    def fit_bound(self, first: MinMaxFit, l1_bound: float, max_iter: int, tol: float) -> SparseMinMaxFit:
        """One bound."""
        return fit_bound(self, len(self._total), first, l1_bound, max_iter, tol)


def solved_minmax(
    space: Space,
    start: Array,
    n_clusters: int,
    draw: Callable[[Array], Array],
    options: dict[str, Any],
) -> MinMaxFit:
    """`minmax` from the given start, then from random ones until solved; plain k-means if none is solved."""
    for _ in range(MAX_STARTS):
        fit = minmax(space, start, n_clusters=n_clusters, **options)
        if fit.solved:
            return fit
        if len(space.prepared) < 2 * n_clusters:  # each cluster needs two rows
            break
        start = draw(space.prepared)
    return plain_kmeans(space.prepared, fit.labels, n_clusters)


def sparse_minmax_path(
    steps: Steps,
    first: MinMaxFit,
    l1_bounds: Sequence[float],
    max_iter: int = MAX_PASSES,
    tol: float = TOL,
) -> list[SparseMinMaxFit]:
    """Sparse MinMax k-means along a sequence of bounds, the clusters of one bound starting the next."""
    fits = []
    for bound in l1_bounds:
        fits.append(steps.fit_bound(first, float(bound), max_iter, tol))
        first = fits[-1].minmax
    return fits

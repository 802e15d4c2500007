"""Python calls for the code released with the sparse MinMax k-means paper, with the same bits.

`sparsek.methods.madd.algorithm` is faster than the MADD of this file and differs in the last digits, which
matter if a row is equally far from two clusters. The order was found by experiments with tied data: sums over
features from left to right, times 1 / p; sums over rows in extended precision, times 1 / (n - 2).

`sparsek.methods.minmax` takes distances and sums from matrix products. Here they are R's.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    SumsOfSquares,
    exact_distances,
    long_column_means,
    long_column_sums,
    long_sum,
    members_by_appearance,
    seq_length,
)
from sparsek.core.exact_sums import row_chunks
from sparsek.core.steps import Array, Labels
from sparsek.errors import RError
from sparsek.methods.madd.algorithm import mean_dissimilarities, sweep
from sparsek.methods.minmax.distances import Space
from sparsek.methods.minmax.minmax import MinMaxFit, minmax_released, weight_factors
from sparsek.methods.minmax.sparse_minmax import ReleasedSteps, SparseMinMaxFit, sparse_minmax_path
from sparsek.rcompat.sparcl.permutations import GapFit, compare_objectives
from sparsek.rng import RRandom


def _maddkmeans(version: int) -> Callable[..., Any]:
    """A k-means on MADD from labels drawn from R's stream; R's loop makes at least two sweeps."""

    def call(x: np.ndarray, k: float, rng: RRandom) -> dict[str, Any]:
        """K-means on mean absolute differences of distances, as released."""
        start = np.asarray(rng.sample_int(int(k), len(x), replace=True)) - 1
        D = madd_in_order(base_in_order(x, version)) ** 2
        (fit,) = sweep(D, start[None], int(k), mean_dissimilarities, strict=False, max_iter=1000)
        return {"iters": max(2, fit.n_iter), "cluster": fit.labels + 1}

    return call


class SpaceInOrder:
    """R's sums: means in extended precision, squares left to right; results of two partitions are stored."""

    def __init__(self, x: FloatArray, power: int = 1) -> None:
        self._x, self._power = x, power
        self._known: dict[bytes, tuple[FloatArray, FloatArray]] = {}
        self._older: dict[bytes, tuple[FloatArray, FloatArray]] = {}

    @property
    def prepared(self) -> Array:
        """Prepared rows, shape (n, p + 1)."""
        return np.column_stack([self._x - self._x.mean(axis=0), np.ones(len(self._x))])

    def rows(self, chosen: Array) -> Array:
        """Some rows as centres."""
        return self._x[chosen]

    def means(self, labels: Labels, n_clusters: int) -> Array:
        """Cluster means, shape (n_clusters, p)."""
        return np.array([center for center, _ in self._clusters(labels, n_clusters)])

    def to_centers(self, centers: Array) -> FloatArray:
        """Distances to given centres: shape (n_clusters, n)."""
        return np.array([self._distances(center) for center in centers])

    def to_means(self, labels: Labels, n_clusters: int) -> FloatArray:
        """Distances to the means of a partition: shape (n_clusters, n)."""
        return np.array([distances for _, distances in self._clusters(labels, n_clusters)])

    def _clusters(self, labels: Labels, n_clusters: int) -> list[tuple[FloatArray, FloatArray]]:
        """Mean of each cluster and the distances to it."""
        found: dict[bytes, tuple[FloatArray, FloatArray]] = {}
        for k in range(n_clusters):
            members = np.flatnonzero(labels == k)
            key = members.tobytes()
            pair = self._known.get(key) or self._older.get(key)
            if pair is None:
                center = long_column_means(self._x[members])
                pair = center, self._distances(center)
            found[key] = pair
        if found.keys() != self._known.keys():
            self._older, self._known = self._known, found
        return list(found.values())

    def _distances(self, center: FloatArray) -> FloatArray:
        """Distance of every row to a centre: the root of a left-to-right sum, or the sum itself."""
        squares = np.concatenate([exact_distances(self._x[rows], center) for rows in row_chunks(self._x)])
        return np.sqrt(squares) if self._power == 1 else squares


class StepsInOrder(ReleasedSteps):
    """The steps of the released code on one data set, in R's sums."""

    def __init__(self, x: FloatArray, n_clusters: int, rng: RRandom) -> None:
        self._X, self._rng = x, rng
        self._k, self._beta = n_clusters, 0.0
        self._sums = SumsOfSquares(x)
        self._total = self._sums.total

    def sums(self, fit: MinMaxFit) -> tuple[FloatArray, FloatArray]:
        """sum_k w_k^alpha WCSS_kj and a_j, in R's sums."""
        factors = weight_factors(fit.weights, fit.alpha)
        groups = members_by_appearance(fit.labels.astype(np.intp))
        within = self._sums.within(groups, np.array([factors[fit.labels[rows[0]]] for rows in groups]))
        return within, self._sums.total - within

    def _plain(self) -> Space:
        """The features as they are."""
        return SpaceInOrder(self._X)

    def _weighted(self, weights: FloatArray) -> Space:
        """The features of positive weight, scaled."""
        used = weights != 0
        return SpaceInOrder(np.ascontiguousarray(self._X[:, used]) * np.sqrt(weights[used]))


class _LikeReleased(StepsInOrder):
    """The released sparse MinMax k-means with its errors; ``calls.R`` describes them in R."""

    def restart(self, space: Space, why: str) -> MinMaxFit:
        """Raise the error with which the released code ends here; sparsek would begin a new start."""
        message = "subscript out of bounds" if why == "lost cluster" else "reached CPU time limit"
        raise RError(message, "sparsek begins anew from random rows")

    def feature_weights(self, between: np.ndarray, l1_bound: float) -> np.ndarray:
        """The weights; the released code's error if all are zero."""
        weights = super().feature_weights(between, l1_bound)
        if not weights.any():
            raise RError("missing value where TRUE/FALSE needed", "no feature differs between the clusters")
        return weights


def _minmaxkmeans(x: np.ndarray, start: np.ndarray, rng: RRandom, **args: float) -> dict[str, Any]:
    """MinMax k-means as released."""
    names = {"p_max": "alpha_max", "pstep": "alpha_step", "beta": "beta"}
    options = {names[name]: float(value) for name, value in args.items()}
    fit = minmax_released(SpaceInOrder(x), start, n_clusters=len(start), **options)
    counts = np.bincount(fit.labels, minlength=len(start))
    return {
        "centers": fit.centers,
        "flag": float(fit.solved),
        "cluster": fit.labels + 1,
        "x": counts,
        "p": fit.alpha,
        "wk": fit.weights,
    }


def _sparse_cl(
    x: np.ndarray, K: float, rng: RRandom, wbounds: Any = None, maxiter: float = 6
) -> list[dict[str, Any]]:
    """Sparse MinMax k-means as released, along bounds."""
    bounds = seq_length(1.1, np.sqrt(x.shape[1]), 20) if wbounds is None else np.atleast_1d(wbounds)
    if (bounds <= 1).any():
        raise RError("wbounds should be greater than 1", "use larger bounds")
    steps = _LikeReleased(x, int(K), rng)
    return [
        {
            "ws": fit.weights,
            "Cs": fit.labels + 1,
            "wcss": {
                "wcss.perfeature": fit.within,
                "wcss": long_sum(fit.within),
                "wcss.ws": long_sum(fit.within * fit.weights),
                "bcss.perfeature": fit.between,
            },
            "crit": np.array(fit.history),
            "wbound": fit.l1_bound,
            "wk": fit.minmax.weights,
            "p": fit.minmax.alpha,
        }
        for fit in sparse_minmax_path(steps, steps.start(), bounds.tolist(), int(maxiter))
    ]


def _sp_perm(
    x: np.ndarray, K: float, rng: RRandom, nperms: float = 25, wbounds: Any = None, nvals: float = 10
) -> dict[str, Any]:
    """The permutation gap as released."""
    logs = seq_length(elementary.log(1.2), elementary.log(math.sqrt(x.shape[1]) * 0.9), int(nvals))
    bounds = np.array([elementary.exp(v) for v in logs]) if wbounds is None else np.atleast_1d(wbounds)
    if len(bounds) < 2:
        raise RError("Wbounds should be a vector of at least two elements.", "give more bounds")
    gap = permutation_gap(
        x, bounds.tolist(), lambda data: _LikeReleased(data, int(K), rng), n_permutations=int(nperms), rng=rng
    )
    return {
        "tots": gap.objectives,
        "permtots": gap.permuted,
        "nnonzerows": gap.n_nonzero,
        "gaps": gap.gaps,
        "sdgaps": gap.deviations,
        "wbounds": bounds,
        "bestw": gap.best_bound,
    }


CALLS: dict[str, Callable[..., Any]] = {
    "minmaxkmeans": _minmaxkmeans,
    "SparseCl": _sparse_cl,
    "sp.perm": _sp_perm,
    **{f"maddkmeans{version or ''}": _maddkmeans(version) for version in (0, 1, 2)},
}
"""Calls, by the name of the R function."""


def base_in_order(X: Array, version: int) -> Array:
    """Phi between all rows, added in the order of the released code.

    Shapes: X (n, p) float64; returns (n, n).
    """
    n, p = X.shape
    total = np.zeros((n, n))
    for column in X.T:
        gaps = np.abs(column[:, None] - column)
        total += gaps * gaps if version == 0 else _decay(gaps) if version == 2 else gaps
    return np.sqrt(total) * (1 / math.sqrt(p)) if version == 0 else total * (1 / p)


def _decay(gaps: Array) -> Array:
    """1 - exp(-gap), with the digits of R's C library."""
    return np.array([1 - elementary.exp(-gap) for gap in gaps.ravel().tolist()]).reshape(gaps.shape)


def madd_in_order(phi: Array) -> Array:
    """Rho of all pairs of at least three rows, added in the order of the released code.

    Shapes: phi (n, n); returns (n, n).
    """
    n = len(phi)
    total = np.empty((n, n))
    for i in range(n):
        terms = np.abs(phi[:, i, None] - phi)
        terms[i] = 0
        np.fill_diagonal(terms, 0)  # the sum leaves out z = i and z = j
        total[i] = long_column_sums(terms)
    return total * (1 / (n - 2))


def permutation_gap(
    x: FloatArray,
    l1_bounds: Sequence[float],
    steps: Callable[[FloatArray], ReleasedSteps],
    *,
    n_permutations: int = 25,
    rng: RRandom,
) -> GapFit:
    """Compare the criterion at each bound with the criterion on data sets with shuffled columns.

    Shapes: x (n, p) float64.
    """
    n, p = x.shape
    draws = [rng.permutations(n, p) - 1 for _ in range(n_permutations)]
    original = steps(x)
    fits = sparse_minmax_path(original, original.start(), l1_bounds)
    permuted = np.empty((len(fits), n_permutations))
    for i, rows in enumerate(draws):
        shuffled = np.ascontiguousarray(np.take_along_axis(x, rows.T, axis=0))
        shuffled_steps = steps(shuffled)
        path = sparse_minmax_path(shuffled_steps, shuffled_steps.start(), l1_bounds)
        permuted[:, i] = [_reached(f) for f in path]
    reached = np.array([_reached(f) for f in fits])
    return compare_objectives(reached, permuted, [f.weights for f in fits], l1_bounds)


def _reached(fit: SparseMinMaxFit) -> float:
    """The criterion after the last weight step, at the alpha that the fit reached."""
    return fit.history[-1] if fit.history else 0.0

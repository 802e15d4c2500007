"""Sparse k-means with R's sparcl answers, bit for bit: Witten & Tibshirani (2010).

Choose weights w and a partition that maximise ``sum_j w_j (TSS_j - WCSS_j)`` subject to ``|w|_2 <= 1``,
``|w|_1 <= s``, ``w_j >= 0``. Given the partition the weights are a soft-thresholded and normalised vector of
between-cluster sums of squares; given the weights the partition is k-means on ``x * sqrt(w)``.

Every sum below runs in R's order and width (`sparsek.bits.ordered_arithmetic`). Approximate arithmetic
decides a comparison only outside its error bound; closer comparisons are computed again in R's arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    IntArray,
    SumsOfSquares,
    find_threshold,
    l2_norm,
    long_column_means,
    long_sum,
    members_by_appearance,
    sequential_sum,
    soft_threshold,
)
from sparsek.errors import RError
from sparsek.rcompat.stats import runs as rkmeans
from sparsek.rng import RRandom

Report = Callable[[int, int], object]

CONVERGED = 1e-4
"""Relative L1 change of the weights at which a bound is finished."""
UPDATE_STARTS = 10
"""Restarts of k-means when a prototype attracts no row; R fixes it, whatever ``nstart`` is."""


def quiet(done: int, due: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class SparseFit:
    """Sparse k-means at one bound."""

    l1_bound: float  # The bound on the L1 norm of the weights, dimensionless
    weights: FloatArray  # (p,): feature weights, unit L2 norm, dimensionless
    labels: IntArray  # Clusters from 0
    # within, between: (p,): within- and between-cluster sums of squares per feature, in squared units of the
    # data
    within: FloatArray
    between: FloatArray
    objective: FloatArray  # (n_iter,): ``sum_j w_j BCSS_j`` after every weight step (maximised)

    @property
    def reached(self) -> float:
        """``sum_j w_j BCSS_j`` of the final weights and partition."""
        return long_sum(self.between * self.weights)


class _SparseKMeans:
    """One data set fitted at several bounds; each bound starts from the partition of the one before."""

    def __init__(
        self, x: FloatArray, start: float | FloatArray, n_init: int, max_iter: float, rng: RRandom
    ) -> None:
        self._x, self._rng, self._max_iter = x, rng, max_iter
        self._k = float(len(start)) if isinstance(start, np.ndarray) else start
        first = start if isinstance(start, np.ndarray) else int(start)
        labels = rkmeans.run_kmeans(x, first, nstart=n_init, rng=rng).labels
        self._sums = SumsOfSquares(x)
        self._set_labels(labels)

    def _set_labels(self, labels: IntArray) -> None:
        """Store a partition and its sums of squares."""
        self._labels, self._groups = labels, members_by_appearance(labels)
        self._within = self._sums.within(self._groups)
        self._between = self._sums.total - self._within

    @np.errstate(over="ignore", divide="ignore", invalid="ignore")  # R goes on with Inf and NaN
    def fit(self, l1_bound: float) -> SparseFit:
        """Alternate between weights and partition at one bound."""
        p = self._x.shape[1]
        weights, previous = np.full(p, 1 / math.sqrt(p)), self._rng.rnorm(p)
        objective: list[float] = []
        while self._moving(weights, previous, len(objective)):
            previous = weights
            if objective:
                self._set_labels(self._update_labels(weights))
            shrunk = soft_threshold(self._between, find_threshold(self._between, l1_bound))
            with np.errstate(divide="ignore", invalid="ignore"):
                weights = shrunk / l2_norm(shrunk)
            objective.append(long_sum(self._between * weights))
        return SparseFit(
            l1_bound,
            weights,
            self._labels,
            self._within,
            self._between,
            np.array(objective, dtype=np.float64),
        )

    def _moving(self, weights: FloatArray, previous: FloatArray, n_iter: int) -> bool:
        """Whether to make another weight step."""
        if n_iter >= self._max_iter:
            return False
        change = long_sum(np.abs(weights - previous)) / long_sum(np.abs(previous))
        if math.isnan(change):
            raise RError(
                "missing value where TRUE/FALSE needed",
                "the weights are undefined, because no feature differs between the clusters: "
                "use at least two clusters, and data that are not constant",
            )
        return change > CONVERGED

    def _update_labels(self, weights: FloatArray) -> IntArray:
        """K-means on the weighted features, from the present means if each is nearest to at least one row."""
        used = weights != 0
        if np.count_nonzero(used) == 1:
            raise RError(
                "'dims' cannot be of length 0",
                "only one feature has a non-zero weight, which sparcl cannot cluster on: use a larger bound",
            )
        if (weights < 0).any():
            warn_as_r("NaNs produced")
            raise RError(
                "NA/NaN/Inf in foreign function call (arg 1)",
                "rounding made a feature's between-cluster sum of squares negative and its weight with it: "
                "remove features that do not differ between clusters but for rounding",
            )
        z = np.ascontiguousarray(self._x[:, used]) * np.sqrt(weights[used])
        prototypes = np.array([long_column_means(z[rows]) for rows in self._groups])
        if count_nearest(z, prototypes) == self._k:
            return rkmeans.run_kmeans(z, prototypes, rng=self._rng).labels
        return rkmeans.run_kmeans(z, int(self._k), nstart=UPDATE_STARTS, rng=self._rng).labels


def count_nearest(z: FloatArray, prototypes: FloatArray) -> int:
    """Number of prototypes that are the nearest to at least one row; ties go to the first prototype.

    Shapes: z (n, q), prototypes (k, q).
    """
    k, q = prototypes.shape
    if k == 1:
        return 1
    z2, c2 = np.einsum("ij,ij->i", z, z), np.einsum("ij,ij->i", prototypes, prototypes)
    d2 = z2[:, None] - 2 * (z @ prototypes.T) + c2
    bound = (4 * q + 60) * 2.0**-52 * (z2 + c2.max()) + 1e-300
    two = np.partition(d2, 1, axis=1)[:, :2]
    clear = two[:, 1] - two[:, 0] > 2 * bound
    hit = np.zeros(k, dtype=bool)
    hit[d2[clear].argmin(axis=1)] = True
    if not hit.all() and not clear.all():
        columns = np.ascontiguousarray(z[~clear].T)
        d = [np.sqrt(sequential_sum(np.square(columns - c[:, None]))) for c in prototypes]
        hit[np.argmin(d, axis=0)] = True
    return int(np.count_nonzero(hit))


def sparse_kmeans_path(
    x: FloatArray,
    l1_bounds: Sequence[float],
    start: float | FloatArray,
    *,
    n_init: int = 20,
    max_iter: float = 6,
    rng: RRandom,
    report: Report = quiet,
) -> list[SparseFit]:
    """Sparse k-means along a sequence of bounds, the partition of one bound starting the next.

    Shapes: x (n, p) float64, start (k, p).

    RError where R fails too: from k-means, with undefined weights, or with one non-zero weight only; RWarning
    r's own warnings: from k-means, and "NaNs produced" before the error over a negative weight.

    Source: Witten & Tibshirani (2010), Section 3.1, iterative algorithm.
    """
    model = _SparseKMeans(x, start, n_init, max_iter, rng)
    fits = []
    for bound in l1_bounds:
        fits.append(model.fit(float(bound)))
        report(len(fits), len(l1_bounds))
    return fits

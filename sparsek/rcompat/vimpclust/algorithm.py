"""Group-sparse weighted k-means with the answers of R's vimpclust, bit for bit: Chavent et al. (2020).

Choose weights w and a partition that maximise ``w'b - lambda sum_g sqrt(p_g) |w_g|`` subject to ``|w| = 1``
and ``w >= 0``, where b are between-cluster variances of the features and p_g is the size of group g. Given
the partition the weights are b after group soft-thresholding, over their norm; given the weights the
partition is k-means on ``z * sqrt(w)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    IntArray,
    l2_norm,
    long_column_means,
    long_column_sums,
    long_sum,
    seq_length,
)
from sparsek.errors import RError
from sparsek.rcompat.base.printing import as_character
from sparsek.rcompat.stats.api_kmeans import kmeans
from sparsek.rng import RRandom

NO_TRUTH = "missing value where TRUE/FALSE needed"
"""R's message for a condition that is NaN."""
BELOW_LARGEST = 0.001
"""The grid of penalties ends this far below the penalty that leaves no weight."""


@dataclass(frozen=True, slots=True)
class VariableGroups:
    """Groups of features."""

    places: list[IntArray]  # The features of each group, groups in the order of their numbers
    numbers: list[int]
    by_size: bool  # Whether the penalty of a group is multiplied by the root of its size

    def norms(self, w: FloatArray) -> FloatArray:
        """The norm of the entries of each group."""
        return np.array([l2_norm(w[place]) for place in self.places])

    def roots(self) -> FloatArray:
        """Roots of the sizes."""
        return np.sqrt([float(len(place)) for place in self.places])


def make_groups(index: IntArray, by_size: bool) -> VariableGroups:
    """The groups of features that are numbered.

    Shapes: index (p,).
    """
    numbers = np.unique(index)
    return VariableGroups([np.flatnonzero(index == g) for g in numbers], numbers.tolist(), by_size)


def threshold(b: FloatArray, penalty: float, groups: VariableGroups) -> FloatArray:
    """Group soft-thresholding, over the norm; zeros where a positive penalty leaves nothing.

    Shapes: b (p,); returns (p,).

    Raises RError for a negative penalty, and where squares overflow.
    """
    if penalty < 0:
        raise RError("s must be positive.", f"penalties must not be negative; got {penalty:g}")
    w = np.zeros(len(b))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # R goes on with Inf and NaN
        for place, root in zip(groups.places, groups.roots(), strict=True):
            bound = penalty * root if groups.by_size else penalty
            if len(place) == 1:
                w[place] = np.sign(b[place]) * np.maximum(0.0, np.abs(b[place]) - bound)
            elif not penalty:
                w[place] = b[place]
            elif norm := l2_norm(b[place]):
                w[place] = np.maximum(0.0, norm - bound) * b[place] / norm
        norm = l2_norm(w)
        if math.isnan(norm):
            message = f"the largest entry is {np.abs(b).max():g}, its square overflows: divide by a constant"
            raise RError(NO_TRUTH, message)
        return w / norm if norm or not penalty else np.zeros(len(b))


def between_squares(x: FloatArray, labels: IntArray) -> FloatArray:
    """Sums of squares between clusters from 1, by cluster and feature.

    Shapes: x (n, p), labels (n,); returns (k, p).
    """
    middle = long_column_means(x)
    parts = [x[labels == k] for k in range(1, labels.max() + 1)]
    return np.array([len(part) * np.square(long_column_means(part) - middle) for part in parts])


def within_squares(x: FloatArray, labels: IntArray) -> FloatArray:
    """Sums of squares within clusters from 1, by cluster and feature.

    Shapes: x (n, p), labels (n,); returns (k, p).
    """
    parts = [x[labels == k] for k in range(1, labels.max() + 1)]
    return np.array([long_column_sums(np.square(part - long_column_means(part))) for part in parts])


@dataclass(frozen=True, slots=True)
class Fit:
    """Group-sparse weighted k-means at one penalty."""

    penalty: float
    weights: FloatArray  # (p,): those by which the clusters were found
    labels: IntArray  # (n,): clusters from 1
    between: FloatArray  # (p,): between-cluster variances
    converged: bool


@dataclass(frozen=True, slots=True)
class Control:
    """How k-means and the alternation run."""

    n_init: int
    most_steps: int
    most_iterations: int
    tolerance: float


class WeightedKMeans:
    """One data set that is fitted at several penalties, each from the same k-means with equal weights."""

    def __init__(
        self, z: FloatArray, centers: object, groups: VariableGroups, control: Control, rng: RRandom
    ) -> None:
        self._z, self._centers, self._groups = z, centers, groups
        self._control, self._rng = control, rng
        # R swaps the number of starts and that of iterations here.
        self._first = self._clusters(z, control.most_iterations, control.n_init)
        if self._first.max() == 1:
            raise RError("invalid 'type' (character) of argument", "centers must be 2 or more")
        norms = groups.norms(self._variances(self._first))
        self.largest = float(np.max(norms / groups.roots()))
        """The penalty from which on no weight is left."""

    def grid(self, length: int) -> FloatArray:
        """Equally spaced penalties from 0; RError where the largest one overflows."""
        if not math.isfinite(self.largest):
            raise RError(
                "'to' must be a finite number", "variances between clusters overflow: divide X by 2^k"
            )
        return seq_length(0.0, self.largest - BELOW_LARGEST, length)

    def path(self, penalties: FloatArray) -> Iterator[Fit]:
        """A fit for each penalty; RError where one is too large.

        Shapes: penalties (m,).
        """
        if (penalties > self.largest).any():
            limit = as_character(self.largest)
            raise RError(f"Lambda must be in [0;{limit}]", f"the largest is {penalties.max():g}: use less")
        for penalty in penalties.tolist():
            yield self._fit(penalty)

    def _fit(self, penalty: float) -> Fit:
        """Alternate weights and clusters until the weights stay."""
        p, control = self._z.shape[1], self._control
        previous, weights = np.abs(self._rng.rnorm(p)), np.full(p, 1 / p)
        labels, between, step = None, np.empty(0), 1
        change = _change(weights, previous)
        while change > control.tolerance and step < control.most_steps and weights.any():
            if labels is None:
                labels = self._first
            else:
                labels = self._clusters(self._z * np.sqrt(weights), control.n_init, control.most_iterations)
            between = self._variances(labels)
            previous, weights = weights, threshold(between, penalty, self._groups)
            change, step = _change(weights, previous), step + 1
        if labels is None:
            raise RError("object 'cluster0' not found", "use itermaxw above 1 and a smaller epsilonw")
        return Fit(penalty, previous, labels, between, change <= control.tolerance)

    def _clusters(self, x: FloatArray, n_init: int, most_iterations: int) -> IntArray:
        """Clusters from 1 by R's k-means."""
        fit = kmeans(x, self._centers, most_iterations, n_init, rng=self._rng)
        return np.asarray(fit["cluster"], dtype=np.int64)

    def _variances(self, labels: IntArray) -> FloatArray:
        """Between-cluster variances of the features."""
        return long_column_sums(between_squares(self._z, labels)) / len(self._z)


def _change(weights: FloatArray, previous: FloatArray) -> float:
    """Relative change of the weights."""
    size = long_sum(np.abs(previous))
    return long_sum(np.abs(weights - previous)) / size if size else math.inf

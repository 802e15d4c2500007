"""The steps of ewkm, fgkm and twkm: on whole arrays, or by compiled loops, with the same bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits import elementary
from sparsek.bits.float_sums import float_sum
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, first_member_sums, sequential_sum
from sparsek.engine import compiles
from sparsek.rcompat.wskm import literal
from sparsek.rcompat.wskm.weighted_nearest import nearest_weighted, screening_features

ITERATIONS = 30
"""Multiplications that numpy makes while a run works on an entry for one cluster."""


@dataclass(frozen=True, slots=True)
class ColumnGroups:
    """Groups of columns."""

    index: IntArray  # Group of every column, from 0
    members: tuple[IntArray, ...]  # Columns of every group; a group may be empty


def make_groups(index: IntArray, n_groups: int = 1) -> ColumnGroups:
    """The groups with these numbers."""
    return ColumnGroups(index, tuple(np.flatnonzero(index == g) for g in range(n_groups)))


def one_group(p: int) -> ColumnGroups:
    """A single group of p columns."""
    return make_groups(np.zeros(p, dtype=np.int64))


class ArraySteps:
    """Steps on whole arrays.

    Shapes: x (n, p).
    """

    def __init__(self, x: FloatArray) -> None:
        self._x = x
        self._screen = screening_features(x)

    def assign(self, centers: FloatArray, weights: FloatArray, labels: IntArray) -> IntArray:
        """Nearest centres under weights (m, p), the last one on ties; without a distance the old labels."""
        found = nearest_weighted(self._x, self._screen, centers, np.broadcast_to(weights, centers.shape))
        return np.where(found < 0, labels, found)

    def means(self, labels: IntArray, k: int) -> tuple[FloatArray, bool]:
        """Means, and whether all clusters have rows; from the first empty one on they stay sums, as in R."""
        return mean_centers(self._x, labels, k)

    def set_partition(self, labels: IntArray, centers: FloatArray) -> None:
        """Labels and centres for all methods below."""
        self._labels = labels
        self._squares = self._x - centers[labels]
        self._squares *= self._squares

    def dispersions(self, weights: FloatArray) -> FloatArray:
        """Weighted sums of squares of every set of weights and feature (m, p); m is k or 1."""
        owner = self._labels if len(weights) > 1 else np.zeros_like(self._labels)
        terms = self._squares if (weights == 1).all() else self._terms(weights)
        sums: FloatArray = first_member_sums(terms, owner[None], len(weights))[0][0]
        return sums

    def group_dispersions(self, weights: FloatArray, groups: ColumnGroups, per_cluster: bool) -> FloatArray:
        """Weighted sums of squares of every set of weights and group (m, G), in the order of R's loops.

        With weights per cluster R adds over rows within each feature in turn; with one common set it adds
        over features within each row in turn.
        """
        sums = np.empty((len(weights), len(groups.members)))
        for number, own in enumerate(weights):
            terms = (self._squares[self._labels == number] if per_cluster else self._squares) * own
            for g, columns in enumerate(groups.members):
                part = terms[:, columns]
                sums[number, g] = left_to_right(part.T if per_cluster else part)
        return sums

    def shares(
        self, sums: FloatArray, penalty: float, groups: ColumnGroups, smallest: float, running: bool = False
    ) -> FloatArray:
        """Weights proportional to ``exp(-sum / penalty)`` in every row and group of columns; they sum to 1.

        Weights below the smallest are raised to it. The largest exponent is subtracted first: that of the row
        and group, or, `running`, that of this row and all rows before.
        """
        v = sums / -penalty
        weights = np.empty_like(v)
        for columns in filter(len, groups.members):
            part = v[:, columns]
            highest = part.max(axis=1)
            if running:
                highest = np.maximum.accumulate(highest)
            e = exp_each(part - highest[:, None])
            e /= row_sums(e)
            np.maximum(e, smallest, out=e)
            weights[:, columns] = e / row_sums(e)
        return weights

    def total(self, weights: FloatArray) -> float:
        """Weighted sum of squares of all rows, from left to right."""
        return left_to_right(self._terms(weights))

    def float_total(self, weights: FloatArray) -> float:
        """As `total`, in single precision."""
        return float_sum(self._terms(weights))

    def float_sum(self, terms: FloatArray) -> float:
        """Sum of doubles of one sign in single precision."""
        return float_sum(terms)

    def entropy_terms(self, weights: FloatArray) -> FloatArray:
        """``w log w`` of every element, with the digits of R's C library."""
        return entropy_terms(weights)

    def _terms(self, weights: FloatArray) -> FloatArray:
        """Weighted squares of every row."""
        if len(weights) == 1:
            return self._squares * weights
        terms = weights[self._labels]
        terms *= self._squares
        return terms


class CompiledSteps:
    """The same by compiled loops.

    Shapes: x (n, p).
    """

    def __init__(self, x: FloatArray) -> None:
        n, p = x.shape
        self._x = _for_loops(x)
        padded = np.zeros((-(-n // literal.ROWS), literal.ROWS, p))
        padded.reshape(-1, p)[:n] = x
        self._blocks = np.ascontiguousarray(padded.transpose(0, 2, 1))
        self._has_digits = elementary.is_glibc_compiled()

    def assign(self, centers: FloatArray, weights: FloatArray, labels: IntArray) -> IntArray:
        """See `ArraySteps.assign`."""
        labels = labels.copy()
        literal.assign.compiled(self._blocks, _for_loops(centers), _for_loops(weights), labels)
        return labels

    def means(self, labels: IntArray, k: int) -> tuple[FloatArray, bool]:
        """See `ArraySteps.means`."""
        centers, full = literal.means.compiled(self._x, labels, k)
        return centers, full

    def set_partition(self, labels: IntArray, centers: FloatArray) -> None:
        """See `ArraySteps.set_partition`."""
        self._partition = labels, _for_loops(centers)

    def dispersions(self, weights: FloatArray) -> FloatArray:
        """See `ArraySteps.dispersions`."""
        return np.asarray(literal.dispersions.compiled(self._x, *self._partition, _for_loops(weights)))

    def group_dispersions(self, weights: FloatArray, groups: ColumnGroups, per_cluster: bool) -> FloatArray:
        """See `ArraySteps.group_dispersions`."""
        sums = np.zeros((len(weights), len(groups.members)))
        arguments = *self._partition, _for_loops(weights), groups.index, sums
        if per_cluster:
            literal.group_dispersions.compiled(self._blocks, *arguments)
        else:
            literal.common_group_dispersions.compiled(self._x, *arguments)
        return sums

    def shares(
        self, sums: FloatArray, penalty: float, groups: ColumnGroups, smallest: float, running: bool = False
    ) -> FloatArray:
        """See `ArraySteps.shares`."""
        n_groups = len(groups.members)
        weights: FloatArray = literal.exponents.compiled(sums, -penalty, groups.index, n_groups, running)
        if self._has_digits:
            literal.exponentials.compiled(weights)
        else:
            weights = exp_each(weights)
        literal.to_shares.compiled(weights, groups.index, n_groups, smallest)
        return weights

    def total(self, weights: FloatArray) -> float:
        """See `ArraySteps.total`."""
        return float(literal.total.compiled(self._x, *self._partition, _for_loops(weights)))

    def float_total(self, weights: FloatArray) -> float:
        """See `ArraySteps.float_total`."""
        return float(literal.float_total.compiled(self._x, *self._partition, _for_loops(weights)))

    def float_sum(self, terms: FloatArray) -> float:
        """See `ArraySteps.float_sum`."""
        return float(literal.float_sum.compiled(terms.ravel()))

    def entropy_terms(self, weights: FloatArray) -> FloatArray:
        """See `ArraySteps.entropy_terms`."""
        if self._has_digits:
            return np.asarray(literal.entropy_terms.compiled(_for_loops(weights)))
        return entropy_terms(weights)


Steps = ArraySteps | CompiledSteps


def choose_steps(x: FloatArray, k: int) -> Steps:
    """The steps by the engine that should run, for about as many multiplications as `k` clusters take."""
    loops = literal.assign, literal.means, literal.dispersions, literal.exponents, literal.to_shares
    return CompiledSteps(x) if compiles(ITERATIONS * k * x.size, *loops) else ArraySteps(x)


def _for_loops(a: FloatArray) -> FloatArray:
    """In C order and writable: for arrays of another kind the loops would be compiled again."""
    return a if a.flags.carray else np.array(a, order="C")


def mean_centers(x: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, bool]:
    """Means, and whether all clusters have rows; from the first empty cluster on they stay sums, as in R."""
    sums, sizes = first_member_sums(x, labels[None], k)
    centers, sizes = sums[0], sizes[0]
    filled = k if sizes.all() else int(sizes.argmin())
    centers[:filled] /= sizes[:filled, None]
    return centers, filled == k


def left_to_right(a: FloatArray) -> float:
    """Sum of all elements in C order, one after the other."""
    return float(np.add.accumulate(a.ravel())[-1]) if a.size else 0.0


def row_sums(a: FloatArray) -> FloatArray:
    """Sums over each row from left to right (k, 1)."""
    return sequential_sum(a.T)[:, None]


def exp_each(a: FloatArray) -> FloatArray:
    """Exponential of every element with the digits of R's C library."""
    return np.array(list(map(elementary.exp, a.ravel().tolist()))).reshape(a.shape)


def entropy_terms(weights: FloatArray) -> FloatArray:
    """``w log w`` of every element, with the digits of R's C library."""
    logs = np.array(list(map(elementary.log, weights.ravel().tolist()))).reshape(weights.shape)
    terms: FloatArray = weights * logs
    return terms

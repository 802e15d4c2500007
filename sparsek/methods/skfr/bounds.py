"""Upper bounds of what any clusters can explain in s features, any ones or given ones.

Let G_l be the sum of squares that clusters explain of feature l, the gain that `SKFR` ranks by, and E the sum
of the s selected gains. The larger E, the smaller the objective. A is the matrix of products of the features.

(1) Any labels, any features. G_l is at most D_l, the gain of the best k intervals of the sorted values of l.
    So E is at most the sum of the s largest D_l.
(2) Any labels, given features. Labels project the centred rows onto at most k - 1 dimensions. So E is at most
    e, the sum of the k - 1 largest eigenvalues of the features' part of A (Ding and He 2004, Theorem 3.1).
    Leaving out features lowers e (Cauchy's interlacing), so that e of more features bounds all their subsets.
(3) Any labels, any features. The square of e is at most k - 1 times the sum of the squared eigenvalues, which
    is that of the squared entries of the features' part of A. Of the p numbers of a row, s are in this part.
    So e^2 is at most k - 1 times the sum of the s largest of the numbers q_l, and q_l is the sum of the s
    largest squares in row l of A.
(4) Sets that contain the features I and r more of the features F. E is at most the least bound of I by (1)
    and (2), plus the r largest D_l of F; and at most e of I and F together. Branch and bound divides all sets
    of s features by one feature after another, the largest bound first, until a single set has the largest:
    then no set has a larger bound. Stopped earlier, the largest bound is still valid for all sets.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_BRANCHED = 64
"""With more features there is no branch and bound: a step takes the cube of their number."""
ROUNDED = 1e-6
"""A larger difference than this, relative to the sum of squares, is more than rounding."""
PAIR_COLUMNS = 256
"""Columns of the matrix of products that are looked at together."""
BOUNDS = {
    "intervals": "the exact k-means of single features",
    "pairs": "the products of pairs of features",
    "eigenvalues": "the eigenvalues of all features",
    "branches": "branch and bound over sets of features",
}
"""Where a bound comes from, in words."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What a fit explains."""

    value: float  # The sum of the selected gains
    total: float  # The largest sum of squares of as many features

    def within(self, margin: float) -> float:
        """The largest bound that the fit reaches up to rounding."""
        return self.value + min(2 * margin, ROUNDED * self.total)


@dataclass(frozen=True, slots=True)
class Bound:
    """An upper bound of what any labels explain in any features."""

    value: float  # The bound, raised by the margin
    margin: float  # What rounding can have taken away
    source: str  # A name in `BOUNDS`

    @classmethod
    def of_intervals(cls, gains: Array, errors: Array, n_selected: int) -> Bound:
        """The bound (1), from those of single features (p,) and their margins."""
        largest = np.argsort(-gains, kind="stable")[:n_selected]
        return cls(float(gains[largest].sum()), float(errors[largest].sum()), "intervals")

    def is_reached_by(self, fit: Explained) -> bool:
        """Whether nothing explains more than the fit, beyond rounding."""
        return self.value <= fit.within(self.margin)

    def or_less(self, value: float, margin: float, source: str) -> Bound:
        """Take another bound in place of this one if it is less by more than rounding."""
        return Bound(value, margin, source) if self.value - value > margin else self


@dataclass(frozen=True, slots=True)
class RankedColumns:
    """All features, those with the largest gains first."""

    Z: Array  # (n, p): the columns times the roots of the weights
    gains: Array  # (p,): their bounds, raised by their margins
    n_selected: int  # s
    rank: int  # k - 1
    error: float  # What rounding can take from a sum of eigenvalues

    def least(self, bound: Bound, fit: Explained, max_nodes: int) -> Bound:
        """The least of the bound (1) and of those of (3) and (4)."""
        margin, bound = bound.margin + self.error, bound.or_less(self.pairs(), self.error, "pairs")
        if len(self.gains) > MOST_BRANCHED:
            return bound
        search = Branching(self.gains, self.Z.T @ self.Z, self.n_selected, self.rank, self.error)
        for source, steps in (("eigenvalues", 0), ("branches", max_nodes)):
            if not bound.is_reached_by(fit):
                bound = bound.or_less(search.bound(fit.within(margin), steps), margin, source)
        return bound

    def pairs(self) -> float:
        """The bound (3)."""
        p, s = self.Z.shape[1], self.n_selected
        q = np.empty(p)
        for start in range(0, p, PAIR_COLUMNS):
            some = slice(start, start + PAIR_COLUMNS)
            squares = np.square(self.Z[:, some].T @ self.Z)
            q[some] = np.partition(squares, p - s, axis=1)[:, p - s :].sum(axis=1)
        # Cauchy and Schwarz for the k - 1 eigenvalues, of which s features have at most s.
        return float(np.sqrt(min(self.rank, s) * np.sort(q)[p - s :].sum())) + self.error


def largest_eigenvalues(products: Array, rank: int) -> float:
    """Sum of the `rank` largest eigenvalues of a symmetric matrix."""
    return float(np.linalg.eigvalsh(products)[max(len(products) - rank, 0) :].sum())


@dataclass(frozen=True, slots=True)
class Branching:
    """Branch and bound over sets of s features: (4)."""

    gains: Array  # (p,): bounds of the single features, the largest first
    products: Array  # (p, p): matrix of products of the features
    n_selected: int  # s
    rank: int  # k - 1
    error: float  # What rounding can take from a sum of eigenvalues

    def bound(self, enough: float, max_nodes: int) -> float:
        """Largest bound of any set; a larger number after `max_nodes` steps, or once that is `enough`."""
        p, s = len(self.gains), self.n_selected
        root = self.of_sets((), 0)
        heap: list[tuple[float, int, tuple[int, ...], int]] = [(-root, 0, (), 0)]
        made = 1
        for _ in range(max_nodes):
            value, _, inside, first = heap[0]
            if -value <= enough or len(inside) == s:
                break
            heapq.heappop(heap)
            parts = [((*inside, first), first + 1), (inside, first + 1)]
            # Without this feature there must be enough others to fill a set of s.
            for features, after in parts if len(inside) + p - first > s else parts[:1]:
                # Every set of a part is a set of the whole, so that the bound of the whole holds too.
                own = min(-value, self.of_sets(features, after))
                # heapq takes the smallest first, so that bounds are negated; `made` settles equal bounds.
                heapq.heappush(heap, (-own, made, features, after))
                made += 1
        return -heap[0][0]

    def of_sets(self, inside: tuple[int, ...], first: int) -> float:
        """Bound of all sets with these features whose others come from `first` on."""
        rest = self.n_selected - len(inside)
        chosen = list(inside)
        own = float(self.gains[chosen].sum())
        if chosen:
            own = min(own, self.of_features(chosen))
        own += float(self.gains[first : first + rest].sum())
        if not rest:
            return own
        return min(own, self.of_features([*chosen, *range(first, len(self.gains))]))

    def of_features(self, chosen: list[int]) -> float:
        """Bound by the eigenvalues of some features."""
        return largest_eigenvalues(self.products[np.ix_(chosen, chosen)], self.rank) + self.error

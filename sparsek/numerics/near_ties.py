"""One rule for rows that are equally near to two centres, up to rounding.

Products of matrices find nearest centres quickly, with rounding errors that depend on the processor and on
how the rows are stored. Where two centres come closer to each other than these errors, the row is compared
again: the squared differences in each column, rounded, are added exactly, and the lowest index wins if sums
are equal. The outcome depends on the row and the centres alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.numerics.exact_sums import MOST_BITS, Array, Grid

ROUNDING = {kind: float(np.finfo(kind).eps) / 2 for kind in "fd"}
"""Unit roundoff of the types of rows."""
COMPARED_ENTRIES = 262_144
"""Differences (rows x centres x columns) that are compared at a time."""


@dataclass(frozen=True, slots=True)
class Ties:
    """How rows that are near to two centres are decided.

    Attributes
    ----------
    centers : ndarray of shape (k, m)
        Centres in the coordinates of the distance and the precision of the rows.
    doubt : float
        Scores (halved squared distances without the row's own length) that differ by less may be in the wrong
        order.
    take : callable
        ``take(rows)`` gives the coordinates (r, m) of some rows, as they were rounded.
    observed : callable or None
        ``observed(rows)`` is 1 where a coordinate counts and 0 where not; None where all count.
    """

    centers: Array
    doubt: float
    take: Callable[[Array], Array]
    observed: Callable[[Array], Array] | None = None

    @classmethod
    def of(
        cls,
        centers: Array,
        size: float,
        take: Callable[[Array], Array],
        observed: Callable[[Array], Array] | None = None,
        shift: float = 0.0,
    ) -> Ties:
        """The rule for rows of at most the length `size`; scores may be of rows that are `shift` away."""
        return cls(centers, doubt_of(centers, size, shift), take, observed)

    def settle(self, scores: Array, best: Array, labels: Array, first: int = 0) -> None:
        """Correct `labels` of the rows from `first` on; of their scores (k, n), `best` is the least."""
        near = scores <= best + best.dtype.type(self.doubt)
        if np.count_nonzero(near) > len(best):
            rows = np.flatnonzero(np.count_nonzero(near, axis=0) > 1)
            labels[rows] = self.decide(rows + first)

    def decide(self, rows: Array) -> Array:
        """Labels of the rows with these numbers, compared where products in float64 cannot decide."""
        centers = self.centers.astype(np.float64)
        halves, found = 0.5 * np.square(centers).T, np.empty(len(rows), np.int32)
        longest = float(np.sqrt(2 * halves.sum(axis=0).max(initial=0)))
        for part in pieces(len(rows), centers.shape[1]):
            x = self.take(rows[part]).astype(np.float64, copy=False)
            counted = None if self.observed is None else self.observed(rows[part]).astype(np.float64)
            scores = (halves.sum(axis=0) if counted is None else counted @ halves) - x @ centers.T
            nearest = scores.argmin(axis=1)
            size = np.sqrt(np.einsum("ij,ij->i", x, x)) + longest
            margin = scores[np.arange(len(x)), nearest] + doubt(centers, size)
            near = np.flatnonzero(np.count_nonzero(scores <= margin[:, None], axis=1) > 1)
            for some in pieces(len(near), centers.size):
                these = near[some]
                nearest[these] = nearest_exactly(
                    x[these], centers, None if counted is None else counted[these]
                )
            found[part] = nearest
        return found


def doubt_of(centers: Array, size: float, shift: float = 0.0) -> float:
    """`Ties.doubt` for centres and rows of at most the length `size`, see `Ties.of`."""
    wide = centers.astype(np.float64, copy=False)
    longest = math.sqrt(np.einsum("ij,ij->i", wide, wide).max(initial=0))
    return float(doubt(centers, size + longest)) + 2 * longest * shift


def length(reach: Array) -> float:
    """Largest length of rows whose columns reach so far."""
    return math.sqrt(np.square(reach).sum())


def pieces(n: int, entries: int) -> Iterator[slice]:
    """Slices of n rows that each take so many entries."""
    step = max(1, COMPARED_ENTRIES // max(1, entries))
    return (slice(start, start + step) for start in range(0, n, step))


def doubt(centers: Array, size: Any) -> Any:
    """Bound on the rounding error of the difference of two scores; `size`: lengths of row and centre, added.

    A product of m + 1 terms has an error of at most m + 2 roundings of the product of the lengths, a
    coordinate and its square of a few more.
    """
    m = centers.shape[-1]
    rounding = ROUNDING[centers.dtype.char]
    unit = 2.0 ** -min(MOST_BITS, 62 - m.bit_length())
    return ((4 * m + 64) * rounding + 2 * m * unit) * size * size


def nearest_exactly(x: Array, centers: Array, observed: Array | None = None) -> Array:
    """Index of the centre with the least exact sum of rounded squared differences, lowest index on ties.

    Parameters
    ----------
    x : ndarray of shape (r, m), float64
        Rows.
    centers : ndarray of shape (k, m), float64
        Centres.
    observed : ndarray of shape (r, m) or None
        0 in the columns that do not count for a row.

    Returns
    -------
    ndarray of shape (r,), intp
    """
    terms = x[:, None, :] - centers
    np.square(terms, out=terms)
    if observed is not None:
        terms *= observed[:, None, :]
    grid = Grid.of(terms.max(axis=(1, 2), initial=0)[:, None, None], max(1, terms.shape[2]))
    found: Array = grid.multiples(terms).sum(axis=2).argmin(axis=1)
    return found


def exact_lengths(terms: Array) -> Array:
    """Exact sums of the squares of the terms (r, m) of each row, rounded once: (r,); `terms` are lost."""
    np.square(terms, out=terms)
    return _row_sums(terms)


def row_keys(x: Array) -> Array:
    """A number for each row (r, m) that equal rows share and others hardly ever do, whatever their order."""
    return _row_sums(x * fixed_direction(x.shape[1]))


def _row_sums(terms: Array) -> Array:
    """Exact sums of each row, rounded once; `terms` are lost."""
    if not terms.shape[1]:
        return np.zeros(len(terms))
    grid = Grid.of(np.abs(terms).max(axis=1)[:, None], terms.shape[1])
    sums = grid.multiples(terms).sum(axis=1)
    found: Array = grid.values(sums[:, None])[:, 0]
    return found


def fixed_direction(m: int) -> Array:
    """Coefficients of the linear combination of m columns that orders the rows."""
    return np.random.default_rng(0).standard_normal(m + 1)[:-1]


def rows_of(block: Array, factors: Any = None) -> Callable[[Any], Array]:
    """`Ties.take` for prepared rows, ones last, whose columns count times `factors`."""
    if factors is None:
        return lambda rows: block[rows, :-1]
    return lambda rows: block[rows, :-1] * factors

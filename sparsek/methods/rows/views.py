"""Rows as drawn starts see them: prepared while they are read, or a sparse matrix, which is not centred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array

from sparsek.methods.rows.blocks import Metric, SparseRows, SparseSteps, sparse_scores, z_grid
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.steps import Array, fixed_direction, length
from sparsek.methods.starts.seeds import (
    HALF,
    OFFSET,
    WIDTH,
    View,
    clear_rounding,
    distance_of_counts,
)


@dataclass(frozen=True, slots=True)
class MappedView(View):
    """Some columns of rows that are prepared while they are read; X has `blocks` and `take`.

    Attributes
    ----------
    steps : DenseSteps
        Operations on a block.
    metric : Metric
        The columns.
    """

    steps: Any = None
    metric: Any = None
    in_memory: ClassVar[bool] = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns in use."""
        return self.X.shape[0], len(self.metric.columns)

    def pieces(self, n_rows: int) -> Iterator[tuple[slice, Array]]:
        """A few rows at a time, prepared, ones last, with their place."""
        for start, X in self.X.blocks():
            for part, Z in self.steps.pieces(X, self.metric):
                yield slice(start + part.start, start + part.start + len(Z)), Z

    def taken(self, rows: Array) -> Array:
        """Some prepared rows, ones last."""
        found: Array = self.steps.operand(self.X.take(rows), self.metric)
        return found


@dataclass(frozen=True, slots=True)
class SparseView(View):
    """Some columns of a sparse matrix, in prepared coordinates z = rate * x - shift.

    Attributes
    ----------
    distance : float
        How far the rows may be from their coordinates.
    rate, shift : ndarray of shape (m,)
        Factor and shift of each column.
    take : callable
        ``take(rows)`` gives prepared rows, dense.
    """

    in_pieces: ClassVar[bool] = False
    distance: float = 0.0
    rate: Any = None
    shift: Any = None
    take: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns in use."""
        return self.X.shape[0], self.X.shape[1]

    @property
    def slip(self) -> float:
        """How far rows may be from the coordinates by which those near to two seeds are decided."""
        return self.distance

    def canonical_order(self) -> Array:
        """Order of the rows by a fixed random linear combination, which makes equal rows neighbours."""
        return np.argsort(self.X @ (self.rate * fixed_direction(self.X.shape[1])), kind="stable")

    def norms(self) -> Array:
        """Squared lengths of the rows."""
        return SparseSteps.norms(SparseRows(self.X, self.rate, self.shift))

    def coordinates(self, rows: Array) -> Array:
        """The coordinates by which rows near to two seeds are decided, (r, m)."""
        found: Array = self.take(rows)
        return found

    def distances(self, chosen: Array, norms: Array, out: Array) -> None:
        """Squared distances of all rows to the chosen ones, (n_chosen, n); 0 if of the size of rounding."""
        X: Any = self.X
        centers = X[chosen].toarray() * self.rate - self.shift
        np.copyto(out, (norms[:, None] + 2 * sparse_scores(SparseRows(X, self.rate, self.shift), centers)).T)
        clear_rounding(out, chosen, norms)


def sparse_view(steps: SparseSteps, X: Any, columns: Array) -> SparseView:
    """A view of these columns of the rows."""
    metric = Metric(columns)
    operand = steps.operand(X, metric)
    slip = length(z_grid(steps.scaling, metric).unit)
    take = partial(steps.coordinates, operand, metric)
    return SparseView(operand.X, slip, operand.rate, operand.shift, take)


def sparse_normal_distance(X: Any, scaling: Scaling, squares: Array, weights: Array | None = None) -> Array:
    """Distance from normality of the prepared columns; see `starts.seeds.normal_distance`.

    Parameters
    ----------
    X : sparse array of shape (n, p)
        Rows as given.
    scaling : Scaling
        The map to prepared coordinates.
    squares : ndarray of shape (p,)
        Weighted sums of squares of the prepared columns.
    weights : ndarray of shape (n,) or None
        Sample weights.

    Returns
    -------
    ndarray of shape (p,)
        In [0, 1].
    """
    by_column = csc_array(X)
    n, p = by_column.shape
    mass = np.ones(n) if weights is None else weights.astype(np.float64)
    total = float(mass.sum())
    rate = np.divide(1, WIDTH * np.sqrt(squares / total), out=np.zeros(p), where=squares > 0)
    column = np.repeat(np.arange(p), np.diff(by_column.indptr))
    z = (by_column.data - scaling.offset[column]) * scaling.rate[column]
    stored = mass[by_column.indices]
    cells = _bins(z * rate[column]) + 2 * HALF * column
    counts = np.bincount(cells, stored, minlength=2 * HALF * p).astype(np.float64).reshape(p, 2 * HALF)
    zeros = total - np.bincount(column, stored, minlength=p)
    counts[np.arange(p), _bins(-scaling.offset * scaling.rate * rate)] += zeros
    return distance_of_counts(counts, total, squares > 0)


def _bins(z: Array) -> Array:
    """Number of the bin of each value."""
    return np.clip(np.floor(z - OFFSET), -HALF, HALF - 1).astype(np.intp) + HALF

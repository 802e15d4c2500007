"""Starts on sparse matrices, which are not centred, with the random draws of `sparsek.methods.starts`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array

from sparsek.methods.rows.blocks import Metric, SparseRows, SparseSteps, sparse_scores, z_grid
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels, fixed_direction, length
from sparsek.methods.starts.seeds import (
    HALF,
    OFFSET,
    WIDTH,
    View,
    clear_rounding,
    distance_of_counts,
    each_start,
    screened_columns,
)


@dataclass(frozen=True, slots=True)
class SparseView(View):
    """Some columns of a sparse matrix, in prepared coordinates z = rate * x - shift.

    Attributes
    ----------
    rate, shift : ndarray of shape (m,)
        Factor and shift of each column.
    take : callable
        ``take(rows)`` gives prepared rows, dense.
    """

    in_pieces: ClassVar[bool] = False
    rate: Any = None
    shift: Any = None
    take: Any = None

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
    return SparseView(operand.X, None, slip, operand.rate, operand.shift, take)


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
    z = (by_column.data - scaling.offset[column]) / scaling.spread[column]
    stored = mass[by_column.indices]
    cells = _bins(z * rate[column]) + 2 * HALF * column
    counts = np.bincount(cells, stored, minlength=2 * HALF * p).astype(np.float64).reshape(p, 2 * HALF)
    zeros = total - np.bincount(column, stored, minlength=p)
    counts[np.arange(p), _bins(-scaling.offset / scaling.spread * rate)] += zeros
    return distance_of_counts(counts, total, squares > 0)


def _bins(z: Array) -> Array:
    """Number of the bin of each value."""
    return np.clip(np.floor(z - OFFSET), -HALF, HALF - 1).astype(np.intp) + HALF


def sparse_screened_labels(
    X: Any,
    steps: SparseSteps,
    order: Array,
    seeds: Array,
    n_selected: int,
    weights: Array | None,
    power: int,
    n_trials: int,
) -> list[Labels]:
    """Screened starts; see `sparsek.methods.starts.seeds.screened_labels`."""
    views = [sparse_view(steps, X, columns) for columns in screened_columns(order, n_selected)[: len(seeds)]]
    found = each_start(views, steps.n_clusters, seeds, weights, power, n_trials=n_trials)
    return [labels for labels, _ in found]

"""A fit to the rows of a source: column statistics, coordinates, labelled rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from sparsek.methods.rows.blocks import block_scaling, refuse_extremes, refuse_widest
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.rows.source import Source
from sparsek.methods.shared.scaling import Scaling, safe_unit
from sparsek.methods.shared.steps import Array
from sparsek.numerics.exact_sums import Moments


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Rows and their coordinates in one fit.

    Attributes
    ----------
    source : Source
        The rows, see `sparsek.methods.rows.source`.
    n_clusters : int
        Number of clusters.
    moments : Moments
        Column statistics.
    scaling : Scaling
        The map to prepared coordinates.
    column_total : ndarray of shape (p,)
        Sum of squares of each prepared column.
    rows : callable
        ``rows(labels)`` gives labelled rows, see `sparsek.methods.rows.protocol`; labels are None if the
        first `assign` sets them.
    found : dict
        What is found once for all starts, by name.
    """

    source: Any
    n_clusters: int
    moments: Moments
    scaling: Scaling
    column_total: Array
    rows: Callable[[Any], Any]
    found: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source, moments: Moments, n_clusters: int, standardize: bool, ddof: int = 1) -> Self:
        """The problem in centred coordinates, in standard deviations with `standardize`."""
        unit, found = None, moments
        if source.rescales:
            unit = _unit(moments, source.dtype, standardize)
            found = _in_unit(source, moments, unit)
        elif not standardize:
            squares = np.where(moments.top == moments.bottom, 0, moments.squares)
            refuse_widest(squares, moments.top, moments.bottom, source.dtype)
        scaling, total = block_scaling(found, source.shape[0], source.dtype, standardize, ddof, unit)
        return cls(source, n_clusters, moments, scaling, total, source.labelled(scaling, n_clusters))

    @property
    def tss(self) -> float:
        """Total sum of squares."""
        return float(self.column_total.sum())

    @classmethod
    def within(cls, source: Source, scaling: Scaling, n_clusters: int) -> Self:
        """The problem in coordinates that are known."""
        moments = source.moments()
        found = _in_unit(source, moments, scaling.unit)
        squares = found.squares + found.masses * np.square(found.means - scaling.offset)
        total = squares / np.square(scaling.spread.astype(np.float64))
        return cls(source, n_clusters, moments, scaling, total, source.labelled(scaling, n_clusters))

    def on(self, source: Source) -> Self:
        """Some rows in the same coordinates, as a problem of their own."""
        return self.within(source, self.scaling, self.n_clusters)

    def unscaled(self) -> Self:
        """The same rows, centred only."""
        return self.of(self.source, self.moments, self.n_clusters, standardize=False)

    def prepared(self, rows: Array) -> Array:
        """Some rows, given by numbers (...), in prepared coordinates, dense: (..., p)."""
        numbers, places = np.unique(rows, return_inverse=True)
        X = self.source.take(numbers)
        found = self.scaling.apply(X if isinstance(X, np.ndarray) else X.toarray())[:, :-1]
        return found[places.reshape(np.shape(rows))]

    def nearest(self, metric: Metric, centers: Array) -> Any:
        """Labels of the nearest centres; the columns of the distance are kept if there is memory for them."""
        rows = self.rows(None).narrowed(metric, None)
        rows.assign(centers)
        return rows.labels


def checked_moments(source: Source, names: Any = None) -> Moments:
    """Column statistics; ValueError for a column whose squares overflow or vanish, unless it is rescaled."""
    moments = source.moments()
    if not source.rescales:
        refuse_extremes(moments.squares, moments.top, moments.bottom, names)
    return moments


def _in_unit(source: Source, moments: Moments, unit: Array) -> Moments:
    """The means and sums of squares of x * unit with the extremes of x."""
    if np.all(unit == 1):
        return moments
    moved = source.moments(unit)
    return replace(moments, means=moved.means, squares=moved.squares)


def _unit(moments: Moments, dtype: Any, by_column: bool) -> Array:
    """Powers of two that bring columns of extreme size near 1."""
    top, bottom = moments.ends(dtype)
    return safe_unit(np.maximum(top, -bottom), top == bottom, by_column)

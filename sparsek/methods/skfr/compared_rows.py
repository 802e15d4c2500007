"""How rows are compared with the centres of a fitted SKFR: labels, distances and losses under every loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.methods.rows.fits import RowFits
from sparsek.methods.rows.partial import nearest_observed
from sparsek.methods.shared.base import SparseClusterer
from sparsek.methods.shared.scaling import column_squares
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.skfr.bregman import (
    DIVERGENCES,
    BregmanData,
    least_divergent,
    new_rows,
    row_divergences,
    row_losses,
)
from sparsek.methods.skfr.median import nearest_absolute


class ComparedRows(RowFits, SparseClusterer):
    """Base of SKFR: what `predict`, `transform`, `score` and `inertia_` compute under every loss."""

    loss: str
    _columns: Array  # features of the columns of `_centers`
    _limits: tuple[Array, Array] | None  # limits of `winsorize`

    def _clipped(self, X: Array) -> Array:
        """The data within the limits of `winsorize`."""
        return X if self._limits is None else np.clip(X, *self._limits)

    def _refuse_far_rows(self, X: Array) -> None:
        if self.loss not in DIVERGENCES:  # these have a domain, which is checked where rows are read
            super()._refuse_far_rows(self._clipped(X))

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(self._clipped(X), self._columns)

    def _nearest(self, X: Array) -> Labels:
        if self.loss in DIVERGENCES:
            return least_divergent(self._new_rows(X, self._columns)[0], self._centers)
        block = self._coordinates(X)
        holes = np.isnan(block[:, :-1])
        if holes.any():
            return nearest_observed(np.where(holes, 0, block[:, :-1]), 1.0 - holes, self._centers)
        if self.loss == "absolute":
            return nearest_absolute(block[:, :-1], self._centers)
        return super()._nearest(X)

    def _new_rows(self, X: Array, columns: Any) -> tuple[BregmanData, Array]:
        """Rows for a divergence, and by how much each counts."""
        return new_rows(self.loss, self._clipped(X), self._scaling.offset, columns)

    def _distances(self, X: Array) -> Array:
        if self.loss in DIVERGENCES:
            rows, totals = self._new_rows(X, self._columns)
            return row_divergences(rows, self._centers) * totals[:, None]
        block = self._coordinates(X)[:, :-1]
        holes = np.isnan(block)
        if self.loss == "absolute":
            return self._in_units(cdist(block, self._centers, "cityblock"))
        if not holes.any():
            return self._in_units(cdist(block, self._centers))
        squares = [np.where(holes, 0, (block - center) ** 2).sum(axis=1) for center in self._centers]
        return self._in_units(np.sqrt(np.column_stack(squares)))

    def _inertia(self, X: Array, weights: Array | None) -> float:
        if self.loss == "squared" and not np.isnan(X).any():
            return super()._inertia(X, weights)
        if self.loss in DIVERGENCES:
            rows, totals = self._new_rows(X, slice(None))
            centers = np.tile(rows.overall, (len(self._centers), 1))
            centers[:, self._columns] = self._centers
            losses = totals * row_losses(rows, self._nearest(X), centers)
            return float(losses.sum() if weights is None else weights @ losses)
        closest = (self._distances(X) / self._length_unit).min(axis=1) ** (
            1 if self.loss == "absolute" else 2
        )
        rest = self._scaling.apply(self._clipped(X), np.flatnonzero(~self._support))[:, :-1]
        rest = np.abs(rest) if self.loss == "absolute" else np.square(rest)
        closest = closest + np.nansum(rest, axis=1)
        return float(self._in_square_units(closest.sum() if weights is None else weights @ closest))

    def _unselected_scatter(self, X: Array, weights: Array | None) -> float:
        rest = self._scaling.apply(self._clipped(X), np.flatnonzero(~self._support))
        return float(column_squares(rest, weights).sum())

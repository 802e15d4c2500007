"""How new rows are compared with the centres of SKFR: clipped, scaled, and by the loss of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsek.core.steps import Array, Labels
from sparsek.methods.shared.selection import SparseClusterer
from sparsek.methods.skfr.losses import Squared


class LossComparison(SparseClusterer):
    """Distances of rows by the loss of an estimator."""

    _columns: Array  # features of the columns of `_centers`
    _limits: tuple[Array, Array] | None  # limits of `winsorize`

    @property
    def _loss(self) -> Squared:
        """How rows are compared with the centres."""
        raise NotImplementedError

    def _read(self, X: Any, reset: bool) -> Array:
        data = super()._read(X, reset)
        if reset:
            self._loss.check(data)
        return data

    def _refuse_far_rows(self, X: Array, rows: Any = None) -> None:
        if not self._loss.own_scale:  # those are checked where rows are read
            super()._refuse_far_rows(self._clipped(X), rows)

    def _clipped(self, X: Array) -> Array:
        """The data within the limits of `winsorize`."""
        return X if self._limits is None else np.clip(X, *self._limits)

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(self._clipped(X), self._columns)

    def _compared(self, X: Array) -> Any:
        """The rows as the loss compares them with the centres."""
        return self._loss.rows(self._clipped(X), self._scaling, self._columns)

    def _nearest(self, X: Array) -> Labels:
        return self._loss.nearest(self._compared(X), self._centers)

    def _distances(self, X: Array) -> Array:
        return np.asarray(self._in_units(self._loss.distances(self._compared(X), self._centers)))

    def _row_losses(self, X: Array) -> Array:
        return self._loss.losses(self._clipped(X), self._scaling, self._columns, self._centers)

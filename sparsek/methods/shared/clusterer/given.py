"""Initial labels of rows in memory that are given, made by a function, or by a method that `init` names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels
from sparsek.starts.by_name import SEEDINGS
from sparsek.starts.given import given_start
from sparsek.starts.seeds import labels_from_centers, seeded_labels


class GivenStarts:
    """Starts of estimators whose rows are in memory."""

    n_clusters: int
    init: Any
    _draw_seeds: Callable[[], Array]
    _seeding: Callable[[int], dict[str, Any]]

    def _initial_labels(
        self, X: Array, prepared: Array, scaling: Scaling, weights: Array | None, power: int, kept: Array
    ) -> list[Labels]:
        """Initial labels of every start, chosen in `prepared`, which is `X` after `scaling`."""
        seeds = self._draw_seeds()
        starts = self._given_starts(seeds, X, prepared, scaling, kept)
        if starts is None:
            return seeded_labels(prepared, self.n_clusters, seeds, weights, **self._seeding(power))
        return [start if start.ndim == 1 else labels_from_centers(prepared, start) for start in starts]

    def _given_starts(
        self, seeds: Array, X: Array, prepared: Array, scaling: Scaling, kept: Array
    ) -> list[Array] | None:
        """Labels (n,) or prepared centres (n_clusters, p) of every start; None where seeds are drawn."""
        if isinstance(self.init, str):
            if self.init not in SEEDINGS:
                return None
            rows = SEEDINGS[self.init](prepared[:, :-1].astype(np.float64), self.n_clusters)
            return [prepared[rows, :-1]]
        if callable(self.init):
            given = [self.init(X, self.n_clusters, random_state=int(seed)) for seed in seeds]
            everything = np.ones(len(X), dtype=bool)
            return [self._given_start(init, prepared, scaling, everything) for init in given]
        return [self._given_start(self.init, prepared, scaling, kept)]

    def _given_start(self, init: ArrayLike, prepared: Array, scaling: Scaling, kept: Array) -> Array:
        """Labels (n,) from labels, or prepared centres from row numbers or from centres in units of X."""
        return given_start(
            init,
            kept,
            self.n_clusters,
            prepared.shape[1] - 1,
            take=lambda rows: prepared[rows, :-1],
            scale=lambda centers: scaling.apply(centers.astype(prepared.dtype))[:, :-1],
        )

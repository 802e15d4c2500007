"""Base class of the robust estimators: feature weights, and distances on the weighted features."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array
from sparsek.methods.shared.selection import SparseClusterer


class RobustClusterer(SparseClusterer):
    """Base of the robust kinds of sparse k-means."""

    _facts: ClassVar = {"L1 bound": "l1_bound_", **SparseClusterer._facts}
    _counts: ClassVar = {"Outliers": "outliers_"}
    _texts: ClassVar = {
        "l1_bound": (
            "The bound s, dimensionless, in [1, sqrt(n_features)]. 1 selects one feature; "
            "sqrt(n_features) leaves all weights free. None means sqrt(n_features) / 2, at least 1."
        ),
    }

    feature_weights_: NDArray[np.float64]
    cluster_centers_: Array
    objective_: float
    _scaling: Scaling

    def _set_weights(self, weights: Array, means: Array) -> None:
        """Set feature weights, centres, and the attributes that `predict` needs."""
        self.feature_weights_ = weights
        self._support = weights > 0
        self.cluster_centers_ = self._scaling.invert(means)
        self._centers = means[:, self._support] * np.sqrt(weights[self._support]).astype(means.dtype)

    def _warn_of_cycle(self, cycle: int) -> None:
        """Warn if the best start repeats several partitions without end."""
        if cycle > 1:
            self._warn(
                f"the best start repeats {cycle} partitions in a cycle and ends at the best of them: its "
                "weights are computed from labels_, but labels_ are not the clusters that these weights lead "
                "to; try more starts (n_init) or another l1_bound"
            )

    @property
    def gap_objective_(self) -> float:
        """Explained weighted sum of squares: sum_j w_j BCSS_j."""
        return -self.objective_

    def _coordinates(self, X: Array) -> Array:
        """The columns of positive weight, scaled by sqrt(w)."""
        block = self._scaling.apply(X, np.flatnonzero(self._support))
        block[:, :-1] *= np.sqrt(self.feature_weights_[self._support]).astype(block.dtype)
        return block

"""Which features a fit uses: those whose weight counts beside the largest one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-6
"""A feature is not in use if its weight is less than this share of the largest one."""


def in_use(weights: Any) -> NDArray[np.bool_]:
    """Mask of the features in use, shape (p,), from weights (p,) or (n_clusters, p).

    With weights by cluster, a feature is in use if it is in use in at least one cluster.
    """
    by_cluster = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    largest = by_cluster.max(axis=1, keepdims=True, initial=0.0)
    used: NDArray[np.bool_] = ((by_cluster > 0) & (by_cluster >= NEGLIGIBLE * largest)).any(axis=0)
    return used

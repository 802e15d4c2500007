"""Shared base of IFPCA and SpectralGEM: k-means on an embedding of the rows, from many starts."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import column_squares
from sparsek.core.steps import Array, FitResult, Labels, cluster_sums, run_all, squared_distances
from sparsek.errors import callers_level
from sparsek.inputs.validation import require_array, require_rows, validate_data
from sparsek.methods.shared.base import CentroidClusterer, start_seeds
from sparsek.sources.lloyd import Means, lloyd
from sparsek.sources.local import array_rows
from sparsek.starts.seeds import seeded_labels


class SpectralClusterer(CentroidClusterer):
    """Base of the estimators that run k-means on singular or eigenvectors.

    A subclass implements `fit` and `_coordinates`.
    """

    _texts: ClassVar = {
        "n_init": "Number of starts of k-means; the one of the smallest sum of squares is kept.",
        "max_iter": "Largest number of iterations of k-means.",
        "random_state": "Seed of the starts of k-means.",
        "inertia_": "Sum of squared distances of `embedding_` to the means of the clusters, dimensionless.",
    }

    max_iter: int
    _by_cluster = ()

    def _validate_rows(self, X: ArrayLike, least: int) -> Array:
        """Checked data with enough rows."""
        X = require_array(X)
        options = {"dtype": [np.float64, np.float32], "order": "C", "ensure_min_samples": least}
        data: Array = self._widened(validate_data(self, X, **options), reset=True)
        require_rows(len(data), self.n_clusters)
        self._warn_of_lost_structure(data)
        return data

    def _check_rank(self, wanted: int, found: int) -> None:
        """Warn when there are fewer directions than asked for."""
        if found < wanted:
            warnings.warn(
                f"only {found} of the {wanted} directions asked for have a positive eigenvalue, and are "
                "used; more features may be needed, or fewer clusters",
                UserWarning,
                stacklevel=callers_level(),
            )

    def _cluster_rows(self, prepared: Array) -> None:
        """K-means of coordinates with a last column of ones; set labels, centres and starts' results."""
        seeds = start_seeds(self.random_state, self.n_init)
        starts = seeded_labels(prepared, self.n_clusters, seeds)

        def run(labels: Labels) -> FitResult[Means]:
            return lloyd(array_rows(prepared, labels, self.n_clusters), self.max_iter)

        results = run_all(run, starts)
        total = float(column_squares(prepared, None).sum())
        best = self._best_start(list(results), total, np.float64)
        # `lloyd` gives the criterion without the total sum of squares.
        self.start_objectives_ = np.maximum(self.start_objectives_ + total, 0)
        self._set_labels(prepared, best.labels)

    def _set_labels(self, prepared: Array, labels: NDArray[np.int32]) -> None:
        """Set labels, their means as centres, and the sum of squares."""
        self._centers = cluster_sums(prepared, labels, self.n_clusters).means
        self._length_unit = 1.0
        self.inertia_ = float(
            sum(
                squared_distances(prepared[part], labels[part], self._centers).sum()
                for part in row_chunks(prepared)
            )
        )
        self.labels_ = self._number(labels)


def with_ones(rows: Array) -> Array:
    """The rows with a last column of ones."""
    return np.column_stack([rows, np.ones(len(rows))])


def find_folder(cache: Any) -> Path | None:
    """Folder of the null scores: the given one, for True one in the user's cache, for False None."""
    if isinstance(cache, bool | np.bool_):
        if not cache:
            return None
        from sparsek.datasets._store import find_cache  # imported here, as only this needs the loaders

        user = find_cache(None)
        return None if user is None else user / "null-scores"
    return Path(cache).expanduser()

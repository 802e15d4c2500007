"""Numbers of clusters: by falling size, so that the order of the starts does not show."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, Labels
from sparsek.errors import PredictionWarning, callers_level


class NumberedClusters:
    """Numbers the clusters of a fit by size. A subclass names the attributes that have a row per cluster.

    Private attributes, which `predict` reads, keep the order of the best start, so that rows near to two
    centres get the same cluster as in the fit. Labels and public attributes have the numbers.
    """

    _by_cluster: ClassVar[tuple[str, ...]] = ("cluster_centers_",)
    _numbers: Labels | None = None  # the number of each cluster of the fit; None where these are the same
    _predicts_otherwise: ClassVar[str] = ""  # why `predict` can give rows of a fit other clusters, if so
    n_clusters: int
    labels_: Any

    def _attributes_by_cluster(self) -> tuple[str, ...]:
        """Names of the attributes of this fit with one entry for each cluster, along the first axis."""
        return self._by_cluster

    def _keeps_order(self) -> bool:
        """Whether clusters keep the order in which the fit has them: that of an array given as `init`."""
        init = getattr(self, "init", None)
        return not (init is None or isinstance(init, str) or callable(init))

    def _number(self, labels: Any, weights: Array | None = None, sizes: Array | None = None) -> Any:
        """Number the clusters of a fit, and bring its attributes into this order; returns its labels so.

        `sizes` of the clusters where the labels are a Dask array; there -1 stays.
        """
        self._numbers = None
        if self._keeps_order():
            return labels
        if sizes is None:
            sizes = np.bincount(labels, weights, self.n_clusters)
        numbers = numbers_by_size(labels, sizes)
        if np.array_equal(numbers, np.arange(len(numbers))):
            return labels
        self._numbers = numbers
        self._reorder()
        return self._numbered(labels)

    def _reorder(self) -> None:
        """Bring the attributes of the fit into the order of the numbers."""
        if self._numbers is not None:
            order = np.argsort(self._numbers)
            for name in self._attributes_by_cluster():
                setattr(self, name, getattr(self, name)[order])

    def _numbered(self, labels: Any) -> Any:
        """Labels of the fit, or of `_nearest`, by the numbers of the clusters."""
        if self._numbers is None:
            return labels
        if isinstance(labels, np.ndarray):
            return self._numbers[labels]
        return labels.map_blocks(partial(_number_chunk, numbers=self._numbers), dtype=np.int32)

    def _columns_numbered(self, values: NDArray[Any]) -> NDArray[Any]:
        """Columns, one for each cluster of the fit, in the order of the numbers."""
        if self._numbers is None:
            return values
        return np.take(values, np.argsort(self._numbers), axis=1)

    def _compare_predictions(self, X: Any) -> None:
        """Warn of rows of the fit to which `predict` gives other clusters, where the method can do so."""
        if not self._predicts_otherwise:
            return
        predicted: Any = self.predict(X)  # type: ignore[attr-defined]  # of the estimator
        other = int(np.count_nonzero(predicted != self.labels_))
        if other:
            message = (
                f"predict gives {other} of the {len(self.labels_)} rows of the fit other clusters than "
                f"labels_, because {self._predicts_otherwise}; use labels_ for these rows"
            )
            warnings.warn(PredictionWarning(message), stacklevel=callers_level())


def numbers_by_size(labels: Any, sizes: Array) -> Labels:
    """The number of each cluster: by falling size, of equal sizes by their first row; empty ones last."""
    first = np.zeros(len(sizes), np.int64)
    values, counts = np.unique(sizes, return_counts=True)
    # Only clusters of a size that occurs twice need their first row.
    for k in np.flatnonzero(np.isin(sizes, values[(counts > 1) & (values > 0)])).tolist():
        first[k] = int((labels == k).argmax())
    numbers = np.empty(len(sizes), np.int32)
    # The last key counts first: sizes fall, and equal sizes go by their first row.
    numbers[np.lexsort((first, -np.asarray(sizes)))] = np.arange(len(sizes), dtype=np.int32)
    return numbers


def _number_chunk(labels: Labels, numbers: Labels) -> Labels:
    """Numbered labels of a chunk, of which -1 stays."""
    return np.where(labels < 0, labels, numbers[labels])

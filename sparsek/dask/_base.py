"""Base class of the estimators on Dask collections."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from dask.base import is_dask_collection
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsek.dask._graph import Chunks, Parts, as_array, as_chunks
from sparsek.dask._input import as_rows, is_frame
from sparsek.dask._rows import DaskRows, chunk_moments, cluster_sizes
from sparsek.methods.rows.blocks import block_scaling, dense_steps
from sparsek.methods.rows.problem import RowProblem
from sparsek.methods.rows.protocol import Metric, Rows
from sparsek.methods.rows.sample import sample_rows
from sparsek.methods.shared.base import CentroidClusterer
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array
from sparsek.methods.starts.given import given_start


class DaskClusterer(CentroidClusterer):
    """Base of both estimators: fits chunks, gives labels as a Dask array, and predicts lazily."""

    def predict(self, X: Any) -> Any:
        """Nearest cluster of each row.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray or dask array of shape (n_samples,), int32
            Labels from 0. For a Dask collection, a lazy array with the chunks of its rows.
        """
        if not is_dask_collection(X):
            return super().predict(X)
        rows, model = self._lazy(X)
        return rows.map_blocks(_predict, model, drop_axis=1, dtype=np.int32, meta=np.empty(0, np.int32))

    def transform(self, X: Any) -> Any:
        """Distances to the cluster centres over the features in use.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_clusters)
            Distances. For a Dask collection, a lazy array with the chunks of its rows.
        """
        if not is_dask_collection(X):
            return super().transform(X)
        rows, model = self._lazy(X)
        chunks = (rows.chunks[0], (len(self._centers),))
        return rows.map_blocks(
            _transform, model, chunks=chunks, dtype=rows.dtype, meta=np.empty((0, 0), rows.dtype)
        )

    def score(self, X: Any, y: object = None, sample_weight: Any = None) -> float:
        """Minus the sum of squared distances to the nearest centre: ``-inertia_`` on the training data.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data in the units of the training data.
        y : None
            Ignored.
        sample_weight : None
            Not for Dask collections.

        Returns
        -------
        float
            Larger is better.
        """
        if not is_dask_collection(X):
            return super().score(X, y, sample_weight)
        _refuse_weights(sample_weight)
        rows, model = self._lazy(X)
        parts = rows.map_blocks(
            _score, model, drop_axis=1, chunks=((1,) * rows.numblocks[0],), dtype=float, meta=np.empty(0)
        )
        return float(parts.sum().compute())

    def _lazy(self, X: Any) -> tuple[Any, Any]:
        """The rows, and a copy of the model without its labels, small enough to be sent with every task."""
        check_is_fitted(self)
        rows = as_rows(X, known=False)
        validate_data(self, _meta(X), reset=False, skip_check_array=True)
        model = copy(self)
        model.labels_ = np.empty(0, np.int32)
        model.__dict__.pop("feature_names_in_", None)  # a chunk is an array, without column names
        return rows, model

    def _begin(self, X: Any, sample_weight: Any) -> tuple[Any, Chunks, Array | None]:
        """Checked rows, their chunks, and a sample on which to find a start; None if `init` gives a start."""
        _refuse_weights(sample_weight)
        if callable(self.init):
            raise ValueError("a callable init needs data in memory; give centres, labels or a name")
        for name, value, plain in self._not_plain(sparse=False):
            raise ValueError(
                f"{name}={value!r} needs data in memory; for Dask collections leave it at {plain!r}"
            )
        rows = as_rows(X, known=True)
        n, p = rows.shape
        if n < self.n_clusters:
            raise ValueError(f"n_samples={n} must be at least n_clusters={self.n_clusters}; add rows")
        self._fit_weights = None
        validate_data(self, _meta(X), reset=True, skip_check_array=True)
        chunks = as_chunks(rows)
        if not isinstance(self.init, str):
            return rows, chunks, None
        chosen = sample_rows(n, p, self.n_clusters, check_random_state(self.random_state))
        return rows, chunks, np.ascontiguousarray(rows[chosen].compute())

    def _problem(
        self, chunks: Chunks, rows: Any, standardize: bool, ddof: int, sample: Array | None = None
    ) -> RowProblem:
        """Scaling and column totals of the data, and a function that labels its rows."""
        moments = chunk_moments(chunks, getattr(self, "feature_names_in_", None))
        if sample is not None:
            self._warn_of_lost_rows(sample, moments.top, moments.bottom)
        scaling, column_total = block_scaling(moments, rows.shape[0], rows.dtype, standardize, ddof)
        source: Any = rows  # only its shape and dtype are used
        steps = dense_steps(scaling, self.n_clusters, rows.shape[0], None)
        return RowProblem(source, None, scaling, column_total, partial(DaskRows, chunks, steps))

    def _given_labels(self, problem: RowProblem, rows: Any, chunks: Chunks) -> Any:
        """Labels by chunk from `init`: labels, row numbers or centres."""
        n, p = rows.shape
        unscaled: list[Scaling] = []  # computed only if needed: it takes a pass over the data

        def scaling() -> Scaling:
            if self._starts_standardized() or not self._standardizing()[0]:
                return problem.scaling
            if not unscaled:
                unscaled.append(self._problem(chunks, rows, False, 1).scaling)
            return unscaled[0]

        def take(positions: Array) -> Array:
            numbers, places = np.unique(positions, return_inverse=True)
            return scaling().apply(rows[numbers].compute()[places])[:, :-1]

        def scale(centers: Array) -> Array:
            centers = centers.astype(rows.dtype)
            return centers if self._starts_scaled() else scaling().apply(centers)[:, :-1]

        start = given_start(self.init, np.broadcast_to(True, n), self.n_clusters, p, take, scale)
        if start.ndim == 1:
            return problem.rows(start).labels
        labelled = DaskRows(chunks, dense_steps(scaling(), self.n_clusters, n, None))
        return self._nearest_labels(labelled, Metric(np.arange(p)), start)

    @staticmethod
    def _nearest_labels(rows: Rows, metric: Metric, centers: Array) -> Any:
        """Label of the nearest centre for each row, by chunk."""
        narrow = rows.narrowed(metric, None)
        narrow.assign(centers)
        return narrow.labels

    def _best_start(self, results: list[FitResult[Any]], tss: float, dtype: Any) -> FitResult[Any]:
        """The only start. The base class counts its clusters; their sizes tell it which labels occur."""
        labels: Any = results[0].labels
        if not isinstance(labels, Parts):  # data in memory
            return super()._best_start(results, tss, dtype)
        sizes = cluster_sizes(labels, self.n_clusters)
        known = [replace(result, labels=np.flatnonzero(sizes).astype(np.int32)) for result in results]
        super()._best_start(known, tss, dtype)
        return results[0]

    def _store_labels(self, best: FitResult[Any], chunks: Chunks) -> None:
        """`labels_` as a Dask array in the chunks of the rows."""
        labels: Any = best.labels  # by group of chunks
        self.labels_: Any = as_array(labels, chunks, np.int32)


def _meta(X: Any) -> Any:
    """A collection of no rows with the names and the number of the columns."""
    return X._meta if is_frame(X) else np.empty((0, X.shape[1]))


def _refuse_weights(sample_weight: Any) -> None:
    if sample_weight is not None:
        raise ValueError("sample_weight is not supported for Dask collections; leave it out")


def _predict(X: Array, model: Any) -> Array:
    return model.predict(X)


def _transform(X: Array, model: Any) -> Array:
    return model.transform(X)


def _score(X: Array, model: Any) -> Array:
    return np.array([model.score(X)])

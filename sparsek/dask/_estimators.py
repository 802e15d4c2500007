"""The estimators on Dask collections."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from dask.base import is_dask_collection
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsek.core.kernels import Array
from sparsek.core.lloyd import FitResult, thread_control
from sparsek.core.row_blocks import DenseSteps, Metric
from sparsek.dask._graph import Chunks, Parts, as_array, as_chunks
from sparsek.dask._input import as_rows, is_frame
from sparsek.dask._rows import DaskRows, chunk_moments, cluster_sizes
from sparsek.estimators import ranking, sparse
from sparsek.estimators._base import CentroidClusterer, check_integer, check_real, resolve_l1_bound
from sparsek.estimators._row_fit import RowProblem, fit_ranking, fit_weights
from sparsek.estimators._sample_start import ranking_start, sample_rows, weights_start
from sparsek.estimators._seeding import kept_positions


class DaskClusterer(CentroidClusterer):
    """What both estimators share: chunks in, labels as a Dask array out, lazy predictions."""

    def predict(self, X: Any) -> Any:
        """Nearest cluster of each row.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray or dask array of shape (n_samples,), int32
            Labels from 0; of a Dask collection lazily, chunk by chunk.
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
            Distances; of a Dask collection lazily, chunk by chunk.
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
        """The rows, and the fitted model without its labels, which every task carries."""
        check_is_fitted(self)
        rows = as_rows(X, known=False)
        validate_data(self, _meta(X), reset=False, skip_check_array=True)
        model = copy(self)
        model.labels_ = np.empty(0, np.int32)
        model.__dict__.pop("feature_names_in_", None)  # chunks have no names
        return rows, model

    def _begin(self, X: Any, sample_weight: Any) -> tuple[Any, Chunks, Array | None]:
        """Checked rows, their chunks, and the sample from which a start is found; None if one is given."""
        _refuse_weights(sample_weight)
        check_integer("n_clusters", self.n_clusters, 1)
        check_integer("n_init", self.n_init, 1)
        if callable(self.init):
            raise ValueError("a callable init needs data in memory; give centres, labels or a name")
        if isinstance(self.init, str) and self.init not in self._init_names:
            raise self._unknown_init()
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

    def _problem(self, chunks: Chunks, rows: Any, standardize: bool, ddof: int) -> RowProblem:
        """Column statistics and labelled rows."""
        names = getattr(self, "feature_names_in_", None)
        scaling, column_total = chunk_moments(chunks, names).scaling(rows.dtype, standardize, ddof)
        steps = DenseSteps(scaling, self.n_clusters)
        source: Any = rows  # its shape and its type are all that counts
        make = lambda labels: DaskRows(chunks, rows.shape[1], steps, labels)  # noqa: E731  (a field)
        return RowProblem(source, None, scaling, column_total, make)

    def _given_labels(self, problem: RowProblem, rows: Any, chunks: Chunks) -> Any:
        """Labels by chunk from labels, row numbers or centres given as `init`."""
        n, p = rows.shape
        kept = np.broadcast_to(True, n)
        given = np.asarray(self.init)
        if given.shape == (self.n_clusters,) != (n,) and np.issubdtype(given.dtype, np.integer):
            numbers, places = np.unique(kept_positions(given, kept), return_inverse=True)
            centers = rows[numbers].compute()[places]
        else:
            centers = self._checked_init(given, kept, p)
            if centers.ndim == 1:
                return problem.rows(centers.astype(np.int32)).labels
            centers = centers.astype(rows.dtype)
            if self._standardized_starts():
                return self._nearest_labels(problem, Metric(np.arange(p)), centers)
        if not self._standardized_starts():
            problem = self._problem(chunks, rows, False, 1)
        centers = problem.scaling.apply(centers)[:, :-1]
        return self._nearest_labels(problem, Metric(np.arange(p)), centers)

    def _standardized_starts(self) -> bool:
        """Whether centres given as `init` are in standardised units, as `init_on` may say."""
        return False

    @staticmethod
    def _nearest_labels(problem: RowProblem, metric: Metric, centers: Array) -> Any:
        """Labels by chunk of the nearest centres."""
        labelled = problem.rows(None)
        labelled.assign(metric, centers, slice(0))
        return labelled.labels

    def _best_start(self, results: list[FitResult[Any]], tss: float, dtype: Any) -> FitResult[Any]:
        """The only start; what the base class says of its labels follows from the sizes of the clusters."""
        labels: Any = results[0].labels
        if not isinstance(labels, Parts):  # data in memory
            return super()._best_start(results, tss, dtype)
        sizes = cluster_sizes(labels, self.n_clusters)
        known = [replace(result, labels=np.flatnonzero(sizes).astype(np.int32)) for result in results]
        super()._best_start(known, tss, dtype)
        return results[0]

    def _store_labels(self, best: FitResult[Any], chunks: Chunks) -> None:
        """`labels_` as a Dask array in the chunks of the rows."""
        labels: Any = best.labels  # by chunk
        self.labels_: Any = as_array(labels, chunks.starts, np.int32)


class SKFR(DaskClusterer, ranking.SKFR):
    """Sparse k-means with feature ranking on Dask arrays and data frames: `sparsek.SKFR`, chunk by chunk.

    Every iteration is one graph: the labels of each chunk, which stay where the chunk is, and the change of
    the cluster sums, added up in a tree and ranked on the client. Persist the data first where the workers
    have the memory for them; else every iteration reads them again.

    Parameters
    ----------
    n_clusters, n_features_to_select, scope, standardize, init_on, power, max_iter, ddof
        See `sparsek.SKFR`.
    init : str or array-like
        Centres, labels or row numbers start the fit. With a name, `n_init` such starts are run in memory on
        a random sample of the rows (10 million numbers, or all rows where they are fewer), in the scale of
        all of them, and the sparse centres of the best label all rows.
    n_init : int, default=20
        Number of starts on the sample.
    anneal, winsorize, missing, loss, projection
        Only at their defaults for Dask collections.
    memory_limit
        Of data that are no Dask collection; see `sparsek.SKFR`.
    n_jobs : int or None
        Threads on the client over the starts.
    random_state, verbose
        See `sparsek.SKFR`.

    Attributes
    ----------
    labels_ : dask array of shape (n_samples,), int32
        In the chunks of the rows.
    **others
        As those of `sparsek.SKFR`, in memory; `start_objectives_` and `restart_table_` have the one start
        that all rows were fitted from.

    Raises
    ------
    TypeError
        From `fit`: columns that are not numbers.
    ValueError
        From `fit`: NaN or infinite entries, chunks of unknown size, `sample_weight`, a parameter outside its
        range or one that needs data in memory.

    Notes
    -----
    From the same start, labels and features are those of `sparsek.SKFR` in memory, and sums and criteria
    those up to rounding: they are added in another order. Rows at the same distance from two centres, up to
    rounding, may fall to either.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithms 1 and 2.

    Examples
    --------
    >>> import dask.array as da
    >>> from sparsek.dask import SKFR
    >>> X = da.random.default_rng(0).normal(size=(300, 20), chunks=(100, 20))
    >>> X = da.concatenate([X[:150] + 4 * (da.arange(20) < 3), X[150:]]).rechunk((100, 20))
    >>> model = SKFR(n_clusters=2, n_features_to_select=3, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    >>> model.labels_.chunks
    ((100, 100, 100),)
    """

    def fit(self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X and select its features.

        Parameters
        ----------
        X : dask array, dask DataFrame or array-like of shape (n_samples, n_features)
            Data, finite; what is no Dask collection is fitted in memory.
        y : None
            Ignored.
        sample_weight : None
            Not for Dask collections.

        Returns
        -------
        SKFR
            The fitted estimator.
        """
        if not is_dask_collection(X):
            return super().fit(X, y, sample_weight)
        self._check_parameters()
        self._refuse_options()
        rows, chunks, sample = self._begin(X, sample_weight)
        self._check_sizes(rows.shape[1], None, stacklevel=4)
        with thread_control().limit(limits=1):
            problem = self._problem(chunks, rows, self.standardize, self.ddof)
            if sample is None:
                labels = self._given_labels(problem, rows, chunks)
            else:
                labels = self._nearest_labels(problem, *ranking_start(self, sample, problem.scaling))
            best = fit_ranking(self, problem, [labels])
        self._store_labels(best, chunks)
        return self

    def _standardized_starts(self) -> bool:
        return self.standardize and self.init_on == "standardized"

    def _refuse_options(self) -> None:
        """Refuse what needs the data in memory."""
        defaults = {
            "anneal": False,
            "winsorize": None,
            "missing": "observed",
            "loss": "squared",
            "projection": None,
        }
        for name, default in defaults.items():
            value = getattr(self, name)
            if value != default:
                raise ValueError(
                    f"{name}={value!r} needs data in memory; for Dask collections leave it at {default!r}"
                )


class SparseKMeans(DaskClusterer, sparse.SparseKMeans):
    """Sparse k-means of Witten and Tibshirani on Dask arrays and data frames: `sparsek.SparseKMeans`.

    Every step of the k-means inside is one graph: labels stay where the chunks are, cluster sums are added up
    in a tree, and weights are found on the client. Persist the data first where there is memory for them.

    Parameters
    ----------
    n_clusters, l1_bound, max_iter, tol, random_state, verbose
        See `sparsek.SparseKMeans`.
    init : str or array-like
        Centres, labels or row numbers start the fit. With a name, `n_init` such starts are run in memory on
        a random sample of the rows (10 million numbers, or all rows where they are fewer), and the weighted
        centres of the best label all rows.
    n_init : int, default=10
        Number of starts on the sample.
    n_jobs : int or None
        Threads on the client over the starts.
    memory_limit
        Of data that are no Dask collection; see `sparsek.SparseKMeans`.

    Attributes
    ----------
    labels_ : dask array of shape (n_samples,), int32
        In the chunks of the rows.
    **others
        As those of `sparsek.SparseKMeans`, in memory.

    Raises
    ------
    TypeError
        From `fit`: columns that are not numbers.
    ValueError
        From `fit`: NaN or infinite entries, chunks of unknown size, `sample_weight`, a parameter outside its
        range or one that needs data in memory.

    Notes
    -----
    From the same start the result is that of `sparsek.SparseKMeans` in memory, up to the order of summation.

    References
    ----------
    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726.

    Examples
    --------
    >>> import dask.array as da
    >>> from sparsek.dask import SparseKMeans
    >>> X = da.random.default_rng(0).normal(size=(300, 20), chunks=(100, 20))
    >>> X = da.concatenate([X[:150] + 4 * (da.arange(20) < 3), X[150:]]).rechunk((100, 20))
    >>> model = SparseKMeans(n_clusters=2, l1_bound=1.7, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    """

    def fit(self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X and weight its features.

        Parameters
        ----------
        X : dask array, dask DataFrame or array-like of shape (n_samples, n_features)
            Data, finite; what is no Dask collection is fitted in memory.
        y : None
            Ignored.
        sample_weight : None
            Not for Dask collections.

        Returns
        -------
        SparseKMeans
            The fitted estimator.
        """
        if not is_dask_collection(X):
            return super().fit(X, y, sample_weight)
        check_integer("max_iter", self.max_iter, 1)
        check_real("tol", self.tol, 0)
        rows, chunks, sample = self._begin(X, sample_weight)
        self.l1_bound_ = resolve_l1_bound(self.l1_bound, rows.shape[1])
        with thread_control().limit(limits=1):
            problem = self._problem(chunks, rows, False, 1)
            if sample is None:
                labels = self._given_labels(problem, rows, chunks)
            else:
                labels = self._nearest_labels(problem, *weights_start(self, sample, problem.scaling))
            best = fit_weights(self, problem, [labels], refine=sample is not None)
        self._store_labels(best, chunks)
        return self


def _meta(X: Any) -> Any:
    """What tells the names and the number of the columns, without rows."""
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

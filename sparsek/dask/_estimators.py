"""The estimators on Dask collections."""

from __future__ import annotations

from typing import Any, Self

from dask.base import is_dask_collection

from sparsek.dask._base import DaskClusterer
from sparsek.methods.shared.base import resolve_l1_bound
from sparsek.methods.skfr import estimator as ranking
from sparsek.methods.sparse_kmeans import estimator as sparse
from sparsek.numerics.threads import thread_control


class SKFR(DaskClusterer, ranking.SKFR):
    """Sparse k-means with feature ranking on Dask arrays and data frames: `sparsek.SKFR`, chunk by chunk.

    Every iteration is one graph. Labels are computed, and kept, where their chunk is. Changes of the cluster
    sums are added up in a tree, and the client ranks the features. Persist the data first if the workers
    have enough memory. Otherwise every iteration reads them again.

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

    See Also
    --------
    sparsek.SKFR : K-means on the s features that separate the clusters best.
    SparseKMeans : The same method on collections of Dask.

    Notes
    -----
    From the same start, labels, features and number of iterations are those of `sparsek.SKFR` in memory, in
    every bit.

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
        self._validate_params()
        if not is_dask_collection(X):
            return super().fit(X, y, sample_weight)
        rows, chunks, sample = self._begin(X, sample_weight)
        self._check_sizes(rows.shape[1], None, stacklevel=4)
        with thread_control().limit(limits=1):
            problem = self._problem(chunks, rows, *self._standardizing(), sample)
            if sample is None:
                labels = self._given_labels(problem, rows, chunks)
            else:
                labels = self._nearest_labels(
                    problem.rows(None), *self._sample_start(sample, problem.scaling)
                )
            best = self._fit_rows(problem, [labels])
        self._store_labels(best, chunks)
        return self


class SparseKMeans(DaskClusterer, sparse.SparseKMeans):
    """Sparse k-means of Witten and Tibshirani on Dask arrays and data frames: `sparsek.SparseKMeans`.

    Every step of k-means is one graph. Labels stay where the chunks are, cluster sums are added up in a
    tree, and the client finds the weights. Persist the data first if the workers have enough memory.

    Parameters
    ----------
    n_clusters, l1_bound, standardize, max_iter, tol, random_state, verbose
        See `sparsek.SparseKMeans`.
    dissimilarity : "squared"
        "absolute" needs data in memory.
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

    See Also
    --------
    sparsek.SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    SKFR : The same method on collections of Dask.

    Notes
    -----
    From the same start, labels, features and number of iterations are those of `sparsek.SparseKMeans` in
    memory with ``refine=False``, in every bit.

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
        self._validate_params()
        if not is_dask_collection(X):
            return super().fit(X, y, sample_weight)
        rows, chunks, sample = self._begin(X, sample_weight)
        self.l1_bound_ = resolve_l1_bound(self.l1_bound, rows.shape[1])
        with thread_control().limit(limits=1):
            problem = self._problem(chunks, rows, *self._standardizing(), sample)
            if sample is None:
                labels = self._given_labels(problem, rows, chunks)
            else:
                labels = self._nearest_labels(
                    problem.rows(None), *self._sample_start(sample, problem.scaling)
                )
            best = self._fit_rows(problem, [labels], warm=sample is not None)
        self._store_labels(best, chunks)
        return self

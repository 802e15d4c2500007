"""Estimator of k-means on data with missing values: KPod."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sparsek.core.exact_sums import Moments, row_chunks
from sparsek.core.steps import Array, FitResult, Labels, run_all
from sparsek.inputs.containers import as_given, holds_sparse
from sparsek.inputs.restored import restored
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import is_dask
from sparsek.methods.kpod.algorithm import ObservedCenters, kpod
from sparsek.methods.kpod.cells import Cells, RowsWithHoles
from sparsek.methods.kpod.kept import InMemory
from sparsek.methods.shared.clusterer.blocks import is_reader
from sparsek.methods.shared.clusterer.saved import NearestRule, SavedRule
from sparsek.methods.shared.fits import RowFits
from sparsek.methods.shared.parameters import Count, Flag, Jobs, Memory, Runs, Seed, Starts, Values, Verbose
from sparsek.sources.source import ArraySource, Plan, RowProblem


class KPod(SavedRule, RowFits):
    r"""K-means of data with missing values (NaN) by k-POD.

    Minimises :math:`\sum_{(i,j)\ \mathrm{observed}} w_i (x_{ij} - c_{g(i)j})^2` over labels g and centres
    c: every observed cell is used, none is imputed beforehand. Set `standardize` where features have
    different units.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, array-like or callable, default="k-means++"
        Starts, on the data with each feature's mean in its missing cells.
        [starts]
    n_init : int, default=10
        Number of starts; the one with the smallest sum of squares over the observed cells is kept.
    standardize : bool, default=False
    categories : array-like or None, default=None
    max_iter : int, default=100
        Largest number of iterations of one start; each is a k-means fit on filled data.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
    memory_limit : float, str or None, default=None

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the observed values of each cluster, units of X. Where no row of a cluster has an observed
        value, the last value of the iterations stays: it does not affect the criterion. NaN for a feature
        without any observed value.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0: nearest centres over the observed features.
    inertia_ : float
        The criterion, squared units of X.
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each iteration, never increasing, squared units of X.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
        Criterion of every start, squared units of X.
    start_n_iter_ : ndarray of shape (n_starts,)
    rows_without_values_ : ndarray of shape (n_rows,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: infinite data, no observed value, fewer rows than clusters, a parameter outside its range,
        negative or all-zero `sample_weight`.
    TypeError

    Warns
    -----
    ConvergenceWarning
    EmptyRowWarning

    See Also
    --------
    sparsek.rcompat.kpod : R's k-POD, bit for bit.
    SKFR : K-means on the s features that separate the clusters best.
    sparsek.plots.plot_missing : Draw which entries are missing.

    Notes
    -----
    An iteration fills the missing cells from their rows' centres and runs k-means from the last labels
    (majorisation-minimisation). Once the labels stop changing, the last iterations set the centres to their
    limit, the means of the observed values, and assign the rows to their nearest centres. No further k-POD
    iteration changes the result.

    A row without observed values takes no part in `fit` and gets the label of the largest cluster,
    with an `EmptyRowWarning` from `fit` and `predict`. A feature
    without observed values in `fit` is ignored from then on, and `impute` leaves its missing cells NaN.

    `transform` gives sqrt(sum over observed features of (x_j - c_j)^2), not scaled up for missing features:
    distances of rows with different missing features are not comparable, and 0 for a row without any.

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows, with the same steps. The `n_init` starts then run on a random sample
    (10 million numbers, or as many as fit in memory), and the centres of the best start the iterations over
    all rows; given starts need no sample. The completed data are not kept: `impute` takes blocks of rows.

    [dask]

    Differences from kpodclustr: it fills with one mean of the whole matrix instead of one per feature, keeps
    its first start (its restarts compare a constant), runs Hartigan and Wong's k-means, and has neither
    centres nor the filled matrix in its result. For its own numbers use :func:`sparsek.rcompat.kpod`.

    References
    ----------
    Chi, J. T., Chi, E. C. and Baraniuk, R. G. (2016). k-POD: a method for k-means clustering of missing data.
    The American Statistician 70, 91-99.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import KPod
    >>> nan = np.nan
    >>> X = np.array([[1, 2], [nan, 2.2], [1.2, nan], [7, 8], [nan, 8.1], [7.3, nan]])
    >>> model = KPod(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.impute()[1]
    array([1.1, 2.2])
    """

    _completed = InMemory()
    _finite = "allow-nan"
    _holes = True
    _copies = 2.4

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: Starts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        categories: Values | None = None,
        max_iter: Count = 100,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        memory_limit: Memory = None,
    ) -> None:
        self._keep(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix, path, HDF5 dataset, Zarr array or Dask collection
            Data of shape (n_samples, n_features), NaN where missing (in a sparse matrix a stored NaN);
            float32 stays float32. Never changed. The rows of a Dask array or data frame stay where they are,
            and so do their labels.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions]
            None for a Dask collection.

        Returns
        -------
        KPod
            The fitted estimator.
        """
        super().fit(X, sample_weight=sample_weight)
        if self._in_memory:
            self._completed = InMemory(self._filled(X if self._coding is not None else self._opened(X)))
        return self

    def _source(self, X: Any, sample_weight: ArrayLike | None) -> Any:
        """The rows that have an observed value."""
        everything = super()._source(X, sample_weight)
        source = everything.observed()
        self._n_empty = everything.shape[0] - source.shape[0]
        self._check_rows(source.shape[0], "rows of positive weight with an observed value")
        return source

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        """No parameter depends on these."""

    def _look_at(self, source: ArraySource, moments: Moments) -> None:
        super()._look_at(source, moments)
        self._n_missing = (self._n_missing or 0) + self._n_empty * self.n_features_in_

    def _plan(self, reader: Any) -> Plan:
        plan = super()._plan(reader)
        return replace(plan, cache=plan.cache / 2)  # for the rows of starts, and for filled ones

    def _standardizing(self) -> tuple[bool, int]:
        return self.standardize, 1

    def _run(self, problem: RowProblem, starts: Iterable[Any], warm: bool = False) -> list[FitResult[Any]]:
        """The result of every start: of labels, or (`warm`) of labels and the centres that fill the holes."""
        rows = RowsWithHoles(problem)

        def run(start: Any) -> FitResult[ObservedCenters]:
            labels, centers = start if warm else (start, None)
            return kpod(rows, labels, max_iter=self.max_iter, centers=centers)

        return run_all(run, starts, self.n_jobs)

    def _continued(self, problem: RowProblem, best: FitResult[ObservedCenters]) -> tuple[Any, Array]:
        """Labels of the nearest centres of the best start on a sample, and these centres."""
        labels = problem.rows(np.zeros(problem.source.shape[0], np.int32)).labels
        return RowsWithHoles(problem).nearest(labels, best.params.centers), best.params.centers

    def _store(
        self, problem: RowProblem, results: list[FitResult[Any]], best: FitResult[ObservedCenters]
    ) -> None:
        """Set the attributes that follow from the best start."""
        source, counts = problem.source, problem.moments.counts
        assert counts is not None  # of observed values
        self._set_scaling(replace(problem.scaling, fills=False))
        self._in_memory, self._empty = isinstance(source, ArraySource), counts == 0
        self._centers = best.params.centers
        sizes = source.sizes(best.labels, self.n_clusters)
        if source.weights is not None:
            sizes = np.bincount(best.labels, source.weights, self.n_clusters)
        self._largest = int(sizes.argmax())
        self.cluster_centers_ = self._scaling.invert(self._centers)
        self.cluster_centers_[:, self._empty] = np.nan
        if self._coding is not None:
            self._coding.within_shares(self.cluster_centers_)
        self.criterion_history_ = self._in_square_units(best.history)
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._inertia_over(source)

    def _all_labels(
        self, X: ArrayLike, labels: Any, kept: NDArray[np.bool_], sizes: Array | None = None
    ) -> Any:
        if not is_dask(X) or kept.all():
            return super()._all_labels(X, labels, kept, sizes)
        numbered = self._number(labels, sizes=sizes)
        largest = int(self._numbered(np.array([self._largest], np.int32))[0])
        return numbered.map_blocks(_completed, largest, dtype=np.int32)

    def _number(self, labels: Any, weights: Array | None = None, sizes: Array | None = None) -> Any:
        found = super()._number(labels, weights, sizes)
        if not self._keeps_order():
            self._largest = 0 if self._numbers is None else int(self._numbers.argmin())
        return found

    def impute(self, X: ArrayLike | None = None) -> Any:
        """Fill the missing cells of each row from its nearest centre over the observed features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Data in the units of the training data, also a sparse matrix or a Dask collection; None for the
            training data.

        Returns
        -------
        ndarray, DataFrame or sparse array of shape (n_samples, n_features)
            A completed copy, in the units of X, as a table where X is one of pandas or polars, as a sparse
            array for a sparse matrix, and as a lazy array for a Dask collection; NaN is left only in features
            without any observed value in `fit`.

        Raises
        ------
        ValueError
            If X is None after a fit by blocks, of a sparse matrix or of a Dask collection, or in a model that
            was pickled, whose files leave the data out; or if X is too large for `memory_limit`.
        """
        check_is_fitted(self)
        if X is None and self._completed.value is not None:
            return deepcopy(self._completed.value)
        if is_dask(X):
            return self._lazily(X, "impute")
        if self._coding is not None and X is not None:
            return self._filled(X)
        if X is not None and holds_sparse(X):
            return self._filled_matrix(X)
        rows = None if X is None else self._opened(X)
        if rows is None or is_reader(rows):
            why = "are not kept" if rows is None else "would not keep memory_limit"
            raise ValueError(f"the completed data {why}; impute X, or blocks of its rows")
        return as_given(self._filled(rows), X)

    def _filled(self, X: ArrayLike) -> Any:
        """The rows with their missing cells filled, as an array or, with categories, as X is given."""
        found = np.array(self._validate_new(X), order="C")
        with thread_control().limit(limits=1):
            for rows in row_chunks(found):
                some = found[rows]
                np.copyto(
                    some, self.cluster_centers_[self._numbered(self._nearest(some))], where=np.isnan(some)
                )
        return found if self._coding is None else restored(self._coding, found, X)

    def _filled_matrix(self, X: Any) -> Any:
        """The rows of a sparse matrix with their stored NaN filled."""
        given: Any = self._validate_new(X)
        found = csr_array(given, copy=True)
        holes = np.flatnonzero(np.isnan(found.data))
        # The row of a stored entry is the last that begins at it or before.
        rows = np.searchsorted(found.indptr, holes, side="right") - 1
        found.data[holes] = self.cluster_centers_[self.predict(X)[rows], found.indices[holes]]
        return found

    def _data_options(self, X: object) -> dict[str, Any]:
        return super()._data_options(X) | {"ensure_all_finite": "allow-nan"}

    def _nearest_rule(self) -> NearestRule:
        used = self._observable()
        return NearestRule(used, self._centers[:, used], takes_missing=True, without_values=self._largest)

    def _observable(self) -> Array:
        return np.flatnonzero(~self._empty)

    def _cells(self) -> Cells:
        """Cells in the coordinates of the centres; features never observed in `fit` count as missing."""
        return Cells(self._scaling, self._empty)

    def _nearest(self, X: Array) -> Labels:
        labels, some = self._cells().nearest(X, self._centers)
        # A row without a value is as near to all centres, and goes to the largest cluster.
        labels[~some] = self._largest
        return labels

    def _distances(self, X: Array) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._in_units(np.sqrt(self._cells().squares(X, self._centers)))
        return found

    def _inertia(self, X: Array, weights: Array | None) -> float:
        closest = self._cells().squares(X, self._centers).min(axis=1)
        return float(self._in_square_units(closest.sum() if weights is None else weights @ closest))


def _completed(labels: Labels, largest: int) -> Labels:
    """Labels in which rows without observed values, -1 so far, have that of the largest cluster."""
    return np.where(labels < 0, np.int32(largest), labels)

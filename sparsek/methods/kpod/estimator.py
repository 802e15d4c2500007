"""Estimator of k-means on data with missing values: KPod."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sparsek.methods.kpod.algorithm import Centers, PackedRows, kpod, observed_squares
from sparsek.methods.kpod.by_blocks import PartialBlocks
from sparsek.methods.kpod.columns import observed_columns, observed_scaling, scaling_of_array
from sparsek.methods.rows.blocks import refuse_extremes, refuse_widest
from sparsek.methods.rows.files.readers import Subset
from sparsek.methods.rows.fits import BlockInput, is_reader
from sparsek.methods.rows.partial import PartialData, nearest_observed, pack
from sparsek.methods.rows.problem import RowProblem
from sparsek.methods.rows.row_starts import draw_sample, given_point
from sparsek.methods.rows.source import FileSource
from sparsek.methods.shared import parameters as allowed
from sparsek.methods.shared.base import best_of, criterion_rounding
from sparsek.methods.shared.loop import FitResult, run_all
from sparsek.methods.shared.sums import Array, Labels
from sparsek.numerics.containers import as_given
from sparsek.numerics.exact_sums import Moments
from sparsek.numerics.threads import thread_control


class KPod(BlockInput):
    r"""K-means of data with missing values (NaN) by k-POD.

    Minimises :math:`\sum_{(i,j)\ \mathrm{observed}} w_i (x_{ij} - c_{g(i)j})^2` over labels g and centres
    c: every observed cell is used, none is imputed beforehand. Set `standardize` where features have
    different units.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : str, array-like or callable, default="k-means++"
        Starts, on the data with each feature's mean in its missing cells. "k-means++" and "random" (distinct
        rows) draw `n_init` of them; "dkm++", "robin" and "maximin" (see `sparsek.init`) make one, the same
        every time, whatever `n_init`. An array makes one too: centres of shape (n_clusters, n_features) in
        the units of X, integer labels of shape (n_samples,), or row numbers of shape (n_clusters,). A
        callable ``init(X, n_clusters, random_state=seed)``, called for every start, returns any of these.
    n_init : int, default=10
        Number of starts; the one with the smallest sum of squares over the observed cells is kept.
    standardize : bool, default=False
        Divide every column by its standard deviation (divisor n - 1) first; constant columns become 0.
        `cluster_centers_` stay in units of X; criteria and distances are in standardised units then.
    max_iter : int, default=100
        Largest number of iterations of one start; each is a k-means fit on filled data.
    n_jobs : int or None, default=None
        Threads over the starts. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    verbose : int, default=0
        If positive, log each start to the logger "sparsek".
    memory_limit : float, str or None, default=None
        Bytes, or a text such as "2GB", that a fit may take; None means half of the machine's memory.
        Data that need more are read and fitted by blocks of rows (see Notes).

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
        Iterations of the best start.
    start_objectives_ : ndarray of shape (n_starts,)
        Criterion of every start, squared units of X.
    start_n_iter_ : ndarray of shape (n_starts,)
        Iterations of every start.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, when X has some.

    Raises
    ------
    ValueError
        From `fit`: infinite data, no observed value, fewer rows than clusters, a parameter outside its range,
        negative or all-zero `sample_weight`.
    TypeError
        From `fit`: sparse data, or a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached, or fewer distinct clusters than `n_clusters` were found.

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

    A row without observed values takes no part in `fit` and gets the label of the largest cluster. A feature
    without observed values in `fit` is ignored from then on, and `impute` leaves its missing cells NaN.

    `transform` gives sqrt(sum over observed features of (x_j - c_j)^2), not scaled up for missing features:
    distances of rows with different missing features are not comparable, and 0 for a row without any.

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows, with the same steps. The `n_init` starts then run on a random sample
    (10 million numbers, or as many as fit in memory), and the centres of the best start the iterations over
    all rows; given starts need no sample. The completed data are not kept: `impute` takes blocks of rows.

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
    array([1, 1, 1, 0, 0, 0], dtype=int32)
    >>> model.impute()[1]
    array([1.1, 2.2])
    """

    _completed: Array | None
    _finite = "allow-nan"
    _copies = 7.5

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BlockInput._parameter_constraints,
        "init": allowed.starts(),
        "standardize": allowed.FLAG,
        "max_iter": allowed.COUNT,
        "n_jobs": allowed.JOBS,
        "memory_limit": allowed.BYTES_OR_TEXT,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int = 10,
        standardize: bool = False,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        memory_limit: float | str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.standardize = standardize
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.memory_limit = memory_limit

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like, path, HDF5 dataset or Zarr array of shape (n_samples, n_features)
            Data, NaN where missing; float32 stays float32. Never changed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of repetitions of the rows, not negative; 0 leaves a row out.

        Returns
        -------
        KPod
            The fitted estimator.
        """
        self._validate_params()
        X = self._opened(X)
        if is_reader(X):
            return self._fit_blocks(X, sample_weight)
        data, weights, kept = self._validate_fit(X, sample_weight)
        data, weights, kept = self._observed_rows(data, weights, kept)
        with thread_control().limit(limits=1):
            self._set_scaling(scaling_of_array(data, weights, self.standardize))
            Z = self._scaling.apply(data)
            np.copyto(Z, 0, where=np.isnan(Z))
            starts = self._initial_labels(data, Z, self._scaling, weights, 2, kept)
            self._empty = np.isnan(data).all(axis=0)
            packed = self._packed(data, weights)
            results = self._run(packed, weights, starts)
            best = self._best_start(results, packed.tss, Z.dtype)
        self._store_best(best, weights)
        self.inertia_ = self._inertia(data, weights)
        self.labels_ = self._all_labels(X, best.labels, kept)
        self._completed = self._filled(X)
        return self

    def _run(
        self, data: PartialData, weights: Array | None, starts: Iterable[Labels]
    ) -> list[FitResult[Centers]]:
        """The result of every start on an array in memory."""

        def run(labels: Labels) -> FitResult[Centers]:
            assert self._scaling.grid is not None  # always set with the scaling
            rows = PackedRows(data, self.n_clusters, self._scaling.grid, weights)
            return kpod(rows, labels, max_iter=self.max_iter)

        return run_all(run, starts, self.n_jobs)

    def _fit_blocks(self, reader: Any, sample_weight: ArrayLike | None) -> Self:
        """`fit` by blocks of rows."""
        checked, weights, kept, plan = self._checked(reader, sample_weight, allow_nan=True)
        with thread_control().limit(limits=1):
            kept, weights, columns = observed_columns(
                checked,
                weights,
                kept,
                lambda n: self._check_rows(n, "rows of positive weight with an observed value"),
            )
            refuse_extremes(columns.squares, columns.top, columns.bottom)
            refuse_widest(columns.squares, columns.top, columns.bottom, reader.dtype)
            n_kept = int(kept.sum())
            self._set_scaling(observed_scaling(columns, n_kept, reader.dtype, self.standardize))
            self._empty = np.asarray(columns.counts == 0)
            self._n_missing = None
            chosen = checked if kept.all() else Subset(checked, kept)
            source = FileSource(chosen, weights, kept, plan)
            rows = PartialBlocks(
                source, self._scaling, self.n_clusters, weights, plan.cache, plan.taken_entries
            )
            labels, centers = self._block_start(rows, source, columns)
            found = kpod(rows, labels, max_iter=self.max_iter, centers=centers)
            best = self._best_start([found], float(columns.squares.sum()), np.dtype(reader.dtype))
            self._store_best(best, weights)
            self.inertia_ = sum(
                self._inertia(X, None if weights is None else weights[start : start + len(X)])
                for start, X in source.blocks()
            )
        self.labels_ = self._all_labels(reader, best.labels, kept)
        self._completed = None
        return self

    def _block_start(
        self, rows: PartialBlocks, source: FileSource, columns: Moments
    ) -> tuple[Labels, Array | None]:
        """Initial labels, and the centres, found on a sample, that fill the holes at first."""
        scaling = rows.scaling
        if not isinstance(self.init, str) and not callable(self.init):
            sizes = self.n_clusters, columns, scaling, columns.squares
            problem = RowProblem(source, *sizes, lambda labels: rows.filled(labels, None))
            given = given_point(problem, self.init, source.kept)
            if given.ndim == 1:
                return given, None
            filled = rows.filled(np.zeros(source.shape[0], np.int32), None)
            filled.assign(np.nan_to_num(given))  # chosen rows may have holes
            return filled.labels, None
        sample, weights = draw_sample(source, self.n_clusters, self.random_state)
        self._warn_of_lost_rows(sample, columns.top, columns.bottom)
        Z = scaling.apply(sample)
        Z[np.isnan(Z)] = 0
        starts = self._initial_labels(sample, Z, scaling, weights, 2, np.ones(len(sample), dtype=bool))
        packed = self._packed(sample, weights)
        results = self._run(packed, weights, starts)
        centers: Array = best_of(results, criterion_rounding(packed.tss, Z.dtype)).params.centers
        labels = np.empty(source.shape[0], np.int32)
        for part, values, observed, _ in rows.blocks():
            labels[part] = nearest_observed(values, observed, centers)
        return labels, centers

    def _store_best(self, best: FitResult[Centers], weights: Array | None) -> None:
        """Set the attributes that follow from the best start."""
        self._centers = best.params.centers
        self._largest = int(np.bincount(best.labels, weights, self.n_clusters).argmax())
        self.cluster_centers_ = self._scaling.invert(self._centers)
        self.cluster_centers_[:, self._empty] = np.nan
        self.criterion_history_ = self._in_square_units(best.history)
        self.start_objectives_ = self._in_square_units(self.start_objectives_)

    def impute(self, X: ArrayLike | None = None) -> Any:
        """Fill the missing cells of each row from its nearest centre over the observed features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Data in the units of the training data; None for the training data.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_features)
            A completed copy, in the units of X, as a table where X is one of pandas or polars; NaN is left
            only in features without any observed value in `fit`.

        Raises
        ------
        ValueError
            If X is None after a fit by blocks, or is too large for `memory_limit`.
        """
        check_is_fitted(self)
        if X is None and self._completed is not None:
            return self._completed.copy()
        rows = None if X is None else self._opened(X)
        if rows is None or is_reader(rows):
            raise ValueError("the completed data would not keep memory_limit; impute blocks of their rows")
        return as_given(self._filled(rows), X)

    def _filled(self, X: ArrayLike) -> Array:
        """The rows with their missing cells filled, as an array."""
        data = self._validate_new(X)
        with thread_control().limit(limits=1):
            near = self.cluster_centers_[self._nearest(data)]
        return np.where(np.isnan(data), near, data)

    def _observed_rows(
        self, data: Array, weights: Array | None, kept: NDArray[np.bool_]
    ) -> tuple[Array, Array | None, NDArray[np.bool_]]:
        """Data, weights and mask without the rows that have no observed value."""
        some = ~np.isnan(data).all(axis=1)
        if some.all():
            return data, weights, kept
        if some.sum() < self.n_clusters:
            raise ValueError(
                f"X has {some.sum()} rows with an observed value, fewer than n_clusters={self.n_clusters}; "
                "add rows or lower n_clusters"
            )
        kept = kept.copy()
        kept[kept] = some
        return data[some], None if weights is None else weights[some], kept

    def _packed(self, X: Array, weights: Array | None = None) -> PartialData:
        """Rows in the coordinates of the centres; features never observed in `fit` count as missing."""
        Z = self._scaling.apply(X)[:, :-1]
        Z[:, self._empty] = np.nan
        return pack(Z, weights)

    def _nearest(self, X: Array) -> Labels:
        packed = self._packed(X)
        labels = nearest_observed(packed.values, packed.observed, self._centers)
        labels[~packed.observed.any(axis=1)] = self._largest
        return labels

    def _distances(self, X: Array) -> NDArray[np.float64]:
        return self._in_units(np.sqrt(observed_squares(self._packed(X), self._centers)))

    def _inertia(self, X: Array, weights: Array | None) -> float:
        closest = observed_squares(self._packed(X), self._centers).min(axis=1)
        return float(self._in_square_units(closest.sum() if weights is None else weights @ closest))

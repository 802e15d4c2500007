"""Base class of the estimators: the one fit, checks of input, the best start, prediction."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.scaling import (
    SAMPLED_ROWS,
    Scaling,
    column_squares,
    far_columns,
    prepare,
    refuse_far_rows,
    warn_of_lost_structure,
)
from sparsek.core.steps import Array, FitResult, Labels, cluster_sizes, nearest_center, run_all
from sparsek.errors import callers_level
from sparsek.inputs.containers import holds_sparse, numbers
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import (
    check_array,
    check_data,
    explained,
    is_dask,
    is_plain_array,
    reject_dask,
    require_array,
    require_rows,
)
from sparsek.inputs.weights import checked_weights
from sparsek.methods.shared.clusterer.empty_rows import EmptyRows
from sparsek.methods.shared.clusterer.given import GivenStarts
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from sparsek.methods.shared.estimator import Estimator
from sparsek.starts.seeds import greedy_trials
from sparsek.summary.estimators import FitSummaryMixin

logger = logging.getLogger("sparsek")

PIECE_ENTRIES = 4_000_000
"""Entries of a sparse matrix that are made dense at a time."""
COPIED_ENTRIES = 200_000
"""Entries of rows that are copied at a time to find distances in coordinates."""
NO_WEIGHTS = "sample_weight is not supported for Dask collections; leave it out"


@dataclass(frozen=True, slots=True)
class Setup:
    """What the starts of one fit share."""

    data: Array  # (n, p), rows of positive weight, units of X
    weights: Array | None  # (n,)
    Z: Array  # (n, m), the rows that the algorithm compares
    starts: Any  # one entry for each start: labels (n,), centres or what `run` takes
    run: Callable[[Any], FitResult[Any]]  # runs one start
    parts: Any = None  # what else the method needs


class CentroidClusterer(
    NumberedClusters,
    EmptyRows,
    GivenStarts,
    FitSummaryMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    Estimator,
):
    """Base of the estimators that assign rows to the nearest centre.

    A subclass implements `_coordinates`, and `_setup` and `_store` of the common `_fit` (or `fit` itself). It
    sets the public attributes and

    - ``_centers`` : ndarray of shape (n_clusters, m), the centres in the coordinates of `_coordinates`;
    - ``_length_unit`` : float, the length of one unit of these coordinates in the units of `transform`.
    """

    n_clusters: int
    init: Any
    n_init: int
    n_jobs: int | None
    random_state: Any
    verbose: int
    labels_: Labels
    _centers: Array
    _length_unit: float
    _scaling: Scaling
    _why_fewer = "duplicate points in X"
    _takes_sparse = False
    _n_missing: int | None
    _fit_weights: Array | None = None
    _column_total: Array | None = None
    _wide = False
    _finite: bool | str = True  # scikit-learn's ensure_all_finite: "allow-nan" if NaN means missing

    def _coordinates(self, X: Array) -> Array:
        """Prepared rows, in which the method's distance is Euclidean."""
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, None)

    def _fit(self, X: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Check, prepare, run every start, keep the best and store it."""
        self._validate_params()
        data, weights, kept = self._validate_fit(X, sample_weight)
        with thread_control().limit(limits=1):
            setup = self._setup(data, weights, kept)
            results = self._run_starts(setup)
            best = self._best_start(results, self._size(setup, results), setup.Z.dtype)
            self._store(setup, results, best)
        self.labels_ = self._all_labels(X, best.labels, kept)
        self._compare_predictions(X)
        return self

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        """Prepared rows, the starts, and how one of them runs."""
        raise NotImplementedError

    def _run_starts(self, setup: Setup) -> list[Any]:
        """The results of all starts."""
        return run_all(setup.run, setup.starts, getattr(self, "n_jobs", None))

    def _size(self, setup: Setup, results: list[Any]) -> float:
        """Size of the sums in the criterion, relative to which it is rounded."""
        return float(column_squares(setup.Z, setup.weights).sum())

    def _store(self, setup: Any, results: list[Any], best: Any) -> None:
        """Set the attributes that follow from the best start."""
        raise NotImplementedError

    def fit_predict(self, X: ArrayLike, y: object = None) -> NDArray[np.int32]:
        """Fit to data and return the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, as `fit` takes them.
        y : None

        Returns
        -------
        ndarray of shape (n_samples,), int32
            `labels_`.
        """
        return self.fit(X).labels_

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Nearest cluster of each row, in the distance of the fitted model; ties go as in `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            [new rows]

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Labels from 0.
            [lazy rows]
        """
        if is_dask(X):
            labels: NDArray[np.int32] = self._lazily(X, "predict")
            return labels
        labels = self._predicted(self._validate_new(X), X)
        return labels

    def _predicted(self, data: Any, X: Any = None) -> Labels:
        """The numbers of the nearest clusters of checked rows, which were given as X."""
        found, empty = [], []
        with thread_control().limit(limits=1):
            for place, piece in dense_pieces(data):
                found.append(self._nearest(piece))
                empty.append(place.start + self._empty_rows(piece))
        self._warn_of_empty_rows(empty, X)
        labels: Labels = self._numbered(np.concatenate(found))
        return labels

    def _all_pieces(self, X: Any) -> Any:
        return ((place.start, piece) for place, piece in dense_pieces(self._validate_new(X)))

    def transform(self, X: ArrayLike) -> Any:
        """Distances to the cluster centres over the features in use, as in scikit-learn's KMeans.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            [new rows]

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Euclidean distances in the metric of the fitted model (see the class).
            [lazy rows]
        """
        if is_dask(X):
            return self._lazily(X, "transform")
        return self._transformed(self._validate_new(X))

    def _transformed(self, data: Any) -> Any:
        """The distances of checked rows to the numbered clusters."""
        found = [self._distances(piece) for _, piece in dense_pieces(data)]
        with np.errstate(over="ignore"):
            return self._columns_numbered(np.concatenate(found).astype(data.dtype, copy=False))

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Minus the sum of distances to the nearest centres: ``-inertia_`` on the training data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data; an estimator that trims leaves the farthest rows out.
        y : None

        Returns
        -------
        float
            Larger is better.
        """
        return self._score(X, None)

    def _score(self, X: ArrayLike, sample_weight: ArrayLike | None) -> float:
        """Minus the criterion of new rows."""
        if is_dask(X):
            if sample_weight is not None:
                raise ValueError(NO_WEIGHTS)
            return float(self._lazily(X, "score").sum().compute())
        return self._scored(self._validate_new(X), sample_weight)

    def _scored(self, data: Any, sample_weight: ArrayLike | None) -> float:
        """Minus the criterion of checked rows."""
        weights = self._validate_weights(sample_weight, data)
        found = (
            self._inertia(piece, None if weights is None else weights[rows])
            for rows, piece in dense_pieces(data)
        )
        return -float(sum(found))

    def _lazily(self, X: Any, what: str) -> Any:
        """``predict``, ``transform`` or ``score`` of a Dask collection: refused, unless `fit` takes these."""
        reject_dask(X)

    @property
    def _n_features_out(self) -> int:
        return len(self._centers)

    def _nearest(self, X: Array) -> Labels:
        return nearest_center(self._coordinates(X), self._centers)

    def _distances(self, X: Array) -> NDArray[np.float64]:
        # Direct differences: the product formula would lose half the digits of small distances.
        found: NDArray[np.float64] = self._in_units(cdist(self._coordinates(X)[:, :-1], self._centers))
        return found

    def _inertia(self, X: Array, weights: Array | None) -> float:
        # Pieces, because the rows in coordinates and their distances can take more memory than the data.
        step = max(1, COPIED_ENTRIES // X.shape[1])
        closest = np.empty(len(X))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            closest[rows] = self._row_losses(X[rows])
        return float(self._in_square_units(closest.sum() if weights is None else weights @ closest))

    def _row_losses(self, X: Array) -> Array:
        """What each row adds to `inertia_`, in squared coordinates."""
        return np.asarray(cdist(self._coordinates(X)[:, :-1], self._centers).min(axis=1) ** 2)

    def _in_units(self, values: Any) -> Any:
        """Values in coordinates converted to units of `transform`; infinite on overflow."""
        with np.errstate(over="ignore", under="ignore"):
            return np.multiply(values, self._length_unit)

    def _in_square_units(self, values: Any) -> Any:
        """Values in squared coordinates converted to squared units of `transform`; infinite on overflow."""
        return self._in_units(self._in_units(values))

    def _prepared(self, X: Array, weights: Array | None) -> Array:
        """Centred rows, in standard deviations with `standardize`, ones last; sets `_scaling`."""
        standardize = getattr(self, "standardize", False)
        Z, scaling = prepare(X, weights, standardize=standardize, by_column=standardize)
        self._set_scaling(scaling)
        return Z

    def _set_scaling(self, scaling: Scaling) -> None:
        """Keep the scaling; distances stay in standardised units, or go back to those of X."""
        self._scaling = scaling
        # Columns that are not scaled share one unit, by which distances go back to the units of X.
        self._length_unit = 1.0 if self._scales_columns() else float(1 / scaling.unit[0])

    def _scales_columns(self) -> bool:
        """Whether columns are divided by anything, so that distances have no unit."""
        return bool(getattr(self, "standardize", False))

    def _validate_new(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        data = self._read(X, reset=False)
        self._refuse_far_rows(data)
        return data

    def _read(self, X: Any, reset: bool) -> Array:
        """Data as plain numbers, after scikit-learn's checks of their columns and entries."""
        if self._takes_sparse and not is_plain_array(X) and holds_sparse(X) and not issparse(X):
            check_data(self, X, reset=reset, skip_check_array=True)  # the names of the frame's columns
            matrix = X.sparse.to_coo()
            checked: Array = check_array(matrix, input_name="X", estimator=self, **self._data_options(matrix))
            return checked
        options = self._data_options(X)
        data = X if is_plain_array(X) else numbers(X, "X", self._finite == "allow-nan")
        try:
            found: Array = check_data(self, data, reset=reset, **options)
        except ValueError as error:
            raise explained(error, self, data) from None
        wide: Array = self._widened(found, reset)
        return wide

    def _widened(self, X: Any, reset: bool) -> Any:
        """Single precision as double, where that of a fit has columns that single precision cannot centre."""
        if not isinstance(X, np.ndarray) or X.dtype != np.float32:
            return X
        if reset:
            self._wide = bool(far_columns(np.fmax.reduce(X), np.fmin.reduce(X)).any())
        return X.astype(np.float64) if self._wide else X

    def _refuse_far_rows(self, X: Array, rows: Any = None) -> None:
        """Raise ValueError for new rows, of these numbers, whose squares overflow in the scale of the fit."""
        if hasattr(self, "_scaling"):
            scaling = self._scaling
            refuse_far_rows(X, scaling.unit, scaling.offset, scaling.spread, rows)

    def _data_options(self, X: object) -> dict[str, Any]:
        """Options of scikit-learn's `validate_data` for `X`."""
        (reject_dask if self._takes_sparse else require_array)(X)
        finite = self._finite if not issparse(X) else True
        return {
            "accept_sparse": "csr" if self._takes_sparse else False,
            "dtype": [np.float64, np.float32],
            "order": "C",
            "ensure_all_finite": finite,
        }

    def _validate_fit(
        self, X: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Array, Array | None, Array]:
        """Checked data and weights without the rows of weight 0, and the mask of the rows kept."""
        data, weights, kept = self._validate_input(X, sample_weight)
        self._warn_of_lost_structure(data, kept)
        return data, weights, kept

    def _validate_input(
        self, X: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Array, Array | None, Array]:
        """The same, before the warning of lost structure."""
        data = self._read(X, reset=True)
        may_miss = self._finite == "allow-nan" and not issparse(data)
        self._n_missing = int(np.isnan(data).sum()) if may_miss else 0
        return self._weighted_rows(data, sample_weight)

    def _weighted_rows(
        self, data: Array, sample_weight: ArrayLike | None
    ) -> tuple[Array, Array | None, Array]:
        """The same for data that are checked already."""
        weights = self._fit_weights = self._validate_weights(sample_weight, data)
        kept = np.ones(data.shape[0], dtype=bool) if weights is None else weights > 0
        if not kept.all():
            data, weights = data[kept], weights[kept] if weights is not None else None
        require_rows(data.shape[0], self.n_clusters, "rows of positive weight")
        return data, weights, kept

    def _warn_of_lost_structure(self, X: Array, kept: Array | None = None) -> None:
        """Warn of entries or columns beside which others vanish."""
        names = getattr(self, "feature_names_in_", None)
        ignored = self._ignored_columns(X.shape[1], names)
        warn_of_lost_structure(X, names, kept, common_scale=self._compares_columns(), ignored=ignored)

    def _warn_of_lost_rows(self, sample: Array, top: Array, bottom: Array) -> None:
        """The same for rows that are not in memory: a sample of them, and the extremes of all."""
        names = getattr(self, "feature_names_in_", None)
        some = sample[:: max(1, len(sample) // SAMPLED_ROWS)]
        rows = np.vstack([some, top.astype(sample.dtype), bottom.astype(sample.dtype)])
        warn_of_lost_structure(
            rows,
            names,
            common_scale=self._compares_columns(),
            sampled=True,
            ignored=self._ignored_columns(rows.shape[1], names),
        )

    def _compares_columns(self) -> bool:
        """Whether the method compares columns in the units of X, so that large ones can hide others."""
        return not self._scales_columns()

    @staticmethod
    def _validate_weights(sample_weight: ArrayLike | None, X: Array) -> Array | None:
        return None if sample_weight is None else checked_weights(sample_weight, X)

    def _draw_seeds(self) -> Array:
        """Seeds of the generators of the starts."""
        return start_seeds(self.random_state, self.n_init)

    def _seeding(self, power: int) -> dict[str, Any]:
        """How seeds are drawn: the power of the distance (0 for random rows), and the trials for each."""
        return {
            "power": {"random": 0, "paper": 1}.get(self.init, power),
            "n_trials": greedy_trials(self.n_clusters) if self.init.startswith("greedy") else 1,
        }

    def _best_start(
        self,
        results: list[FitResult[Any]],
        tss: float,
        dtype: Any,
        sizes: Callable[[Any, int], Array] = cluster_sizes,
    ) -> FitResult[Any]:
        """Best of the starts; sets the attributes about restarts and the engine, and warns.

        ``sizes(labels, n_clusters)`` counts the rows of the clusters.
        """
        self._note_engine()
        best: FitResult[Any] = best_of(results, criterion_rounding(tss, dtype))
        # A start below the best one is so by rounding alone and counts as equal: the best has the minimum.
        self.start_objectives_ = np.array([max(result.criterion, best.criterion) for result in results])
        self.start_n_iter_ = np.array([result.n_iter for result in results])
        self.n_iter_ = best.n_iter
        if self.verbose:
            for i, result in enumerate(results):
                logger.info("start %d: criterion %r after %d iterations", i, result.criterion, result.n_iter)
        if not best.converged:
            self._warn(f"the best start did not converge in {self.n_iter_} iterations; increase max_iter")
        # Clusters of the best start may have lost all rows.
        found = int(np.count_nonzero(sizes(best.labels, self.n_clusters)))
        if found < self.n_clusters:
            self._warn(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). "
                f"Possibly due to {self._why_fewer}."
            )
        return best

    @staticmethod
    def _warn(message: str) -> None:
        warnings.warn(message, ConvergenceWarning, stacklevel=callers_level())

    def _all_labels(self, X: ArrayLike, labels: Labels, kept: Array, sizes: Array | None = None) -> Labels:
        """Number the clusters; labels of all rows: those of weight 0 get their nearest cluster."""
        weights = self._fit_weights
        found: Labels = self._number(labels, None if weights is None else weights[kept], sizes)
        if kept.all():
            return found
        complete = self.predict(X)
        complete[kept] = found
        return complete


def dense_pieces(X: Any) -> Iterator[tuple[slice, Array]]:
    """A dense array whole, a sparse one in dense pieces of its rows, a file in blocks."""
    if hasattr(X, "blocks"):
        for start, piece in X.blocks():
            yield slice(start, start + len(piece)), piece
        return
    n, p = X.shape
    dense = not issparse(X)
    step = max(1, n if dense else PIECE_ENTRIES // p)
    for start in range(0, max(1, n), step):
        rows = slice(start, start + step)
        yield rows, X if dense else X[rows].toarray()


def criterion_rounding(tss: float, dtype: Any) -> float:
    """Bound on the rounding error of a criterion computed as a difference of sums of the size of `tss`."""
    return 64 * float(np.finfo(dtype).eps) * tss


def best_of(results: list[Any], rounding: float) -> Any:
    """The first start whose criterion is within `rounding` of the lowest."""
    criteria = np.array([result.criterion for result in results])
    # Of starts that tie up to rounding the first is taken, so that rounding decides nothing.
    return results[int(np.argmax(criteria <= criteria.min() + rounding))]


def start_seeds(random_state: Any, n_init: int) -> Array:
    """Seeds of the generators of the starts."""
    seeds: Array = check_random_state(random_state).randint(2**31 - 1, size=n_init)
    return seeds

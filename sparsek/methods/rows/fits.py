"""The fit of an estimator to any source of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsek.methods.rows.files.readers import Subset
from sparsek.methods.rows.input import BlockInput, is_reader
from sparsek.methods.rows.problem import RowProblem, checked_moments
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.rows.row_starts import Seeding, draw_sample, given_labels, seeded_starts
from sparsek.methods.rows.source import FileSource, MatrixSource, Source
from sparsek.methods.shared.base import NO_WEIGHTS, is_plain_array
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.starts.by_name import SEEDINGS
from sparsek.numerics.containers import holds_sparse, is_dask
from sparsek.numerics.threads import thread_control


class RowFits(BlockInput):
    """Base of the estimators that fit any source of rows.

    A subclass implements the first four methods; one that standardises, or takes options that need a dense
    array, overrides others.
    """

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        """Check or resolve the parameters that depend on the number of features and on the weights."""
        raise NotImplementedError

    def _fit_array(self, X: Any, sample_weight: ArrayLike | None) -> Self:
        """`fit` of a dense array in memory."""
        raise NotImplementedError

    def _fit_rows(self, problem: RowProblem, starts: Iterable[Any], warm: bool = False) -> FitResult[Any]:
        """Run every start (`warm`: from the labels of another fit); set all attributes except `labels_`."""
        raise NotImplementedError

    def _sample_start(self, sample: Array, scaling: Scaling, weights: Array | None) -> tuple[Metric, Array]:
        """Final distance and centres of the best start on a sample of the rows."""
        raise NotImplementedError

    def _standardizing(self) -> tuple[bool, int]:
        """Whether columns are divided by their standard deviations, and the `ddof` of these."""
        return False, 1

    def _starts_scaled(self) -> bool:
        """Whether centres given as `init` are in standardised units."""
        return False

    def _starts_standardized(self) -> bool:
        """Whether starts are chosen in standardised units."""
        return self._standardizing()[0]

    def _start_power(self) -> int:
        """Power of the distance in the seeding probabilities of k-means++."""
        return 2

    def _not_plain(self, sparse: bool) -> list[tuple[str, Any, Any]]:
        """Name, value and default of the options that need a dense array in memory."""
        return []

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X and choose or weight its features.

        Parameters
        ----------
        X : array-like, sparse matrix, path, HDF5 dataset, Zarr array or Dask collection
            Data of shape (n_samples, n_features), finite but for what the class says of NaN; float32 stays
            float32. Never changed, and a sparse matrix never made dense. The rows of a Dask array or data
            frame stay where they are, and so do their labels.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of repetitions of the rows, not negative; 0 leaves a row out, also of the standardisation.
            None for a Dask collection.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        source = self._source(X, sample_weight)
        if isinstance(source, FileSource | MatrixSource) or is_dask(X):
            return self._fit_source(X, source)
        return self._fit_array(source, sample_weight)

    def _source(self, X: Any, sample_weight: ArrayLike | None) -> Any:
        """What `fit` reads: a `Source`, or a dense array in memory."""
        if is_dask(X):
            return self._dask_source(X, sample_weight)
        if not is_plain_array(X) and holds_sparse(X):
            needs, wrong = "dense data, but X is sparse", self._not_plain(sparse=True)
            if isinstance(self.init, str) and self.init in SEEDINGS:
                wrong.append(("init", self.init, "k-means++"))
            self._refuse(wrong, needs, "convert X with '.toarray()'")
            given, weights, kept = self._validate_fit(X, sample_weight)
            return MatrixSource(without_duplicates(csr_array(given)), weights, kept)
        X = self._opened(X)
        if not is_reader(X):
            return X
        rows, weights, kept, plan = self._checked(X, sample_weight, self._not_plain(sparse=False))
        chosen = rows if kept.all() else Subset(rows, kept)
        return FileSource(chosen, weights, kept, plan)

    def _dask_source(self, X: Any, sample_weight: ArrayLike | None) -> Source:
        """The rows of a Dask collection."""
        from sparsek.methods.rows.dask.source import DaskSource, header

        if sample_weight is not None:
            raise ValueError(NO_WEIGHTS)
        needs = "the data in memory, but X is a Dask collection"
        self._refuse(self._not_plain(sparse=False), needs, "pass X.compute()")
        source = DaskSource(X)
        self._check_rows(source.shape[0], "rows")
        validate_data(self, header(X), reset=True, skip_check_array=True)
        self._fit_weights = None
        return source

    def _lazily(self, X: Any, what: str) -> Any:
        """``predict``, ``transform`` or ``score`` of the chunks of a Dask collection."""
        from sparsek.methods.rows.dask.source import header, lazily

        check_is_fitted(self)
        validate_data(self, header(X), reset=False, skip_check_array=True)
        return lazily(self, X, what)

    def _fit_source(self, X: Any, source: Source) -> Self:
        """`fit` of rows that are not one dense array."""
        self._check_sizes(source.shape[1], source.weights)
        with thread_control().limit(limits=1):
            moments = checked_moments(source, getattr(self, "feature_names_in_", None))
            problem = RowProblem.of(source, moments, self.n_clusters, *self._standardizing())
            best = self._fit_rows(problem, *self._row_starts(problem))
        self.labels_ = self._all_labels(X, source.collected(best.labels), source.kept)
        return self

    def _row_starts(self, problem: RowProblem) -> tuple[Iterable[Any], bool]:
        """Labels of every start, and whether they come from a fit to a sample."""
        source = problem.source
        if source.sample_entries is not None and (isinstance(self.init, str) or callable(self.init)):
            sample, weights = draw_sample(source, self.n_clusters, self.random_state)
            self._warn_of_lost_rows(sample, problem.moments.top, problem.moments.bottom)
            return [problem.nearest(*self._sample_start(sample, problem.scaling, weights))], True
        if isinstance(self.init, str):
            return self._drawn_starts(problem), False
        scaled = self._start_problem(problem)
        if not callable(self.init):
            return [given_labels(scaled, self.init, source.kept, self._starts_scaled())], False
        everyone, everything = np.ones(source.shape[0], bool), source.take(np.arange(source.shape[0]))
        given = [
            self.init(everything, self.n_clusters, random_state=int(seed)) for seed in self._draw_seeds()
        ]
        return [given_labels(scaled, init, everyone, self._starts_scaled()) for init in given], False

    def _start_problem(self, problem: RowProblem) -> RowProblem:
        """The rows in the scale in which starts are chosen."""
        standardize = self._standardizing()[0]
        return problem.unscaled() if standardize and not self._starts_standardized() else problem

    def _drawn_starts(self, problem: RowProblem) -> Iterable[Labels]:
        """Labels of every start by k-means++ on a sparse matrix."""
        return seeded_starts(self._start_problem(problem), self._row_seeding())

    def _row_seeding(self) -> Seeding:
        """The starts that `init` and `n_init` ask for."""
        return Seeding(self._draw_seeds(), **self._seeding(self._start_power()))


def without_duplicates(X: Any) -> Any:
    """The matrix with each entry stored once; the matrix itself is never changed."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X

"""The fit of an estimator to any source of rows, and its starts.

Given starts are labels, row numbers or centres. Drawn starts run on all rows of an array or a sparse matrix.
Of rows that are not in memory a random sample is taken, on which the drawn starts run as on an array. The
sparse centres of the best one label all rows, and the fit goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state

from sparsek.core.column_scaling import SPARSE, ColumnScaling, ScaleChoice, choose_scale, column_scaling
from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import (
    SAMPLED_ROWS,
    Divisor,
    divides,
    refuse_divisors,
    warn_of_far_columns,
    warn_of_lost_structure,
)
from sparsek.core.steps import Array, FitResult, Labels
from sparsek.inputs.arguments import resolve_memory_limit
from sparsek.inputs.containers import holds_sparse, numbers
from sparsek.inputs.indices import aligned_features
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import check_data, is_dask, is_plain_array
from sparsek.methods.shared.base import best_of, criterion_rounding, logger
from sparsek.methods.shared.clusterer.blocks import BlockInput, is_reader
from sparsek.methods.shared.forced import SelectableFeatures
from sparsek.methods.shared.mixed import MixedInput
from sparsek.methods.shared.parameters import AUTO, is_auto
from sparsek.methods.shared.sizes import SAME_CLUSTERS, SizeChoice, choose_size
from sparsek.sources.protocol import Subspace
from sparsek.sources.sample import sample_rows
from sparsek.sources.source import (
    ArraySource,
    DensifiedSource,
    MatrixSource,
    RowProblem,
    Source,
    added,
    checked_moments,
)
from sparsek.starts.by_name import SEEDINGS
from sparsek.starts.given import given_start
from sparsek.starts.seeds import each_start, screened_columns, screened_labels

WHOLE_ENTRIES = 1_000_000
"""Larger arrays of whole numbers are looked at by a sample of their rows, as files are."""


class RowFits(SelectableFeatures, MixedInput, BlockInput):
    """Base of the estimators that fit any source of rows.

    A subclass implements the first four methods; one that standardises, or takes options that need a dense
    array, overrides others.
    """

    _takes_sparse = True
    _compares_sparse = False  # whether sparse rows are compared with centres without being made dense
    _path_parameter = ""  # the number of features or the bound, which "auto" chooses
    _raw_starts = False  # whether starts are chosen on columns that are only centred
    _path_draws_once = False  # whether all values of the path go on from the starts of the largest one
    _size_choice: SizeChoice | None = None
    _scale_choice: ScaleChoice | None = None
    _scale_power = 1.0  # of a chosen scale: less where weights follow the scale of the columns too
    standardize: Any

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        """Check or resolve the parameters that depend on the number of features and on the weights."""
        raise NotImplementedError

    def _run(self, problem: Any, starts: Iterable[Any], warm: bool = False) -> list[FitResult[Any]]:
        """The result of every start (`warm`: from the labels of another fit)."""
        raise NotImplementedError

    def _subspace_of(self, best: FitResult[Any]) -> tuple[Subspace, Array]:
        """Final distance of a start, and its centres there."""
        raise NotImplementedError

    def _store(self, problem: Any, results: list[FitResult[Any]], best: FitResult[Any]) -> None:
        """Set all attributes except `labels_` and those that `_best_start` sets."""
        raise NotImplementedError

    def _standardizing(self) -> tuple[Divisor, int]:
        """What columns are divided by, and the `ddof` of standard deviations."""
        return False, 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X and choose or weight its features.

        Parameters
        ----------
        X : array-like, sparse matrix, path, HDF5 dataset, Zarr array or Dask collection
            Data of shape (n_samples, n_features), finite but for what the class says of NaN; float32 stays
            float32, unless an array has a column so far from 0 that its mean needs double precision. Never
            changed, and a sparse matrix never made dense as a whole. The rows of a Dask array or data frame
            stay where they are, and so do their labels.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of repetitions of the rows, not negative; 0 leaves a row out, also of the standardisation.
            With `standardize` their sum must exceed the `ddof` by which it is lowered in a variance (0 for
            power k-means, else 1 unless given): multiply weights that add up to 1. None for a Dask
            collection.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        source = self._source(X, sample_weight)
        best = self._fit_rows(source)
        sizes = source.sizes(best.labels, self.n_clusters) if is_dask(X) else None
        self.labels_ = self._all_labels(X, source.collected(best.labels), source.kept, sizes)
        if self._finite == "allow-nan":
            self.rows_without_values_ = np.empty(0, np.intp)
            if is_dask(X) or self._n_missing != 0 or not source.kept.all():
                self._note_empty_rows(X, source)
        return self

    def _fit_rows(self, source: Any) -> FitResult[Any]:
        """The best start on the rows of a source; sets all attributes but `labels_`."""
        with thread_control().limit(limits=1):
            problem, seeds, choice = self._scaled(*self._looked_at(source))
            if self._chooses():
                seeds = self._draw_seeds() if seeds is None else seeds
                self._choose(choice or choose_size(self, problem, self._path_parameter, seeds))
            results = self._results(problem, seeds)
            larger = self._size_choice and self._size_choice.larger
            if larger is not None and not self._same_clusters(problem, results, larger):
                self._choose(larger)
                results = self._results(problem, seeds)
            best = self._best_start(results, problem.tss, source.dtype, source.sizes)
            self._store(problem, results, best)
        if self._scale_choice is not None and self._scale_choice.labels is not None:
            index = agreement(source, self._scale_choice.labels, best.labels)
            self._scale_choice = self._scale_choice.compared(index)
        if self.verbose:
            logger.info("the rows were read %d times", source.n_passes)
        return best

    def _chooses(self) -> bool:
        """Whether the number of features, or the bound, is chosen from the data."""
        value = getattr(self, self._path_parameter, None)
        return isinstance(value, str) and is_auto(value)

    def _scaled(self, source: Any, moments: Moments) -> tuple[Any, Array | None, SizeChoice | None]:
        """The rows in the scale that is given or chosen.

        Returns the seeds of the starts too if they were drawn, and the number of features, or the bound, if
        it was chosen in this scale.
        """
        self._size_choice = self._scale_choice = None
        self.__dict__.pop("selection_path_", None)
        problem = self._placed(source, moments)
        if not self._chooses_scale(source.shape[1]):
            return problem, None, None
        seeds, columns = self._draw_seeds(), self._candidates(source.shape[1])
        model = copy(self).set_params(**{self._path_parameter: AUTO})
        # The scale depends on how many features carry the clusters, so that their number is chosen first.
        choice = choose_size(model, problem, self._path_parameter, seeds)
        self._scale_choice = choose_scale(problem, choice, columns, self._scale_power)
        if self._scale_choice is None or self._scale_choice.alpha is None:
            return problem, seeds, choice
        return self._placed(source, moments), seeds, None

    def _choose(self, choice: SizeChoice) -> None:
        """Take the number of features, or the bound, that was chosen."""
        self._size_choice = choice
        self.selection_path_ = choice.to_frame()
        choice.warn_of_little()

    def _divisor(self) -> Divisor:
        """What the columns are divided by; their deviations, until another scale is chosen."""
        given = getattr(self, "standardize", False)
        if isinstance(given, bool | np.bool_):
            return bool(given)
        if is_auto(given):
            choice = self._scale_choice
            return not self._has_own_scale() and (True if choice is None else choice.divisor)
        if isinstance(given, ColumnScaling):
            return given.divisors
        if isinstance(given, str):
            return given
        names = getattr(self, "feature_names_in_", None)
        found = np.asarray(numbers(aligned_features(given, names, "standardize"), "standardize"))
        return found if found.dtype.kind == "c" else found.astype(np.float64)

    def _scales_columns(self) -> bool:
        return divides(self._divisor())

    def _found_scale(
        self, X: Array, weights: Array | None = None, **changed: Any
    ) -> ColumnScaling | bool | str:
        """The scale that "auto" chooses for an array with these parameters; True for deviations."""
        model = clone(self).set_params(**changed)  # without the scale of an earlier fit
        with thread_control().limit(limits=1):
            problem = model._problem(model._in_memory_source(X, weights))
        choice = model._scale_choice
        if choice is None or choice.alpha is None:
            return AUTO if model._has_own_scale() else True
        return column_scaling(problem.scaling, AUTO, choice)

    def _has_own_scale(self) -> bool:
        """Whether the method takes the data as they are."""
        return False

    def _chooses_scale(self, p: int) -> bool:
        """Whether the scale of the columns is chosen from the data.

        Where few features are asked for, the data are sparse, and the columns are standardised; those of
        categories, and of batches, have scales of their own.
        """
        plain = self._coding is None and getattr(self, "_batch_scaling", None) is None
        given = getattr(self, "standardize", False)
        asked = isinstance(given, str) and is_auto(given) and plain and not self._has_own_scale()
        return asked and self.n_clusters > 1 and (self._chooses() or self._wanted_part(p) > SPARSE)

    def _wanted_part(self, p: int) -> float:
        """Part of the features that the parameters ask for."""
        return 0.0

    def _gains_of(self, problem: Any, best: FitResult[Any]) -> Array | None:
        """What the clusters explain of each column, squared prepared units; None where noise has no law."""
        return None

    def _columns_of(self, best: FitResult[Any]) -> Array:
        """The columns that a result uses."""
        raise NotImplementedError

    def _results(self, problem: Any, seeds: Array | None) -> list[FitResult[Any]]:
        """The result of every start, and of the path where it is better."""
        results = self._run(problem, *self._starts(problem, seeds))
        return results + self._from_path(problem, results)

    def _same_clusters(self, problem: Any, results: list[FitResult[Any]], larger: SizeChoice) -> bool:
        """Whether the best clusters are those of a larger choice; also where that was made on a sample."""
        if larger.labels is None:
            return True
        best = best_of(results, criterion_rounding(problem.tss, problem.source.dtype))
        return agreement(problem.source, larger.labels, best.labels) >= SAME_CLUSTERS

    def _from_path(self, problem: Any, results: list[FitResult[Any]]) -> list[FitResult[Any]]:
        """The result from the partition of the path, where it is better than those of all starts."""
        choice = self._size_choice
        if choice is None or choice.labels is None:
            return []
        rounding = criterion_rounding(problem.tss, problem.source.dtype)
        (result,) = self._run(problem, [choice.labels], warm=True)
        # A difference within rounding is none: drawn starts come first.
        return [result] if result.criterion < best_of(results, rounding).criterion - rounding else []

    def _sized(self, value: float) -> Self:
        """A plain copy for the path, with this number of features or this bound."""
        raise NotImplementedError

    def _explained_by(self, problem: Any, result: FitResult[Any]) -> float:
        """What the clusters of a result explain, squared prepared units."""
        raise NotImplementedError

    def _source(self, X: Any, sample_weight: ArrayLike | None) -> Any:
        """The rows that `fit` reads."""
        numbers_alone = is_plain_array(X) and getattr(self, "categories", None) is None
        self._coding = None if numbers_alone else self._code(X)
        if self._coding is not None:
            return self._coded_source(X, sample_weight, self._coding)
        if is_dask(X):
            return self._dask_source(X, sample_weight)
        if self._takes_sparse and not is_plain_array(X) and holds_sparse(X):
            needs, wrong = "dense data, but X is sparse", self._not_plain(sparse=True)
            if isinstance(self.init, str) and self.init in SEEDINGS:
                wrong.append(("init", self.init, "k-means++"))
            self._refuse(wrong, needs, "convert X with '.toarray()'")
            given, weights, kept = self._validate_fit(X, sample_weight)
            matrix = without_duplicates(csr_array(given))
            if self._compares_sparse:
                return MatrixSource(matrix, weights, kept)
            return DensifiedSource(matrix, weights, kept, self._holes)
        if not (is_plain_array(X) and self._keeps_to_limit(X)):
            X = self._opened(X)
            if is_reader(X):
                return self._file_source(X, sample_weight)
        return self._array_source(X, sample_weight)

    def _keeps_to_limit(self, X: Any) -> bool:
        """Whether a fit to an array of numbers keeps to `memory_limit`."""
        floats = X.size * (4 if X.dtype == np.float32 else 8)
        return bool(self._copies * floats <= resolve_memory_limit(self.memory_limit))

    def _array_source(self, X: Any, sample_weight: ArrayLike | None) -> ArraySource:
        """The rows of an array or a table in memory; plain numbers are looked at when moments are found."""
        whole = is_plain_array(X) and X.ndim == 2 and X.size > 0 and not self._reads_first()
        if whole and (sample_weight is None or X.dtype.kind in "iub"):
            check_data(self, X, reset=True, skip_check_array=True)
            X = self._widened(X, reset=True)
        else:
            X, whole = self._read(X, reset=True), False
        return ArraySource(*self._weighted_rows(X, sample_weight), checked=not whole, holes=self._holes)

    def _reads_first(self) -> bool:
        """Whether entries are checked before anything else."""
        return False

    def _scales_rows(self) -> bool:
        """Whether rows are brought to one length, so that no entry of X hides those of other rows."""
        return False

    def _problem(self, source: Source) -> Any:
        """The rows in prepared coordinates, in the scale that is given or chosen."""
        return self._scaled(*self._looked_at(source))[0]

    def _looked_at(self, source: Source) -> tuple[Any, Moments]:
        """The rows that are compared, and their column statistics, after checks and warnings."""
        self._check_sizes(source.shape[1], source.weights)
        refuse_divisors(self._divisor(), source.shape[1])
        names = getattr(self, "feature_names_in_", None) if self._coding is None else self._coding.names
        moments = checked_moments(source, names)
        self._n_missing = None if source.holes else 0
        if isinstance(source, ArraySource):
            self._look_at(source, moments)
        elif not self._samples(source) and not self._scales_rows():
            ignored = self._ignored_columns(source.shape[1], names)
            warn_of_far_columns(*moments.ends(source.dtype), names, ignored)
        return self._in_scale(source, moments)

    def _placed(self, source: Any, moments: Moments) -> Any:
        """The same rows in prepared coordinates."""
        problem = self._in_coordinates(source, moments)
        places = self._candidates(source.shape[1])
        if len(places) == source.shape[1] or self._scales_rows():  # lengths of rows are of all columns
            return problem
        counted = np.zeros(source.shape[1], dtype=bool)
        counted[places] = True
        return replace(problem, counted=counted)

    def _in_scale(self, source: Any, moments: Moments) -> tuple[Any, Moments]:
        """The rows that are compared, and their column statistics: those given, without batches."""
        return source, moments

    def _in_coordinates(self, source: Any, moments: Moments) -> Any:
        """The same, from the column statistics."""
        return RowProblem.of(source, moments, self.n_clusters, *self._standardizing())

    def _look_at(self, source: ArraySource, moments: Moments) -> None:
        """Refuse entries that are not finite, unless NaN is allowed; warn of lost structure."""
        finite = np.isfinite(moments.top).all() and np.isfinite(moments.bottom).all()
        if not finite and not source.checked:
            self._read(source.array, reset=False)
        if source.holes or not finite:
            self._n_missing = int(np.isnan(source.array[:, self._firsts()]).sum())
        if self._scales_rows():
            return
        if source.array.dtype.kind in "iub" and source.array.size > WHOLE_ENTRIES:
            some = np.arange(0, source.shape[0], max(1, source.shape[0] // SAMPLED_ROWS))
            self._warn_of_lost_rows(source.take(some), moments.top, moments.bottom)
            return
        names = getattr(self, "feature_names_in_", None)
        coding = self._coding
        ignored = self._ignored_columns(source.shape[1] if coding is None else len(coding.columns), names)
        if coding is None:
            warn_of_lost_structure(
                source.dense(),
                names,
                source.kept,
                common_scale=self._compares_columns(),
                moments=None if source.weights is not None or source.holes else moments,
                ignored=ignored,
            )
            return
        plain = np.flatnonzero(~coding.is_level)
        if len(plain):
            own = None if ignored is None else ignored[coding.variable_of[plain]]
            warn_of_lost_structure(
                source.dense()[:, plain],
                coding.names[plain],
                source.kept,
                common_scale=self._compares_columns(),
                ignored=own,
            )

    def _starts(self, problem: Any, seeds: Array | None = None) -> tuple[Iterable[Any], bool]:
        """Labels of every start, and whether they come from a fit to a sample."""
        if self._samples(problem.source):
            some = self._sample(problem)
            best = best_of(
                self._run(some, *self._starts(some)), criterion_rounding(some.tss, some.source.dtype)
            )
            return [self._continued(problem, best)], True
        if isinstance(self.init, str) and self.init not in SEEDINGS:
            return self._drawn_starts(problem, self._draw_seeds() if seeds is None else seeds), False
        scaled = self._start_problem(problem)
        columns = self._candidates(problem.source.shape[1])
        return [as_labels(scaled, point, columns) for point in self._given_points(scaled, seeds)], False

    def _samples(self, source: Source) -> bool:
        """Whether starts are found on a sample of the rows."""
        return source.sample_entries is not None and (isinstance(self.init, str) or callable(self.init))

    def _sample(self, problem: RowProblem) -> RowProblem:
        """A random sample of the rows, as a problem of its own."""
        sample, weights = draw_sample(problem.source, self.n_clusters, self.random_state)
        self._warn_of_lost_rows(sample, problem.moments.top, problem.moments.bottom)
        every = np.ones(len(sample), dtype=bool)
        return problem.on(ArraySource(sample, weights, every, holes=problem.source.holes))

    def _continued(self, problem: RowProblem, best: FitResult[Any]) -> Any:
        """A start on all rows from the best one on a sample: the nearest of its centres."""
        return problem.nearest(*self._subspace_of(best))

    def _given_points(self, scaled: RowProblem, seeds: Array | None) -> list[Array]:
        """Labels (n,) or prepared centres of every start that is not drawn by k-means++."""
        source: Any = scaled.source
        everyone, everything = np.ones(source.shape[0], bool), np.arange(source.shape[0])
        if isinstance(self.init, str):
            Z = scaled.prepared(everything)
            Z = Z if self._lift is None else Z[:, self._candidates(Z.shape[1])]
            rows = SEEDINGS[self.init](Z.astype(np.float64), self.n_clusters)
            return [scaled.prepared(np.array(rows))]
        if not callable(self.init):
            return [self._given_point(scaled, self.init, source.kept)]
        matrix = getattr(source, "X", None)  # of a sparse one
        X = source.take(everything) if matrix is None else matrix
        seeds = self._draw_seeds() if seeds is None else seeds
        given = [self.init(X, self.n_clusters, random_state=int(seed)) for seed in seeds]
        return [self._given_point(scaled, init, everyone) for init in given]

    def _given_point(self, problem: RowProblem, init: Any, kept: Array) -> Array:
        """Labels (n,) of the rows, or prepared centres (n_clusters, p), as `init` gives them."""

        def scale(centers: Array) -> Array:
            centers = self._clipped(centers.astype(problem.source.dtype))
            return problem.scaling.apply(centers)[:, :-1]

        return given_start(init, kept, problem.n_clusters, problem.source.shape[1], problem.prepared, scale)

    def _clipped(self, X: Array) -> Array:
        """Rows, or centres in their units, within the limits that a fit sets, if it does."""
        return X

    def _inertia_over(self, source: Source) -> float:
        """`inertia_` of all rows."""
        light = copy(self)  # small enough to be sent with every task
        light.__dict__.pop("labels_", None)
        return float(source.over(partial(_inertia_of, light), added))

    def _start_problem(self, problem: RowProblem) -> RowProblem:
        """The rows in the scale in which starts are chosen."""
        return problem.unscaled() if self._raw_starts and divides(self._standardizing()[0]) else problem

    def _drawn_starts(self, problem: RowProblem, seeds: Array) -> Iterable[Labels]:
        """Labels of every start by k-means++."""
        rows, columns = self._start_problem(problem), self._candidates(problem.source.shape[1])
        return seeded_starts(rows, self._row_seeding(seeds), columns)

    def _row_seeding(self, seeds: Array) -> Seeding:
        """How `init` draws starts."""
        return Seeding(seeds, **self._seeding(2))


def agreement(source: Any, labels: Any, others: Any) -> float:
    """Adjusted Rand index of two partitions of all rows, in the form that the source has them."""
    return float(adjusted_rand_score(*(np.asarray(source.collected(one)) for one in (labels, others))))


def _inertia_of(model: RowFits, X: Array, labels: None, weights: Array | None) -> float:
    return model._inertia(X, weights)


def without_duplicates(X: Any) -> Any:
    """The matrix with each entry stored once; the matrix itself is never changed."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def as_labels(problem: RowProblem, point: Array, columns: Array) -> Any:
    """Labels (n,), or those of the nearest of prepared centres in some columns, in the form of the rows."""
    if point.ndim == 1:
        return problem.rows(point).labels
    some = point if len(columns) == point.shape[1] else point[:, columns]
    return problem.nearest(Subspace(columns), some)


def draw_sample(source: Source, n_clusters: int, random_state: Any) -> tuple[Array, Array | None]:
    """Rows drawn at random, ascending, and their weights."""
    assert source.sample_entries is not None  # asked by the caller
    generator = check_random_state(random_state)
    chosen = sample_rows(*source.shape, n_clusters, generator, source.sample_entries)
    return source.take(chosen), None if source.weights is None else source.weights[chosen]


@dataclass(frozen=True, slots=True)
class Seeding:
    """How k-means++ draws the starts."""

    seeds: Array  # (n_init,): seeds of the generators of the starts
    # Rows are drawn with probability proportional to distance ** power; 0 gives equal probabilities
    power: int
    n_trials: int  # Rows drawn for each seed, of which the best is taken


def seeded_starts(problem: RowProblem, seeding: Seeding, columns: Array) -> list[Labels]:
    """Drawn starts on some columns."""
    return [labels for labels, _ in _drawn(problem, seeding, columns)]


def drawn_rows(problem: RowProblem, seeding: Seeding) -> Array:
    """Numbers of the rows drawn on all columns, (n_starts, n_clusters)."""
    return np.array([rows for _, rows in _drawn(problem, seeding, np.arange(problem.source.shape[1]))])


def _drawn(problem: RowProblem, seeding: Seeding, columns: Array) -> list[tuple[Labels, Array]]:
    """Labels and drawn rows of the starts on some columns."""
    source: Any = problem.source
    clusters, seeds, weights, power, n_trials = _draws(problem, seeding)
    view = source.view(problem.scaling, columns)
    return each_start([view], clusters, seeds, weights, power, n_trials=n_trials)


def screened_starts(
    problem: RowProblem, seeding: Seeding, n_selected: int, candidates: Array
) -> list[Labels]:
    """Screened starts on some of the columns."""
    source: Any = problem.source
    if "order" not in problem.found:  # the columns, the least normal first
        distance = source.normality(problem.scaling, problem.column_total)
        problem.found["order"] = np.argsort(-distance, kind="stable")
    order = problem.found["order"]
    # The order of all columns is kept for other numbers of features; here only candidates count.
    order = order if len(candidates) == len(order) else order[np.isin(order, candidates)]
    if source.levels is None:
        columns = screened_columns(order, n_selected)
    else:  # levels have no distance from normality: they take part in every start
        levels = candidates[source.levels[candidates]]
        columns = [
            np.union1d(some, levels) for some in screened_columns(order[~source.levels[order]], n_selected)
        ]
    views = [source.view(problem.scaling, some) for some in columns[: len(seeding.seeds)]]
    return screened_labels(views, *_draws(problem, seeding))


def _draws(problem: RowProblem, seeding: Seeding) -> tuple[Any, ...]:
    """What starts are drawn with, beside the views, in the order of `screened_labels`."""
    return problem.n_clusters, seeding.seeds, problem.source.weights, seeding.power, seeding.n_trials

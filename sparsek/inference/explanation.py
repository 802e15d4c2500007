"""Which features tell given clusters apart: the ranking of SKFR at labels that come from anywhere."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from sparsek.core.steps import Array, ClusterSums, FitResult, Labels
from sparsek.errors import PrecisionWarning, ScaleWarning
from sparsek.inputs.arguments import JOBS, MOST_RUNS, SEED, Numbers, count, names, takes
from sparsek.inputs.containers import holds_sparse
from sparsek.inputs.indices import aligned
from sparsek.inputs.labels import as_series, factorized, in_order
from sparsek.inputs.validation import is_dask
from sparsek.methods.search.kinds import loaded
from sparsek.methods.search.stability import StabilitySelection
from sparsek.methods.shared.forced import placed
from sparsek.methods.shared.parameters import GIVEN_SCALE, Groups, Size
from sparsek.methods.skfr.algorithm import Selection
from sparsek.methods.skfr.estimator import SKFR
from sparsek.sources.files.opening import is_chunked
from sparsek.sources.protocol import Rows

NOISE = -1
"""The label of rows in no cluster, as scikit-learn and HDBSCAN give it."""
FIRST = 10
"""So many features are selected unless a number is given."""
RESAMPLES = 100
"""So many halves of the rows are ranked unless a number is given."""


@dataclass
class StayingRows:
    """Rows whose labels stay as they are: a start on them ends with its first ranking."""

    rows: Rows

    @property
    def labels(self) -> Any:
        """The labels."""
        return self.rows.labels

    def sums(self) -> ClusterSums:
        """Cluster sums of the labels."""
        return self.rows.sums()

    def assign(self, centers: Array, columns: Array) -> bool:
        """Move no row."""
        return False


class Explanation(SKFR):
    """What `explain` returns: a fit of `SKFR` whose clusters are given and stay as they are."""

    _facts: ClassVar[dict[str, str]] = {}
    _counts: ClassVar = {"Rows left out": "_left_out"}
    _feature_columns: ClassVar = {"frequency": "selection_frequencies_"}
    _codes: Labels
    classes_: NDArray[Any]  # (n_clusters,): the labels of the clusters
    # (n_features,): share of the halves that select the feature; these two are there with resampling only
    selection_frequencies_: Array
    stability_: Any  # The halves of the rows

    def fit(  # type: ignore[override]  # given clusters are explained without batches
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Rank the features at the clusters y: from 0 to ``n_clusters - 1``, -1 for rows to leave out."""
        if y is None:
            raise ValueError("the clusters are given as y, and y is None; call explain(X, labels)")
        self._codes = np.asarray(y, dtype=np.int32)
        return super().fit(X, sample_weight=sample_weight)

    def to_frame(self) -> pd.DataFrame:
        """All features, the first of the ranking on top."""
        return self.summary().features

    @property
    def restart_table_(self) -> pd.DataFrame:
        """Not there: clusters that are given have no starts."""
        raise AttributeError("the clusters were given, so that there are no starts")

    @property
    def _left_out(self) -> NDArray[np.bool_]:
        """Mask of the rows in no cluster."""
        return np.asarray(self.labels_) < 0

    def _source(self, X: Any, sample_weight: ArrayLike | None) -> Any:
        if is_dask(X) and (self._codes < 0).any():
            raise ValueError(
                f"{int((self._codes < 0).sum())} rows are noise, and a Dask collection cannot have rows left "
                "out; take them out of X and labels, or give noise=None, which makes them a cluster"
            )
        source = super()._source(X, sample_weight)
        self._check_length(len(source.kept))
        return source

    def _check_length(self, n: int) -> None:
        """Raise ValueError unless there is one label for each row."""
        if len(self._codes) != n:
            raise ValueError(
                f"labels must have one entry for each of the {n} rows of X; got {len(self._codes)}"
            )

    def _validate_weights(self, sample_weight: ArrayLike | None, X: Array) -> Array | None:  # type: ignore[override]
        """The weights, with 0 for rows in no cluster."""
        self._check_length(X.shape[0])
        inside = self._codes >= 0
        if sample_weight is None and not inside.all():
            sample_weight = inside
        weights = SKFR._validate_weights(sample_weight, X)
        return None if weights is None else weights * inside

    def _starts(self, problem: Any, seeds: Array | None = None) -> tuple[Iterable[Any], bool]:
        return [self._codes[problem.source.kept]], False

    def _run(self, problem: Any, starts: Iterable[Any], warm: bool = False) -> list[FitResult[Selection]]:
        staying = replace(problem, rows=lambda labels: StayingRows(problem.rows(labels)))
        sizes = self._sizes(problem.source.shape[1])
        return [staying.start(labels, sizes, keep_sums=True) for labels in starts]

    def _all_labels(self, X: ArrayLike, labels: Labels, kept: Array, sizes: Array | None = None) -> Labels:
        return self._codes

    def _note_empty_rows(self, X: Any, source: Any) -> None:
        """Say nothing: labels that are given come from elsewhere."""

    def _n_selected(self, p: int) -> int:
        return min(FIRST, self._units(p)[0]) if self.n_features_to_select is None else super()._n_selected(p)

    def _selected(self) -> NDArray[np.bool_]:
        gains: Array = self._gains()[0]
        if self._own_groups is not None:
            gains = self._own_groups.totals(gains)[self._own_groups.codes]
        return super()._selected() & (gains > 0)

    def _weighted(self, in_use: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.ones(in_use.shape if self.scope == "local" else in_use.shape[1:], dtype=bool)

    @staticmethod
    def _warn(message: str) -> None:
        """Say nothing: no step is taken that could fail to converge."""

    def _cautions(self) -> list[str]:
        notes = ["weight: share of the sum of squares of the feature that the clusters explain"]
        if self.n_features_to_select is None:
            taken, units = self._n_selected(self.n_features_in_), self._units(self.n_features_in_)[1]
            first = f"{taken}" if self._column_groups() is None else f"{taken} {units}"
            notes.append(f"n_features_to_select=None took the first {first}; it was not chosen from the data")
        if hasattr(self, "stability_"):
            notes.append(
                f"frequency: share of {self.stability_.n_resamples} random halves of the rows that select "
                "the feature. Labels stay, so it says how sure the ranking is, not how sure the clusters are"
            )
        return [*notes, NO_TESTS]


NO_TESTS = (
    "no p-values: clusters that were found in these data differ in them by construction, so F tests and t "
    "tests are not valid. sparsek.inference.test_features, test_thinned and FeatureFDR take the search for "
    "clusters into account. For labels made without these data f_classif of scikit-learn is valid"
)
"""What a summary says of tests."""


@takes(
    n_features_to_select=[*get_args(Size)[1:], None],
    groups=[*get_args(Groups)[1:], None],
    scope=[names("global", "local")],
    standardize=GIVEN_SCALE,
    n_resamples=[Numbers(0), count(2, MOST_RUNS), None],
    n_jobs=JOBS,
    random_state=SEED,
)
def explain(
    X: ArrayLike,
    labels: Any,
    n_features_to_select: int | float | None = None,
    *,
    groups: Any = None,
    scope: str = "global",
    standardize: Any = True,
    noise: Hashable = NOISE,
    sample_weight: ArrayLike | None = None,
    n_resamples: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Explanation:
    r"""Rank the features by what given clusters explain of them.

    With :math:`n_k` the sizes of the clusters and :math:`\mu_{kl}` their means of the standardised feature l,
    its gain and its share are

    .. math:: g_l = \sum_k n_k \mu_{kl}^2, \qquad g_l / \sum_i z_{il}^2.

    `SKFR` ranks by these gains. At the labels of its own fit, in the scale of this fit
    (``standardize=fit.scaling_``), they are the same in every bit. The clusters may come from anywhere: from
    HDBSCAN, from communities of a graph, from a clinician.

    Parameters
    ----------
    X : array-like, sparse matrix, path, HDF5 dataset, Zarr array or Dask collection
        Data of shape (n_samples, n_features), as `SKFR` takes them; NaN is a missing value, and counts for
        nothing in gains and shares. Never changed.
    labels : array-like of shape (n_samples,)
        The cluster of every row: numbers, texts, categories or other hashable objects. Where both are
        of pandas, rows are told by their index; see the page on pipelines.
    n_features_to_select : int, float or None, default=None
        How many features count as selected, for the plots, the summary and the resampling: an integer of at
        least 1 (above n_features: all of them, with a warning), or a fraction of the features in (0, 1]. None
        means the first 10. A feature without any gain is never selected.
    groups : array-like, mapping or None, default=None
        Groups of features, each selected or left out as a whole, as `SKFR` takes and ranks them; then
        `n_features_to_select` counts groups.
    scope : {"global", "local"}, default="global"
        Rank the features for all clusters together, or for each cluster, by :math:`n_k \mu_{kl}^2`.
    standardize : bool, "range" or array-like, default=True
        Divide the centred columns by their standard deviation, so that features are ranked by their shares.
        In any other scale, which `SKFR` describes, features with a large variance win. Nothing is chosen:
        shares do not depend on the scale, and the clusters are there.
    noise : hashable or None, default=-1
        The label of rows that are in no cluster, -1 for scikit-learn and HDBSCAN. They are left out of
        everything, also of the standardisation. None: every label is a cluster.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Numbers of repetitions of the rows, not negative; 0 leaves a row out. None for a Dask collection.
    n_resamples : int or None, default=None
        Number of random halves of the rows in which the features are ranked again, by `StabilitySelection`;
        0 for none. None means 100 where X is an array or a table in memory with at least two rows for each
        cluster, else 0. A file or a Dask collection is loaded for them.
    n_jobs : int or None, default=None
        Halves that are worked on at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the halves.

    Returns
    -------
    Explanation
        A fit that the plots take as one of `SKFR`, with its attributes and methods at these clusters. Its
        ``feature_weights_`` are the shares of all features, selected or not. ``labels_`` are numbers from 0
        in the order of ``classes_``, -1 for noise; ``classes_`` are the labels, categories in their order,
        others sorted (in the order of the rows where they cannot be sorted). ``to_frame()`` gives a table
        with a row for each feature, by rank: rank, feature, selected, weight (the share), gain, frequency.
        With resampling there are ``selection_frequencies_``, the share of the halves that select each
        feature, and ``stability_``, the fitted `StabilitySelection` for `sparsek.plots.plot_stability`.

    Raises
    ------
    ValueError
        For fewer than two clusters, missing labels, labels of another number or shape, halves of the rows
        that cannot be drawn, and what `SKFR.fit` refuses.
    TypeError
        For labels that are no sequence or not hashable, and an argument of the wrong type.

    Warns
    -----
    UserWarning
        `n_features_to_select` exceeds the number of features; all are selected.

    See Also
    --------
    SKFR : K-means on the s features that separate the clusters best.
    FeatureFDR : Select features that tell clusters apart, at a false discovery rate.
    sparsek.inference.test_features : Test two clusters in many features.
    sparsek.inference.test_thinned : Test clusters of one part of the data on another part.
    sparsek.plots.plot_weights : Draw the feature weights.

    Notes
    -----
    There are no p-values. Clusters that were found in X differ in X by construction, so that an F test or a t
    test between them is not valid, however the clusters were found. A valid test takes the search for
    clusters into account, and so needs the clusterer and not only its labels:
    `sparsek.inference.test_features` (given the clusters), `sparsek.inference.test_thinned` (clusters of one
    part of the information, tested on the other) and `FeatureFDR` (against sets without clusters), each under
    the assumptions that it names. For labels that were made without looking at X the F test is valid,
    scikit-learn's ``f_classif``. On complete data without weights it has the ranking of the shares.

    The halves keep the labels of their rows. So frequencies say how sure the ranking is for these clusters,
    not whether other data would give the clusters again. They have no bound on false selections, because
    features that do not matter are not exchangeable once clusters were found in them.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithms 1 and 2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import explain
    >>> wine = load_wine(as_frame=True)
    >>> found = explain(wine.data, wine.target_names[wine.target], 3)
    >>> found.classes_.tolist()
    ['class_0', 'class_1', 'class_2']
    >>> found.to_frame()[["feature", "weight", "frequency"]].head(4).round(2)
                            feature  weight  frequency
    0                    flavanoids    0.73       0.98
    1                       proline    0.70       0.95
    2  od280/od315_of_diluted_wines    0.68       0.94
    3                       alcohol    0.61       0.13
    """
    codes, classes = encoded(aligned(labels, X, "labels"), noise)
    drawn = _n_resamples(X, n_resamples, int((codes >= 0).sum()), len(classes))
    model = Explanation(
        len(classes),
        n_features_to_select,
        groups=groups,
        scope=scope,
        standardize=standardize,
        random_state=random_state,
    )
    model.fit(X, codes, sample_weight=sample_weight)
    model.classes_ = classes
    weights = model._fit_weights
    if weights is not None and len(np.unique(codes[weights > 0])) < 2:
        raise ValueError(
            "sample_weight leaves rows of fewer than two clusters; give those of two some weight"
        )
    if drawn:
        _resample(model, X, drawn, n_jobs)
    return model


def encoded(labels: Any, noise: Hashable) -> tuple[Labels, NDArray[Any]]:
    """Numbers of the clusters of the rows, -1 for noise, and the label of each cluster."""
    if not isinstance(noise, Hashable) or noise is pd.NA:  # which equals nothing, and differs from nothing
        raise TypeError(f"noise must be one label, or None; got {noise!r:.60}")
    series = as_series(labels, "labels", "fill them in, with the label of noise to leave these rows out")
    found, values = factorized(series, "labels")
    clusters = [i for i, value in enumerate(values) if noise is None or value != noise]
    if not isinstance(series.dtype, pd.CategoricalDtype):
        clusters = in_order(clusters, values)
    _require_two(len(clusters), len(values), noise)
    codes = np.full(len(values), -1, np.int32)
    codes[clusters] = np.arange(len(clusters), dtype=np.int32)
    classes = pd.Index([values[i] for i in clusters], tupleize_cols=False).to_numpy()
    return codes[found], classes


def _require_two(n_clusters: int, n_values: int, noise: Hashable) -> None:
    """Raise ValueError for fewer than two clusters."""
    if n_clusters < 2:
        left = f"; rows of noise={noise!r} are left out, and noise=None makes them a cluster"
        raise ValueError(
            f"labels must name at least 2 clusters, which features can tell apart; got {n_clusters}"
            f"{left if n_values > n_clusters else ''}"
        )


def _n_resamples(X: Any, wanted: int | None, n: int, n_clusters: int) -> int:
    """How many halves of the n rows are drawn; ValueError where these cannot be."""
    in_memory = not (is_dask(X) or holds_sparse(X) or isinstance(X, str | os.PathLike) or is_chunked(X))
    possible = n // 2 >= n_clusters
    if wanted is None:
        return RESAMPLES if possible and in_memory else 0
    if wanted and not possible:
        raise ValueError(
            f"n_resamples={wanted} draws halves of the rows, and a half of {n} labelled rows has fewer rows "
            f"than there are clusters ({n_clusters}); give n_resamples=0"
        )
    return wanted


def _resample(model: Explanation, X: Any, n_resamples: int, n_jobs: int | None) -> None:
    """Set how often random halves of the rows select each feature."""
    rows, weights = model.labels_ >= 0, model._fit_weights
    given = None if weights is None or (weights[rows] == 1).all() else weights[rows]
    places = placed(model, getattr(model, "feature_names_in_", None))
    copied = clone(model).set_params(**places) if places else model
    search = StabilitySelection(
        copied, n_resamples=n_resamples, random_state=model.random_state, n_jobs=n_jobs
    )
    data = search._read_rows(loaded(X, model))[rows]
    with warnings.catch_warnings():
        for known in (PrecisionWarning, ScaleWarning):  # the fit has told of these
            warnings.simplefilter("ignore", known)
        search.fit(data, model.labels_[rows], sample_weight=given)
    model.stability_, model.selection_frequencies_ = search, search.selection_frequencies_

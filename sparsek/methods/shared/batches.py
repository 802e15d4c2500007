"""Fits of rows from several batches or studies, whose columns are centred and scaled within each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from sparsek._docstrings import extends
from sparsek.core.column_scaling import ColumnScaling, column_scaling
from sparsek.core.exact_sums import Moments
from sparsek.core.steps import Array, Labels
from sparsek.errors import SelectionWarning, callers_level
from sparsek.inputs.indices import aligned
from sparsek.inputs.labels import as_series, factorized, in_order
from sparsek.inputs.mixed import Coding
from sparsek.inputs.validation import check_data, is_dask
from sparsek.methods.shared.base import NO_WEIGHTS, dense_pieces
from sparsek.methods.shared.fits import RowFits
from sparsek.sources.batches import BatchScaling, batch_scaling, require_batches, within_batches
from sparsek.sources.source import ArraySource

UNEVEN, CHANCE = 0.3, 0.001
"""A fit warns where Cramer's V of clusters and batches is at least the first and its p-value at most the
second."""


def warn_of_uneven(labels: Any, codes: Any) -> None:
    """Warn of clusters that are spread unevenly over the batches.

    What clusters differ in is then in part a difference of the means of batches, which are taken off.
    """
    table = np.zeros((int(labels.max(initial=0)) + 1, int(codes.max()) + 1))
    np.add.at(table, (labels[labels >= 0], codes[labels >= 0]), 1)
    table = table[np.ix_(table.sum(axis=1) > 0, table.sum(axis=0) > 0)]
    least = min(table.shape) - 1
    if not least:
        return
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    statistic = float(((table - expected) ** 2 / expected).sum())
    # Cramer's V is the root of chi-square divided by n and by the smaller number of categories less 1.
    association = np.sqrt(statistic / (n * least))
    if association < UNEVEN or chi2.sf(statistic, (table.shape[0] - 1) * (table.shape[1] - 1)) > CHANCE:
        return
    warnings.warn(
        f"the clusters are spread unevenly over the batches (Cramer's V {association:.2f}, at least "
        f"{UNEVEN:g}), so that means of batches hold a part of what the clusters differ in; look at a fit "
        "without batch too, or fit rows with like shares of the clusters in all batches",
        SelectionWarning,
        stacklevel=callers_level(),
    )


def batch_codes(batch: Any) -> tuple[Labels, list[Any]]:
    """The number of the batch of each row, and the names of the batches in order."""
    series = as_series(batch, "batch", "name the batch of every row, or leave these rows out")
    found, values = factorized(series, "batch")
    order = list(range(len(values)))
    if not isinstance(series.dtype, pd.CategoricalDtype):
        order = in_order(order, values)
    codes = np.empty(len(values), np.int32)
    codes[order] = np.arange(len(values), dtype=np.int32)
    return codes[found], [values[i] for i in order]


def labels_of_codes(codes: Labels, names: Sequence[Any] | NDArray[Any]) -> pd.Categorical:
    """The batch of each row, in the order that the batches have."""
    return pd.Categorical.from_codes(codes, pd.Index(names, tupleize_cols=False))


class BatchFits(RowFits):
    """Base of the estimators that take the batch of each row."""

    _batch_scaling: BatchScaling | None = None  # None where rows are compared as they are
    _batch_codes: Labels | None = None  # (n,): the batch of each row, while a fit runs
    _fitted_codes: Labels | None = None  # the same after the fit
    batches_: NDArray[Any]
    batch_means_: Array
    batch_scales_: Array
    batch_centers_: Array
    _batch_theta: Array | None = None  # (n_clusters, n_batches, m): centres of batches; None for common ones

    @extends(RowFits)
    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """
        batch : array-like of shape (n_samples,) or None
            Label of the batch, study or site of each row, a number or a text. Columns are centred, and with
            `standardize` scaled, within each batch before anything else (see Notes of the class). One batch
            alone changes nothing.
        """
        if batch is None:
            return super().fit(X, None, sample_weight)
        self._refuse_batches()
        self._batch_codes, names = batch_codes(batch)
        self.batches_ = pd.Index(names, tupleize_cols=False).to_numpy()
        try:
            super().fit(X, None, sample_weight)
        finally:
            self._fitted_codes, self._batch_codes = self._batch_codes, None
        if self._batch_scaling is not None:
            theta = self._whole_batch_centers()
            with np.errstate(over="ignore"):
                centers = theta * self.batch_scales_ + self.batch_means_
            most = np.finfo(centers.dtype).max  # rows of one batch can lead beyond it in the place of another
            self.batch_centers_ = np.clip(centers, -most, most)
            if self._coding is not None:
                self._coding.within_shares(self.batch_centers_)
            if isinstance(self.labels_, np.ndarray) and isinstance(self._fitted_codes, np.ndarray):
                warn_of_uneven(self.labels_, self._fitted_codes)
        return self

    def _whole_batch_centers(self) -> Array:
        """The centres of each batch in its coordinates, (n_clusters, n_batches or 1, n_features)."""
        found: Array = self.cluster_centers_[:, None]
        return found

    @extends(RowFits)
    def fit_predict(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> NDArray[np.int32]:
        """
        batch : array-like of shape (n_samples,) or None
            As of `fit`.
        """
        return self.fit(X, sample_weight=sample_weight, batch=batch).labels_

    @extends(RowFits)
    def predict(self, X: ArrayLike, batch: ArrayLike | None = None) -> NDArray[np.int32]:
        """
        batch : array-like of shape (n_samples,) or None
        """
        if batch is None and self._batch_scaling is None:
            return super().predict(X)
        if is_dask(X):
            lazy: NDArray[np.int32] = self._lazily_within(X, batch, "predict")
            return lazy
        found: NDArray[np.int32] = self._of_batches(X, batch, lambda model, data: model._predicted(data, X))
        return found

    @extends(RowFits)
    def transform(self, X: ArrayLike, batch: ArrayLike | None = None) -> Any:
        """
        batch : array-like of shape (n_samples,) or None
        """
        if batch is None and self._batch_scaling is None:
            return super().transform(X)
        if is_dask(X):
            return self._lazily_within(X, batch, "transform")
        return self._of_batches(X, batch, lambda model, data: model._transformed(data))

    @extends(RowFits)
    def score(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> float:
        """
        batch : array-like of shape (n_samples,) or None
        """
        if batch is None and self._batch_scaling is None:
            return super().score(X, y, sample_weight)
        if is_dask(X):
            if sample_weight is not None:
                raise ValueError(NO_WEIGHTS)
            return float(self._lazily_within(X, batch, "score").sum().compute())
        data, codes = self._new_in_batches(X, batch)
        if self._batch_theta is None:
            return self._scored(data, sample_weight)
        weights = self._validate_weights(sample_weight, data)
        found = [
            model._inertia(data[rows], None if weights is None else weights[rows])
            for rows, model in self._models(codes)
        ]
        return -float(sum(found))

    def within_batches(self, X: ArrayLike, batch: ArrayLike) -> Array:
        """Rows as the fit compares them: centred, and with `standardize` scaled, within their batches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        batch : array-like of shape (n_samples,)
            Label of the batch of each row, one of those of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows for the plots of the fit and for distances of one's own; those given, after a fit to one
            batch.
        """
        rows = self._new_in_batches(X, aligned(batch, X, "batch"))[0]
        return np.concatenate([piece for _, piece in dense_pieces(rows)])

    @property
    def scaling_(self) -> ColumnScaling:
        """What the columns were divided by, and why."""
        if not hasattr(self, "_scaling"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet; call fit first")
        model = self._as_fitted()
        return column_scaling(
            self._scaling, model._scales_columns() and model.standardize, self._scale_choice
        )

    @property
    def _fit_batch(self) -> Any:
        """The batch of each row of the fit; None without batches."""
        return None if self._fitted_codes is None else labels_of_codes(self._fitted_codes, self.batches_)

    def _refuse_batches(self) -> None:
        """Raise ValueError for options that do not go with batches."""

    def _coded_source(self, X: Any, sample_weight: ArrayLike | None, coding: Coding) -> ArraySource:
        source = super()._coded_source(X, sample_weight, coding)
        if self._batch_codes is not None and len(self.batches_) > 1:
            require_batches(self._batch_codes, len(source.kept))
            codes = self._batch_codes[source.kept]
            used, places = np.unique(codes, return_inverse=True)
            each = [coding.degrees(source.array[codes == code]) for code in used.tolist()]
            self._degrees = np.average(each, axis=0, weights=np.bincount(places, source.weights))
        return source

    def _in_scale(self, source: Any, moments: Moments) -> tuple[Any, Moments]:
        if self._batch_codes is None:
            return source, moments
        require_batches(self._batch_codes, len(source.kept))
        if len(self.batches_) == 1:
            return source, moments
        codes, ddof = self._batch_codes[source.kept], getattr(self, "ddof", 1)
        # A scale that was chosen for all rows says nothing of batches, which have scales of their own.
        divisor = isinstance(self.standardize, ColumnScaling) or self._divisor()
        scaling = batch_scaling(source, moments, codes, self.batches_.tolist(), divisor, ddof)
        self._batch_scaling = scaling
        self.batch_means_, self.batch_scales_ = scaling.means, scaling.scales
        found = within_batches(source, scaling, codes)
        return found, found.moments()

    def _models(self, codes: Labels) -> Iterator[tuple[NDArray[np.bool_], Self]]:
        """The rows of each batch, and the model with its centres."""
        assert self._batch_theta is not None  # asked by the callers
        for code in np.unique(codes).tolist():
            model = copy(self)
            model._centers = self._batch_theta[:, code]
            yield codes == code, model

    def _of_batches(self, X: Any, batch: Any, what: Callable[[Self, Any], Array]) -> Array:
        """What a method gives for new rows, compared with the centres of their batches."""
        data, codes = self._new_in_batches(X, batch)
        if self._batch_theta is None:
            return what(self, data)
        found: Any = None
        for rows, model in self._models(codes):
            part = what(model, data[rows])
            found = np.empty((len(data), *part.shape[1:]), part.dtype) if found is None else found
            found[rows] = part
        return np.asarray(found)

    def _new_in_batches(self, X: Any, batch: Any) -> tuple[Any, Labels]:
        """Checked rows, mapped as those of their batches in the fit, and the numbers of these."""
        check_is_fitted(self)
        codes = self._codes_of(batch)
        data = self._validate_new(X)
        require_batches(codes, data.shape[0])
        if self._batch_scaling is None:
            return data, codes
        found = self._batch_scaling.over(data, codes)
        if self._batch_theta is not None:
            found = np.concatenate([piece for _, piece in dense_pieces(found)])
        if isinstance(found, np.ndarray):
            RowFits._refuse_far_rows(self, found)
        return found, codes

    def _lazily_within(self, X: Any, batch: Any, what: str) -> Any:
        """``predict``, ``transform`` or ``score`` of the chunks of a Dask collection of known sizes."""
        from sparsek.sources.dask.source import header, lazily

        check_is_fitted(self)
        check_data(self, header(X), reset=False, skip_check_array=True)
        return lazily(self, X, what, self._codes_of(batch))

    def _called_within(self, what: str, X: Array, codes: Labels) -> Any:
        """What a method gives for rows of these batches."""
        return getattr(self, what)(X, batch=labels_of_codes(codes, self.batches_))

    def _codes_of(self, batch: Any) -> Labels:
        """The numbers of the batches of new rows in the fit."""
        if batch is None:
            if self._batch_codes is not None:  # rows of weight 0, while a fit runs
                return self._batch_codes
            raise ValueError(
                f"the model was fitted to {len(self.batches_)} batches, within which rows are centred before "
                "they are compared; give the batch of each row as batch"
            )
        codes, names = batch_codes(batch)
        if not hasattr(self, "batches_"):
            raise ValueError("the model was fitted without batch; leave batch out, or fit it with batch")
        known = {name: code for code, name in enumerate(self.batches_.tolist())}
        unknown = [name for name in names if name not in known]
        if unknown:
            shown = ", ".join(map(repr, list(known)[:5])) + (", ..." if len(known) > 5 else "")
            raise ValueError(
                f"batch {unknown[0]!r} was not in the fit, which has {shown}; its means and deviations are "
                "unknown: fit again with its rows"
            )
        return np.array([known[name] for name in names], np.int32)[codes]

    def _refuse_far_rows(self, X: Array, rows: Any = None) -> None:
        if self._batch_scaling is None:  # else they are looked at once they are centred
            super()._refuse_far_rows(X, rows)

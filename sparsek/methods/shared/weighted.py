"""Estimators whose rows can have weights."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array
from sparsek.inputs.weights import checked_weights
from sparsek.methods.shared.base import CentroidClusterer


class RepeatedRows(NamedTuple):
    """Rows of a fit that compares all pairs of them."""

    data: Array  # (m, p): rows of positive weight
    weights: Array | None  # (m,)
    given: Array | None  # (n,): the weights of all rows
    kept: NDArray[np.bool_]  # (n,): which rows have a positive weight


def repeated_rows(data: Array, sample_weight: ArrayLike | None, least: int) -> RepeatedRows:
    """Rows of positive weight; ValueError for fewer than `least`."""
    if sample_weight is None:
        return RepeatedRows(data, None, None, np.ones(len(data), dtype=bool))
    given = checked_weights(sample_weight, data)
    kept = given > 0
    if kept.sum() < least:
        raise ValueError(
            f"sample_weight is positive for {kept.sum()} rows, and at least {least} are needed; give more "
            "rows a positive weight"
        )
    return RepeatedRows(data[kept], given[kept], given, kept)


class WeightedClusterer(CentroidClusterer):
    """Base of the estimators for which a repeated row is the same as one row of larger weight."""

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions]

        Returns
        -------
        self
            The fitted estimator.
        """
        return self._fit(X, sample_weight)

    def fit_predict(
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """Fit to data and return the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, as `fit` takes them.
        y : None
        sample_weight : array-like of shape (n_samples,) or None

        Returns
        -------
        ndarray of shape (n_samples,), int32
            `labels_`.
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def score(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the sum of squared distances to the nearest centre: ``-inertia_`` on the training data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            [new rows]
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of repetitions of the rows. None for a Dask collection.

        Returns
        -------
        float
            Larger is better.
        """
        return self._score(X, sample_weight)

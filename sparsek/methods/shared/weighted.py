"""Estimators whose rows can have weights."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.methods.shared.base import CentroidClusterer


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

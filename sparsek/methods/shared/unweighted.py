"""Estimators without sample weights."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.methods.shared.base import CentroidClusterer


class UnweightedClusterer(CentroidClusterer):
    """Base of the estimators for which a repeated row is not the same as one row of larger weight.

    A subclass implements `fit` without `sample_weight`.
    """

    # mypy demands the signature of the base class; this class leaves sample_weight out on purpose.
    def fit(self, X: ArrayLike, y: object = None) -> Self:  # type: ignore[override]  # see above
        """Fit to data."""
        raise NotImplementedError

    def fit_predict(self, X: ArrayLike, y: object = None) -> NDArray[np.int32]:  # type: ignore[override]  # see above
        """Fit to data and return the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None

        Returns
        -------
        ndarray of shape (n_samples,), int32
            `labels_`.
        """
        return self.fit(X).labels_

    def score(self, X: ArrayLike, y: object = None) -> float:  # type: ignore[override]  # see above
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
        return super().score(X)

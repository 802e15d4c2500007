"""Clusters of new rows by the votes of fits to resamples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sparsek.core.steps import Array
from sparsek.core.tasks import last_step
from sparsek.inputs.threads import thread_control
from sparsek.methods.search.row_arguments import of_new_rows
from sparsek.methods.shared.soft import SoftClusters, most_probable


def _predicts(search: Any) -> bool:
    """Whether there are, or will be, fits that predict; AttributeError says what is missing."""
    if not search.keep_fits:
        raise AttributeError(
            "FitUncertainty predicts by the fits to the resamples, which it keeps with keep_fits=True"
        )
    if not hasattr(search.estimator, "predict"):
        raise AttributeError(f"{type(last_step(search.estimator)).__name__} has no predict for new rows")
    return True


class VotedClusters(SoftClusters):
    """Predicts by the fits that it keeps, whose clusters are matched with those of the fit to all rows."""

    keep_fits: bool
    membership_: Array
    estimators_: list[Any]
    _matches: NDArray[np.intp]

    def _read(self, X: ArrayLike, reset: bool) -> Any:
        """Checked rows."""
        raise NotImplementedError

    @available_if(_predicts)
    def predict_proba(self, X: ArrayLike, batch: ArrayLike | None = None) -> Array:
        """Shares of the resamples whose fits put the rows into each cluster, for rows of any data.

        Rows of the training data get the votes of all resamples, and not only, as in `membership_`, of those
        that contain them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        batch : array-like of shape (n_samples,) or None
            [batch of new rows]

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Rows sum to 1: resamples whose fits see an outlier, or a cluster that the fit to X has not, do not
            count. A row without any vote has the same share for every cluster.

        Raises
        ------
        ValueError
            X is not what `fit` takes, or a row is so far from the rows of a resample that squares overflow.
        """
        check_is_fitted(self)
        data = self._read(X, reset=False)
        k = self.membership_.shape[1]
        votes = np.zeros((data.shape[0], k))
        with thread_control().limit(limits=1):
            for fit, match in zip(self.estimators_, self._matches, strict=True):
                labels = fit.predict(data, **of_new_rows(batch))
                rows = np.flatnonzero((labels >= 0) & (labels < len(match)))
                cluster = match[labels[rows]]
                votes[rows[cluster < k], cluster[cluster < k]] += 1
        # A row that no fit puts into a cluster could be in any.
        votes[votes.sum(axis=1) == 0] = 1
        shares: Array = votes / votes.sum(axis=1, keepdims=True)
        return shares

    @available_if(_predicts)
    def predict(self, X: ArrayLike, batch: ArrayLike | None = None) -> NDArray[np.int32]:
        """Most probable cluster of each row; ties go to the lowest label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        batch : array-like of shape (n_samples,) or None
            [batch of new rows]

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Labels from 0.
        """
        return most_probable(self.predict_proba(X, batch))

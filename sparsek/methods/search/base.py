"""Base of the searches: methods that are passed on to the best estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils._set_output import _safe_set_output
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sparsek.methods.search.tasks import last_step
from sparsek.summary import SummaryMixin


def _best_has(method: str) -> Callable[[ClusterSearch], bool]:
    """Check that the best estimator (before `fit`: the estimator) has a method; else AttributeError."""

    def check(self: ClusterSearch) -> bool:
        if not self.refit:
            raise AttributeError(f"{method} needs the best estimator; fit with refit=True")
        estimator = getattr(self, "best_estimator_", self.estimator)
        getattr(last_step(estimator) if method == "get_support" else estimator, method)
        return True

    return check


class ClusterSearch(SummaryMixin, MetaEstimatorMixin, ClusterMixin, BaseEstimator):
    """Base of a search over an estimator's parameters; `best_estimator_` predicts and transforms.

    A subclass has the parameters ``estimator`` and ``refit``; its `fit` sets `best_estimator_` if ``refit``.
    """

    estimator: Any
    refit: bool
    best_estimator_: Any

    @property
    def labels_(self) -> NDArray[Any]:
        """Labels of `best_estimator_`."""
        return last_step(self.best_estimator_).labels_

    @available_if(_best_has("predict"))
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Clusters of new rows, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from 0.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(_best_has("transform"))
    def transform(self, X: ArrayLike) -> Any:
        """Distances of new rows to the cluster centres, by `best_estimator_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances, as `best_estimator_` defines them.
        """
        check_is_fitted(self)
        return self.best_estimator_.transform(X)

    @available_if(_best_has("transform"))
    def fit_transform(self, X: ArrayLike, y: object = None) -> Any:
        """Fit to the data and transform them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            As `transform` gives.
        """
        return self.fit(X).transform(X)

    @available_if(_best_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str or None
            Passed on to `best_estimator_`.

        Returns
        -------
        ndarray of str
            Names.
        """
        check_is_fitted(self)
        return self.best_estimator_.get_feature_names_out(input_features)

    @available_if(_best_has("get_support"))
    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Features that `best_estimator_` uses.

        Parameters
        ----------
        indices : bool, default=False
            Return sorted integer indices instead of a mask.

        Returns
        -------
        ndarray of shape (n_features,), bool, or of shape (n_selected,), int
            Mask or indices.
        """
        check_is_fitted(self)
        return last_step(self.best_estimator_).get_support(indices)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container that `transform` gives, as in scikit-learn's transformers.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None
            The container; None changes nothing.

        Returns
        -------
        ClusterSearch
            This object.
        """
        for estimator in (self.estimator, getattr(self, "best_estimator_", None)):
            if estimator is not None:
                _safe_set_output(estimator, transform=transform)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.transformer_tags = inner.transformer_tags if self.refit else None
        return tags

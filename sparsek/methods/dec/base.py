"""Methods of a fitted deep embedded clustering: embed and assign new rows, save and load."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsek.methods.dec.algorithm import encode_all, soft_assignment
from sparsek.methods.dec.autoencoder import Layers
from sparsek.methods.dec.files import as_tuples, read_archive, write_archive
from sparsek.methods.shared.base import require_array
from sparsek.methods.shared.sums import Array
from sparsek.numerics.threads import thread_control
from sparsek.summary import SummaryMixin

FITTED = (
    "labels_",
    "embedding_",
    "cluster_centers_",
    "probabilities_",
    "initial_labels_",
    "initial_embedding_",
    "reconstruction_error_",
    "start_errors_",
    "epoch_losses_",
    "history_",
    "objective_",
    "n_iter_",
    "coefs_",
    "intercepts_",
    "scale_",
    "n_features_in_",
)
"""Attributes that `save` writes, besides the parameters and the names of the features."""
LARGEST = 1e150
"""Embeddings with larger entries are refused, because their squares overflow."""


class EmbeddingClusterer(
    SummaryMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Base of DEC, which adds the parameters and `fit`."""

    alpha: float
    blas_threads: int | None
    random_state: Any
    checkpoint: str | os.PathLike[str] | None
    cluster_centers_: Array
    coefs_: list[Array]
    intercepts_: list[Array]
    scale_: float

    def _gains(self) -> None:
        """The summary has no gains of features, because the centres lie in the embedding."""

    def transform(self, X: ArrayLike) -> Any:
        """Embedding of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The rows z, dimensionless, in the type of X.
        """
        return self._embed(X)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Soft assignments of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            q; rows sum to 1.
        """
        Z = self._embed(X)
        return soft_assignment(Z, self.cluster_centers_, self.alpha).astype(Z.dtype, copy=False)

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Most probable cluster of each row; ties go to the lowest label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Labels from 0.
        """
        Z = self._embed(X)
        return soft_assignment(Z, self.cluster_centers_, self.alpha).argmax(axis=1).astype(np.int32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, as arrays and JSON, without pickle.

        Parameters
        ----------
        path : path-like
            File to write, usually ending in ".npz"; replaced if it exists. A `random_state` that is not an
            integer becomes None.
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        if not isinstance(self.random_state, Integral):
            parameters["random_state"] = None
        if self.checkpoint is not None:
            parameters["checkpoint"] = os.fspath(self.checkpoint)
        fitted = {name: getattr(self, name) for name in FITTED}
        names = list(getattr(self, "feature_names_in_", [])) or None
        write_archive(path, "model", {"parameters": parameters, "fitted": fitted, "feature_names": names})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` wrote.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        DEC
            The fitted estimator.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        ValueError
            It is not a saved model.
        """
        values = read_archive(path, "model")
        model = cls(**{name: as_tuples(value) for name, value in values["parameters"].items()})
        for name, value in values["fitted"].items():
            setattr(model, name, value)
        if values["feature_names"] is not None:
            model.feature_names_in_ = np.array(values["feature_names"], dtype=object)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.cluster_centers_.shape[1]

    def _validate(self, X: ArrayLike, reset: bool) -> Array:
        require_array(X)
        return validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], order="C")

    def _embed(self, X: ArrayLike) -> Array:
        """Embedding of checked rows."""
        check_is_fitted(self)
        data = self._validate(X, reset=False)
        layers: Layers = [
            (weights.astype(data.dtype, copy=False), bias.astype(data.dtype, copy=False))
            for weights, bias in zip(self.coefs_, self.intercepts_, strict=True)
        ]
        with thread_control().limit(limits=self.blas_threads), np.errstate(all="ignore"):
            Z = encode_all(layers, data / self.scale_)
        if not float(np.abs(Z).max()) < LARGEST:  # also refuses NaN
            raise ValueError(
                f"the embedding of X exceeds {LARGEST}; X must be in the units of the training data"
            )
        return Z

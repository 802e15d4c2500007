"""What a fitted mixture tells: clusters of new rows, densities, drawn rows, and a summary."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.scaling import far_columns
from sparsek.core.steps import Array
from sparsek.inputs.arguments import check_arguments, count
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import check_data, require_array
from sparsek.inputs.weights import checked_weights
from sparsek.methods.factor_mixture.algorithm import MixturePosterior
from sparsek.methods.factor_mixture.fitted import FittedMixture, factor_notes, family_notes
from sparsek.methods.shared.batches import batch_codes
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.selection import SelectedFeatures
from sparsek.methods.shared.soft import SoftClusters, led_by
from sparsek.sources.batches import require_batches
from sparsek.summary.estimators import FitSummaryMixin
from sparsek.summary.features import names_of_features

WORDS = {
    "factors": "common factors and noise",
    "tied": "one full matrix that the clusters share",
    "full": "a full matrix of each cluster's own",
}
"""The covariances in words."""


class MixtureClusterer(
    SelectedFeatures,
    NumberedClusters,
    SoftClusters,
    FitSummaryMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    Estimator,
):
    """Base of mixtures of normal clusters: all but the fit."""

    _facts: ClassVar = {"BIC": "bic_", "Factors": "n_factors_", "Iterations": "n_iter_"}
    _cluster_columns: ClassVar = {"proportion": "weights_"}
    _by_cluster: ClassVar = ("cluster_centers_", "weights_")
    _texts: ClassVar = {
        "X": "Data in the units of the training data, NaN where missing.",
    }
    _mixture: FittedMixture
    _support: NDArray[np.bool_]
    _fit_weights: Array | None = None
    _n_missing: int = 0
    _wide = False  # whether single precision cannot centre a column of the fit
    batches_: NDArray[Any]
    batch_centers_: Array
    cluster_centers_: Array
    feature_gains_: Array
    candidates_: pd.DataFrame

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit_predict(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> NDArray[np.int32]:
        """Fit to data and return the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, as `fit` takes them.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
        batch : array-like of shape (n_samples,) or None
            As of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            `labels_`.
        """
        found: NDArray[np.int32] = self.fit(X, sample_weight=sample_weight, batch=batch).labels_
        return found

    def predict(self, X: ArrayLike, batch: ArrayLike | None = None) -> NDArray[np.int32]:
        """Most probable cluster of each row; ties go as in `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Labels from 0.
        """
        _, posterior = self._of_new(X, batch)
        found: NDArray[np.int32] = self._numbered(posterior.memberships.argmax(axis=1).astype(np.int32))
        return found

    def predict_proba(self, X: ArrayLike, batch: ArrayLike | None = None) -> Array:
        """Posterior probabilities of the clusters for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Rows sum to 1, and the largest entry of a row is that of the cluster that `predict` gives.
        """
        data, posterior = self._of_new(X, batch)
        labels = self._numbered(posterior.memberships.argmax(axis=1).astype(np.int32))
        return led_by(self._columns_numbered(posterior.memberships), labels, data.dtype)

    def transform(self, X: ArrayLike, batch: ArrayLike | None = None) -> Array:
        """Mahalanobis distances to the cluster centres, under the covariance within the cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Dimensionless, over the observed columns of a row.
        """
        check_is_fitted(self)
        data = self._read(X, reset=False)
        codes = self._codes_of_new(batch, len(data))
        with thread_control().limit(limits=1):
            found = self._mixture.distances(data.astype(float), codes)
        return self._columns_numbered(found).astype(data.dtype)

    def score_samples(self, X: ArrayLike, batch: ArrayLike | None = None) -> Array:
        """Log densities of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        ndarray of shape (n_samples,)
            Nats, of densities in units of X over the columns that vary in `fit`.
        """
        return self._of_new(X, batch)[1].log_density

    def score(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> float:
        """Mean log density of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of copies of the rows.
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        float
            Nats a row; the larger the better.
        """
        data, posterior = self._of_new(X, batch)
        weights = None if sample_weight is None else checked_weights(sample_weight, data)
        return float(np.average(posterior.log_density, weights=weights))

    def bic(
        self, X: ArrayLike, sample_weight: ArrayLike | None = None, batch: ArrayLike | None = None
    ) -> float:
        """BIC of rows: minus twice their log likelihood, and the price of the parameters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of copies of the rows.
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        float
            The less the better; `bic_` for the rows of the fit.
        """
        data, posterior = self._of_new(X, batch)
        weights = None if sample_weight is None else checked_weights(sample_weight, data).astype(float)
        codes = self._codes_of_new(batch, len(data))
        return self._mixture.bic(self._mixture.rows_of(data.astype(float), codes, weights), posterior)

    def sample(
        self, n_samples: int = 1, random_state: Any = None, batch: ArrayLike | None = None
    ) -> tuple[Array, NDArray[np.int32]]:
        """Draw rows of the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState instance or None, default=None
            Seed of the rows.
        batch : array-like of shape (n_samples,) or None
            The batch of each row.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows in units of the training data, not clipped.
        labels : ndarray of shape (n_samples,), int32
            Their clusters.
        """
        check_is_fitted(self)
        check_arguments("sample", {"n_samples": [count()]}, n_samples=n_samples)
        codes = self._codes_of_new(batch, n_samples)
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        X, clusters = self._mixture.draw(n_samples, codes, rng)
        return X, self._numbered(clusters.astype(np.int32))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def _selected(self) -> NDArray[np.bool_]:
        return self._support

    def _attributes_by_cluster(self) -> tuple[str, ...]:
        return (*self._by_cluster, "batch_centers_") if hasattr(self, "batch_centers_") else self._by_cluster

    def _read(self, X: Any, reset: bool) -> Array:
        """Data as numbers, NaN where missing."""
        options: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C"}
        found: Array = check_data(
            self, require_array(X, holes=True), reset=reset, ensure_all_finite="allow-nan", **options
        )
        if found.dtype == np.float32:
            if reset:
                self._wide = bool(far_columns(np.fmax.reduce(found), np.fmin.reduce(found)).any())
            found = found.astype(np.float64) if self._wide else found
        return found

    def _of_new(self, X: ArrayLike, batch: Any) -> tuple[Array, MixturePosterior]:
        """Checked rows, and what the model says of them."""
        check_is_fitted(self)
        data = self._read(X, reset=False)
        codes = self._codes_of_new(batch, len(data))
        with thread_control().limit(limits=1):
            return data, self._mixture.posterior(data.astype(float), codes)

    def _codes_of_fit(self, batch: Any, n: int) -> NDArray[np.intp]:
        """The number of the batch of each row of a fit; keeps the names."""
        if batch is None:
            return np.zeros(n, np.intp)
        codes, found = batch_codes(batch)
        require_batches(codes, n)
        self.batches_ = pd.Index(found, tupleize_cols=False).to_numpy()
        return codes.astype(np.intp)

    def _codes_of_new(self, batch: Any, n: int) -> NDArray[np.intp]:
        """The numbers of the batches of new rows in the fit."""
        known = {name: code for code, name in enumerate(getattr(self, "batches_", np.zeros(0)).tolist())}
        if batch is None:
            if len(known) > 1:
                raise ValueError(
                    f"the model was fitted to {len(known)} batches, by which columns are shifted; give "
                    "the batch of each row as batch"
                )
            return np.zeros(n, np.intp)
        if not known:
            raise ValueError("the model was fitted without batch; leave batch out, or fit it with batch")
        codes, found = batch_codes(batch)
        require_batches(codes, n)
        unknown = [name for name in found if name not in known]
        if unknown:
            raise ValueError(
                f"batch {unknown[0]!r} was not in the fit, which has "
                f"{', '.join(map(repr, list(known)[:5]))}; its shift is unknown: fit again with its rows"
            )
        return np.array([known[name] for name in found], np.intp)[codes]

    def _gains(self) -> Any:
        return self.feature_gains_, "gain: likelihood ratio statistic of the clusters in the column"

    def _cautions(self) -> list[str]:
        mixture = self._mixture
        own = [f"covariance within clusters: {WORDS[self.covariance_]}"]
        own += factor_notes(mixture.canonical_loadings(), names_of_features(self), mixture.scale.used)
        if self._n_missing or mixture.shares.size > 1:
            own.append("only common factors were tried: full covariances need complete rows without batches")
        return [*own, *family_notes(self.candidates_), *super()._cautions()]

"""Access to a fitted estimator: a clusterer of sparsek or scikit-learn, a search or a pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sparsek.plots._figure import FloatArray, check_matrix
from sparsek.summary.facts import names_of_clusters


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted clusterer with the facts that the plots need (p features, k clusters)."""

    model: Any  # The clusterer itself
    before: Pipeline | None  # Steps of the pipeline before the clusterer
    names: list[str]  # Names of the features
    support: NDArray[np.bool_]  # (p,) bool: features in use
    weights: FloatArray | None  # (p,) or (k, p): their weights
    # (p,) int: features: those in use first, then by weight and by the part that the clusters explain
    order: NDArray[np.intp]

    @property
    def title(self) -> str:
        """Name of the class."""
        return type(self.model).__name__

    @property
    def shown(self) -> NDArray[np.intp]:
        """Features in use, the most important first."""
        return self.order[: int(self.support.sum())]

    def by_column(self) -> Fitted:
        """The same with the columns of `data`: numbers, and an indicator for each level of a category."""
        coding = getattr(self.model, "_coding", None)
        if coding is None:
            return self
        order = np.concatenate([coding.columns[j] for j in self.order])
        names = [str(name) for name in coding.names]
        return replace(self, names=names, support=self.support[coding.variable_of], order=order)

    def clusters(self, count: int) -> list[str]:
        """What so many clusters are called."""
        return [str(name) for name in names_of_clusters(self.model, count)]

    def labels(self) -> NDArray[np.intp]:
        """Clusters of the rows."""
        if not hasattr(self.model, "labels_"):
            raise ValueError(f"{self.title} has no labels_: it is not a clusterer")
        return np.asarray(self.model.labels_).astype(np.intp)

    @property
    def standardised(self) -> bool:
        """Whether the fit compares columns in their standard deviations."""
        scaling = getattr(self.model, "scaling_", None)
        if scaling is not None:
            return bool(scaling.method == "standardized")
        return bool(getattr(self.model, "standardize", False))

    def data(self, X: ArrayLike) -> FloatArray:
        """The rows of the fit after the steps before the clusterer, NaN where missing.

        Of categories the indicators of the levels: see `by_column`. Rows of batches come within these.
        """
        given = X if self.before is None else self.before.transform(X)
        coding = getattr(self.model, "_coding", None)
        if coding is None or len(getattr(self.model, "batches_", ())) > 1:
            rows = check_matrix("X", given)
        else:
            rows = check_matrix("X", coding.expand(np.asarray(coding.table(given))))
        n, p = len(self.labels()), len(self.names if coding is None else coding.names)
        if rows.shape != (n, p):
            raise ValueError(
                f"X must be the data of the fit, {n} rows and {p} columns; got shape {rows.shape}"
            )
        return rows


def fitted(model: Any) -> Fitted:
    """The clusterer in a fitted estimator, search or pipeline, with facts about its features."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise TypeError(f"a fitted estimator is needed; got {model!r}")
    check_is_fitted(model)
    names = getattr(model, "feature_names_in_", None)
    if hasattr(model, "estimator") and not hasattr(model, "labels_"):
        remedy = "; fit it with refit=True" if hasattr(model, "refit") else ""
        raise ValueError(f"{type(model).__name__} holds no fitted clusterer{remedy}")
    model = getattr(model, "best_estimator_", model)
    before = None
    if isinstance(model, Pipeline):
        before, model = (model[:-1] if len(model) > 1 else None), model[-1]
        check_is_fitted(model)
    p = int(model.n_features_in_)
    if before is not None:
        names = _names_after(before)
    names = getattr(model, "feature_names_in_", names)
    if names is None or len(names) != p:
        names = [f"x{j}" for j in range(p)]
    support = np.ones(p, dtype=bool)
    if hasattr(model, "get_support"):
        support = np.asarray(model.get_support())
    weights = weights_of(model)
    return Fitted(
        model, before, [str(name) for name in names], support, weights, _order(model, support, weights)
    )


def _names_after(before: Pipeline) -> Any:
    """Names of the features after the steps, or None if the steps do not give names."""
    try:
        return before.get_feature_names_out()
    except (AttributeError, ValueError):  # a step gives no names, or was fitted without names
        return None


def weights_of(model: Any) -> FloatArray | None:
    """Feature weights of shape (p,) or (k, p), or None."""
    found = (
        model._weights_by_cluster()
        if hasattr(model, "_weights_by_cluster")
        else getattr(model, "feature_weights_", None)
    )
    return None if found is None else np.asarray(found, dtype=np.float64)


def gains_of(model: Any) -> FloatArray | None:
    """Part of each feature explained by the clusters, in the unit of the estimator's summary, or None."""
    found = model._gains() if hasattr(model, "_gains") else None
    return None if found is None else np.asarray(found[0], dtype=np.float64)


def centers_of(model: Any) -> FloatArray | None:
    """Cluster centres in the units of the data; None if there are none, or only in an embedding."""
    embedded = hasattr(model, "_gains") and model._gains() is None
    if embedded or not hasattr(model, "cluster_centers_"):
        return None
    return np.asarray(model.cluster_centers_, dtype=np.float64)


def _order(model: Any, support: NDArray[np.bool_], weights: FloatArray | None) -> NDArray[np.intp]:
    """Order of the features: in use first, then by weight, score and gain, largest first."""
    zero = np.zeros(len(support))
    by_weight = zero if weights is None else weights.max(axis=0) if weights.ndim == 2 else weights
    scores = np.asarray(getattr(model, "scores_adjusted_", zero), dtype=np.float64)
    gains = gains_of(model)
    return np.lexsort((zero if gains is None else -gains, -scores, -by_weight, ~support))


def distances(source: Fitted, X: ArrayLike) -> FloatArray:
    """Distances of the rows of the fit in the metric of the clusterer, shape (n, n).

    A clusterer with dissimilarities, an embedding or a kernel gives distances by these. For others distances
    are Euclidean over the features in use, standardised and weighted as by the clusterer if that is the same
    for all clusters. Missing entries are left out and the rest scaled up, as by scikit-learn; NaN where two
    rows have no observed feature in common.
    """
    model, rows = source.model, source.data(X)
    if hasattr(model, "dissimilarity_matrix_"):
        return _of_all(np.array(model.dissimilarity_matrix_, dtype=np.float64), rows, "by dissimilarities")
    if hasattr(model, "embedding_"):
        embedded: FloatArray = pairwise_distances(np.asarray(model.embedding_, dtype=np.float64))
        return embedded
    if hasattr(model, "_cross") and getattr(model, "_model", None) is not None:
        return _in_kernel_space(model, rows)
    Z = _metric_rows(source, rows)
    found: FloatArray = nan_euclidean_distances(Z) if np.isnan(Z).any() else pairwise_distances(Z)
    return found


def _of_all(matrix: FloatArray, rows: FloatArray, kind: str) -> FloatArray:
    """A matrix of the pairs of rows; ValueError if some have no weight, and so no place in it."""
    if matrix.shape != (len(rows), len(rows)):
        raise ValueError(f"distances {kind} need a fit in which every row has weight")
    return matrix


def _in_kernel_space(model: Any, rows: FloatArray) -> FloatArray:
    """Distances in the feature space of the clusterer's kernel."""
    K = _of_all(np.asarray(model._cross(rows)[0], dtype=np.float64), rows, "in the space of a kernel")
    own = K.diagonal()
    found = np.sqrt(np.maximum(own[:, None] + own - K - K.T, 0))
    np.fill_diagonal(found, 0)
    return found


def _metric_rows(source: Fitted, rows: FloatArray) -> FloatArray:
    """Coordinates in which the clusterer's distance is Euclidean, or the unchanged features in use."""
    model = source.model
    if hasattr(model, "_coordinates"):
        try:
            return np.asarray(model._coordinates(np.ascontiguousarray(rows))[:, :-1], dtype=np.float64)
        except NotImplementedError:  # missing data, or weights that differ between clusters
            pass
    return rows[:, source.support]

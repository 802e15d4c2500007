"""What a fit predicts for entries: means of clusters in selected features, else overall means."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.core.tasks import last_step
from sparsek.inputs.mixed import Coding
from sparsek.methods.search.kinds import values_of
from sparsek.methods.search.resamples import input_support
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.sources.batches import BatchScaling, batch_scaling
from sparsek.sources.source import ArraySource


def column_means(X: Array, weights: Array | None = None) -> Array:
    """Means of the entries that are there; NaN for a column without any."""
    if weights is not None:
        mass = weights.astype(np.float64) @ ~np.isnan(X)
        sums = weights.astype(np.float64) @ np.nan_to_num(X).astype(np.float64)
        return np.asarray(np.divide(sums, mass, out=np.full(X.shape[1], np.nan), where=mass > 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns without entries
        means: Array = np.asarray(np.nanmean(X, axis=0, dtype=np.float64))
    return means


def mean_square(differences: Array, weights: Array | None) -> float:
    """Mean square of the entries that are there, those of a row of weight m counted m times."""
    squares = np.square(differences, dtype=np.float64)
    if weights is None:
        return float(np.nanmean(squares))
    return float(weights @ np.nansum(squares, axis=1) / (weights @ ~np.isnan(squares)).sum())


def cluster_predictions(
    fit: Any, X: Array, weights: Array | None = None, variables: NDArray[np.intp] | None = None
) -> tuple[NDArray[np.int32], Array, NDArray[np.bool_]]:
    """Labels of the rows, means of the clusters (n_clusters, p), and the features that the fit uses.

    Means are those of the rows in the cluster, in features that are not selected, and for entries that no
    row has, those of all rows. Rows without a cluster have the label -1, and the last row of the means holds
    their predictions: the overall means. `variables`, (p,), has the variable of each column, where the fit
    speaks of variables.
    """
    last = last_step(fit)
    labels = np.maximum(np.asarray(last.labels_, dtype=np.int32), -1)
    overall = column_means(X, weights)
    variables = np.arange(X.shape[1]) if variables is None else variables
    p = int(variables[-1]) + 1
    support = (input_support(fit, p) if hasattr(last, "get_support") else np.ones(p, bool))[variables]
    n_clusters = int(labels.max()) + 1
    # Clusters that lost all rows, and rows without a cluster, are predicted by the overall means.
    means = np.tile(overall, (n_clusters + 1, 1))
    for cluster in np.unique(labels[labels >= 0]):
        own = labels == cluster
        inside = column_means(X[own], None if weights is None else weights[own])
        means[cluster] = np.where(support & ~np.isnan(inside), inside, overall)
    used = _own_support(last, (n_clusters, p))
    if used is not None:
        means[:-1] = np.where(used[:, variables], means[:-1], overall)
    return labels, means, support


def _own_support(last: Any, shape: tuple[int, ...]) -> Any:
    """Features that each cluster uses, for fits with weights of their own for each cluster; else None."""
    weights: Any = getattr(last, "feature_weights_", None)
    return weights > 0 if np.ndim(weights) == 2 and np.shape(weights) == shape else None


def row_predictions(fit: Any, X: Array, given: RowArguments) -> Array:
    """What a fit to all rows predicts for their entries, (n, p): with batches in their centres and scales."""
    within, codes = batch_scaling_of(fit, X, given), given.codes
    if within is None or codes is None:
        labels, means, _ = cluster_predictions(fit, X, given.weights)
        return means[labels]
    labels, means, _ = cluster_predictions(fit, within.apply(X, codes), given.weights)
    return within.undone(means[labels], codes)


def batch_scaling_of(
    estimator: Any, X: Array, given: RowArguments, levels: NDArray[np.bool_] | None = None
) -> BatchScaling | None:
    """How the estimator centres and scales the rows within batches; None unless there are several.

    `levels` is a mask of the columns, (p,), that are indicators of levels.
    """
    if given.codes is None or len(given.batches) < 2:
        return None
    last = last_step(estimator)
    every, holes = np.ones(len(X), dtype=bool), bool(np.isnan(X).any())
    source = ArraySource(X, given.weights, every, holes=holes, levels=levels)
    standardize, ddof = getattr(last, "standardize", False), getattr(last, "ddof", 1)
    return batch_scaling(source, source.moments(), given.codes, given.batches, standardize, ddof)


def nearest_clusters(rows: Array, means: Array, spread: Array) -> NDArray[np.intp]:
    """Nearest of the means for each row, in features measured in `spread`; missing entries do not count."""
    distances = np.empty((len(rows), len(means)))
    for cluster, mean in enumerate(means):
        with np.errstate(over="ignore"):  # infinitely far, in spreads
            distances[:, cluster] = np.nansum(np.square((rows - mean) / spread), axis=1)
    nearest: NDArray[np.intp] = distances.argmin(axis=1)
    return nearest


def within_spread(X: Array, labels: NDArray[np.int32], means: Array, weights: Array | None = None) -> Array:
    """Standard deviation of each feature around the means of the clusters; 1 where there is none."""
    # Rows without a cluster have the label -1, which is the last row of means: the overall means.
    found = np.sqrt(column_means(np.square(X - means[labels]), weights))
    spread: Array = np.where(np.isnan(found) | (found == 0), 1.0, found)
    return spread


def by_variable(differences: Array, coding: Coding | None) -> Array:
    """Differences of the variables: of a category the root of the sum of the squares of its indicators."""
    return differences if coding is None else np.sqrt(coding.totals(np.square(differences)))


def refuse_constant(X: Any) -> None:
    """Raise ValueError for one row, or only constant features, so that nothing is to be predicted."""
    if len(X) < 2:
        raise ValueError(f"n_samples={len(X)} must be at least 2, so that there is something to predict")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns without entries
        values = values_of(X)
        constant = ~(np.nanmax(values, axis=0) > np.nanmin(values, axis=0))
    if constant.all():
        raise ValueError(
            f"every one of the {X.shape[1]} features of X is constant, so that there is nothing to predict; "
            "give data that vary"
        )


def refuse_empty_columns(X: Array, given: RowArguments) -> None:
    """Raise ValueError for a column without a value in one of several batches."""
    for name, rows in zip(given.batches, given.by_batch(), strict=False):
        empty = np.flatnonzero(np.isnan(X[rows]).all(axis=0))
        if len(empty):
            raise ValueError(
                f"column {empty[0]} of X has no value in batch {name!r}, so that none of it can be held out: "
                "leave the column or the batch out"
            )

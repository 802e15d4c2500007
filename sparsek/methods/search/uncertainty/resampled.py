"""One fit to a resample of the rows, or with the weights of a replicate: labels, selections and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from sparsek.core.steps import Array
from sparsek.core.tasks import configured_copy, draw_seed, last_step
from sparsek.methods.search.consensus_counts import LEFT_OUT, OUTLIER
from sparsek.methods.search.resamples import input_support
from sparsek.methods.search.row_arguments import RowArguments


def shared_weights(last: Any, p: int) -> Any:
    """The feature weights of a fit, (p,) or (n_clusters, p); None if it has no weights."""
    weights: Any = getattr(last, "feature_weights_", None)
    if weights is None or np.shape(weights) not in ((p,), (getattr(last, "n_clusters", None), p)):
        return None
    return np.asarray(weights, dtype=np.float64)


def resampled_fit(
    estimator: Any,
    X: Array,
    given: RowArguments,
    seed: np.random.SeedSequence,
    n_rows: int,
    repeated: bool,
    keep: bool,
    stop: list[bool],
) -> Any:
    """What `outcome` returns, of a fit to a resample of the rows."""
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    rows = np.sort(given.resample(n, n_rows, rng) if repeated else given.order(n, rng)[:n_rows])
    if stop:
        return nothing(n, keep)
    return outcome(configured_copy(estimator, {}, draw_seed(rng)), X, given, rows, keep)


def replicate_fit(estimator: Any, X: Array, given: RowArguments, keep: bool, stop: list[bool]) -> Any:
    """The same for the weights of a replicate, with the seeds of the estimator."""
    if stop:
        return nothing(X.shape[0], keep)
    assert given.weights is not None  # of a replicate
    return outcome(clone(estimator), X, given, np.flatnonzero(given.weights > 0), keep)


def nothing(n: int, keep: bool) -> Any:
    """What a task returns that was interrupted."""
    labels = np.full(n, LEFT_OUT, dtype=np.float64)
    return (labels, None) if keep else labels


def outcome(fit: Any, X: Array, given: RowArguments, rows: NDArray[np.intp], keep: bool) -> Any:
    """Labels of all rows of a fit to some (LEFT_OUT for the others), then selections, then weights.

    With `keep`, a pair of these and the fit.
    """
    n, p = X.shape
    labels = np.full(n, LEFT_OUT, dtype=np.float64)
    last = last_step(fit)
    start: Any = getattr(last, "init", None)
    if np.shape(start) == (n,) and np.asarray(start).dtype.kind in "iu":
        last.set_params(init=np.asarray(start)[rows])  # labels of the rows, of which these take part
    fit.fit(X[rows], **given.take(rows).for_fit())
    # Clusterers may have other negative labels for rows in no cluster.
    labels[rows] = np.maximum(last.labels_, OUTLIER)
    support = input_support(fit, p) if hasattr(last, "get_support") else np.ones(p)
    own = shared_weights(last, p)
    found = np.concatenate([labels, support, [] if own is None else own.ravel()])
    return (found, fit) if keep else found


def matched_clusters(
    labels: NDArray[Any], other: NDArray[np.int32], k: int, weights: Array | None = None
) -> NDArray[np.intp]:
    """For each of k clusters of a resample the cluster of the fit so that most rows agree."""
    both = (labels >= 0) & (other >= 0)
    table = np.zeros((k, k))
    np.add.at(table, (other[both], labels[both]), 1 if weights is None else weights[both])
    match: NDArray[np.intp] = linear_sum_assignment(table, maximize=True)[1]
    return match

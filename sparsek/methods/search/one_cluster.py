"""Is there more than one cluster? Fits to the data are compared with fits to data sets without clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.core.tasks import draw_seed, fit_settings, last_step, run_tasks
from sparsek.methods.search.null_sets import (
    LEAST_ROWS,
    BatchedNull,
    NullModel,
    fit_null,
    normal_scores,
)
from sparsek.methods.search.row_arguments import NOTHING, RowArguments

NO_NULL_WEIGHTS = "sets without clusters are made of rows that count alike"
"""Why their tests take no weights."""


def null_fits(
    estimator: Any,
    settings: Sequence[dict[str, Any]],
    X: Array,
    n_null: int,
    random_state: Any,
    n_jobs: int | None,
    verbose: int,
    given: RowArguments = NOTHING,
) -> Array:
    """Log of what fits explain, (1 + n_null, n_settings): of the data, then of sets without clusters."""
    model = fit_null(checked_rows(X, given), given.codes)
    seeds = np.random.SeedSequence(random_state).spawn(1 + n_null)
    tasks = [
        (estimator, list(settings), X, None if number == 0 else model, given, seed)
        for number, seed in enumerate(seeds)
    ]
    return np.array(run_tasks(_explained, tasks, n_jobs, verbose, "null set"))


def null_p_value(explained: Array) -> float:
    """Share of the sets, the data among them, whose best fit is as far above those of all sets.

    Every setting is brought to mean 0 and standard deviation 1 over all sets, and a set counts by its largest
    value: the data have no place of their own in this, so that the p-value is right for exchangeable sets.
    """
    spread = explained.std(axis=0)
    scaled = (explained - explained.mean(axis=0)) / np.where(spread > 0, spread, 1)
    largest = scaled.max(axis=1)
    # Sets that are fitted alike differ by rounding.
    return float(np.mean(largest >= largest[0] - 1e-9))


def checked_rows(X: Array, given: RowArguments = NOTHING) -> Array:
    """The data; ValueError where no set without clusters can be made of them."""
    if len(X) < LEAST_ROWS:
        raise ValueError(f"n_samples={len(X)} must be at least {LEAST_ROWS} to make sets without clusters")
    for name, rows in zip(given.batches, given.by_batch(), strict=False):
        if len(X[rows]) < LEAST_ROWS:
            raise ValueError(
                f"batch {name!r} has {len(X[rows])} rows, and sets without clusters need {LEAST_ROWS} of "
                "each batch; leave its rows out"
            )
    if np.isnan(X).any():
        row, column = np.argwhere(np.isnan(X))[0]
        raise ValueError(
            f"X[{row}, {column}] is NaN; sets without clusters are made of complete data: impute first, for "
            "instance by KPod"
        )
    return X


def _explained(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Array,
    model: NullModel | BatchedNull | None,
    given: RowArguments,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Log of what each setting explains of the data, or of a set without clusters."""
    rng = np.random.default_rng(seed)
    state = draw_seed(rng)
    data = X if model is None else model.draw(rng)
    found = np.full(len(settings), np.nan)
    fits = fit_settings(estimator, settings, data, state, complete=True, fit_params=given.for_fit())
    for number, fit in enumerate(fits):
        if stop:
            break
        found[number] = log_explained(fit, data, given)
    return found


def log_explained(fit: Any, X: Array, given: RowArguments = NOTHING) -> float:
    """The logarithm of what the clusters explain, by the fit's own criterion if it tells one."""
    last = last_step(fit)
    own = getattr(last, "gap_objective_", None)
    if own is not None and own > 0:
        return float(np.log(min(own, np.finfo(float).max)))
    left = getattr(last, "inertia_", None)
    if own is None and left is not None and left > 0:
        return float(-np.log(min(left, np.finfo(float).max)))
    gained = float(shares_explained(X, np.asarray(last.labels_), given).sum())
    return float(np.log(max(gained, np.finfo(float).tiny)))


def shares_explained(X: Array, labels: NDArray[Any], given: RowArguments = NOTHING) -> Array:
    """Share of the variance of the normal scores of each feature that clusters explain, (p,).

    Scores of ranks, so that no outlier makes a share; with batches of ranks within these. Rows of negative
    labels are left out.
    """
    kept = labels >= 0
    if not kept.any():
        return np.zeros(X.shape[1])
    scores, labels = np.empty((np.count_nonzero(kept), X.shape[1])), labels[kept]
    for rows in given.take(kept).by_batch():
        if len(scores[rows]):  # none where all rows of a batch are left out
            scores[rows] = normal_scores(X[kept][rows])
    found = np.zeros(X.shape[1])
    for label in np.unique(labels):
        own = scores[labels == label]
        found += len(own) / len(scores) * own.mean(axis=0) ** 2
    return found

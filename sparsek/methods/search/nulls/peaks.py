"""Has every cluster a peak of its own? Rows between the centres of fits that have not seen them.

Data that differ from all sets without clusters need not have clusters: rows far out, a curve or a gradient do
so too. Two clusters have two peaks, and between these a valley. For every two clusters the rows are projected
on the line through the two centres, which come from a fit to the other rows. The dip test asks whether the
projections have one peak (Hartigan and Hartigan 1985).

A third cluster can lie between two and fill the valley. So rows beyond a plane half way to it are left out.
The plane is parallel to the line, so that what is left of one round cluster still has one peak.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.core.tasks import configured_copy, draw_seed, last_step, run_tasks
from sparsek.methods.search.choice.separation import ROUNDED, StandardColumns, columns_of
from sparsek.methods.search.kinds import categories_of, values_of
from sparsek.methods.search.row_arguments import NOTHING, RowArguments
from sparsek.methods.search.uncertainty.resampled import matched_clusters, outcome
from sparsek.methods.shared.fits import RowFits
from sparsek.selective.dip import one_peak_p_value

FOLDS = 10
LEAST_ROWS = 8
"""Fewer rows do not show two peaks."""
LEAST_WITHIN = 0.05
"""Variances within clusters are at least this part of the variance."""
BESIDE = 0.25
"""A cluster is beside the line through two centres if it is as far from it as this part of their distance."""


def peak_p_values(
    estimator: Any,
    settings: Sequence[dict[str, Any]],
    X: Any,
    random_state: int,
    n_jobs: int | None,
    verbose: int,
    given: RowArguments = NOTHING,
) -> Array:
    """For each setting the p-value that some two clusters have one peak together, (n_settings,).

    It is 1 for a fit with one cluster.
    """
    n, p = X.shape
    rng = np.random.default_rng(random_state)
    state = draw_seed(rng)
    fold = given.order(n, rng) % FOLDS
    parts = [np.flatnonzero(fold != number) for number in range(FOLDS)]
    tasks = [(estimator, setting, X, given, state, np.arange(n), None) for setting in settings]
    whole = np.array(run_tasks(_labels_and_features, tasks, n_jobs, verbose, "fit"))
    tasks = [
        (estimator, setting, X, given, state, rows, own[:n])
        for setting, own in zip(settings, whole, strict=True)
        for rows in parts
    ]
    folds = np.array(run_tasks(_labels_and_features, tasks, n_jobs, verbose, "fold"))
    fits = np.concatenate([whole[:, None], folds.reshape(len(settings), FOLDS, n + p)], axis=1)
    codes = given.codes if len(given.batches) > 1 else None
    columns = columns_of(values_of(X), np.ones(n), codes, categories_of(estimator, X))
    # Steps of rounding would count as peaks.
    steps = np.sqrt(columns.rounding / ROUNDED)
    rows = columns.values + steps * rng.uniform(-0.5, 0.5, size=columns.values.shape)
    return np.array([_least_clear_pair(rows, columns, fold, found) for found in fits])


def _labels_and_features(
    estimator: Any,
    setting: dict[str, Any],
    X: Any,
    given: RowArguments,
    state: int,
    rows: NDArray[np.intp],
    start: Array | None,
    stop: list[bool],
) -> Array:
    """Labels and selected features, (n + p,), of a fit to some rows, from the labels of another one."""
    n, p = X.shape
    if stop:
        return np.full(n + p, np.nan)
    model = configured_copy(estimator, setting, state)
    last = last_step(model)
    if start is not None and isinstance(last, RowFits):
        # Of the starts of few rows some folds would take another optimum than the fit to all rows.
        labels = start[rows].astype(np.int32)
        if np.array_equal(np.unique(labels), np.arange(last.n_clusters)):
            last.set_params(init=labels)
    return np.asarray(outcome(model, X, given, rows, False)[: n + p])


def _least_clear_pair(rows: Array, columns: StandardColumns, fold: NDArray[np.intp], found: Array) -> float:
    """The largest p-value of all pairs of clusters of a fit, from the fits to the rows outside each fold."""
    n = len(rows)
    labels = found[:, :n].astype(np.int32)
    k = int(labels.max()) + 1
    pairs = list(combinations(np.unique(labels[0][labels[0] >= 0]).tolist(), 2))
    places = np.full((n, len(pairs)), np.nan)
    for number in range(FOLDS):
        own = labels[1 + number]
        # Clusters of a fold have other numbers, and are matched with those of the fit to all rows.
        own = np.where(own >= 0, matched_clusters(labels[0], own, k)[np.maximum(own, 0)], own)
        chosen = found[1 + number, n:].astype(bool)[columns.variables]
        out = fold == number
        places[out] = _places(rows[:, chosen], own, out, pairs)
    p_values = [_p_value(column[~np.isnan(column)]) for column in places.T]
    return max(p_values, default=1.0)


def _p_value(places: Array) -> float:
    """The p-value of one peak; 1 for few rows."""
    return one_peak_p_value(places) if len(places) >= LEAST_ROWS else 1.0


def _places(
    rows: Array, labels: NDArray[np.int32], out: NDArray[np.bool_], pairs: list[tuple[int, int]]
) -> Array:
    """Places of the rows outside a fit on the lines through its centres, (n_out, n_pairs); NaN for others.

    Deviations within clusters are 1. Places are from the mean of all rows, whatever the fold: the middle of
    two centres moves from fold to fold where one of them has few rows.
    """
    used = np.unique(labels[labels >= 0]).tolist()
    if len(used) < 2:
        return np.full((np.count_nonzero(out), len(pairs)), np.nan)
    centers = {label: _means(rows[labels == label]) for label in used}
    within = _means(np.concatenate([(rows[labels == label] - centers[label]) ** 2 for label in used]))
    scale = np.sqrt(np.maximum(within, LEAST_WITHIN))
    scaled = np.nan_to_num(rows[out] / scale)  # a hole counts as the mean
    found = np.full((len(scaled), len(pairs)), np.nan)
    for number, (a, b) in enumerate(pairs):
        if a not in centers or b not in centers:
            continue
        line = (centers[b] - centers[a]) / scale
        length = np.linalg.norm(line)
        if not length:
            continue
        line = line / length
        moved = scaled - centers[a] / scale
        kept = np.ones(len(moved), dtype=bool)
        for other in (label for label in used if label not in (a, b)):
            aside = (centers[other] - centers[a]) / scale
            # Only the part at right angles to the line, so that the plane is parallel to it.
            aside -= (aside @ line) * line
            distance = np.linalg.norm(aside)
            if distance >= BESIDE * length:
                # On the plane half way between the line and the other cluster, moved'aside is |aside|^2 / 2.
                kept &= moved @ aside <= distance**2 / 2
        found[kept, number] = scaled[kept] @ line
    return found


def _means(rows: Array) -> Array:
    """Means of the known entries, 0 for a column without."""
    known = ~np.isnan(rows)
    means: Array = np.where(known, rows, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return means

"""Is there more than one cluster? Fits to the data are compared with fits to data sets without clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.utils import get_tags

from sparsek.core.steps import Array
from sparsek.core.tasks import draw_seed, fit_settings, last_step, run_tasks
from sparsek.inputs.mixed import CodedRows
from sparsek.methods.search.kinds import categories_of, values_of
from sparsek.methods.search.nulls.null_sets import (
    LEAST_ROWS,
    AnyNull,
    fit_null,
    normal_scores,
)
from sparsek.methods.search.nulls.peaks import peak_p_values
from sparsek.methods.search.row_arguments import NOTHING, RowArguments

NO_NULL_WEIGHTS = "sets without clusters are made of rows that count alike"
"""Why their tests take no weights."""
NULLS_ARE_DENSE = "sets without clusters have no zeros to leave out"
"""Why sparse data are made dense."""
NORMAL_SETS = 19
"""Sets of normal rows that say how far from all others a row can be."""


def null_fits(
    estimator: Any,
    settings: Sequence[dict[str, Any]],
    X: Any,
    n_null: int,
    random_state: Any,
    n_jobs: int | None,
    verbose: int,
    given: RowArguments = NOTHING,
    n_factors: int = 0,
) -> Array:
    """Log of what fits explain, (1 + n_null, n_settings): of the data, then of sets without clusters."""
    model = fit_null(checked_rows(X, estimator, given), given.codes, categories_of(estimator, X))
    seeds = np.random.SeedSequence(random_state).spawn(1 + n_null)
    tasks = [
        (estimator, list(settings), X, None if number == 0 else model, given, n_factors, seed)
        for number, seed in enumerate(seeds)
    ]
    return np.array(run_tasks(_explained, tasks, n_jobs, verbose, "null set"))


def null_p_value(explained: Array) -> float:
    """Share of the sets, the data among them, whose best fit is as far above those of all sets.

    Every setting is brought to mean 0 and standard deviation 1 over all sets, and a set counts by its largest
    value: the data have no place of their own in this, so that the p-value is right for exchangeable sets.
    """
    scaled = _scaled(explained)
    largest = scaled.max(axis=1)
    # Sets that are fitted alike differ by rounding.
    return float(np.mean(largest >= largest[0] - 1e-9))


def _scaled(explained: Array) -> Array:
    """Every setting with mean 0 and standard deviation 1 over all sets."""
    spread = explained.std(axis=0)
    scaled: Array = (explained - explained.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return scaled


def peak_p_value(
    estimator: Any,
    settings: Sequence[dict[str, Any]],
    name: str,
    explained: Array,
    X: Any,
    random_state: Any,
    n_jobs: int | None,
    verbose: int,
    given: RowArguments = NOTHING,
) -> float:
    """P-value that for no number of clusters, parameter `name`, every two clusters have peaks of their own.

    Of the settings with one number of clusters that one counts whose clusters are clearest.
    """
    clearest: dict[Any, int] = {}
    for number in np.argsort(_scaled(explained)[0], kind="stable").tolist():
        clearest[settings[number][name]] = number
    tried = [settings[number] for number in clearest.values()]
    p_values = peak_p_values(estimator, tried, X, random_state, n_jobs, verbose, given)
    # Bonferroni: any of the numbers of clusters may have the smallest p-value.
    return min(1.0, len(tried) * float(p_values.min()))


def without_factors(X: Any, n_factors: int) -> Any:
    """The standardised columns less their first principal components; the data where none is removed."""
    if not n_factors:
        return X
    centered = X - np.nanmean(X, axis=0)
    spread = np.nanstd(X, axis=0)
    rows = centered / np.where(spread > 0, spread, 1)
    # A missing value is taken for the mean, which is 0 here.
    axes = np.linalg.svd(np.nan_to_num(rows), full_matrices=False)[2][:n_factors]
    left: Array = rows - (np.nan_to_num(rows) @ axes.T) @ axes
    return left


def far_rows(X: Any, random_state: int) -> NDArray[np.intp]:
    """Rows that are farther from every other row than any of normal rows is, by the median such distance.

    Categories do not count, since no row is far from others in them.
    """
    if isinstance(X, CodedRows):
        X = X.values[:, ~X.coding.unordered]
    if not X.shape[1]:
        return np.empty(0, dtype=np.intp)
    center = np.nanmedian(X, axis=0)
    # Medians, because the rows that are looked for would stretch standard deviations.
    spread = np.nanmedian(np.abs(X - center), axis=0)
    spread = np.where(spread > 0, spread, np.nanstd(X, axis=0))
    rng = np.random.default_rng(random_state)
    normal = max(float(_nearest(rng.normal(size=X.shape)).max()) for _ in range(NORMAL_SETS))
    rows = np.nan_to_num((X - center) / np.where(spread > 0, spread, 1))  # a hole is in the middle
    return np.flatnonzero(_nearest(rows) > normal)


def _nearest(rows: Array) -> Array:
    """Distance of each row to the nearest other one, by the median of these."""
    # The nearest of two is the row itself.
    found = np.asarray(KDTree(rows).query(rows, k=2)[0])[:, 1]
    middle = np.median(found)
    return np.asarray(found / middle if middle > 0 else found)


def checked_rows(X: Any, estimator: Any, given: RowArguments = NOTHING) -> Any:
    """The data; ValueError where no set without clusters can be made of them, or the estimator takes none."""
    if len(X) < LEAST_ROWS:
        raise ValueError(f"n_samples={len(X)} must be at least {LEAST_ROWS} to make sets without clusters")
    for name, rows in zip(given.batches, given.by_batch(), strict=False):
        if len(X[rows]) < LEAST_ROWS:
            raise ValueError(
                f"batch {name!r} has {len(X[rows])} rows, and sets without clusters need {LEAST_ROWS} of "
                "each batch; leave its rows out"
            )
    holes = np.isnan(values_of(X))
    if not holes.any():
        return X
    if not get_tags(estimator).input_tags.allow_nan:
        row, column = np.argwhere(holes)[0]
        raise ValueError(
            f"X[{row}, {column}] is NaN, which {type(last_step(estimator)).__name__} does not take; impute "
            "first, or take SKFR or KPod"
        )
    for number, rows in enumerate(given.by_batch()):
        known = np.count_nonzero(~holes[rows], axis=0)
        if known.min() < LEAST_ROWS:
            column = int(np.argmin(known))
            where = f" in batch {given.batches[number]!r}" if len(given.batches) > 1 else ""
            raise ValueError(
                f"column {column} of X has {known[column]} values{where}, and sets without clusters need "
                f"{LEAST_ROWS}; leave the column out"
            )
    return X


def _explained(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Any,
    model: AnyNull | None,
    given: RowArguments,
    n_factors: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Log of what each setting explains of the data, or of a set without clusters."""
    rng = np.random.default_rng(seed)
    state = draw_seed(rng)
    data = without_factors(X if model is None else model.draw(rng), n_factors)
    found = np.full(len(settings), np.nan)
    fits = fit_settings(estimator, settings, data, state, complete=True, fit_params=given.for_fit())
    for number, fit in enumerate(fits):
        if stop:
            break
        found[number] = log_explained(fit, data, given)
    return found


def log_explained(fit: Any, X: Any, given: RowArguments = NOTHING) -> float:
    """The logarithm of what the clusters explain, by the fit's own criterion if it tells one."""
    last = last_step(fit)
    own = getattr(last, "gap_objective_", None)
    if own is not None and own > 0:
        return float(np.log(min(own, np.finfo(float).max)))
    left = getattr(last, "inertia_", None)
    if own is None and left is not None and left > 0:
        return float(-np.log(min(left, np.finfo(float).max)))
    gained = float(shares_of_fit(fit, X, given).sum())
    return float(np.log(max(gained, np.finfo(float).tiny)))


def shares_explained(
    X: Array,
    labels: NDArray[Any],
    given: RowArguments = NOTHING,
    categories: NDArray[np.bool_] | None = None,
) -> Array:
    """Share of the variance of the normal scores of each feature that clusters explain, (p,).

    Scores of ranks, so that no outlier makes a share; with batches of ranks within these. Of categories the
    share is the squared V of Cramer without a correction for the number of clusters. Rows of negative labels
    are left out.
    """
    unordered = np.zeros(X.shape[1], dtype=bool) if categories is None else categories
    found = _shares_of_scores(X[:, ~unordered], labels, given)
    shares = np.zeros(X.shape[1])
    shares[~unordered] = found
    for j in np.flatnonzero(unordered):
        levels = np.unique(X[~np.isnan(X[:, j]), j])
        shown = np.where(np.isnan(X[:, j, None]), np.nan, X[:, j, None] == levels)[labels >= 0]
        chance = np.nanmean(shown, axis=0)
        own = [shown[labels[labels >= 0] == label] for label in np.unique(labels[labels >= 0])]
        between = sum(len(one) / len(shown) * (_known_means(one) - chance) ** 2 for one in own)
        # Chi-square over n, divided by the number of levels less 1: the square of Cramer's V.
        shares[j] = np.sum(between / np.maximum(chance, 1 / len(X))) / max(len(levels) - 1, 1)
    return shares


def shares_of_fit(fit: Any, X: Any, given: RowArguments) -> Array:
    """The same for the clusters of a fit and rows of any kind, (p,)."""
    return shares_explained(values_of(X), np.asarray(last_step(fit).labels_), given, categories_of(fit, X))


def _known_means(rows: Array) -> Array:
    """Means of the known entries, 0 for a column without."""
    means: Array = np.nansum(rows, axis=0) / np.maximum(np.count_nonzero(~np.isnan(rows), axis=0), 1)
    return means


def _shares_of_scores(X: Array, labels: NDArray[Any], given: RowArguments) -> Array:
    """Share of the variance of the normal scores of numbers that clusters explain, (p,)."""
    kept = labels >= 0
    if not kept.any():
        return np.zeros(X.shape[1])
    scores, labels = np.empty((np.count_nonzero(kept), X.shape[1])), labels[kept]
    for rows in given.take(kept).by_batch():
        if len(scores[rows]):  # none where all rows of a batch are left out
            scores[rows] = normal_scores(X[kept][rows])
    found = np.zeros(X.shape[1])
    n_known = np.maximum(np.count_nonzero(~np.isnan(scores), axis=0), 1)
    for label in np.unique(labels):
        own = scores[labels == label]
        known = np.count_nonzero(~np.isnan(own), axis=0)
        total = np.nansum(own, axis=0)
        # Scores have the mean square 1, so that this is the share of the variance between the clusters.
        found += total**2 / np.maximum(known, 1) / n_known
    return found

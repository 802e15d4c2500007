"""The fits behind EntryCrossValidation: entries or blocks in folds, and the error of their prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array
from sparsek.core.tasks import configured_copy, draw_seed, fit_settings
from sparsek.methods.search.predictions import (
    cluster_predictions,
    column_means,
    mean_square,
    nearest_clusters,
    within_spread,
)
from sparsek.methods.search.row_weights import RowWeights, fit_arguments, some_rows, values_of


def entry_folds(shape: tuple[int, int], n_folds: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Fold of every entry, (n, p), from 0: random, as equal as possible within each row and each column.

    The rows come in random groups of `n_folds`. In a group, the columns have random turns, and the fold
    moves by one from row to row: every column has each fold once, every row as often as its length allows.
    """
    n, p = shape
    folds = np.empty(shape, dtype=np.intp)
    order = rng.permutation(n)
    for first in range(0, n, n_folds):
        rows = order[first : first + n_folds]
        folds[rows] = (rng.permutation(p) + np.arange(len(rows))[:, None]) % n_folds
    return folds


def held_out(folds: NDArray[np.intp], fold: int, observed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The observed entries of a fold, less those of rows or columns that would be left without any."""
    held: NDArray[np.bool_] = (folds == fold) & observed
    for axis in (1, 0):
        empty = ~(observed & ~held).any(axis=axis, keepdims=True)
        held &= ~empty
    return held


def fold_errors(
    estimator: Any,
    settings: list[dict[str, Any]],
    data: tuple[Array, Array, Scaling],
    weights: RowWeights | None,
    folds: NDArray[np.intp],
    fold: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Mean squared error of the entries of a fold for every setting, in the units of the scaling.

    `data` are X as it is, X as the fit takes it, and the scaling.
    """
    X, target, scaling = data
    held = held_out(folds, fold, ~np.isnan(X))
    rest = np.where(held, np.nan, X)
    estimator_seed, params = draw_seed(np.random.default_rng(seed)), fit_arguments(weights)
    errors = np.full(len(settings), np.nan)
    for i, setting in enumerate(settings):
        if stop:
            break
        fit = configured_copy(estimator, setting, estimator_seed).fit(rest, **params)
        predicted = fit.cluster_centers_[fit.labels_]
        difference = scaling.apply(target)[:, :-1] - scaling.apply(predicted)[:, :-1]
        if weights is None:
            errors[i] = np.mean(np.square(difference[held], dtype=np.float64))
        else:
            errors[i] = mean_square(np.where(held, difference, np.nan), weights.values)
    return errors


def block_folds(shape: tuple[int, int], n_folds: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Fold of every row and of every column, from 0: random, of equal sizes up to one, none empty."""
    return [rng.permutation(np.arange(length) % min(n_folds, length)) for length in shape]


def block_errors(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Array,
    weights: RowWeights | None,
    folds: list[NDArray[np.intp]],
    fold: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Mean squared error of the entries of a fold of rows for every setting, in variances of the features.

    A fit sees the other rows. The columns of the fold's rows are predicted fold by fold: the cluster of a
    row is the one with the nearest mean in the selected features of the other folds of columns.
    """
    row_folds, column_folds = folds
    # Squares of numbers around 1 do not overflow; a power of two changes no digit.
    scaled = np.ldexp(X.astype(np.float64), -np.frexp(np.nanmax(np.abs(X), axis=0))[1])
    inside, mass = row_folds == fold, values_of(weights)
    held, rest, given = scaled[inside], scaled[~inside], some_rows(weights, ~inside)
    scale = np.sqrt(column_means(np.square(scaled - column_means(scaled, mass)), mass))
    constant = scale == 0
    estimator_seed = draw_seed(np.random.default_rng(seed))
    errors = np.full(len(settings), np.nan)
    params = fit_arguments(given)
    fits = fit_settings(estimator, settings, X[~inside], estimator_seed, complete=True, fit_params=params)
    for i, fit in enumerate(fits):
        if stop:
            break
        predicted = _predict_blocks(fit, rest, values_of(given), held, column_folds)
        difference = (held - predicted)[:, ~constant] / scale[~constant]
        errors[i] = mean_square(difference, None if mass is None else mass[inside])
    return errors


def _predict_blocks(
    fit: Any, rest: Array, weights: Array | None, held: Array, column_folds: NDArray[np.intp]
) -> Array:
    """Predictions of the held-out rows, each fold of columns from the others."""
    labels, means, support = cluster_predictions(fit, rest, weights)
    spread = within_spread(rest, labels, means, weights)
    there = np.unique(labels[labels >= 0])
    predicted = np.empty(held.shape)
    for fold in np.unique(column_folds):
        others = support & (column_folds != fold)
        columns = column_folds == fold
        nearest: Any = -1  # the overall means: nothing tells the cluster
        if others.any():
            nearest = there[nearest_clusters(held[:, others], means[there][:, others], spread[others])]
        predicted[:, columns] = means[nearest][..., columns]
    return predicted

"""The fits behind EntryCrossValidation: entries or blocks in folds, and the error of their prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.batch_draws import folds_within
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels
from sparsek.core.tasks import configured_copy, draw_seed, fit_settings
from sparsek.inputs.mixed import CodedRows
from sparsek.methods.search.kinds import values_of
from sparsek.methods.search.predictions import (
    batch_scaling_of,
    by_variable,
    cluster_predictions,
    column_means,
    mean_square,
    nearest_clusters,
    within_spread,
)
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.sources.batches import BatchScaling


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


def held_out(
    folds: NDArray[np.intp], fold: int, observed: NDArray[np.bool_], codes: Labels | None = None
) -> NDArray[np.bool_]:
    """The observed entries of a fold, less those of rows or columns that would be left without any.

    With `codes`, the batches of the rows, columns of each batch keep entries.
    """
    held: NDArray[np.bool_] = (folds == fold) & observed
    # A row must keep an entry, because nothing else tells its cluster.
    held &= (observed & ~held).any(axis=1, keepdims=True)
    for code in [0] if codes is None else np.unique(codes).tolist():
        rows = slice(None) if codes is None else codes == code
        held[rows] &= (observed[rows] & ~held[rows]).any(axis=0)
    return held


@dataclass(frozen=True, slots=True)
class HeldEntries:
    """What entries are predicted, and the scale of their errors."""

    X: Any  # (n, p): the data, an array or `CodedRows`
    target: Array  # (n, q): the columns that are predicted, with batches in their scale
    scaling: Scaling  # in whose units errors are
    within: BatchScaling | None = None  # that of the batches

    def without(self, held: NDArray[np.bool_]) -> Any:
        """The data with these entries, (n, p), missing."""
        rest = np.where(held, np.nan, values_of(self.X))
        return CodedRows(rest, self.X.coding) if isinstance(self.X, CodedRows) else rest

    def differences(self, fit: Any, codes: Labels | None) -> Array:
        """Entries less the centres of their clusters, (n, p)."""
        if self.within is None or codes is None:
            predicted = fit.cluster_centers_[fit.labels_]
        else:
            predicted = self.within.apply(fit.batch_centers_[fit.labels_, codes], codes)
        found: Array = self.scaling.apply(self.target)[:, :-1] - self.scaling.apply(predicted)[:, :-1]
        if not isinstance(self.X, CodedRows):
            return found
        coding = self.X.coding
        # The indicators of m levels have the variance m - 1 together, a standardised number has 1.
        return by_variable(found, coding) / np.sqrt(coding.degrees(self.X.columns))


def fold_errors(
    estimator: Any,
    settings: list[dict[str, Any]],
    data: HeldEntries,
    given: RowArguments,
    folds: NDArray[np.intp],
    fold: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Mean squared error of the entries of a fold for every setting, in the units of the scaling."""
    held = held_out(folds, fold, ~np.isnan(values_of(data.X)), given.codes)
    rest = data.without(held)
    estimator_seed, params = draw_seed(np.random.default_rng(seed)), given.for_fit()
    errors = np.full(len(settings), np.nan)
    for i, setting in enumerate(settings):
        if stop:
            break
        fit = configured_copy(estimator, setting, estimator_seed).fit(rest, **params)
        difference = data.differences(fit, given.codes)
        if given.weights is None:
            errors[i] = np.mean(np.square(difference[held], dtype=np.float64))
        else:
            errors[i] = mean_square(np.where(held, difference, np.nan), given.weights)
    return errors


def block_folds(
    shape: tuple[int, int], n_folds: int, rng: np.random.Generator, codes: Labels | None = None
) -> list[NDArray[np.intp]]:
    """Fold of every row and of every column, from 0: random, of equal sizes up to one, none empty.

    The rows of a batch are spread over the folds as evenly.
    """
    n, p = shape
    return [folds_within(n, min(n_folds, n), codes, rng), folds_within(p, min(n_folds, p), None, rng)]


def block_errors(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Any,
    given: RowArguments,
    folds: list[NDArray[np.intp]],
    fold: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Mean squared error of the entries of a fold of rows for every setting, in variances of the features.

    A fit sees the other rows. The columns of the fold's rows are predicted fold by fold: the cluster of a
    row is the one with the nearest mean in the selected features of the other folds of columns. Rows of
    batches are centred, and scaled as the fit does, by the means and deviations of the other rows first. The
    indicators of a category are predicted together, and have one variance.
    """
    coding = X.coding if isinstance(X, CodedRows) else None
    variables = None if coding is None else coding.variable_of
    row_folds, column_folds = folds[0], folds[1] if variables is None else folds[1][variables]
    inside, mass = row_folds == fold, given.weights
    own = given.take(~inside)
    scaled = _scaled_columns(estimator, X, given, ~inside)
    held, rest = scaled[inside], scaled[~inside]
    # Errors are in variances of the features, so that units of X do not weight them.
    squares = column_means(np.square(scaled - column_means(scaled, mass)), mass)
    scale = np.sqrt(squares if coding is None else coding.totals(squares)[variables])
    constant, firsts = scale == 0, slice(None) if coding is None else coding.firsts
    estimator_seed = draw_seed(np.random.default_rng(seed))
    errors = np.full(len(settings), np.nan)
    params = own.for_fit()
    fits = fit_settings(estimator, settings, X[~inside], estimator_seed, complete=True, fit_params=params)
    for i, fit in enumerate(fits):
        if stop:
            break
        predicted = _predict_blocks(fit, rest, own.weights, held, column_folds, variables)
        difference = np.divide(held - predicted, scale, out=np.full(held.shape, np.nan), where=~constant)
        difference = by_variable(difference, coding)[:, ~constant[firsts]]
        errors[i] = mean_square(difference, None if mass is None else mass[inside])
    return errors


def _scaled_columns(estimator: Any, X: Any, given: RowArguments, fitted: NDArray[np.bool_]) -> Array:
    """The columns near 1; those of batches as a fit to the rows of a mask, (n,), centres and scales them."""
    coding = X.coding if isinstance(X, CodedRows) else None
    scaled = X.columns if isinstance(X, CodedRows) else X.astype(np.float64)
    plain = np.ones(scaled.shape[1], dtype=bool) if coding is None else ~coding.is_level
    scaled[:, plain] = _near_one(scaled[:, plain])
    levels = None if coding is None else ~plain
    within = batch_scaling_of(estimator, scaled[fitted], given.take(fitted), levels)
    if within is not None and given.codes is not None:
        scaled = within.apply(scaled, given.codes)
        scaled[:, plain] = _near_one(scaled[:, plain])
        return scaled
    if coding is not None:
        shares = column_means(scaled[:, ~plain], given.weights)
        scaled[:, ~plain] /= np.sqrt(np.where(shares > 0, shares, 1))
    return scaled


def _near_one(X: Array) -> Array:
    """Columns times powers of two, which change no digit: squares of numbers up to 1 do not overflow."""
    found: Array = np.ldexp(X, -np.frexp(np.nanmax(np.abs(X), axis=0))[1])
    return found


def _predict_blocks(
    fit: Any,
    rest: Array,
    weights: Array | None,
    held: Array,
    column_folds: NDArray[np.intp],
    variables: NDArray[np.intp] | None,
) -> Array:
    """Predictions of the held-out rows, each fold of columns from the others."""
    labels, means, support = cluster_predictions(fit, rest, weights, variables)
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

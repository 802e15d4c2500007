"""The fits behind EntryCrossValidation: entries in folds, and the error of their prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.methods.search.tasks import configured_copy, draw_seed
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array


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
    held = (folds == fold) & observed
    for axis in (1, 0):
        empty = ~(observed & ~held).any(axis=axis, keepdims=True)
        held &= ~empty
    return held


def fold_errors(
    estimator: Any,
    settings: list[dict[str, Any]],
    data: tuple[Array, Array, Scaling],
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
    estimator_seed = draw_seed(np.random.default_rng(seed))
    errors = np.full(len(settings), np.nan)
    for i, setting in enumerate(settings):
        if stop:
            break
        fit = configured_copy(estimator, setting, estimator_seed).fit(rest)
        predicted = fit.cluster_centers_[fit.labels_]
        difference = scaling.apply(target)[:, :-1] - scaling.apply(predicted)[:, :-1]
        errors[i] = np.mean(np.square(difference[held], dtype=np.float64))
    return errors

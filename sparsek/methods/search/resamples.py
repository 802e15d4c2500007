"""The fits to random subsets of the rows behind StabilitySelection and ConsensusClustering."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from sparsek.core.steps import Array
from sparsek.core.tasks import draw_seed, fit_settings, last_step
from sparsek.core.weights import share_of
from sparsek.methods.search.consensus_counts import LEFT_OUT, OUTLIER, LabelTable
from sparsek.methods.search.row_arguments import RowArguments

Support = NDArray[np.bool_]


def subset_size(n: int, fraction: float) -> int:
    """Number of rows in a subset."""
    size = share_of(n, fraction)
    if size < 1:
        raise ValueError(
            f"sample_fraction={fraction} of n_samples={n} leaves no rows; raise it, or give more rows"
        )
    return size


def selections(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Array,
    given: RowArguments,
    y: Any,
    seed: np.random.SeedSequence,
    n_rows: int,
    n_subsets: int,
    stop: list[bool],
) -> Support:
    """Features that each setting selects from disjoint subsets: (n_subsets, n_settings, n_features)."""
    rng = np.random.default_rng(seed)
    order = given.order(X.shape[0], rng)
    supports = np.zeros((n_subsets, len(settings), X.shape[1]), dtype=bool)
    for number in range(n_subsets):
        # Rows of one random order: subsets are disjoint, as complementary pairs must be.
        rows = np.sort(order[number * n_rows : (number + 1) * n_rows])
        targets = None if y is None else y[rows]
        params = given.take(rows).for_fit()
        fits = fit_settings(estimator, settings, X[rows], draw_seed(rng), y=targets, fit_params=params)
        for value, fit in enumerate(fits):
            if stop:
                break
            supports[number, value] = input_support(fit, X.shape[1])
    return supports


def labellings(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Array,
    given: RowArguments,
    seed: np.random.SeedSequence,
    n_rows: int,
    stop: list[bool],
) -> LabelTable:
    """Labels of each setting on one random subset: (n_settings, n_samples)."""
    rng = np.random.default_rng(seed)
    rows = np.sort(given.order(X.shape[0], rng)[:n_rows])
    labels = np.full((len(settings), X.shape[0]), LEFT_OUT, dtype=np.int32)
    params = given.take(rows).for_fit()
    fits = fit_settings(estimator, settings, X[rows], draw_seed(rng), fit_params=params, complete=True)
    for value, fit in enumerate(fits):
        if stop:
            break
        labels[value, rows] = np.maximum(last_step(fit).labels_, OUTLIER)
    return labels


def input_support(fit: Any, p: int) -> Support:
    """Mask of the input features that a fit selects; selectors in a Pipeline are taken into account."""
    steps = [step for _, step in fit.steps] if isinstance(fit, Pipeline) else [fit]
    support: Support = np.asarray(steps[-1].get_support(), dtype=bool)
    for step in reversed(steps[:-1]):
        if hasattr(step, "get_support"):
            kept = step.get_support()
            wider = np.zeros(len(kept), dtype=bool)
            # A selector before the clusterer hides columns, so that the mask is spread over all of them.
            wider[kept] = support
            support = wider
    if len(support) != p:
        raise ValueError(
            f"the estimator selects among {len(support)} features, not the {p} of X; a step of the Pipeline "
            "that makes new features must go before StabilitySelection"
        )
    return support

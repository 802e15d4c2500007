"""Annealing of the number of features, and limits of winsorised columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from sparsek.core.scaling import safe_unit
from sparsek.core.steps import Array, FitResult, Labels
from sparsek.methods.skfr.algorithm import Selection, Sizes
from sparsek.methods.skfr.median import observed_medians
from sparsek.sources.source import ArraySource

MAD_TO_SD = 1.4826
"""The standard deviation of normal data is this many median absolute deviations."""
ANNEAL_STEPS = 8


def annealed(
    run: Callable[[Iterable[Labels], Sizes], list[FitResult[Selection]]],
    starts: Iterable[Labels],
    sizes: Sizes,
    p: int,
) -> Iterable[Labels]:
    """Labels after fits with decreasing numbers of features, each started from the labels of the last.

    Shapes: starts (n,) int32; returns (n,) int32.
    """
    if sizes.n_selected >= p:
        return starts
    steps = np.geomspace(p, sizes.n_selected, ANNEAL_STEPS).round().astype(int)[:-1]
    for step in dict.fromkeys(steps.tolist()):
        starts = [result.labels for result in run(starts, replace(sizes, n_selected=step))]
    return starts


def winsorized(source: ArraySource, width: float) -> tuple[ArraySource, tuple[Array, Array]]:
    """The rows within the limits of their columns, and these."""
    X = source.dense()
    limits = winsorizing_limits(X, source.weights, width)
    return ArraySource(np.clip(X, *limits), source.weights, source.kept), limits


def winsorizing_limits(X: Array, weights: Array | None, width: float) -> tuple[Array, Array]:
    """Median -+ width robust standard deviations of each column; infinite if half the values are equal."""
    top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    unit = safe_unit(np.maximum(top, -bottom), top == bottom, by_column=True)
    X = X * unit if np.any(unit != 1) else X
    median = np.nan_to_num(observed_medians(X, weights))
    spread = MAD_TO_SD * np.nan_to_num(observed_medians(np.abs(X - median), weights))
    reach = np.where(spread > 0, width * spread, np.inf)
    with np.errstate(over="ignore"):  # no limit where it would be beyond the largest number
        return ((median - reach) / unit).astype(X.dtype), ((median + reach) / unit).astype(X.dtype)

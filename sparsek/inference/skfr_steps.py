"""The data sets on a line for which SKFR takes the same steps and selects the same features.

The derivation is in `docs/methods/inference.md`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsek.core.steps import largest
from sparsek.selective.intervals import Conditions
from sparsek.selective.line import Array, Centers, Line, Quadratic, assign, cleared, means

ENTRIES = 1_000_000
"""Pairs of features that are compared at a time."""


def skfr_conditions(
    line: Line, start: Array | Centers, n_clusters: int, n_selected: int, local: bool, max_iter: int
) -> tuple[Array, Array, Conditions]:
    """Repeat a fit of SKFR on data as they are; find where all of its steps stay the same.

    Shapes: start (n,); returns labels (n,), selected (s,) or (k, s).
    """
    conditions = Conditions()
    labels = assign(line, start, conditions) if isinstance(start, Centers) else start
    for _ in range(max_iter):
        centers, selected = _ranked(line, labels, n_clusters, n_selected, local, conditions)
        before, labels = labels, assign(line, centers, conditions)
        if np.array_equal(before, labels):
            break
    return labels, selected if local else selected[0], conditions


def _ranked(
    line: Line, labels: Array, n_clusters: int, n_selected: int, local: bool, conditions: Conditions
) -> tuple[Centers, Array]:
    """Sparse centres and selected features (1 or k rows); adds the conditions of the ranking."""
    values, rates = means(line, labels, n_clusters)
    counts = np.bincount(labels, minlength=n_clusters)[:, None]
    gains = Quadratic(counts * rates * rates, 2 * counts * values * rates, counts * values * values)
    if not local:
        gains = Quadratic(*(coefficient.sum(axis=0)[None] for coefficient in gains))
    selected = largest(gains.gamma, n_selected)
    for ranking, chosen in zip(zip(*gains, strict=True), selected, strict=True):
        _keep_ranking(line, Quadratic(*ranking), chosen, conditions)
    used = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(used, np.broadcast_to(selected, (n_clusters, n_selected)), True, axis=1)
    return Centers(np.where(used, values, 0), np.where(used, rates, 0)), selected


def _keep_ranking(line: Line, gains: Quadratic, chosen: Array, conditions: Conditions) -> None:
    """Add: every chosen feature has at least the gain of every other one."""
    others = gains.at(np.delete(np.arange(len(gains.gamma)), chosen))
    step = max(1, ENTRIES // max(1, len(others.gamma)))
    for first in range(0, len(chosen), step):
        mine = gains.at(chosen[first : first + step])
        column: list[Any] = [coefficient[:, None] for coefficient in mine]
        conditions.add(*cleared(line, others.minus(Quadratic(*column))))

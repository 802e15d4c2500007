"""Sets of numbers where many quadratic inequalities hold: unions of closed intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TIED = 1e-10
"""Relative distance to the end of the set below which the observed statistic counts as lying on it."""
DITHER = "give the data with more digits, or add uniform noise of the width of a step before you cluster"
"""What to do about ties."""
MOST_NAMED = 5
"""So many rows are named in a message."""


class Conditions:
    """The set of the numbers d with alpha d^2 + beta d + gamma <= 0 for every triple that was added.

    All conditions hold at d = 0, the observed data. So a condition with alpha >= 0 leaves one interval around
    0, and one with alpha < 0 takes out at most one open interval that does not hold 0. `overflows` tells
    whether a number of a condition was not finite, so that the set means nothing.
    """

    def __init__(self) -> None:
        self.tied: set[int] = set()
        self.overflows = False
        self._low, self._high = -np.inf, np.inf
        self._gaps = np.empty((0, 2))

    def add(self, alpha: Array, beta: Array, gamma: Array) -> None:
        """Add conditions, given by arrays of one shape; gamma above 0 is rounding and counts as 0."""
        alpha, beta, gamma = (np.ravel(a) for a in np.broadcast_arrays(alpha, beta, gamma))
        gamma = np.minimum(gamma, 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            first, second, real = _roots(alpha, beta, gamma)
        # A parabola that opens upwards is at most 0 between its roots, and a line on one side of its root.
        around = alpha > 0
        linear = (alpha == 0) & (beta != 0)
        left, right = np.minimum(first, second), np.maximum(first, second)
        lows = np.concatenate([left[around], second[linear & (beta < 0)]])
        highs = np.concatenate([right[around], second[linear & (beta > 0)]])
        # The observed data, d = 0, keep all conditions: an end that rounding takes beyond 0 is 0.
        self._low = max(self._low, np.max(np.minimum(lows, 0), initial=-np.inf))
        self._high = min(self._high, np.min(np.maximum(highs, 0), initial=np.inf))
        # A parabola that opens downwards is above 0 between its roots, which are taken out.
        gap = (alpha < 0) & real & (left < right)
        found = np.concatenate([self._gaps, np.column_stack([left[gap], right[gap]])])
        found = found[(found[:, 1] > self._low) & (found[:, 0] < self._high)]
        self._gaps = _merged(found)

    def intervals(self, least: float = -np.inf) -> Array:
        """The set from `least` upwards as sorted rows (start, end), shape (m, 2)."""
        low = max(self._low, least)
        starts = np.concatenate([[low], np.maximum(self._gaps[:, 1], low)])
        ends = np.concatenate([np.minimum(self._gaps[:, 0], self._high), [self._high]])
        kept = starts < ends
        return np.column_stack([starts[kept], ends[kept]])


def explain_ties(conditions: Conditions, statistic: float, changes: Array, first: int = 0) -> str:
    """Which ties decide the p-value; empty unless the observed statistic lies on an end of its set.

    `changes` are the intervals of the statistic less the observed one, none where it alone keeps the
    clusters; rows are numbered from `first`.
    """
    if np.abs(changes).min(initial=np.inf) > TIED * abs(statistic) and len(changes):
        return ""
    rows = [str(row + first) for row in sorted(conditions.tied)]
    others = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
    named = ", ".join(rows[:MOST_NAMED]) + others
    near = f"row {named} is" if len(rows) == 1 else f"rows {named} are"
    reason = f"{near} as near to another centre" if rows else "some clusters or features are tied"
    return (
        f"the observed statistic lies on the end of the set that keeps the clusters: {reason}, as in rounded "
        f"data, and ties decide the p-value; {DITHER}"
    )


def _roots(alpha: Array, beta: Array, gamma: Array) -> tuple[Array, Array, Array]:
    """Both roots without cancellation (if alpha = 0, the second is the root), and whether they are real."""
    square = beta * beta - 4 * alpha * gamma
    # Adding numbers of one sign cancels no digits; the other root follows from the product gamma / alpha.
    q = -0.5 * (beta + np.copysign(np.sqrt(np.maximum(square, 0)), beta))
    first, second = q / alpha, gamma / q
    none = q == 0  # beta = 0 and alpha gamma = 0: a double root at 0
    return np.where(none, 0.0, first), np.where(none, 0.0, second), square > 0


def _merged(gaps: Array) -> Array:
    """Sorted open intervals without overlaps."""
    if not len(gaps):
        return gaps
    gaps = gaps[np.argsort(gaps[:, 0], kind="stable")]
    # A gap begins a new one only where all gaps before it have ended.
    reach = np.maximum.accumulate(gaps[:, 1])
    first = np.concatenate([[True], gaps[1:, 0] > reach[:-1]])
    last = np.concatenate([first[1:], [True]])
    return np.column_stack([gaps[first, 0], reach[last]])


def intersection_from(intervals: Array, least: float) -> Array:
    """The part of a union of sorted intervals from `least` upwards."""
    kept = intervals[intervals[:, 1] > least]
    return np.column_stack([np.maximum(kept[:, 0], least), kept[:, 1]])

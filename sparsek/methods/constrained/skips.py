"""Passes over constrained data that visit only rows whose cluster may change: bounds for large data.

The margin of a row is the cost of its second best cluster minus that of its own. From one pass to the next
the costs D_i(k) = c_k'x_i + sum of the S_ij with partners in k change by at most

    ||x_i|| ||change of c_k|| + sum over its partners of |change of S_ij|

while the labels of its partners stay. So the margin falls by at most the first term for its own cluster, plus
the largest first term among the other clusters, plus the second term. A row whose margin stays positive keeps
its label unless a partner changes its label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, Labels, nonzero, two_smallest
from sparsek.methods.constrained.assignment import (
    MAX_SWEEPS,
    Pattern,
    add_later,
    assign_in_order,
    ranges,
    settle,
)

MIN_ROWS = 5000
"""For fewer rows, keeping the bounds takes more time than it saves."""


@dataclass(slots=True)
class Margins:
    """Bounds and costs that one pass hands to the next."""

    values: Array  # (n,): lower bounds of the margins; -inf where unknown
    coefficients: Array  # (n_clusters, p + 1): the c_k of the last pass
    charges: Array  # (m,): the S_ij of the last pass
    changed: NDArray[np.bool_]  # (n,) bool: rows whose label the last pass changed
    tolerance: float  # Margins up to this size are within the rounding of costs
    norms: Array  # (n,): lengths of the rows, every feature divided by its spread
    spread: Array  # (p,): root mean squares of the features, 1 for constant ones
    largest: Array  # (p + 1,): largest absolute entries of the columns
    degree: int  # Largest number of partners of a row


def next_pass(
    X: Array, coefficients: Array, pattern: Pattern, charges: Array, labels: Labels, margins: Margins | None
) -> tuple[Labels, Margins | None]:
    """One pass over the rows in order, as `assign_in_order` makes it.

    Shapes: X (n, p + 1), coefficients (n_clusters, p + 1), charges (m,), labels (n,) int32; returns labels
    (n,) int32.
    """
    if margins is None:
        new = assign_in_order(coefficients @ X.T, pattern, charges, labels)
        return new, fresh_margins(X, pattern, coefficients, charges) if len(X) >= MIN_ROWS else None
    return assign_with_margins(X, coefficients, pattern, charges, labels, margins), margins


def fresh_margins(X: Array, pattern: Pattern, coefficients: Array, charges: Array) -> Margins:
    """Margins before any is known; arguments as for `next_pass`."""
    n = len(X)
    rows = X[:, :-1]
    spread = nonzero(np.sqrt(np.einsum("ij,ij->j", rows, rows) / n))
    norms = np.sqrt(np.einsum("ij,ij,j->i", rows, rows, 1 / spread**2))
    degrees = np.diff(pattern.earlier) + np.diff(pattern.later)
    return Margins(
        np.full(n, -np.inf),
        coefficients,
        charges,
        np.zeros(n, dtype=bool),
        0.0,
        norms,
        spread,
        np.maximum(X.max(axis=0), -X.min(axis=0)),
        int(degrees.max()),
    )


def assign_with_margins(
    X: Array, coefficients: Array, pattern: Pattern, charges: Array, labels: Labels, margins: Margins
) -> Labels:
    """One pass that visits only rows whose label may change; arguments as for `next_pass`."""
    _lower(margins, pattern, labels, coefficients, charges)
    due = margins.values <= margins.tolerance
    due[pattern.first[margins.changed[pattern.second]]] = True
    new = labels.copy()
    for _ in range(MAX_SWEEPS):
        rows = np.flatnonzero(due)
        costs = _costs_of(rows, X, coefficients, pattern, charges, labels, new)
        found, best, second = two_smallest(costs)
        margins.values[rows] = second - best
        moved = rows[found != new[rows]]
        new[rows] = found
        if not len(moved):
            break
        due[:] = False
        due[pattern.second[ranges(pattern.later, moved)[0]]] = True
    else:
        margins.values[:] = -np.inf
        new = settle(add_later(coefficients @ X.T, pattern, charges, labels), pattern, charges, new)
    margins.changed = new != labels
    return new


def _lower(margins: Margins, pattern: Pattern, labels: Labels, coefficients: Array, charges: Array) -> None:
    """Lower the margins by the largest possible effect of the changed costs."""
    change = coefficients - margins.coefficients
    steps = np.linalg.norm(change[:, :-1] * margins.spread, axis=1)
    shifts = np.abs(change[:, -1])
    cost = float((np.abs(coefficients) @ margins.largest).max())
    partners = margins.degree * float(np.abs(charges).max(initial=0))
    # Rounding of one cost times 8: a decision from old and new margins involves four costs.
    unit = 8 * np.finfo(np.float64).eps
    rounding = unit * (coefficients.shape[1] * cost + (margins.degree + 2) * partners)
    margins.tolerance = max(margins.tolerance, rounding)
    by_length, constant = (own + _largest_other(own) for own in (steps, shifts))
    fall = margins.norms * by_length[labels]
    fall += (constant + unit * (cost + partners))[labels]
    if charges is not margins.charges:
        step = np.abs(charges - margins.charges)
        for ends in (pattern.first, pattern.second):
            fall += np.bincount(ends, step, len(labels))
    margins.values -= fall
    margins.coefficients, margins.charges = coefficients, charges


def _largest_other(values: Array) -> Array:
    """For each entry the largest of all other entries; 0 if there is no other."""
    order = np.argsort(values)
    result = np.full_like(values, values[order[-1]])
    result[order[-1]] = values[order[-2]] if len(values) > 1 else 0
    return result


def _costs_of(
    rows: Array, X: Array, coefficients: Array, pattern: Pattern, charges: Array, old: Labels, new: Labels
) -> Array:
    """Costs of some rows, given old labels of the partners after them and new ones of those before."""
    n_clusters, r = len(coefficients), len(rows)
    after, later = ranges(pattern.later, rows)
    before, earlier = ranges(pattern.earlier, rows)
    before = pattern.slots[before]
    costs = coefficients @ (X if r == len(X) else X[rows]).T
    for labels, ends, pairs, owner in (
        (old, pattern.second, after, later),
        (new, pattern.first, before, earlier),
    ):
        cells = labels[ends[pairs]] * np.int64(r) + owner
        costs += np.bincount(cells, charges[pairs], n_clusters * r).reshape(n_clusters, r)
    return costs

"""Assignment of rows to clusters one after another; constraints use the labels already set in the pass.

Row i, from the first to the last, takes the cluster of least cost

    D_i(k) = B_ik + sum over constrained partners j with label k of S_ij,

where partners before i have their new label and partners after i their label of the previous pass. Rows are
not visited one by one: sweeps recompute at once all rows whose earlier partners changed. After t sweeps, each
row whose longest chain of earlier partners is shorter than t is final, so the result equals that of the loop.

Source: Vouros and Vasilaki (2021), equations (9), (11) and (16); Basu, Banerjee and Mooney (2004).
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, Labels, first_minimum
from sparsek.methods.constrained.constraints import PairwiseConstraints, pair_keys

MAX_SWEEPS = 64
"""Number of sweeps after which rows that may still change are visited one by one."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Constrained pairs, merged and sorted, with pointers for the sweeps."""

    n: int  # Number of rows
    first: NDArray[np.int64]  # first, second: (m,): rows of each pair, first < second, in increasing order
    second: NDArray[np.int64]
    ml: Array  # ml, cl: (m,): sums of the weights of the must-links and of the cannot-links on each pair
    cl: Array
    # (n + 1,): pairs later[i] to later[i + 1] - 1 have row i first: `second` holds its partners after it
    later: NDArray[np.int64]
    # (n + 1,): entries earlier[i] to earlier[i + 1] - 1 of `slots` are the pairs that have row i second
    earlier: NDArray[np.int64]
    slots: NDArray[np.int64]  # (m,): pairs in increasing order of the second, then the first row


def build_pattern(constraints: PairwiseConstraints) -> Pattern:
    """Merge repeated pairs, adding their weights."""
    n, n_must = constraints.n_samples, len(constraints.must_link)
    pairs = np.sort(np.vstack([constraints.must_link, constraints.cannot_link]), axis=1)
    keys, merged = np.unique(pair_keys(pairs, n), return_inverse=True)
    first, second = np.divmod(keys, n)
    ml = np.bincount(merged[:n_must], constraints.ml_weight, len(keys))
    cl = np.bincount(merged[n_must:], constraints.cl_weight, len(keys))
    later, earlier = _pointers(first, n), _pointers(second, n)
    return Pattern(n, first, second, ml, cl, later, earlier, np.argsort(second, kind="stable"))


def _pointers(rows: Array, n: int) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(np.bincount(rows, minlength=n)))


def assign_in_order(base: Array, pattern: Pattern, values: Array, labels: Labels) -> Labels:
    """One pass over the rows in order.

    Shapes: base (n_clusters, n), values (m,), labels (n,) int32; returns (n,) int32.
    """
    if not len(values):
        return first_minimum(base).astype(np.int32)
    return settle(add_later(base, pattern, values, labels), pattern, values, labels)


def add_later(base: Array, pattern: Pattern, values: Array, labels: Labels) -> Array:
    """Add to the costs those of the partners after each row, by their labels of the previous pass."""
    n_clusters, n = base.shape
    cells = labels[pattern.second] * np.int64(n) + pattern.first
    return base + np.bincount(cells, values, (n_clusters + 1) * n)[:-n].reshape(n_clusters, n)


def settle(costs: Array, pattern: Pattern, values: Array, guess: Labels) -> Labels:
    """Labels of least cost, with the cost of the partners before each row by their new labels.

    Shapes: costs (n_clusters, n), guess (n,) int32; returns (n,) int32.
    """
    labels = first_minimum(costs).astype(np.int32)
    rows = np.flatnonzero(np.diff(pattern.earlier))
    labels[rows] = np.where(guess[rows] < len(costs), guess[rows], labels[rows])
    ordered = values[pattern.slots]
    partners = pattern.first[pattern.slots]
    for _ in range(MAX_SWEEPS):
        new = _lowest(costs, pattern, ordered, partners, labels, rows)
        changed = rows[new != labels[rows]]
        labels[rows] = new
        if not len(changed):
            return labels
        flags = np.zeros(pattern.n, dtype=bool)
        flags[pattern.second[ranges(pattern.later, changed)[0]]] = True
        rows = np.flatnonzero(flags)
    return _one_by_one(costs, pattern, ordered, partners, labels, rows)


def _lowest(
    costs: Array, pattern: Pattern, ordered: Array, partners: Array, labels: Labels, rows: Array
) -> Array:
    """Clusters of least cost of some rows, given the labels of the partners before them."""
    entries, owner = ranges(pattern.earlier, rows)
    n_clusters, r = len(costs), len(rows)
    cells = labels[partners[entries]] * np.int64(r) + owner
    total = np.bincount(cells, ordered[entries], (n_clusters + 1) * r)[: n_clusters * r].reshape(
        n_clusters, r
    )
    return first_minimum(costs.take(rows, axis=1) + total)


def ranges(pointers: Array, rows: Array) -> tuple[Array, Array]:
    """Entries of the given rows, one row after another, and the position in `rows` of each entry's row."""
    starts = pointers[rows]
    counts = pointers[rows + 1] - starts
    owner = np.repeat(np.arange(len(rows)), counts)
    return np.arange(len(owner)) + np.repeat(starts - np.cumsum(counts) + counts, counts), owner


def _one_by_one(
    costs: Array, pattern: Pattern, ordered: Array, partners: Array, labels: Labels, rows: Array
) -> Labels:
    """Visit the rows that may change, in order; after a change also visit the row's later partners."""
    n_clusters = len(costs)
    result, values, before = labels.tolist(), ordered.tolist(), partners.tolist()
    earlier, later, after = pattern.earlier.tolist(), pattern.later.tolist(), pattern.second.tolist()
    due = rows.tolist()  # a sorted list is a heap
    waiting = set(due)
    while due:
        i = heapq.heappop(due)
        waiting.discard(i)
        extra = [0.0] * (n_clusters + 1)
        for e in range(earlier[i], earlier[i + 1]):
            extra[result[before[e]]] += values[e]
        total = [extra[k] + c for k, c in enumerate(costs[:, i].tolist())]
        new = total.index(min(total))
        if new == result[i]:
            continue
        result[i] = new
        for j in after[later[i] : later[i + 1]]:
            if j not in waiting:
                waiting.add(j)
                heapq.heappush(due, j)
    return np.array(result, dtype=np.int32)

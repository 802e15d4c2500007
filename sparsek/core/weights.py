"""Feature weights: under an L1 and an L2 bound or an entropy term, and when they have settled.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Section 3.1. Of groups: Chavent, Lacaille, Mourer and Olteanu (2020), "Sparse k-means for mixed data via
group-sparse clustering", ESANN.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsek.core.exact_sums import exact_sum
from sparsek.core.steps import Array, Labels

LLOYD_ITERATIONS = 300
"""Cap on Lloyd's iterations inside one step of the weights; the next step carries on from there."""


def share_of(total: float, share: float) -> int:
    """A share of a number, rounded down; rounding errors are allowed for, so that 0.29 of 100 is 29."""
    return int(np.floor(share * total * (1 + 4 * np.finfo(float).eps)))


class Weighted(Protocol):
    """Parameters of a method with feature weights."""

    @property
    def weights(self) -> Array:
        """Feature weights w, shape (p,)."""


def weights_settled(weights: Array, previous: Array | None, tol: float) -> bool:
    """Whether sum|w - w_old| <= tol * sum|w_old|; False at the first weights, where `previous` is None."""
    if previous is None:
        return False
    return exact_sum(np.abs(weights - previous)) <= tol * exact_sum(previous)


def labels_or_weights_settled(
    old: Labels, new: Labels, params: Weighted, previous: Weighted | None, *, tol: float
) -> bool:
    """Whether no label changed (the weights would repeat exactly), or `weights_settled`."""
    before = None if previous is None else previous.weights
    return np.array_equal(old, new) or weights_settled(params.weights, before, tol)


def l1_weights(a: Array, l1_bound: float, roots: Array | None = None) -> NDArray[np.float64]:
    """Weights w >= 0 that maximise w'a under ||w||_2 <= 1 and r'w <= l1_bound, found exactly by sorting.

    The maximiser is S(a, delta r) / ||S(a, delta r)||_2 with the smallest delta >= 0 that satisfies the
    bound. With D = r'r the m values above delta r get w = l1_bound r / D + sqrt(1 - l1_bound^2 / D) v. Here v
    are their deviations from the multiple of r that is nearest to them, scaled to unit L2 norm. delta itself
    is never needed. `roots` are r; None is 1 for each: the L1 bound. A bound below the root of the value that
    remains last leaves it alone, with a norm below 1.

    Shapes: a, roots (p,); returns (p,).

    Source: Witten and Tibshirani (2010), Section 3.1, iterative algorithm, weight step.
    """
    a = np.maximum(np.asarray(a, dtype=np.float64), 0)
    top = a.max()
    if top == 0:
        return np.zeros_like(a)
    # The weights depend on the direction of a alone, and squares of entries up to 1 do not overflow.
    a = a / top
    r = np.ones_like(a) if roots is None else roots
    # As delta grows, weights reach 0 in ascending order of a / r.
    order = np.argsort(-(a / r), kind="stable")
    sorted_a, sorted_r = a[order], r[order]
    norm = _norm(sorted_a)
    weights = np.zeros_like(a)
    if l1_bound <= sorted_r[0]:
        weights[order[0]] = l1_bound / sorted_r[0]
        return weights
    # By Cauchy and Schwarz no unit vector has r'w above ||r||; otherwise a / ||a|| may keep the bound itself.
    if l1_bound**2 >= np.square(r).sum() or (sorted_r * sorted_a).sum() <= l1_bound * norm:
        return a / norm
    m = _survivors(sorted_a, sorted_r, l1_bound)
    weights[order[:m]] = _bounded(sorted_a[:m], sorted_r[:m], l1_bound)
    return weights


def group_weights(a: Array, l1_bound: float, codes: NDArray[np.intp], degrees: Array) -> NDArray[np.float64]:
    """Weights w >= 0 that maximise w'a under ||w||_2 <= 1 and sum_g sqrt(d_g) ||w_g||_2 <= l1_bound.

    The maximiser shrinks every group a_g towards 0 and keeps its direction (group soft threshold), so that
    the norms of its groups maximise the same with the norms of the groups of a.

    Shapes: a, codes (p,), the group of each feature from 0; degrees d (g,); returns (p,).

    Source: Chavent, Lacaille, Mourer and Olteanu (2020), whose penalty is a bound here.
    """
    a = np.maximum(np.asarray(a, dtype=np.float64), 0)
    tops = np.zeros(len(degrees))
    np.maximum.at(tops, codes, a)
    a = a / np.where(tops > 0, tops, 1)[codes]  # squares of entries up to 1 do not overflow
    lengths = np.sqrt(np.bincount(codes, np.square(a), len(degrees)))
    found = l1_weights(tops * lengths, l1_bound, np.sqrt(degrees)) / np.where(lengths > 0, lengths, 1)
    return np.asarray(found[codes] * a)


def _norm(values: Array) -> float:
    """Length of a vector; a product of BLAS would have other last digits on other processors."""
    return float(np.sqrt(np.square(values).sum()))


def _survivors(a: Array, r: Array, l1_bound: float) -> int:
    """Number m of weights above 0: the smallest m for which delta = (a / r)_(m+1) breaks the bound.

    The values a are in descending order of a / r.
    """
    low, high = 1, len(a)
    while low < high:
        # The ratio of the two norms grows with the number of values kept, so that bisection finds the first.
        middle = (low + high) // 2
        kept = np.maximum(a[:middle] - r[:middle] * (a[middle] / r[middle]), 0)  # below 0 by rounding alone
        if (r[:middle] * kept).sum() > l1_bound * _norm(kept):
            high = middle
        else:
            low = middle + 1
    return low


def _bounded(kept: Array, r: Array, l1_bound: float) -> Array:
    """Weights of the surviving values, with r'r > l1_bound^2: r'w = l1_bound, w'w = 1."""
    total = np.square(r).sum()
    deviation = kept - r * ((r * kept).sum() / total)
    if kept[0] / r[0] == kept[-1] / r[-1]:
        # All values are equal: the limit for a first value that exceeds the others by ever less.
        deviation = r * (-r[0] / total)
        deviation[0] += 1
    level = l1_bound / total
    spread = 1 - l1_bound * level
    # With r'w = l1_bound, only multiples of r have a norm of at most 1: the rest would be rounding.
    if spread <= 4 * np.finfo(np.float64).eps:
        return np.asarray(r * level)
    weights: Array = np.maximum(r * level + np.sqrt(spread) * deviation / _norm(deviation), 0)
    return weights


def weighted_columns(X: Array, weights: Array) -> Array:
    """Prepared data with columns scaled by sqrt(w), without the columns of weight 0."""
    used = np.flatnonzero(weights)
    return scaled_columns(X, used, np.sqrt(weights[used]))


def scaled_columns(X: Array, columns: Array, factors: Array) -> Array:
    """Some columns of prepared data, times their factors; ones last."""
    chosen: Array = X.take(np.append(columns, -1), axis=1)
    chosen *= np.append(factors, 1).astype(X.dtype)
    return chosen


def softmax(dispersion: Array, gamma: float) -> Array:
    """Rows proportional to exp(-dispersion / gamma), the minimiser under the entropy term."""
    with np.errstate(over="ignore", under="ignore"):
        # With the least dispersion subtracted no exponential overflows, and the shares do not change.
        shares = np.exp((dispersion.min(axis=1, keepdims=True) - dispersion) / gamma)
        weights: Array = shares / shares.sum(axis=1, keepdims=True)
        return weights

"""Feature weights: under an L1 and an L2 bound or an entropy term, and when they have settled.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Section 3.1.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparsek.core.exact_sums import exact_sum
from sparsek.core.steps import Array, Labels

LLOYD_ITERATIONS = 300
"""Cap on Lloyd's iterations inside one step of the weights; the next step carries on from there."""


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


def l1_weights(a: Array, l1_bound: float) -> NDArray[np.float64]:
    """Weights w >= 0 that maximise w'a under ||w||_2 <= 1 and ||w||_1 <= l1_bound, found exactly by sorting.

    The maximiser is S(a, delta) / ||S(a, delta)||_2 with the smallest delta >= 0 that satisfies the L1 bound.
    The m values above delta get w = l1_bound / m + sqrt(1 - l1_bound^2 / m) v, where v are their deviations
    from their mean, scaled to unit L2 norm; delta itself is never needed.

    Shapes: a (p,); returns (p,).

    Source: Witten and Tibshirani (2010), Section 3.1, iterative algorithm, weight step.
    """
    a = np.maximum(np.asarray(a, dtype=np.float64), 0)
    top = a.max()
    if top == 0:
        return np.zeros_like(a)
    a = a / top
    order = np.argsort(-a, kind="stable")
    norm = _norm(a[order])
    if l1_bound == 1:
        weights = np.zeros_like(a)
        weights[order[0]] = 1
        return weights
    if l1_bound**2 >= len(a) or a[order].sum() <= l1_bound * norm:
        return a / norm
    m = _survivors(a[order], l1_bound)
    weights = np.zeros_like(a)
    weights[order[:m]] = _bounded(a[order[:m]], l1_bound)
    return weights


def _norm(values: Array) -> float:
    """Length of a vector; a product of BLAS would have other last digits on other processors."""
    return float(np.sqrt(np.square(values).sum()))


def _survivors(descending: Array, l1_bound: float) -> int:
    """Number m of weights above 0: the smallest m for which delta = a_(m+1) breaks the bound."""
    low, high = 1, len(descending)
    while low < high:
        middle = (low + high) // 2
        kept = descending[:middle] - descending[middle]
        if kept.sum() > l1_bound * _norm(kept):
            high = middle
        else:
            low = middle + 1
    return low


def _bounded(kept: Array, l1_bound: float) -> Array:
    """Weights of the m > l1_bound^2 surviving values: sum w = l1_bound, sum w^2 = 1, monotone in them."""
    m = len(kept)
    deviation = kept - kept.mean()
    if kept[0] == kept[-1]:
        # All values are equal: the limit for a first value that exceeds the others by ever less.
        deviation = np.full(m, -1 / m)
        deviation[0] += 1
    level = l1_bound / m
    spread = 1 - l1_bound * level
    if spread <= 4 * np.finfo(np.float64).eps:
        return np.full(m, level)
    weights: Array = np.maximum(level + np.sqrt(spread) * deviation / _norm(deviation), 0)
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
        shares = np.exp((dispersion.min(axis=1, keepdims=True) - dispersion) / gamma)
        weights: Array = shares / shares.sum(axis=1, keepdims=True)
        return weights

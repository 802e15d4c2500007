"""The bound of stability selection on false selections, with the threshold and q for a given bound."""

from __future__ import annotations

import numpy as np

from sparsek.methods.shared.sums import Array


def false_selection_bound(q: float, threshold: float, p: int) -> float:
    """Bound q^2 / ((2 pi - 1) p) on E(V): Meinshausen and Buhlmann (2010), Theorem 1."""
    return 0.0 if q == 0 else q * q / ((2 * threshold - 1) * p)


def threshold_for(q: float, expected_false: float, p: int) -> float:
    """The threshold pi at which the bound is `expected_false`; above 1 if no threshold reaches it."""
    return (1 + q * q / (expected_false * p)) / 2


def largest_q(expected_false: float, threshold: float, p: int) -> float:
    """The largest q for which the bound is at most `expected_false`."""
    return float(np.sqrt((2 * threshold - 1) * p * expected_false))


def mean_union_sizes(supports: Array) -> Array:
    """For each m, the mean number of features selected with at least one of the first m values.

    `supports` is (n_resamples, n_values, p), the features that each fit selected.
    """
    sizes: Array = np.logical_or.accumulate(supports, axis=1).sum(axis=2).mean(axis=0)
    return sizes

"""Agreement of two partitions counted over pairs of rows: Hubert & Arabie (1985), J. Classif. 2, 193-218."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import IntArray


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Numbers of pairs of rows, exact."""

    both: int  # Pairs together in both partitions
    first: int  # first, second: pairs together in the one partition and in the other
    second: int
    every: int  # All pairs, n (n - 1) / 2


def count_pairs(cells: IntArray, first: IntArray, second: IntArray) -> PairCounts:
    """Pairs of rows from a contingency table."""
    n = int(first.sum())
    both, one, other = (int((v * (v - 1) // 2).sum()) for v in (cells, first, second))
    return PairCounts(both, one, other, n * (n - 1) // 2)


def classification_error(labels: IntArray, true_labels: IntArray) -> float:
    """Share of the pairs of rows on which two partitions disagree: 1 - Rand index.

    Shapes: labels, true_labels (n,).
    """
    if len(labels) < 2:
        return math.nan
    pairs = labels.astype(np.int64) * (int(true_labels.max()) + 1) + true_labels
    cells = np.unique(pairs, return_counts=True)[1]
    counts = count_pairs(cells, np.bincount(labels), np.bincount(true_labels))
    agreeing = counts.every - counts.first - counts.second + 2 * counts.both
    return 1 - agreeing / counts.every

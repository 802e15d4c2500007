"""How much two clusterings agree: the corrected Rand index and the variation of information."""

from __future__ import annotations

import math

import numpy as np

from sparsek.bits.elementary import log
from sparsek.bits.ordered_arithmetic import FloatArray, long_sum
from sparsek.rcompat.base.factors import count_codes


def corrected_rand(first: FloatArray, second: FloatArray) -> float:
    """Hubert and Arabie's adjusted Rand index.

    Shapes: first, second (n,).
    """
    a, b, cells = _counts(first, second)
    both, of_first, of_second = _pairs(cells), _pairs(a), _pairs(b)
    n = float(len(first))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.float64(of_first * of_second) / (n * (n - 1) / 2)
        return float((both - expected) / ((of_first + of_second) / 2 - expected))


def variation_of_information(first: FloatArray, second: FloatArray) -> float:
    """Meila's variation of information, in natural units.

    Shapes: first, second (n,).

    Source: Meila (2007), section 3: both entropies less twice the mutual information.
    """
    n = len(first)
    a, b, cells = (counts / n for counts in _counts(first, second))
    shared = 0.0
    for p, q, r in np.nditer([cells, a[:, None], b[None, :]], order="C"):
        if p > 0:
            shared += float(p) * (log(float(p) / float(q * r)) if q * r else math.inf)
    return entropy(a) + entropy(b) - 2 * shared


def entropy(shares: FloatArray) -> float:
    """Entropy of shares, in natural units.

    Shapes: shares (k,).
    """
    return -long_sum(np.array([p * log(p) if p else 0.0 for p in shares.tolist()]))


def _counts(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Objects with the labels 1, 2, ..., and in the cells of the labels that occur, as R counts them.

    Shapes: first, second (n,); returns (k,), (l,), (k, l).
    """
    (levels, rows), (others, columns) = (np.unique(v, return_inverse=True) for v in (first, second))
    cells = count_codes([rows, columns], [len(levels), len(others)])
    sizes = [
        np.array([float((v == i + 1).sum()) for i in range(len(found))])
        for v, found in ((first, levels), (second, others))
    ]
    return sizes[0], sizes[1], np.asarray(cells, dtype=np.float64)


def _pairs(counts: FloatArray) -> float:
    """Number of pairs of objects in the same cell."""
    return float((counts * (counts - 1) / 2).sum())

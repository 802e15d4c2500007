"""R's ``mclust::adjustedRandIndex``."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.factors import as_factor, count_codes


def adjustedRandIndex(x: ArrayLike, y: ArrayLike) -> float:
    """Hubert and Arabie's adjusted Rand index, as R's ``mclust::adjustedRandIndex``.

    Parameters
    ----------
    x, y : array_like of shape (n,)
        Two partitions of the same objects: numbers or texts. Objects without a label in one of them (NaN or
        None) do not count.

    Returns
    -------
    float
        The index, dimensionless: 1 for equal partitions, 0 for unrelated ones on average. NaN where both
        partitions have every object on its own, or no object counts.

    Raises
    ------
    RError
        With R's message, for vectors of different length.
    ValueError
        For more or fewer than one dimension.
    TypeError
        For iterators and the like.

    See Also
    --------
    adjustedRand : Rand's index and four related ones.
    CER : R's classification error rate.

    References
    ----------
    Hubert, L. & Arabie, P. (1985). Comparing partitions. Journal of Classification 2, 193-218.

    Examples
    --------
    >>> from sparsek.rcompat import adjustedRandIndex
    >>> adjustedRandIndex([1, 1, 1, 2, 2, 3], ["a", "a", "b", "b", "c", "c"])
    0.07407407407407406
    """
    first, second = as_factor(x, "x"), as_factor(y, "y")
    if len(first.codes) != len(second.codes):
        lengths = f"x has {len(first.codes)} labels, y {len(second.codes)}"
        raise RError("arguments must be vectors of the same length", lengths)
    used = len(set(first.codes) - {-1}), len(set(second.codes) - {-1})
    if used == (1, 1):
        return 1.0
    counts = count_codes([first.codes, second.codes], [len(first.levels), len(second.levels)])
    a = _pairs(counts)
    b, c = _pairs(counts.sum(axis=1)) - a, _pairs(counts.sum(axis=0)) - a
    d = _pairs(counts.sum()) - a - b - c
    every = a + b + c + d
    expected = (a + b) * (a + c) / every if every else math.nan
    largest = (a + b + a + c) / 2 - expected
    return (a - expected) / largest if largest else math.nan


def _pairs(counts: IntArray) -> float:
    """Number of pairs of objects in the same cell."""
    return float((counts * (counts - 1) // 2).sum())

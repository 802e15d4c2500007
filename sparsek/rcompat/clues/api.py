"""R's package clues: agreement of two partitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.cluster import contingency_matrix

from sparsek.bits.caller import warn_as_r
from sparsek.errors import RError
from sparsek.metrics._counts import count_pairs
from sparsek.rcompat.base.data import RList, as_numbers, shape_of
from sparsek.rcompat.base.factors import as_labels
from sparsek.rcompat.base.printing import format_column, format_vector
from sparsek.rng import RRandom

METHODS = ("Rand", "HA", "MA", "FM", "Jaccard")
SMALLEST_DENOMINATOR = 1e-10
LARGEST_INTEGER = 2**31


class Indices(RList):
    """Result of `adjustedRand`, printed as R prints a vector with names."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(list(self.values()), dtype=dtype or np.float64)

    def __str__(self) -> str:
        return format_vector(format_column(self.values()), list(self))


def adjustedRand(
    cl1: ArrayLike,
    cl2: ArrayLike,
    randMethod: str | Sequence[str] = METHODS,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Rand's index and four related indices, as R's ``clues::adjustedRand(cl1, cl2)``.

    Parameters
    ----------
    cl1, cl2 : array_like of shape (n,)
        Two partitions of the same rows, as whole numbers.
    randMethod : str or sequence of str, default=("Rand", "HA", "MA", "FM", "Jaccard")
        Which: "Rand", "HA" (Hubert and Arabie's adjusted index), "MA" (Morey and Agresti's), "FM" (Fowlkes
        and Mallows'), "Jaccard".
    rng : RRandom, optional
        Not used: nothing is drawn.

    Returns
    -------
    RList
        The indices by name, dimensionless; NaN where 0 is divided by 0.

    Raises
    ------
    RError
        With R's message: something that is not a vector, vectors of different length, an unknown index,
        values that are missing, infinite, text or beyond R's integers.

    Warns
    -----
    RWarning
        R's warnings before the error about labels beyond its integers.

    See Also
    --------
    adjustedRandIndex : R's adjusted Rand index.

    References
    ----------
    Hubert, L. and Arabie, P. (1985). Comparing partitions. Journal of Classification 2, 193-218.
    Milligan, G. W. and Cooper, M. C. (1986). A study of the comparability of external criteria for
    hierarchical cluster analysis. Multivariate Behavioral Research 21, 441-458.

    Examples
    --------
    >>> from sparsek.rcompat import adjustedRand
    >>> adjustedRand([1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 3, 3], "Rand")["Rand"]
    0.6666666666666666
    """
    first, second = _vector(cl1, "cl1"), _vector(cl2, "cl2")
    if len(first) != len(second):
        raise RError("two vectors have different lengths!\n", f"they have {len(first)} and {len(second)}")
    wanted = (randMethod,) if isinstance(randMethod, str) else tuple(as_labels(randMethod, "randMethod"))
    unknown = [name for name in wanted if not isinstance(name, str) or name not in METHODS]
    if unknown or not wanted:
        choices = ", ".join(f"“{name}”" for name in METHODS)
        raise RError(f"'arg' should be one of {choices}", f"randMethod has {unknown or 'nothing'}")
    beyond = [bool((np.abs(labels) >= LARGEST_INTEGER).any()) for labels in (first, second)]
    for _ in range(2 * sum(beyond)):  # R converts each of them to integers twice
        warn_as_r("NAs introduced by coercion to integer range")
    for labels, bad, argument in zip((first, second), beyond, (1, 3), strict=True):
        if bad or np.isnan(labels).any():
            limits = f"labels must be present and within +-{LARGEST_INTEGER - 1}"
            raise RError(f"NAs in foreign function call (arg {argument})", limits)
    a, b = _whole(first, "cl1"), _whole(second, "cl2")
    indices = _indices(a, b)
    return Indices({name: indices[name] for name in wanted})


def _vector(values: Any, name: str) -> NDArray[np.float64]:
    """A numeric vector; matrices, text and categorical columns are refused."""
    n_dimensions = len(shape_of(values, name))
    if n_dimensions != 1 or str(getattr(values, "dtype", "")) == "category":
        raise RError(f"{name} is not a vector!\n", f"{name} must have one dimension; it has {n_dimensions}")
    return as_numbers(values, name)


def _whole(labels: NDArray[np.float64], name: str) -> NDArray[np.int64]:
    """Labels as integers."""
    if (labels != np.trunc(labels)).any():
        fraction = labels[labels != np.trunc(labels)][0]
        raise ValueError(f"{name} must hold whole numbers; got {fraction:g}: round the labels first")
    return labels.astype(np.int64)


def _indices(first: NDArray[np.int64], second: NDArray[np.int64]) -> dict[str, float]:
    """All indices from the contingency table; the numbers of pairs are exact below 2^53."""
    n = len(first)
    table = contingency_matrix(first, second) if n else np.zeros((0, 0), dtype=np.int64)
    counts = count_pairs(table, table.sum(axis=1), table.sum(axis=0))
    a, pairs = float(counts.both), float(counts.every)
    b, c = counts.first - a, counts.second - a
    rows, columns = 2.0 * counts.first + n, 2.0 * counts.second + n  # sums of squared cluster sizes
    agreed = pairs - b - c
    if n:
        ha = _divide(n * (n * n + 1) - (n + 1) * (rows + columns) + 2 * rows * columns / n, 2.0 * (n - 1))
        ma = n * (n - 1) / 2 - (rows + columns) / 2 + rows * columns / (n * n)
    else:
        ha = ma = math.nan
    return {
        "Rand": _divide(agreed, pairs),
        "HA": _adjusted(agreed, pairs, ha),
        "MA": _adjusted(agreed, pairs, ma),
        "FM": _divide(a, math.sqrt((a + b) * (a + c))),
        "Jaccard": _divide(a, a + b + c),
    }


def _adjusted(agreed: float, pairs: float, expected: float) -> float:
    """Index corrected for its expectation; 1 where the expectation is the largest possible value."""
    if abs(pairs - expected) < SMALLEST_DENOMINATOR:
        return 1.0
    return _divide(agreed - expected, pairs - expected)


def _divide(numerator: float, denominator: float) -> float:
    """The quotient; NaN for 0 by 0."""
    if denominator == 0:
        return math.nan if numerator == 0 or math.isnan(numerator) else math.copysign(math.inf, numerator)
    return numerator / denominator

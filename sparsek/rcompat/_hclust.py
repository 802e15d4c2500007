"""R's ``stats::dist`` and ``stats::hclust``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core import hclust as core
from sparsek.core.distance import exact_distances
from sparsek.errors import RError
from sparsek.rcompat._frames import as_matrix
from sparsek.rcompat._rlist import RList

FloatArray = NDArray[np.float64]


def dist(x: ArrayLike) -> FloatArray:
    """Euclidean distances between the rows, as R's ``dist(x)``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite real data.

    Returns
    -------
    ndarray of shape (n (n - 1) / 2,)
        Distances in the unit of x, pairs (1, 2), (1, 3), ..., (n - 1, n): R's order and scipy's.

    Raises
    ------
    ValueError
        For values that are not finite (R's rules for missing values are not carried over).
    TypeError
        For data that are not real numbers.

    Examples
    --------
    >>> dist([[0, 0], [3, 4], [0, 1]])
    array([5.        , 1.        , 4.24264069])
    """
    values = as_matrix(x).values
    if not np.isfinite(values).all():
        raise ValueError("x must be finite: impute or drop the rows with missing or infinite values")
    first, second = np.triu_indices(len(values), 1)
    if not len(first):
        return np.empty(0)
    return np.sqrt(exact_distances(values[first], values[second]))


def hclust(d: ArrayLike, method: str = "complete") -> RList:
    """Hierarchical clustering, as R's ``hclust(d, method)``, ties included.

    Parameters
    ----------
    d : array_like of shape (n (n - 1) / 2,) or (n, n)
        Dissimilarities, from :func:`dist` or symmetric; used as they are, not squared.
    method : {"complete", "average", "single", "centroid"}, default="complete"
        The linkage.

    Returns
    -------
    RList
        ``merge`` (n - 1, 2): objects negative, merges by their row; ``height`` (n - 1,) in the unit of d;
        ``order`` (n,) from 1.

    Raises
    ------
    RError
        With R's message: fewer than two objects, missing or infinite dissimilarities.
    ValueError
        An unknown method, or dissimilarities that are not a triangle or a symmetric square.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust
    >>> hclust(dist([[0.0], [1.0], [5.0]]), "single").merge
    array([[-1, -2],
           [-3,  1]])
    """
    if method not in core.METHODS:
        raise ValueError(f"method must be one of {', '.join(core.METHODS)}; got {method!r}")
    square = _square(np.asarray(d))
    if len(square) < 2:
        raise RError("must have n >= 2 objects to cluster", f"got {len(square)}")
    if not np.isfinite(square).all():
        raise RError("NA/NaN/Inf in foreign function call (arg 10)", "d must be finite")
    tree = core.hclust(square, method)
    return RList({"merge": tree.merge, "height": tree.height, "order": tree.order})


def _square(d: NDArray[Any]) -> FloatArray:
    """A triangle of dissimilarities as a symmetric matrix."""
    if d.dtype.kind not in "iuf":
        raise TypeError(f"d must hold real numbers; got dtype {d.dtype}")
    if d.ndim == 2 and d.shape[0] == d.shape[1] and np.array_equal(d, d.T, equal_nan=True):
        return d.astype(np.float64)
    n = (1 + math.isqrt(1 + 8 * d.size)) // 2
    if d.ndim != 1 or n * (n - 1) // 2 != d.size:
        raise ValueError(f"d must hold n (n - 1) / 2 dissimilarities or be symmetric; got shape {d.shape}")
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = d
    return square + square.T

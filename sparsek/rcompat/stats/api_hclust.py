"""R's ``stats::dist``, ``stats::hclust`` and ``stats::cutree``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.numerics.ordered_arithmetic import exact_distances
from sparsek.rcompat.base.data import RList, as_fit, as_matrix, as_numbers
from sparsek.rcompat.stats import agglomeration as core

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
    with np.errstate(over="ignore"):  # infinite as in R
        return np.sqrt(exact_distances(values[first], values[second]))


def hclust(d: ArrayLike, method: str = "complete") -> RList:
    """Hierarchical clustering, as R's ``hclust(d, method)``, ties included.

    Parameters
    ----------
    d : array_like of shape (n (n - 1) / 2,) or (n, n)
        Dissimilarities, from :func:`dist` or symmetric; used as they are, not squared.
    method : str, default="complete"
        The linkage: "complete", "average", "single", "centroid", "ward.D", "mcquitty" or "median".

    Returns
    -------
    RList
        ``merge`` (n - 1, 2): objects negative, merges by their row; ``height`` (n - 1,) in the unit of d;
        ``order`` (n,) from 1; ``method``.

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
    if not isinstance(method, str) or method not in core.METHODS:
        raise ValueError(f"method must be one of {', '.join(core.METHODS)}; got {method!r}")
    square = _square(as_numbers(d, "d"))
    if len(square) < 2:
        raise RError("must have n >= 2 objects to cluster", f"got {len(square)}")
    if not np.isfinite(square).all():
        raise RError("NA/NaN/Inf in foreign function call (arg 10)", "d must be finite")
    tree = core.run_hclust(square, method)
    return RList({"merge": tree.merge, "height": tree.height, "order": tree.order})


def cutree(tree: Mapping[str, Any], k: ArrayLike | None = None, h: ArrayLike | None = None) -> IntArray:
    """Cut a tree into groups, as R's ``cutree``.

    Parameters
    ----------
    tree : RList
        Result of `hclust`, or ``hc`` of a `HierarchicalSparseCluster`.
    k : int or array_like of shape (m,), optional
        Numbers of groups, from 1 to n; fractions are cut off.
    h : float or array_like of shape (m,), optional
        Heights to cut at, in the unit of the tree's; ignored where `k` is given. As in R an infinite height
        leaves every object on its own.

    Returns
    -------
    ndarray of int64, shape (n,) or (n, m)
        Groups, numbered from 1 by their first object; a column per cut where several are asked for.

    Raises
    ------
    RError
        With R's message: neither `k` nor `h`, `k` out of range, heights that are not sorted and `h` given.
    ValueError
        `k` or `h` empty, missing or not a vector, or a tree that is none.

    Examples
    --------
    >>> from sparsek.rcompat import cutree, dist, hclust
    >>> tree = hclust(dist([[0.0], [1.0], [5.0]]), "single")
    >>> cutree(tree, k=2)
    array([1, 1, 2])
    >>> cutree(tree, h=[0.5, 2])
    array([[1, 1],
           [2, 1],
           [3, 2]])
    """
    tree = as_fit(tree, {"merge", "height"}, "tree", "hclust")
    merge, height = as_numbers(tree["merge"], "merge").astype(np.int64), as_numbers(tree["height"], "height")
    n = len(merge) + 1
    if merge.shape != (n - 1, 2) or height.shape != (n - 1,):
        raise ValueError(
            f"tree must hold merge (n - 1, 2) and height (n - 1,); got {merge.shape}, {height.shape}"
        )
    if k is None and h is None:
        raise RError(
            "either 'k' or 'h' must be specified", "k is the number of groups, h the height to cut at"
        )
    if k is not None:
        wanted = np.floor(_cuts(k, "k"))
        if wanted.min() < 1 or wanted.max() > n:
            message = f"elements of 'k' must be between 1 and {n}"
            raise RError(message, f"got {wanted.min():g} to {wanted.max():g}")
        counts = wanted.astype(np.int64)
        if h is not None and 1 < len(counts) != np.size(h):
            message = "length of 'dimnames' [2] not equal to array extent"
            raise RError(message, "k decides alone: leave h out")
    else:
        if np.isnan(height).any():
            raise RError("missing value where TRUE/FALSE needed", "the heights must not be missing")
        if (np.diff(height) < 0).any():
            message = "the 'height' component of 'tree' is not sorted (increasingly)"
            raise RError(message, "the centroid linkage can do that: cut it into a number of groups, k")
        cuts = _cuts(h, "h")
        counts = n - np.searchsorted(height, cuts, side="right")
        counts[cuts == np.inf] = n
    groups = core.cut(merge, counts)
    return groups[:, 0] if len(counts) == 1 else groups


def _cuts(value: Any, name: str) -> FloatArray:
    """Numbers or heights to cut at, as a vector without missing values."""
    cuts = np.atleast_1d(as_numbers(value, name))
    if cuts.ndim != 1 or cuts.size == 0 or np.isnan(cuts).any():
        raise ValueError(f"{name} must be a number or a vector of numbers; got {value!r}")
    return cuts


def _square(d: FloatArray) -> FloatArray:
    """A triangle of dissimilarities as a symmetric matrix."""
    if d.ndim == 2 and d.shape[0] == d.shape[1] and np.array_equal(d, d.T, equal_nan=True):
        return d
    n = (1 + math.isqrt(1 + 8 * d.size)) // 2
    if d.ndim != 1 or n * (n - 1) // 2 != d.size:
        raise ValueError(f"d must hold n (n - 1) / 2 dissimilarities or be symmetric; got shape {d.shape}")
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = d
    return square + square.T

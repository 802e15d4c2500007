"""R's ``as.dist``, ``cophenetic`` and ``rect.hclust``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.ordered_arithmetic import long_mean
from sparsek.errors import RError, RWarning
from sparsek.plots._hclust import PALETTE, draw_tree
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_fit, as_flag, as_matrix, as_numbers, as_vector
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.stats.api_hclust import cutree
from sparsek.rcompat.stats.dendrogram.dendrograms import (
    Dendrogram,
    from_merges,
    leaves_of,
    objects_of,
    pair_heights,
)
from sparsek.rcompat.stats.distances.api_dist import Dist, as_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

OF_TREE, OF_DENDROGRAM = "as.dist(m = out + t(out))", "as.dist(m = m)"
"""The calls that R keeps in the results of ``cophenetic``."""
NO_COUNT = "missing value where TRUE/FALSE needed"
LEFT, RIGHT = 0.66, 0.33
"""Places of a rectangle's sides after the last object before it, and after its own last object."""


def as_dist(
    m: ArrayLike, diag: bool | None = None, upper: bool | None = None, *, call: str | None = None
) -> Dist:
    """A matrix of dissimilarities as those of the pairs, as R's ``as.dist(m, diag, upper)``.

    Parameters
    ----------
    m : array_like or data frame of shape (n, n), or Dist
        Dissimilarities, of which the part below the diagonal is read; it need not be symmetric.
    diag, upper : bool, optional
        Whether the diagonal and the upper triangle are printed. Default: no; of a Dist, as before.
    call : str, optional

    Returns
    -------
    Dist of shape (n (n - 1) / 2,)
        Dissimilarities in the unit of m, pairs (1, 2), (1, 3), ..., (n - 1, n). The names of the rows of m,
        or else those of its columns, are the labels.

    Raises
    ------
    RError
        With the message of R's print: `diag` or `upper` missing.
    TypeError
        For data that are not real numbers.
    ValueError
        For an empty matrix, and for one with at least two rows more than columns, of which R makes distances
        that it cannot print.

    Warns
    -----
    RWarning
        The matrix is not square.

    See Also
    --------
    dist : Distances between the rows.

    Examples
    --------
    >>> from sparsek.rcompat import as_dist, hclust
    >>> d = as_dist([[0, 1, 4], [1, 0, 2], [4, 2, 0]])
    >>> d
    Dist([1., 4., 2.])
    >>> hclust(d, "single").height
    array([1., 2.])
    """
    if isinstance(m, Dist):
        given = {"Diag": diag, "Upper": upper}
        changed = {name: as_flag(flag, name.lower()) for name, flag in given.items() if flag is not None}
        return as_class(np.array(m), m.attributes | changed)
    matrix = as_matrix(m, "m")
    n, columns = matrix.values.shape
    if n > columns + 1:
        raise ValueError(f"m must be square; got shape {(n, columns)}: a matrix of all pairs is needed")
    if n != columns:
        warnings.warn("non-square matrix", RWarning, stacklevel=2)
    names = matrix.row_names or matrix.column_names
    attributes: dict[str, Any] = {} if names is None else {"Labels": names}
    written = {} if call is None else {"call": Call(call.replace("as.dist(", "as.dist.default(", 1))}
    attributes |= {
        "Size": n,
        **written,
        "Diag": as_flag(diag or False, "diag"),
        "Upper": as_flag(upper or False, "upper"),
    }
    later, earlier = np.triu_indices(n, 1)[::-1]
    return as_class(matrix.values[later, earlier], attributes)


def cophenetic(x: Mapping[str, Any] | Dendrogram) -> Dist:
    """Heights at which the pairs of objects of a tree are merged, as R's ``cophenetic``.

    Parameters
    ----------
    x : RList or Dendrogram
        Result of :func:`hclust`, ``hc`` of a `HierarchicalSparseCluster`, or a dendrogram, of n objects.

    Returns
    -------
    Dist of shape (n (n - 1) / 2,)
        The heights, in the unit of the tree's, pairs (1, 2), (1, 3), ..., (n - 1, n), with the tree's labels.
        Of a dendrogram the leaves stand from left to right, and are always named.

    Raises
    ------
    TypeError
        For anything but a tree.

    See Also
    --------
    hclust : R's hierarchical clustering.

    References
    ----------
    Sokal, R. R. & Rohlf, F. J. (1962). The comparison of dendrograms by objective methods. Taxon 11, 33-40.

    Examples
    --------
    >>> from sparsek.rcompat import cophenetic, cor, dist, hclust
    >>> d = dist([[0.0], [1.0], [5.0]])
    >>> cophenetic(hclust(d, "average"))
    Dist([1. , 4.5, 4.5])
    """
    if isinstance(x, Dendrogram):
        names = [str(leaf.attributes["label"]) for leaf in leaves_of(x)]
        d = as_dist(pair_heights(x), call=OF_DENDROGRAM)
        return as_class(np.asarray(d), {"Labels": names} | d.attributes)
    tree = as_fit(x, {"merge", "height"}, "x", "hclust")
    dendrogram = from_merges(_merges(tree), as_numbers(tree["height"], "height"), None)
    places = np.argsort(objects_of(dendrogram))
    d = as_dist(pair_heights(dendrogram)[np.ix_(places, places)], call=OF_TREE)
    labels = {} if tree.get("labels") is None else {"Labels": tree["labels"]}
    return as_class(np.asarray(d), labels | d.attributes)


def rect_hclust(
    tree: Mapping[str, Any],
    k: float | None = None,
    which: ArrayLike | None = None,
    x: ArrayLike | None = None,
    h: float | None = None,
    border: int | str | Sequence[int | str] = 2,
    cluster: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
) -> list[RArray]:
    """Draw rectangles around the groups of a tree, as R's ``rect.hclust``.

    Parameters
    ----------
    tree : RList
        Result of :func:`hclust` of n objects.
    k : int, optional
        Number of groups, from 2 to n - 1; fractions are cut off. Give `k` or `h`.
    which : array_like of int, optional
        The groups to draw, counted from 1 from the left. Default: all.
    x : array_like of float, optional
        Instead of `which`: horizontal places in the groups, the objects standing at 1 to n.
    h : float, optional
        Height to cut at, in the unit of the tree's.
    border : int, str or sequence of them, default=2
        Colours of the rectangles: numbers in R's palette or names; used again and again.
    cluster : array_like of shape (n,), optional
        The groups, where they are known; default those of `cutree`.
    ax : matplotlib Axes, optional
        Where the tree is drawn; default a new figure, in which the tree is drawn first.

    Returns
    -------
    list of RArray
        The objects of every group drawn, from 1, with the tree's labels as names.

    Raises
    ------
    RError
        With R's message: both or none of `k` and `h`, both `which` and `x`, more than one `k` or `h`, groups
        that there are not.
    TypeError
        For anything but a tree.
    ValueError
        For `which` below 1, places that are missing or left of the first group, and `cluster` of another
        length or with other numbers than 1 to k.
    ImportError
        Without matplotlib, when no axes are given.

    Warns
    -----
    RWarning
        With R's message: no height is below `h`.

    See Also
    --------
    hclust : R's hierarchical clustering.
    cutree : Cut a tree into groups.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust, rect_hclust
    >>> tree = hclust(dist([[0.0], [1.0], [5.0]]))
    >>> rect_hclust(tree, k=2)  # doctest: +SKIP
    [RArray([3]), RArray([1, 2])]
    """
    tree = as_fit(tree, {"merge", "height", "order"}, "tree", "hclust")
    height, order = as_numbers(tree["height"], "height"), as_numbers(tree["order"], "order").astype(np.int64)
    count = _number_of_groups(k, h, height)
    groups = _groups(tree, int(count), cluster)
    present, first, sizes = np.unique(groups[order - 1], return_index=True, return_counts=True)
    from_left = np.argsort(first)
    ends = np.concatenate([[0], np.cumsum(sizes[from_left])])
    chosen = _chosen(which, x, ends, count)
    if ax is None:
        ax = draw_tree(_merges(tree), height, order, labels=tree.get("labels"))
    top = long_mean(height[::-1][int(count) - 2 : int(count)])
    _draw(ax, ends[chosen] + LEFT, ends[chosen + 1] + RIGHT, top, border)
    labels = None if cluster is not None else tree.get("labels")
    rows = [np.flatnonzero(groups == group) for group in present[from_left][chosen]]
    return [RArray(r + 1, names=None if labels is None else [labels[i] for i in r]) for r in rows]


def _merges(tree: Mapping[str, Any]) -> IntArray:
    """The merges of a tree."""
    return as_numbers(tree["merge"], "merge").astype(np.int64)


def _number_of_groups(k: Any, h: Any, height: FloatArray) -> float:
    """Number of groups: given, or at a height."""
    vectors = {name: as_vector(v, name) for name, v in (("k", k), ("h", h)) if v is not None}
    for name, vector in vectors.items():
        if len(vector) > 1:
            raise RError("'k' and 'h' must be a scalar", f"{name} has {len(vector)} numbers")
    if len(vectors) != 1:
        raise RError(
            "specify exactly one of 'k' and 'h'", "k is the number of groups, h the height to cut at"
        )
    given = vectors["h" if k is None else "k"]
    if k is None:
        below = np.flatnonzero(height[::-1] < (given[0] if len(given) else np.nan))
        if not len(below):
            warnings.warn("no non-missing arguments to min; returning Inf", RWarning, stacklevel=3)
        count = max(2.0, float(below[0] + 1)) if len(below) else np.inf
    else:
        count = float(given[0]) if len(given) else np.nan
    if np.isnan(count):
        raise RError(NO_COUNT, "k must be a number")
    if count < 2 or count > len(height):
        raise RError(f"k must be between 2 and {len(height)}", f"got {count:g}")
    return count


def _groups(tree: Mapping[str, Any], count: int, cluster: ArrayLike | None) -> IntArray:
    """The group of every object, from 1."""
    if cluster is None:
        return np.asarray(cutree(tree, k=count))
    groups = as_vector(cluster, "cluster")
    n = len(_merges(tree)) + 1
    if len(groups) != n or sorted(set(groups.tolist())) != list(range(1, count + 1)):
        raise ValueError(f"cluster must hold {n} numbers from 1 to {count}, each of these; got {cluster!r}")
    return groups.astype(np.int64)


def _chosen(which: ArrayLike | None, x: ArrayLike | None, ends: IntArray, count: float) -> IntArray:
    """The groups to draw, from 0 from the left."""
    if which is not None and x is not None:
        raise RError("specify exactly one of 'which' and 'x'", "which has the groups, x places in them")
    if which is None and x is None:
        return np.arange(len(ends) - 1)
    if which is not None:
        wanted, name = as_vector(which, "which"), "which"
    else:
        wanted, name = np.searchsorted(ends, as_vector(x, "x")).astype(np.float64), "x"
    if (wanted > count).any():
        message = f"all elements of 'which' must be between 1 and {int(count)}"
        raise RError(message, f"{name} is {which if x is None else x!r}")
    if np.isnan(wanted).any():
        raise RError(NO_COUNT, "which must not be missing")
    if (wanted < 1).any():
        raise ValueError(f"{name} must name groups from the first on; got {which if x is None else x!r}")
    return wanted.astype(np.int64) - 1


def _colors(border: Any) -> list[Any]:
    """The colours of a vector: numbers of R's palette, or names."""
    from matplotlib.colors import is_color_like

    several = isinstance(border, list | tuple) or (isinstance(border, np.ndarray) and border.ndim > 0)
    colors = list(border) if several else [border]
    for color in colors:
        whole = isinstance(color, int | np.integer) and not isinstance(color, bool)
        if not whole and not (isinstance(color, str) and is_color_like(color)):
            raise ValueError(f"border must be colours, by name or by whole number; got {border!r}")
    if not colors:
        raise ValueError("border must have at least one colour; got none")
    return colors


def _draw(ax: Axes, left: FloatArray, right: FloatArray, top: float, border: Any) -> None:
    """Draw rectangles from the bottom of the axes."""
    bottom = ax.get_ylim()[0]
    colors = _colors(border)
    for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        color = colors[i % len(colors)]
        color = color if isinstance(color, str) else PALETTE[(color - 1) % len(PALETTE)]
        outline = [a, b, b, a, a], [bottom, bottom, top, top, bottom]
        ax.plot(*outline, color=color, linewidth=1, clip_on=False)

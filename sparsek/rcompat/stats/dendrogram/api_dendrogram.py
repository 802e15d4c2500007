"""R's ``as.dendrogram`` and what scripts do with a dendrogram: cut it, turn it, read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.inputs.containers import as_array, unmasked
from sparsek.rcompat.base.arrays import RArray, names_of
from sparsek.rcompat.base.data import as_flag, as_numbers, as_vector
from sparsek.rcompat.base.values.functions import partial_of
from sparsek.rcompat.stats.agglomeration import Merges, drawing_order
from sparsek.rcompat.stats.api_hclust import Tree, as_tree
from sparsek.rcompat.stats.dendrogram import dendrograms as core
from sparsek.rcompat.stats.dendrogram.dendrograms import Dendrogram
from sparsek.rcompat.stats.distances.api_dist import Dist

TWINS = ({"ac"}, {"dc"})
"""Fields by which the results of ``agnes`` and ``diana`` are known."""
CONTENTS = "'merge' matrix has invalid contents"
MISSING = "missing value where TRUE/FALSE needed"


def as_dendrogram(object: Any, hang: float = -1, check: bool = True) -> Dendrogram:
    """Give a tree as R's ``as.dendrogram`` gives it.

    Parameters
    ----------
    object : Tree, AgnesResult, DianaResult or Dendrogram
        Result of :func:`hclust`, :func:`agnes` or :func:`diana`, or ``hc`` of a `HierarchicalSparseCluster`.
    hang : float, default=-1
        How far leaves are below their merges, as a share of the root's height; negative: they are at 0.
    check : bool, default=True
        As in R; here the merges are always checked.

    Returns
    -------
    Dendrogram
        Branches, and ``attributes`` by R's names: ``"height"`` in the unit of the tree's, ``"members"``,
        ``"midpoint"``, and of leaves ``"label"`` and ``"leaf"``.

    Raises
    ------
    RError
        With R's message: an object of another class, merges that are no tree, heights of another number,
        `hang` missing.

    See Also
    --------
    cut : Cut a dendrogram.
    reorder : Turn branches by weights.
    sparsek.plots.plot_dendrogram : Draw a tree.

    Examples
    --------
    >>> from sparsek.rcompat import as_dendrogram, dist, hclust
    >>> tree = as_dendrogram(hclust(dist([[0.0], [1.0], [5.0]])))
    >>> tree
    'dendrogram' with 2 branches and 3 members total, at height 5
    >>> [leaf.value for leaf in tree[1]]
    [1, 2]
    """
    if isinstance(object, Dendrogram):
        return object
    as_flag(check, "check")
    if not isinstance(object, Mapping) or not {"merge", "height", "order"} <= set(object):
        kind = type(object).__name__
        message = f"no applicable method for 'as.dendrogram' applied to an object of class \"{kind}\""
        raise RError(message, "give a result of hclust, agnes or diana")
    tree = as_hclust(object)
    far = as_vector(hang, "hang")
    if len(far) != 1:
        raise RError("the condition has length > 1", f"hang must be one number; got {len(far)}")
    if np.isnan(far[0]):
        raise RError(MISSING, "hang must be a number")
    return core.from_merges(*_checked(tree), tree.get("labels"), float(far[0]))


def _checked(tree: Mapping[str, Any]) -> tuple[IntArray, FloatArray]:
    """The merges and heights of a tree, every object and every merge but the last one once."""
    merge, height = as_numbers(tree["merge"], "merge"), as_vector(tree["height"], "height")
    if merge.shape != (len(height), 2) or not len(height):
        raise RError("'height' is of wrong length", f"merge has shape {merge.shape}, height {height.shape}")
    n = len(height) + 1
    each = [*range(-n, 0), *range(1, n - 1)]
    if np.sort(merge.ravel()).tolist() != each or (merge > np.arange(n - 1)[:, None]).any():
        raise RError(CONTENTS, "each object and each earlier merge must be in it once")
    return merge.astype(np.int64), height


def as_hclust(x: Any, *, call: str | None = None) -> Tree:
    """Give a tree as :func:`hclust` gives it, as R's ``as.hclust``.

    Parameters
    ----------
    x : Dendrogram, AgnesResult, DianaResult or Tree
        The tree; a result of :func:`hclust` stays as it is.
    call : str, optional
        What the field ``call`` holds for a dendrogram; by default this call as R would write it.

    Returns
    -------
    Tree
        As of :func:`hclust`. The heights are sorted, those of :func:`agnes` and :func:`diana` without their
        merges, as in R. Of a dendrogram ``method`` and ``dist.method`` are "NA".

    Raises
    ------
    RError
        With R's message: an object of another class, a leaf, a dendrogram of other objects than 1 to n, or
        with a merge above its root.

    See Also
    --------
    as_dendrogram : The reverse.
    cutree : Cut a tree into groups.

    Examples
    --------
    >>> from sparsek.rcompat import agnes, as_hclust, cutree
    >>> cutree(as_hclust(agnes([[1.0], [2.0], [4.0], [8.0]])), k=2)
    RArray([1, 1, 1, 2])
    """
    if isinstance(x, Dendrogram):
        return _from_dendrogram(x, call)
    fields = set(x) if isinstance(x, Mapping) else set()
    if not {"merge", "height", "order"} <= fields:
        raise RError("argument 'x' cannot be coerced to class \"hclust\"", "give a tree")
    if not any(own <= fields for own in TWINS):
        return x  # type: ignore[no-any-return]
    names = x.get("order.lab")
    labels = None if names is None else [str(names[i]) for i in np.argsort(x["order"])]
    known = getattr(x["diss"], "attributes", {})
    tree = Merges(x["merge"], np.sort(as_vector(x["height"], "height")), x["order"])
    return as_tree(tree, labels, x.get("method", "NA"), x.get("call"), known.get("Metric"))


def _from_dendrogram(x: Dendrogram, call: str | None) -> Tree:
    """A dendrogram as a result of hclust."""
    if not x:
        raise RError("is.list(x) is not TRUE", "a leaf is no tree")
    order = core.objects_of(x)
    n = len(order)
    if sorted(order.tolist()) != list(range(1, n + 1)):
        message = f'dendrogram entries must be 1,2,..,{n} (in any order), to be coercible to "hclust"'
        raise RError(message, f"they are {order}")
    merge, height = core.as_merges(x)
    if (merge == len(merge)).any():
        raise RError("ii[n.h] == 1L is not TRUE", "a merge is above the last one")
    named = np.array(labels(x))[np.argsort(order)].astype(str).tolist()
    written = None if call is None else call.replace("as.hclust(", "as.hclust.dendrogram(", 1)
    return as_tree(Merges(merge, height, order), named, "NA", written, "NA")


def labels(object: Dendrogram | Dist) -> RArray | None:
    """Labels of the leaves from left to right, as R's ``labels`` of a dendrogram; those of distances.

    Parameters
    ----------
    object : Dendrogram or Dist
        A tree of n leaves, or the distances of n objects.

    Returns
    -------
    RArray of shape (n,), or None
        Texts; or the numbers of the leaves, where they have no names. None for distances without names.

    Raises
    ------
    TypeError
        For anything else.

    See Also
    --------
    order_dendrogram : The objects from left to right.

    Examples
    --------
    >>> from sparsek.rcompat import RArray, as_dendrogram, dist, hclust, labels
    >>> x = RArray([[0.0], [1.0], [5.0]], dimnames=(["a", "b", "c"], None))
    >>> labels(as_dendrogram(hclust(dist(x)))).tolist()
    ['c', 'a', 'b']
    """
    if isinstance(object, Dist):
        names = object.attributes.get("Labels")
        return None if names is None else RArray(names)
    return RArray([leaf.attributes["label"] for leaf in core.leaves_of(given_dendrogram(object, "object"))])


def nobs(object: Dendrogram) -> int:
    """Number of leaves, as R's ``nobs`` of a dendrogram.

    Parameters
    ----------
    object : Dendrogram
        The tree.

    Returns
    -------
    int
        The number.

    Raises
    ------
    TypeError
        For anything but a dendrogram.

    See Also
    --------
    labels : Labels of the leaves.

    Examples
    --------
    >>> from sparsek.rcompat import as_dendrogram, dist, hclust, nobs
    >>> nobs(as_dendrogram(hclust(dist([[0.0], [1.0], [5.0]]))))
    3
    """
    return int(given_dendrogram(object, "object").attributes["members"])


def rev(x: Any) -> Any:
    """Turn a dendrogram or a vector round, as R's ``rev``.

    Parameters
    ----------
    x : Dendrogram, array_like of shape (n,) or None
        What is turned round; None is R's NULL.

    Returns
    -------
    Dendrogram, RArray of shape (n,) or None
        The dendrogram with its branches from right to left, or the entries from last to first with their
        names; None for None.

    Raises
    ------
    ValueError
        For an array of more dimensions.
    TypeError
        For complex numbers, and for what is no vector.

    See Also
    --------
    reorder : Turn branches by weights.

    Examples
    --------
    >>> from sparsek.rcompat import as_dendrogram, dist, hclust, order_dendrogram, rev
    >>> order_dendrogram(rev(as_dendrogram(hclust(dist([[0.0], [1.0], [5.0]])))))
    array([2, 1, 3])
    """
    if x is None:
        return None
    if isinstance(x, Dendrogram):
        return core.folded(x, lambda node, two: core.with_branches(node, two[::-1]) if node else node)
    names = names_of(x)
    if issparse(x):
        raise ValueError("x must be a dendrogram or a vector; got a sparse matrix")
    values = as_array(unmasked(x, "x", holes=True), "x")
    if values.dtype.kind == "c" or (values.ndim == 0 and values.dtype.kind == "O"):
        got = values.dtype if values.ndim else type(x).__name__
        raise TypeError(f"x must hold real numbers or texts; got {got}")
    values = np.atleast_1d(values)
    if values.ndim != 1:
        raise ValueError(f"x must be a dendrogram or a vector; got shape {values.shape}")
    return RArray(values[::-1], names=None if names is None else names[::-1])


def reorder(x: Dendrogram, wts: ArrayLike, agglo_FUN: str | Callable[..., Any] = "sum") -> Dendrogram:
    """Turn the branches of a dendrogram by weights, as R's ``reorder`` of a dendrogram.

    Parameters
    ----------
    x : Dendrogram
        The tree.
    wts : array_like of shape (n,)
        Weights of the objects, in any unit.
    agglo_FUN : str or callable, default="sum"
        What makes the weight of a node of those of its branches: a function or its name.

    Returns
    -------
    Dendrogram
        At every node the branch of smaller weight is left; equal ones stay as they are, missing ones are
        right. The weights are the attributes ``"value"``.

    Raises
    ------
    RError
        With R's message: a function that there is not, or results that are not single numbers.
    TypeError
        For anything but a dendrogram, or weights that are not numbers.

    See Also
    --------
    order_dendrogram : The objects from left to right.
    heatmap : A picture between two trees, ordered by means.

    Examples
    --------
    >>> from sparsek.rcompat import as_dendrogram, dist, hclust, order_dendrogram, reorder
    >>> order_dendrogram(reorder(as_dendrogram(hclust(dist([[0.0], [1.0], [5.0]]))), [3, 2, 9]))
    array([2, 1, 3])
    """
    tree = given_dendrogram(x, "x")
    return core.by_weights(tree, as_vector(wts, "wts"), partial_of(agglo_FUN, name="agglo_FUN"))


def order_dendrogram(x: Any) -> IntArray:
    """Objects from left to right, as R's ``order.dendrogram``.

    Parameters
    ----------
    x : Dendrogram or Tree
        Of n objects; a result of :func:`hclust`, or ``hc`` of a `HierarchicalSparseCluster`, stands for its
        dendrogram.

    Returns
    -------
    ndarray of int64, shape (n,)
        The objects, from 1.

    Raises
    ------
    TypeError
        For anything but a tree.

    See Also
    --------
    as_dendrogram : R's dendrograms.
    hclust : R's hierarchical clustering.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust, order_dendrogram
    >>> order_dendrogram(hclust(dist([[0.0], [1.0], [5.0]])))
    array([3, 1, 2])
    """
    if isinstance(x, Dendrogram):
        return core.objects_of(x)
    if not isinstance(x, Mapping) or not {"merge", "height"} <= set(x):
        raise TypeError(f"x must be a result of hclust; got {type(x).__name__}")
    return drawing_order(as_numbers(x["merge"], "merge").astype(np.int64))


def given_dendrogram(x: Any, name: str, remedy: str = ": make it by as_dendrogram") -> Dendrogram:
    """A dendrogram given as an argument."""
    if not isinstance(x, Dendrogram):
        raise TypeError(f"{name} must be a dendrogram{remedy}; got {type(x).__name__}")
    return x

"""R's ``stats::hclust`` and ``stats::cutree``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import as_array
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList, as_fit, as_numbers, as_vector
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.printing import as_character
from sparsek.rcompat.stats import agglomeration as core
from sparsek.rcompat.stats.distances.api_dist import Dist
from sparsek.rcompat.stats.distances.pairs import n_objects

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LARGEST_SQUARED = 1e150
"""From this dissimilarity on R finds no neighbours in the squares."""
UNEQUAL_NAMES = "length of 'dimnames' [2] not equal to array extent"
"""R's message where the cuts and their names differ in number."""


class Tree(RList):
    """A tree: result of R's ``hclust``, printed as R prints it."""

    r_class = ("hclust",)

    def __str__(self) -> str:
        call, measure = self["call"], self["dist.method"]
        text = "".join(call.lines()) if isinstance(call, Call) else "NULL"
        distance = "" if measure is None else f"Distance         : {measure} \n"
        return (
            f"\nCall:\n{text}\n\nCluster method   : {self['method']} \n{distance}"
            f"Number of objects: {len(self['height']) + 1} \n"
        )


def hclust(
    d: ArrayLike,
    method: str = "complete",
    members: ArrayLike | None = None,
    *,
    call: str | None = None,
) -> Tree:
    """Hierarchical clustering, as R's ``hclust(d, method, members)``, ties included.

    Parameters
    ----------
    d : array_like of shape (n (n - 1) / 2,) or (n, n)
        Dissimilarities, from :func:`dist` or symmetric; used as they are, not squared.
    method : str, default="complete"
        The linkage: "ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median" or "centroid";
        may be abbreviated. "ward" means "ward.D", as in R. "ward.D2" squares the dissimilarities first and
        takes the roots of the heights.
    members : array_like of shape (n,), optional
        Positive numbers of observations that the objects stand for. Default: 1 each.
    call : str, optional

    Returns
    -------
    Tree
        ``merge`` (n - 1, 2): objects negative, merges by their row; ``height`` (n - 1,) in the unit of d;
        ``order`` (n,) from 1; ``labels``, names of the rows or None; ``method``; ``call``; ``dist.method``,
        the method of :func:`dist`, or None.

    Raises
    ------
    RError
        With R's message: fewer than two objects, missing or infinite dissimilarities, an unknown or ambiguous
        method, `members` of another length, missing or infinite.
    ValueError
        Dissimilarities that are not a triangle or a symmetric square, `members` that are not positive, or
        dissimilarities of 1e150 or more with "ward.D2", where R's answer is no tree.

    See Also
    --------
    dist : Distances between the rows.
    cutree : Cut a tree into groups.
    sparsek.SparseAgglomerativeClustering : A tree of the rows on few features.

    References
    ----------
    Murtagh, F. & Legendre, P. (2014). Ward's hierarchical agglomerative clustering method: which algorithms
    implement Ward's criterion? Journal of Classification 31, 274-295.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust
    >>> tree = hclust(dist([[0.0], [1.0], [5.0]]), "sing")
    >>> tree.merge
    array([[-1, -2],
           [-3,  1]])
    >>> tree.method, tree.dist_method
    ('single', 'euclidean')
    """
    full = "ward.D" if method == "ward" else partial_match(method, core.METHODS)
    if full is None:
        raise RError(f"invalid clustering method {method}", f"give one of {', '.join(core.METHODS)}")
    values = as_numbers(d, "d")
    n = n_objects(values, "d")
    if n < 2:
        raise RError("must have n >= 2 objects to cluster", f"got {n}")
    sizes = None if members is None else _sizes(members, n)
    if not np.isfinite(values).all():
        raise RError("NA/NaN/Inf in foreign function call (arg 10)", "d must be finite")
    largest = np.abs(values).max()
    if full == "ward.D2" and largest >= LARGEST_SQUARED:
        limit = f"d must be below {LARGEST_SQUARED:g} for ward.D2, which squares it; got {largest:g}"
        raise ValueError(f"{limit}: divide the data by a constant")
    tree = core.run_hclust(values, full, sizes)
    known = d.attributes if isinstance(d, Dist) else {}
    return as_tree(tree, known.get("Labels"), full, call, known.get("method"))


def as_tree(
    tree: core.Merges, labels: list[str] | None, method: str, call: str | None, measure: str | None = None
) -> Tree:
    """A tree as R's list."""
    fields = {"merge": tree.merge, "height": tree.height, "order": tree.order, "labels": labels}
    written = None if call is None else Call(call)
    return Tree({**fields, "method": method, "call": written, "dist.method": measure}, row_names=labels)


def _sizes(members: ArrayLike, n: int) -> FloatArray:
    """Numbers of observations that the objects stand for."""
    sizes = as_vector(members, "members")
    if len(sizes) != n:
        raise RError("invalid length of members", f"there are {n} objects and {len(sizes)} members")
    if not np.isfinite(sizes).all():
        raise RError("NA/NaN/Inf in foreign function call (arg 7)", "members must be finite")
    if (sizes <= 0).any():
        raise ValueError(f"members must be positive; got {sizes.min():g}: drop the objects without members")
    return sizes


def cutree(tree: Mapping[str, Any], k: ArrayLike | None = None, h: ArrayLike | None = None) -> RArray:
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
    RArray of int64, shape (n,) or (n, m)
        Groups, numbered from 1 by their first object; a column per cut where several are asked for. The
        labels of the tree are the attribute ``names``; of several cuts ``dimnames`` has labels and cuts.

    Raises
    ------
    RError
        With R's message: neither `k` nor `h`, `k` out of range, `k` or `h` missing, heights that are not
        sorted and `h` given.
    ValueError
        `k` or `h` empty or not a vector, or a tree that is none.

    See Also
    --------
    hclust : R's hierarchical clustering.
    rect_hclust : Draw rectangles around the groups of a tree.

    Examples
    --------
    >>> from sparsek.rcompat import cutree, dist, hclust
    >>> tree = hclust(dist([[0.0], [1.0], [5.0]]), "single")
    >>> cutree(tree, k=2)
    RArray([1, 1, 2])
    >>> several = cutree(tree, h=[0.5, 2])
    >>> several
    RArray([[1, 1],
            [2, 1],
            [3, 2]])
    >>> several.attributes
    {'dimnames': (None, ['0.5', '2'])}
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
    heads = None if h is None else [as_character(cut) for cut in np.ravel(as_numbers(h, "h"))]
    counts = _counts_at(h, height) if k is None else _counts(k, n)
    if heads is None:
        heads = [str(count) for count in counts]
    if 1 < len(counts) != len(heads):
        raise RError(UNEQUAL_NAMES, "k decides alone: leave h out")
    groups, labels = core.cut(merge, counts), tree.get("labels")
    if len(counts) == 1:
        return RArray(groups[:, 0], names=labels)
    return RArray(groups, dimnames=(labels, heads))


def _counts(k: ArrayLike, n: int) -> IntArray:
    """Numbers of groups as asked for."""
    wanted = np.trunc(_cuts(k, "k", "missing value where TRUE/FALSE needed"))
    if wanted.min() < 1 or wanted.max() > n:
        message = f"elements of 'k' must be between 1 and {n}"
        raise RError(message, f"got {wanted.min():g} to {wanted.max():g}")
    return wanted.astype(np.int64)


def _counts_at(h: Any, height: FloatArray) -> IntArray:
    """Numbers of groups below the given heights."""
    if np.isnan(height).any():
        raise RError("missing value where TRUE/FALSE needed", "the heights must not be missing")
    if (np.diff(height) < 0).any():
        message = "the 'height' component of 'tree' is not sorted (increasingly)"
        raise RError(message, "the centroid linkage can do that: cut it into a number of groups, k")
    cuts = _cuts(
        h, "h", UNEQUAL_NAMES if as_array(h, "h").size == 1 else "non-numeric argument to binary operator"
    )
    counts = len(height) + 1 - np.searchsorted(height, cuts, side="right")
    counts[cuts == np.inf] = len(height) + 1
    return counts


def _cuts(value: Any, name: str, missing: str) -> FloatArray:
    """Numbers or heights to cut at, as a vector; R's message for missing ones is given."""
    cuts = np.atleast_1d(as_numbers(value, name))
    remedy = f"{name} must be a number or a vector of numbers; got {value!r}"
    if cuts.ndim != 1 or cuts.size == 0:
        raise ValueError(remedy)
    if np.isnan(cuts).any():
        raise RError(missing, remedy)
    return cuts

"""Trees as the plots take and draw them: merges, heights, the order of the rows, colours of the branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list

from sparsek.inputs.containers import numbers
from sparsek.plots._figure import NEUTRAL, FloatArray, colors_of
from sparsek.plots._fitted import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IntArray = NDArray[np.intp]
BANNERS = ({"ac"}, {"dc"})
"""Fields of R's ``agnes`` and ``diana``, whose heights are in the order of their banner."""


@dataclass(frozen=True, slots=True)
class Branches:
    """A tree of n rows."""

    children: IntArray  # (n - 1, 2): what is merged, in scipy's numbering
    heights: FloatArray  # (n - 1,): heights of the merges
    order: IntArray  # (n,): the rows from left to right, from 0
    feet: FloatArray  # (n,): heights at which the branches of single rows end


def branches_of(tree: Any) -> tuple[Branches, Any]:
    """A tree in any of its forms, and the labels that its estimator has."""
    if hasattr(tree, "branches") and hasattr(tree, "attributes"):
        return _of_dendrogram(tree), None
    if isinstance(tree, Mapping):
        return _of_fields(tree.get("hc", tree)), None
    if hasattr(tree, "get_params"):
        model = fitted(tree).model
        if getattr(model, "distances_", None) is None or not hasattr(model, "children_"):
            raise ValueError(
                f"{type(model).__name__} has no tree with heights: children_ and distances_ (for "
                "scikit-learn's AgglomerativeClustering, compute_distances=True)"
            )
        children, heights = np.asarray(model.children_, np.intp), np.asarray(model.distances_, float)
        return _from_left(children, heights), getattr(model, "_leaf_labels", model.labels_)
    matrix = np.asarray(numbers(tree, "tree"))
    if matrix.ndim != 2 or matrix.shape[1] != 4 or not np.issubdtype(matrix.dtype, np.number):
        raise TypeError(
            f"a fitted estimator, an hclust or scipy's linkage matrix is needed; got {type(tree)}"
        )
    return _from_left(_merged(matrix[:, :2]), matrix[:, 2].astype(float)), None


def _merged(pairs: FloatArray) -> IntArray:
    """The pairs that a linkage matrix merges; ValueError if they are those of no tree.

    Shapes: pairs (n - 1, 2).
    """
    n = len(pairs) + 1
    latest = n + np.arange(n - 1)[:, None]  # what a row merges must have been made before
    wrong = ~((pairs >= 0) & (pairs < latest) & (pairs == np.rint(pairs)))
    if n < 2 or wrong.any() or len(np.unique(pairs)) < pairs.size:
        where = f"row {int(np.argwhere(wrong)[0, 0])} merges" if wrong.any() else "two rows merge"
        raise ValueError(
            f"tree is no linkage matrix of {n} rows: {where} what is not there; give what scipy's linkage "
            "gives"
        )
    return pairs.astype(np.intp)


def _of_fields(tree: Any) -> Branches:
    """A tree of R's hclust."""
    if not isinstance(tree, Mapping) or not {"merge", "height", "order"} <= set(tree):
        raise TypeError("tree must have the fields merge, height and order, as R's hclust gives them")
    if any(own <= set(tree) for own in BANNERS):
        raise TypeError(
            "heights of agnes and diana are not those of the merges: give rcompat.as_hclust(tree)"
        )
    merge = np.asarray(tree["merge"])
    n = len(merge) + 1
    children = np.where(merge < 0, -merge - 1, merge - 1 + n).astype(np.intp)
    return Branches(children, np.asarray(tree["height"], float), np.asarray(tree["order"]) - 1, np.zeros(n))


def _of_dendrogram(tree: Any) -> Branches:
    """A tree of R's class dendrogram, or a branch of one, whose rows are counted in their order."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += reversed(node.branches)
    leaves = [node for node in found if not node.branches]
    inner = [node for node in reversed(found) if node.branches]
    n = len(leaves)
    if n < 2:
        raise ValueError("tree must have two leaves or more; got a leaf")
    order = np.argsort(np.argsort([leaf.value for leaf in leaves]))
    number = {id(leaf): int(row) for leaf, row in zip(leaves, order, strict=True)}
    number |= {id(node): n + i for i, node in enumerate(inner)}
    feet = np.empty(n)
    feet[order] = [leaf.attributes["height"] for leaf in leaves]
    children = np.array([[number[id(branch)] for branch in node.branches] for node in inner], dtype=np.intp)
    heights = np.array([node.attributes["height"] for node in inner], dtype=float)
    return Branches(children, heights, order.astype(np.intp), feet)


def _from_left(children: IntArray, heights: FloatArray) -> Branches:
    """A tree with the order of the rows in which no branches cross."""
    n = len(heights) + 1
    sizes = np.ones(2 * n - 1)
    for i, (a, b) in enumerate(children.tolist()):
        sizes[n + i] = sizes[a] + sizes[b]
    order = leaves_list(np.column_stack([children, heights, sizes[n:]]))
    return Branches(children, heights, np.asarray(order, dtype=np.intp), np.zeros(n))


def in_order_of(tree: Branches, values: FloatArray) -> Branches:
    """The tree with the branch of the smaller sum of values first at every merge, as R's reorder.

    Shapes: values (n,).
    """
    n = len(tree.order)
    sums = np.concatenate([values, np.zeros(n - 1)])
    children = tree.children.copy()
    for i, (a, b) in enumerate(tree.children.tolist()):
        sums[n + i] = sums[a] + sums[b]
        if sums[b] < sums[a]:
            children[i] = b, a
    return _from_left(children, tree.heights)


def shades_of(tree: Branches, groups: IntArray | None) -> tuple[list[str], IntArray, list[str]]:
    """The colour of every merge, and the clusters with their colours; dark where a merge joins several.

    Shapes: groups (n,).
    """
    n = len(tree.order)
    if groups is None:
        return [NEUTRAL] * (n - 1), np.zeros(0, dtype=np.intp), []
    found, below = np.unique(groups, return_inverse=True)
    below = np.concatenate([below, np.empty(n - 1, dtype=np.intp)])
    for i, (a, b) in enumerate(tree.children.tolist()):
        below[n + i] = below[a] if below[a] == below[b] else -1
    colors = colors_of(len(found))
    return [NEUTRAL if k < 0 else colors[k] for k in below[n:]], found, colors


def brackets(tree: Branches) -> FloatArray:
    """Corners of the bracket of each merge, shape (n - 1, 4, 2)."""
    n = len(tree.order)
    x, y = np.zeros(2 * n - 1), np.concatenate([tree.feet, tree.heights])
    x[tree.order] = np.arange(n)
    for i, (a, b) in enumerate(tree.children.tolist()):
        x[n + i] = (x[a] + x[b]) / 2
    a, b = tree.children.T
    top = tree.heights
    return np.stack(
        [np.stack(corner, axis=1) for corner in ((x[a], y[a]), (x[a], top), (x[b], top), (x[b], y[b]))],
        axis=1,
    )


def draw_beside(ax: Axes, tree: Branches, side: str, shades: Sequence[str]) -> None:
    """Draw a tree on a side of a matrix, "left", "right", "top" or "bottom" of it, its leaves towards it."""
    from matplotlib.collections import LineCollection

    corners = brackets(tree)
    upright = side in ("top", "bottom")
    ax.add_collection(
        LineCollection(list(corners if upright else corners[:, :, ::-1]), colors=list(shades), linewidths=0.8)
    )
    along = (-0.5, len(tree.order) - 0.5)
    across = (min(0.0, float(tree.heights.min())), 1.02 * float(tree.heights.max()) or 1.0)
    across = across[::-1] if side in ("left", "bottom") else across
    ax.set(xlim=along if upright else across, ylim=across if upright else along)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)

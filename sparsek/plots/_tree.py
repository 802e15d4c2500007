"""Trees with their branches coloured by cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list

from sparsek.inputs.arguments import takes
from sparsek.inputs.containers import numbers
from sparsek.plots._figure import (
    AX,
    DARK,
    FloatArray,
    check_labels,
    check_names,
    colors_of,
    name_columns,
    new_axes,
    tidy,
)
from sparsek.plots._fitted import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IntArray = NDArray[np.intp]


@takes(ax=AX)
def plot_dendrogram(
    tree: Any,
    labels: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    names: Sequence[object] | None = None,
) -> Axes:
    """Draw a tree, its branches in the colours of the clusters.

    Parameters
    ----------
    tree : fitted estimator, mapping, or ndarray of shape (n - 1, 4)
        A clusterer with `children_` and `distances_`, such as `SparseAgglomerativeClustering`; a tree of
        `rcompat.hclust` or what `rcompat.HierarchicalSparseCluster` returns; or scipy's linkage matrix.
    labels : array-like of shape (n,), optional
        Clusters of the rows, integers; default those of the estimator, or one cluster.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.
    names : sequence of n str, optional
        Names of the rows, written under the tree where there is room.

    Returns
    -------
    matplotlib Axes
        The axes drawn on. A branch has the colour of its cluster, and is dark where it joins several.

    Raises
    ------
    TypeError
        For an object that is not a tree, or labels that are no integers.
    ValueError
        For an estimator without heights, or labels or names of a wrong length.
    sklearn.exceptions.NotFittedError
        For an estimator that is not fitted.
    ImportError
        Without matplotlib, when no axes are given.

    See Also
    --------
    sparsek.SparseAgglomerativeClustering : A tree of the rows on few features.
    sparsek.COSA : A tree of the rows whose clusters have features of their own.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import SparseAgglomerativeClustering
    >>> from sparsek.plots import plot_dendrogram
    >>> ax = plot_dendrogram(SparseAgglomerativeClustering(3).fit(load_iris().data))  # doctest: +SKIP
    """
    children, heights, order, own_labels = _parts(tree)
    n = len(heights) + 1
    labels = own_labels if labels is None else labels
    groups = None if labels is None else check_labels(labels, n)
    texts = None if names is None else check_names(names, n)
    ax = new_axes((7.2, 4.2)) if ax is None else ax
    from matplotlib.collections import LineCollection

    found = np.zeros(1, dtype=np.intp) if groups is None else np.unique(groups)
    positions = np.searchsorted(found, np.zeros(n, dtype=np.intp) if groups is None else groups)
    colors = [DARK] if groups is None else colors_of(len(found))
    shades = [DARK if k < 0 else colors[k] for k in _clusters_of_merges(children, positions)]
    ax.add_collection(
        LineCollection(list(_brackets(children, heights, order)), colors=shades, linewidths=0.9)
    )
    ax.set(xlim=(-1, n), ylim=(min(0.0, heights.min()), 1.03 * heights.max() or 1.0), ylabel="height")
    if texts is None:
        ax.set_xticks([])
    else:
        name_columns(ax, [texts[i] for i in order], rotate=True)
    if groups is not None:
        _name_clusters(ax, found, np.bincount(positions), colors)
    tidy(ax)
    ax.spines["bottom"].set_visible(False)
    return ax


def _parts(tree: Any) -> tuple[IntArray, FloatArray, IntArray, Any]:
    """Merges in scipy's numbering (n - 1, 2), heights (n - 1,), rows from left to right (n,), labels."""
    if isinstance(tree, Mapping):
        tree = tree.get("hc", tree)
        if not isinstance(tree, Mapping) or not {"merge", "height", "order"} <= set(tree):
            raise TypeError("tree must have the fields merge, height and order, as R's hclust gives them")
        merge = np.asarray(tree["merge"])
        n = len(merge) + 1
        children = np.where(merge < 0, -merge - 1, merge - 1 + n)
        return (
            children.astype(np.intp),
            np.asarray(tree["height"], float),
            np.asarray(tree["order"]) - 1,
            None,
        )
    if hasattr(tree, "get_params"):
        model = fitted(tree).model
        if getattr(model, "distances_", None) is None or not hasattr(model, "children_"):
            raise ValueError(
                f"{type(model).__name__} has no tree with heights: children_ and distances_ (for "
                "scikit-learn's AgglomerativeClustering, compute_distances=True)"
            )
        children, heights = np.asarray(model.children_, np.intp), np.asarray(model.distances_, float)
        return children, heights, _left_to_right(children, heights), model.labels_
    matrix = np.asarray(numbers(tree, "tree"))
    if matrix.ndim != 2 or matrix.shape[1] != 4 or not np.issubdtype(matrix.dtype, np.number):
        raise TypeError(
            f"a fitted estimator, an hclust or scipy's linkage matrix is needed; got {type(tree)}"
        )
    children, heights = matrix[:, :2].astype(np.intp), matrix[:, 2].astype(float)
    return children, heights, _left_to_right(children, heights), None


def _left_to_right(children: IntArray, heights: FloatArray) -> IntArray:
    """Order of the rows in which no branches cross."""
    n = len(heights) + 1
    sizes = np.ones(2 * n - 1)
    for i, (a, b) in enumerate(children.tolist()):
        sizes[n + i] = sizes[a] + sizes[b]
    return np.asarray(leaves_list(np.column_stack([children, heights, sizes[n:]])), dtype=np.intp)


def _clusters_of_merges(children: IntArray, labels: IntArray) -> IntArray:
    """Cluster of the rows under each merge, -1 if they are in several clusters."""
    below = np.concatenate([labels, np.empty(len(children), dtype=np.intp)])
    for i, (a, b) in enumerate(children.tolist()):
        below[len(labels) + i] = below[a] if below[a] == below[b] else -1
    return below[len(labels) :]


def _brackets(children: IntArray, heights: FloatArray, order: IntArray) -> FloatArray:
    """Corners of the bracket of each merge, shape (n - 1, 4, 2)."""
    n = len(order)
    x, y = np.zeros(2 * n - 1), np.concatenate([np.zeros(n), heights])
    x[order] = np.arange(n)
    for i, (a, b) in enumerate(children.tolist()):
        x[n + i] = (x[a] + x[b]) / 2
    a, b = children.T
    top = heights
    return np.stack(
        [np.stack(corner, axis=1) for corner in ((x[a], y[a]), (x[a], top), (x[b], top), (x[b], y[b]))],
        axis=1,
    )


def _name_clusters(ax: Axes, found: IntArray, sizes: IntArray, colors: Sequence[str]) -> None:
    """Draw a legend beside the tree."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=color, linewidth=2, label=f"{k} ({size})")
        for k, size, color in zip(found, sizes, colors, strict=True)
    ]
    ax.legend(
        handles=handles,
        title="cluster (rows)",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        title_fontsize=8,
    )

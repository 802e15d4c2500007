"""Trees with their branches coloured by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.inputs.arguments import takes
from sparsek.plots._branches import IntArray, brackets, branches_of, shades_of
from sparsek.plots._figure import AX, check_labels, check_names, name_columns, new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    tree : fitted estimator, mapping, Dendrogram, or ndarray of shape (n - 1, 4)
        A clusterer with `children_` and `distances_`, such as `SparseAgglomerativeClustering`; a tree of
        `rcompat.hclust` or what `rcompat.HierarchicalSparseCluster` returns; a dendrogram of
        `rcompat.as_dendrogram` or its parts; or scipy's linkage matrix.
    labels : array-like of shape (n,), optional
        Clusters of the rows, integers; default those of the estimator, or one cluster.
    ax : matplotlib Axes, optional
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
    ImportError

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
    branches, own_labels = branches_of(tree)
    n, heights = len(branches.order), branches.heights
    labels = own_labels if labels is None else labels
    groups = None if labels is None else check_labels(labels, n)
    texts = None if names is None else check_names(names, n)
    ax = new_axes((7.2, 4.2)) if ax is None else ax
    from matplotlib.collections import LineCollection

    shades, found, colors = shades_of(branches, groups)
    ax.add_collection(LineCollection(list(brackets(branches)), colors=shades, linewidths=0.9))
    ax.set(xlim=(-1, n), ylim=(min(0.0, heights.min()), 1.03 * heights.max() or 1.0), ylabel="height")
    ax.set_title(f"tree of {n} rows", fontsize=10)
    if texts is None:
        ax.set_xticks([])
    else:
        name_columns(ax, [texts[i] for i in branches.order], rotate=True)
    if groups is not None:
        sizes = np.unique(groups, return_counts=True)[1]
        name_branches(ax, found, sizes, colors)
    tidy(ax)
    ax.spines["bottom"].set_visible(False)
    return ax


def name_branches(
    ax: Axes, found: IntArray, sizes: IntArray, colors: Sequence[str], right: float = 1.0
) -> None:
    """Draw a legend of the clusters from a place to the right, in widths of the axes."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=color, linewidth=2, label=f"{k} ({size})")
        for k, size, color in zip(found, sizes, colors, strict=True)
    ]
    ax.legend(
        handles=handles,
        title="cluster (rows)",
        loc="upper left",
        bbox_to_anchor=(right, 1.0),
        frameon=False,
        fontsize=8,
        title_fontsize=8,
    )

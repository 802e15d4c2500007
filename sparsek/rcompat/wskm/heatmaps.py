"""Heat maps of cluster weights between two trees, as R's ``heatmap`` and lattice's ``levelplot`` draw them.

They need ``sparsek[plot]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsek._printable import printable
from sparsek.bits.ordered_arithmetic import exact_distances, long_column_sums, long_sum
from sparsek.plots._branches import branches_of, draw_beside
from sparsek.plots._figure import new_axes
from sparsek.rcompat.stats.agglomeration import Merges, run_hclust
from sparsek.rcompat.stats.dendrogram.dendrograms import by_weights, from_merges, objects_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

INTERVALS = 12
"""Largest number of colour intervals of a level plot."""


def row_tree(a: FloatArray) -> Merges:
    """Complete linkage of the Euclidean distances between rows."""
    first, second = np.triu_indices(len(a), 1)
    d = np.zeros((len(a), len(a)))
    d[first, second] = d[second, first] = np.sqrt(exact_distances(a[first], a[second]))
    return run_hclust(d, "complete")


def order_by_means(tree: Merges, rows: FloatArray) -> IntArray:
    """Order of the objects, from 1: at every merge the branch with the smaller sum of row means comes first.

    The means have R's last digits, because means of weights that sum to 1 differ only by rounding.
    """
    means = long_column_sums(rows.T, rows.shape[1])
    return objects_of(by_weights(from_merges(tree.merge, tree.height, None), means, long_sum))


def plot_heatmap(
    weights: FloatArray, row_labels: Sequence[str], column_labels: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw a matrix with standardised columns, from cyan to magenta, between trees and rainbow stripes.

    Shapes: weights (p, k).

    Raises ImportError without matplotlib, when no axes are given.
    """
    ax = new_axes() if ax is None else ax
    from matplotlib.colors import ListedColormap, hsv_to_rgb

    trees = row_tree(weights), row_tree(weights.T)
    rows, columns = order_by_means(trees[0], weights), order_by_means(trees[1], weights.T)
    spread = weights.std(axis=0, ddof=1)
    scaled = (weights - weights.mean(axis=0)) / np.where(spread > 0, spread, np.nan)
    strength = np.abs(np.linspace(-0.5, 0.5, 256))
    hues = np.where(np.arange(256) < 128, 1 / 2, 5 / 6)
    colors = hsv_to_rgb(np.stack([hues, strength, np.ones(256)], axis=1))
    ax.pcolormesh(scaled[np.ix_(rows - 1, columns - 1)], cmap=ListedColormap(colors))
    _stripe(ax.inset_axes((-0.06, 0, 0.05, 1)), rows[:, None])
    _stripe(ax.inset_axes((0, 1.01, 1, 0.05)), columns[None])
    _draw_tree(trees[0], rows, "left", ax.inset_axes((-0.37, 0, 0.3, 1)))
    _draw_tree(trees[1], columns, "top", ax.inset_axes((0, 1.07, 1, 0.3)))
    ax.yaxis.tick_right()
    _label(ax, rows, row_labels, columns, column_labels)
    return ax


def plot_levels(
    weights: FloatArray, row_labels: Sequence[str], column_labels: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw a matrix in steps from pale yellow to red, with a colour key and the trees in their own order.

    Shapes: weights (p, k).

    Raises ImportError without matplotlib, when no axes are given.
    """
    ax = new_axes() if ax is None else ax
    from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap
    from matplotlib.ticker import MaxNLocator

    trees = row_tree(weights), row_tree(weights.T)
    rows, columns = trees[0].order, trees[1].order
    limits = MaxNLocator(INTERVALS, steps=[1, 2, 5, 10]).tick_values(weights.min(), weights.max())
    shades = [(0.0, "#FFFFBF"), (0.2, "#FFFF00"), (1.0, "#FF0000")]
    colors = LinearSegmentedColormap.from_list("levels", shades, 256)
    mesh = ax.pcolormesh(
        weights[np.ix_(rows - 1, columns - 1)], cmap=colors, norm=BoundaryNorm(limits, colors.N)
    )
    assert ax.figure is not None
    key = ax.figure.colorbar(mesh, cax=ax.inset_axes((-0.2, 0, 0.05, 1)))
    key.ax.yaxis.tick_left()
    _draw_tree(trees[0], rows, "right", ax.inset_axes((1.02, 0, 0.3, 1)))
    _draw_tree(trees[1], columns, "top", ax.inset_axes((0, 1.02, 1, 0.2)))
    _label(ax, rows, row_labels, columns, column_labels)
    return ax


def _stripe(ax: Axes, numbers: IntArray) -> None:
    """Stripes from red to green by the number of the row or column."""
    from matplotlib.colors import ListedColormap, hsv_to_rgb

    n = numbers.size
    hues = np.linspace(0, 0.3, n)
    colors = ListedColormap(hsv_to_rgb(np.stack([hues, np.ones(n), np.ones(n)], axis=1)))
    ax.pcolormesh(numbers, cmap=colors, vmin=0.5, vmax=n + 0.5)
    ax.set_axis_off()


def _draw_tree(tree: Merges, order: IntArray, side: str, ax: Axes) -> None:
    """Draw a tree on one side of a heat map."""
    branches = branches_of({"merge": tree.merge, "height": tree.height, "order": order})[0]
    draw_beside(ax, branches, side, ["black"] * len(tree.height))


def _label(
    ax: Axes, rows: IntArray, row_labels: Sequence[str], columns: IntArray, column_labels: Sequence[str]
) -> None:
    """Names of rows and columns in the order drawn."""
    ax.set_xticks(np.arange(len(columns)) + 0.5, [printable(column_labels[j - 1]) for j in columns])
    ax.set_yticks(np.arange(len(rows)) + 0.5, [printable(row_labels[i - 1]) for i in rows])
    ax.set_xlabel("Cluster")

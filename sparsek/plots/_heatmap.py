"""A matrix between the trees of its rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import nan_euclidean_distances

from sparsek.inputs.arguments import names as names_of
from sparsek.inputs.arguments import takes
from sparsek.inputs.containers import counts_only
from sparsek.plots._branches import Branches, branches_of, draw_beside, in_order_of, shades_of
from sparsek.plots._figure import (
    AX,
    ROUNDS,
    FloatArray,
    check_labels,
    check_matrix,
    check_names,
    draw_matrix,
    mark_clusters,
    name_columns,
    name_rows,
    new_axes,
    settle,
    size_for_rows,
)
from sparsek.plots._fitted import Fitted, fitted
from sparsek.plots._tree import name_branches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STANDARDIZED = {"rows": 1, "columns": 0}
"""Axis along which means and standard deviations are taken."""
LARGEST_SHADE = 3.0
"""Standard deviations at which the colours saturate."""
RIGHT, ABOVE = (1.02, 0.0, 0.22, 1.0), (0.0, 1.02, 1.0, 0.22)
"""Places of the trees, in widths and heights of the matrix."""
KEY = (1.04, 1.14, 0.18, 0.04)
"""Place of the colour key, in the corner between the trees."""


@takes(ax=AX, standardize=[names_of(*STANDARDIZED), None])
def plot_heatmap(
    X: ArrayLike,
    labels: Any = None,
    ax: Axes | None = None,
    *,
    row_tree: Any = None,
    column_tree: Any = None,
    standardize: Literal["rows", "columns"] | None = "columns",
    row_names: Sequence[object] | None = None,
    names: Sequence[object] | None = None,
) -> Axes:
    """Draw a matrix as a heat map, its rows and columns in the order of two trees, which stand beside it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, at least two rows and columns, NaN where missing.
    labels : array-like of shape (n_samples,) or fitted estimator, optional
        Clusters of the rows, integers, in whose colours the tree of the rows is drawn. Or a clusterer, or a
        search or pipeline that holds one: its rows by cluster, beside coloured bars, and its features in use,
        the most important first, both without a tree unless one is given.
    ax : matplotlib Axes, optional
        Where to draw the matrix; default a new figure. The trees are drawn outside it.
    row_tree, column_tree : tree, None or False, default=None
        Trees as `plot_dendrogram` takes them. None: complete linkage of the Euclidean distances between rows,
        or columns, of X as it is, at every merge the branch with the smaller sum of means first, as R's
        ``heatmap``. False: no tree, rows or columns as they are.
    standardize : {"rows", "columns"} or None, default="columns"
        Colours are standard deviations from the mean of the row or column, or the numbers themselves.
    row_names, names : sequence of str, optional
        Names of the rows and columns, written where there is room; default those of a data frame.

    Returns
    -------
    matplotlib Axes
        The axes of the matrix. The first row of the order is at the bottom, as in R.

    Raises
    ------
    TypeError
        For data that are not numbers, or what is no tree.
    ValueError
        For fewer than two rows or columns, rows or columns without a common entry, trees, labels or names of
        another length, an unknown `standardize`, or an estimator that uses no feature or was fitted to other
        data.
    sklearn.exceptions.NotFittedError
        For an estimator that is not fitted.
    ImportError

    See Also
    --------
    plot_dendrogram : Draw a tree.
    plot_centers : Draw the means of the clusters.
    sparsek.rcompat.heatmap : R's trees and order, equal distances included.

    References
    ----------
    Eisen, M. B., Spellman, P. T., Brown, P. O. & Botstein, D. (1998). Cluster analysis and display of
    genome-wide expression patterns. PNAS 95, 14863-14868.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek.plots import plot_heatmap
    >>> ax = plot_heatmap(load_wine(as_frame=True).data)  # doctest: +SKIP
    """
    source = fitted(labels).by_column() if hasattr(labels, "get_params") else None
    if source is not None and row_tree is None and column_tree is None:
        return _draw_fit(source, X, ax, standardize, names)
    labels = labels if source is None else source.labels()
    values = check_matrix("X", X)
    if min(values.shape) < 2:
        raise ValueError(f"X must have at least 2 rows and 2 columns; got shape {values.shape}")
    n, p = values.shape
    groups = None if labels is None else check_labels(labels, n, X)
    texts = _names(X, row_names, "index", n), _names(X, names, "columns", p)
    trees = _tree("row_tree", row_tree, values), _tree("column_tree", column_tree, values.T)
    ax = new_axes(size_for_rows(n, 7.2)) if ax is None else _with_room(ax)
    rows, columns = (
        np.arange(size) if tree is None else tree.order for tree, size in zip(trees, (n, p), strict=True)
    )
    _draw_matrix(ax, values[np.ix_(rows, columns)], standardize)
    if trees[0] is not None:
        draw_beside(ax.inset_axes(RIGHT), trees[0], "right", shades_of(trees[0], groups)[0])
    if trees[1] is not None:
        above = ax.inset_axes(ABOVE)
        draw_beside(above, trees[1], "top", shades_of(trees[1], None)[0])
    (ax if trees[1] is None else above).set_title(f"{n} rows, {p} columns", fontsize=10)
    if groups is not None and trees[0] is not None:
        _, found, colors = shades_of(trees[0], groups)
        name_branches(ax, found, np.unique(groups, return_counts=True)[1], colors, RIGHT[0] + RIGHT[2])
    shown = [
        None if own is None else [own[i] for i in order]
        for own, order in zip(texts, (rows, columns), strict=True)
    ]
    for _ in range(ROUNDS):
        name_rows(ax, shown[0] or [])
        name_columns(ax, shown[1] or [], rotate=True)
        settle(ax)
    return ax


def _draw_fit(
    source: Fitted, X: ArrayLike, ax: Axes | None, standardize: str | None, names: Sequence[object] | None
) -> Axes:
    """Draw the rows of a fit by cluster, and its features in use."""
    rows, labels, used = source.data(X), source.labels(), source.shown
    if not len(used):
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    texts = source.names if names is None else check_names(names, len(source.names))
    ax = new_axes((float(np.clip(3.0 + 0.24 * len(used), 5.0, 12.0)), 6.0)) if ax is None else ax
    order = np.argsort(labels, kind="stable")
    _draw_matrix(ax, rows[np.ix_(order, used)], standardize, key=False)
    ax.invert_yaxis()  # the first cluster on top, as in the summary
    mark_clusters(ax, labels[order], source.clusters(labels.max() + 1))
    ax.set_title(f"{source.title}: {len(labels)} rows, {len(used)} features in use", fontsize=10)
    for _ in range(ROUNDS):
        name_columns(ax, [texts[j] for j in used], rotate=True)
        settle(ax)
    return ax


def _with_room(ax: Axes) -> Axes:
    """The given axes, smaller by what is drawn beside them where no layout makes room for it."""
    assert ax.figure is not None
    if ax.figure.get_layout_engine() is None:
        left, bottom, width, height = ax.get_position().bounds
        ax.set_position((left, bottom, width / (RIGHT[0] + RIGHT[2]), height / (ABOVE[1] + ABOVE[3])))
    return ax


def _draw_matrix(ax: Axes, values: FloatArray, standardize: str | None, key: bool = True) -> None:
    """Draw the cells, the first row at the bottom, the key of their colours between trees or beside them."""
    shades, label, limits = values, "value", None
    if standardize is not None:
        shades, label = _standardized(values, STANDARDIZED[standardize]), "sd from the mean"
        limits = (-LARGEST_SHADE, LARGEST_SHADE) if np.nanmax(np.abs(shades)) > LARGEST_SHADE else None
    diverging = bool((shades[~np.isnan(shades)] < 0).any())
    draw_matrix(
        ax, shades, label, diverging=diverging, limits=limits, beside=ax.inset_axes(KEY) if key else None
    )
    ax.invert_yaxis()


def _standardized(values: FloatArray, axis: int) -> FloatArray:
    """Deviations from the means in standard deviations; 0 where all entries are the same."""
    known = ~np.isnan(values)
    counts = np.maximum(known.sum(axis=axis, keepdims=True), 1)
    deviations = values - np.where(known, values, 0).sum(axis=axis, keepdims=True) / counts
    squares = np.where(known, deviations, 0) ** 2
    spread = np.sqrt(squares.sum(axis=axis, keepdims=True) / counts)
    return np.asarray(deviations / np.where(spread > 0, spread, 1))


def _tree(name: str, given: Any, rows: FloatArray) -> Branches | None:
    """The tree of the rows, given or made; None for none."""
    if given is False:
        return None
    if given is not None:
        tree = branches_of(given)[0]
        if len(tree.order) != len(rows):
            raise ValueError(f"{name} must have {len(rows)} leaves; got {len(tree.order)}")
        return tree
    distances = pdist(rows)  # exact for equal rows, as the next ones are not
    if np.isnan(distances).any():
        square = nan_euclidean_distances(rows)
        if np.isnan(square).any():
            i, j = np.argwhere(np.isnan(square))[0]
            what = f"{name.removesuffix('_tree')}s {i} and {j}"
            raise ValueError(f"X must have an entry in common to {what}: fill it in, or give {name}=False")
        distances = squareform(square, checks=False)
    return in_order_of(branches_of(linkage(distances, "complete"))[0], np.nanmean(rows, axis=1))


def _names(X: Any, given: Sequence[object] | None, attribute: str, n: int) -> list[str] | None:
    """Names that were given or that a data frame has; None without any."""
    if given is not None:
        return check_names(given, n)
    index = getattr(X, attribute, None)
    return None if index is None or callable(index) or counts_only(index) else check_names(list(index), n)

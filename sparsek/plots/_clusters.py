"""Plots that show how clusters differ: their centres, and pairs of the selected features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.inputs.arguments import takes
from sparsek.inputs.containers import as_array
from sparsek.plots._figure import (
    AX,
    FAINT,
    PALETTE,
    FloatArray,
    check_axes,
    check_top,
    colors_of,
    draw_matrix,
    literal,
    name_columns,
    name_rows,
    new_axes,
    short,
    size_for_rows,
    tidy,
)
from sparsek.plots._fitted import Fitted, centers_of, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^"
"""Marker shapes; the next one is used each time the colours of the clusters start again."""
SD, LARGEST_SHADE = "sd from the mean", 3.0
"""Unit of standardised centres, and the absolute value at which their colours saturate."""
LARGEST_DOTS, DOT_SIZES = 6000, (5, 16)
"""Area in square points of all dots together, and the smallest and largest of one: seen, and yet apart."""
LONGEST_PANEL_NAME = 20
"""Largest number of characters of a name beside one of many panels."""


@takes(ax=AX)
def plot_centers(model: Any, X: ArrayLike | None = None, ax: Axes | None = None, *, top: int = 30) -> Axes:
    """Draw the cluster centres of the features in use as a heat map, with the sizes of the clusters.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features), optional
        The data of the fit, NaN where missing. With it, colours are the means of the clusters in standard
        deviations from the mean of each feature. Without it they are the centres that the estimator has:
        standardised ones, or else in units of the data.
    ax : matplotlib Axes, optional
    top : int, default=30
        Largest number of features to show, the most important first.

    Returns
    -------
    matplotlib Axes
        The axes drawn on, features in rows, clusters with their numbers of rows in columns.

    Raises
    ------
    TypeError
    ValueError
        For an estimator without centres when there is no X, or an X that is not the data of the fit.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_weights : Draw the feature weights.
    plot_pairs : Draw pairs of features.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_centers
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_centers(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    check_top(top)
    source = fitted(model).by_column()
    labels = source.labels()
    centers, label = _centers(source, X, labels)
    shown = source.shown[:top]
    if not len(shown):
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    sizes = np.bincount(labels[labels >= 0], minlength=len(centers))
    ax = new_axes(size_for_rows(len(shown))) if ax is None else ax
    shades = centers[:, shown].T
    largest = np.nanmax(np.abs(shades))
    limits = (-LARGEST_SHADE, LARGEST_SHADE) if label == SD and largest > LARGEST_SHADE else None
    draw_matrix(ax, shades, label, diverging=bool(np.nanmin(shades) < 0), limits=limits)
    name_rows(ax, [source.names[j] for j in shown])
    clusters = source.clusters(len(sizes))
    name_columns(ax, [f"{k}\n{size}" for k, size in zip(clusters, sizes, strict=True)])
    ax.set_xlabel("cluster and number of its rows")
    ax.set_title(title_of(source, len(shown)), fontsize=10)
    return ax


def title_of(source: Fitted, n_shown: int) -> str:
    """Title of a picture of the first features in use."""
    n_used = int(source.support.sum())
    kind = "features" if getattr(source.model, "_coding", None) is None else "columns"
    count = f"{n_used} {kind} in use"
    return (
        f"{source.title}: {count}" if n_used == n_shown else f"{source.title}: the first {n_shown} of {count}"
    )


def _centers(source: Fitted, X: ArrayLike | None, labels: NDArray[np.intp]) -> tuple[FloatArray, str]:
    """Centres of shape (k, p), NaN for empty clusters, and their unit."""
    if X is not None:
        return standardised_means(source.data(X), labels), SD
    if source.standardised and hasattr(source.model, "standardized_centers_"):
        return np.asarray(source.model.standardized_centers_, dtype=np.float64), SD
    centers = centers_of(source.model)
    if centers is None:
        raise ValueError(f"{source.title} has no centres in the space of the features; give X, for means")
    return centers, "centre, units of the data"


def standardised_means(rows: FloatArray, labels: NDArray[np.intp]) -> FloatArray:
    """Cluster means in standard deviations from the feature means; missing entries are left out."""
    observed = ~np.isnan(rows)
    count = np.maximum(observed.sum(axis=0), 1)
    deviations = np.where(observed, rows - np.where(observed, rows, 0).sum(axis=0) / count, 0)
    spread = np.sqrt((deviations**2).sum(axis=0) / count)
    deviations /= np.where(spread > 0, spread, 1)
    members = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
    counts = members.T @ observed
    means: FloatArray = np.divide(
        members.T @ deviations, counts, out=np.full(counts.shape, np.nan), where=counts > 0
    )
    return means


def plot_pairs(model: Any, X: ArrayLike, axes: Any = None, *, top: int = 4) -> NDArray[Any]:
    """Draw every pair of the most important features in use, coloured by cluster, with histograms between.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features)
        The data of the fit; rows in which a feature is missing are left out of its panels.
    axes : array of matplotlib Axes of shape (m, m), optional
        Where to draw, m the number of features shown; default a new figure.
    top : int, default=4
        Largest number of features to show, the most important first.

    Returns
    -------
    ndarray of matplotlib Axes of shape (m, m)
        The axes drawn on: histograms on the diagonal, scatter plots below it, nothing above it but the names
        of the clusters.

    Raises
    ------
    TypeError
    ValueError
        For an X that is not the data of the fit, axes of another shape, or an estimator that uses no feature.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_projection : Draw the rows on principal axes.
    plot_centers : Draw the centres.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_pairs
    >>> X = load_wine(as_frame=True).data
    >>> axes = plot_pairs(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    check_top(top)
    source = fitted(model).by_column()
    rows, labels = source.data(X), source.labels()
    shown = source.shown[:top]
    m = len(shown)
    if not m:
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    axes = _grid(m) if axes is None else _checked_grid(axes, m)
    names = [short(source.names[j], LONGEST_PANEL_NAME) for j in shown]
    for i, a in enumerate(shown):
        for j, b in enumerate(shown):
            if j == i:
                _draw_histograms(axes[i, i], rows[:, a], labels)
            elif j < i:
                draw_points(axes[i, j], rows[:, b], rows[:, a], labels)
            else:
                axes[i, j].set_axis_off()
            axes[i, j].tick_params(labelbottom=i == m - 1, labelleft=j == 0 and i > 0, labelsize=8)
        axes[m - 1, i].set_xlabel(names[i], fontsize=8)
        if i > 0:
            axes[i, 0].set_ylabel(names[i], fontsize=8)
    axes[0, 0].set_title(title_of(source, m), fontsize=10, loc="left")
    name_clusters(axes, labels, source.clusters(labels.max() + 1))
    return np.asarray(axes)


def _grid(m: int) -> NDArray[Any]:
    """Axes of shape (m, m) on a new figure."""
    side = max(3.2, 1.9 * m)
    figure: Any = new_axes((side, side)).figure
    figure.clear()
    return np.asarray(figure.subplots(m, m, sharex="col", squeeze=False))


def _checked_grid(axes: Any, m: int) -> NDArray[Any]:
    """The given axes, checked to have shape (m, m)."""
    grid = as_array(axes, "axes", object)
    if grid.shape != (m, m) and not (m == 1 and grid.size == 1):
        raise ValueError(f"axes must have shape ({m}, {m}), one row per feature shown; got {grid.shape}")
    check_axes(grid)
    return grid.reshape(m, m)


def draw_points(ax: Axes, x: FloatArray, y: FloatArray, labels: NDArray[np.intp]) -> None:
    """A scatter plot in the order of the rows, so that no cluster covers the others."""
    size = float(np.clip(LARGEST_DOTS / len(x), *DOT_SIZES))
    colors = np.array([*colors_of(labels.max() + 1), FAINT])[labels]  # last: label -1, no cluster
    for group in np.unique(labels // len(PALETTE)):
        of_group = labels // len(PALETTE) == group
        marker = MARKERS[group % len(MARKERS)]
        ax.scatter(
            x[of_group], y[of_group], s=size, c=colors[of_group], marker=marker, alpha=0.7, linewidths=0
        )
    tidy(ax)


def _draw_histograms(ax: Axes, x: FloatArray, labels: NDArray[np.intp]) -> None:
    """Outlines of the histograms of the clusters, on common intervals."""
    observed = x[~np.isnan(x)]
    if len(observed):
        edges = np.histogram_bin_edges(observed, bins=20)
        for k, color in enumerate(colors_of(labels.max() + 1)):
            values = x[(labels == k) & ~np.isnan(x)]
            ax.hist(values, bins=edges.tolist(), histtype="step", color=color, linewidth=1.2)
    tidy(ax)
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])


def name_clusters(axes: NDArray[Any], labels: NDArray[np.intp], names: Sequence[object]) -> None:
    """A legend in the empty corner, or beside a single panel."""
    from matplotlib.lines import Line2D

    sizes = np.bincount(labels[labels >= 0])
    handles = []
    for k, (name, color, size) in enumerate(zip(names, colors_of(len(sizes)), sizes, strict=True)):
        marker = MARKERS[k // len(PALETTE) % len(MARKERS)]
        handles.append(
            Line2D([], [], color=color, marker=marker, linestyle="", label=f"{literal(name)} ({size})")
        )
    corner = axes[0, -1]
    place = {"loc": "upper right"} if len(axes) > 1 else {"loc": "upper left", "bbox_to_anchor": (1.02, 1)}
    corner.legend(
        handles=handles, title="cluster (rows)", frameon=False, fontsize=8, title_fontsize=8, **place
    )

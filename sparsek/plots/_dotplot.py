"""Dots for clusters and features: how large a feature is in a cluster, and in how many of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.inputs.arguments import number, takes
from sparsek.plots._clusters import LARGEST_SHADE, SD, standardised_means, title_of
from sparsek.plots._figure import (
    AX,
    DIVERGING,
    NEUTRAL,
    FloatArray,
    check_top,
    name_columns,
    name_rows,
    new_axes,
    short,
    tidy,
)
from sparsek.plots._fitted import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_DOT = 130.0
"""Area in square points of the dot of a feature that is large in all rows."""
KEY = (0.25, 0.5, 0.75, 1.0)
"""Shares whose dots are explained."""


@takes(ax=AX, above=[number(None, closed="neither"), None])
def plot_dotplot(
    model: Any, X: ArrayLike, ax: Axes | None = None, *, top: int = 30, above: float | None = None
) -> Axes:
    """Draw a dot for every cluster and feature: its colour the mean, its size the share of the rows above.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features)
        The data of the fit, NaN where missing.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.
    top : int, default=30
        Largest number of features to show, the most important first.
    above : float, optional
        A row counts for the size of a dot where its value is above this, in the unit of the data: 0 for
        counts, of which the dots then say how many cells have any. Default: the mean of the feature.

    Returns
    -------
    matplotlib Axes
        The axes drawn on: clusters with their numbers of rows in rows, features in columns. Colours are the
        means of the clusters in standard deviations from the mean of each feature.

    Raises
    ------
    TypeError
        For an object that is not an estimator, or an `above` that is no number.
    ValueError
        For an X that is not the data of the fit, or an estimator that uses no feature.
    sklearn.exceptions.NotFittedError
        For an estimator that is not fitted.
    ImportError
        Without matplotlib, when no axes are given.

    See Also
    --------
    plot_centers : Draw the centres as a heat map.
    plot_heatmap : Draw every row.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_dotplot
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_dotplot(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    check_top(top)
    limit = None if above is None else float(above)
    source = fitted(model).by_column()
    rows, labels = source.data(X), source.labels()
    shown = source.shown[:top]
    if not len(shown):
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    means = standardised_means(rows, labels)[:, shown]
    shares = _shares(rows[:, shown], labels, limit)
    sizes = np.bincount(labels[labels >= 0], minlength=len(means))
    if ax is None:
        longest = max(len(short(source.names[j])) for j in shown)
        width = float(np.clip(3.6 + 0.34 * len(shown), 5.0, 12.0))
        ax = new_axes((width, max(2.4, 1.0 + 0.36 * len(means)) + 0.07 * longest))
    _draw_dots(ax, means, shares)
    clusters = source.clusters(len(sizes))
    name_rows(ax, [f"{k}  ({size})" for k, size in zip(clusters, sizes, strict=True)])
    name_columns(ax, [source.names[j] for j in shown], rotate=True)
    ax.set(ylabel="cluster (rows)")
    ax.set_title(title_of(source, len(shown)), fontsize=10)
    _explain(ax, "rows above the mean" if limit is None else f"rows above {limit:g}")
    tidy(ax)
    return ax


def _shares(rows: FloatArray, labels: np.ndarray, above: float | None) -> FloatArray:
    """Share of the observed rows of each cluster whose value is above a number or the mean, (k, p)."""
    observed = ~np.isnan(rows)
    limit: Any = above
    if above is None:
        limit = np.where(observed, rows, 0).sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
    members = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
    large = np.where(observed, rows, -np.inf) > limit
    shares: FloatArray = (members.T @ large) / np.maximum(members.T @ observed, 1)
    return shares


def _draw_dots(ax: Axes, means: FloatArray, shares: FloatArray) -> None:
    """Draw the dots, the first cluster on top, with the key of their colours."""
    k, p = means.shape
    down, across = np.indices((k, p))
    largest = float(min(np.nanmax(np.abs(means), initial=0.0), LARGEST_SHADE)) or 1.0
    dots = ax.scatter(
        across.ravel(),
        down.ravel(),
        s=LARGEST_DOT * shares.ravel(),
        c=means.ravel(),
        cmap=DIVERGING,
        vmin=-largest,
        vmax=largest,
        edgecolors=NEUTRAL,
        linewidths=0.5,
    )
    ax.set(xlim=(-0.6, p - 0.4), ylim=(k - 0.4, -0.6))
    assert ax.figure is not None
    ax.figure.colorbar(dots, ax=ax, label=SD, fraction=0.05, pad=0.02).outline.set_visible(False)


def _explain(ax: Axes, title: str) -> None:
    """A legend of the sizes beside the dots."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=NEUTRAL, marker="o", linestyle="", markersize=(LARGEST_DOT * share) ** 0.5)
        for share in KEY
    ]
    ax.legend(
        handles,
        [f"{share:.0%}" for share in KEY],
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        title_fontsize=8,
    )

"""How often features are selected, and how often rows share a cluster, over resamples or starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sparsek.inputs.arguments import number, takes
from sparsek.plots._figure import (
    AX,
    FAINT,
    NEUTRAL,
    PLAIN,
    as_panels,
    check_labels,
    check_matrix,
    check_names,
    check_top,
    check_vector,
    draw_matrix,
    mark_clusters,
    name_rows,
    new_axes,
    size_for_rows,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@takes(ax=AX, threshold=[number(0, 1, "both"), None])
def plot_stability(
    frequencies: Any,
    threshold: float | None = None,
    ax: Axes | None = None,
    *,
    names: Sequence[object] | None = None,
    top: int | None = 30,
) -> Axes:
    """Draw how often each feature is selected, the most frequent on top.

    Parameters
    ----------
    frequencies : fitted StabilitySelection, or array_like of shape (p,)
        The selection, with its frequencies, threshold and names; or shares of the resamples that select each
        feature, in [0, 1].
    threshold : float, optional
        Share from which on a feature counts as stable, in [0, 1], drawn as a line; features below are grey.
        By default that of the selection.
    ax : matplotlib Axes, optional
    names : sequence of p str, optional
        Names of the features; default those of the selection, or x0, x1, ...
    top : int or None, default=30
        Number of features to show. None shows all in their own order, without names.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        For data that are not numbers, another estimator, or a `top` that is no integer.
    ValueError
        For frequencies or a threshold outside [0, 1], or shapes that do not fit.
    sklearn.exceptions.NotFittedError
        For a selection that is not fitted.
    ImportError

    See Also
    --------
    sparsek.StabilitySelection : Keep the features that most random halves of the rows select.
    plot_uncertainty : Draw the intervals and memberships of a fit.

    References
    ----------
    Meinshausen, N. and Buhlmann, P. (2010). Stability selection. JRSS B 72, 417-473.

    Examples
    --------
    >>> from sparsek.plots import plot_stability
    >>> ax = plot_stability([0.9, 0.2, 0.7], 0.6, names=["a", "b", "c"])  # doctest: +SKIP
    """
    check_top(top)
    if hasattr(frequencies, "get_params"):
        selection = _of_kind(frequencies, "selection_frequencies_", "StabilitySelection")
        threshold = selection.threshold_ if threshold is None else threshold
        names = getattr(selection, "feature_names_in_", None) if names is None else names
        frequencies = selection.selection_frequencies_
    shares = check_vector("frequencies", frequencies)
    _check_shares("frequencies", shares)
    features = check_names(names, len(shares))
    if threshold is not None:
        _check_shares("threshold", check_vector("threshold", [threshold]))
    colors = [PLAIN if threshold is None or share >= threshold else FAINT for share in shares]
    if top is None:
        ax = new_axes((7.2, 3.6)) if ax is None else ax
        ax.vlines(np.arange(len(shares)), 0, shares, colors=colors, linewidth=1)
        ax.set(xlabel="feature, from 0", ylabel="selection frequency", ylim=(0, 1.02))
    else:
        order = np.argsort(-shares, kind="stable")[:top]
        ax = new_axes(size_for_rows(len(order))) if ax is None else ax
        ax.barh(range(len(order)), shares[order], height=0.7, color=[colors[j] for j in order])
        ax.set(xlabel="selection frequency", xlim=(0, 1.02), ylim=(len(order) - 0.4, -0.6))
        name_rows(ax, [features[j] for j in order])
    if threshold is not None:
        (ax.axhline if top is None else ax.axvline)(threshold, color=NEUTRAL, linestyle="--", linewidth=1)
        stable = int((shares >= threshold).sum())
        ax.set_title(f"{stable} of {len(shares)} features reach {float(threshold):g}", fontsize=10)
    else:
        ax.set_title(f"how often each of {len(shares)} features is selected", fontsize=10)
    tidy(ax)
    return ax


@takes(ax=AX)
def plot_consensus(matrix: Any, labels: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
    """Draw how often each two rows share a cluster, rows ordered by cluster.

    Parameters
    ----------
    matrix : fitted ConsensusClustering, or array_like of shape (n, n)
        The clustering, with its matrix and labels; or shares of the resamples that put two rows in one
        cluster, symmetric, in [0, 1]; NaN, drawn white, where two rows were never in one resample.
    labels : array-like of shape (n,), optional
        Clusters of the rows, integers. Within a cluster, rows that agree most with it come first. By default
        those of the clustering; beside a matrix the rows keep their order.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The axes drawn on, with a coloured bar for every cluster.

    Raises
    ------
    TypeError
        For data that are not numbers, another estimator, or labels that are no integers.
    sklearn.exceptions.NotFittedError
        For a clustering that is not fitted.
    ValueError
        For a matrix that is not square, not symmetric or has entries outside [0, 1], or labels of a wrong
        length.
    ImportError

    See Also
    --------
    sparsek.ConsensusClustering : Cluster random subsets of the rows and see where they agree.
    plot_uncertainty : Draw the intervals and memberships of a fit.

    References
    ----------
    Monti, S., Tamayo, P., Mesirov, J. and Golub, T. (2003). Consensus clustering. Machine Learning 52,
    91-118.

    Examples
    --------
    >>> from sparsek.plots import plot_consensus
    >>> ax = plot_consensus([[1.0, 0.8], [0.8, 1.0]], [0, 0])  # doctest: +SKIP
    """
    if hasattr(matrix, "get_params"):
        clustering = _of_kind(matrix, "consensus_matrix_", "ConsensusClustering")
        kept = clustering.labels_ >= 0  # not the rows of weight 0
        labels = clustering.labels_[kept] if labels is None else labels
        matrix = clustering.consensus_matrix_[np.ix_(kept, kept)]
    shares = check_matrix("matrix", matrix)
    n = len(shares)
    if shares.shape != (n, n):
        raise ValueError(f"matrix must be square; got shape {shares.shape}")
    _check_shares("matrix", shares[~np.isnan(shares)])
    if not np.allclose(shares, shares.T, rtol=0, atol=1e-8, equal_nan=True):
        raise ValueError("matrix must be symmetric; give the share of resamples for each pair of rows")
    groups = None if labels is None else check_labels(labels, n, matrix)
    order = np.arange(n) if groups is None else _order(shares, groups)
    ax = new_axes((6.0, 4.8)) if ax is None else ax
    draw_matrix(ax, shares[np.ix_(order, order)], "share of resamples together", limits=(0.0, 1.0))
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"{n} rows: how often two share a cluster", fontsize=10)
    if groups is not None:
        mark_clusters(ax, groups[order])
    return ax


def plot_uncertainty(sure: Any, axes: Any = None, *, top: int = 30) -> NDArray[Any]:
    """Draw the intervals of the features of a fit, and how surely each row is in each cluster.

    Parameters
    ----------
    sure : fitted FitUncertainty
        The fits to resamples.
    axes : sequence of two matplotlib Axes, optional
        Where to draw; default a new figure.
    top : int, default=30
        Largest number of features to show, those of the largest weight (or frequency) first.

    Returns
    -------
    ndarray of matplotlib Axes of shape (2,)
        The axes drawn on. Left, weights and their intervals, darker the oftener the feature is selected;
        without one weight for each feature the selection frequencies and theirs. Right, the membership
        probabilities, rows ordered by cluster.

    Raises
    ------
    TypeError
        For an object that is not a FitUncertainty, or a `top` that is no integer.
    ValueError
        For axes of another number.
    sklearn.exceptions.NotFittedError
        For one that is not fitted.
    ImportError

    See Also
    --------
    sparsek.FitUncertainty : Intervals and membership probabilities from resamples.
    plot_stability : Draw how often each feature is selected.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import SKFR, FitUncertainty
    >>> from sparsek.plots import plot_uncertainty
    >>> sure = FitUncertainty(SKFR(3, 2), n_resamples=20, random_state=0).fit(load_iris().data)
    >>> axes = plot_uncertainty(sure)  # doctest: +SKIP
    """
    check_top(top)
    if not hasattr(sure, "n_resamples") or not hasattr(sure, "level") or isinstance(sure, type):
        raise TypeError(f"give a fitted FitUncertainty; got {sure!r}")
    check_is_fitted(sure)
    panels = as_panels(axes, 2)
    _draw_intervals(panels[0], sure.results_, sure.level, top)
    _draw_membership(panels[1], sure.membership_, sure.labels_)
    return panels


def _draw_intervals(ax: Axes, table: pd.DataFrame, level: float, top: int) -> None:
    """Draw a point and an interval for each of the first features."""
    columns = (
        ["weight", "low", "high"] if "weight" in table else ["frequency", "frequency_low", "frequency_high"]
    )
    order = np.argsort(-table[columns[0]].to_numpy(float), kind="stable")[:top]
    value, low, high = table[columns].to_numpy(float)[order].T
    often = table["frequency"].to_numpy(float)[order]
    places = np.arange(len(order))
    ax.hlines(places, low, high, color=[(*_rgb(PLAIN), 0.25 + 0.75 * share) for share in often], linewidth=2)
    ax.plot(value, places, "o", color=NEUTRAL, markersize=3.5)
    ax.set(xlabel=f"{columns[0]}, {level:.0%} interval", ylim=(len(order) - 0.4, -0.6))
    name_rows(ax, table["feature"].to_numpy()[order].tolist())
    shown = f"the first {len(order)} of {len(table)}" if len(order) < len(table) else len(order)
    ax.set_title(f"intervals of {shown} features", fontsize=10)
    tidy(ax)


def _rgb(color: str) -> tuple[float, ...]:
    """Red, green and blue, from 0 to 1, of a colour #RRGGBB."""
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))


def _draw_membership(ax: Axes, membership: np.ndarray, labels: np.ndarray) -> None:
    """Draw the membership probabilities, rows by cluster and the surest first."""
    own = np.where(labels >= 0, membership[np.arange(len(labels)), np.maximum(labels, 0)], 0)
    order = np.lexsort((-np.nan_to_num(own), labels))
    image = draw_matrix(ax, membership[order], "share of resamples", limits=(0.0, 1.0))
    image.set_interpolation("nearest")  # few columns beside many rows would blur
    ax.set(yticks=[], xticks=range(membership.shape[1]), xlabel="cluster", ylabel="rows, by cluster")
    ax.set_title(f"memberships of {len(labels)} rows", fontsize=10)


def _of_kind(model: Any, attribute: str, kind: str) -> Any:
    """The estimator, if it is fitted and has this attribute."""
    if isinstance(model, type):
        raise TypeError(f"give a fitted {kind}, not its class")
    check_is_fitted(model)
    if not hasattr(model, attribute):
        raise TypeError(f"give a fitted {kind}, or numbers; got {type(model).__name__}")
    return model


def _check_shares(name: str, values: np.ndarray) -> None:
    """Raise unless all values are in [0, 1], apart from rounding above 1."""
    wrong = values[(values < 0) | (values > 1 + 1e-8)]
    if wrong.size:
        raise ValueError(f"{name} must be in [0, 1]; got {wrong.flat[0]:g}")


def _order(shares: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Order of the rows: by cluster, then by agreement with the cluster, the largest first."""
    same = groups[:, None] == groups
    known = same & ~np.isnan(shares)
    agreement = np.where(known, shares, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.lexsort((-agreement, groups))

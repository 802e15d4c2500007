"""Feature weights: of R's fits against the feature number, of a fitted estimator by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.inputs.arguments import FLAG, takes
from sparsek.plots._figure import (
    AX,
    FAINT,
    PLAIN,
    FloatArray,
    as_floats,
    check_names,
    check_top,
    check_vector,
    draw_matrix,
    literal,
    name_columns,
    name_rows,
    new_axes,
    size_for_rows,
    tidy,
)
from sparsek.plots._fitted import Fitted, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

R_WEIGHTS = {"wbound": "ws", "L1": "weights"}
"""Fields of R's fits: the bound, and the feature weights."""
UNUSED = "#8C8C8C"
"""Colour of the names of features that are not in use."""


@takes(ax=AX, by_group=FLAG)
def plot_weights(
    weights: Any,
    ax: Axes | None = None,
    *,
    top: int | None = 30,
    names: Sequence[object] | None = None,
    by_group: bool = False,
) -> Axes:
    """Draw feature weights: bars, the largest on top, or a heat map where every cluster has its own.

    Parameters
    ----------
    weights : fitted estimator, array_like of shape (p,) or (k, p), or mapping of str to array_like
        A fit with feature weights, or a search or pipeline that holds one; for `IFPCA` its scores are drawn.
        Or weights themselves (dimensionless). A mapping of labels to weights of shape (p,) is drawn as R
        does: points against the feature number from 1, one set per fit; so is a fit of R's function, such as
        ``rcompat.KMeansSparseCluster(x, 3, 2)[0]``.
    ax : matplotlib Axes, optional
    top : int or None, default=30
        Number of features to show, the most important first. None shows all in their own order, without
        names: lines for one weight per feature, a heat map otherwise. Not for a mapping.
    names : sequence of str, optional
        Names of the features; default those of the estimator, or x0, x1, ... Not for a mapping.
    by_group : bool, default=False
        Draw the groups of features that a fit selects as a whole: their weights, or their gains per degree of
        freedom (squared standardised units). Only for a fit with ``groups``.

    Returns
    -------
    matplotlib Axes
        The axes drawn on. Features that the fit does not use are grey. With a mapping of one fit its label is
        the title, with several there is a legend.

    Raises
    ------
    TypeError
        For an object that is neither an estimator nor numbers, or a `top` that is no integer.
    ValueError
        For an estimator that weights no features, for weights of a wrong shape or that are not finite, a
        `top` below 1, or `by_group` without groups.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_path : Draw the weights of a path.
    plot_centers : Draw the centres.
    sparsek.SKFR : K-means on the s features that separate the clusters best.
    sparsek.SparseKMeans : Sparse k-means: feature weights under an L1 bound.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_weights
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_weights(SKFR(3, 6, random_state=0).fit(X))  # doctest: +SKIP
    """
    check_top(top)
    if by_group:
        return _draw_groups(weights, ax, top, names)
    if isinstance(weights, Mapping):
        return _draw_points(_by_label(weights), ax)
    if isinstance(weights, type) or hasattr(weights, "get_params"):
        source = fitted(weights)
        values, label = _values_of(source)
        features = source.names if names is None else check_names(names, len(source.names))
        order, used, title = source.order, source.support, _title(source, top)
        clusters = source.clusters(len(values))
    else:
        values, label, title = _checked(weights), "weight", ""
        features = check_names(names, values.shape[-1])
        clusters = [str(k) for k in range(len(values))]
        largest = values.max(axis=0) if values.ndim == 2 else values
        order, used = np.argsort(-largest, kind="stable"), largest != 0
    if values.ndim == 2:
        return _draw_by_cluster(values, features, clusters, order, top, label, title, ax)
    if top is None:
        return _draw_index(values, used, label, title, ax)
    return _draw_bars(values, features, order[:top], used, label, title, ax)


def _draw_groups(model: Any, ax: Axes | None, top: int | None, names: Sequence[object] | None) -> Axes:
    """Draw the groups of a fit: bars, or a heat map where every cluster has its own."""
    source = fitted(model) if hasattr(model, "get_params") and not isinstance(model, type) else None
    if source is None or not hasattr(source.model, "selected_groups_"):
        raise ValueError("by_group=True needs a fit with groups, such as SKFR(3, 2, groups=labels).fit(X)")
    by_weight = hasattr(source.model, "group_weights_")
    values = np.asarray(source.model.group_weights_ if by_weight else source.model.group_gains_)
    groups = source.model.groups_.tolist()
    shown = check_names([str(name) for name in groups] if names is None else names, len(groups))
    used = np.isin(source.model.groups_, source.model.selected_groups_)
    largest = values.max(axis=0) if values.ndim == 2 else values
    order = np.lexsort((-largest, ~used))
    label = "weight of the group" if by_weight else "gain per degree of freedom"
    part = f", the first {top} shown" if top is not None and top < len(groups) else ""
    title = f"{source.title}: {used.sum()} of {len(groups)} groups in use{part}"
    if values.ndim == 2:
        clusters = source.clusters(len(values))
        return _draw_by_cluster(values, shown, clusters, order, top, label, title, ax, "group")
    if top is None:
        return _draw_index(values, used, label, title, ax, "group")
    return _draw_bars(values, shown, order[:top], used, label, title, ax)


def _values_of(source: Fitted) -> tuple[FloatArray, str]:
    """Weights of an estimator, or the scores it selects by, and the label of their axis."""
    if source.weights is not None:
        return source.weights, "weight"
    if hasattr(source.model, "scores_adjusted_"):
        return np.asarray(source.model.scores_adjusted_, dtype=np.float64), "score"
    raise ValueError(f"{source.title} weights no features; plot_centers shows what tells its clusters apart")


def _checked(weights: ArrayLike) -> FloatArray:
    """Weights of shape (p,) or (k, p)."""
    values = as_floats("weights", weights)
    return (
        np.array([check_vector("weights", row) for row in values])
        if values.ndim == 2
        else check_vector("weights", values)
    )


def _title(source: Fitted, top: int | None) -> str:
    """Title: how many features are in use, and how many are shown."""
    p = len(source.names)
    shown = f", the first {top} shown" if top is not None and top < p else ""
    if source.support.all():
        return f"{source.title}: {p} feature{'s' if p > 1 else ''}{shown}"
    return f"{source.title}: {source.support.sum()} of {p} features in use{shown}"


def _by_label(weights: Mapping[str, Any]) -> Mapping[str, ArrayLike]:
    """Weights by label; of one fit of R's `KMeansSparseCluster` or its relatives, those of its bound."""
    for bound, name in R_WEIGHTS.items():
        if {bound, name} <= set(weights):
            return {f"{bound.capitalize()} is {float(weights[bound]):g}": np.ravel(weights[name])}
    return weights


def _draw_points(weights: Mapping[str, ArrayLike], ax: Axes | None) -> Axes:
    """Draw weights as R does: points against the feature number."""
    if not weights:
        raise ValueError("weights must hold at least one fit; the mapping is empty")
    vectors = {label: check_vector("weights", w) for label, w in weights.items()}
    ax = new_axes() if ax is None else ax
    for label, values in vectors.items():
        ax.plot(range(1, len(values) + 1), values, "o", fillstyle="none", label=literal(label))
    if len(weights) == 1:
        ax.set_title(literal(next(iter(weights))))
    else:
        ax.legend()
    ax.set(xlabel="Feature Index", ylabel="Wj")
    return ax


def _draw_bars(
    values: FloatArray,
    names: Sequence[str],
    order: Any,
    used: Any,
    label: str,
    title: str,
    ax: Axes | None,
) -> Axes:
    """Draw horizontal bars, with the first feature of `order` on top."""
    ax = new_axes(size_for_rows(len(order))) if ax is None else ax
    colors = [PLAIN if used[j] else FAINT for j in order]
    ax.barh(range(len(order)), values[order], height=0.7, color=colors)
    ax.set_ylim(len(order) - 0.4, -0.6)
    plain: Any = ax.xaxis.label.get_color()  # of the style: white on dark backgrounds
    name_rows(ax, [names[j] for j in order], [plain if used[j] else UNUSED for j in order])
    ax.set_xlabel(label)
    ax.set_title(title, fontsize=10)
    tidy(ax)
    return ax


def _draw_index(
    values: FloatArray, used: Any, label: str, title: str, ax: Axes | None, kind: str = "feature"
) -> Axes:
    """Draw a vertical line for every weight, in the order of the features."""
    ax = new_axes((7.2, 3.6)) if ax is None else ax
    j = np.arange(len(values))
    ax.vlines(j, 0, values, colors=[PLAIN if use else FAINT for use in used], linewidth=1)
    ax.set(xlabel=f"{kind}, from 0", ylabel=label, xlim=(-0.5 - 0.01 * len(j), len(j) - 0.5 + 0.01 * len(j)))
    if values.min() >= 0:
        ax.set_ylim(0, 1.05 * values.max() or 1)
    ax.set_title(title, fontsize=10)
    tidy(ax)
    return ax


def _draw_by_cluster(
    values: FloatArray,
    names: Sequence[str],
    clusters: Sequence[str],
    order: Any,
    top: int | None,
    label: str,
    title: str,
    ax: Axes | None,
    kind: str = "feature",
) -> Axes:
    """Draw features (rows, the first of `order` on top) by clusters; or clusters by all features."""
    if top is None:
        ax = new_axes((7.2, max(2.6, 1.2 + 0.3 * len(values)))) if ax is None else ax
        draw_matrix(ax, values, label)
        name_rows(ax, clusters)
        ax.set(xlabel=f"{kind}, from 0", ylabel="cluster")
    else:
        order = order[:top]
        ax = new_axes(size_for_rows(len(order))) if ax is None else ax
        draw_matrix(ax, values[:, order].T, label)
        name_rows(ax, [names[j] for j in order])
        name_columns(ax, clusters)
        ax.set_xlabel("cluster")
    ax.set_title(title, fontsize=10)
    return ax

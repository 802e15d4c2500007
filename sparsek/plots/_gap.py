"""The gap statistic, or errors: curves with standard errors, and surfaces over grids of two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from sparsek.inputs.arguments import count, takes
from sparsek.plots._figure import (
    AX,
    NEUTRAL,
    SEQUENTIAL,
    FloatArray,
    as_floats,
    as_panels,
    colors_of,
    draw_matrix,
    name_columns,
    name_rows,
    new_axes,
    tidy,
    write_cells,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICKED_VALUES = 12
"""Up to this many values get labels on the axis."""
DRAWN = ("separation", "gap", "error", "strength", "consistency")
"""Columns of the table of a search that are drawn."""
ERROR = "error"
"""The one of them of which less is better."""
FEWEST_DECIMALS, MOST_DECIMALS = 2, 5
"""Decimals of the numbers in the cells of a surface."""
TICK_DISTANCE = 0.045
"""Smallest distance between labelled values, as a share of the axis."""


@takes(ax=AX, chosen=[count(0), None])
def plot_gap(
    positions: Any,
    gaps: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    errors: ArrayLike | None = None,
    chosen: int | None = None,
    label: str = "# Non-zero Wj's",
) -> Axes:
    """Draw the gap statistic: a curve, or for a search over two parameters the surface as a heat map.

    Parameters
    ----------
    positions : fitted search, or array_like of shape (m,)
        A WeakestSeparation, PermutationGap, EntryCrossValidation, ThinnedSearch, PredictionStrength or
        SelectionConsistency; its separations, gaps, errors, strengths or consistencies are drawn. Or where
        the gaps are: the number of non-zero weights at every bound, as R draws it, or values of the parameter
        itself. The axis is linear where they are equally spaced, as numbers of clusters are, and else
        logarithmic.
    gaps : array_like of shape (m,), optional
        Gap statistic at every position (difference of logarithms); not with a search.
    ax : matplotlib Axes, optional
    errors : array_like of shape (m,), optional
        Half lengths of the error bars, such as standard errors of the gaps; not with a search.
    chosen : int, optional
        Index of the value to mark; not with a search.
    label : str, default="# Non-zero Wj's"
        What the horizontal axis shows; not with a search.

    Returns
    -------
    matplotlib Axes
        The axes drawn on. Better is up, or darker on a surface: of errors the axis is reversed. A search over
        three or more parameters has one curve, with its standard errors, for each combination of the
        parameters before the last.

    Raises
    ------
    TypeError
        For positions without gaps that are not a search.
    ValueError
        For shapes that differ, or positions on a logarithmic axis that are not positive.
    sklearn.exceptions.NotFittedError
        For a search that is not fitted.
    ImportError

    See Also
    --------
    sparsek.PermutationGap : Choose parameters by the permutation gap statistic.
    plot_choice : Draw all criteria of a choice.
    plot_elbow : Draw the inertia against the number of clusters.

    Examples
    --------
    >>> from sparsek import PermutationGap, SparseKMeans
    >>> from sparsek.plots import plot_gap
    >>> from sklearn.datasets import load_iris
    >>> search = PermutationGap(SparseKMeans(3), "l1_bound", [1.2, 1.6], n_permutations=3, random_state=0)
    >>> ax = plot_gap(search.fit(load_iris().data))  # doctest: +SKIP
    """
    if gaps is None:
        ax = _draw_search(positions, ax)
        if not ax.get_title():
            ax.set_title(f"{ax.get_ylabel().partition(',')[0]} by {ax.get_xlabel()}", fontsize=10)
        return ax
    x, y = as_floats("positions", positions), as_floats("gaps", gaps)
    bars = None if errors is None else as_floats("errors", errors)
    if x.ndim != 1 or x.shape != y.shape or (bars is not None and bars.shape != x.shape):
        shapes = [x.shape, y.shape] + ([] if bars is None else [bars.shape])
        raise ValueError(f"positions, gaps and errors must be vectors of one length; got {shapes}")
    linear = _equally_spaced(x)
    if not linear and not (x > 0).all():
        raise ValueError(f"positions must be positive for a logarithmic axis; got {x.min():g}")
    ax = new_axes() if ax is None else ax
    ink: Any = ax.xaxis.label.get_color()  # of the style: white on dark backgrounds
    _draw_curve(ax, x, y, bars, ink)
    if chosen is not None:
        ax.plot(x[chosen], y[chosen], "o", color=ink, label=f"chosen: {x[chosen]:g}")
        ax.legend()
    if not linear:
        _make_logarithmic(ax)
    ax.set(xlabel=label, ylabel="Gap", title="Gap Statistics")
    return ax


def _equally_spaced(x: FloatArray) -> bool:
    """Whether three or more values have one distance, apart from rounding."""
    steps = np.diff(np.sort(x))
    return len(steps) > 1 and bool(np.allclose(steps, steps[0], rtol=1e-9, atol=0))


def _make_logarithmic(ax: Axes) -> None:
    """A logarithmic axis with numbers such as 2 and 3, not 2 x 10^0 and 3 x 10^0."""
    from matplotlib.ticker import LogFormatter

    ax.set_xscale("log")
    for set_formatter in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        set_formatter(LogFormatter(minor_thresholds=(1, 0.5)))


def plot_choice(choice: Any, axes: Any = None) -> NDArray[Any]:
    """Draw all criteria of a choice of parameters, a panel for each, as `plot_gap` draws one.

    Parameters
    ----------
    choice : fitted ModelChoice
        The choice.
    axes : sequence of matplotlib Axes, optional
        Where to draw, one for each criterion; default a new figure.

    Returns
    -------
    ndarray of matplotlib Axes of shape (n_criteria,)
        The axes drawn on. What each criterion chooses is marked in its panel. In all panels better is up, or
        darker on a surface: the axes of errors are reversed.

    Raises
    ------
    TypeError
        For an object that is not a ModelChoice.
    ValueError
        For axes of another number.
    sklearn.exceptions.NotFittedError
        For a choice that is not fitted.
    ImportError

    See Also
    --------
    sparsek.ModelChoice : Choose the numbers of clusters and features by several criteria.
    plot_gap : Draw the gap statistic.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import SKFR, ModelChoice
    >>> from sparsek.plots import plot_choice
    >>> choice = ModelChoice(SKFR(n_features_to_select=3), {"n_clusters": [2, 3, 4]}, random_state=0)
    >>> axes = plot_choice(choice.fit(load_iris().data))  # doctest: +SKIP
    """
    if not hasattr(choice, "criteria") or isinstance(choice, type):
        raise TypeError(f"give a fitted ModelChoice; got {choice!r}")
    check_is_fitted(choice)
    searches = choice.searches_
    panels = as_panels(axes, len(searches), "criteria")
    for panel, (name, search) in zip(panels, searches.items(), strict=True):
        _draw_search(search, panel)
        panel.set_title(" ".join(filter(None, [f"{name};", panel.get_title()])).rstrip(";"), fontsize=10)
    return panels


def _draw_curve(
    ax: Axes, x: FloatArray, y: FloatArray, errors: FloatArray | None, color: str, label: str | None = None
) -> None:
    """Draw points, a thin line, and error bars."""
    ax.errorbar(x, y, errors, fmt="o-", color=color, fillstyle="none", linewidth=0.8, capsize=2, label=label)


def _draw_search(search: Any, ax: Axes | None) -> Axes:
    """Draw the curve or surface of a search."""
    if not hasattr(search, "get_params") or isinstance(search, type):
        raise TypeError(f"give gaps, or a fitted PermutationGap in place of the positions; got {search!r}")
    check_is_fitted(search)
    table = getattr(search, "results_", None)
    columns = set(table.columns) if isinstance(table, pd.DataFrame) else set()
    drawn = [name for name in DRAWN if {name, f"{name}_se", "chosen"} <= columns]
    if not isinstance(table, pd.DataFrame) or not drawn:
        raise TypeError(f"{type(search).__name__} has no gap statistic; fit a PermutationGap")
    names = list(search.best_params_)
    if len(names) == 2 and table[names].nunique().min() > 1:
        return _draw_surface(table, names, ax, drawn[0])
    return _draw_curves(table, names, ax, drawn[0])


def _draw_curves(table: pd.DataFrame, names: list[str], ax: Axes | None, drawn: str) -> Axes:
    """Draw a curve over the last parameter for each combination of the others; mark the chosen value."""
    ax = new_axes((6.4, 4.4)) if ax is None else ax
    *others, last = names
    n_last = table[last].nunique()
    curves = [table.iloc[first : first + n_last] for first in range(0, len(table), n_last)]
    for rows, color in zip(curves, colors_of(len(curves)), strict=True):
        name = ", ".join(f"{other} = {rows[other].iloc[0]:g}" for other in others)
        x, y = rows[last].to_numpy(float), rows[drawn].to_numpy(float)
        _draw_curve(ax, x, y, rows[f"{drawn}_se"].to_numpy(float), color, name or None)
        for i in np.flatnonzero(rows["chosen"]):
            chosen = ", ".join(filter(None, [name, f"{x[i]:g}"]))
            ax.plot(x[i], y[i], "o", color=color, label=f"chosen: {chosen}")
    scale_to(ax, np.sort(table[last].unique()).astype(float), linear=last == "n_clusters")
    ax.set(xlabel=last, ylabel=drawn.capitalize())
    if drawn == ERROR:
        ax.invert_yaxis()
        ax.set_ylabel("Error, axis reversed: up is better")
    ax.legend(frameon=False)
    tidy(ax)
    return ax


def scale_to(ax: Axes, values: FloatArray, linear: bool = False) -> None:
    """Scale the axis for ascending values: logarithmic if that spreads them better; label few values."""
    places = values
    wide = values[0] > 0 and len(values) > 1 and not linear
    if wide and _least_distance(np.log(values)) > 1.01 * _least_distance(values):
        ax.set_xscale("log")
        places = np.log(values)
    if len(values) <= TICKED_VALUES:
        named = [0]
        for i in range(1, len(values)):
            if places[i] - places[named[-1]] >= TICK_DISTANCE * (places[-1] - places[0]):
                named.append(i)
        ax.set_xticks(values[named], [f"{values[i]:.3g}" for i in named])
        ax.set_xticks([], minor=True)


def _least_distance(values: FloatArray) -> float:
    """Smallest distance of neighbouring values, as a share of the range."""
    return float(np.diff(values).min() / (values[-1] - values[0]))


def _decimals(values: FloatArray) -> int:
    """The fewest decimals, from 2 to 5, with which different values look different."""
    found = np.unique(values[np.isfinite(values)])
    least = float(np.diff(found).min()) if len(found) > 1 else 1.0
    return int(np.clip(np.ceil(-np.log10(least)), FEWEST_DECIMALS, MOST_DECIMALS))


def _draw_surface(table: pd.DataFrame, names: list[str], ax: Axes | None, drawn: str) -> Axes:
    """Draw values over the grid; the first parameter increases upwards; the chosen cell has a frame."""
    rows, columns = (np.sort(table[name].unique()) for name in names)
    gaps = table[drawn].to_numpy(float).reshape(len(rows), len(columns))[::-1]
    chosen = table["chosen"].to_numpy(bool).reshape(gaps.shape)[::-1]
    ax = new_axes((6.4, max(3.0, 1.6 + 0.4 * len(rows)))) if ax is None else ax
    # Errors are far from 0 and differ little.
    limits = (gaps.min(), gaps.max()) if drawn == ERROR and np.ptp(gaps) > 0 else None
    image = draw_matrix(ax, gaps, drawn.capitalize(), limits=limits)
    if drawn == ERROR:
        image.set_cmap(f"{SEQUENTIAL}_r")
    if gaps.size <= TICKED_VALUES**2:
        digits = _decimals(gaps)
        write_cells(ax, image, [[f"{gap:z.{digits}f}" for gap in row] for row in gaps])
    from matplotlib.patches import Rectangle

    (i, j) = np.argwhere(chosen)[0]
    ax.add_patch(
        Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor=NEUTRAL, linewidth=2.5, clip_on=False)
    )
    name_rows(ax, [f"{value:g}" for value in rows[::-1]])
    name_columns(ax, [f"{value:.3g}" for value in columns])
    ax.set(ylabel=names[0], xlabel=names[1])
    ax.set_title(f"chosen: {names[0]} = {rows[::-1][i]:g}, {names[1]} = {columns[j]:.3g}", fontsize=10)
    return ax

"""Plots of sparse k-means: feature weights, and the gap curve. They need ``sparsek[plot]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _new_axes() -> Axes:
    """Axes on a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "sparsek[plot]"') from error
    return plt.subplots()[1]


def plot_weights(weights: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw feature weights against the feature number, one set of points per fit.

    Parameters
    ----------
    weights : mapping of str to array_like of shape (p,)
        Label of every fit and its weights (dimensionless).
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib Axes
        The axes drawn on. With one fit its label is the title, with several there is a legend.

    Raises
    ------
    ImportError
        Without matplotlib, when no axes are given.
    """
    ax = _new_axes() if ax is None else ax
    for label, w in weights.items():
        values = np.asarray(w, dtype=float)
        ax.plot(range(1, len(values) + 1), values, "o", fillstyle="none", label=label)
    if len(weights) == 1:
        ax.set_title(next(iter(weights)))
    else:
        ax.legend()
    ax.set(xlabel="Feature Index", ylabel="Wj")
    return ax


def plot_gap(
    positions: ArrayLike,
    gaps: ArrayLike,
    ax: Axes | None = None,
    *,
    errors: ArrayLike | None = None,
    chosen: int | None = None,
    label: str = "# Non-zero Wj's",
    curve: str | None = None,
) -> Axes:
    """Draw the gap statistic on a logarithmic axis, as R does against the number of non-zero weights.

    Parameters
    ----------
    positions : array_like of shape (m,)
        Number of non-zero weights at every bound, or values of the parameter itself; positive.
    gaps : array_like of shape (m,)
        Gap statistic at every bound (difference of logarithms).
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.
    errors : array_like of shape (m,), optional
        Half lengths of the error bars, such as standard errors of the gaps.
    chosen : int, optional
        Index of the value to mark.
    label : str, default="# Non-zero Wj's"
        What the horizontal axis shows.
    curve : str, optional
        Name of the curve in the legend, where several share the axes; each then has its colour.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.

    Raises
    ------
    ImportError
        Without matplotlib, when no axes are given.
    """
    ax = _new_axes() if ax is None else ax
    from matplotlib.ticker import LogFormatter

    x, y = np.asarray(positions, dtype=float), np.asarray(gaps, dtype=float)
    color = None if curve else "black"
    bars = ax.errorbar(
        x, y, errors, fmt="o-", color=color, fillstyle="none", linewidth=0.8, capsize=2, label=curve
    )
    if chosen is not None:
        name = f"chosen: {curve}, {x[chosen]:g}" if curve else f"chosen: {x[chosen]:g}"
        ax.plot(x[chosen], y[chosen], "o", color=bars[0].get_color(), label=name)
    if curve or chosen is not None:
        ax.legend()
    ax.set_xscale("log")
    for set_formatter in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        set_formatter(LogFormatter(minor_thresholds=(1, 0.5)))  # 2 and 3, not 2 x 10^0 and 3 x 10^0
    ax.set(xlabel=label, ylabel="Gap", title="Gap Statistics")
    return ax

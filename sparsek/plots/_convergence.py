"""The objective over the iterations of the best start, and where the other starts ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparsek.inputs.arguments import takes
from sparsek.plots._figure import AX, FAINT, NEUTRAL, PLAIN, FloatArray, new_axes, tidy
from sparsek.plots._fitted import Fitted, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@takes(ax=AX)
def plot_convergence(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the objective over the iterations of the best start, and where every start ended.

    Parameters
    ----------
    model : fitted estimator
        A clusterer with `criterion_history_` or `start_objectives_`, or a search or pipeline that holds one;
        for `DEC` its divergence over the steps is drawn.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The axes drawn on. Points show the number of iterations and the objective of every start with a
        result. They are left out where starts are compared by another criterion than the recorded one.

    Raises
    ------
    TypeError
    ValueError
        For an estimator that keeps neither history nor starts.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_elbow : Draw the inertia against the number of clusters.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_convergence
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_convergence(SKFR(3, 6, random_state=0).fit(X))  # doctest: +SKIP
    """
    source = fitted(model)
    steps, history, label = _history(source)
    lengths, ends = _ends(source)
    if len(history) and len(ends) and not np.isclose(history[-1], ends.min(), rtol=1e-6, atol=0):
        lengths, ends = lengths[:0], ends[:0]
    if not len(history) and not len(ends):
        raise ValueError(
            f"{source.title} keeps neither the objective of its iterations nor that of its starts"
        )
    ax = new_axes((6.4, 4.0)) if ax is None else ax
    from matplotlib.ticker import MaxNLocator

    if len(ends) > 1:
        ax.plot(
            lengths,
            ends,
            "o",
            color=FAINT,
            markeredgecolor=NEUTRAL,
            markersize=5,
            label=f"ends of {len(ends)} starts",
        )
    if len(history):
        mark = "o-" if len(history) <= 60 else "-"
        name = "best start" if len(ends) > 1 else None
        ax.plot(steps, history, mark, color=PLAIN, markersize=4, linewidth=1.4, label=name)
    if len(ends) > 1:
        ax.legend(frameon=False)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.set(xlabel=label, ylabel="objective")
    ax.set_title(source.title, fontsize=10)
    tidy(ax)
    return ax


def _history(source: Fitted) -> tuple[FloatArray, FloatArray, str]:
    """Numbers of the iterations, the objective after each, and the name of an iteration."""
    found = getattr(source.model, "history_", None)
    if isinstance(found, dict) and {"step", "kl"} <= set(found):
        return np.asarray(found["step"], float), np.asarray(found["kl"], float), "step"
    history = np.asarray(getattr(source.model, "criterion_history_", ()), dtype=np.float64)
    return np.arange(1.0, len(history) + 1), history, "iteration"


def _ends(source: Fitted) -> tuple[FloatArray, FloatArray]:
    """Iterations and objectives of the starts that have a result."""
    ends = np.asarray(getattr(source.model, "start_objectives_", ()), dtype=np.float64)
    lengths = np.asarray(getattr(source.model, "start_n_iter_", ()), dtype=np.float64)
    if ends.shape != lengths.shape:
        return np.empty(0), np.empty(0)
    known = np.isfinite(ends)
    return lengths[known], ends[known]

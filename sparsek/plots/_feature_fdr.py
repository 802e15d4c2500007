"""The shares that clusters explain of features, and the threshold of a false discovery rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sparsek.inputs.arguments import takes
from sparsek.plots._figure import (
    AX,
    FAINT,
    NEUTRAL,
    PLAIN,
    check_top,
    name_rows,
    new_axes,
    size_for_rows,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@takes(ax=AX)
def plot_feature_fdr(found: Any, ax: Axes | None = None, *, top: int | None = 30) -> Axes:
    """Draw the shares that clusters explain of features, and the threshold of those selected.

    Parameters
    ----------
    found : fitted FeatureFDR
        The selection.
    ax : matplotlib Axes, optional
    top : int or None, default=30
        Number of features to show, the smallest q-values and largest shares on top. None shows all as points:
        the share against the largest in the sets without clusters.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        For another object, or a `top` that is no integer.
    ValueError
        For a `top` below 1.
    sklearn.exceptions.NotFittedError
        For a selection that is not fitted.
    ImportError

    See Also
    --------
    sparsek.FeatureFDR : Select the features that tell clusters apart.
    plot_stability : Draw how often each feature is selected.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR, FeatureFDR
    >>> from sparsek.plots import plot_feature_fdr
    >>> found = FeatureFDR(SKFR(3, 5, n_init=2), 0.2, n_null=9, random_state=0).fit(load_wine().data)
    >>> ax = plot_feature_fdr(found)  # doctest: +SKIP
    """
    check_top(top)
    if not hasattr(found, "fdr") or isinstance(found, type):
        raise TypeError(f"give a fitted FeatureFDR; got {found!r}")
    check_is_fitted(found)
    gains, selected = found.gains_, found.get_support()
    names = getattr(found, "feature_names_in_", [f"x{j}" for j in range(len(gains))])
    if top is None:
        ax = new_axes((5.4, 5.0)) if ax is None else ax
        for group, color in ((~selected, FAINT), (selected, PLAIN)):
            ax.plot(found.null_gains_[group], gains[group], "o", color=color, markersize=4)
        ax.axline((0, 0), slope=1, color=NEUTRAL, linewidth=1)
        ax.set(xlabel="share explained, largest of the sets without clusters", ylabel="share explained, data")
    else:
        order = np.lexsort((-gains, found.q_values_))[:top]
        ax = new_axes(size_for_rows(len(order))) if ax is None else ax
        colors = [PLAIN if selected[j] else FAINT for j in order]
        ax.barh(range(len(order)), gains[order], height=0.7, color=colors)
        ax.set(xlabel="share explained", ylim=(len(order) - 0.4, -0.6))
        name_rows(ax, [str(names[j]) for j in order])
        if np.isfinite(found.threshold_):
            ax.axvline(found.threshold_, color=NEUTRAL, linestyle="--", linewidth=1)
    ax.set_title(
        f"{selected.sum()} of {len(selected)} features, false discovery rate at most {found.fdr:g}",
        fontsize=10,
    )
    tidy(ax)
    return ax

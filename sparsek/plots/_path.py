"""Weights or gains of every feature along the values of a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from sparsek.inputs.arguments import names as one_of
from sparsek.inputs.arguments import takes
from sparsek.plots._figure import (
    AX,
    FAINT,
    NEUTRAL,
    FloatArray,
    check_names,
    check_top,
    check_vector,
    colors_of,
    literal,
    new_axes,
    short,
    tidy,
)
from sparsek.plots._fitted import fitted, gains_of
from sparsek.plots._gap import scale_to

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = "steps-post"
"""How lines go on from a value that was tried: a fit between two of them is not known."""
LINE_SPACING = 0.055
"""Smallest distance of the names beside the axes, as a share of the height of the axes."""


@takes(ax=AX, values=[one_of("weights", "gains")])
def plot_path(
    path: Any,
    ax: Axes | None = None,
    *,
    values: str = "weights",
    top: int = 8,
    names: Sequence[object] | None = None,
) -> Axes:
    """Draw the weight, or the gain, of every feature against the number of features s or the L1 bound s.

    Parameters
    ----------
    path : SKFRPath, L1BoundPath, or mapping of float to fitted estimator or array_like of shape (p,)
        Result of `skfr_path` or `l1_bound_path`; or fits, or feature weights, by the value of any parameter,
        such as ``{s: SparseKMeans(3, l1_bound=s).fit(X) for s in (1.5, 2, 3)}``.
    ax : matplotlib Axes, optional
    values : {"weights", "gains"}, default="weights"
        What to draw: feature weights (the largest over the clusters where each has its own), or the part of
        each feature explained by the clusters, as in the estimator's summary.
    top : int, default=8
        Number of features in colour and with a name, those with the largest values; the others are grey.
    names : sequence of str, optional
        Names of the features; default those of the estimators, or x0, x1, ...

    Returns
    -------
    matplotlib Axes
        The axes drawn on, with one line per feature, in steps: a fit is drawn up to the next value of s that
        was tried. Where the range of s is wide, logarithmic in s.

    Raises
    ------
    TypeError
        For an object that is not a path.
    ValueError
        For a path of fewer than two values, estimators without weights or gains, or unknown `values`.
    ImportError

    See Also
    --------
    sparsek.skfr_path : `SKFR` for a grid of numbers of features.
    sparsek.l1_bound_path : `SparseMinMaxKMeans` along a grid of bounds.
    plot_weights : Draw the feature weights.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR, skfr_path
    >>> from sparsek.plots import plot_path
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_path(skfr_path(SKFR(3, random_state=0), X))  # doctest: +SKIP
    """
    check_top(top)
    label, steps = _steps(path)
    s = np.array(sorted(steps))
    rows, own_names = zip(*[_row(steps[value], values) for value in s.tolist()], strict=True)
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"the fits must have the same features; got {[len(row) for row in rows]} of them")
    table = np.array(rows)
    features = check_names(own_names[0] if names is None else names, table.shape[1])
    ax = new_axes((7.2, 4.4)) if ax is None else ax
    order = np.argsort(-table.max(axis=0), kind="stable")
    for j in order[top:]:
        ax.plot(s, table[:, j], "-", color=FAINT, linewidth=0.8, zorder=1, drawstyle=STEPS)
    colors = colors_of(len(order[:top]))
    for j, color in zip(order[:top], colors, strict=True):
        name = literal(features[j])
        ax.plot(s, table[:, j], "o-", color=color, markersize=3, linewidth=1.4, label=name, drawstyle=STEPS)
    scale_to(ax, s)
    ax.set(xlabel=label, ylabel=values[:-1], xlim=(s[0], s[-1]))
    ax.set_title(f"{values} of {len(order)} features along {label}", fontsize=10)
    tidy(ax)
    _name_ends(ax, table[-1, order[:top]], [short(features[j]) for j in order[:top]], colors)
    return ax


def _steps(path: Any) -> tuple[str, dict[float, Any]]:
    """The name of the parameter, and the fit or the weights at each of its values."""
    if hasattr(path, "estimators") and hasattr(path, "to_frame"):
        steps = dict(zip(np.asarray(path.values).tolist(), path.estimators, strict=True))
        label = str(path.to_frame().columns[0])
    elif isinstance(path, Mapping) and all(isinstance(value, Real) for value in path):
        label, steps = "s", {float(value): fit for value, fit in path.items()}
    else:
        raise TypeError(
            "path must be what skfr_path or l1_bound_path gives, or a mapping of numbers to fitted "
            f"estimators or weights; got {type(path).__name__}"
        )
    if len(steps) < 2:
        raise ValueError(f"a path needs at least two values; got {sorted(steps)}")
    return label, steps


def _row(fit: Any, values: str) -> tuple[FloatArray, list[str] | None]:
    """Weights or gains of every feature, and the names of the features or None."""
    if not hasattr(fit, "get_params"):
        if values == "gains":
            raise ValueError("gains are known of fitted estimators only; draw weights")
        return check_vector("weights", fit), None
    source = fitted(fit)
    found = source.weights if values == "weights" else gains_of(source.model)
    if found is None:
        raise ValueError(f"{source.title} has no {values} of features")
    return (found.max(axis=0) if found.ndim == 2 else found), source.names


def _name_ends(ax: Axes, ends: FloatArray, names: Sequence[str], colors: Sequence[str]) -> None:
    """Write names beside the right ends of lines, moved apart where they would touch."""
    low, high = ax.get_ylim()
    shares = (ends - low) / (high - low)
    order = np.argsort(shares, kind="stable")
    # Least-squares places at least LINE_SPACING apart: isotonic regression after subtracting the spacing.
    steps = LINE_SPACING * np.arange(len(ends))
    places = isotonic_regression(shares[order] - steps, y_max=max(0.98 - steps[-1], 0.0)) + steps
    for j, place in zip(order, places, strict=True):
        ax.annotate(
            names[j],
            (1, shares[j]),
            (1.03, place),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=NEUTRAL,
            fontsize=8,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": colors[j],
                "linewidth": 0.8,
                "shrinkA": 1,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
        )

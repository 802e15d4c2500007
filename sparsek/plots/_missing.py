"""Where entries are missing: the pattern by cluster, and the share per feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.inputs.arguments import takes
from sparsek.inputs.containers import column_labels, is_table
from sparsek.plots._figure import (
    AX,
    NEUTRAL,
    PLAIN,
    ROUNDS,
    check_labels,
    check_matrix,
    check_names,
    mark_clusters,
    name_columns,
    new_axes,
    settle,
    short,
    tidy,
)
from sparsek.plots._fitted import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE_HEIGHT = 1.24
"""Place of the title, above the shares, in heights of the pattern."""


@takes(ax=AX)
def plot_missing(
    model: Any,
    X: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    labels: ArrayLike | None = None,
    names: Sequence[object] | None = None,
) -> Axes:
    """Draw which entries are missing, rows sorted by cluster, and the share of each feature above.

    Parameters
    ----------
    model : fitted estimator, or array-like of shape (n, p)
        A clusterer, or a search or pipeline that holds one, whose clusters sort the rows; or data alone, NaN
        where missing.
    X : array-like of shape (n, p), optional
        Data, NaN where missing; only beside an estimator.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure. The shares are drawn above it, as inset axes.
    labels : array-like of shape (n,), optional
        Clusters of the rows, integers, in place of those of the estimator. Without both, the rows keep their
        order.
    names : sequence of str, optional
        Names of the features; default the columns of X or those of the estimator, or x0, x1, ...

    Returns
    -------
    matplotlib Axes
        The axes of the pattern: missing entries are dark.

    Raises
    ------
    TypeError
        For data that hold no numbers, labels that are no integers, an estimator without data, or data in
        place of the estimator.
    ValueError
        For X that is no matrix, or labels or names of a wrong length.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    sparsek.KPod : K-means of data with missing values.
    sparsek.SKFR : K-means on the s features that separate the clusters best.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.plots import plot_missing
    >>> ax = plot_missing([[1.0, np.nan], [2.0, 3.0]])  # doctest: +SKIP
    """
    source = fitted(model) if hasattr(model, "get_params") else None
    if (source is None) == (X is not None):
        raise TypeError("give plot_missing(model, X) with a fitted model first, or plot_missing(X) alone")
    data: Any = model if source is None else X
    coding = None if source is None else getattr(source.model, "_coding", None)
    holes = np.isnan(check_matrix("X", data) if coding is None else np.asarray(coding.table(data)))
    n, p = holes.shape
    if names is None and is_table(data):
        names = [str(name) for name in column_labels(data)]
    if source is not None:
        labels = source.labels() if labels is None else labels
        names = source.names if names is None and len(source.names) == p else names
    groups = np.zeros(n, dtype=np.intp) if labels is None else check_labels(labels, n, data)
    features = check_names(names, p)
    order = np.argsort(groups, kind="stable")
    if ax is None:
        height = 5.0 + 0.06 * max(len(short(name)) for name in features)  # room for the names under it
        ax = new_axes((float(np.clip(2.5 + 0.22 * p, 5.0, 10.0)), height))
    from matplotlib.colors import ListedColormap

    # More rows than pixels are averaged; otherwise cells keep sharp edges.
    smoothing = "nearest" if n <= ax.get_window_extent().height else "antialiased"
    ax.imshow(
        holes[order].astype(float),
        aspect="auto",
        interpolation=smoothing,
        cmap=ListedColormap(_shades()),
        vmin=0,
        vmax=1,
    )
    ax.spines[:].set_visible(False)
    name_columns(ax, features, rotate=True)
    if labels is None:
        ax.set_ylabel("row")
    else:
        mark_clusters(ax, groups[order])
        for start in np.flatnonzero(np.diff(groups[order])):
            ax.axhline(start + 0.5, color="white", linewidth=1.5)
    _draw_shares(ax, holes.mean(axis=0))
    ax.set_title(f"{holes.mean():.1%} of {n} x {p} entries are missing", fontsize=10, y=TITLE_HEIGHT)
    for _ in range(ROUNDS):
        settle(ax)
    return ax


def _shades() -> list[str]:
    """Colour map from nearly white to dark; averaged cells of many rows get shades in between."""
    return [f"#{value:02x}{value:02x}{value:02x}" for value in np.linspace(0xF0, 0x40, 64).astype(int)]


def _draw_shares(ax: Axes, shares: Any) -> None:
    """Draw the shares as bars above the pattern."""
    above = ax.inset_axes((0, 1.02, 1, 0.2), sharex=ax)
    above.bar(range(len(shares)), 100 * shares, width=0.8, color=PLAIN)
    above.tick_params(axis="x", labelbottom=False, length=0)
    above.tick_params(axis="y", labelsize=8)
    above.set_ylabel("% missing", fontsize=8, color=NEUTRAL)
    above.set_ylim(0, max(100 * float(shares.max()) * 1.05, 1))
    tidy(above)

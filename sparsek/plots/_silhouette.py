"""Silhouettes of the rows, by the features in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import silhouette_samples

from sparsek.inputs.arguments import takes
from sparsek.plots._figure import AX, FAINT, NEUTRAL, FloatArray, colors_of, new_axes, tidy
from sparsek.plots._fitted import distances, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@takes(ax=AX)
def plot_silhouette(model: Any, X: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the silhouette of every row, by cluster, on the features in use.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features)
        The data of the fit, NaN where missing. All distances between rows are held in memory.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        The axes drawn on; the dashed line is the mean over all rows.

    Raises
    ------
    TypeError
    ValueError
        For fewer than two clusters or as many as rows, an X that is not the data of the fit, or a row
        that has no observed feature in common with any other row of a cluster.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_projection : Draw the rows on principal axes.
    sparsek.rcompat.silhouette : R's silhouette widths.

    Notes
    -----
    Distances are those in which the estimator compares rows: its own dissimilarities, its embedding or the
    space of its kernel where it has one; otherwise Euclidean over the features in use, standardised and
    weighted as the estimator does. Where weights differ between clusters, and for scikit-learn's estimators,
    the features in use are taken as they are; SKFR's local scope uses those of all clusters, standardised.
    With missing entries the squared distance over the observed ones is scaled up; pairs of rows
    without an observed feature in common are left out of the means.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis. Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_silhouette
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_silhouette(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    source = fitted(model)
    labels = source.labels()
    found = np.unique(labels)
    if not 2 <= len(found) < len(labels):
        raise ValueError(
            f"silhouettes need at least 2 clusters and fewer than the {len(labels)} rows; got {len(found)}"
        )
    widths = silhouette_samples(_filled(distances(source, X), labels), labels, metric="precomputed")
    ax = new_axes((6.4, 4.8)) if ax is None else ax
    gap = max(1, round(0.02 * len(labels)))
    start = 0
    colors = [*colors_of(int(found.max()) + 1), FAINT]  # last: label -1, no cluster
    for k in found:
        of_k = np.sort(widths[labels == k])[::-1]
        _draw_cluster(ax, of_k, start, colors[k], f"{k}  ({len(of_k)} rows, {of_k.mean():.2f})")
        start += len(of_k) + gap
    mean = float(widths.mean())
    ax.axvline(mean, color=NEUTRAL, linestyle="--", linewidth=1)
    ax.set_title(f"mean silhouette {mean:.3f}", fontsize=10)
    ax.set(ylim=(start - gap / 2, -gap / 2), yticks=[], xlabel="silhouette", ylabel="rows by cluster")
    ax.axvline(0, color=NEUTRAL, linewidth=0.8)
    tidy(ax)
    ax.spines["left"].set_visible(False)
    return ax


def _draw_cluster(ax: Axes, widths: FloatArray, start: int, color: str, name: str) -> None:
    """Draw the silhouettes of a cluster from position `start` downwards, with its name beside them."""
    n = len(widths)
    # Steps rather than a curve, so that a cluster of one row is visible.
    ax.stairs(widths, np.arange(start, start + n + 1), orientation="horizontal", fill=True, color=color)
    ax.annotate(
        name,
        (1.01, start + n / 2),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=8,
        color=NEUTRAL,
        annotation_clip=False,
    )


def _filled(D: FloatArray, labels: NDArray[np.intp]) -> FloatArray:
    """Replace unknown distances by the row's mean distance to that cluster; this keeps the means."""
    unknown = np.isnan(D)
    if not unknown.any():
        return D
    known = ~unknown
    np.fill_diagonal(known, False)
    members = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
    counts = known @ members
    means = np.divide(
        np.where(known, D, 0) @ members, counts, out=np.full(counts.shape, np.nan), where=counts > 0
    )
    filled = np.where(unknown, means[:, labels], D)
    np.fill_diagonal(filled, 0)
    if np.isnan(filled).any():
        i, j = np.argwhere(np.isnan(filled))[0]
        raise ValueError(
            f"row {i} has no observed feature in common with any other row of cluster {labels[j]}"
        )
    return filled

"""Rows in a plane: on principal axes of the features in use and of all, or where clusters are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError
from scipy.stats import chi2
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sparsek.inputs.arguments import FLAG, names, takes
from sparsek.inputs.containers import as_array
from sparsek.plots._clusters import draw_points, name_clusters
from sparsek.plots._figure import AX, FloatArray, as_panels, check_labels, check_matrix, colors_of, new_axes
from sparsek.plots._fitted import Fitted, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLANES = ("principal", "discriminant")
OUTLINES = ("ellipse", "hull")
SHARE = 0.95
"""Share of the rows of a normal cluster that are inside its ellipse."""
LEAST = 3
"""Fewest rows of a cluster with an outline."""


def plot_projection(model: Any, X: ArrayLike, axes: Any = None) -> NDArray[Any]:
    """Draw the rows on two principal axes, of the features in use and of all features, side by side.

    If the clusters are apart on the left and mixed on the right, the selection has left out features that
    hide them.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features)
        The data of the fit; missing entries count as the mean of their feature.
    axes : sequence of two matplotlib Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    ndarray of matplotlib Axes of shape (2,)
        The axes drawn on, with the share of the variance that the two axes show. Columns are divided by their
        standard deviations where the clusterer does so. Feature weights have no part in it.

    Raises
    ------
    TypeError
    ValueError
        For an X that is not the data of the fit, an estimator that uses no feature, or axes that are not two.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_pairs : Draw pairs of features.
    plot_silhouette : Draw the silhouettes of the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_projection
    >>> X = load_wine(as_frame=True).data
    >>> axes = plot_projection(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    source = fitted(model).by_column()
    labels, used, p = source.labels(), source.support, len(source.names)
    if not used.any():
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    Z = _in_scale(source, X)
    panels = as_panels(axes, 2)
    for ax, chosen, name in (
        (panels[0], used, f"{used.sum()} features in use"),
        (panels[1], np.ones(p, bool), f"all {p} features"),
    ):
        places, share = _principal(Z[:, chosen])
        draw_points(ax, places[:, 0], places[:, 1], labels)
        ax.set_title(f"{name}: {share:.0%} of their variance", fontsize=10)
        ax.set(xlabel="first principal axis", ylabel="second principal axis")
    name_clusters(panels[None, 1:], labels, source.clusters(labels.max() + 1))
    return panels


def _in_scale(source: Fitted, X: ArrayLike) -> FloatArray:
    """Centred columns in the scale of the fit; 0 where missing."""
    rows, scaling = source.data(X), getattr(source.model, "scaling_", None)
    if source.standardised or scaling is None or len(scaling.divisors) != rows.shape[1]:
        return _columns(rows, source.standardised)
    return _columns(rows / scaling.divisors, standardize=False)


def _columns(rows: FloatArray, standardize: bool) -> FloatArray:
    """Centred columns, perhaps in standard deviations; 0 where missing."""
    observed = ~np.isnan(rows)
    counts = np.maximum(observed.sum(axis=0), 1)
    Z = np.where(observed, rows - np.where(observed, rows, 0).sum(axis=0) / counts, 0)
    spread = np.sqrt((Z**2).sum(axis=0) / counts)
    return Z / np.where(spread > 0, spread, 1) if standardize else Z


def _principal(Z: FloatArray) -> tuple[FloatArray, float]:
    """Coordinates on the first two principal axes, (n, 2), and their share of the variance."""
    left, sizes, right = np.linalg.svd(Z, full_matrices=False)
    # The largest loading is positive, so that the picture does not depend on the library's signs.
    signs = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    places = np.zeros((len(Z), 2))
    shown = min(2, len(sizes))
    places[:, :shown] = left[:, :shown] * sizes[:shown] * signs[:shown]
    total = float((sizes**2).sum())
    return places, float((sizes[:2] ** 2).sum()) / total if total > 0 else 1.0


@takes(ax=AX, standardize=[*FLAG, None], plane=[names(*PLANES)], outline=[names(*OUTLINES), None])
def plot_clusters(
    clusters: Any,
    X: ArrayLike,
    ax: Axes | None = None,
    *,
    plane: Literal["principal", "discriminant"] = "principal",
    outline: Literal["ellipse", "hull"] | None = "ellipse",
    standardize: bool | None = None,
) -> Axes:
    """Draw the rows in a plane, with an outline around every cluster.

    Parameters
    ----------
    clusters : fitted estimator, or array-like of shape (n_samples,)
        Any clusterer, or a search or pipeline that holds one, of which the features in use are drawn; or
        the clusters of the rows, integers. Rows of cluster -1 belong to none.
    X : array-like of shape (n_samples, n_features)
        The data; missing entries count as the mean of their feature.
    ax : matplotlib Axes, optional
    plane : {"principal", "discriminant"}, default="principal"
        The first two principal axes, which show most of the variance; or discriminant coordinates, on which
        clusters are farthest apart in units of the variance within them. Of two clusters there is one, and
        the other axis is the first principal one of the rest.
    outline : {"ellipse", "hull"} or None, default="ellipse"
        The ellipse that holds 95 % of the rows where a cluster is normal, the convex hull, or none. Clusters
        of fewer than three rows have none.
    standardize : bool, optional
        Whether columns are divided by their standard deviations; default as the clusterer does, and True for
        given clusters.

    Returns
    -------
    matplotlib Axes
        The axes drawn on, with the share of the variance, or of that between the clusters, that they show.

    Raises
    ------
    TypeError
        For clusters that are neither an estimator nor integers, or data that are not numbers.
    ValueError
        For an X that is not the data of the fit, an estimator that uses no feature, clusters of another
        length, an unknown `plane` or `outline`, or discriminant coordinates of fewer than two clusters, of no
        more rows than clusters, or of clusters whose rows are all equal.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_projection : Draw the rows on principal axes of the features in use and of all features.
    plot_silhouette : Draw the silhouettes of the rows.

    References
    ----------
    Pison, G., Struyf, A. & Rousseeuw, P. J. (1999). Displaying a clustering with CLUSPLOT. Computational
    Statistics & Data Analysis 30, 381-392.
    Seber, G. A. F. (1984). Multivariate Observations. Wiley, New York, section 5.8.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_clusters
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_clusters(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    Z, labels, names = _rows_of(clusters, X, standardize)
    found = np.unique(labels[labels >= 0])
    positions = np.where(labels >= 0, np.searchsorted(found, labels), -1)
    if plane == "principal":
        places, share = _principal(Z)
        title, axes = f"{share:.0%} of the variance", ("first principal axis", "second principal axis")
    else:
        places, share = _discriminant(Z, positions, len(found))
        title = f"{share:.0%} of the variance between clusters"
        second = "second discriminant coordinate" if len(found) > 2 else "first principal axis of the rest"
        axes = ("first discriminant coordinate", second)
    ax = new_axes((6.4, 4.8)) if ax is None else ax
    draw_points(ax, places[:, 0], places[:, 1], positions)
    for k, color in enumerate(colors_of(len(found))):
        rows = places[positions == k]
        if outline is not None and len(rows) >= LEAST:
            ax.fill(*(_ellipse(rows) if outline == "ellipse" else _hull(rows)).T, color=color, alpha=0.12)
    ax.set_title(title, fontsize=10)
    ax.set(xlabel=axes[0], ylabel=axes[1])
    if len(found):
        name_clusters(np.array([[ax]]), positions, [names[k] for k in found] if names else list(found))
    return ax


def _rows_of(
    clusters: Any, X: ArrayLike, standardize: bool | None
) -> tuple[FloatArray, NDArray[np.intp], list[str]]:
    """The centred columns that are drawn, the clusters of the rows, and their names if they have some."""
    given = hasattr(clusters, "get_params") or hasattr(clusters, "shape")
    if not hasattr(clusters, "get_params") and np.ndim(clusters if given else as_array(clusters, "clusters")):
        rows = check_matrix("X", X)
        return _columns(rows, standardize is not False), check_labels(clusters, len(rows), X), []
    source = fitted(clusters).by_column()
    if not source.support.any():
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    Z = _in_scale(source, X) if standardize is None else _columns(source.data(X), standardize)
    labels = source.labels()
    return Z[:, source.support], labels, source.clusters(labels.max() + 1)


def _discriminant(Z: FloatArray, labels: NDArray[np.intp], k: int) -> tuple[FloatArray, float]:
    """Two discriminant coordinates of the rows, (n, 2), and their share of the variance between clusters."""
    known = labels >= 0
    if k < 2 or known.sum() <= k:
        raise ValueError(
            f"discriminant coordinates need two clusters and more rows than clusters; got {k} clusters and "
            f'{known.sum()} rows: give plane="principal"'
        )
    if not any(np.ptp(Z[labels == cluster], axis=0).any() for cluster in range(k)):
        raise ValueError('clusters of equal rows have no discriminant coordinates: give plane="principal"')
    model = LinearDiscriminantAnalysis(n_components=min(2, k - 1, Z.shape[1])).fit(Z[known], labels[known])
    places = np.asarray(model.transform(Z))
    axes = model.scalings_[:, : places.shape[1]]
    # The largest coefficient is positive, so that the picture does not depend on the library's signs.
    places = places * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    if places.shape[1] < 2:
        first = axes[:, 0] / np.linalg.norm(axes[:, 0])
        rest, _ = _principal(Z - np.outer(Z @ first, first))
        places = np.column_stack([places[:, 0], rest[:, 0]])
    return places, float(np.sum(model.explained_variance_ratio_[:2]))


def _ellipse(rows: FloatArray) -> FloatArray:
    """Points on the ellipse that holds 95 % of a normal cluster with the mean and covariance of the rows."""
    sizes, axes = np.linalg.eigh(np.cov(rows.T))
    angle = np.linspace(0, 2 * np.pi, 100)
    radii = np.sqrt(np.maximum(sizes, 0) * chi2.ppf(SHARE, 2))
    return np.asarray(rows.mean(axis=0) + (np.stack([np.cos(angle), np.sin(angle)], axis=1) * radii) @ axes.T)


def _hull(rows: FloatArray) -> FloatArray:
    """Corners of the convex hull; of rows on a line its ends."""
    try:
        return np.asarray(rows[ConvexHull(rows).vertices])
    except QhullError:
        along = (rows - rows.mean(axis=0)) @ np.linalg.svd(rows - rows.mean(axis=0))[2][0]
        return np.asarray(rows[[along.argmin(), along.argmax()]])

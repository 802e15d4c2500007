"""Rows on the first two principal axes: of the features in use, and of all features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.plots._clusters import draw_points, name_clusters
from sparsek.plots._figure import FloatArray, as_panels
from sparsek.plots._fitted import fitted


def plot_projection(model: Any, X: ArrayLike, axes: Any = None) -> NDArray[Any]:
    """Draw the rows on two principal axes, of the features in use and of all features, side by side.

    If the clusters are apart on the left and mixed on the right, the selection has left out features that
    hide them.

    Parameters
    ----------
    model : fitted estimator
        Any clusterer, or a search or pipeline that holds one.
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
        For an object that is not an estimator.
    ValueError
        For an X that is not the data of the fit, an estimator that uses no feature, or axes that are not two.
    sklearn.exceptions.NotFittedError
        For an estimator that is not fitted.
    ImportError
        Without matplotlib, when no axes are given.

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
    source = fitted(model)
    labels, used, p = source.labels(), source.support, len(source.names)
    if not used.any():
        raise ValueError(f"{source.title} uses no feature, so that there is nothing to show")
    Z = _columns(source.data(X), bool(getattr(source.model, "standardize", False)))
    panels = as_panels(axes, 2)
    for ax, chosen, name in (
        (panels[0], used, f"{used.sum()} features in use"),
        (panels[1], np.ones(p, bool), f"all {p} features"),
    ):
        places, share = _principal(Z[:, chosen])
        draw_points(ax, places[:, 0], places[:, 1], labels)
        ax.set_title(f"{name}: {share:.0%} of their variance", fontsize=10)
        ax.set(xlabel="first principal axis", ylabel="second principal axis")
    name_clusters(panels[None, 1:], labels)
    return panels


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

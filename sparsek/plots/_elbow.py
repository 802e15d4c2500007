"""How the inertia falls with the number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from sparsek.inputs.arguments import takes
from sparsek.plots._figure import AX, DARK, PLAIN, as_floats, new_axes, tidy
from sparsek.plots._fitted import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@takes(ax=AX)
def plot_elbow(
    model: Any, X: ArrayLike, ax: Axes | None = None, *, n_clusters: Sequence[int] = tuple(range(1, 11))
) -> Axes:
    """Draw the inertia against the number of clusters; a bend (elbow) hints at the number that the data have.

    The clusterer is fitted once for each number, with its other parameters as they are. Often there is no
    bend, or several: `ModelChoice` compares numbers of clusters with standard errors.

    Parameters
    ----------
    model : fitted estimator
        A clusterer with `n_clusters` and `inertia_`, or a search or pipeline that holds one. It is not
        changed; copies are fitted.
    X : array-like of shape (n_samples, n_features)
        The data of the fit.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.
    n_clusters : sequence of int, default=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
        Numbers of clusters; those that are not below the number of rows are left out.

    Returns
    -------
    matplotlib Axes
        The axes drawn on; the number of clusters of the model is marked.

    Raises
    ------
    TypeError
        For an object that is not an estimator.
    ValueError
        For an X that is not the data of the fit, an estimator without inertia, or fewer than two numbers.
    sklearn.exceptions.NotFittedError
        For an estimator that is not fitted.
    ImportError
        Without matplotlib, when no axes are given.

    See Also
    --------
    plot_gap : Draw the gap statistic.
    plot_choice : Draw all criteria of a choice.

    References
    ----------
    Thorndike, R. L. (1953). Who belongs in the family? Psychometrika 18, 267-276.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_elbow
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_elbow(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    source = fitted(model)
    if not hasattr(source.model, "inertia_") or not hasattr(source.model, "n_clusters"):
        raise ValueError(f"{source.title} has no inertia_ and n_clusters, by which fits could be compared")
    rows = source.data(X)
    given = as_floats("n_clusters", n_clusters)
    tried = np.unique(given[(given >= 1) & (given < len(rows))].astype(int))
    if len(tried) < 2:
        raise ValueError(f"n_clusters must hold two numbers from 1 to {len(rows) - 1}; got {n_clusters!r}")
    found = [clone(source.model).set_params(n_clusters=int(k)).fit(rows).inertia_ for k in tried]
    ax = new_axes((6.4, 4.4)) if ax is None else ax
    ax.plot(tried, found, "o-", color=PLAIN, fillstyle="none", linewidth=0.8)
    own = int(source.model.n_clusters)
    if own in tried:
        ax.plot(own, found[int(np.searchsorted(tried, own))], "o", color=DARK, label=f"this model: {own}")
        ax.legend(frameon=False)
    ax.set(xlabel="number of clusters", ylabel="inertia", xticks=tried)
    ax.set_ylim(bottom=0)
    tidy(ax)
    return ax

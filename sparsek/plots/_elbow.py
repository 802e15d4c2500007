"""How the inertia, or another criterion, changes with the number of clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import silhouette_score

from sparsek.inputs.arguments import takes
from sparsek.plots._figure import AX, NEUTRAL, PLAIN, FloatArray, as_floats, new_axes, tidy
from sparsek.plots._fitted import Fitted, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Criterion = Callable[[FloatArray, Any], float]
CRITERIA: dict[str, Criterion] = {"silhouette": silhouette_score}
"""Criteria by name, of rows and labels, beside the inertia."""


@takes(ax=AX)
def plot_elbow(
    model: Any,
    X: ArrayLike,
    ax: Axes | None = None,
    *,
    n_clusters: Sequence[int] = tuple(range(1, 11)),
    criterion: str | Criterion = "inertia",
) -> Axes:
    """Draw the inertia against the number of clusters; a bend (elbow) hints at the number that the data have.

    The clusterer is fitted once for each number, with its other parameters as they are. Often there is no
    bend, or several: another `criterion` has a largest value, and `ModelChoice` compares numbers of clusters
    with standard errors.

    Parameters
    ----------
    model : fitted estimator
        A clusterer with `n_clusters`, and for the inertia `inertia_`, or a search or pipeline that holds one.
        It is not changed; copies are fitted.
    X : array-like of shape (n_samples, n_features)
        The data of the fit.
    ax : matplotlib Axes, optional
    n_clusters : sequence of int, default=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
        Numbers of clusters; those that are not below the number of rows are left out, and 1 where another
        criterion than the inertia is drawn.
    criterion : {"inertia", "silhouette"} or callable, default="inertia"
        What is drawn: the inertia, the mean silhouette of the rows, or what a function makes of the rows and
        their clusters, such as ``sklearn.metrics.calinski_harabasz_score``. Rows without a cluster are left
        out.

    Returns
    -------
    matplotlib Axes
        The axes drawn on. The number of clusters of the model is marked, or that with the largest criterion.

    Raises
    ------
    TypeError
    ValueError
        For an X that is not the data of the fit, an estimator without inertia, fewer than two numbers, an
        unknown criterion, or missing entries where another criterion than the inertia is drawn.
    sklearn.exceptions.NotFittedError
    ImportError

    See Also
    --------
    plot_gap : Draw the gap statistic.
    plot_choice : Draw all criteria of a choice.

    References
    ----------
    Thorndike, R. L. (1953). Who belongs in the family? Psychometrika 18, 267-276.
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis. Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> from sparsek.plots import plot_elbow
    >>> X = load_wine(as_frame=True).data
    >>> ax = plot_elbow(SKFR(3, 6, random_state=0).fit(X), X)  # doctest: +SKIP
    """
    source = fitted(model)
    plain = isinstance(criterion, str) and criterion == "inertia"
    if not hasattr(source.model, "n_clusters") or (plain and not hasattr(source.model, "inertia_")):
        raise ValueError(f"{source.title} has no inertia_ and n_clusters, by which fits could be compared")
    rows, least = source.data(X), 1 if plain else 2
    judge = None if plain else _judge(criterion, rows)
    given = as_floats("n_clusters", n_clusters)
    tried = np.unique(given[(given >= least) & (given < len(rows))].astype(int))
    if len(tried) < 2:
        limits = f"{least} to {len(rows) - 1}"
        raise ValueError(f"n_clusters must hold two numbers from {limits}; got {n_clusters!r}")
    data = rows if getattr(source.model, "_coding", None) is None else X
    found = [_value(source, int(k), data, rows, judge) for k in tried]
    ax = new_axes((6.4, 4.4)) if ax is None else ax
    ax.plot(tried, found, "o-", color=PLAIN, fillstyle="none", linewidth=0.8)
    chosen = int(source.model.n_clusters if plain else tried[int(np.argmax(found))])
    if chosen in tried:
        what = "this model" if plain else "largest"
        ax.plot(
            chosen, found[int(np.searchsorted(tried, chosen))], "o", color=NEUTRAL, label=f"{what}: {chosen}"
        )
        ax.legend(frameon=False)
    name = criterion if isinstance(criterion, str) else getattr(criterion, "__name__", "criterion")
    ax.set(xlabel="number of clusters", ylabel=name, xticks=tried)
    ax.set_title(f"{source.title}: {name} by the number of clusters", fontsize=10)
    if plain:
        ax.set_ylim(bottom=0)
    tidy(ax)
    return ax


def _judge(criterion: Any, rows: FloatArray) -> Criterion:
    """The function that judges clusters of the rows."""
    judge: Any = CRITERIA.get(criterion) if isinstance(criterion, str) else criterion
    if not callable(judge):
        known = ", ".join(map(repr, ("inertia", *CRITERIA)))
        raise ValueError(f"criterion must be {known} or a function of rows and clusters; got {criterion!r}")
    if np.isnan(rows).any():
        raise ValueError('X must be complete for this criterion: impute it, or give criterion="inertia"')
    return judge  # type: ignore[no-any-return]


def _value(source: Fitted, k: int, X: ArrayLike, rows: FloatArray, judge: Criterion | None) -> float:
    """The criterion of a fit with so many clusters to X, whose columns are `rows`."""
    model = clone(source.model).set_params(n_clusters=k).fit(X)
    if judge is None:
        return float(model.inertia_)
    kept = np.asarray(model.labels_) >= 0
    try:
        return float(judge(rows[kept], np.asarray(model.labels_)[kept]))
    except TypeError as error:
        raise TypeError(
            f"criterion={judge!r}, called with rows and their clusters, failed: {error}"
        ) from error

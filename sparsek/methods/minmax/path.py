"""Sparse MinMax k-means along many bounds, each from the clusters of the one before: l1_bound_path."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.ordered_arithmetic import seq_length
from sparsek.inputs.threads import thread_control
from sparsek.methods.minmax.sparse_estimator import SparseMinMaxKMeans
from sparsek.methods.minmax.sparse_minmax import sparse_minmax_path
from sparsek.methods.shared.parameters import resolve_l1_bounds
from sparsek.methods.shared.path_arguments import path_base, path_values

DEFAULT_VALUES = 20
"""Length of the default grid, as in the released code."""


@dataclass(frozen=True, slots=True)
class L1BoundPath:
    """Sparse MinMax k-means for m bounds; entry i of every attribute belongs to ``values[i]``."""

    values: NDArray[np.float64]  # (m,): bounds s, in the order in which they were fitted
    objectives: NDArray[np.float64]  # (m,): as `SparseMinMaxKMeans.objective_`
    n_features_retained: NDArray[np.int_]  # (m,) int: numbers of features of positive weight
    labels: NDArray[np.int32]  # (m, n_samples) int32: labels from 0
    feature_weights: NDArray[np.float64]  # (m, n_features): feature weights
    estimators: tuple[SparseMinMaxKMeans, ...]  # Fitted: all other attributes, and `predict`

    def to_frame(self) -> pd.DataFrame:
        """The path as a table."""
        return pd.DataFrame(
            {
                "l1_bound": self.values,
                "objective": self.objectives,
                "n_features_retained": self.n_features_retained,
                "n_iter": [model.n_iter_ for model in self.estimators],
                "alpha": [model.alpha_ for model in self.estimators],
            }
        )


def l1_bound_path(
    estimator: SparseMinMaxKMeans, X: ArrayLike, values: ArrayLike | None = None
) -> L1BoundPath:
    """Fit `SparseMinMaxKMeans` along bounds, each from the clusters and alpha of the one before.

    Parameters
    ----------
    estimator : SparseMinMaxKMeans
        Holds all other parameters; its `l1_bound` is not used. Never fitted itself.
    X : array-like of shape (n_samples, n_features)
        Data. Never changed.
    values : array-like of shape (m,) or None, default=None
        Bounds in [1, sqrt(n_features)], fitted in the given order. None means 20 values, equally spaced from
        1.1 to sqrt(n_features).

    Returns
    -------
    L1BoundPath
        The fits in the order of the values.

    Raises
    ------
    ValueError
        For anything that `SparseMinMaxKMeans.fit` refuses, a bound below 1, or no value.
    TypeError
        For an estimator that is not a SparseMinMaxKMeans, or values that are not a sequence of numbers.

    Warns
    -----
    ConvergenceWarning
        As `SparseMinMaxKMeans`, for every value.
    UserWarning
        A bound exceeds sqrt(n_features), which is used then; one warning, of the largest.

    See Also
    --------
    SparseMinMaxKMeans : MinMax k-means with feature weights under an L1 bound.
    sparsek.plots.plot_path : Draw the weights of a path.

    Notes
    -----
    With n_init=1, variant="r" and an integer `random_state` this is `SparseCl(x, K, wbounds=values)` of the
    released code after ``set.seed(random_state)``, but for rounding. With several starts each runs through
    all values, and the best is taken at each value. The fits depend on the order of the values.

    References
    ----------
    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SparseMinMaxKMeans, l1_bound_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> path = l1_bound_path(SparseMinMaxKMeans(n_clusters=2, random_state=0), X, [1.5, 1.7, 4])
    >>> path.n_features_retained
    array([ 3,  3, 20])
    """
    base = path_base(estimator, SparseMinMaxKMeans, "l1_bound")
    given = path_values(values, "bounds", base, "l1_bound")
    Z, starts = base._prepare(X)
    p = base.n_features_in_
    if given is None:
        given = seq_length(1.1, np.sqrt(p), DEFAULT_VALUES).tolist() if p > 1 else [1.0]
    bounds = resolve_l1_bounds(given, p)
    with thread_control().limit(limits=1):
        paths = [
            sparse_minmax_path(steps, first, bounds, base._passes(), base.tol) for steps, first in starts
        ]
        models = []
        for bound, *results in zip(bounds, *paths, strict=True):
            model = copy(base).set_params(l1_bound=bound)
            models.append(model._keep_best(Z, results))
    return L1BoundPath(
        values=np.array(bounds),
        objectives=np.array([model.objective_ for model in models]),
        n_features_retained=np.array([model.n_features_retained_ for model in models]),
        labels=np.array([model.labels_ for model in models]),
        feature_weights=np.array([model.feature_weights_ for model in models]),
        estimators=tuple(models),
    )

"""Rows drawn at random: k-means++ and distinct rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.scaling import prepare
from sparsek.core.steps import Array
from sparsek.init._checks import check_data, find_seed
from sparsek.inputs.arguments import COUNT, SEED, check_arguments, count, names
from sparsek.starts.farthest_first import too_few_distinct
from sparsek.starts.seeds import greedy_trials, seeded_rows

MOST_TRIALS = 10**6
"""The largest number of candidates for a row: so many pass over all rows take hours for large data."""


def kmeans_plus_plus(
    X: ArrayLike, n_clusters: int, *, n_local_trials: int | str = 1, random_state: Any = None
) -> NDArray[np.intp]:
    r"""K-means++: draw rows with probability proportional to the squared distance to the nearest row so far.

    The first row is drawn uniformly; row i then has probability :math:`D_i^2 / \sum_j D_j^2`, where
    :math:`D_i` is its distance to the nearest row drawn before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_clusters : int
        Number of rows K.
    n_local_trials : int or "greedy", default=1
        Candidates drawn for each row after the first, of which the one that leaves the least
        :math:`\sum_j D_j^2` is taken, the first drawn on ties. 1 is the published method; "greedy" is
        2 + floor(log K). At most a million.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of shape (n_clusters,), int
        Row numbers from 0, all different, in order of selection.

    Raises
    ------
    ValueError
        NaN or infinite data, `n_clusters` out of range, fewer distinct rows than `n_clusters`.
    TypeError

    See Also
    --------
    random_rows : Rows drawn uniformly.
    dkm_plus_plus : Dense rows far from each other, without random draws.
    sparsek.rcompat.kmpp : Draw k-means++ seeds.

    Notes
    -----
    Time grows with n p K. Draws depend on the rows themselves, not on their order. One trial gives the rows
    that the estimators draw for ``init="k-means++"``.

    References
    ----------
    Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. SODA 2007,
    1027-1035.

    Examples
    --------
    >>> from sparsek.init import kmeans_plus_plus
    >>> X = [[0, 0], [0, 1], [9, 9], [9, 8], [0, 9]]
    >>> kmeans_plus_plus(X, 3, random_state=0)
    array([0, 2, 4])
    """
    constraints = {
        "n_clusters": COUNT,
        "n_local_trials": [count(1, MOST_TRIALS), names("greedy")],
        "random_state": SEED,
    }
    check_arguments(
        "kmeans_plus_plus",
        constraints,
        n_clusters=n_clusters,
        n_local_trials=n_local_trials,
        random_state=random_state,
    )
    x = check_data(X, n_clusters)
    if isinstance(n_local_trials, str):
        n_local_trials = greedy_trials(n_clusters)
    Z, _ = prepare(x, None, standardize=False, by_column=False)
    seeds = np.array([find_seed(random_state)])
    (rows,) = seeded_rows(Z, n_clusters, seeds, n_trials=int(n_local_trials))
    return _distinct(Z, rows)


def random_rows(X: ArrayLike, n_clusters: int, *, random_state: Any = None) -> NDArray[np.intp]:
    """Rows drawn uniformly, each among the rows that differ from all rows drawn before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_clusters : int
        Number of rows.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of shape (n_clusters,), int
        Row numbers from 0, all different, in order of selection.

    Raises
    ------
    ValueError
        NaN or infinite data, `n_clusters` out of range, fewer distinct rows than `n_clusters`.
    TypeError

    See Also
    --------
    kmeans_plus_plus : K-means++.

    Notes
    -----
    Draws depend on the rows themselves, not on their order. The estimators draw these rows for
    ``init="random"``.

    References
    ----------
    Forgy, E. W. (1965). Cluster analysis of multivariate data: efficiency versus interpretability of
    classifications. Biometrics 21, 768-769.

    Examples
    --------
    >>> from sparsek.init import random_rows
    >>> random_rows([[0.0], [0.0], [1.0], [2.0]], 3, random_state=0)
    array([2, 0, 3])
    """
    constraints: dict[str, list[Any]] = {"n_clusters": COUNT, "random_state": SEED}
    check_arguments("random_rows", constraints, n_clusters=n_clusters, random_state=random_state)
    Z, _ = prepare(check_data(X, n_clusters), None, standardize=False, by_column=False)
    (rows,) = seeded_rows(Z, n_clusters, np.array([find_seed(random_state)]), power=0)
    return _distinct(Z, rows)


def _distinct(Z: Array, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows, which must differ in value."""
    found = len(np.unique(Z[rows], axis=0))
    if found < len(rows):
        raise too_few_distinct(found, len(rows))
    return rows

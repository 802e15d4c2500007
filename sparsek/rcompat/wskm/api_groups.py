"""R's ``wskm``: ``fgkm`` and ``twkm``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RMatrix, as_number
from sparsek.rcompat.wskm import group_kmeans as core
from sparsek.rcompat.wskm.arguments import (
    group_numbers,
    integer_argument,
    kept_centers,
    require_clusters,
    require_numbers,
    set_stream,
    sizes_present,
    start_and_seed,
    sums_of_squares,
    wskm_data,
)
from sparsek.rcompat.wskm.results import WeightedClusters
from sparsek.rng import RRandom, resolve_rng


def fgkm(
    x: ArrayLike,
    centers: Any = None,
    groups: Any = None,
    lambda_: float | None = None,
    eta: float | None = None,
    maxiter: float = 100,
    delta: float = 0.000001,
    maxrestart: float = 10,
    seed: float = -1,
    *,
    rng: RRandom | None = None,
) -> WeightedClusters:
    """K-means with feature and group weights per cluster as R's ``wskm::fgkm``.

    Minimises ``sum_l sum_{i in l} sum_j gw_lg(j) fw_lj (x_ij - c_lj)^2 + lambda sum gw log gw
    + eta sum fw log fw``; in every cluster gw sums to 1 over the groups and fw within each group.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers, in any unit.
    centers : int or array_like of shape (k, p)
        Number of clusters, less than n, or starting centres. Required.
    groups : str or array_like of shape (p,)
        Group of every feature, or a text of feature numbers from 0: ``"0-2,4;3;5-8"`` has three groups;
        features not named belong to the first. Groups are numbered in sorted order. Required.
    lambda_, eta : float
        Weights of the entropy of the group weights and of the feature weights (squared units of the data).
        Required.
    maxiter : float, default=100
        Largest number of iterations.
    delta : float, default=1e-6
        Stop when the objective changes by at most this fraction of itself (dimensionless).
    maxrestart : float, default=10
        Largest number of starts.
    seed : float, default=-1
        Seed of R's stream, set before the first draw and not undone; 0 or less: drawn from the stream.
    rng : RRandom, optional

    Returns
    -------
    WeightedClusters
        Mapping with R's fields, see there.

    Raises
    ------
    RError
        With R's message: a required argument missing, groups of another length, missing or infinite values,
        every centre zero.
    ValueError
        Where R hangs or reads outside its memory: k of n or more, not whole, or with other columns than `x`;
        `maxiter` below 1; `groups` naming features that are not there.
    TypeError
        Arguments that are not real numbers.

    Warns
    -----
    RWarning
        `maxiter`, `maxrestart` or `seed` beyond R's integers.

    See Also
    --------
    sparsek.FeatureGroupKMeans : Weights of groups and features in every cluster.
    twkm : R's two-level k-means, bit for bit.
    ewkm : R's entropy-weighted k-means, bit for bit.

    Notes
    -----
    As in R, weights of a cluster can be NaN when an earlier cluster has much larger ones before scaling.

    References
    ----------
    Chen, X., Ye, Y., Xu, X. & Huang, J. Z. (2012). A feature group weighting method for subspace clustering
    of high-dimensional data. Pattern Recognition 45, 434-446, Section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import fgkm
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> fgkm(x, 2, "0-1;2-5", 50, 50, seed=3).size
    array([6, 6])
    """
    return _fit_groups(x, centers, groups, lambda_, eta, maxiter, delta, maxrestart, seed, True, rng)


def twkm(
    x: ArrayLike,
    centers: Any = None,
    groups: Any = None,
    lambda_: float | None = None,
    eta: float | None = None,
    maxiter: float = 100,
    delta: float = 0.000001,
    maxrestart: float = 10,
    seed: float = -1,
    *,
    rng: RRandom | None = None,
) -> WeightedClusters:
    """K-means with one set of feature and group weights as R's ``wskm::twkm``.

    The objective is that of `fgkm` with the same weights in every cluster.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Finite numbers, in any unit.
    centers : int or array_like of shape (k, p)
        Number of clusters, less than n, or starting centres. Required.
    groups : str or array_like of shape (p,)
        Groups of the features as for `fgkm`. Required.
    lambda_, eta : float
        Weights of the entropy of the group weights and of the feature weights (squared units of the data).
        Required.
    maxiter : float, default=100
        Largest number of iterations.
    delta : float, default=1e-6
        Stop when the objective changes by at most this fraction of itself (dimensionless).
    maxrestart : float, default=10
        Largest number of starts.
    seed : float, default=-1
        Seed of R's stream as for `fgkm`.
    rng : RRandom, optional

    Returns
    -------
    WeightedClusters
        Mapping with R's fields, see there.

    Raises
    ------
    RError
        With R's message: as `fgkm`, and when any centre is zero in every feature.
    ValueError
        As `fgkm`.
    TypeError
        Arguments that are not real numbers.

    Warns
    -----
    RWarning
        `maxiter`, `maxrestart` or `seed` beyond R's integers.

    See Also
    --------
    sparsek.TwoLevelKMeans : Weights of groups and features, the same in all clusters.
    fgkm : R's feature-group k-means, bit for bit.
    ewkm : R's entropy-weighted k-means, bit for bit.

    References
    ----------
    Chen, X., Xu, X., Huang, J. Z. & Ye, Y. (2013). TW-k-means: automated two-level variable weighting
    clustering algorithm for multiview data. IEEE TKDE 25, 932-944, Section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import twkm
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> twkm(x, 2, [1, 1, 2, 2, 2, 2], 50, 50, seed=3).size
    array([6, 6])
    """
    return _fit_groups(x, centers, groups, lambda_, eta, maxiter, delta, maxrestart, seed, False, rng)


def _fit_groups(
    x: Any,
    centers: Any,
    groups: Any,
    lambda_: Any,
    eta: Any,
    maxiter: float,
    delta: float,
    maxrestart: float,
    seed: float,
    per_cluster: bool,
    rng: RRandom | None,
) -> WeightedClusters:
    """`fgkm` or `twkm`, with R's checks in R's order."""
    stream = resolve_rng(rng)
    matrix = wskm_data(x)
    start, number = start_and_seed(centers, seed, matrix.values.shape[1], stream)
    if groups is None:
        raise RError('argument "groups" is missing, with no default', "give the group of every feature")
    set_stream(number, stream)
    index, n_groups = group_numbers(groups, matrix.values.shape[1])
    for name, value in (("lambda", lambda_), ("eta", eta)):
        if value is None:
            raise RError(f'argument "{name}" is missing, with no default', "give a positive number")
    iterations, restarts = integer_argument(maxiter, "maxiter"), integer_argument(maxrestart, "maxrestart")
    gamma, penalty_eta, tol = as_number(lambda_, "lambda_"), as_number(eta, "eta"), as_number(delta, "delta")
    arguments = {1: matrix.values, 5: gamma, 6: penalty_eta, 8: index, 9: tol}
    require_numbers({**arguments, 10: iterations, 11: restarts, 14: start}, integers=(8, 10, 11))
    require_clusters(start)
    penalty = core.GroupPenalty(index.astype(np.int64), n_groups, gamma, penalty_eta, per_cluster)
    fit = core.run_fgkm(
        matrix.values,
        start,
        penalty,
        max_iter=int(iterations),
        tol=tol,
        max_restarts=int(restarts),
        rng=stream,
    )
    return _grouped_result(fit, matrix, per_cluster)


def _grouped_result(fit: core.GroupFit, matrix: RMatrix, per_cluster: bool) -> WeightedClusters:
    """The fields of `fgkm` or `twkm`."""
    if not per_cluster and (fit.centers == 0).all(axis=1).any():
        raise RError("incorrect number of dimensions", "a centre is zero in every feature: shift the data")
    kept_centers(fit.centers)
    totss = within = 0.0
    if fit.finished:
        totss, withinss = sums_of_squares(matrix.values, fit.centers, fit.labels)
        within = long_sum(withinss)
    weights = fit.feature_weights, fit.group_weights
    fields = {
        "cluster": fit.labels + 1,
        "centers": fit.centers,
        "totss": totss,
        "withinss": None,
        "tot.withinss": within,
        "betweenss": totss,
        "size": sizes_present(fit.labels),
        "iterations": fit.n_iter,
        "restarts": fit.n_restarts,
        "totiters": fit.total_iter,
        "featureWeight": weights[0] if per_cluster else weights[0][0],
        "groupWeight": weights[1] if per_cluster else weights[1][0],
    }
    return WeightedClusters(fields, matrix.row_names, matrix.column_names)

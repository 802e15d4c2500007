"""R's VALIDICLUST: tests of one variable between two clusters of any clustering."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.data import RList, as_matrix, require_runs, whole_numbers
from sparsek.rcompat.stats.selective.cluster_contrast import (
    checked_labels,
    checked_pair,
    labels_of,
    preserved,
    used_sigma,
)
from sparsek.rng import RRandom, resolve_rng
from sparsek.selective.dip import TIED_LEVELS, between_clusters, dip_test

Array = NDArray[Any]
NO_DRAW = (
    "Oops - we didn't generate any samples that preserved the clusters! Try re-running with a larger value "
    "of ndraws."
)


def test_multimod(X: ArrayLike, g: int, cl: ArrayLike, k1: int, k2: int) -> RList:
    """Dip test of a variable in two clusters and those between, as R's ``VALIDICLUST::test_multimod``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    g : int
        The variable, from 1.
    cl : array_like of shape (n,)
        Labels from 1.
    k1, k2 : int
        Two clusters, or one given twice: the test is then that of its rows.

    Returns
    -------
    RList
        ``data_for_test``, the values of the clusters from k1 to k2 in the order of their means; ``stat_g``,
        the dip; ``pval``.

    Raises
    ------
    RError
        With R's message: g is no variable, k1 or k2 no cluster.
    ImportError
        diptest is missing.

    Warns
    -----
    RWarning
        As R: there are 4 to 8 values, for which several quantiles of its table are equal.

    See Also
    --------
    sparsek.inference.test_multimodal : Test whether a feature has one mode in two clusters.
    test_selective_inference : R's test of a variable between two clusters.

    References
    ----------
    Hivert, B., Agniel, D., Thiebaut, R. and Hejblum, B. P. (2024). Post-clustering difference testing: valid
    inference and practical considerations. Computational Statistics and Data Analysis 193, 107916.

    Examples
    --------
    >>> from sparsek.rcompat import test_multimod
    >>> x = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3]]
    >>> test_multimod(x, 1, [1, 1, 1, 2, 2, 2], 1, 2).pval < 0.5  # doctest: +SKIP
    True
    """
    k1, k2, g = whole_numbers(k1=k1, k2=k2, g=g)
    x, labels = _checked(X, g, cl)
    found = np.unique(labels)
    if not all(one in found and 1 <= one <= len(found) for one in (k1, k2)):
        raise RError("cluster labels should be between 1 and K", f"got {k1} and {k2} for K={len(found)}")
    values = between_clusters(x[:, g - 1], labels, k1, k2)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Dip test is not valid")  # for up to 3 values; R is silent
        statistic, p = dip_test(np.sort(values))
    if len(values) in TIED_LEVELS:
        warnings.warn("collapsing to unique 'x' values", RWarning, stacklevel=2)
    return RList({"data_for_test": values, "stat_g": statistic, "pval": p})


def test_selective_inference(
    X: ArrayLike,
    k1: int,
    k2: int,
    g: int,
    ndraws: int = 2000,
    cl_fun: Callable[[Any], ArrayLike] | None = None,
    cl: ArrayLike | None = None,
    sig: float | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Test a variable between two clusters, as R's ``VALIDICLUST::test_selective_inference``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    k1, k2 : int
        Two clusters, from 1.
    g : int
        The variable, from 1.
    ndraws : int, default=2000
        Normal draws of the difference of the two means, in R's order.
    cl_fun : callable
        ``cl_fun(X)`` gives labels (n,) from 1.
    cl : array_like of shape (n,), optional
        Its labels of X.
    sig : float, optional
        Standard deviation of the variable; by default that of the rows of the two clusters.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``stat_g``, the size of the difference; ``pval``; ``clusters`` (n,). Where no draw kept the clusters
        ``stat`` in place of ``stat_g``, and NaN. The p-value is also NaN, as in R, where the difference is
        about 39 of its standard deviations or more: all weights are 0 then.

    Raises
    ------
    RError
        With R's message: g is no variable, k1 or k2 no cluster.
    TypeError
        No cl_fun.

    Warns
    -----
    RWarning
        No draw kept the clusters.

    See Also
    --------
    sparsek.inference.test_feature : Test two clusters in one feature.
    merge_selective_inference : R's merged tests of neighbouring clusters.
    test_multimod : R's test of the number of modes.

    References
    ----------
    Hivert, B., Agniel, D., Thiebaut, R. and Hejblum, B. P. (2024). Post-clustering difference testing: valid
    inference and practical considerations. Computational Statistics and Data Analysis 193, 107916.

    Examples
    --------
    >>> from sparsek.rcompat import cutree, dist, hclust, set_seed, test_selective_inference
    >>> x = [[0.0, 1], [0.3, 2], [0.1, 1], [5.0, 1], [5.2, 2], [5.1, 2]]
    >>> set_seed(1)
    >>> halves = lambda x: cutree(hclust(dist(x)), 2)
    >>> round(float(test_selective_inference(x, 1, 2, 2, 50, halves).stat_g), 3)
    0.333
    """
    if not callable(cl_fun):
        raise TypeError(f"cl_fun must be a function of the data; got {cl_fun!r}")
    k1, k2, g, number = whole_numbers(k1=k1, k2=k2, g=g, ndraws=ndraws)
    require_runs(number, "ndraws")
    given = labels_of(cl_fun, as_matrix(X, "X").values) if cl is None else cl
    x, labels = _checked(X, g, given)
    checked_pair(labels, (k1, k2))
    first, second, j = labels == k1, labels == k2, g - 1
    statistic = float(x[first, j].mean() - x[second, j].mean())
    with np.errstate(over="ignore", invalid="ignore"):
        estimate = float(np.std(x[first | second, j], ddof=1))
    deviation = used_sigma(sig, estimate)
    scale = deviation * float(np.sqrt(1 / first.sum() + 1 / second.sum()))
    if number < 0:
        raise RError("invalid arguments", f"ndraws must be at least 1; got {number}")
    phi = resolve_rng(rng).rnorm(number) * scale + statistic
    share = second.sum() / (first.sum() + second.sum())
    push = np.where(first, share, np.where(second, share - 1, 0.0))

    def keeps(value: float) -> bool:
        moved = x.copy()
        moved[:, j] += (value - statistic) * push
        return preserved(labels, labels_of(cl_fun, moved), (k1, k2))

    phi = phi[[keeps(value) for value in phi.tolist()]]
    if not len(phi):
        warnings.warn(NO_DRAW, RWarning, stacklevel=2)
        return RList({"stat": abs(statistic), "pval": float("nan"), "clusters": labels})
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        weights = np.exp(((phi - statistic) ** 2 - phi**2) / (2 * scale**2))
        added = weights.mean()  # R adds the mean weight to both sums
        p = (weights[np.abs(phi) > abs(statistic)].sum() + added) / (weights.sum() + added)
    return RList({"stat_g": abs(statistic), "pval": float(p), "clusters": labels})


def merge_selective_inference(
    X: ArrayLike,
    k1: int,
    k2: int,
    g: int,
    ndraws: int = 2000,
    cl_fun: Callable[[Any], ArrayLike] | None = None,
    cl: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Merge the tests of neighbours from k1 to k2, as R's ``VALIDICLUST::merge_selective_inference``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    k1, k2 : int
        Two clusters, from 1.
    g : int
        The variable, from 1.
    ndraws : int, default=2000
        Draws of each test.
    cl_fun : callable
        ``cl_fun(X)`` gives labels (n,) from 1.
    cl : array_like of shape (n,)
        Its labels of X.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``pval``, the harmonic mean of the p-values of neighbours times e log of their number, at most 1;
        ``adjacent``, the clusters from k1 to k2 in the order of their means; ``pval_adj``, the p-values of
        neighbours, NaN if k1 and k2 are neighbours.

    Raises
    ------
    RError
        With R's message: g is no variable, k1 or k2 no cluster.
    TypeError
        No cl_fun.

    See Also
    --------
    test_selective_inference : R's test of a variable between two clusters.

    References
    ----------
    Hivert, B., Agniel, D., Thiebaut, R. and Hejblum, B. P. (2024). Post-clustering difference testing: valid
    inference and practical considerations. Computational Statistics and Data Analysis 193, 107916.

    Examples
    --------
    >>> from sparsek.rcompat import cutree, dist, hclust, merge_selective_inference, set_seed
    >>> x = [[0.0], [0.3], [2.1], [2.0], [5.2], [5.1]]
    >>> set_seed(1)
    >>> thirds = lambda x: cutree(hclust(dist(x)), 3)
    >>> merge_selective_inference(x, 1, 3, 1, 50, thirds, thirds(x)).adjacent.tolist()
    [1, 2, 3]
    """
    k1, k2, g = whole_numbers(k1=k1, k2=k2, g=g)
    x, labels = _checked(X, g, cl)
    checked_pair(labels, (k1, k2))
    values = x[:, g - 1]
    stream = resolve_rng(rng)
    found = np.unique(labels)
    order = found[np.argsort([values[labels == label].mean() for label in found], kind="stable")]
    places = [int(np.flatnonzero(order == one)[0]) for one in (k1, k2)]
    step = 1 if places[0] < places[1] else -1
    adjacent = order[np.arange(places[0], places[1] + step, step)]
    if len(adjacent) == 2:
        alone = test_selective_inference(x, k1, k2, g, ndraws, cl_fun, labels, rng=stream)
        return RList({"pval": alone.pval, "adjacent": adjacent, "pval_adj": float("nan")})
    sig = float(np.std(values[np.isin(labels, adjacent)], ddof=1))
    neighbours = zip(adjacent[:-1].tolist(), adjacent[1:].tolist(), strict=True)
    tests = [
        test_selective_inference(x, i, j, g, ndraws, cl_fun, labels, sig, rng=stream) for i, j in neighbours
    ]
    p_values = np.array([one.pval for one in tests])
    m = len(p_values)
    merged = float(np.e * np.log(m) * m / np.sum(1 / p_values))
    return RList({"pval": min(merged, 1.0), "adjacent": adjacent, "pval_adj": p_values})


def _checked(X: Any, g: int, cl: Any) -> tuple[Array, Array]:
    """Data and labels; RError for a variable that does not exist."""
    x = as_matrix(X, "X").values
    labels = checked_labels(cl, len(x), "cl")
    if not 1 <= g <= x.shape[1]:
        raise RError("g should be between 1 and q", f"got {g} for {x.shape[1]} variables")
    return x, labels

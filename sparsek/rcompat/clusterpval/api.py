"""R's clusterpval: tests of the means of two clusters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RWarning
from sparsek.rcompat.base.data import RList, as_matrix, require_runs, whole_numbers
from sparsek.rcompat.stats.selective.cluster_contrast import (
    checked_labels,
    checked_pair,
    exact_linkage,
    labels_of,
    make_contrast,
    preserved,
    refuse_equal_means,
    refuse_incomplete,
    sampled_p,
    tree_clusters,
)
from sparsek.rcompat.stats.selective.truncated import chi_squared_ratio
from sparsek.rng import RRandom, resolve_rng
from sparsek.selective.intervals import intersection_from
from sparsek.selective.tree import cut, tree_conditions, tree_merges

NO_DRAW = (
    "Oops - we didn't generate any samples that preserved the clusters! Try re-running with a larger value "
    "of ndraws."
)


def test_hier_clusters_exact(
    X: ArrayLike,
    link: str,
    hcl: Mapping[str, Any],
    K: int,
    k1: int,
    k2: int,
    iso: bool = True,
    sig: float | None = None,
    SigInv: ArrayLike | None = None,
    dist: Any = None,
) -> RList:
    """Test two clusters of a tree, as R's ``clusterpval::test_hier_clusters_exact``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    link : str
        "single", "average", "centroid", "ward.D", "mcquitty" or "median".
    hcl : mapping
        The tree of squared distances, ``hclust(dist(X) ** 2, link)``.
    K : int
        Number of clusters.
    k1, k2 : int
        Two of them, numbered as by ``cutree(hcl, K)``.
    iso : bool, default=True
        Independent noise of one variance; else a covariance matrix.
    sig : float, optional
        Standard deviation, in the unit of X; by default the pooled one of the columns.
    SigInv : array_like of shape (q, q), optional
        Inverse of the covariance matrix; by default of the sample's.
    dist : object
        Not used: distances are computed from X.

    Returns
    -------
    RList
        ``stat``; ``pval``; ``trunc`` (m, 2), the values of the statistic that keep the merges.

    Raises
    ------
    RError
        With R's message: another linkage, numbers of clusters out of range, equal means.

    See Also
    --------
    sparsek.inference.test_hierarchical : Test two clusters of a hierarchical clustering.
    test_hier_clusters_exact_1f : R's test of one feature between two clusters of a tree.
    hclust : R's hierarchical clustering.

    Notes
    -----
    R approximates the chi-squared law (Canal 2005; Bryc 2002), which changes p by a few per cent;
    `sparsek.inference.test_hierarchical` has the exact value.

    References
    ----------
    Gao, L. L., Bien, J. and Witten, D. (2022). Selective inference for hierarchical clustering. JASA
    119(545), 332-342.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust, test_hier_clusters_exact
    >>> x = [[0.0], [0.3], [0.1], [5.0], [5.2], [5.1]]
    >>> tree = hclust(dist(x) ** 2, "average")
    >>> round(float(test_hier_clusters_exact(x, "average", tree, 2, 1, 2, sig=1.0).stat), 10)
    4.9666666667
    """
    x = as_matrix(X, "X").values
    name = exact_linkage(
        link,
        "Exact p-value not supported. See 'test_complete_hier_clusters_approx' for an approximate p-value.",
    )
    k1, k2 = whole_numbers(k1=k1, k2=k2)
    merges, k, labels = tree_clusters(hcl, K, len(x), (k1, k2))
    contrast = make_contrast(x, labels, (k1, k2), iso, sig, SigInv)
    statistic = contrast.statistic
    refuse_incomplete(x)
    refuse_equal_means(contrast, "missing value where TRUE/FALSE needed")
    kept = tree_conditions(contrast.line, merges, k, name).intervals(-statistic) + statistic
    part = intersection_from(kept, statistic)
    p = chi_squared_ratio(x.shape[1], part**2 / contrast.variance, kept**2 / contrast.variance)
    return RList({"stat": statistic, "pval": p, "trunc": kept})


def test_complete_hier_clusters_approx(
    X: ArrayLike,
    hcl: Mapping[str, Any],
    K: int,
    k1: int,
    k2: int,
    iso: bool = True,
    sig: float | None = None,
    SigInv: ArrayLike | None = None,
    ndraws: int = 2000,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Test two clusters of complete linkage, as ``clusterpval::test_complete_hier_clusters_approx``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    hcl : mapping
        The tree, ``hclust(dist(X) ** 2, "complete")``.
    K : int
        Number of clusters.
    k1, k2 : int
        Two of them, numbered as by ``cutree(hcl, K)``.
    iso : bool, default=True
        Independent noise of one variance; else a covariance matrix.
    sig : float, optional
        Standard deviation, in the unit of X; by default the pooled one of the columns.
    SigInv : array_like of shape (q, q), optional
        Inverse of the covariance matrix; by default of the sample's.
    ndraws : int, default=2000
        Normal draws of the statistic, in R's order.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``stat``; ``pval``; ``stderr``; NaN where no draw kept the clusters.

    Raises
    ------
    RError
        With R's message: numbers of clusters out of range, equal means.

    Warns
    -----
    RWarning
        No draw kept the clusters.

    See Also
    --------
    test_hier_clusters_exact : R's test of two clusters of a tree.
    test_clusters_approx : R's test of two clusters of any function.

    References
    ----------
    Gao, L. L., Bien, J. and Witten, D. (2022). Selective inference for hierarchical clustering. JASA
    119(545), 332-342.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust, set_seed, test_complete_hier_clusters_approx
    >>> x = [[0.0], [0.3], [0.1], [5.0], [5.2], [5.1]]
    >>> set_seed(1)
    >>> tree = hclust(dist(x) ** 2, "complete")
    >>> found = test_complete_hier_clusters_approx(x, tree, 2, 1, 2, sig=4.0, ndraws=100)
    >>> 0 < found.pval < 1
    True
    """
    x = as_matrix(X, "X").values
    k1, k2, number = whole_numbers(k1=k1, k2=k2, ndraws=ndraws)
    require_runs(number, "ndraws")
    _, k, labels = tree_clusters(hcl, K, len(x), (k1, k2))
    contrast = make_contrast(x, labels, (k1, k2), iso, sig, SigInv)
    refuse_equal_means(contrast, "NaN dissimilarity value.")

    def keeps(moved: Any) -> bool:
        return np.array_equal(cut(tree_merges(moved, "complete"), k) + 1, labels)

    p, error = sampled_p(x, contrast, number, resolve_rng(rng), keeps)
    return _estimate(contrast.statistic, p, error)


def test_clusters_approx(
    X: ArrayLike,
    k1: int,
    k2: int,
    iso: bool = True,
    sig: float | None = None,
    SigInv: ArrayLike | None = None,
    ndraws: int = 2000,
    cl_fun: Callable[[Any], ArrayLike] | None = None,
    cl: ArrayLike | None = None,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Test two clusters of any function, as R's ``clusterpval::test_clusters_approx``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    k1, k2 : int
        Two clusters, from 1.
    iso : bool, default=True
        Independent noise of one variance; else a covariance matrix.
    sig : float, optional
        Standard deviation, in the unit of X; by default the pooled one of the columns.
    SigInv : array_like of shape (q, q), optional
        Inverse of the covariance matrix; by default of the sample's.
    ndraws : int, default=2000
        Normal draws of the statistic, in R's order.
    cl_fun : callable
        ``cl_fun(X)`` gives labels (n,) from 1. R's random numbers that it draws are not those that it would
        draw in R, where every call has a stream of its own.
    cl : array_like of shape (n,), optional
        Its labels of X.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``stat``; ``pval``; ``stderr``; ``clusters`` (n,); NaN where no draw kept the clusters.

    Raises
    ------
    RError
        With R's message: numbers of clusters out of range.
    TypeError
        No cl_fun.

    Warns
    -----
    RWarning
        No draw kept the clusters.

    See Also
    --------
    sparsek.inference.test_clusters : Test two clusters of any estimator.
    test_hier_clusters_exact : R's test of two clusters of a tree.

    Notes
    -----
    As in R a draw counts if each of the two clusters has one new number, and if the new clusters numbered k1
    and k2 come from one each.

    References
    ----------
    Gao, L. L., Bien, J. and Witten, D. (2022). Selective inference for hierarchical clustering. JASA
    119(545), 332-342.

    Examples
    --------
    >>> from sparsek.rcompat import cutree, dist, hclust, set_seed, test_clusters_approx
    >>> x = [[0.0], [0.3], [0.1], [5.0], [5.2], [5.1]]
    >>> set_seed(1)
    >>> halves = lambda x: cutree(hclust(dist(x)), 2)
    >>> found = test_clusters_approx(x, 1, 2, sig=4.0, ndraws=100, cl_fun=halves)
    >>> 0 < found.pval < 1
    True
    """
    x = as_matrix(X, "X").values
    if not callable(cl_fun):
        raise TypeError(f"cl_fun must be a function of the data; got {cl_fun!r}")
    k1, k2, number = whole_numbers(k1=k1, k2=k2, ndraws=ndraws)
    require_runs(number, "ndraws")
    labels = labels_of(cl_fun, x) if cl is None else checked_labels(cl, len(x), "cl")
    checked_pair(labels, (k1, k2))
    contrast = make_contrast(x, labels, (k1, k2), iso, sig, SigInv)

    def keeps(moved: Any) -> bool:
        return preserved(labels, labels_of(cl_fun, moved), (k1, k2))

    p, error = sampled_p(x, contrast, number, resolve_rng(rng), keeps)
    return _estimate(contrast.statistic, p, error, clusters=labels)


def _estimate(statistic: float, p: float, error: float, **more: Any) -> RList:
    """R's list, with its warning where no draw counted."""
    if np.isnan(p):
        warnings.warn(NO_DRAW, RWarning, stacklevel=3)
    return RList({"stat": statistic, "pval": p, "stderr": error, **more})

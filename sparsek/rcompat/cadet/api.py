"""R's CADET: tests of the means of two clusters in one feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, whole_numbers
from sparsek.rcompat.stats.selective.cluster_contrast import (
    covariances,
    exact_linkage,
    median_sigma,
    pooled_sigma,
    refuse_incomplete,
    tree_clusters,
    used_sigma,
)
from sparsek.rcompat.stats.selective.seeded_lloyd import (
    refuse_missing,
    same_steps,
    tested_run,
    widened,
)
from sparsek.rcompat.stats.selective.truncated import normal_survival
from sparsek.rng import RRandom, resolve_rng
from sparsek.selective.line import difference_contrast, make_line
from sparsek.selective.tree import tree_conditions

Array = NDArray[Any]
WHOLE = [[-np.inf, 0.0], [0.0, np.inf]]
"""The line, split at 0."""


def kmeans_inference_1f(
    X: ArrayLike,
    k: int,
    cluster_1: int,
    cluster_2: int,
    feat: int,
    iso: bool = False,
    sig: float | None = None,
    covMat: ArrayLike | None = None,
    iter_max: int = 10,
    seed: float = 1234,
    *,
    rng: RRandom | None = None,
) -> RList:
    """Test one feature between two clusters of k-means, as R's ``CADET::kmeans_inference_1f``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    k : int
        Number of clusters, below n.
    cluster_1, cluster_2 : int
        Two clusters, from 1.
    feat : int
        The feature, from 1.
    iso : bool, default=False
        Independent noise of one variance; else `covMat` is needed.
    sig : float, optional
        Its standard deviation, in the unit of X; by default estimated from medians.
    covMat : array_like of shape (q, q), optional
        Covariance matrix, for ``iso=False``.
    iter_max : int, default=10
        Most passes after the first one.
    seed : float, default=1234
        Seed that the stream gets for the starting rows.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``final_interval`` (m, 2), the differences that keep all steps; ``final_cluster`` (n,);
        ``test_stat``; ``cluster_1``, ``cluster_2``, ``feat``; ``sig``; ``covMat``; ``scale_factor``, the
        variance of the statistic; ``p_naive``; ``pval``.

    Raises
    ------
    RError
        With R's message: missing values, too many clusters, numbers out of range, both or none of the
        variances.

    Warns
    -----
    UserWarning
        Rows are as near to another centre, as in rounded data; the text names them. R says nothing then, and
        rounding decides its set.

    See Also
    --------
    sparsek.inference.test_feature : Test two clusters in one feature.
    kmeans_inference : R's test of two clusters of k-means.

    Notes
    -----
    With `sig` R moves the feature by sig squared for each unit of the statistic, so that its set is wrong
    unless sig is 1: divide X by sig, or use `sparsek.inference.test_feature`. R's set leaves out the number
    0.

    References
    ----------
    Chen, Y. T. and Gao, L. L. (2023). Testing for a difference in means of a single feature after clustering.
    arXiv:2311.16375.

    Examples
    --------
    >>> from sparsek.rcompat import kmeans_inference_1f
    >>> x = [[0.0, 1], [0.3, 2], [0.1, 1], [5.0, 1], [5.2, 2], [5.1, 2]]
    >>> round(float(kmeans_inference_1f(x, 2, 1, 2, 2, iso=True, sig=1.0, seed=1).test_stat), 3)
    -0.333
    """
    x, stream = as_matrix(X, "X").values, resolve_rng(rng)
    k, cluster_1, cluster_2 = whole_numbers(k=k, cluster_1=cluster_1, cluster_2=cluster_2)
    feat, limit = whole_numbers(feat=feat, iter_max=iter_max)
    sig = None if sig is None else used_sigma(sig)
    stream.seed(seed)  # as in R, also where an error follows
    refuse_missing(x)
    if k >= len(x):
        raise RError("Cannot have more clusters than observations", f"k={k} for {len(x)} rows")
    if as_flag(iso, "iso") and sig is None:
        sig = used_sigma(None, median_sigma(x))
    if sig is None and covMat is None:
        raise RError("At least one of variance and covariance matrix must be specified!", "give covMat")
    if sig is not None and covMat is not None:
        raise RError("Only one of variance and covariance matrix can be specified!", "leave one out")
    run, labels, contrast = tested_run(x, k, limit, seed, stream, (cluster_1, cluster_2))
    deviation, direction = _noise(feat, x.shape[1], sig, covMat)
    if sig is not None:
        direction = direction * sig**2  # as R does; see the notes
    statistic = float(contrast @ x[:, feat - 1])
    conditions = same_steps(x, make_line(x, contrast, direction), run, limit)
    kept = _without_zero(widened(conditions, statistic))
    scale = deviation * float(np.sqrt(contrast @ contrast))
    return RList(
        {
            "final_interval": kept,
            "final_cluster": labels,
            "test_stat": statistic,
            "cluster_1": cluster_1,
            "cluster_2": cluster_2,
            "feat": feat,
            "sig": sig,
            "covMat": None if covMat is None else as_matrix(covMat, "covMat").values,
            "scale_factor": scale**2,
            "p_naive": float(2 * ndtr(-abs(statistic) / scale)),
            "pval": _two_sided(statistic, scale, kept),
        }
    )


def test_hier_clusters_exact_1f(
    X: ArrayLike,
    link: str,
    hcl: Mapping[str, Any],
    K: int,
    k1: int,
    k2: int,
    feat: int,
    indpt: bool = True,
    sig: float | None = None,
    covMat: ArrayLike | None = None,
) -> RList:
    """Test one feature between two clusters of a tree, as R's ``CADET::test_hier_clusters_exact_1f``.

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
    feat : int
        The feature, from 1.
    indpt : bool, default=True
        Independent noise of one variance; else a covariance matrix.
    sig : float, optional
        Standard deviation, in the unit of X; by default the pooled one of the columns.
    covMat : array_like of shape (q, q), optional
        Covariance matrix; by default the sample's.

    Returns
    -------
    RList
        ``stat``; ``cluster_1``, ``cluster_2``; ``pval``; ``p_naive``; ``trunc`` (m, 2), the differences that
        keep the merges; ``linkage``.

    Raises
    ------
    RError
        With R's message: another linkage, numbers of clusters out of range, a feature of variance 0.

    See Also
    --------
    sparsek.inference.test_feature : Test two clusters in one feature.
    test_hier_clusters_exact : R's test of two clusters of a tree.

    References
    ----------
    Chen, Y. T. and Gao, L. L. (2023). Testing for a difference in means of a single feature after clustering.
    arXiv:2311.16375.

    Examples
    --------
    >>> from sparsek.rcompat import dist, hclust, test_hier_clusters_exact_1f
    >>> x = [[0.0, 1], [0.3, 2], [0.1, 1], [5.0, 1], [5.2, 2], [5.1, 2]]
    >>> tree = hclust(dist(x) ** 2, "average")
    >>> round(float(test_hier_clusters_exact_1f(x, "average", tree, 2, 1, 2, 2, sig=1.0).stat), 3)
    -0.333
    """
    x = as_matrix(X, "X").values
    name = exact_linkage(link, "Exact p-value not supported. ", "use sparsek.inference.test_feature")
    k1, k2, feat = whole_numbers(k1=k1, k2=k2, feat=feat)
    sig = None if sig is None else used_sigma(sig)
    merges, k, labels = tree_clusters(hcl, K, len(x), (k1, k2))
    contrast = difference_contrast(labels, k1, k2)
    if as_flag(indpt, "indpt"):
        sigma = used_sigma(sig, pooled_sigma(x) if sig is None else 0.0)
        deviation, direction = _noise(feat, x.shape[1], sigma, None)
    else:
        deviation, direction = _noise(feat, x.shape[1], None, covariances(x) if covMat is None else covMat)
    statistic = float(contrast @ x[:, feat - 1])
    line = make_line(x, contrast, direction)
    refuse_incomplete(x)
    kept = tree_conditions(line, merges, k, name).intervals() + statistic
    scale = deviation * float(np.sqrt(contrast @ contrast))
    return RList(
        {
            "stat": statistic,
            "cluster_1": k1,
            "cluster_2": k2,
            "pval": _two_sided(statistic, scale, kept),
            "p_naive": float(2 * ndtr(-abs(statistic) / scale)),
            "trunc": kept,
            "linkage": link,
        }
    )


def _noise(feat: int, q: int, sig: float | None, covariance: Any) -> tuple[float, Array]:
    """Standard deviation of the feature and how the others move with it."""
    if not 1 <= feat <= q:
        raise RError("subscript out of bounds", f"feat must be a feature from 1 to {q}; got {feat}")
    j = feat - 1
    if covariance is None:
        assert sig is not None  # asked by the callers
        return float(sig), np.eye(1, q, j)[0]
    matrix = as_matrix(covariance, "covMat").values
    variance = float(matrix[j, j])
    if not 0 < variance < np.inf:
        raise RError(
            "missing value where TRUE/FALSE needed",
            f"the variance of feature {feat} must be positive and finite; got {variance:g}: rescale X, or "
            "give covMat",
        )
    return float(np.sqrt(variance)), matrix[j] / variance


def _two_sided(statistic: float, scale: float, kept: Array) -> float:
    """R's p-value: both tails, each given the set; of the whole line R approximates one tail alone."""
    size = abs(statistic)
    whole = np.array_equal(kept, WHOLE)
    tail = float(ndtr(-size / scale)) if whole else normal_survival(size, scale, kept)
    return tail + normal_survival(size, scale, -kept[::-1, ::-1])


def _without_zero(kept: Array) -> Array:
    """The set with every interval about 0 split there, as R has it."""
    inside = (kept[:, 0] < 0) & (kept[:, 1] > 0)
    zeros = np.zeros(int(inside.sum()))
    below, above = np.column_stack([kept[inside, 0], zeros]), np.column_stack([zeros, kept[inside, 1]])
    found = np.concatenate([kept[~inside], below, above])
    return found[np.argsort(found[:, 0], kind="stable")]

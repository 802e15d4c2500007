"""R's KmeansInference: k-means that records its steps, and the test of two of its clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, whole_numbers
from sparsek.rcompat.stats.selective.cluster_contrast import median_sigma, used_sigma
from sparsek.rcompat.stats.selective.seeded_lloyd import (
    refuse_missing,
    same_steps,
    seeded_lloyd,
    tested_run,
    widened,
)
from sparsek.rcompat.stats.selective.truncated import chi_squared_ratio
from sparsek.rng import RRandom, resolve_rng
from sparsek.selective.intervals import intersection_from
from sparsek.selective.line import make_line
from sparsek.selective.truncated import log_chi_probability

Array = NDArray[Any]


def kmeans_estimation(
    X: ArrayLike, k: int, iter_max: int = 10, seed: float = 1234, *, rng: RRandom | None = None
) -> RList:
    """K-means by Lloyd's algorithm with all steps, as R's ``KmeansInference::kmeans_estimation``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    k : int
        Number of clusters, below n.
    iter_max : int, default=10
        Most passes after the first one.
    seed : float, default=1234
        Seed that the stream gets, with which k rows are drawn as starting centres.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``cluster``, a list of labels (n,) from 1, and ``centers``, a list of (k, q), by pass; ``iter``, the
        number of passes; ``final_cluster`` (n,); ``random_init_obs`` (k,), the drawn rows from 1.

    Raises
    ------
    RError
        More clusters than rows, a negative `iter_max`.

    See Also
    --------
    kmeans_inference : R's test of two clusters of k-means.

    References
    ----------
    Chen, Y. T. and Witten, D. M. (2023). Selective inference for k-means clustering. JMLR 24(152).

    Examples
    --------
    >>> from sparsek.rcompat import kmeans_estimation
    >>> kmeans_estimation([[0.0], [0.1], [5.0], [5.2]], 2, seed=1).final_cluster
    array([1, 1, 2, 2])
    """
    number, limit = whole_numbers(k=k, iter_max=iter_max)
    x = as_matrix(X, "X").values
    refuse_missing(x)
    run = seeded_lloyd(x, number, limit, seed, resolve_rng(rng))
    return RList(
        {
            "cluster": [labels + 1 for labels in run.labels],
            "centers": run.centers,
            "iter": len(run.labels),
            "final_cluster": run.labels[-1] + 1,
            "random_init_obs": run.rows + 1,
        }
    )


def kmeans_inference(
    X: ArrayLike,
    k: int,
    cluster_1: int,
    cluster_2: int,
    iso: bool = True,
    sig: float | None = None,
    SigInv: ArrayLike | None = None,
    iter_max: int = 10,
    seed: float = 1234,
    *,
    rng: RRandom | None = None,
) -> RList:
    r"""Test two clusters of k-means, as R's ``KmeansInference::kmeans_inference``.

    Parameters
    ----------
    X : array_like of shape (n, q)
        Finite data.
    k : int
        Number of clusters, below n.
    cluster_1, cluster_2 : int
        Two clusters, numbered from 1 as in :func:`kmeans_estimation`.
    iso : bool, default=True
        Independent noise of one variance.
    sig : float, optional
        Its standard deviation, in the unit of X; by default estimated from medians.
    SigInv : array_like of shape (q, q), optional
        Inverse of the covariance matrix, for ``iso=False``.
    iter_max : int, default=10
        Most passes after the first one.
    seed : float, default=1234
        Seed that the stream gets for the starting rows.
    rng : RRandom, optional

    Returns
    -------
    RList
        ``final_interval`` (m, 2), the distances that keep all steps; ``final_cluster`` (n,); ``test_stat``;
        ``cluster_1``, ``cluster_2``; ``sig``; ``SigInv``; ``scale_factor``, the variance of the statistic;
        ``p_naive`` (None with SigInv); ``pval``.

    Raises
    ------
    RError
        With R's message: too many clusters, numbers of clusters out of range, no SigInv.
    ValueError
        The two clusters are the same one.

    Warns
    -----
    UserWarning
        Rows are as near to another centre, as in rounded data; the text names them. R says nothing then, and
        rounding decides its set.

    See Also
    --------
    sparsek.inference.test_kmeans : Test two clusters of k-means.
    kmeans_inference_1f : R's test of one feature between two clusters of k-means.
    kmeans_estimation : R's k-means with all steps.

    Notes
    -----
    R approximates the chi-squared law (Canal 2005; Bryc 2002), which changes p by a few per cent;
    `sparsek.inference.test_kmeans` has the exact value.

    References
    ----------
    Chen, Y. T. and Witten, D. M. (2023). Selective inference for k-means clustering. JMLR 24(152).

    Examples
    --------
    >>> from sparsek.rcompat import kmeans_inference
    >>> x = [[0.0], [0.3], [0.1], [5.0], [5.2], [5.1]]
    >>> float(kmeans_inference(x, 2, 1, 2, sig=1.0, seed=1).pval) < 1e-4
    True
    """
    x, stream = as_matrix(X, "X").values, resolve_rng(rng)
    k, cluster_1, cluster_2 = whole_numbers(k=k, cluster_1=cluster_1, cluster_2=cluster_2)
    (limit,) = whole_numbers(iter_max=iter_max)
    sig = None if sig is None else used_sigma(sig)
    stream.seed(seed)  # as in R, also where an error follows
    refuse_missing(x)
    iso = as_flag(iso, "iso")
    if iso and sig is None:
        sig = used_sigma(None, median_sigma(x))
    if sig is None and SigInv is None:
        raise RError("At least one of variance and covariance matrix must be specified!", "give SigInv")
    run, labels, contrast = tested_run(x, k, limit, seed, stream, (cluster_1, cluster_2))
    difference = contrast @ x
    inverse = np.eye(x.shape[1]) if iso or SigInv is None else as_matrix(SigInv, "SigInv").values
    statistic = float(np.sqrt(difference @ inverse @ difference))
    line = make_line(x, contrast, difference / statistic)
    set_of_phi = widened(same_steps(x, line, run, limit), statistic, least=0.0)
    variance = float(contrast @ contrast) * (sig**2 if iso and sig is not None else 1.0)
    part, scaled = intersection_from(set_of_phi, statistic), float(statistic / np.sqrt(variance))
    return RList(
        {
            "final_interval": set_of_phi,
            "final_cluster": labels,
            "test_stat": statistic,
            "cluster_1": cluster_1,
            "cluster_2": cluster_2,
            "sig": sig,
            "SigInv": None if iso else inverse,
            "scale_factor": variance,
            "p_naive": None if not iso else float(np.exp(log_chi_probability(scaled, np.inf, x.shape[1]))),
            "pval": chi_squared_ratio(x.shape[1], part**2 / variance, set_of_phi**2 / variance),
        }
    )

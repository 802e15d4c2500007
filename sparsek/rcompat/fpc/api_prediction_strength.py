"""R's ``prediction.strength``: the number of clusters by predicting halves of the data from each other."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_mean, sequential_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, as_number, require_runs, whole_numbers
from sparsek.rcompat.base.printing import format_number
from sparsek.rcompat.fpc.cluster_statistics import NO_MAXIMUM
from sparsek.rcompat.fpc.interfaces import METHODS, Clustering
from sparsek.rng import RRandom, resolve_rng

_log = logging.getLogger(__name__)
NEAR = 1e-4
"""Squared distances are tied where they differ by at most this share."""


class PredictionStrength(RList):
    """Result of `prediction_strength`, printed as R prints it.

    Fields: ``predcorr``, a list with an entry for each number of clusters from 1, None or an array of shape
    (M,): the strengths of the divisions; ``mean.pred`` (Gmax,), their means, 1 for one cluster and NaN where
    not tried; ``optimalk``, the largest number of clusters above the cutoff; ``cutoff``; ``method``;
    ``Gmax``; ``M``. Strengths are dimensionless, from 0 to 1.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    """

    def __str__(self) -> str:
        means = " ".join(format_number(v) for v in self["mean.pred"])
        return (
            f"Prediction strength \nClustering method:  {self['method']} \n"
            f"Maximum number of clusters:  {format_number(self['Gmax'])} \n"
            f"Resampled data sets:  {format_number(self['M'])} \n"
            f"Mean pred.str. for numbers of clusters:  {means} \n"
            f"Cutoff value:  {format_number(self['cutoff'])} \n"
            f"Largest number of clusters better than cutoff:  {format_number(self['optimalk'])} "
        )


def prediction_strength(
    xdata: ArrayLike,
    Gmin: int = 2,
    Gmax: int = 10,
    M: int = 50,
    clustermethod: str = "kmeansCBI",
    classification: str = "centroid",
    cutoff: float = 0.8,
    count: bool = False,
    *,
    rng: RRandom | None = None,
    **arguments: Any,
) -> PredictionStrength:
    """Prediction strength of the numbers of clusters, as R's ``prediction.strength`` of package fpc.

    The rows are divided at random into halves, and both are clustered. The strength of a clustering is the
    least share, over its clusters, of pairs of rows that the centroids of the other half put together too.

    Parameters
    ----------
    xdata : array_like or data frame of shape (n, p)
        Real data, two columns or more.
    Gmin : int, default=2
        Smallest number of clusters, at least 2.
    Gmax : int, default=10
        Largest number of clusters, from `Gmin`; below n / 2 - 1.
    M : int, default=50
        How often the rows are divided.
    clustermethod : {"kmeansCBI", "claraCBI"}, default="kmeansCBI"
        The clustering: k-means, or medoids.
    classification : {"centroid"}, default="centroid"
        How rows are predicted: by the nearest centroid. Of centroids whose squared distances differ by less
        than a ten-thousandth one is drawn, as in R.
    cutoff : float, default=0.8
        Strength that the number of clusters must exceed, dimensionless.
    count : bool, default=False
        Whether the logger "sparsek" tells of the progress.
    rng : RRandom, optional
        R's stream; by default the one that `set_seed` acts on.
    **arguments : object
        Further arguments of the clustering: ``runs``, ``scaling`` and those of `kmeans`, or ``usepam`` and
        those of `pam` or, with ``usepam=False``, of `clara`. With ``scaling`` the centres are those of the
        scaled data and the rows are not scaled, as in R.

    Returns
    -------
    PredictionStrength
        The fields are described there.

    Raises
    ------
    RError
        With R's message: a single column, missing values, what `pam` and `clara` refuse, further arguments
        that the clustering has not.
    TypeError
        For data that are no numbers, and for further arguments that are set here.
    ValueError
        Unknown method or classification, numbers that are not whole or out of range, data of which k-means
        cannot make so many clusters: R would not end, and rows whose squared distances overflow.

    Warns
    -----
    RWarning
        With R's message: no strength is above the cutoff; k-means does not converge.

    See Also
    --------
    clusGap : R's gap statistic of the number of clusters.
    cluster_stats : Statistics of one clustering.

    References
    ----------
    Tibshirani, R. & Walther, G. (2005). Cluster validation by prediction strength. Journal of Computational
    and Graphical Statistics 14, 511-528.

    Examples
    --------
    >>> from sparsek.rcompat import prediction_strength, set_seed
    >>> x = [[0, 0], [1, 0], [0, 1], [1, 1], [9, 8], [8, 9], [9, 9], [8, 8]]
    >>> set_seed(1)
    >>> prediction_strength(x, Gmax=2, M=4).mean_pred
    array([1., 1.])
    """
    data = as_matrix(xdata, "xdata").values
    if data.shape[1] == 1:
        raise RError("dims of 'test' and 'train' differ", "R takes two columns or more")
    first, last, number = _checked_numbers(len(data), Gmin, Gmax, M)
    if clustermethod not in METHODS:
        raise ValueError(f"clustermethod must be one of {', '.join(METHODS)}; got {clustermethod!r}")
    if classification != "centroid":
        raise ValueError(f'classification must be "centroid"; got {classification!r}')
    cluster, method = METHODS[clustermethod]
    stream, told, least = resolve_rng(rng), as_flag(count, "count"), as_number(cutoff, "cutoff")
    strengths: list[FloatArray | None] = [None] * (first - 1)
    for k in range(first, last + 1):
        values = np.empty(number)

        def clustered(rows: FloatArray, k: int = k) -> Clustering:
            return cluster(rows, k, stream, **arguments)

        for run in range(number):
            values[run] = _strength(data, clustered, stream)
            if told:
                _log.info("prediction_strength: %d clusters, division %d of %d", k, run + 1, number)
        strengths.append(values)
    means = np.array([math.nan if v is None else long_mean(v) for v in strengths])
    means[0] = 1.0
    return PredictionStrength(
        {
            "predcorr": strengths,
            "mean.pred": means,
            "optimalk": _largest_above(means, least),
            "cutoff": least,
            "method": method,
            "Gmax": last,
            "M": number,
        }
    )


def _checked_numbers(n: int, Gmin: Any, Gmax: Any, M: Any) -> tuple[int, int, int]:
    """Numbers of clusters and of divisions, before any work."""
    for name, value in (("Gmin", Gmin), ("Gmax", Gmax), ("M", M)):
        if as_number(value, name) % 1:
            raise ValueError(f"{name} must be a whole number; got {value!r}")
    first, last, number = whole_numbers(Gmin=Gmin, Gmax=Gmax, M=M)
    if first == 1:
        raise RError("subscript out of bounds", "Gmin must be at least 2: one cluster has the strength 1")
    if not 2 <= first <= last:
        raise ValueError(f"Gmin must be from 2 to Gmax; got Gmin={first} and Gmax={last}")
    if last >= n // 2:
        raise ValueError(f"Gmax must be below half of the rows, {n // 2}; got {last}")
    if number < 1:
        raise ValueError(f"M must be at least 1; got {number}")
    require_runs(number, "M")
    return first, last, number


def _strength(data: FloatArray, cluster: Callable[[FloatArray], Clustering], stream: RRandom) -> float:
    """The mean strength of the clusterings of two random halves, which draw and predict in R's order.

    Shapes: data (n, p).
    """
    n = len(data)
    order = stream.sample_int(n, n) - 1
    halves = order[: n // 2], order[n // 2 :]
    fits, predicted = [], []
    for own, other in (halves, halves[::-1]):
        fits.append(cluster(data[own]))
        places, labels = np.argsort(other), np.empty_like(other)
        labels[places] = nearest_centroids(data[other[places]], fits[-1].centroids, stream)
        predicted.append(labels)
    shares = [_least_share(fit.labels, by) for fit, by in zip(fits, predicted[::-1], strict=True)]
    return long_mean(np.array(shares))


def _least_share(labels: IntArray, predicted: IntArray) -> float:
    """The least share of pairs of a cluster that are predicted to be together; 1 for a single row.

    Shapes: labels, predicted (n,).
    """
    shares = []
    for cluster in np.unique(labels):
        counts = np.bincount(predicted[labels == cluster])
        pairs = counts.sum() * (counts.sum() - 1)
        shares.append(float((counts * (counts - 1)).sum() / pairs) if pairs else 1.0)
    return min(shares)


def _largest_above(means: FloatArray, cutoff: float) -> float:
    """The largest number of clusters with a strength above the cutoff."""
    above = np.flatnonzero(means > cutoff)
    if not len(above):
        warn_as_r(NO_MAXIMUM)
        return -math.inf
    return int(above[-1]) + 1


def nearest_centroids(x: FloatArray, centroids: FloatArray, stream: RRandom) -> IntArray:
    """Numbers from 0 of the centroids nearest to the rows, as ``knn1`` of R's class; near ties by draws.

    Shapes: x (n, p), centroids (k, p); returns (n,).

    Raises RError with R's message, for missing values; ValueError where all distances of a row are infinite.
    """
    if np.isnan(x).any() or np.isnan(centroids).any():
        raise RError("no missing values are allowed", "drop or impute rows with missing values")
    near = (1 + NEAR) ** len(centroids) * 1.001  # a chain of ties, each compared with the last one
    with np.errstate(over="ignore"):
        squares = np.stack([sequential_sum((x - c).T ** 2) for c in centroids], axis=1)
        least = squares.min(axis=1, keepdims=True)
        alone = (squares <= near * least).sum(axis=1) == 1
    if np.isinf(least).any():
        raise ValueError(
            f"the squared distances of row {int(least.argmax()) + 1} to all centroids overflow, and R has no "
            "result; divide the data by a power of 2"
        )
    nearest = squares.argmin(axis=1)
    for i in np.flatnonzero(~alone):
        nearest[i] = _drawn(_tied(squares[i].tolist()), stream)
    return np.asarray(nearest)


def _tied(squares: list[float]) -> list[int]:
    """The places of the least value and of those that R takes for ties, each compared with the last one."""
    tied, last = [0], squares[0]
    for j, value in enumerate(squares[1:], 1):
        if value <= last * (1 + NEAR):
            tied = [j] if value < last * (1 - NEAR) else [*tied, j]
            last = value
    return tied


def _drawn(tied: list[int], stream: RRandom) -> int:
    """One of the tied, drawn as R does, which also draws where centroids before the first have no vote."""
    chosen = tied[0]
    if len(tied) > 1:
        stream.runif(max(chosen - 1, 0))
    for count, j in enumerate(tied[1:], 2):
        if stream.runif(1)[0] < 1 / count:
            chosen = j
    return chosen

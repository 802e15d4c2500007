"""Numbers of a clustering from dissimilarities: sizes, distances within and between, gaps, separation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, long_mean, long_median, long_sum
from sparsek.errors import RError
from sparsek.rcompat.stats.api_hclust import hclust
from sparsek.rcompat.stats.api_moments import cor

NO_MINIMUM = "no non-missing arguments to min; returning Inf"
NO_MAXIMUM = "no non-missing arguments to max; returning -Inf"
NO_NUMBER = -math.nan
"""R's NaN, where ``math.nan`` is its NA."""
MOST_SMALLEST = 2.0**52
"""Largest length of a vector in R."""


@dataclass(frozen=True, slots=True)
class ClusteredObjects:
    """Objects of clusters 1 to k, of which the last one may be noise."""

    d: FloatArray  # (n, n): symmetric dissimilarities
    labels: FloatArray  # (n,): clusters from 1; others stand for no cluster
    k: int  # Number of clusters, with the noise
    proper: int  # Number of clusters without the noise

    def members(self, cluster: int) -> NDArray[np.bool_]:
        """Whether each object is in a cluster."""
        return np.asarray(self.labels == cluster)


@dataclass(frozen=True, slots=True)
class ByCluster:
    """Numbers of the k clusters, the noise among them, NaN where there are none."""

    sizes: FloatArray  # (k,): numbers of objects
    diameters: FloatArray  # (k,): largest dissimilarity within
    averages: FloatArray  # (k,): mean dissimilarity within
    medians: FloatArray  # (k,): median dissimilarity within
    separations: FloatArray  # (k,): least dissimilarity to other objects
    to_others: FloatArray  # (k,): mean dissimilarity to other objects
    nearest: FloatArray  # (k, k): least dissimilarities between two clusters
    between: FloatArray  # (k, k): mean dissimilarities between two clusters


@dataclass(frozen=True, slots=True)
class PairDissimilarities:
    """Dissimilarities of pairs of objects that are no noise."""

    within: FloatArray  # (m,): of one cluster
    between: FloatArray  # (q,): of two clusters
    squares: float  # Sum over clusters of half the mean of the squares in a row, all rows
    total: float  # The same of all objects as one cluster, from one sum over the pairs


silent = np.errstate(over="ignore", invalid="ignore", divide="ignore")
"""R gives infinite and missing numbers without a word."""


def describe(objects: ClusteredObjects) -> ByCluster:
    """Numbers of each cluster, RWarning with R's message for clusters without other objects."""
    k, d = objects.k, objects.d
    known = np.isin(objects.labels, np.arange(k) + 1.0)
    found = np.full((6, k), np.nan)
    nearest, between = np.zeros((k, k)), np.zeros((k, k))
    for i in range(k):
        own = objects.members(i + 1)
        found[:, i] = (
            own.sum(),
            *_inside(_triangle(d[np.ix_(own, own)])),
            *_outside(d[np.ix_(own, known & ~own)]),
        )
        for j in range(i + 1, k):
            least, mean = _outside(d[np.ix_(own, objects.members(j + 1))])
            nearest[i, j] = nearest[j, i] = least
            between[i, j] = between[j, i] = mean
    sizes, diameters, averages, medians, separations, to_others = found
    return ByCluster(sizes, diameters, averages, medians, separations, to_others, nearest, between)


def _inside(pairs: FloatArray) -> tuple[float, float, float]:
    """Largest, mean and median dissimilarity of pairs."""
    if not len(pairs):
        return math.nan, NO_NUMBER, math.nan
    median = math.nan if np.isnan(pairs).any() else long_median(pairs)
    return float(pairs.max()), long_mean(pairs), median


def _outside(block: FloatArray) -> tuple[float, float]:
    """Least and mean dissimilarity of two sets of objects."""
    return smallest(block), mean_or_none(block.ravel(order="F"))


def smallest(values: FloatArray) -> float:
    """R's ``min``, RWarning with R's message for none."""
    if not values.size:
        warn_as_r(NO_MINIMUM)
        return math.inf
    unknown = values[np.isnan(values)]
    if len(unknown):
        return NO_NUMBER if np.signbit(unknown).all() else math.nan
    return float(values.min())


def largest_known(values: FloatArray) -> float:
    """R's ``max`` of what is not missing, RWarning with R's message for none."""
    known = values[~np.isnan(values)]
    if not len(known):
        warn_as_r(NO_MAXIMUM)
        return -math.inf
    return float(known.max())


@silent
def pairs_of(objects: ClusteredObjects) -> PairDissimilarities:
    """Dissimilarities of the pairs within the clusters, and between them."""
    d, clusters = objects.d, [objects.members(i + 1) for i in range(objects.proper)]
    within: list[FloatArray] = [np.empty(0)]
    between: list[FloatArray] = [np.empty(0)]
    squares = 0.0
    for i, own in enumerate(clusters):
        within.append(_triangle(d[np.ix_(own, own)]))
        between += [d[np.ix_(own, other)].ravel(order="F") for other in clusters[i + 1 :]]
        squares += _squares(d[np.ix_(own, own)])
    kept = objects.labels <= objects.proper
    pairs = _triangle(d[np.ix_(kept, kept)])
    total = long_sum(pairs * pairs) / kept.sum() if kept.any() else NO_NUMBER
    return PairDissimilarities(np.concatenate(within), np.concatenate(between), squares, total)


def _squares(block: FloatArray) -> float:
    """Half the sum of squared dissimilarities over the number of objects; NaN without objects."""
    return long_sum((block * block).ravel()) / 2 / len(block) if len(block) else NO_NUMBER


def pearson_gamma(pairs: PairDissimilarities) -> float:
    """Correlation of dissimilarities with whether a pair is of two clusters."""
    values = np.concatenate([pairs.within, pairs.between])
    apart = np.repeat([0.0, 1.0], [len(pairs.within), len(pairs.between)])
    return float(cor(values, apart)) if len(values) > 1 else math.nan


def goodman_kruskal(pairs: PairDissimilarities) -> float:
    """G2: concordant less discordant pairs of a distance within and one between, over their sum."""
    within, between = pairs.within, np.sort(pairs.between)
    if not len(within) or np.isnan(within).any() or np.isnan(between).any():
        return math.nan
    concordant = (len(between) - np.searchsorted(between, within, "right")).sum()
    discordant = np.searchsorted(between, within, "left").sum()
    return over(float(concordant - discordant), float(concordant + discordant))


def g3(pairs: PairDissimilarities) -> float:
    """G3: the sum within, from the least to the largest sum of as many distances as 0 to 1."""
    m, ordered = len(pairs.within), np.sort(np.concatenate([pairs.within, pairs.between]))
    if not m or np.isnan(ordered).any():
        return math.nan
    least, most = long_sum(ordered[:m]), long_sum(ordered[::-1][:m])
    return over(long_sum(pairs.within) - least, most - least)


def widest_gaps(objects: ClusteredObjects) -> FloatArray:
    """Largest edge of the minimum spanning tree of each cluster, 0 for one object.

    Shapes: returns (number of clusters without noise, at least 1).
    """
    gaps = np.zeros(max(objects.proper, 1))
    for i in range(len(gaps)):
        own = objects.members(i + 1)
        if own.sum() > 1:
            gaps[i] = hclust(_triangle(objects.d[np.ix_(own, own)]), "single")["height"].max()
    return gaps


def separation_index(objects: ClusteredObjects, share: float, with_noise: bool) -> float:
    """Mean of the least distances to another cluster, of a share of the objects, at least one.

    Raises RError with R's message: a share that is missing, negative or infinite, fewer than two objects.
    """
    kept = np.full(len(objects.labels), True) if with_noise else objects.labels <= objects.proper
    if not with_noise and kept.sum() < 2:
        message = "incorrect number of dimensions" if kept.any() else "subscript out of bounds"
        remedy = "set sepwithnoise or leave sepindex out"
        raise RError(message, f"{kept.sum()} objects are no noise, two are needed: {remedy}")
    d, labels = objects.d[np.ix_(kept, kept)], objects.labels[kept]
    nearest = np.array([smallest(row[labels != own]) for row, own in zip(d, labels, strict=True)])
    count = len(nearest) * share
    remedy = f"sepprob must be between 0 and 1; got {share:g}"
    if math.isnan(count):
        raise RError("NA/NaN argument", remedy)
    if count < 0:
        raise RError("only 0's may be mixed with negative subscripts", remedy)
    if count > MOST_SMALLEST:
        raise RError("result would be too long a vector", remedy)
    number, known = max(1, math.floor(count)), np.sort(nearest[~np.isnan(nearest)])
    return long_mean(known[:number]) if number <= len(known) else math.nan


@silent
def calinski_harabasz(pairs: PairDissimilarities, n: int, k: int) -> float:
    """The index from squared dissimilarities of n objects in k clusters."""
    return over((pairs.total - pairs.squares) * (n - k), pairs.squares * (k - 1))


def mean_or_none(values: FloatArray) -> float:
    """R's mean, NaN of nothing."""
    return long_mean(values) if len(values) else NO_NUMBER


@silent
def over(above: float, below: float) -> float:
    """A quotient, NaN or infinite over 0."""
    quotient = float(np.float64(above) / np.float64(below))
    made = math.isnan(quotient) and not math.isnan(above) and not math.isnan(below)
    return NO_NUMBER if made else quotient


def _triangle(d: FloatArray) -> FloatArray:
    """The pairs of a symmetric matrix, (1, 2), (1, 3), ...

    Shapes: d (n, n); returns (n (n - 1) / 2,).
    """
    return np.asarray(d[np.triu_indices(len(d), 1)])

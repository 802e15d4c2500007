"""R's ``cluster.stats``: what dissimilarities tell of a clustering."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.elementary import log
from sparsek.bits.ordered_arithmetic import FloatArray, long_mean, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_flag, as_number, as_numbers, as_vector, dimensions
from sparsek.rcompat.base.factors import count_codes
from sparsek.rcompat.cluster.api_silhouette import Silhouette
from sparsek.rcompat.cluster.api_silhouette import silhouette as silhouettes
from sparsek.rcompat.cluster.arguments_pam import UNDECIDED
from sparsek.rcompat.fpc.cluster_statistics import (
    NO_NUMBER,
    ByCluster,
    ClusteredObjects,
    PairDissimilarities,
    calinski_harabasz,
    describe,
    g3,
    goodman_kruskal,
    largest_known,
    mean_or_none,
    over,
    pairs_of,
    pearson_gamma,
    separation_index,
    smallest,
    widest_gaps,
)
from sparsek.rcompat.stats.api_trees import as_dist
from sparsek.rcompat.stats.distances.pairs import square_matrix

RENUMBERED = "{} renumbered because maximum != number of clusters"
FIELDS = (
    *("n", "cluster.number", "cluster.size", "min.cluster.size", "noisen", "diameter", "average.distance"),
    *("median.distance", "separation", "average.toother", "separation.matrix", "ave.between.matrix"),
    *("average.between", "average.within", "n.between", "n.within", "max.diameter", "min.separation"),
    *("within.cluster.ss", "clus.avg.silwidths", "avg.silwidth", "g2", "g3", "pearsongamma", "dunn"),
    *("dunn2", "entropy", "wb.ratio", "ch", "cwidegap", "widestgap", "sindex"),
)
"""All fields but those of a comparison, in R's order."""
AGGREGATES = (
    *("n", "cluster.number", "min.cluster.size", "noisen", "average.between", "average.within"),
    *("max.diameter", "min.separation", "ave.within.cluster.ss", "avg.silwidth", "g2", "g3"),
    *("pearsongamma", "dunn", "dunn2", "entropy", "wb.ratio", "ch", "widestgap", "sindex"),
)
"""Fields that are not of single clusters."""


def cluster_stats(
    d: ArrayLike | None = None,
    clustering: ArrayLike | None = None,
    alt_clustering: ArrayLike | None = None,
    noisecluster: bool = False,
    silhouette: bool = True,
    G2: bool = False,
    G3: bool = False,
    wgap: bool = True,
    sepindex: bool = True,
    sepprob: float = 0.1,
    sepwithnoise: bool = True,
    compareonly: bool = False,
    aggregateonly: bool = False,
) -> RList:
    """Statistics of a clustering from dissimilarities, as R's ``cluster.stats`` of package fpc.

    Parameters
    ----------
    d : Dist or array_like of shape (n (n - 1) / 2,) or (n, n)
        Dissimilarities, from :func:`dist`. Of a matrix the lower triangle counts. Not needed with
        `compareonly`.
    clustering : array_like of shape (n,)
        Clusters from 1. Where the largest label is not the number of labels, they are renumbered in their
        order, with R's warning.
    alt_clustering : array_like of shape (n,), optional
        A second clustering, with which the first is compared.
    noisecluster : bool, default=False
        Whether the last cluster is noise, which indices of the clustering leave out.
    silhouette : bool, default=True
        Whether silhouette widths are averaged.
    G2, G3 : bool, default=False
        Whether Goodman and Kruskal's index and G3 of Gordon are computed.
    wgap : bool, default=True
        Whether the widest gaps within clusters are found.
    sepindex : bool, default=True
        Whether the separation index is computed.
    sepprob : float, default=0.1
        Share of the objects that count for the separation index, from 0 to 1, dimensionless.
    sepwithnoise : bool, default=True
        Whether noise counts as a cluster for the separation index.
    compareonly : bool, default=False
        Whether only ``corrected.rand`` and ``vi`` are given.
    aggregateonly : bool, default=False
        Whether the fields of single clusters are left out.

    Returns
    -------
    RList
        R's fields, None where not asked for (n objects, k clusters): ``n``; ``cluster.number``;
        ``cluster.size`` (k,); ``min.cluster.size``; ``noisen``, objects that are noise; ``diameter`` (k,),
        ``average.distance`` (k,) and ``median.distance`` (k,) within clusters; ``separation`` (k,) and
        ``average.toother`` (k,), least and mean dissimilarity to other objects; ``separation.matrix`` (k, k)
        and ``ave.between.matrix`` (k, k), the same for two clusters; ``average.between``;
        ``average.within``, objects weighted alike; ``n.between`` and ``n.within``, numbers of pairs;
        ``max.diameter``; ``min.separation``; ``within.cluster.ss``, in the squared unit of d, or
        ``ave.within.cluster.ss`` with `aggregateonly`; ``clus.avg.silwidths`` (k,) and ``avg.silwidth``;
        ``g2``; ``g3``; ``pearsongamma``; ``dunn``; ``dunn2``; ``entropy``; ``wb.ratio``; ``ch``, the index of
        Calinski and Harabasz; ``cwidegap`` (k,) and ``widestgap``; ``sindex``, the separation index;
        ``corrected.rand`` and ``vi`` of the comparison. Dissimilarities are in the unit of d, indices and
        entropies dimensionless.

    Raises
    ------
    RError
        With R's message: missing labels or flags, dissimilarities that are missing with `silhouette` or
        `wgap`, of another number of objects or not given, one cluster or only single objects with
        `silhouette`, clusterings of different length, `sepprob` that is missing or negative.
    TypeError
        For labels or dissimilarities that are no numbers.
    ValueError
        For no labels, or dissimilarities of another shape.

    Warns
    -----
    RWarning
        With R's message: renumbered labels; least and largest values of nothing, as with one cluster;
        dissimilarities that are all the same.

    See Also
    --------
    calinhara : The index of Calinski and Harabasz from the data.
    silhouette : Silhouette widths.
    adjustedRandIndex : The corrected Rand index of package mclust.

    References
    ----------
    Halkidi, M., Batistakis, Y. & Vazirgiannis, M. (2001). On clustering validation techniques. Journal of
    Intelligent Information Systems 17, 107-145.

    Hennig, C. & Liao, T. (2013). How to find an appropriate clustering for mixed-type variables with
    application to socio-economic stratification. Applied Statistics 62, 309-369.

    Meila, M. (2007). Comparing clusterings: an information based distance. Journal of Multivariate Analysis
    98, 873-895.

    Examples
    --------
    >>> from sparsek.rcompat import cluster_stats, dist
    >>> found = cluster_stats(dist([[1.0], [2.0], [5.0], [7.0]]), [1, 1, 2, 2], alt_clustering=[1, 2, 2, 2])
    >>> found.diameter, found.dunn, found.ch
    (array([1., 2.]), 1.5, 16.2)
    >>> found.corrected_rand
    0.0
    """
    labels = _labels(clustering, "clustering")
    noise = as_flag(noisecluster, "noisecluster")
    other = None if alt_clustering is None else _labels(alt_clustering, "alt.clustering")
    compared = _comparison(labels, other)
    if as_flag(compareonly, "compareonly"):
        return RList(compared)
    k = int(labels.max())
    objects = ClusteredObjects(_dissimilarities(d, len(labels)), labels, k, k - noise)
    by_cluster = describe(objects)
    widths = _widths(objects) if as_flag(silhouette, "silhouette") else {}
    pairs = pairs_of(objects)
    indices = {
        **_indices(objects, by_cluster, pairs),
        "g2": goodman_kruskal(pairs) if as_flag(G2, "G2") else None,
        "g3": g3(pairs) if as_flag(G3, "G3") else None,
    }
    gaps = widest_gaps(objects) if as_flag(wgap, "wgap") else None
    with_noise = as_flag(sepwithnoise, "sepwithnoise") or not noise
    separation = None
    if as_flag(sepindex, "sepindex"):
        separation = separation_index(objects, as_number(sepprob, "sepprob"), with_noise)
    fields = {
        **_sizes(objects, by_cluster, pairs),
        "max.diameter": largest_known(by_cluster.diameters[: max(objects.proper, 1)]),
        "clus.avg.silwidths": None,
        "avg.silwidth": None,
        **widths,
        **indices,
        "cwidegap": gaps,
        "widestgap": None if gaps is None else float(gaps.max()),
        "sindex": separation,
    }
    wanted = AGGREGATES if as_flag(aggregateonly, "aggregateonly") else FIELDS
    return RList({name: fields[name] for name in wanted} | compared)


def _labels(clustering: Any, name: str) -> FloatArray:
    """Labels from 1, renumbered where the largest is not their number, with R's warning."""
    if clustering is None:
        message = f'argument "{name}" is missing, with no default'
        raise RError(message, "give a label for each object")
    labels = as_vector(clustering, name)
    if not len(labels):
        raise ValueError(f"{name} must have a label for each object; it is empty")
    if np.isnan(labels).any():
        raise RError(UNDECIDED, f"{name} has missing labels: leave these objects out")
    levels, codes = np.unique(labels, return_inverse=True)
    if labels.max() == len(levels):
        return labels
    warn_as_r(RENUMBERED.format(name))
    return np.asarray(codes + 1.0, dtype=np.float64)


def _comparison(labels: FloatArray, other: FloatArray | None) -> dict[str, float | None]:
    """How much two clusterings agree."""
    if other is None:
        return {"corrected.rand": None, "vi": None}
    if len(labels) != len(other):
        message = "all arguments must have the same length"
        raise RError(message, f"clustering has {len(labels)} labels, alt_clustering {len(other)}")
    vi = variation_of_information(labels, other)
    return {"corrected.rand": corrected_rand(labels, other), "vi": vi}


def _dissimilarities(d: Any, n: int) -> FloatArray:
    """The dissimilarities of n objects as a symmetric matrix."""
    if d is None:
        raise RError("'data' must be of a vector type, was 'NULL'", "give dist(data)")
    square = square_matrix(np.asarray(as_dist(d) if dimensions(d, "d") == 2 else as_numbers(d, "d")), "d")
    if len(square) < n:
        message = "(subscript) logical subscript too long"
        raise RError(message, f"clustering has {n} labels, and d {len(square)} objects")
    if len(square) > n:
        message = "'dmatrix' is not a dissimilarity matrix compatible to 'x'"
        raise RError(message, f"clustering has {n} labels, and d {len(square)} objects")
    return square


def _widths(objects: ClusteredObjects) -> dict[str, Any]:
    """Mean silhouette widths by cluster, and of all objects but noise."""
    found = silhouettes(objects.labels, dmatrix=objects.d)
    if not isinstance(found, Silhouette):
        message = "$ operator is invalid for atomic vectors"
        raise RError(message, "silhouettes need two clusters, one of them with two objects")
    kept = np.asarray(found)[objects.labels <= objects.proper, 2]
    return {"clus.avg.silwidths": found.summary()["clus.avg.widths"], "avg.silwidth": long_mean(kept)}


def _indices(objects: ClusteredObjects, found: ByCluster, pairs: PairDissimilarities) -> dict[str, Any]:
    """Indices of the clusters without noise, and of the entropy of all."""
    first = slice(None, max(objects.proper, 1))
    gamma = pearson_gamma(pairs)
    dunn = over(float(found.separations[first].min()), largest_known(found.diameters[first]))
    apart = found.between[first, first][~np.eye(max(objects.proper, 1), dtype=bool)]
    dunn2 = over(smallest(apart), largest_known(found.averages[first]))
    within, between = _within(found), mean_or_none(pairs.between)
    n = int((objects.labels <= objects.proper).sum())
    return {
        "pearsongamma": gamma,
        "dunn": dunn,
        "dunn2": dunn2,
        "entropy": entropy(found.sizes / len(objects.labels)),
        "wb.ratio": over(within, between),
        "ch": calinski_harabasz(pairs, n, objects.proper),
    }


def _within(found: ByCluster) -> float:
    """Mean dissimilarity within the clusters of more than one object, objects weighted alike."""
    several = found.sizes > 1
    return over(long_sum((found.averages * found.sizes)[several]), long_sum(found.sizes[several]))


def _sizes(objects: ClusteredObjects, found: ByCluster, pairs: PairDissimilarities) -> dict[str, Any]:
    """Numbers of objects and pairs, and dissimilarities of the clusters."""
    least = float(found.separations.min())
    noise = len(objects.labels) - int((objects.labels <= objects.proper).sum())
    return {
        "n": len(objects.labels),
        "cluster.number": objects.k,
        "cluster.size": found.sizes,
        "min.cluster.size": float(found.sizes[: max(objects.proper, 1)].min()),
        "noisen": noise,
        "diameter": found.diameters,
        "average.distance": found.averages,
        "median.distance": found.medians,
        "separation": found.separations,
        "average.toother": found.to_others,
        "separation.matrix": found.nearest,
        "ave.between.matrix": found.between,
        "average.between": mean_or_none(pairs.between),
        "average.within": _within(found),
        "n.between": len(pairs.between),
        "n.within": len(pairs.within),
        "min.separation": NO_NUMBER if np.isinf(least) else least,
        "within.cluster.ss": pairs.squares,
        "ave.within.cluster.ss": over(pairs.squares, len(objects.labels) - noise),
    }


def corrected_rand(first: FloatArray, second: FloatArray) -> float:
    """Hubert and Arabie's adjusted Rand index.

    Shapes: first, second (n,).
    """
    a, b, cells = _counts(first, second)
    both, of_first, of_second = _pairs(cells), _pairs(a), _pairs(b)
    n = float(len(first))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.float64(of_first * of_second) / (n * (n - 1) / 2)
        return float((both - expected) / ((of_first + of_second) / 2 - expected))


def variation_of_information(first: FloatArray, second: FloatArray) -> float:
    """Meila's variation of information, in natural units.

    Shapes: first, second (n,).

    Source: Meila (2007), section 3: both entropies less twice the mutual information.
    """
    n = len(first)
    a, b, cells = (counts / n for counts in _counts(first, second))
    shared = 0.0
    for p, q, r in np.nditer([cells, a[:, None], b[None, :]], order="C"):
        if p > 0:
            shared += float(p) * (log(float(p) / float(q * r)) if q * r else math.inf)
    return entropy(a) + entropy(b) - 2 * shared


def entropy(shares: FloatArray) -> float:
    """Entropy of shares, in natural units.

    Shapes: shares (k,).
    """
    return -long_sum(np.array([p * log(p) if p else 0.0 for p in shares.tolist()]))


def _counts(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Objects with the labels 1, 2, ..., and in the cells of the labels that occur, as R counts them.

    Shapes: first, second (n,); returns (k,), (l,), (k, l).
    """
    (levels, rows), (others, columns) = (np.unique(v, return_inverse=True) for v in (first, second))
    cells = count_codes([rows, columns], [len(levels), len(others)])
    sizes = [
        np.array([float((v == i + 1).sum()) for i in range(len(found))])
        for v, found in ((first, levels), (second, others))
    ]
    return sizes[0], sizes[1], np.asarray(cells, dtype=np.float64)


def _pairs(counts: FloatArray) -> float:
    """Number of pairs of objects in the same cell."""
    return float((counts * (counts - 1) / 2).sum())

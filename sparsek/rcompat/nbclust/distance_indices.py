"""Indices of dissimilarities within clusters and between them, as NbClust computes them.

Source: Charrad et al. (2014).
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.rcompat.nbclust.grouping import ClusteredData
from sparsek.rcompat.nbclust.scatter_indices import Groupings, norm_of_variances


def cindex(groups: Groupings, q: int) -> float:
    """The C index with the least and the largest dissimilarity within; a single row has a 1."""
    g = groups[q]
    known = [*g.within.tolist(), *([1.0] if (g.sizes == 1).any() else [])]
    least, most, number = min(known), max(known), len(g.within)
    return _over(float(g.within.sum()) - number * least, number * most - number * least)


def silhouette_mean(groups: Groupings, q: int) -> float:
    """Mean silhouette width; that of a single row is 1."""
    g = groups[q]
    every = np.arange(len(g.labels))
    sums = np.stack([g.rows.d[:, g.labels == k].sum(axis=1) for k in range(q)], axis=1)
    own = sums[every, g.labels] / np.maximum(g.sizes[g.labels] - 1, 1)
    means = sums / g.sizes
    means[every, g.labels] = np.inf
    other = means.min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        widths = (other - own) / np.maximum(own, other)
    widths[g.sizes[g.labels] == 1] = 1.0
    return float(widths.mean())


def ptbiserial(groups: Groupings, q: int) -> float:
    """Point-biserial correlation of dissimilarities with whether a pair is of two clusters."""
    g = groups[q]
    number, deviation = len(g.rows.pairs), float(g.rows.pairs.std(ddof=1))
    share = math.sqrt(len(g.within) * len(g.between) / number**2)
    return _over(_mean(g.between) - _mean(g.within), deviation) * share


def frey(groups: Groupings, q: int) -> float:
    """Frey and van Groenewoud's index."""
    g, finer = groups[q], groups[q + 1]
    above, below = _mean(finer.between) - _mean(g.between), _mean(finer.within) - _mean(g.within)
    return _over(above, below)


def mcclain(groups: Groupings, q: int) -> float:
    """McClain and Rao's index; the means are divided by the numbers of pairs once more."""
    g = groups[q]
    return _over(_over(_mean(g.within), len(g.within)), _mean(g.between) / len(g.between))


def gamma(groups: Groupings, q: int) -> float:
    """Baker and Hubert's gamma."""
    concordant, discordant, _ = _comparisons(groups[q])
    return _over(concordant - discordant, concordant + discordant)


def gplus(groups: Groupings, q: int) -> float:
    """Discordant comparisons over the number of pairs."""
    return _comparisons(groups[q])[1] / len(groups[q].rows.pairs)


def tau(groups: Groupings, q: int) -> float:
    """Kendall's tau with numbers of pairs of rows in place of pairs of pairs; NaN of many ties."""
    concordant, discordant, tied = _comparisons(groups[q])
    number = len(groups[q].rows.pairs)
    if tied > number:
        return math.nan
    return _over(concordant - discordant, math.sqrt((number - tied) * number))


def dunn(groups: Groupings, q: int) -> float:
    """Dunn's index."""
    g = groups[q]
    return _over(float(g.between.min()), float(g.within.max(initial=0.0)))


def _comparisons(g: ClusteredData) -> tuple[float, float, float]:
    """Pairs within that are less than, greater than and equal to pairs between."""
    between = np.sort(g.between)
    less = float((len(between) - np.searchsorted(between, g.within, "right")).sum())
    greater = float(np.searchsorted(between, g.within, "left").sum())
    return less, greater, len(between) * len(g.within) - less - greater


def _mean(values: np.ndarray) -> float:
    """Mean, NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


def _over(above: float, below: float) -> float:
    """A quotient, NaN or infinite over 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.float64(above) / np.float64(below))


def hubert(groups: Groupings, q: int) -> float:
    """Hubert's Gamma of dissimilarities and distances of centres, both about the means of whole matrices.

    It is divided by the lengths of the vectors of the variances of the columns.
    """
    g = groups[q]
    between = np.sqrt(((g.centers[:, None] - g.centers) ** 2).sum(axis=2))[g.labels][:, g.labels]
    products = (g.rows.d - g.rows.d.mean()) * (between - between.mean())
    mean = products[np.triu_indices(len(products), 1)].mean()
    return float(mean / (np.float64(norm_of_variances(g.rows.d)) * norm_of_variances(between)))

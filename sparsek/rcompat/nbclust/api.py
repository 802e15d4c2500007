"""R's ``NbClust``: the number of clusters by many indices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList, as_matrix, as_number, as_numbers, whole_numbers
from sparsek.rcompat.base.values.rounding import round_half
from sparsek.rcompat.nbclust.choice import Choice, Values, majority, side_by_side
from sparsek.rcompat.nbclust.gap import draw_uniform, sum_of_variances
from sparsek.rcompat.nbclust.grouping import GivenData, group, make_rows
from sparsek.rcompat.nbclust.indices import INDICES, IndexEntry
from sparsek.rcompat.nbclust.pooled import add_pooled
from sparsek.rcompat.nbclust.scatter_indices import Groupings
from sparsek.rcompat.stats.api_hclust import cutree, hclust
from sparsek.rcompat.stats.api_kmeans import kmeans
from sparsek.rcompat.stats.distances.api_dist import dist
from sparsek.rcompat.stats.distances.pairs import square_matrix
from sparsek.rng import RRandom, resolve_rng

TREES = ("ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid")
METHODS = (*TREES, "kmeans")
DISTANCES = ("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")
TOGETHER = ("all", "alllong")
BY_EYE = ("hubert", "dindex")
"""Indices that R draws, and proposes no number."""
HEADS = ["Number_clusters", "Value_Index"]
PLACES = 4
"""Decimals of all numbers."""
TOO_CLOSE = (
    "The difference between the minimum and the maximum number of clusters must be at least equal to 2"
)
Labels = Callable[..., IntArray]
"""From a number of clusters, and how often R makes them, to clusters from 0."""
SEED = 1
"""R seeds the stream by this before each run of k-means and each uniform column."""


def NbClust(
    data: ArrayLike | None = None,
    diss: ArrayLike | None = None,
    distance: str | None = "euclidean",
    min_nc: int = 2,
    max_nc: int = 15,
    method: str | None = None,
    index: str = "all",
    alphaBeale: float = 0.1,
    *,
    rng: RRandom | None = None,
) -> RList:
    """The number of clusters by up to 30 indices and their majority, as R's ``NbClust`` of package NbClust.

    Parameters
    ----------
    data : array_like or data frame of shape (n, p), optional
        Real data, two columns or more, without missing values. Not needed for the indices "frey", "mcclain",
        "cindex", "silhouette" and "dunn" of `diss`.
    diss : Dist or array_like of shape (n (n - 1) / 2,) or (n, n), optional
        Dissimilarities, in place of `distance`, which must be None then.
    distance : str or None, default="euclidean"
        "euclidean", "maximum", "manhattan", "canberra", "binary" or "minkowski" distances of the rows, see
        :func:`dist`.
    min_nc : int, default=2
        Smallest number of clusters, at least 2.
    max_nc : int, default=15
        Largest number of clusters, up to n - 2.
    method : str
        "kmeans", or a linkage of `hclust`: "ward.D", "ward.D2", "single", "complete", "average", "mcquitty",
        "median" or "centroid".
    index : str, default="all"
        An index: "kl", "ch", "hartigan", "ccc", "scott", "marriot", "trcovw", "tracew", "friedman", "rubin",
        "cindex", "db", "silhouette", "duda", "pseudot2", "beale", "ratkowsky", "ball", "ptbiserial", "frey",
        "mcclain", "gamma", "gplus", "tau", "gap", "dunn", "hubert", "sdindex", "dindex" or "sdbw"; or
        "alllong", all of them; or "all" but "gamma", "gplus", "tau" and "gap".
    alphaBeale : float, default=0.1
        Level of Beale's index, dimensionless.
    rng : RRandom, optional

    Returns
    -------
    RList
        Numbers with four decimals (m numbers of clusters): ``All.index`` (m,), or (m, 26) with "all" and
        (m, 30) with "alllong"; ``All.CriticalValues`` (m,), (m, 3) or (m, 4), where there are some;
        ``Best.nc`` (2,), (2, 26) or (2, 30), the proposed number, NaN for none and 0 where a picture
        decides, and the value that speaks for it; ``Best.partition`` (n,), clusters from 1 of the number
        that most indices propose. Of "hubert" and "dindex" there is only ``All.index``.

    Raises
    ------
    RError
        With R's message: an unknown index, method or distance; both or none of `diss` and `distance`; sums of
        squares and products within the clusters that are singular, for "ccc" and six more indices; a
        cluster of two rows before one that a test accepts; fewer than three numbers of clusters where
        differences are taken; no value of "frey", "duda", "pseudot2", "beale" or "gap" that speaks for a
        number; a cluster of a single row with a variance from 2**31 on, for "gap".
    TypeError
        Data or dissimilarities that are no numbers.
    ValueError
        Other shapes and numbers of clusters; missing data; a single column; data whose sums of squares are 0.

    Warns
    -----
    RWarning
        With R's message: a p-value of a cluster of two rows, a tau of too many ties; a determinant that
        rounding makes negative; k-means does not converge; a variance from 2**31 on.

    See Also
    --------
    clusGap : R's gap statistic.
    pamk : The number of medoids by silhouettes.

    Notes
    -----
    The stream is seeded by 1 before each run of k-means and each uniform column of "gap", as in R. What R
    prints and draws while it runs is left out. Several indices differ from their papers in R and so here:
    see the page on coming from R.

    References
    ----------
    Charrad, M., Ghazzali, N., Boiteau, V. & Niknafs, A. (2014). NbClust: an R package for determining the
    relevant number of clusters in a data set. Journal of Statistical Software 61(6), 1-36.

    Examples
    --------
    >>> from sparsek.rcompat import NbClust
    >>> x = [[0, 0], [1, 0], [0, 1], [9, 8], [8, 9], [9, 9], [0, 9], [1, 9], [0, 8]]
    >>> found = NbClust(x, min_nc=2, max_nc=5, method="average", index="silhouette")
    >>> found.Best_nc.tolist(), found.Best_partition.tolist()
    ([3.0, 0.861], [1, 1, 1, 2, 2, 2, 3, 3, 3])
    """
    first, last = whole_numbers(min_nc=min_nc, max_nc=max_nc)
    chosen = _chosen(index, first, last)
    level, stream = as_number(alphaBeale, "alphaBeale"), resolve_rng(rng)
    if method is None or method not in METHODS:
        message = "method is NULL" if method is None else "invalid clustering method"
        raise RError(message, f"method must be one of {', '.join(METHODS)}; got {method!r}")
    rows, d = _rows(data, diss, distance, chosen)
    n = len(rows.d)
    if not 2 <= first <= last <= n - 2:
        raise ValueError(f"numbers of clusters must be from 2 to n - 2 = {n - 2}; got {first} to {last}")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        cut = make_labels(rows, d, method, stream)
        groups = {q: group(rows, cut(q, count_runs(q, first, last))) for q in in_order(last)}
        end, singular = last, None
        if any(entry.inverts for entry in chosen.values()):
            end, singular = add_pooled(groups, first, last)
        if "gap" in chosen and end >= first:
            groups = add_uniform(groups, method, first, end + 1, stream)
        found = {name: _values(entry, name, groups, first, end, level) for name, entry in chosen.items()}
        if singular is not None:
            cut(max(end, 2))  # where the stream of R stands then
            raise singular
        proposed = {name: INDICES[name].read(values) for name, values in found.items()}
        if method == "kmeans" and index not in BY_EYE:
            stream.seed(SEED)  # as R does before it asks for the proposed number, which may be none
        if index in TOGETHER:
            best = side_by_side([*proposed.values()])
            return _table(found, best, cut(majority(best[0])) + 1)
        return _single(found[index], proposed[index], index, method, cut)


def _chosen(index: Any, first: int, last: int) -> dict[str, IndexEntry]:
    """The indices that are asked for; RError with R's message for unknown ones and too few numbers."""
    if not isinstance(index, str) or index not in (*INDICES, *TOGETHER):
        message = f"index must be {', '.join((*TOGETHER, *INDICES))}; got {index!r}"
        raise RError("invalid clustering index", message)
    if index in TOGETHER:
        chosen = {name: entry for name, entry in INDICES.items() if entry.with_all or index == "alllong"}
    else:
        chosen = {index: INDICES[index]}
    if last - first + 1 < max(entry.levels for entry in chosen.values()):
        raise RError(TOO_CLOSE, f"got min_nc={first} and max_nc={last}")
    return chosen


def _rows(data: Any, diss: Any, distance: Any, chosen: dict[str, IndexEntry]) -> tuple[GivenData, Any]:
    """The data, and the dissimilarities as `hclust` takes them."""
    if (diss is None) == (distance is None):
        state = "NULL" if diss is None else "not null"
        message = f"dissimilarity matrix and distance are both {state}"
        raise RError(message, "give distance, or diss with distance=None")
    if data is None:
        needing = [name for name, entry in chosen.items() if not entry.by_distance]
        if diss is None or needing:
            raise ValueError(f"data are needed for index {(needing or list(chosen))[0]!r}")
        square = square_matrix(as_numbers(diss, "diss"), "diss")
        return make_rows(np.empty((len(square), 0)), square), diss
    x = as_matrix(data, "data").values
    if not np.isfinite(x).all():
        raise ValueError("data must not have missing or infinite values: drop or impute these rows")
    if x.shape[1] < 2:
        raise ValueError("data must have two columns or more: of one, R's indices mean nothing")
    if diss is None and distance not in DISTANCES:
        raise RError("invalid distance", f"distance must be one of {', '.join(DISTANCES)}; got {distance!r}")
    d: Any = dist(x, distance) if diss is None else diss
    square = square_matrix(as_numbers(d, "diss"), "diss")
    if len(square) != len(x):
        raise ValueError(f"diss must be of the {len(x)} rows of data; got {len(square)} objects")
    return make_rows(x, square), d


def _values(entry: IndexEntry, name: str, groups: Groupings, first: int, last: int, level: float) -> Values:
    """An index for all numbers of clusters; ValueError where sums of squares are singular."""
    numbers = range(first, last + 1)
    critical = None
    try:
        values = np.array([entry.compute(groups, q) for q in numbers])
        if entry.critical is not None:
            critical = np.array([entry.critical(groups, q) for q in numbers])
    except RError:
        raise
    except (ValueError, ZeroDivisionError) as error:
        message = f"index {name!r} is not defined: sums of squares are singular ({error})"
        raise ValueError(f"{message}; lower max_nc, or drop constant and repeated columns") from error
    return Values(first, values, critical, level)


def _table(found: dict[str, Values], best: FloatArray, labels: IntArray) -> RList:
    """R's list of many indices."""
    first, number = (next(iter(found.values())).first, len(next(iter(found.values())).values))
    counts = [str(first + i) for i in range(number)]
    entries = [INDICES[name] for name in found]
    values = np.stack([v.values for v in found.values()], axis=1)
    critical = np.stack([v.critical for v in found.values() if v.critical is not None], axis=1)
    tested = [entry.critical_column for entry in entries if entry.critical is not None]
    names = [entry.proposes or entry.column for entry in entries]
    return RList(
        {
            "All.index": RArray(_rounded(values), dimnames=(counts, [entry.column for entry in entries])),
            "All.CriticalValues": RArray(_rounded(critical), dimnames=(counts, tested)),
            "Best.nc": RArray(_rounded(best), dimnames=(HEADS, names)),
            "Best.partition": labels,
        }
    )


def _single(values: Values, proposed: Choice, index: str, method: str, cut: Labels) -> RList:
    """R's list of one index."""
    counts = [str(values.first + i) for i in range(len(values.values))]
    names = counts if len(counts) > 1 else None
    fields: dict[str, Any] = {"All.index": RArray(_rounded(values.values), names=names)}
    if index in BY_EYE:
        return RList(fields)
    if values.critical is not None:
        fields["All.CriticalValues"] = RArray(_rounded(values.critical), names=names)
    if proposed[0] == -np.inf:
        return _without_number(fields, method, cut)
    number, value = proposed
    if np.isnan(number):
        raise RError("object 'best.nc' not found", f"no value of {index!r} speaks for a number: take another")
    best = _rounded(np.array([number, value]))
    fields["Best.nc"] = RArray(best, names=HEADS)
    fields["Best.partition"] = cut(int(number)) + 1
    return RList(fields)


def _without_number(fields: dict[str, Any], method: str, cut: Labels) -> RList:
    """R's list where the number of clusters is minus infinity, of a tau that is NaN everywhere."""
    if method == "kmeans":
        message = "no tau is defined, of too many ties: take another index"
        raise RError("must have same number of columns in 'x' and 'centers'", message)
    for text in ("min; returning Inf", "max; returning -Inf"):
        warn_as_r(f"no non-missing arguments to {text}")
    best = RArray(np.array([-np.inf, 0.0]), names=HEADS)
    return RList({**fields, "Best.nc": best, "Best.partition": np.empty((len(cut(1)), 0))})


def _rounded(values: FloatArray) -> FloatArray:
    """Numbers with R's decimals."""
    return round_half(np.asarray(values, dtype=np.float64), PLACES)


def make_labels(rows: GivenData, d: Any, method: str, stream: RRandom) -> Labels:
    """What makes so many clusters from 0."""
    return _kmeans_labels(rows, stream) if method == "kmeans" else _tree_labels(d, method)


def add_uniform(groups: Groupings, method: str, first: int, last: int, stream: RRandom) -> Groupings:
    """The groupings beside those of uniform rows by Euclidean distances; RError as R's for a row far away."""
    x = draw_uniform(groups[1].rows.x, stream, SEED)
    d = dist(x)
    rows = make_rows(x, square_matrix(as_numbers(d, "diss"), "diss"))
    cut = make_labels(rows, d, method, stream)
    both = dict(groups)
    for q in range(first, last + 1):
        both[q] = replace(groups[q], uniform=group(rows, cut(q)))
        sum_of_variances(groups[q])  # R makes this sum of the data too, and does not use it
    return both


def in_order(last: int) -> list[int]:
    """Numbers of clusters up to the one after the last; the one that R makes last is at the end."""
    end = max(last - 1, 2)
    return sorted(range(1, last + 2), key=lambda q: q == end)


def count_runs(q: int, first: int, last: int) -> int:
    """How often R runs k-means for q clusters: with each number, its neighbours and the largest one."""
    near = sum(first <= k <= last for k in (q - 1, q, q + 1))
    return max(1, near + (last - first + 1) * (q == last))


def _tree_labels(d: Any, method: str) -> Labels:
    """What cuts the tree into so many clusters from 0."""
    tree = hclust(d, method)
    return lambda q, runs=1: np.asarray(cutree(tree, q), dtype=np.int64) - 1


def _kmeans_labels(rows: GivenData, stream: RRandom) -> Labels:
    """What makes so many clusters from 0 by k-means, seeded each time."""
    if not rows.x.shape[1]:
        raise ValueError('data are needed for method "kmeans"')

    def cut(q: int, runs: int = 1) -> IntArray:
        for _ in range(runs):
            stream.seed(SEED)
            found = kmeans(rows.x, q, rng=stream)
            if not found["ifault"]:
                break  # further runs give the same, and no warnings
        return np.asarray(found["cluster"], dtype=np.int64) - 1

    return cut

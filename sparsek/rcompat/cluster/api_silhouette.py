"""R's ``cluster::silhouette``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_mean, sequential_sum
from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.api_table import RTable
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList, as_numbers
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.printing import format_column, format_matrix, format_vector, row_numbers
from sparsek.rcompat.cluster.api_clara import ClaraResult
from sparsek.rcompat.cluster.api_fanny import FannyResult
from sparsek.rcompat.cluster.api_pam import PamResult
from sparsek.rcompat.cluster.arguments_pam import LARGEST_INTEGER, UNDECIDED
from sparsek.rcompat.cluster.cluster_tables import SILHOUETTE_COLUMNS
from sparsek.rcompat.stats.api_quantiles import quantile
from sparsek.rcompat.stats.distances.pairs import square_matrix

SUMMARY_NAMES = ["Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max."]
ZAPPED = 7
"""Digits after the first of the largest number to which a summary is rounded."""
BY_LABELS = "silhouette.default(x = x, {0} = {0})"
BY_PAM = "pam(x = x, k = k)"


class Silhouette(RArray):
    """Clusters, neighbouring clusters and silhouette widths, an array of shape (n, 3), printed as by R.

    Its columns are ``cluster``, ``neighbor`` (both in the codes of the clusters) and ``sil_width``
    (dimensionless). A part of it is printed as a matrix or a vector.

    Attributes
    ----------
    attributes : dict
        R's attributes: ``dimnames``; ``codes`` of the clusters, where they are not 1, 2, ..., k; ``Ordered``,
        whether the rows are sorted by cluster and width; ``call``.
    """

    def summary(self) -> SilhouetteSummary:
        """Summarise the widths, as R's ``summary``.

        Returns
        -------
        SilhouetteSummary
            ``si.summary`` (6,), ``clus.avg.widths`` (k,), ``clus.sizes`` (k,), ``avg.width``, ``call``,
            ``codes``, ``Ordered``.
        """
        labels, widths = np.asarray(self)[:, 0], np.asarray(self)[:, 2]
        codes = np.unique(labels).astype(np.int64)
        means = RArray([long_mean(widths[labels == c]) for c in codes], names=[str(c) for c in codes])
        average, known = long_mean(widths), self.attributes
        quarters = quantile(widths)
        numbers = RArray([*quarters[:3], average, *quarters[3:]], names=SUMMARY_NAMES)
        counts = [(labels == c).sum() for c in codes]
        sizes = RTable(counts, dimnames=([str(c) for c in codes],), dnn=["cl"])
        fields = {"si.summary": numbers, "clus.avg.widths": means, "clus.sizes": sizes, "avg.width": average}
        named = {name: known.get(name) for name in ("call", "codes", "Ordered")}
        return SilhouetteSummary(fields | named)

    def __str__(self) -> str:
        if "Ordered" not in self.attributes:
            return super().__str__()
        rows = self.attributes["dimnames"][0] or row_numbers(len(self))
        lines = [format_matrix(np.asarray(self), rows, SILHOUETTE_COLUMNS)]
        if "codes" in self.attributes:
            codes = format_vector([str(code) for code in self.attributes["codes"]])
            lines.append(f'attr(,"codes")\n{codes}')
        lines.append(f'attr(,"Ordered")\n[1] {str(self.attributes["Ordered"]).upper()}')
        call = "\n".join(self.attributes["call"].lines())
        lines.append(f'attr(,"call")\n{call}\nattr(,"class")\n[1] "silhouette"')
        return "\n".join(lines)

    def print(self) -> None:
        """Print the silhouettes as R does."""
        print(self)


class SilhouetteSummary(RList):
    """Summary of silhouettes, printed as R prints it.

    Fields (k clusters): ``si.summary`` (6,), smallest width, quartiles, mean and largest width;
    ``clus.avg.widths`` (k,), means by cluster; ``clus.sizes`` (k,), numbers of objects; ``avg.width``, the
    mean of all widths; ``call``; ``codes`` (k,) or None; ``Ordered``. Widths are dimensionless.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    """

    def __str__(self) -> str:
        sizes, numbers = self["clus.sizes"], np.asarray(self["si.summary"])
        ids = "" if self.codes is None else f", ids = ({', '.join(str(code) for code in self.codes)}),"
        largest = float(np.abs(numbers).max())
        places = ZAPPED - round(math.log10(largest)) if largest else ZAPPED
        rounded = [round(v, places) + 0.0 for v in numbers]
        by_cluster = format_vector(format_column(self["clus.avg.widths"]), [f"{size:g}" for size in sizes])
        return (
            f"Silhouette of {sizes.sum():g} units in {len(sizes)} clusters from {self.call} :\n"
            f" Cluster sizes{ids} and average silhouette widths:\n{by_cluster}\n"
            f"Individual silhouette widths:\n{format_vector(format_column(rounded, 4), SUMMARY_NAMES)}"
        )


def silhouette(
    x: ArrayLike | Mapping[str, Any],
    dist: ArrayLike | None = None,
    dmatrix: ArrayLike | None = None,
    *,
    call: str | None = None,
) -> Silhouette | float:
    """Silhouette widths of a clustering, as R's ``cluster::silhouette``.

    The width of an object is (b - a) / max(a, b), where a is its mean dissimilarity to the others of its
    cluster and b the smallest mean dissimilarity to another cluster. It is 0 for an object on its own.

    Parameters
    ----------
    x : array_like of shape (n,), PamResult, ClaraResult, FannyResult, or mapping with the field "clustering"
        Whole numbers that name the clusters of the objects; or the result of `pam`, `clara` (its best
        sample) or `fanny`, which needs no `dist`.
    dist : Dist or array_like of shape (n (n - 1) / 2,) or (n, n), optional
        Dissimilarities, from :func:`dist`.
    dmatrix : array_like of shape (n, n), optional
        In place of `dist`. Of both matrices the lower triangle counts.
    call : str, optional
        What the attribute ``call`` holds; by default this call as R would write it.

    Returns
    -------
    Silhouette of shape (n, 3), or float
        Cluster, neighbouring cluster and width; sorted for the result of a function. NaN for a single cluster
        and for objects that are all on their own.

    Raises
    ------
    RError
        With R's message: labels that are missing, no numbers or not whole, dissimilarities that are missing,
        infinite, of another number of objects or not given; a result with one cluster.
    ValueError
        Dissimilarities that are no triangle.
    TypeError
        Dissimilarities that are not real numbers.

    Warns
    -----
    RWarning
        R's warning before the error about labels beyond its integers.

    See Also
    --------
    sparsek.plots.plot_silhouette : Draw the silhouettes of the rows.
    pam : R's partitioning around medoids.
    revisedsil : Silhouettes of a fit of `RSKC`.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis. Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from sparsek.rcompat import dist, silhouette
    >>> d = dist([[1], [2], [4], [8]])
    >>> silhouette([1, 1, 2, 2], d).print()
         cluster neighbor  sil_width
    [1,]       1        2  0.8000000
    [2,]       1        2  0.7500000
    [3,]       2        1 -0.3750000
    [4,]       2        1  0.3846154
    attr(,"Ordered")
    [1] FALSE
    attr(,"call")
    silhouette.default(x = c(1, 1, 2, 2), dist = d)
    attr(,"class")
    [1] "silhouette"
    """
    if isinstance(x, PamResult | ClaraResult | FannyResult):
        if x.get("silinfo") is None:
            raise RError("invalid partition object", "a single cluster has no silhouettes")
        widths = x.silinfo.widths
        return Silhouette(widths, **widths.attributes, Ordered=True, call=Call(x.get("call") or BY_PAM))
    labels = _labels(x)
    codes, groups = np.unique(labels, return_inverse=True)
    if not 2 <= len(codes) < len(labels):
        return math.nan
    unusual = (codes != np.arange(1, len(codes) + 1)).any()
    if np.isnan(codes).any():
        outside = (codes < 1).any() or (codes > len(codes)).any()
        message = "NAs in foreign function call (arg 3)" if outside else UNDECIDED
        raise RError(message, f"labels must be within +-{LARGEST_INTEGER}")
    d = _dissimilarities(dist, dmatrix, len(labels))
    if not np.isfinite(d).all():
        raise RError("NA/NaN/Inf in foreign function call (arg 1)", "dissimilarities must be finite")
    written = BY_LABELS.format("dmatrix" if dist is None else "dist")
    if call is not None:
        written = call.replace("silhouette(", "silhouette.default(", 1)
    neighbours, widths = _silhouettes(d, groups, len(codes))
    return Silhouette(
        np.stack([labels, codes[neighbours], widths], axis=1),
        dimnames=(None, SILHOUETTE_COLUMNS),
        codes=codes.astype(np.int64) if unusual else None,
        Ordered=False,
        call=Call(written),
    )


def _labels(x: Any) -> FloatArray:
    """Whole numbers that name clusters."""
    try:
        labels = np.ravel(as_numbers(x["clustering"] if isinstance(x, Mapping) else x, "x"), order="F")
    except (TypeError, KeyError) as error:
        message = "non-numeric argument to mathematical function"
        raise RError(
            message, "x must hold whole numbers, or be a result with the field clustering"
        ) from error
    if np.isnan(labels).any():
        raise RError(UNDECIDED, "x must not have missing values")
    if (labels != np.round(labels)).any():
        raise RError("'x' must only have integer codes", "round the labels first")
    if (np.abs(labels) > LARGEST_INTEGER).any():
        warnings.warn("NAs introduced by coercion to integer range", RWarning, stacklevel=3)
    return np.where(np.abs(labels) > LARGEST_INTEGER, np.nan, labels)


def _dissimilarities(dist: Any, dmatrix: Any, n: int) -> FloatArray:
    """The dissimilarities of n objects as a symmetric matrix."""
    if dist is None and dmatrix is None:
        message = "Need either a dissimilarity 'dist' or diss.matrix 'dmatrix'"
        raise RError(message, "give dist(data)")
    name = "dmatrix" if dist is None else "dist"
    d = as_numbers(dmatrix if dist is None else dist, name)
    if dist is None and d.shape != (n, n):
        message = "'dmatrix' is not a dissimilarity matrix compatible to 'x'"
        raise RError(message, f"its shape is {d.shape}, and x has {n} labels")
    if d.ndim == 2 and d.shape[0] == d.shape[1]:
        d = np.tril(d, -1)
        d = d + d.T
    else:
        d = square_matrix(d, name)
    if len(d) != n:
        message = "clustering 'x' and dissimilarity 'dist' are incompatible"
        raise RError(message, f"x has {n} labels, and dist {len(d)} objects")
    return d


def _silhouettes(d: FloatArray, groups: IntArray, k: int) -> tuple[IntArray, FloatArray]:
    """Neighbouring clusters, from 0, and silhouette widths."""
    every, sizes = np.arange(len(d)), np.bincount(groups, minlength=k)
    sums = np.stack([sequential_sum(d[groups == c]) for c in range(k)], axis=1)
    own = sums[every, groups] / np.maximum(sizes[groups] - 1, 1)
    means = sums / sizes
    means[every, groups] = np.inf
    neighbours = means.argmin(axis=1)
    other = means[every, neighbours]
    with np.errstate(divide="ignore", invalid="ignore"):
        widths = (other - own) / np.maximum(own, other)
    widths[(own == other) | (sizes[groups] == 1)] = 0.0
    return neighbours, widths

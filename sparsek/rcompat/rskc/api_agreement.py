"""R's ``RSKC::CER`` and ``RSKC::Sensitivity``: agreement of a clustering with known classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.cluster import contingency_matrix

from sparsek.errors import RError
from sparsek.metrics._counts import classification_error
from sparsek.rcompat.base.api_table import RTable
from sparsek.rcompat.base.data import RList, as_number
from sparsek.rcompat.base.factors import as_labels
from sparsek.rcompat.base.printing import format_columns
from sparsek.rng import RRandom


class ClassShares(RList):
    """The field ``prob`` of `Sensitivity`, printed as R prints a data frame with a column for every class."""

    def __str__(self) -> str:
        rows = [[str(value) for value in values] for values in self.values()]
        return format_columns(rows, list(self), self.column_names or [])


def CER(ind: ArrayLike, true_ind: ArrayLike, nob: int | None = None, *, rng: RRandom | None = None) -> float:
    """Classification error rate, the share of pairs on which two partitions disagree, as R's ``RSKC::CER``.

    Parameters
    ----------
    ind, true_ind : array_like of shape (n,)
        Labels: whole numbers or text.
    nob : int, optional
        Number n of rows; anything else is refused (R would read beyond the labels).
    rng : RRandom, optional
        Not used: nothing is drawn.

    Returns
    -------
    float
        1 - Rand index, in [0, 1], dimensionless; NaN for a single row.

    Raises
    ------
    RError
        With R's message: labels of different length, or missing.
    TypeError, ValueError
        Labels that are neither text nor whole numbers, or not a vector; another `nob` than n.

    See Also
    --------
    sparsek.metrics.clustering_error_rate : Share of pairs of rows on which two partitions disagree.
    adjustedRandIndex : R's adjusted Rand index.

    References
    ----------
    Kondo, Y., Salibian-Barrera, M. and Zamar, R. (2016). RSKC: an R package for a robust and sparse K-means
    clustering algorithm. Journal of Statistical Software 72(5).

    Examples
    --------
    >>> from sparsek.rcompat import CER
    >>> CER([1, 1, 2, 2], [1, 2, 2, 2])
    0.5
    """
    first, second = _labels(ind, "ind"), _labels(true_ind, "true_ind")
    if len(first) != len(second):
        message = f"length(ind) != length(true.ind){len(first)}!={len(second)}"
        raise RError(message, "compare labellings of the same rows")
    for labels, argument in ((first, 1), (second, 2)):
        if _missing(labels).any():
            raise RError(f"NAs in foreign function call (arg {argument})", "labels must not be missing")
    n = len(first)
    if nob is not None and as_number(nob, "nob") != n:
        raise ValueError(f"nob must be the number of labels, {n}; got {nob}")
    codes = [np.unique(labels, return_inverse=True)[1] for labels in (first, second)]
    return classification_error(*codes)


def Sensitivity(label1: ArrayLike, label2: ArrayLike, *, rng: RRandom | None = None) -> RList:
    """Share of every class that its most frequent cluster holds, as R's ``RSKC::Sensitivity``.

    Parameters
    ----------
    label1 : array_like of shape (n,)
        Clusters: whole numbers or text.
    label2 : array_like of shape (n,)
        Classes: whole numbers or text.
    rng : RRandom, optional
        Not used: nothing is drawn.

    Returns
    -------
    RList
        ``prob``: an `RList` of ``Sensitivity. (%)`` (rounded) and ``Class label by label1.``, one entry per
        class; ``table`` (clusters x classes) of counts; ``marginal``, the table with columns that sum to 1.

    Raises
    ------
    RError
        With R's message: labels of different length, a class whose every cluster is missing.
    TypeError, ValueError
        Labels that are neither text nor whole numbers, or not a vector.

    See Also
    --------
    CER : R's classification error rate.

    Examples
    --------
    >>> from sparsek.rcompat import Sensitivity
    >>> Sensitivity([1, 1, 2, 2, 3], [1, 1, 1, 2, 2]).table
    RTable([[2, 0],
            [1, 1],
            [0, 1]])
    """
    clusters, classes = _labels(label1, "label1"), _labels(label2, "label2")
    if len(clusters) != len(classes):
        raise RError("all arguments must have the same length", "compare labellings of the same rows")
    known = ~(_missing(clusters) | _missing(classes))  # R's table leaves rows with a missing label out
    lost = np.setdiff1d(classes[~_missing(classes)], classes[known])
    if len(lost):
        raise RError("invalid subscript type 'list'", f"class {lost[0]} has no row with a known cluster")
    table = contingency_matrix(clusters[known], classes[known])
    shares = table / table.sum(axis=0)
    best = shares.argmax(axis=0)
    names = np.unique(clusters[known])
    columns = [str(name) for name in np.unique(classes[known])]
    prob = ClassShares(
        {
            "Sensitivity. (%)": np.array([round(100 * float(v)) for v in shares.max(axis=0)]),
            "Class label by label1.": names[best],
        },
        column_names=columns,
        names=dict.fromkeys(("Sensitivity. (%)", "Class label by label1."), columns),
    )
    levels = {"dimnames": ([str(name) for name in names], columns), "dnn": ["label1", "label2"]}
    return RList({"prob": prob, "table": RTable(table, **levels), "marginal": RTable(shares, **levels)})


def _labels(values: Any, name: str) -> NDArray[Any]:
    """A vector of labels."""
    labels = as_labels(values, name)
    if labels.dtype.kind not in "biufUSO":
        raise TypeError(f"{name} must hold whole numbers or text; got dtype {labels.dtype}")
    if labels.dtype.kind == "O":
        labels = labels.astype(str)
    if labels.dtype.kind == "f":
        known = labels[~np.isnan(labels)]
        if (known != np.trunc(known)).any() or np.isinf(known).any():
            raise ValueError(f"{name} must hold whole numbers; round the labels first")
    return labels


def _missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels are NaN."""
    return np.isnan(labels) if labels.dtype.kind == "f" else np.zeros(len(labels), dtype=bool)

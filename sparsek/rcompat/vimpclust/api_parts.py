"""R's ``groupsoft`` and ``weightedss`` of package vimpclust."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, long_column_sums, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_number, as_vector
from sparsek.rcompat.vimpclust.algorithm import (
    NO_TRUTH,
    between_squares,
    make_groups,
    threshold,
    within_squares,
)
from sparsek.rcompat.vimpclust.arguments import NO_NUMBER, as_boolean, as_clusters, as_features, as_groups


def groupsoft(
    b: ArrayLike, lambda_: float, index: ArrayLike | None = None, sizegroup: bool = True
) -> FloatArray:
    """Group soft-thresholding of a vector, over the norm of what is left, as R's ``groupsoft``.

    Parameters
    ----------
    b : array_like of shape (p,)
        Real numbers.
    lambda_ : float
        Penalty, not negative, in the unit of `b`.
    index : array_like of shape (p,), optional
        Number of the group of each entry, from 1 to p; by default each entry has its own.
    sizegroup : bool, default=True
        Whether the penalty of a group is multiplied by the root of its size.

    Returns
    -------
    ndarray of shape (p,)
        Entries in the order of their groups, of norm 1, dimensionless; all 0 where none is left. Infinite or
        NaN, as in R, where `lambda_` is 0 and the squares of `b` are 0.

    Raises
    ------
    RError
        With R's message: a negative penalty, missing values, groups that are no whole numbers from 1 to p,
        groups whose squares overflow, `sizegroup` neither True nor False.
    TypeError, ValueError
        `b` or `lambda_` is not of real numbers, `index` is of another length than `b`.

    See Also
    --------
    groupsparsewkm : R's group-sparse k-means, bit for bit.

    References
    ----------
    Yuan, M. & Lin, Y. (2006). Model selection and estimation in regression with grouped variables. JRSS B 68,
    49-67.

    Examples
    --------
    >>> from sparsek.rcompat import groupsoft
    >>> groupsoft([0.1, 0.2, 0.8, 0.1, 0.1, 0.3], 0.3, [1, 1, 2, 2, 3, 3]).round(3)
    array([0.   , 0.   , 0.992, 0.124, 0.   , 0.   ])
    """
    values = as_vector(b, "b")
    penalty = as_number(lambda_, "lambda")
    if np.isnan(penalty):
        raise RError(NO_NUMBER, "lambda must be a number; got NaN")
    groups = as_groups(index, len(values))
    by_size = as_boolean(sizegroup, "sizegroup")
    if not np.isfinite(values).all():
        raise RError(NO_TRUTH, "b must not have missing or infinite values")
    order = np.argsort(groups, kind="stable")
    return threshold(values[order], penalty, make_groups(groups[order], by_size))


def weightedss(X: ArrayLike, cl: ArrayLike, w: ArrayLike | None = None) -> RList:
    """Weighted sums of squares between and within clusters, as R's ``weightedss``.

    Parameters
    ----------
    X : array_like or data frame of shape (n, p)
        Finite numbers, two columns or more.
    cl : array_like of shape (n,)
        Cluster of each row, numbered from 1 without gaps, two clusters or more.
    w : array_like of shape (p,), optional
        Weights of the columns, not negative, dimensionless; by default 1.

    Returns
    -------
    RList
        ``bss.per.feature`` (p,) and ``wss.per.feature`` (p,), ``bss.per.cluster`` (k,) and
        ``wss.per.cluster`` (k,), and their totals ``bss`` and ``wss``, in squared units of the data; infinite
        or NaN where squares overflow, as in R.

    Raises
    ------
    RError
        With R's message: missing or infinite values, one column, clusters that are not numbered from 1
        without gaps, one cluster, negative or missing weights.
    TypeError, ValueError
        `X` or `w` is not of real numbers, `w` is of another length than X has columns.

    See Also
    --------
    groupsparsewkm : R's group-sparse k-means, bit for bit.

    Examples
    --------
    >>> from sparsek.rcompat import weightedss
    >>> found = weightedss([[1, 5], [2, 5], [7, 6], [8, 6]], [1, 1, 2, 2], w=[1, 0])
    >>> found.bss, found.wss
    (36.0, 1.0)
    """
    matrix = as_features(X)
    roots = 1.0 if w is None else np.sqrt(_weights(w, matrix.values.shape[1]))
    labels = as_clusters(cl, len(matrix.values))
    with np.errstate(over="ignore", invalid="ignore"):  # R goes on with Inf and NaN
        x = matrix.values * roots
        between, within = between_squares(x, labels), within_squares(x, labels)
    fields = {
        "bss.per.feature": long_column_sums(between),
        "wss.per.feature": long_column_sums(within),
        "bss.per.cluster": long_column_sums(between.T),
        "wss.per.cluster": long_column_sums(within.T),
    }
    totals = {name: long_sum(fields[f"{name}.per.cluster"]) for name in ("bss", "wss")}
    clusters = [str(k + 1) for k in range(len(between))]
    names = {name: matrix.column_names if name.endswith("feature") else clusters for name in fields}
    return RList({**fields, **totals}, names=names)


def _weights(w: ArrayLike, p: int) -> FloatArray:
    """Weights of p columns."""
    weights = as_vector(w, "w")
    if np.isnan(weights).any():
        raise RError(NO_TRUTH, "w must not have missing values")
    if (weights < 0).any():
        raise RError("w must be positive.", f"the smallest weight is {weights.min():g}")
    if len(weights) != p or np.isinf(weights).any():
        raise ValueError(f"w must have a finite weight for each of the {p} columns of X; got {w!r}")
    return weights

"""Measures over pairs of rows."""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy.typing import ArrayLike

from sparsek.metrics._counts import classification_error, count_pairs
from sparsek.metrics._labels import contingency, encode_both


class PairwiseScores(NamedTuple):
    """How the pairs of rows that two partitions put together agree; all in [0, 1], dimensionless.

    Parameters
    ----------
    f_score : float
        Harmonic mean of the other two; 1 where neither partition puts any rows together.
    precision : float
        Share of the pairs within clusters that are in one class; NaN without such pairs.
    recall : float
        Share of the pairs within classes that are in one cluster; NaN without such pairs.

    See Also
    --------
    pairwise_scores : F-score, precision and recall of pairs of rows.
    """

    f_score: float
    precision: float
    recall: float


def clustering_error_rate(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of the pairs of rows that are together in exactly one of two partitions: 1 - Rand index.

    ``(sum_r C(n_r, 2) + sum_c C(n_c, 2) - 2 sum_rc C(n_rc, 2)) / C(n, 2)``, C(v, 2) = v (v - 1) / 2, for the
    table n_rc of classes and clusters with margins n_r and n_c.

    Parameters
    ----------
    labels_true, labels_pred : array_like of shape (n,)
        Two labellings of the same rows.

    Returns
    -------
    float
        In [0, 1], dimensionless; 0 for equal partitions, NaN for a single row.

    Raises
    ------
    TypeError, ValueError

    See Also
    --------
    sparsek.rcompat.CER : R's classification error rate.
    sparsek.rcompat.adjustedRandIndex : R's adjusted Rand index.
    misclassification_error : Share of rows in the wrong class.

    Notes
    -----
    ``1 - sklearn.metrics.rand_score``, with the bits of R's `RSKC::CER`. The "CER" that the tables of the
    sparse MinMax paper print is not this but :func:`misclassification_error`.

    References
    ----------
    Rand, W. M. (1971). Objective criteria for the evaluation of clustering methods. JASA 66, 846-850.

    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726.

    Examples
    --------
    >>> clustering_error_rate([1, 1, 2, 2], [1, 2, 2, 2])
    0.5
    """
    return classification_error(*encode_both(labels_true, labels_pred))


def pairwise_scores(labels_true: ArrayLike, labels_pred: ArrayLike) -> PairwiseScores:
    """F-score of the pairs of rows in one cluster against those in one class, with precision and recall.

    With TP the number of pairs together in both, P those within clusters and A those within classes:
    F = 2 TP / (P + A), precision TP / P, recall TP / A.

    Parameters
    ----------
    labels_true, labels_pred : array_like of shape (n,)
        Two labellings of the same rows.

    Returns
    -------
    PairwiseScores
        ``(f_score, precision, recall)``.

    Raises
    ------
    TypeError, ValueError

    See Also
    --------
    pairwise_f_score : F-score of pairs of rows.
    PairwiseScores : Result of `pairwise_scores`.

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71.

    Examples
    --------
    >>> pairwise_scores([1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 2, 2])
    PairwiseScores(f_score=0.6153846153846154, precision=0.5714285714285714, recall=0.6666666666666666)
    """
    table = contingency(*encode_both(labels_true, labels_pred))
    counts = count_pairs(table.cells, table.row_sums, table.column_sums)
    actual, predicted, both = counts.first, counts.second, counts.both
    return PairwiseScores(
        2 * both / (predicted + actual) if predicted + actual else 1.0,
        both / predicted if predicted else math.nan,
        both / actual if actual else math.nan,
    )


def pairwise_f_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """F-score of the pairs of rows in one cluster against those in one class: 2 TP / (P + A).

    Parameters
    ----------
    labels_true, labels_pred : array_like of shape (n,)
        Two labellings of the same rows.

    Returns
    -------
    float
        In [0, 1], dimensionless: `f_score` of :func:`pairwise_scores`, with its errors.

    Raises
    ------
    TypeError, ValueError

    See Also
    --------
    pairwise_scores : F-score, precision and recall of pairs of rows.
    clustering_error_rate : Share of pairs of rows on which two partitions disagree.

    Notes
    -----
    If neither partition puts any rows together, they are equal and the score is 1; the authors' program
    gives 0.

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71.

    Examples
    --------
    >>> pairwise_f_score([1, 1, 1, 2, 2, 2, 2], [2, 2, 1, 2, 1, 2, 1])
    0.3333333333333333
    """
    return pairwise_scores(labels_true, labels_pred).f_score

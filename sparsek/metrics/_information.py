"""Measures from entropies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsek.metrics._labels import Integers, contingency, encode_both


def variation_of_information(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Variation of information, a metric on partitions: 0 for equal ones.

    ``H(U | V) + H(V | U) = 2 H(U, V) - H(U) - H(V)``, with the entropies of the cluster sizes.

    Parameters
    ----------
    labels_true, labels_pred : array_like of shape (n,)
        Two labellings of the same rows.

    Returns
    -------
    float
        In [0, log n], nats; divide by log 2 for bits.

    Raises
    ------
    TypeError, ValueError

    See Also
    --------
    normalized_variation_of_information : The same between 0 and 1.
    clustering_error_rate : Share of pairs of rows on which two partitions disagree.

    References
    ----------
    Meila, M. (2007). Comparing clusterings - an information based distance. Journal of Multivariate Analysis
    98, 873-895.

    Examples
    --------
    >>> round(variation_of_information([0, 0, 1, 1], [0, 0, 0, 0]), 4)
    0.6931
    """
    joint, separate = _entropies(labels_true, labels_pred)
    return max(2 * joint - separate, 0.0)


def normalized_variation_of_information(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Variation of information over the joint entropy: 0 for equal partitions, 1 for independent ones.

    ``1 - I(U, V) / H(U, V)``; the base of the logarithms cancels.

    Parameters
    ----------
    labels_true, labels_pred : array_like of shape (n,)
        Two labellings of the same rows.

    Returns
    -------
    float
        In [0, 1], dimensionless; 0 when both have one cluster.

    Raises
    ------
    TypeError, ValueError

    See Also
    --------
    variation_of_information : Distance between two partitions in units of entropy.

    References
    ----------
    Vinh, N. X., Epps, J. and Bailey, J. (2010). Information theoretic measures for clusterings comparison.
    Journal of Machine Learning Research 11, 2837-2854, Table 2.

    Examples
    --------
    >>> normalized_variation_of_information([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    """
    joint, separate = _entropies(labels_true, labels_pred)
    return 0.0 if joint == 0 else min(max(2 - separate / joint, 0.0), 1.0)


def _entropies(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[float, float]:
    """H(U, V) and H(U) + H(V), nats."""
    table = contingency(*encode_both(labels_true, labels_pred))
    return _entropy(table.cells), _entropy(table.row_sums) + _entropy(table.column_sums)


def _entropy(counts: Integers) -> float:
    """Entropy of counts above 0, nats; an exact 0 for one count."""
    n = int(counts.sum())
    return float(-(counts / n * np.log(counts / n)).sum()) + 0.0

"""How well a clustering and a choice of features agree with the truth; what scikit-learn has is not
repeated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.cluster import contingency_matrix


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
    ValueError
        For labellings of different length, or empty ones.

    References
    ----------
    Vinh, N. X., Epps, J. and Bailey, J. (2010). Information theoretic measures for clusterings comparison.
    Journal of Machine Learning Research 11, 2837-2854, Table 2.

    Examples
    --------
    >>> normalized_variation_of_information([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    """
    table = _shares(labels_true, labels_pred)
    joint = _entropy(table)
    if joint == 0:
        return 0.0
    information = _entropy(table.sum(axis=0)) + _entropy(table.sum(axis=1)) - joint
    return float(min(max(1 - information / joint, 0.0), 1.0))


def false_positive_rate(support_true: ArrayLike, support_pred: ArrayLike) -> float:
    """Share of the uninformative features that were selected.

    Parameters
    ----------
    support_true, support_pred : array_like of bool, shape (p,) or (n_clusters, p)
        Informative and selected features.

    Returns
    -------
    float
        In [0, 1]; NaN when every feature is informative.

    Raises
    ------
    ValueError
        For masks of different shape.

    Examples
    --------
    >>> false_positive_rate([True, False, False], [True, True, False])
    0.5
    """
    informative, selected = _masks(support_true, support_pred)
    noise = ~informative
    return float(selected[noise].mean()) if noise.any() else float("nan")


def false_negative_rate(support_true: ArrayLike, support_pred: ArrayLike) -> float:
    """Share of the informative features that were not selected.

    Parameters
    ----------
    support_true, support_pred : array_like of bool, shape (p,) or (n_clusters, p)
        Informative and selected features.

    Returns
    -------
    float
        In [0, 1]; NaN when no feature is informative.

    Raises
    ------
    ValueError
        For masks of different shape.

    Examples
    --------
    >>> false_negative_rate([True, True, False], [True, False, True])
    0.5
    """
    informative, selected = _masks(support_true, support_pred)
    return float((~selected[informative]).mean()) if informative.any() else float("nan")


def _shares(labels_true: ArrayLike, labels_pred: ArrayLike) -> NDArray[np.float64]:
    """Contingency table as shares of the rows."""
    a, b = np.asarray(labels_true), np.asarray(labels_pred)
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        raise ValueError(f"labellings must be two vectors of one length; got shapes {a.shape} and {b.shape}")
    return contingency_matrix(a, b).astype(float) / a.size


def _entropy(shares: NDArray[np.float64]) -> float:
    """Entropy of shares that sum to 1."""
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


def _masks(support_true: ArrayLike, support_pred: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Both masks, checked."""
    a, b = np.asarray(support_true), np.asarray(support_pred)
    if a.shape != b.shape or a.dtype != bool or b.dtype != bool:
        raise ValueError(
            f"supports must be boolean masks of one shape; got {a.dtype} {a.shape} and {b.dtype} {b.shape}"
        )
    return a, b

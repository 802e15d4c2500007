"""Probabilities of clusters, by one convention.

``predict_proba`` gives an array (n_samples, n_clusters) whose rows sum to 1. Column j is the cluster that
`labels_` calls j, and `predict` gives the column of the largest entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array


class SoftClusters:
    """Predicts by ``predict_proba``, which a subclass implements."""

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities of the clusters for each row."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Most probable cluster of each row; ties go to the lowest label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Labels from 0.
        """
        return most_probable(self.predict_proba(X))


def most_probable(probabilities: Array) -> NDArray[np.int32]:
    """The cluster of the largest entry of each row; ties go to the lowest."""
    labels: NDArray[np.int32] = probabilities.argmax(axis=1).astype(np.int32)
    return labels


def led_by(probabilities: Array, labels: NDArray[Any], dtype: Any) -> Array:
    """Probabilities in a type whose largest entry in each row is that of the label.

    Labels come from numbers of more digits, or from distances that tie: where rounding made another entry the
    first largest, the two change places and differ in the last digit.

    Shapes: probabilities (n, k), labels (n,); returns (n, k).
    """
    found: Array = probabilities.astype(dtype)
    first = found.argmax(axis=1)
    rows = np.flatnonzero(first != labels)
    own, other = labels[rows], first[rows]
    found[rows, own], found[rows, other] = found[rows, other], found[rows, own]
    tied = found[rows].argmax(axis=1) != own
    # Equal entries change places in vain, so that the label's own entry gets the next larger number.
    found[rows[tied], own[tied]] = np.nextafter(found[rows[tied], own[tied]], found.dtype.type(1))
    return found

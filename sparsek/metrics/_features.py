"""Error rates of a choice of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.inputs.containers import as_array, unmasked
from sparsek.inputs.indices import aligned


def false_positive_rate(support_true: ArrayLike, support_pred: ArrayLike) -> float:
    """Share of the uninformative features that were selected.

    ``|selected and not informative| / |not informative|``.

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

    See Also
    --------
    false_negative_rate : Share of informative features that were not selected.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Table 2.

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

    ``|informative and not selected| / |informative|``.

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

    See Also
    --------
    false_positive_rate : Share of uninformative features that were selected.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Table 2.

    Examples
    --------
    >>> false_negative_rate([True, True, False], [True, False, True])
    0.5
    """
    informative, selected = _masks(support_true, support_pred)
    return float((~selected[informative]).mean()) if informative.any() else float("nan")


def _masks(support_true: ArrayLike, support_pred: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Both masks, checked."""
    a = as_array(unmasked(support_true, "support_true"), "support_true")
    support_pred = aligned(support_pred, support_true, "support_pred", "support_true")
    b = as_array(unmasked(support_pred, "support_pred"), "support_pred")
    if a.shape != b.shape or a.dtype != bool or b.dtype != bool:
        raise ValueError(
            f"supports must be boolean masks of one shape; got {a.dtype} {a.shape} and {b.dtype} {b.shape}"
        )
    return a, b

"""A start given by the user: labels of the rows, row numbers, or centres."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array
from sparsek.inputs.containers import numbers
from sparsek.inputs.validation import check_array


def given_start(
    init: ArrayLike,
    kept: Array,
    n_clusters: int,
    n_features: int,
    take: Callable[[Array], Array],
    scale: Callable[[Array], Array],
) -> Array:
    """Labels (n_kept,) from labels; else centres (n_clusters, m) from row numbers or from centres.

    Raises ValueError for another shape, labels or row numbers out of range, rows that take no part, and
    centres so far from the rows that squared distances overflow.
    """
    init = numbers(init, "init")
    rows = np.asarray(init)
    if rows.shape == (n_clusters,) != kept.shape and np.issubdtype(rows.dtype, np.integer):
        return take(kept_positions(rows, kept))
    given = checked_init(init, kept, n_clusters, n_features)
    if given.ndim == 1:
        return given.astype(np.int32)
    with np.errstate(over="ignore"):
        centers = scale(given)
        # Rows lie near the origin of the scaled coordinates, so that a centre's own length tells.
        far = ~np.isfinite(np.square(np.atleast_2d(centers)).sum(axis=1))
    if far.any():
        raise ValueError(
            f"centre {int(far.argmax())} of init, counted from 0, is so far from the rows of X that its "
            "squared distance exceeds the largest number; give centres in the units of X"
        )
    return centers


def checked_init(init: ArrayLike, kept: Array, n_clusters: int, n_features: int) -> Array:
    """Labels of the rows kept, shape (n_kept,), or centres of shape (n_clusters, n_features), as given."""
    array: Array = check_array(numbers(init, "init"), ensure_2d=False, input_name="init", dtype="numeric")
    if array.shape == (len(kept),) and np.issubdtype(array.dtype, np.integer):
        if array.min() < 0 or array.max() >= n_clusters:
            raise ValueError(
                f"labels given as init must lie in 0..{n_clusters - 1}; got {array.min()}..{array.max()}"
            )
        return array[kept]
    if array.shape != (n_clusters, n_features):
        raise ValueError(
            f"init must be centres of shape ({n_clusters}, {n_features}), integer labels of shape "
            f"({len(kept)},) or row numbers of shape ({n_clusters},); got shape {array.shape}"
        )
    return array


def kept_positions(rows: Array, kept: Array) -> NDArray[np.intp]:
    """Positions among the kept rows of rows of X given as `init`; ValueError if not kept, or repeated."""
    if rows.min() < 0 or rows.max() >= len(kept) or len(np.unique(rows)) < len(rows):
        raise ValueError(
            f"row numbers given as init must be different and lie in 0..{len(kept) - 1}; got {rows.tolist()}"
        )
    if not kept[rows].all():
        raise ValueError(
            f"row {rows[~kept[rows]][0]}, given as init, takes no part in the fit; choose rows of positive "
            "sample_weight with observed values"
        )
    # A kept row's position is the number of kept rows before it.
    positions: NDArray[np.intp] = np.cumsum(kept)[rows] - 1
    return positions

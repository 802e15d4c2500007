"""Checks of pairwise constraints and labels as given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.inputs.containers import numbers, unmasked
from sparsek.inputs.weights import WEIGHT_EXPONENT

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def check_pairs(name: str, pairs: Any, n: int, first_row: int = 0) -> IntArray:
    """Checked pairs (m, 2) of rows, counted from 0; in the input the first row has number `first_row`."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64)
    pairs = unmasked(pairs, name)
    try:
        array = np.asarray(pairs)
    except ValueError as error:
        raise ValueError(f"{name} must have shape (n_pairs, 2); its rows differ in length") from error
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{name} must have shape (n_pairs, 2); got shape {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must hold integers, the numbers of rows; got dtype {array.dtype}")
    outside = np.flatnonzero(((array < first_row) | (array >= n + first_row)).any(axis=1))
    if len(outside):
        i = outside[0]
        raise ValueError(
            f"{name}[{i}] = {tuple(array[i].tolist())} names a row outside {first_row}..{n + first_row - 1}"
        )
    itself = np.flatnonzero(array[:, 0] == array[:, 1])
    if len(itself):
        i = itself[0]
        raise ValueError(f"{name}[{i}] = {tuple(array[i].tolist())} pairs a row with itself; remove it")
    return array.astype(np.int64) - first_row


def check_weights(name: str, weight: Any, m: int) -> FloatArray:
    """Weights (m,), from one number for all pairs or one per pair; positive and within `WEIGHT_EXPONENT`."""
    array = np.asarray(numbers(weight, name))
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be a positive number, or one for each pair; got {weight!r}")
    if array.ndim and array.shape != (m,):
        raise ValueError(f"{name} must be one number or have shape ({m},), one a pair; got {array.shape}")
    bad = np.flatnonzero(~((array > 0) & np.isfinite(array)))
    if len(bad):
        where = f"[{bad[0]}]" if array.ndim else ""
        raise ValueError(f"{name}{where} must be positive and finite; got {array.ravel()[bad[0]]}")
    limit = 2.0 ** WEIGHT_EXPONENT[8]
    bad = np.flatnonzero((array < 1 / limit) | (array > limit))
    if len(bad):
        where = f"[{bad[0]}]" if array.ndim else ""
        raise ValueError(
            f"{name}{where} = {array.ravel()[bad[0]]} is outside {1 / limit:.3g} to {limit:.3g}, where sums "
            "and products of weights stay finite: give the weights in another unit"
        )
    return np.broadcast_to(array.astype(np.float64), (m,)).copy()


def class_codes(y: ArrayLike) -> IntArray:
    """Classes numbered from 0 in increasing order of their labels; -1 where a label is -1 or NaN."""
    labels = np.asarray(unmasked(y, "y", holes=True))
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y must have shape (n_samples,); got {labels.shape}")
    if labels.dtype.kind not in "iufbUO":
        raise TypeError(f"y must hold class labels; got dtype {labels.dtype}")
    unknown = np.array([label != label or label == -1 for label in labels.tolist()], dtype=bool)
    codes = np.full(len(labels), -1, dtype=np.int64)
    codes[~unknown] = np.unique(labels[~unknown], return_inverse=True)[1]
    return codes


def check_rows(rows: ArrayLike, n: int) -> IntArray:
    """Row numbers, checked."""
    array = np.asarray(unmasked(rows, "rows"))
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"rows must be a list of row numbers; got {rows!r}")
    if array.size and (array.min() < 0 or array.max() >= n):
        raise ValueError(f"rows must lie in 0..{n - 1}; got {array.min()}..{array.max()}")
    return array.astype(np.int64)


def refuse_many(n_pairs: int, max_pairs: int, what: str) -> None:
    """Raise if there would be too many pairs."""
    if n_pairs > max_pairs:
        raise ValueError(
            f"{what} {n_pairs} pairs, more than max_pairs={max_pairs}; use fewer rows or raise max_pairs"
        )

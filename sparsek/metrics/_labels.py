"""Checked labellings and their contingency table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.inputs.containers import as_array, unmasked
from sparsek.inputs.indices import aligned

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Contingency:
    """Counts of the pairs of labels of n rows; of r clusters and c classes only pairs that occur are kept."""

    rows: Integers  # rows, columns: (m,) int64: class and cluster of each cell, from 0
    columns: Integers
    cells: Integers  # (m,) int64: number of rows with both
    row_sums: Integers  # row_sums, column_sums: (c,): sizes of the classes and of the clusters
    column_sums: Integers


def encode(labels: ArrayLike, name: str) -> Integers:
    """Labels as codes from 0, in their order.

    Shapes: labels (n,); returns (n,) int64.

    Raises TypeError, ValueError labels that are neither whole numbers nor texts, not a vector, empty or
    missing.
    """
    values: NDArray[Any] = as_array(unmasked(labels, name), name)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"{name} must be a vector of at least one label; got shape {values.shape}")
    if values.dtype.kind == "O":
        if any(value is None or value != value for value in values):
            raise ValueError(f"{name} has missing labels; leave those rows out")
        values = values.astype(str)
    if values.dtype.kind not in "biufU":
        raise TypeError(f"{name} must hold whole numbers or texts; got dtype {values.dtype}")
    if values.dtype.kind == "f":
        fractional = values[~np.isfinite(values) | (values != np.trunc(values))]
        if len(fractional):
            remedy = "leave rows without a label out, round the others"
            raise ValueError(f"{name} must hold whole numbers; got {fractional[0]:g}: {remedy}")
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def encode_both(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[Integers, Integers]:
    """Both labellings as codes from 0.

    Shapes: labels_true, labels_pred (n,); returns (n,) int64.

    Raises TypeError, ValueError as `encode`; labellings of different length, and indices as `aligned`.
    """
    labels_pred = aligned(labels_pred, labels_true, "labels_pred", "labels_true")
    truth, found = encode(labels_true, "labels_true"), encode(labels_pred, "labels_pred")
    if len(truth) != len(found):
        lengths = f"{len(truth)} and {len(found)}"
        raise ValueError(f"labels_true and labels_pred must be of one length; got {lengths} labels")
    return truth, found


def contingency(truth: Integers, found: Integers) -> Contingency:
    """Table of two labellings, in O(n log n) whatever the number of labels.

    Shapes: truth, found (n,) int64.
    """
    row_sums, column_sums = np.bincount(truth), np.bincount(found)
    pairs, cells = np.unique(truth * len(column_sums) + found, return_counts=True)
    rows, columns = np.divmod(pairs, len(column_sums))
    return Contingency(rows, columns, cells, row_sums, column_sums)

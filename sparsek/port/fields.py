"""What is said of fields that were compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sparsek.compare import FieldComparison, match_labels

LABELS = ("cluster", "clusters", "Cs", "labels")
"""Names of the fields with the clusters of the rows, in R's results."""


def moved_labels(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """For labels that differ: the number of points that differ after pairing the clusters by overlap."""
    lines = []
    for field, reference in theirs.items():
        labels: Any = ours.get(field)
        arrays = isinstance(labels, np.ndarray) and isinstance(reference, np.ndarray)
        if field.rpartition("$")[2] not in LABELS or not arrays:
            continue
        if reference.ndim == 1 and labels.shape == reference.shape and (labels != reference).any():
            moved = int((match_labels(labels, reference) != reference).sum())
            lines.append(f"{field}: {moved} of {reference.size} points differ after pairing the clusters")
    return lines


def from_zero(ours: dict[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Make positions from 0 positions from 1 where they are R's then."""
    lines = []
    for field, reference in theirs.items():
        found = ours.get(field)
        if isinstance(found, np.ndarray) and np.array_equal(found + 1, np.asarray(reference)):
            ours[field] = found + 1
            lines.append(f"{field}: equal counted from 1, Python's positions count from 0")
    return lines


def free_signs(ours: dict[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Turn the columns of matrices whose signs alone are not R's."""
    lines = []
    for field, reference in theirs.items():
        found = ours.get(field)
        if np.ndim(reference) != 2 or not isinstance(found, np.ndarray) or found.shape != reference.shape:
            continue
        turned = (found != reference).any(axis=0) & (found == -reference).all(axis=0)
        if turned.any():
            ours[field] = np.where(turned, -found, found)
            columns = ", ".join(str(j + 1) for j in np.flatnonzero(turned))
            lines.append(f"{field}: equal but for the signs of columns {columns}, which rest on R's BLAS")
    return lines


def format_field(comparison: FieldComparison) -> str:
    """One line on one field."""
    if comparison.exact:
        return f"{comparison.field:<28} equal"
    size = ""
    if comparison.max_abs_diff is not None:
        size = f"LRE {comparison.lre:.1f}  max difference {comparison.max_abs_diff:.3g}  "
    return f"{comparison.field:<28} {size}{comparison.message}"

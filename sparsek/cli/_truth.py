"""Known classes of the rows beside their clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from sparsek.cli._summary import Part

UNKNOWN = "(missing)"
"""Shown for rows without a class, which count as a class of their own."""


@dataclass(frozen=True, slots=True)
class Classes:
    """A column of known classes."""

    column: str  # Its name
    of_rows: list[str]  # The class of each row, as text


def compare_classes(classes: Classes, labels: NDArray[np.integer]) -> dict[str, Any]:
    """Numbers of rows by cluster and class, and the adjusted Rand index of the two partitions."""
    named = [name or UNKNOWN for name in classes.of_rows]
    table = pd.crosstab(np.asarray(labels), np.asarray(named, dtype=object))
    return {
        "column": classes.column,
        "adjusted_rand": float(adjusted_rand_score(named, labels)),
        "clusters": [int(label) for label in table.index],
        "classes": [str(name) for name in table.columns],
        "counts": table.to_numpy().tolist(),
    }


def as_frame(truth: Mapping[str, Any]) -> pd.DataFrame:
    """The counts of `compare_classes` as a table, a row for each cluster."""
    counts = pd.DataFrame(truth["counts"], columns=truth["classes"])
    counts.insert(0, "cluster", truth["clusters"], allow_duplicates=True)
    return counts


def as_parts(truth: Mapping[str, Any]) -> list[Part]:
    """The counts with their heading."""
    heading = f"Clusters and {truth['column']} (adjusted Rand index {truth['adjusted_rand']:.4f})"
    return [Part(heading, as_frame(truth))]

"""Columns of a table that hardly are measurements: row counters, identifiers, classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

CLASS_NAMES = frozenset(
    (
        *("class", "classes", "cluster", "clusters", "target", "label", "labels", "group", "groups"),
        *("species", "category", "y", "outcome"),
    )
)
"""Names of columns that mostly hold known classes."""
ID_NAMES = frozenset(
    ("id", "ids", "index", "row", "rowid", "rownames", "sample", "sampleid", "patient", "patientid", "nr")
)
"""Names of columns that mostly identify rows."""
MOST_CLASSES, LEAST_ROWS = 20, 10
"""Largest number of classes, and smallest number of rows in which a column is looked at."""


class Suspect(NamedTuple):
    """A column that is likely no measurement: its name, "id" or "class", and why."""

    name: str
    kind: str
    reason: str


def suspects(frame: Any) -> list[Suspect]:
    """The columns of a data frame of numbers that likely identify rows, or hold their classes."""
    found: list[Suspect] = []
    if len(frame) < LEAST_ROWS:
        return found
    for j, name in enumerate(frame.columns):
        values = frame.iloc[:, j].to_numpy()
        if values.dtype.kind not in "fiub":
            continue
        text = str(name)
        plain = "".join(letter for letter in text.lower() if letter.isalpha())
        unnamed = not plain or plain.startswith("unnamed")
        if not (np.isfinite(values).all() and (values == np.rint(values)).all()):
            continue
        if j == 0 and (np.diff(values.astype(np.float64)) == 1).all():
            found.append(Suspect(text, "id", "it counts the rows"))
        elif (unnamed or plain in ID_NAMES) and len(np.unique(values)) == len(values):
            found.append(Suspect(text, "id", "it has another whole number in every row"))
        elif plain in CLASS_NAMES and 1 < len(np.unique(values)) <= MOST_CLASSES:
            n_values = len(np.unique(values))
            found.append(Suspect(text, "class", f"by its name, and it has {n_values} whole numbers"))
    return found

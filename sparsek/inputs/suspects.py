"""Columns of a table that hardly are measurements: row counters, identifiers, classes, constants."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparsek._printable import on_one_line
from sparsek.errors import ColumnWarning, callers_level

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
KINDS = {"id": "an identifier", "class": "a class"}
"""What a suspect looks like, in words."""
LISTED = 10
"""Names that are listed at most."""


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
        text = str(name)
        plain = "".join(letter for letter in text.lower() if letter.isalpha())
        unnamed = not plain or plain.startswith("unnamed")
        if j and not (unnamed or plain in ID_NAMES | CLASS_NAMES):
            continue
        values = frame.iloc[:, j].to_numpy()
        if not _is_whole(values):
            continue
        numbers = values.astype(np.float64)
        if j == 0 and (numbers[1:] == numbers[:-1] + 1).all():
            found.append(Suspect(text, "id", "it counts the rows"))
        elif (unnamed or plain in ID_NAMES) and len(np.unique(values)) == len(values):
            found.append(Suspect(text, "id", "it has another whole number in every row"))
        elif plain in CLASS_NAMES and 1 < len(np.unique(values)) <= MOST_CLASSES:
            n_values = len(np.unique(values))
            found.append(Suspect(text, "class", f"by its name, and it has {n_values} whole numbers"))
    return found


def in_words(found: Sequence[Suspect]) -> str:
    """What the suspects look like, and why."""
    return "; ".join(
        f"column {on_one_line(one.name)} looks like {KINDS[one.kind]}: {one.reason}" for one in found
    )


def warn_of_suspects(X: Any, ignored: Any = None) -> None:
    """Warn of columns of a pandas data frame with names that are likely no measurements.

    `ignored` is a mask of the columns, (p,), that take no part; None for none.
    """
    if not hasattr(X, "iloc") or not all(isinstance(name, str) for name in X.columns):
        return
    out = set() if ignored is None else set(X.columns[ignored])
    found = [one for one in suspects(X) if one.name not in out]
    if found:
        names = [one.name for one in found]
        warnings.warn(
            f"{in_words(found)}. Clusters would follow it instead of the measurements: leave it out by "
            f"X.drop(columns={names!r}), or ignore this warning if it is a measurement",
            ColumnWarning,
            stacklevel=callers_level(),
        )


def hints(frame: Any, keep: Collection[str]) -> list[str]:
    """What to know of columns that may be no measurements, by their values alone; those kept are left out.

    Where most columns hold whole numbers, as counts do, whole numbers say nothing.
    """
    if len(frame) < LEAST_ROWS:
        return []
    constant, few, distinct, n_whole = [], [], [], 0
    for j, name in enumerate(map(str, frame.columns)):
        values = frame.iloc[:, j].to_numpy()
        whole = _is_whole(values)
        n_whole += whole
        if name in keep:
            continue
        if (values == values[0]).all():
            constant.append(name)
        elif whole and (n_values := len(np.unique(values))) == len(values):
            distinct.append(name)
        elif whole and n_values <= min(MOST_CLASSES, len(values) // 3):
            few.append(name)
    texts = [(constant, "holds one value in all rows, and tells no clusters apart")]
    if 2 * n_whole <= frame.shape[1]:
        texts += [
            (distinct, "holds another whole number in every row, as an identifier does"),
            (few, "holds few different whole numbers, as a class does"),
        ]
    return [f"{_named(names)} {text}: {_ways(names)}" for names, text in texts if names]


def _is_whole(values: np.ndarray) -> bool:
    """Whether all values are whole numbers."""
    if values.dtype.kind not in "fiub":
        return False
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _named(names: Sequence[str]) -> str:
    """The first names of a list of columns."""
    if len(names) == 1:
        return f"column {names[0]}"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"each of the columns {', '.join(names[:LISTED])}{more}"


def _ways(names: Sequence[str]) -> str:
    """What to do about columns."""
    listed = ",".join(names[:LISTED])
    return f"--drop {listed} leaves it out, --keep {listed} says that it is a measurement"

"""Checks of the arguments of R's ``clara``, with R's messages in R's order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_flag, as_number, require_entries, require_runs
from sparsek.rcompat.cluster.arguments_pam import LARGEST_INTEGER, METRICS, UNDECIDED
from sparsek.rcompat.cluster.samples import MODULUS, PRESENT

CLARA_METRICS = (*METRICS, "jaccard")
"""Distances between rows."""
BOOK_SIZE = 40
"""A sample has by default so many rows, and two for each cluster."""
SHOWN_ROWS = 12
"""So many rows without a number are named."""
CORRECTED = (
    "Distance computations with NAs: using correct instead of pre-2016 wrong formula.\n"
    "Use  'correct.d=FALSE'  to get previous results or set 'correct.d=TRUE' explicitly\n"
    "to suppress this warning."
)


def as_count(value: Any, name: str) -> int:
    """A number cut off as by R's ``as.integer``, with R's error for none, R's warning for one too large."""
    number = as_number(value, name)
    if abs(number) > LARGEST_INTEGER:
        warnings.warn("NAs introduced by coercion to integer range", RWarning, stacklevel=4)
    if not abs(number) <= LARGEST_INTEGER:
        raise RError(UNDECIDED, f"{name} must be a whole number; got {value!r}")
    return int(number)


def sizes(k: Any, sampsize: Any, samples: Any, n: int) -> tuple[int, int, int]:
    """The numbers of clusters, of rows in a sample and of samples, with R's error for others."""
    clusters = as_count(k, "k")
    if not 1 <= clusters < n:
        message = "The number of cluster should be at least 1 and at most n-1."
        raise RError(message, f"got k={k!r} for {n} rows")
    size = min(n, BOOK_SIZE + 2 * clusters) if sampsize is None else as_count(sampsize, "sampsize")
    least = max(2, clusters + 1)
    if size < least:
        message = f"'sampsize' should be at least {least} = max(2, 1+ number of clusters)"
        raise RError(message, f"got sampsize={sampsize!r}")
    if size > n:
        message = f"'sampsize' = {size} should not be larger than the number of objects, {n}"
        raise RError(message, "take fewer rows")
    require_entries("the dissimilarities of a sample", size, size)
    number = as_count(samples, "samples")
    if number < 1:
        raise RError("'samples' should be at least 1", f"got samples={samples!r}")
    require_runs(number, "samples")
    return clusters, size, number


def what_is_kept(medoids_x: Any, keep_data: Any) -> tuple[bool, bool]:
    """Whether the result has the medoids, and the data."""
    medoids = as_flag(medoids_x, "medoids_x")
    if medoids:
        return True, True if keep_data is None else as_flag(keep_data, "keep_data")
    if keep_data is not None and as_flag(keep_data, "keep_data"):
        raise RError("when 'medoids.x' is FALSE, 'keep.data' must be too", "leave keep_data out")
    return False, False


def formula(data: RArray, correct_d: Any) -> bool:
    """Whether distances over some of the columns are computed by the correct formula."""
    if not np.isnan(data).any():
        return True
    if correct_d is None:
        warnings.warn(CORRECTED, RWarning, stacklevel=3)
        return True
    number = as_number(correct_d, "correct_d")
    if np.isnan(number):
        raise RError("invalid 'correct.d'", "correct_d must be True or False")
    return bool(number)


def foreign_flag(value: Any, place: int, name: str) -> bool:
    """A truth value that R's C code takes as its argument of this number."""
    number = as_number(value, name)
    if np.isnan(number):
        raise RError(f"NAs in foreign function call (arg {place})", f"{name} must be True or False")
    return bool(number)


def require_finite(data: RArray) -> None:
    """Refuse infinite numbers, and data without a number, with R's error."""
    values = np.asarray(data)
    if np.isinf(values).any() or np.isnan(values).all():
        message = "NA/NaN/Inf in foreign function call (arg 4)"
        raise RError(message, "x must hold finite numbers, NaN where missing")


def require_numbers(data: RArray) -> None:
    """Refuse rows without a number, with R's error."""
    rows = np.flatnonzero(np.isnan(np.asarray(data)).all(axis=1)) + 1
    if not len(rows):
        return
    shown = ",".join(str(i) for i in rows[:SHOWN_ROWS])
    said = f"Observation {shown} has *only* NAs --> omit it for clustering"
    if len(rows) > SHOWN_ROWS:
        said = f"{len(rows)} observations ({shown} ...) have *only* NAs --> omit them for clustering!"
    elif len(rows) > 1:
        said = f"Observations {shown} have *only* NAs --> omit them for clustering!"
    raise RError(said, "drop these rows")


def require_drawable(n: int, size: int, k: int) -> None:
    """Refuse samples for which the generator of the book has too few numbers, and would draw without end.

    Raises ValueError.
    """
    needed = n - size if n < 2 * size else size
    if n > MODULUS and needed + k > MODULUS:
        raise ValueError(
            f"sampsize={size} of {n} rows needs {needed} draws; rngR=False has {MODULUS}, "
            f"of them {k} of medoids: pass rngR=True or a smaller sampsize"
        )


def require_present(data: RArray, metric: str) -> None:
    """Refuse two rows without a column that "jaccard" sees, whose distance is 0 / 0.

    Raises ValueError.
    """
    rows = np.flatnonzero(~(np.asarray(data) > PRESENT).any(axis=1)) + 1
    if metric == "jaccard" and len(rows) > 1:
        shown = ", ".join(str(i) for i in rows[:SHOWN_ROWS])
        raise ValueError(
            f'metric="jaccard" needs rows with a value above {PRESENT}, all but one; rows {shown} have none: '
            "drop them"
        )

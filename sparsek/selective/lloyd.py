"""The data on a line for which Lloyd's k-means takes the same steps (Chen and Witten 2023, Section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.errors import EmptyClusterError
from sparsek.selective.intervals import Conditions
from sparsek.selective.line import (
    Centers,
    Line,
    Quadratic,
    assign,
    cleared,
    fixed_centers,
    means,
    rows_as_centers,
    scores,
)

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class LloydRecord:
    """What a fit by Lloyd's algorithm started from, and when it stopped."""

    # (n_starts, k): numbers of the rows that each start took as centres, drawn without looking at the data
    rows: Array | None
    centers: Array | None  # (k, p): the only start, centres in the units of X that do not depend on X
    max_iter: int  # Most assignments of one start
    # Stop also where the centres move by less than this share of the mean variance of the columns, and assign
    # once more at the end, as scikit-learn does; None stops only where no label changes, as R
    tol: float | None = None


def lloyd_conditions(line: Line, record: LloydRecord, offset: Array) -> tuple[Array, Conditions]:
    """Repeat a fit; find where all starts take the same steps and the same start is the best.

    Shapes: offset (p,); returns labels (n,).

    Raises EmptyClusterError a cluster loses all rows on the way.
    """
    conditions = Conditions()
    if record.rows is not None:
        starts: Sequence[Centers] = [rows_as_centers(line, rows) for rows in record.rows]
    else:
        assert record.centers is not None
        starts = [fixed_centers(record.centers - offset)]
    runs = [_follow(line, start, record, conditions) for start in starts]
    best = 0
    for r in range(1, len(runs)):
        # At d = 0 the criterion is gamma; of starts with one partition the first counts.
        if runs[r][1].gamma < runs[best][1].gamma and not _same(runs[r][0], runs[best][0]):
            best = r
    labels, criterion = runs[best]
    for other, value in runs:
        # The same partition has the same criterion, whatever d is, and is no condition.
        if not _same(other, labels):
            conditions.add(*criterion.minus(value))
    return labels, conditions


def _follow(
    line: Line, centers: Centers, record: LloydRecord, conditions: Conditions
) -> tuple[Array, Quadratic]:
    """Labels of one start, and its criterion up to a constant; adds the conditions of every step."""
    n_clusters = len(centers.values)
    labels = np.full(len(line.X), -1)
    for _ in range(record.max_iter):
        new = assign(line, centers, conditions)
        if np.array_equal(new, labels):
            break
        labels = new
        _refuse_empty(labels, n_clusters)
        before, centers = centers, means(line, labels, n_clusters)
        if record.tol is not None and _stands(line, before, centers, record.tol, conditions):
            labels = assign(line, centers, conditions)
            break
    else:
        labels = assign(line, centers, conditions) if record.tol is not None else labels
    found = scores(line, centers).at((np.arange(len(labels)), labels))
    return labels, Quadratic(*(np.asarray(coefficient.sum()) for coefficient in found))


def _stands(line: Line, before: Centers, after: Centers, tol: float, conditions: Conditions) -> bool:
    """Whether the centres move by no more than `tol` times the mean variance; adds what keeps it so."""
    values, rates = after.values - before.values, after.rates - before.rates
    shift = Quadratic((rates * rates).sum(), 2 * (values * rates).sum(), (values * values).sum())
    n_entries, b = line.X.size, line.direction
    spread = Quadratic(
        (line.shares @ line.shares) * (b @ b) * tol / n_entries,
        # The columns are centred, so that mean squares of the rows are mean variances at every d.
        2 * (line.shares @ (line.X @ b)) * tol / n_entries,
        (line.X * line.X).sum() * tol / n_entries,
    )
    excess = shift.minus(spread)
    stands = bool(excess.gamma <= 0)
    # Where the fit went on, the steps stay the same as long as the centres move by more.
    conditions.add(*cleared(line, excess if stands else spread.minus(shift)))
    return stands


def _refuse_empty(labels: Array, n_clusters: int) -> None:
    """Raise EmptyClusterError if a cluster has no rows."""
    counts = np.bincount(labels, minlength=n_clusters)
    if not counts.all():
        raise EmptyClusterError(
            f"cluster {np.flatnonzero(counts == 0)[0]} lost all its rows on the way, and the exact test "
            "knows no such steps; use test_clusters, or other starts"
        )


def _same(labels: Array, others: Array) -> bool:
    """Whether two labellings are the same partition."""
    pairs = len(np.unique(np.column_stack([labels, others]), axis=0))
    return pairs == len(np.unique(labels)) == len(np.unique(others))

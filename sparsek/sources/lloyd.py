"""Lloyd's k-means on any holder of rows."""

from __future__ import annotations

from dataclasses import dataclass

from sparsek.core.steps import Array, ClusterSums, FitResult
from sparsek.sources.protocol import Rows


@dataclass(frozen=True, slots=True)
class Means:
    """Cluster means; the criterion is minus the between-cluster sum of squares."""

    sums: ClusterSums
    centers: Array
    criterion: float


def lloyd(rows: Rows, max_iter: int = 300) -> FitResult[Means]:
    """Lloyd's k-means from the labels that the rows have; an empty cluster takes the farthest row."""
    sums = rows.sums()
    history: list[float] = []
    while True:
        # The rows are centred, so that n_k |mean_k|^2 added over clusters is the sum of squares between them.
        means = Means(sums, sums.means, -float(sums.gains.sum()))
        history.append(means.criterion)
        moved = rows.assign(means.centers, fill=True)
        if not moved or len(history) >= max_iter:
            return FitResult(rows.labels, means, tuple(history), not moved)
        sums = rows.moved_sums(sums)

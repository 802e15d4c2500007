"""SKFR on rows that are not one dense array: sparse matrices, blocks of files, chunks of Dask arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sparsek.methods.rows.problem import RowProblem
from sparsek.methods.shared.loop import FitResult, run_all
from sparsek.methods.shared.sums import ClusterSums
from sparsek.methods.skfr.algorithm import Ranked, Selection, skfr


def fit_rows(
    problem: RowProblem,
    starts: Iterable[Any],
    rank: Callable[[ClusterSums], Ranked],
    max_iter: int,
    n_jobs: int | None,
) -> list[FitResult[Selection]]:
    """The result of every start; `starts` are labels in the form that the rows take."""
    tss = float(problem.column_total.sum())

    def run(labels: Any) -> FitResult[Selection]:
        return skfr(problem.rows(labels), rank, tss=tss, max_iter=max_iter)

    return run_all(run, starts, n_jobs)


def solve_rows(problem: RowProblem, labels: Any, rank: Callable[[ClusterSums], Ranked]) -> Ranked:
    """Features, centres and gains of a partition from sums in full, without rounding errors of updates."""
    sums = problem.rows(labels).sums()
    return rank(sums)._replace(gains=sums.gains)

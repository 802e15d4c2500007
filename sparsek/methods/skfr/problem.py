"""The rows of one fit of SKFR: how features are ranked, and what starts are chosen on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sparsek.methods.rows.protocol import Metric
from sparsek.methods.rows.source import ArraySource, RowProblem
from sparsek.methods.shared.steps import Array, FitResult
from sparsek.methods.skfr.algorithm import Ranked, Selection, Sizes, skfr, sparse_means


@dataclass(frozen=True, slots=True)
class RankedProblem(RowProblem):
    """Complete rows under the squared loss.

    Attributes
    ----------
    rank : callable
        ``rank(sums, n_selected=s, local=local)`` gives features and centres from what the rows sum up.
    """

    rank: Callable[..., Ranked] = sparse_means

    def start(self, labels: Any, sizes: Sizes, keep_sums: bool = False) -> FitResult[Selection]:
        """One start on its own."""
        rank = partial(self.rank, n_selected=sizes.n_selected, local=sizes.local)
        return skfr(self.rows(labels), rank, tss=self.tss, max_iter=sizes.max_iter, keep_sums=keep_sums)

    def gains(self, found: Selection) -> Array:
        """Gain of each feature in each cluster of the partition."""
        if found.gains is not None:
            return found.gains
        return (self.rows(found.labels).sums() if found.sums is None else found.sums).gains

    def starting(self, drawn: bool) -> RowProblem:
        """The rows on which starts are chosen: drawn or named ones, or those that the user gives."""
        return self

    def inertia(self, labels: Any, columns: Array, centers: Array) -> float:
        """Loss of the labelled rows over all features, the centres being 0 outside these columns."""
        rows = self.rows(labels).narrowed(Metric(columns), None)
        return float(rows.scatter(centers) + np.delete(self.column_total, columns).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class LossProblem(RankedProblem):
    """Rows in memory that have holes, or another loss.

    `column_total` is the loss of each column at the origin, and `rows` gives rows that this loss labels.

    Attributes
    ----------
    loss : Squared
        The loss, see `sparsek.methods.skfr.losses`.
    drawn, given : RowProblem
        The rows on which starts are drawn, and those that label rows by centres that the user gives.
    """

    loss: Any
    drawn: RowProblem
    given: RowProblem

    def starting(self, drawn: bool) -> RowProblem:
        """The rows on which starts are chosen: drawn or named ones, or those that the user gives."""
        return self.drawn if drawn else self.given

    def inertia(self, labels: Any, columns: Array, centers: Array) -> float:
        """Loss of the rows at their nearest centres over all features."""
        source: Any = self.source
        losses = self.loss.losses(source.array, self.scaling, columns, centers)
        return float(losses.sum() if source.weights is None else source.weights @ losses)


def array_problem(
    X: Array, n_clusters: int, weights: Array | None = None, standardize: bool = True
) -> RankedProblem:
    """The rows of an array in prepared coordinates."""
    source = ArraySource(X, weights, np.ones(len(X), dtype=bool))
    return RankedProblem.of(source, source.moments(), n_clusters, standardize)

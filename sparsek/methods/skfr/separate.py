"""SKFR with centres for every batch, and one set of features for all: cluster k of batch b is number b K + k.

Minimises sum_b sum_{i in b} ||z_i - theta_{b, label(i)}||^2 over labels, centres and one set of s features,
where z is standardised within batches. The gains of a feature are added over all batches. This is the common
selection of meta-analytic sparse k-means (Huo, Ding, Liu, Oesterreich and Tseng 2016, Section 2.2) with the
ranking of SKFR in place of a lasso bound. Batches are weighted by their rows, and clusters that match get no
reward: they are matched after the fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array, FitResult, Labels, nearest_center
from sparsek.methods.shared.parameters import AUTO
from sparsek.methods.skfr.algorithm import Selection, Sizes, sparse_means
from sparsek.methods.skfr.problem import RankedProblem
from sparsek.sources.local import AssignedRows, RowReader, prepared_reader
from sparsek.sources.source import RowProblem

ONLY = {"scope": "global", "loss": "squared", "projection": None, "refine": False, "missing": "observed"}
"""Options that centres by batch need."""


def refuse_separate(options: Mapping[str, Any], has_batches: bool, has_holes: bool) -> None:
    """Raise ValueError for what does not go with centres by batch."""
    if not has_batches:
        raise ValueError(
            "batch_centers='batch' needs the batch of each row; give batch to fit, or use "
            "batch_centers='common'"
        )
    if options["n_features_to_select"] == AUTO:
        raise ValueError(
            "batch_centers='batch' needs n_features_to_select as a number, which shuffled columns do not "
            "choose here; give it, or use batch_centers='common'"
        )
    for name, value in ONLY.items():
        if options[name] != value:
            raise ValueError(
                f"batch_centers='batch' goes with {name}={value!r} only; got {name}={options[name]!r}; use "
                "batch_centers='common'"
            )
    if has_holes:
        raise ValueError(
            "batch_centers='batch' takes no missing values (NaN); impute them first, or use "
            "batch_centers='common'"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparateProblem(RankedProblem):
    """Rows of batches with centres of their own."""

    common: RankedProblem  # The rows with common centres, from which starts are drawn
    codes: Labels  # (n,): the batch of each row

    def starting(self, drawn: bool) -> RowProblem:
        """The rows on which starts are chosen, for all batches together."""
        return self.common

    def start(self, labels: Any, sizes: Sizes, keep_sums: bool = False) -> FitResult[Selection]:
        """One start from common labels, or from those of another fit."""
        k = self.common.n_clusters
        # Labels of a fit with batches are b K + k; the remainder is the cluster k in either case.
        own = (self.codes * k + labels % k).astype(np.int32)
        return super(SeparateProblem, self).start(own, sizes, keep_sums)


def separate_problem(common: RankedProblem, codes: Labels) -> SeparateProblem:
    """The same rows with centres for each batch."""
    n_batches, source = int(codes.max()) + 1, common.source
    total, grid = n_batches * common.n_clusters, common.scaling.grid
    members = [np.flatnonzero(codes == code) for code in range(n_batches)]
    reader = prepared_reader(common.scaling.apply(source.dense()), total, source.weights, grid)
    rows = partial(BatchRows, reader, members)
    known = common.moments, common.scaling, common.column_total, rows
    # Not `sparse_means` itself: starts that are compiled or stacked know nothing of batches.
    more: dict[str, Any] = {"rank": partial(sparse_means), "common": common, "codes": codes}
    return SeparateProblem(source, total, *known, **more)


class BatchRows(AssignedRows):
    """Rows that are compared with the centres of their batch alone.

    Shapes: labels (n,) int32.
    """

    def __init__(self, reader: RowReader, members: list[Array], labels: Labels) -> None:
        super().__init__(reader, labels)
        self._members = members

    def _nearest(self, centers: Array, columns: Array | None) -> Labels:
        Z, labels = self.block, np.empty(self.shape[0], np.int32)
        chosen = np.arange(Z.shape[1]) if columns is None else np.append(columns, Z.shape[1] - 1)
        k = len(centers) // len(self._members)
        for b, rows in enumerate(self._members):
            labels[rows] = b * k + nearest_center(Z[np.ix_(rows, chosen)], centers[b * k : (b + 1) * k])
        return labels


def matched(centers: Array, sizes: Array) -> Array:
    """For each batch the numbers (n_batches, n_clusters) of its clusters in the largest batch.

    They make the sum of the squared distances of matched centres smallest; `sizes` are those of the batches.

    Shapes: centers (n_batches, n_clusters, s), sizes (n_batches,).
    """
    first, numbers = centers[int(np.argmax(sizes))], np.empty(centers.shape[:2], np.int32)
    for b, own in enumerate(centers):
        places, clusters = linear_sum_assignment(cdist(first, own, "sqeuclidean"))
        numbers[b, clusters] = places
    return numbers

"""SKFR on partially observed data: descent on the loss over the observed entries.

Minimises the sum over the observed entries of (z_il - theta_label(i),l)^2 where theta is sparse as in SKFR.
There are two ways. In exact block descent, means, gains and distances use the observed entries only. In the
majorisation-minimisation of k-POD, the missing entries (holes) are filled from the centres before every step.

Sources: Zhang, Lange and Xu (2020), Section 3 (missing data); Chi, Chi and Baraniuk (2016), "k-POD".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sparsek.core.scaling import Divisor
from sparsek.core.steps import Array, ClusterSums, FitResult, Labels, cluster_sums, nonzero
from sparsek.methods.skfr.algorithm import Ranked, Selection, Sizes, select_features
from sparsek.methods.skfr.problem import LossProblem
from sparsek.sources.partial import ObservedRows, PartialData, nearest_observed, observed_loss, pack
from sparsek.sources.source import ArraySource, RowProblem

TOLERANCE = 1e-9
"""With filled holes, a start stops when the loss falls by less than this share of the sum of squares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledProblem(LossProblem):
    """Rows whose holes are filled from the centres before every step."""

    data: PartialData  # The rows

    def start(self, labels: Labels, sizes: Sizes, keep_sums: bool = False) -> FitResult[Selection]:
        """One start on its own."""
        return skfr_filled(
            self.data,
            labels,
            n_clusters=self.n_clusters,
            weights=self.source.weights,
            max_iter=sizes.max_iter,
            **sizes.ranking,
        )


def observed_problem(
    source: ArraySource, n_clusters: int, divisor: Divisor, ddof: int, fill: bool, loss: Any
) -> LossProblem:
    """Rows in the scale of their observed entries; starts are chosen on rows completed by column means."""
    X, weights = source.dense(), source.weights
    holed = source.replaced(X, holes=True)
    found = RowProblem.of(holed, holed.moments(), n_clusters, divisor, ddof)
    scaling = replace(found.scaling, fills=False)  # holes stay NaN
    means = scaling.invert(np.zeros_like(scaling.offset))
    completed = source.replaced(np.where(np.isnan(X), means, X))
    complete = RowProblem.within(completed, scaling, n_clusters)
    data = pack(scaling.apply(X)[:, :-1], weights)
    rows = partial(ObservedRows, data, n_clusters=n_clusters, weights=weights, grid=scaling.grid)
    known = holed, n_clusters, found.moments, scaling, found.column_total
    more: dict[str, Any] = {"rank": rank_observed, "loss": loss, "drawn": complete, "given": complete}
    if fill:
        return FilledProblem(*known, rows, data=data, **more)
    return LossProblem(*known, rows, **more)


def rank_observed(sums: ClusterSums, **ranking: Any) -> Ranked:
    """Means of the observed values, features ranked by N_jl mu_jl^2, N_jl the number of observed values."""
    # The sums have 2 p + 1 columns: values, numbers of observed values, and the size of the cluster.
    p = sums.sums.shape[1] // 2
    counts = nonzero(sums.sums[:, p:-1])
    gains = sums.sums[:, :p] ** 2 / counts
    means = sums.sums[:, :p] / counts
    return Ranked(*select_features(gains, means, **ranking), gains)


def skfr_filled(
    data: PartialData,
    labels: Labels,
    *,
    n_clusters: int,
    weights: Array | None = None,
    max_iter: int = 300,
    **ranking: Any,
) -> FitResult[Selection]:
    """One start of the form that fills the holes from the centres before every step, as in k-POD.

    Shapes: labels (n,) int32, weights (n,).
    """
    p, lift = data.n_features, ranking.get("lift")
    # Features that no centre uses add a constant to the loss, and do not count where the loss has settled.
    counted: Any = slice(None) if lift is None else _left(lift, ranking.get("groups"))
    own = data if lift is None else data.of(counted, weights)
    holes = data.observed == 0
    full = np.column_stack([data.values, np.ones(len(labels), dtype=data.filled.dtype)])
    history: list[float] = []
    done, before = False, np.inf
    while not done and len(history) < max_iter:
        old = labels
        sums = cluster_sums(full, labels, n_clusters, weights)
        # sums.gains would be wrong: filled columns are not centred, so a cluster of all rows has gains too.
        gains = sums.sums[:, :-1] ** 2 / nonzero(sums.counts)[:, None]
        selected, columns, theta, _ = select_features(gains, sums.means, **ranking)
        centers = np.zeros((n_clusters, p), dtype=full.dtype)
        centers[:, columns] = theta
        labels = nearest_observed(full[:, columns], np.ones_like(full[:, columns]), theta)
        # The loss falls from one assignment to the next, but not always from an assignment to a centre
        # update.
        loss = observed_loss(own, labels, centers[:, counted], weights)
        history.append(loss)
        params = Selection(old, selected, columns, theta, history[-1], gains)
        # With holes filled from their centres, the full loss majorises the observed one (k-POD).
        full[:, :p][holes] = centers[labels][holes]
        done = before - loss <= TOLERANCE * own.tss and np.array_equal(old, labels)
        before = loss
    return FitResult(labels, params, tuple(history), done)


def _left(lift: Array, groups: Any) -> Array:
    """Indices of the features that can be selected."""
    left = lift >= 0
    return np.flatnonzero(left if groups is None else left[groups.codes])

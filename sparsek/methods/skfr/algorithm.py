"""Sparse k-means with feature ranking (SKFR1, SKFR2).

Minimises h(C, theta) = sum_j sum_{i in C_j} ||z_i - theta_j||^2 where theta_j is zero outside s features: one
common set (scope "global", SKFR1) or one per cluster ("local", SKFR2). After a centre update
h = TSS - (sum of the selected gains), so the objective costs nothing extra.

Source: Zhang, Lange and Xu (2020), "Simple and scalable sparse k-means clustering via feature ranking",
NeurIPS 33.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import (
    Array,
    ClusterSums,
    FitResult,
    Labels,
    added_gains,
    added_in_order,
    is_by_cluster,
    largest,
    nonzero,
    used_features,
)
from sparsek.methods.shared.groups import Grouping
from sparsek.sources.protocol import Rows


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many features, or groups of them, a start selects, and how long it may take."""

    n_selected: int  # Number of features, or groups, s
    local: bool  # Whether features are selected within each cluster
    max_iter: int  # Largest number of iterations
    # (p,), or (g,) for groups: what the ranking adds to the gains: infinite for features that come first, or
    # never; else 0
    lift: Array | None = None
    groups: Grouping | None = None  # Groups, each selected as a whole; None for single features

    @property
    def ranking(self) -> dict[str, Any]:
        """What the ranking of an iteration takes beside the sums."""
        return {"n_selected": self.n_selected, "local": self.local, "lift": self.lift, "groups": self.groups}


class Ranked(NamedTuple):
    """Features and centres of one iteration."""

    # (s,) or (n_clusters, s): sorted indices of the selected features; one row per cluster in scope "local",
    # an object array of rows where groups differ in size
    selected: Array
    columns: Array  # (m,): sorted union of `selected`; all features where centres are projected
    # (n_clusters, m): sparse centres theta in these columns, standardised units; an empty cluster stays at
    # the origin
    centers: Array
    explained: float  # Sum of the selected gains
    # (n_clusters, p): gain of each feature in each cluster; None where only the sums over clusters were
    # needed
    gains: Array | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """Last features and centres of a start, and the partition that they were computed from."""

    labels: Labels  # (n,) int32: the partition
    selected: Array  # selected, columns, centers, gains: as in `Ranked`
    columns: Array
    centers: Array
    criterion: float  # h
    gains: Array | None = None
    sums: ClusterSums | None = None  # Cluster sums of the partition, if they were asked for


def skfr(
    rows: Rows,
    rank: Callable[[ClusterSums], Ranked],
    *,
    tss: float,
    max_iter: int = 300,
    keep_sums: bool = False,
) -> FitResult[Selection]:
    """One start of SKFR from the labels that the rows have (Algorithms 1 and 2)."""
    sums = rows.sums()
    history: list[float] = []
    while True:
        found = rank(sums)
        # h = TSS - explained gains: the objective follows from the sums, and no distance is computed for it.
        history.append(float(tss - found.explained))
        labels = rows.labels
        moved = rows.assign(found.centers, found.columns)
        if not moved or len(history) >= max_iter:
            kept = sums if keep_sums else None
            place = found.selected, found.columns, found.centers
            last = Selection(labels, *place, history[-1], found.gains, kept)
            return FitResult(rows.labels, last, tuple(history), not moved)
        sums = rows.moved_sums(sums)


def as_tuples(selected: Array) -> tuple[Any, ...]:
    """Selected features as a tuple or, for scope "local", a tuple of tuples."""
    if is_by_cluster(selected):
        return tuple(tuple(row.tolist()) for row in selected)
    return tuple(selected.tolist())


def selected_features(mask: NDArray[np.bool_]) -> Array:
    """Sorted indices of the features of a mask, as in `Ranked`: the inverse of `used_features`."""
    if mask.ndim == 1:
        return np.flatnonzero(mask)
    if len(set(mask.sum(axis=1).tolist())) == 1:
        return np.nonzero(mask)[1].reshape(len(mask), -1)
    rows = np.empty(len(mask), dtype=object)
    rows[:] = [np.flatnonzero(row) for row in mask]
    return rows


def sparse_means(sums: ClusterSums, *, local: bool, **ranking: Any) -> Ranked:
    """The s features with the largest gains n_k mu_kl^2, and the cluster means there."""
    if local:
        gains = sums.gains
        return Ranked(*select_features(gains, sums.means, local=local, **ranking), gains)
    (columns,), (theta,), (explained,) = ranked_means(sums.sums[None], **ranking)
    return Ranked(columns, columns, theta, float(explained))


def ranked_means(sums: Array, **ranking: Any) -> tuple[Array, Array, Array]:
    """The rule of SKFR1 for cluster sums (R, k, p + 1) of R starts, sizes last.

    Returns the selected features (R, s), the means there (R, k, s), and the sums of the selected gains (R,).
    """
    gains = added_gains(sums)
    # A cluster of all rows has the mean 0 but for rounding, and so no gain.
    gains[np.count_nonzero(sums[:, :, -1], axis=1) == 1] = 0
    selected = first_features(gains, **ranking)
    explained = added_in_order(np.take_along_axis(gains, selected, axis=1))
    # Only the selected means are divided; the others would be thrown away.
    theta = np.take_along_axis(sums, selected[:, None, :], axis=2)
    theta /= nonzero(sums[:, :, -1])[:, :, None]
    return selected, theta, explained


def first_features(
    gains: Array, *, n_selected: int, lift: Array | None = None, groups: Grouping | None = None
) -> Array:
    """Sorted indices of the features of each row of gains that are selected, as in `Ranked`.

    They are the s first ones, or those of the s groups with the largest gains per degree of freedom.
    """
    if groups is None:
        return largest(gains, n_selected, lift)
    mask = groups.mask(largest(groups.per_degree(gains), n_selected, lift))
    return selected_features(mask)


def select_features(
    gains: Array, means: Array, *, local: bool, **ranking: Any
) -> tuple[Array, Array, Array, float]:
    """Selected features, their union, sparse centres there, and the sum of the selected gains."""
    if not local:
        selected = first_features(gains.sum(axis=0)[None], **ranking)[0]
        return selected, selected, means[:, selected], float(gains[:, selected].sum(dtype=np.float64))
    selected = first_features(gains, **ranking)
    used = used_features(selected, gains.shape[1])
    columns = np.flatnonzero(used.any(axis=0))
    theta = np.where(used, means, np.zeros_like(means))
    return selected, columns, theta[:, columns], float(gains[used].sum(dtype=np.float64))

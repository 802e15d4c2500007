"""K-means on mean absolute differences of distances (MADD), for few rows of many features.

Two rows are close if their dissimilarities phi to all other rows are similar:
``rho_ij = sum_(z != i, j) |phi_iz - phi_jz| / (n - 2)``. As z = i and z = j would each add phi_ij, the sum is
the city-block distance of rows i and j of the matrix of phi, less 2 phi_ij.

Then rows move, one after the other, to the closest cluster, in sweeps over the data until a sweep moves none.
Closeness is a score: `mean_dissimilarities` (the code released with Dey, Das and Mallipeddi 2020),
`criterion_changes` (the criterion falls), `means_of_others` (without the row itself).

Sources: Sarkar and Ghosh (2020), "On perfect clustering of high dimension, low sample size data", IEEE TPAMI
42, 2257-2272; Dey, Das and Mallipeddi (2020), "The sparse MinMax k-means algorithm for high-dimensional
clustering", IJCAI.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from sparsek.core.steps import Array, Labels

VERSIONS = (0, 1, 2)
"""Base dissimilarities: Euclidean / sqrt(p), city-block / p, mean of 1 - exp(-|difference|)."""
MATRICES = 4
"""Largest number of n x n matrices of doubles held at once."""

Score = Callable[[Array, Labels, Array, Array, float], Array]
"""Score of the clusters for one row in each of R runs (R, K), lowest best. Arguments: the row's sums of
dissimilarities to the clusters (R, K), its labels (R,), the clusters' sizes (R, K) and inner sums (R, K), and
the size of the row itself, 1 without weights."""
LEAST_OTHERS = 1e-8
"""Least weight of the other rows relative to that of two: a difference of sums keeps half its digits."""


@dataclass(frozen=True, slots=True)
class Repetitions:
    """How often rows are repeated, times a power of two that keeps squares within the range of numbers."""

    counts: Array  # (n,), largest in [1/2, 1)
    itself: Array  # (n,): one repetition, or the whole of fewer: what a mean over the others leaves out
    factor: float  # The power of two

    @classmethod
    def of(cls, weights: Array) -> Repetitions:
        """Weights (n,), positive; ValueError if hardly any are left beside two rows."""
        factor = float(np.ldexp(1.0, -int(np.frexp(weights.max())[1])))
        counts, itself = weights * factor, np.minimum(weights, 1) * factor
        two = np.sort(itself)[-2:].sum()
        if counts.sum() - two <= LEAST_OTHERS * two:
            raise ValueError(
                f"sample_weight leaves {(counts.sum() - two) / factor:.3g} beside two rows that count "
                f"{two / factor:.3g}, too little for means over the other rows; give these larger weights"
            )
        return cls(counts, itself, factor)


@dataclass(frozen=True, slots=True)
class SweepFit:
    """Result of `sweep`."""

    labels: Labels  # (n,) int32: clusters from 0; some can be empty
    history: tuple[float, ...]  # ``sum_k (1 / n_k) sum_(i, j in k) D_ij`` after each sweep
    converged: bool  # Whether the last sweep moved no row

    @property
    def criterion(self) -> float:
        """Criterion of the labels."""
        return self.history[-1]

    @property
    def n_iter(self) -> int:
        """Number of sweeps, the last, unchanged one included."""
        return len(self.history)


def base_dissimilarities(X: Array, version: int) -> Array:
    """Phi between all rows.

    Shapes: X (n, p) float64; returns (n, n).
    """
    if version == 2:
        phi = np.zeros((len(X), len(X)))
        for i in range(len(X) - 1):
            phi[i, i + 1 :] = phi[i + 1 :, i] = _mean_decay(X[i + 1 :], X[i])
        return phi
    return squareform(_per_feature(pdist(X, _metric(version)), X.shape[1], version), checks=False)


def base_to_rows(new: Array, X: Array, version: int) -> Array:
    """Phi between new rows (m, p) and the rows of X (n, p), shape (m, n)."""
    if version == 2:
        return np.array([_mean_decay(X, row) for row in new])
    return _per_feature(cdist(new, X, _metric(version)), X.shape[1], version)


def _metric(version: int) -> Literal["cityblock", "euclidean"]:
    return "cityblock" if version == 1 else "euclidean"


def _per_feature(distances: Array, p: int, version: int) -> Array:
    """Divide Euclidean distances by sqrt(p), city-block distances by p, in place."""
    distances /= p if version == 1 else np.sqrt(p)
    return distances


def _mean_decay(X: Array, row: Array) -> Array:
    """Mean over features q of 1 - exp(-|x_q - y_q|), between one row and each row of X."""
    with np.errstate(over="ignore", under="ignore"):
        parts = X - row
        np.abs(parts, out=parts)
        np.negative(parts, out=parts)
        np.expm1(parts, out=parts)
    decay: Array = -parts.mean(axis=1)
    return decay


def madd(phi: Array, mass: Repetitions | None = None) -> Array:
    """Rho of all pairs of at least three rows; with `mass` that of the repeated rows.

    Shapes: phi (n, n); returns (n, n).
    """
    if mass is None:
        rho = squareform(pdist(phi, "cityblock"), checks=False)
        rho -= 2 * phi
        rho /= len(phi) - 2
    else:
        rho = squareform(pdist(phi, "cityblock", w=mass.counts), checks=False)
        pairs = np.add.outer(mass.itself, mass.itself)
        rho -= pairs * phi
        np.subtract(mass.counts.sum(), pairs, out=pairs)
        np.fill_diagonal(pairs, 1)
        rho /= pairs
    return np.maximum(rho, 0, out=rho)  # rounding can leave -1e-16


def madd_to_rows(new: Array, phi: Array, mass: Repetitions | None = None) -> Array:
    """Rho between new rows and the n rows of phi: for row j the mean over all z except j.

    Shapes: new (m, n), phi (n, n); returns (m, n).
    """
    if mass is None:
        rho = cdist(new, phi, "cityblock")
        rho -= new  # z = j adds |phi(x, j) - 0|
        rho /= len(phi) - 1
    else:
        rho = cdist(new, phi, "cityblock", w=mass.counts)
        rho -= mass.itself * new
        rho /= mass.counts.sum() - mass.itself
    return np.maximum(rho, 0, out=rho)


def mean_dissimilarities(sums: Array, own: Labels, counts: Array, within: Array, itself: float) -> Array:
    """Mean dissimilarity to each cluster, the row itself included with 0; infinite for an empty cluster."""
    means: Array = np.divide(sums, counts, out=np.full(sums.shape, np.inf), where=counts > 0)
    return means


def means_of_others(sums: Array, own: Labels, counts: Array, within: Array, itself: float) -> Array:
    """As `mean_dissimilarities`, but without the row itself; a row alone in its cluster stays."""
    runs = np.arange(len(own))
    means = mean_dissimilarities(sums, own, counts, within, itself)
    others = counts[runs, own] - itself
    means[runs, own] = np.where(others > 0, sums[runs, own] / np.where(others > 0, others, 1), -np.inf)
    return means


def criterion_changes(sums: Array, own: Labels, counts: Array, within: Array, itself: float) -> Array:
    """Rise of the criterion of `SweepFit` if the row joins a cluster; for its own, the rise if it stays."""
    runs = np.arange(len(own))
    terms = np.divide(within, counts, out=np.zeros(counts.shape), where=counts > 0)
    rise: Array = (within + 2 * itself * sums) / (counts + itself) - terms
    term, others = terms[runs, own], counts[runs, own] - itself
    left = (within[runs, own] - 2 * itself * sums[runs, own]) / np.where(others > 0, others, 1)
    rounding = 64 * np.finfo(np.float64).eps * term  # smaller gains do not count
    rise[runs, own] = term - np.where(others > 0, left, 0) - rounding
    return rise


def sweep(
    D: Array,
    starts: Array,
    n_clusters: int,
    score: Score,
    strict: bool,
    max_iter: int,
    mass: Repetitions | None = None,
) -> list[SweepFit]:
    """Move every row at once to the cluster of lowest score, in the order of the data, until none moves.

    All runs handle the same row at the same time; runs that are finished leave. The score is that of one of
    the repetitions of a row, and all of them move: where the first gains, so do the others after it.

    Shapes: D (n, n), starts (R, n).
    """
    labels = np.array(starts, dtype=np.intp)
    histories: list[list[float]] = [[] for _ in labels]
    active = np.arange(len(labels))
    for _ in range(max_iter):
        before = labels[active]
        labels[active] = _sweep_once(D, before, n_clusters, score, strict, mass)
        for run, value in zip(active, _criteria(*_within(D, labels[active], n_clusters, mass)), strict=True):
            histories[run].append(float(value))
        active = active[(labels[active] != before).any(axis=1)]
        if not len(active):
            break
    return [
        SweepFit(final.astype(np.int32), tuple(history), run not in active)
        for run, (final, history) in enumerate(zip(labels, histories, strict=True))
    ]


def _sweep_once(
    D: Array, labels: Array, n_clusters: int, score: Score, strict: bool, mass: Repetitions | None
) -> Array:
    """Labels of all runs after one sweep; sums over members are formed in the order of the data, as in R."""
    counts, within = _within(D, labels, n_clusters, mass)
    n_runs, n = labels.shape
    runs = np.arange(n_runs)
    cells = labels + n_clusters * runs[:, None]  # clusters numbered across all runs
    weights = np.empty(cells.shape)
    for i in range(n):
        weights[:] = D[i] if mass is None else D[i] * mass.counts
        sums = np.bincount(cells.ravel(), weights.ravel(), n_runs * n_clusters).reshape(n_runs, n_clusters)
        own = cells[:, i] - n_clusters * runs
        scores = score(sums, own, counts, within, 1.0 if mass is None else float(mass.itself[i]))
        new = scores.argmin(axis=1)
        moving = scores[runs, new] < scores[runs, own] if strict else new != own
        size = 1.0 if mass is None else mass.counts[i]
        for run in np.flatnonzero(moving):
            for cluster, sign in ((own[run], -size), (new[run], size)):
                counts[run, cluster] += sign
                within[run, cluster] += sign * 2 * sums[run, cluster]
            cells[run, i] = new[run] + n_clusters * run
            if mass is not None:  # differences of sizes are rounded, and a lost cluster must have none
                counts[run] = np.bincount(cells[run] - n_clusters * run, mass.counts, n_clusters)
    return cells - n_clusters * runs[:, None]


def _within(D: Array, labels: Array, n_clusters: int, mass: Repetitions | None = None) -> tuple[Array, Array]:
    """Numbers of members, and sums of dissimilarities within clusters: both (R, K)."""
    members = (labels[:, None, :] == np.arange(n_clusters)[:, None]).astype(np.float64)
    if mass is not None:
        members *= mass.counts
    return members.sum(axis=2), np.einsum("rkn,rkn->rk", members @ D, members)


def _criteria(counts: Array, within: Array) -> Array:
    """sum_k (1 / n_k) sum_(i, j in k) D_ij of every run."""
    criteria: Array = np.divide(within, counts, out=np.zeros(counts.shape), where=counts > 0).sum(axis=1)
    return criteria


def sums_within(D: Array, labels: Labels, n_clusters: int, mass: Repetitions | None = None) -> Array:
    """Sums of dissimilarities within the clusters of one run.

    Shapes: D (n, n), labels (n,); returns (n_clusters,).
    """
    found = np.empty(n_clusters)
    for k in range(n_clusters):
        rows = np.flatnonzero(labels == k)
        block = D[np.ix_(rows, rows)]
        found[k] = (block if mass is None else block * np.outer(mass.counts[rows], mass.counts[rows])).sum()
    return found


def squared_to_centroids(D: Array, labels: Labels, within: Array, mass: Repetitions | None = None) -> Array:
    """Mean dissimilarity to the members of each cluster, less half the mean within it.

    Shapes: D (m, n), labels (n,), within (K,); returns (m, K).
    """
    members = (labels[:, None] == np.arange(len(within))).astype(np.float64)
    if mass is not None:
        members *= mass.counts[:, None]
    counts = members.sum(axis=0)
    size = np.where(counts > 0, counts, 1)
    return np.where(counts > 0, D @ members / size - within / (2 * size**2), np.inf)

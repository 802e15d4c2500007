"""Medoids of samples of the rows, as R's ``clara`` draws, clusters and judges them.

Source: Kaufman & Rousseeuw (1990), "Finding Groups in Data", chapter 3, with the generator printed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum
from sparsek.rcompat.cluster.arguments_pam import distance_sums
from sparsek.rcompat.cluster.medoids import choose_medoids

MODULUS, FACTOR, STEP = 65536, 5761, 999
"""The generator of the book: x becomes the rest of 5761 x + 999 divided by 65536."""

PRESENT = 0.9
"""A column counts for the metric "jaccard" where it has more than this."""

Uniforms = Callable[[], float]


class SamplePlan(NamedTuple):
    """What is done with each sample."""

    k: int
    samples: int
    size: int
    metric: str  # "euclidean", "manhattan" or "jaccard"
    pam_like: bool  # Whether SWAP counts the second nearest medoid
    correct: bool  # Whether sums over some of the columns are scaled up, not down


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters of all rows around the medoids of a sample."""

    sample: IntArray  # Rows from 0, sorted
    medoids: IntArray  # Rows from 0, in the order of their clusters
    labels: IntArray  # Clusters from 0
    # (k, 3): largest and mean dissimilarity to the medoid; the largest over that to the nearest other medoid
    spread: FloatArray
    objective: float  # Mean dissimilarity of the rows to their medoid


def book_uniforms() -> Uniforms:
    """The generator of the book, from its start."""

    def numbers() -> Iterator[float]:
        x = 0
        while True:
            x = (x * FACTOR + STEP) % MODULUS
            yield x / MODULUS

    return numbers().__next__


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def best_clusters(x: FloatArray, plan: SamplePlan, uniform: Uniforms) -> Clusters | None:
    """The best of the samples, or None where no sample lets every row be assigned.

    Shapes: x (n, p), NaN where missing.
    """
    n, best = len(x), None
    for _ in range(1 if plan.size == n else plan.samples):
        sample = _draw(n, plan.size, None if best is None else best.medoids, uniform)
        found = _clusters(x, sample, plan)
        if found is not None and (best is None or found.objective < best.objective):
            best = found
    return best


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def sample_distances(x: FloatArray, metric: str) -> FloatArray:
    """Dissimilarities of the rows of a sample; NaN without a column in common.

    Shapes: x (m, p); returns (m, m).
    """
    sums, share = _sums(x, x, metric, correct=True)
    d = sums + 0.0 * share if metric == "jaccard" else _rooted(sums * share, metric)
    np.fill_diagonal(d, 0.0)
    return d


def _sums(x: FloatArray, y: FloatArray, metric: str, correct: bool) -> tuple[FloatArray, FloatArray]:
    """Sums over the columns known in both rows, and what scales them for the others.

    Shapes: x (n, p), y (m, p); returns (n, m) twice.
    """
    p = x.shape[1]
    sums, known = _jaccard(x, y) if metric == "jaccard" else distance_sums(x, y, metric)
    return sums, np.where(known == p, 1.0, p / known if correct else known / p)


def _rooted(sums: FloatArray, metric: str) -> FloatArray:
    """Distances of sums."""
    return np.sqrt(sums) if metric == "euclidean" else sums


def _jaccard(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """One less the share of columns present in both rows, of those present in one; the known ones."""
    knowns = [~np.isnan(z) for z in (x, y)]
    there = [(np.nan_to_num(z) > PRESENT).astype(float) for z in (x, y)]
    (known_x, known_y), (in_x, in_y) = [k.astype(float) for k in knowns], there
    both = in_x @ in_y.T
    either = in_x @ known_y.T + known_x @ in_y.T - both
    return 1 - both / either, known_x @ known_y.T


def _draw(n: int, size: int, medoids: IntArray | None, uniform: Uniforms) -> IntArray:
    """Rows of a sample with these medoids: those drawn, or of a large sample all but those drawn."""
    if size == n:
        return np.arange(n)
    large = n < 2 * size
    kept = set() if medoids is None else set(medoids.tolist())
    drawn: set[int] = set() if large else set(kept)
    while len(drawn) < (n - size if large else size):
        row = min(int(uniform() * n + 1), n) - 1
        if not (large and row in kept):
            drawn.add(row)
    return np.setdiff1d(np.arange(n), sorted(drawn)) if large else np.array(sorted(drawn))


def _clusters(x: FloatArray, sample: IntArray, plan: SamplePlan) -> Clusters | None:
    """All rows around the medoids of a sample; None where a distance that is needed is missing.

    Raises ValueError where a cluster has no rows.
    """
    d = sample_distances(x[sample], plan.metric)
    if np.isnan(d).any() and not _all_share_columns(x[sample]):
        return None
    chosen, _ = choose_medoids(d, plan.k, swap=plan.k > 1, least=0.0, second_nearest=plan.pam_like)
    found = _assigned(x, sample[chosen], plan, own=not np.isnan(x).any())
    if found is None:
        return None
    labels, late, nearest = found
    if len(np.unique(labels)) < plan.k:
        raise ValueError(
            f"k={plan.k} clusters, of which one has no rows: with missing values a medoid may be as near to "
            "another one as to itself, and R reads outside of its arrays; impute values or take a smaller k"
        )
    order = np.argsort([np.flatnonzero(labels == c)[0] for c in range(plan.k)])
    table = _spread(d[np.ix_(chosen, chosen)], labels, nearest)[order]
    late = late[:, order]
    late[np.isnan(late[:, 0]), 0] = -np.inf  # R compares with the first medoid, also where that is unknown
    last = np.where(np.isnan(late), np.inf, late).argmin(axis=1)
    objective = float(sequential_sum(nearest[:, None])[0]) / len(x)
    return Clusters(sample, sample[chosen][order], last, table, objective)


def _assigned(
    x: FloatArray, medoids: IntArray, plan: SamplePlan, own: bool
) -> tuple[IntArray, FloatArray, FloatArray] | None:
    """The nearest medoid of each row by sums, distances that are scaled after the root, those to the nearest.

    With `own` each medoid belongs to itself. None where a row has no distance.
    """
    sums, share = _sums(x, x[medoids], plan.metric, plan.correct)
    scaled, late = sums * share, _rooted(sums, plan.metric) * share
    if plan.metric == "jaccard":
        late = distance_sums(x, x[medoids], "manhattan")[0] * share
    scaled[(share == 0) | np.isnan(scaled)] = np.inf
    if own:
        for v in (scaled, late):
            v[medoids] = np.where(np.eye(len(medoids)) > 0, -1.0, np.inf)
    nearest = scaled.min(axis=1)
    if (nearest == np.inf).any():
        return None
    return scaled.argmin(axis=1), late, _rooted(np.maximum(nearest, 0.0), plan.metric)


def _all_share_columns(x: FloatArray) -> bool:
    """Whether every two rows have a column that is known in both."""
    known = (~np.isnan(x)).astype(float)
    return bool((known @ known.T > 0).all())


def _spread(between: FloatArray, labels: IntArray, nearest: FloatArray) -> FloatArray:
    """The numbers on each cluster; a medoid that has another one at distance 0 gives -1 for the last.

    Shapes: between (k, k), the dissimilarities of the medoids; returns (k, 3).
    """
    k = len(between)
    table = np.zeros((k, 3))
    for c, row in enumerate(between + np.diag(np.full(k, np.inf))):
        own = nearest[labels == c]
        apart = np.nanmin(row)
        isolation = own.max() / apart if apart > 0 else -1.0
        table[c] = own.max(), sequential_sum(own[:, None])[0] / len(own), isolation
    return table

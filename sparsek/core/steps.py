"""Sums, gains, nearest centres, and the loop that alternates them: the steps that the methods share.

Data matrices here are *prepared* (see `sparsek.core.scaling.prepare`): columns centred, and one
last column of ones. The ones turn cluster sums into cluster sizes, and carry the constant of the distance
through a matrix product.

Products of matrices have rounding errors that depend on the processor and on how the rows are stored. Where
two centres come closer to each other than these errors, one rule decides (`Ties`): the squared differences in
each column, rounded, are added exactly, and the lowest index wins if sums are equal. The outcome depends on
the row and the centres alone.

Every method alternates: update the parameters given labels, assign labels given the parameters, stop. A
method supplies these as plain functions (`alternate`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csc_array

from sparsek.core.exact_sums import MOST_BITS, Grid, reach_of

Array = NDArray[Any]
Labels = NDArray[np.int32]

SMALL_SCORES = 20_000
"""Up to this many distances, numpy's own argmin beats the cached chunks."""
CHUNK_ROWS = 8192
"""Rows scored at a time, so that the (n_clusters, rows) scores stay in the processor's cache."""
REFRESH_ROWS = 4
"""The sums of one start are recomputed when this many times n rows have moved."""
GATHERED_SHARE = 16
"""If at most one row in this many moved, the moved rows are copied; else all rows are read."""
DENSE_CHANGE = 1_000_000
"""Up to this many products, a small dense matrix beats a sparse one."""
ROUNDING = {kind: float(np.finfo(kind).eps) / 2 for kind in "fd"}
"""Unit roundoff of the types of rows."""
COMPARED_ENTRIES = 262_144
"""Differences (rows x centres x columns) that are compared at a time."""


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums of the rows of each cluster."""

    labels: Labels  # (n,) int32: the partition, clusters numbered from 0
    # (n_clusters, p + 1): weighted sums of the prepared rows; the last column holds the cluster sizes
    sums: Array
    age: int = 0  # Rows that moved since the sums were last computed in full; 0 for exact sums
    # (n_clusters, p + 1) int64: the exact sums in multiples of the units of a grid; None for sums that were
    # rounded on the way
    whole: Array | None = None

    @property
    def counts(self) -> Array:
        """Cluster sizes (sums of sample weights), shape (n_clusters,)."""
        return self.sums[:, -1]

    @property
    def means(self) -> Array:
        """Cluster means, shape (n_clusters, p); an empty cluster stays at the origin."""
        return self.sums[:, :-1] / nonzero(self.counts)[:, None]

    @property
    def gains(self) -> Array:
        """n_k mu_kl^2 = S_kl^2 / n_k, (n_clusters, p); 0 for empty clusters and for a cluster of all rows."""
        if np.count_nonzero(self.counts) == 1:
            # The mean of centred data is 0 but for rounding.
            return np.zeros_like(self.sums[:, :-1])
        sums = self.sums[:, :-1]
        return sums * sums / nonzero(self.counts)[:, None]

    @property
    def total_gains(self) -> Array:
        """Gains added over the clusters, shape (p,)."""
        if np.count_nonzero(self.counts) == 1:
            return np.zeros_like(self.sums[0, :-1])
        return added_gains(self.sums)


def added_gains(sums: Array) -> Array:
    """Gains (..., p) added over the clusters, one after the other, from their sums (..., k, p + 1)."""
    gains = np.square(sums[..., :-1])
    # Reciprocals, and clusters one after the other, are as in the compiled loop, so that both rank alike.
    gains *= (1 / nonzero(sums[..., -1]))[..., None]
    total: Array = gains[..., 0, :].copy()
    for k in range(1, sums.shape[-2]):
        total += gains[..., k, :]
    return total


def cluster_sizes(labels: Labels, n_clusters: int) -> Array:
    """Numbers of rows of the clusters."""
    return np.bincount(labels, minlength=n_clusters)


def added_in_order(terms: Array) -> Array:
    """Sums along the last axis, from the first term on, in double precision: as the published loops add."""
    return np.asarray(np.add.accumulate(terms, axis=-1, dtype=np.float64)[..., -1])


def nonzero(counts: Array) -> Array:
    """Replace counts of 0 by 1, for division."""
    found: Array = counts + (counts == 0)
    return found


def cluster_sums(X: Array, labels: Labels, n_clusters: int, weights: Array | None = None) -> ClusterSums:
    """Sum the rows of each cluster: one-hot matrix times X, which reads X once in storage order."""
    n = len(labels)
    data = np.ones(n, dtype=X.dtype) if weights is None else weights
    one_hot = csc_array((data, labels, np.arange(n + 1, dtype=np.int32)), shape=(n_clusters, n))
    return ClusterSums(labels, one_hot @ X)


def moved_sums(X: Array, labels: Labels, previous: ClusterSums, weights: Array | None = None) -> ClusterSums:
    """Cluster sums of new labels from the previous sums: only rows that moved are read."""
    n_clusters, n = len(previous.sums), len(labels)
    moved = np.flatnonzero(labels != previous.labels)
    m = len(moved)
    age = previous.age + m
    # Rounding errors of one change after the other build up, until the sums are taken afresh.
    if age > REFRESH_ROWS * n or 4 * m > n:
        return cluster_sums(X, labels, n_clusters, weights)
    new, old = labels[moved], previous.labels[moved]
    step = np.ones(m, dtype=X.dtype) if weights is None else weights[moved]
    if m * n_clusters * X.shape[1] <= DENSE_CHANGE:
        change = np.zeros((n_clusters, m), dtype=X.dtype)
        change[new, np.arange(m)] = step
        change[old, np.arange(m)] = -step
        sums = previous.sums + change @ X[moved]
    else:
        data, rows = np.column_stack([step, -step]).ravel(), np.column_stack([new, old]).ravel()
        if GATHERED_SHARE * m <= n:
            pointers = np.arange(0, 2 * m + 1, 2, dtype=np.int32)
            sums = previous.sums + csc_array((data, rows, pointers), shape=(n_clusters, m)) @ X[moved]
        else:
            # One column per row of X, empty for rows that stayed. The product copies no row.
            pointers = np.zeros(n + 1, dtype=np.int32)
            pointers[moved + 1] = 2
            moves = csc_array((data, rows, np.cumsum(pointers, out=pointers)), shape=(n_clusters, n))
            sums = previous.sums + moves @ X
    empty = np.bincount(labels, minlength=n_clusters) == 0
    if empty.any():
        sums[empty] = 0  # exact zeros instead of rounding errors
    return ClusterSums(labels, sums, age)


def score_coefficients(centers: Array) -> Array:
    """Rows (-theta_k, ||theta_k||^2 / 2); times a prepared row x: (||x - theta_k||^2 - ||x||^2) / 2."""
    coefficients = np.empty((*centers.shape[:-1], centers.shape[-1] + 1), centers.dtype)
    np.negative(centers, out=coefficients[..., :-1])
    # The last column of a prepared row is 1, so that this constant comes out of the same matrix product.
    coefficients[..., -1] = 0.5 * np.einsum("...i,...i->...", centers, centers)
    return coefficients


def scaled_coefficients(centers: Array, factors: Any) -> Array:
    """Score coefficients of centres for rows whose columns times `factors` are comparable with them."""
    coefficients = score_coefficients(centers)
    if factors is not None:
        coefficients[:, :-1] *= factors
    return coefficients


def nearest(X: Array, centers: Array, room: Array | None = None, ties: Ties | None = None) -> Labels:
    """Index of the nearest centre of each prepared row; ties go to the lowest index; see `lowest_score`."""
    return lowest_score(X, score_coefficients(centers), room, ties)


def nearest_center(Z: Array, centers: Array) -> Labels:
    """The nearest centre of each prepared row, with near ties decided exactly."""
    return nearest(Z, centers, ties=Ties.of(centers, length(reach_of(Z)[:-1]), rows_of(Z)))


def lowest_score(
    X: Array, coefficients: Array, room: Array | None = None, ties: Ties | None = None
) -> Labels:
    """Index of the smallest entry of each row of X @ coefficients.T; ties go to the lowest index.

    `room` is memory for the scores, n * n_clusters entries of the type of X, for callers with many pieces.
    Rows whose scores are equal up to rounding are decided by `ties`, if given.
    """
    n, n_clusters = len(X), len(coefficients)
    labels = np.empty(n, dtype=np.int32)
    step = n if n * n_clusters <= SMALL_SCORES else CHUNK_ROWS
    if room is None:
        room = np.empty(n_clusters * min(n, step), np.result_type(X, coefficients))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        scores = room[: n_clusters * (rows.stop - start)].reshape(n_clusters, -1)
        np.matmul(coefficients, X[rows].T, out=scores)
        if step == n:
            labels[:], best = scores.argmin(axis=0), scores.min(axis=0)
        else:
            labels[rows], best = lowest(scores)
        if ties is not None:
            ties.settle(scores, best, labels[rows], start)
    return labels


def first_minimum(scores: Array) -> Array:
    """Row index of the smallest entry of each column, lowest index on ties; faster than argmin(axis=0)."""
    return lowest(scores)[0]


def lowest(scores: Array) -> tuple[Array, Array]:
    """As `first_minimum`, and the smallest entries too."""
    n_rows = len(scores)
    # Small integers take less memory than the scores, and every index fits.
    small = np.min_scalar_type(-n_rows)
    best = scores[0].copy()
    labels = np.zeros(scores.shape[1], dtype=small)
    for k in range(1, n_rows):
        better = scores[k] < best
        np.minimum(best, scores[k], out=best)
        # k exceeds every label so far, so that the maximum writes it exactly where row k is better.
        np.maximum(labels, np.multiply(better, k, dtype=small), out=labels)
    return labels, best


def two_smallest(scores: Array) -> tuple[Array, Array, Array]:
    """Find the index of each column's smallest entry, lowest on ties, that entry and the second smallest."""
    small = np.min_scalar_type(-len(scores))
    best = scores[0].copy()
    second = np.full_like(best, np.inf)
    labels = np.zeros(len(best), dtype=small)
    for k in range(1, len(scores)):
        better = scores[k] < best
        # The larger of the best so far and the new score is the only new candidate for the second place.
        np.minimum(second, np.maximum(best, scores[k]), out=second)
        np.minimum(best, scores[k], out=best)
        np.maximum(labels, np.multiply(better, k, dtype=small), out=labels)
    return labels, best, second


def squared_distances(X: Array, labels: Labels, centers: Array) -> Array:
    """||x_i - theta_label(i)||^2 by direct differences, for prepared rows."""
    difference = X[:, :-1] - centers[labels]
    squares: Array = np.einsum("ij,ij->i", difference, difference)
    return squares


def largest(gains: Array, n_selected: int, lift: Array | None = None) -> NDArray[np.intp]:
    """Sorted indices of the n_selected largest gains of each row; ties go to the lowest index.

    `lift`, of one row, is added first: infinite for columns that come before all others, or after them.
    """
    gains = gains if lift is None else gains + lift
    last = gains.shape[1] - n_selected
    threshold = np.partition(gains, last, axis=1)[:, last, None]
    chosen = gains >= threshold
    found = np.nonzero(chosen)[1]
    if len(found) == len(gains) * n_selected:
        return found.reshape(len(gains), n_selected)
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > n_selected):
        tied = np.flatnonzero(gains[row] == threshold[row])
        # Of the columns that tie for the last places, those with the highest index give way.
        surplus = np.count_nonzero(chosen[row]) - n_selected
        chosen[row, tied[len(tied) - surplus :]] = False
    return np.nonzero(chosen)[1].reshape(len(gains), n_selected)


def used_features(selected: Array, p: int) -> NDArray[np.bool_]:
    """Mask of the selected features: (p,) or, for scope "local", (n_clusters, p)."""
    rows = list(selected) if is_by_cluster(selected) else [selected]
    mask = np.zeros((len(rows), p), dtype=bool)
    for own, columns in zip(mask, rows, strict=True):
        own[columns] = True
    return mask if is_by_cluster(selected) else mask[0]


def is_by_cluster(selected: Array) -> bool:
    """Whether there is a set of features for each cluster: a row of indices, or arrays of other lengths."""
    return selected.ndim == 2 or selected.dtype == object


@dataclass(frozen=True, slots=True)
class Ties:
    """How rows that are near to two centres are decided."""

    centers: Array  # (k, m): centres in the coordinates of the distance and the precision of the rows
    # Scores (halved squared distances without the row's own length) that differ by less may be in the wrong
    # order
    doubt: float
    # ``take(rows)`` gives the coordinates (r, m) of some rows, as they were rounded
    take: Callable[[Array], Array]
    # ``observed(rows)`` is 1 where a coordinate counts and 0 where not; None where all count
    observed: Callable[[Array], Array] | None = None

    @classmethod
    def of(
        cls,
        centers: Array,
        size: float,
        take: Callable[[Array], Array],
        observed: Callable[[Array], Array] | None = None,
        shift: float = 0.0,
    ) -> Ties:
        """The rule for rows of at most the length `size`; scores may be of rows that are `shift` away."""
        return cls(centers, doubt_of(centers, size, shift), take, observed)

    def settle(self, scores: Array, best: Array, labels: Array, first: int = 0) -> None:
        """Correct `labels` of the rows from `first` on; of their scores (k, n), `best` is the least."""
        near = scores <= best + best.dtype.type(self.doubt)
        # Each best score is near to itself, so that more marks than rows mean that some row has two.
        if np.count_nonzero(near) > len(best):
            rows = np.flatnonzero(np.count_nonzero(near, axis=0) > 1)
            labels[rows] = self.decide(rows + first)

    def decide(self, rows: Array) -> Array:
        """Labels of the rows with these numbers, compared where products in float64 cannot decide."""
        centers = self.centers.astype(np.float64)
        halves, found = 0.5 * np.square(centers).T, np.empty(len(rows), np.int32)
        longest = float(np.sqrt(2 * halves.sum(axis=0).max(initial=0)))
        for part in pieces(len(rows), centers.shape[1]):
            x = self.take(rows[part]).astype(np.float64, copy=False)
            counted = None if self.observed is None else self.observed(rows[part]).astype(np.float64)
            scores = (halves.sum(axis=0) if counted is None else counted @ halves) - x @ centers.T
            nearest = scores.argmin(axis=1)
            size = np.sqrt(np.einsum("ij,ij->i", x, x)) + longest
            # The margin of each row follows its own length, so that few rows need the exact comparison.
            margin = scores[np.arange(len(x)), nearest] + doubt(centers, size)
            near = np.flatnonzero(np.count_nonzero(scores <= margin[:, None], axis=1) > 1)
            for some in pieces(len(near), centers.size):
                these = near[some]
                nearest[these] = nearest_exactly(
                    x[these], centers, None if counted is None else counted[these]
                )
            found[part] = nearest
        return found


def doubt_of(centers: Array, size: float, shift: float = 0.0) -> float:
    """`Ties.doubt` for centres and rows of at most the length `size`, see `Ties.of`."""
    wide = centers.astype(np.float64, copy=False)
    longest = math.sqrt(np.einsum("ij,ij->i", wide, wide).max(initial=0))
    # A row that is off by `shift` changes each of two scores by up to longest * shift.
    return float(doubt(centers, size + longest)) + 2 * longest * shift


def length(reach: Array) -> float:
    """Largest length that a row can have whose columns have these bounds."""
    return math.sqrt(np.square(reach).sum())


def pieces(n: int, entries: int) -> Iterator[slice]:
    """Slices of n rows, each of about `COMPARED_ENTRIES` entries, where a row takes `entries`."""
    step = max(1, COMPARED_ENTRIES // max(1, entries))
    return (slice(start, start + step) for start in range(0, n, step))


def doubt(centers: Array, size: Any) -> Any:
    """Bound the rounding error of the difference of two scores; `size` is the length of row plus centre.

    A product of m + 1 terms has an error of at most m + 2 roundings of the product of the lengths, a
    coordinate and its square of a few more.
    """
    m = centers.shape[-1]
    rounding = ROUNDING[centers.dtype.char]
    # `nearest_exactly` rounds m squares for each of two centres to this unit of the largest square.
    unit = 2.0 ** -min(MOST_BITS, 62 - m.bit_length())
    return ((4 * m + 64) * rounding + 2 * m * unit) * size * size


def nearest_exactly(x: Array, centers: Array, observed: Array | None = None) -> Array:
    """Index of the centre with the least exact sum of rounded squared differences, lowest index on ties.

    Shapes: x (r, m) float64, centers (k, m) float64, observed (r, m); returns (r,) intp.
    """
    terms = x[:, None, :] - centers
    np.square(terms, out=terms)
    if observed is not None:
        terms *= observed[:, None, :]
    grid = Grid.of(terms.max(axis=(1, 2), initial=0)[:, None, None], max(1, terms.shape[2]))
    found: Array = grid.multiples(terms).sum(axis=2).argmin(axis=1)
    return found


def exact_lengths(terms: Array) -> Array:
    """Add the squares of the terms (r, m) of each row exactly, and round once: (r,). `terms` are lost."""
    np.square(terms, out=terms)
    return row_sums(terms)


def row_keys(x: Array) -> Array:
    """A number for each row (r, m) that equal rows share and others hardly ever do, whatever their order."""
    return row_sums(x * fixed_direction(x.shape[1]))


def fixed_direction(m: int) -> Array:
    """Coefficients of the linear combination of m columns that orders the rows."""
    # The seed is fixed, so that the same row has the same key in every run.
    return np.random.default_rng(0).standard_normal(m + 1)[:-1]


def row_sums(terms: Array) -> Array:
    """Exact sums of each row, rounded once; `terms` are lost."""
    if not terms.shape[1]:
        return np.zeros(len(terms))
    grid = Grid.of(np.abs(terms).max(axis=1)[:, None], terms.shape[1])
    sums = grid.multiples(terms).sum(axis=1)
    found: Array = grid.values(sums[:, None])[:, 0]
    return found


def rows_of(block: Array, factors: Any = None) -> Callable[[Any], Array]:
    """`Ties.take` for prepared rows, ones last, whose columns count times `factors`."""
    if factors is None:
        return lambda rows: block[rows, :-1]
    return lambda rows: block[rows, :-1] * factors


class Params(Protocol):
    """Parameters that `update` returns: any object with the value of the criterion, always minimised."""

    @property
    def criterion(self) -> float:
        """Criterion at these parameters and the labels they were computed from."""


P = TypeVar("P", bound=Params)


@dataclass(frozen=True, slots=True)
class FitResult(Generic[P]):
    """Result of one start."""

    labels: Labels  # (n,) int32: assignment under `params`
    params: P  # Last parameters
    history: tuple[float, ...]  # Criterion after each update, never increasing
    converged: bool  # Whether the stopping rule was met within `max_iter`

    @property
    def criterion(self) -> float:
        """Criterion after the last update."""
        return self.history[-1]

    @property
    def n_iter(self) -> int:
        """Number of iterations, including the last one, which changed nothing."""
        return len(self.history)


def same_labels(old: Labels, new: Labels, params: object, previous: object | None) -> bool:
    """Whether no label changed."""
    return bool(np.array_equal(old, new))


def alternate(
    X: Array,
    labels: Labels,
    update: Callable[[Array, Labels, P | None], P],
    assign: Callable[[Array, P, Labels], Labels],
    converged: Callable[[Labels, Labels, P, P | None], bool] = same_labels,
    max_iter: int = 300,
) -> FitResult[P]:
    """Alternate `update` and `assign` from the given labels until `converged` or `max_iter`.

    Shapes: labels (n,) int32.
    """
    params: P | None = None
    history: list[float] = []
    done = False
    while not done and len(history) < max_iter:
        previous, old = params, labels
        params = update(X, labels, previous)
        history.append(params.criterion)
        labels = assign(X, params, labels)
        done = converged(old, labels, params, previous)
    if params is None:
        raise ValueError(f"max_iter must be at least 1; got {max_iter}")
    return FitResult(labels, params, tuple(history), done)


def run_all(
    run: Callable[[Labels], FitResult[P]], starts: Iterable[Labels], n_jobs: int | None = None
) -> list[FitResult[P]]:
    """Run every start, `n_jobs` at a time in threads (joblib); results do not depend on `n_jobs`."""
    if effective_n_jobs(n_jobs) == 1:
        return [run(labels) for labels in starts]
    return list(Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(run)(labels) for labels in starts))


def hand_out_farthest(labels: Labels, counts: Array, distances: Array, noise: Array) -> Labels:
    """Give each empty cluster the farthest row, if above `noise`, of a cluster with several rows."""
    labels = labels.copy()
    for k in np.flatnonzero(counts == 0):
        row = int(np.argmax(np.where(counts[labels] > 1, distances, -1)))
        if distances[row] <= noise[row]:
            break
        # The counts change at once, so that no cluster gives away its last row.
        counts[labels[row]] -= 1
        counts[k] += 1
        labels[row] = k
        # The row is its cluster's centre now and is not moved again.
        distances[row] = 0
    return labels

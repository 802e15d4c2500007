"""Robust sparse k-means: trimmed k-means on weighted columns, weights from the rows that are not outlying.

Alternates trimmed k-means in the weighted distance and the weights of sparse k-means. The weights use only
rows that are trimmed neither in the weighted nor in the unweighted distance.

Source: Kondo, Salibian-Barrera and Zamar (2012), "A robust and sparse K-means clustering algorithm",
arXiv:1201.6082, and (2016), J. Statistical Software 72(5). Trimmed k-means: Cuesta-Albertos, Gordaliza
and Matran (1997), Annals of Statistics 25, 553-576.

A partition is written as one array of *classes*: the label of a row that is kept, and its complement
``~label``, which is negative, for a trimmed row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.scaling import Scaling, prepare
from sparsek.core.steps import (
    CHUNK_ROWS,
    Array,
    ClusterSums,
    FitResult,
    Labels,
    alternate,
    cluster_sums,
    first_minimum,
    hand_out_farthest,
    score_coefficients,
    squared_distances,
)
from sparsek.core.weights import l1_weights, weighted_columns, weights_settled

TRIMMED_ITERATIONS = 300
"""Largest number of iterations inside one trimmed k-means; the next one continues from its result."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrimmedMeans:
    """Means of the kept rows of each cluster, shape (n_clusters, p), and the sum of squares around them."""

    centers: Array
    criterion: float


@dataclass(frozen=True, slots=True)
class TrimmedWeighting:
    """Weights, with the centres and trimmed rows from which they were computed."""

    centers: Array  # (n_clusters, p): means, in all features, of the rows kept in the weighted distance
    far: Mask  # (n,) bool: rows farthest from their centres in the unweighted distance
    weights: Array  # (p,) float64: feature weights w
    criterion: float  # -sum_j w_j BCSS_j over the rows outside both sets


@dataclass(frozen=True, slots=True)
class RobustStart(FitResult[TrimmedWeighting]):
    """Result of one start."""

    # (n,) bool: rows trimmed in the weighted distance; like all others they have the label of the nearest
    # centre
    trimmed: Mask
    gain: float  # Criterion to compare starts: see `gain`
    cycle: int  # Number of weight updates that repeat for ever; 1 where the partition stays the same

    @property
    def criterion(self) -> float:
        """Minus the gain."""
        return -self.gain


def labels_of(classes: Labels) -> Labels:
    """Nearest cluster of every row, trimmed ones too."""
    return np.where(classes < 0, ~classes, classes)


def median_scaling(X: Array, standardize: bool) -> tuple[Array, Scaling]:
    """Prepared data centred at the column medians, so that outliers do not cost the other rows digits."""
    about_means = prepare(X, None, standardize=standardize, by_column=standardize)[1]
    unit = about_means.unit
    middle = 2 * np.median(X * (unit / 2), axis=0)  # the sum of two constants could overflow
    scaling = Scaling(unit, middle.astype(X.dtype), about_means.spread)
    return scaling.apply(X), scaling


def robust_sparse_kmeans(
    X: Array,
    labels: Labels,
    *,
    n_clusters: int,
    l1_bound: float,
    n_trimmed: int,
    max_iter: int = 100,
    tol: float = 1e-4,
) -> RobustStart:
    """One start of robust sparse k-means from given labels.

    Shapes: X (n, p + 1), labels (n,) int32.
    """
    sizes: Any = {"n_clusters": n_clusters, "n_trimmed": n_trimmed}
    classes = trimmed_kmeans(X, trim_start(X, labels, **sizes), **sizes).labels
    path: list[tuple[Labels, TrimmedWeighting]] = []
    seen: dict[bytes, int] = {}
    first, settled = None, False
    while first is None and not settled and len(path) < max_iter:
        seen[classes.tobytes()] = len(path)
        params = update_trimmed_weights(X, classes, l1_bound=l1_bound, **sizes)
        settled = weights_settled(params.weights, path[-1][1].weights if path else None, tol)
        path.append((classes, params))
        classes = assign_trimmed(X, params.weights, classes, **sizes)
        first = seen.get(classes.tobytes())
    converged = settled or first is not None
    if first is None:  # The last partition has no weights yet.
        first = len(path) - 1
        path[first] = classes, update_trimmed_weights(X, classes, l1_bound=l1_bound, **sizes)
    gains = [gain(X, params.weights, classes, **sizes) for classes, params in path[first:]]
    chosen = first + int(np.argmax(gains))
    classes, final = path[chosen]
    history = tuple(params.criterion for _, params in path[: chosen + 1])
    return RobustStart(labels_of(classes), final, history, converged, classes < 0, max(gains), len(gains))


def update_trimmed_weights(
    X: Array, classes: Labels, *, n_clusters: int, n_trimmed: int, l1_bound: float
) -> TrimmedWeighting:
    """Second trimmed set; weights of sparse k-means and criterion on untrimmed rows."""
    kept, labels = classes >= 0, labels_of(classes)
    sums = cluster_sums(X, labels, n_clusters, kept.astype(X.dtype))
    centers = sums.means
    far = largest_entries(squared_distances(X, labels, centers), n_trimmed)
    if n_trimmed:
        sums = cluster_sums(X, labels, n_clusters, (kept & ~far).astype(X.dtype))
    bcss = between(sums)
    weights = l1_weights(bcss, l1_bound)
    return TrimmedWeighting(centers, far, weights, -float(weights @ bcss))


def between(sums: ClusterSums) -> NDArray[np.float64]:
    """BCSS per feature, sum_k n_k (mu_kj - mu_j)^2; the rows need not have mean 0."""
    counts = sums.counts.astype(np.float64)
    mean = sums.sums[:, :-1].sum(axis=0, dtype=np.float64) / max(counts.sum(), 1)
    deviations = np.where(counts[:, None] > 0, sums.means - mean, 0.0)
    squares: NDArray[np.float64] = np.einsum("k,kl,kl->l", counts, deviations, deviations)
    return squares


def assign_trimmed(X: Array, weights: Array, classes: Labels, *, n_clusters: int, n_trimmed: int) -> Labels:
    """Trimmed k-means on the columns scaled by sqrt(w), from the current classes."""
    if not weights.any():
        return classes
    return trimmed_kmeans(weighted_columns(X, weights), classes, n_clusters, n_trimmed).labels


def gain(X: Array, weights: Array, classes: Labels, *, n_clusters: int, n_trimmed: int) -> float:
    """Trimmed sum of squares around one centre minus that around all centres, in the weighted distance.

    Without trimming this is sum_j w_j BCSS_j. With trimming, sum_j w_j BCSS_j is large if a far outlier is
    its own cluster; the gain is not, because with one centre the outlier is trimmed.
    """
    if not weights.any():
        return 0.0
    weighted = weighted_columns(X, weights)
    together = trim_start(weighted, np.zeros_like(classes), 1, n_trimmed)
    one = trimmed_kmeans(weighted, together, 1, n_trimmed).labels
    return kept_squares(weighted, one, 1) - kept_squares(weighted, classes, n_clusters)


def kept_squares(X: Array, classes: Labels, n_clusters: int) -> float:
    """Sum of squares of the kept rows around their means, by direct differences."""
    rows = np.flatnonzero(classes >= 0)
    kept, labels = X[rows], classes[rows]
    centers = cluster_sums(kept, labels, n_clusters).means
    return float(squared_distances(kept, labels, centers).sum(dtype=np.float64))


def trimmed_total(X: Array, n_trimmed: int) -> float:
    """Sum of the n - n_trimmed smallest squared norms, to which rounding of trimmed sums is relative."""
    norms = np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    return float(np.sort(norms)[: len(norms) - n_trimmed].sum(dtype=np.float64))


def trimmed_kmeans(X: Array, classes: Labels, n_clusters: int, n_trimmed: int) -> FitResult[TrimmedMeans]:
    """Trimmed k-means from given classes: means of the kept rows, nearest centres, trimming.

    Shapes: X (n, p + 1), classes (n,) int32.
    """
    norms = np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    update = partial(kept_means, n_clusters=n_clusters, norms=norms)
    assign = partial(assign_and_trim, n_trimmed=n_trimmed, norms=norms)
    return alternate(X, classes, update, assign, max_iter=TRIMMED_ITERATIONS)


def kept_means(
    X: Array, classes: Labels, previous: TrimmedMeans | None, *, n_clusters: int, norms: Array
) -> TrimmedMeans:
    """Means of the kept rows, and their sum of squares by sum ||x||^2 - sum_k n_k ||mu_k||^2."""
    kept = classes >= 0
    sums = cluster_sums(X, labels_of(classes), n_clusters, kept.astype(X.dtype))
    means = sums.means
    within = norms[kept].sum() - np.einsum("k,kl,kl->", sums.counts, means, means)
    return TrimmedMeans(means, max(float(within), 0.0))


def assign_and_trim(
    X: Array, params: TrimmedMeans, classes: Labels, *, n_trimmed: int, norms: Array
) -> Labels:
    """Nearest centre of every row, ties to the lowest index; then the farthest rows are trimmed."""
    centers = params.centers
    coefficients = score_coefficients(centers)
    labels, scores = nearest_scores(X, coefficients)
    noise = 64 * np.finfo(X.dtype).eps * (norms + 2 * coefficients[labels, -1])
    trimmed = farthest_rows(X, labels, centers, n_trimmed, 2 * scores + norms, noise)
    counts = np.bincount(labels[~trimmed], minlength=len(centers))
    if not counts.all():
        kept = np.flatnonzero(~trimmed)
        exact = squared_distances(X[kept], labels[kept], centers)
        labels[kept] = hand_out_farthest(labels[kept], counts, exact, noise[kept])
    return np.where(trimmed, ~labels, labels)


def nearest_scores(X: Array, coefficients: Array) -> tuple[Labels, Array]:
    """Column of the smallest entry of each row of X @ coefficients.T, and that entry."""
    labels = np.empty(len(X), dtype=np.int32)
    lowest = np.empty(len(X), dtype=X.dtype)
    for start in range(0, len(X), CHUNK_ROWS):
        rows = slice(start, start + CHUNK_ROWS)
        scores = coefficients @ X[rows].T
        labels[rows] = first_minimum(scores)
        scores.min(axis=0, out=lowest[rows])
    return labels, lowest


def farthest_rows(
    X: Array, labels: Labels, centers: Array, n_trimmed: int, distances: Array, noise: Array
) -> Mask:
    """Mask of the rows of largest distance; rows within `noise` of the border are compared exactly."""
    if n_trimmed == 0:
        return np.zeros(len(X), dtype=bool)
    first = len(X) - n_trimmed
    border = np.argpartition(distances, first)[first]
    beyond = distances - distances[border]
    near = np.flatnonzero(np.abs(beyond) <= noise + noise[border])
    chosen: Mask = beyond > 0
    chosen[near] = False
    number = n_trimmed - int(np.count_nonzero(chosen))
    chosen[near] = largest_entries(squared_distances(X[near], labels[near], centers), number)
    return chosen


def largest_entries(values: Array, number: int) -> Mask:
    """Mask of the largest entries; of entries tied at the border, the first ones."""
    chosen: Mask = np.zeros(len(values), dtype=bool)
    if number == 0:
        return chosen
    border = np.partition(values, len(values) - number)[len(values) - number]
    chosen = values > border
    tied = np.flatnonzero(values == border)
    chosen[tied[: number - np.count_nonzero(chosen)]] = True
    return chosen


def trim_start(X: Array, labels: Labels, n_clusters: int, n_trimmed: int) -> Labels:
    """Classes from labels: the rows farthest from the column medians of their clusters are trimmed."""
    if n_trimmed == 0:
        return labels
    medians = np.zeros((n_clusters, X.shape[1] - 1), dtype=X.dtype)
    for j in np.unique(labels):
        medians[j] = np.median(X[labels == j, :-1], axis=0)
    trimmed = largest_entries(squared_distances(X, labels, medians), n_trimmed)
    return np.where(trimmed, ~labels, labels)

"""Robust sparse k-means: trimmed k-means on weighted columns, weights from the rows that are not outlying.

Alternates trimmed k-means in the weighted distance and the weights of sparse k-means. The weights use only
rows that are trimmed neither in the weighted nor in the unweighted distance.

Source: Kondo, Salibian-Barrera and Zamar (2012), "A robust and sparse K-means clustering algorithm",
arXiv:1201.6082, and (2016), J. Statistical Software 72(5). Trimmed k-means: Cuesta-Albertos, Gordaliza
and Matran (1997), Annals of Statistics 25, 553-576.

Partitions are arrays of the classes of `sparsek.methods.robust.trimmed_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.medians import observed_medians
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
from sparsek.methods.robust.trimmed_rows import Mask, Trim, farthest_rows, labels_of, trim_start

TRIMMED_ITERATIONS = 300
"""Largest number of iterations inside one trimmed k-means; the next one continues from its result."""


@dataclass(frozen=True, slots=True)
class TrimmedMeans:
    """Means of the kept rows of each cluster, shape (n_clusters, p), and the sum of squares around them."""

    centers: Array
    criterion: float


@dataclass(frozen=True, slots=True)
class TrimmedWeighting:
    """Weights, with the centres and trimmed rows from which they were computed."""

    centers: Array  # (n_clusters, p): means, in all features, of the rows kept in the weighted distance
    far: Array  # (n,): rows farthest from their centres in the unweighted distance, as `Trim.largest`
    weights: Array  # (p,) float64: feature weights w
    criterion: float  # -sum_j w_j BCSS_j over the rows outside both sets


@dataclass(frozen=True, slots=True)
class RobustStart(FitResult[TrimmedWeighting]):
    """Result of one start."""

    # (n,) bool: rows trimmed in the weighted distance; like all others they have the label of the nearest
    # centre
    trimmed: Mask
    kept: Array  # (n,): how much of each row is kept in the weighted distance, as `Trim.kept`
    gain: float  # Criterion to compare starts: see `gain`
    cycle: int  # Number of weight updates that repeat for ever; 1 where the partition stays the same

    @property
    def criterion(self) -> float:
        """Minus the gain."""
        return -self.gain


def median_scaling(X: Array, standardize: bool, weights: Array | None = None) -> tuple[Array, Scaling]:
    """Prepared data centred at the column medians, so that outliers do not cost the other rows digits."""
    about_means = prepare(X, weights, standardize=standardize, by_column=standardize)[1]
    unit = about_means.unit
    middle = 2 * observed_medians(X * (unit / 2), weights)  # the sum of two constants could overflow
    scaling = Scaling(unit, middle.astype(X.dtype), about_means.spread)
    return scaling.apply(X), scaling


def robust_sparse_kmeans(
    X: Array,
    labels: Labels,
    *,
    n_clusters: int,
    l1_bound: float,
    n_trimmed: float,
    mass: Array | None = None,
    max_iter: int = 100,
    tol: float = 1e-4,
) -> RobustStart:
    """One start of robust sparse k-means from given labels.

    `n_trimmed` is a number of rows or, with weights `mass`, an amount of weight.

    Shapes: X (n, p + 1), labels (n,) int32, mass (n,) float64.
    """
    sizes: Any = {"n_clusters": n_clusters, "trim": Trim(n_trimmed, mass)}
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
    # A cycle has no last partition, so that the best of one round is taken.
    gains = [gain(X, params.weights, classes, **sizes) for classes, params in path[first:]]
    chosen = first + int(np.argmax(gains))
    classes, final = path[chosen]
    history = tuple(params.criterion for _, params in path[: chosen + 1])
    trimmed, kept = classes < 0, sizes["trim"].kept(classes)
    return RobustStart(labels_of(classes), final, history, converged, trimmed, kept, max(gains), len(gains))


def update_trimmed_weights(
    X: Array, classes: Labels, *, n_clusters: int, trim: Trim, l1_bound: float
) -> TrimmedWeighting:
    """Second trimmed set; weights of sparse k-means and criterion on untrimmed rows."""
    kept, labels = trim.kept(classes), labels_of(classes)
    sums = cluster_sums(X, labels, n_clusters, kept.astype(X.dtype))
    centers = sums.means
    # A row can be outlying in features of little weight, so that the unweighted distance is looked at too.
    far = trim.largest(squared_distances(X, labels, centers))
    if trim.amount:
        # The copies of a row that both sets trim in part are its first ones.
        sums = cluster_sums(X, labels, n_clusters, np.minimum(kept, trim.rest(far)).astype(X.dtype))
    bcss = between(sums)
    weights = l1_weights(bcss, l1_bound)
    return TrimmedWeighting(centers, far, weights, -float(weights @ bcss))


def between(sums: ClusterSums) -> NDArray[np.float64]:
    """BCSS per feature, sum_k n_k (mu_kj - mu_j)^2; the rows need not have mean 0."""
    counts = sums.counts.astype(np.float64)
    mean = sums.sums[:, :-1].sum(axis=0, dtype=np.float64) / (counts.sum() or 1)
    deviations = np.where(counts[:, None] > 0, sums.means - mean, 0.0)
    squares: NDArray[np.float64] = np.einsum("k,kl,kl->l", counts, deviations, deviations)
    return squares


def assign_trimmed(X: Array, weights: Array, classes: Labels, *, n_clusters: int, trim: Trim) -> Labels:
    """Trimmed k-means on the columns scaled by sqrt(w), from the current classes."""
    if not weights.any():
        return classes
    return trimmed_kmeans(weighted_columns(X, weights), classes, n_clusters, trim).labels


def gain(X: Array, weights: Array, classes: Labels, *, n_clusters: int, trim: Trim) -> float:
    """Trimmed sum of squares around one centre minus that around all centres, in the weighted distance.

    Without trimming this is sum_j w_j BCSS_j. With trimming, sum_j w_j BCSS_j is large if a far outlier is
    its own cluster; the gain is not, because with one centre the outlier is trimmed.
    """
    if not weights.any():
        return 0.0
    weighted = weighted_columns(X, weights)
    together = trim_start(weighted, np.zeros_like(classes), 1, trim)
    one = trimmed_kmeans(weighted, together, 1, trim).labels
    # Both terms trim the same amount, so that an outlier counts in neither.
    return kept_squares(weighted, one, 1, trim) - kept_squares(weighted, classes, n_clusters, trim)


def kept_squares(X: Array, classes: Labels, n_clusters: int, trim: Trim) -> float:
    """Sum of squares of the kept rows around their means, by direct differences."""
    rows = np.flatnonzero(classes >= 0)
    kept, labels = X[rows], labels_of(classes[rows])
    mass = None if trim.weights is None else trim.kept(classes)[rows]
    centers = cluster_sums(kept, labels, n_clusters, None if mass is None else mass.astype(X.dtype)).means
    squares = squared_distances(kept, labels, centers)
    return float((squares if mass is None else mass * squares).sum(dtype=np.float64))


def trimmed_total(X: Array, trim: Trim) -> float:
    """Sum of the smallest squared norms that are left, to which rounding of trimmed sums is relative."""
    return trim.smallest(np.einsum("ij,ij->i", X[:, :-1], X[:, :-1]))


def trimmed_kmeans(X: Array, classes: Labels, n_clusters: int, trim: Trim) -> FitResult[TrimmedMeans]:
    """Trimmed k-means from given classes: means of the kept rows, nearest centres, trimming.

    Shapes: X (n, p + 1), classes (n,) int32.
    """
    norms = np.einsum("ij,ij->i", X[:, :-1], X[:, :-1])
    update = partial(kept_means, n_clusters=n_clusters, trim=trim, norms=norms)
    assign = partial(assign_and_trim, trim=trim, norms=norms)
    return alternate(X, classes, update, assign, max_iter=TRIMMED_ITERATIONS)


def kept_means(
    X: Array, classes: Labels, previous: TrimmedMeans | None, *, n_clusters: int, trim: Trim, norms: Array
) -> TrimmedMeans:
    """Means of the kept rows, and their sum of squares by sum ||x||^2 - sum_k n_k ||mu_k||^2."""
    kept = trim.kept(classes)
    sums = cluster_sums(X, labels_of(classes), n_clusters, kept.astype(X.dtype))
    means = sums.means
    total = norms[kept].sum() if trim.weights is None else (kept * norms).sum()
    within = total - np.einsum("k,kl,kl->", sums.counts, means, means)
    return TrimmedMeans(means, max(float(within), 0.0))


def assign_and_trim(X: Array, params: TrimmedMeans, classes: Labels, *, trim: Trim, norms: Array) -> Labels:
    """Nearest centre of every row, ties to the lowest index; then the farthest rows are trimmed."""
    centers = params.centers
    coefficients = score_coefficients(centers)
    labels, scores = nearest_scores(X, coefficients)
    # The last coefficient is half of |c|^2: rounding is relative to the lengths of the row and the centre.
    noise = 64 * np.finfo(X.dtype).eps * (norms + 2 * coefficients[labels, -1])
    trimmed = farthest_rows(X, labels, centers, trim, 2 * scores + norms, noise)
    left = ~trim.whole(trimmed)
    counts = np.bincount(labels[left], minlength=len(centers))
    if not counts.all():
        kept = np.flatnonzero(left)
        exact = squared_distances(X[kept], labels[kept], centers)
        labels[kept] = hand_out_farthest(labels[kept], counts, exact, noise[kept])
    return trim.classes(labels, trimmed)


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

"""Robust sparse k-means as RSKC runs it.

Source: Kondo, Salibian-Barrera & Zamar (2012), "A robust and sparse K-means clustering algorithm", arXiv
1201.6082; (2016) "RSKC: An R package for a robust and sparse K-means clustering algorithm", JSS 72 (5). The
order of steps, draws and sums is the package's.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import (
    FloatArray,
    IntArray,
    find_threshold,
    l2_norm,
    long_column_sums,
    long_sum,
    sequential_sum,
)
from sparsek.errors import RError
from sparsek.inputs.threads import thread_control
from sparsek.rcompat.rskc.trimmed_kmeans import MAX_ITER as MAX_PASSES
from sparsek.rcompat.rskc.trimmed_kmeans import TrimmedFit, run_trimmed_kmeans
from sparsek.rcompat.rskc.trimming import PreparedRows
from sparsek.rng import RRandom

MAX_ITER = 10
TOL = 1e-8
UNDEFINED = "missing value where TRUE/FALSE needed"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RobustFit:
    """A robust sparse clustering."""

    labels: IntArray  # Clusters from 0, of trimmed rows too
    trimmed: IntArray  # Rows trimmed by weighted distance
    distant: IntArray  # Rows trimmed by unweighted distance
    weights: FloatArray  # (p,): feature weights
    # Weighted between-cluster sum of squares of each iteration before the last, squared units of the data;
    # NaN for one that left a single cluster
    history: FloatArray


def n_kept(n: int, alpha: float) -> int:
    """Number of rows that trimmed k-means keeps."""
    return math.ceil((1 - alpha) * n)


def trimmed_only(
    x: FloatArray,
    k: int,
    alpha: float,
    n_runs: int,
    rng: RRandom,
    *,
    centers: FloatArray | None = None,
    max_iter: int = MAX_PASSES,
    skip_missing: bool = True,
) -> TrimmedFit:
    """Trimmed k-means of the data as they are.

    Shapes: x (n, p), centers (k, p).

    Raises ValueError where missing values leave every run without a criterion.
    """
    rows, n_in = PreparedRows(x, np.ones(x.shape[1]), skip_missing), n_kept(len(x), alpha)
    with thread_control().limit(limits=1):
        fit = run_trimmed_kmeans(rows, k, n_in, n_runs=n_runs, rng=rng, centers=centers, max_iter=max_iter)
    return _require_run(fit)


def _require_run(fit: TrimmedFit | None) -> TrimmedFit:
    """Return the run; raise a clear error when there is none (R returns uninitialised memory)."""
    if fit is None:
        raise ValueError(
            "no run has a defined criterion: too many missing values, given or made of constant columns and "
            "rows by scaling and correlation, leave rows without a feature in common with their centre; drop "
            "these rows and columns, impute values, or use a larger L1 or more starts"
        )
    return fit


def run_rskc(x: FloatArray, k: int, alpha: float, l1_bound: float, n_runs: int, rng: RRandom) -> RobustFit:
    """Alternate trimmed k-means, trimming by unweighted distance, and the weights, at most 10 times.

    Shapes: x (n, p).

    Raises RError r's errors: an empty cluster when rows are trimmed, one column, nothing left after trimming;
    ValueError where missing values leave every run without a criterion.
    """
    with thread_control().limit(limits=1):
        return _alternate(x, k, alpha, l1_bound, n_runs, rng)


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # R goes on with Inf and NaN
def _alternate(x: FloatArray, k: int, alpha: float, l1_bound: float, n_runs: int, rng: RRandom) -> RobustFit:
    """Run the iterations of `run_rskc`."""
    n, p = x.shape
    weights, old = np.full(p, 1 / math.sqrt(p)), -math.inf
    history = np.full(MAX_ITER, math.nan)
    last: tuple[IntArray, IntArray, IntArray] | None = None
    for iteration in range(1, MAX_ITER + 1):
        used = weights != 0
        z = PreparedRows(np.ascontiguousarray(x[:, used] * np.sqrt(weights[used])), weights[used])
        fit = _require_run(run_trimmed_kmeans(z, k, n_kept(n, alpha), n_runs=n_runs, rng=rng))
        if last is not None:
            warm = _warm_run(z, k, n_kept(n, alpha), last, rng)
            if warm is not None and warm.criterion < fit.criterion:
                fit = warm
        distant = _distant_rows(x, fit, k, math.floor(n * alpha))
        kept = _all_but(n, fit.trimmed, distant)
        if len(np.unique(fit.labels[kept])) == 1:
            _log.info("alpha is too large for n")
            continue
        if p == 1:
            raise RError("'x' must be an array of at least two dimensions", "x has one column: use L1=None")
        new, criterion = bounded_weights(x, fit.labels, kept, k, weights, l1_bound)
        if math.isnan(criterion):
            if not math.isfinite(old):  # R fails only after one more trimmed k-means, on undefined data
                rng.skip(n_runs * k)
            raise RError(
                UNDEFINED, "no row is left after trimming, or no feature separates the clusters: lower alpha"
            )
        last = fit.labels, fit.trimmed, distant
        _log.info("iteration %d: within %r, between %r", iteration, fit.criterion, criterion)
        if math.isfinite(old) and (criterion == 0 or (criterion - old) / criterion < TOL):
            return RobustFit(*last, weights, history[: iteration - 1])
        old, weights = criterion, new
        history[iteration - 1] = criterion
        if not new.any():
            _draw_without_features(x, math.floor(n * alpha), n_runs * k, MAX_ITER - iteration, rng)
            break
    if last is None:
        raise RError(
            "object 'save.out.a2' not found", "one cluster only is left in every iteration: lower alpha"
        )
    return RobustFit(*last, weights, history[: MAX_ITER - 1])


def _draw_without_features(x: FloatArray, n_out: int, n_drawn: int, iterations: int, rng: RRandom) -> None:
    """What R does once no feature has a weight: draw starts, then fail if it trims or values are missing."""
    missing = bool(np.isnan(x).any())
    rng.skip(n_drawn if n_out or missing else n_drawn * iterations)
    remedy = "rounding leaves every feature without weight: one value is too large beside the others"
    if missing:
        raise RError("missing value where TRUE/FALSE needed", remedy)
    if n_out:
        raise RError("subscript out of bounds", remedy)


def _all_but(n: int, *left_out: IntArray) -> np.ndarray:
    """Mask of the rows that are in none of the given sets."""
    kept = np.ones(n, dtype=bool)
    for rows in left_out:
        kept[rows] = False
    return kept


def _warm_run(
    z: PreparedRows, k: int, n_in: int, last: tuple[IntArray, IntArray, IntArray], rng: RRandom
) -> TrimmedFit | None:
    """Trimmed k-means from the last clusters; from random rows, as R, if the first centre is undefined."""
    labels, trimmed, _ = last
    centers = means_of_kept(z.x, labels, _all_but(z.n, trimmed), k)
    if math.isfinite(centers[0, 0]):
        return run_trimmed_kmeans(z, k, n_in, centers=centers)
    return run_trimmed_kmeans(z, k, n_in, rng=rng)


def column_means(x: FloatArray) -> FloatArray:
    """R's colMeans without missing values, rounded from extended precision; NaN if nothing is observed."""
    seen = ~np.isnan(x)
    with np.errstate(invalid="ignore"):
        return long_column_sums(np.where(seen, x, 0.0), seen.sum(axis=0))


def means_of_kept(x: FloatArray, labels: IntArray, kept: np.ndarray, k: int) -> FloatArray:
    """Means of the kept rows of each cluster: (k, p)."""
    return np.array([column_means(x[(labels == j) & kept]) for j in range(k)])


def _distant_rows(x: FloatArray, fit: TrimmedFit, k: int, n_out: int) -> IntArray:
    """The rows farthest from the mean of their own cluster, all features alike (step a-2)."""
    if n_out == 0:
        return np.empty(0, dtype=np.int64)
    empty = np.flatnonzero(np.bincount(fit.labels, minlength=k) == 0)
    if len(empty):
        raise RError(
            "subscript out of bounds" if empty[0] > fit.labels.max() else "replacement has length zero",
            f"cluster {empty[0] + 1} of {k} has no rows: lower ncl",
        )
    n, p = x.shape
    means = means_of_kept(x, fit.labels, _all_but(n, fit.trimmed), k)
    order = np.argsort(fit.labels, kind="stable")
    t = np.ascontiguousarray((x[order] - means[fit.labels[order]]).T)
    t *= t
    t[np.isnan(t)] = 0.0
    observed = p - np.isnan(x[order]).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = long_column_sums(t) * (p / observed)
    farthest = np.argsort(-distances, kind="stable")[:n_out]
    return np.sort(order[farthest])


def bounded_weights(
    x: FloatArray, labels: IntArray, kept: np.ndarray, k: int, weights: FloatArray, l1_bound: float
) -> tuple[FloatArray, float]:
    """Weights under the L1 bound, and the weighted between sum of squares (step b).

    Shapes: x (n, p), labels (n,), weights (p,); returns weights (p,).
    """
    seen = ~np.isnan(x)
    with np.errstate(divide="ignore"):  # a row with no observed feature in use is trimmed
        scale = long_sum(weights) / sequential_sum(np.where(seen, weights, 0.0).T)
    mean = column_means(x[kept])
    parts = []
    for j in range(k):
        members = (labels == j) & kept
        if members.any():
            rows = x[members]
            gains = np.square(rows - mean)
            gains -= np.square(rows - column_means(rows))
            gains *= scale[members, None]
            gains[~seen[members]] = 0.0
            parts.append(long_column_sums(gains))
    between = np.maximum(long_column_sums(np.array(parts)), 0.0) if parts else np.zeros(1)
    if not between.any():
        return np.full(x.shape[1], math.nan), math.nan
    shrunk = np.maximum(between - find_threshold(between, l1_bound), 0)
    new = shrunk / l2_norm(shrunk)
    return new, long_sum(new * between)

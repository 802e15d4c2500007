"""k-POD as R's kpodclustr runs it: fill the gaps, cluster, refill them from the cluster centres, repeat.

Source: Chi, Chi & Baraniuk (2016), k-POD: a method for k-means clustering of missing data, The American
Statistician 70, 91-99; k-means++ seeds: Arthur & Vassilvitskii (2007). As in R, draws are made in the same
order and sums run left to right. After every k-means from given centres kpodclustr runs 20 more from new
seeds and compares their *total* sums of squares. These are always equal, so all 20 results are thrown away.
They are still computed here, together, because they draw random numbers and give warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import long_column_sums, long_mean, long_sum
from sparsek.errors import RError
from sparsek.rcompat.stats import runs as rkmeans
from sparsek.rng import RRandom
from sparsek.rng.weighted_sampling import heap_sort_descending

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

ITER_MAX = 10
"""Largest number of iterations of every k-means, R's default."""
SIDE_BY_SIDE = 20
"""Number of discarded k-means runs computed together."""
CELLS = 300_000
"""Number of squared differences held at a time."""
NOT_DISTINCT = "initial centers are not distinct"


@dataclass(frozen=True, slots=True)
class FilledClustering:
    """A k-means clustering of a filled matrix."""

    labels: IntArray  # Clusters from 0
    centers: FloatArray  # (k, p): cluster centres
    totss: float  # Total sum of squares, squared units of the data
    fit: float  # 1 - (sum of squares within clusters) / totss, dimensionless


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration: labels (n,), sum of squares over the observed cells, and `fit` of its k-means."""

    labels: IntArray
    objective: float
    fit: float


class SeedingError(RError):
    """R's error at the draw of one seed, with the numbers of the seeding and of the seed."""

    def __init__(self, message: str, run: int, seed: int) -> None:
        super().__init__(
            message,
            f"seed {seed + 1} cannot be drawn: the rows have fewer distinct values than clusters are asked "
            "for, or values that are missing, infinite or too large to square",
        )
        self.run, self.seed = run, seed


def fill_with_mean(x: FloatArray) -> FloatArray:
    """Every missing cell gets the mean of all observed cells; NaN when there are none."""
    missing = np.isnan(x)
    filled = x.copy(order="C")
    observed = x.T[~missing.T]
    with np.errstate(invalid="ignore"):  # infinite values of both signs have no mean
        filled[missing] = long_mean(observed) if observed.size else np.nan
    return filled


def seed_rows(x: FloatArray, k: int, rng: RRandom, count: int = 1) -> IntArray:
    """Rows of `count` k-means++ seedings in succession, as kpodclustr's ``kmpp`` draws them.

    Shapes: x (n, p).

    Raises RError r's errors; the stream is left where R leaves it.
    """
    if k < 2:
        seed_rows(x, 2, rng)
        raise RError("subscript out of bounds", f"k must be at least 2; got {k}")
    before = rng.getstate()
    k_drawn = min(k, len(x) + 1)  # drawing more seeds than rows fails
    first, u = _draw(rng, len(x), k_drawn, count)
    try:
        return _place_seeds(x, first, u)
    except SeedingError as error:
        rng.setstate(before)
        _draw(rng, len(x), k, error.run)
        _draw(rng, len(x), error.seed, 1)
        raise


def _draw(rng: RRandom, n: int, k: int, count: int) -> tuple[IntArray, FloatArray]:
    """First rows (count,) and the uniforms for the others (count, k - 1)."""
    first, u = np.empty(count, dtype=np.int64), np.empty((count, k - 1))
    for run in range(count):
        first[run] = rng.unif_index(n)
        u[run] = rng.runif(k - 1)
    return first, u


def _place_seeds(x: FloatArray, first: IntArray, u: FloatArray) -> IntArray:
    """Rows of the seeds of several seedings, all at once; raises the error that R meets first."""
    count, others = u.shape
    rows = np.empty((count, others + 1), dtype=np.int64)
    rows[:, 0] = first
    columns = np.ascontiguousarray(x.T)
    nearest = np.full((count, len(x)), np.inf)
    failed: SeedingError | None = None
    for seed in range(1, others + 1):
        with np.errstate(all="ignore"):  # missing, infinite and huge values fail below, as in R
            np.minimum(nearest, _distances(columns, x[rows[:, seed - 1]]), out=nearest)
            totals = long_column_sums(nearest.T)
            shares = nearest / totals[:, None]
        finite: BoolArray = np.logical_and.reduce(np.isfinite(shares), axis=1)
        usable = finite & shares.any(axis=1)
        if not usable.all():
            run = int(np.argmin(usable))
            message = "too few positive probabilities" if finite[run] else "NA in probability vector"
            failed = SeedingError(message, run, seed)
            if not run:
                raise failed
            count, rows, nearest, shares = run, rows[:run], nearest[:run], shares[:run]
        rows[:, seed] = _weighted_rows(shares, u[:count, seed - 1])
    if failed is not None:
        raise failed
    return rows


def _distances(columns: FloatArray, centers: FloatArray) -> FloatArray:
    """Squares of rounded distances between one centre per seeding and every row: (count, n)."""
    p, n = columns.shape
    out = np.empty((len(centers), n))
    step = max(1, CELLS // (n * p))
    for begin in range(0, len(centers), step):
        part = slice(begin, begin + step)
        t = columns[:, None, :] - centers[part].T[:, :, None]
        t *= t
        np.add.reduce(t, axis=0, out=out[part])
    np.sqrt(out, out=out)
    out *= out
    return out


def _weighted_rows(shares: FloatArray, u: FloatArray) -> IntArray:
    """One weighted draw per seeding as R's ``sample``: where cumulated descending shares first reach u.

    R's heap sort matters only where several rows have the same share as the row that is drawn.
    """
    weights = shares / np.add.accumulate(shares, axis=1)[:, -1:]
    falling = -np.sort(-weights, axis=1)
    cumulative = np.add.accumulate(falling, axis=1)[:, :-1]
    rows = np.empty(len(u), dtype=np.int64)
    for run, draw in enumerate(u):
        place = int(np.searchsorted(cumulative[run], draw))
        same = np.flatnonzero(weights[run] == falling[run, place])
        tied = len(same) > 1
        rows[run] = heap_sort_descending(weights[run])[1][place] - 1 if tied else same[0]
    return rows


def kmeans_of_filled(x: FloatArray, centers: int | FloatArray, rng: RRandom) -> FilledClustering:
    """R's k-means of the filled data from given centres, or from a given number of random rows."""
    found = rkmeans.run_kmeans(x, centers, iter_max=ITER_MAX, rng=rng)
    totss = rkmeans.total_sum_of_squares(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        fit = float(1.0 - np.float64(long_sum(found.withinss)) / totss)
    return FilledClustering(found.labels, found.centers, totss, fit)


def run_discarded(x: FloatArray, k: int, rng: RRandom, count: int) -> None:
    """Run k-means from `count` seedings for their draws, warnings and errors; the results are not used.

    Shapes: x (n, p).

    RError the error that R meets first; the stream is left where R leaves it; RWarning r's warnings of the
    k-means runs before the error, in order.
    """
    for done in range(0, count, SIDE_BY_SIDE):
        now = min(SIDE_BY_SIDE, count - done)
        before = rng.getstate()
        try:
            rows, failed = seed_rows(x, k, rng, now), None
        except SeedingError as error:
            after, failed = rng.getstate(), error
            rng.setstate(before)
            rows = seed_rows(x, k, rng, error.run) if error.run else np.empty((0, k), dtype=np.int64)
            rng.setstate(after)
        bad = _warn_of_runs(x, rows)
        if bad is not None:
            run, message = bad
            rng.setstate(before)
            _draw(rng, len(x), k, run + 1)
            raise RError(message, "rows of x differ by so little that squared differences vanish")
        if failed is not None:
            raise failed


def _warn_of_runs(x: FloatArray, rows: IntArray) -> tuple[int, str] | None:
    """Give the warnings of k-means from these seeds; return the first run that fails in R and R's message."""
    starts = x[rows]
    distinct = [len(rkmeans.distinct_rows(start)) == len(start) for start in starts]
    end = distinct.index(False) if False in distinct else len(rows)
    if end:
        outcomes = rkmeans.hartigan_wong_outcomes(x, starts[:end], ITER_MAX)
        for number, outcome in enumerate(outcomes):
            if outcome is None:
                return number, rkmeans.EMPTY
            rkmeans.warn_of_run(*outcome, ITER_MAX, len(x))
    return (end, NOT_DISTINCT) if end < len(rows) else None


def run_kpod(
    x: FloatArray,
    centers: FloatArray,
    steps: Iterable[int],
    discard: Callable[[FloatArray, int], None],
    rng: RRandom,
) -> list[Iteration]:
    """Iterate from the first centres until no label changes or the steps are used up.

    Shapes: x (n, p), centers (k, p).

    Raises RError r's errors.
    """
    filled = fill_with_mean(x)
    found = kmeans_of_filled(filled, centers, rng)
    path = [_refill(x, filled, found)]
    for step in steps:
        found = kmeans_of_filled(filled, found.centers, rng)
        discard(filled, len(found.centers))
        if step < 2:
            raise RError(
                "attempt to select less than one element in get1index <real>",
                "maxiter is below 2 and labels still changed in iteration 2, where R fails: raise maxiter",
            )
        path.append(_refill(x, filled, found))
        if np.array_equal(path[-1].labels, path[-2].labels):
            break
    return path


def _refill(x: FloatArray, filled: FloatArray, found: FilledClustering) -> Iteration:
    """Fill the missing cells of `filled` from the rows' centres; return the record of the iteration."""
    missing = np.isnan(x)
    near = found.centers[found.labels]
    filled[missing] = near[missing]
    if not missing.any():  # R drops cells by a negative index; an empty index selects no cell
        return Iteration(found.labels, 0.0, found.fit)
    t = (x - near).T[~missing.T]
    t *= t
    return Iteration(found.labels, long_sum(t), found.fit)

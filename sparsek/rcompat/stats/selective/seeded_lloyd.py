"""Lloyd's k-means from rows drawn under a seed of its own, as the R packages for inference run it."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsek.errors import RError
from sparsek.rcompat.stats.lloyd import lloyd_passes
from sparsek.rng import RRandom
from sparsek.selective.intervals import Conditions, explain_ties
from sparsek.selective.line import Line, difference_contrast
from sparsek.selective.lloyd import LloydRecord, lloyd_conditions

Array = NDArray[Any]

WIDENED = 1e-9
"""R adds this much on both sides of the observed statistic to the set of k-means."""


class SeededRun(NamedTuple):
    """A run: rows that were centres at first, from 0, and labels, from 0, and centres of every pass."""

    rows: Array
    labels: list[Array]
    centers: list[Array]


def seeded_lloyd(x: Array, k: int, iter_max: int, seed: float, rng: RRandom) -> SeededRun:
    """Seed the stream, draw k rows and assign at most iter_max + 1 times."""
    rng.seed(seed)
    if k >= len(x):
        raise RError("Cannot have more clusters than observations", f"k={k} for {len(x)} rows")
    if 0 <= k < 2:
        message = "'x' must be an array of at least two dimensions" if k else "subscript out of bounds"
        raise RError(message, f"k must be at least 2; got {k}")
    rows = rng.sample_int(len(x), k) - 1
    if iter_max < 0:
        raise RError("invalid 'length' argument", f"iter_max must be at least 0; got {iter_max}")
    with np.errstate(over="ignore"):
        if np.isinf(np.square(np.ptp(x, axis=0)).sum()):
            raise RError(
                "missing value where TRUE/FALSE needed", "distances overflow; divide X by a power of 2"
            )
    run = SeededRun(rows, [], [])
    for centers, labels in islice(lloyd_passes(x, x[rows]), iter_max + 1):
        run.centers.append(centers)
        run.labels.append(labels)
        if len(run.labels) > 1 and np.array_equal(labels, run.labels[-2]):
            break
    return run


def same_steps(x: Array, line: Line, run: SeededRun, iter_max: int) -> Conditions:
    """Where on the line the run takes the same steps; R's error where that overflows."""
    record = LloydRecord(run.rows[None], None, max_iter=iter_max + 1)
    conditions = lloyd_conditions(line, record, x.mean(axis=0))[1]
    if conditions.overflows:
        raise RError("missing value where TRUE/FALSE needed", "squares overflow; divide X by a power of 2")
    return conditions


def widened(conditions: Conditions, statistic: float, least: float = -np.inf) -> Array:
    """The union of the set of the statistic from `least` on and a small interval about the observed one.

    A UserWarning where ties decide the set: R's then rests on rounding.
    """
    changes = conditions.intervals(least - statistic)
    ties = explain_ties(conditions, statistic, changes, first=1)
    if ties:
        warnings.warn(ties, stacklevel=3)
    kept = changes + statistic
    own = [statistic - WIDENED, statistic + WIDENED]
    touching = (kept[:, 0] <= own[1]) & (kept[:, 1] >= own[0])
    low = min(own[0], kept[touching, 0].min(initial=np.inf))
    high = max(own[1], kept[touching, 1].max(initial=-np.inf))
    found = np.vstack([kept[~touching], [[low, high]]])
    return found[np.argsort(found[:, 0])]


def refuse_missing(x: Array) -> None:
    """R's error about missing values; infinite ones are refused too."""
    if not np.isfinite(x).all():
        raise RError("NA is not allowed in the input data X", "impute or drop missing and infinite values")


def refuse_bad_pair(k: int, n: int, pair: tuple[int, int]) -> None:
    """R's errors about numbers of clusters, before anything is drawn."""
    if k >= n:
        raise RError("Cannot have more clusters than observations", f"k={k} for {n} rows")
    if min(pair) < 1 or max(pair) > k:
        raise RError("Cluster numbers must be between 1 and k!", f"got {pair[0]} and {pair[1]} for k={k}")
    if pair[0] == pair[1]:
        raise ValueError(f"cluster_1 and cluster_2 must be different; got {pair[0]} twice")


def refuse_lost_clusters(run: SeededRun, k: int) -> None:
    """R's error about a run that lost clusters."""
    found = len(np.unique(run.labels[-1]))
    if found < k:
        raise RError(
            "k-means clustering did not return the desired number of clusters! Try a different seed?",
            f"{found} of {k} clusters have rows",
        )


def tested_run(
    x: Array, k: int, iter_max: int, seed: float, rng: RRandom, pair: tuple[int, int]
) -> tuple[SeededRun, Array, Array]:
    """The run whose two clusters are tested, its labels and the contrast of their means; R's errors."""
    refuse_bad_pair(k, len(x), pair)
    run = seeded_lloyd(x, k, iter_max, seed, rng)
    refuse_lost_clusters(run, k)
    labels = run.labels[-1] + 1
    return run, labels, difference_contrast(labels, *pair)

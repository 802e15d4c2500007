"""Starts of large data from a sample of the rows, fitted in memory and scaled as all rows are.

Source of the idea: Bradley and Fayyad (1998), "Refining initial points for k-means clustering", ICML.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sparsek.methods.rows.blocks import Metric
from sparsek.methods.shared.base import criterion_rounding
from sparsek.methods.shared.loop import best_of, run_all
from sparsek.methods.shared.scaling import Scaling, column_squares
from sparsek.methods.shared.sums import Array, nonzero
from sparsek.methods.skfr.forms import Inputs, Problem, run_starts
from sparsek.methods.sparse_kmeans.algorithm import sparse_kmeans

SAMPLE_ENTRIES = 10_000_000
"""Entries of the sample: 80 MB in double precision."""
LEAST_ROWS = 20
"""Rows of the sample for each cluster, at least."""


def sample_rows(
    n: int, p: int, n_clusters: int, rng: np.random.RandomState, entries: float = SAMPLE_ENTRIES
) -> Array:
    """Numbers of the rows of a sample, ascending; all where they are few.

    Parameters
    ----------
    n, p : int
        Numbers of rows and columns.
    n_clusters : int
        Number of clusters.
    rng : RandomState
        Source of the draw.
    entries : float
        Largest number of entries, where these are enough for `LEAST_ROWS` rows per cluster.

    Returns
    -------
    ndarray of shape (n_sampled,)
        Sorted.
    """
    size = max(int(entries // p), LEAST_ROWS * n_clusters)
    if size >= n:
        return np.arange(n)
    # Every row is as likely; drawing with a few to spare and thinning needs no permutation of all rows.
    drawn = np.unique(rng.randint(n, size=size + size // 8 + 64))
    return np.sort(rng.permutation(drawn)[:size])


def ranking_start(
    model: Any, sample: Array, scaling: Scaling, weights: Array | None = None
) -> tuple[Metric, Array]:
    """Distance and centres that the best start of SKFR ends with on the sample."""
    model._scaling, model._limits = scaling, None
    Z = scaling.apply(sample)
    problem = Problem(Z, scaling, None, column_squares(Z, weights))
    inputs = Inputs(sample, weights, np.ones(len(sample), dtype=bool), problem)
    model.tss_ = float(problem.column_total.sum())
    results = run_starts(problem, model._starts(inputs), model._form(inputs), False)
    best = best_of(results, criterion_rounding(model.tss_, Z.dtype)).params
    return Metric(best.columns), best.centers


def weights_start(
    model: Any, sample: Array, scaling: Scaling, weights: Array | None = None
) -> tuple[Metric, Array]:
    """Distance and centres that the best start of sparse k-means ends with on the sample."""
    Z = scaling.apply(sample)
    kept = np.ones(len(sample), dtype=bool)
    starts = model._initial_labels(sample, Z, scaling, weights, 2, kept)
    run = partial(
        sparse_kmeans,
        Z,
        n_clusters=model.n_clusters,
        l1_bound=model.l1_bound_,
        sample_weight=weights,
        max_iter=model.max_iter,
        tol=model.tol,
    )
    results = run_all(run, starts, model.n_jobs)
    tss = float(column_squares(Z, weights).sum())
    best = best_of(results, criterion_rounding(tss, Z.dtype)).params
    used = np.flatnonzero(best.weights)
    factors = np.sqrt(best.weights[used])
    means = best.sums.sums[:, :-1][:, used] / nonzero(best.sums.counts)[:, None]
    return Metric(used, factors), means * factors

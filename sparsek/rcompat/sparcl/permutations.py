"""Choosing the bound of sparse clustering by permutation, with R's roundings: Witten & Tibshirani (2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_deviation, long_mean
from sparsek.rcompat.sparcl.sparse_dissimilarity import DEFAULT_STEPS, HierarchicalFit, SparseDissimilarity
from sparsek.rcompat.sparcl.sparse_kmeans import Report, quiet, sparse_kmeans_path
from sparsek.rng import RRandom

PERMUTED_AT_ONCE = 2**20
"""Approximate number of distances permuted at a time."""


@dataclass(frozen=True, slots=True)
class GapFit:
    """Permutation gap statistic over a grid of m bounds."""

    # (m,): ``sum_j w_j BCSS_j`` on the data, or ``u' D w`` for hierarchical clustering
    objectives: FloatArray
    permuted: FloatArray  # (m, n_permutations): the same on the permuted data sets
    n_nonzero: IntArray  # Number of non-zero weights on the data
    # gaps, deviations: (m,): log objective less the mean permuted one; standard deviation of the permuted
    # logs (NaN for one permutation)
    gaps: FloatArray
    deviations: FloatArray
    best_bound: float  # First bound with the largest gap


def kmeans_gap(
    x: FloatArray,
    l1_bounds: Sequence[float],
    start: float | FloatArray,
    *,
    n_permutations: int = 25,
    rng: RRandom,
    report: Report = quiet,
) -> GapFit:
    """Compare the objective at every bound with that of data sets whose columns are shuffled.

    Shapes: x (n, p) float64, start (k, p).

    Raises RError as `sparse_kmeans_path`.

    Source: Witten & Tibshirani (2010), Section 3.2, selection of the tuning parameter.
    """
    n, p = x.shape
    draws = [rng.permutations(n, p) - 1 for _ in range(n_permutations)]
    fits = sparse_kmeans_path(x, l1_bounds, start, rng=rng)
    permuted = np.empty((len(fits), n_permutations))
    for i, rows in enumerate(draws):
        report(i, n_permutations)
        shuffled = np.ascontiguousarray(np.take_along_axis(x, rows.T, axis=0))
        permuted[:, i] = [f.reached for f in sparse_kmeans_path(shuffled, l1_bounds, start, rng=rng)]
    report(n_permutations, n_permutations)
    reached = np.array([f.reached for f in fits])
    return compare_objectives(reached, permuted, [f.weights for f in fits], l1_bounds)


def hierarchical_gap(
    distances: FloatArray,
    squared: bool,
    l1_bounds: Sequence[float],
    *,
    n_permutations: int = 10,
    rng: RRandom,
    report: Report = quiet,
) -> GapFit:
    """Gap statistic of sparse hierarchical clustering: each feature's distances are shuffled over the pairs.

    Shapes: distances (p, N) float64.

    Raises RError as `SparseDissimilarity.fit`.

    Source: Witten & Tibshirani (2010), Section 4.
    """
    p, n_pairs = distances.shape
    entries = np.square(distances) if squared else distances.copy()
    by_pair = entries.T.copy(order="C")
    fits = _fits(entries, by_pair, l1_bounds, rng)
    permuted = np.empty((len(fits), n_permutations))
    height = max(32, PERMUTED_AT_ONCE // (n_pairs or 1))
    for i in range(n_permutations):
        report(i, n_permutations)
        for begin in range(0, p, height):
            block = entries[begin : begin + height]
            places = rng.permutations(n_pairs, len(block))
            places += n_pairs * np.arange(len(block))[:, None] - 1
            block[:] = block.ravel()[places]
            by_pair[:, begin : begin + height] = block.T
        permuted[:, i] = [f.objective for f in _fits(entries, by_pair, l1_bounds, rng)]
    report(n_permutations, n_permutations)
    reached = np.array([f.objective for f in fits])
    return compare_objectives(reached, permuted, [f.weights for f in fits], l1_bounds)


def _fits(
    entries: FloatArray, by_pair: FloatArray, l1_bounds: Sequence[float], rng: RRandom
) -> list[HierarchicalFit]:
    """Fits of one matrix of dissimilarities at every bound."""
    matrix = SparseDissimilarity(entries, squared=False, by_pair=by_pair)
    return [matrix.fit(float(bound), DEFAULT_STEPS, rng) for bound in l1_bounds]


def compare_objectives(
    reached: FloatArray, permuted: FloatArray, weights: Sequence[FloatArray], l1_bounds: Sequence[float]
) -> GapFit:
    """The gap statistic of objectives on the data and on permuted data.

    Shapes: reached (m,), permuted (m, n_permutations), weights (p,).
    """
    logs = [np.array([_log(v) for v in row]) for row in permuted]
    gaps = np.array([_log(v) - long_mean(row) for v, row in zip(reached, logs, strict=True)])
    return GapFit(
        reached,
        permuted,
        np.array([np.count_nonzero(w) for w in weights]),
        gaps,
        np.array([long_deviation(row) for row in logs]),
        math.nan if np.isnan(gaps).all() else float(l1_bounds[int(np.nanargmax(gaps))]),
    )


def _log(v: float) -> float:
    """The logarithm; minus infinity at 0 and NaN below, as in R."""
    if v > 0:
        return elementary.log(v)
    return -math.inf if v == 0 else math.nan

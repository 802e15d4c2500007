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
    """Permutation gap statistic over a grid of m bounds.

    Attributes
    ----------
    objectives : ndarray of shape (m,)
        ``sum_j w_j BCSS_j`` on the data, or ``u' D w`` for hierarchical clustering.
    permuted : ndarray of shape (m, n_permutations)
        The same on the permuted data sets.
    n_nonzero : ndarray of int, shape (m,)
        Number of non-zero weights on the data.
    gaps, deviations : ndarray of shape (m,)
        Log objective less the mean permuted one; standard deviation of the permuted logs (NaN for one
        permutation).
    best_bound : float
        First bound with the largest gap.
    """

    objectives: FloatArray
    permuted: FloatArray
    n_nonzero: IntArray
    gaps: FloatArray
    deviations: FloatArray
    best_bound: float


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

    Parameters
    ----------
    x : ndarray of shape (n, p), float64, C order
        Data, at least two rows.
    l1_bounds : sequence of float
        Bounds, each above 1.
    start : float or ndarray of shape (k, p)
        Number of clusters, or starting centres, used for the permuted data too.
    n_permutations : int, default=25
        Number of permuted data sets; all are drawn before the first fit.
    rng : RRandom
        R's stream.
    report : callable, optional
        Called with the number of data sets done and due after every data set.

    Returns
    -------
    GapFit
        Objectives, gaps, standard deviations, best bound.

    Raises
    ------
    RError
        As `sparse_kmeans_path`.

    Notes
    -----
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

    Parameters
    ----------
    distances : ndarray of shape (p, N), float64, C order
        Distances of the N pairs of rows, a feature per row. Not changed; two copies are made.
    squared : bool
        Whether their squares are used.
    l1_bounds : sequence of float
        Bounds, each above 1.
    n_permutations : int, default=10
        Number of permuted matrices; as in R each one permutes the one before.
    rng : RRandom
        R's stream.
    report : callable, optional
        Called with the number of matrices done and due after every matrix.

    Returns
    -------
    GapFit
        Objectives, gaps, standard deviations, best bound.

    Raises
    ------
    RError
        As `SparseDissimilarity.fit`.

    Notes
    -----
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

    Parameters
    ----------
    reached : ndarray of shape (m,)
        Objectives on the data.
    permuted : ndarray of shape (m, n_permutations)
        Objectives on permuted data.
    weights : sequence of m ndarrays of shape (p,)
        Weights on the data.
    l1_bounds : sequence of m floats
        Bounds.

    Returns
    -------
    GapFit
        With gaps, standard deviations and the first bound of the largest gap.
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

"""Starts in high dimension: seed on the columns whose distribution is farthest from a normal one.

On standardised columns every feature counts the same in a distance, so with hundreds of noise features the
seeds are random rows. A feature that separates clusters is a mixture, and most mixtures are far from normal,
while noise is close to normal. Seeds drawn on the least normal columns therefore find the clusters. The
starts use different numbers of columns in turn, also all columns, so that other kinds of data lose little.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sparsek.methods.shared.scaling import column_squares
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.starts.seeds import View, each_start

WIDTH = 0.25
"""Distribution functions are compared on a grid of this many standard deviations, which needs no sorting."""
HALF = 16
OFFSET = 0.3183
"""Shift of the grid, away from round numbers of standard deviations, which are values of discrete data."""
CHUNK_COLUMNS = 512
CHUNK_ENTRIES = 262_144
"""Size of the pieces counted at a time: they fit the processor's cache and have many entries per bin."""
MULTIPLES = (1, 2, 4)
COPIED_ENTRIES = 4_000_000
"""Data with at most this many entries are copied, which is faster."""


def normal_distance(Z: Array, weights: Array | None = None) -> NDArray[np.float64]:
    """Kolmogorov-Smirnov distance of each column from the normal distribution of its mean and variance.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data, of any spread.
    weights : ndarray of shape (n,) or None
        Sample weights.

    Returns
    -------
    ndarray of shape (p,)
        Largest difference between the distribution functions at multiples of 0.25 standard deviations up to
        4, in [0, 1]; 0 for a constant column.
    """
    n, p = len(Z), Z.shape[1] - 1
    total = float(n) if weights is None else float(weights.sum(dtype=np.float64))
    variance = column_squares(Z, weights) / total
    rate = np.divide(1, WIDTH * np.sqrt(variance), out=np.zeros(p), where=variance > 0)
    counts = np.zeros((p, 2 * HALF))
    for first in range(0, p, CHUNK_COLUMNS):
        columns = slice(first, min(first + CHUNK_COLUMNS, p))
        width = columns.stop - columns.start
        step = max(1, CHUNK_ENTRIES // width)
        for begin in range(0, n, step):
            rows = slice(begin, begin + step)
            bins = Z[rows, columns] * rate[columns]
            bins -= OFFSET
            np.floor(bins, out=bins)
            np.clip(bins, -HALF, HALF - 1, out=bins)
            cells = bins.astype(np.intp)
            cells += HALF + 2 * HALF * np.arange(width)
            repeated = None if weights is None else np.repeat(weights[rows], width)
            found = np.bincount(cells.ravel(), repeated, minlength=2 * HALF * width)
            counts[columns] += found.reshape(width, 2 * HALF)
    return distance_of_counts(counts, total, variance > 0)


def distance_of_counts(counts: Array, total: float, varying: Array) -> NDArray[np.float64]:
    """Distances from counts: weights of the rows in each column's bins (p, 2 HALF); 0 where not `varying`."""
    shares = counts.cumsum(axis=1)[:, :-1] / total
    normal = ndtr((np.arange(1 - HALF, HALF) + OFFSET) * WIDTH)
    distances = np.where(varying, np.abs(shares - normal).max(axis=1), 0)
    # Rounded, so that equal columns have equal distances.
    return np.round(distances, 9).astype(np.float64)


def least_normal(Z: Array, weights: Array | None = None) -> Array:
    """Indices of the columns, the least normal first; ties by index."""
    return np.argsort(-normal_distance(Z, weights), kind="stable")


def screened_labels(
    Z: Array,
    order: Array,
    n_clusters: int,
    seeds: Array,
    n_selected: int,
    weights: Array | None = None,
    power: int = 2,
) -> Iterator[Labels]:
    """Nearest-seed labels of k-means++ starts on the least normal columns.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data.
    order : ndarray of shape (p,)
        Columns, the least normal first, as `least_normal` gives.
    n_clusters : int
        Number of seeds of each start.
    seeds : ndarray of shape (n_starts,), int
        One seed for the generator of each start.
    n_selected : int
        Number s of features that will be selected. Start i uses the s, 2 s, 4 s or all p least normal
        columns, as i mod 4 is 0, 1, 2 or 3.
    weights : ndarray of shape (n,) or None
        Sample weights.
    power : {1, 2}
        As in `sparsek.methods.starts.seeds.seeded_labels`.

    Yields
    ------
    ndarray of shape (n,), int32
        Labels in the order of `seeds`.
    """
    views = [_view(Z, columns) for columns in screened_columns(order, n_selected)[: len(seeds)]]
    for labels, _ in each_start(views, n_clusters, seeds, weights, power):
        yield labels


def screened_columns(order: Array, n_selected: int) -> list[Array]:
    """The columns that the starts use in turn: the s, 2 s, 4 s and all p least normal ones, sorted."""
    p = len(order)
    sizes = [min(p, multiple * n_selected) for multiple in MULTIPLES] + [p]
    return [np.sort(order[:size]) for size in sizes]


def _view(Z: Array, columns: Array) -> View:
    """View of these columns: a copy if that takes little memory, else Z with the list of columns."""
    p = Z.shape[1] - 1
    if len(columns) == p:
        return View(Z)
    if 8 * len(columns) > p and Z.size > COPIED_ENTRIES:
        return View(Z, columns)
    return View(Z.take(np.append(columns, p), axis=1))

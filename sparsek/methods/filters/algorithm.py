"""Scores of single features: the Laplacian score and the entropy of distances."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist, pdist, squareform

FloatArray = NDArray[np.float64]
Indices = NDArray[np.intp]

TIE = 1e-9
"""Squared distances that differ by less than this share are ties: rounding must not choose neighbours."""
ENTRIES = 1_000_000
"""Numbers of a temporary array."""


def neighbours(z: FloatArray, n_neighbors: int) -> tuple[Indices, Indices, FloatArray]:
    """Pairs of rows of which one is among the nearest of the other, and their squared distances.

    Rows as far away as the last neighbour are neighbours too.
    """
    n = len(z)
    step = max(1, ENTRIES // n)
    pairs = []
    for first in range(0, n, step):
        squares = cdist(z[first : first + step], z, "sqeuclidean")
        rows = np.arange(len(squares))
        squares[rows, first + rows] = np.inf
        last = np.partition(squares, n_neighbors - 1, axis=1)[:, n_neighbors - 1 : n_neighbors]
        one, other = np.nonzero(squares <= last * (1 + TIE))
        pairs.append((first + one, other, squares[one, other]))
    left, right, squares = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    low, high = np.minimum(left, right), np.maximum(left, right)
    _, kept = np.unique(low * n + high, return_index=True)
    return low[kept], high[kept], squares[kept]


def laplacian_scores(z: FloatArray, n_neighbors: int, width: float | None) -> FloatArray:
    """He, Cai and Niyogi's score of every column; infinite where joined rows are all equal."""
    low, high, squares = neighbours(z, n_neighbors)
    t = squares.mean() if width is None else width
    with np.errstate(over="ignore"):  # of a tiny width; a common factor of all similarities does not matter
        similar = np.exp(-(squares - squares.min()) / t) if t > 0 else np.ones(len(squares))
    degrees = np.bincount(low, similar, len(z)) + np.bincount(high, similar, len(z))
    scores = np.full(z.shape[1], np.inf)
    step = max(1, ENTRIES // len(low))
    for first in range(0, z.shape[1], step):
        columns = z[:, first : first + step]
        centered = columns - np.average(columns, axis=0, weights=degrees)
        spread = (degrees[:, None] * centered**2).sum(axis=0)
        rough = (similar[:, None] * (columns[low] - columns[high]) ** 2).sum(axis=0)
        varying = (np.ptp(columns, axis=0) > 0) & (spread > 0)
        scores[first : first + step][varying] = rough[varying] / spread[varying]
    return scores


def entropy_scores(z: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Dash and Liu's score of every column: how much the entropy of the distances grows without it.

    Minus infinity for a constant one. Row i of `weights` stands for so many rows.
    """
    squares = pdist(z, "sqeuclidean")
    pairs = None if weights is None else pair_shares(weights)
    whole = entropy(np.sqrt(squares), pairs)
    scores = np.full(z.shape[1], -np.inf)
    for j in np.flatnonzero(np.ptp(z, axis=0) > 0):
        rest = squares - pdist(z[:, [j]], "sqeuclidean")
        scores[j] = entropy(np.sqrt(np.maximum(rest, 0)), pairs) - whole
    return scores


def pair_shares(weights: FloatArray) -> FloatArray:
    """The share that each pair of different rows has of all pairs; copies of a row make up the rest."""
    total = weights.sum()
    shares: FloatArray = squareform(np.outer(weights, weights), checks=False) / (total * (total - 1) / 2)
    return shares


def entropy(distances: FloatArray, pairs: FloatArray | None = None) -> float:
    """Mean entropy in bits of similarities that are one half at the mean distance.

    Copies of a row, at distance 0, add nothing to either mean: `pairs` are the shares of the other pairs.
    """
    mean = distances.mean() if pairs is None else (pairs * distances).sum()
    if mean == 0:
        return 0.0
    similar = np.exp2(-distances / mean)
    other = 1 - similar
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = similar * np.log2(similar) + np.where(other > 0, other * np.log2(other), 0.0)
    return -float(terms.mean() if pairs is None else (pairs * terms).sum())

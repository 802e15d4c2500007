"""Nearest centres when every centre has its own feature weights, with R's sums and wskm's rule for ties."""

from __future__ import annotations

import numpy as np

from sparsek.bits.ordered_arithmetic import CHUNK_CELLS, UNDERFLOW, UNIT, FloatArray, IntArray

LARGEST = 1.79769e308
SAFE = 1e300


def screening_features(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The squares of the shifted data beside the shifted data (n, 2 p), and the shift (p,)."""
    p = x.shape[1]
    features = np.empty((len(x), 2 * p))
    with np.errstate(over="ignore", invalid="ignore"):  # rows with infinite squares are summed in order
        shift = x.mean(axis=0)
        np.subtract(x, shift, out=features[:, p:])
        np.square(features[:, p:], out=features[:, :p])
    return features, shift


def nearest_weighted(
    x: FloatArray, screen: tuple[FloatArray, FloatArray], centers: FloatArray, weights: FloatArray
) -> IntArray:
    """The centre l with the smallest ``sum_j w_lj (x_ij - c_lj)^2``, the last one on ties.

    Sums run left to right. A matrix product with an error bound finds the centre of most rows; the distances
    of the doubtful rows are summed in order.

    Shapes: x (n, p), centers, weights (k, p).
    """
    features, shift = screen
    k, p = centers.shape
    shifted = centers - shift
    scaled = weights * shifted
    coefficients = np.hstack([weights, -2.0 * scaled])
    norms = (scaled * shifted).sum(axis=1)
    factor = 3 * (20 * p + 200) * UNIT
    labels = np.empty(len(x), dtype=np.int64)
    counting = np.array([np.ones(k), np.arange(k)])
    step = max(1, CHUNK_CELLS // k)
    for begin in range(0, len(x), step):
        block = slice(begin, begin + step)
        d = coefficients @ features[block].T
        d += norms[:, None]
        smallest = d.min(axis=0)
        limit = np.abs(smallest)
        limit += norms.max()
        limit *= factor
        limit += smallest
        limit += UNDERFLOW
        near, number = counting @ (d <= limit)
        doubtful = np.flatnonzero((near != 1) | ~(smallest < SAFE))
        labels[block] = number
        if len(doubtful):
            labels[begin + doubtful] = last_nearest(x[begin + doubtful], centers, weights)
    return labels


def last_nearest(x: FloatArray, centers: FloatArray, weights: FloatArray) -> IntArray:
    """`nearest_weighted` by sums in order for every row."""
    best = np.full(len(x), LARGEST)
    labels = np.full(len(x), -1)
    columns = np.ascontiguousarray(x.T)
    for number, (c, w) in enumerate(zip(centers, weights, strict=True)):
        d = _ordered_distances(columns, c, w)
        closer = d <= best
        best[closer] = d[closer]
        labels[closer] = number
    return labels


def _ordered_distances(columns: FloatArray, c: FloatArray, w: FloatArray) -> FloatArray:
    """Weighted squared distances of the data (p, n) to one centre, summed left to right over the features."""
    d = np.zeros(columns.shape[1])
    for values, center, weight in zip(columns, c, w, strict=True):
        t = values - center
        t *= t
        t *= weight
        d += t
    return d

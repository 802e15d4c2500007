"""Lloyd's and MacQueen's k-means with R's rounding (r-kmeans specification, sections 3 and 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.core.distance import UNDERFLOW, Geometry, first_member_sums, two_nearest

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
CHUNK_CELLS = 500_000
BLOCK_ROWS = 250  # rows that MacQueen's algorithm compares by one matrix product
DRIFT_ROUNDING = 1 + 1e-10

Result = tuple[IntArray, FloatArray, FloatArray, int]


def nearest(x: FloatArray, centers: FloatArray) -> IntArray:
    """Nearest centre of every row by R's own sums; the first minimum wins, a NaN centre never does.

    Parameters
    ----------
    x : ndarray of shape (n, p)
        Rows.
    centers : ndarray of shape (k, p)
        Centres.

    Returns
    -------
    ndarray of int64, shape (n,)
        Indices of the centres.
    """
    n, p = x.shape
    k = len(centers)
    labels = np.empty(n, dtype=np.int64)
    step = max(1, CHUNK_CELLS // (k * p))
    by_feature = centers.T[:, None, :]
    for begin in range(0, n, step):
        rows = x[begin : begin + step]
        t = np.empty((p, len(rows), k))  # C order: only then does the sum below run feature by feature
        np.subtract(rows.T[:, :, None], by_feature, out=t)
        t *= t
        cells = t.reshape(p, -1)
        d = np.add.reduce(cells, axis=0) if cells.shape[1] > 1 else np.add.accumulate(cells[:, 0])[-1:]
        d = d.reshape(-1, k)
        labels[begin : begin + step] = np.where(np.isnan(d), np.inf, d).argmin(axis=1)
    return labels


def _withinss_points_outer(x: FloatArray, labels: IntArray, centers: FloatArray) -> FloatArray:
    """One running sum per cluster, points outer, features inner; 0 for an empty cluster."""
    out = np.zeros(len(centers))
    for j, center in enumerate(centers):
        t = (x[labels == j] - center).ravel()
        if t.size:
            t *= t
            out[j] = np.add.accumulate(t)[-1]
    return out


def _means(x: FloatArray, labels: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Sums of member rows in increasing order divided by the counts, NaN where a cluster is empty."""
    sums, sizes = first_member_sums(x, labels[None], k)
    with np.errstate(invalid="ignore"):
        return sums[0] / sizes[0][:, None], sizes[0].astype(float)


def lloyd(x: FloatArray, centers: FloatArray, iter_max: int) -> Result:
    """Lloyd's algorithm as R runs it (Forgy's is the same).

    Parameters
    ----------
    x : ndarray of shape (n, p)
        Rows.
    centers : ndarray of shape (k, p)
        Starting centres.
    iter_max : int
        Largest number of assignment passes.

    Returns
    -------
    labels, centers, withinss, n_iter
        ``n_iter`` counts the last, unchanged pass; ``iter_max + 1`` when every pass changed something.
    """
    labels = np.full(len(x), -1)
    n_iter = iter_max + 1
    for it in range(1, iter_max + 1):
        new = nearest(x, centers)
        if np.array_equal(new, labels):
            n_iter = it
            break
        labels = new
        centers, _ = _means(x, labels, len(centers))
    return labels, centers, _withinss_points_outer(x, labels, centers), n_iter


def macqueen(x: FloatArray, centers: FloatArray, iter_max: int) -> Result:
    """MacQueen's algorithm as R runs it: both centres move with every single reassignment.

    Blocks of rows are compared by one matrix product. A row whose margin (distance to the nearest other
    centre less that to its own, less the rounding) exceeds what the centres have moved since keeps its
    cluster; only the others are compared by R's own sums, each with the centres of its turn.

    Parameters
    ----------
    x : ndarray of shape (n, p)
        Rows.
    centers : ndarray of shape (k, p)
        Starting centres.
    iter_max : int
        Largest number of sweeps.

    Returns
    -------
    labels, centers, withinss, n_iter
        The centres are the running ones. ``n_iter`` counts the last, quiet sweep.
    """
    geometry = Geometry(x, allow_gram=False)
    labels = two_nearest(geometry, centers[None])[0][0] if np.isfinite(centers).all() else nearest(x, centers)
    centers, sizes = _means(x, labels, len(centers))
    n_iter = iter_max + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        for it in range(1, iter_max + 1):
            moved = False
            for begin in range(0, len(x), BLOCK_ROWS):
                moved |= _macqueen_block(geometry, slice(begin, begin + BLOCK_ROWS), labels, centers, sizes)
            if not moved:
                n_iter = it
                break
    return labels, centers, _withinss_points_outer(x, labels, centers), n_iter


def _margins(geometry: Geometry, block: slice, labels: IntArray, centers: FloatArray) -> FloatArray:
    """Lower bounds: distance to the nearest other centre less that to the own one; NaN where unknown."""
    c = centers - geometry.shift
    norms = np.einsum("kp,kp->k", c, c)
    squares = geometry.squares[block, None]
    d = geometry.x[block] @ c.T
    d *= -2
    d += norms
    d += squares
    error = geometry.error_factor(0) * (squares[:, 0] + norms.max()) * 2 + UNDERFLOW
    rows = np.arange(len(d))
    own = d[rows, labels[block]]
    d[rows, labels[block]] = np.inf
    return np.sqrt(np.maximum(d.min(axis=1) - error, 0)) - np.sqrt(np.maximum(own + error, 0))


def _macqueen_block(
    geometry: Geometry, block: slice, labels: IntArray, centers: FloatArray, sizes: FloatArray
) -> bool:
    """One pass over the rows of a block, in place; whether any row moved."""
    x, own = geometry.raw[block], labels[block]
    margins = _margins(geometry, block, labels, centers)
    before = centers.copy()
    drifts = np.zeros(len(centers))
    doubtful = ~(margins > 0)
    position, moved = 0, False
    while position < len(own):
        position += int(doubtful[position:].argmax())
        if not doubtful[position]:
            break
        source = own[position]
        t = np.subtract(x[position, :, None], centers.T, order="C")
        t *= t
        d = np.add.reduce(t, axis=0) if t.shape[1] > 1 else np.add.accumulate(t)[-1]
        target = int(np.fmin(d, np.inf).argmin())
        if target != source:
            moved = True
            _transfer(x[position], source, target, centers, sizes)
            own[position] = target
            pair = [source, target]
            step = centers[pair] - before[pair]
            drifts[pair] = np.sqrt(np.einsum("kp,kp->k", step, step)) * DRIFT_ROUNDING
            doubtful = ~(margins > 2 * drifts.max())
        position += 1
    return moved


def _transfer(row: FloatArray, source: int, target: int, centers: FloatArray, sizes: FloatArray) -> None:
    """Move a row from one cluster to another; the running means follow at once."""
    sizes[source] -= 1
    sizes[target] += 1
    centers[source] += (centers[source] - row) / sizes[source]
    centers[target] += (row - centers[target]) / sizes[target]

"""Lloyd's algorithm on rows of an array, compiled: the labels of `sparsek.sources.lloyd.lloyd`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sparsek.core.exact_sums import Grid, added_rows
from sparsek.core.scaling import Scaling, identity
from sparsek.core.steps import Array, Labels, doubt, length, pieces
from sparsek.methods.sparse_kmeans import loops
from sparsek.sources.empty import farthest, hand_out
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import KEPT_SHARE

TILE_ENTRIES, MOST_TILE_ROWS = 65_536, 512
"""Entries and rows of the tile in which prepared rows are compared."""
SMALL_ENTRIES = 262_144
"""Up to this many entries are copied. Of larger data, only a small share of the columns is (`KEPT_SHARE`)."""
MOST_LONGER = 8
"""Rows as given are compared if they are not longer than prepared ones by more than this factor."""
ROUNDED_FACTORS = 2
"""Roundings of single precision that an entry times its factor has."""


class Clustered(NamedTuple):
    """Where Lloyd's algorithm ended."""

    labels: Labels  # (n,) int32: the partition
    n_iter: int  # Number of iterations
    converged: bool  # Whether the last one changed no label
    # (n_clusters, m + 1) int64: cluster sums of the labels in these columns, sizes last, in units
    # of the grid
    whole: Array


class _ReadColumns(NamedTuple):
    """Some columns of rows, prepared when they are read."""

    X: Array  # (n, p) or (n, p + 1): rows as given, or prepared
    scaling: Scaling | None  # The map to prepared rows; None where they are
    columns: Array  # (m,): sorted indices
    rounded: bool  # Whether prepared entries are multiples of the units of the cluster sums

    def of(self, rows: Array | slice) -> Array:
        """Some prepared rows, ones last."""
        if self.scaling is not None:
            return self.scaling.apply(self.X[rows], self.columns)
        if len(self.columns) + 1 == self.X.shape[1]:
            return self.X[rows]
        return self.X[rows].take(np.append(self.columns, -1), axis=1)

    def copied(self) -> _ReadColumns:
        """The same rows in a prepared copy, if it takes little memory."""
        n, p = self.X.shape[0], self.X.shape[1] - (self.scaling is None)
        m = len(self.columns)
        if n * m > SMALL_ENTRIES and m > KEPT_SHARE * p:
            return self
        return _ReadColumns(self.of(slice(None)), None, np.arange(m), self.rounded)

    def view(self) -> tuple[object, ...]:
        """What `loops.read_row` takes."""
        m, dtype = len(self.columns), self.X.dtype
        whole = np.array_equal(self.columns, np.arange(m))
        some = identity(m, dtype) if self.scaling is None else self.scaling.of_columns(self.columns)
        kind = loops.SCALED if np.any(some.spread != 1) else loops.CENTRED
        if self.scaling is None and whole:
            kind = loops.PREPARED
        rounds = some.grid is not None and dtype == np.float64
        magic = some.grid.magic if some.grid is not None and rounds else np.zeros(m)
        return self.X, self.columns, some.unit, some.offset, some.rate, magic, whole, kind

    def raw(self, share: float, size: float, factors: Array, grid: Grid) -> tuple[Array, float]:
        """The rows as given, empty if products with them are slow or inexact, and the rounding of scores.

        `share` is that for prepared rows, of at most the length `size`, as a share of squared lengths.
        """
        none, X, m = np.empty((0, 1)), self.X, len(self.columns)
        # Products with rows as given read all their columns, of which at least half must be in use.
        if X.dtype != np.float64 or not X.flags.c_contiguous or 2 * m < X.shape[1] or size == 0:
            return none, share
        if self.scaling is None:
            return X, share
        some = self.scaling.of_columns(self.columns)
        # Rows that are not centred are longer by the offset, and so are their rounding errors.
        reach = grid.reach[:-1] / grid.reach[-1] + np.abs(some.offset * some.rate)
        longer = length(reach * factors) / size
        rounded = 0.0 if some.grid is None else length(some.grid.unit * factors) / size
        # Rounding errors grow with the square of the length; the grid adds what it moved the prepared rows.
        return (X, share * longer * longer + rounded) if longer <= MOST_LONGER else (none, share)


def compiled_lloyd(
    X: Array,
    scaling: Scaling | None,
    subspace: Subspace,
    labels: Labels,
    n_clusters: int,
    grid: Grid,
    weights: Array | None = None,
    max_iter: int = 300,
    whole: Array | None = None,
    rounded: bool = False,
    run: Callable[..., tuple[int, bool]] | None = None,
) -> Clustered:
    """Lloyd's k-means from some labels; an empty cluster takes the farthest row.

    Shapes: X (n, p) or (n, p + 1), labels (n,) int32, weights (n,), whole (n_clusters, m + 1) int64.
    """
    run = loops.lloyd.compiled if run is None else run
    grid = grid.chosen(np.append(subspace.columns, -1))
    rows = _ReadColumns(X, scaling, subspace.columns, rounded).copied()
    m, n = len(subspace.columns), len(X)
    stretch = np.ones(m) if subspace.factors is None else subspace.factors.astype(np.float64)
    factors = stretch.astype(X.dtype).astype(np.float64)  # as prepared rows are multiplied by them
    labels, before, done = labels.astype(np.int32), np.empty(n, np.int32), 0
    whole = _sums(rows, labels, n_clusters, grid, weights) if whole is None else whole.copy()
    mass = np.ones(n) if weights is None else weights.astype(np.float64)
    # The last reach is the largest weight; divided by it, the others are those of rows.
    centers, size = np.zeros((n_clusters, m), X.dtype), length(grid.reach[:-1] / grid.reach[-1] * factors)
    share = 2 * float(doubt(np.empty((0, m)), 1.0))
    if X.dtype != np.float64:
        share += ROUNDED_FACTORS * float(np.finfo(X.dtype).eps)
    step = max(1, min(n, MOST_TILE_ROWS, TILE_ENTRIES // m))
    room = np.empty((step, m)), tuple(np.empty((3, step))), np.empty(step, np.int32), np.empty(m, X.dtype)
    raw, share = rows.raw(share, size, factors, grid)
    while True:
        held = labels, mass, np.bincount(labels, minlength=n_clusters)
        units = grid.unit, 1 / grid.unit, grid.magic
        state = held, before, centers, units, whole
        n_iter, settled = run(rows.view(), raw, room, stretch, factors, *state, size, share, max_iter - done)
        done += n_iter
        # The loop stops at an empty cluster, which takes the farthest row before the loop goes on.
        if not held[2].all():
            settled = _fill_empty(rows, factors, labels, before, centers, (whole, grid, weights))
            if not settled and done < max_iter:
                continue
        return Clustered(labels, done, settled, whole)


def _sums(rows: _ReadColumns, labels: Labels, n_clusters: int, grid: Grid, weights: Array | None) -> Array:
    """Cluster sums of the labels, in units of the grid."""
    total = np.zeros((n_clusters, len(grid.unit)), np.int64)
    n = len(labels)
    for part in [slice(0, n)] if rows.scaling is None else pieces(n, len(grid.unit)):
        mass = None if weights is None else weights[part]
        total += added_rows(rows.of(part), grid, n_clusters, labels[part], None, mass, rows.rounded)
    return total


def _fill_empty(
    rows: _ReadColumns,
    factors: Array,
    labels: Labels,
    before: Labels,
    centers: Array,
    summed: tuple[Array, Grid, Array | None],
) -> bool:
    """Give the farthest rows to the empty clusters; whether the labels are those from before then.

    Changes the labels and the cluster sums, the first of `summed`.
    """
    far, (whole, grid, weights) = [], summed
    for part in pieces(len(labels), len(factors)):
        x = rows.of(part)[:, :-1] * factors.astype(centers.dtype)
        far.append(farthest(x, labels[part], centers, part.start))
    moved, clusters = hand_out(far, np.bincount(labels, minlength=len(centers)))
    mass = None if weights is None else weights[moved]
    if len(moved):
        whole += added_rows(rows.of(moved), grid, len(centers), clusters, labels[moved], mass)
        labels[moved] = clusters
    return np.array_equal(labels, before)

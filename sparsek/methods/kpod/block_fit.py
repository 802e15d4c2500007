"""Fit of KPod to rows that are read block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.methods.kpod.algorithm import kpod_descent
from sparsek.methods.kpod.by_blocks import Fill, FilledRows, PartialRows, kpod_rows
from sparsek.methods.rows.block_problem import draw_sample, given_start, start_labels
from sparsek.methods.rows.files.readers import Reader, Subset
from sparsek.methods.rows.input import check_block
from sparsek.methods.rows.local import Source
from sparsek.methods.shared.base import criterion_rounding
from sparsek.methods.shared.loop import best_of, run_all
from sparsek.methods.shared.scaling import Scaling, identity
from sparsek.methods.shared.sums import Array, Labels
from sparsek.methods.skfr.missing import nearest_observed
from sparsek.numerics.threads import thread_control


def fit_block_kpod(model: Any, reader: Reader, sample_weight: ArrayLike | None) -> Any:
    """KPod's `fit` by blocks."""
    model._refuse_for_blocks(reader, {})
    weights, kept = model._validate_blocks(reader, sample_weight)
    plan = model._plan(reader)
    with thread_control().limit(limits=1):
        kept, weights, columns = observed_columns(reader, weights, kept)
        model._check_rows(int(kept.sum()), "rows of positive weight with an observed value")
        columns.refuse_overflow()
        model._scaling, model._empty = columns.scaling(reader.dtype), columns.counts == 0
        source: Source = reader if kept.all() else Subset(reader, kept)
        rows = PartialRows(source, model._scaling, model.n_clusters, weights, plan.cache, plan.taken_entries)
        labels, fill = _start(model, rows, kept, plan.sample_entries)
        found = kpod_rows(rows, labels, max_iter=model.max_iter, fill=fill)
        best = model._best_start([found], float(columns.squares.sum()), np.dtype(reader.dtype))
        model._store_best(best, weights)
        model.inertia_ = _inertia(model, rows)
    model.labels_ = model._all_labels(reader, best.labels, kept)
    model._completed = None
    return model


@dataclass(frozen=True, slots=True)
class Columns:
    """Weighted statistics of the observed values of each column; each ndarray of shape (p,), float64.

    Attributes
    ----------
    counts, means, squares : ndarray
        Numbers of observed values, their means (0 without any), and sums of squares about them.
    top, bottom : ndarray
        Largest and smallest; NaN without any.
    """

    counts: Array
    means: Array
    squares: Array
    top: Array
    bottom: Array

    def merge(self, other: Columns) -> Columns:
        """Those of both sets of rows together (Chan, Golub and LeVeque 1983)."""
        counts = self.counts + other.counts
        share = other.counts / np.where(counts > 0, counts, 1)
        difference = other.means - self.means
        return Columns(
            counts,
            self.means + difference * share,
            self.squares + other.squares + difference**2 * self.counts * share,
            np.fmax(self.top, other.top),
            np.fmin(self.bottom, other.bottom),
        )

    def scaling(self, dtype: Any) -> Scaling:
        """Centring."""
        offset = np.where(self.top == self.bottom, self.top, self.means).astype(dtype)
        return Scaling(np.ones(len(offset), dtype), offset, np.ones(len(offset), dtype))

    def refuse_overflow(self) -> None:
        """Raise where squares are infinite."""
        if not np.isfinite(self.squares).all():
            column = int(np.argmin(np.isfinite(self.squares)))
            size = max(abs(self.top[column]), abs(self.bottom[column]))
            raise ValueError(f"the squares of column {column} overflow, whose size is {size:.3g}; rescale it")


def block_columns(X: Array, weights: Array | None) -> Columns:
    """Statistics of one block."""
    observed = ~np.isnan(X)
    w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
    counts = w @ observed
    safe = np.where(counts > 0, counts, 1)
    filled = np.where(observed, X, 0).astype(np.float64)
    means = w @ filled / safe
    filled -= means
    filled *= observed
    rest = w @ filled / safe  # what the rounding of a sum of large numbers has left
    squares = w @ np.square(filled) - counts * rest**2
    return Columns(counts, means + rest, squares, np.fmax.reduce(X), np.fmin.reduce(X))


def observed_columns(
    reader: Reader, weights: Array | None, kept: Array
) -> tuple[Array, Array | None, Columns]:
    """Rows of positive weight that have an observed value, their weights, and the columns, in one pass."""
    some = np.zeros(len(kept), dtype=bool)
    p, done = reader.shape[1], 0
    zeros, nothing = np.zeros(p), np.full(p, np.nan)
    found = Columns(zeros, zeros, zeros, nothing, nothing)
    for start, X in reader.blocks():
        check_block(X, start, reader, allow_nan=True)
        part = slice(start, start + len(X))
        some[part] = ~np.isnan(X).all(axis=1)
        rows = X if kept[part].all() else X[kept[part]]
        if len(rows):
            with np.errstate(over="ignore", invalid="ignore"):
                mass = None if weights is None else weights[done : done + len(rows)]
                found = found.merge(block_columns(rows, mass))
        done += len(rows)
    return kept & some, weights if weights is None else weights[some[kept]], found


def _start(model: Any, rows: PartialRows, kept: Array, entries: float) -> tuple[Labels, Fill | None]:
    """Initial labels, and the centres of the sample that fill the holes at first."""
    p, dtype = rows.source.shape[1], rows.source.dtype
    if not isinstance(model.init, str) and not callable(model.init):
        given = given_start(model, rows.source, kept, rows.scaling)
        given = given if given.ndim == 1 else np.nan_to_num(given)  # a row that is named may have holes
        filled = FilledRows(rows.source, rows.scaling, None)
        return start_labels(filled, identity(p, dtype), given), None
    sample, weights = draw_sample(model, rows.source, rows.weights, entries)
    centers = sample_centers(model, sample, weights)
    labels = np.empty(rows.source.shape[0], np.int32)
    for part, values, observed, _ in rows.blocks():
        labels[part] = nearest_observed(values, observed, centers)
    return labels, Fill(labels, centers)


def sample_centers(model: Any, sample: Array, weights: Array | None) -> Array:
    """Centres that the best start of k-POD ends with on the sample."""
    Z = model._scaling.apply(sample)
    Z[np.isnan(Z)] = 0
    starts = model._initial_labels(sample, Z, model._scaling, weights, 2, np.ones(len(sample), dtype=bool))
    packed = model._packed(sample)
    options = {"n_clusters": model.n_clusters, "weights": weights, "max_iter": model.max_iter}
    results = run_all(partial(kpod_descent, packed, **options), starts, model.n_jobs)
    centers: Array = best_of(results, criterion_rounding(packed.tss, Z.dtype)).params.centers
    return centers


def _inertia(model: Any, rows: PartialRows) -> float:
    """The criterion of the rows and the final centres."""
    total = 0.0
    for start, X in rows.source.blocks():
        weights = None if rows.weights is None else rows.weights[start : start + len(X)]
        total += model._inertia(X, weights)
    return total

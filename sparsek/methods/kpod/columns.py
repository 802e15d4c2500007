"""Statistics of the observed values of each column, in memory or by blocks, and the scaling from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsek.methods.rows.local import Blocks, block_moments
from sparsek.methods.shared.scaling import Scaling, safe_unit
from sparsek.methods.shared.sums import Array
from sparsek.numerics.exact_sums import Extremes, Moments, column_moments


def observed_scaling(
    moments: Moments, n_rows: int, dtype: Any, standardize: bool, unit: Array | None = None
) -> Scaling:
    """The centring of the columns times `unit`, and on request their standard deviations."""
    unit = np.ones(len(moments.means), dtype) if unit is None else unit
    constant = moments.top == moments.bottom
    offset = np.where(constant, moments.top, moments.means).astype(dtype)
    spread = np.ones(len(offset), dtype)
    if standardize:
        assert moments.counts is not None  # of observed values
        varying = ~constant & (moments.squares > 0) & (moments.counts > 1)
        spread[varying] = np.sqrt(moments.squares[varying] / (moments.counts[varying] - 1))
    top, bottom = (np.nan_to_num(end / unit).astype(dtype) for end in (moments.top, moments.bottom))
    return Scaling(unit, offset, spread).gridded(top, bottom, n_rows)


def scaling_of_array(X: Array, weights: Array | None, standardize: bool) -> Scaling:
    """The same of rows in memory; extreme columns are brought near 1 first."""
    extremes = Extremes.of(X, holes=True)
    top, bottom = np.nan_to_num(extremes.top), np.nan_to_num(extremes.bottom)
    unit = safe_unit(np.maximum(top, -bottom), top == bottom, standardize)
    moments = column_moments(X, weights, unit if np.any(unit != 1) else None, holes=True)
    return observed_scaling(moments, len(X), X.dtype, standardize, unit)


def observed_columns(
    source: Blocks, weights: Array | None, kept: Array, check_rows: Callable[[int], None]
) -> tuple[Array, Array | None, Moments]:
    """Mask of rows with positive weight and an observed value, their weights, and moments, in two passes."""
    some = np.zeros(len(kept), dtype=bool)

    def blocks() -> Iterator[tuple[slice, Array]]:
        done = 0
        for start, X in source.blocks():
            part = slice(start, start + len(X))
            some[part] = ~np.isnan(X).all(axis=1)
            chosen = kept[part] & some[part]
            rows = X if chosen.all() else X[chosen]
            if len(rows):
                yield slice(done, done + len(rows)), rows
                done += len(rows)

    if weights is not None:
        for _ in blocks():  # sets `some`
            pass
        weights = weights[some[kept]]
    moments = block_moments(blocks, weights, holes=True, check_rows=check_rows)
    return kept & some, weights, moments

"""Rows that are centred, and on request scaled, within their batches: a step before all others of a fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import Divisor, divides, has_little_weight, refuse_little_weight, takes_deviations
from sparsek.core.steps import Array, Labels
from sparsek.sources.blocks import block_scaling
from sparsek.sources.holes import PreparedBy
from sparsek.sources.local import Blocks, block_moments
from sparsek.sources.readers import Subset
from sparsek.sources.source import (
    LEAST_KEPT,
    ArraySource,
    DenseBlocks,
    FileSource,
    LocalSource,
    MatrixSource,
    common_unit,
)


@dataclass(frozen=True, slots=True)
class BatchScaling:
    """The maps z = (x - offset) / spread of some batches, in units of x."""

    offset: Array  # offset, spread: (n_batches, p): means of the columns, and their deviations, or 1
    spread: Array
    unit: Array  # (p,): powers of two by which x and the offset are multiplied first
    standardize: bool  # Whether z has no unit; else it is in that of x

    def apply(self, X: Array, codes: Labels) -> Array:
        """Rows of these batches; NaN stays NaN.

        Raises ValueError for differences that overflow.
        """
        found = np.empty(X.shape, self.offset.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            for code in np.unique(codes).tolist():
                rows = codes == code
                found[rows] = (X[rows] * self.unit - self.offset[code]) * (1 / self.spread[code])
            if not self.standardize:
                found /= self.unit
        self._refuse_overflow(X, found)
        return found

    def _refuse_overflow(self, X: Array, found: Array) -> None:
        """Raise ValueError for the first entry that became infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(found.sum()):
                return
        bad = np.argwhere(np.isinf(found) & np.isfinite(X))
        if len(bad):
            row, column = bad[0].tolist()
            raise ValueError(
                f"X has the entry {X[row, column]:.6g} in row {row}, column {column}, so far from the mean "
                "of its batch that the difference overflows; leave the row out, or divide the column by a "
                "constant"
            )

    @property
    def means(self) -> Array:
        """Means of the columns of each batch, (n_batches, p), in the units of x."""
        found: Array = self.offset / self.unit
        return found

    @property
    def scales(self) -> Array:
        """What the centred columns of each batch are divided by, (n_batches, p), in the units of x."""
        with np.errstate(over="ignore"):  # refused when the maps are made
            found: Array = self.spread / (self.unit if self.standardize else 1)
        return found

    def undone(self, Z: Array, codes: Labels) -> Array:
        """Map rows in the scale of their batches back to the units of x."""
        found: Array = Z * self.scales[codes] + self.means[codes]
        return found

    def over(self, X: Any, codes: Labels) -> Any:
        """The rows of an array mapped, or blocks that map those of a matrix or a file when they are read."""
        if isinstance(X, np.ndarray):
            return self.apply(X, codes)
        return PreparedBy(X if hasattr(X, "blocks") else DenseBlocks(X), self.apply, codes)


def require_batches(codes: Labels, n: int) -> None:
    """Raise ValueError unless there is one batch for each row."""
    if len(codes) != n:
        raise ValueError(f"batch must have one entry for each of the {n} rows of X; got {len(codes)}")


def batch_scaling(
    source: LocalSource,
    moments: Moments,
    codes: Labels,
    names: Sequence[Any],
    divisor: Divisor,
    ddof: int,
) -> BatchScaling:
    """The maps of the batches of a fit; `moments` are those of all rows.

    Shapes: codes (n,).

    Raises ValueError for batches of fewer than two rows, or whose weights leave nothing to divide by.
    """
    holes = source.holes or bool(np.isnan(moments.top).any())
    unit = np.ones(source.shape[1], source.dtype)
    if source.rescales:
        if np.isnan(moments.top).any():  # the size of a column with holes is that of its other entries
            moments = _moments_of(source, np.ones(len(codes), dtype=bool), holes, unit)
        unit = common_unit(moments, source.dtype, divides(divisor))
    counts, scalings = np.bincount(codes, minlength=len(names)), []
    # Only a deviation divides by the weights less ddof; a mean needs any positive weight.
    lowered = ddof if takes_deviations(divisor) else 0
    for code, name in enumerate(names):
        _check_batch(name, int(counts[code]), _mass(source, codes == code), lowered, source.dtype)
    for n, found in zip(counts.tolist(), _batch_moments(source, codes, len(names), holes, unit), strict=True):
        scalings.append(block_scaling(found, n, source.dtype, divisor, ddof, unit, source.levels)[0])
    offset, spread = (np.array([getattr(one, name) for one in scalings]) for name in ("offset", "spread"))
    scaling = BatchScaling(offset, spread, unit, divides(divisor))
    _refuse_wide(scaling.scales, names)
    return scaling


def _refuse_wide(scales: Array, names: Sequence[Any]) -> None:
    """Raise ValueError for the first column of a batch whose standard deviation overflows."""
    for code, column in np.argwhere(np.isinf(scales))[:1].tolist():
        raise ValueError(
            f"the standard deviation of column {column} in batch {names[code]!r} is beyond "
            f"{np.finfo(scales.dtype).max:.3g}, the largest number; divide the column by a constant"
        )


def _mass(source: LocalSource, some: NDArray[np.bool_]) -> float | None:
    """Sum of the weights of some rows; None without weights."""
    return None if source.weights is None else float(source.weights[some].sum(dtype=np.float64))


def _check_batch(name: Any, n_rows: int, mass: float | None, ddof: int, dtype: Any) -> None:
    """Raise ValueError for a batch whose rows cannot be centred and scaled."""
    if n_rows == 0:
        raise ValueError(f"batch {name!r} has no row of positive weight; leave its rows out")
    if n_rows == 1:
        raise ValueError(
            f"batch {name!r} has a single row, which is 0 in every column once it is centred within its "
            "batch; leave the row out, or give it the label of a batch that it can be compared with"
        )
    if mass is not None and has_little_weight(mass, ddof, dtype):
        refuse_little_weight(mass, ddof, f" of batch {name!r}")


def _dense(source: LocalSource) -> Blocks:
    """The rows of a source as dense blocks."""
    return DenseBlocks(source.X) if isinstance(source, MatrixSource) else source.read


def _batch_moments(source: Any, codes: Labels, n_batches: int, holes: bool, unit: Array) -> Iterable[Moments]:
    """Column statistics of each batch."""
    if hasattr(source, "batch_moments"):  # rows that stay elsewhere: all batches in the same two passes
        found: list[Moments] = source.batch_moments(codes, n_batches)
        return found
    return (_moments_of(source, codes == code, holes, unit) for code in range(n_batches))


def _moments_of(source: LocalSource, some: NDArray[np.bool_], holes: bool, unit: Array) -> Moments:
    """Column statistics of some rows, in two passes: of x * unit, but the extremes of x."""
    read = Subset(_dense(source), some)
    mass = None if source.weights is None else source.weights[some]

    def places() -> Any:
        for start, X in read.blocks():
            yield slice(start, start + len(X)), X

    if np.all(unit == 1):
        return block_moments(places, mass, holes)
    found = block_moments(places, mass, holes, unit=unit)
    return replace(found, top=found.top / unit, bottom=found.bottom / unit)


def within_batches(source: LocalSource, scaling: BatchScaling, codes: Labels) -> LocalSource:
    """The same rows, mapped: an array at once, blocks and chunks when they are read."""
    if hasattr(source, "mapped"):
        mapped: LocalSource = source.mapped(scaling.apply, codes)
        return mapped
    blocks = PreparedBy(_dense(source), scaling.apply, codes)
    weights, kept = source.weights, source.kept
    found: LocalSource
    if isinstance(source, ArraySource):
        X = np.concatenate([X for _, X in blocks.blocks()])
        found = source.replaced(X, source.holes)
    elif isinstance(source, FileSource):
        found = FileSource(blocks, weights, kept, source.plan, source.holes)
    else:
        found = LocalSource(blocks, weights, kept, source.holes)
        found.cache = LEAST_KEPT * np.dtype(source.dtype).itemsize
    found.batches = codes
    return found

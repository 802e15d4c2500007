"""Centring and scaling of the data, safe for huge offsets and for the smallest and largest numbers.

Where entries or columns are so large that others vanish beside them, a warning names them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sparsek.core import loops
from sparsek.core.exact_sums import CHUNK_ENTRIES, Grid, Moments, chunk_rows, column_moments, row_chunks
from sparsek.core.steps import Array
from sparsek.engine import loops_run, loops_take, readable
from sparsek.errors import PrecisionWarning, ScaleWarning, callers_level

SAMPLED_ROWS = 1024
"""Number of rows, evenly spaced, that tell which columns need a closer look."""
FEW_ROWS = 96
"""Number of rows, evenly spaced, that tell which columns could have most values close together."""
ROUNDINGS = 64
"""A sum of squares is lost beside one that is larger by a factor of 1 / (64 eps) or more."""
FAR = 8.0
"""A column is far from 0 if it is larger than half its range by this factor over sqrt(eps): 2.3e4 in single
and 5.4e8 in double precision. The rounding of its mean, up to eps / 2 of its size, then moves sums of squares
of n rows by as much as 16 * eps * n times the square of half the range."""
SCALE_RATIO = 1e3
"""A warning names two columns if the variance of one is larger than that of the other by more than this."""


Divisor = bool | str | Array
"""What columns are divided by: nothing, their standard deviations (True), their ranges ("range"), or the
numbers of an array (p,), in units of X."""


def divides(divisor: Divisor) -> bool:
    """Whether columns are divided by anything, so that distances have no unit."""
    return isinstance(divisor, np.ndarray | str) or bool(divisor)


def refuse_divisors(divisor: Divisor, n_features: int) -> None:
    """Raise ValueError for an array that does not say what each column is divided by."""
    if not isinstance(divisor, np.ndarray):
        return
    remedy = "give one positive number for each column, or True, False, 'range' or 'auto'"
    if divisor.dtype.kind == "c":
        raise TypeError(f"standardize has complex numbers; {remedy}")
    if divisor.shape != (n_features,):
        raise ValueError(f"standardize has shape {divisor.shape}, and X has {n_features} columns; {remedy}")
    wrong = np.flatnonzero(~(np.isfinite(divisor) & (divisor > 0)))
    if len(wrong):
        raise ValueError(
            f"standardize divides column {wrong[0]} by {divisor[wrong[0]]:.6g}, which must be positive and "
            f"finite; {remedy}"
        )


def refuse_small_divisors(divisor: Array, total: Array) -> None:
    """Raise ValueError for a divisor that makes the sum of squares of its column overflow."""
    wrong = np.flatnonzero(~np.isfinite(total))
    if len(wrong):
        raise ValueError(
            f"standardize divides column {wrong[0]} by {divisor[wrong[0]]:.6g}, which is too small for its "
            "values: their squares overflow; give a larger number"
        )


def takes_deviations(divisor: Divisor) -> bool:
    """Whether columns are divided by their standard deviations."""
    return divides(divisor) and not isinstance(divisor, np.ndarray | str)


@dataclass(frozen=True, slots=True)
class Scaling:
    """The map z = (x * unit - offset) * rate with rate = 1 / spread, column by column.

    Where there is a grid, z is rounded to it, so that sums of rows are exact; not in single precision, where
    terms are rounded when they are added.
    """

    # (p,): powers of two that bring extreme columns into the range where squares neither overflow nor
    # underflow; 1 for data of ordinary size
    unit: Array
    offset: Array  # (p,): column means of x * unit
    spread: Array  # (p,): column standard deviations of x * unit; 1 where not standardised or constant
    grid: Grid | None = None  # The grid of z; None for none
    fills: bool = False  # Whether NaN, a missing value, becomes 0, the mean of its column

    @property
    def rate(self) -> Array:
        """1 / spread: multiplications are quicker than divisions."""
        found: Array = 1 / self.spread
        return found

    def gridded(self, top: Array, bottom: Array, n_rows: int) -> Scaling:
        """Add the grid for cluster sums of `n_rows` rows whose columns have these extremes, in units of x."""
        ends = [np.abs((end * self.unit - self.offset) * self.rate) for end in (top, bottom)]
        return replace(self, grid=Grid.of_rows(np.maximum(*ends), n_rows))

    @classmethod
    def side_by_side(cls, parts: Sequence[Scaling]) -> Self:
        """The map of the columns of all parts, one after the other."""
        unit, offset, spread = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("unit", "offset", "spread")
        )
        grids = [part.grid for part in parts if part.grid is not None]
        grid = Grid(*map(np.concatenate, zip(*grids, strict=True))) if len(grids) == len(parts) else None
        return cls(unit, offset, spread, grid)

    def of_columns(self, columns: Array | slice) -> Scaling:
        """The map of some columns."""
        grid = None if self.grid is None else self.grid.chosen(columns)
        return Scaling(self.unit[columns], self.offset[columns], self.spread[columns], grid, self.fills)

    def of_entries(self, values: Array, column: Array | slice) -> Array:
        """Single entries in prepared coordinates, with the rounding of `apply`, float64."""
        z = (values * self.unit[column] - self.offset[column]) * self.rate[column]
        if self.grid is not None and z.dtype == np.float64:
            magic = self.grid.magic[column]
            z += magic
            z -= magic
        return z.astype(np.float64, copy=False)

    def apply(self, X: Array, columns: Array | slice = slice(None), out: Array | None = None) -> Array:
        """Prepared copy of the chosen columns, on request in `out`: scaled, with a last column of ones."""
        return self._write(X, columns, *self._room(X, len(X), columns, out))

    def pieces(
        self, X: Array, n_rows: int, columns: Array | slice = slice(None), chosen: Array | None = None
    ) -> Iterator[tuple[slice, Array]]:
        """Prepared copies of `n_rows` rows at a time, each written over the one before.

        Memory that is new to a process is slow to write, so that pieces in the same place are quicker than
        one copy of all rows.

        Shapes: X (n, p), chosen (m,); returns (n_rows, n_columns + 1).
        """
        n = len(X) if chosen is None else len(chosen)
        prepared, work = self._room(X, min(n, n_rows), columns)
        taken = np.empty((0 if chosen is None else len(prepared), X.shape[1]), dtype=X.dtype)
        for start in range(0, n, n_rows):
            rows = slice(start, min(start + n_rows, n))
            if chosen is None:
                some = X[rows]
            elif X.flags.c_contiguous and X.flags.aligned:
                some = X.take(chosen[rows], axis=0, out=taken[: rows.stop - start], mode="clip")
            else:  # `take` would copy all of X
                some = X[chosen[rows]]
            yield rows, self._write(some, columns, prepared[: len(some)], work)

    def _room(
        self, X: Array, n_rows: int, columns: Array | slice, out: Array | None = None
    ) -> tuple[Array, Array]:
        """Memory for prepared rows, ones last, and for the columns of those that are worked on at a time."""
        prepared = np.empty((n_rows, len(self.offset[columns]) + 1), dtype=X.dtype) if out is None else out
        return prepared, np.empty((chunk_rows(prepared), prepared.shape[1] - 1), dtype=X.dtype)

    @np.errstate(invalid="ignore")  # of signalling NaN
    def _write(self, X: Array, columns: Array | slice, prepared: Array, work: Array) -> Array:
        """Write the prepared columns; `prepared` and `work` come from `_room`."""
        whole = isinstance(columns, slice) and columns == slice(None)
        loop = loops.prepare_rows if whole else loops.prepare_chosen
        if loops_take(X) and loops_run(prepared, loop):
            self._write_looped(X, columns, prepared, whole)
            for rows in row_chunks(prepared) if self.fills else ():
                np.copyto(prepared[rows], 0, where=np.isnan(prepared[rows]))
            return prepared
        offset, rate, unit = self.offset[columns], self.rate[columns], self.unit[columns]
        scaled, divided = bool(np.any(unit != 1)), bool(np.any(rate != 1))
        grid = None
        if self.grid is not None and prepared.dtype == np.float64:
            grid = self.grid.chosen(columns)
        for rows in row_chunks(prepared):
            prepared[rows, -1] = 1
            z, some = prepared[rows, :-1], X[rows]
            room = work[: len(some)]
            if isinstance(columns, slice):
                piece = some[:, columns]
            else:
                # With the default mode numpy would write to a copy of `out` first.
                piece = some.take(columns, axis=1, out=room, mode="clip")
            if scaled:
                piece = np.multiply(piece, unit, out=room)
            piece = np.subtract(piece, offset, out=z if grid is None and not divided else room)
            if divided:
                piece = np.multiply(piece, rate, out=z if grid is None else room)
            if grid is not None:
                grid.round(piece, z)
            if self.fills:
                np.copyto(z, 0, where=np.isnan(z))
        return prepared

    def _write_looped(self, X: Array, columns: Array | slice, prepared: Array, whole: bool) -> None:
        """Write the prepared columns except NaN, compiled."""
        scale = self.of_columns(columns).loops()
        if whole:
            every = np.arange(len(X))
            loops.prepare_rows.compiled(readable(X), every, len(X), scale, prepared, 0)
        else:
            some = np.arange(X.shape[1])[columns]
            loops.prepare_chosen.compiled(readable(X), some, scale, prepared)
        prepared[:, -1] = 1

    def loops(self) -> tuple[Array, Array, Array, Array]:
        """The map as loops take it, see `sparsek.core.loops`."""
        rounded = self.grid is not None and self.offset.dtype == np.float64
        magic = self.grid.magic if self.grid is not None and rounded else np.empty(0)
        return self.unit, self.offset, self.rate, magic

    def invert(self, Z: Array) -> Array:
        """Prepared rows z, all columns, in the original units; never beyond the largest number.

        Means of numbers at the limit of the floating-point range may round to just above it.
        """
        limit = np.finfo(self.offset.dtype).max
        with np.errstate(over="ignore"):
            return np.clip((Z * self.spread + self.offset) / self.unit, -limit, limit)


def prepare(
    X: Array,
    weights: Array | None,
    *,
    standardize: bool,
    by_column: bool = True,
    moments: Moments | None = None,
    exact: bool = False,
) -> tuple[Array, Scaling]:
    """Centre the columns of X at their weighted means; standardise them on request.

    Shapes: X (n, p) float64, weights (n,); returns Z (n, p + 1).
    """
    found = column_moments(X, weights) if moments is None else moments
    constant = found.top == found.bottom
    unit = safe_unit(np.maximum(found.top, -found.bottom), constant, by_column)
    if np.any(unit != 1):
        # Squares of extreme columns overflow or vanish, so that they are added once more in the safe unit.
        moved = column_moments(X, weights, unit)
        found = replace(found, means=moved.means, squares=moved.squares)
    # The mean of equal numbers may be rounded; subtracting the number itself leaves exact zeros.
    offset = np.where(constant, X[0] * unit, found.means).astype(X.dtype)
    squares = np.where(constant | (not standardize), 0, found.squares)
    scaling = Scaling(unit, offset, deviations(squares, found.count, 1, X.dtype))
    if exact:
        scaling = scaling.gridded(found.top, found.bottom, len(X))
    return scaling.apply(X), scaling


def deviations(squares: Array, masses: Array | float, ddof: int, dtype: Any) -> Array:
    """Standard deviations of columns with these sums of squares about their means; 1 for a sum of 0.

    Weights are numbers of repetitions, so that a variance divides by their sum, `masses`, less `ddof`.

    Shapes: squares (p,), masses () or (p,); returns (p,).
    """
    varying = squares > 0
    masses = np.broadcast_to(masses, squares.shape)
    for column in np.flatnonzero(varying & has_little_weight(masses, ddof, dtype))[:1].tolist():
        light = np.ptp(masses) > 0
        refuse_little_weight(masses[column], ddof, f" where column {column} is observed" if light else "")
    spread = np.ones(len(squares), dtype)
    spread[varying] = np.sqrt(squares[varying] / (masses[varying] - ddof))
    return spread


def has_little_weight(mass: Any, ddof: int, dtype: Any) -> Any:
    """Whether a sum of weights leaves nothing to divide a variance by.

    Weights that are divided by their sum add up to 1 up to rounding, so that a difference of which fewer than
    half the digits are true counts as none.
    """
    return mass - ddof <= ddof * np.sqrt(np.finfo(dtype).eps)


def refuse_little_weight(mass: float, ddof: int, where: str = "") -> None:
    """Raise ValueError for a sum of weights that leaves nothing to divide a variance by."""
    raise ValueError(
        f"sample_weight{where} sums to {mass:.6g}, which must exceed ddof={ddof}: weights are numbers of "
        f"repetitions, and a variance divides by their sum less {ddof}; multiply all weights by a factor, "
        "for example by len(sample_weight) / sample_weight.sum(), or set standardize=False, or ddof=0 where "
        "the estimator has it"
    )


def identity(p: int, dtype: Any) -> Scaling:
    """Scaling that changes nothing."""
    return Scaling(np.ones(p, dtype), np.zeros(p, dtype), np.ones(p, dtype))


def column_squares(Z: Array, weights: Array | None) -> Array:
    """Weighted sums of squares of the columns of prepared data, in float64."""
    total = np.zeros(Z.shape[1] - 1)
    for rows in row_chunks(Z):
        total += _add_up(np.square(Z[rows, :-1]), weights, rows)
    return total


def _add_up(part: Array, weights: Array | None, rows: slice) -> Array:
    """Weighted column sums of `part`, some rows of the data, in float64."""
    if weights is None:
        total: Array = part.sum(axis=0, dtype=np.float64)
        return total
    return weights[rows].astype(np.float64) @ part


def safe_unit(size: Array, constant: Array, by_column: bool) -> Array:
    """Powers of two that bring the largest entry of each extreme column near 1; 1 for other columns.

    Shapes: size (p,), constant (p,) bool; returns (p,).
    """
    info = np.finfo(size.dtype)
    exponent = np.frexp(size)[1]
    # No column may overflow in its new unit, not even a constant one, which has no say in a common unit.
    room = info.maxexp - 4 - (exponent if by_column else exponent.max())
    if not by_column:
        exponent = np.frexp(np.full_like(size, np.max(size if constant.all() else size[~constant])))[1]
    # Squares of sums of n such numbers stay finite below this size, and normal above its inverse.
    limit = info.maxexp // 4
    extreme = np.abs(exponent) > limit
    # The factor itself must stay a normal number; the smallest subnormals then still reach a safe size.
    shift = np.clip(-exponent, -info.maxexp + 4, np.minimum(info.maxexp - 4, room))
    if not by_column:  # roots of squared sizes are exact too
        shift -= shift % 2
    return np.ldexp(np.ones_like(size), np.where(extreme, shift, 0))


def refuse_far_rows(
    X: Any,
    unit: Array | float,
    offset: Array | float = 0.0,
    spread: Array | float = 1.0,
    rows: Any = None,
) -> None:
    """Raise ValueError if squares of (X * unit - offset) / spread overflow, naming the entry; not for NaN.

    `X` is dense or sparse. `rows` are the numbers of the rows, if they are not counted from 0.
    """
    sparse = issparse(X)
    if sparse:
        columns = X.tocsc()
        limits = [np.ravel(end.toarray()) for end in (columns.nanmax(axis=0), columns.nanmin(axis=0))]
    else:
        limits = [np.fmax.reduce(X), np.fmin.reduce(X)]
    with np.errstate(over="ignore", invalid="ignore"):  # NaN may be signalling
        ends = [np.abs(end * unit - offset) / spread for end in limits]
    size = np.fmax(*ends)
    # The square of this size is 2^16 times below overflow, which leaves room to add squares over columns.
    if np.fmax.reduce(size) >= 2.0 ** (np.finfo(size.dtype).maxexp // 2 - 8):
        column = int(np.nanargmax(size))
        entries = columns[:, [column]].toarray().ravel() if sparse else X[:, column]
        row = int(np.nanargmax(np.abs(entries)))
        number = row if rows is None else rows[row]
        raise ValueError(
            f"X has the entry {entries[row]:.6g} in row {number}, column {column}, so far from the data of "
            "the fit that its square overflows; leave the row out, or give it in the units of the fit"
        )


def warn_of_lost_structure(
    X: Any,
    names: Any,
    kept: Array | None = None,
    *,
    common_scale: bool,
    sampled: bool = False,
    moments: Moments | None = None,
    ignored: NDArray[np.bool_] | None = None,
) -> None:
    """Warn of an entry beside which its column is lost in rounding, or else of a column that hides others.

    `ignored` is a mask of the columns that take no part. Shapes: X (n, p), ignored (p,).
    """
    if not isinstance(X, np.ndarray) or len(X) < 3:
        return
    if moments is None or np.isnan(moments.top).any():
        top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    else:
        top, bottom = moments.top, moments.bottom
    if ignored is not None:  # as columns of zeros, which neither hide nor are hidden
        if common_scale:  # all columns are scaled down with one of extreme size, whether it takes part or not
            ignored = ignored & (np.frexp(np.maximum(top, -bottom))[1] <= np.finfo(top.dtype).maxexp // 4)
        top, bottom, moments = np.where(ignored, 0, top), np.where(ignored, 0, bottom), None
    reach = top / 2 - bottom / 2  # half the range, which itself may overflow
    entry = _hiding_entry(X, reach)
    if entry is not None:
        row, column, n_more = entry
        row_given = None if sampled else row if kept is None else int(np.flatnonzero(kept)[row])
        place = "" if sampled else f"row {row_given}, "
        also = f" (and {n_more} more of this column)" if n_more and not sampled else ""
        message = (
            f"the entry {X[row, column]:.6g} in {place}column {_called(column, names)}{also} lies "
            "so far from most values of its column that sums of squares no longer show their differences; "
            "correct it, leave the row out, or, if it is the code of a missing value, replace it"
        )
        warnings.warn(PrecisionWarning(message, row_given, column), stacklevel=callers_level())
        return
    warn_of_far_columns(top, bottom, names)
    if common_scale:
        hidden = _hidden_columns(X, reach, np.maximum(top, -bottom))
        if len(hidden):
            column, first = int(reach.argmax()), int(hidden[0])
            message = (
                f"column {_called(column, names)} spans {2 * float(reach[column]):.6g}, so much that "
                f"sums of squares no longer show the differences in {len(hidden)} other columns: column "
                f"{_called(first, names)}, for example, spans {2 * float(reach[first]):.6g}; standardize "
                "the columns, or leave this one out"
            )
            warnings.warn(PrecisionWarning(message, None, column), stacklevel=callers_level())
        else:
            if moments is None or not _are_alike(moments.squares):
                warn_of_unequal_scales(X, names, ignored)


def far_columns(top: Array, bottom: Array) -> NDArray[np.bool_]:
    """Mask of the columns with these extremes that lie far from 0, see `FAR`; constant ones do not.

    Shapes: top, bottom (p,); returns (p,).
    """
    with np.errstate(invalid="ignore"):  # a column of infinity alone, which is refused later, has no reach
        reach = top / 2 - bottom / 2
    size = np.maximum(top, -bottom)
    share = float(np.sqrt(np.finfo(reach.dtype).eps)) / FAR
    found: NDArray[np.bool_] = (reach > 0) & (share * size > reach)
    return found


def warn_of_far_columns(
    top: Array, bottom: Array, names: Any, ignored: NDArray[np.bool_] | None = None
) -> None:
    """Warn of the first column, with these extremes in the precision of the data, that lies far from 0.

    `ignored` is a mask of the columns that take no part. Shapes: top, bottom, ignored (p,).
    """
    far = far_columns(top, bottom)
    if ignored is not None:
        far &= ~ignored
    for column in np.flatnonzero(far)[:1].tolist():
        low, high = float(bottom[column]), float(top[column])
        message = (
            f"column {_called(column, names)} goes from {low!r} to {high!r}, so far from 0 that sums of "
            f"squares show the rounding of its mean to {top.dtype}; subtract a number from the column first, "
            f"for example {low!r}"
        )
        warnings.warn(PrecisionWarning(message, None, column), stacklevel=callers_level())


def _are_alike(squares: Array) -> bool:
    """Whether sums of squares about the means are so close that no two variances differ by `SCALE_RATIO`."""
    least, most = float(squares.min()), float(squares.max())
    return 0 < most < np.inf and 2 * most < SCALE_RATIO * least


def warn_of_unequal_scales(X: Array, names: Any, ignored: NDArray[np.bool_] | None = None) -> None:
    """Warn of two columns, none of them ignored, whose variances differ by a factor above `SCALE_RATIO`.

    Shapes: X (n, p), ignored (p,).
    """
    top, bottom = np.nan_to_num(np.fmax.reduce(X)), np.nan_to_num(np.fmin.reduce(X))
    if ignored is not None:
        top, bottom = np.where(ignored, 0, top), np.where(ignored, 0, bottom)
    size = np.maximum(top, -bottom)
    # A column whose range is a few roundings of its size counts as constant.
    rounding = 4 * float(np.finfo(X.dtype).eps) * size
    varying = np.flatnonzero(top / 2 - bottom / 2 > rounding)
    if not len(varying):
        return
    exponent = int(np.frexp(size.max())[1])
    # Dividing by a power of two above every entry keeps squares from overflowing and rounds no entry.
    variances = _variances(X, top, bottom, exponent)
    if ignored is not None:
        variances[ignored] = 0
    widest = int(variances.argmax())
    narrowest = int(varying[variances[varying].argmin()])
    if variances[widest] > SCALE_RATIO * variances[narrowest] > 0:
        deviations = np.ldexp(np.sqrt(variances[[widest, narrowest]]), exponent)
        message = (
            f"column {_called(widest, names)} has {variances[widest] / variances[narrowest]:.2g} times the "
            f"variance of column {_called(narrowest, names)} (standard deviations {deviations[0]:.4g} and "
            f"{deviations[1]:.4g}). This method compares columns in their own units, so the first one "
            "decides nearly alone. Set standardize=True, or divide the columns by their standard deviations "
            "first; if all columns have one unit and the difference is meant, ignore this warning"
        )
        warnings.warn(ScaleWarning(message, widest, narrowest), stacklevel=callers_level())


def _variances(X: Array, top: Array, bottom: Array, exponent: int) -> Array:
    """Variances of the observed values of the columns, which are divided by 2**exponent first."""
    middle = np.ldexp((top / 2 + bottom / 2).astype(np.float64), -exponent)
    counts, sums, squares = np.zeros((3, X.shape[1]))
    for rows in row_chunks(X):
        # An ignored column may overflow, and NaN may be signalling.
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            away = np.ldexp(X[rows], -exponent) - middle
            counts += (~np.isnan(away)).sum(axis=0)
            sums += np.nansum(away, axis=0)
            squares += np.nansum(np.square(away), axis=0)
    counts = np.maximum(counts, 1)
    # The sums are about the middle of the column, so that this difference cancels few digits.
    found: Array = np.maximum(squares / counts - np.square(sums / counts), 0)
    return found


def _hiding_entry(X: Array, reach: Array) -> tuple[int, int, int] | None:
    """Row and column of the farthest entry that hides most of its column, and how many others do; or None.

    Let d_1 <= d_2 <= ... be the distances of a column's values from their median. The first i values, at
    least half of all, are lost if i d_i^2 is less than the rounding of d_{i+1}^2.
    """
    limit = float(np.sqrt(ROUNDINGS * np.finfo(X.dtype).eps))
    found, farthest = None, 0.0
    crowded = np.flatnonzero((reach > 0) & _crowded(X, 2 * limit * reach))
    quarters = _quarters(X[:: max(1, len(X) // SAMPLED_ROWS)], crowded)
    # The comparison is negated so that a quarter of NaN leaves the column in question.
    for column in crowded[~(quarters > limit * reach[crowded])].tolist():
        rows = np.flatnonzero(~np.isnan(X[:, column]))
        # Halves are exact, and the difference of two halves cannot overflow.
        values = X[rows, column] / 2
        away = np.abs(values - _middle(values))
        d = np.sort(away)
        i = np.arange(len(d) // 2, len(d) - 1)
        # Equal values have no differences to lose, however far another entry lies.
        lost = (d[i] > 0) & (d[i] < limit / np.sqrt(i + 1.0) * d[i + 1])
        if lost.any() and d[-1] > farthest:
            farthest = float(d[-1])
            found = int(rows[away.argmax()]), column, len(d) - 2 - int(i[lost.argmax()])
    return found


@np.errstate(invalid="ignore")  # of signalling NaN
def _crowded(X: Array, width: Array) -> Array:
    """Columns that could have half of their values within `width` of each other, halved, or within NaN.

    Of three values in turn, two are then that close in a quarter of the cases at least; an eighth is asked of
    some rows.
    """
    if len(X) < FEW_ROWS:
        return np.ones(X.shape[1], dtype=bool)
    found, step = np.empty(X.shape[1], dtype=bool), CHUNK_ENTRIES // (4 * FEW_ROWS)
    for start in range(0, X.shape[1], step):
        columns = slice(start, start + step)
        some = X[:: len(X) // FEW_ROWS, columns][:FEW_ROWS] / 2
        a, b, c = some.reshape(-1, 3, some.shape[1]).swapaxes(0, 1)
        least = np.minimum(np.minimum(np.abs(a - b), np.abs(b - c)), np.abs(a - c))
        # Negated, so that NaN counts as close.
        found[columns] = 8 * np.count_nonzero(~(least > width[columns]), axis=0) >= len(least)
    return found


@np.errstate(invalid="ignore")  # of signalling NaN
def _quarters(sample: Array, columns: Array) -> Array:
    """Half the distance from the median within which a quarter of the values lie, of each column."""
    found = np.empty(len(columns))
    step = max(1, CHUNK_ENTRIES // (4 * len(sample)))  # four arrays of this size are held at once
    for start in range(0, len(columns), step):
        part = sample[:, columns[start : start + step]] / 2
        away = np.sort(np.abs(part - _middle(part)), axis=0)
        found[start : start + step] = away[len(away) // 4]
    return found


def _middle(values: Array) -> Array:
    """A value in the middle of the sorted ones, by column; NaN if half of them are NaN."""
    return np.asarray(np.sort(values, axis=0)[(len(values) - 1) // 2])


def _hidden_columns(X: Array, reach: Array, size: Array) -> Array:
    """Columns whose squared differences are lost beside those of the largest column; no constants."""
    # A column no wider than its own rounding is a constant, which has no differences to hide.
    noise = 4 * float(np.finfo(X.dtype).eps) * size
    lost = reach < float(np.sqrt(ROUNDINGS * np.finfo(np.float64).eps)) * reach.max()
    return np.flatnonzero((reach > noise) & lost)


def _called(column: int, names: Any) -> str:
    """A column by its number and, if it has one, its name."""
    return str(column) if names is None else f"{column} ({str(names[column])!r})"

"""The rows of a mixture: clipped and standardised columns, weights, batches and holes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.scaling import safe_unit
from sparsek.core.steps import Array

CLIP = 3.0
"""Entries are at most so many robust deviations from the median: far rows make no clusters of their own."""
LEAST_MAD = 0.2
"""A deviation is 1.4826 MAD if that is larger than so many standard deviations, else one of these."""
ROUNDINGS = 16
"""A column that varies by at most so many roundings of its largest entry counts as constant."""


@dataclass(frozen=True, slots=True)
class MixtureRows:
    """Standardised rows, with what EM needs to know of them. Missing entries are 0 in `Z`."""

    Z: Array  # (n, p)
    weights: Array  # (n,): numbers of copies
    batches: Array  # (n, c): indicators of all batches but the first, less their shares
    observed: Array | None  # (n, p): 1 where observed, else 0; None for complete rows
    squares: Array  # (p,): weighted sums of squares
    counts: Array  # (p,): weights of observed entries
    total: float  # sum of the weights

    @classmethod
    def of(cls, Z: Array, weights: Array, batches: Array, observed: Array | None) -> MixtureRows:
        """Rows with their sums."""
        total = float(weights.sum())
        counts = np.full(Z.shape[1], total) if observed is None else weights @ observed
        squares = np.einsum("i,ij,ij->j", weights, Z, Z)
        return cls(Z, weights, batches, observed, squares, counts, total)

    def by_row(self, values: Array) -> Array:
        """Sums of values (p, ...) over observed columns of each row: (n, ...), of complete rows (1, ...)."""
        if self.observed is None:
            return np.asarray(values.sum(axis=0)[None])
        return np.asarray(np.tensordot(self.observed, values, axes=1))

    def counts_of(self, weighted: Array) -> Array:
        """Weights of the observed entries in each cluster, (k, p), of weighted memberships (n, k)."""
        if self.observed is None:
            return np.asarray(weighted.sum(axis=0)[:, None])
        return np.asarray(weighted.T @ self.observed)

    def without_batches(self, effects: Array) -> Array:
        """The rows less effects (c, p) of their batches, 0 where missing."""
        return self.subtract_batches(self.Z, effects)

    def subtract_batches(self, R: Array, effects: Array) -> Array:
        """Rows less effects (c, p) of their batches, 0 where missing."""
        if not len(effects):
            return R
        found: Array = R - self.batches @ effects
        return found if self.observed is None else found * self.observed

    def batch_means(self, R: Array) -> Array:
        """Least-squares effects of the batches on columns, (c, p); a hole counts as 0."""
        C = self.batches * self.weights[:, None]
        if not C.shape[1]:
            return np.zeros((0, R.shape[1]))
        return np.asarray(np.linalg.lstsq(C.T @ self.batches, C.T @ R, rcond=None)[0])


@dataclass(frozen=True, slots=True)
class ClippedScale:
    """The map z = (clip(unit x - shift of the batch, low, high) - mean) / spread of the columns in use."""

    used: NDArray[np.intp]  # (q,): columns that vary
    unit: Array  # (q,): powers of two, for columns of extreme size
    shifts: Array  # (n_batches, q): means of the batches
    low: Array  # (q,)
    high: Array  # (q,)
    mean: Array  # (q,)
    spread: Array  # (q,)

    def apply(self, X: Array, codes: NDArray[np.intp]) -> Array:
        """Rows (n, p) of these batches as standardised columns (n, q); NaN stays."""
        moved = X[:, self.used] * self.unit - self.shifts[codes]
        np.clip(moved, self.low, self.high, out=moved)
        moved -= self.mean
        moved /= self.spread
        return moved

    def invert(self, Z: Array, shifts: Array) -> Array:
        """Standardised rows (n, q), moved by shifts (n or 1, q) of their batches, in units of X."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray((Z * self.spread + self.mean + shifts) / self.unit)

    def in_units(self, lengths: Array) -> Array:
        """Differences of standardised columns (..., q) in units of X."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(lengths * self.spread / self.unit)

    @property
    def log_units(self) -> Array:
        """Logs of the lengths in units of X that one unit of the standardised columns has, (q,)."""
        return np.asarray(np.log(self.spread) - np.log(self.unit))


def clipped_scale(X: Array, weights: Array, codes: NDArray[np.intp], n_batches: int) -> ClippedScale:
    """Scale of columns that are centred in their batches, standardised, clipped, and standardised again."""
    top, bottom = np.fmax.reduce(X), np.fmin.reduce(X)
    size = np.fmax(top, -bottom)
    unit = safe_unit(np.where(np.isnan(size), 0, size), top == bottom, True)
    moved = X * unit
    shifts = np.array([weighted_mean(moved[codes == b], weights[codes == b]) for b in range(n_batches)])
    moved = moved - shifts[codes]
    spread = deviation(moved, weights, np.zeros(X.shape[1]))
    varies = spread > ROUNDINGS * np.finfo(float).eps * np.where(np.isnan(size), 0, size * unit)
    used = np.flatnonzero(varies) if varies.any() else np.arange(1)
    moved, spread = moved[:, used], np.where(varies, spread, 1.0)[used]
    middle = weighted_median(moved, weights)
    robust = 1.4826 * weighted_median(np.abs(moved - middle), weights)
    reach = CLIP * np.where(robust > LEAST_MAD * spread, robust, spread)
    low, high = middle - reach, middle + reach
    np.clip(moved, low, high, out=moved)
    mean = weighted_mean(moved, weights)
    spread = deviation(moved, weights, mean)
    spread = np.where(spread > 0, spread, 1.0)
    return ClippedScale(used, unit[used], shifts[:, used], low, high, mean, spread)


def weighted_mean(X: Array, weights: Array) -> Array:
    """Weighted means of the observed entries of each column, 0 where there are none."""
    holes = np.isnan(X)
    if not holes.any():
        return np.asarray(weights @ X / weights.sum())
    masses = weights @ ~holes
    return np.asarray(weights @ np.where(holes, 0, X) / np.where(masses > 0, masses, 1))


def deviation(X: Array, weights: Array, mean: Array) -> Array:
    """Standard deviations of the observed entries, with the divisor sum of weights - 1."""
    holes = np.isnan(X)
    masses = weights @ ~holes if holes.any() else np.full(X.shape[1], weights.sum())
    centred = X - mean
    if holes.any():
        centred[holes] = 0
    squares = np.einsum("i,ij,ij->j", weights, centred, centred)
    degrees = np.where(masses > 1, masses - 1, np.inf)  # a single copy has no deviation
    return np.asarray(np.sqrt(squares / degrees))


def weighted_median(X: Array, weights: Array) -> Array:
    """Medians of the observed entries of each column, each row counted as often as its weight says."""
    if not np.isnan(X).any() and (weights == 1).all():
        return np.asarray(np.median(X, axis=0))
    order = np.argsort(X, axis=0)  # NaN last
    values = np.take_along_axis(X, order, axis=0)
    reached = np.cumsum(np.where(np.isnan(values), 0, weights[order]), axis=0)
    half = reached[-1] / 2
    lower, upper = (reached >= half).argmax(axis=0), (reached > half).argmax(axis=0)
    columns = np.arange(X.shape[1])
    found = (values[lower, columns] + values[upper, columns]) / 2
    return np.where(np.isnan(found), 0, found)


def standardised(rows: MixtureRows) -> tuple[MixtureRows, Array, Array]:
    """Rows whose columns have mean 0 and standard deviation 1, and what they had."""
    missing = None if rows.observed is None else rows.observed == 0
    Z = rows.Z if missing is None else np.where(missing, np.nan, rows.Z)
    mean = weighted_mean(Z, rows.weights)
    spread = deviation(Z, rows.weights, mean)
    spread = np.where(spread > 0, spread, 1.0)
    Z = (Z - mean) / spread
    if missing is not None:
        Z[missing] = 0
    share = rows.weights @ rows.batches / rows.total
    return MixtureRows.of(Z, rows.weights, rows.batches - share, rows.observed), mean, spread


def copies_of(weights: Array) -> NDArray[np.intp]:
    """Whole numbers of copies that add up to the rounded sum of weights: cumulative sums are rounded."""
    ends = np.floor(np.cumsum(weights) + 0.5).astype(np.intp)
    return np.asarray(np.diff(ends, prepend=0), np.intp)


def sample_of(rows: MixtureRows, most: int, rng: np.random.Generator) -> MixtureRows:
    """The copies of the rows, or so many of them drawn without replacement, with weight 1 each.

    They are in an order that is not that of the rows, so that draws do not depend on it, nor on whether a row
    has copies or a weight.
    """
    order = np.lexsort(((rows.Z**3).sum(axis=1), rows.Z.sum(axis=1)))
    ends = np.cumsum(copies_of(rows.weights)[order])
    n = int(ends[-1])
    places = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
    drawn = order[np.searchsorted(ends, places, side="right")]
    observed = None if rows.observed is None else rows.observed[drawn]
    return MixtureRows.of(rows.Z[drawn], np.ones(n if n <= most else most), rows.batches[drawn], observed)

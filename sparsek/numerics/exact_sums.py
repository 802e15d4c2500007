"""Sums that are the same in every order of their terms, in any number of pieces, on every processor.

Every term is first rounded to a multiple of a unit, a power of two that depends on the largest term and on
the number of terms alone. The multiples are whole numbers and are added as such, so that no order of
additions and no way of storing the terms can change a bit, and what is taken out of a sum leaves no trace.
The unit is so small that rounding to it is far below the rounding of data: 2^-45 of the largest term for up
to 250,000 rows.

Source: Demmel and Nguyen (2013), "Fast reproducible floating-point summation", 21st IEEE Symposium on
Computer Arithmetic, 163-172: their pre-rounding, with one bin.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

Array = NDArray[Any]

MOST_BITS = 51
"""Multiples of the unit in one term, as a power of two: what fits a double beside the number that rounds."""
ROW_BITS = 44
"""The same for sums by matrix products, in which 512 terms are added in floating point."""
BLOCK_ROWS = 512
"""Rows of which one matrix product gives the exact sum."""
SUMMED_ENTRIES = 131_072
"""Entries rounded at a time, so that they stay in the processor's cache."""
PRODUCT_ENTRIES = 8_000_000
"""Entries that one matrix product reads, so that its result stays small."""
DENSE_PRODUCTS = 1_000_000
"""Up to this many products, a small dense matrix beats a sparse one."""
LEAST_EXPONENT = -900
"""Terms below about two to this power are rounded away: units are normal numbers."""


class Grid(NamedTuple):
    """The unit of the terms of each column.

    Attributes
    ----------
    reach : ndarray of shape (m,), float64
        Upper bounds of the absolute values of the terms.
    unit : ndarray of shape (m,), float64
        Powers of two; sums count multiples of them.
    magic : ndarray of shape (m,), float64
        A term plus this number has the multiple in its last bits.
    """

    reach: Array
    unit: Array
    magic: Array

    @classmethod
    def of(cls, reach: Array, n_terms: int, most_bits: int = MOST_BITS) -> Self:
        """Units for sums of at most `n_terms` terms of at most these absolute values."""
        bits = min(most_bits, 62 - int(n_terms).bit_length())
        reach = np.asarray(reach, np.float64)
        unit = np.ldexp(1.0, np.maximum(np.frexp(reach)[1], LEAST_EXPONENT) - bits)
        return cls(reach, unit, 1.5 * 2.0**52 * unit)

    @classmethod
    def of_rows(cls, reach: Array, n_rows: int) -> Self:
        """Units for cluster sums of so many rows, whose columns reach so far."""
        return cls.of(reach, n_rows, ROW_BITS)

    def multiples(self, terms: Array) -> Array:
        """Whole numbers (..., m), int64, from float64 terms, which are overwritten."""
        terms += self.magic
        found: Array = terms.view(np.int64)
        found -= self.magic.view(np.int64)
        return found

    def column_sums(self, terms: Array) -> Array:
        """Sums of each column of float64 terms (n, m), in multiples of the unit; `terms` are overwritten."""
        terms += self.magic
        found: Array = terms.view(np.int64).sum(axis=0)
        found -= len(terms) * self.magic.view(np.int64)
        return found

    def values(self, sums: Array) -> Array:
        """Sums of multiples as float64, each rounded once."""
        found: Array = sums * self.unit
        return found

    def round(self, terms: Array, out: Array | None = None) -> None:
        """Round float64 terms (n, m) to multiples of the unit, in place or to `out`."""
        terms += self.magic
        np.subtract(terms, self.magic, out=terms if out is None else out)

    def chosen(self, columns: Array | slice) -> Grid:
        """The grid of some columns."""
        return Grid(self.reach[columns], self.unit[columns], self.magic[columns])


def sum_grid(reach: Array, n_rows: int, weights: Array | None = None) -> Grid:
    """Units for cluster sums of rows with a last column of ones, whose other columns reach so far."""
    heaviest = 1.0 if weights is None else float(weights.max())
    return Grid.of_rows(np.append(reach, 1.0) * heaviest, n_rows)


def reach_of(X: Array) -> Array:
    """Largest absolute value of each column, float64."""
    step = max(1, SUMMED_ENTRIES // max(1, X.shape[1]))
    found = np.zeros(X.shape[1])
    for start in range(0, len(X), step):
        part = X[start : start + step]
        np.maximum(found, np.maximum(part.max(axis=0), -part.min(axis=0)), out=found)
    return found


def added_rows(
    X: Array,
    grid: Grid,
    n_clusters: int,
    labels: Array,
    old: Array | None = None,
    weights: Array | None = None,
    rounded: bool = False,
) -> Array:
    """Sums of the rows of every cluster in multiples of the unit.

    Parameters
    ----------
    X : ndarray of shape (n, m)
        Rows.
    grid : Grid
        Units of the columns, of at most `ROW_BITS` bits.
    n_clusters : int
        Number of clusters k.
    labels : ndarray of shape (n,)
        Cluster to which each row is added.
    old : ndarray of shape (n,) or None
        Cluster out of which each row is taken; None for none.
    weights : ndarray of shape (n,) or None
        Weights; a term is the rounded product of weight and entry.
    rounded : bool
        Whether float64 entries are multiples of the unit, which saves a copy where there are no weights.

    Returns
    -------
    ndarray of shape (n_clusters, m), int64
    """
    n, m = X.shape
    direct = rounded and weights is None and X.dtype == np.float64
    if direct and n <= BLOCK_ROWS and n * n_clusters * m <= DENSE_PRODUCTS:
        signs = np.zeros((n_clusters, n))
        signs[labels, np.arange(n)] = 1
        if old is not None:
            signs[old, np.arange(n)] -= 1
        return ((signs @ X) / grid.unit).astype(np.int64)
    total = np.zeros((n_clusters, m), np.int64)
    step = max(BLOCK_ROWS, (PRODUCT_ENTRIES if direct else SUMMED_ENTRIES) // m // BLOCK_ROWS * BLOCK_ROWS)
    room = np.empty((0 if direct else min(step, n), m))
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        terms = X[part]
        if not direct:
            terms = room[: part.stop - start]
            if weights is None:
                np.add(X[part], grid.magic, out=terms)
                terms -= grid.magic
            else:
                np.multiply(X[part], weights[part, None], out=terms, dtype=np.float64)
                grid.round(terms)
        members = block_members(n_clusters, labels[part], None if old is None else old[part])
        by_block = (members @ terms).reshape(-1, n_clusters, m)
        by_block /= grid.unit
        total += by_block.astype(np.int64).sum(axis=0)
    return total


def block_members(n_clusters: int, labels: Array, old: Array | None = None) -> Any:
    """Matrix (blocks * k, n): 1 at the cluster of each row in its block of rows, -1 at its old cluster."""
    n = len(labels)
    blocks = np.arange(n, dtype=np.int32) // BLOCK_ROWS
    shape = (n_clusters * (int(blocks[-1]) + 1 if n else 0), n)
    blocks *= n_clusters
    if old is None:
        return csc_array((np.ones(n), blocks + labels, np.arange(n + 1)), shape=shape)
    clusters = np.column_stack([blocks + labels, blocks + old]).ravel()
    return csc_array((np.tile([1.0, -1.0], n), clusters, np.arange(0, 2 * n + 1, 2)), shape=shape)


def exact_sum(values: Array) -> float:
    """The sum of some numbers, the same in every order."""
    terms = np.array(values, np.float64).ravel()
    if not len(terms):
        return 0.0
    grid = Grid.of(np.abs(terms).max(), len(terms))
    return float(grid.values(grid.multiples(terms).sum()))

"""Indices of the cluster that is divided from one number of clusters to the next, as NbClust computes them.

Source: Duda & Hart (1973), Beale (1969), and Charrad et al. (2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from sparsek.bits.caller import warn_as_r
from sparsek.bits.ordered_arithmetic import FloatArray, long_column_means, long_mean
from sparsek.rcompat.nbclust.grouping import sum_of_squares
from sparsek.rcompat.nbclust.scatter_indices import Groupings

Z = 3.2
"""Standard score of the critical value."""


@dataclass(frozen=True, slots=True)
class Split:
    """What the indices and their critical values need."""

    whole: float  # Sum of squares of the divided cluster
    parts: tuple[float, float]  # Sums of squares of both parts
    size: int  # Rows of the divided cluster
    both: int  # Rows of both parts
    p: int  # Columns

    @property
    def critical_duda(self) -> float:
        """Critical value of Duda's index."""
        error = math.sqrt(2 * (1 - 8 / (math.pi**2 * self.p)) / (self.size * self.p))
        return 1 - 2 / (math.pi * self.p) - Z * error

    @property
    def critical_pseudot2(self) -> float:
        """Critical value of the pseudo t squared."""
        return (1 - self.critical_duda) / self.critical_duda * (self.both - 2)

    @property
    def duda(self) -> float:
        """Sums of squares after over before."""
        return float(np.float64(sum(self.parts)) / self.whole)

    @property
    def pseudot2(self) -> float:
        """Pseudo t squared, 0 for two rows."""
        return self._gain * (self.both - 2)

    @property
    def beale(self) -> float:
        """Beale's pseudo F, 0 for two rows; of a single one R divides by 0."""
        factor = 2 ** (2 / self.p) - 1
        return float(np.float64(self._gain) / (np.float64(self.size - 1) / (self.size - 2) * factor))

    @property
    def _gain(self) -> float:
        """What the division takes off the sum of squares over what is left; infinite of nothing left."""
        first, second = self.parts
        return float(np.float64(self.whole - first - second) / (first + second))

    @property
    def p_value(self) -> float:
        """Probability of a greater pseudo F; NaN for one or two rows, with R's warning."""
        if self.size <= 2:
            warn_as_r("NaNs produced")
            return math.nan
        if self.beale <= 0:
            return 1.0
        return float(fdtrc(self.p, (self.size - 2) * self.p, self.beale))


def find_split(groups: Groupings, q: int) -> Split:
    """The division of the first cluster whose size differs.

    The second part is found from the end of the sizes: of neighbours of equal size the first is taken, as in
    R, whichever is the part.
    """
    before, after = groups[q], groups[q + 1]
    first = int(np.flatnonzero(before.sizes != after.sizes[:q])[0])
    second = 1 + int(np.flatnonzero(after.sizes[1:] != before.sizes)[-1])
    parts = _squares(after.members(first)), _squares(after.members(second))
    both = int(after.sizes[first] + after.sizes[second])
    whole = before.members(first)
    return Split(_squares(whole), parts, len(whole), both, whole.shape[1])


def _squares(rows: FloatArray) -> float:
    """Sum of squares about the mean; of a single row about the mean of its numbers, as in R."""
    return sum_of_squares(rows, long_column_means(rows) if len(rows) > 1 else long_mean(rows[0]))

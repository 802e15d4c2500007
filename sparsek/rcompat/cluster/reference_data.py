"""Reference data of the gap statistic: uniform draws from a box around the data.

Source: Tibshirani, Walther & Hastie (2001), JRSS B 63, 411-423, Section 4, their choices (a) and (b).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.lapack.reflectors import ordered_product
from sparsek.bits.lapack.singular_values import singular_vectors
from sparsek.bits.lapack.symmetric_eigen import warn_unsettled
from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError
from sparsek.rcompat.base.column_sums import column_means
from sparsek.rng import RRandom


@dataclass(frozen=True, slots=True)
class Box:
    """A box around data, along their columns or their principal axes."""

    n: int  # Number of rows of the data
    middle: FloatArray  # (p,): means of the columns, in the unit of the data
    low: FloatArray  # low, high: (q,): limits along each axis, the middle taken off, in the unit of the data
    high: FloatArray
    axes: FloatArray | None  # (q, p): the principal axes in rows; None for the columns

    def draw(self, stream: RRandom) -> FloatArray:
        """Draw n rows, one axis after the other."""
        limits = zip(self.low, self.high, strict=True)
        drawn = np.stack([stream.runif(self.n, *pair) for pair in limits], axis=1)
        return (drawn if self.axes is None else ordered_product(drawn, self.axes)) + self.middle


def box_around(data: FloatArray, principal: bool) -> Box:
    """Give the box of the columns, or of the principal axes.

    Shapes: data (n, p).

    RError for data that are not finite, where the principal axes are wanted; BlasDependentWarning where
    rounding decides on the sign or direction of an axis.
    """
    middle = column_means(data, drop_missing=False)
    along, axes = data - middle, None
    if principal:
        if not np.isfinite(along).all():
            raise RError("infinite or missing values in 'x'", "drop or impute them")
        found = singular_vectors(along)
        warn_unsettled(found.unsettled, len(found.values), "axes", stacklevel=4)
        axes = found.right
        along = ordered_product(along, axes.T)
    return Box(len(data), middle, along.min(axis=0), along.max(axis=0), axes)

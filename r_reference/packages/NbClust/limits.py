"""How far indices of NbClust may lie apart.

By the eleventh digit, which numbers below 10 million have not. Where all indices of whole-number data are
asked for, two sums of squares also by one unit of the fourth decimal: they can lie halfway between two
decimals, and rounding errors decide.
"""

from collections.abc import Mapping

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray

DIGITS = 11
"""Determinants of five columns lose some digits of sixteen."""
UNIT = 1.01e-4
"""The fourth decimal, and the rounding errors of a difference."""
HALFWAY = ("TrCovW", "Ball")
"""The sums of squares that were seen halfway."""
VALUES, BEST = "All.index$values", "Best.nc$values"


def limit_indices(theirs: Mapping[str, FloatArray], x: FloatArray) -> dict[str, FloatArray]:
    """Largest differences of entries; what speaks for a number can be a difference of values of its index.

    Shapes: x (n, p).
    """
    if VALUES not in theirs:
        return {}
    sizes = np.where(np.isfinite(theirs[VALUES]), np.abs(theirs[VALUES]), 0) * 10.0**-DIGITS
    if sizes.ndim == 2 and (8 * x == np.floor(8 * x)).all():
        written = "".join(map(chr, theirs["All.index$names"].astype(int)))
        columns = written.split(" ")[-sizes.shape[1] :]
        sizes[:, np.isin(columns, HALFWAY)] = np.maximum(sizes, UNIT)[:, np.isin(columns, HALFWAY)]
    largest = sizes.max(axis=0)
    best = np.broadcast_to(largest, theirs[BEST].shape) if BEST in theirs else largest
    return {VALUES: sizes, BEST: best}


LIMITS = {"NbClust": limit_indices}
"""By R function: the largest differences, computed of R's answer."""

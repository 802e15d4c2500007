"""How far indices of NbClust may lie apart.

By the eleventh digit, which numbers below 10 million have not.
"""

from collections.abc import Mapping

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray

DIGITS = 11
"""Determinants of five columns lose some digits of sixteen."""
VALUES, BEST = "All.index$values", "Best.nc$values"


def limit_indices(theirs: Mapping[str, FloatArray], x: FloatArray) -> dict[str, FloatArray]:
    """Largest differences of entries; what speaks for a number can be a difference of values of its index.

    Shapes: x (n, p).
    """
    if VALUES not in theirs:
        return {}
    sizes = np.where(np.isfinite(theirs[VALUES]), np.abs(theirs[VALUES]), 0) * 10.0**-DIGITS
    largest = sizes.max(axis=0)
    best = np.broadcast_to(largest, theirs[BEST].shape) if BEST in theirs else largest
    return {VALUES: sizes, BEST: best}


LIMITS = {"NbClust": limit_indices}
"""By R function: the largest differences, computed of R's answer."""

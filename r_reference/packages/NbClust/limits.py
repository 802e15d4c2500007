"""How far indices of NbClust may lie apart: the eleventh digit, which numbers below 10 million have not."""

from collections.abc import Mapping

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray

DIGITS = 11
"""Determinants of five columns lose some digits of sixteen."""


def limit_indices(theirs: Mapping[str, FloatArray], x: FloatArray) -> dict[str, FloatArray]:
    """Largest differences of entries; NaN differs by nothing.

    Shapes: x (n, p).
    """
    fields = ("All.index$values", "Best.nc$values")
    return {name: np.nan_to_num(np.abs(theirs[name])) * 10.0**-DIGITS for name in fields if name in theirs}


LIMITS = {"NbClust": limit_indices}
"""By R function: the largest differences, computed of R's answer."""

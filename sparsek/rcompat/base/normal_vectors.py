"""What the draws of normal vectors of MASS and mvtnorm have in common: checks of their arguments."""

from __future__ import annotations

import math

from sparsek.errors import RError
from sparsek.rcompat.base.data import as_number, require_entries, require_runs


def number_of_draws(n: float, p: int) -> int:
    """A number of vectors to draw.

    Raises RError with R's message: n is 0 or negative; ValueError n is not a whole number, which R fills with
    repeated draws, or too large.
    """
    number = as_number(n, "n")
    if number < 0:
        raise RError("invalid arguments", f"n must be at least 1; got {n!r}")
    if number == 0:
        raise RError("non-conformable arguments", "n must be at least 1; got 0")
    if not math.isfinite(number) or number != int(number):
        raise ValueError(f"n must be a whole number; got {n!r}")
    require_runs(number, "n")
    require_entries("n", number, p)
    return int(number)

"""Python calls of mvtnorm, made as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _rmvnorm(x: np.ndarray, n: float, mean: Any, rng: RRandom, sign: float = 1) -> Any:
    """Draws with the covariances of the data, or these times a sign."""
    return rcompat.rmvnorm(n, mean, sign * np.asarray(rcompat.var(x)), rng=rng)


CALLS = {"rmvnorm": _rmvnorm}
"""Calls, by the name of the R function."""

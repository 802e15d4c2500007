"""Python calls of MASS, made as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _mvrnorm(x: np.ndarray, n: float, mu: Any, rng: RRandom, sign: float = 1, **args: Any) -> Any:
    """Draws with the covariances of the data, or these times a sign."""
    return rcompat.mvrnorm(n, mu, sign * np.asarray(rcompat.var(x)), **args, rng=rng)


CALLS = {"mvrnorm": _mvrnorm}
"""Calls, by the name of the R function."""

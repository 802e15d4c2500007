"""Sparsek's side of Gmedian's covariation matrices: eigenvectors and scores without their signs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat


def _without_signs(name: str) -> Callable[..., Any]:
    """A function of Gmedian; the signs of eigenvectors belong to the solver."""

    def call(x: np.ndarray, **args: Any) -> dict[str, Any]:
        fit = getattr(rcompat, name)(x, **args)
        return {
            field: abs(value) if field in ("scores", "vectors") else value for field, value in fit.items()
        }

    return call


CALLS = {name: _without_signs(name) for name in ("GmedianCov", "WeiszfeldCov")}
"""By R function."""

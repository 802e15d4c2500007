"""Python calls for Gmedian's covariation matrices: eigenvectors and scores without their signs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat


def _without_signs(name: str) -> Callable[..., Any]:
    """A function of Gmedian, without the signs of eigenvectors, which depend on the LAPACK solver."""

    def call(x: np.ndarray, **args: Any) -> dict[str, Any]:
        fit = getattr(rcompat, name)(x, **args)
        return {
            field: abs(value) if field in ("scores", "vectors") else value for field, value in fit.items()
        }

    return call


CALLS = {name: _without_signs(name) for name in ("GmedianCov", "WeiszfeldCov")}
"""Calls, by the name of the R function."""

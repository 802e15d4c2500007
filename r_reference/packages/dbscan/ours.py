"""Python call for dbscan's lof on distances."""

from typing import Any

import numpy as np

from sparsek import rcompat


def _lof_dist(x: np.ndarray, **args: Any) -> Any:
    """Local outlier factors from the distances of x."""
    return rcompat.lof(rcompat.dist(x), **args)


CALLS = {"lof.dist": _lof_dist}
"""Calls, by the name of the R function."""

"""Python calls for trees, made from data as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat


def _hclust(x: np.ndarray, method: str) -> Any:
    """The tree of the distances of x."""
    return rcompat.hclust(rcompat.dist(x), method)


def _cutree(x: np.ndarray, method: str, **cuts: Any) -> Any:
    """The groups of the tree of the distances of x."""
    return rcompat.cutree(_hclust(x, method), **cuts)


CALLS = {"hclust": _hclust, "cutree": _cutree}
"""Calls, by the name of the R function."""

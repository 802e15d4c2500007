"""Python calls for VALIDICLUST: the clustering is a cut tree."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _cutter(link: str, K: float) -> Callable[[np.ndarray], Any]:
    """A function that clusters by cutting a tree."""
    return lambda x: rcompat.cutree(rcompat.hclust(rcompat.dist(x) ** 2, link), int(K))


def _test(x: np.ndarray, link: str, K: float, rng: RRandom, **args: Any) -> Any:
    """The test of one variable."""
    return rcompat.test_selective_inference(x, **args, cl_fun=_cutter(link, K), rng=rng)


def _merged(x: np.ndarray, link: str, K: float, rng: RRandom, **args: Any) -> Any:
    """The merged test."""
    cl_fun = _cutter(link, K)
    return rcompat.merge_selective_inference(x, **args, cl_fun=cl_fun, cl=cl_fun(x), rng=rng)


def _dip(x: np.ndarray, link: str, K: float, **args: Any) -> Any:
    """The dip test."""
    return rcompat.test_multimod(x, **args, cl=_cutter(link, K)(x))


CALLS = {
    "test_multimod": _dip,
    "test_selective_inference": _test,
    "merge_selective_inference": _merged,
}
"""Calls, by the name of the R function."""

"""Python calls for clusterpval: trees made from the data."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def tree(x: np.ndarray, link: str) -> Any:
    """The tree of squared distances."""
    return rcompat.hclust(rcompat.dist(x) ** 2, link)


def _rounded(fit: Any) -> dict[str, Any]:
    """The result with its standard error rounded as in ``calls.R``."""
    return {**fit, "stderr": round(float(fit["stderr"]), 12)}


def _exact(x: np.ndarray, link: str, **args: Any) -> Any:
    """The exact test of a tree."""
    return rcompat.test_hier_clusters_exact(x, link, tree(x, link), **args)


def _complete(x: np.ndarray, rng: RRandom, **args: Any) -> Any:
    """The test of a tree of complete linkage."""
    return _rounded(rcompat.test_complete_hier_clusters_approx(x, tree(x, "complete"), **args, rng=rng))


def _any(x: np.ndarray, link: str, K: float, rng: RRandom, **args: Any) -> Any:
    """The test of a function that cuts a tree."""

    def cl_fun(data: np.ndarray) -> Any:
        return rcompat.cutree(tree(data, link), int(K))

    return _rounded(rcompat.test_clusters_approx(x, **args, cl_fun=cl_fun, rng=rng))


CALLS = {
    "test_hier_clusters_exact": _exact,
    "test_complete_hier_clusters_approx": _complete,
    "test_clusters_approx": _any,
}
"""Calls, by the name of the R function."""

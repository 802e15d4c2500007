"""Python calls for CADET: trees and covariance matrices made from the arguments."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _kmeans(x: np.ndarray, rng: RRandom, covariance: float | None = None, **args: Any) -> dict[str, Any]:
    """The test of k-means, under a covariance matrix of equal correlations if there is one."""
    if covariance is not None:
        q = x.shape[1]
        args["covMat"] = np.full((q, q), covariance) + (1 - covariance) * np.eye(q)
    fit = rcompat.kmeans_inference_1f(x, **args, rng=rng)
    fields = ("final_cluster", "test_stat", "sig", "scale_factor", "p_naive", "pval", "final_interval")
    return {name: fit[name] for name in fields if fit[name] is not None}


def _tree(x: np.ndarray, link: str, **args: Any) -> dict[str, Any]:
    """The test of a tree."""
    hcl = rcompat.hclust(rcompat.dist(x) ** 2, link)
    fit = rcompat.test_hier_clusters_exact_1f(x, link, hcl, **args)
    return {name: fit[name] for name in ("stat", "pval", "p_naive", "trunc")}


CALLS = {"kmeans_inference_1f": _kmeans, "test_hier_clusters_exact_1f": _tree}
"""Calls, by the name of the R function."""

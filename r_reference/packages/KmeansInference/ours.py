"""Python calls for KmeansInference: the fields that ``calls.R`` keeps."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _test(x: np.ndarray, rng: RRandom, covariance: float | None = None, **args: Any) -> dict[str, Any]:
    """The test, under a covariance matrix of equal correlations if there is one."""
    if covariance is not None:
        q = x.shape[1]
        args |= {
            "iso": False,
            "SigInv": np.linalg.inv(np.full((q, q), covariance) + (1 - covariance) * np.eye(q)),
        }
    fit = rcompat.kmeans_inference(x, **args, rng=rng)
    fields = ("final_cluster", "test_stat", "sig", "scale_factor", "p_naive", "pval", "final_interval")
    return {name: fit[name] for name in fields if fit[name] is not None}


def _run(x: np.ndarray, rng: RRandom, **args: Any) -> dict[str, Any]:
    """The labels of all passes, and the last centres."""
    fit = rcompat.kmeans_estimation(x, **args, rng=rng)
    kept = {name: fit[name] for name in ("iter", "final_cluster", "random_init_obs")}
    return {"cluster": np.array(fit.cluster), "last": fit.centers[-1], **kept}


CALLS = {"kmeans_inference": _test, "kmeans_estimation": _run}
"""Calls, by the name of the R function."""

"""Python calls for the code released with the sparse MinMax k-means paper, with the same bits."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from r_reference.packages.SparseMinMax.madd_in_order import base_in_order, madd_in_order
from r_reference.packages.SparseMinMax.minmax_gap import permutation_gap
from sparsek.bits import elementary
from sparsek.bits.ordered_arithmetic import long_sum, seq_length
from sparsek.errors import RError
from sparsek.methods.madd.algorithm import mean_dissimilarities, sweep
from sparsek.methods.minmax.distances import SequentialSpace, Space
from sparsek.methods.minmax.minmax import MinMaxFit, minmax_released
from sparsek.methods.minmax.sparse_minmax import ReleasedSteps, sparse_minmax_path
from sparsek.rng import RRandom


def _maddkmeans(version: int) -> Callable[..., Any]:
    """A k-means on MADD from labels drawn from R's stream; R's loop makes at least two sweeps."""

    def call(x: np.ndarray, k: float, rng: RRandom) -> dict[str, Any]:
        """K-means on mean absolute differences of distances, as released."""
        start = np.asarray(rng.sample_int(int(k), len(x), replace=True)) - 1
        D = madd_in_order(base_in_order(x, version)) ** 2
        (fit,) = sweep(D, start[None], int(k), mean_dissimilarities, strict=False, max_iter=1000)
        return {"iters": max(2, fit.n_iter), "cluster": fit.labels + 1}

    return call


class _LikeReleased(ReleasedSteps):
    """The released sparse MinMax k-means with its errors; ``calls.R`` describes them in R."""

    def restart(self, space: Space, why: str) -> MinMaxFit:
        """Raise the error with which the released code ends here; sparsek would begin a new start."""
        message = "subscript out of bounds" if why == "lost cluster" else "reached CPU time limit"
        raise RError(message, "sparsek begins anew from random rows")

    def feature_weights(self, between: np.ndarray, l1_bound: float) -> np.ndarray:
        """The weights; the released code's error if all are zero."""
        weights = super().feature_weights(between, l1_bound)
        if not weights.any():
            raise RError("missing value where TRUE/FALSE needed", "no feature differs between the clusters")
        return weights


def _minmaxkmeans(x: np.ndarray, start: np.ndarray, rng: RRandom, **args: float) -> dict[str, Any]:
    """MinMax k-means as released."""
    names = {"p_max": "alpha_max", "pstep": "alpha_step", "beta": "beta"}
    options = {names[name]: float(value) for name, value in args.items()}
    fit = minmax_released(SequentialSpace(x), start, n_clusters=len(start), **options)
    counts = np.bincount(fit.labels, minlength=len(start))
    return {
        "centers": fit.centers,
        "flag": float(fit.solved),
        "cluster": fit.labels + 1,
        "x": counts,
        "p": fit.alpha,
        "wk": fit.weights,
    }


def _sparse_cl(
    x: np.ndarray, K: float, rng: RRandom, wbounds: Any = None, maxiter: float = 6
) -> list[dict[str, Any]]:
    """Sparse MinMax k-means as released, along bounds."""
    bounds = seq_length(1.1, np.sqrt(x.shape[1]), 20) if wbounds is None else np.atleast_1d(wbounds)
    if (bounds <= 1).any():
        raise RError("wbounds should be greater than 1", "use larger bounds")
    steps = _LikeReleased(x, int(K), rng)
    return [
        {
            "ws": fit.weights,
            "Cs": fit.labels + 1,
            "wcss": {
                "wcss.perfeature": fit.within,
                "wcss": long_sum(fit.within),
                "wcss.ws": long_sum(fit.within * fit.weights),
                "bcss.perfeature": fit.between,
            },
            "crit": np.array(fit.history),
            "wbound": fit.l1_bound,
            "wk": fit.minmax.weights,
            "p": fit.minmax.alpha,
        }
        for fit in sparse_minmax_path(steps, steps.start(), bounds.tolist(), int(maxiter))
    ]


def _sp_perm(
    x: np.ndarray, K: float, rng: RRandom, nperms: float = 25, wbounds: Any = None, nvals: float = 10
) -> dict[str, Any]:
    """The permutation gap as released."""
    logs = seq_length(elementary.log(1.2), elementary.log(math.sqrt(x.shape[1]) * 0.9), int(nvals))
    bounds = np.array([elementary.exp(v) for v in logs]) if wbounds is None else np.atleast_1d(wbounds)
    if len(bounds) < 2:
        raise RError("Wbounds should be a vector of at least two elements.", "give more bounds")
    gap = permutation_gap(
        x, bounds.tolist(), lambda data: _LikeReleased(data, int(K), rng), n_permutations=int(nperms), rng=rng
    )
    return {
        "tots": gap.objectives,
        "permtots": gap.permuted,
        "nnonzerows": gap.n_nonzero,
        "gaps": gap.gaps,
        "sdgaps": gap.deviations,
        "wbounds": bounds,
        "bestw": gap.best_bound,
    }


CALLS: dict[str, Callable[..., Any]] = {
    "minmaxkmeans": _minmaxkmeans,
    "SparseCl": _sparse_cl,
    "sp.perm": _sp_perm,
    **{f"maddkmeans{version or ''}": _maddkmeans(version) for version in (0, 1, 2)},
}
"""Calls, by the name of the R function."""

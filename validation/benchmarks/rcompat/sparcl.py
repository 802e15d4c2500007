"""Time KMeansSparseCluster and its permute against R's sparcl: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/sparcl.py [--repeats 3]``; needs R with sparcl, and rpy2.
Columns are explained in `validation.benchmarks.rows`. Weights or gaps are compared; a difference is an error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

BOUNDS = [2.0, 5.0, 10.0, 15.0, 20.0]
SMALL_BOUNDS = [1.2, 1.4, 1.6, 1.8]
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = max(2, p // 10)
    x[:, :used] += separation * rng.standard_normal((k, used))[np.arange(n) % k]
    return x


def bounds_of(p: int) -> list[float]:
    """Bounds from a few features to nearly all of them."""
    return SMALL_BOUNDS if p < BOUNDS[-1] else BOUNDS


def path_here(x: np.ndarray, k: int) -> list[float]:
    fits = KMeansSparseCluster(x, K=k, wbounds=bounds_of(x.shape[1]), nstart=20, rng=RRandom(1))
    return [w for fit in fits for w in fit["ws"].tolist()]


def permute_here(x: np.ndarray, k: int) -> list[float]:
    return KMeansSparseCluster_permute(x, K=k, nperms=25, nvals=10, rng=RRandom(1))["gaps"].tolist()


def short_permute_here(x: np.ndarray, k: int) -> list[float]:
    found = KMeansSparseCluster_permute(x, K=k, nperms=5, wbounds=SMALL_BOUNDS, rng=RRandom(1))
    return found["gaps"].tolist()


def in_r_text(bounds: list[float]) -> str:
    """A vector in R's notation."""
    return f"c({', '.join(map(str, bounds))})"


R_PATH = f"""(function(k) {{ set.seed(1)
  bounds <- if (ncol(x) < {BOUNDS[-1]}) {in_r_text(SMALL_BOUNDS)} else {in_r_text(BOUNDS)}
  fits <- sparcl::KMeansSparseCluster(x, K = k, wbounds = bounds, nstart = 20, silent = TRUE)
  unlist(lapply(fits, function(fit) fit$ws)) }})"""
R_PERMUTE = """(function(k) { set.seed(1)
  sparcl::KMeansSparseCluster.permute(x, K = k, nperms = 25, nvals = 10, silent = TRUE)$gaps })"""
R_SHORT_PERMUTE = f"""(function(k) {{ set.seed(1)
  sparcl::KMeansSparseCluster.permute(x, K = k, nperms = 5, wbounds = {in_r_text(SMALL_BOUNDS)},
                                      silent = TRUE)$gaps }})"""
CASES = [
    ("KMeansSparseCluster, 4 bounds", (150, 4, 3), path_here, R_PATH, 0.5),
    ("KMeansSparseCluster.permute, 5 x 4", (150, 4, 3), short_permute_here, R_SHORT_PERMUTE, 0.5),
    ("KMeansSparseCluster, 5 bounds", (400, 1000, 10), path_here, R_PATH, 0.1),
    ("KMeansSparseCluster.permute, 25 x 10", (200, 500, 4), permute_here, R_PERMUTE, 0.1),
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("sparcl"):
        return
    for name, (n, p, k), here, source, goal in CASES:
        for kind, separation in SEPARATIONS.items():
            x = groups(n, p, k, separation)
            theirs = in_r(f"{source}({k})", x=x)
            yield compare(
                name,
                (n, p, k),
                theirs,
                lambda x=x, k=k, here=here: here(x, k),
                data=kind,
                goal=goal,
                repeats=options.repeats,
            )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

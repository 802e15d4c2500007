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
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[:, : p // 10] += separation * rng.standard_normal((k, p // 10))[np.arange(n) % k]
    return x


def path_here(x: np.ndarray, k: int) -> list[float]:
    fits = KMeansSparseCluster(x, K=k, wbounds=BOUNDS, nstart=20, rng=RRandom(1))
    return [w for fit in fits for w in fit["ws"].tolist()]


def permute_here(x: np.ndarray, k: int) -> list[float]:
    return KMeansSparseCluster_permute(x, K=k, nperms=25, nvals=10, rng=RRandom(1))["gaps"].tolist()


R_PATH = f"""(function(k) {{ set.seed(1)
  fits <- sparcl::KMeansSparseCluster(x, K = k, wbounds = c({", ".join(map(str, BOUNDS))}),
                                      nstart = 20, silent = TRUE)
  unlist(lapply(fits, function(fit) fit$ws)) }})"""
R_PERMUTE = """(function(k) { set.seed(1)
  sparcl::KMeansSparseCluster.permute(x, K = k, nperms = 25, nvals = 10, silent = TRUE)$gaps })"""
CASES = [
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

"""Time KMeansSparseCluster and its permute against R's sparcl: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/sparcl.py [--repeats 3]``; needs R with sparcl, and rpy2. The
ratio is our median time divided by R's for the whole call. Weights or gaps are compared; a difference is an
error.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rng import RRandom

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


R_PATH = f"""function(k) {{ set.seed(1)
  fits <- sparcl::KMeansSparseCluster(x, K = k, wbounds = c({", ".join(map(str, BOUNDS))}),
                                      nstart = 20, silent = TRUE)
  unlist(lapply(fits, function(fit) fit$ws)) }}"""
R_PERMUTE = """function(k) { set.seed(1)
  sparcl::KMeansSparseCluster.permute(x, K = k, nperms = 25, nvals = 10, silent = TRUE)$gaps }"""
CASES = [
    ("5 bounds", (400, 1000, 10), path_here, R_PATH, 0.35),
    ("permute 25 x 10", (200, 500, 4), permute_here, R_PERMUTE, 0.5),
]


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if not isinstalled("sparcl"):
        print("The R package sparcl is not installed (make r installs it): its functions are not timed.")
        return
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'call':<16} {'n, p, k':>15}  {'data':<13} {'R s':>7} {'ours s':>7} {'ratio':>6}  target")
        for name, (n, p, k), here, r_source, target in CASES:
            in_r = robjects.r(f"function(k) suppressWarnings(({r_source})(k))")
            for kind, separation in SEPARATIONS.items():
                x = groups(n, p, k, separation)
                robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=n)
                theirs, ours = [], []
                for _ in range(options.repeats):
                    begin = time.perf_counter()
                    expected = in_r(k)
                    theirs.append(time.perf_counter() - begin)
                    begin = time.perf_counter()
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = here(x, k)
                    ours.append(time.perf_counter() - begin)
                    if found != list(expected):
                        raise SystemExit(f"results differ from R's at {(name, kind)}")
                a, b = statistics.median(theirs), statistics.median(ours)
                row = f"{name:<16} {(n, p, k)!s:>15}  {kind:<13} {a:7.2f} {b:7.2f} {b / a:6.2f}  {target}"
                print(row, flush=True)


if __name__ == "__main__":
    main()

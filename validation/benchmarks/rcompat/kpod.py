"""Time kpod against R's kpodclustr: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/kpod.py [--repeats 5] [--large]``; needs R with kpodclustr,
and rpy2. The ratio is the median over the repeats, each with its own seed, of our time divided by R's.
Labels, criterion, fits, the number of warnings and the next uniform are compared; a difference is an error.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek.rcompat import kpod
from sparsek.rng import RRandom

TARGET = 0.2
SIZES = [(250, 20, 5), (400, 20, 10), (400, 200, 5), (300, 1000, 5)]
LARGE = (20000, 50, 10)
SEPARATIONS = {"groups": 1.0, "noise": 0.0}
IN_R = """function(k, seed) {
  set.seed(seed)
  told <- 0
  fit <- withCallingHandlers(kpodclustr::kpod(x, k),
                             warning = function(w) { told <<- told + 1; invokeRestart("muffleWarning") })
  c(fit$cluster, fit$obj_vals, fit$fit_list, told, runif(1)) }"""


def incomplete(n: int, p: int, k: int, separation: float, share: float) -> np.ndarray:
    """Gaussian groups around normal centres, as in kpodclustr's makeData, with cells missing at random."""
    rng = np.random.default_rng(1)
    x = separation * rng.standard_normal((k, p))[rng.integers(k, size=n)] + rng.standard_normal((n, p))
    x[rng.random((n, p)) < share] = np.nan
    return x


def here(x: np.ndarray, k: int, seed: int) -> list[float]:
    rng = RRandom(seed)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fit = kpod(x, k, rng=rng)
    return [*fit.cluster.tolist(), *fit.obj_vals, *fit.fit_list, len(told), rng.runif(1)[0]]


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--large", action="store_true", help=f"also {LARGE}, minutes per call in R")
    options = parser.parse_args()
    if not isinstalled("kpodclustr"):
        print("The R package kpodclustr is not installed (make r installs it): kpod is not timed.")
        return
    in_r = robjects.r(IN_R)
    cases = [(size, options.repeats) for size in SIZES] + ([(LARGE, 1)] if options.large else [])
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print("       n, p, k data    missing warnings     R s  ours s  ratio  target")
        for (n, p, k), repeats in cases:
            for kind, separation in SEPARATIONS.items():
                for share in (0.1, 0.3):
                    x = incomplete(n, p, k, separation, share)
                    robjects.globalenv["x"] = robjects.r.matrix(
                        robjects.FloatVector(x.ravel(order="F")), nrow=n
                    )
                    theirs, ours = [], []
                    for seed in range(1, repeats + 1):
                        begin = time.perf_counter()
                        expected = list(in_r(k, seed))
                        theirs.append(time.perf_counter() - begin)
                        begin = time.perf_counter()
                        found = here(x, k, seed)
                        ours.append(time.perf_counter() - begin)
                        if found != expected:
                            raise SystemExit(
                                f"results differ from R's at {(n, p, k)}, {kind}, {share}, seed {seed}"
                            )
                    a, b = statistics.median(theirs), statistics.median(ours)
                    ratio = statistics.median(o / t for o, t in zip(ours, theirs, strict=True))
                    case = f"{(n, p, k)!s:>14} {kind:<7} {share:7.1f} {found[-2]:8d}"
                    print(f"{case} {a:7.2f} {b:7.2f} {ratio:6.2f}  {TARGET}", flush=True)


if __name__ == "__main__":
    main()

"""Time wrsk against R's package: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/wrsk.py [--repeats 5]``; needs R with wrsk and dbscan, and
rpy2. The ratio is our time divided by R's for the whole call, the median over the repeats. The results must
be equal.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek.rcompat import wrsk
from sparsek.rng import RRandom

SIZES = [(250, 20, 5, 2.5), (300, 1000, 5, 8.0)]
TARGET = 1.0
R_CALL = """function(k, s) { set.seed(1); fit <- suppressWarnings(wrsk::wrsk(x, k, s))
  c(fit$clusters, fit$outclusters, fit$obsweights, fit$varweights, fit$WBCSS) }"""


def groups_with_outliers(n: int, p: int, k: int) -> np.ndarray:
    """Gaussian groups that differ in the first tenth of the features; a twentieth of the rows is far away."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = max(2, p // 10)
    x[:, :used] += 3 * rng.standard_normal((k, used))[np.arange(n) % k]
    x[: n // 20] += 4 * rng.standard_normal((n // 20, p))
    return x


def fit_here(x: np.ndarray, k: int, s: float) -> list[float]:
    """Every field of our fit in R's order."""
    fit = wrsk(x, k, s, rng=RRandom(1))
    return [float(v) for field in fit.values() for v in np.ravel(field)]


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if not isinstalled("wrsk"):
        print("The R package wrsk is not installed (make r installs it): nothing is timed.")
        return
    in_r = robjects.r(R_CALL)
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'n, p, k':>14} {'R s':>7} {'ours s':>7} {'ratio':>6}  target")
        for n, p, k, s in SIZES:
            x = groups_with_outliers(n, p, k)
            robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=n)
            theirs, ours = [], []
            for _ in range(options.repeats):
                begin = time.perf_counter()
                expected = in_r(k, s)
                theirs.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                found = fit_here(x, k, s)
                ours.append(time.perf_counter() - begin)
                if found != list(expected):
                    raise SystemExit(f"results differ from R's at {(n, p, k)}")
            ratio = statistics.median(b / a for a, b in zip(theirs, ours, strict=True))
            a, b = statistics.median(theirs), statistics.median(ours)
            print(f"{(n, p, k)!s:>14} {a:7.2f} {b:7.2f} {ratio:6.2f}  {TARGET}", flush=True)


if __name__ == "__main__":
    main()

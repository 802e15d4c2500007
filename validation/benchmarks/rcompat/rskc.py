"""Time RSKC against R's package: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/rskc.py [--repeats 3]``; needs R with RSKC, and rpy2. The
ratio is our time divided by R's for the whole call, the median over the repeats. The results must be equal.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek.rcompat import RSKC
from sparsek.rng import RRandom

SIZES = [
    (250, 20, 5, 200, 3.0),
    (400, 20, 10, 200, 3.0),
    (400, 200, 5, 200, 6.0),
    (300, 1000, 5, 50, 10.0),
    (20000, 50, 10, 3, 4.0),
]
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}
R_CALL = """function(k, starts, bound) { set.seed(1)
  fit <- RSKC::RSKC(x, k, 0.1, L1 = bound, nstart = starts)
  c(fit$labels, fit$oW, fit$oE, fit$weights, fit$WBSS) }"""


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = max(2, p // 10)
    x[:, :used] += separation * rng.standard_normal((k, used))[np.arange(n) % k]
    return x


def fit_here(x: np.ndarray, k: int, starts: int, bound: float) -> list[float]:
    """Our fit in the order of R_CALL."""
    fit = RSKC(x, k, 0.1, L1=bound, nstart=starts, rng=RRandom(1))
    return [float(v) for name in ("labels", "oW", "oE", "weights", "WBSS") for v in fit[name]]


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if not isinstalled("RSKC"):
        print("The R package RSKC is not installed (make r installs it): nothing is timed.")
        return
    in_r = robjects.r(R_CALL)
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'n, p, k, nstart':>21}  {'data':<13} {'R s':>7} {'ours s':>7} {'ratio':>6}  target")
        for n, p, k, starts, bound in SIZES:
            for kind, separation in SEPARATIONS.items():
                x = groups(n, p, k, separation)
                robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=n)
                theirs, ours = [], []
                for _ in range(options.repeats):
                    begin = time.perf_counter()
                    expected = in_r(k, starts, bound)
                    theirs.append(time.perf_counter() - begin)
                    begin = time.perf_counter()
                    found = fit_here(x, k, starts, bound)
                    ours.append(time.perf_counter() - begin)
                    if found != list(expected):
                        raise SystemExit(f"results differ from R's at {(n, p, k, kind)}")
                ratio = statistics.median(b / a for a, b in zip(theirs, ours, strict=True))
                a, b = statistics.median(theirs), statistics.median(ours)
                target = 1.0 if p >= 200 else 1.5
                row = f"{(n, p, k, starts)!s:>21}  {kind:<13} {a:7.2f} {b:7.2f} {ratio:6.2f}  {target}"
                print(row, flush=True)


if __name__ == "__main__":
    main()

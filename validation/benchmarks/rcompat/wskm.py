"""Time ewkm, fgkm and twkm against R's wskm: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/wskm.py [--repeats 5]``; needs R with wskm, and rpy2. The
ratio is the median of our time divided by R's for the whole call, one thread. Clusters and weights are
compared bit for bit; a difference is an error. The estimators, which need not repeat R's arithmetic, are
timed in entropy.py.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import rcompat
from sparsek.rng import RRandom

SIZES = [(250, 20, 5), (400, 200, 10), (300, 1000, 5), (400, 1000, 10), (20_000, 50, 10)]
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}
TARGETS = {"ewkm": "6", "fgkm": "-", "twkm": "-"}
R_CALL = """function(name, k, lambda, eta) {
  set.seed(1)
  groups <- rep(1:4, length.out = ncol(x))
  grouped <- function(f) f(x, k, groups, lambda, eta)
  fit <- switch(name, ewkm = wskm::ewkm(x, k, lambda), fgkm = grouped(wskm::fgkm), twkm = grouped(wskm::twkm))
  iterations <- if (name == "ewkm") fit$total.iterations else fit$totiters
  list(iterations, fit$cluster, if (name == "ewkm") fit$weights else fit$featureWeight) }"""


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[:, : p // 10] += separation * rng.standard_normal((k, p // 10))[np.arange(n) % k]
    return x


def fit_here(x: np.ndarray, name: str, k: int, gamma: float, eta: float) -> tuple[np.ndarray, np.ndarray]:
    """Clusters and weights."""
    if name == "ewkm":
        fit: Any = rcompat.ewkm(x, k, gamma, rng=RRandom(1))
        return fit["cluster"], fit["weights"]
    of_features = np.arange(x.shape[1]) % 4 + 1
    fit = getattr(rcompat, name)(x, k, of_features, gamma, eta, rng=RRandom(1))
    return fit["cluster"], fit["featureWeight"]


def timed(call: Any, *arguments: Any) -> tuple[float, Any]:
    """Seconds and result of a call."""
    begin = time.perf_counter()
    result = call(*arguments)
    return time.perf_counter() - begin, result


def compare(in_r: Any, x: np.ndarray, name: str, k: int, gamma: float, repeats: int) -> str:
    """Numbers of one line of the table: times, ratio and iterations."""
    theirs, ours = [], []
    for _ in range(repeats):
        seconds, (iterations, cluster, weights) = timed(in_r, name, k, gamma, gamma)
        theirs.append(seconds)
        seconds, found = timed(fit_here, x, name, k, gamma, gamma)
        ours.append(seconds)
        expected = np.array(cluster), np.array(weights).ravel(order="F")
        if not all(
            np.array_equal(a.ravel(order="F"), b, equal_nan=True)
            for a, b in zip(found, expected, strict=True)
        ):
            raise SystemExit(f"{name} differs from R's at {x.shape}, k {k}, lambda {gamma}")
    ratio = statistics.median(b / a for a, b in zip(theirs, ours, strict=True))
    times = f"{1e3 * statistics.median(theirs):8.1f} {1e3 * statistics.median(ours):8.1f}"
    return f"{int(iterations[0]):10d} {times} {ratio:6.2f}  {TARGETS[name]}"


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if not isinstalled("wskm"):
        print("The R package wskm is not installed (make r installs it): its functions are not timed.")
        return
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        head = f"{'iterations':>10} {'R ms':>8} {'ours ms':>8} {'ratio':>6}  target"
        print(f"{'call':<5} {'n, p, k':>15}  {'data':<13} {'lambda':>7} {head}")
        in_r = robjects.r(R_CALL)
        for name, lambdas in (("ewkm", (1.0, 20.0)), ("fgkm", (20.0,)), ("twkm", (2000.0,))):
            for n, p, k in SIZES:
                for kind, separation in SEPARATIONS.items():
                    x = groups(n, p, k, separation)
                    column_major = robjects.FloatVector(x.ravel(order="F"))
                    robjects.globalenv["x"] = robjects.r.matrix(column_major, nrow=n)
                    for gamma in lambdas:
                        cells = compare(in_r, x, name, k, gamma, options.repeats)
                        print(f"{name:<5} {(n, p, k)!s:>15}  {kind:<13} {gamma:>7g} {cells}", flush=True)


if __name__ == "__main__":
    main()

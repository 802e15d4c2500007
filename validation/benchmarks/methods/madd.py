"""Time MADDKMeans against the R code released with the sparse MinMax k-means paper, interleaved, same seed.

Run with ``python validation/benchmarks/methods/madd.py [--repeats 5]``; needs R with the local package
SparseMinMax (see r_reference/README.md), and rpy2; without them only ours is timed. R makes one start, and
ours is given the same start: the labels must be equal. The last columns are ours with ten starts (elapsed and
processor time) and the target. R's loops over triples of rows would take minutes at 846 rows; there R is left
out.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import MADDKMeans
from sparsek.rng import RRandom

SIZES = {"colon": (62, 2000, 2), "glass": (214, 9, 6), "vehicle": (846, 18, 4)}
"""Rows, features and clusters of data sets of the paper."""
TARGETS = {"vehicle": 0.5}
"""Targets in seconds."""
LARGEST_IN_R = 250


def groups(n: int, p: int, k: int) -> np.ndarray:
    """Gaussian groups that overlap."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, p)) + (1.5 * rng.standard_normal((k, p)))[np.arange(n) % k]


def timed(call: Any) -> tuple[float, float, Any]:
    """Elapsed and processor seconds, and the result."""
    begin, cpu = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - begin, time.process_time() - cpu, result


def in_r() -> Any:
    """R's function of (x, k, version), or None."""
    try:
        from rpy2 import robjects
        from rpy2.robjects.packages import isinstalled
    except ImportError:
        return None
    if not isinstalled("SparseMinMax"):
        return None
    call = robjects.r("""function(x, k, version) { set.seed(1)
      getExportedValue("SparseMinMax", paste0("maddkmeans", c("", "1", "2")[version + 1]))(x, k)$cluster }""")

    def run(x: np.ndarray, k: int, version: int) -> Any:
        matrix = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=len(x))
        return lambda: call(matrix, k, version)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    r = in_r()
    if r is None:
        print("The R package SparseMinMax, or rpy2, is not installed: R is not timed.")
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        head = f"{'data':<8} {'n, p, K':>13} kM {'R s':>7} {'ours s':>7} {'ratio':>6} {'10 starts s':>11}"
        print(head, "  CPU s  target")
        for name, (n, p, k) in SIZES.items():
            x = groups(n, p, k)
            start = np.asarray(RRandom(1).sample_int(k, n, replace=True)) - 1
            for version in (0, 1, 2):
                one = MADDKMeans(k, version=version, init=start)
                ten = MADDKMeans(k, version=version, random_state=0)
                theirs, ours, many = [], [], []
                for _ in range(options.repeats):
                    seconds, _, fit = timed(lambda one=one, x=x: one.fit(x))
                    ours.append(seconds)
                    many.append(timed(lambda ten=ten, x=x: ten.fit(x))[:2])
                    if r is not None and n <= LARGEST_IN_R:
                        seconds, _, expected = timed(r(x, k, version))
                        theirs.append(seconds)
                        if list(expected) != (fit.labels_ + 1).tolist():
                            raise SystemExit(f"labels differ from R's at {(name, version)}")
                a = statistics.median(theirs) if theirs else float("nan")
                b = statistics.median(ours)
                c, cpu = map(statistics.median, zip(*many, strict=True))
                row = f"{name:<8} {(n, p, k)!s:>13}  {version} {a:7.3f} {b:7.3f} {b / a:6.3f} {c:11.3f}"
                print(f"{row}  {cpu:6.3f}  {TARGETS.get(name, '')}", flush=True)


if __name__ == "__main__":
    main()

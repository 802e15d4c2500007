"""Time rcompat.kmeans against R's own kmeans in one process, same data, same seed, interleaved.

Run with ``python validation/benchmarks/rcompat/kmeans.py [--quick] [--nstart 20] [--repeats 3]``; needs R and
rpy2. The ratio is our time divided by R's for the whole call. Times are not checked; a difference in the
results is an error.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek.rcompat import kmeans
from sparsek.rng import RRandom

SIZES = [(400, 1000, 10, 0.8), (400, 20, 10, 3.0), (5000, 50, 10, 3.0), (100_000, 10, 10, 3.0)]
SEPARATIONS = {"unstructured": 0.0, "overlapping groups": 0.5, "separated groups": 2.0}


def mixture(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size; `spread` is the standard deviation of their means."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, p)) + separation * rng.standard_normal((k, p))[np.arange(n) % k]


def timed_in_r(x: np.ndarray, k: int, nstart: int):
    """A function that runs R's kmeans once and returns seconds and labels."""
    from rpy2 import robjects

    r = robjects.r
    robjects.globalenv["x"] = r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=len(x))
    call = f"suppressWarnings(kmeans(x, {k}, nstart = {nstart}))"

    def run() -> tuple[float, np.ndarray]:
        r("set.seed(1)")
        begin = time.perf_counter()
        r(f"fit <- {call}")
        return time.perf_counter() - begin, np.asarray(r("fit$cluster"))

    return run


def timed_here(x: np.ndarray, k: int, nstart: int) -> tuple[float, np.ndarray]:
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = kmeans(x, k, nstart=nstart, rng=RRandom(1))
    return time.perf_counter() - begin, fit.cluster


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nstart", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="leave out n = 100000")
    options = parser.parse_args()
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'n, p, k':>16}  {'data':<18} {'R ms':>9} {'ours ms':>9} {'ratio':>6}  target")
        for n, p, k, target in SIZES[:3] if options.quick else SIZES:
            for name, separation in SEPARATIONS.items():
                x = mixture(n, p, k, separation)
                in_r = timed_in_r(x, k, options.nstart)
                theirs, ours = [], []
                for _ in range(options.repeats if n < 100_000 else 1):
                    seconds, expected = in_r()
                    theirs.append(seconds)
                    seconds, labels = timed_here(x, k, options.nstart)
                    ours.append(seconds)
                    if not np.array_equal(labels, expected):
                        raise SystemExit(f"labels differ from R's at {(n, p, k, name)}")
                a, b = statistics.median(theirs), statistics.median(ours)
                print(
                    f"{(n, p, k)!s:>16}  {name:<18} {a * 1e3:9.1f} {b * 1e3:9.1f} {b / a:6.2f}  {target}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

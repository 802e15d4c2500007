"""Time the exact tests of k-means against R's KmeansInference in one process, same data, same seed.

Run with ``python validation/benchmarks/rcompat/inference.py [--repeats 3]``; needs R with KmeansInference and
rpy2. The ratio is our time divided by R's. Times are not checked; a difference in the intervals is an error.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from sparsek import inference
from sparsek.rcompat import kmeans_inference
from sparsek.rng import RRandom

SIZES = [(150, 10, 3), (1000, 50, 5)]
SEED = 3
DIGITS = 1e-9


def timed_in_r(x: np.ndarray, k: int):
    """A function that runs R's test once and returns seconds and intervals."""
    from rpy2 import robjects

    r = robjects.r
    r("suppressMessages(library(KmeansInference))")
    robjects.globalenv["x"] = r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=len(x))

    def run() -> tuple[float, np.ndarray]:
        begin = time.perf_counter()
        r(f"fit <- kmeans_inference(x, {k}, 1, 2, sig = 1, iter.max = 100, seed = {SEED}, verbose = FALSE)")
        return time.perf_counter() - begin, np.asarray(r("as.matrix(fit$final_interval)"))

    return run


def timed(call) -> tuple[float, object]:
    """Seconds and result of a call."""
    begin = time.perf_counter()
    found = call()
    return time.perf_counter() - begin, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with threadpool_limits(1):
        print(f"{'n, p, k':>14} {'R s':>8} {'rcompat s':>10} {'ratio':>6} {'test_kmeans s':>14} {'ratio':>6}")
        for n, p, k in SIZES:
            x = np.random.default_rng(1).standard_normal((n, p))
            model = KMeans(k, init="random", n_init=1, random_state=0, max_iter=1000).fit(x)
            in_r = timed_in_r(x, k)
            times: dict[str, list[float]] = {"R": [], "rcompat": [], "inference": []}
            for _ in range(options.repeats):
                seconds, expected = in_r()
                times["R"].append(seconds)
                seconds, fit = timed(
                    lambda x=x, k=k: kmeans_inference(
                        x, k, 1, 2, sig=1.0, iter_max=100, seed=SEED, rng=RRandom(1)
                    )
                )
                times["rcompat"].append(seconds)
                if not np.allclose(fit.final_interval, expected, rtol=DIGITS):
                    raise SystemExit(f"intervals differ from R's at {(n, p, k)}")
                seconds, _ = timed(lambda x=x, model=model: inference.test_kmeans(model, x, 0, 1, sigma=1.0))
                times["inference"].append(seconds)
            theirs, compat, ours = (statistics.median(found) for found in times.values())
            print(
                f"{(n, p, k)!s:>14} {theirs:8.3f} {compat:10.3f} {compat / theirs:6.3f} {ours:14.3f} "
                f"{ours / theirs:6.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""Time sparse kernel k-means against its targets, and kernel k-means and COSA; memory of each.

Run with ``python validation/benchmarks/methods/kernel.py [--repeats 5]``. One BLAS thread, wall clock,
medians. Every size is fitted in a process of its own, whose peak memory before the fit is subtracted. The
data are groups that differ in a tenth of the features; the polynomial kernel is (x z + 1)^2, two columns per
feature.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import KernelKMeans, SparseKernelKMeans, cosa_distances

K = 3
CASES = {
    "sparse, polynomial": (500, 20, 0.2, None),
    "sparse, polynomial ": (5000, 100, 10.0, 500),
    "sparse, Gaussian": (2000, 50, 60.0, None),
    "sparse, Gaussian, width 1e-6": (2000, 50, None, None),
    "kernel, Gaussian": (2000, 50, None, None),
    "COSA, 100 iterations": (300, 50, None, None),
}
"""Rows, features, target in seconds, target in MB."""


def mixture(n: int, p: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, : p // 10] += 3 * rng.standard_normal((K, p // 10))[rng.integers(K, size=n)]
    return X


def fit(name: str, X: np.ndarray) -> float:
    """Final objective or, for COSA, the last eta."""
    if name.startswith("COSA"):
        return cosa_distances(X).eta
    if name.startswith("kernel"):
        return KernelKMeans(K, random_state=0).fit(X).objective_
    options = {"kernel": "polynomial", "coef0": 1.0} if "polynomial" in name else {"kernel": "gaussian"}
    if "width" in name:
        options |= {"width": 1e-6, "n_init": 2, "max_iter": 2}
    return SparseKernelKMeans(K, l1_bound=2.0, random_state=0, **options).fit(X).objective_


def peak() -> float:
    """Peak memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, repeats: int) -> tuple[float, float, float]:
    """Median seconds, memory of the fit, and the result."""
    warnings.simplefilter("ignore")
    n, p, *_ = CASES[name]
    X = mixture(n, p, 0)
    with threadpool_limits(1):
        fit(name, mixture(60, 10, 0))  # warm up imports and caches
        before, times = peak(), []
        for _ in range(repeats):
            begin = time.perf_counter()
            result = fit(name, X)
            times.append(time.perf_counter() - begin)
    return statistics.median(times), peak() - before, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
    print(f"{'':<30} {'n, p':>12} {'seconds':>8} {'target':>7} {'MB':>6} {'target':>7} {'result':>14}")
    for name, (n, p, seconds, megabytes) in CASES.items():
        repeats = options.repeats if seconds is not None else 1
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            spent, added, result = pool.submit(measure, name, repeats).result()
        print(
            f"{name:<30} {(n, p)!s:>12} {spent:8.3f} {seconds or '':>7} {added:6.0f} {megabytes or '':>7} "
            f"{result:14.6g}",
            flush=True,
        )


if __name__ == "__main__":
    main()

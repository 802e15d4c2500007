"""Time SparseMinMaxKMeans against the released R code: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/methods/minmax.py [--repeats 5]``; needs R with the local package
SparseMinMax (see r_reference/README.md), and rpy2. The ratio is the median of our time divided by R's for one
fit. Labels and weights are compared; a difference is an error. The gap statistic and the memory of a fit are
measured for ours only.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import PermutationGap, SparseMinMaxKMeans

SIZE = 62, 2000
BOUNDS = [5.0, 15.0, 40.0]
R_FIT = """function(s) { set.seed(1)
  utils::capture.output(fit <- SparseMinMax::SparseCl(x, K = 2, wbounds = s, silent = TRUE)[[1]])
  c(fit$ws, fit$Cs) }"""
GAP_TARGET, MEMORY_TARGET, RATIO_TARGET = 2.0, 3.0, 1 / 20


def groups(n: int, p: int) -> np.ndarray:
    """Two Gaussian groups that differ in the first twentieth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[: n // 3, : p // 20] += 1.5
    return x


def fit_here(x: np.ndarray, bound: float, variant: str = "r") -> SparseMinMaxKMeans:
    """One start."""
    return SparseMinMaxKMeans(2, l1_bound=bound, variant=variant, n_init=1, random_state=1).fit(x)


def compare_with_r(x: np.ndarray, repeats: int) -> None:
    """Print the times of one fit in sparsek and in R."""
    from rpy2 import robjects

    in_r = robjects.r(R_FIT)
    robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=len(x))
    print(f"{'one fit, n, p':<20} {'bound':>6} {'R s':>7} {'ours s':>7} {'ratio':>6}  target")
    for bound in BOUNDS:
        theirs, ours = [], []
        for _ in range(repeats):
            begin = time.perf_counter()
            expected = np.array(in_r(bound))
            theirs.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            model = fit_here(x, bound)
            ours.append(time.perf_counter() - begin)
        p = x.shape[1]
        if not np.array_equal(model.labels_ + 1, expected[p:]):
            raise SystemExit("labels differ from R's")
        # The order of sums differs, by about p units in the last place.
        np.testing.assert_allclose(model.feature_weights_, expected[:p], rtol=1e-9, atol=1e-12)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        times = f"{statistics.median(theirs):7.3f} {statistics.median(ours):7.3f}"
        print(f"{'SparseCl, ' + str(x.shape):<20} {bound:>6} {times} {ratio:6.3f}  {RATIO_TARGET:.3f}")


def time_gap(x: np.ndarray, repeats: int) -> None:
    """Print times of the gap statistic over 10 bounds with 10 permutations, and the memory of a fit."""
    for variant in ("r", "paper"):
        base = SparseMinMaxKMeans(2, variant=variant, n_init=1)
        seconds = []
        for _ in range(repeats):
            begin, cpu = time.perf_counter(), time.process_time()
            PermutationGap(base, n_permutations=10, random_state=0).fit(x)
            seconds.append((time.perf_counter() - begin, time.process_time() - cpu))
        elapsed, processor = map(statistics.median, zip(*seconds, strict=True))
        times = f"{elapsed:.2f} s, of the processor {processor:.2f} s"
        print(f"gap 10 x 10, variant {variant!r}: {times}, target {GAP_TARGET} s")
        tracemalloc.start()
        fit_here(x, BOUNDS[-1], variant)
        peak = tracemalloc.get_traced_memory()[1] / x.nbytes
        tracemalloc.stop()
        print(f"memory of one fit, variant {variant!r}: {peak:.2f} x data, target {MEMORY_TARGET}")


def main() -> None:
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    x = groups(*SIZE)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        if isinstalled("SparseMinMax"):
            compare_with_r(x, options.repeats)
        else:
            print("The R package SparseMinMax is not installed: the released code is not timed.")
        time_gap(x, options.repeats)


if __name__ == "__main__":
    main()

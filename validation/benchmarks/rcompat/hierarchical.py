"""Time sparcl's hierarchical functions against R's: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/hierarchical.py [--repeats 5]``; needs R with sparcl, and
rpy2. The ratio is our median time divided by R's for the whole call. Weights and heights, or gaps, are
compared; a difference is an error. Then the peak of numpy's memory is printed, in units of the distances, n
(n - 1) / 2 x p doubles.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
import warnings

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import SparseAgglomerativeClustering
from sparsek.rcompat import HierarchicalSparseCluster, HierarchicalSparseCluster_permute
from sparsek.rng import RRandom

BOUNDS = [2.0, 4.0, 6.0, 8.0, 10.0]


def groups(n: int, p: int) -> np.ndarray:
    """Four Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[:, : p // 10] += 1.5 * rng.standard_normal((4, p // 10))[np.arange(n) % 4]
    return x


def fit_here(x: np.ndarray, **options: object) -> list[float]:
    fit = HierarchicalSparseCluster(x, **options, rng=RRandom(1))
    return [*fit["ws"].ravel().tolist(), *fit["hc"]["height"].tolist()]


def permute_here(x: np.ndarray, **options: object) -> list[float]:
    return HierarchicalSparseCluster_permute(x, **options, rng=RRandom(1))["gaps"].tolist()


R_FIT = """function({}) {{ set.seed(1)
  utils::capture.output(fit <- sparcl::HierarchicalSparseCluster(x, {}, silent = TRUE))
  c(fit$ws, fit$hc$height) }}"""
R_PERMUTE = """function({}) {{ set.seed(1)
  utils::capture.output(fit <- sparcl::HierarchicalSparseCluster.permute(x, {}))
  fit$gaps }}"""
CASES = [
    ("fit, wbound 11.2", (150, 500), fit_here, R_FIT, {}, 0.8),
    ("fit, wbound 4", (150, 500), fit_here, R_FIT, {"wbound": 4.0}, 0.8),
    ("fit, absolute", (150, 500), fit_here, R_FIT, {"dissimilarity": "absolute.value"}, 0.8),
    ("fit, wbound 15.8", (60, 1000), fit_here, R_FIT, {}, 0.8),
    ("permute 5 x 5", (60, 300), permute_here, R_PERMUTE, {"nperms": 5, "wbounds": BOUNDS}, 0.8),
    ("permute 10 x 10", (40, 200), permute_here, R_PERMUTE, {}, 0.8),
]


def r_text(options: dict[str, object]) -> str:
    """Arguments in R's notation."""
    texts = {
        name: f"c({', '.join(map(str, v))})" if isinstance(v, list) else v for name, v in options.items()
    }
    quoted = {name: f'"{v}"' if name == "dissimilarity" else v for name, v in texts.items()}
    return ", ".join(f"{name} = {v}" for name, v in quoted.items()) or "standardize.arrays = FALSE"


def peak_memory(call, x: np.ndarray) -> float:
    """Peak of the allocated memory of a call, in units of the distances."""
    tracemalloc.start()
    call(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    n, p = x.shape
    return peak / (8 * (n * (n - 1) // 2) * p)


def time_case(in_r, here, x: np.ndarray, options: dict[str, object], repeats: int) -> tuple[float, float]:
    """Median seconds in R and here; a difference in the results ends the program."""
    theirs, ours = [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        expected = in_r()
        theirs.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        found = here(x, **options)
        ours.append(time.perf_counter() - begin)
        if found != list(expected):
            raise SystemExit(f"results differ from R's at {options}, shape {x.shape}")
    return statistics.median(theirs), statistics.median(ours)


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if not isinstalled("sparcl"):
        print("The R package sparcl is not installed (make r installs it): its functions are not timed.")
        return
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'call':<18} {'n, p':>12} {'R s':>7} {'ours s':>7} {'ratio':>6}  target")
        for name, (n, p), here, r_source, arguments, target in CASES:
            x = groups(n, p)
            robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=n)
            in_r = robjects.r(r_source.format("", r_text(arguments)))
            a, b = time_case(in_r, here, x, arguments, options.repeats)
            print(f"{name:<18} {(n, p)!s:>12} {a:7.3f} {b:7.3f} {b / a:6.2f}  {target}", flush=True)
        x = groups(150, 500)
        model = SparseAgglomerativeClustering(4, l1_bound=4.0)
        begin = time.perf_counter()
        model.fit(x)
        print(f"SparseAgglomerativeClustering at (150, 500): {time.perf_counter() - begin:.3f} s")
        print("peak memory, in units of the distances:")
        print(f"  HierarchicalSparseCluster          {peak_memory(fit_here, x):.2f}")
        permuted = peak_memory(lambda x: permute_here(x, nperms=1, wbounds=BOUNDS[:2]), x)
        print(f"  HierarchicalSparseCluster_permute  {permuted:.2f}")
        print(f"  SparseAgglomerativeClustering      {peak_memory(model.fit, x):.2f}")


if __name__ == "__main__":
    main()

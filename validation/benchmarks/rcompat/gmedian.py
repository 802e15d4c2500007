"""Time Gmedian's functions against R: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/gmedian.py [--repeats 3]``; needs R with Gmedian, rpy2. The
ratio is the median of our times divided by the median of R's for the whole call. Results are compared bit for
bit; a difference is an error.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import rcompat
from sparsek.rng import RRandom

KGMEDIAN = [(250, 20, 5), (400, 20, 10), (400, 200, 10), (300, 1000, 5), (20000, 50, 10)]
KGMEDIAN_TARGETS = {(20000, 50, 10): "3"}
KINDS = {"structured": 1.5, "unstructured": 0.0}
MEDIANS = [(400, 20), (400, 200), (20000, 50)]
COVARIATIONS = [(400, 10), (400, 50)]


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, p)) + separation * rng.standard_normal((k, p))[np.arange(n) % k]


def calls() -> list[tuple[str, tuple[int, ...], str, Callable[[np.ndarray], np.ndarray], str, str]]:
    """Name, size, kind of data, our call, R's call and target of every comparison."""
    rows = []
    for size in KGMEDIAN:
        for kind in KINDS:
            k = size[2]
            source = f"{{ set.seed(1); as.vector(Gmedian::kGmedian(x, {k})$centers) }}"

            def cluster(x: np.ndarray, k: int = k) -> np.ndarray:
                return rcompat.kGmedian(x, k, rng=RRandom(1)).centers

            rows.append(("kGmedian", size, kind, cluster, source, KGMEDIAN_TARGETS.get(size, "")))
    functions = {
        "Gmedian": (MEDIANS, rcompat.Gmedian, "Gmedian::Gmedian(x)"),
        "Weiszfeld": (MEDIANS, lambda x: rcompat.Weiszfeld(x).median, "Gmedian::Weiszfeld(x)$median"),
        "GmedianCov": (
            COVARIATIONS,
            lambda x: rcompat.GmedianCov(x, scores=0).covmedian,
            "Gmedian::GmedianCov(x, scores = 0)$covmedian",
        ),
        "WeiszfeldCov": (
            COVARIATIONS,
            lambda x: rcompat.WeiszfeldCov(x, scores=0).covmedian,
            "Gmedian::WeiszfeldCov(x, scores = 0)$covmedian",
        ),
    }
    for name, (sizes, here, source) in functions.items():
        target = "8" if name == "GmedianCov" else ""
        rows += [(name, size, "unstructured", here, f"as.vector({source})", target) for size in sizes]
    return rows


def main() -> None:
    from rpy2 import robjects
    from rpy2.robjects.packages import isinstalled

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if not isinstalled("Gmedian"):
        print("The R package Gmedian is not installed (make r installs it): its functions are not timed.")
        return
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"{'call':<13} {'n, p, k':>15}  {'data':<13} {'R s':>8} {'ours s':>8} {'ratio':>6}  target")
        for name, size, kind, here, source, target in calls():
            x = groups(size[0], size[1], size[2] if len(size) > 2 else 1, KINDS[kind])
            robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel("F")), nrow=size[0])
            in_r = robjects.r(f"function() suppressWarnings({source})")
            in_r()  # R loads the package
            theirs, ours = [], []
            for _ in range(options.repeats):
                begin = time.perf_counter()
                expected = in_r()
                theirs.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                found = here(x)
                ours.append(time.perf_counter() - begin)
                if not np.array_equal(found.ravel("F"), np.array(expected)):
                    raise SystemExit(f"results differ from R's at {(name, size, kind)}")
            a, b = statistics.median(theirs), statistics.median(ours)
            print(f"{name:<13} {size!s:>15}  {kind:<13} {a:8.4f} {b:8.4f} {b / a:6.2f}  {target}", flush=True)


if __name__ == "__main__":
    main()

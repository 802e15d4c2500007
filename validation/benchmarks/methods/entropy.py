"""Time EntropyWeightedKMeans against R's wskm::ewkm: one process, same data and centres, interleaved.

Run with ``python validation/benchmarks/methods/entropy.py [--repeats 5]``; needs R with wskm, and rpy2. Whole
fits of one start, one thread; a ratio is the median of our time divided by R's. wskm ends as soon as its
criterion is negative, while ours runs to convergence; for a second ratio ours gets no more passes than R
took. After one pass both have equal weights, except for wskm's lower limit; a difference is an error. The
paper's criterion is computed for both final partitions.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import EntropyWeightedKMeans

SIZES = [(400, 1000, 10), (20_000, 50, 10)]
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}
TARGET = 1.0
R_FIT = """function(k, lambda, maxiter) {
  fit <- wskm::ewkm(x, x[seq_len(k), ], lambda = lambda, maxiter = maxiter, delta = 1e-5)
  list(fit$cluster, fit$weights, fit$iterations + 1, fit$restarts) }"""


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[:, : p // 10] += separation * rng.standard_normal((k, p // 10))[np.arange(n) % k]
    return x


def criterion(x: np.ndarray, labels: np.ndarray, gamma: float) -> float:
    """The papers' criterion of a partition at its best weights."""
    total = 0.0
    for k in np.unique(labels):
        rows = x[labels == k]
        d = ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
        total += d.min() - gamma * np.log(np.exp((d.min() - d) / gamma).sum())
    return float(total)


def fit_here(x: np.ndarray, k: int, gamma: float, max_iter: int) -> EntropyWeightedKMeans:
    model = EntropyWeightedKMeans(k, gamma=gamma, init=x[:k], n_init=1, max_iter=max_iter, tol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x)


def compare(in_r: Any, x: np.ndarray, k: int, gamma: float, repeats: int) -> str:
    """Numbers of one line of the table: times, ratios, passes and criteria."""
    floor = 1e-4 / x.shape[1]
    expected = np.array(in_r(k, gamma, 1)[1]).reshape(k, -1, order="F")
    found = np.maximum(fit_here(x, k, gamma, 1).feature_weights_, floor)
    if not np.allclose(found / found.sum(axis=1, keepdims=True), expected, atol=1e-9):
        raise SystemExit("weights after one pass differ from R's")
    ratios, same_passes, theirs, ours = [], [], [], []
    for _ in range(repeats):
        seconds, (labels, _, passes, restarts) = timed(in_r, k, gamma, 100)
        n_passes = min(int(passes[0]), 100)
        converged, model = timed(fit_here, x, k, gamma, 100)
        limited, _ = timed(fit_here, x, k, gamma, n_passes)
        theirs.append(seconds)
        ours.append(converged)
        ratios.append(converged / seconds)
        same_passes.append(limited / seconds)
    restarted = f", {int(restarts[0])} restarts" if restarts[0] else ""
    return (
        f"{1e3 * statistics.median(theirs):7.1f} {1e3 * statistics.median(ours):7.1f} "
        f"{statistics.median(ratios):6.2f} {statistics.median(same_passes):8.2f} "
        f"{n_passes:6d} {model.n_iter_:6d}  "
        f"{criterion(x, np.array(labels), gamma):11.6g} {criterion(x, model.labels_, gamma):11.6g}{restarted}"
    )


def timed(call: Any, *arguments: Any) -> tuple[float, Any]:
    """Seconds and result of a call."""
    begin = time.perf_counter()
    result = call(*arguments)
    return time.perf_counter() - begin, result


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
        print(f"Target for the ratio of whole fits: {TARGET}")
        print("Times in ms; same: ratio at R's number of passes; the paper's criterion of the final clusters")
        print(
            f"{'n, p, k':>15}  {'data':<13} {'gamma':>7} {'R':>7} {'ours':>7} {'ratio':>6} {'same':>8} "
            f"{'passes':>6} {'ours':>6}  {'criterion':>11} {'ours':>11}"
        )
        in_r = robjects.r(R_FIT)
        for n, p, k in SIZES:
            for kind, separation in SEPARATIONS.items():
                x = groups(n, p, k, separation)
                robjects.globalenv["x"] = robjects.r.matrix(robjects.FloatVector(x.ravel(order="F")), nrow=n)
                default = 2 * ((x - x.mean(axis=0)) ** 2).sum() / (k * p)
                for gamma in (1.0, float(round(default, 1))):
                    cells = compare(in_r, x, k, gamma, options.repeats)
                    print(f"{(n, p, k)!s:>15}  {kind:<13} {gamma:>7g} {cells}", flush=True)


if __name__ == "__main__":
    main()

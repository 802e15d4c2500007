"""Time power k-means against scikit-learn's KMeans(algorithm="lloyd"), per iteration and for whole fits.

Run with ``python validation/benchmarks/methods/power.py [--repeats 5]``. Same data, same centres, one BLAS
and OpenMP thread, calls interleaved, medians. An iteration of power k-means weights every row for every
centre (two products, a logarithm and up to two exponentials per row and centre); Lloyd's only finds the
nearest centre. The last columns compare the results: our sum of squares after `polish` divided by
scikit-learn's.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import EntropyWeightedPowerKMeans, PowerKMeans

SIZES = [(10_000, 20, 10), (10_000, 200, 10), (2000, 1000, 10), (50_000, 50, 20)]
ITERATIONS = 20


def mixture(n: int, p: int, k: int, seed: int) -> np.ndarray:
    """Normal groups that differ in every feature; the more features, the closer the groups in each."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) + rng.normal(0, 3 / p**0.25, (k, p))[rng.integers(k, size=n)]


def seconds(call) -> tuple[float, object]:
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def per_iteration(n: int, p: int, k: int, repeats: int) -> str:
    """Times of a fixed number of iterations, minus the time of a fit of one iteration."""
    X = mixture(n, p, k, 0)
    # Centres far from any solution, so that scikit-learn does not stop early.
    centers = X[np.random.default_rng(1).choice(n // 10, k, replace=False)]

    def fit(kind: str, iterations: int) -> tuple[float, int]:
        if kind == "sklearn":
            model = KMeans(k, init=centers, n_init=1, tol=0, max_iter=iterations)
        else:
            cls = PowerKMeans if kind == "power" else EntropyWeightedPowerKMeans
            model = cls(k, init=centers, tol=0, s0=-1, max_iter=iterations)
        time_of_fit, _ = seconds(lambda: model.fit(X))
        return time_of_fit, model.n_iter_

    kinds = ("sklearn", "power", "entropy")
    spent: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in kinds}
    for _ in range(repeats):
        for kind in kinds:
            one, _ = fit(kind, 1)
            many, done = fit(kind, ITERATIONS)
            spent[kind].append((one, many, done - 1))
    ms = {}
    for kind in kinds:
        one, many, more = np.median(spent[kind], axis=0)
        ms[kind] = 1e3 * (many - one) / more
    ratios = [ms[kind] / ms["sklearn"] for kind in kinds]
    return (
        f"{(n, p, k)!s:>16} {ms['sklearn']:9.3f} {ms['power']:9.3f} {ms['entropy']:9.3f}"
        f" {ratios[1]:7.2f} {ratios[2]:8.2f}"
    )


def whole_fits(n: int, p: int, k: int, repeats: int) -> str:
    """Times of fits from k-means++ centres, and the sums of squares reached."""
    times, sums = [], []
    for seed in range(repeats):
        X = mixture(n, p, k, seed)
        centers, _ = kmeans_plusplus(X, k, random_state=seed)
        theirs, lloyd = seconds(lambda X=X, c=centers: KMeans(k, init=c, n_init=1).fit(X))
        ours, power = seconds(lambda X=X, c=centers: PowerKMeans(k, init=c, polish=True).fit(X))
        times.append((theirs, ours, lloyd.n_iter_, power.n_iter_))
        sums.append(power.inertia_ / lloyd.inertia_)
    a, b, i, j = np.median(times, axis=0)
    return (
        f"{(n, p, k)!s:>16} {1e3 * a:9.1f} {1e3 * b:9.1f} {b / a:7.1f} {i:8.0f} {j:8.0f}"
        f" {np.median(sums):9.4f} {min(sums):9.4f} {max(sums):9.4f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print("ms per iteration")
        print(f"{'n, p, k':>16} {'sklearn':>9} {'power':>9} {'entropy':>9} {'ratio':>7} {'entropy':>8}")
        for size in SIZES:
            print(per_iteration(*size, options.repeats), flush=True)
        print("whole fits, ms; sum of squares over scikit-learn's: median, best, worst")
        print(
            f"{'n, p, k':>16} {'sklearn':>9} {'power':>9} {'ratio':>7} {'its':>8} {'its':>8}"
            f" {'median':>9} {'best':>9} {'worst':>9}"
        )
        for size in SIZES[:3]:
            print(whole_fits(*size, options.repeats), flush=True)


if __name__ == "__main__":
    main()

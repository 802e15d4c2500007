"""Time SKFR and SparseKMeans against scikit-learn's KMeans(algorithm="lloyd").

Run with ``python validation/benchmarks/estimators.py [--large] [--repeats N]``. Nothing is asserted.

One start: same standardised data, same k-means++ centres, tol=0, one BLAS and OpenMP thread, calls
interleaved, medians. Our time includes the initial assignment on all features, as scikit-learn's does;
standardising is outside for both. Twenty starts: whole estimators with their own seeding, on data of n =
400.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import SKFR, SparseKMeans
from sparsek.core.kernels import nearest
from sparsek.core.scaling import prepare
from sparsek.core.skfr import skfr

SIZES = [(400, 1000, 10, 10), (10_000, 1000, 10, 20), (100_000, 200, 20, 20), (500, 20_000, 5, 100)]
LARGE = [(1_000_000, 50, 10, 10)]


def mixture(n: int, p: int, k: int, s: int, seed: int) -> np.ndarray:
    """Normal data with k groups that differ in the first s columns only."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, :s] += rng.normal(0, 1.5, (k, s))[rng.integers(k, size=n)]
    return X


def interleaved(calls: dict[str, Callable[[], Any]], repeats: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds and last result of each call."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    results: dict[str, Any] = {}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            results[name] = call()
            times[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in times.items()}, results


def one_start(n: int, p: int, k: int, s: int, repeats: int) -> None:
    """Print one line: time per fit, and ratios to scikit-learn."""
    rows = []
    for seed in range(3 if n <= 100_000 else 1):
        Z, _ = prepare(mixture(n, p, k, s, seed), None, standardize=True)
        plain = np.ascontiguousarray(Z[:, :-1])
        centers, _ = kmeans_plusplus(plain, k, random_state=seed)
        tss = float(n - 1) * p

        def fit(n_selected: int, local: bool = False, Z=Z, centers=centers, tss=tss) -> Any:
            labels = nearest(Z, centers)
            return skfr(Z, labels, n_clusters=k, n_selected=n_selected, local=local, tss=tss, max_iter=1000)

        model = KMeans(k, init=centers, n_init=1, tol=0, max_iter=1000)
        calls = {
            "sklearn": lambda model=model, plain=plain: model.fit(plain),
            "SKFR1": lambda fit=fit: fit(s),
            "SKFR2": lambda fit=fit: fit(max(1, s // 2), True),
            "Lloyd": lambda fit=fit: fit(p),
        }
        times, results = interleaved(calls, repeats)
        iterations = {name: getattr(r, "n_iter_", None) or r.n_iter for name, r in results.items()}
        rows.append((times, iterations))
    cells = [f"n={n} p={p} k={k} s={s}:"]
    for name in rows[0][0]:
        ms = np.median([times[name] for times, _ in rows]) * 1e3
        n_iter = [iterations[name] for _, iterations in rows]
        cells.append(f"{name} {ms:.1f} ms ({min(n_iter)}-{max(n_iter)} it)")
        if name != "sklearn":
            fit_ratio = np.median([t["sklearn"] / t[name] for t, _ in rows])
            iter_ratio = np.median([t["sklearn"] / i["sklearn"] * i[name] / t[name] for t, i in rows])
            cells.append(f"ratio {fit_ratio:.2f} fit, {iter_ratio:.2f} per iteration;")
    print(" ".join(cells), flush=True)


def twenty_starts(p: int, repeats: int) -> None:
    """Print one line: whole estimators, 20 starts each."""
    X = mixture(400, p, 10, 10, 0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    calls = {
        "sklearn": lambda: KMeans(10, n_init=20, tol=0, random_state=0).fit(Z),
        "SKFR1": lambda: SKFR(10, 10, n_init=20, random_state=0).fit(X),
        "SparseKMeans": lambda: SparseKMeans(10, l1_bound=3, n_init=20, random_state=0).fit(Z),
    }
    times, _ = interleaved(calls, repeats)
    cells = [f"20 starts, n=400 p={p} k=10:"]
    for name, seconds in times.items():
        ratio = "" if name == "sklearn" else f" (ratio {times['sklearn'] / seconds:.2f})"
        cells.append(f"{name} {seconds * 1e3:.1f} ms{ratio}")
    print(" ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="add n = 1,000,000 (minutes)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(limits=1):
        for pool in threadpool_info():
            print("{user_api}: {internal_api} {version}, {num_threads} thread(s)".format(**pool))
        for size in SIZES:
            one_start(*size, repeats=options.repeats)
        for p in (20, 50, 100, 200, 500, 1000):
            twenty_starts(p, options.repeats)
        if options.large:
            for size in LARGE:
                one_start(*size, repeats=1)


if __name__ == "__main__":
    main()

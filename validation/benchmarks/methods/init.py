"""Time the methods of `sparsek.init` that choose starting rows, and their peak memory.

Run with ``python validation/benchmarks/methods/init.py [--repeats 3] [--large]``. One BLAS and OpenMP thread;
medians of interleaved calls. ``--large`` adds DKM++ at 30,000 and 100,000 rows (minutes). Bytes per row stay
constant unless a method forms an n x n matrix.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import kmeans_plusplus
from sklearn.neighbors import LocalOutlierFactor
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import init

K = 10
CASES: list[tuple[str, Callable[..., Any], list[tuple[int, int]]]] = [
    ("maximin", init.maximin, [(10_000, 20), (100_000, 20)]),
    ("k-means++", partial(init.kmeans_plus_plus, random_state=0), [(10_000, 20), (100_000, 20)]),
    ("dkm++", init.dkm_plus_plus, [(2000, 50), (5000, 50), (10_000, 20)]),
    ("robin", partial(init.robin, crit=0.2), [(2000, 50), (5000, 50), (20_000, 5)]),
]
LARGE = [("dkm++", partial(init.dkm_plus_plus, max_rows=None), [(30_000, 20), (100_000, 20)])]


def seconds(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def draw(n: int, p: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, p))


def peak_bytes(call: Callable[[], Any]) -> int:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def show_times(repeats: int, cases: list[tuple[str, Callable[..., Any], list[tuple[int, int]]]]) -> None:
    """One line per method and size."""
    print(f"{'method':>10} {'rows':>8} {'columns':>8} {'seconds':>9} {'bytes per row':>14} {'of n x n':>9}")
    for name, function, sizes in cases:
        for n, p in sizes:
            X = draw(n, p)
            spent = np.median([seconds(lambda X=X, f=function: f(X, K)) for _ in range(repeats)])
            memory = peak_bytes(lambda X=X, f=function: f(X, K)) / n
            print(f"{name:>10} {n:8d} {p:8d} {spent:9.3f} {memory:14.0f} {8 * n:9d}", flush=True)


def compare(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int) -> None:
    """Medians of interleaved calls."""
    times = np.array([(seconds(theirs), seconds(ours)) for _ in range(repeats)])
    a, b = np.median(times, axis=0)
    ratio = np.median(times[:, 1] / times[:, 0])
    print(f"{name:>40} {a:9.3f} {b:9.3f} {ratio:7.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    with threadpool_limits(1):
        print("threads:", {entry["internal_api"]: entry["num_threads"] for entry in threadpool_info()})
        show_times(arguments.repeats, CASES)
        if arguments.large:
            show_times(1, LARGE)
        print(f"\n{'interleaved with scikit-learn':>40} {'theirs':>9} {'ours':>9} {'ratio':>7}")
        X = draw(100_000, 20)
        compare(
            "k-means++, one trial, 100,000 x 20",
            lambda: init.kmeans_plus_plus(X, K, random_state=0),
            lambda: kmeans_plusplus(X, K, random_state=0, n_local_trials=1),
            arguments.repeats,
        )
        for n, p in ((5000, 50), (20_000, 5)):
            Y = draw(n, p)
            compare(
                f"local outlier factors, {n} x {p}",
                lambda Y=Y: init.local_outlier_factors(Y, kind="reachability"),
                lambda Y=Y: LocalOutlierFactor(10).fit(Y),
                arguments.repeats,
            )


if __name__ == "__main__":
    main()

"""Time PermutationGap of SKFR, design A of the paper: 20 numbers of features, 25 permutations, 10 starts.

Run with ``python validation/benchmarks/methods/gap.py [--repeats 3] [--separate]``. Medians of wall-clock
and, for one process, CPU seconds; the second process is started beforehand. With --separate the search is
also timed with a separate fit for every value; a difference in the results is an error.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import SKFR, PermutationGap
from sparsek.datasets import make_brodinova

VALUES = {"5, 10, .., 100": np.arange(5, 101, 5), "1, 2, .., 20": np.arange(1, 21)}
N_PERMUTATIONS, N_INIT, TARGET = 25, 10, 30


def explained(fit: SKFR) -> float:
    """The objective of the search. As a function it requires complete fits, one after the other."""
    return fit.gap_objective_


def timed(X: np.ndarray, values: np.ndarray, n_jobs: int, separate: bool) -> tuple[float, float, np.ndarray]:
    """Wall clock and CPU seconds of this process, and the gaps."""
    search = PermutationGap(
        SKFR(10, n_init=N_INIT),
        "n_features_to_select",
        values,
        objective=explained if separate else None,
        n_permutations=N_PERMUTATIONS,
        n_jobs=n_jobs,
        random_state=0,
    )
    wall, cpu = time.perf_counter(), time.process_time()
    gaps = search.fit(X).gap_
    return time.perf_counter() - wall, time.process_time() - cpu, gaps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--separate", action="store_true", help="also every value on its own (slow)")
    options = parser.parse_args()
    X = make_brodinova(1000, random_state=0).data
    routes = ["path", "separate"] if options.separate else ["path"]
    Parallel(n_jobs=2)(delayed(timed)(X[:, :20], np.array([2]), 1, False) for _ in range(2))
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        sizes = f"n, p, k {(*X.shape, 10)}; {N_PERMUTATIONS} permutations; {N_INIT} starts"
        print(f"{os.cpu_count()} cores; {sizes}")
        print(f"{'20 values':<16} {'fits':<9} {'n_jobs':>6} {'wall s':>7} {'CPU s':>7}  target s")
        for name, values in VALUES.items():
            runs = {(route, n_jobs): [] for route in routes for n_jobs in (1, 2)}
            for _ in range(options.repeats):
                for (route, n_jobs), found in runs.items():
                    found.append(timed(X, values, n_jobs, route == "separate"))
            gaps = [gap for found in runs.values() for _, _, gap in found]
            if any(not np.array_equal(gap, gaps[0]) for gap in gaps):
                raise SystemExit(f"results differ at {name}")
            for (route, n_jobs), found in runs.items():
                wall, cpu = (statistics.median(run[i] for run in found) for i in (0, 1))
                used = f"{cpu:7.2f}" if n_jobs == 1 else " " * 7
                target = TARGET if (route, n_jobs) == ("path", 2) else ""
                print(f"{name:<16} {route:<9} {n_jobs:>6} {wall:7.2f} {used}  {target}", flush=True)


if __name__ == "__main__":
    main()

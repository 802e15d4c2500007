"""How time and memory of SKFR and SparseKMeans grow with the number of rows, and with that of columns.

Run with ``python validation/benchmarks/scale/growth.py [--largest 2e8] [--record]``: n from 1e3 to 1e7 rows
of 50 columns, and p from 1e2 to 1e5 columns of 500 rows, as far as ``--largest`` numbers (8 bytes each)
allow: 2e8 by default, 1.6 GB; 5e8 for all. Pure numpy, one BLAS thread; every fit in a process of its own,
groups that overlap, 10 clusters, one start by default, SKFR with 5 features. No `memory_limit`, so that the
same code runs at every size.

Time: the mean of iterations 2 to `ITERATIONS` of a fit but the last, each the least of several equal fits.
An iteration is a ranking of the features, or a weight step, and the passes over the rows up to the next;
`SparseKMeans` makes at most `LLOYD` of these, so that iterations are alike. The exponent e is that of
``a + b x**e``, fitted to the logarithms: a is what an iteration costs however small the data. Aimed at: 1.0
+- 0.05. Memory: the largest resident size during the fits less that before them, with the data in memory;
aimed at: at most 1.3 times the data plus 50 MB.

``--record`` writes the numbers to `validation/results` for docs/speed.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

NAME = "growth"
"""Name of the files of the record, without extension."""
K, SELECTED = 10, 5
COLUMNS, ROWS = 50, 500
N_SIZES = [round(10 ** (i / 2)) for i in range(6, 15)]
P_SIZES = [round(10 ** (i / 2)) for i in range(4, 11)]
ITERATIONS = 12
"""Cap on the iterations of a fit. Later ones move few rows, and small data have none."""
METHODS = ("SKFR", "SparseKMeans")
SPREAD = 0.4
"""Standard deviation of the centres in the first columns, in units of that of the noise."""
MOST_SECONDS, LEAST_FITS, MOST_FITS = 10.0, 3, 50
"""Fits are repeated for so long, and at least and at most so often."""
LLOYD = 2
"""Cap on the passes of a k-means inside `SparseKMeans`; it needs two to see that labels have changed."""
ALLOWANCE = 50e6
"""Bytes allowed beside 1.3 times the data."""


def overlapping(n: int, p: int) -> np.ndarray:
    """Rows of groups so close to each other that k-means takes many iterations; made block by block."""
    rng = np.random.default_rng(0)
    centers = SPREAD * rng.standard_normal((K, SELECTED))
    X = np.empty((n, p))
    step = max(1, 1_000_000 // p)
    for start in range(0, n, step):
        part = X[start : start + step]
        rng.standard_normal(out=part)
        part[:, :SELECTED] += centers[rng.integers(K, size=len(part))]
    return X


def make_model(method: str) -> Any:
    """An unfitted estimator with one start."""
    from sparsek import SKFR, SparseKMeans

    common: dict[str, Any] = {"n_init": 1, "max_iter": ITERATIONS, "random_state": 0, "memory_limit": "1TB"}
    if method == "SKFR":
        return SKFR(K, SELECTED, **common, standardize=True)
    return SparseKMeans(K, l1_bound=2.0, refine=False, **common, standardize=False)


@contextmanager
def stamped(method: str) -> Iterator[list[float]]:
    """The times at which iterations begin, appended to the list."""
    from sparsek.methods.sparse_kmeans import algorithm
    from sparsek.sources.local import LocalRows

    owner: Any = LocalRows if method == "SKFR" else algorithm
    name = "assign" if method == "SKFR" else "weigh"
    step, times = getattr(owner, name), []

    def timed(*arguments: Any, **options: Any) -> Any:
        times.append(time.perf_counter())
        return step(*arguments, **options)

    setattr(owner, name, timed)
    try:
        yield times
    finally:
        setattr(owner, name, step)


def iteration_times(method: str, X: np.ndarray) -> np.ndarray:
    """Seconds of every iteration but the last, each the least of several fits."""
    found: list[np.ndarray] = []
    begin = time.perf_counter()
    while len(found) < MOST_FITS:
        if len(found) >= LEAST_FITS and time.perf_counter() - begin > MOST_SECONDS:
            break
        with stamped(method) as times:
            make_model(method).fit(X)
        found.append(np.diff(times))
    return np.min(found, axis=0)


def fit_alone(method: str, n: int, p: int) -> dict[str, float]:
    """Time of an iteration and memory of a fit, in this process."""
    import warnings

    from threadpoolctl import threadpool_limits

    from sparsek import set_engine
    from sparsek.methods.sparse_kmeans import algorithm

    algorithm.LLOYD_ITERATIONS = LLOYD
    warnings.simplefilter("ignore")
    with threadpool_limits(1), set_engine("numpy"):
        make_model(method).fit(overlapping(100, 20))  # everything is imported
        X = overlapping(n, p)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        times = iteration_times(method, X)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "ms": 1e3 * times[1:].mean(),
        "iterations": len(times) - 1,
        "memory": peak - before,
        "data": X.nbytes,
    }


def growth_of(sizes: np.ndarray, times: np.ndarray) -> tuple[float, float]:
    """The fixed time a and the exponent e of ``a + b x**e``."""

    def residuals(parameters: np.ndarray) -> np.ndarray:
        a, b, e = parameters
        return np.log(np.exp(a) + np.exp(b + e * np.log(sizes))) - np.log(times)

    start = np.log(times[0] / 2), np.log(times[-1] / sizes[-1]), 1.0
    found = least_squares(residuals, start, loss="soft_l1", f_scale=0.1).x
    return float(np.exp(found[0])), float(found[2])


def measure(method: str, n: int, p: int) -> dict[str, Any]:
    """The numbers of a fit in a process of its own."""
    command = [sys.executable, __file__, "--child", method, str(n), str(p)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return {"method": method, "n": n, "p": p, **json.loads(done.stdout)}


def print_growth(table: pd.DataFrame, axis: str) -> None:
    """The fitted exponents of one axis."""
    for method, part in table.groupby("method", sort=False):
        fixed, exponent = growth_of(part[axis].to_numpy(float), part["ms"].to_numpy(float))
        print(f"{method}: {fixed:.3f} ms and a part that grows as {axis}^{exponent:.3f}", flush=True)


def run(largest: float) -> pd.DataFrame:
    """Print and return the numbers of all sizes."""
    parts = []
    for axis, sizes in (("n", [(n, COLUMNS) for n in N_SIZES]), ("p", [(ROWS, p) for p in P_SIZES])):
        print(f"{'method':<13} {'n':>9} {'p':>7} {'ms/iter':>10} {'iter':>6} {'memory MB':>10}  of allowed")
        found = []
        for method in METHODS:
            for n, p in sizes:
                if n * p > largest:
                    continue
                row = measure(method, n, p) | {"axis": axis}
                share = row["memory"] / (1.3 * row["data"] + ALLOWANCE)
                print(
                    f"{method:<13} {n:9d} {p:7d} {row['ms']:10.3f} {row['iterations']:6d} "
                    f"{row['memory'] / 1e6:10.1f}  {share:.2f}",
                    flush=True,
                )
                found.append(row)
        parts.append(pd.DataFrame(found))
        print_growth(parts[-1], axis)
    return pd.concat(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--largest", type=float, default=2e8, help="most numbers of a data set")
    parser.add_argument("--record", action="store_true", help="write validation/results/growth.csv")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        method, n, p = options.child
        print(json.dumps(fit_alone(method, int(n), int(p))))
        return
    table = run(options.largest)
    if options.record:
        from validation.papers.shared.store import RESULTS, save_table

        save_table(table, RESULTS, NAME, f"growth.py --largest {options.largest:g}")


if __name__ == "__main__":
    main()

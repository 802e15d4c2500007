"""Time the constrained estimators on many rows; peers.py has them beside another package.

Run with ``python validation/benchmarks/methods/constrained.py [--repeats 5]``. One BLAS and OpenMP thread,
medians: passes of the assignment step and whole fits of one start, against their targets. Groups 3 apart
overlap a little, groups 0.5 apart almost wholly, so that rows move for many passes.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import COPKMeans, MPCKMeans, PCKMeans, PCSparseKMeans
from sparsek.core.scaling import prepare
from sparsek.methods.constrained.assignment import assign_in_order, build_pattern
from sparsek.methods.constrained.costs import PairSquares, measure_extents
from sparsek.methods.constrained.pckm import coefficients, unknown_labels
from validation.benchmarks.methods.peers import problem

PASSES = [(400, 18, 3, 7000, 2.0), (10_000, 20, 10, 10_000, None), (100_000, 20, 10, 100_000, None)]
FITS: list[tuple[Any, float]] = [
    (PCKMeans(10), 2.0),
    (MPCKMeans(10), 4.0),
    (PCSparseKMeans(10, l1_bound=2.0), 8.0),
    (COPKMeans(10), np.nan),
]


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    try:
        result = call()
    except Exception as error:
        result = error
    return time.perf_counter() - begin, result


def median_ms(call: Callable[[], Any], repeats: int) -> float:
    return 1e3 * float(np.median([seconds(call)[0] for _ in range(repeats)]))


def time_passes(n: int, p: int, k: int, m: int, target: float | None, repeats: int) -> str:
    """Times of the first pass, where no label is known, and of the second."""
    X, _, constraints = problem(n, p, k, m, 0)
    Z, scaling = prepare(X, None, standardize=False, by_column=False)
    pattern = build_pattern(constraints)
    extents = measure_extents(Z[:, :-1], -scaling.offset, "box")
    ones = np.ones(p)
    values = PairSquares(Z[:, :-1], pattern).costs(ones, extents.under(ones)).together
    base = coefficients(Z[np.random.default_rng(1).choice(n, k, replace=False), :-1]) @ Z.T
    unknown = unknown_labels(n, k)
    labels = assign_in_order(base, pattern, values, unknown)
    first = median_ms(lambda: assign_in_order(base, pattern, values, unknown), 4 * repeats)
    second = median_ms(lambda: assign_in_order(base, pattern, values, labels), 4 * repeats)
    return f"{(n, p, k, m)!s:>26} {first:9.2f} {second:9.2f} {target or '':>8}"


def time_fit(model: Any, target: float, m: int, apart: float, repeats: int) -> str:
    """Times of whole fits of one start, and the memory of a fit beyond the data."""
    X, y, constraints = problem(100_000, 20, 10, m, 0, apart)
    pairs = constraints.fit_params()
    start = "seeding" if apart > 1 else "k-means++"  # with so many pairs the seeds are nearly the solution
    model = clone(model).set_params(init=start, n_init=1, random_state=0)
    wall, own, fitted = [], [], None
    for _ in range(repeats):
        begin = time.process_time()
        spent, fitted = seconds(lambda: model.fit(X, **pairs))
        own.append(time.process_time() - begin)
        wall.append(spent)
    tracemalloc.start()
    model.fit(X, **pairs) if not isinstance(fitted, Exception) else None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    name = f"{type(model).__name__:>16} {m:9d} {apart:5.1f} {np.median(wall):8.2f} {np.median(own):8.2f}"
    if not hasattr(fitted, "labels_"):
        return f"{name} {target:7.1f} {type(fitted).__name__}"
    agreement = adjusted_rand_score(y, fitted.labels_)
    return f"{name} {target:7.1f} {fitted.n_iter_:6d} {agreement:7.3f} {peak / 1e6:7.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        print("BLAS threads:", {lib["internal_api"]: lib["num_threads"] for lib in threadpool_info()})
        print(f"passes, ms\n{'n, p, k, pairs':>26} {'first':>9} {'second':>9} {'target':>8}")
        for *size, target in PASSES:
            print(time_passes(*size, target, options.repeats), flush=True)
        print("fits of one start to 100000 rows, 20 features, 10 clusters; s, s of the processor")
        head = (
            f"{'pairs':>9} {'apart':>5} {'s':>8} {'cpu s':>8} {'target':>7} {'iter':>6} {'ARI':>7} {'MB':>7}"
        )
        print(f"{'':>16} {head}")
        for apart in (3.0, 0.5):
            for model, target in FITS:
                print(time_fit(model, target, 100_000, apart, options.repeats), flush=True)
        print(time_fit(PCKMeans(10), np.nan, 1_000_000, 3.0, 1), flush=True)


if __name__ == "__main__":
    main()

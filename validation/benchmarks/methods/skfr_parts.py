"""Parts of SKFR: one iteration beside a copy of the data, single precision, growth, stacked starts.

Run with ``python validation/benchmarks/methods/skfr_parts.py [PART ...] [--repeats N] [--large]``. Parts:
copies, stack, float32, growth; default all. --large adds n = 1,000,000 (minutes). Nothing is
asserted about time, and nothing here is on a page: some parts call functions that are not public. One BLAS
and OpenMP thread; calls interleaved; medians of wall-clock time.

copies: fits of one iteration from given centres, in copies of the data. float32: one start in single and in
double precision. growth: with k, s and the number of starts; growth.py has that with n and p. stack: 20
starts from random labels, in one stack and one by one.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import kmeans_plusplus
from threadpoolctl import threadpool_limits

from sparsek import SKFR
from sparsek.core.scaling import prepare
from sparsek.methods.skfr.algorithm import Sizes
from sparsek.methods.skfr.problem import RankedProblem, array_problem, run_rows, skfr_stack
from sparsek.sources.protocol import Subspace
from validation.benchmarks.data import mixture
from validation.benchmarks.rows import interleaved

SIZES = [(400, 1000, 10, 10), (10_000, 1000, 10, 20), (100_000, 200, 20, 20), (500, 20_000, 5, 100)]
LARGE = [(1_000_000, 50, 10, 10)]
WHOLE = {(400, 1000, 10, 10): (5, 8), (10_000, 1000, 10, 20): (5, 8), (100_000, 200, 20, 20): (5, 8)}
"""Sizes of the fits of one iteration, and the copies aimed at: centred, standardised."""
STACKED = [(150, 4, 3, 2), (400, 20, 10, 5), (1000, 20, 5, 5), (300, 1000, 5, 20)]
GROWTH = {
    "k": [(10_000, 200, k, 20) for k in (2, 10, 50)],
    "s": [(10_000, 200, 10, s) for s in (5, 20, 80, 200)],
}


def fit_from(problem: RankedProblem, centers: np.ndarray, n_selected: int, local: bool = False) -> Any:
    """One start of SKFR from centres in prepared coordinates, including the first assignment."""
    labels = problem.nearest(Subspace(np.arange(centers.shape[1])), centers)
    return run_rows(problem, [labels], Sizes(n_selected, local=local, max_iter=1000))[0]


def run_copies(options: argparse.Namespace) -> None:
    print("\nOne iteration from given centres: time over that of a copy of the data")
    for size, targets in WHOLE.items():
        n, _, k, s = size
        X = mixture(*size, spread=8.0)
        centers = X[np.random.default_rng(0).integers(n, size=k)]
        for standardize, target in zip((False, True), targets, strict=True):
            model = SKFR(k, s, init=centers, n_init=1, standardize=standardize, max_iter=1)
            calls: dict[str, Callable[[], Any]] = {"copy": X.copy, "fit": lambda X=X, m=model: m.fit(X)}
            times, _ = interleaved(calls, options.repeats, 0.5)
            kind = "standardised" if standardize else "centred"
            print(f"{size!s:<24} {kind:<12} {times['fit'] / times['copy']:.1f} (target {target})", flush=True)


def run_float32(options: argparse.Namespace) -> None:
    print("\nfloat32: time in float64 over time in float32, one start (target 1.3)")
    for size in SIZES + LARGE if options.large else SIZES:
        X = mixture(*size)
        centers, _ = kmeans_plusplus(prepare(X, None, standardize=True)[0][:, :-1], size[2], random_state=0)
        double, single = (array_problem(X.astype(dtype), size[2]) for dtype in (np.float64, np.float32))
        calls: dict[str, Callable[[], Any]] = {
            "float64": lambda r=double, c=centers, s=size[3]: fit_from(r, c, s),
            "float32": lambda r=single, c=centers, s=size[3]: fit_from(r, c, s),
        }
        times, fits = interleaved(calls, options.repeats if size[0] < 10**6 else 1)
        counts = {name: fit.n_iter for name, fit in fits.items()}
        print(f"{size!s:<24} {times['float64'] / times['float32']:.2f}  iterations {counts}", flush=True)


def run_stack(options: argparse.Namespace) -> None:
    print("\nTwenty starts from random labels: time one by one over time in a stack")
    for n, p, k, s in STACKED:
        X = mixture(n, p, k, s)
        rows, sizes = array_problem(X, k), Sizes(s, local=False, max_iter=300)
        Z = rows.scaling.apply(X)
        labels = [np.random.default_rng(i).integers(k, size=n).astype(np.int32) for i in range(20)]
        calls: dict[str, Callable[[], Any]] = {
            "stack": lambda r=rows, Z=Z, labels=labels, s=sizes: skfr_stack(r, Z, labels, s),
            "single": lambda r=rows, labels=labels, s=sizes: [r.start(one, s) for one in labels],
        }
        times, fits = interleaved(calls, options.repeats)
        pairs = zip(fits["stack"], fits["single"], strict=True)
        assert all(np.array_equal(one.labels, other.labels) for one, other in pairs)
        print(f"{(n, p, k, s)!s:<24} {times['single'] / times['stack']:.1f}", flush=True)


def run_growth(options: argparse.Namespace) -> None:
    print("\nGrowth: milliseconds of one start, and per iteration")
    for name, sizes in GROWTH.items():
        more = [(10**6, 50, 10, 10)] if options.large and name == "n" else []
        for size in sizes + more:
            X = mixture(*size)
            Z, _ = prepare(X, None, standardize=True)
            centers, _ = kmeans_plusplus(Z[:, :-1], size[2], random_state=0)
            rows = array_problem(X, size[2])
            times, fits = interleaved({"fit": lambda r=rows, c=centers, s=size[3]: fit_from(r, c, s)}, 3)
            ms, count = 1e3 * times["fit"], fits["fit"].n_iter
            print(f"{name}: {size!s:<24} {ms:9.2f} {ms / count:9.3f}  ({count} iterations)", flush=True)
    X = mixture(400, 200, 10, 10)
    for n_init in (1, 5, 20, 80):
        call = {"fit": lambda n=n_init: SKFR(10, 10, n_init=n, random_state=0, standardize=True).fit(X)}
        times, _ = interleaved(call, options.repeats)
        print(f"starts: (400, 200, 10, 10), {n_init:<3} {1e3 * times['fit']:9.2f}", flush=True)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "copies": run_copies,
    "stack": run_stack,
    "float32": run_float32,
    "growth": run_growth,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--large", action="store_true", help="add n = 1,000,000 (minutes)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    warnings.simplefilter("ignore")
    with threadpool_limits(limits=1):
        for part in options.parts or PARTS:
            PARTS[part](options)


if __name__ == "__main__":
    main()

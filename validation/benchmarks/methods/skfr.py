"""Time SKFR against scikit-learn's KMeans(algorithm="lloyd") and R's sparcl; measure its memory.

Run with ``python validation/benchmarks/methods/skfr.py [PART ...] [--repeats N] [--large]``. Parts: starts,
restarts, whole, stack, memory, float32, growth; default all. --large adds n = 1,000,000 (minutes). Nothing
is asserted about time. One BLAS and OpenMP thread; calls interleaved; medians of wall-clock time. The columns
of the first three parts are explained in `validation.benchmarks.rows`.

starts: one start on the same standardised data from the same k-means++ centres, tol=0. Our time includes the
first assignment on all features, as scikit-learn's does; standardisation is timed for neither. Groups differ
in the first s columns; the standard deviation of their centres ("spread") is 0.75 to 2.5 times that of the
noise. restarts: whole estimators with their own seeding, 20 starts of SKFR or 10 of SparseKMeans.
whole: fits of one iteration from given centres against a copy of the data, and fits with 20 screened starts
against one k-means++ start of scikit-learn's.
growth: with k, s and the number of starts; growth.py has that with n and p.
stack: 20 starts from random labels, in one stack and one by one.
"""

from __future__ import annotations

import argparse
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans, kmeans_plusplus
from threadpoolctl import threadpool_limits

from sparsek import SKFR, SparseKMeans
from sparsek.methods.shared.scaling import prepare
from sparsek.methods.shared.sums import nearest
from sparsek.methods.skfr.forms import Form
from sparsek.methods.skfr.stack import run_plain, run_single, skfr_stack
from validation.benchmarks.rows import Row, Work, compare, has_r, in_r, interleaved, print_rows

SPREADS = (0.75, 1.5, 2.5)
SIZES = {
    (400, 1000, 10, 10): (3, 3, 3),
    (10_000, 1000, 10, 20): (20, 8, 6),
    (100_000, 200, 20, 20): (12, 12, 12),
    (500, 20_000, 5, 100): (4, 4, 4),
}
"""Numbers of rows, columns, clusters, selected columns; by spread, scikit-learn's time over ours aimed at."""
LARGE = {(1_000_000, 50, 10, 10): (15, 15, 15)}
RESTARTS = {20: 8, 200: 5, 1000: 4}
"""The same of 20 starts, by number of columns."""
WHOLE = ((400, 1000, 10, 10), (10_000, 1000, 10, 20), (100_000, 200, 20, 20))
"""Sizes of the fits timed as a whole."""
WEIGHTED = {(400, 1000, 10, 10): 2, (10_000, 200, 10, 20): 2}
"""The same of SparseKMeans, 10 starts."""
STACKED = [(150, 4, 3, 2), (400, 20, 10, 5), (1000, 20, 5, 5), (300, 1000, 5, 20)]
GROWTH = {
    "k": [(10_000, 200, k, 20) for k in (2, 10, 50)],
    "s": [(10_000, 200, 10, s) for s in (5, 20, 80, 200)],
}
L1_BOUND = 3.0
R_SPARCL = "sparcl::KMeansSparseCluster(x, K = 10, wbounds = 3, nstart = 20, silent = TRUE)[[1]]$Cs"


def mixture(size: tuple[int, int, int, int], seed: int, spread: float = 1.5) -> np.ndarray:
    """Normal data with k groups that differ in the first s columns only."""
    n, p, k, s = size
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, :s] += rng.normal(0, spread, (k, s))[rng.integers(k, size=n)]
    return X


def fit_from(Z: np.ndarray, centers: np.ndarray, n_selected: int, local: bool = False) -> Any:
    """One start of SKFR from centres, including the first assignment."""
    total = float(len(Z) - 1) * (Z.shape[1] - 1)
    form = Form(len(centers), n_selected, 1000, local=local, weights=None, total=total, n_jobs=None)
    return run_plain(Z, [nearest(Z, centers)], form)[0]


def start_rows(options: argparse.Namespace) -> Iterator[Row]:
    """One start from the same centres against scikit-learn's."""
    for size, goals in (SIZES | LARGE if options.large else SIZES).items():
        n, p, k, s = size
        for spread, goal in zip(SPREADS, goals, strict=True):
            Z, _ = prepare(mixture(size, 0, spread), None, standardize=True)
            plain = np.ascontiguousarray(Z[:, :-1])
            centers, _ = kmeans_plusplus(plain, k, random_state=0)
            model = KMeans(k, init=centers, n_init=1, tol=0, max_iter=1000, algorithm="lloyd")
            fit = partial(fit_from, Z, centers, s)
            yield compare(
                "SKFR, one start",
                size,
                partial(model.fit, plain),
                lambda fit=fit: fit().labels,
                data=f"spread {spread:g}",
                peer="scikit-learn KMeans, same centres",
                goal=1 / goal,
                work=Work(n * k * (p + s * float(fit().n_iter)), 8.0 * n * p),
                repeats=options.repeats if n < 10**6 else 1,
                same=None,
            )


def restart_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Whole estimators with several starts against scikit-learn's, and against sparcl in R."""
    cases = [
        (SKFR(10, 10, n_init=20, random_state=0), (400, p, 10, 10), goal) for p, goal in RESTARTS.items()
    ]
    weighted = SparseKMeans(10, l1_bound=L1_BOUND, n_init=10, random_state=0)
    cases += [(weighted, size, goal) for size, goal in WEIGHTED.items()]
    for model, size, goal in cases:
        X = mixture(size, 0)
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        name = f"{type(model).__name__}, {model.n_init} starts"
        theirs = KMeans(10, n_init=model.n_init, tol=0, random_state=0)
        ours = partial(lambda model, Z: model.fit(Z).labels_, model, Z)
        options_of_all: dict[str, Any] = {"repeats": options.repeats, "same": None}
        peer = "scikit-learn KMeans"
        in_threads = clone(model).set_params(n_jobs=2)
        options_of_all["in_threads"] = partial(lambda model, Z: model.fit(Z).labels_, in_threads, Z)
        yield compare(name, size, partial(theirs.fit, Z), ours, peer=peer, goal=1 / goal, **options_of_all)
        if size[0] == 400 and has_r("sparcl"):
            theirs = in_r(f"set.seed(1); {R_SPARCL}", x=Z)
            yield compare(name, size, theirs, ours, peer="sparcl in R, 20 starts", **options_of_all)


def whole_rows(options: argparse.Namespace) -> Iterator[Row]:
    """One iteration against a copy of the data, and the default fit against one start of scikit-learn's."""
    for size in WHOLE:
        n, _, k, s = size
        X = mixture(size, 0, 8.0)
        centers = X[np.random.default_rng(0).integers(n, size=k)]
        for standardize, goal in ((False, 5), (True, 8)):
            model = SKFR(k, s, init=centers, n_init=1, standardize=standardize, max_iter=1)
            yield compare(
                "SKFR, one iteration",
                size,
                X.copy,
                lambda model=model, X=X: model.fit(X).labels_,
                data="standardised" if standardize else "centred",
                peer="copy of the data",
                goal=goal,
                repeats=options.repeats,
                same=None,
            )
    for size in WHOLE[1:]:
        X, (_, _, k, s) = mixture(size, 0, 2.5), size
        yield compare(
            "SKFR, 20 screened starts",
            size,
            partial(kmeans_plusplus, X, k, random_state=0),
            lambda X=X, k=k, s=s: SKFR(k, s, random_state=0).fit(X).labels_,
            data="spread 2.5",
            peer="scikit-learn k-means++, one start",
            goal=1.5,
            in_threads=lambda X=X, k=k, s=s: SKFR(k, s, random_state=0, n_jobs=2).fit(X).labels_,
            same=None,
        )


def run_memory(options: argparse.Namespace) -> None:
    print("\nMemory: largest allocation beyond the input, times the size of the input (target 1.3)")
    for size in SIZES | LARGE if options.large else SIZES:
        _, _, k, s = size
        X = mixture(size, 0)
        for n_init in (1, 20) if size[0] < 10**6 else (1, 4):
            tracemalloc.start()
            SKFR(k, s, n_init=n_init, random_state=0).fit(X)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            print(f"{size!s:<24} n_init = {n_init:<3} {peak / X.nbytes:.2f}", flush=True)


def run_float32(options: argparse.Namespace) -> None:
    print("\nfloat32: time in float64 over time in float32, one start (target 1.3)")
    for size in SIZES | LARGE if options.large else SIZES:
        Z, _ = prepare(mixture(size, 0), None, standardize=True)
        centers, _ = kmeans_plusplus(Z[:, :-1], size[2], random_state=0)
        single, few = Z.astype(np.float32), centers.astype(np.float32)
        calls: dict[str, Callable[[], Any]] = {
            "float64": lambda Z=Z, c=centers, s=size[3]: fit_from(Z, c, s),
            "float32": lambda Z=single, c=few, s=size[3]: fit_from(Z, c, s),
        }
        times, fits = interleaved(calls, options.repeats if size[0] < 10**6 else 1)
        counts = {name: fit.n_iter for name, fit in fits.items()}
        print(f"{size!s:<24} {times['float64'] / times['float32']:.2f}  iterations {counts}", flush=True)


def run_stack(options: argparse.Namespace) -> None:
    print("\nTwenty starts from random labels: time one by one over time in a stack")
    for n, p, k, s in STACKED:
        Z, _ = prepare(mixture((n, p, k, s), 0), None, standardize=True)
        labels = [np.random.default_rng(i).integers(k, size=n).astype(np.int32) for i in range(20)]
        form = Form(k, s, 300, local=False, weights=None, total=float(n - 1) * p, n_jobs=None)
        calls: dict[str, Callable[[], Any]] = {
            "stack": lambda Z=Z, labels=labels, form=form: skfr_stack(Z, labels, form),
            "single": lambda Z=Z, labels=labels, form=form: [run_single(Z, one, form) for one in labels],
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
            Z, _ = prepare(mixture(size, 0), None, standardize=True)
            centers, _ = kmeans_plusplus(Z[:, :-1], size[2], random_state=0)
            times, fits = interleaved({"fit": lambda Z=Z, c=centers, s=size[3]: fit_from(Z, c, s)}, 3)
            ms, count = 1e3 * times["fit"], fits["fit"].n_iter
            print(f"{name}: {size!s:<24} {ms:9.2f} {ms / count:9.3f}  ({count} iterations)", flush=True)
    X = mixture((400, 200, 10, 10), 0)
    for n_init in (1, 5, 20, 80):
        call = {"fit": lambda n=n_init: SKFR(10, 10, n_init=n, random_state=0).fit(X)}
        times, _ = interleaved(call, options.repeats)
        print(f"starts: (400, 200, 10, 10), {n_init:<3} {1e3 * times['fit']:9.2f}", flush=True)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "starts": lambda options: print_rows(start_rows(options)),
    "restarts": lambda options: print_rows(restart_rows(options)),
    "whole": lambda options: print_rows(whole_rows(options)),
    "stack": run_stack,
    "memory": run_memory,
    "float32": run_float32,
    "growth": run_growth,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--large", action="store_true", help="add n = 1,000,000 (minutes)")
    parser.add_argument("--repeats", type=int, default=5)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    yield from start_rows(options)
    yield from restart_rows(options)
    yield from whole_rows(options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
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

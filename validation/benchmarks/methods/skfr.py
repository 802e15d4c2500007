"""Time SKFR against scikit-learn's KMeans(algorithm="lloyd"), R's sparcl and pysparcl; measure its memory.

Run with ``python validation/benchmarks/methods/skfr.py [PART ...] [--repeats N] [--large]``. Parts: starts,
restarts, fixed, default, stack, memory, float32, growth; default all. --large adds n = 1,000,000 (minutes).
Nothing is asserted about time. One BLAS and OpenMP thread; calls interleaved; medians of wall-clock time.
Where numba is installed, there are columns for the compiled loops, and for two starts at a time in threads.

starts: one start on the same standardised data from the same k-means++ centres, tol=0. Our time includes the
first assignment on all features, as scikit-learn's does; standardisation is timed for neither. Groups differ
in the first s columns; the standard deviation of their centres ("spread") is 0.75, 1.5 or 2.5 times that of
the noise. restarts: whole estimators, 20 starts with their own seeding, on data with 400 rows.
fixed: whole fits of one iteration from given centres, against a copy of the data and StandardScaler.
default: whole fits with 20 screened starts, against one k-means++ start of scikit-learn's.
stack: 20 starts from random labels, in one stack and one by one.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from sparsek import SKFR, SparseKMeans, set_engine
from sparsek.engine import has_numba
from sparsek.methods.rows.array import ArrayRows
from sparsek.methods.shared.scaling import prepare
from sparsek.methods.shared.sums import nearest
from sparsek.methods.skfr.algorithm import skfr, sparse_means
from sparsek.methods.skfr.forms import Form
from sparsek.methods.skfr.stack import run_compiled, run_single, skfr_stack

SIZES = {
    (400, 1000, 10, 10): 1.5,
    (10_000, 1000, 10, 20): 12,
    (100_000, 200, 20, 20): 12,
    (500, 20_000, 5, 100): 2.5,
}
LARGE = {(1_000_000, 50, 10, 10): 20}
SPREADS = (0.75, 1.5, 2.5)
FEATURES = (20, 50, 100, 200, 500, 1000)
STACKED = [(150, 4, 3, 2), (400, 20, 10, 5), (1000, 20, 5, 5), (300, 1000, 5, 20)]
GROWTH = {
    "n": [(n, 50, 10, 10) for n in (1000, 10_000, 100_000)],
    "p": [(1000, p, 10, 10) for p in (20, 200, 2000, 20_000)],
    "k": [(10_000, 200, k, 20) for k in (2, 10, 50)],
    "s": [(10_000, 200, 10, s) for s in (5, 20, 80, 200)],
}
L1_BOUND = 3.0
R_SPARCL = """function(x) sparcl::KMeansSparseCluster(x, K = 10, wbounds = 3, nstart = 20, silent = TRUE)"""


def mixture(size: tuple[int, int, int, int], seed: int, spread: float = 1.5) -> np.ndarray:
    """Normal data with k groups that differ in the first s columns only."""
    n, p, k, s = size
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, :s] += rng.normal(0, spread, (k, s))[rng.integers(k, size=n)]
    return X


def interleaved(calls: dict[str, Callable[[], Any]], repeats: int) -> tuple[dict[str, float], dict[str, Any]]:
    """Median seconds and last result of each call."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    results: dict[str, Any] = {}
    for _ in range(repeats):
        for name, call in calls.items():
            begin = time.perf_counter()
            results[name] = call()
            times[name].append(time.perf_counter() - begin)
    return {name: float(np.median(values)) for name, values in times.items()}, results


def fit_from(Z: np.ndarray, centers: np.ndarray, n_selected: int, local: bool = False) -> Any:
    """One start of SKFR from centres, including the first assignment."""
    n, p = len(Z), Z.shape[1] - 1
    rank = partial(sparse_means, n_selected=n_selected, local=local)
    return skfr(ArrayRows(Z, nearest(Z, centers), len(centers)), rank, tss=float(n - 1) * p, max_iter=1000)


def compiled_from(Z: np.ndarray, centers: np.ndarray, n_selected: int) -> Any:
    """The same by the compiled loops."""
    n, p = len(Z), Z.shape[1] - 1
    form = Form(
        len(centers), n_selected, 1000, local=False, weights=None, total=float(n - 1) * p, n_jobs=None
    )
    return run_compiled(Z, nearest(Z, centers), form)


def under(engine: str, call: Callable[[], Any]) -> Callable[[], Any]:
    """The call with this engine."""

    def run() -> Any:
        with set_engine(engine):
            return call()

    return run


def by_engine(call: Callable[[int | None], Any]) -> dict[str, Callable[[], Any]]:
    """A call, which takes `n_jobs`, by numpy and, where numba is, compiled: one start or two at a time."""
    calls = {"numpy": under("numpy", partial(call, None))}
    if has_numba():
        calls["compiled"] = under("compiled", partial(call, None))
        calls["compiled, 2 threads"] = under("compiled", partial(call, 2))
    return calls


def one_start(size: tuple[int, int, int, int], spread: float, seed: int, repeats: int) -> dict[str, Any]:
    """Seconds and iterations of each method by name."""
    _, p, k, s = size
    Z, _ = prepare(mixture(size, seed, spread), None, standardize=True)
    plain = np.ascontiguousarray(Z[:, :-1])
    centers, _ = kmeans_plusplus(plain, k, random_state=seed)
    model = KMeans(k, init=centers, n_init=1, tol=0, max_iter=1000, algorithm="lloyd")
    calls: dict[str, Callable[[], Any]] = {
        "sklearn": lambda: model.fit(plain).n_iter_,
        "SKFR1": lambda: fit_from(Z, centers, s).n_iter,
        "SKFR2": lambda: fit_from(Z, centers, max(1, s // 2), True).n_iter,
        "Lloyd": lambda: fit_from(Z, centers, p).n_iter,
    }
    if has_numba():
        compiled_from(Z[:10].copy(), centers[:2], 1)  # compiles
        calls["compiled"] = lambda: compiled_from(Z, centers, s).n_iter
    times, iterations = interleaved(calls, repeats)
    return {name: (times[name], iterations[name]) for name in calls}


def summarised(runs: list[dict[str, Any]], name: str) -> tuple[str, float, float]:
    """Median time, range of iterations, and scikit-learn's time divided by it, per fit and per iteration."""
    counts = [run[name][1] for run in runs]
    ms = 1e3 * np.median([run[name][0] for run in runs])
    fit = np.array([run["sklearn"][0] / run[name][0] for run in runs])
    iterations = np.array([run[name][1] / run["sklearn"][1] for run in runs])
    return (
        f"{ms:.1f} ms ({min(counts)}-{max(counts)})",
        float(np.median(fit)),
        float(np.median(fit * iterations)),
    )


def run_starts(options: argparse.Namespace) -> None:
    print("\nOne start: scikit-learn's time over ours (medians over seeds; iterations in brackets)")
    print(
        f"{'n, p, k, s':<22} {'spread':>6} {'sklearn':>18} {'SKFR1':>18} {'fit':>6} {'iteration':>9}"
        f" {'compiled':>9} {'SKFR2 fit':>9} {'Lloyd fit':>9}  target"
    )
    for size, target in (SIZES | LARGE if options.large else SIZES).items():
        seeds, repeats = (3, options.repeats) if size[0] < 10**6 else (1, 1)
        for spread in SPREADS:
            runs = [one_start(size, spread, seed, repeats) for seed in range(seeds)]
            theirs, _, _ = summarised(runs, "sklearn")
            ours, fit, iteration = summarised(runs, "SKFR1")
            names = ("compiled", "SKFR2", "Lloyd")
            others = [summarised(runs, name)[1] if name in runs[0] else np.nan for name in names]
            print(
                f"{size!s:<22} {spread:>6} {theirs:>18} {ours:>18} {fit:6.2f} {iteration:9.2f}"
                f" {others[0]:9.2f} {others[1]:9.2f} {others[2]:9.2f}  {target}",
                flush=True,
            )


def sparcl_call(X: np.ndarray) -> Callable[[], Any] | None:
    """R's KMeansSparseCluster with 20 starts and one bound, or None without R or sparcl."""
    try:
        from rpy2 import robjects
        from rpy2.robjects.packages import isinstalled
    except ImportError:
        return None
    if not isinstalled("sparcl"):
        return None
    robjects.r("options(warn = -1)")
    matrix = robjects.r.matrix(robjects.FloatVector(X.ravel(order="F")), nrow=len(X))
    return partial(robjects.r(R_SPARCL), matrix)


def run_restarts(options: argparse.Namespace) -> None:
    print("\n20 starts, n = 400, k = 10, s = 10: milliseconds, and their ratio to SKFR's by numpy")
    print("targets: sklearn 3, sparcl 8 at every p; bound of the sparse k-means: 3, on standardised columns")
    print("targets of the compiled loops against sklearn: 8, 5 and 4 at p = 20, 200 and 1000")
    for p in FEATURES:
        X = mixture((400, p, 10, 10), 0)
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        calls: dict[str, Callable[[], Any]] = {
            **by_engine(lambda jobs, X=X: SKFR(10, 10, n_init=20, random_state=0, n_jobs=jobs).fit(X)),
            "sklearn": lambda Z=Z: KMeans(10, n_init=20, tol=0, random_state=0).fit(Z),
            "SparseKMeans": lambda Z=Z: SparseKMeans(10, l1_bound=L1_BOUND, n_init=20, random_state=0).fit(Z),
        }
        sparcl = sparcl_call(Z)
        if sparcl:
            calls["sparcl"] = sparcl
        try:
            from pysparcl.cluster import kmeans

            calls["pysparcl"] = lambda Z=Z: kmeans(Z, k=10, wbounds=L1_BOUND, n_init=20, verbose=False)
        except ImportError:
            pass
        for call in calls.values():
            call()  # compiles, and fills caches
        times, _ = interleaved(calls, options.repeats)
        cells = [
            f"{name} {1e3 * seconds:.1f} ({seconds / times['numpy']:.2f})" for name, seconds in times.items()
        ]
        print(f"p = {p:<5}", "  ".join(cells), flush=True)


def run_fixed(options: argparse.Namespace) -> None:
    print("\nOne iteration from given centres by numpy: milliseconds, and the ratio to a copy of the data")
    print("targets: 5 copies, 8 with standardize=True; 0.8 ms at (400, 1000)")
    for size in ((400, 1000, 10, 10), (10_000, 1000, 10, 20), (100_000, 200, 20, 20)):
        X, (n, _, k, s) = mixture(size, 0, 8.0), size
        centers = X[np.random.default_rng(0).integers(n, size=k)]
        calls: dict[str, Callable[[], Any]] = {
            "copy": X.copy,
            "scaler": partial(StandardScaler().fit_transform, X),
        }
        for standardize in (False, True):
            model = SKFR(k, s, init=centers, n_init=1, standardize=standardize, max_iter=1)
            calls[f"standardize={standardize}"] = under("numpy", partial(model.fit, X))
        times, _ = interleaved(calls, options.repeats * (10 if n < 1000 else 1))
        cells = [
            f"{name} {1e3 * seconds:.2f} ({seconds / times['copy']:.1f})" for name, seconds in times.items()
        ]
        print(f"{size!s:<22}", "  ".join(cells), flush=True)


def run_default(options: argparse.Namespace) -> None:
    print(
        "\n20 screened starts: milliseconds, and the ratio to one k-means++ start by scikit-learn (target 1.5)"
    )
    for size in ((10_000, 1000, 10, 20), (100_000, 200, 20, 20)):
        X, (_, _, k, s) = mixture(size, 0, 2.5), size
        calls: dict[str, Callable[[], Any]] = {
            "sklearn": lambda X=X, k=k: kmeans_plusplus(X, k, random_state=0),
            **by_engine(lambda jobs, X=X, k=k, s=s: SKFR(k, s, random_state=0, n_jobs=jobs).fit(X)),
        }
        times, _ = interleaved(calls, 3)
        cells = [
            f"{name} {1e3 * seconds:.0f} ({seconds / times['sklearn']:.1f})"
            for name, seconds in times.items()
        ]
        print(f"{size!s:<22}", "  ".join(cells), flush=True)


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
    "starts": run_starts,
    "restarts": run_restarts,
    "fixed": run_fixed,
    "default": run_default,
    "stack": run_stack,
    "memory": run_memory,
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
        for pool in threadpool_info():
            print("{user_api}: {internal_api} {version}, {num_threads} thread(s)".format(**pool))
        for part in options.parts or PARTS:
            PARTS[part](options)


if __name__ == "__main__":
    main()

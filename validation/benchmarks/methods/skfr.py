"""Time SKFR and SparseKMeans against scikit-learn's KMeans and R's sparcl: whole fits on both sides.

Run with ``python validation/benchmarks/methods/skfr.py [--repeats 5] [--large]``. --large adds n = 1,000,000
(minutes). One BLAS and OpenMP thread; calls interleaved; medians of wall-clock time. The columns are
explained in `validation.benchmarks.rows`. Both sides get the same standardised data as an array and check it.

One start: from the same k-means++ centres, to the end. SKFR standardises the columns again, which its default
asks for. Groups differ in the first s columns; the standard deviation of their centres ("spread") is 0.75 to
2.5 times that of the noise. Several starts: each side draws its own. Default starts: 20 screened ones of SKFR
against one of scikit-learn, its default.

The parts of SKFR are in skfr_parts.py, and its memory in validation/benchmarks/scale/memory.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.cluster import kmeans_plusplus

from validation.benchmarks.public_calls import public_call
from validation.benchmarks.rows import Row, Work, compare, has_r, in_r, run_script

SPREADS = (0.75, 1.5, 2.5)
SIZES = {
    (400, 1000, 10, 10): (2, 2, 2),
    (10_000, 1000, 10, 20): (14, 5, 4.5),
    (100_000, 200, 20, 20): (14, 14, 14),
    (500, 20_000, 5, 100): (4, 4, 4),
}
"""Numbers of rows, columns, clusters, selected columns; by spread, scikit-learn's time over ours aimed at."""
LARGE = {(1_000_000, 50, 10, 10): (15, 15, 15)}
RESTARTS = {20: 6, 200: 5, 1000: 5}
"""The same of 20 starts, by number of columns."""
DEFAULT = ((10_000, 1000, 10, 20), (100_000, 200, 20, 20))
"""Sizes of the fits with default starts."""
MOST_OF_ONE = 3
"""Times that one start of scikit-learn's which all twenty default starts may take."""
WEIGHTED = {(400, 1000, 10, 10): 2, (10_000, 200, 10, 20): 3}
"""The same of SparseKMeans, 10 starts."""
LLOYD = 'tol=0, max_iter=1000, algorithm="lloyd"'
"""Arguments of scikit-learn's KMeans that make it end as SKFR does: when no label changes."""


def mixture(size: tuple[int, int, int, int], seed: int, spread: float = 1.5) -> np.ndarray:
    """Normal data with k groups that differ in the first s columns only."""
    n, p, k, s = size
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, :s] += rng.normal(0, spread, (k, s))[rng.integers(k, size=n)]
    return X


def standardised(X: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and variance 1."""
    Z: np.ndarray = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return Z


def labels_of(text: str, **data: Any) -> Callable[[], Any]:
    """The labels of a public fit."""
    fit = public_call(text, **data)
    return lambda: fit().labels_


def start_rows(options: argparse.Namespace) -> Iterator[Row]:
    """One start from the same centres against scikit-learn's."""
    for size, goals in (SIZES | LARGE if options.large else SIZES).items():
        n, p, k, s = size
        for spread, goal in zip(SPREADS, goals, strict=True):
            X = standardised(mixture(size, 0, spread))
            data = {"X": X, "centers": kmeans_plusplus(X, k, random_state=0)[0]}
            ours = f"SKFR({k}, {s}, init=centers, n_init=1, max_iter=1000).fit(X)"
            theirs = f"KMeans({k}, init=centers, n_init=1, {LLOYD}).fit(X)"
            count = public_call(ours, **data)().n_iter_
            yield compare(
                "SKFR, one start",
                size,
                public_call(theirs, **data),
                labels_of(ours, **data),
                data=f"spread {spread:g}",
                peer=f"scikit-learn KMeans, same centres, {LLOYD}",
                goal=1 / goal,
                work=Work(n * k * (p + s * float(count)), 8.0 * n * p),
                repeats=options.repeats if n < 10**6 else 1,
                same=None,
            )


def restart_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Several starts against as many of scikit-learn's, and of sparcl in R."""
    cases = [("SKFR", "10, 10", 20, (400, p, 10, 10), goal) for p, goal in RESTARTS.items()]
    cases += [("SparseKMeans", "10, l1_bound=3.0", 10, size, goal) for size, goal in WEIGHTED.items()]
    for name, arguments, starts, size, goal in cases:
        Z = standardised(mixture(size, 0))
        text = f"{name}({arguments}, n_init={starts}, random_state=0{{}}).fit(X)"
        shared: dict[str, Any] = {
            "repeats": options.repeats,
            "same": None,
            "in_threads": labels_of(text.format(", n_jobs=2"), X=Z),
        }
        call, ours = f"{name}, {starts} starts", labels_of(text.format(""), X=Z)
        theirs = public_call(f"KMeans(10, n_init={starts}, random_state=0, {LLOYD}).fit(X)", X=Z)
        peer = f"scikit-learn KMeans, as many starts, {LLOYD}"
        yield compare(call, size, theirs, ours, peer=peer, goal=1 / goal, **shared)
        if size[0] == 400 and has_r("sparcl"):
            fit = f"sparcl::KMeansSparseCluster(x, K = 10, wbounds = 3, nstart = {starts}, silent = TRUE)"
            in_sparcl = in_r(f"set.seed(1); {fit}[[1]]$Cs", x=Z)
            yield compare(call, size, in_sparcl, ours, peer="KMeansSparseCluster in R, as many", **shared)


def default_rows(options: argparse.Namespace) -> Iterator[Row]:
    """Fits with default starts against one start of scikit-learn's, its default."""
    for size in DEFAULT:
        X, (_, _, k, s) = standardised(mixture(size, 0, 2.5)), size
        text = f"SKFR({k}, {s}, random_state=0{{}}).fit(X)"
        yield compare(
            "SKFR, default starts (20)",
            size,
            public_call(f"KMeans({k}, random_state=0).fit(X)", X=X),
            labels_of(text.format(""), X=X),
            data="spread 2.5",
            peer="scikit-learn KMeans, default starts (1)",
            goal=MOST_OF_ONE,
            in_threads=labels_of(text.format(", n_jobs=2"), X=X),
            repeats=options.repeats,
            same=None,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--large", action="store_true", help="add n = 1,000,000 (minutes)")
    parser.add_argument("--repeats", type=int, default=5)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    yield from start_rows(options)
    yield from restart_rows(options)
    yield from default_rows(options)


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

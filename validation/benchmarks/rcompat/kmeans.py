"""Time rcompat.kmeans against R's own kmeans in one process, same data, same seed, interleaved.

Run with ``python validation/benchmarks/rcompat/kmeans.py [--large] [--repeats 3]``; needs R and rpy2. Columns
are explained in `validation.benchmarks.rows`. Labels and iterations are compared; a difference is an error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial

import numpy as np
from joblib import parallel_config

from sparsek.rcompat import kmeans
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, distances_work, has_r, in_r, run_script

SIZES = [(150, 4, 3), (400, 20, 10), (5000, 50, 10), (400, 1000, 10), (100_000, 10, 10)]
ALGORITHMS = {"Hartigan-Wong": (20, 0.5), "Lloyd": (1, 0.7), "MacQueen": (1, 0.7)}
"""Number of starts and goal of each algorithm."""
SEPARATIONS = {"unstructured": 0.0, "overlapping groups": 0.5, "separated groups": 2.0}


def mixture(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size; `separation` is the standard deviation of their means."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, p)) + separation * rng.standard_normal((k, p))[np.arange(n) % k]


def fit_here(x: np.ndarray, k: int, nstart: int, algorithm: str) -> np.ndarray:
    """Labels and the number of iterations."""
    fit = kmeans(x, k, nstart=nstart, algorithm=algorithm, rng=RRandom(1))
    return np.append(fit.cluster, fit.iter)


def fit_in_threads(x: np.ndarray, k: int, nstart: int, algorithm: str) -> np.ndarray:
    """The same with the starts in two threads."""
    with parallel_config(backend="threading", n_jobs=2):
        return fit_here(x, k, nstart, algorithm)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="add n = 100000")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r():
        return
    for algorithm, (nstart, goal) in ALGORITHMS.items():
        for n, p, k in SIZES if options.large else SIZES[:-1]:
            for data, separation in SEPARATIONS.items():
                x = mixture(n, p, k, separation)
                call = f'kmeans(x, {k}, nstart = {nstart}, algorithm = "{algorithm}")'
                theirs = in_r(f"set.seed(1); fit <- {call}; c(fit$cluster, fit$iter)", x=x)
                arguments = x, k, nstart, algorithm
                # Hartigan and Wong's has at least two passes of all distances for each start.
                passes = 2 * nstart if algorithm == "Hartigan-Wong" else theirs()[-1]
                yield compare(
                    f"kmeans, {algorithm}, {nstart} start" + ("s" if nstart > 1 else ""),
                    (n, p, k),
                    theirs,
                    partial(fit_here, *arguments),
                    data=data,
                    goal=goal,
                    work=distances_work(n, p, k, passes),
                    repeats=options.repeats if n < 100_000 else 1,
                    in_threads=partial(fit_in_threads, *arguments) if nstart > 1 else None,
                )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

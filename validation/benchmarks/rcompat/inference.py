"""Time the exact tests of k-means against R's KmeansInference in one process, same data and seed, in turn.

Run with ``python validation/benchmarks/rcompat/inference.py [--repeats 3]``; needs R with KmeansInference and
rpy2. Columns are explained in `validation.benchmarks.rows`. Intervals are compared; a difference is an error.
R's function clusters and tests. So the line of ``inference.test_kmeans`` is a fit of scikit-learn's KMeans
and the test of its clusters.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans

from sparsek import inference
from sparsek.rcompat import kmeans_inference
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

SIZES = [(150, 10, 3), (1000, 50, 5)]
SEED, DIGITS, GOAL = 3, 1e-9, 0.2
IN_R = (
    "kmeans_inference(x, {k}, 1, 2, sig = 1, iter.max = 100, seed = {seed}, verbose = FALSE)$final_interval"
)


def intervals_here(x: np.ndarray, k: int) -> np.ndarray:
    """The distances that keep all steps, by columns."""
    fit = kmeans_inference(x, k, 1, 2, sig=1.0, iter_max=100, seed=SEED, rng=RRandom(1))
    return np.asarray(fit.final_interval).ravel(order="F")


def near(expected: np.ndarray, found: np.ndarray) -> bool:
    """Whether intervals agree but for the order of sums."""
    return expected.shape == found.shape and np.allclose(expected, found, rtol=DIGITS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("KmeansInference"):
        return
    in_r("suppressMessages(library(KmeansInference)); 0")()
    for n, p, k in SIZES:
        x = np.random.default_rng(1).standard_normal((n, p))
        model = KMeans(k, init="random", n_init=1, random_state=0, max_iter=1000)
        theirs = in_r(f"as.vector(as.matrix({IN_R.format(k=k, seed=SEED)}))", x=x)
        yield compare(
            "kmeans_inference",
            (n, p, k),
            theirs,
            lambda x=x, k=k: intervals_here(x, k),
            data="unstructured",
            goal=GOAL,
            repeats=options.repeats,
            same=near,
        )
        yield compare(
            "KMeans.fit and inference.test_kmeans",
            (n, p, k),
            theirs,
            lambda x=x, model=model: inference.test_kmeans(model.fit(x), x, 0, 1, sigma=1.0).p_value,
            data="unstructured",
            goal=GOAL,
            repeats=options.repeats,
            same=None,
        )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

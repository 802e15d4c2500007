"""Time ewkm, fgkm and twkm against R's wskm: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/wskm.py [--repeats 5]``; needs R with wskm, and rpy2. Columns
are explained in `validation.benchmarks.rows`. Clusters and weights are compared bit for bit; a difference is
an error. The estimators, which need not repeat R's arithmetic, are timed in entropy.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, distances_work, has_r, in_r, run_script

SIZES = [(250, 20, 5), (400, 200, 10), (300, 1000, 5), (400, 1000, 10), (20_000, 50, 10)]
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}
LAMBDAS = {"ewkm": (1.0, 20.0), "fgkm": (20.0,), "twkm": (2000.0,)}
GOAL = 0.5
R_CALL = """(function(name, k, lambda, eta) {
  set.seed(1)
  groups <- rep(1:4, length.out = ncol(x))
  grouped <- function(f) f(x, k, groups, lambda, eta)
  fit <- switch(name, ewkm = wskm::ewkm(x, k, lambda), fgkm = grouped(wskm::fgkm), twkm = grouped(wskm::twkm))
  iterations <- if (name == "ewkm") fit$total.iterations else fit$totiters
  c(iterations, fit$cluster, if (name == "ewkm") fit$weights else fit$featureWeight) })"""


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[:, : p // 10] += separation * rng.standard_normal((k, p // 10))[np.arange(n) % k]
    return x


def fit_here(x: np.ndarray, name: str, k: int, gamma: float, eta: float) -> np.ndarray:
    """Iterations, clusters and weights."""
    if name == "ewkm":
        fit: Any = rcompat.ewkm(x, k, gamma, rng=RRandom(1))
        return np.concatenate([[fit["total.iterations"]], fit["cluster"], fit["weights"].ravel(order="F")])
    of_features = np.arange(x.shape[1]) % 4 + 1
    fit = getattr(rcompat, name)(x, k, of_features, gamma, eta, rng=RRandom(1))
    return np.concatenate([[fit["totiters"]], fit["cluster"], fit["featureWeight"].ravel(order="F")])


def same(expected: np.ndarray, found: np.ndarray) -> bool:
    return np.array_equal(expected, found, equal_nan=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("wskm"):
        return
    for name, lambdas in LAMBDAS.items():
        for n, p, k in SIZES:
            for kind, separation in SEPARATIONS.items():
                x = groups(n, p, k, separation)
                for gamma in lambdas:
                    theirs = in_r(f'{R_CALL}("{name}", {k}, {gamma}, {gamma})', x=x)
                    yield compare(
                        f"{name}, lambda {gamma:g}",
                        (n, p, k),
                        theirs,
                        lambda x=x, name=name, k=k, gamma=gamma: fit_here(x, name, k, gamma, gamma),
                        data=kind,
                        goal=GOAL,
                        work=distances_work(n, p, k, theirs()[0]),
                        repeats=options.repeats,
                        same=same,
                    )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

"""Time kpod against R's kpodclustr: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/kpod.py [--repeats 5] [--large]``; needs R with kpodclustr,
and rpy2. Columns are explained in `validation.benchmarks.rows`. Labels,
criterion, fits, the number of warnings and the next uniform are compared; a difference is an error.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

from sparsek.rcompat import kpod
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

GOAL = 0.2
SIZES = [(250, 20, 5), (400, 20, 10), (400, 200, 5), (300, 1000, 5)]
LARGE = (20000, 50, 10)
SEPARATIONS = {"groups": 1.0, "noise": 0.0}
IN_R = """(function(k, seed) {
  set.seed(seed)
  told <- 0
  fit <- withCallingHandlers(kpodclustr::kpod(x, k),
                             warning = function(w) { told <<- told + 1; invokeRestart("muffleWarning") })
  c(fit$cluster, fit$obj_vals, fit$fit_list, told, runif(1)) })"""


def incomplete(n: int, p: int, k: int, separation: float, share: float) -> np.ndarray:
    """Gaussian groups around normal centres, as in kpodclustr's makeData, with cells missing at random."""
    rng = np.random.default_rng(1)
    x = separation * rng.standard_normal((k, p))[rng.integers(k, size=n)] + rng.standard_normal((n, p))
    x[rng.random((n, p)) < share] = np.nan
    return x


def here(x: np.ndarray, k: int, seed: int) -> list[float]:
    rng = RRandom(seed)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fit = kpod(x, k, rng=rng)
    return [*fit.cluster.tolist(), *fit.obj_vals, *fit.fit_list, len(told), rng.runif(1)[0]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--large", action="store_true", help=f"also {LARGE}, minutes per call in R")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("kpodclustr"):
        return
    cases = [(size, options.repeats) for size in SIZES] + ([(LARGE, 1)] if options.large else [])
    for (n, p, k), repeats in cases:
        for kind, separation in SEPARATIONS.items():
            for share in (0.1, 0.3):
                x = incomplete(n, p, k, separation, share)
                yield compare(
                    f"kpod, {share:.0%} missing",
                    (n, p, k),
                    in_r(f"{IN_R}({k}, 1)", x=x),
                    lambda x=x, k=k: here(x, k, 1),
                    data=kind,
                    goal=GOAL,
                    repeats=repeats,
                )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

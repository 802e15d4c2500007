"""Time wrsk against R's package: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/wrsk.py [--repeats 5]``; needs R with wrsk and dbscan, and
rpy2. Columns are explained in `validation.benchmarks.rows`. The results must be equal.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from sparsek.rcompat import wrsk
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

SIZES = [(250, 20, 5, 2.5), (300, 1000, 5, 8.0)]
GOAL = 0.2
R_CALL = """(function(k, s) { set.seed(1); fit <- suppressWarnings(wrsk::wrsk(x, k, s))
  c(fit$clusters, fit$outclusters, fit$obsweights, fit$varweights, fit$WBCSS) })"""


def groups_with_outliers(n: int, p: int, k: int) -> np.ndarray:
    """Gaussian groups that differ in the first tenth of the features; a twentieth of the rows is far away."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = max(2, p // 10)
    x[:, :used] += 3 * rng.standard_normal((k, used))[np.arange(n) % k]
    x[: n // 20] += 4 * rng.standard_normal((n // 20, p))
    return x


def fit_here(x: np.ndarray, k: int, s: float) -> list[float]:
    """Every field of our fit in R's order."""
    fit = wrsk(x, k, s, rng=RRandom(1))
    return [float(v) for field in fit.values() for v in np.ravel(field)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("wrsk"):
        return
    for n, p, k, s in SIZES:
        x = groups_with_outliers(n, p, k)
        yield compare(
            "wrsk",
            (n, p, k),
            in_r(f"{R_CALL}({k}, {s})", x=x),
            lambda x=x, k=k, s=s: fit_here(x, k, s),
            goal=GOAL,
            repeats=options.repeats,
        )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

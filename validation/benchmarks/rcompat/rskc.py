"""Time RSKC against R's package: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/rskc.py [--repeats 3]``; needs R with RSKC, and rpy2. Columns
are explained in `validation.benchmarks.rows`. The results must be equal.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from sparsek.rcompat import RSKC, Clest
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

SIZES = [
    (250, 20, 5, 200, 3.0),
    (400, 20, 10, 200, 3.0),
    (400, 200, 5, 200, 6.0),
    (300, 1000, 5, 50, 10.0),
    (20000, 50, 10, 3, 4.0),
]
SEPARATIONS = {"structured": 1.5, "unstructured": 0.0}
GOAL = 0.2
R_CALL = """(function(k, starts, bound) { set.seed(1)
  fit <- RSKC::RSKC(x, k, 0.1, L1 = bound, nstart = starts)
  c(fit$labels, fit$oW, fit$oE, fit$weights, fit$WBSS) })"""
R_CLEST = """set.seed(1)
  found <- RSKC::Clest(x, 3L, alpha = 0.1, B = 2, B0 = 2, nstart = 50, L1 = 3, silent = TRUE)
  as.vector(found$result.table)"""


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = max(2, p // 10)
    x[:, :used] += separation * rng.standard_normal((k, used))[np.arange(n) % k]
    return x


def fit_here(x: np.ndarray, k: int, starts: int, bound: float) -> list[float]:
    """Our fit in the order of R_CALL."""
    fit = RSKC(x, k, 0.1, L1=bound, nstart=starts, rng=RRandom(1))
    return [float(v) for name in ("labels", "oW", "oE", "weights", "WBSS") for v in fit[name]]


def clest_here(x: np.ndarray) -> list[float]:
    """Our table of Clest, column by column as in R."""
    found = Clest(x, 3, alpha=0.1, B=2, B0=2, nstart=50, L1=3, silent=True, rng=RRandom(1))
    return np.ravel(np.asarray(found["result.table"]), order="F").tolist()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("RSKC"):
        return
    for n, p, k, starts, bound in SIZES:
        for kind, separation in SEPARATIONS.items():
            x = groups(n, p, k, separation)
            yield compare(
                f"RSKC, {starts} starts",
                (n, p, k),
                in_r(f"{R_CALL}({k}, {starts}, {bound})", x=x),
                lambda x=x, k=k, starts=starts, bound=bound: fit_here(x, k, starts, bound),
                data=kind,
                goal=GOAL,
                repeats=options.repeats,
            )
    x = groups(250, 20, 5, 1.5)
    yield compare(
        "Clest, 50 starts",
        (250, 20, 5),
        in_r(R_CLEST, x=x),
        lambda: clest_here(x),
        data="structured",
        goal=GOAL,
        repeats=options.repeats,
    )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

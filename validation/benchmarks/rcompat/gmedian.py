"""Time Gmedian's functions against R: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/gmedian.py [--repeats 3]``; needs R with Gmedian, rpy2.
Columns are explained in `validation.benchmarks.rows`. Results are compared bit for bit; a difference is an
error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, Work, compare, distances_work, has_r, in_r, run_script

KGMEDIAN = [(250, 20, 5), (400, 20, 10), (400, 200, 10), (300, 1000, 5), (20000, 50, 10)]
GOAL = 0.7
KINDS = {"structured": 1.5, "unstructured": 0.0}
MEDIANS = [(400, 20), (400, 200), (20000, 50)]
COVARIATIONS = [(400, 20), (400, 50)]


def groups(n: int, p: int, k: int, separation: float) -> np.ndarray:
    """Gaussian groups of equal size."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, p)) + separation * rng.standard_normal((k, p))[np.arange(n) % k]


def calls() -> list[tuple[str, tuple[int, ...], str, Callable[[np.ndarray], np.ndarray], str]]:
    """Name, size, kind of data, our call and R's call of every comparison."""
    rows = []
    for size in KGMEDIAN:
        for kind in KINDS:
            k = size[2]
            source = f"{{ set.seed(1); as.vector(Gmedian::kGmedian(x, {k})$centers) }}"

            def cluster(x: np.ndarray, k: int = k) -> np.ndarray:
                return rcompat.kGmedian(x, k, rng=RRandom(1)).centers

            rows.append(("kGmedian", size, kind, cluster, source))
    functions = {
        "Gmedian": (MEDIANS, rcompat.Gmedian, "Gmedian::Gmedian(x)"),
        "Weiszfeld": (MEDIANS, lambda x: rcompat.Weiszfeld(x).median, "Gmedian::Weiszfeld(x)$median"),
        "GmedianCov": (
            [*COVARIATIONS, (20000, 50)],
            lambda x: rcompat.GmedianCov(x, scores=0).covmedian,
            "Gmedian::GmedianCov(x, scores = 0)$covmedian",
        ),
        "WeiszfeldCov": (
            COVARIATIONS,
            lambda x: rcompat.WeiszfeldCov(x, scores=0).covmedian,
            "Gmedian::WeiszfeldCov(x, scores = 0)$covmedian",
        ),
    }
    for name, (sizes, here, source) in functions.items():
        rows += [(name, size, "unstructured", here, f"as.vector({source})") for size in sizes]
    return rows


def least_work(name: str, size: tuple[int, ...]) -> Work | None:
    """Work of one pass over the rows, for the recursive algorithms, which take one at least."""
    if name == "kGmedian":
        return distances_work(*size)
    return distances_work(*size, 1) if name == "Gmedian" else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("Gmedian"):
        return
    for name, size, kind, here, source in calls():
        x = groups(size[0], size[1], size[2] if len(size) > 2 else 1, KINDS[kind])
        theirs = in_r(source, x=x)
        theirs()  # R loads the package
        yield compare(
            name,
            size,
            theirs,
            lambda x=x, here=here: here(x).ravel("F"),
            data=kind,
            goal=GOAL,
            work=least_work(name, size),
            repeats=options.repeats,
        )


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

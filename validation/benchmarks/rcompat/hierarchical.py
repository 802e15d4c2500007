"""Time sparcl's hierarchical functions against R's: one process, same data and seed, interleaved.

Run with ``python validation/benchmarks/rcompat/hierarchical.py [--repeats 5]``; needs R with sparcl, and
rpy2. Columns are explained in `validation.benchmarks.rows`. Weights and heights, or gaps, are compared; a
difference is an error. Then the peak of numpy's memory is printed, in units of the distances, n (n - 1) / 2 x
p doubles.
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Iterator

import numpy as np

from sparsek import SparseAgglomerativeClustering
from sparsek.rcompat import HierarchicalSparseCluster, HierarchicalSparseCluster_permute
from sparsek.rng import RRandom
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

BOUNDS = [2.0, 4.0, 6.0, 8.0, 10.0]


def groups(n: int, p: int) -> np.ndarray:
    """Four Gaussian groups of equal size that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    x[:, : p // 10] += 1.5 * rng.standard_normal((4, p // 10))[np.arange(n) % 4]
    return x


def fit_here(x: np.ndarray, **options: object) -> list[float]:
    fit = HierarchicalSparseCluster(x, **options, rng=RRandom(1))
    return [*fit["ws"].ravel().tolist(), *fit["hc"]["height"].tolist()]


def permute_here(x: np.ndarray, **options: object) -> list[float]:
    return HierarchicalSparseCluster_permute(x, **options, rng=RRandom(1))["gaps"].tolist()


R_FIT = """(function() {{ set.seed(1)
  utils::capture.output(fit <- sparcl::HierarchicalSparseCluster(x, {}, silent = TRUE))
  c(fit$ws, fit$hc$height) }})()"""
R_PERMUTE = """(function() {{ set.seed(1)
  utils::capture.output(fit <- sparcl::HierarchicalSparseCluster.permute(x, {}))
  fit$gaps }})()"""
CASES = [
    ("HierarchicalSparseCluster, wbound 11.2", (150, 500), fit_here, R_FIT, {}, 0.2),
    ("HierarchicalSparseCluster, wbound 4", (150, 500), fit_here, R_FIT, {"wbound": 4.0}, 0.2),
    (
        "HierarchicalSparseCluster, absolute",
        (150, 500),
        fit_here,
        R_FIT,
        {"dissimilarity": "absolute.value"},
        0.2,
    ),
    ("HierarchicalSparseCluster, wbound 15.8", (60, 1000), fit_here, R_FIT, {}, 0.2),
    (
        "HierarchicalSparseCluster.permute, 5 x 5",
        (60, 300),
        permute_here,
        R_PERMUTE,
        {"nperms": 5, "wbounds": BOUNDS},
        0.2,
    ),
    ("HierarchicalSparseCluster.permute, 10 x 10", (40, 200), permute_here, R_PERMUTE, {}, 0.2),
]


def r_text(options: dict[str, object]) -> str:
    """Arguments in R's notation."""
    texts = {
        name: f"c({', '.join(map(str, v))})" if isinstance(v, list) else v for name, v in options.items()
    }
    quoted = {name: f'"{v}"' if name == "dissimilarity" else v for name, v in texts.items()}
    return ", ".join(f"{name} = {v}" for name, v in quoted.items()) or "standardize.arrays = FALSE"


def peak_memory(call, x: np.ndarray) -> float:
    """Peak of the allocated memory of a call, in units of the distances."""
    tracemalloc.start()
    call(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    n, p = x.shape
    return peak / (8 * (n * (n - 1) // 2) * p)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=5)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("sparcl"):
        return
    for name, size, here, source, arguments, goal in CASES:
        x = groups(*size)
        yield compare(
            name,
            size,
            in_r(source.format(r_text(arguments)), x=x),
            lambda x=x, here=here, arguments=arguments: here(x, **arguments),
            goal=goal,
            repeats=options.repeats,
        )


def print_memory() -> None:
    """Peaks of memory, in units of the distances."""
    x = groups(150, 500)
    model = SparseAgglomerativeClustering(4, l1_bound=4.0)
    print("peak memory, in units of the distances:")
    print(f"  HierarchicalSparseCluster          {peak_memory(fit_here, x):.2f}")
    permuted = peak_memory(lambda x: permute_here(x, nperms=1, wbounds=BOUNDS[:2]), x)
    print(f"  HierarchicalSparseCluster_permute  {permuted:.2f}")
    print(f"  SparseAgglomerativeClustering      {peak_memory(model.fit, x):.2f}")


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)
    print_memory()

"""Time estimators against those of other packages.

Run with ``python validation/benchmarks/methods/peers.py [--repeats 3] [--large]``. Columns are explained in
`validation.benchmarks.rows`. The other sides are

* active-semi-supervised-clustering (with metric-learn) for constraints. It has no sparse method, so that
  PCSparseKMeans stands beside its PCKMeans. Both sides get the same data, pairs and number of clusters, and
  start from the neighbourhoods of the constraints. It charges 1 for a violated pair, ours charges distances,
  so that the partitions differ;
* tslearn for kernel k-means, ten starts on both sides;
* the code released with the sparse MinMax k-means paper: a local R package SparseMinMax (see
  r_reference/packages/SparseMinMax/README.md). Labels must be equal, which asks for the same weights.

What is not installed is named and left out. --large adds 2,000 rows to the slowest peer (minutes).
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from sparsek import (
    COPKMeans,
    KernelKMeans,
    MPCKMeans,
    PairwiseConstraints,
    PCKMeans,
    PCSparseKMeans,
    SparseMinMaxKMeans,
)
from validation.benchmarks.rows import Row, compare, has_r, in_r, run_script

CONSTRAINED: dict[str, Any] = {
    "COPKMeans": COPKMeans,
    "PCKMeans": PCKMeans,
    "PCSparseKMeans": PCSparseKMeans,
    "MPCKMeans": MPCKMeans,
}
PAIRED = {(150, 4, 3): 50, (400, 18, 3): 200, (2000, 50, 10): 1000}
"""Sizes and numbers of pairs."""
CONSTRAINED_GOAL, GOAL = 1 / 20, 1 / 3
SIZE = (1000, 50, 5)
MINMAX_SIZES = [(62, 2000, 2, 15.0), (*SIZE, 4.0)]
R_MINMAX = """(function(k, s) { set.seed(1)
  utils::capture.output(fit <- SparseMinMax::SparseCl(x, K = k, wbounds = s, silent = TRUE)[[1]])
  fit$Cs })"""


def groups(n: int, p: int, k: int) -> np.ndarray:
    """Gaussian groups that differ in the first tenth of the features."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, p))
    used = max(2, p // 10)
    x[:, :used] += 2 * rng.standard_normal((k, used))[np.arange(n) % k]
    return x


def problem(
    n: int, p: int, k: int, m: int, seed: int, apart: float = 3.0
) -> tuple[np.ndarray, np.ndarray, PairwiseConstraints]:
    """Normal groups, and true pairs of random rows; groups overlap a little or, 0.5 apart, almost wholly."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = rng.standard_normal((n, p)) + rng.normal(0, apart / p**0.25, (k, p))[y]
    pairs = rng.integers(n, size=(m, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, y, PairwiseConstraints(n, pairs[same], pairs[~same])


def imported(package: str, module: str) -> Any:
    """A module of another package; None, and a line that says so, where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"{package} is not timed: {error}")
        return None


def constrained_rows(options: argparse.Namespace) -> Iterator[Row]:
    package = "active-semi-supervised-clustering"
    theirs = imported(package, "active_semi_clustering.semi_supervised.pairwise_constraints")
    if theirs is None:
        return
    for name, ours in CONSTRAINED.items():
        peer_name = "PCKMeans" if name == "PCSparseKMeans" else name
        for (n, p, k), m in PAIRED.items():
            if name == "MPCKMeans" and n > 1000 and not options.large:
                continue
            X, _, pairs = problem(n, p, k, m, 0)
            both = {"ml": pairs.must_link, "cl": pairs.cannot_link}
            links = {key: list(map(tuple, found.tolist())) for key, found in both.items()}
            model = ours(k, init="seeding", random_state=0)
            yield compare(
                name,
                (n, p, k),
                partial(fit_peer, getattr(theirs, peer_name), X, k, links),
                lambda model=model, X=X, pairs=pairs: model.fit(X, **pairs.fit_params()).labels_,
                data=f"{m} pairs",
                peer=f"{peer_name} of {package}",
                goal=CONSTRAINED_GOAL,
                repeats=options.repeats if n < 1000 else 1,
                same=None,
            )


def fit_peer(estimator: Any, X: np.ndarray, k: int, links: dict[str, list[tuple[int, int]]]) -> Any:
    """A fit of the other package; NumPy's global generator is its only source of randomness."""
    np.random.seed(0)  # noqa: NPY002
    return estimator(n_clusters=k).fit(X, **links)


def kernel_rows(options: argparse.Namespace) -> Iterator[Row]:
    theirs = imported("tslearn", "tslearn.clustering")
    if theirs is None:
        return
    (_, p, k), X = SIZE, groups(*SIZE)
    model = theirs.KernelKMeans(
        k, kernel="rbf", kernel_params={"gamma": 1 / p}, n_init=10, max_iter=100, random_state=0
    )
    ours = KernelKMeans(k, kernel="gaussian", width=float(p), n_init=10, random_state=0)
    yield compare(
        "KernelKMeans, 10 starts",
        SIZE,
        partial(model.fit, X[:, :, None]),
        lambda: ours.fit(X).labels_,
        peer="tslearn KernelKMeans",
        goal=GOAL,
        repeats=options.repeats,
        same=None,
    )


def minmax_rows(options: argparse.Namespace) -> Iterator[Row]:
    if not has_r("SparseMinMax"):
        return
    for n, p, k, bound in MINMAX_SIZES:
        X = groups(n, p, k)
        model = SparseMinMaxKMeans(k, l1_bound=bound, variant="r", n_init=1, random_state=1)
        yield compare(
            "SparseMinMaxKMeans",
            (n, p, k),
            in_r(f"{R_MINMAX}({k}, {bound})", x=X),
            lambda model=model, X=X: model.fit(X).labels_ + 1.0,
            peer="released code in R",
            goal=GOAL,
            repeats=options.repeats if n < 1000 else 1,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="add 2,000 rows to MPCKMeans (minutes)")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    yield from kernel_rows(options)
    yield from minmax_rows(options)
    yield from constrained_rows(options)


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

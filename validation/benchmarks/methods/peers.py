"""Time estimators and starts against other packages, or against their formulas in plain numpy.

Run with ``python validation/benchmarks/methods/peers.py [--repeats 3] [--large]``. Columns are explained in
`validation.benchmarks.rows`. The other sides are

* active-semi-supervised-clustering (with metric-learn) for constraints. It has no sparse method, so that
  PCSparseKMeans stands beside its PCKMeans. Both sides get the same data, pairs and number of clusters, and
  start from the neighbourhoods of the constraints. It charges 1 for a violated pair, ours charges distances,
  so that the partitions differ;
* tslearn for kernel k-means, ten starts on both sides;
* the code released with the sparse MinMax k-means paper: a local R package SparseMinMax (see
  r_reference/packages/SparseMinMax/README.md). Labels must be equal, which asks for the same weights;
* the formulas of the papers in numpy, each row of the data against all rows at once, for the distances of
  MADD and COSA and for the starts of DKM++ and ROBIN. The answers must be equal.

What is not installed is named and left out. --large adds 2,000 rows to the slowest peer (minutes).
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sparsek import (
    COPKMeans,
    KernelKMeans,
    MPCKMeans,
    PCKMeans,
    PCSparseKMeans,
    SparseMinMaxKMeans,
    cosa_distances,
    init,
)
from sparsek.methods.madd.algorithm import base_dissimilarities, madd
from validation.benchmarks.methods.constrained import problem
from validation.benchmarks.rows import Row, compare, distances_work, has_r, in_r, run_script

CONSTRAINED: dict[str, Any] = {
    "COPKMeans": COPKMeans,
    "PCKMeans": PCKMeans,
    "PCSparseKMeans": PCSparseKMeans,
    "MPCKMeans": MPCKMeans,
}
PAIRED = {(150, 4, 3): 50, (400, 18, 3): 200, (2000, 50, 10): 1000}
"""Sizes and numbers of pairs."""
CONSTRAINED_GOAL, FORMULA_GOAL = 1 / 20, 1 / 3
SIZE = (1000, 50, 5)
MINMAX_SIZES = [(62, 2000, 2, 15.0), (*SIZE, 4.0)]
COSA_PASSES = 2
NEIGHBORS = 10
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
            model = ours(k, init="seeding", random_state=0)
            yield compare(
                name,
                (n, p, k),
                partial(fit_peer, getattr(theirs, peer_name), X, k, pairs),
                lambda model=model, X=X, pairs=pairs: model.fit(X, **pairs.fit_params()).labels_,
                data=f"{m} pairs",
                peer=f"{peer_name} of {package}",
                goal=CONSTRAINED_GOAL,
                repeats=options.repeats if n < 1000 else 1,
                same=None,
            )


def fit_peer(estimator: Any, X: np.ndarray, k: int, pairs: Any) -> Any:
    """A fit of the other package; NumPy's global generator is its only source of randomness."""
    np.random.seed(0)  # noqa: NPY002
    links = {"ml": pairs.must_link, "cl": pairs.cannot_link}
    return estimator(n_clusters=k).fit(X, **{key: list(map(tuple, v.tolist())) for key, v in links.items()})


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
        goal=FORMULA_GOAL,
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
            goal=FORMULA_GOAL,
            repeats=options.repeats if n < 1000 else 1,
        )


def formula_rows(options: argparse.Namespace) -> Iterator[Row]:
    (n, p, k), X = SIZE, groups(*SIZE)
    cases: dict[str, tuple[Callable[[], Any], Callable[[], Any], Any]] = {
        "distances of MADD": (
            lambda: madd_by_rows(X),
            lambda: madd(base_dissimilarities(X, 0)),
            distances_work(n, n, n, 0.5),
        ),
        "cosa_distances, 2 passes": (
            lambda: cosa_by_rows(X, COSA_PASSES),
            lambda: cosa_distances(X, n_neighbors=NEIGHBORS, max_iter=COSA_PASSES).distances,
            distances_work(n, p, n, (COSA_PASSES + 1) / 2),
        ),
        "dkm_plus_plus": (
            lambda: dkm_by_rows(X, k),
            lambda: init.dkm_plus_plus(X, k),
            distances_work(n, p, n, 0.5),
        ),
        "robin": (
            lambda: robin_by_rows(X, k),
            lambda: init.robin(X, k, n_neighbors=NEIGHBORS, crit=0.2),
            distances_work(n, p, n, 0.5),
        ),
    }
    for call, (theirs, ours, work) in cases.items():
        yield compare(
            call,
            SIZE,
            theirs,
            ours,
            peer="formula in numpy, row by row",
            goal=FORMULA_GOAL,
            work=work,
            repeats=options.repeats,
            same=partial(np.allclose, rtol=1e-9, atol=1e-12),  # the order of sums
        )


def distances_from(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Euclidean distances of all rows from one."""
    found: np.ndarray = np.sqrt(((X - x) ** 2).sum(axis=1))
    return found


def madd_by_rows(X: np.ndarray) -> np.ndarray:
    """Means over the other rows z of abs(phi_iz - phi_jz), phi the distances divided by sqrt(p)."""
    n = len(X)
    phi = np.array([distances_from(X, x) for x in X]) / np.sqrt(X.shape[1])
    rho = np.zeros((n, n))
    for i in range(n):
        gaps = np.abs(phi - phi[i])
        gaps[:, i] = 0
        np.fill_diagonal(gaps, 0)
        rho[i] = gaps.sum(axis=1) / (n - 2)
    return rho


def cosa_by_rows(X: np.ndarray, passes: int) -> np.ndarray:
    """Dissimilarities of COSA after some updates of the weights, at the defaults of `cosa_distances`."""
    (n, p), eta = X.shape, 0.2
    ordered = np.sort(X, axis=0)
    Z = X / (ordered[3 * n // 4 - 1] - ordered[n // 4 - 1]) * 1.35
    w = np.full((n, p), 1 / p)
    for step in range(passes + 1):
        D = np.zeros((n, n))
        for i in range(n):
            t = np.maximum(w, w[i])
            total = t.sum(axis=1)
            D[i] = -eta * total * np.log((t * np.exp(-np.abs(Z - Z[i]) / eta)).sum(axis=1) / total)
        if step == passes:
            return D
        for i in range(n):
            near = np.argsort(np.where(np.arange(n) == i, np.inf, D[i]), kind="stable")[:NEIGHBORS]
            spread = np.sort(np.abs(Z[near] - Z[i]), axis=0)[NEIGHBORS // 2]
            shares = np.exp(-spread / 0.2)
            w[i] = shares / shares.sum()
        eta = 0.2 * (1 + 0.1 * (step + 1))
    return D


def dkm_by_rows(X: np.ndarray, k: int) -> np.ndarray:
    """Starting rows of DKM++: dense ones far apart, with a radius from a minimum spanning tree."""
    D = np.array([distances_from(X, x) for x in X])
    D /= D.max()
    nearest, edges = D[0].copy(), []
    outside = np.ones(len(X), dtype=bool)
    outside[0] = False
    while outside.any():
        new = int(np.where(outside, nearest, np.inf).argmin())
        edges.append(nearest[new])
        outside[new] = False
        nearest = np.minimum(nearest, D[new])
    low, high = np.quantile(edges, [0.25, 0.75], method="hazen")
    radius = min(max(edges), high + 3 * (high - low))
    density = np.array([np.exp(-d[d <= radius] / radius).sum() - 1 for d in D])
    density = (density - density.min()) / (density.max() - density.min())
    rows = [int(density.argmax())]
    while len(rows) < k:
        rows.append(int((density * D[rows].min(axis=0)).argmax()))
    return np.array(rows)


def robin_by_rows(X: np.ndarray, k: int) -> np.ndarray:
    """Starting rows of ROBIN: far apart, with simple local outlier factors within 0.2 of 1."""
    D = np.array([distances_from(X, x) for x in X])
    near = [np.argsort(np.where(np.arange(len(X)) == i, np.inf, d))[:NEIGHBORS] for i, d in enumerate(D)]
    density = np.array([1 / d[rows].mean() for d, rows in zip(D, near, strict=True)])
    factors = np.array([density[rows].mean() for rows in near]) / density
    inside = np.abs(factors - 1) < 0.2
    nearest = distances_from(X, X.mean(axis=0))
    rows = [int(np.where(inside, nearest, -1).argmax())]
    while len(rows) < k:
        nearest = D[rows].min(axis=0)
        rows.append(int(np.where(inside, nearest, -1).argmax()))
    return np.array(rows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="add 2,000 rows to MPCKMeans (minutes)")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    yield from formula_rows(options)
    yield from kernel_rows(options)
    yield from minmax_rows(options)
    yield from constrained_rows(options)


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

"""Time distances and starts against the formulas of their papers in plain numpy.

Run with ``python validation/benchmarks/methods/formulas.py [--repeats 3]``. Columns are explained in
`validation.benchmarks.rows`. No package has the distances of MADD and COSA and the starts of DKM++ and ROBIN,
so the other side is written here: each row of the data against all rows at once. It checks nothing; our side
is the public function, which checks its input. The answers must be equal.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sparsek import cosa_distances, init, madd_distances
from validation.benchmarks.methods.peers import GOAL, SIZE, groups
from validation.benchmarks.rows import Row, compare, distances_work, run_script

COSA_PASSES = 2
NEIGHBORS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    (n, p, k), X = SIZE, groups(*SIZE)
    cases: dict[str, tuple[Callable[[], Any], Callable[[], Any], Any]] = {
        "madd_distances": (
            lambda: madd_by_rows(X),
            lambda: madd_distances(X),
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
            peer="formulas of the paper in plain numpy",
            goal=GOAL,
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


if __name__ == "__main__":
    run_script(__doc__, add_arguments, rows)

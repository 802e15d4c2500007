"""What stands beside our calls and is no call of a package: formulas of papers, runs of seeded packages."""

from __future__ import annotations

from typing import Any

import numpy as np

import sparsek

NEIGHBORS = 10
"""Of each row, for COSA and ROBIN."""


def seeded(fit: Any, *arguments: Any, **options: Any) -> Any:
    """A fit of a package whose only source of randomness is NumPy's global generator."""
    np.random.seed(0)  # noqa: NPY002
    return fit(*arguments, **options)


def explained(fit: sparsek.SKFR) -> float:
    """The objective of a gap search. As a function it requires complete fits, one after the other."""
    return fit.gap_objective_


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

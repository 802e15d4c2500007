"""Seeds of k-means++ drawn one after the other, and the screening of columns, by their definitions."""

from __future__ import annotations

import math

import numpy as np


def seeds_and_labels(Z: np.ndarray, k: int, seed: int, power: int) -> tuple[list[int], list[int]]:
    """Drawn rows, and the nearest of them to each row (ties go to the earliest).

    A row is drawn with probability proportional to (distance to the nearest seed) ** power, the first one
    with equal probabilities. Draw number j inverts the distribution function at the j-th uniform; the rows
    come in the order of one fixed linear combination of the columns.
    """
    n, p = Z.shape
    direction = np.random.default_rng(0).standard_normal(p + 1)[:p]
    order = sorted(range(n), key=lambda i: float(Z[i] @ direction))
    chances = [1.0] * n
    seeds: list[int] = []
    for uniform in np.random.default_rng(seed).random(k):
        total, reached = math.fsum(chances), 0.0
        for i in order:
            reached += chances[i]
            if reached > uniform * total:
                break
        seeds.append(i)
        chances = [min(math.dist(Z[i], Z[s]) for s in seeds) ** power for i in range(n)]
    distances = [[math.dist(row, Z[s]) for s in seeds] for row in Z]
    return seeds, [d.index(min(d)) for d in distances]


def greedy_seeds(Z: np.ndarray, k: int, seed: int, n_trials: int, mass: list[float]) -> list[int]:
    """Rows drawn as in `seeds_and_labels`, `n_trials` for each seed, with squared distances times `mass`.

    Of the rows drawn for a seed the one is taken, the first on ties, that leaves the smallest sum.
    """
    n, p = Z.shape
    direction = np.random.default_rng(0).standard_normal(p + 1)[:p]
    order = sorted(range(n), key=lambda i: float(Z[i] @ direction))

    def left(seeds: list[int]) -> list[float]:
        return [mass[i] * min(math.dist(Z[i], Z[s]) for s in seeds) ** 2 for i in range(n)]

    chances, seeds = mass, []
    for uniforms in np.random.default_rng(seed).random((k, n_trials)):
        drawn = []
        for uniform in uniforms:
            total, reached = math.fsum(chances), 0.0
            for i in order:
                reached += chances[i]
                if reached > uniform * total:
                    break
            drawn.append(i)
        seeds.append(min(drawn, key=lambda i: math.fsum(left([*seeds, i]))))
        chances = left(seeds)
    return seeds


def normal_distance(column: np.ndarray) -> float:
    """Largest gap to the normal distribution function at (j + 0.3183) quarters of a standard deviation."""
    z = (column - column.mean()) / column.std()
    gaps = []
    for j in range(-15, 16):
        point = (j + 0.3183) / 4
        normal = 0.5 * math.erfc(-point / math.sqrt(2))
        gaps.append(abs(sum(v < point for v in z) / len(z) - normal))
    return max(gaps)


def screened_columns(Z: np.ndarray, s: int, start: int) -> list[int]:
    """Columns of a start: the s, 2 s, 4 s or all least normal ones, in turn."""
    p = Z.shape[1]
    least_normal = sorted(range(p), key=lambda f: -normal_distance(Z[:, f]))
    return sorted(least_normal[: min(p, (s, 2 * s, 4 * s, p)[start % 4])])

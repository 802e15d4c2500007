"""Principal components: the leading ones, how many there are, and whether scores on them have groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array

WHOLE = 600
"""Up to so many rows or columns all components are found, from the smaller matrix of products."""
SHUFFLES = 2
"""Shuffled copies of the data whose largest component a factor must exceed."""
WINDOW = 1 / 6
"""Half the width of a window of the valley test, in distances of the two centres."""
K_MEANS_ITERATIONS = 60


def top_components(R: Array, q: int, rng: np.random.Generator, passes: int = 4) -> tuple[Array, Array, Array]:
    """The first q singular vectors and values of R: U (n, q), s (q,), V (q, p).

    Large matrices by subspace iteration from a random one (Halko, Martinsson & Tropp 2011, Algorithm 4.4).
    """
    n, p = R.shape
    q = min(q, n, p)
    if min(n, p) > WHOLE and q <= min(n, p) / 2:
        Q = np.linalg.qr(R @ rng.normal(size=(p, min(q + 8, n))))[0]
        for _ in range(passes):
            Q = np.linalg.qr(R @ (R.T @ Q))[0]
        u, s, V = np.linalg.svd(Q.T @ R, full_matrices=False)
        return Q @ u[:, :q], s[:q], V[:q]
    values, vectors = np.linalg.eigh(R @ R.T if n <= p else R.T @ R)
    vectors = vectors[:, ::-1][:, :q]
    s = np.sqrt(np.maximum(values[::-1][:q], 1e-12))
    if n <= p:
        return vectors, s, (vectors.T @ R) / s[:, None]
    return (R @ vectors) / s, s, vectors.T


def count_components(Z: Array, s: Array, rng: np.random.Generator) -> int:
    """How many singular values exceed the largest one of shuffled columns: parallel analysis (Horn 1965)."""
    largest = max(top_components(rng.permuted(Z, axis=0), 1, rng)[1][0] for _ in range(SHUFFLES))
    return int((s > largest).sum())


def k_means(A: Array, k: int, rng: np.random.Generator, n_init: int) -> NDArray[np.intp]:
    """Labels of the best of some starts of k-means++ (Arthur & Vassilvitskii 2007) and Lloyd's steps.

    The many small problems of a search take a tenth of the time here that readers of rows need.
    """
    squares = np.einsum("ij,ij->i", A, A)
    runs = [_lloyd(A, squares, A[_seeds(A, k, rng)]) for _ in range(n_init)]
    return min(runs, key=lambda run: run[0])[1]


def _seeds(A: Array, k: int, rng: np.random.Generator) -> list[int]:
    """Rows that are drawn in proportion to squared distances from those before."""
    seeds = [int(rng.integers(len(A)))]
    nearest = np.full(len(A), np.inf)
    for _ in range(k - 1):
        nearest = np.minimum(nearest, ((A - A[seeds[-1]]) ** 2).sum(axis=1))
        reached = np.cumsum(nearest)
        drawn = np.searchsorted(reached, rng.random() * reached[-1], side="right")
        seeds.append(int(drawn) if reached[-1] > 0 else int(rng.integers(len(A))))
    return [min(seed, len(A) - 1) for seed in seeds]


def _lloyd(A: Array, squares: Array, centers: Array) -> tuple[float, NDArray[np.intp]]:
    """Sum of squares and labels of Lloyd's steps; an empty cluster keeps its centre."""
    labels = np.full(len(A), -1)
    for _ in range(K_MEANS_ITERATIONS):
        distances = squares[:, None] - 2 * (A @ centers.T) + (centers**2).sum(axis=1)
        found = distances.argmin(axis=1)
        if (found == labels).all():
            break
        labels = found
        member = np.eye(len(centers))[labels]
        sizes = member.sum(axis=0)[:, None]
        centers = np.where(sizes > 0, member.T @ A / np.maximum(sizes, 1), centers)
    return float(distances.min(axis=1).sum()), labels


def valley(F: Array, k: int, rng: np.random.Generator) -> float:
    """How much deeper than by chance the deepest valley between two groups of scores (n, r) is, as a z value.

    A density with one peak is, half-way between two places, at least the smaller of its values there. On the
    line through two centres of k-means, rows in a window about the middle are compared with those at the
    ends.
    """
    deepest = -np.inf
    for n_groups in sorted({2, 3, min(k, 8)}):
        labels = k_means(F, n_groups, rng, 3)
        sizes = np.bincount(labels, minlength=n_groups)
        large = np.flatnonzero(sizes > max(4, 0.03 * len(F)))
        centers = np.array([F[labels == group].mean(axis=0) for group in large])
        for a in range(len(centers)):
            for b in range(a):
                deepest = max(deepest, _depth(F, centers[a], centers[b]))
    return deepest


def _depth(F: Array, first: Array, second: Array) -> float:
    """z value of fewer rows in the middle of two centres than at the one with fewer."""
    way = first - second
    length = float(way @ way)
    if length < 1e-18:
        return -np.inf
    places = (F - (first + second) / 2) @ way / length  # -1/2 and 1/2 at the centres
    low, middle, high = (int((np.abs(places - x) < WINDOW).sum()) for x in (-0.5, 0.0, 0.5))
    least = min(low, high)
    return float((least - middle) / np.sqrt(least + middle + 1))

"""Geometric k-medians by Weiszfeld's steps with the correction of Vardi and Zhang (2000), row by row."""

from __future__ import annotations

import math

import numpy as np


def cost(rows: np.ndarray, weights: np.ndarray, center: np.ndarray) -> float:
    """Weighted sum of the distances to the centre."""
    return math.fsum(w * math.dist(row, center) for row, w in zip(rows, weights, strict=True))


def step(rows: np.ndarray, weights: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(1 - s) T(y) + s y, T the mean of the other rows weighted by 1 / distance, s = min(1, held / pull)."""
    away = [i for i, row in enumerate(rows) if math.dist(row, y) > 1e-14]
    held = math.fsum(weights) - math.fsum(weights[away])
    if not away:
        return y
    shares = np.array([weights[i] / math.dist(rows[i], y) for i in away])
    target = shares @ rows[away] / shares.sum()
    pull = np.linalg.norm(sum(s * (rows[i] - y) for s, i in zip(shares, away, strict=True)))
    if held >= pull:
        return y
    return (1 - held / pull) * target + held / pull * y


def at_row(rows: np.ndarray, weights: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The row nearest to y if its sum of distances is lower, else y."""
    closest = min(rows, key=lambda row: math.dist(row, y))
    return closest if cost(rows, weights, closest) < cost(rows, weights, y) else y


def kmedians(
    X: np.ndarray, labels: list[int], k: int, weights: np.ndarray, tol: float, max_iter: int = 300
) -> tuple[list[int], np.ndarray, list[float], bool]:
    """Labels, centres, sums of distances after each step, and whether it converged.

    Each iteration takes one step of every cluster and gives rows to centres that are nearer. After iterations
    1, 2, 4, ... a centre moves to its nearest row if that is better. The loop stops when no label changes and
    no centre moves by more than `tol` of the median distance. Then every centre may move to its nearest row
    once more.
    """

    def members(g: int) -> tuple[np.ndarray, np.ndarray]:
        found = [i for i, label in enumerate(labels) if label == g]
        assert found
        return X[found], weights[found]

    centers = np.array([members(g)[1] @ members(g)[0] / members(g)[1].sum() for g in range(k)])
    history: list[float] = []
    done = False
    while not done and len(history) < max_iter:
        old = centers.copy()
        for g in range(k):
            new = step(*members(g), old[g])
            if len(history) + 1 in (1, 2, 4, 8, 16, 32, 64, 128, 256):
                new = at_row(*members(g), new)
            if cost(*members(g), new) < cost(*members(g), old[g]):
                centers[g] = new
        history.append(math.fsum(cost(*members(g), centers[g]) for g in range(k)))
        distances = [math.dist(row, centers[label]) for row, label in zip(X, labels, strict=True)]
        shift = max(math.dist(a, b) for a, b in zip(centers, old, strict=True))
        before, labels = labels, moved(X, centers, labels)
        done = labels == before and shift <= tol * float(np.median(distances) or np.mean(distances))
    centers = np.array([at_row(*members(g), centers[g]) for g in range(k)])
    labels = nearest(X, centers)
    history[-1] = min(history[-1], math.fsum(cost(*members(g), centers[g]) for g in range(k)))
    return labels, centers, history, done


def nearest(X: np.ndarray, centers: np.ndarray) -> list[int]:
    """Index of the nearest centre of each row."""
    distances = [[math.dist(row, center) for center in centers] for row in X]
    return [d.index(min(d)) for d in distances]


def moved(X: np.ndarray, centers: np.ndarray, labels: list[int]) -> list[int]:
    """The same, where a row that is as near to its own centre stays."""
    found = zip(X, labels, nearest(X, centers), strict=True)
    return [k if math.dist(row, centers[k]) < math.dist(row, centers[own]) else own for row, own, k in found]

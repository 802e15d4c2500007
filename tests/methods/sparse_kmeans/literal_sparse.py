"""Sparse k-means of Witten and Tibshirani (2010), Section 3.1, row by row."""

from __future__ import annotations

import math

import numpy as np


def lloyd(X: np.ndarray, labels: list[int], k: int) -> list[int]:
    """k-means from these labels until none changes; no cluster may become empty."""
    while True:
        assert len(set(labels)) == k
        centers = [X[[label == g for label in labels]].mean(axis=0) for g in range(k)]
        new = []
        for row in X:
            distances = [math.fsum((row - center) ** 2) for center in centers]
            new.append(distances.index(min(distances)))
        if new == labels:
            return labels
        labels = new


def between(X: np.ndarray, labels: list[int], k: int) -> np.ndarray:
    """Between-cluster sum of squares of each feature."""
    overall = X.mean(axis=0)
    groups = [X[[label == g for label in labels]] for g in range(k)]
    return sum((len(group) * (group.mean(axis=0) - overall) ** 2 for group in groups), np.zeros(X.shape[1]))


def weights_of(a: np.ndarray, bound: float) -> np.ndarray:
    """Weights of unit length, soft-thresholded to the bound on their sum by bisection."""

    def thresholded(delta: float) -> np.ndarray:
        kept = np.maximum(a - delta, 0)
        return kept / math.sqrt(math.fsum(kept**2))

    if thresholded(0).sum() <= bound:
        return thresholded(0)
    low, high = 0.0, float(np.sort(a)[-2])
    assert thresholded(high).sum() <= bound
    for _ in range(200):
        middle = (low + high) / 2
        if thresholded(middle).sum() > bound:
            low = middle
        else:
            high = middle
    return thresholded(high)


def sparse_kmeans(
    X: np.ndarray, labels: list[int], k: int, bound: float, tol: float, max_iter: int = 100
) -> tuple[list[int], np.ndarray, list[float], list[float]]:
    """Labels, weights, criterion after each weight update, and sum|w - w_old| / sum|w_old| from the second
    on.

    It stops when no label changes, or when sum|w - w_old| <= tol * sum|w_old|, from the second weights on.
    """
    labels = lloyd(X, labels, k)
    criteria: list[float] = []
    changes: list[float] = []
    old: np.ndarray | None = None
    while len(criteria) < max_iter:
        bcss = between(X, labels, k)
        w = weights_of(bcss, bound)
        criteria.append(-math.fsum(w * bcss))
        before, labels = labels, lloyd(X * np.sqrt(w), labels, k)
        if old is not None:
            changes.append(math.fsum(abs(w - old)) / math.fsum(old))
        old = w
        if labels == before or (changes and changes[-1] <= tol):
            break
    return labels, w, criteria, changes

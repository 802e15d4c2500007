"""Lloyd's k-means and SKFR written out, one row at a time, with the labels and features of every step."""

from typing import Any

import numpy as np

from sparsek.selective.line import difference_contrast

Steps = list[Any]


def moved(X: np.ndarray, labels: np.ndarray, a: int, b: int, phi: float) -> np.ndarray:
    """X(phi) for the distance of the means of two clusters."""
    nu = difference_contrast(labels, a, b)
    observed = np.linalg.norm(nu @ X)
    return X + (phi / observed - 1) * np.outer(nu, nu) @ X / (nu @ nu)


def nearest(X: np.ndarray, centers: np.ndarray) -> list[int]:
    """Nearest centres."""
    return [int(np.argmin([((x - center) ** 2).sum() for center in centers])) for x in X]


def lloyd_steps(X: np.ndarray, centers: np.ndarray, max_iter: int, tol: float | None = None) -> Steps:
    """Labels of every iteration; with `tol`, stops as scikit-learn does."""
    steps: Steps = []
    for _ in range(max_iter):
        labels = nearest(X, centers)
        steps.append(labels)
        if len(steps) > 1 and labels == steps[-2]:
            return steps
        if len(set(labels)) < len(centers):
            return [*steps, "empty cluster"]
        new = np.array([X[np.array(labels) == k].mean(axis=0) for k in range(len(centers))])
        shift, centers = ((new - centers) ** 2).sum(), new
        if tol is not None and shift <= tol * X.var(axis=0).mean():
            return [*steps, "small shift", nearest(X, centers)]
    return [*steps, nearest(X, centers)] if tol is not None else steps


def inertia(X: np.ndarray, labels: list[int]) -> float:
    """Sum of squares about the cluster means."""
    found = np.array(labels)
    return float(sum(((X[found == k] - X[found == k].mean(axis=0)) ** 2).sum() for k in set(labels)))


def skfr_steps(X: np.ndarray, start: np.ndarray, k: int, s: int, local: bool) -> Steps:
    """Features and labels of every iteration; `start` has row numbers, or labels of all rows."""
    Z = X - X.mean(axis=0)
    labels = start.tolist() if len(start) == len(Z) else nearest(Z, Z[start])
    steps: Steps = [labels]
    while True:
        found = np.array(labels)
        centers = np.array([Z[found == j].mean(axis=0) if (found == j).any() else 0 * Z[0] for j in range(k)])
        gains = np.array([(found == j).sum() * centers[j] ** 2 for j in range(k)])
        ranked = gains if local else np.tile(gains.sum(axis=0), (k, 1))
        features = [sorted(np.argsort(-row, kind="stable")[:s].tolist()) for row in ranked]
        for center, kept in zip(centers, features, strict=True):
            center[np.setdiff1d(np.arange(Z.shape[1]), kept)] = 0
        new = nearest(Z, centers)
        steps += [features, new]
        if new == labels:
            return steps
        labels = new

"""Methods for data with holes, row by row: SKFR that fills the holes, and k-POD. NaN stands for a hole."""

from __future__ import annotations

import math

import numpy as np

FILLED_TOLERANCE = 1e-9
"""The form with filled holes continues if its loss falls by more than this share of the total."""


def nearest(row: np.ndarray, centers: np.ndarray) -> int:
    """Index of the nearest centre over the observed features; ties go to the lowest index."""
    seen = ~np.isnan(row)
    distances = [math.fsum((row[seen] - center[seen]) ** 2) for center in centers]
    return distances.index(min(distances))


def observed_loss(X: np.ndarray, labels: list[int], centers: np.ndarray, weights: np.ndarray) -> float:
    """Sum over the observed cells of the squared distances to the centres."""
    rows = zip(X, labels, weights, strict=True)
    return math.fsum(w * v for row, g, w in rows for v in (row - centers[g]) ** 2 if not math.isnan(v))


def fill(X: np.ndarray, labels: list[int], centers: np.ndarray) -> np.ndarray:
    """Fill every hole from the centre of its row."""
    filled = X.copy()
    for i, label in enumerate(labels):
        for f in range(X.shape[1]):
            if math.isnan(X[i, f]):
                filled[i, f] = centers[label, f]
    return filled


def means(X: np.ndarray, labels: list[int], k: int, weights: np.ndarray) -> np.ndarray:
    """Weighted means of the rows of each cluster, none of which may be empty."""
    assert len(set(labels)) == k
    groups = [[i for i, label in enumerate(labels) if label == g] for g in range(k)]
    return np.array([weights[group] @ X[group] / weights[group].sum() for group in groups])


def skfr_filled(
    Z: np.ndarray, start: list[int], k: int, s: int, local: bool, weights: np.ndarray, max_iter: int = 300
) -> tuple[list[int], list[float], np.ndarray, bool]:
    """Labels, losses, sparse centres and whether it converged; holes are filled with 0 at first.

    It stops when no label changes and the loss falls by at most `FILLED_TOLERANCE` of the total sum of
    squares.
    """
    p, labels, filled = Z.shape[1], start, np.where(np.isnan(Z), 0.0, Z)
    total = observed_loss(Z, start, np.zeros((k, p)), weights)
    losses: list[float] = []
    while len(losses) < max_iter:
        mu = means(filled, labels, k, weights)
        mass = [weights[[label == g for label in labels]].sum() for g in range(k)]
        gains = np.array([mass[g] * mu[g] ** 2 for g in range(k)])
        theta = np.zeros((k, p))
        for g in range(k):
            ranked = gains[g] if local else gains.sum(axis=0)
            for f in sorted(range(p), key=lambda f: -ranked[f])[:s]:
                theta[g, f] = mu[g, f]
        old, labels = labels, [nearest(row, theta) for row in filled]
        losses.append(observed_loss(Z, labels, theta, weights))
        filled = fill(Z, labels, theta)
        if len(losses) > 1 and losses[-2] - losses[-1] <= FILLED_TOLERANCE * total and labels == old:
            return labels, losses, theta, True
    return labels, losses, theta, False


def kmeans(X: np.ndarray, labels: list[int], k: int, weights: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Lloyd's k-means until no label changes."""
    while True:
        centers = means(X, labels, k, weights)
        new = [nearest(row, centers) for row in X]
        if new == labels:
            return labels, centers
        labels = new


def observed_means(X: np.ndarray, labels: list[int], previous: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Means of the observed values of each cluster and feature; the previous value if there are none."""
    centers = previous.copy()
    for g in range(len(previous)):
        for f in range(X.shape[1]):
            seen = [i for i, label in enumerate(labels) if label == g and not math.isnan(X[i, f])]
            if seen:
                centers[g, f] = math.fsum(weights[seen] * X[seen, f]) / math.fsum(weights[seen])
    return centers


def kpod(
    X: np.ndarray, start: list[int], k: int, weights: np.ndarray
) -> tuple[list[int], list[float], np.ndarray]:
    """Labels, losses and centres of k-POD; holes are filled with the means of the features at first.

    k-means on the filled rows and filling from its centres alternate until no label changes. Then means of
    the observed cells and assignment to the nearest centres over them alternate until no label changes.
    """
    everywhere = [[i for i in range(len(X)) if not math.isnan(X[i, f])] for f in range(X.shape[1])]
    overall = [weights[seen] @ X[seen, f] / weights[seen].sum() for f, seen in enumerate(everywhere)]
    filled = fill(X, [0] * len(X), np.array([overall]))
    labels, losses, old = start, [], None
    while labels != old:
        old = labels
        labels, centers = kmeans(filled, old, k, weights)
        losses.append(observed_loss(X, labels, centers, weights))
        filled = fill(X, labels, centers)
    old = None
    while labels != old:
        old = labels
        centers = observed_means(X, labels, centers, weights)
        losses.append(observed_loss(X, labels, centers, weights))
        labels = [nearest(row, centers) for row in X]
        assert len(set(labels)) == k
    return labels, losses, centers

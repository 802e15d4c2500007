"""All partitions of a few rows, and what each explains of every feature."""

from itertools import product

import numpy as np


def partitions(n: int, n_clusters: int) -> np.ndarray:
    """Labels (m, n) of all divisions of n rows into at most so many clusters; the first row has label 0."""
    every = np.array(list(product(range(min(n_clusters, n)), repeat=n - 1)), dtype=np.int8).reshape(-1, n - 1)
    labels = np.insert(every, 0, 0, axis=1)
    reached = np.maximum.accumulate(labels, axis=1)
    return labels[(labels[:, 1:] <= reached[:, :-1] + 1).all(axis=1)]


def partition_gains(Z: np.ndarray, weights: np.ndarray, n_clusters: int) -> np.ndarray:
    """Sum over clusters of (sum w z)^2 / sum w, (m, p), of each partition and column."""
    labels = partitions(len(Z), n_clusters)
    total = np.zeros((len(labels), Z.shape[1]))
    for k in range(min(n_clusters, len(Z))):
        members = (labels == k) * weights
        masses = members.sum(axis=1)
        total += np.square(members @ Z) / np.where(masses > 0, masses, 1)[:, None]
    return total


def best_explained(gains: np.ndarray, n_selected: int) -> float:
    """Largest sum of so many gains of one partition."""
    return float(np.sort(gains, axis=1)[:, gains.shape[1] - n_selected :].sum(axis=1).max())

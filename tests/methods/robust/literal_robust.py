"""Robust sparse k-means of Kondo, Salibian-Barrera and Zamar in plain loops over rows."""

import numpy as np

from sparsek.methods.shared.weights import l1_weights


def first_largest(values, number):
    """Indices of the largest values; ties go to the lowest index."""
    return sorted(range(len(values)), key=lambda i: (-values[i], i))[:number]


def square(x, c, w):
    return float((w * (x - c) ** 2).sum())


def means_of(X, labels, rows, k):
    centers = np.zeros((k, X.shape[1]))
    for j in range(k):
        members = [i for i in rows if labels[i] == j]
        if members:
            centers[j] = X[members].mean(axis=0)
    return centers


def literal_trimmed(X, w, labels, out, k, m):
    """Trimmed k-means: labels, trimmed rows and sum of squares at the end."""
    n = len(X)
    while True:
        rows = [i for i in range(n) if i not in out]
        centers = means_of(X, labels, rows, k)
        new = [int(np.argmin([square(X[i], c, w) for c in centers])) for i in range(n)]
        distances = [square(X[i], centers[new[i]], w) for i in range(n)]
        new_out = set(first_largest(distances, m))
        rows = [i for i in range(n) if i not in new_out]
        for j in range(k):
            sizes = np.bincount([new[i] for i in rows], minlength=k)
            candidates = [i for i in rows if sizes[new[i]] > 1]
            if sizes[j] == 0 and candidates:
                row = max(candidates, key=lambda i: distances[i])
                new[row], distances[row] = j, 0.0
        if (new, new_out) == (labels, out):
            return labels, out, sum(square(X[i], centers[labels[i]], w) for i in rows)
        labels, out = new, new_out


def literal_outside(X, labels, out, k, m):
    """Second trimmed set, and BCSS per feature over the rows in neither."""
    n, ones = len(X), np.ones(X.shape[1])
    centers = means_of(X, labels, [i for i in range(n) if i not in out], k)
    far = set(first_largest([square(X[i], centers[labels[i]], ones) for i in range(n)], m))
    used = [i for i in range(n) if i not in out | far]
    within = means_of(X, labels, used, k)
    bcss = sum((X[i] - X[used].mean(axis=0)) ** 2 - (X[i] - within[labels[i]]) ** 2 for i in used)
    return far, bcss


def literal_start(X, w, labels, k, m):
    """Rows farthest from the medians of their clusters."""
    medians = {j: np.median(X[np.array(labels) == j], axis=0) for j in set(labels)}
    return set(first_largest([square(X[i], medians[labels[i]], w) for i in range(len(X))], m))


def literal_gain(X, w, labels, out, k, m):
    alone = [0] * len(X)
    one = literal_trimmed(X, w, alone, literal_start(X, w, alone, 1, m), 1, m)[2]
    return one - literal_trimmed(X, w, labels, out, k, m)[2]


def literal_robust(X, labels, k, bound, m, max_iter):
    """Labels, both trimmed sets, weights, criterion, numbers of updates and of updates in the cycle."""
    ones = np.ones(X.shape[1])
    state = literal_trimmed(X, ones, labels, literal_start(X, ones, labels, k, m), k, m)[:2]
    seen, path = [], []
    while state not in seen and len(path) < max_iter:
        seen.append(state)
        weights = l1_weights(literal_outside(X, *state, k, m)[1], bound)
        state = literal_trimmed(X, weights, *state, k, m)[:2]
        path.append((weights, state))
    circle = path[seen.index(state) :] if state in seen else path[-1:]
    weights, (labels, out) = max(circle, key=lambda entry: literal_gain(X, entry[0], *entry[1], k, m))
    far, bcss = literal_outside(X, labels, out, k, m)
    return labels, out, far, weights, -float(weights @ bcss), len(path), len(circle)

"""MinMax k-means and its sparse form as literal loops over rows, clusters and features."""

from __future__ import annotations

import math

import numpy as np


def squares(x, center):
    """Squared distance."""
    return sum((a - b) ** 2 for a, b in zip(x, center, strict=True))


def means(X, labels, k):
    """Cluster means."""
    return [[math.fsum(c) / len(c) for c in zip(*X[labels == j].tolist(), strict=True)] for j in range(k)]


def new_weights(V, old, alpha, beta):
    """The weights of the clusters."""
    powers = [v ** (1 / (1 - alpha)) for v in V]
    return [beta * o + (1 - beta) * q / sum(powers) for o, q in zip(old, powers, strict=True)]


def assign(D, w, alpha):
    """Nearest cluster of each row in weighted distance; the first of several."""
    return np.array([min(range(len(w)), key=lambda k: (w[k] ** alpha * d[k], k)) for d in D])


def literal_tl(X, centers, beta=0.3, step=0.01, alpha_max=0.5, max_iter=500, tol=1e-6):
    """Tzortzis and Likas' algorithm; returns labels, weights, alpha, criteria, or None for no solution."""
    k = len(centers)
    levels = round(alpha_max / step)
    level, growing, events, old = 0, True, 0, math.nan
    w, history, criteria, partition = [1 / k] * k, [], [], None
    while True:
        alpha = level * step
        D = [[squares(x, c) for c in centers] for x in X]
        labels = assign(D, w, alpha)
        value = sum(min(w[j] ** alpha * d[j] for j in range(k)) for d in D)
        if min(np.sum(labels == j) for j in range(k)) <= 1:
            events, growing, level, value = events + 1, False, level - 1, math.nan
            if level < 0 or events > len(history):
                return None
            labels, w = history[-events]
        criteria.append(value)
        settled = partition is not None and (labels == partition).all()
        if (settled and abs(1 - value / old) < tol) or len(criteria) == max_iter:
            return labels, w, alpha, criteria
        old, partition = value, labels
        centers = means(X, labels, k)
        if growing:
            history.append((labels, w))
            level += 1
            growing = level < levels
        V = [sum(squares(x, centers[j]) for x in X[labels == j]) for j in range(k)]
        w = new_weights(V, w, level * step, beta)


def literal_released(X, centers, beta=0.0, step=0.01, alpha_max=0.5, power=1):
    """The released loop; returns labels, weights, alpha, criteria, or None for no solution."""
    k, alpha, growing = len(centers), 0.0, True
    w, stored, criteria = [1 / k] * k, None, []
    while len(criteria) < 10:
        D = [[squares(x, c) ** (power / 2) for c in centers] for x in X]
        labels = partition = assign(D, w, alpha)
        if len(set(labels.tolist())) < k:
            alpha, growing = alpha - step, False
            if alpha < 0:
                return None
            partition, w = stored
        centers = means(X, partition, k)
        if growing and alpha < alpha_max:
            stored, alpha = (partition, w), alpha + step
        D = [[squares(x, c) ** (power / 2) for c in centers] for x in X]
        V = [sum(d[j] for d, label in zip(D, partition, strict=True) if label == j) for j in range(k)]
        w = new_weights(V, w, alpha, beta)
        criteria.append(sum(w[j] ** alpha * d[j] for d in D for j in range(k)))
        if len(criteria) > 1 and abs(criteria[-1] - criteria[-2]) <= 1e-4:
            break
    return labels, w, alpha, criteria


def literal_between(X, labels, w, alpha):
    """a_j = TSS_j - sum_k w_k^alpha WCSS_kj."""
    result = []
    for column in X.T:
        total = sum((column - column.mean()) ** 2)
        for k in range(len(w)):
            part = column[labels == k]
            total -= w[k] ** alpha * sum((part - part.mean()) ** 2) if len(part) else 0
        result.append(total)
    return np.array(result)

"""Moves of single rows (Hartigan 1975), row by row."""

from __future__ import annotations

import numpy as np

from sparsek.engine import Literal

LEAST_SHARE = 1e-6
"""A row of nearly all the weight of its cluster is its last one and stays."""


@Literal
def set_distances(X, i, sums, used, near, inside):
    """Squared distances of row i to the means, and its squared lengths, in the columns of each cluster."""
    p = X.shape[1] - 1
    for m in range(sums.shape[0]):
        size = sums[m, p] if sums[m, p] != 0 else sums[m, p] + 1
        distance, length = 0.0, 0.0
        for j in range(p):
            if used[m, j]:
                t = X[i, j] - sums[m, j] / size
                distance += t * t
                length += X[i, j] * X[i, j]
        near[m], inside[m] = distance, length


@Literal
def move_rows(X, labels, sums, mass, used, rows, noise):
    """Move rows one by one where that gains more than rounding; whether any moved."""
    k, p = sums.shape[0], X.shape[1] - 1
    near, inside, moved = np.empty(k), np.empty(k), False
    for place in range(rows.shape[0]):
        i = rows[place]
        own, w = labels[i], mass[i]
        set_distances(X, i, sums, used, near, inside)
        target, cost, farthest, longest = 0, np.inf, 0.0, 0.0
        for m in range(k):
            new = sums[m, p] / (sums[m, p] + w) * near[m] - inside[m]
            if m != own and new < cost:
                target, cost = m, new
            farthest, longest = max(farthest, near[m]), max(longest, inside[m])
        left = sums[own, p] - w
        if left > LEAST_SHARE * sums[own, p]:
            gain = w * (sums[own, p] / left * near[own] - inside[own] - cost)
            if gain > noise * w * (farthest + longest):
                moved = True
                labels[i] = target
                for j in range(p + 1):
                    sums[own, j] -= w * X[i, j]
                    sums[target, j] += w * X[i, j]
    return moved

"""The products of sparse hierarchical clustering, added in the order of the reference BLAS.

Source: Witten & Tibshirani (2010), as in `sparse_dissimilarity`. Distances are a feature per row, (p, N), or
a pair per row, (N, p); D holds them or, if `squared`, their squares.
"""

from __future__ import annotations

from sparsek.engine import Loop

PAIRS = 4096
"""Pairs whose sums grow side by side; they stay in the processor's cache."""


@Loop
def over_features(distances, squared, weights, features, total):
    """D w, adding the given features from left to right; distances (p, N)."""
    for begin in range(0, total.shape[0], PAIRS):
        end = min(begin + PAIRS, total.shape[0])
        part = total[begin:end]
        part[:] = 0.0
        for place in range(features.shape[0]):
            weight, row = weights[features[place]], distances[features[place], begin:end]
            if squared:
                for i in range(part.shape[0]):
                    part[i] += row[i] * row[i] * weight
            else:
                for i in range(part.shape[0]):
                    part[i] += row[i] * weight


@Loop
def four_over_pairs(a, b, c, d, squared, u):
    """Entries of u'D for four features, whose sums do not wait for each other."""
    first = second = third = fourth = 0.0
    for i in range(u.shape[0]):
        if squared:
            first += a[i] * a[i] * u[i]
            second += b[i] * b[i] * u[i]
            third += c[i] * c[i] * u[i]
            fourth += d[i] * d[i] * u[i]
        else:
            first += a[i] * u[i]
            second += b[i] * u[i]
            third += c[i] * u[i]
            fourth += d[i] * u[i]
    return first, second, third, fourth


@Loop
def over_pairs(distances, squared, u, features, out):
    """Entries of u'D for the given features, adding the pairs from top to bottom; distances (p, N)."""
    last = features.shape[0] - 1
    for place in range(0, last + 1, 4):
        a, b, c, d = place, min(place + 1, last), min(place + 2, last), min(place + 3, last)
        out[a], out[b], out[c], out[d] = four_over_pairs(
            distances[features[a]],
            distances[features[b]],
            distances[features[c]],
            distances[features[d]],
            squared,
            u,
        )


@Loop
def over_all_pairs(entries, u, total):
    """u'D, adding the pairs from top to bottom; entries of D (N, p)."""
    total[:] = 0.0
    for i in range(u.shape[0]):
        factor = u[i]
        for j in range(total.shape[0]):
            total[j] += entries[i, j] * factor

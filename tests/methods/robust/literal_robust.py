"""Robust sparse k-means of Kondo, Salibian-Barrera and Zamar in plain loops over rows.

Distances that are equal but for rounding have no order of their own: the order of a sum decides which comes
out larger. The loops stop at such a comparison with `RoundingTie`, because another correct program may go on
differently from there. This happens without any repeated value: the two rows of a cluster of two are always
equally far from its median and its mean.
"""

import numpy as np

from sparsek.core.weights import l1_weights

# Sums of n p terms in another order: rounding relative to the total sum of squares.
RELATIVE = 1e-12


class RoundingTie(Exception):
    """A choice depends on two numbers that differ by less than rounding."""


def rounding(X, w):
    """Rounding of weighted squared distances and their sums."""
    return RELATIVE * float((w * X**2).sum())


def first_largest(values, number, slack):
    """Indices of the largest values, in falling order; RoundingTie if the next one is within slack.

    With weights of 0 all distances and the slack are exactly 0; then the lowest indices are taken.
    """
    order = sorted(range(len(values)), key=lambda i: -values[i])
    if 0 < number < len(values) and values[order[number - 1]] - values[order[number]] < slack:
        raise RoundingTie(f"entries {order[number - 1]} and {order[number]} differ by less than {slack}")
    return order[:number]


def first_smallest(values, slack):
    """Index of the smallest value; RoundingTie if the next one is within slack."""
    return first_largest([-v for v in values], 1, slack)[0]


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
    n, slack = len(X), rounding(X, w)
    while True:
        rows = [i for i in range(n) if i not in out]
        centers = means_of(X, labels, rows, k)
        new = [first_smallest([square(X[i], c, w) for c in centers], slack) for i in range(n)]
        distances = [square(X[i], centers[new[i]], w) for i in range(n)]
        new_out = set(first_largest(distances, m, slack))
        rows = [i for i in range(n) if i not in new_out]
        for j in range(k):
            sizes = np.bincount([new[i] for i in rows], minlength=k)
            candidates = [i for i in rows if sizes[new[i]] > 1]
            if sizes[j] == 0 and candidates:
                row = candidates[first_largest([distances[i] for i in candidates], 1, slack)[0]]
                new[row], distances[row] = j, 0.0
        if (new, new_out) == (labels, out):
            return labels, out, sum(square(X[i], centers[labels[i]], w) for i in rows)
        labels, out = new, new_out


def literal_outside(X, labels, out, k, m):
    """Second trimmed set, and BCSS per feature over the rows in neither."""
    n, ones = len(X), np.ones(X.shape[1])
    centers = means_of(X, labels, [i for i in range(n) if i not in out], k)
    distances = [square(X[i], centers[labels[i]], ones) for i in range(n)]
    far = set(first_largest(distances, m, rounding(X, ones)))
    used = [i for i in range(n) if i not in out | far]
    within = means_of(X, labels, used, k)
    bcss = sum((X[i] - X[used].mean(axis=0)) ** 2 - (X[i] - within[labels[i]]) ** 2 for i in used)
    return far, bcss


def literal_start(X, w, labels, k, m):
    """Rows farthest from the medians of their clusters."""
    medians = {j: np.median(X[np.array(labels) == j], axis=0) for j in set(labels)}
    distances = [square(X[i], medians[labels[i]], w) for i in range(len(X))]
    return set(first_largest(distances, m, rounding(X, w)))


def literal_gain(X, w, labels, out, k, m):
    alone = [0] * len(X)
    one = literal_trimmed(X, w, alone, literal_start(X, w, alone, 1, m), 1, m)[2]
    rows = [i for i in range(len(X)) if i not in out]
    centers = means_of(X, labels, rows, k)
    return one - sum(square(X[i], centers[labels[i]], w) for i in rows)


def literal_robust(X, labels, k, bound, m, max_iter):
    """Labels, both trimmed sets, weights, criterion, numbers of updates and of updates in the cycle."""
    ones = np.ones(X.shape[1])
    state = literal_trimmed(X, ones, labels, literal_start(X, ones, labels, k, m), k, m)[:2]
    seen = []
    while state not in seen and len(seen) < max_iter:
        seen.append(state)
        weights = l1_weights(literal_outside(X, *state, k, m)[1], bound)
        state = literal_trimmed(X, weights, *state, k, m)[:2]
    if state not in seen:
        seen[-1] = state
    first = seen.index(state)
    circle = [(l1_weights(literal_outside(X, *found, k, m)[1], bound), found) for found in seen[first:]]
    gains = [literal_gain(X, weights, *found, k, m) for weights, found in circle]
    chosen = first_largest(gains, 1, rounding(X, ones))[0]
    weights, (labels, out) = circle[chosen]
    far, bcss = literal_outside(X, labels, out, k, m)
    return labels, out, far, weights, -float(weights @ bcss), first + chosen + 1, len(circle)

"""MADD and its k-means by their definitions: loops over pairs; every mean is computed afresh."""

import math

import numpy as np


def literal_base(x, y, version):
    """Phi of two rows."""
    gaps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    if version == 0:
        return math.sqrt(sum(gap**2 for gap in gaps)) / math.sqrt(len(gaps))
    if version == 1:
        return sum(gaps) / len(gaps)
    return sum(1 - math.exp(-gap) for gap in gaps) / len(gaps)


def literal_madd(X, version):
    """Rho of all pairs, term by term."""
    n = len(X)
    phi = [[literal_base(x, y, version) for y in X.tolist()] for x in X.tolist()]
    rho = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                terms = [abs(phi[i][z] - phi[j][z]) for z in range(n) if z not in (i, j)]
                rho[i, j] = sum(terms) / (n - 2)
    return rho


def weighted_madd(X, version, weights):
    """Rho of all pairs of rows that are repeated, term by term, without one copy of each or less."""
    n = len(X)
    phi = [[literal_base(x, y, version) for y in X.tolist()] for x in X.tolist()]
    rho = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                counts = [max(w - 1, 0) if z in (i, j) else w for z, w in enumerate(weights)]
                terms = [counts[z] * abs(phi[i][z] - phi[j][z]) for z in range(n)]
                rho[i, j] = sum(terms) / sum(counts)
    return rho


def literal_criterion(D, labels, n_clusters):
    """sum_k (1 / n_k) sum_(i, j in k) D_ij."""
    members = [np.flatnonzero(labels == k) for k in range(n_clusters)]
    return sum(sum(D[i, j] for i in rows for j in rows) / len(rows) for rows in members if len(rows))


def wanted_mean(D, labels, n_clusters, u):
    """The released code's choice: smallest mean, row u counted in its own cluster."""
    means = []
    for k in range(n_clusters):
        rows = [z for z in range(len(D)) if labels[z] == k]
        means.append(sum(D[u, z] for z in rows) / len(rows) if rows else math.inf)
    return means.index(min(means))


def wanted_other(D, labels, n_clusters, u):
    """Smallest mean without row u; singletons and ties stay."""
    own = int(labels[u])
    rows = [[z for z in range(len(D)) if labels[z] == k and z != u] for k in range(n_clusters)]
    if not rows[own]:
        return own
    means = [sum(D[u, z] for z in r) / len(r) if r else math.inf for r in rows]
    best = means.index(min(means))
    return best if means[best] < means[own] else own


def wanted_gain(D, labels, n_clusters, u):
    """The label of the lowest criterion; ties stay."""
    values = []
    for k in range(n_clusters):
        trial = labels.copy()
        trial[u] = k
        values.append(literal_criterion(D, trial, n_clusters))
    own = int(labels[u])
    best = values.index(min(values))
    return best if values[best] < values[own] - 1e-12 * abs(values[own]) else own


def literal_sweeps(D, labels, n_clusters, wanted, most=100):
    """Labels, and the criterion after each sweep until a sweep changes nothing.

    Means without the row itself lower no criterion: they may come back to the same labels for ever.
    """
    labels, history, moved = labels.copy(), [], True
    while moved and len(history) < most:
        moved = False
        for u in range(len(D)):
            new = wanted(D, labels, n_clusters, u)
            moved |= new != labels[u]
            labels[u] = new
        history.append(literal_criterion(D, labels, n_clusters))
    return labels, history

"""Literal loops of the constrained methods, point by point and pair by pair, as in the papers."""

import numpy as np


def squared(a, x, z):
    """d_a(x, z)."""
    return sum(a[j] * (x[j] - z[j]) ** 2 for j in range(len(x)))


def assign(base, pairs, labels):
    """One pass; `pairs` are (u, v, S), `labels` -1 where unknown; base is (n, n_clusters)."""
    labels = list(labels)
    partners = [[] for _ in labels]
    for u, v, value in pairs:
        partners[u].append((v, value))
        partners[v].append((u, value))
    for i, row in enumerate(np.asarray(base).tolist()):
        costs = list(row)
        for j, value in sorted(partners[i]):
            if labels[j] >= 0:
                costs[labels[j]] += value
        labels[i] = costs.index(min(costs))
    return labels


def extents(X):
    """f_j of the bounding box."""
    return (X.max(axis=0) - X.min(axis=0)) ** 2


def cost_pairs(X, ml, cl, a, f):
    """Pairs (u, v, S) of must-links and cannot-links."""
    separation = float(a @ f)
    return [(u, v, -c * squared(a, X[u], X[v])) for u, v, c in ml] + [
        (u, v, c * (separation - squared(a, X[u], X[v]))) for u, v, c in cl
    ]


def spread(X, centers, labels, ml, cl, f):
    """V_j of every feature: scatter within clusters and violated pairs, each once."""
    total = np.zeros(X.shape[1])
    for x, k in zip(X, labels, strict=True):
        total += (x - centers[k]) ** 2
    for u, v, c in ml:
        if labels[u] != labels[v]:
            total += c * (X[u] - X[v]) ** 2
    for u, v, c in cl:
        if labels[u] == labels[v]:
            total += c * (f - (X[u] - X[v]) ** 2)
    return total


def mpckm(X, ml, cl, centers, max_iter, log_weight=None):
    """Labels, metric and history of J; PCKM if `log_weight` is None. Empty clusters keep their centre."""
    n, p = X.shape
    a, labels, history = np.ones(p), [-1] * n, []
    centers, f = np.array(centers, dtype=float), extents(X)
    for _ in range(max_iter):
        old = labels
        base = [[squared(a, x, c) for c in centers] for x in X]
        labels = assign(base, cost_pairs(X, ml, cl, a, f), old)
        for k in range(len(centers)):
            members = [i for i in range(n) if labels[i] == k]
            if members:
                centers[k] = X[members].mean(axis=0)
        V = spread(X, centers, labels, ml, cl, f)
        log = 0 if log_weight is None else log_weight * n * np.log(a[f > 0]).sum()
        history.append(float(a @ V) - log)
        if labels == old:
            break
        if log_weight is not None and len(history) < max_iter:
            a = np.where(V > 0, log_weight * n / np.where(V > 0, V, 1), a)
    return np.array(labels), a, history


def cop_pass(X, centers, ml, cl):
    """One pass of COP-KMeans, row by row with closed constraints; None if a row fits no cluster."""
    labels = [-1] * len(X)
    for i, x in enumerate(X):
        forced = {labels[j] for j in ml[i] if labels[j] >= 0}
        blocked = {labels[j] for j in cl[i] if labels[j] >= 0}
        order = sorted(range(len(centers)), key=lambda k: (squared(np.ones(len(x)), x, centers[k]), k))
        allowed = [k for k in order if k not in blocked and (not forced or k in forced)]
        if not allowed:
            return None
        labels[i] = allowed[0]
    return labels


def mpckm_full(X, ml, cl, centers, max_iter, floor, separation):
    """Labels, matrices and history of J with a full matrix for each cluster; empty clusters keep theirs."""
    n, p = X.shape
    centers, n_clusters = np.array(centers, dtype=float), len(centers)
    A, labels, history = [np.eye(p) for _ in range(n_clusters)], [-1] * n, []
    axes = list(A)  # eigenvectors of the scatter: floored eigenvalues leave those of A open
    least = floor * X.var(axis=0).mean()

    def d(h, x, z):
        return float((x - z) @ A[h] @ (x - z))

    def spread_under(h):
        if separation == "pair":
            x, z = max(((x, z) for x in X for z in X), key=lambda pair: d(h, *pair))
            return np.outer(x - z, x - z)
        return sum(np.ptp(X @ axis) ** 2 * np.outer(axis, axis) for axis in axes[h])

    def pair_cost(u, v, k, other, c, must):
        if must:
            return c * (d(k, X[u], X[v]) + d(other, X[u], X[v])) / 2 if k != other else 0.0
        return c * (np.trace(A[k] @ M[k]) - d(k, X[u], X[v])) if k == other else 0.0

    while True:
        old, labels = labels, list(labels)
        M = [spread_under(h) for h in range(n_clusters)]
        for i in range(n):
            costs = []
            for k in range(n_clusters):
                cost = d(k, X[i], centers[k]) - np.log(np.linalg.det(A[k]))
                for pairs, must in ((ml, True), (cl, False)):
                    for u, v, c in pairs:
                        other = v if u == i else u
                        if i in (u, v) and labels[other] >= 0:
                            cost += pair_cost(u, v, k, labels[other], c, must)
                costs.append(cost)
            labels[i] = int(np.argmin(costs))
        for k in range(n_clusters):
            members = [i for i in range(n) if labels[i] == k]
            if members:
                centers[k] = X[members].mean(axis=0)
        J = sum(d(k, x, centers[k]) - np.log(np.linalg.det(A[k])) for x, k in zip(X, labels, strict=True))
        J += sum(pair_cost(u, v, labels[u], labels[v], c, True) for u, v, c in ml)
        J += sum(pair_cost(u, v, labels[u], labels[v], c, False) for u, v, c in cl)
        history.append(J)
        if labels == old or len(history) == max_iter:
            return np.array(labels), np.array(A), history
        for h in range(n_clusters):
            members = [i for i in range(n) if labels[i] == h]
            if not members:
                continue
            V = sum(np.outer(X[i] - centers[h], X[i] - centers[h]) for i in members)
            for u, v, c in ml:
                for end, other in ((u, v), (v, u)):
                    if labels[end] == h != labels[other]:
                        V = V + c / 2 * np.outer(X[u] - X[v], X[u] - X[v])
            for u, v, c in cl:
                if labels[u] == labels[v] == h:
                    V = V + c * (M[h] - np.outer(X[u] - X[v], X[u] - X[v]))
            values, vectors = np.linalg.eigh(V / len(members))
            axes[h] = vectors.T
            A[h] = vectors @ np.diag(1 / np.maximum(values, least)) @ vectors.T

"""Kernel k-means, sparse kernel k-means and COSA as literal loops over rows."""

import math

import numpy as np


def kernel_of(name, degree=2, coef0=0.0, width=2.0):
    """A kernel of two numbers or vectors."""
    if name == "gaussian":
        return lambda x, z: math.exp(-float(np.sum((x - z) ** 2)) / width)
    return lambda x, z: (
        (float(np.dot(x, z)) + (coef0 if name == "polynomial" else 0))
        ** (degree if name == "polynomial" else 1)
    )


def gram(k, rows):
    """Kernel matrix, entry by entry."""
    return np.array([[k(x, z) for z in rows] for x in rows])


def distances(K, labels, n_clusters):
    """D_ik = K_ii - 2 F_ik + G_k by sums over members."""
    D = np.empty((len(K), n_clusters))
    for k in range(n_clusters):
        members = [s for s in range(len(K)) if labels[s] == k]
        m = len(members)
        G = sum(K[s, t] for s in members for t in members) / m**2
        for i in range(len(K)):
            D[i, k] = K[i, i] - 2 * sum(K[i, s] for s in members) / m + G
    return D


def kernel_kmeans(K, labels, n_clusters, max_iter=100):
    """Labels, the objective of every step, and whether a cluster became empty."""
    labels, path, emptied = np.array(labels), [], False
    for _ in range(max_iter):
        D = distances(K, labels, n_clusters)
        path.append(sum(D[i, labels[i]] for i in range(len(K))))
        new = D.argmin(axis=1)
        sizes = np.bincount(new, minlength=n_clusters)
        for k in range(n_clusters):
            if sizes[k] == 0:
                emptied = True
                own = [D[i, new[i]] if sizes[new[i]] > 1 else -1 for i in range(len(K))]
                i = int(np.argmax(own))
                sizes[new[i]] -= 1
                sizes[k] += 1
                new[i] = k
        if np.array_equal(new, labels):
            break
        labels = new
    return labels, path, emptied


def scatter(K, labels):
    """a_j from the squared distances that a kernel induces, by double sums."""
    n = len(K)
    d = np.array([[K[i, i] + K[t, t] - 2 * K[i, t] for t in range(n)] for i in range(n)])
    total = d.sum() / n
    for k in np.unique(labels):
        rows = np.flatnonzero(labels == k)
        total -= d[np.ix_(rows, rows)].sum() / len(rows)
    return total


def l1_weights(a, s):
    """Soft threshold by bisection: 200 halvings."""
    unit = a / np.linalg.norm(a)
    if unit.sum() <= s:
        return unit
    low, high = 0.0, a.max()
    for _ in range(200):
        middle = (low + high) / 2
        w = np.maximum(a - middle, 0)
        if w.sum() > s * np.linalg.norm(w):
            low = middle
        else:
            high = middle
    w = np.maximum(a - low, 0)
    return w / np.linalg.norm(w)


def sparse_kernel_kmeans(grams, labels, n_clusters, s, max_iter=20, tol=1e-4):
    """From labels: the partition under equal weights, then weights and partitions alternately."""
    p = len(grams)
    w = np.full(p, 1 / math.sqrt(p))
    path = []
    for _ in range(max_iter):
        labels, _, _ = kernel_kmeans(sum(wj * K for wj, K in zip(w, grams, strict=True)), labels, n_clusters)
        a = np.array([scatter(K, labels) for K in grams])
        old, w = w, l1_weights(a, s)
        path.append(float(w @ a))
        if np.abs(w - old).sum() < tol * np.abs(old).sum():
            break
    return labels, w, a, path


def cosa(X, n_neighbors, max_iter, lam=0.2, relax=0.1, whole=False, tol=1e-5, quartiles=1.35):
    """Distances, weights, eta and the number of iterations; continuous features only."""
    n, p = X.shape
    scale = np.empty(p)
    for k in range(p):
        x = sorted(X[:, k])
        low, high = math.floor(0.25 * n) - 1, math.floor(0.75 * n) - 1
        while x[high] == x[low]:
            low, high = max(low - 1, 0), min(high + 1, n - 1)
        scale[k] = quartiles / (x[high] - x[low])

    def difference(i, j, k):
        return scale[k] * abs(X[i, k] - X[j, k])

    def one(w, i, j, eta):
        if whole:
            sums = [sum(w[r, k] * math.exp(-difference(i, j, k) / eta) for k in range(p)) for r in (i, j)]
            return -eta * math.log(min(sums))
        t = [max(w[i, k], w[j, k]) for k in range(p)]
        inner = sum(t[k] * math.exp(-difference(i, j, k) / eta) for k in range(p)) / sum(t)
        return -eta * sum(t) * math.log(inner)

    def every(w, eta):
        return np.array([[0 if i == j else one(w, i, j, eta) for j in range(n)] for i in range(n)])

    w, eta, total = np.full((n, p), 1 / p), lam, tol
    D, o = every(w, eta), 0
    while o < max_iter:
        o += 1
        new = np.empty((n, p))
        for i in range(n):
            near = sorted((j for j in range(n) if j != i), key=lambda j: (D[i, j], j))[:n_neighbors]
            place = math.floor(n_neighbors / 2 + 1) - 1
            s = [sorted(difference(i, j, k) for j in near)[place] for k in range(p)]
            e = np.exp(-(np.array(s) - min(s)) / lam)
            new[i] = e / e.sum()
        change = np.abs(new - w).sum() / (2 * n * (1 - 1 / p))
        w, eta = new, lam * (1 + relax * o)
        D = every(w, eta)
        total = change if o % 11 == 0 else total + change
        if o % 11 == 10 and total / 11 <= tol:
            break
    return D, w, eta, o

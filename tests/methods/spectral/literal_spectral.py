"""Influential features PCA and its baselines, step by step by their definitions, for small data."""

import math

import numpy as np


def standardise(column):
    """Mean 0, standard deviation 1 (ddof 1)."""
    mean = math.fsum(column) / len(column)
    variance = math.fsum((x - mean) ** 2 for x in column) / (len(column) - 1)
    return [(x - mean) / math.sqrt(variance) for x in column]


def ks_score(column):
    """sqrt(n) times the largest distance of the distribution function from the normal one."""
    n = len(column)
    scale = math.sqrt(1 - 1 / n)
    u = sorted(0.5 * math.erfc(-z / scale / math.sqrt(2)) for z in standardise(column))
    steps = ((i + 1, value) for i, value in enumerate(u))
    return math.sqrt(n) * max(max(abs((i - 1) / n - value), abs(i / n - value)) for i, value in steps)


def location(values, center):
    """Mean and sd (ddof 1), or median and unscaled MAD."""
    if center == "median":
        middle = float(np.median(values))
        return middle, float(np.median([abs(v - middle) for v in values]))
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def half_up(x):
    """Rounded to integers, halves upwards."""
    return math.floor(x + 0.5)


def select(scores, null, n, cut=None, per=1.0, center="mean"):
    """Adjusted scores, p-values, HC, L (from 1) and the mask."""
    p = len(scores)
    place, spread = location(sorted(scores)[: half_up(per * p)], center)
    null_place, null_spread = location(sorted(null)[: half_up(per * len(null))], center)
    adjusted = [(s - place) / spread * null_spread + null_place for s in scores]
    pi = [sum(1 for x in null if x > a) / len(null) for a in adjusted]
    ascending = sorted(pi)
    hc = []
    for j in range(1, p + 1):
        r = j / (p + 1)
        gap = r - ascending[j - 1]
        hc.append(math.sqrt(p) * gap / math.sqrt(r) / math.sqrt(max(math.sqrt(n) * gap / r, 0) + 1))
    cut = math.log(p) / p if cut is None else cut
    first = next((j for j in range(1, p + 1) if ascending[j - 1] > cut), 1)
    searched = range(first, half_up(p / 2) + 1)
    index = max(searched, key=lambda j: (hc[j - 1], j)) if searched else p
    return adjusted, pi, hc, index, [value <= ascending[index - 1] for value in pi]


def left_singular(Z, number):
    """First left singular vectors, the entry of largest modulus positive."""
    U = np.linalg.svd(Z)[0][:, :number]
    return U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(number)])


def graph_vectors(X, number, graph):
    """Eigenvectors of the normalised graph of the centred rows, without the first, which is sqrt(d)."""
    centred = X - X.mean(axis=0)
    W = np.maximum(centred @ centred.T, 0)
    if graph == "root":
        W = np.sqrt(W)
    d = W @ np.ones(len(X))
    D = np.diag(1 / np.sqrt(d))
    complement = np.linalg.svd(np.sqrt(d)[:, None])[0][:, 1:]
    values, vectors = np.linalg.eigh(complement.T @ D @ W @ D @ complement)
    U = complement @ vectors[:, np.argsort(-values)[:number]]
    return U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(number)])


def complete_linkage(Z, n_clusters):
    """Merge the two clusters whose farthest rows are closest, until n_clusters are left."""
    clusters = [[i] for i in range(len(Z))]
    while len(clusters) > n_clusters:
        pairs = [(a, b) for a in range(len(clusters)) for b in range(a)]
        distance = {
            (a, b): max(math.dist(Z[i], Z[j]) for i in clusters[a] for j in clusters[b]) for a, b in pairs
        }
        a, b = min(pairs, key=distance.__getitem__)
        clusters[b] += clusters.pop(a)
    labels = np.empty(len(Z), dtype=int)
    for k, members in enumerate(sorted(clusters, key=min)):
        labels[members] = k
    return labels

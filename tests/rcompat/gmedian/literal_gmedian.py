"""Gmedian's algorithms row by row, in Armadillo's order of summation."""

import math

import numpy as np


def pair_sum(terms):
    even = odd = 0.0
    for t in terms[::2]:
        even += t
    for t in terms[1::2]:
        odd += t
    return even + odd


def norm(v):
    return math.sqrt(pair_sum([t * t for t in np.ravel(v).tolist()]))


def stored_norm(v):
    if np.size(v) < 32:
        return norm(v)
    total = 0.0
    for t in np.ravel(v).tolist():
        total += t * t
    return math.sqrt(total)


def gmedian(x, gamma=2, alpha=0.75, nstart=2, epsilon=1e-8):
    m, a = x[0], x[0]
    for _ in range(nstart):
        for i in range(2, len(x) + 1):
            d = norm(x[i - 1] - m)
            if d > epsilon:
                m = m + math.sqrt(x.shape[1]) * gamma * math.pow(i, -alpha) / d * (x[i - 1] - m)
            a = a + (m - a) / i
    return a


def weiszfeld(x, weights, epsilon=1e-8, nitermax=100):
    m = np.zeros(x.shape[1])
    for i, row in enumerate(x, 1):
        m = m + (row - m) / i
    n_iter, change, moved = 0, 1.0, False
    while n_iter < nitermax and change > epsilon:
        d = [norm(row - m) for row in x]
        moved = moved or any(d)
        new = m
        if moved:
            w = [wi / di if di > 0 else 0.0 for wi, di in zip(weights, d, strict=True)]
            total = pair_sum(w)
            new = np.zeros(x.shape[1])
            for wi, row in zip(w, x, strict=True):
                new = new + wi / total * row
        change, m, n_iter = norm(new - m) / math.sqrt(x.shape[1]), new, n_iter + 1
    return m, n_iter


def median_covariation(x, median, gc=2, alpha=0.75, nstart=1, nonnegative=True):
    z, p = x - median, x.shape[1]
    v = a = np.outer(z[0], z[0])
    for _ in range(nstart):
        for i in range(2, len(x) + 1):
            e = np.outer(z[i - 1], z[i - 1]) - v
            step = 1 / stored_norm(e) * (p * gc * math.pow(i, -alpha))
            v = v + (min(1.0, step) if nonnegative else step) * e
            a = a + (v - a) / i
    return a


def weiszfeld_covariation(x, median, weights, epsilon=1e-8, nitermax=100):
    z, (n, p) = x - median, x.shape
    outer = [np.outer(row, row) for row in z]
    if p > 1 and n * p <= 48:
        m = sum(outer[::2], np.zeros((p, p))) + sum(outer[1::2], np.zeros((p, p)))
    else:
        m = sum(outer, np.zeros((p, p)))
    m = m / n
    n_iter, change = 0, 1.0
    while n_iter < nitermax and change > epsilon:
        d = [norm(o - m) for o in outer]
        w = [wi / di if di > 0 else 0.0 for wi, di in zip(weights, d, strict=True)]
        new = sum((wi * o for wi, o in zip(w, outer, strict=True)), np.zeros((p, p))) / pair_sum(w)
        change, m, n_iter = norm(new - m) / p, new, n_iter + 1
    return m, n_iter


def kmedians(x, centers, gamma=1, alpha=0.75):
    m, a, root = list(centers), list(centers), math.sqrt(x.shape[1])
    counts = [1] * len(m)
    for row in x:
        d = [norm(row - center) for center in m]
        j = int(np.argmin(d))
        s = d[j] / root
        if s > 0:
            m[j] = m[j] + gamma / (math.pow(counts[j], alpha) * math.sqrt(s)) * (row - m[j])
        counts[j] += 1
        a[j] = a[j] + (m[j] - a[j]) / counts[j]
    labels, within = [], [0.0] * len(a)
    for row in x:
        d = [norm(row - center) for center in a]
        labels.append(int(np.argmin(d)))
        within[labels[-1]] += math.sqrt(min(d) / root)
    return np.array(a), np.array(labels), np.array(within)

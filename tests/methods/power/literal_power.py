"""Power k-means as in the papers: loops over rows, clusters and features, also on 60-digit numbers.

`ridge` and `averaged=False` make the entropy-weighted form that of the released R code.
"""

import math

import numpy as np
from mpmath import mp, mpf


def distance(x, center, weights):
    """sum_l omega_l (x_l - theta_l)^2, term by term."""
    return sum(w * (a - b) ** 2 for a, b, w in zip(x, center, weights, strict=True))


def exp(x):
    """With as many digits as x has."""
    return mp.exp(x) if isinstance(x, mpf) else math.exp(x)


def log(x):
    """With as many digits as x has."""
    return mp.log(x) if isinstance(x, mpf) else math.log(x)


def power_mean(values, s):
    """((sum_j y_j^s) / K)^(1/s)."""
    return (sum(v**s for v in values) / len(values)) ** (1 / s)


def lowered(s, schedule, eta):
    """The next power."""
    if schedule == "geometric":
        return s * eta
    if s > -1:
        return s - 0.2
    return s * eta if s > -120 else s


def one_step(X, C, s, omega, gamma=None, ridge=0, averaged=True, sample_weight=None):
    """New centres and feature weights at power s, as lists of numbers of the type of the input."""
    K, p = len(C), len(C[0])
    ones = [1] * len(X) if sample_weight is None else sample_weight
    phi = []
    for x, u in zip(X, ones, strict=True):
        m = [distance(x, c, omega) for c in C]
        total = sum(v**s for v in m) + ridge
        phi.append([u * (v + ridge) ** (s - 1) * total ** (1 / s - 1) for v in m])
    new = []
    for j in range(K):
        mass = sum(row[j] for row in phi)
        new.append([sum(row[j] * x[col] for row, x in zip(phi, X, strict=True)) / mass for col in range(p)])
    if gamma is None:
        return new, omega
    factor = K ** (-1 / s) if averaged else 1
    S = [
        factor
        * sum(row[j] * (x[col] - new[j][col]) ** 2 for row, x in zip(phi, X, strict=True) for j in range(K))
        for col in range(p)
    ]
    shares = [exp((min(S) - v) / gamma) for v in S]
    return new, [v / sum(shares) for v in shares]


def as_lists(X):
    """Rows as lists of Python floats, or of numbers of the given type."""
    return X.tolist() if isinstance(X, np.ndarray) else X


def literal(X, C, *, s=-3.0, eta=1.06, schedule="authors", gamma=None, n_iter=1, **options):
    """Centres, feature weights, last power and the criteria after each of `n_iter` iterations."""
    X, C = as_lists(X), as_lists(C)
    p = len(C[0])
    omega = [type(X[0][0])(1) if gamma is None else type(X[0][0])(1) / p] * p
    ones = options.get("sample_weight") or [1] * len(X)
    criteria = []
    for t in range(1, n_iter + 1):
        C, omega = one_step(X, C, s, omega, gamma, **options)
        f = sum(u * power_mean([distance(x, c, omega) for c in C], s) for x, u in zip(X, ones, strict=True))
        if gamma is not None:
            f += gamma * sum(w * log(w) for w in omega)
        criteria.append(float(f))
        if t % 2 == 0:
            s = lowered(s, schedule, eta)
    return np.array(C, dtype=float), np.array(omega, dtype=float), float(s), np.array(criteria)


def in_many_digits(X):
    """Rows of 60-digit numbers."""
    mp.dps = 60
    return [[mpf(float(v)) for v in row] for row in X]

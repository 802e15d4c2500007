"""Entropy-weighted k-means as in the papers: loops over clusters, full differences, no shortcuts."""

import numpy as np
from scipy.special import xlogy


def literal(X, centers, groups, group_gamma, feature_gamma, shared=False, n_iter=1, sample_weight=None):
    """Labels, centres, feature weights, group weights and criteria after `n_iter` updates.

    None if a cluster becomes empty. EWKM: one group (then `group_gamma` has no effect). FG-k-means: several.
    TW-k-means: `shared`.
    """
    K, names = len(centers), np.unique(groups)
    member = np.array([groups == name for name in names], dtype=float)  # (G, p)
    s = np.ones(len(X)) if sample_weight is None else sample_weight
    w = np.full((K, len(names)), 1 / len(names))
    v = np.tile(1 / (member.sum(axis=1) @ member), (K, 1))
    C, criteria = np.array(centers, dtype=float), []

    def assign():
        d = [(w[k] @ member * v[k] * (X - C[k]) ** 2).sum(axis=1) for k in range(K)]
        return np.argmin(d, axis=0)

    labels = assign()
    for _ in range(n_iter):
        if len(np.unique(labels)) < K:
            return None
        C = np.array([np.average(X[labels == k], axis=0, weights=s[labels == k]) for k in range(K)])
        D = np.array([s[labels == k] @ (X[labels == k] - C[k]) ** 2 for k in range(K)])
        E = np.tile(D.sum(axis=0), (K, 1)) if shared else D
        for k in range(K):
            for in_group, weight in zip(member > 0, w[k], strict=True):
                e = -weight * E[k, in_group] / feature_gamma
                v[k, in_group] = np.exp(e - e.max()) / np.exp(e - e.max()).sum()
            e = -member @ (v[k] * E[k]) / group_gamma
            w[k] = np.exp(e - e.max()) / np.exp(e - e.max()).sum()
        sets = slice(1) if shared else slice(None)
        dispersion = (w @ member * v * D).sum()
        entropies = group_gamma * xlogy(w, w)[sets].sum() + feature_gamma * xlogy(v, v)[sets].sum()
        criteria.append(dispersion + entropies)
        labels = assign()
    if len(np.unique(labels)) < K:
        return None
    return labels, C, v[sets], w[sets], np.array(criteria)

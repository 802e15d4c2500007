"""Other answers to "is there more than one cluster?": SigClust's idea, mixtures and latent classes by BIC."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

PEERS = ("sigclust", "mixtures", "classes")
SETS, LEVEL, MOST = 19, 0.05, 3
"""Normal sets of SigClust, its level, and the largest number of classes."""
STARTS, STEPS = 5, 200
"""Random starts of latent classes, and most steps of each."""


def peer_answers(X: np.ndarray, kind: str, seed: int) -> tuple[float, float, float]:
    """Whether each peer says more than one cluster; NaN for latent classes of what are no answers.

    Columns are standardised, with means in holes.
    """
    rows = StandardScaler().fit_transform(SimpleImputer().fit_transform(X))
    fits = [
        GaussianMixture(k, covariance_type="diag", n_init=3, random_state=seed).fit(rows).bic(rows)
        for k in range(1, MOST + 1)
    ]
    items = "items" in kind
    classes = float(np.argmin([class_bic(X, k, seed) for k in range(1, MOST + 1)]) > 0) if items else np.nan
    return float(sigclust_p_value(rows, seed) <= LEVEL), float(np.argmin(fits) > 0), classes


def sigclust_p_value(rows: np.ndarray, seed: int) -> float:
    """P-value of two clusters against one normal distribution with the eigenvalues of the rows.

    Liu, Hayes, Nobel and Marron (2008), with the eigenvalues of the sample (Huang, Liu, Yuan and Marron
    2015).
    """
    rng = np.random.default_rng(seed)
    deviations = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(rows.T)), 0))
    sets = [rows, *(rng.normal(size=rows.shape) * deviations for _ in range(SETS))]
    left = [KMeans(2, n_init=5, random_state=seed).fit(one).inertia_ / one.var(axis=0).sum() for one in sets]
    return float(np.mean(np.array(left) <= left[0]))


def class_bic(X: np.ndarray, k: int, seed: int) -> float:
    """BIC of k latent classes of independent answers, the best of several starts of EM (Lazarsfeld 1950)."""
    levels = [np.unique(column, return_inverse=True)[1] for column in X.T]
    answers = np.concatenate([np.eye(level.max() + 1)[level] for level in levels], axis=1)
    n, rng = len(X), np.random.default_rng(seed)
    best = -np.inf
    for _ in range(STARTS if k > 1 else 1):
        share, last = rng.dirichlet(np.ones(k), size=n), -np.inf
        for _ in range(STEPS):
            sizes = share.sum(axis=0)
            # One answer of each class is added, so that no probability is 0.
            chances = (share.T @ answers + 1 / k) / (sizes[:, None] + 1)
            joint = answers @ np.log(np.minimum(chances, 1)).T + np.log(sizes / n)
            total = logsumexp(joint, axis=1)
            share = np.exp(joint - total[:, None])
            if total.sum() - last < 1e-6 * n:
                break
            last = float(total.sum())
        best = max(best, float(total.sum()))
    free = k - 1 + k * (answers.shape[1] - len(levels))
    return free * np.log(n) - 2 * best

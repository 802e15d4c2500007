"""Rows with clusters in few columns, factors, batches and holes, and models on them."""

from typing import Any

import numpy as np

from sparsek.methods.factor_mixture.algorithm import FactorModel
from sparsek.methods.factor_mixture.rows import MixtureRows


def factor_design(
    seed: int, n: int = 90, p: int = 46, k: int = 3, q: int = 8, r: int = 2, shift: float = 2.5
) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose clusters differ in the first q columns, beside r factors on all; and the clusters."""
    rng = np.random.default_rng(seed)
    clusters = rng.permutation(np.arange(n) % k)
    means = np.zeros((k, p))
    means[:, :q] = shift * rng.choice([-1.0, 1.0], size=(k, q))
    X = rng.normal(size=(n, r)) @ rng.normal(size=(r, p)) * 1.5 + rng.normal(size=(n, p)) + means[clusters]
    return X, clusters


def small_model(
    seed: int, holes: float = 0.0, n_batches: int = 1, weights: Any = None
) -> tuple[FactorModel, Any]:
    """A model of 2 clusters and 2 factors on 40 rows of 7 columns, and parameters after one M-step."""
    rng = np.random.default_rng(seed)
    n, p, k = 40, 7, 2
    Z = rng.normal(size=(n, 2)) @ rng.normal(size=(2, p)) + rng.normal(size=(n, p))
    clusters = np.arange(n) % k
    Z[clusters == 0, :3] += 1.5
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    observed = (rng.random((n, p)) >= holes).astype(float) if holes else None
    if observed is not None:
        Z = Z * observed
    codes = np.arange(n) // 3 % n_batches
    indicators = np.eye(n_batches)[codes]
    weights = np.ones(n) if weights is None else weights
    shares = weights @ indicators / weights.sum()
    rows = MixtureRows.of(Z, weights, (indicators - shares)[:, 1:], observed)
    model = FactorModel(rows, k, 2)
    return model, model.begin(np.eye(k)[clusters] * 0.8 + 0.1, np.random.default_rng(0))

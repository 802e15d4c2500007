"""Do clusters explain more than they would of rows without clusters that are correlated as these are?

Factors that many features share make clusters that explain much more than those of shuffled columns, which
are not correlated. Normal rows with the covariance matrix of the data have the same factors and no clusters
(Liu, Hayes, Nobel and Marron 2008, JASA 103, 1281-1293, for two clusters).
"""

from __future__ import annotations

import numpy as np

from sparsek.core.scaling import column_squares, prepare
from sparsek.core.steps import Array, Labels
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows
from sparsek.starts.seeds import seeded_labels

N_NORMAL, NORMAL_STARTS, NORMAL_ITERATIONS = 2, 3, 15
"""Data sets of normal rows, starts of k-means on each, and their iterations at most."""
SMALL = 1e-9
"""Eigenvalues below this share of the largest one are rounding."""
MOST_SEED = 2**31 - 1


def excess(Z: Array, labels: Labels, n_clusters: int, rng: np.random.Generator) -> float:
    """Log of the share of scatter that clusters explain, less its mean on normal rows of the same covariance.

    Shapes: Z (n, m), centred; labels (n,).
    """
    total = float(np.square(Z).sum())
    if not total > 0:
        return 0.0
    sums = (labels == np.arange(n_clusters)[:, None]).astype(Z.dtype) @ Z
    sizes = np.bincount(labels, minlength=n_clusters)
    between = float(np.sum(np.square(sums) / np.maximum(sizes, 1)[:, None]))
    if not between > 0:
        return 0.0
    values = np.linalg.eigvalsh(Z @ Z.T if len(Z) <= Z.shape[1] else Z.T @ Z)
    spread = np.sqrt(values[values > SMALL * values[-1]])
    normal = [
        _share(rng.standard_normal((len(Z), len(spread))) * spread, n_clusters, rng) for _ in range(N_NORMAL)
    ]
    return float(np.log(between / total) - np.mean(np.log(normal)))


def _share(rows: Array, n_clusters: int, rng: np.random.Generator) -> float:
    """The share of their scatter that the best of a few k-means explains."""
    Z, _ = prepare(rows, None, standardize=False, by_column=False)
    starts = seeded_labels(Z, n_clusters, rng.integers(MOST_SEED, size=NORMAL_STARTS))
    found = [lloyd(array_rows(Z, labels, n_clusters), NORMAL_ITERATIONS).criterion for labels in starts]
    return float(-min(found) / column_squares(Z, None).sum())

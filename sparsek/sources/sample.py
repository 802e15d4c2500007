"""A random sample of the rows of large data, on which a start is found in memory.

Source of the idea: Bradley and Fayyad (1998), "Refining initial points for k-means clustering", ICML.
"""

from __future__ import annotations

import numpy as np

from sparsek.core.steps import Array

SAMPLE_ENTRIES = 10_000_000
"""Entries of the sample: 80 MB in double precision."""
LEAST_ROWS = 20
"""Rows of the sample for each cluster, at least."""


def sample_rows(
    n: int, p: int, n_clusters: int, rng: np.random.RandomState, entries: float = SAMPLE_ENTRIES
) -> Array:
    """Numbers of the rows of a sample, ascending; all rows if the data are small.

    Shapes: returns (n_sampled,).
    """
    size = max(int(entries // p), LEAST_ROWS * n_clusters)
    if size >= n:
        return np.arange(n)
    # All rows are equally likely. Drawing a few too many and thinning avoids a permutation of many rows.
    many = n > 5 * size
    drawn = np.unique(rng.randint(n, size=size + size // 8 + 64)) if many else np.arange(n)
    return np.sort(rng.permutation(drawn)[:size])

"""Random draws of rows and shuffles of columns that keep batches; of one batch those of rows without any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, Labels


def shuffled_within(X: Array, codes: Labels | None, rng: np.random.Generator) -> Array:
    """A copy of the data whose columns are shuffled within the batches, each column on its own.

    Shapes: X (n, p), codes (n,), or None for one batch.
    """
    if codes is None:
        return rng.permuted(X, axis=0)
    found = np.empty_like(X)
    for code in np.unique(codes).tolist():
        found[codes == code] = rng.permuted(X[codes == code], axis=0)
    return found


def order_within(n: int, codes: Labels | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """A random order of n rows in which every run has about the same share of each batch.

    Row i of the n_b rows of a batch, in random order from 0, goes to the place (i + 1/2) / n_b.
    """
    order = rng.permutation(n)
    if codes is None:
        return order
    places, own = np.empty(n), codes[order]
    for code in np.unique(codes).tolist():
        count = np.count_nonzero(own == code)
        # Places in (0, 1) that are equally spaced in each batch interleave the batches evenly when sorted.
        places[own == code] = (np.arange(count) + 0.5) / count
    return order[np.argsort(places, kind="stable")]


def drawn_within(n: int, size: int, codes: Labels | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw `size` of n rows with replacement; with batches, draw as many rows of each as it has."""
    if codes is None:
        return rng.integers(n, size=size)
    rows = [np.flatnonzero(codes == code) for code in np.unique(codes).tolist()]
    return np.concatenate([own[rng.integers(len(own), size=len(own))] for own in rows])


def folds_within(n: int, n_folds: int, codes: Labels | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw the fold of each of n rows; folds differ in size by at most one row, also within each batch."""
    order = np.argsort(rng.permutation(n))
    if codes is not None:
        # Rows of one batch are neighbours now, so that folds dealt out in turn share every batch evenly.
        order = order[np.argsort(codes[order], kind="stable")]
    found = np.empty(n, np.intp)
    found[order] = np.arange(n) % n_folds
    return found

"""Products of scaled columns in chunks, for data of many more features than rows, without a scaled copy.

Inner products of the rows need each scaled column only once. So n x n products, projections and scores of
features are summed over chunks of columns, in double precision whatever the type of the data.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import Scaling, prepare
from sparsek.core.steps import Array

CHUNK_ENTRIES = 32_768
"""Number of entries of the columns handled at a time."""


def column_chunks(X: Array, p: int | None = None) -> Iterator[slice]:
    """Slices of the columns of X, or of p of them."""
    p = X.shape[1] if p is None else p
    step = max(8, CHUNK_ENTRIES // len(X))  # 8 doubles of a row fill a cache line
    for start in range(0, p, step):
        yield slice(start, min(start + step, p))


def scale_columns(X: Array) -> Scaling:
    """Scaling of every column to mean 0 and standard deviation 1 (ddof 1); constant columns become 0."""
    parts = [
        prepare(X[:, columns].astype(np.float64, order="C"), None, standardize=True)[1]
        for columns in column_chunks(X)
    ]
    return Scaling.side_by_side(parts)


def prepared_columns(X: Array, scaling: Scaling, columns: Array | slice) -> Array:
    """These columns of X, scaled in the precision of the scaling, with a last column of ones, float64."""
    if X.dtype == scaling.offset.dtype:
        return scaling.apply(X, columns).astype(np.float64, copy=False)
    return scaling.of_columns(columns).apply(X[:, columns].astype(scaling.offset.dtype))


def gram(X: Array, scaling: Scaling, columns: Array, other: Array | None = None) -> Array:
    """Inner products of the scaled rows of X with each other or with those of `other`, over the columns."""
    products = np.zeros((len(X), len(X) if other is None else len(other)))
    for chunk in column_chunks(X, len(columns)):
        Z = prepared_columns(X, scaling, columns[chunk])[:, :-1]
        Y = Z if other is None else prepared_columns(other, scaling, columns[chunk])[:, :-1]
        products += Z @ Y.T
    return products


def column_gram(X: Array, scaling: Scaling, columns: Array) -> Array:
    """Inner products of the scaled columns, for fewer columns than rows."""
    products = np.zeros((len(columns), len(columns)))
    for rows in row_chunks(X):
        Z = prepared_columns(X[rows], scaling, columns)[:, :-1]
        products += Z.T @ Z
    return products


def project(X: Array, scaling: Scaling, columns: Array, loadings: Array) -> Array:
    """Scaled columns of X multiplied by their loadings."""
    rows = np.zeros((len(X), loadings.shape[1]))
    for chunk in column_chunks(X, len(columns)):
        rows += prepared_columns(X, scaling, columns[chunk])[:, :-1] @ loadings[chunk]
    return rows

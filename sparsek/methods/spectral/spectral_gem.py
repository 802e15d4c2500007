"""Spectral steps: principal directions of the rows from an n x n matrix, a graph's eigenvectors, linkage.

With more features than rows, all steps use Z Z', summed over chunks of columns; no p x p array and no
standardised copy of all the data are formed.

Sources: Jin and Wang (2016), Annals of Statistics 44, 2323-2359, for the left singular vectors; Lee, Luca and
Roeder (2010), "A spectral graph approach to discovering genetic ancestry", Annals of Applied Statistics 4,
179-202, for the graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist

from sparsek.core.exact_sums import row_chunks
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels
from sparsek.core.trees import linkage_labels
from sparsek.methods.spectral.gram import column_chunks, column_gram, gram, prepared_columns, project

GRAPHS = ("root", "linear")
"""Weight of an edge: the root of the positive part of the inner product, or the positive part itself."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Rows in a few directions."""

    rows: Array  # (n, r): orthonormal columns, the entry of largest modulus positive; dimensionless
    loadings: Array  # (m, r): factors that embed new rows, by `project` or `graph_project`


def principal_rows(X: Array, scaling: Scaling, columns: Array, n_components: int) -> Embedding:
    """First left singular vectors of the scaled columns Z; fewer than asked for if the rank is lower.

    Shapes: X (n, p), columns (m,) int.
    """
    n, m = len(X), len(columns)
    wanted = min(n_components, n, m)
    if wanted == 0:
        return Embedding(np.zeros((n, 0)), np.zeros((m, 0)))
    smaller = gram if n <= m else column_gram
    values, vectors = _largest(smaller(X, scaling, columns), wanted)
    kept = slice(0, np.count_nonzero(values > max(n, m) * np.finfo(np.float64).eps * values[0]))
    if n <= m:
        U = vectors[:, kept]
        loadings = np.empty((m, U.shape[1]))
        for chunk in column_chunks(X, m):
            loadings[chunk] = prepared_columns(X, scaling, columns[chunk])[:, :-1].T @ U / values[kept]
    else:
        loadings = vectors[:, kept] / np.sqrt(values[kept])
        # U is orthonormal up to rounding of the products, which the factor R removes.
        U, R = np.linalg.qr(project(X, scaling, columns, loadings))
        loadings = loadings @ np.linalg.inv(R)
    signs = _signs(U)
    return Embedding(U * signs, loadings * signs)


def graph_rows(X: Array, scaling: Scaling, columns: Array, n_components: int, graph: str) -> Embedding:
    """Eigenvectors 2, 3, ... of D^-1/2 W D^-1/2 for weights W = max(Z Z', 0), or their roots, D = diag(W 1).

    Shapes: X (n, p), columns (m,) int.
    """
    n = len(X)
    W = edge_weights(gram(X, scaling, columns), graph)
    degrees = W.sum(axis=1)
    W *= _inverse_root(degrees)
    W *= _inverse_root(degrees)[:, None]
    # Subtract the first vector: if the graph is not connected, other vectors have eigenvalue 1 too.
    first = np.sqrt(degrees / degrees.sum())
    for rows in row_chunks(W):
        W[rows] -= first[rows, None] * first
    values, vectors = _largest(W, min(n, n_components))
    kept = slice(0, np.count_nonzero(values > n * np.finfo(np.float64).eps))
    U = vectors[:, kept] * _signs(vectors[:, kept])
    return Embedding(U, _inverse_root(degrees)[:, None] * U / values[kept])


def graph_project(products: Array, loadings: Array, graph: str) -> Array:
    """Embed new rows by their inner products with the rows of the graph; 0 for a row without edges."""
    W = edge_weights(products, graph)
    return np.asarray(_inverse_root(W.sum(axis=1))[:, None] * (W @ loadings))


def edge_weights(products: Array, graph: str) -> Array:
    """Weights of the edges; the inner products are overwritten."""
    np.maximum(products, 0, out=products)
    return np.sqrt(products, out=products) if graph == "root" else products


def complete_linkage(Z: Array, n_clusters: int) -> Labels:
    """Exactly `n_clusters` clusters by complete linkage: the last merges are undone, whatever their heights.

    Shapes: Z (n, m); returns (n,) int32.
    """
    return linkage_labels(pdist(Z), n_clusters, "complete")


def _largest(matrix: Array, number: int) -> tuple[Array, Array]:
    """Largest eigenvalues of a symmetric matrix, descending, and their vectors; the matrix is overwritten."""
    n = len(matrix)
    values, vectors = eigh(matrix, subset_by_index=[n - number, n - 1], overwrite_a=True)
    return values[::-1], vectors[:, ::-1]


def _signs(vectors: Array) -> Array:
    """Signs that make the entry of largest modulus of each column positive."""
    largest = np.abs(vectors).argmax(axis=0)
    return np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _inverse_root(degrees: Array) -> Array:
    """1 / sqrt(d), 0 for a degree of 0."""
    return np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)

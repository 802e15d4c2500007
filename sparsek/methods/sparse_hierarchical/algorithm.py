"""Sparse dissimilarities of Witten and Tibshirani, without the n x n x p differences.

Maximises ``sum_j w_j sum_ii' d_ii'j U_ii'`` over weights and matrices with ``||w||_2 <= 1``,
``||w||_1 <= s``, ``w >= 0``, ``||U||_F <= 1``; d_ii'j is the dissimilarity of rows i and i' in feature j.

With squared distances, ``sum_j w_j d_ii'j`` is a weighted distance, and ``sum_ii' U_ii' d_ii'j`` is twice the
quadratic form of the Laplacian of U: matrix products of n x n by n x p.

Source: Witten and Tibshirani (2010), "A framework for feature selection in clustering", JASA 105, 713-726,
Section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array
from sparsek.core.weights import l1_weights, weights_settled

MATRICES = 6
"""Number of n x n matrices of doubles held at once, the agglomeration included."""


@dataclass(frozen=True, slots=True)
class SparseDissimilarities:
    """Result of `sparse_dissimilarities`."""

    weights: Array  # (p,): feature weights; all 0 when no two rows differ
    matrix: Array  # (n, n): U, symmetric, unit Frobenius norm, zero diagonal
    history: tuple[float, ...]  # Minus the criterion after each weight update, never increasing
    converged: bool  # Whether the weights settled within the iterations


def sparse_dissimilarities(
    Z: Array, l1_bound: float, squared: bool, max_iter: int, tol: float, mass: Array | None = None
) -> SparseDissimilarities:
    """Alternate between the dissimilarities and the weights.

    A row of `mass` m counts as m rows, a pair of rows as the product of theirs.

    Shapes: Z (n, p) float64, mass (n,).
    """
    p = Z.shape[1]
    weights = np.full(p, 1 / np.sqrt(p))
    per_feature = _squared_per_feature if squared else _absolute_per_feature
    history: list[float] = []
    converged = False
    while not converged and len(history) < max_iter:
        previous = weights
        U = _unit(_weighted_distances(Z, weights, squared), mass)
        if mass is not None:
            U *= mass
            U *= mass[:, None]
        a = per_feature(Z, U)  # U given w, then a = D'u
        weights = l1_weights(a, l1_bound)
        history.append(-float(a @ weights))
        converged = weights_settled(weights, previous, tol)
        if not weights.any():
            return SparseDissimilarities(weights, np.zeros((len(Z), len(Z))), (0.0,), True)
    # Direct differences, because the products of the iterations lose the digits of small distances.
    matrix = _unit(weighted_dissimilarities(Z, Z, weights, squared), mass)
    return SparseDissimilarities(weights, matrix, tuple(history), converged)


def weighted_dissimilarities(one: Array, other: Array, weights: Array, squared: bool) -> Array:
    """sum_j w_j d_ii'j of the rows of two sets, by direct differences.

    Shapes: one (m, p), other (n, p), weights (p,); returns (m, n).
    """
    used = np.flatnonzero(weights)
    factor = np.sqrt(weights[used]) if squared else weights[used]
    metric: Literal["sqeuclidean", "cityblock"] = "sqeuclidean" if squared else "cityblock"
    return cdist(one[:, used] * factor, other[:, used] * factor, metric)


def _unit(matrix: Array, mass: Array | None) -> Array:
    """The matrix scaled to unit Frobenius norm, of repeated rows if they have mass; zero if it is zero."""
    if mass is None:
        norm = float(np.linalg.norm(matrix))
    else:
        norm = float(np.sqrt((np.einsum("ij,ij,j->i", matrix, matrix, mass) * mass).sum()))
    return matrix / norm if norm > 0 else matrix


def _weighted_distances(Z: Array, weights: Array, squared: bool) -> Array:
    """sum_j w_j d_ii'j."""
    used = np.flatnonzero(weights)
    if not squared:
        scaled = Z[:, used] * weights[used]
        return cdist(scaled, scaled, "cityblock")
    scaled = Z[:, used] * np.sqrt(weights[used])
    products = scaled @ scaled.T
    squares = products.diagonal()
    products = squares[:, None] + squares - 2 * products
    np.fill_diagonal(products, 0)
    found: Array = np.maximum(products, 0, out=products)
    return found


def _squared_per_feature(Z: Array, U: Array) -> Array:
    """sum_ii' U_ii' (z_ij - z_i'j)^2 = 2 (sum_i U_i. z_ij^2 - z_j' U z_j)."""
    form = U.sum(axis=1)[:, None] * Z - U @ Z
    found: Array = 2 * np.maximum(np.einsum("ij,ij->j", form, Z), 0)
    return found


def _absolute_per_feature(Z: Array, U: Array) -> Array:
    """sum_ii' U_ii' |z_ij - z_i'j|, one row at a time."""
    total = np.zeros(Z.shape[1])
    for i in range(len(Z) - 1):
        total += U[i, i + 1 :] @ np.abs(Z[i + 1 :] - Z[i])
    return 2 * total

"""Explicit coordinates of kernels of single features: phi_j with k_j(x, z) = phi_j(x) . phi_j(z).

A polynomial kernel has a finite map: (x z + c)^d = sum_r C(d, r) c^(d-r) x^r z^r, a column for each power.
Any other kernel is factored by pivoted incomplete Cholesky on the distinct values of its feature; a smooth
kernel of one variable needs few columns. Matrices of n x n are never formed.

Source: Fine and Scheinberg (2001), "Efficient SVM training using low-rank kernel representations", JMLR 2,
243-264 (incomplete Cholesky factorisation).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.linalg import solve_triangular

from sparsek.methods.kernel.functions import Kernel, diagonal, kernel_matrix, negative_eigenvalue, symmetric
from sparsek.methods.shared.sums import Array

REMAINDER = 1e-10
"""A factorisation stops when the diagonal of the remainder is below this share of the scatter."""
INDEFINITE = 1e-8
"""A kernel that differs from its factors by this share of its diagonal is not positive semidefinite."""
ROUNDING = 1e-10
"""Relative size of asymmetry and of negative eigenvalues that counts as rounding."""


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """Columns phi_j of every feature.

    Attributes
    ----------
    kernel : Kernel
        The kernel of every feature.
    powers : tuple of (int, float)
        Powers r of a polynomial kernel with the roots of their coefficients; empty for other kernels.
    pivots : tuple of p ndarrays of shape (r_j, 1)
        Values of the feature chosen as pivots of its factorisation; empty for polynomial kernels.
    factors : tuple of p ndarrays of shape (r_j, r_j)
        Lower triangular L with L L' the kernel of these values.
    groups : ndarray of shape (M,), int
        The feature of every column, ascending.
    """

    kernel: Kernel
    powers: tuple[tuple[int, float], ...]
    pivots: tuple[Array, ...]
    factors: tuple[Array, ...]
    groups: Array

    def apply(self, X: Array, features: Array | None = None) -> Array:
        """Columns of the chosen features (default all), shape (n, M), float64."""
        chosen: list[int] = list(range(X.shape[1])) if features is None else features.tolist()
        if not self.pivots:
            part = X[:, chosen].astype(np.float64)
            columns = [part**power * root for power, root in self.powers]
            return np.stack(columns, axis=2).reshape(len(X), len(chosen) * len(columns))
        parts: list[Array] = [np.zeros((len(X), 0))]
        for j in chosen:
            cross = kernel_matrix(
                self.kernel.of_feature(j), self.pivots[j], X[:, j : j + 1].astype(np.float64)
            )
            parts.append(solve_triangular(self.factors[j], cross, lower=True, overwrite_b=True).T)
        return np.concatenate(parts, axis=1)


def polynomial_map(kernel: Kernel, p: int) -> FeatureMap:
    """Finite map of a linear or polynomial kernel; the constant column is left out."""
    d, c = (1, 0.0) if kernel.name == "linear" else (kernel.degree, kernel.coef0)
    terms = [(r, comb(d, r) * c ** (d - r)) for r in range(1, d + 1)]
    powers = tuple((r, float(np.sqrt(coefficient))) for r, coefficient in terms if coefficient > 0)
    return FeatureMap(kernel, powers, (), (), np.repeat(np.arange(p), len(powers)))


def low_rank_map(kernel: Kernel, X: Array, max_columns: int, max_rank: int) -> FeatureMap | None:
    """Incomplete Cholesky factors of the kernel of every feature.

    Parameters
    ----------
    kernel : Kernel
        Gaussian, or a function.
    X : ndarray of shape (n, p), float64
        Data.
    max_columns : int
        Number of columns allowed for all features together.
    max_rank : int
        Number of columns allowed for one feature.

    Returns
    -------
    FeatureMap or None
        None if the factors need more columns, if a kernel is not positive semidefinite, or if all are zero.
    """
    pivots, factors = [], []
    left = max_columns
    for j in range(X.shape[1]):
        one, values = kernel.of_feature(j), np.unique(X[:, j])[:, None]
        found = pivoted_cholesky(one, values, min(left, max_rank))
        if found is None or (callable(kernel.name) and not _is_product(one, values, *found)):
            return None
        rows, L = found
        pivots.append(values[rows])
        factors.append(L[:, rows].T)
        left -= len(rows)
    ranks = [len(rows) for rows in pivots]
    if not any(ranks):
        return None
    return FeatureMap(kernel, (), tuple(pivots), tuple(factors), np.repeat(np.arange(X.shape[1]), ranks))


def pivoted_cholesky(kernel: Kernel, values: Array, max_rank: int) -> tuple[list[int], Array] | None:
    """Factor the kernel of distinct values: at each step the value that is fitted worst becomes a pivot.

    Parameters
    ----------
    kernel : Kernel
        Of one feature.
    values : ndarray of shape (n, 1)
        Distinct values.
    max_rank : int
        Largest number of pivots.

    Returns
    -------
    rows : list of r int
        Pivots in their order.
    L : ndarray of shape (r, n)
        L' L is the kernel, up to the remainder.
    None instead if more pivots would be needed.
    """
    remainder = diagonal(kernel, values)
    noise = 8 * np.finfo(np.float64).eps * float(np.abs(remainder).max())
    L = np.empty((16, len(values)))
    rows: list[int] = []
    scatter = 0.0
    while len(rows) < len(values):
        worst = int(np.argmax(remainder))
        if remainder[worst] <= max(REMAINDER * scatter, noise):
            break
        r = len(rows)
        if r == max_rank:
            return None
        if r == len(L):
            L = np.concatenate([L, np.empty_like(L)])
        row = kernel_matrix(kernel, values[worst : worst + 1], values)[0] - L[:r, worst] @ L[:r]
        row[rows] = 0
        row /= np.sqrt(remainder[worst])
        row[worst] = np.sqrt(remainder[worst])
        L[r] = row
        rows.append(worst)
        remainder -= row * row
        remainder[rows] = 0
        scatter += float(row.var())
    return rows, L[: len(rows)]


def _is_product(kernel: Kernel, values: Array, rows: list[int], L: Array) -> bool:
    """Whether L' L equals the kernel matrix, as it does if the kernel is positive semidefinite."""
    top = max(float(np.abs(diagonal(kernel, values)).max()), float(np.square(L).sum(axis=0).max(initial=0)))
    for begin in range(0, len(values), 256):
        part = slice(begin, begin + 256)
        if np.abs(kernel_matrix(kernel, values[part], values) - L[:, part].T @ L).max() > INDEFINITE * top:
            return False
    return True


def lowest_eigenvalue(kernel: Kernel, X: Array) -> tuple[float, int]:
    """Smallest eigenvalue of the features' kernel matrices and its feature; 0 if none is negative.

    Raises ValueError if a matrix is not symmetric.
    """
    lowest, feature = 0.0, 0
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])[:, None]
        K = symmetric(kernel_matrix(kernel.of_feature(j), values, values), ROUNDING)
        found = negative_eigenvalue(K, ROUNDING)
        if found < lowest:
            lowest, feature = found, j
    return lowest, feature

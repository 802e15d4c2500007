"""Explicit coordinates of kernels of features or groups: phi_j with k_j(x, z) = phi_j(x) . phi_j(z).

A polynomial kernel of one feature has a finite map: (x z + c)^d = sum_r C(d, r) c^(d-r) x^r z^r, a column for
each power. Any other kernel is factored by pivoted incomplete Cholesky on the distinct rows of its group; a
smooth kernel of few variables needs few columns. Matrices of n x n are never formed.

Source: Fine and Scheinberg (2001), "Efficient SVM training using low-rank kernel representations", JMLR 2,
243-264 (incomplete Cholesky factorisation).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.linalg import solve_triangular

from sparsek.core.steps import Array
from sparsek.methods.kernel.functions import Kernel, diagonal, kernel_matrix, negative_eigenvalue, symmetric

REMAINDER = 1e-10
"""A factorisation stops when the diagonal of the remainder is below this share of the scatter."""
INDEFINITE = 1e-8
"""A kernel that differs from its factors by this share of its diagonal is not positive semidefinite."""
ROUNDING = 1e-10
"""Relative size of asymmetry and of negative eigenvalues that counts as rounding."""

GRID_BITS = 36
"""The columns of a factorisation keep this many bits; what goes is far below what the factors leave out."""


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """Columns phi_j of every group of features (by default every feature is one)."""

    kernel: Kernel  # The kernel of every group
    # Powers r of a polynomial kernel with the roots of their coefficients; empty for other kernels
    powers: tuple[tuple[int, float], ...]
    # (r_j, features of the group): rows of each group chosen as pivots of its factorisation; empty where
    # there are powers
    pivots: tuple[Array, ...]
    factors: tuple[Array, ...]  # (r_j, r_j): lower triangular L with L L' the kernel of these rows
    groups: Array  # (M,) int: the group of every column, ascending

    def apply(self, X: Array, groups: Array | None = None) -> Array:
        """Columns of the chosen groups (default all), shape (n, M), float64."""
        chosen: list[int] = list(range(self.kernel.n_groups)) if groups is None else groups.tolist()
        if not self.pivots:
            used = np.concatenate([np.zeros(0, dtype=np.intp), *map(self.kernel.columns, chosen)])
            part = X[:, used].astype(np.float64)
            columns = [part**power * root for power, root in self.powers]
            return np.stack(columns, axis=2).reshape(len(X), len(used) * len(columns))
        parts: list[Array] = [np.zeros((len(X), 0))]
        for g in chosen:
            own = X[:, self.kernel.columns(g)].astype(np.float64)
            cross = kernel_matrix(self.kernel.of_group(g), self.pivots[g], own)
            # With L L' the kernel of the pivots, the columns y of a row x solve L y = k(pivots, x).
            found = solve_triangular(self.factors[g], cross, lower=True, overwrite_b=True).T
            parts.append(_on_grid(found, self.factors[g]))
        return np.concatenate(parts, axis=1)


def _on_grid(columns: Array, factor: Array) -> Array:
    """Columns of a group rounded far below what its factorisation leaves out.

    Rows far from all others lie at one distance from them, where the last digits would decide.
    """
    if not factor.size:
        return columns
    # A power of two, relative to the largest factor, so that rounding does not depend on units.
    step = np.exp2(np.ceil(np.log2(np.abs(factor).max())) - GRID_BITS)
    found: Array = np.rint(columns / step) * step
    return found


def has_powers(kernel: Kernel) -> bool:
    """Whether `polynomial_map` has the columns of the kernel: linear, or polynomial of single features."""
    single = all(len(columns) == 1 for columns in kernel.members)
    return kernel.name == "linear" or (kernel.name == "polynomial" and single)


def polynomial_map(kernel: Kernel) -> FeatureMap:
    """Finite map of a linear kernel, or of a polynomial of each feature; the constant column is left out."""
    d, c = (1, 0.0) if kernel.name == "linear" else (kernel.degree, kernel.coef0)
    # The binomial theorem for (x z + c)^d; the term r = 0 is the same for all rows and changes no distance.
    terms = [(r, comb(d, r) * c ** (d - r)) for r in range(1, d + 1)]
    powers = tuple((r, float(np.sqrt(coefficient))) for r, coefficient in terms if coefficient > 0)
    sizes = [len(kernel.columns(g)) for g in range(kernel.n_groups)]
    groups = np.repeat(np.arange(kernel.n_groups), np.array(sizes) * len(powers))
    return FeatureMap(kernel, powers, (), (), groups)


def low_rank_map(kernel: Kernel, X: Array, max_columns: int, max_rank: int) -> FeatureMap | None:
    """Incomplete Cholesky factors of the kernel of every group of features.

    Shapes: X (n, p) float64.
    """
    pivots, factors = [], []
    left = max_columns
    for g in range(kernel.n_groups):
        one, values = kernel.of_group(g), distinct_rows(X[:, kernel.columns(g)])
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
    groups = np.repeat(np.arange(kernel.n_groups), ranks)
    return FeatureMap(kernel, (), tuple(pivots), tuple(factors), groups)


def distinct_rows(X: Array) -> Array:
    """The distinct rows of X, sorted."""
    rows: Array = np.unique(X)[:, None] if X.shape[1] == 1 else np.unique(X, axis=0)
    return rows


def pivoted_cholesky(kernel: Kernel, values: Array, max_rank: int) -> tuple[list[int], Array] | None:
    """Factor the kernel of distinct values: at each step the value that is fitted worst becomes a pivot.

    Shapes: values (n, features of the group); returns L (r, n).
    """
    remainder = diagonal(kernel, values)
    noise = 8 * np.finfo(np.float64).eps * float(np.abs(remainder).max())
    L = np.empty((16, len(values)))
    rows: list[int] = []
    scatter = 0.0
    while len(rows) < len(values):
        worst = int(np.argmax(remainder >= remainder.max() - noise))  # the first of equal ones
        if remainder[worst] <= max(REMAINDER * scatter, noise):
            break
        r = len(rows)
        if r == max_rank:
            return None
        if r == len(L):
            L = np.concatenate([L, np.empty_like(L)])
        row = kernel_matrix(kernel, values[worst : worst + 1], values)[0] - L[:r, worst] @ L[:r]
        # Earlier pivots are fitted exactly: what rounding leaves there is no remainder.
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
    """Smallest eigenvalue of the groups' kernel matrices and its group; 0 if none is negative.

    Raises ValueError if a matrix is not symmetric.
    """
    lowest, group = 0.0, 0
    for g in range(kernel.n_groups):
        values = distinct_rows(X[:, kernel.columns(g)])
        K = symmetric(kernel_matrix(kernel.of_group(g), values, values), ROUNDING)
        found = negative_eigenvalue(K, ROUNDING)
        if found < lowest:
            lowest, group = found, g
    return lowest, group

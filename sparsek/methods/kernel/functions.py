"""Kernels k(x, z): linear, polynomial, Gaussian, or a function; their matrices, checks and default width.

The functions here serve kernels of whole rows and, given some columns, kernels of features or of groups.

Source: Shawe-Taylor and Cristianini (2004), Kernel Methods for Pattern Analysis, Cambridge University Press.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array

LARGEST_VALUE = 1e150
"""Largest kernel value allowed: its square must stay finite."""
DISTINCT_VALUES = 512
"""A median over pairs uses at most this many values of a feature: evenly spaced quantiles."""
DIAGONAL_ROWS = 64
"""Number of rows at a time for the diagonal of a kernel given as a function."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel and its parameters."""

    # <x, z>; (<x, z> + coef0)^degree; exp(-sum_j (x_j - z_j)^2 / width_j); or a function of two matrices with
    # p columns, that returns the matrix of kernel values
    name: str | Callable[[Array, Array], Array]
    degree: int  # d, at least 1
    coef0: float  # c of the polynomial kernel, at least 0
    # (p,): c of the Gaussian kernel, positive; it divides the squared difference (twice a variance)
    width: Array
    # Columns of every group of features; empty if every feature is a group of its own
    members: tuple[Array, ...] = ()

    @property
    def n_groups(self) -> int:
        """Number of groups of features."""
        return len(self.members) or len(self.width)

    def columns(self, g: int) -> Array:
        """Columns of group g."""
        return self.members[g] if self.members else np.array([g])

    def of_group(self, g: int) -> Kernel:
        """The kernel of group g alone."""
        return replace(self, width=self.width[self.columns(g)], members=())


def kernel_matrix(kernel: Kernel, A: Array, B: Array) -> Array:
    """Matrix of k(a_i, b_l), shape (len(A), len(B)), float64."""
    if callable(kernel.name):
        return _called(kernel.name, A, B)
    if kernel.name == "gaussian":
        root = np.sqrt(kernel.width)
        # In columns divided by the roots of the widths, the exponent is one squared distance.
        values = cdist(A / root, B / root, "sqeuclidean")
        np.negative(values, out=values)
        return np.exp(values, out=values)
    products = A @ B.T
    if kernel.name == "polynomial":
        products += kernel.coef0
        products **= kernel.degree
    return products


def _called(function: Callable[[Array, Array], Array], A: Array, B: Array) -> Array:
    """Checked kernel values of a function, copied so that they can be changed."""
    values = np.array(function(A, B), dtype=np.float64)
    if values.shape != (len(A), len(B)):
        raise ValueError(
            f"the kernel must return a matrix of shape {(len(A), len(B))}, one row per row of its first "
            f"argument and one column per row of its second; got shape {values.shape}"
        )
    if not np.isfinite(values).all() or np.abs(values).max(initial=0) > LARGEST_VALUE:
        raise ValueError(f"the kernel must return finite numbers of size at most {LARGEST_VALUE}; scale X")
    return values


def diagonal(kernel: Kernel, A: Array) -> Array:
    """k(a_i, a_i), shape (len(A),)."""
    if callable(kernel.name):
        blocks = (A[i : i + DIAGONAL_ROWS] for i in range(0, len(A), DIAGONAL_ROWS))
        return np.concatenate([kernel_matrix(kernel, block, block).diagonal() for block in blocks])
    if kernel.name == "gaussian":
        return np.ones(len(A))
    squares = np.einsum("ij,ij->i", A, A)
    found: Array = squares if kernel.name == "linear" else (squares + kernel.coef0) ** kernel.degree
    return found


def require_range(largest_square: float, kernel: Kernel) -> None:
    """Refuse data for which all kernel values (or the squared distances in them) vanish, or some overflow."""
    if callable(kernel.name):
        return
    degree, constant = (kernel.degree, kernel.coef0) if kernel.name == "polynomial" else (1, 0.0)
    what = "squared distance" if kernel.name == "gaussian" else f"{kernel.name} kernel"
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.float64(largest_square + constant) ** degree)
    if value > LARGEST_VALUE:
        raise ValueError(
            f"the {what} reaches {value:.3g}, above {LARGEST_VALUE:g}, beyond which sums overflow; "
            "scale X, for example to [-1, 1]" + (", or lower the degree" if degree > 1 else "")
        )
    if largest_square > 0 and value < 1 / LARGEST_VALUE:
        raise ValueError(
            f"the {what} is at most {value:.3g}, below {1 / LARGEST_VALUE:g}, where digits are lost; "
            "scale X, for example to [-1, 1]"
        )


def symmetric(K: Array, rounding: float) -> Array:
    """The mean of K and its transpose; ValueError if they differ by more than rounding."""
    worst = float(np.abs(K - K.T).max(initial=0))
    if worst > rounding * np.abs(K).max(initial=0):
        raise ValueError(
            f"a kernel matrix must be symmetric; entries differ from their mirror image by {worst:.6g}; "
            "use (K + K.T) / 2 if that is meant"
        )
    return (K + K.T) / 2


def negative_eigenvalue(K: Array, rounding: float) -> float:
    """Smallest eigenvalue of a symmetric matrix if it is negative beyond rounding, else 0."""
    # The shift is the size of rounding: K + shift has a Cholesky factor if no eigenvalue is below -shift.
    shift = len(K) * rounding * float(np.abs(K).max(initial=0))
    try:
        cholesky(K + shift * np.eye(len(K)), lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        lowest = float(eigvalsh(K, subset_by_index=[0, 0], check_finite=False)[0])
        return lowest if lowest < -shift else 0.0
    return 0.0


def median_widths(X: Array, weights: Array | None, members: tuple[Array, ...] = ()) -> Array:
    """Median of the non-zero squared differences of every feature, or distances in its group; 1 if constant.

    A row of weight m counts as m rows. If a feature has more than 512 distinct values, 512 evenly spaced
    quantiles replace them; distances in a group are taken between all rows.
    """
    mass = np.ones(len(X)) if weights is None else weights.astype(np.float64)
    widths = np.empty(X.shape[1])
    for columns in members or [np.array([j]) for j in range(X.shape[1])]:
        alone = len(columns) == 1
        widths[columns] = (
            _median_square(X[:, columns[0]], mass) if alone else median_distance(X[:, columns], weights)
        )
    return widths


def _median_square(x: Array, mass: Array) -> float:
    """Weighted median of (x_i - x_l)^2 over the pairs of different values."""
    values, place = np.unique(x, return_inverse=True)
    counts = np.bincount(place, mass)
    if len(values) > DISTINCT_VALUES:
        cumulative = np.cumsum(counts)
        # The middles of 512 equal parts of the weight: evenly spaced quantiles, without the two ends.
        levels = (np.arange(DISTINCT_VALUES) + 0.5) / DISTINCT_VALUES * cumulative[-1]
        values, counts = np.unique(values[np.searchsorted(cumulative, levels)], return_counts=True)
    i, k = np.triu_indices(len(values), 1)
    # A pair of values stands for as many pairs of rows as the product of their counts.
    return weighted_median(np.square(values[k] - values[i]), counts[i] * counts[k])


def median_distance(X: Array, weights: Array | None) -> float:
    """Median of the non-zero squared distances of rows; 1 if all rows are equal."""
    squares = cdist(X, X, "sqeuclidean")
    different = squares > 0
    if weights is None:
        return float(np.median(squares[different])) if different.any() else 1.0
    mass = weights.astype(np.float64)
    return weighted_median(squares[different], np.multiply.outer(mass, mass)[different])


def weighted_median(values: Array, mass: Array) -> float:
    """Median of values repeated `mass` times (mean of the two middle ones); 1 if no value is above 0."""
    if not values.size or values.max() == 0:
        return 1.0
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(mass[order])
    half = cumulative[-1] / 2
    # Where the weights split exactly in halves, the median is the mean of the two values in the middle.
    low, high = np.searchsorted(cumulative, half, "left"), np.searchsorted(cumulative, half, "right")
    last = len(values) - 1
    return float(values[order[min(low, last)]] + values[order[min(high, last)]]) / 2

"""Shared base of the kernel estimators: parameters, distances and starts from a kernel matrix."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.core.scaling import Scaling, prepare, refuse_far_rows
from sparsek.core.steps import Array, Labels
from sparsek.errors import callers_level
from sparsek.inputs.arguments import POSITIVE, names, require_matrices
from sparsek.inputs.containers import numbers
from sparsek.methods.kernel.functions import (
    Kernel,
    kernel_matrix,
    median_distance,
    median_widths,
    require_range,
)
from sparsek.methods.kernel.kernel_kmeans import KernelModel
from sparsek.methods.shared.weighted import WeightedClusterer
from sparsek.starts.by_name import N_NEIGHBORS
from sparsek.starts.dkm import TILE, decay, dense_rows
from sparsek.starts.farthest_first import maximin_by_distances
from sparsek.starts.lof import TOLERANCE, factors_of_distances
from sparsek.starts.robin import robin_band_rows
from sparsek.starts.seeds import clear_rounding

MATRICES = 3
"""Number of n x n matrices of doubles held at once."""
BLOCK_ENTRIES = 4_000_000
"""Number of kernel values between new rows and rows of the fit held at a time."""


Width = Annotated[Any, names("median"), POSITIVE, "array-like"]


class KernelClusterer(WeightedClusterer):
    """Base of the kernel estimators; `_model` holds centres given by a kernel matrix."""

    _texts: ClassVar = {
        "degree": "d of the polynomial kernel, at least 1.",
        "width_": "Widths of the Gaussian kernel; only with this kernel.",
    }

    kernel: Any
    degree: int
    coef0: float
    width: Any
    memory_limit: float
    max_iter: int
    standardize: bool
    _kernel: Kernel
    _model: KernelModel | None
    _why_fewer = "duplicate points in X, or a kernel that hardly tells rows apart"

    def _cross(self, X: Array) -> tuple[Array, Array]:
        """Kernel values of rows of X with the rows of the fit, (m, n), and with themselves, (m,)."""
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return int(self._as_fitted().n_clusters)

    def _own_units(self, X: Array, weights: Array | None) -> Array:
        """Rows of the fit as doubles, in standard deviations with `standardize`; keeps the scaling."""
        self._standardization: Scaling | None = None
        if self.standardize:
            self._standardization = prepare(X.astype(np.float64), weights, standardize=True)[1]
        return self._in_own_units(X)

    def _in_own_units(self, X: Array) -> Array:
        """New rows likewise."""
        rows = X.astype(np.float64)
        return rows if self._standardization is None else self._standardization.apply(rows)[:, :-1]

    def _refuse_far_rows(self, X: Array, rows: Any = None) -> None:
        if self._standardization is not None:
            scaling = self._standardization
            refuse_far_rows(X, scaling.unit, scaling.offset, scaling.spread, rows)
            X = self._in_own_units(X)
        if self.kernel in ("linear", "polynomial"):
            with np.errstate(over="ignore"):
                largest = float(X.shape[1] * np.square(np.abs(X).max().astype(np.float64)))
            require_range(max(1.0, largest), self._kernel)  # small values are harmless here
        elif self.kernel == "gaussian":
            _require_quotients(X, self._kernel.width)

    def _squared(self, X: Array) -> NDArray[np.float64]:
        """Squared distances to the centres in the space of the kernel, shape (m, n_clusters)."""
        assert self._model is not None  # callers make sure of it
        step = max(1, BLOCK_ENTRIES // len(self._model.memberships))
        blocks = (X[i : i + step] for i in range(0, len(X), step))
        return np.concatenate([self._model.distances(*self._cross(block)) for block in blocks])

    def _nearest(self, X: Array) -> Labels:
        labels: Labels = self._squared(X).argmin(axis=1).astype(np.int32)
        return labels

    def _distances(self, X: Array) -> NDArray[np.float64]:
        return np.sqrt(np.maximum(self._squared(X), 0))

    def _inertia(self, X: Array, weights: Array | None) -> float:
        closest = self._squared(X).min(axis=1)
        return float(closest.sum() if weights is None else weights @ closest)

    def _resolve_kernel(self, X: Array, weights: Array | None, members: tuple[Array, ...] | None) -> Kernel:
        """The kernel with its widths; "median" widths are computed from X (n, p).

        `members` has the columns of each group of features; None for one kernel of whole rows.
        """
        p = X.shape[1]
        self._require_range(X, members)
        groups = members or ()
        if self.kernel != "gaussian":
            return Kernel(self.kernel, int(self.degree), float(self.coef0), np.ones(p), groups)
        if isinstance(self.width, str):
            whole = members is None
            found = np.full(p, median_distance(X, weights)) if whole else median_widths(X, weights, groups)
            return Kernel("gaussian", 1, 0.0, found, groups)
        try:
            width = np.asarray(numbers(self.width, "width"), dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"width must be 'median', a number or an array; got {self.width!r}") from None
        if width.shape not in ((), (p,)):
            raise ValueError(f"width must be a number or have shape ({p},); got shape {width.shape}")
        if not (np.isfinite(width).all() and (width > 0).all()):
            raise ValueError(f"width must be positive and finite; got {self.width!r}")
        _require_quotients(X, width)
        return Kernel("gaussian", 1, 0.0, np.broadcast_to(width, p).copy(), groups)

    def _require_range(self, X: Array, members: tuple[Array, ...] | None) -> None:
        """Refuse data whose kernel values overflow or vanish."""
        with np.errstate(over="ignore", under="ignore"):
            squares = np.square(np.ptp(X, axis=0)[None] if self.kernel == "gaussian" else X)
            parts = (squares,) if members is None else (squares[:, columns] for columns in members)
            largest = float(max(part.sum(axis=1).max() for part in parts))
        if largest == 0 and np.any(X[0] != X if self.kernel == "gaussian" else X):
            largest = float(np.finfo(np.float64).smallest_subnormal)  # not 0: the square vanished
        require_range(largest, Kernel(self.kernel, int(self.degree), float(self.coef0), np.ones(1)))

    def _require_matrices(self, n: int, remedy: str) -> None:
        require_matrices(MATRICES, n, self.memory_limit, remedy)

    def _named_labels(self, K: Array) -> Labels:
        """Labels of the nearest starting rows; `init` names a method that draws nothing to choose them."""
        return nearest_rows(K, np.array(kernel_rows(self.init, K, self.n_clusters, N_NEIGHBORS)))


def _require_quotients(X: Array, width: Array) -> None:
    """Raise ValueError if entries overflow where the Gaussian kernel divides them by a root of its width."""
    with np.errstate(over="ignore"):
        if np.isinf(X / np.sqrt(width)).any():
            raise ValueError(
                f"entries of X of size {np.abs(X).max():.3g} overflow when divided by the root of the "
                f"kernel's width, {float(np.min(width)):.3g}; scale X, or give a larger width"
            )


def nearest_rows(K: Array, rows: Array) -> Labels:
    """Nearest of the given rows in the space of a prepared kernel."""
    # A row's own term K_ii is the same for all centres and is left out.
    labels: Labels = (K[rows, rows] - 2 * K[:, rows]).argmin(axis=1).astype(np.int32)
    return labels


def nearest_given(kernel: Kernel, rows: Array, centers: Array) -> Labels:
    """Nearest of the given points under a kernel: argmin_k k(c, c) - 2 k(x, c)."""
    own = kernel_matrix(kernel, centers, centers).diagonal()
    labels: Labels = (own - 2 * kernel_matrix(kernel, rows, centers)).argmin(axis=1).astype(np.int32)
    return labels


def warn_indefinite(eigenvalue: float, which: str) -> None:
    """Warn that a kernel is not positive semidefinite, with the consequences."""
    warnings.warn(
        f"{which} is not positive semidefinite: its smallest eigenvalue is {eigenvalue:.6g}; squared "
        "distances can be negative and the objective can rise; adding "
        f"{-eigenvalue:.6g} to its diagonal mends both and leaves the best partition as it is",
        UserWarning,
        stacklevel=callers_level(),
    )


def kernel_rows(name: str, K: Array, n_clusters: int, n_neighbors: int) -> list[int]:
    """Starting rows of a partition, chosen without random numbers.

    Shapes: K (n, n + 1).

    Raises ValueError when there are too few distinct rows, or too few that qualify for ROBIN.
    """
    n = len(K)
    # The mean is the origin of a prepared kernel, so that squared lengths are squared distances to it.
    from_mean = np.sqrt(np.maximum(K.diagonal(), 0))
    distances = kernel_distances(K)
    distances_from = distances.__getitem__
    if name == "maximin":
        return maximin_by_distances(distances_from, from_mean, n_clusters)
    if name == "robin":
        if n == 1:
            return [0]
        factors = factors_of_distances(distances, min(n_neighbors, n - 1), simple=True, tie=1 + TOLERANCE)
        return robin_band_rows(distances_from, factors, from_mean, n_clusters)
    tree = spanning_tree_of(distances)
    return dense_rows(tree, partial(densities_of, distances), distances_from, n_clusters).rows


def kernel_distances(K: Array) -> FloatArray:
    """Distances (n, n) of the rows of a prepared kernel; 0 where squares are negative or only rounding."""
    # Without positive semidefiniteness, squared lengths may be below 0, and count as 0.
    norms = np.maximum(K.diagonal(), 0)
    squares: FloatArray = -2 * K[:, :-1]
    squares += norms
    squares += norms[:, None]
    clear_rounding(squares, np.arange(len(K)), norms)
    return np.sqrt(np.maximum(squares, 0, out=squares), out=squares)


def spanning_tree_of(distances: FloatArray) -> tuple[FloatArray, float]:
    """Edge lengths (n - 1,) of a minimum spanning tree, by Prim's algorithm, and the largest distance."""
    n = len(distances)
    nearest, outside = distances[0].copy(), np.ones(n, dtype=bool)
    lengths = np.empty(n - 1)
    position = 0
    for m in range(n - 1):
        outside[position], nearest[position] = False, np.inf
        position = int(nearest.argmin())
        lengths[m] = nearest[position]
        np.minimum(nearest, distances[position], out=nearest, where=outside)
    return lengths, float(distances.max())


def densities_of(distances: FloatArray, radius: float) -> FloatArray:
    """For each row, the sum of exp(-distance / radius) over all other rows within `radius`."""
    n = len(distances)
    densities = np.empty(n)
    for start in range(0, n, TILE):
        rows = slice(start, min(start + TILE, n))
        shares = decay(np.square(distances[rows]), radius)
        np.fill_diagonal(shares[:, rows], 0)
        densities[rows] = shares.sum(axis=1)
    return densities

"""The estimator of self-organising maps: SelfOrganizingMap."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array, FitResult, cluster_sums
from sparsek.inputs.arguments import count, names, number
from sparsek.methods.maps.algorithm import batch_map, near_square, nodes_on_axes, places, topographic_error
from sparsek.methods.shared.base import Setup
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    Runs,
    Seed,
    Verbose,
    starts,
)
from sparsek.methods.shared.weighted import WeightedClusterer
from sparsek.starts.seeds import seeded_labels

MOST_PASSES = 100_000
"""The largest `max_iter`: every pass is made."""
Radius = Annotated[float, number(1e-6, 1e9, "both")]


class SelfOrganizingMap(WeightedClusterer):
    r"""A self-organising map: centres on a grid, of which near ones have near rows.

    With :math:`b_i` the nearest node of row i and :math:`h_{kl} = \exp(-d_{kl}^2 / 2 r^2)`, where
    :math:`d_{kl}` is the distance of two nodes on the map, a pass moves every node to

    .. math:: m_k = \frac{\sum_i w_i h_{k b_i} x_i}{\sum_i w_i h_{k b_i}} .

    The radius r falls from `radius` to `last_radius`, by the same factor from pass to pass. At r = 0 a pass
    would be one of k-means. Standardise features of different units first.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of nodes.
    shape : tuple of two int or None, default=None
        Rows and columns of the map, whose product is `n_clusters`. None takes the shape nearest to a square.
    lattice : {"hexagonal", "rectangular"}, default="hexagonal"
        Whether a node inside has six neighbours at distance 1, or four.
    radius : float or None, default=None
        First radius of the neighbourhood, in distances of neighbours. None takes half of the longer side of
        the map, at least 1. From 1e-6 to 1e9.
    last_radius : float, default=0.5
        Last radius, at most the first and at least 1e-6.
    init : str, array-like or callable, default="axes"
        "axes" spaces the nodes evenly on the plane of the first two principal axes: one start, the same every
        time. All else as in `GeometricKMedians`: names of starts, centres, labels, row numbers or a function.
    n_init : int, default=10
        Number of starts where they are drawn; the one with the smallest `inertia_` is kept.
    standardize : bool, default=False
    max_iter : int, default=50
        Passes over the rows, at most 100,000.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The nodes, units of X, row by row of the map: weighted means, not the means of their own rows.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0: the nearest nodes; a node may have no row.
    positions_ : ndarray of shape (n_clusters, 2)
        Places of the nodes on the map, in distances of neighbours.
    inertia_ : float
        Sum of the weighted squared distances to the nearest node, squared units of X.
    quantization_error_ : float
        Weighted mean of the distances to the nearest node, units of X.
    topographic_error_ : float
        Weighted share of the rows whose two nearest nodes are no neighbours, dimensionless.
    n_iter_ : int
        Passes over the rows.
    start_objectives_ : ndarray of shape (n_starts,)
        Inertia of every start, squared units of X.
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than nodes, a `shape` of another number of nodes,
        `last_radius` above the first, a parameter outside its range, negative or all-zero `sample_weight`.
    TypeError

    See Also
    --------
    GeometricKMedians : Centres without a grid, which outliers move less.

    Notes
    -----
    This is the batch form: all rows move the nodes together, so that the order of the rows does not matter.
    Kohonen's first form moves the nodes after each row, and its result depends on the order and on a rate.

    References
    ----------
    Kohonen, T. (1982). Self-organized formation of topologically correct feature maps. Biological Cybernetics
    43, 59-69.

    Kohonen, T. (2001). Self-Organizing Maps, third edition, Springer, Section 3.6 (the batch map).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SelfOrganizingMap
    >>> X = np.linspace([0.0, 0.0], [9.0, 3.0], 20)
    >>> model = SelfOrganizingMap(5).fit(X)
    >>> np.bincount(model.labels_)
    array([5, 3, 4, 3, 5])
    >>> model.topographic_error_
    0.0
    """

    _facts: ClassVar = {
        "Inertia": "inertia_",
        "Quantization error": "quantization_error_",
        "Topographic error": "topographic_error_",
        "Iterations": "n_iter_",
    }

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        shape: Annotated[Any, "array-like"] | None = None,
        lattice: Annotated[str, names("hexagonal", "rectangular")] = "hexagonal",
        radius: Radius | None = None,
        last_radius: Radius = 0.5,
        init: Annotated[Any, *starts("axes")] = "axes",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Annotated[int, count(1, MOST_PASSES)] = 50,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _keeps_order(self) -> bool:
        return True  # a number is a place in the map

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        shape = self._checked_shape()
        radii = self._radii(max(shape))
        self.positions_ = places(shape, self.lattice)
        Z = self._prepared(data, weights)
        begin = self._first_nodes(data, Z, shape, weights, kept)
        run = partial(batch_map, Z, at=self.positions_, radii=radii, weights=weights)
        return Setup(data, weights, Z, begin, run)

    def _first_nodes(
        self, data: Array, Z: Array, shape: tuple[int, int], weights: Array | None, kept: Array
    ) -> list[Array]:
        """The nodes at the begin of every start: as given, or the means of clusters."""
        if isinstance(self.init, str) and self.init == "axes":
            return [nodes_on_axes(Z, shape, weights)]
        seeds = self._draw_seeds()
        found = self._given_starts(seeds, data, Z, self._scaling, kept)
        if found is None:
            found = seeded_labels(Z, self.n_clusters, seeds, weights, **self._seeding(2))
        return [
            cluster_sums(Z, start, self.n_clusters, weights).means if start.ndim == 1 else start
            for start in found
        ]

    def _store(self, setup: Setup, results: list[Any], best: Any) -> None:
        self._centers = best.params.nodes
        self.cluster_centers_ = self._scaling.invert(self._centers)
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._inertia(setup.data, setup.weights)
        distances = cdist(setup.Z[:, :-1], self._centers)
        mean = np.average(distances.min(axis=1), weights=setup.weights)
        self.quantization_error_ = float(self._in_units(mean))
        torn = self.n_clusters > 1 and topographic_error(distances, self.positions_, setup.weights)
        self.topographic_error_ = float(torn)

    def _best_start(self, results: list[Any], tss: float, dtype: Any, *_: Any) -> FitResult[Any]:
        # A node between groups wins no row, which is no reason for a warning.
        return super()._best_start(results, tss, dtype, lambda _, n_clusters: np.ones(n_clusters))

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(X)

    def _checked_shape(self) -> tuple[int, int]:
        """Rows and columns of the map."""
        if self.shape is None:
            return near_square(self.n_clusters)
        sides = np.asarray(self.shape)
        if sides.shape != (2,) or sides.dtype.kind not in "iu" or sides.min() < 1:
            raise ValueError(
                f"shape must be two positive whole numbers, rows and columns; got {self.shape!r}"
            )
        rows, columns = sides.tolist()
        if rows * columns != self.n_clusters:
            raise ValueError(
                f"shape={self.shape!r} has {rows * columns} nodes, and n_clusters={self.n_clusters}; give "
                f"n_clusters={rows * columns} or another shape"
            )
        return rows, columns

    def _radii(self, longer: int) -> Array:
        """The radius of every pass."""
        first = max(longer / 2, 1.0, self.last_radius) if self.radius is None else self.radius
        if self.last_radius > first:
            raise ValueError(
                f"last_radius={self.last_radius!r} must be at most radius={self.radius!r}; lower last_radius"
            )
        return np.asarray(np.geomspace(first, self.last_radius, self.max_iter))

"""Estimators of k-means with costs for violated pairwise constraints: PCKMeans and MPCKMeans."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, FitResult, Labels, first_minimum
from sparsek.errors import callers_level
from sparsek.inputs.arguments import names, number
from sparsek.methods.constrained.assignment import Pattern, build_pattern
from sparsek.methods.constrained.base import (
    ConstrainedProblem,
    MaxSeparation,
    OnEmpty,
    PairStarts,
    SoftlyConstrainedClusterer,
)
from sparsek.methods.constrained.costs import Costs, Extents, PairSquares
from sparsek.methods.constrained.mpckm import mpckm
from sparsek.methods.constrained.mpckm_full import FullCenters, Metrics, mpckm_full
from sparsek.methods.constrained.pckm import ConstrainedCenters, pckm
from sparsek.methods.shared.parameters import Count, Flag, Jobs, Runs, Seed, Values, Verbose

LARGEST_COST = 2.0**500
"""Largest cost of a violation beside squares of about 1: it decides all comparisons, and sums are finite."""


class PCKMeans(SoftlyConstrainedClusterer):
    r"""PCKM, pairwise constrained k-means: k-means with a cost for every violated pair.

    Minimises

    .. math:: J = \sum_i \|x_i - m_{l_i}\|^2 + \sum_{(i,j) \in ML, l_i \ne l_j} c_{ij} d_{ij}
              + \sum_{(i,j) \in CL, l_i = l_j} c_{ij} (F - d_{ij})

    with squared distances d and their upper bound F, or with a constant cost of 1 in place of d and F - d.
    Rows are visited in order, and each takes the cluster that costs least, given the labels of the rows
    before it. Without constraints this is Lloyd's k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, array-like or callable, default="k-means++"
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=25
    label_seeds : bool, default=False
    violation_cost : {"distance", "constant"}, default="distance"
        What a violated pair costs, times its weight c: a must-link d and a cannot-link F - d, as in Vouros
        and Vasilaki, or 1 in squared units of X for every pair ("constant"), as in Basu, Banerjee and Mooney.
        A constant cost is not free of units: scale the data or the weights of the pairs.
    max_separation : {"box", "box_origin", "pair"}, default="box"
        The largest separation F: the diagonal of the bounding box of the data; of the box that is stretched
        to the origin at its lower side, as the authors' program has it, which depends on translation; or the
        distance of the two rows farthest apart, as in the paper, for at most 5000 rows. Without effect where
        the cost is constant.
    on_empty : {"keep", "farthest", "error"}, default="keep"
    order : array-like of shape (n_samples,) or None, default=None
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0, found with the pairs. `predict` knows no pairs and can give some rows another cluster,
        of which a `PredictionWarning` tells.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    inertia_ : float
    objective_ : float
        J, each violated pair counted once, squared units of X.
    criterion_history_ : ndarray of shape (n_iterations,)
        J after each pass, not increasing after the first (unless an empty cluster is filled).
    n_iter_ : int
    constraints_ : PairwiseConstraints
    violated_must_link_, violated_cannot_link_ : ndarray of int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, pairs that
        name rows outside X or pair a row with itself.
    TypeError
    EmptyClusterError
        From `fit`: with `on_empty` "error", in every start a cluster lost all its rows.

    Warns
    -----
    ConvergenceWarning
    PredictionWarning
    ConstraintConflictWarning
        Cannot-links contradict the must-links, or labels have more classes than there are clusters.

    See Also
    --------
    PCSparseKMeans : Sparse k-means with pairwise constraints.
    MPCKMeans : K-means with pairwise constraints and a learned metric.
    COPKMeans : K-means in which every constraint holds.
    PairwiseConstraints : Must-link and cannot-link pairs of rows.

    Notes
    -----
    Pairs are used as given, without their closure (see :meth:`PairwiseConstraints.closure`). In the choice of
    a row's cluster each of its pairs counts in full, at both ends, as in the paper; the authors' printed
    objective counts pairs up to twice, J once. With `max_separation` "pair" F is defined as in the paper's
    text.
    Data are not scaled. `predict` and `transform` know no constraints: `predict` on the training data gives
    the nearest centres, which need not be `labels_`.

    References
    ----------
    Basu, S., Banerjee, A. and Mooney, R. J. (2004). Active semi-supervision for pairwise constrained
    clustering. SDM 2004, 333-344.
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71, equations (8) and (9).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import PCKMeans
    >>> X = np.array([[0.0], [1.0], [4.0], [6.0], [9.0], [10.0]])
    >>> PCKMeans(2, init=[[0.0], [10.0]]).fit(X).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model = PCKMeans(2, init=[[0.0], [10.0]]).fit(X, must_link=[(2, 3)], cannot_link=[(1, 2)])
    >>> model.labels_
    array([0, 0, 1, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: PairStarts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 25,
        label_seeds: Flag = False,
        violation_cost: Annotated[str, names("distance", "constant")] = "distance",
        max_separation: MaxSeparation = "box",
        on_empty: OnEmpty = "keep",
        order: Values | None = None,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _solver(
        self, problem: ConstrainedProblem
    ) -> Callable[[Array, Labels | None], FitResult[ConstrainedCenters]]:
        pattern, costs = self._costs(problem)
        options: Any = {"max_iter": self.max_iter, "on_empty": self.on_empty}
        return lambda centers, labels: pckm(problem.X, pattern, costs, centers, labels=labels, **options)

    def _costs(self, problem: ConstrainedProblem) -> tuple[Pattern, Costs]:
        """The pairs and what they cost if violated."""
        if self.violation_cost == "constant":
            pattern = build_pattern(problem.constraints)
            one = 1 / max(float(self._in_square_units(1.0)), 1 / LARGEST_COST)
            return pattern, Costs(one * pattern.ml, one * pattern.cl)
        pattern, squares, extents = self._geometry(problem)
        ones = np.ones(problem.X.shape[1] - 1)
        return pattern, squares.costs(ones, extents.under(ones))

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(X)


class MPCKMeans(SoftlyConstrainedClusterer):
    r"""MPCKM: pairwise constrained k-means with a learned metric.

    Minimises :math:`J = \sum_j a_j V_j - \lambda n \sum_j \log a_j` over partitions, centres and feature
    weights a, where

    .. math:: V_j = \sum_i (x_{ij} - m_{l_i j})^2 + \sum_{ML, l_u \ne l_v} c_{uv} (x_{uj} - x_{vj})^2
              + \sum_{CL, l_u = l_v} c_{uv} (f_j - (x_{uj} - x_{vj})^2)

    with the largest squared separation f. Given the rest, :math:`a_j = \lambda n / V_j`: features that vary
    little within clusters and agree with the constraints weigh most. With ``metric="per_cluster_full"`` every
    cluster h has a full matrix :math:`A_h` (see Notes).

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, array-like or callable, default="k-means++"
    n_init : int, default=10
    max_iter : int, default=100
    metric : {"diagonal", "per_cluster_full"}, default="diagonal"
        One weight a_j per feature for all clusters, or, as in the paper, a full matrix for every cluster.
    log_weight : float, default=1.0
        lambda, at least 1e-100, dimensionless. It scales the weights and changes nothing else; 0.01 gives
        those of the authors' program.
    label_seeds : bool, default=True
        The first pass knows the labels that "seeding", or labels given as `init`, come with,
        as in the authors' runs of this method.
    max_separation : {"box", "box_origin", "pair"}, default="box"
        The largest separation F: the diagonal of the bounding box of the data; of the box that is stretched
        to the origin at its lower side, as the authors' program has it, which depends on translation; or the
        distance of the two rows farthest apart under the current weights, as in the paper, for at most 5000
        rows. With full matrices the box lies along the axes of each matrix, and "box_origin" is refused.
    on_empty : {"keep", "farthest", "error"}, default="keep"
    order : array-like of shape (n_samples,) or None, default=None
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), or (n_clusters, n_features) for full matrices, float64
        a, the metric of the last pass, in one over squared units of X; 1 for constant features. The diagonals
        of full matrices. Infinite, with a warning, for data of so small a unit that they exceed the largest
        number (below about 1e-154).
    metrics_ : ndarray of shape (n_clusters, n_features, n_features)
        A_h of the last pass, in one over squared units of X; only for full matrices. Infinite where
        `feature_weights_` are.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0, found with the pairs. `predict` knows no pairs and can give some rows another cluster,
        of which a `PredictionWarning` tells.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    inertia_ : float
        Sum over rows of the squared distance, in the learned metric, to the centre of their cluster,
        dimensionless.
    objective_ : float
        J.
    criterion_history_ : ndarray of shape (n_iterations,)
        J after each pass, not increasing after the first (unless an empty cluster is filled). With full
        matrices it can rise, because F and the floor below change with the matrices.
    n_iter_ : int
    constraints_ : PairwiseConstraints
    violated_must_link_, violated_cannot_link_ : ndarray of int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, pairs that
        name rows outside X or pair a row with itself, "box_origin" with full matrices.
    TypeError
    EmptyClusterError
        From `fit`: with `on_empty` "error", in every start a cluster lost all its rows.

    Warns
    -----
    ConvergenceWarning
    PredictionWarning
    UserWarning
        Feature weights exceed the largest number.
    ConstraintConflictWarning
        Cannot-links contradict the must-links, or labels have more classes than there are clusters.

    See Also
    --------
    PCKMeans : K-means with a cost for every violated pair.
    PCSparseKMeans : Sparse k-means with pairwise constraints.
    PairwiseConstraints : Must-link and cannot-link pairs of rows.

    Notes
    -----
    With full matrices, as in Bilenko, Basu and Mooney, J is the sum over rows of the squared distance to the
    centre under the matrix of its cluster, less lambda log det A_h, plus the violated pairs: a must-link
    costs the mean of its distances under both matrices, a cannot-link F_h minus its distance. Given the rest,
    A_h = lambda n_h / V_h, where V_h is the scatter of the cluster and of its violated pairs. Eigenvalues of
    V_h / n_h below 1 % of the mean variance of the features are raised to that, so that A_h is positive
    definite, also for clusters of few rows. `predict` takes the cluster of least squared distance less
    lambda log det A_h, which is the rule of `fit` without constraints.

    In equation (12) of Vouros and Vasilaki the leading n_k must read n, and a_j does not belong on the
    right-hand side. A feature without any scatter within clusters and
    violated pairs keeps its weight. Pairs are used as given, without their closure (see
    :meth:`PairwiseConstraints.closure`). `predict` and `transform` know no constraints.

    `transform` gives sqrt(sum_j a_j (x_j - c_j)^2), or the distance under the matrix of each cluster,
    dimensionless.

    References
    ----------
    Bilenko, M., Basu, S. and Mooney, R. J. (2004). Integrating constraints and metric learning in
    semi-supervised clustering. ICML 2004, 81-88.
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71, equations (10)-(12).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import MPCKMeans
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MPCKMeans(3, init="seeding").fit(X, must_link=[(0, 9), (50, 70), (100, 120)])
    >>> int(model.feature_weights_.argmax())  # petal width
    3
    """

    feature_weights_: Array
    _metrics: Metrics | None  # None for the diagonal metric

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: PairStarts = "k-means++",
        n_init: Runs = 10,
        max_iter: Count = 100,
        metric: Annotated[str, names("diagonal", "per_cluster_full")] = "diagonal",
        log_weight: Annotated[float, number(1e-100)] = 1.0,
        label_seeds: Flag = True,
        max_separation: MaxSeparation = "box",
        on_empty: OnEmpty = "keep",
        order: Values | None = None,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _solver(self, problem: ConstrainedProblem) -> Callable[[Array, Labels | None], FitResult[Any]]:
        options: Any = {
            "log_weight": float(self.log_weight),
            "max_iter": self.max_iter,
            "on_empty": self.on_empty,
        }
        pattern, squares, extents = self._geometry(problem)
        X, separation = problem.X, self.max_separation
        if self.metric == "diagonal":
            return lambda centers, labels: mpckm(
                X, pattern, squares, extents, centers, labels=labels, **options
            )
        return lambda centers, labels: mpckm_full(
            X, pattern, centers, labels=labels, separation=separation, **options
        )

    def _geometry(self, problem: ConstrainedProblem) -> tuple[Pattern, PairSquares, Extents]:
        if self.metric != "diagonal" and self.max_separation == "box_origin":
            raise ValueError(
                "max_separation='box_origin' belongs to the axes of the features; got it with "
                f"metric={self.metric!r}; use 'box' or 'pair'"
            )
        return super()._geometry(problem)

    def _compares_columns(self) -> bool:
        return False  # the metric that it learns does not depend on their units

    def _criterion_size(self, Z: Array) -> float:
        if self.max_iter == 1:  # the only pass has the first metric, 1 in every feature
            return super()._criterion_size(Z)
        # Not squares of X: near the minimum a_j V_j is log_weight * n_samples in every feature.
        size: float = float(self.log_weight) * len(Z) * (Z.shape[1] - 1)
        return size

    def _attributes_by_cluster(self) -> tuple[str, ...]:
        full = () if self._metrics is None else ("metrics_", "feature_weights_")
        return (*self._by_cluster, *full)

    def _set_fit(self, data: Array, best: FitResult[Any]) -> None:
        centers, unit = best.params.centers, float(self._scaling.unit[0])
        self._length_unit = 1.0
        self.cluster_centers_ = self._scaling.invert(centers)
        with np.errstate(over="ignore"):
            if isinstance(best.params, FullCenters):
                self._metrics, self._centers = best.params.metrics, centers
                self.metrics_ = np.array([root @ root.T for root in self._metrics.roots]) * unit * unit
                self.feature_weights_ = np.diagonal(self.metrics_, axis1=1, axis2=2).copy()
                logs = data.shape[1]
            else:
                self._metrics, self._metric = None, best.params.weights
                self._centers = centers * np.sqrt(self._metric)
                self.feature_weights_ = self._metric * unit * unit
                logs = np.count_nonzero(data.max(axis=0) > data.min(axis=0))  # constant features do not count
        if not np.isfinite(self.feature_weights_).all():
            warnings.warn(
                "feature_weights_ are in one over squared units of X, and exceed the largest number there; "
                "labels and centres are right: for finite weights fit X in a smaller unit, such as X * 1e150",
                UserWarning,
                stacklevel=callers_level(),
            )
        # Converts the logarithms to the units of X.
        shift = 2 * float(self.log_weight) * len(data) * logs * np.log(unit)
        self.criterion_history_ = np.array(best.history) - shift
        self.start_objectives_ -= shift
        self.objective_ = float(self.criterion_history_[-1])
        self.inertia_ = self._within(data)

    def _within(self, data: Array) -> float:
        if self._metrics is None:
            return super()._within(data)
        return float(self._squares(data)[self.labels_, np.arange(len(data))].sum())

    def _coordinates(self, X: Array) -> Array:
        Z = self._scaling.apply(X)
        Z[:, :-1] *= np.sqrt(self._metric)
        return Z

    def _squares(self, X: Array) -> Array:
        """Squared distances to the centres under the matrix of each cluster, shape (n_clusters, n)."""
        assert self._metrics is not None  # the callers' case
        return self._metrics.from_centers(self._scaling.apply(X)[:, :-1].astype(np.float64), self._centers)

    def _nearest(self, X: Array) -> Labels:
        if self._metrics is None:
            return super()._nearest(X)
        Z = self._scaling.apply(X)[:, :-1].astype(np.float64)
        return first_minimum(self._metrics.costs(Z, self._centers, float(self.log_weight))).astype(np.int32)

    def _distances(self, X: Array) -> NDArray[np.float64]:
        return super()._distances(X) if self._metrics is None else np.sqrt(self._squares(X).T)

    def _inertia(self, X: Array, weights: Array | None) -> float:
        if self._metrics is None:
            return super()._inertia(X, weights)
        own = self._squares(X)[self._nearest(X), np.arange(len(X))]
        return float(own.sum() if weights is None else weights @ own)

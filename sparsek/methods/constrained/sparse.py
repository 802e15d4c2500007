"""Estimator of sparse k-means with pairwise constraints: PCSparseKMeans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ClassVar

import numpy as np

from sparsek.core.steps import Array, FitResult, Labels
from sparsek.core.weights import weighted_columns
from sparsek.inputs.arguments import names
from sparsek.methods.constrained.base import (
    ConstrainedProblem,
    MaxSeparation,
    OnEmpty,
    PairStarts,
    SoftlyConstrainedClusterer,
)
from sparsek.methods.constrained.pckm import ConstrainedCenters
from sparsek.methods.constrained.pcskm import Options, pcskm
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    L1Bound,
    NotNegative,
    Runs,
    Seed,
    Values,
    Verbose,
    resolve_l1_bound,
)
from sparsek.methods.shared.selection import SparseClusterer


class PCSparseKMeans(SoftlyConstrainedClusterer, SparseClusterer):
    r"""PCSKM: pairwise constrained sparse k-means.

    Alternates two steps. PCKM on the columns scaled by sqrt(w) makes :math:`\sum_j w_j (\mathrm{WCSS}_j +
    V_j^{ML} + V_j^{CL})` small. Here WCSS_j is the within-cluster sum of squares of feature j, and V_j is the
    cost of the violated pairs in it (see :class:`PCKMeans`). The weights :math:`w \ge 0`, :math:`\|w\|_2 =
    1`, :math:`\|w\|_1 \le s` then maximise :math:`\sum_j w_j \mathrm{BCSS}_j`, the weighted squares between
    clusters, without the costs, as in the authors' program. With `penalties_in_weights` they maximise
    :math:`\sum_j w_j (\mathrm{BCSS}_j - V_j^{ML} - V_j^{CL})`, as in the paper: then both steps work on this
    one criterion, (13). Without constraints this is sparse k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    l1_bound : float or None, default=None
        The bound s, dimensionless, in [1, sqrt(n_features)]; the upper end leaves all weights free. None
        means sqrt(n_features) / 2, at least 1, as for `SparseKMeans`.
    init : str, array-like or callable, default="k-means++"
        Starts: "k-means++", "random", "dkm++", "robin", "maximin" (see :mod:`sparsek.init`) or "seeding",
        the means of the neighbourhoods that must-links form, and random rows where these are fewer than
        `n_clusters` (see :func:`sparsek.init.seeding`). An array holds centres of shape (n_clusters,
        n_features) in the units of X, row numbers of shape (n_clusters,), or labels of shape (n_samples,), -1
        where unknown, whose means are the centres. A callable ``init(X, n_clusters, random_state=seed)``,
        called for every start, returns any of these. Arrays, and names without random draws, make one
        start.
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=25
        Largest number of weight updates of one start.
    inner_max_iter : int, default=25
        Largest number of passes over the rows between two updates.
    tol : float, default=1e-4
        A start stops when sum(abs(w - w_old)) <= tol * sum(w_old).
    weight_solver : {"exact", "bisection15"}, default="exact"
        How the threshold that meets the bound is found: by sorting, or by 15 halvings as in the authors'
        program, whose stopping rule depends on the units of X.
    penalties_in_weights : bool, default=False
        Weights from BCSS_j - V_j^ML - V_j^CL, as in equation (15). The authors' program, and so all published
        results, has BCSS_j alone. The fit fails if the costs exceed BCSS_j in every feature.
    warm_labels : bool, default=False
        Each PCKM after the first starts with labels and centres of the one before; else with centres only.
    label_seeds : bool, default=False
    max_separation : {"box", "box_origin", "pair"}, default="box"
        The largest separation F: the diagonal of the bounding box of the data; of the box that is stretched
        to the origin at its lower side, as the authors' program has it, which depends on translation; or the
        distance of the two rows farthest apart under the current weights, as in the paper, for at most 5000
        rows.
    on_empty : {"keep", "farthest", "error"}, default="keep"
    order : array-like of shape (n_samples,) or None, default=None
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        [sparse weights]
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0, found with the pairs. `predict` knows no pairs and can give some rows another cluster,
        of which a `PredictionWarning` tells.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Cluster means of all features, units of X.
    inertia_ : float
        Sum over rows of sum_j w_j (x_ij - m_j)^2 for the centre m of their cluster, squared units of X.
    objective_ : float
        Minus the criterion (13), sum_j w_j (BCSS_j - V_j^ML - V_j^CL), squared units of X. Starts are
        compared by it, also where the weights leave the costs out.
    weight_criterion_ : float
        What the last weight update maximised: sum_j w_j BCSS_j, or the criterion (13) with
        `penalties_in_weights`; squared units of X.
    criterion_history_ : ndarray of shape (n_iterations,)
        Minus the criterion (13) after each weight update; it can increase.
    l1_bound_ : float
    n_iter_ : int
        Weight updates of the best start.
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
        name rows outside X or pair a row with itself, no feature left
        by `penalties_in_weights`.
    TypeError
    EmptyClusterError
        From `fit`: with `on_empty` "error", in every start a cluster lost all its rows.

    Warns
    -----
    ConvergenceWarning
    PredictionWarning
    ConstraintConflictWarning
        Cannot-links contradict the must-links, or labels have more classes than there are clusters.
    UserWarning
        [large bound]

    See Also
    --------
    SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    PCKMeans : K-means with a cost for every violated pair.
    cross_validate_constraints : Score a constrained estimator on rows that no constraint touches.
    PairwiseConstraints : Must-link and cannot-link pairs of rows.

    Notes
    -----
    `labels_` are made with the weights before the last update. The bound is met exactly (the authors'
    program: up to 1e-4 off). There a cluster of one row adds its variance across the features to every
    within-cluster sum of squares, which can make weights negative; here it adds 0. In the printed equation
    (15) the sign before the cannot-link term is a plus; both terms are subtracted here. Pairs are used as
    given, without their closure (see :meth:`PairwiseConstraints.closure`). `predict` and `transform` know no
    constraints.

    `transform` gives sqrt(sum_j w_j (x_j - c_j)^2).

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71, equations (13)-(16).
    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import PCSparseKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 3
    >>> model = PCSparseKMeans(2, l1_bound=1.7, random_state=0)
    >>> model.fit(X, must_link=[(0, 1), (30, 31)], cannot_link=[(0, 30)]).get_support(indices=True)
    array([0, 1, 2])
    """

    _facts: ClassVar = {
        "L1 bound": "l1_bound_",
        "Objective": "objective_",
        "Maximised by weights": "weight_criterion_",
        **SoftlyConstrainedClusterer._facts,
    }
    feature_weights_: Array

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        l1_bound: L1Bound | None = None,
        init: PairStarts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 25,
        inner_max_iter: Count = 25,
        tol: NotNegative = 1e-4,
        weight_solver: Annotated[str, names("exact", "bisection15")] = "exact",
        penalties_in_weights: Flag = False,
        warm_labels: Flag = False,
        label_seeds: Flag = False,
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
        self.l1_bound_ = resolve_l1_bound(self.l1_bound, problem.X.shape[1] - 1)
        options = Options(
            self.l1_bound_,
            self.max_iter,
            self.inner_max_iter,
            self.tol,
            self.weight_solver,
            self.penalties_in_weights,
            self.warm_labels,
            self.on_empty,
        )
        geometry = self._geometry(problem)
        return lambda centers, labels: pcskm(problem.X, *geometry, centers, options, labels)

    def _set_fit(self, data: Array, best: FitResult[ConstrainedCenters]) -> None:
        self.feature_weights_ = best.params.weights
        self._support = self.feature_weights_ > 0
        self._set_means(data, best, (best.params.centers * np.sqrt(self.feature_weights_))[:, self._support])
        self.weight_criterion_ = -self.objective_
        if not self.penalties_in_weights:
            counts = np.bincount(best.labels, minlength=self.n_clusters)
            between = counts @ np.square(best.params.centers)
            self.weight_criterion_ = float(self._in_square_units(self.feature_weights_ @ between))

    def _coordinates(self, X: Array) -> Array:
        return weighted_columns(self._scaling.apply(X), self.feature_weights_)

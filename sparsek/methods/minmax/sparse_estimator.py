"""Estimator of sparse MinMax k-means: SparseMinMaxKMeans."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from sparsek.core.steps import Array
from sparsek.core.weights import weighted_columns
from sparsek.inputs.arguments import names
from sparsek.inputs.in_use import in_use
from sparsek.inputs.threads import thread_control
from sparsek.methods.minmax.base import VARIANTS, AlphaStep, MinMaxClusterer
from sparsek.methods.minmax.distances import ProductSpace
from sparsek.methods.minmax.minmax import MinMaxFit
from sparsek.methods.minmax.sparse_minmax import (
    MAX_PASSES,
    RELEASED_ALPHA,
    TOL,
    PaperSteps,
    ReleasedSteps,
    SparseMinMaxFit,
    Steps,
    compared,
    solved_minmax,
)
from sparsek.methods.shared.parameters import (
    BelowOne,
    Count,
    Flag,
    L1Bound,
    NotNegative,
    Runs,
    Seed,
    Starts,
    UnitInterval,
    Verbose,
    check_values,
    resolve_l1_bound,
    resolve_l1_bounds,
)
from sparsek.methods.shared.selection import SparseClusterer

Start = tuple[Steps, MinMaxFit]
"""The steps, with the state of their random draws, and the first clusters."""
PAPER_PASSES = 100
"""Default of `max_iter` for the paper's formulas."""


class SparseMinMaxKMeans(MinMaxClusterer, SparseClusterer):
    r"""Sparse MinMax k-means: MinMax k-means with feature weights under an L1 bound.

    Maximises :math:`\sum_j \omega_j a_j` with :math:`a_j = \mathrm{TSS}_j - \sum_k w_k^\alpha
    \mathrm{WCSS}_{kj}` over partitions and feature weights :math:`\omega \ge 0` with :math:`\|\omega\|_2 \le
    1` and :math:`\|\omega\|_1 \le s`, while the cluster weights w and alpha come from MinMax k-means
    (`MinMaxKMeans`). Small bounds s select few features. The data are centred but not scaled. Even a feature
    without clusters gets a weight that grows with its variance, so features of different units must be
    standardised first.

    Parameters
    ----------
    n_clusters : int, default=8
    l1_bound : float or None, default=None
        The bound s, dimensionless, in [1, sqrt(n_features)]. None means sqrt(n_features) / 2, at least 1.
    variant : {"r", "paper"}, default="r"
        "r" repeats the code released with the paper, in its arithmetic: MinMax k-means as in
        ``MinMaxKMeans(variant="r")`` and the bound met by bisection. "paper" takes squared distances, MinMax
        k-means of Tzortzis and Likas, run to its end, and meets the bound exactly. The inner
        tolerance of the released code, 1e-4, is in units of X: do not give "r" tiny numbers.
    alpha_init : float, default=0.0
        First alpha for "paper", dimensionless, in [0, `alpha_max`]. 0 begins as k-means; "r" always does.
    alpha_max : float, default=0.5
        Largest alpha for "paper", dimensionless, in [0, 1). "r" stops at ten steps of 0.01 and has no choice.
    alpha_step : float, default=0.01
        Growth of alpha per iteration for "paper", dimensionless.
    beta : float, default=0.0
        Memory of the cluster weights: the share of the old ones in the new ones, dimensionless, in [0, 1].
        Source: Dey et al. (2020), equation (16). The released code has 0. The paper finds 0, 0.1 and 0.3
        alike; see the page on MinMax for what we found.
    init : {"random", "k-means++"}, array-like or callable, default="random"
        Starts of the first MinMax k-means, as in `MinMaxKMeans`.
    n_init : int, default=10
        Number of starts; the one with the smallest of `start_objectives_` is kept. The criterion prefers
        clusters of even sums of squares: where known classes are uneven, more starts can mean more errors.
    standardize : bool, default=False
    max_iter : int or None, default=None
        Largest number of feature weight updates of one start. None means 6 for "r", 100 for "paper".
    tol : float, default=1e-4
        A start stops when sum(abs(w - w_old)) <= tol * sum(w_old) for the feature weights.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts. For "r" with init="random" an integer is the seed of R's ``set.seed``; with
        n_init=1 all draws are those of the released code.
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        omega: non-negative, unit L2 norm, L1 norm at most `l1_bound` ("r": up to the width of its bisection);
        0 for every feature when none separates clusters. Source: Dey et al. (2020), as Witten and Tibshirani
        (2010), Section 3.1.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0. `predict`, which takes the last centres and weights, can give some rows another
        cluster, of which a `PredictionWarning` tells.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Cluster means of all features, units of X.
    cluster_weights_ : ndarray of shape (n_clusters,)
        w of the last MinMax k-means, non-negative, sum 1.
    alpha_ : float
        alpha of the last MinMax k-means.
    objective_ : float
        The criterion, minimised: -sum_j omega_j a_j, squared units of X.
    gap_objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each feature weight update. It can rise, because w and alpha move.
    inertia_ : float
        Sum over rows of min_k w_k^alpha d_ik, d the weighted distance ("r") or its square ("paper").
    n_features_retained_ : int
        Number of features in use, those of `get_support`: the paper's RF.
    converged_ : bool
        Whether the feature weights settled. For "r" the six updates are part of the method, without warning.
    n_lost_ : int
        Iterations of the last MinMax k-means in which a cluster was lost.
    n_iter_ : int
        Feature weight updates of the best start.
    start_objectives_ : ndarray of shape (n_starts,)
        The criterion of every start at the alpha aimed for (`alpha_max`; "r": 0.1) and the cluster weights
        that are best there, so that starts compare: `objective_` belongs to the alpha that a start reached,
        and is larger at smaller alphas for the very same clusters. Squared units of X.
    start_n_iter_ : ndarray of shape (n_starts,)
        Updates of every start.
    l1_bound_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range.
    TypeError

    Warns
    -----
    ConvergenceWarning
        For "paper": `max_iter` was reached. Both: fewer distinct clusters than `n_clusters` were found, or
        MinMax k-means lost clusters from every start, so that plain k-means was run in its place.
    PredictionWarning
    UserWarning
        [large bound]

    See Also
    --------
    MinMaxKMeans : K-means that evens out the scatter of the clusters.
    l1_bound_path : `SparseMinMaxKMeans` along a grid of bounds.
    SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    PermutationGap : Choose parameters by the permutation gap statistic.

    Notes
    -----
    Where the released code fails because a cluster is lost, or would never end, random rows start MinMax
    k-means anew. `predict` assigns to the smallest w_k^alpha d_k; `transform` gives
    sqrt(sum_j omega_j (x_j - c_j)^2). `PermutationGap` chooses `l1_bound`; `l1_bound_path` fits many bounds,
    each from the clusters of the one before.

    References
    ----------
    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI.

    Tzortzis, G. and Likas, A. (2014). The MinMax k-means clustering algorithm. Pattern Recognition 47.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SparseMinMaxKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> model = SparseMinMaxKMeans(n_clusters=2, l1_bound=1.5, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    """

    _facts: ClassVar = {"L1 bound": "l1_bound_", **MinMaxClusterer._facts}
    feature_weights_: Array
    _path_parameter = "l1_bound"

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        l1_bound: L1Bound | None = None,
        variant: Annotated[str, names("r", "paper")] = "r",
        alpha_init: BelowOne = 0.0,
        alpha_max: BelowOne = 0.5,
        alpha_step: AlphaStep = 0.01,
        beta: UnitInterval = 0.0,
        init: Starts = "random",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count | None = None,
        tol: NotNegative = TOL,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of X and weight its features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None

        Returns
        -------
        SparseMinMaxKMeans
            The fitted estimator.
        """
        Z, starts = self._prepare(X)
        bound = resolve_l1_bound(self.l1_bound, self.n_features_in_)
        with thread_control().limit(limits=1):
            self._keep_best(Z, self._fit_bound(starts, bound))
        self._compare_predictions(X)
        return self

    def _fit_path(self, X: ArrayLike, values: list[float]) -> Iterator[Self]:
        """A fitted copy for each bound (see `_tasks`); the first MinMax k-means is done only once."""
        check_values(self, "l1_bound", values)
        Z, starts = self._prepare(X)
        for value, bound in zip(values, resolve_l1_bounds(values, self.n_features_in_), strict=True):
            model = copy(self).set_params(l1_bound=value)
            with thread_control().limit(limits=1):
                model._keep_best(Z, self._fit_bound(starts, bound))
            yield model

    def _prepare(self, X: ArrayLike) -> tuple[Array, list[Start]]:
        """Prepared data and the starts, which all bounds share."""
        self._validate_params()
        self._check_alphas(self.alpha_init)
        data, _, kept = self._validate_fit(X, None)
        with thread_control().limit(limits=1):
            Z = self._prepared(data, None)
            seeds = self._draw_seeds()
            centers = self._given_centers(seeds, data, Z, self._scaling, kept)
            if self.variant == "r":
                return Z, self._released_starts(Z, centers)
            return Z, self._paper_starts(Z, centers, seeds)

    def _released_starts(self, Z: Array, centers: list[Array] | None) -> list[Start]:
        """First clusters of the released code; all draw from one stream."""
        steps = ReleasedSteps(Z, self.n_clusters, self._stream(), self.beta)
        given: list[Any] = [None] * self.n_init if centers is None else list(centers)
        return [(steps, steps.start(start)) for start in given]

    def _paper_starts(self, Z: Array, centers: list[Array] | None, seeds: Array) -> list[Start]:
        """First clusters by the paper's formulas; each start has its own random draws."""
        own = {name: getattr(self, name) for name in ("alpha_init", "alpha_max", "alpha_step", "beta")}
        options = {**VARIANTS["paper"], **own}
        steps, space = PaperSteps(Z, self.n_clusters, self._drawing, options), ProductSpace(Z)
        draws = [self._drawing(int(seed)) for seed in seeds]
        given = [draw(Z) for draw in draws] if centers is None else centers
        starts: list[Start] = []
        for center, draw, seed in zip(given, draws, seeds, strict=False):  # one start only if given
            first = solved_minmax(space, center, self.n_clusters, draw, options)
            starts.append((steps.with_seed([int(seed), 1]), first))
        return starts

    def _passes(self) -> int:
        """The largest number of updates, as given or the default of the variant."""
        if self.max_iter is not None:
            return int(self.max_iter)
        return MAX_PASSES if self.variant == "r" else PAPER_PASSES

    def _fit_bound(self, starts: list[Start], l1_bound: float) -> list[Any]:
        """Fit every start at one bound; its draws continue from the start, not from bounds fitted before."""
        fresh = _again(starts)
        return [steps.fit_bound(first, l1_bound, self._passes(), self.tol) for steps, first in fresh]

    def _keep_best(self, Z: Array, results: list[Any]) -> Self:
        """Set every attribute that follows from the starts."""
        fixed = self.variant == "r"  # the number of updates is part of this variant
        # Starts may end at different alphas; they are compared at the one that all of them aim at.
        alpha = RELEASED_ALPHA if fixed else self.alpha_max
        shown: list[Any] = [
            replace(compared(Z, fit, self.n_clusters, alpha), converged=fixed or fit.converged)
            for fit in results
        ]
        best: Any = self._best_start(shown, max(abs(fit.criterion) for fit in shown), np.float64)
        self.converged_ = next(fit for fit in results if fit.minmax is best.minmax).converged
        self._store(Z, results, best)
        self.labels_ = self._number(self.labels_)
        return self

    def _store(self, Z: Array, results: list[Any], best: SparseMinMaxFit) -> None:
        """Set the attributes about features, clusters and criteria."""
        self._power = 1 if self.variant == "r" else 2
        self._store_clusters(best.minmax, Z)
        self.l1_bound_, self.feature_weights_ = best.l1_bound, best.weights
        self._support = self.feature_weights_ > 0
        self.n_features_retained_ = int(in_use(self.feature_weights_).sum())
        roots = np.sqrt(self.feature_weights_[self._support])
        self._centers = self._means[:, self._support] * roots.astype(Z.dtype)
        self.criterion_history_ = self._in_square_units(-np.array(best.history))
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._sum_of_least(weighted_columns(Z, self.feature_weights_))

    @property
    def gap_objective_(self) -> float:
        """The criterion of the paper: sum_j omega_j a_j."""
        return -self.objective_

    def _coordinates(self, X: Array) -> Array:
        return weighted_columns(self._scaling.apply(X), self.feature_weights_)


def _again(starts: list[Start]) -> list[Start]:
    """The starts with copies of their streams; starts that share a stream share its copy."""
    copies = {id(steps): steps.again() for steps, _ in starts}
    return [(copies[id(steps)], first) for steps, first in starts]

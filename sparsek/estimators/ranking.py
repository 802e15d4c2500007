"""Estimator of sparse k-means with feature ranking: SKFR."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sparsek.core.kernels import Array, Labels
from sparsek.core.lloyd import FitResult, run_all, thread_control
from sparsek.core.scaling import column_squares, identity, prepare
from sparsek.core.skfr import Ranking, rank, skfr
from sparsek.core.skfr_stack import fits_stack, skfr_stack
from sparsek.estimators._base import SparseClusterer, check_choice, check_integer, check_real


class SKFR(SparseClusterer):
    r"""Sparse k-means with feature ranking: k-means on the s features that separate the clusters best.

    Minimises :math:`h(C, \theta) = \sum_j \sum_{i \in C_j} \|z_i - \theta_j\|^2` over partitions and centres
    that are zero outside s features of the standardised data z: one common set (``scope="global"``, SKFR1)
    or one set per cluster (``scope="local"``, SKFR2). Each iteration keeps the features with the largest
    gains n_j mu_jl^2, summed over clusters or within each.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    n_features_to_select : int, float or None, default=None
        s: an integer in [1, n_features], or a fraction of the features in (0, 1] (rounded down, at least 1).
        None means half of the features, as in scikit-learn's RFE.
    scope : {"global", "local"}, default="global"
        One feature set for all clusters, or one per cluster.
    init : {"k-means++", "random"}, array-like or callable, default="k-means++"
        Starts. "random" draws distinct rows. An array holds centres of shape (n_clusters, n_features), in
        the scale that `init_on` names, or integer labels of shape (n_samples,), and makes one start. A
        callable ``init(X, n_clusters, random_state=seed)``, called for every start with the data in that
        scale, returns either. All features are used.
    n_init : int, default=20
        Number of starts; the one with the smallest `objective_` is kept. Starts are cheap and results are
        only as good as their seeds, so use at least 20.
    standardize : bool, default=True
        Divide the centred columns by their standard deviation. Without it, features with a large variance win
        the ranking.
    init_on : {"raw", "standardized"}, default="raw"
        Scale in which seeds are chosen. Raw columns keep the larger variance of informative features, which
        decides success with hundreds of features, but they are meaningful only if the columns share a unit.
    power : {1, 2}, default=2
        k-means++ draws seeds with probability proportional to distance ** power; 1 reproduces the paper.
    max_iter : int, default=300
        Largest number of iterations of one start.
    ddof : {0, 1}, default=1
        The variance divides by sum(sample_weight) - ddof.
    n_jobs : int or None, default=None
        Threads over the starts, where these run one by one (small data are run as one stack). Results do not
        depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    verbose : int, default=0
        If positive, log each start to the logger "sparsek".

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,) or (n_clusters, n_features), float64
        Share in [0, 1] of the total sum of squares of the feature that the clusters explain (within-cluster
        gain over total for scope "local": one row per cluster), 0 where not selected or constant.
    selected_features_ : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features; one row per cluster for scope "local". `get_support` gives
        their union. Features without any gain fill up the set, lowest index first, when fewer than s have
        one.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres in the units of X. Where a feature is not selected, the centre is its overall mean.
    standardized_centers_ : ndarray of shape (n_clusters, n_features)
        Sparse centres theta in standard deviations from the overall mean; 0 where not selected.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0; rows of weight 0 get their nearest cluster.
    inertia_ : float
        h of the final labels and centres, over all features, squared standardised units.
    objective_ : float
        h after the last centre update; equal to `inertia_` up to rounding when converged.
    criterion_history_ : ndarray of shape (n_iterations,)
        h after each centre update, never increasing.
    tss_ : float
        Total sum of squares of the standardised data; ``1 - objective_ / tss_`` is the share explained.
    gap_objective_ : float
        ``tss_ - objective_``, the sum of the selected gains: `PermutationGap` compares it with permuted data.
    n_iter_ : int
        Iterations of the best start, the last, unchanged one included.
    start_objectives_ : ndarray of shape (n_starts,)
        `objective_` of every start.
    start_n_iter_ : ndarray of shape (n_starts,)
        Iterations of every start.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, when X has some.

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, negative or
        all-zero `sample_weight`.
    TypeError
        From `fit`: sparse data, or a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached, or fewer distinct clusters than `n_clusters` were found.

    Notes
    -----
    `transform` gives the distances to the centres over the selected features (their union for scope
    "local"), in standardised units. An empty cluster keeps its centre at the origin and can win rows again,
    as in the authors' code. Ties go to the lowest index.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> model = SKFR(n_clusters=2, n_features_to_select=3, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    """

    feature_weights_: Array

    def __init__(
        self,
        n_clusters: int = 8,
        n_features_to_select: int | float | None = None,
        *,
        scope: str = "global",
        init: Any = "k-means++",
        n_init: int = 20,
        standardize: bool = True,
        init_on: str = "raw",
        power: int = 2,
        max_iter: int = 300,
        ddof: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_features_to_select = n_features_to_select
        self.scope = scope
        self.init = init
        self.n_init = n_init
        self.standardize = standardize
        self.init_on = init_on
        self.power = power
        self.max_iter = max_iter
        self.ddof = ddof
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X and select its features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite; float32 stays float32. Never changed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of repetitions of the rows, not negative; 0 leaves a row out, also of the standardisation.

        Returns
        -------
        SKFR
            The fitted estimator.
        """
        self._check_parameters()
        data, weights, kept = self._validate_fit(X, sample_weight)
        n_selected = self._n_selected(data.shape[1])
        if weights is not None and weights.sum() <= self.ddof and self.standardize:
            raise ValueError(
                f"sample_weight sums to {weights.sum():.6g}, which must exceed ddof={self.ddof}; "
                "weights are numbers of repetitions: rescale them or set ddof=0"
            )
        with thread_control().limit(limits=1):
            Z, self._scaling = prepare(
                data, weights, standardize=self.standardize, ddof=self.ddof, by_column=self.standardize
            )
            starts = self._starts(data, Z, weights, kept)
            column_tss = column_squares(Z, weights)
            self.tss_ = float(column_tss.sum())
            results = self._run(Z, starts, n_selected, weights)
            best = self._best_start(results, self.tss_, Z.dtype)
            # Once more in full, free of the rounding of incremental sums.
            final = rank(
                Z,
                best.params.labels,
                None,
                n_clusters=self.n_clusters,
                n_selected=n_selected,
                local=self.scope == "local",
                weights=weights,
                tss=self.tss_,
            )
        self._store(final, column_tss)
        self.tss_ = float(self._in_square_units(self.tss_))
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._inertia(data, weights)
        self.labels_ = self._all_labels(X, best.labels, kept)
        return self

    @property
    def gap_objective_(self) -> float:
        """What the clusters explain: the sum of the selected gains."""
        return self.tss_ - self.objective_

    def _check_parameters(self) -> None:
        check_choice("scope", self.scope, ("global", "local"))
        check_choice("init_on", self.init_on, ("raw", "standardized"))
        check_choice("power", self.power, (1, 2))
        check_choice("ddof", self.ddof, (0, 1))
        check_integer("max_iter", self.max_iter, 1)

    def _n_selected(self, p: int) -> int:
        wanted = self.n_features_to_select
        if wanted is None:
            return max(1, p // 2)
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if not 1 <= wanted <= p:
                raise ValueError(
                    f"n_features_to_select must lie in [1, n_features = {p}]; got {wanted}; "
                    "None selects half of the features"
                )
            return int(wanted)
        check_real("n_features_to_select", wanted, 0)
        if not 0 < wanted <= 1:
            raise ValueError(
                f"n_features_to_select as a fraction must lie in (0, 1]; got {wanted}; "
                "give an integer for a number of features"
            )
        return max(1, int(p * wanted))

    def _starts(self, data: Array, Z: Array, weights: Array | None, kept: Array) -> list[Labels]:
        """Initial labels, from seeds in the scale that `init_on` names."""
        if not self.standardize:
            return self._initial_labels(data, Z, self._scaling, weights, self.power, kept)
        if self.init_on == "raw":
            raw, scaling = prepare(data, weights, standardize=False, by_column=False)
            return self._initial_labels(data, raw, scaling, weights, self.power, kept)
        unscaled = identity(data.shape[1], data.dtype)
        return self._initial_labels(Z[:, :-1], Z, unscaled, weights, self.power, kept)

    def _run(
        self, Z: Array, starts: list[Labels], n_selected: int, weights: Array | None
    ) -> list[FitResult[Any]]:
        """All starts: stacked where the data are small, else one by one."""
        options: dict[str, Any] = {
            "n_clusters": self.n_clusters,
            "n_selected": n_selected,
            "weights": weights,
            "tss": self.tss_,
            "max_iter": self.max_iter,
        }
        if self.scope == "global" and fits_stack(len(starts), Z.shape, self.n_clusters, n_selected):
            return list(skfr_stack(Z, starts, **options))
        return run_all(partial(skfr, Z, local=self.scope == "local", **options), starts, self.n_jobs)

    def _store(self, final: Ranking, column_tss: Array) -> None:
        """Set the attributes about features and centres."""
        n_clusters, p = len(final.centers), len(column_tss)
        self.selected_features_ = final.selected
        self._columns = final.columns
        self._centers = final.centers
        self._support = np.zeros(p, dtype=bool)
        self._support[final.columns] = True
        self.standardized_centers_ = np.zeros((n_clusters, p), dtype=final.centers.dtype)
        self.standardized_centers_[:, final.columns] = final.centers
        self.cluster_centers_ = self._scaling.invert(self.standardized_centers_)
        self._length_unit = 1.0 if self.standardize else float(1 / self._scaling.unit[0])
        shares = final.sums.gains / np.where(column_tss > 0, column_tss, 1)
        if self.scope == "local":
            self.feature_weights_ = np.where(self.standardized_centers_ != 0, shares, 0)
        else:
            self.feature_weights_ = np.where(self._support, shares.sum(axis=0), 0)

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(X, self._columns)

    def _unselected_scatter(self, X: Array, weights: Array | None) -> float:
        rest = self._scaling.apply(X, np.flatnonzero(~self._support))
        return float(column_squares(rest, weights).sum())

"""Estimator of MinMax k-means: MinMaxKMeans."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

from numpy.typing import ArrayLike

from sparsek.core.steps import Array
from sparsek.inputs.arguments import Numbers, names
from sparsek.inputs.threads import thread_control
from sparsek.methods.minmax.base import VARIANTS, AlphaStep, MinMaxClusterer
from sparsek.methods.minmax.distances import ProductSpace
from sparsek.methods.minmax.minmax import draw_released, minmax_released, plain_kmeans
from sparsek.methods.minmax.sparse_minmax import solved_minmax
from sparsek.methods.shared.parameters import (
    BelowOne,
    Count,
    Flag,
    NotNegative,
    Runs,
    Seed,
    Starts,
    UnitInterval,
    Verbose,
)


class MinMaxKMeans(MinMaxClusterer):
    r"""MinMax k-means: k-means against clusters of very unequal scatter.

    Seeks the partition with the smallest :math:`\max_k V_k`, where V_k is the sum of the squared distances of
    cluster k to its mean, through :math:`\sum_k w_k^\alpha V_k` with cluster weights w on the simplex:
    clusters with a large sum get large weights, and so lose rows to others. alpha grows step by step from
    `alpha_init`.

    Parameters
    ----------
    n_clusters : int, default=8
    variant : {"tl", "r"}, default="tl"
        "tl" is the algorithm of Tzortzis and Likas, on squared distances, run until it settles; a cluster of
        one row counts as lost there. "r" repeats the code released with the sparse MinMax paper:
        distances not squared, ten iterations (so that alpha ends at 10 `alpha_step` at most), only an empty
        cluster counts as lost.
    alpha_init : float, default=0.0
        First alpha, for "tl"; dimensionless, in [0, `alpha_max`]. 0 begins as k-means.
    alpha_max : float, default=0.5
        Largest alpha, dimensionless, in [0, 1). 0 is k-means.
    alpha_step : float, default=0.01
        Growth of alpha per iteration until a cluster is lost, dimensionless.
    beta : float or None, default=None
        Share of the old cluster weights in the new ones, in [0, 1]. None means 0.3 for "tl", 0 for "r".
    power : {1, 2}, default=1
        For "r": distances, or squared distances.
    refine : bool, default=False
        End with plain k-means from the clusters found.
    init : {"random", "k-means++"}, array-like or callable, default="random"
        Starts. "random" draws distinct rows. An array holds centres of shape (n_clusters, n_features) in the
        units of X, or integer labels of shape (n_samples,), and makes one start. A callable ``init(X,
        n_clusters, random_state=seed)``, called for every start, returns either. A start that loses clusters
        already as k-means is replaced by random rows, at most 100 times.
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int or None, default=None
        Largest number of iterations of one start. None means 500 for "tl", 10 for "r".
    tol : float or None, default=None
        Stop when the criterion changes by less than this: relative to the criterion for "tl" (None means
        1e-6), where the labels must stay too, in its units for "r" (None means 1e-4).
    random_state : int, RandomState instance or None, default=None
        Seed of the starts. For "r" and init="random" an integer is the seed of R's ``set.seed``.
    verbose : int, default=0

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0. For "r" `predict`, which takes the last centres and weights, can give some rows another
        cluster, of which a `PredictionWarning` tells.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters of `labels_`, units of X. For "r" see the notes.
    cluster_weights_ : ndarray of shape (n_clusters,)
        w, non-negative, sum 1.
    alpha_ : float
        The exponent reached.
    scatter_ : ndarray of shape (n_clusters,)
        V: sums of the (squared) distances in the clusters, (squared) units of X.
    objective_ : float
        The largest of `scatter_`.
    inertia_ : float
        Sum over rows of min_k w_k^alpha d_ik, d the (squared) distance to the centres.
    criterion_history_ : ndarray of shape (n_iterations,)
        For "tl" the sum of min_k w_k^alpha d_ik at each assignment, NaN where a cluster was lost; for "r" the
        sum of w_k^alpha d_ik over all rows and clusters. Neither need fall, because alpha and w move.
    n_lost_ : int
        Iterations of the best start in which a cluster was lost; then alpha falls back and grows no more.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
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
        For "tl": `max_iter` was reached. Both: fewer distinct clusters than `n_clusters` were found, or no
        start kept all clusters, so that plain k-means was run.
    PredictionWarning

    See Also
    --------
    SparseMinMaxKMeans : MinMax k-means with feature weights under an L1 bound.
    PowerKMeans : K-means that depends less on its starts.

    Notes
    -----
    `predict` assigns to the smallest w_k^alpha d_k; `transform` gives plain Euclidean distances. After a lost
    cluster, `labels_` of "r" are the last assignment, while centres and weights belong to the partition to
    which the algorithm fell back, as in the released code. There is no `sample_weight`: rows are counted to
    decide whether a cluster is lost.

    References
    ----------
    Tzortzis, G. and Likas, A. (2014). The MinMax k-means clustering algorithm. Pattern Recognition 47.

    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import MinMaxKMeans
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [4, 4], [5, 4], [9, 0], [9, 1], [10, 0]])
    >>> model = MinMaxKMeans(n_clusters=3, random_state=0).fit(X)
    >>> np.sort(model.scatter_).round(3)
    array([0.5  , 1.333, 2.   ])
    """

    _cluster_columns: ClassVar = {**MinMaxClusterer._cluster_columns, "scatter": "scatter_"}

    _by_cluster = (*MinMaxClusterer._by_cluster, "scatter_")

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        variant: Annotated[str, names("tl", "r")] = "tl",
        alpha_init: BelowOne = 0.0,
        alpha_max: BelowOne = 0.5,
        alpha_step: AlphaStep = 0.01,
        beta: UnitInterval | None = None,
        power: Annotated[int, Numbers(1, 2)] = 1,
        refine: Flag = False,
        init: Starts = "random",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count | None = None,
        tol: NotNegative | None = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None

        Returns
        -------
        MinMaxKMeans
            The fitted estimator.
        """
        options = self._options()
        data, _, kept = self._validate_fit(X, None)
        with thread_control().limit(limits=1):
            Z = self._prepared(data, None)
            seeds = self._draw_seeds()
            starts = self._given_centers(seeds, data, Z, self._scaling, kept)
            if self.variant == "r":
                results = self._released(Z, starts, options)
            else:
                results = self._tzortzis_likas(Z, starts, seeds, options)
            best: Any = self._best_start(results, max(fit.criterion for fit in results), Z.dtype)
            best = plain_kmeans(Z, best.labels, self.n_clusters) if self.refine else best
            self._power = self.power if self.variant == "r" and not self.refine else 2
            self._store_clusters(best if not self.refine else replace(best, solved=True), Z)
        self._centers = self._means
        self.scatter_ = self._in_units_of_scatter(best.scatter)
        self.objective_ = float(self.scatter_.max())
        self.start_objectives_ = self._in_units_of_scatter(self.start_objectives_)
        self.criterion_history_ = self._in_units_of_scatter(best.history)
        self.inertia_ = self._sum_of_least(Z)
        self.labels_ = self._number(self.labels_)
        self._compare_predictions(X)
        return self

    def _options(self) -> dict[str, Any]:
        """Checked parameters of the iterations, the defaults of the variant filled in."""
        self._validate_params()
        self._check_alphas(self.alpha_init)
        options: dict[str, Any] = {"alpha_max": self.alpha_max, "alpha_step": self.alpha_step}
        for name, default in VARIANTS[self.variant].items():
            value = getattr(self, name)
            options[name] = default if value is None else value
        return options if self.variant == "r" else {**options, "alpha_init": self.alpha_init}

    def _tzortzis_likas(
        self, Z: Array, starts: list[Array] | None, seeds: Array, options: dict[str, Any]
    ) -> list[Any]:
        """All starts of Tzortzis and Likas' algorithm."""
        space = ProductSpace(Z)
        draws = [self._drawing(int(seed)) for seed in seeds]
        starts = [draw(Z) for draw in draws] if starts is None else starts
        return [
            solved_minmax(space, start, self.n_clusters, draw, options)
            for start, draw in zip(starts, draws, strict=False)  # one start only where centres are given
        ]

    def _released(self, Z: Array, starts: list[Array] | None, options: dict[str, Any]) -> list[Any]:
        """All starts of the released code; their number of iterations is part of the method."""
        space, stream, results = ProductSpace(Z, self.power), self._stream(), []
        options = {**options, "n_clusters": self.n_clusters}
        for start in [None] * self.n_init if starts is None else starts:
            fit = None if start is None else minmax_released(space, start, **options)
            if fit is None or not fit.solved:
                fit = draw_released(space, n_rows=len(Z), rng=stream, **options)
            results.append(replace(fit, converged=True))
        return results

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(X)

"""Estimator of sparse k-means with weighted rows: WeightedRobustSparseKMeans."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.steps import Array, Labels
from sparsek.methods.robust.base import RobustClusterer
from sparsek.methods.robust.weighting import robust_labels, weighted_robust_sparse_kmeans
from sparsek.methods.shared.base import Setup
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    L1Bound,
    NotNegative,
    Runs,
    Seed,
    Starts,
    UnitInterval,
    Verbose,
    resolve_l1_bound,
)
from sparsek.starts.biweight import MAX_NEIGHBORS
from sparsek.starts.lof import local_outlier_factors


class WeightedRobustSparseKMeans(RobustClusterer):
    r"""Sparse k-means in which rows are weighted by how outlying they are in their cluster.

    Maximises :math:`\sum_j w_j a_j` over partitions and weights :math:`w \ge 0` with :math:`\|w\|_2 \le 1`
    and :math:`\|w\|_1 \le s`. Here :math:`a_j = \sum_i v_i ((x_{ij} - T_j)^2 - (x_{ij} - m_{k(i)j})^2)` is
    the between-cluster sum of squares of feature j with rows weighted by :math:`v_i`, about the weighted
    means T and m. The weight of a row falls from 1 to 0 as its local outlier factor among the rows of its
    cluster grows. The weight is computed from all features and from the weighted ones, and the smaller of the
    two counts, so that outliers in noise features are found too. The data are centred but not scaled.

    Parameters
    ----------
    n_clusters : int, default=8
    l1_bound : float or None, default=None
    init : str, array-like or callable, default="robin"
        Starts. "robin" (from the row farthest from a random one, reachabilities and only factors below 1.05,
        as in the paper), "k-means++" and "random" (distinct rows) draw `n_init` of them; "dkm++" and
        "maximin" (see `sparsek.init`) make one, the same every time, whatever `n_init`; "maximin" seeks
        outliers.
        [given starts]
    n_init : int, default=10
    standardize : bool, default=False
    cutoff : float, default=0.5
        Rows of at most this weight are outliers, dimensionless, in [0, 1].
    max_iter : int, default=100
    tol : float, default=1e-4
        A start stops when sum(abs(w - w_old)) <= tol * sum(w_old), or when it repeats a cycle; then the
        update of the cycle with the smallest criterion is taken.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        [sparse weights]
    observation_weights_ : ndarray of shape (n_samples,), float64
        Weights v of the rows, in [0, 1], dimensionless.
    outliers_ : ndarray of shape (n_samples,), bool
        Rows with a weight of at most `cutoff`. They have labels like all others.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Weighted cluster means of all features, units of X.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0: nearest to means in which rows have their weights in the weighted features alone.
        `predict` takes `cluster_centers_`, and so can give rows at the border of two clusters the other one,
        of which a `PredictionWarning` tells.
    inertia_ : float
        Sum over all rows, outliers included, of the squared weighted distance to the nearest centre, squared
        units of X.
    objective_ : float
        The criterion, minimised: -sum_j w_j a_j, squared units of X.
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each weight update; it need not fall at every one, because the weights of the rows are
        not chosen by it.
    n_iter_ : int
        Weight updates of the best start.
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
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
        `max_iter` was reached, the best start ends in a cycle of partitions, or fewer distinct clusters than
        `n_clusters` were found.
    PredictionWarning
    UserWarning
        [large bound]

    See Also
    --------
    sparsek.rcompat.wrsk : R's weighted robust sparse k-means, bit for bit.
    RobustSparseKMeans : Sparse k-means that leaves out outlying rows.
    sparsek.init.local_outlier_factors : Local outlier factors of the rows.

    Notes
    -----
    There is no `sample_weight`: a local outlier factor has no meaning for repeated rows. R's wrsk starts
    k-means anew at every weight update and keeps the last result; here every start continues to its end and
    the best is kept. A cluster that loses its rows takes a new one; rows whose factors do not differ have
    weight 1; the L1 bound is met exactly. For wrsk's own numbers use :func:`sparsek.rcompat.wrsk`.

    The criterion rewards clusters of one or two outliers, whose rows have weight 1. Starts that may put a
    centre on an outlier ("k-means++", "random") therefore find such clusters; "robin" avoids them.

    Local outlier factors take time proportional to the square of the cluster sizes.

    `transform` gives sqrt(sum_j w_j (x_j - c_j)^2).

    References
    ----------
    Brodinova, S., Filzmoser, P., Ortner, T., Breiteneder, C. and Rohm, M. (2019). Robust and sparse k-means
    clustering for high-dimensional data. Advances in Data Analysis and Classification 13, 905-932.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import WeightedRobustSparseKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 6
    >>> X[7, 10:] += 15
    >>> model = WeightedRobustSparseKMeans(n_clusters=2, l1_bound=1.7, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    >>> bool(model.outliers_[7])
    True
    """

    observation_weights_: NDArray[np.float64]
    outliers_: NDArray[np.bool_]

    _predicts_otherwise = (
        "their clusters were found with row weights in the weighted features alone, and cluster_centers_ "
        "have the smaller weights of observation_weights_"
    )
    _no_weights = NoWeights(
        "a local outlier factor has no meaning for repeated rows",
        "RobustSparseKMeans, GeometricKMedians or SKFR(loss='absolute')",
    )

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        l1_bound: L1Bound | None = None,
        init: Starts = "robin",
        n_init: Runs = 10,
        standardize: Flag = False,
        cutoff: UnitInterval = 0.5,
        max_iter: Count = 100,
        tol: NotNegative = 1e-4,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        self.l1_bound_ = resolve_l1_bound(self.l1_bound, data.shape[1])
        Z = self._prepared(data, None)
        run = partial(
            weighted_robust_sparse_kmeans,
            Z,
            n_clusters=self.n_clusters,
            l1_bound=self.l1_bound_,
            cutoff=self.cutoff,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Setup(data, None, Z, self._starts(data, Z, kept), run)

    def _store(self, setup: Setup, results: list[Any], best: Any) -> None:
        self._warn_of_cycle(best.cycle)
        self.observation_weights_ = best.params.row_weights
        self.outliers_ = self.observation_weights_ <= self.cutoff
        self._set_weights(best.params.weights, best.params.sums.means)
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._inertia(setup.data, None)

    def _starts(self, data: Array, Z: Array, kept: Array) -> list[Labels]:
        """Initial labels of every start."""
        if not (isinstance(self.init, str) and self.init == "robin"):
            return self._initial_labels(data, Z, self._scaling, None, 2, kept)
        n = len(Z)
        factors = np.ones(n)
        if n > 1:
            factors = local_outlier_factors(Z[:, :-1].astype(np.float64), min(MAX_NEIGHBORS, n - 1))
        # ROBIN draws nothing: its starts differ by the row from which the first centre is farthest.
        references = [int(np.random.default_rng(int(seed)).integers(n)) for seed in self._draw_seeds()]
        return [robust_labels(Z, factors, self.n_clusters, row) for row in references]

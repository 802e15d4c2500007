"""Estimator of sparse k-means that trims outliers: RobustSparseKMeans."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from sparsek.core.scaling import warn_of_far_columns, warn_of_unequal_scales
from sparsek.core.steps import Array, Labels, cluster_sums
from sparsek.core.weights import share_of
from sparsek.inputs.arguments import number
from sparsek.methods.robust.base import RobustClusterer
from sparsek.methods.robust.trimmed_rows import Trim
from sparsek.methods.robust.trimming import median_scaling, robust_sparse_kmeans, trimmed_total
from sparsek.methods.shared.base import Setup
from sparsek.methods.shared.forced import lift_of, resolve_left_bound
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    L1Bound,
    NotNegative,
    Runs,
    Seed,
    Starts,
    Values,
    Verbose,
)
from sparsek.methods.shared.weighted import WeightedClusterer
from sparsek.starts.seeds import seeded_labels


class RobustSparseKMeans(WeightedClusterer, RobustClusterer):
    r"""Sparse k-means that trims outliers, of Kondo, Salibian-Barrera and Zamar.

    Alternates three steps. Trimmed k-means in the weighted distance leaves out the floor(alpha n) rows
    farthest from their centres. A second set has the floor(alpha n) rows farthest from their centres in the
    unweighted distance. The weights :math:`w \ge 0`, :math:`\|w\|_2 \le 1`, :math:`\|w\|_1 \le s` then
    maximise :math:`\sum_j w_j\,\mathrm{BCSS}_j`, the between-cluster sums of squares over the rows in neither
    set. Without the second set, outliers in features of small weight would give weight to these features. The
    data are not scaled: standardise columns of different units first, robustly, for example with
    :class:`sklearn.preprocessing.RobustScaler`.

    Parameters
    ----------
    n_clusters : int, default=8
    l1_bound : float or None, default=None
    trim : float, default=0.1
        Share alpha of the rows, or of their weight, in each of the two trimmed sets, dimensionless, in
        [0, 0.5). 0 is `SparseKMeans`. At least the share of outliers; a share somewhat too large costs
        little.
    init : str, array-like or callable, default="k-means++"
        Starts. "k-means++" (the floor(alpha n) rows farthest from the seeds so far are left out of every
        draw) and "random" (distinct rows) draw `n_init` of them; "dkm++", "robin" and "maximin" (see
        `sparsek.init`) make one, the same every time, whatever `n_init`; "maximin" seeks outliers.
        [given starts]
    n_init : int, default=10
        Number of starts; the one with the smallest of `start_objectives_` is kept.
    standardize : bool, default=False
    max_iter : int, default=100
    tol : float, default=1e-4
        A start stops when sum(abs(w - w_old)) <= tol * sum(w_old), when no row changed its cluster or became
        or ceased to be trimmed, or when several partitions repeat in a cycle; then the one with the best
        trimmed sum of squares is taken, as in `start_objectives_`.
    never : array-like or None, default=None
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        [sparse weights]
        Always the weights that `labels_` and `outliers_` lead to.
    trimmed_weighted_ : ndarray of shape (n_samples,), bool
        The floor(alpha n) rows farthest from their centres in the weighted distance. Where the fit ends
        early or in a cycle, with a warning, this is the distance of the weights of one update before.
    trimmed_unweighted_ : ndarray of shape (n_samples,), bool
        The floor(alpha n) rows farthest from their centres over all features, unweighted.
    outliers_ : ndarray of shape (n_samples,), bool
        Rows in one of these sets.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the rows outside `trimmed_weighted_`, all features, units of X.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0; outliers get their nearest cluster.
    inertia_ : float
        The trimmed sum of squares: over the rows outside `trimmed_weighted_`, the squared weighted distance
        to the nearest centre; squared units of X.
    objective_ : float
        -sum_j w_j BCSS_j over the rows outside `outliers_`, squared units of X.
    gap_objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
        `objective_` after each weight update up to the one that is kept. With trimming it can rise, because
        the trimmed rows change.
    n_iter_ : int
        Weight updates of the best start, up to the one that is kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Criterion to compare starts, smallest best: the trimmed sum of squares minus that of one cluster, in
        the weighted distance of the start; squared units of X. Without trimming, `objective_` of every start.
    start_n_iter_ : ndarray of shape (n_starts,)
    l1_bound_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer untrimmed rows than clusters, a parameter outside its range,
        negative or all-zero `sample_weight`.
    TypeError

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached, the best start ends in a cycle of partitions, fewer distinct clusters than
        `n_clusters` were found, or the rows outside `outliers_` belong to one cluster.
    UserWarning
        [large bound]

    See Also
    --------
    sparsek.rcompat.RSKC : R's robust sparse k-means, bit for bit.
    WeightedRobustSparseKMeans : Sparse k-means that gives outlying rows small weights.
    SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    PermutationGap : Choose parameters by the permutation gap statistic.

    Notes
    -----
    RSKC draws new starts of trimmed k-means at every weight update; here every start continues to its final
    weights. A start ends as described under `tol`, not at the first update that gains little; the L1 bound is
    met exactly. Starts are not compared by `objective_`, because a start that makes a far outlier its own
    cluster has a large between-cluster sum of squares for that very reason. Data are centred at column
    medians; this affects only rounding: far outliers do not cost the other rows digits. Of rows equally far
    at the border the first are trimmed. For RSKC's own numbers, and for missing values, use
    :func:`sparsek.rcompat.RSKC`.

    With `sample_weight` each set has the weight alpha M, M the sum of the weights; where all weights are
    whole, this is rounded down to floor(alpha M), as for the repeated rows. The row at the border is trimmed
    in part, as some of its copies would be: it counts with the rest of its weight, and the masks do not have
    it. Where both sets trim a row in part, the larger part is left out of the weights of features.
    Rows of weight 0 are in no set.

    `transform` gives sqrt(sum_j w_j (x_j - c_j)^2).

    References
    ----------
    Kondo, Y., Salibian-Barrera, M. and Zamar, R. (2012). A robust and sparse K-means clustering algorithm.
    arXiv:1201.6082.
    Kondo, Y., Salibian-Barrera, M. and Zamar, R. (2016). RSKC: an R package for a robust and sparse K-means
    clustering algorithm. Journal of Statistical Software 72(5).
    Cuesta-Albertos, J. A., Gordaliza, A. and Matran, C. (1997). Trimmed k-means: an attempt to robustify
    quantizers. Annals of Statistics 25, 553-576.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import RobustSparseKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> X[7, 10:] += 15
    >>> model = RobustSparseKMeans(n_clusters=2, l1_bound=1.7, trim=0.05, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    >>> bool(model.outliers_[7])
    True
    """

    trimmed_weighted_: NDArray[np.bool_]
    trimmed_unweighted_: NDArray[np.bool_]

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        l1_bound: L1Bound | None = None,
        trim: Annotated[float, number(0, 0.5)] = 0.1,
        init: Starts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 100,
        tol: NotNegative = 1e-4,
        never: Values | None = None,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        trim = self._trim(len(data), weights)
        if weights is None and len(data) - trim.amount < self.n_clusters:
            raise ValueError(
                f"trim={self.trim} leaves {len(data) - trim.amount} of {len(data)} rows, fewer than "
                f"n_clusters={self.n_clusters}; lower trim or n_clusters"
            )
        p = data.shape[1]
        lift = lift_of(None, self.never, p, getattr(self, "feature_names_in_", None))
        self._left_out = np.zeros(p, bool) if lift is None else lift < 0
        self.l1_bound_ = resolve_left_bound(self.l1_bound, lift, p)
        Z, scaling = median_scaling(data, self.standardize, weights)
        # A column of zeros explains nothing and adds nothing to distances.
        Z[:, :-1][:, self._left_out] = 0
        self._set_scaling(scaling)
        run = partial(
            robust_sparse_kmeans,
            Z,
            n_clusters=self.n_clusters,
            l1_bound=self.l1_bound_,
            n_trimmed=trim.amount,
            mass=trim.weights,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        starts = self._starts(data, Z, weights, kept, trim.amount)
        return Setup(data, weights, Z, starts, run, (trim, kept))

    def _size(self, setup: Setup, results: list[Any]) -> float:
        return trimmed_total(setup.Z, setup.parts[0])

    def _warn_of_lost_structure(self, X: Array, kept: Array | None = None) -> None:
        # Centred at the medians, far rows cost the others no digits, unless they scale them down.
        if np.frexp(np.abs(X).max())[1] > np.finfo(X.dtype).maxexp // 4:
            super()._warn_of_lost_structure(X, kept)
            return
        names = getattr(self, "feature_names_in_", None)
        ignored = self._ignored_columns(X.shape[1], names)
        warn_of_far_columns(X.max(axis=0), X.min(axis=0), names, ignored)
        if self._compares_columns():
            warn_of_unequal_scales(X, names, ignored)

    def _trim(self, n: int, weights: Array | None) -> Trim:
        """What is trimmed: floor(alpha n), or a weight."""
        if weights is None:
            return Trim(share_of(n, self.trim))
        mass = weights.astype(np.float64)
        total = float(mass.sum())
        copies = bool((mass == np.floor(mass)).all())
        # Whole weights are numbers of copies, of which whole rows are trimmed.
        return Trim(float(share_of(total, self.trim)) if copies else self.trim * total, mass)

    def _starts(
        self, data: Array, Z: Array, weights: Array | None, kept: Array, n_trimmed: float
    ) -> list[Labels]:
        """Initial labels of every start; those that are drawn or named see the features left."""
        if isinstance(self.init, str) and self._left_out.any():
            Z = Z[:, np.append(~self._left_out, True)]
        if isinstance(self.init, str) and self.init in ("k-means++", "greedy-k-means++"):
            seeds, seeding = self._draw_seeds(), self._seeding(2)
            return seeded_labels(Z, self.n_clusters, seeds, weights, n_trimmed=n_trimmed, **seeding)
        return self._initial_labels(data, Z, self._scaling, weights, 2, kept)

    def _given_start(self, init: ArrayLike, *data: Any) -> Array:
        start = super()._given_start(init, *data)
        if start.ndim == 2:
            start[:, self._left_out] = 0
        return start

    def _centers_of(self, setup: Setup, best: Any) -> Array:
        """Means of the kept rows, also of the features in `never`, which are 0 in the rows of the fit."""
        if not self._left_out.any():
            return np.asarray(best.params.centers)
        kept = best.kept.astype(setup.Z.dtype)
        return cluster_sums(self._scaling.apply(setup.data), best.labels, self.n_clusters, kept).means

    def _store(self, setup: Setup, results: list[Any], best: Any) -> None:
        self._warn_of_cycle(best.cycle)
        trim, kept = setup.parts
        far = trim.whole(best.params.far)
        if len(np.unique(best.labels)) > 1 == len(np.unique(best.labels[~(best.trimmed | far)])):
            self._warn("the rows that are not outliers belong to one cluster; lower trim")
        self.trimmed_weighted_, self.trimmed_unweighted_ = (
            _among_all(rows, kept) for rows in (best.trimmed, far)
        )
        self.outliers_ = self.trimmed_weighted_ | self.trimmed_unweighted_
        self._set_weights(best.params.weights, self._centers_of(setup, best))
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._inertia(setup.data, setup.weights)

    def _inertia(self, X: Array, weights: Array | None) -> float:
        closest = cdist(self._coordinates(X)[:, :-1], self._centers).min(axis=1) ** 2
        return float(self._in_square_units(self._trim(len(closest), weights).smallest(closest)))


def _among_all(rows: NDArray[np.bool_], kept: Array) -> NDArray[np.bool_]:
    """A mask of the rows of positive weight as a mask of all rows."""
    found = np.zeros(len(kept), dtype=bool)
    found[kept] = rows
    return found

"""Estimator of sparse k-means with feature ranking: SKFR."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import Divisor, Scaling
from sparsek.core.steps import Array, FitResult, Labels, nonzero, used_features
from sparsek.inputs.arguments import Numbers, names
from sparsek.methods.shared.base import criterion_rounding
from sparsek.methods.shared.batches import BatchFits
from sparsek.methods.shared.fits import screened_starts
from sparsek.methods.shared.forced import warn_of_many
from sparsek.methods.shared.parameters import (
    AUTO,
    Auto,
    ColumnScale,
    Count,
    Flag,
    Groups,
    Jobs,
    Memory,
    Positive,
    Runs,
    Seed,
    Size,
    Values,
    Verbose,
    check_values,
    starts,
)
from sparsek.methods.shared.single_moves import refine_best
from sparsek.methods.shared.sizes import PATH_ITERATIONS
from sparsek.methods.skfr.algorithm import Selection, Sizes, selected_features
from sparsek.methods.skfr.losses import LOSSES, Squared, chosen_loss, not_plain
from sparsek.methods.skfr.problem import improve, run_rows, winsorized
from sparsek.methods.skfr.projection import PROJECTIONS
from sparsek.methods.skfr.results import SKFRResults
from sparsek.methods.skfr.separate import SeparateProblem, matched, refuse_separate, separate_problem
from sparsek.sources.batches import BatchScaling
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import ArraySource, RowProblem


class SKFR(SKFRResults, BatchFits):
    r"""Sparse k-means with feature ranking: k-means on the s features that separate the clusters best.

    Minimises :math:`h(C, \theta) = \sum_j \sum_{i \in C_j} \|z_i - \theta_j\|^2` over partitions and centres
    that are zero outside s features of the standardised data z: one common set (``scope="global"``, SKFR1)
    or one set per cluster (``scope="local"``, SKFR2). Each iteration keeps the features with the largest
    gains n_j mu_jl^2, summed over clusters or within each.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    n_features_to_select : int, float, "auto" or None, default="auto"
        s: an integer of at least 1 (above n_features: all of them, with a warning), or a fraction of the
        features in (0, 1] (rounded down, at least 1). "auto" chooses it from the data (see Notes);
        `selection_path_` has what was tried. None means half of the features, as in scikit-learn's RFE. With
        `groups` it counts groups.
    scope : {"global", "local"}, default="global"
        One feature set for all clusters, or one per cluster.
    init : str, array-like or callable, default="screened"
        Starts. "screened" draws k-means++ seeds on the standardised columns that look least normal (in turn
        the s, 2 s, 4 s and all p least normal ones), which works with a thousand noise features and with any
        units. The others use all columns as they are, holes filled with column means, so that these must
        share a unit: "k-means++", "paper" (k-means++ that draws seeds in proportion to the distance, not to
        its square) and "random" (distinct rows) draw `n_init` starts; "greedy-k-means++" and
        "greedy-screened" draw several rows for each seed and take the best one; "dkm++", "robin" and
        "maximin" (see `sparsek.init`) make one, the same every time, whatever `n_init`. An array makes one
        too: centres of shape (n_clusters, n_features) in the units of X, integer labels of shape
        (n_samples,), or row numbers of shape (n_clusters,). A callable
        ``init(X, n_clusters, random_state=seed)``, called for every start, returns any of these.
    n_init : int, default=20
        Number of starts; the one with the smallest `objective_` is kept. Starts are cheap and results are
        only as good as their seeds, so use at least 20.
    standardize : bool, "auto", "range" or array-like, default="auto"
        [column scale]
        A Bregman divergence and the cosine have scales of their own and take the data as they are.
    refine : bool, default=False
        Go on from the best start, if it converged, by moves of single rows in the selected features (Hartigan
        1975), each of which lowers `objective_`, until no move does. It finds better partitions with
        hundreds of features or many clusters, and needs complete data in one dense array, the squared loss
        and no projection.
    winsorize : float or None, default=None
        Clip every column at its weighted median plus or minus this many robust standard deviations (1.4826
        median absolute deviations) before anything else; 4 rescues data whose noise features have gross
        outliers. Rows of `predict` and centres given in the units of X are clipped too.
    missing : {"observed", "mm"}, default="observed"
        Treatment of NaN in X: minimise the loss over the observed entries exactly, or fill the missing
        entries from the centres before every step, as in the paper (k-POD). Columns are standardised by their
        observed entries.
    loss : {"squared", "absolute", "cosine", "poisson", "multinomial", "itakura-saito"}, default="squared"
        "absolute" uses medians and sums of absolute differences; nothing is claimed for its accuracy.
        "cosine" compares the directions of rows, such as texts and cells; with all features it is spherical
        k-means (``standardize=False``, see Notes). The others are Bregman divergences, for data as they are
        (``standardize=False``): "poisson" for counts, "multinomial" for counts of which the shares in the row
        matter (each row divided by its total, which becomes its weight: Kullback-Leibler divergence),
        "itakura-saito" for positive numbers whose ratios matter, such as spectra.
    projection : None, str, tuple or callable, default=None
        Project the cluster means, in standardised units, instead of ranking features (eq. 6 of the paper):
        "nonnegative", ("box", low, high), ("simplex", total), ("ball", radius), ("half_space", normal,
        offset) for normal . theta <= offset with a normal of shape (p,), ("low_rank", rank), or a callable
        ``project(means, counts)`` that returns centres of the shape of the means (n_clusters, p).
    groups : array-like, mapping or None, default=None
        Groups of features, each selected or left out as a whole. They are ranked by their gain, summed over
        their features, per degree of freedom: divided by the number of their features. Groups of one feature
        each are the same as None.
        [groups]
    always : array-like or None, default=None
        Features, given as those of `never`, that are all selected, with ``scope="local"`` in every cluster.
        They count towards `n_features_to_select`. With `groups`, both hold labels of groups.
    never : array-like or None, default=None
    categories : array-like or None, default=None
    batch_centers : {"common", "batch"}, default="common"
        Centres of a fit with `batch`: the same for all batches, or those of each batch, with one set of
        features that is ranked by the gains of all batches together. "batch" needs a dense array without NaN,
        the squared loss, scope "global" and a number of features.
    max_iter : int, default=300
        Largest number of iterations of one start.
    ddof : {0, 1}, default=1
        The variance divides by sum(sample_weight) - ddof.
    n_jobs : int or None, default=None
        Threads over the starts, where these run one by one (small data are run as one stack). Results do not
        depend on it.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
    memory_limit : float, str or None, default=None

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,) or (n_clusters, n_features), float64
        Share in [0, 1] of the total sum of squares of the feature that the clusters explain (within-cluster
        gain over total for scope "local": one row per cluster), 0 where not selected or constant, and where
        `projection` keeps the centres so far from the rows that the gain is negative.
    feature_gains_ : ndarray of shape (n_features,) or (n_clusters, n_features)
        The gains d_l by which features are ranked, of all of them, squared standardised units; one row per
        cluster for scope "local".
    selected_features_ : ndarray of shape (s,) or (n_clusters, s)
        Sorted indices of the selected features; one row per cluster for scope "local". `get_support` gives
        their union. Features without any gain fill up the set, lowest index first, when fewer than s have
        one. With `projection`, in either scope, the features in which any centre is not 0. With groups of
        different sizes and scope "local": an object array of shape (n_clusters,), one array of indices for
        each cluster.
    groups_ : ndarray of shape (n_groups,)
        Only with `groups`, as the next two: labels of the groups, in the order of their first features.
    group_gains_ : ndarray of shape (n_groups,) or (n_clusters, n_groups)
        Gains of the groups per degree of freedom, by which they are ranked, squared standardised units; one
        row per cluster for scope "local".
    selected_groups_ : ndarray of shape (s,) or (n_clusters, s)
        Labels of the selected groups, in the order of `groups_`; one row per cluster for scope "local".
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres in the units of X. Where a feature is not selected, the centre is its overall mean.
    standardized_centers_ : ndarray of shape (n_clusters, n_features)
        Sparse centres theta in standard deviations from the overall mean; 0 where not selected.
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
        h of the final labels and centres, over all features, squared standardised units.
    objective_ : float
        h after the last centre update; equal to `inertia_` up to rounding when converged.
    criterion_history_ : ndarray of shape (n_iterations,)
        h after each centre update (after each assignment under ``missing="mm"``), never increasing; with
        groups of different sizes it can rise, because the ranking is per degree of freedom.
    tss_ : float
        Total sum of squares of the standardised data; ``1 - objective_ / tss_`` is the share explained.
    gap_objective_ : float
        ``tss_ - objective_``, the sum of the selected gains: `PermutationGap` compares it with permuted data.
    n_iter_ : int
        Iterations of the best start, including the last one, which changed no label.
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    restart_table_ : DataFrame
        One row per start: ``objective``, ``n_iter``, ``converged`` and ``selected``, the features as a
        tuple (of tuples for scope "local"). One more row where the best partition came from the path of
        "auto".
    rows_without_values_ : ndarray of shape (n_rows,)
    scaling_ : ColumnScaling
    selection_path_ : DataFrame
        Only with ``n_features_to_select="auto"``: one row per number of features that was tried, with its
        permutation gap, the standard error of the gap, NaN where only one number is possible, and whether
        it was chosen.
    batches_ : ndarray of shape (n_batches,)
    batch_means_ : ndarray of shape (n_batches, n_features)
    batch_scales_ : ndarray of shape (n_batches, n_features)
    batch_centers_ : ndarray of shape (n_clusters, n_batches, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: infinite data, NaN with an absolute, cosine or multinomial loss, a projection or `refine`,
        groups that leave out a feature or have it twice, or a projection or the cosine loss with them, fewer
        rows than clusters, a parameter outside its range, negative or all-zero `sample_weight`. For
        Bregman divergences also, and from `predict`, `transform` and `score`: negative entries, 0 for
        Itakura-Saito, rows of zeros for multinomial and cosine; and options that leave the domain.
    TypeError
        From `fit`: a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning
    EmptyRowWarning
    UserWarning
        `n_features_to_select` exceeds the number of features; all are selected.

    See Also
    --------
    SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    skfr_path : `SKFR` for a grid of numbers of features.
    EntryCrossValidation : Choose parameters by predicting entries that are held out.
    sparsek.plots.plot_weights : Draw the feature weights.

    Notes
    -----
    "auto" fits up to seven numbers of features from 1 to all, equally spaced in the logarithm, each from some
    starts and from the partitions of its neighbours, and two data sets with shuffled columns. The largest
    permutation gap (see `PermutationGap`) chooses, after two refinements around it. Of the features that it
    takes, those are selected whose gain is above the 1 - .05 / n_features quantile of that of noise, if the
    clusters stay the same without the others (adjusted Rand index .9); not where there are more columns than
    rows that are not standardised. The page on SKFR has the time that this takes, in fits with s given. Of
    data larger than 250,000 numbers, and of files and Dask collections, a random sample of at least 1000 rows
    is used.

    [the scale]

    `transform` gives the distances to the centres over the selected features (their union for scope
    "local"), in standardised units. An empty cluster keeps its centre at the origin and can win rows again,
    as in the authors' code. Of equal features the lowest index is taken; a row at equal distances goes to
    the cluster that comes first in the best start.

    Rows with NaN are predicted and transformed by their observed entries. A row without a value in the
    selected features is as near to all clusters; `fit` and `predict` give it one, with an `EmptyRowWarning`.
    Under ``missing="mm"`` the filled entries pull a row to its own cluster, so that `labels_` need not be the
    nearest centre that `predict` gives. Under the absolute loss all squares above are absolute values, and
    distances are sums of absolute differences.

    Under a Bregman divergence d all sums of squares above are sums of d(x, centre), the origin is the overall
    mean, and `standardized_centers_` are differences from it. `transform` gives the divergences, for
    multinomial times the total of the row; they are infinite where a row has an entry of which a cluster has
    none. `predict` gives a row that is infinitely far from all clusters to the one that lacks least of its
    entries. Centres given as `init`, and `cluster_centers_`, are shares for multinomial. Seeds are drawn on
    roots (logarithms for Itakura-Saito), where squared distances are close to the divergence.

    Under the cosine loss all rows have unit length, sums of squares are sums of cosine distances 1 - cos, and
    the origin is the mean direction, that of the sum of all rows. Centres are unit vectors that agree with it
    outside the selected features, so that at least two are needed. `standardized_centers_` are differences
    from the mean direction, and `transform` gives cosine distances of whole rows. The gain of feature l is
    the sum over clusters of (S_kl - r_k m_l)^2 / (2 r_k), where S_k is the sum of the rows of cluster k, m
    the mean direction and r_k the length of S_k over that of m in the selected features; `feature_weights_`
    are cut at 1. A row without any selected feature is equally far from all centres. Rows of zeros have no
    direction and are refused; a sparse matrix stays sparse. The set of features need not be the best one,
    and with few features it can be far from it.

    [batches]

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows. The `n_init` starts then run on a random sample (10 million numbers,
    or as many as fit in memory), and the centres of the best start the iterations over all rows; given starts
    need no sample. `winsorize`, `refine`, `projection`, a loss that is not squared and NaN need the
    data in memory.

    [dask]

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithms 1 and 2.

    Steinley, D. and Brusco, M. J. (2008). A new variable weighting and selection procedure for K-means
    cluster analysis. Multivariate Behavioral Research 43, 77-108 (ranges).

    Dhillon, I. S. and Modha, D. S. (2001). Concept decompositions for large sparse text data using
    clustering. Machine Learning 42, 143-175 (spherical k-means).

    Banerjee, A., Merugu, S., Dhillon, I. S. and Ghosh, J. (2005). Clustering with Bregman divergences. JMLR
    6, 1705-1749.

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

    _columns: Array  # features of the columns of `_centers`
    _batch_numbers: Array  # (n_batches, n_clusters): the common number of each cluster of a batch
    _finite = "allow-nan"
    _compares_sparse = True
    _path_parameter = "n_features_to_select"
    _raw_starts = True
    _gone: ClassVar[dict[str, str]] = {
        "anneal": "leave it out: screened starts find what it was for",
        "init_on": "starts but the screened ones see the columns as they are: standardise X, and set "
        "standardize=False",
        "power": "init='paper' draws seeds with the power 1 of the paper",
    }
    _by_cluster = (*BatchFits._by_cluster, "standardized_centers_")

    def __init__(
        self,
        n_clusters: Count = 8,
        n_features_to_select: Size | Auto | None = AUTO,
        *,
        scope: Annotated[str, names("global", "local")] = "global",
        init: Annotated[Any, *starts("screened", "greedy-screened", "paper")] = "screened",
        n_init: Runs = 20,
        standardize: ColumnScale = AUTO,
        refine: Flag = False,
        winsorize: Positive | None = None,
        missing: Annotated[str, names("observed", "mm")] = "observed",
        loss: Annotated[str, names(*LOSSES)] = "squared",
        projection: Annotated[Any, *PROJECTIONS] = None,
        groups: Groups | None = None,
        always: Values | None = None,
        never: Values | None = None,
        categories: Values | None = None,
        batch_centers: Annotated[str, names("common", "batch")] = "common",
        max_iter: Count = 300,
        ddof: Annotated[int, Numbers(0, 1)] = 1,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        memory_limit: Memory = None,
    ) -> None:
        self._keep(locals())

    @classmethod
    def paper(cls, n_clusters: int, n_features_to_select: int, **others: Any) -> Self:
        """SKFR with the settings of the paper (Zhang, Lange and Xu 2020).

        These are its starts, standardised columns, and its treatment of missing entries.

        Parameters
        ----------
        n_clusters : int
            Number of clusters k.
        n_features_to_select : int
            Number of features s.
        **others : dict
            Other parameters of the estimator, which come before the settings.

        Returns
        -------
        SKFR
            The estimator, not fitted.

        Examples
        --------
        >>> from sparsek import SKFR
        >>> SKFR.paper(3, 2, random_state=0)
        SKFR(init='paper', missing='mm', n_clusters=3, n_features_to_select=2,
             random_state=0, standardize=True)
        """
        settings: dict[str, Any] = {"init": "paper", "standardize": True, "missing": "mm"}
        return cls(n_clusters, n_features_to_select, **(settings | others))

    @property
    def _loss(self) -> Squared:
        """How rows are compared with the centres; tags are read before parameters are checked."""
        return LOSSES.get(self.loss if isinstance(self.loss, str) else "squared", LOSSES["squared"])

    def _fit_path(self, X: ArrayLike, values: list[int | float]) -> Iterator[Self]:
        """A copy for each number of features, fitted except for `inertia_` and `labels_`."""
        self._validate_params()
        check_values(self, "n_features_to_select", values)
        self.set_params(n_features_to_select=max(values))
        problem = self._problem(self._in_memory_source(X))
        models = [copy(self).set_params(n_features_to_select=value) for value in values]
        for model, results in zip(models, self._run_sizes(models, problem), strict=True):
            best = model._best_start(results, problem.tss, problem.source.dtype)
            model._store(problem, results, best, with_inertia=False)
            yield model

    def _run_sizes(self, models: list[Self], problem: Any) -> Iterator[list[FitResult[Selection]]]:
        """The starts of models that differ only in their number of features, from the same random draws."""
        seeds, starts = self._draw_seeds(), None
        for model in models:
            if self._screens() or starts is None:  # only screened starts depend on the number of features
                starts, _ = model._starts(problem, seeds)
            yield model._run(problem, starts)

    def _held_out_scale(
        self,
        X: Array,
        weights: Array | None = None,
        within: BatchScaling | None = None,
        levels: Array | None = None,
    ) -> tuple[Array, Scaling]:
        """The data that predictions of held-out entries aim at, and the scale of their squared errors.

        Rows of batches come in the scale of these. `levels` is a mask of the columns that are indicators.
        """
        self._validate_params()
        self._batch_scaling = within
        if levels is not None:
            self._refuse_options_of_numbers()
        loss = chosen_loss(vars(self), has_holes=True)
        if self.winsorize is not None:
            source = ArraySource(X, weights, np.ones(len(X), bool), holes=True, levels=levels)
            X = winsorized(source, self.winsorize)[0].dense()
        loss.check(X)
        # Levels in the scale of batches are scaled already.
        levels = None if within is not None else levels
        return X, loss.error_scaling(X, weights, *self._standardizing(), levels)

    def _in_coordinates(self, source: Any, moments: Moments) -> Any:
        """The rows in prepared coordinates; sets `_limits`."""
        loss = chosen_loss(vars(self), bool(np.isnan(moments.top).any()))
        self._limits = None
        if self.winsorize is not None:
            source, self._limits = winsorized(source, self.winsorize)
            moments = source.moments()
        n_clusters, fill = int(self.n_clusters), self.missing == "mm"  # small integers of numpy overflow
        problem = loss.problem(source, moments, n_clusters, *self._standardizing(), fill)
        return self._separated(problem, bool(np.isnan(moments.top).any()))

    def _separated(self, problem: Any, has_holes: bool) -> Any:
        """The problem, with centres for each batch on request."""
        if self.batch_centers == "common":
            return problem
        refuse_separate(vars(self), self._batch_codes is not None, has_holes)
        if self._batch_scaling is None:  # one batch
            return problem
        assert self._batch_codes is not None  # while a fit runs
        return separate_problem(problem, self._batch_codes[problem.source.kept])

    def _run(self, problem: Any, starts: Iterable[Any], warm: bool = False) -> list[FitResult[Selection]]:
        """The result of every start."""
        p = problem.source.shape[1]
        sizes = self._sizes(p)
        run = partial(run_rows, problem, n_jobs=self.n_jobs, last=not warm)
        results = run(starts, sizes)
        if not self.refine:
            return results
        rounding = criterion_rounding(problem.tss, problem.source.dtype)
        return refine_best(results, rounding, partial(improve, problem, sizes))

    def _sizes(self, p: int) -> Sizes:
        """How many of p features, or groups, a start selects, and how long it may take."""
        n_selected = self._n_selected(p) if self.projection is None else p
        return Sizes(n_selected, self.scope == "local", self.max_iter, self._lift, self._groups)

    def _chooses(self) -> bool:
        return self.projection is None and super()._chooses()

    def _sized(self, value: float) -> Self:
        model = copy(self)
        model.n_features_to_select, model.refine = int(value), False
        model.max_iter = min(self.max_iter, PATH_ITERATIONS)
        return model

    def _explained_by(self, problem: Any, result: FitResult[Selection]) -> float:
        return float(problem.tss - result.criterion)

    def _subspace_of(self, best: FitResult[Selection]) -> tuple[Subspace, Array]:
        return Subspace(best.params.columns), best.params.centers

    def _store(
        self, problem: Any, results: list[FitResult[Any]], best: FitResult[Any], with_inertia: bool = True
    ) -> None:
        """Set the attributes that follow from the results of the starts."""
        found, dtype = best.params, problem.source.dtype
        self._set_scaling(problem.scaling)
        total = self._column_total = problem.column_total
        self.selected_features_, used = found.selected, used_features(found.selected, len(total))
        self._support = np.asarray(np.atleast_2d(used).any(axis=0))
        self._columns = np.flatnonzero(self._support)
        in_use = found.centers[:, self._support[found.columns]]
        self._centers = in_use.astype(dtype)
        theta, centers = self._loss.whole_centers(problem.scaling, self._columns, in_use)
        self.cluster_centers_ = centers.astype(dtype)
        if self._coding is not None and self._batch_scaling is None:
            self._coding.within_shares(self.cluster_centers_)
        self.standardized_centers_ = self._in_units(theta.astype(dtype))
        gains = self._store_gains(problem.gains(found), total, theta != 0)
        self._store_groups(used)
        if self._coding is not None:
            self._store_variables(self._coding, gains, used, total)
        others = problem.uncounted
        self.tss_ = float(self._in_square_units(problem.tss + others))
        # What `never` leaves out may be so large that `tss_` less `objective_` has no digit of it.
        explained = float(self._in_square_units(problem.tss - best.history[-1]))
        self._gap = explained if others else None
        self.criterion_history_ = self._in_square_units(np.array(best.history) + others)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_ + others)
        self._start_details = [
            (result.converged, self._variables(result.params.selected)) for result in results
        ]
        self._batch_theta = None
        if with_inertia:
            inertia = problem.inertia(best.labels, self._columns, self._centers)
            self.inertia_ = float(self._in_square_units(inertia))
        if isinstance(problem, SeparateProblem):
            self._store_separate(problem, best.labels)

    def _store_separate(self, problem: SeparateProblem, labels: Labels) -> None:
        """Match the clusters of the batches, and set the centres of each batch and their means."""
        k, n_batches = self.n_clusters, len(self.batches_)
        sizes = np.bincount(labels, problem.source.weights, k * n_batches).reshape(n_batches, k)
        theta = self._centers.reshape(n_batches, k, -1)
        numbers = self._batch_numbers = matched(theta, sizes.sum(axis=1))
        order = np.argsort(numbers, axis=1)
        # The common centre of matched clusters is the mean of all their rows.
        mass = np.take_along_axis(sizes, order, axis=1).T[:, :, None]
        self._batch_theta = np.take_along_axis(theta, order[:, :, None], axis=1).swapaxes(0, 1)
        self._centers = ((self._batch_theta * mass).sum(axis=1) / nonzero(mass.sum(axis=1))).astype(
            theta.dtype
        )
        whole, centers = self._loss.whole_centers(problem.scaling, self._columns, self._centers)
        self.standardized_centers_, self.cluster_centers_ = self._in_units(whole), centers

    def _store_gains(self, gains: Array, total: Array, in_use: NDArray[np.bool_]) -> Array:
        """Set the gains and the weights; return the gains in prepared units, of all clusters or of each.

        `total` is the loss of each column at the origin. `in_use`, (n_clusters, p), tells where the centres
        are not the origin.
        """
        local = self.scope == "local"
        if not local:
            gains = np.sort(gains, axis=0)  # the sum is then the same for clusters in any order
        prepared: Array = gains if local else gains.sum(axis=0)
        self.feature_gains_ = self._in_square_units(prepared)
        shares = gains / np.where(total > 0, total, 1)
        used, shares = self._weighted(in_use), shares if local else shares.sum(axis=0)
        # Centres that a projection moves far away explain less than nothing.
        self.feature_weights_ = np.clip(np.where(used, shares, 0), 0, self._loss.most_weight)
        return prepared

    def _store_groups(self, used: NDArray[np.bool_]) -> None:
        """Set what is known of the groups; `used` is the mask of the selected features, by cluster or not."""
        groups = self._name_groups()
        if groups is not None:
            self.group_gains_ = groups.per_degree(self.feature_gains_)
            chosen = np.nonzero(used[..., [columns[0] for columns in groups.columns]])[-1]
            self.selected_groups_ = groups.names[chosen.reshape(*used.shape[:-1], -1)]

    def _variables(self, selected: Array) -> Array:
        """The variables of selected columns, of one set or one for each cluster."""
        if self._coding is None:
            return selected
        used = used_features(selected, len(self._coding.is_level))
        return selected_features(used[..., self._coding.firsts])

    def _weighted(self, in_use: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of the weights that are not 0, of features or of features in clusters."""
        return in_use if self.scope == "local" else self._support

    def _whole_batch_centers(self) -> Array:
        if self._batch_theta is None:
            return super()._whole_batch_centers()
        theta = self._batch_theta if self._numbers is None else self._batch_theta[np.argsort(self._numbers)]
        whole = np.zeros((*theta.shape[:2], len(self._support)), theta.dtype)
        whole[:, :, self._columns] = theta
        return whole / self._scaling.unit

    def _all_labels(self, X: ArrayLike, labels: Labels, kept: Array, sizes: Array | None = None) -> Labels:
        if self._batch_theta is not None:
            assert self._batch_codes is not None  # while a fit runs
            labels = self._batch_numbers[self._batch_codes[kept], labels % self.n_clusters]
        return super()._all_labels(X, labels, kept, sizes)

    def _refuse_options_of_numbers(self) -> None:
        super()._refuse_options_of_numbers()
        for name, plain in (("loss", "squared"), ("projection", None), ("batch_centers", "common")):
            value = getattr(self, name)
            if value != plain:
                raise ValueError(
                    f"{name}={value!r} is for numbers, and X has categories; set {name}={plain!r}, or leave "
                    "the categories out"
                )

    def _screens(self) -> bool:
        return isinstance(self.init, str) and self.init in ("screened", "greedy-screened")

    def _standardizing(self) -> tuple[Divisor, int]:
        return self._batch_scaling is None and self._divisor(), self.ddof

    def _has_own_scale(self) -> bool:
        return self._loss.own_scale

    def _wanted_part(self, p: int) -> float:
        if self.projection is not None or self.loss != "squared":
            return 0.0
        return self._n_selected(p) / self._fewest_and_most(p)[1]

    def _gains_of(self, problem: Any, best: FitResult[Selection]) -> Array | None:
        if self.loss != "squared" or self.projection is not None:
            return None
        gains: Array = problem.gains(best.params).sum(axis=0)
        return gains

    def _columns_of(self, best: FitResult[Selection]) -> Array:
        return np.unique(best.params.selected)

    def _refuse_batches(self) -> None:
        if self._loss.own_scale:
            raise ValueError(
                f"batch centres the columns within batches, and loss={self.loss!r} takes the data as they "
                "are; use loss='squared' or 'absolute', or fit each batch alone"
            )

    def _start_problem(self, problem: Any) -> RowProblem:
        return super()._start_problem(problem.starting(drawn=isinstance(self.init, str)))

    def _drawn_starts(self, problem: Any, seeds: Array) -> Iterable[Labels]:
        if not self._screens():
            return super()._drawn_starts(problem, seeds)
        rows, p = problem.starting(drawn=True), problem.source.shape[1]
        candidates, most = self._candidates(p), self._fewest_and_most(p)[1]
        n_columns = round(self._n_selected(p) * len(candidates) / most)  # groups: as many as they have, about
        return screened_starts(rows, self._row_seeding(seeds), n_columns, candidates)

    @property
    def _copies(self) -> float:  # type: ignore[override]  # a constant in most classes
        """Memory that a fit takes beside the data: more where rows are prepared before it begins."""
        return 3.6 if self._not_plain(sparse=False) else 1.7

    def _not_plain(self, sparse: bool) -> list[tuple[str, Any, Any]]:
        allowed = ("missing", "loss") if self._loss.fits_sparse else ("missing",)
        return not_plain(vars(self), allowed if sparse else ())

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        """Check the number of features and the sum of the weights; sets `_groups` and `_lift`."""
        self._find_groups(p)
        self._n_selected(p)
        number, units = self._units(p)
        warn_of_many(self.n_features_to_select, number, f"n_{units}")

    def _fewest_and_most(self, p: int) -> tuple[int, int]:
        low, high = super()._fewest_and_most(p)
        return max(low, min(self._loss.least, high)), high

    def _refuse_few(self, n_selected: int, high: int) -> None:
        if n_selected < min(self._loss.least, high):
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} selects {n_selected}, but "
                f"loss={self.loss!r} compares directions, which need {self._loss.least} features; raise it"
            )

    def _compares_columns(self) -> bool:
        return not self._scales_columns() and not self._loss.own_scale

    def _scales_rows(self) -> bool:
        return self._loss.scales_rows

    def _reads_first(self) -> bool:
        return self._loss.own_scale

    def _in_square_units(self, values: Any) -> Any:
        return self._in_units(values) if self._loss.power == 1 else super()._in_square_units(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._loss.reads_holes
        tags.input_tags.positive_only = self._loss.has_domain
        tags.input_tags.sparse = not self._loss.has_domain
        return tags

"""Estimator of sparse k-means with feature ranking: SKFR."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from sparsek.methods.rows.problem import RowProblem
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.rows.row_starts import screened_starts
from sparsek.methods.shared import parameters as allowed
from sparsek.methods.shared.base import (
    best_of,
    criterion_rounding,
    is_ready,
)
from sparsek.methods.shared.loop import FitResult
from sparsek.methods.shared.scaling import (
    Scaling,
    check_total_weight,
    column_squares,
    identity,
    prepare,
    prepared_squares,
    warn_of_lost_structure,
)
from sparsek.methods.shared.single_moves import refine_best
from sparsek.methods.shared.sums import Array, Labels, length, select_columns, squared_distances
from sparsek.methods.skfr.algorithm import Ranked, Selection, sparse_means
from sparsek.methods.skfr.bregman import (
    DIVERGENCES,
    as_shares,
    check_domain,
    error_scaling,
    least_divergent,
    packed,
)
from sparsek.methods.skfr.by_rows import fit_rows, solve_rows
from sparsek.methods.skfr.compared_rows import ComparedRows
from sparsek.methods.skfr.forms import (
    Form,
    Inputs,
    Problem,
    annealed,
    prepare_absolute,
    prepare_bregman,
    prepare_partial,
    run_form,
    winsorizing_limits,
)
from sparsek.methods.skfr.options import PROJECTIONS, as_projection, not_plain, refuse_combinations
from sparsek.methods.skfr.stack import full_sums, improve, run_plain
from sparsek.methods.starts.by_name import SEEDINGS
from sparsek.methods.starts.given import given_start
from sparsek.methods.starts.seeds import labels_from_centers, least_normal, screened_labels, seeded_labels
from sparsek.numerics.exact_sums import Moments, column_moments, row_chunks
from sparsek.numerics.threads import thread_control
from sparsek.numerics.validation import check_data


class SKFR(ComparedRows):
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
        s: an integer of at least 1 (above n_features: all of them, with a warning), or a fraction of the
        features in (0, 1] (rounded down, at least 1). None means half of the features, as in scikit-learn's
        RFE.
    scope : {"global", "local"}, default="global"
        One feature set for all clusters, or one per cluster.
    init : str, array-like or callable, default="screened"
        Starts. "screened" draws k-means++ seeds on the standardised columns that look least normal (in turn
        the s, 2 s, 4 s and all p least normal ones), which works with a thousand noise features and with any
        units. The others use all columns in the scale that `init_on` names, holes filled with column means:
        "k-means++" (the paper's) and "random" (distinct rows) draw `n_init` starts; "greedy-k-means++" and
        "greedy-screened" draw several rows for each seed and take the best one; "dkm++", "robin" and
        "maximin" (see `sparsek.init`) make one, the same every time, whatever `n_init`. An array makes one
        too: centres of shape (n_clusters, n_features) in that scale, integer labels of shape (n_samples,), or
        row numbers of shape (n_clusters,). A callable ``init(X, n_clusters, random_state=seed)``, called for
        every start, returns any of these.
    n_init : int, default=20
        Number of starts; the one with the smallest `objective_` is kept. Starts are cheap and results are
        only as good as their seeds, so use at least 20.
    standardize : bool, default=True
        Divide the centred columns by their standard deviation. Without it, features with a large variance win
        the ranking. False is needed for a Bregman divergence, which has a scale of its own.
    init_on : {"raw", "standardized"}, default="raw"
        Scale in which seeds are chosen (not for ``init="screened"``). Raw columns keep the larger variance of
        informative features, but they are meaningful only if the columns share a unit; standardised columns
        find nothing among hundreds of noise features.
    power : {1, 2}, default=2
        k-means++ draws seeds with probability proportional to distance ** power; 1 reproduces the paper.
    anneal : bool, default=False
        Reach s in eight steps, from all features downwards; each step starts from the partition of the one
        before.
    refine : bool, default=False
        Go on from the best start, if it converged, by moves of single rows in the selected features (Hartigan
        1975), each of which lowers `objective_`, until no move does. It finds better partitions with
        hundreds of features or many clusters, and needs complete data in one dense array, the squared loss
        and no projection.
    winsorize : float or None, default=None
        Clip every column at its weighted median plus or minus this many robust standard deviations (1.4826
        median absolute deviations) before anything else; 4 rescues data whose noise features have gross
        outliers.
    missing : {"observed", "mm"}, default="observed"
        Treatment of NaN in X: minimise the loss over the observed entries exactly, or fill the missing
        entries from the centres before every step, as in the paper (k-POD). Columns are standardised by their
        observed entries.
    loss : {"squared", "absolute", "poisson", "multinomial", "itakura-saito"}, default="squared"
        "absolute" uses medians and sums of absolute differences; nothing is claimed for its accuracy. The
        others are Bregman divergences, for data as they are (``standardize=False``): "poisson" for counts,
        "multinomial" for counts of which the shares in the row matter (each row divided by its total, which
        becomes its weight: Kullback-Leibler divergence), "itakura-saito" for positive numbers whose ratios
        matter, such as spectra.
    projection : None, str, tuple or callable, default=None
        Project the cluster means, in standardised units, instead of ranking features (eq. 6 of the paper):
        "nonnegative", ("box", low, high), ("simplex", total), ("ball", radius), ("low_rank", rank), or a
        callable ``project(means, counts)`` that returns centres of the shape of the means (n_clusters, p).
    max_iter : int, default=300
        Largest number of iterations of one start (of each step with `anneal`).
    ddof : {0, 1}, default=1
        The variance divides by sum(sample_weight) - ddof.
    n_jobs : int or None, default=None
        Threads over the starts, where these run one by one (small data are run as one stack). Results do not
        depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    verbose : int, default=0
        If positive, log each start to the logger "sparsek".
    memory_limit : float, str or None, default=None
        Bytes, or a text such as "2GB", that a fit may take; None means half of the machine's memory.
        Data that need more are read and fitted by blocks of rows (see Notes).

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
        h after each centre update (after each assignment under ``missing="mm"``), never increasing.
    tss_ : float
        Total sum of squares of the standardised data; ``1 - objective_ / tss_`` is the share explained.
    gap_objective_ : float
        ``tss_ - objective_``, the sum of the selected gains: `PermutationGap` compares it with permuted data.
    n_iter_ : int
        Iterations of the best start, including the last one, which changed no label.
    start_objectives_ : ndarray of shape (n_starts,)
        `objective_` of every start.
    start_n_iter_ : ndarray of shape (n_starts,)
        Iterations of every start.
    restart_table_ : DataFrame
        One row per start: ``objective``, ``n_iter``, ``converged`` and ``selected``, the features as a
        tuple (of tuples for scope "local").
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, when X has some.

    Raises
    ------
    ValueError
        From `fit`: infinite data, NaN with an absolute or multinomial loss, a projection or `refine`, fewer
        rows than clusters, a parameter outside its range, negative or all-zero `sample_weight`. For Bregman
        divergences also, and from `predict`, `transform` and `score`: negative entries, 0 for Itakura-Saito,
        rows of zeros for multinomial; and options that leave the domain.
    TypeError
        From `fit`: a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached, or fewer distinct clusters than `n_clusters` were found.
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
    `transform` gives the distances to the centres over the selected features (their union for scope
    "local"), in standardised units. An empty cluster keeps its centre at the origin and can win rows again,
    as in the authors' code. Ties go to the lowest index.

    Rows with NaN are predicted and transformed by their observed entries. Under ``missing="mm"`` the filled
    entries pull a row to its own cluster, so that `labels_` need not be the nearest centre that `predict`
    gives. Under the absolute loss all squares above are absolute values, and distances are sums of absolute
    differences.

    Under a Bregman divergence d all sums of squares above are sums of d(x, centre), the origin is the overall
    mean, and `standardized_centers_` are differences from it. `transform` gives the divergences, for
    multinomial times the total of the row; they are infinite where a row has an entry of which a cluster has
    none. `predict` gives a row that is infinitely far from all clusters to the one that lacks least of its
    entries. Centres given as `init`, and `cluster_centers_`, are shares for multinomial. Seeds are drawn on
    roots (logarithms for Itakura-Saito), where squared distances are close to the divergence.

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows. The `n_init` starts then run on a random sample (10 million numbers,
    or as many as fit in memory), and the centres of the best start the iterations over all rows; given starts
    need no sample. `winsorize`, `anneal`, `refine`, `projection`, a loss that is not squared and NaN need the
    data in memory.

    Dask arrays and data frames are fitted chunk by chunk, with the scheduler in force. Their labels, and what
    `predict` and `transform` give for them, are Dask arrays. Starts are found as for files. Persist the data
    first if the workers have enough memory; otherwise every iteration reads them again.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithms 1 and 2.

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

    feature_weights_: Array
    feature_gains_: Array
    _scaling: Scaling
    _start_details: list[tuple[bool, Any]]
    _copies = 2.2
    _finite = "allow-nan"
    _takes_sparse = True
    _path_parameter = "n_features_to_select"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ComparedRows._parameter_constraints,
        "n_features_to_select": allowed.SIZE,
        "scope": [allowed.names("global", "local")],
        "init": allowed.starts("screened", "greedy-screened"),
        "standardize": allowed.FLAG,
        "init_on": [allowed.names("raw", "standardized")],
        "power": [allowed.Numbers(1, 2)],
        "anneal": allowed.FLAG,
        "refine": allowed.FLAG,
        "winsorize": [allowed.POSITIVE, None],
        "missing": [allowed.names("observed", "mm")],
        "loss": [allowed.names("squared", "absolute", *DIVERGENCES)],
        "projection": PROJECTIONS,
        "max_iter": allowed.COUNT,
        "ddof": [allowed.Numbers(0, 1)],
        "n_jobs": allowed.JOBS,
        "memory_limit": allowed.BYTES_OR_TEXT,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_features_to_select: int | float | None = None,
        *,
        scope: str = "global",
        init: Any = "screened",
        n_init: int = 20,
        standardize: bool = True,
        init_on: str = "raw",
        power: int = 2,
        anneal: bool = False,
        refine: bool = False,
        winsorize: float | None = None,
        missing: str = "observed",
        loss: str = "squared",
        projection: Any = None,
        max_iter: int = 300,
        ddof: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        memory_limit: float | str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_features_to_select = n_features_to_select
        self.scope = scope
        self.init = init
        self.n_init = n_init
        self.standardize = standardize
        self.init_on = init_on
        self.power = power
        self.anneal = anneal
        self.refine = refine
        self.winsorize = winsorize
        self.missing = missing
        self.loss = loss
        self.projection = projection
        self.max_iter = max_iter
        self.ddof = ddof
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.memory_limit = memory_limit

    def _fit_array(self, X: Any, sample_weight: ArrayLike | None) -> Self:
        """`fit` of a dense array in memory."""
        with thread_control().limit(limits=1):
            inputs = self._prepare(X, sample_weight)
            results = self._run(inputs, self._starts(inputs, self._draw_seeds()))
            best = self._best_start(results, self.tss_, inputs.data.dtype)
            return self._conclude(X, inputs, results, best)

    def _fit_path(self, X: ArrayLike, values: list[int | float]) -> Iterator[Self]:
        """A copy for each number of features, fitted except for `inertia_` and `labels_`."""
        self._validate_params()
        allowed.check_values(self, "n_features_to_select", values)
        self.set_params(n_features_to_select=max(values))
        inputs = self._prepare(X, None)
        models = [copy(self).set_params(n_features_to_select=value) for value in values]
        for model, results in zip(models, self._run_sizes(models, inputs), strict=True):
            best = model._best_start(results, self.tss_, inputs.data.dtype)
            model._store_best(inputs, results, best)
            yield model

    def _run_sizes(self, models: list[Self], inputs: Inputs) -> Iterator[list[FitResult[Selection]]]:
        """The starts of models that differ only in their number of features, from the same random draws."""
        seeds = self._draw_seeds()
        squares = inputs.problem.column_total if self._form(inputs).is_plain else None
        order = least_normal(inputs.problem.Z, inputs.weights, squares) if self._screens() else None
        starts: Iterable[Labels] = []
        for model in models:
            if order is not None or not starts:  # only screened starts depend on the number of features
                starts = model._starts(inputs, seeds, order)
            yield model._run(inputs, starts)

    def _held_out_scale(self, X: Array) -> tuple[Array, Scaling]:
        """The data that predictions of held-out entries aim at, and the scale of their squared errors."""
        self._validate_params()
        refuse_combinations(self.get_params(deep=False), has_holes=True)
        if self.winsorize is not None:
            X = np.clip(X, *winsorizing_limits(X, None, self.winsorize))
        if self.loss in DIVERGENCES:
            check_domain(self.loss, X)
            return X, error_scaling(X, DIVERGENCES[self.loss])
        return X, prepare_partial(X, None, standardize=self.standardize, ddof=self.ddof).scaling

    def _prepare(self, X: ArrayLike, sample_weight: ArrayLike | None) -> Inputs:
        """Checked and standardised data; sets `_limits`, `_scaling` and `tss_`."""
        data, weights, kept, moments = self._validate_moments(X, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        warn_of_lost_structure(
            data,
            names,
            kept,
            common_scale=self._compares_columns(),
            moments=None if weights is not None else moments,
        )
        self._check_sizes(data.shape[1], weights)
        has_holes = bool(np.isnan(moments.top).any())
        if has_holes or self.refine or self.projection is not None or self.loss in DIVERGENCES:
            refuse_combinations(self.get_params(deep=False), has_holes)
        options: dict[str, Any] = {"standardize": self.standardize, "ddof": self.ddof}
        with thread_control().limit(limits=1):
            self._limits = None
            if self.winsorize is not None:
                self._limits = winsorizing_limits(data, weights, self.winsorize)
                data = np.clip(data, *self._limits)
                moments = column_moments(data, weights)
            if self.loss in DIVERGENCES:
                divergence = DIVERGENCES[self.loss]
                data, weights = as_shares(data, weights) if divergence.of_shares else (data, weights)
                problem = prepare_bregman(data, weights, divergence)
            elif has_holes:
                problem = prepare_partial(data, weights, **options)
            elif self.loss == "absolute":
                problem = prepare_absolute(data, weights, **options)
            else:
                options |= {"by_column": self.standardize, "moments": moments, "exact": True}
                Z, scaling = prepare(data, weights, **options)
                problem = Problem(Z, scaling, None, prepared_squares(data, scaling, weights, moments))
        self._scaling = problem.scaling
        self.tss_ = float(problem.column_total.sum())
        return Inputs(data, weights, kept, problem, (moments.top, moments.bottom))

    def _validate_moments(
        self, X: Any, sample_weight: ArrayLike | None
    ) -> tuple[Array, Array | None, Array, Moments]:
        """Checked data, weights, the rows kept, and moments, whose pass checks plain rows for NaN too."""
        if sample_weight is not None or self.loss in DIVERGENCES or not is_ready(X):
            data, weights, kept = self._validate_input(X, sample_weight)
            return data, weights, kept, column_moments(data, weights)
        moments = column_moments(X)
        if not (np.isfinite(moments.top).all() and np.isfinite(moments.bottom).all()):
            return *self._validate_input(X, None), moments
        check_data(self, X, reset=True, skip_check_array=True)
        self._n_missing = 0
        return *self._weighted_rows(X, None), moments

    def _run(self, inputs: Inputs, starts: Iterable[Labels]) -> list[FitResult[Selection]]:
        """The result of every start."""
        form = self._form(inputs)
        run = partial(run_plain, inputs.problem.Z) if form.is_plain else partial(run_form, inputs.problem)
        if self.anneal:
            starts = annealed(run, starts, form, inputs.data.shape[1])
        results = run(starts, form)
        if not self.refine:
            return results
        rounding = criterion_rounding(form.total, inputs.data.dtype)
        return refine_best(results, rounding, partial(improve, inputs.problem.Z, form))

    def _conclude(
        self, X: ArrayLike, inputs: Inputs, results: list[FitResult[Any]], best: FitResult[Any]
    ) -> Self:
        """Set every attribute that follows from the best of the starts."""
        with thread_control().limit(limits=1):
            self._store_best(inputs, results, best)
            self.inertia_ = self._inertia_of_fit(inputs, best.labels)
        self.labels_ = self._all_labels(X, best.labels, inputs.kept)
        return self

    def _inertia_of_fit(self, inputs: Inputs, labels: Labels) -> float:
        """`inertia_` of the training data; uses their known column sums of squares where possible."""
        Z, weights = inputs.problem.Z, inputs.weights
        if self.loss != "squared" or inputs.problem.partial is not None:
            return self._inertia(inputs.data, weights)
        total = inputs.problem.column_total[~self._support].sum()
        block, squares = select_columns(Z, self._columns, None), np.empty(len(Z), Z.dtype)
        for rows in row_chunks(block):
            squares[rows] = squared_distances(block[rows], labels[rows], self._centers)
        for rows in row_chunks(Z):
            some = squares[rows]
            total += some.sum(dtype=np.float64) if weights is None else weights[rows] @ some
        return float(self._in_square_units(total))

    def _store_best(self, inputs: Inputs, results: list[FitResult[Any]], best: FitResult[Any]) -> None:
        """Set the attributes that follow from the results of the starts."""
        form, found = self._form(inputs), best.params
        if form.project is not None:
            columns = np.flatnonzero((found.centers != 0).any(axis=0))
            columns = columns if len(columns) else np.arange(1)
            final = Ranked(columns, columns, found.centers[:, columns], 0.0, found.gains)
        else:
            gains, Z = found.gains, inputs.problem.Z
            if form.is_plain:
                sums = full_sums(Z, found.labels, form) if found.sums is None else found.sums
                gains = sums.gains
            centers = found.centers.astype(Z.dtype, copy=False)
            final = Ranked(found.selected, found.columns, centers, 0.0, gains)
        self._store(final, inputs.problem.column_total)
        if self.loss in DIVERGENCES:
            self._keep_exact_centers(final, inputs.data.dtype)
        self._finish(results, best)

    def _keep_exact_centers(self, final: Ranked, dtype: Any) -> None:
        """Set the centres of a divergence: differences from the overall mean would lose exact zeros."""
        centers = np.tile(self._scaling.offset, (self.n_clusters, 1))
        self.standardized_centers_ = np.zeros_like(centers, dtype)
        self.standardized_centers_[:, final.columns] = final.centers - centers[:, final.columns]
        centers[:, final.columns] = final.centers
        self.cluster_centers_ = centers.astype(dtype)

    def _finish(self, results: list[FitResult[Any]], best: FitResult[Any]) -> None:
        """Set the attributes about criteria, in the units of `transform`."""
        self.tss_ = float(self._in_square_units(self.tss_))
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self._start_details = [(result.converged, result.params.selected) for result in results]

    @property
    def gap_objective_(self) -> float:
        """Explained sum of squares: the sum of the selected gains."""
        return self.tss_ - self.objective_

    def _selected(self) -> NDArray[np.bool_]:
        return self._support

    def _screens(self) -> bool:
        return isinstance(self.init, str) and self.init in ("screened", "greedy-screened")

    def _form(self, inputs: Inputs) -> Form:
        """The form of SKFR that the parameters ask for on these data."""
        project = None if self.projection is None else as_projection(self.projection)
        absolute = self.loss == "absolute"
        return Form(
            n_clusters=int(self.n_clusters),  # products with it overflow numpy's small integers
            n_selected=self._n_selected(inputs.data.shape[1]),
            max_iter=self.max_iter,
            local=self.scope == "local",
            weights=inputs.weights,
            total=float(inputs.problem.column_total.sum()),
            n_jobs=self.n_jobs,
            absolute=absolute,
            fill=self.missing == "mm",
            project=project,
            is_plain=project is None and self.loss == "squared" and inputs.problem.partial is None,
            grid=inputs.problem.scaling.grid,
        )

    def _starts(self, inputs: Inputs, seeds: Array, order: Array | None = None) -> Iterable[Labels]:
        """Initial labels: screened (in `order` of the columns, if given), or in the scale of `init_on`."""
        if inputs.problem.bregman is not None and not self._screens():
            return self._bregman_starts(inputs, seeds)
        data, weights, kept, problem = inputs.data, inputs.weights, inputs.kept, inputs.problem
        Z = problem.Z
        if self._screens():
            squares = problem.column_total if self._form(inputs).is_plain else None
            order = least_normal(Z, weights, squares) if order is None else order
            n_selected = self._n_selected(data.shape[1])
            return screened_labels(
                Z, order, self.n_clusters, seeds, n_selected, weights, **self._seeding(self.power)
            )
        if not self.standardize:
            return self._labels_from_seeds(seeds, data, Z, problem.scaling, weights, self.power, kept)
        if self.init_on == "raw":
            if np.all(problem.scaling.unit == 1) and not self._starts_need_copy():
                return self._folded_starts(inputs, seeds)
            complete = data if problem.partial is None else problem.scaling.invert(Z[:, :-1])
            raw, scaling = prepare(complete, weights, standardize=False, by_column=False)
            return self._labels_from_seeds(seeds, complete, raw, scaling, weights, self.power, kept)
        unscaled = identity(data.shape[1], data.dtype)
        return self._labels_from_seeds(seeds, Z[:, :-1], Z, unscaled, weights, self.power, kept)

    def _starts_need_copy(self) -> bool:
        """Whether `init` is a function or a name of one, which reads the rows themselves."""
        return callable(self.init) or (isinstance(self.init, str) and self.init in SEEDINGS)

    def _folded_starts(self, inputs: Inputs, seeds: Array) -> list[Labels]:
        """Initial labels in the units of the data, where the standardised ones serve: z times the spread."""
        Z, scaling, n_clusters = inputs.problem.Z, inputs.problem.scaling, self.n_clusters
        factors = scaling.spread
        coordinates, scale, shift = self._raw_coordinates(inputs)
        if isinstance(self.init, str):
            seeding = self._seeding(self.power) | {"factors": factors, "take": coordinates, "slip": shift}
            return seeded_labels(Z, n_clusters, seeds, inputs.weights, **seeding)
        start = given_start(
            self.init,
            inputs.kept,
            n_clusters,
            len(factors),
            take=coordinates,
            scale=lambda centers: scale.apply(centers.astype(Z.dtype))[:, :-1],
        )
        if start.ndim == 1:
            return [start]
        size = None if scale.grid is None else length(scale.grid.reach)
        return [labels_from_centers(Z, start, factors, coordinates, shift, size)]

    @staticmethod
    def _raw_coordinates(inputs: Inputs) -> tuple[Callable[[Array], Array], Scaling, float]:
        """Rows by number in centred units of the data, the map there, and how far z times spread is."""
        Z, scaling = inputs.problem.Z, inputs.problem.scaling
        factors = scaling.spread
        raw = replace(scaling, spread=np.ones_like(factors), grid=None)
        if scaling.grid is None or inputs.problem.partial is not None:  # 0 in the holes
            return lambda rows: Z[rows, :-1] * factors, raw, 0.0
        raw = raw.gridded(*inputs.ends, len(Z))
        assert raw.grid is not None  # just set
        shift = length(raw.grid.unit + scaling.grid.unit * factors)
        return lambda rows: raw.apply(inputs.data[rows])[:, :-1], raw, shift

    def _bregman_starts(self, inputs: Inputs, seeds: Array) -> Iterable[Labels]:
        """Initial labels: seeds are drawn on stabilised data, given centres label rows by the divergence."""
        data, kept, problem = inputs.data, inputs.kept, inputs.problem
        unscaled = identity(data.shape[1], np.float64)
        if isinstance(self.init, str):
            options = inputs.weights, self.power, kept
            return self._labels_from_seeds(seeds, data, problem.Z, unscaled, *options)
        assert problem.bregman is not None  # asked by the caller
        found = self._given_starts(seeds, data, packed(data), unscaled, kept)
        assert found is not None  # no text
        for start in found:
            if start.ndim == 2:
                check_domain(self.loss, start, "init")
        return [s if s.ndim == 1 else least_divergent(problem.bregman, s) for s in found]

    def _store(self, final: Ranked, column_total: Array) -> None:
        """Set the attributes about features and centres."""
        n_clusters, p = len(final.centers), len(column_total)
        self._column_total = column_total
        self.selected_features_ = final.selected
        self._columns = final.columns
        self._centers = final.centers
        self._support = np.zeros(p, dtype=bool)
        self._support[final.columns] = True
        theta = np.zeros((n_clusters, p), dtype=final.centers.dtype)
        theta[:, final.columns] = final.centers
        self.cluster_centers_ = self._scaling.invert(theta)
        self._length_unit = 1.0 if self.standardize else float(1 / self._scaling.unit[0])
        self.standardized_centers_ = self._in_units(theta)
        assert final.gains is not None  # set by every caller
        gains = final.gains
        self.feature_gains_ = self._in_square_units(gains if self.scope == "local" else gains.sum(axis=0))
        shares = gains / np.where(column_total > 0, column_total, 1)
        if self.scope == "local":
            weights = np.where(theta != 0, shares, 0)
        else:
            weights = np.where(self._support, shares.sum(axis=0), 0)
        self.feature_weights_ = np.maximum(weights, 0)  # centres projected far away explain less than nothing

    def _standardizing(self) -> tuple[bool, int]:
        return self.standardize, self.ddof

    def _starts_scaled(self) -> bool:
        return self.standardize and self.init_on == "standardized"

    def _compares_columns(self) -> bool:
        return not self.standardize and self.loss not in DIVERGENCES

    def _starts_standardized(self) -> bool:
        return self._starts_scaled()

    def _start_power(self) -> int:
        return self.power

    def _not_plain(self, sparse: bool) -> list[tuple[str, Any, Any]]:
        return not_plain(self.get_params(deep=False), allowed=("missing",) if sparse else ())

    def _drawn_starts(self, problem: RowProblem) -> Iterable[Labels]:
        if not self._screens():
            return super()._drawn_starts(problem)
        return screened_starts(problem, self._row_seeding(), self._n_selected(problem.source.shape[1]))

    def _fit_rows(self, problem: RowProblem, starts: Iterable[Any], warm: bool = False) -> FitResult[Any]:
        """Run every start on rows that are not one dense array; set all attributes except `labels_`."""
        n_selected, tss = self._n_selected(problem.source.shape[1]), float(problem.column_total.sum())
        rank = partial(sparse_means, n_selected=n_selected, local=self.scope == "local")

        self._scaling, self._limits, self.tss_ = problem.scaling, None, tss
        results = fit_rows(problem, starts, rank, self.max_iter, self.n_jobs)
        best = self._best_start(results, tss, problem.source.dtype, problem.source.sizes)
        final = solve_rows(problem, best.params.labels, rank)
        centers = final.centers.astype(problem.source.dtype)
        self._store(final._replace(centers=centers), problem.column_total)
        self._finish(results, best)
        scatter = problem.rows(best.labels).narrowed(Metric(final.columns), None).scatter(final.centers)
        unselected = problem.column_total[~self._support].sum()
        self.inertia_ = float(self._in_square_units(scatter + unselected))
        return best

    def _sample_start(
        self, sample: Array, scaling: Scaling, weights: Array | None = None
    ) -> tuple[Metric, Array]:
        """Final distance and centres of the best start on a sample of the rows."""
        Z = scaling.apply(sample)
        problem = Problem(Z, scaling, None, column_squares(Z, weights))
        ends = sample.max(axis=0), sample.min(axis=0)
        inputs = Inputs(sample, weights, np.ones(len(sample), dtype=bool), problem, ends)
        results = self._run(inputs, self._starts(inputs, self._draw_seeds()))
        tss = float(problem.column_total.sum())
        best = best_of(results, criterion_rounding(tss, Z.dtype)).params
        return Metric(best.columns), best.centers

    @property
    def restart_table_(self) -> pd.DataFrame:
        """Result of every start, one row each."""
        converged, selected = zip(*self._start_details, strict=True)
        return pd.DataFrame(
            {
                "objective": self.start_objectives_,
                "n_iter": self.start_n_iter_,
                "converged": converged,
                "selected": [_as_tuples(features) for features in selected],
            }
        )

    def _explained(self) -> Any:
        """The gains, and the total of each feature in the same unit."""
        return self._gains()[0], self._in_square_units(self._column_total)

    def _gains(self) -> Any:
        """The gains, summed over clusters, for the summary."""
        gains = self.feature_gains_.sum(axis=0) if self.scope == "local" else self.feature_gains_
        unit = "squared standardised units" if self.loss not in DIVERGENCES else "units of the divergence"
        return gains, f"gain: d_l, what the clusters explain of the feature, {unit}"

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        """Check the number of features and the sum of the weights."""
        self._n_selected(p)
        allowed.warn_of_excess(self.n_features_to_select, p)
        if self.standardize:
            check_total_weight(weights, self.ddof)

    def _n_selected(self, p: int) -> int:
        """Number s of features, at most p."""
        return allowed.resolve_n_selected(self.n_features_to_select, p)

    def _read(self, X: Any, reset: bool) -> Array:
        data = super()._read(X, reset)
        if reset and self.loss in DIVERGENCES:
            check_domain(self.loss, data)
        return data

    def _in_square_units(self, values: Any) -> Any:
        if self.loss == "absolute":
            return self._in_units(values)
        return super()._in_square_units(values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.loss != "multinomial"
        tags.input_tags.sparse = self.loss not in DIVERGENCES
        tags.input_tags.positive_only = self.loss in DIVERGENCES
        return tags


def _as_tuples(selected: Any) -> tuple[Any, ...]:
    """Selected features as a tuple or, for scope "local", a tuple of tuples."""
    rows = np.asarray(selected, dtype=np.intp)
    return tuple(map(tuple, rows.tolist())) if rows.ndim == 2 else tuple(rows.tolist())

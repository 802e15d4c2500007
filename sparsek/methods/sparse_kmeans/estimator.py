"""Estimator of sparse k-means under an L1 bound on the feature weights: SparseKMeans."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.exact_sums import Moments
from sparsek.core.scaling import Divisor
from sparsek.core.steps import Array, FitResult, Labels, first_minimum, run_all
from sparsek.inputs.arguments import names
from sparsek.inputs.containers import holds_sparse
from sparsek.inputs.in_use import in_use
from sparsek.inputs.validation import is_plain_array
from sparsek.methods.shared.batches import BatchFits
from sparsek.methods.shared.clusterer.saved import NearestRule, SavedRule
from sparsek.methods.shared.forced import resolve_left_bound
from sparsek.methods.shared.parameters import (
    AUTO,
    Auto,
    ColumnScale,
    Count,
    Flag,
    Groups,
    Jobs,
    L1Bound,
    Memory,
    NotNegative,
    Runs,
    Seed,
    Starts,
    Values,
    Verbose,
)
from sparsek.methods.shared.selection import SparseClusterer
from sparsek.methods.shared.sizes import PATH_ITERATIONS, SizeChoice
from sparsek.methods.sparse_kmeans.absolute import (
    AbsoluteModel,
    absolute_model,
    absolute_sparse_kmeans,
    cluster_medians,
    sort_columns,
)
from sparsek.methods.sparse_kmeans.algorithm import Weighting, lloyd_compiles, sparse_kmeans
from sparsek.methods.sparse_kmeans.products import products_of
from sparsek.sources.protocol import Subspace
from sparsek.sources.source import ArraySource, RowProblem


class SparseKMeans(SavedRule, BatchFits, SparseClusterer):
    r"""Sparse k-means of Witten and Tibshirani: k-means with feature weights under an L1 bound.

    Maximises :math:`\sum_j w_j\,\mathrm{BCSS}_j` over partitions and weights :math:`w \ge 0` with
    :math:`\|w\|_2 \le 1` and :math:`\|w\|_1 \le s`, where BCSS_j is the between-cluster sum of squares of
    feature j. Small bounds s select few features. ``dissimilarity="absolute"`` compares rows by absolute
    differences (see Notes).

    Parameters
    ----------
    n_clusters : int, default=8
    l1_bound : float, "auto" or None, default="auto"
        The bound s, dimensionless, in [1, sqrt(n_features)]. 1 selects one feature; sqrt(n_features) leaves
        all weights free. When the bound is active, at least s * s features are in use. "auto" chooses it from
        the data (see Notes); `selection_path_` has what was tried. None means sqrt(n_features) / 2, at least
        1: the middle of the range, and sparcl's default for hierarchical clustering.
    dissimilarity : {"squared", "absolute"}, default="squared"
        What the criterion adds up over the features: squared or absolute differences. "absolute" takes dense
        data in memory.
    init : str, array-like or callable, default="k-means++"
        Starts.
        [starts]
    n_init : int, default=10
    standardize : bool, "auto", "range" or array-like, default="auto"
        [column scale]
        Weights follow the scale of the columns too, so that "auto" keeps the square root of what it leaves of
        a range. sparcl takes the data as they are: False.
    max_iter : int, default=100
    tol : float, default=1e-4
        A start stops when sum(abs(w - w_old)) <= tol * sum(w_old), or when no label changed.
    refine : bool or None, default=None
        Whether every k-means inside ends with moves of single rows (Hartigan 1975), each of which raises the
        criterion, until no move does. None means True for dense arrays in memory with fewer rows than
        features, where it finds much better partitions; with many rows it takes several times as long for
        little. False is Lloyd's k-means alone, the only one for sparse matrices, Dask collections and data
        read by blocks: True is an error there. With ``dissimilarity="absolute"`` leave it at None.
    groups : array-like, mapping or None, default=None
        Groups of features whose weights become 0 as a whole (see Notes). Groups of one feature each are the
        same as None. `never` holds labels of groups then.
        [groups]
    never : array-like or None, default=None
    categories : array-like or None, default=None
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
    memory_limit : float, str or None, default=None

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        [sparse weights]
        Source: Witten and Tibshirani (2010), Section 3.1, iterative algorithm, weight step.
    groups_ : ndarray of shape (n_groups,)
        Only with `groups`, as the next two: labels of the groups, in the order of their first features.
    group_weights_ : ndarray of shape (n_groups,)
        L2 norms of the weights of the groups.
    selected_groups_ : ndarray
        Labels of the groups that have a weight, in the order of `groups_`.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Cluster means of all features, units of X; with absolute differences the medians, which only describe
        the clusters.
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
        Sum over rows of the squared weighted distance to the nearest centre, sum_j w_j WCSS_j, squared units
        of X; with absolute differences sum_k T_k / (2 n_k), units of X.
    objective_ : float
        The criterion, minimised: -sum_j w_j BCSS_j, squared units of X; with absolute differences
        -sum_j w_j a_j, units of X.
    gap_objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each weight update, never increasing.
    n_iter_ : int
        Weight updates of the best start.
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    l1_bound_ : float
    scaling_ : ColumnScaling
    selection_path_ : DataFrame
        Only with ``l1_bound="auto"``: one row per bound that was tried, with its permutation gap, the
        standard error of the gap, NaN where only one bound is possible, and whether it was chosen.
    batches_ : ndarray of shape (n_batches,)
    batch_means_ : ndarray of shape (n_batches, n_features)
    batch_scales_ : ndarray of shape (n_batches, n_features)
    batch_centers_ : ndarray of shape (n_clusters, n_batches, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, negative or
        all-zero `sample_weight`; with absolute differences data that `memory_limit` does not hold.
    TypeError
        From `fit`: sparse data with ``dissimilarity="absolute"``, or a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning
    UserWarning
        [large bound]

    See Also
    --------
    sparsek.rcompat.KMeansSparseCluster : R's sparse k-means, bit for bit.
    SKFR : K-means on the s features that separate the clusters best.
    PermutationGap : Choose parameters by the permutation gap statistic.
    sparsek.plots.plot_weights : Draw the feature weights.

    Notes
    -----
    ``l1_bound="auto"`` fits up to seven bounds from 1 to sqrt(n_features), equally spaced in the logarithm,
    each from the partitions of its neighbours, and two data sets with shuffled columns. The largest
    permutation gap (see `PermutationGap`) chooses, after two refinements around it. Of data larger than
    250,000 numbers, and of files and Dask collections, a random sample of at least 1000 rows is used.

    [the scale]

    The inner k-means is Lloyd's, with `refine` followed by moves of single rows; sparcl runs Hartigan and
    Wong's, which makes such moves too. The L1 bound is met exactly (sparcl: by bisection, up to 8e-5 off).
    Every start runs to its final weights (sparcl chooses among starts before the first weight step). For
    sparcl's own numbers use :func:`sparsek.rcompat.KMeansSparseCluster`.

    With `groups` the bound is on :math:`\sum_g \sqrt{d_g} \|w_g\|_2`, where :math:`w_g` are the weights of
    group g and :math:`d_g` is the number of its features. The weights are those of a group soft threshold, as
    in the penalised form of Chavent et al. (R's vimpclust,
    :func:`sparsek.rcompat.groupsparsewkm`): a group gets a weight where the norm of its BCSS over
    :math:`\sqrt{d_g}` is above the threshold. None means sqrt(n_features) / 2 here too. A bound below
    :math:`\sqrt{d_g}` of the best group leaves that group alone; the L2 norm of the weights is then below 1.

    `transform` gives sqrt(sum_j w_j (x_j - c_j)^2).

    With absolute differences a_j = (1/n) sum_ii' abs(x_ij - x_i'j) - sum_k (1/n_k) sum_{i, i' in k} abs(x_ij
    - x_i'j) takes the place of BCSS_j (over ordered pairs, so that squared differences would give twice
    BCSS_j). Single rows move as long as the criterion rises; a row of weight m moves as m rows at once.
    `predict` takes the cluster with the least mean dissimilarity to its rows less half the mean among its
    rows, T_k / (2 n_k^2), which on the rows of a converged fit gives `labels_`; `transform` gives these
    numbers, in units of X. Computed in double precision; a move takes time in proportion to n_samples times
    the features in use.

    [batches]

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows. The `n_init` starts then run on a random sample (10 million numbers,
    or as many as fit in memory), and the centres of the best start the iterations over all rows; given starts
    need no sample.

    [dask]

    References
    ----------
    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726.

    Chavent, M., Lacaille, J., Mourer, A. and Olteanu, M. (2020). Sparse k-means for mixed data via
    group-sparse clustering. ESANN 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SparseKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> model = SparseKMeans(n_clusters=2, l1_bound=1.7, random_state=0).fit(X)
    >>> model.get_support(indices=True)
    array([0, 1, 2])
    """

    _facts: ClassVar = {"L1 bound": "l1_bound_", **BatchFits._facts}
    feature_weights_: Array
    _absolute: AbsoluteModel | None = None  # None for squared differences
    _compares_sparse = True
    _path_parameter = "l1_bound"
    _path_draws_once = True
    _scale_power = 0.5  # weights are proportional to squares of the columns, which count twice without it

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        l1_bound: L1Bound | Auto | None = AUTO,
        dissimilarity: Annotated[str, names("squared", "absolute")] = "squared",
        init: Starts = "k-means++",
        n_init: Runs = 10,
        standardize: ColumnScale = AUTO,
        max_iter: Count = 100,
        tol: NotNegative = 1e-4,
        refine: Flag | None = None,
        groups: Groups | None = None,
        never: Values | None = None,
        categories: Values | None = None,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        memory_limit: Memory = None,
    ) -> None:
        self._keep(locals())

    def _source(self, X: Any, sample_weight: ArrayLike | None) -> Any:
        if self.dissimilarity == "absolute" and not is_plain_array(X) and holds_sparse(X):
            raise TypeError(
                "Sparse data was passed, but dissimilarity='absolute' takes dense arrays only; use "
                "'.toarray()', or dissimilarity='squared'"
            )
        return super()._source(X, sample_weight)

    def _in_coordinates(self, source: Any, moments: Moments) -> Any:
        """The rows in prepared coordinates; single rows move in plain arrays only."""
        if isinstance(source, ArraySource) and self._refines(*source.shape):
            source = source.replaced(source.dense())
        return super()._in_coordinates(source, moments)

    def _run(self, problem: RowProblem, starts: Iterable[Any], warm: bool = False) -> list[FitResult[Any]]:
        """The result of every start."""
        n, p = problem.source.shape
        if self.dissimilarity == "absolute":
            return self._run_absolute(problem, starts)
        refine, candidates = self._refines(n, p), None if self._lift is None else self._candidates(p)
        known = isinstance(problem.source, ArraySource) and refine and not warm
        if known and "products" not in problem.found:
            problem.found["products"] = products_of(problem.rows(None), candidates)
        products = problem.found["products"] if known else None
        fast = lloyd_compiles(problem.rows(None))

        def run(labels: Any) -> FitResult[Weighting]:
            return sparse_kmeans(
                problem.rows(labels),
                l1_bound=self.l1_bound_,
                max_iter=self.max_iter,
                tol=self.tol,
                refine=refine,
                warm=warm,
                products=products,
                fast=fast,
                candidates=candidates,
                groups=self._groups,
            )

        return run_all(run, starts, self.n_jobs)

    def _run_absolute(self, problem: RowProblem, starts: Iterable[Labels]) -> list[FitResult[Any]]:
        """The result of every start with absolute differences."""
        if "sorted" not in problem.found:
            Z = problem.rows(None).array()[:, :-1]
            problem.found["sorted"] = sort_columns(Z.astype(np.float64), problem.source.weights)
        run = partial(
            absolute_sparse_kmeans,
            problem.found["sorted"],
            n_clusters=self.n_clusters,
            l1_bound=self.l1_bound_,
            max_iter=self.max_iter,
            tol=self.tol,
            candidates=self._candidates(problem.source.shape[1]),
            groups=self._groups,
        )
        return run_all(run, starts, self.n_jobs)

    def _store_absolute(self, problem: RowProblem, best: FitResult[Any]) -> None:
        """Set the attributes of a fit with absolute differences."""
        rows, source = problem.found["sorted"], problem.source
        self._column_total = None
        self.feature_weights_ = best.params.weights
        self._support = self.feature_weights_ > 0
        self._absolute = absolute_model(
            sort_columns(rows.data[:, self._support], source.weights),
            best.labels,
            self.feature_weights_[self._support],
            self.n_clusters,
        )
        self._centers = cluster_medians(rows, best.labels, self.n_clusters).astype(source.dtype)
        self.cluster_centers_ = self._scaling.invert(self._centers)
        self.criterion_history_ = self._in_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_units(self.start_objectives_)
        self.inertia_ = self._inertia(source.dense(), source.weights)

    def _refines(self, n: int, p: int) -> bool:
        """Whether k-means ends with moves of single rows."""
        # With fewer rows than features single moves find much better partitions, and else gain little.
        return n < len(self._candidates(p)) if self.refine is None else self.refine

    @property
    def _copies(self) -> float:  # type: ignore[override]  # a constant in most classes
        """Memory that a fit takes beside the data."""
        return 6.2 if self.dissimilarity == "absolute" else 3.6

    def _not_plain(self, sparse: bool) -> list[tuple[str, Any, Any]]:
        wrong: list[tuple[str, Any, Any]] = [("refine", True, None)] if self.refine else []
        if self.dissimilarity == "absolute":
            wrong.insert(0, ("dissimilarity", "absolute", "squared"))
        return wrong

    def _standardizing(self) -> tuple[Divisor, int]:
        return self._batch_scaling is None and self._divisor(), 1

    def _wanted_part(self, p: int) -> float:
        # A bound of sqrt(s) is that of s equal weights, so that its square counts features.
        return float(self.l1_bound_**2 / self._fewest_and_most(p)[1])

    def _gains_of(self, problem: RowProblem, best: FitResult[Any]) -> Array | None:
        gains: Array = problem.rows(best.labels).sums().gains.sum(axis=0)
        return gains

    def _columns_of(self, best: FitResult[Weighting]) -> Array:
        return np.flatnonzero(best.params.weights)

    def _check_sizes(self, p: int, weights: Array | None) -> None:
        self._find_groups(p)
        bound = None if self._chooses() else self.l1_bound
        self.l1_bound_ = resolve_left_bound(bound, self._lift, p, self._groups)
        if self.dissimilarity == "absolute" and self.refine is not None:
            raise ValueError(
                f"refine={self.refine!r} is for dissimilarity='squared'; with 'absolute' every partition "
                "is found by moves of single rows: leave refine at None"
            )

    def _choose(self, choice: SizeChoice) -> None:
        super()._choose(choice)
        self.l1_bound_ = float(choice.value)

    def _sized(self, value: float) -> Self:
        model = copy(self)
        model.l1_bound = model.l1_bound_ = float(value)
        model.max_iter = min(self.max_iter, PATH_ITERATIONS)
        return model

    def _explained_by(self, problem: RowProblem, result: FitResult[Any]) -> float:
        return -float(result.criterion)

    def _subspace_of(self, best: FitResult[Weighting]) -> tuple[Subspace, Array]:
        used = np.flatnonzero(best.params.weights)
        factors = np.sqrt(best.params.weights[used])
        return Subspace(used, factors), best.params.sums.means[:, used] * factors

    def _store(self, problem: RowProblem, results: list[FitResult[Any]], best: FitResult[Weighting]) -> None:
        """Set the attributes that follow from the best start."""
        self._set_scaling(problem.scaling)
        self._store_groups(best.params.weights)
        if self.dissimilarity == "absolute":
            self._store_absolute(problem, best)
            return
        self._column_total, self._absolute = problem.column_total, None
        self._store_weights(best.params.weights)
        means = best.params.sums.means.astype(self._scaling.offset.dtype, copy=False)
        self.cluster_centers_ = self._scaling.invert(means)
        if self._coding is not None and self._batch_scaling is None:
            self._coding.within_shares(self.cluster_centers_)
        used = np.flatnonzero(self._support)
        self._centers = means[:, used] * np.sqrt(self._column_weights[used]).astype(means.dtype)
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        subspace = Subspace(used, np.sqrt(self._column_weights[used]))
        rows = problem.rows(best.labels).narrowed(subspace, None)
        rows.assign(self._centers)  # the last k-means inside ended with other centres
        self.inertia_ = float(self._in_square_units(rows.scatter(self._centers)))

    def _group_columns(self) -> dict[str, Array]:
        """What the summary shows of the groups."""
        return {"weight": self.group_weights_}

    def _store_weights(self, weights: Array) -> None:
        """Set the weights of the features, of a category the L2 norm of those of its levels."""
        # The L2 norm of a category's weights is what the bound of groups counts.
        norms = np.sqrt(self._by_variable(np.square(weights)))
        self.feature_weights_ = weights if self._coding is None else norms
        self._coded_weights, self._support = weights, weights > 0

    @property
    def _column_weights(self) -> Array:
        """The weights of the columns of the algorithm."""
        return self.feature_weights_ if self._coding is None else self._coded_weights

    def _refuse_options_of_numbers(self) -> None:
        super()._refuse_options_of_numbers()
        if self.dissimilarity != "squared":
            raise ValueError(
                f"dissimilarity={self.dissimilarity!r} is for numbers, and X has categories; set "
                "dissimilarity='squared', or leave the categories out"
            )

    def _store_groups(self, weights: Array) -> None:
        """Set what is known of the groups."""
        groups = self._name_groups()
        if groups is not None:
            self.group_weights_ = norms = np.sqrt(groups.totals(np.square(weights)))
            self.selected_groups_ = groups.names[in_use(norms)]

    def _fewest_and_most(self, p: int) -> tuple[Any, Any]:
        """The squares of the smallest and the largest bound."""
        if self._groups is None:
            return super()._fewest_and_most(p)
        # The bound of groups runs from the root of the smallest degree to that of all degrees.
        left = self._groups.degrees[... if self._lift is None else self._lift >= 0]
        return max(1.0, float(left.min())), float(left.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.dissimilarity == "squared"
        return tags

    def _far(self, X: Array) -> Array:
        """Dissimilarities of rows and clusters, shape (n, n_clusters), in prepared units."""
        assert self._absolute is not None  # the callers' case
        Z = self._scaling.apply(X, np.flatnonzero(self._support))[:, :-1].astype(np.float64)
        return self._absolute.distances(Z)

    def _nearest(self, X: Array) -> Labels:
        if self._absolute is None:
            return super()._nearest(X)
        return first_minimum(self._far(X).T).astype(np.int32)

    def _distances(self, X: Array) -> NDArray[np.float64]:
        if self._absolute is None:
            return super()._distances(X)
        distances: NDArray[np.float64] = self._in_units(self._far(X))
        return distances

    def _inertia(self, X: Array, weights: Array | None) -> float:
        if self._absolute is None:
            return super()._inertia(X, weights)
        closest = self._far(X).min(axis=1)
        return float(self._in_units(closest.sum() if weights is None else weights @ closest))

    @property
    def gap_objective_(self) -> float:
        """Explained weighted sum of squares: sum_j w_j BCSS_j."""
        return -self.objective_

    def _nearest_rule(self) -> NearestRule:
        if self._absolute is not None:
            raise ValueError("dissimilarity='absolute' compares rows with all rows of clusters; use pickle")
        used = np.flatnonzero(self._support)
        return NearestRule(used, self._centers, np.sqrt(self._column_weights[used]))

    def _coordinates(self, X: Array) -> Array:
        used = np.flatnonzero(self._support)
        block = self._scaling.apply(X, used)
        block[:, :-1] *= np.sqrt(self._column_weights[used]).astype(block.dtype)
        return block

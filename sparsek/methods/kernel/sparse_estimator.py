"""Estimator of sparse kernel k-means: SparseKernelKMeans."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.scaling import prepare
from sparsek.core.steps import Array, FitResult, Labels, cluster_sums, nearest, run_all
from sparsek.core.weights import LLOYD_ITERATIONS
from sparsek.inputs.arguments import FUNCTION, names
from sparsek.inputs.threads import thread_control
from sparsek.methods.kernel.base import KernelClusterer, Width, warn_indefinite
from sparsek.methods.kernel.feature_maps import (
    FeatureMap,
    has_powers,
    low_rank_map,
    lowest_eigenvalue,
    polynomial_map,
)
from sparsek.methods.kernel.functions import diagonal
from sparsek.methods.kernel.kernel_kmeans import centre, kernel_kmeans, kernel_model, seeded_starts
from sparsek.methods.kernel.sparse_kernel import Grams, KernelColumns, centred_traces, sparse_kernel_kmeans
from sparsek.methods.shared.base import best_of, criterion_rounding, start_seeds
from sparsek.methods.shared.groups import check_groups
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    L1Bound,
    NotNegative,
    Positive,
    Runs,
    Seed,
    Starts,
    Values,
    Verbose,
    check_values,
    resolve_l1_bound,
    resolve_l1_bounds,
)
from sparsek.methods.shared.selection import SparseClusterer
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows
from sparsek.starts.by_name import SEEDINGS
from sparsek.starts.given import given_start
from sparsek.starts.seeds import seeded_labels

NEGLIGIBLE = 1e-9
"""Share of k(x, x) that the factors of a kernel may miss on the rows of the fit."""
COPIES = 3
"""Number of copies of the columns of a map held at once."""
LEAST_COLUMNS = 64
"""A feature may have this many columns, or a quarter of the number of rows if that is more."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Quantities that do not depend on the bound."""

    data: Array  # (n, p): rows of positive weight
    weights: Array | None  # Sample weights
    features: KernelColumns | Grams  # The kernels of the features
    starts: list[FitResult[Any]]  # Partitions under equal weights, one for each start
    # Constant in the criteria of the starts: factor * (criterion - offset) is the objective -sum_j w_j a_j
    offset: float
    factor: float  # Factor in this formula
    spread: float  # Largest possible sum_j w_j a_j of a partition under equal weights


class SparseKernelKMeans(KernelClusterer, SparseClusterer):
    r"""Sparse kernel k-means: one kernel for each feature or group, with weights under an L1 bound.

    Maximises :math:`\sum_j w_j a_j` over partitions and weights :math:`w \ge 0` with :math:`\|w\|_2 \le 1`
    and :math:`\|w\|_1 \le s`, where, for the squared distance :math:`d_j^2(x, z) = k_j(x, x) + k_j(z, z) - 2
    k_j(x, z)` of the kernel of feature j,

    .. math:: a_j = \frac1n \sum_{i, i'} d_j^2(x_{ij}, x_{i'j}) - \sum_k \frac1{n_k} \sum_{i, i' \in C_k}
        d_j^2(x_{ij}, x_{i'j}).

    With `groups`, j runs over groups of features, each with one kernel of all its features and one weight.
    Small bounds s select few features. Clusters may lie within each other, such as a core in a ring. With
    the linear kernel the criterion is that of :class:`SparseKMeans`.

    Parameters
    ----------
    n_clusters : int, default=8
    l1_bound : float or None, default=None
        The bound s, dimensionless, in [1, sqrt(n_features)]. 1 selects one feature; sqrt(n_features) leaves
        all weights free. None means sqrt(n_features) / 2, at least 1, as in :class:`SparseKMeans`. With
        `groups`, the number of groups takes the place of n_features.
    groups : array-like of shape (n_features,) or None, default=None
        Label of the group of each feature, integers or strings. None makes every feature a group.
    kernel : {"polynomial", "gaussian", "linear"} or callable, default="polynomial"
        Of two values x, z of one feature: (x z + coef0)^degree, exp(-(x - z)^2 / c) with c = `width`, or x z;
        in a group the products x z, or the quotients (x - z)^2 / c, are summed over its features. A function
        ``kernel(A, B)`` of two matrices with the columns of one group returns the (len(A), len(B)) values.
    degree : int, default=2
    coef0 : float, default=0.0
        c of the polynomial kernel, at least 0, squared units of X. With 0 and degree 2 the method is sparse
        k-means on the squares of X.
    width : float, array-like of shape (n_features,) or "median", default="median"
        c of the Gaussian kernel, positive, squared units of X: it divides squared differences (twice a
        variance). "median" is, for each feature, the median of its non-zero squared differences; beyond 512
        distinct values, of 512 quantiles. In a group of several features it is the median of the non-zero
        squared distances of the rows within the group.
    normalize : bool, default=False
        Divide every kernel by the mean squared distance of the rows to their mean in its space, so that no
        feature counts for more because of its scale, and no group because of its size.
    init : {"k-means++", "random", "dkm++", "robin", "maximin"}, array-like or callable, default="k-means++"
        Starts under equal weights, in the space of the kernels: k-means++ draws seeds, "random" draws
        distinct rows; the others make one start that depends on no seed (see :mod:`sparsek.init`), from the
        distances of the rows in that space. An array makes one start: integer labels of shape (n_samples,),
        n_clusters row numbers, or points of shape (n_clusters, n_features) in the units of X, whose images
        are the first centres. A callable ``init(X, n_clusters, random_state=seed)``, called for every start,
        returns any of these, from the rows of X.
    n_init : int, default=20
        Number of starts of the partition under equal weights. Only the best is continued (see Notes).
    standardize : bool, default=False
    max_iter : int, default=20
        Largest number of weight updates.
    tol : float, default=1e-4
        Stop when sum(abs(w - w_old)) <= tol * sum(w_old), or when no label changed.
    memory_limit : float, default=4e9
        Bytes that the columns of the features, or three n_samples x n_samples matrices, may take.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        If positive, log the result to the logger "sparsek".

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        [sparse weights]
        Source: Witten and Tibshirani (2010), Section 3.1, iterative algorithm, weight step, with a of the
        kernels. With `groups`, every feature has the weight of its group; the norms are those of
        `group_weights_`.
    feature_scatter_ : ndarray of shape (n_features,)
        a at `labels_`, in units of the kernel; not negative. With `groups`, that of the feature's group.
    groups_ : ndarray of shape (n_groups,)
        Labels of the groups, ascending; without `groups`, the numbers of the features.
    group_weights_ : ndarray of shape (n_groups,), float64
        Weights of the groups in the order of `groups_`, dimensionless.
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
        Sum over rows of the squared weighted distance to the nearest centre, in units of the kernel.
    objective_ : float
        The criterion, minimised: -sum_j w_j a_j, in units of the kernel.
    gap_objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each weight update, never increasing; `objective_` is at most the last entry.
    n_iter_ : int
        Weight updates.
    start_objectives_ : ndarray of shape (n_starts,)
        -sum_j a_j / sqrt(n_groups) of the partition that each start led to under equal weights.
    start_n_iter_ : ndarray of shape (n_starts,)
        Iterations of k-means in each start.
    l1_bound_ : float
    width_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, powers that
        overflow (above 1e150) or vanish, a kernel function that is not symmetric.
    TypeError
    MemoryError
        From `fit`: `memory_limit` is too small.

    Warns
    -----
    ConvergenceWarning
    UserWarning
        A kernel function is not positive semidefinite; the smallest eigenvalue is given. Or `l1_bound` is
        above the root of the number of features or groups, which is used then.

    See Also
    --------
    KernelKMeans : K-means in the space of a kernel.
    SparseKMeans : Sparse k-means: feature weights under an L1 bound.
    PermutationGap : Choose parameters by the permutation gap statistic.

    Notes
    -----
    The starts are compared before the first weight step, and only the best partition is continued, because
    final criteria favour splits that put nearly all weight on one feature. On the doughnut of
    :func:`sparsek.datasets.make_doughnut` the true partition is only a local optimum.

    A polynomial kernel becomes `degree` columns per feature (one with ``coef0=0``), any other kernel the
    columns of its incomplete Cholesky factor, exact to 1e-10 of the feature's scatter (a dozen to sixty for
    Gaussian kernels). Where these are too many (narrow kernels), or a kernel function is not positive
    semidefinite, one matrix of n_samples x n_samples is summed up feature by feature instead, which takes
    n_samples^2 n_features kernel values per weight update.

    :class:`PermutationGap` needs clusters that show in several features together. On the doughnut it
    misleads, because a shuffled coordinate of the ring splits as well as any clusters do.

    The weights of groups are dimensionless and their bounds know nothing of the sizes of groups: a group of
    many features gets more weight only as far as its kernel has more scatter, which the linear and the
    polynomial kernel have and the Gaussian kernel with "median" widths has not. ``normalize=True`` treats all
    groups alike. Polynomial kernels of groups are factored as Gaussian ones are. "median" widths of groups
    take matrices of n_samples x n_samples.

    Weights follow the scale of the features, to the power of twice the degree for polynomials: where columns
    have different units, set `standardize` or `normalize`. Polynomial kernels with ``coef0=0`` depend on the
    origin of X. Computations are in double precision. `transform` gives sqrt(sum_j w_j d_j^2) to the centres.

    References
    ----------
    Revisiting the K-means algorithm with kernels and autoencoders (2024). Slides.

    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SparseKernelKMeans
    >>> from sparsek.datasets import make_doughnut
    >>> sample = make_doughnut(random_state=0)
    >>> model = SparseKernelKMeans(2, l1_bound=1.41, random_state=0).fit(sample.data)
    >>> np.flatnonzero(model.feature_weights_ > 0.1)
    array([0, 1])
    """

    _facts: ClassVar = {"L1 bound": "l1_bound_", **KernelClusterer._facts}
    _feature_columns: ClassVar = {"scatter": "feature_scatter_"}
    feature_weights_: Array
    group_weights_: Array
    _map: FeatureMap | None  # None if kernel matrices are used instead of columns
    _path_parameter = "l1_bound"
    _by_cluster = ()

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        l1_bound: L1Bound | None = None,
        groups: Values | None = None,
        kernel: Annotated[Any, names("polynomial", "gaussian", "linear"), FUNCTION] = "polynomial",
        degree: Count = 2,
        coef0: NotNegative = 0.0,
        width: Width = "median",
        normalize: Flag = False,
        init: Starts = "k-means++",
        n_init: Runs = 20,
        standardize: Flag = False,
        max_iter: Count = 20,
        tol: NotNegative = 1e-4,
        memory_limit: Positive = 4e9,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X and weight its features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite. Never changed.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions]

        Returns
        -------
        SparseKernelKMeans
            The fitted estimator.
        """
        data, weights, kept = self._checked(X, sample_weight)
        self.l1_bound_ = resolve_l1_bound(self.l1_bound, *self._counted())
        with thread_control().limit(limits=1):
            inputs = self._prepare(data, weights, kept)
            labels = self._fit_bound(inputs)
        self.labels_ = self._all_labels(X, labels, kept)
        return self

    def _fit_path(self, X: ArrayLike, values: list[float]) -> Iterator[Self]:
        """Copies fitted with each bound; kernels and starts are computed once for all bounds."""
        check_values(self, "l1_bound", values)
        data, weights, kept = self._checked(X, None)
        bounds = resolve_l1_bounds(values, *self._counted())
        inputs = self._prepare(data, weights, kept)
        for value, bound in zip(values, bounds, strict=True):
            model = copy(self).set_params(l1_bound=value)
            model.l1_bound_ = bound
            model.labels_ = model._all_labels(X, model._fit_bound(inputs), kept)
            yield model

    @property
    def gap_objective_(self) -> float:
        """The maximised criterion sum_j w_j a_j."""
        return -self.objective_

    def _checked(
        self, X: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Array, Array | None, NDArray[np.bool_]]:
        """Check the parameters; return data and weights as doubles, and the mask of the rows kept."""
        self._validate_params()
        data, weights, kept = self._validate_fit(X, sample_weight)
        p = data.shape[1]
        names = (
            np.arange(p)
            if self.groups is None
            else check_groups(self.groups, p, getattr(self, "feature_names_in_", None))
        )
        self.groups_, self._group_of = np.unique(names, return_inverse=True)
        return data.astype(np.float64), None if weights is None else weights.astype(np.float64), kept

    def _counted(self) -> tuple[int, str]:
        """How many weights there are, and what they belong to."""
        return len(self.groups_), "n_features" if self.groups is None else "n_groups"

    def _prepare(self, data: Array, weights: Array | None, kept: Array) -> Inputs:
        """The features as columns or kernel matrices, and the partitions under equal weights."""
        features = self._features(self._own_units(data, weights), weights)
        p = features.p
        # Equal weights of unit L2 norm, as the weights of the fit have.
        equal = np.full(p, 1 / np.sqrt(p))
        seeds = start_seeds(self.random_state, self.n_init)
        spread = 2 * float(equal @ centred_traces(features, weights))
        options: dict[str, Any] = {"n_clusters": self.n_clusters, "weights": weights}
        if isinstance(features, KernelColumns):
            points, offset, factor = features.X, 0.0, 2 / np.sqrt(p)
            columns = partial(array_rows, features.X, **options)

            def run(labels: Labels) -> FitResult[Any]:
                return lloyd(columns(labels=labels), LLOYD_ITERATIONS)

        else:
            points = features.prepared(equal, weights)
            trace = points.diagonal().sum() if weights is None else weights @ points.diagonal()
            offset, factor = float(trace), 2.0
            run = partial(kernel_kmeans, points, max_iter=LLOYD_ITERATIONS, **options)
        if isinstance(self.init, str):
            labels = self._starts_by_name(features, points, seeds, weights)
        elif callable(self.init):
            given = [self.init(data, self.n_clusters, random_state=int(seed)) for seed in seeds]
            labels = [self._labels_of(init, data, features, np.ones(len(data), dtype=bool)) for init in given]
        else:
            labels = [self._labels_of(self.init, data, features, kept)]
        starts = run_all(run, labels, self.n_jobs)
        total = len(data) if weights is None else float(weights.sum())
        return Inputs(data, weights, features, starts, offset, factor, spread * total)

    def _starts_by_name(
        self, features: KernelColumns | Grams, points: Array, seeds: Array, weights: Array | None
    ) -> list[Labels]:
        """Labels of every start, from the columns or the prepared kernel of all features."""
        explicit = isinstance(features, KernelColumns)
        if self.init not in SEEDINGS:
            seeded: Any = seeded_labels if explicit else seeded_starts
            starts: list[Labels] = seeded(points, self.n_clusters, seeds, weights, **self._seeding(2))
            return starts
        if explicit:
            rows = SEEDINGS[self.init](points[:, :-1], self.n_clusters)
            return [nearest(points, points[rows, :-1])]
        return [self._named_labels(points)]

    def _features(self, data: Array, weights: Array | None) -> KernelColumns | Grams:
        """Explicit columns if they are few enough, else kernels that are evaluated feature by feature."""
        n, p = len(data), len(self.groups_)
        members = tuple(np.flatnonzero(self._group_of == g) for g in range(p))
        if self.kernel == "gaussian" and isinstance(self.width, str) and p < data.shape[1]:
            self._require_matrices(n, "raise memory_limit, use fewer rows, or give width as numbers")
        self._kernel = self._resolve_kernel(data, weights, members)
        if self.kernel == "gaussian":
            self.width_ = self._kernel.width
        allowed = int(float(self.memory_limit) // (8 * COPIES * n))
        if has_powers(self._kernel):
            self._map = polynomial_map(self._kernel)
            self._require_columns(n, len(self._map.groups), allowed)
        else:
            self._map = low_rank_map(self._kernel, data, allowed, max(n // 4, LEAST_COLUMNS))
        features: KernelColumns | Grams
        if self._map is None:
            self._require_matrices(n, "raise memory_limit, use fewer rows, or a wider, smoother kernel")
            features = Grams(data, self._kernel, np.ones(p))
            if callable(self.kernel):
                lowest, j = lowest_eigenvalue(self._kernel, data)
                if lowest < 0:
                    unit = "feature" if self.groups is None else "group"
                    which = f"{unit} {self.groups_[j]} (on its distinct values)"
                    warn_indefinite(lowest, f"the kernel of {which}")
        else:
            Z, self._scaling = prepare(self._map.apply(data), weights, standardize=False, by_column=False)
            features = KernelColumns(Z, self._map.groups, p)
        self._scale = np.ones(p)
        if self.normalize:
            traces = centred_traces(features, weights)
            # Each kernel is divided by its variance, so that kernels of larger values do not win.
            self._scale[traces > 0] /= traces[traces > 0]
        return features.rescaled(self._scale)

    def _require_columns(self, n: int, needed: int, allowed: int) -> None:
        if needed > allowed:
            raise MemoryError(
                f"{COPIES} copies of {needed} columns of n_samples={n} doubles take "
                f"{8 * COPIES * n * needed} bytes; memory_limit allows {float(self.memory_limit):.0f}: "
                "raise it, or use fewer rows or features"
            )

    def _labels_of(
        self, init: ArrayLike, data: Array, features: KernelColumns | Grams, kept: Array
    ) -> Labels:
        """Labels from labels, from row numbers, or from points in the units of X, under equal weights."""
        take, p = data.__getitem__, data.shape[1]
        given = given_start(init, kept, self.n_clusters, p, take, lambda points: points.astype(np.float64))
        if given.ndim == 1:
            return given
        self._refuse_far_rows(given)
        given = self._in_own_units(given)
        if isinstance(features, KernelColumns):
            assert self._map is not None  # columns come from a map
            points = self._scaling.apply(self._map.apply(given))[:, :-1]
            return nearest(features.X, points * np.sqrt(self._scale[features.groups]))
        equal = np.ones(features.p)
        scores = features.diagonal(equal, given)[:, None] - 2 * features.combined(equal, given)
        labels: Labels = scores.argmin(axis=0).astype(np.int32)
        return labels

    def _fit_bound(self, inputs: Inputs) -> Labels:
        """Continue from the best partition under equal weights with one bound; set the attributes."""
        features, weights = inputs.features, inputs.weights
        first = best_of(inputs.starts, criterion_rounding(inputs.spread / inputs.factor, np.float64))
        result = sparse_kernel_kmeans(
            features,
            first.labels,
            n_clusters=self.n_clusters,
            l1_bound=self.l1_bound_,
            sample_weight=weights,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self._best_start([result], inputs.spread, np.float64)
        self.group_weights_ = result.params.weights
        self.feature_weights_ = self.group_weights_[self._group_of]
        self._support = self.feature_weights_ > 0
        self._length_unit = 1.0
        if isinstance(features, KernelColumns):
            self._keep_columns(features, result.labels, weights)
        else:
            K, centering = centre(features.combined(self.group_weights_, features.data), weights)
            self._model = kernel_model(K, centering, result.labels, self.n_clusters, weights)
            self._grams = features
        scatter = np.maximum(features.scatter(result.labels, self.n_clusters, weights), 0)
        scatter = self._in_square_units(scatter)
        self.feature_scatter_ = scatter[self._group_of]
        self.objective_ = -float(self.group_weights_ @ scatter)
        self.criterion_history_ = self._in_square_units(result.history)
        criteria = np.array([start.criterion for start in inputs.starts])
        self.start_objectives_ = self._in_square_units(inputs.factor * (criteria - inputs.offset))
        self.start_n_iter_ = np.array([start.n_iter for start in inputs.starts])
        self.inertia_ = self._inertia(inputs.data, weights)
        return result.labels

    def _keep_columns(self, features: KernelColumns, labels: Labels, weights: Array | None) -> None:
        """Store the centres of the weighted columns, and the scaling that takes new rows there."""
        w = self.group_weights_
        used = np.flatnonzero(w[features.groups])
        scaling = self._scaling
        self._used_scaling = scaling.of_columns(used)
        self._roots = np.append(np.sqrt((w * self._scale)[features.groups[used]]), 1)
        self._centers = cluster_sums(features.weighted(w), labels, self.n_clusters, weights).means
        if not self.normalize:
            self._length_unit = float(1 / scaling.unit[0])

    def _compares_columns(self) -> bool:
        return not (self.standardize or self.normalize or self.kernel == "gaussian")

    def _coordinates(self, X: Array) -> Array:
        assert self._map is not None  # the callers' cases
        columns = self._map.apply(self._in_own_units(X), np.flatnonzero(self.group_weights_))
        scaled: Array = self._used_scaling.apply(columns) * self._roots
        return scaled

    def _cross(self, X: Array) -> tuple[Array, Array]:
        rows = self._in_own_units(X)
        w = self.group_weights_
        return self._grams.combined(w, rows), self._grams.diagonal(w, rows)

    def _nearest(self, X: Array) -> Labels:
        return super()._nearest(X) if self._map is None else nearest(self._coordinates(X), self._centers)

    def _distances(self, X: Array) -> NDArray[np.float64]:
        if self._map is None:
            return super()._distances(X)
        # The part outside is orthogonal to the space of the factors, so that squares add up.
        return np.hypot(SparseClusterer._distances(self, X), np.sqrt(self._outside(X))[:, None])

    def _inertia(self, X: Array, weights: Array | None) -> float:
        if self._map is None:
            return super()._inertia(X, weights)
        outside = self._outside(X)
        total = outside.sum() if weights is None else weights @ outside
        return SparseClusterer._inertia(self, X, weights) + float(total)

    def _outside(self, X: Array) -> Array:
        """Squared distance of new rows from the space of the factors; it adds equally for all centres."""
        assert self._map is not None  # the callers' cases
        if not self._map.pivots:
            return np.zeros(len(X))
        X, used = self._in_own_units(X), np.flatnonzero(self.group_weights_)
        factors = self.group_weights_ * self._scale
        groups = self._map.groups[np.isin(self._map.groups, used)]
        own = np.zeros(len(X))
        for g in used.tolist():
            rows = X[:, self._kernel.columns(g)]
            own += factors[g] * diagonal(self._kernel.of_group(g), rows)
        outside = own - np.square(self._map.apply(X, used)) @ factors[groups]
        outside[outside <= NEGLIGIBLE * own] = 0
        return outside

"""Estimator of kernel k-means: KernelKMeans."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array, Labels
from sparsek.inputs.arguments import FUNCTION, names
from sparsek.methods.kernel.base import KernelClusterer, Width, nearest_given, nearest_rows, warn_indefinite
from sparsek.methods.kernel.functions import diagonal, kernel_matrix, negative_eigenvalue, symmetric
from sparsek.methods.kernel.kernel_kmeans import centre, kernel_kmeans, kernel_model, seeded_starts
from sparsek.methods.shared.base import Setup, start_seeds
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    NotNegative,
    Positive,
    Runs,
    Seed,
    Starts,
    Verbose,
)
from sparsek.starts.by_name import SEEDINGS
from sparsek.starts.given import given_start

ASYMMETRY = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-5}
"""Largest relative difference between K_ij and K_ji that counts as rounding."""


Kernel = Annotated[Any, names("gaussian", "polynomial", "linear", "precomputed"), FUNCTION]


class KernelKMeans(KernelClusterer):
    r"""Kernel k-means: k-means in the space of a positive semidefinite kernel of whole rows.

    Minimises :math:`\sum_k \sum_{i \in C_k} \|\phi(x_i) - m_k\|^2` over partitions, where m_k is the mean of
    :math:`\phi(x_i)` over cluster k. Only the kernel :math:`k(x, z) = \langle \phi(x), \phi(z) \rangle` is
    needed, so that clusters may be curved or enclose each other. The data are not scaled, unless
    `standardize` is set.

    Parameters
    ----------
    n_clusters : int, default=8
    kernel : {"gaussian", "polynomial", "linear", "precomputed"} or callable, default="gaussian"
        "gaussian" is exp(-||x - z||^2 / c) with c = `width`; "polynomial" is (<x, z> + coef0)^degree;
        "linear" is <x, z>, ordinary k-means. With "precomputed", X is the matrix of kernel values, of
        shape (n_samples, n_samples), and for `predict` those of new rows with the rows of the fit, (n_new,
        n_samples). A function ``kernel(A, B)`` of two matrices returns the (len(A), len(B)) values, as those
        in :mod:`sklearn.metrics.pairwise` do.
    degree : int, default=2
    coef0 : float, default=0.0
        c of the polynomial kernel, at least 0, squared units of X.
    width : float, array-like of shape (n_features,) or "median", default="median"
        c of the Gaussian kernel, positive, squared units of X: it divides squared distances (twice a
        variance). An array divides each feature's squared difference by its own. "median" is the median of
        the non-zero squared distances of the rows.
    init : {"k-means++", "random", "dkm++", "robin", "maximin"}, array-like or callable, default="k-means++"
        Starts, in the space of the kernel: k-means++ draws seeds, "random" draws distinct rows;
        the others make one start that depends on no seed (see :mod:`sparsek.init`), from the distances of
        the rows in that space. An array makes one start: integer labels of shape (n_samples,), n_clusters row
        numbers, or points of shape (n_clusters, n_features) in the units of X, whose images are the first
        centres. A callable ``init(X, n_clusters, random_state=seed)``, called for every start, returns any of
        these, from the rows of X.
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=100
        Largest number of iterations of one start.
    memory_limit : float, default=4e9
        Bytes that the n_samples x n_samples matrices (three of doubles) may take.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Sums of the sample weights of the clusters.
    center_squares_ : ndarray of shape (n_clusters,)
        Squared distances of the centres from the mean of the data, in the space of the kernel.
    inertia_ : float
        Sum over rows of the squared distance to the nearest centre, in units of the kernel.
    objective_ : float
        The criterion, minimised, in units of the kernel: `inertia_` when converged.
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion at the labels before each assignment; never increasing for a positive semidefinite kernel.
    n_iter_ : int
        Iterations of the best start, the last, unchanged one included.
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    width_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, a kernel
        matrix that is not square or symmetric, kernel values that overflow (above 1e150) or vanish.
    TypeError
    MemoryError
        From `fit`: the matrices would take more than `memory_limit`; nothing is allocated then.

    Warns
    -----
    ConvergenceWarning
    UserWarning
        A precomputed kernel or a function is not positive semidefinite; the smallest eigenvalue is given.

    See Also
    --------
    SparseKernelKMeans : One kernel for each feature, with weights under an L1 bound.
    SpectralGEM : Spectral clustering on all features.

    Notes
    -----
    An empty cluster takes the row farthest from its centre. The kernel is centred at the mean of the data
    first; this changes no distance and keeps the digits of a kernel with a large constant. Kernel values are
    doubles whatever the type of X. The kernel takes time proportional to n_samples^2, each iteration time
    proportional to n_samples times the number of rows that move.

    `transform` gives the distances ||phi(x) - m_k||; with a precomputed kernel `transform` and `score` raise
    ValueError, because they need k(x, x) of new rows.

    References
    ----------
    Shawe-Taylor, J. and Cristianini, N. (2004). Kernel Methods for Pattern Analysis. Cambridge University
    Press.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import KernelKMeans
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.concatenate([0.2 * circle, circle])
    >>> model = KernelKMeans(2, kernel="gaussian", width=0.5, random_state=0).fit(X)
    >>> sorted(np.bincount(model.labels_[:40], minlength=2).tolist())
    [0, 40]
    """

    _model: Any

    _by_cluster = ("cluster_sizes_", "center_squares_")

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        kernel: Kernel = "gaussian",
        degree: Count = 2,
        coef0: NotNegative = 0.0,
        width: Width = "median",
        init: Starts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 100,
        memory_limit: Positive = 4e9,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Data, finite, or the kernel matrix of a precomputed kernel. Never changed.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions]

        Returns
        -------
        KernelKMeans
            The fitted estimator.
        """
        return self._fit(X, sample_weight)

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        self._require_matrices(len(data), "raise memory_limit, or use fewer rows")
        weights = None if weights is None else weights.astype(np.float64)
        K, centering = centre(self._training_kernel(data, weights, kept), weights)
        starts = self._starts(data, K, weights, kept)
        run = partial(kernel_kmeans, K, n_clusters=self.n_clusters, weights=weights, max_iter=self.max_iter)
        return Setup(data, weights, K, starts, run, centering)

    def _size(self, setup: Setup, results: list[Any]) -> float:
        mass = float(len(setup.data) if setup.weights is None else setup.weights.sum())
        return float(np.abs(setup.Z.diagonal()) @ setup.parts.shares) * mass

    def _store(self, setup: Setup, results: list[Any], best: Any) -> None:
        # The centres that gave the last labels, so that `predict` returns the same labels.
        K, weights, last = setup.Z, setup.weights, best.params.sums
        self._model = kernel_model(K, setup.parts, last.labels, self.n_clusters, weights)
        # D_ik = K_ii + G_k - 2 F_ik, where products with the memberships give F.
        distances = K.diagonal()[:, None] + self._model.squares - 2 * K[:, :-1] @ self._model.memberships
        closest = distances[np.arange(len(K)), best.labels]
        self.inertia_ = float(closest.sum() if weights is None else weights @ closest)
        self.cluster_sizes_ = np.bincount(best.labels, weights, self.n_clusters)
        self.center_squares_ = self._model.squares
        self.criterion_history_ = np.array(best.history)
        self.objective_ = best.criterion

    def _training_kernel(self, data: Array, weights: Array | None, kept: Array) -> Array:
        """Kernel matrix of the rows kept; sets what `_cross` needs."""
        self._kept, self._standardization = kept, None
        if self._precomputed:
            if self.standardize:
                raise ValueError(
                    "standardize=True needs the columns of the data, which kernel='precomputed' does not "
                    "give; standardise them before you compute the kernel"
                )
            if data.shape[1] != len(kept):
                raise ValueError(
                    f"a precomputed kernel must be a square matrix; got shape ({len(kept)}, {data.shape[1]})"
                )
            K = symmetric(data[:, kept].astype(np.float64), ASYMMETRY[data.dtype])
        else:
            rows = self._own_units(data, weights)
            # Distances of the linear kernel do not depend on the origin; at the mean they keep most digits.
            self._shift = np.zeros(rows.shape[1])
            if self.kernel == "linear":
                with np.errstate(over="ignore", invalid="ignore"):  # `_resolve_kernel` refuses such data
                    means = np.average(rows, axis=0, weights=weights)
                    if np.isfinite(rows - means).all():
                        self._shift = means
            self._rows = rows - self._shift
            self._kernel = self._resolve_kernel(self._rows, weights, None)
            if self.kernel == "gaussian":
                self.width_ = self._kernel.width
            K = kernel_matrix(self._kernel, self._rows, self._rows)
        if self._precomputed or callable(self.kernel):
            K = symmetric(K, ASYMMETRY[data.dtype])
            lowest = negative_eigenvalue(K, 8 * float(np.finfo(data.dtype).eps))
            if lowest < 0:
                warn_indefinite(lowest, "the kernel matrix")
        return K

    def _starts(self, data: Array, K: Array, weights: Array | None, kept: Array) -> list[Labels]:
        """Labels of every start."""
        seeds = start_seeds(self.random_state, self.n_init)
        if isinstance(self.init, str):
            if self.init in SEEDINGS:
                return [self._named_labels(K)]
            return seeded_starts(K, self.n_clusters, seeds, weights, **self._seeding(2))
        if callable(self.init):
            given = [self.init(data, self.n_clusters, random_state=int(seed)) for seed in seeds]
            return [self._labels_of(init, K, np.ones(len(data), dtype=bool)) for init in given]
        return [self._labels_of(self.init, K, kept)]

    def _labels_of(self, init: ArrayLike, K: Array, kept: Array) -> Labels:
        """Labels from labels, from row numbers, or from points in the units of X."""
        return given_start(
            init,
            kept,
            self.n_clusters,
            self.n_features_in_,
            take=lambda rows: nearest_rows(K, rows),
            scale=self._labels_of_points,
        )

    def _labels_of_points(self, points: Array) -> Labels:
        """Labels of the nearest of points in the units of X."""
        if self._precomputed:
            raise ValueError("init must hold labels when the kernel is precomputed; got points")
        return nearest_given(self._kernel, self._rows, self._in_own_units(points) - self._shift)

    def _cross(self, X: Array) -> tuple[Array, Array]:
        if self._precomputed:
            return X[:, self._kept].astype(np.float64), np.zeros(len(X))
        rows = self._in_own_units(X) - self._shift
        return kernel_matrix(self._kernel, rows, self._rows), diagonal(self._kernel, rows)

    def _distances(self, X: Array) -> NDArray[np.float64]:
        self._require_own_products()
        return super()._distances(X)

    def _inertia(self, X: Array, weights: Array | None) -> float:
        self._require_own_products()
        return super()._inertia(X, weights)

    def _require_own_products(self) -> None:
        if self._precomputed:
            raise ValueError(
                "transform and score need k(x, x) of the rows, which kernel='precomputed' does not give; use "
                "predict, or a kernel function"
            )

    def _compares_columns(self) -> bool:
        return not (self.standardize or self._precomputed)

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags

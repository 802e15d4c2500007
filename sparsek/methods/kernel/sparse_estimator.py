"""Estimator of sparse kernel k-means: SparseKernelKMeans."""

from __future__ import annotations

from typing import Any

from sparsek.methods.kernel.sparse_base import SparseKernelClusterer


class SparseKernelKMeans(SparseKernelClusterer):
    r"""Sparse kernel k-means: one kernel for each feature, with feature weights under an L1 bound.

    Maximises :math:`\sum_j w_j a_j` over partitions and weights :math:`w \ge 0` with :math:`\|w\|_2 \le 1`
    and :math:`\|w\|_1 \le s`, where, for the squared distance :math:`d_j^2(x, z) = k_j(x, x) + k_j(z, z) - 2
    k_j(x, z)` of the kernel of feature j,

    .. math:: a_j = \frac1n \sum_{i, i'} d_j^2(x_{ij}, x_{i'j}) - \sum_k \frac1{n_k} \sum_{i, i' \in C_k}
        d_j^2(x_{ij}, x_{i'j}).

    Small bounds s select few features. Clusters may lie within each other, such as a core in a ring. With the
    linear kernel this is :class:`SparseKMeans`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    l1_bound : float or None, default=None
        The bound s, dimensionless, in [1, sqrt(n_features)]. 1 selects one feature; sqrt(n_features) leaves
        all weights free. None means sqrt(n_features) / 2, at least 1, as in :class:`SparseKMeans`.
    kernel : {"polynomial", "gaussian", "linear"} or callable, default="polynomial"
        Of two values x, z of one feature: (x z + coef0)^degree, exp(-(x - z)^2 / c) with c = `width`, or x z.
        A function ``kernel(A, B)`` of two one-column matrices returns the (len(A), len(B)) values.
    degree : int, default=2
        d of the polynomial kernel, at least 1.
    coef0 : float, default=0.0
        c of the polynomial kernel, at least 0, squared units of X. With 0 and degree 2 the method is sparse
        k-means on the squares of X.
    width : float, array-like of shape (n_features,) or "median", default="median"
        c of the Gaussian kernel, positive, squared units of X: it divides squared differences (twice a
        variance). "median" is, for each feature, the median of its non-zero squared differences; beyond 512
        distinct values, of 512 quantiles.
    normalize : bool, default=False
        Divide every kernel by the mean squared distance of the rows to their mean in its space, so that no
        feature counts for more because of its scale.
    init : {"k-means++", "random", "dkm++", "robin", "maximin"}, array-like or callable, default="k-means++"
        Starts under equal weights, in the space of the kernels: k-means++ draws seeds, "random" draws
        distinct rows; the others make one start that depends on no seed (see :mod:`sparsek.init`), from the
        distances of the rows in that space. An array makes one start: integer labels of shape (n_samples,),
        n_clusters row numbers, or points of shape (n_clusters, n_features) in the units of X, whose images
        are the first centres. A callable ``init(X, n_clusters, random_state=seed)``, called for every start,
        returns any of these, from the rows of X.
    n_init : int, default=20
        Number of starts of the partition under equal weights. Only the best is continued (see Notes).
    max_iter : int, default=20
        Largest number of weight updates.
    tol : float, default=1e-4
        Stop when sum(abs(w - w_old)) <= tol * sum(w_old), or when no label changed.
    memory_limit : float, default=4e9
        Bytes that the columns of the features, or three n_samples x n_samples matrices, may take.
    n_jobs : int or None, default=None
        Threads over the starts. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.
    verbose : int, default=0
        If positive, log the result to the logger "sparsek".

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        Non-negative, unit L2 norm, L1 norm at most `l1_bound`; 0 for every feature when none separates
        clusters (one cluster, constant data). Source: Witten and Tibshirani (2010), Section 3.1, iterative
        algorithm, weight step, with a of the kernels.
    feature_scatter_ : ndarray of shape (n_features,)
        a at `labels_`, in units of the kernel; not negative.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0; rows of weight 0 get their nearest cluster.
    inertia_ : float
        Sum over rows of the squared weighted distance to the nearest centre, in units of the kernel.
    objective_ : float
        The criterion, minimised: -sum_j w_j a_j, in units of the kernel.
    gap_objective_ : float
        ``-objective_``, which `PermutationGap` compares with permuted data.
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each weight update, never increasing; `objective_` is at most the last entry.
    n_iter_ : int
        Weight updates.
    start_objectives_ : ndarray of shape (n_starts,)
        -sum_j a_j / sqrt(n_features) of the partition that each start led to under equal weights.
    start_n_iter_ : ndarray of shape (n_starts,)
        Iterations of k-means in each start.
    l1_bound_ : float
        The bound used.
    width_ : ndarray of shape (n_features,)
        Widths of the Gaussian kernel; only with this kernel.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, when X has some.

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, powers that
        overflow (above 1e150) or vanish, a kernel function that is not symmetric.
    TypeError
        From `fit`: sparse data, or a parameter of the wrong type.
    MemoryError
        From `fit`: `memory_limit` is too small.

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached, or fewer distinct clusters than `n_clusters` were found.
    UserWarning
        A kernel function is not positive semidefinite; the smallest eigenvalue is given.

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

    Weights follow the scale of the features, to the power of twice the degree for polynomials: standardise
    columns of different units, or set ``normalize=True``. Polynomial kernels with ``coef0=0`` depend on the
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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        l1_bound: float | None = None,
        kernel: Any = "polynomial",
        degree: int = 2,
        coef0: float = 0.0,
        width: Any = "median",
        normalize: bool = False,
        init: Any = "k-means++",
        n_init: int = 20,
        max_iter: int = 20,
        tol: float = 1e-4,
        memory_limit: float = 4e9,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.l1_bound = l1_bound
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.width = width
        self.normalize = normalize
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

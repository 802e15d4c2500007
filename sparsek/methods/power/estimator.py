"""Estimators of power k-means: PowerKMeans and EntropyWeightedPowerKMeans."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sparsek.methods.power.algorithm import PowerFit
from sparsek.methods.power.base import Factor, FirstPower, PowerClusterer, ScheduleName
from sparsek.methods.power.one_pass import PowerProblem
from sparsek.methods.shared.fits import RowFits
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Memory,
    NotNegative,
    Positive,
    Runs,
    Seed,
    Starts,
    Verbose,
)
from sparsek.sources.source import RowProblem

DEFAULT_STRENGTH = 0.5
"""Default gamma in units of the mean total sum of squares of a feature. In simulations (20 to 500
standardised features, 4 to 10 clusters) 0.5 and 1 did best; smaller ones settle on few features too early."""


class PowerKMeans(PowerClusterer):
    r"""Power k-means: k-means reached through smoother criteria, so that starts matter less.

    Minimises :math:`f_s(\theta) = \sum_i M_s(\|x_i - \theta_1\|^2, ..., \|x_i - \theta_K\|^2)` while the
    power s falls, where :math:`M_s(y) = (\frac{1}{K} \sum_j y_j^s)^{1/s}` is the power mean. As s goes to
    minus infinity, it becomes the minimum, and f the criterion of k-means. Each iteration majorises and
    minimises at one s: :math:`\theta_j` is the mean of all rows under the weights :math:`\phi_{ij} \propto
    \|x_i - \theta_j\|^{2(s-1)} (\sum_l \|x_i - \theta_l\|^{2s})^{1/s-1}`.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, array-like or callable, default="k-means++"
    n_init : int, default=1
    schedule : {"authors", "geometric"}, default="authors"
    s0 : float or None, default=None
    eta : float or None, default=None
    standardize : bool, default=False
    polish : bool, default=False
        End with Lloyd's k-means from the last centres, which makes
        the centres cluster means.
    max_iter : int, default=1000
    tol : float or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
    memory_limit : float, str or None, default=None

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
        Sum over rows of the squared distance to the nearest centre, squared units of X.
    objective_ : float
        The criterion of k-means at `cluster_centers_` (s to minus infinity), squared units of X, by which
        starts are compared: their last powers differ. At most the last entry of `criterion_history_`.
    criterion_history_ : ndarray of shape (n_iterations,)
    s0_ : float
    s_ : float
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
    TypeError

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    EntropyWeightedPowerKMeans : Power k-means with feature weights.
    MinMaxKMeans : K-means that evens out the scatter of the clusters.

    Notes
    -----
    Weights come from ratios of distances and logarithms: they neither overflow nor underflow at any power or
    scale of the data, also where a centre equals a row, which then has all its weight on this centre. The
    released code moves its starts at random instead, or breaks off.

    At a moderate power and with many features, all distances are nearly equal and every centre converges to
    the mean of the data and stays there. That happens above the critical power 1 - 1 / (2 lambda), where
    lambda is the largest eigenvalue of the mean of x x' / ||x||^2 over the centred rows: about 1 - p / 2 for
    p features without structure. `s0` begins no higher than this unless given; ``s0=-3`` is the released
    code's.

    `transform` gives Euclidean distances to the centres.

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows, once for each iteration of all starts together. Starts are drawn on a
    random sample of the rows (10 million numbers, or as many as fit in memory), and then run over all rows.

    [dask]

    References
    ----------
    Xu, J. and Lange, K. (2019). Power k-means clustering. Proceedings of the 36th International Conference on
    Machine Learning, PMLR 97, 6921-6931.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import PowerKMeans
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [4, 4], [5, 4], [9, 0], [9, 1], [10, 0]])
    >>> model = PowerKMeans(n_clusters=3, random_state=0).fit(X)
    >>> np.unique(model.labels_, return_counts=True)[1]
    array([4, 3, 2])
    >>> model.cluster_centers_.round(3)
    array([[0.5  , 0.5  ],
           [9.333, 0.333],
           [4.5  , 4.   ]])
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: Starts = "k-means++",
        n_init: Runs = 1,
        schedule: ScheduleName = "authors",
        s0: FirstPower | None = None,
        eta: Factor | None = None,
        standardize: Flag = False,
        polish: Flag = False,
        max_iter: Count = 1000,
        tol: NotNegative | None = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        memory_limit: Memory = None,
    ) -> None:
        self._keep(locals())

    def _criterion(self, problem: RowProblem) -> PowerProblem:
        return PowerProblem.of(problem)


class EntropyWeightedPowerKMeans(PowerClusterer):
    r"""Power k-means with soft feature weights, learnt under an entropy term.

    Minimises :math:`\sum_i M_s(d_{i1}, ..., d_{iK}) + \gamma \sum_l \omega_l \log \omega_l` with
    :math:`d_{ij} = \sum_l \omega_l (x_{il} - \theta_{jl})^2` over centres and feature weights
    :math:`\omega \ge 0` that sum to 1, while the power s of the mean M falls (see :class:`PowerKMeans`).
    After each step of the centres, :math:`\omega_l \propto \exp(-S_l / \gamma)`, where S_l is the scatter of
    feature l about the centres under the weights of the rows.

    Features of small scatter within the clusters get the weight, even constant ones. So columns of different
    units must be standardised (`standardize`).

    Parameters
    ----------
    n_clusters : int, default=8
    gamma : float or None, default=None
        Factor of the entropy term, positive, in squared units of X, or dimensionless when standardised; the
        papers' lambda. The larger, the more equal the weights. It is compared with sums over all rows, so it
        must grow with their number. None means half the mean total sum of squares of a feature, which follows
        the units and the number of rows.
    init : str, array-like or callable, default="k-means++"
    n_init : int, default=10
    schedule : {"authors", "geometric"}, default="authors"
    s0 : float or None, default=None
    eta : float or None, default=None
    standardize : bool, default=False
    polish : bool, default=False
        End with Lloyd's k-means from the last centres under the last feature weights, which makes
        the centres cluster means.
    max_iter : int, default=1000
    tol : float or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
    memory_limit : float, str or None, default=None

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        omega, positive (unless they underflow), sum 1, dimensionless.
    gamma_ : float
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
    objective_ : float
        The criterion for s to minus infinity at the last centres and weights: `inertia_` plus the entropy
        term, squared units of X; negative where that prevails. By it starts are compared. At most the last
        entry of `criterion_history_`.
    criterion_history_ : ndarray of shape (n_iterations,)
    s0_ : float
    s_ : float
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
    TypeError

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    PowerKMeans : K-means that depends less on its starts.
    EntropyWeightedKMeans : Soft feature weights in every cluster.

    Notes
    -----
    Differences from the released R code: its weights of the rows lack the factor K^(-1/s) of the criterion,
    so that its gamma counts for more while s is moderate; it adds a ridge of 1e-4 to distances and to sums of
    their powers, which drowns the latter at low powers; it starts at s = -1, where the centres of
    standardised data with many features fall into one (see :class:`PowerKMeans`), and stops there; its
    weights are NaN where all S / gamma exceed 745.

    `transform` gives sqrt(sum_l omega_l (x_l - theta_jl)^2).

    Paths of ``.npy`` and Parquet files, HDF5 datasets, Zarr arrays and memory maps that `memory_limit` does
    not hold are read by blocks of rows, once for each iteration of all starts together. Starts are drawn on a
    random sample of the rows (10 million numbers, or as many as fit in memory), and then run over all rows.

    [dask]

    References
    ----------
    Chakraborty, S., Paul, D., Das, S. and Xu, J. (2020). Entropy weighted power k-means clustering.
    Proceedings of the 23rd International Conference on Artificial Intelligence and Statistics, PMLR 108,
    691-701.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import EntropyWeightedPowerKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> X[:30, :2] += 4
    >>> model = EntropyWeightedPowerKMeans(n_clusters=2, standardize=True, random_state=0).fit(X)
    >>> model.feature_weights_.round(2)
    array([0.35, 0.41, 0.06, 0.06, 0.06, 0.06])
    """

    _facts: ClassVar = {**RowFits._facts, "Gamma": "gamma_", "Power s at the end": "s_"}

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        gamma: Positive | None = None,
        init: Starts = "k-means++",
        n_init: Runs = 10,
        schedule: ScheduleName = "authors",
        s0: FirstPower | None = None,
        eta: Factor | None = None,
        standardize: Flag = False,
        polish: Flag = False,
        max_iter: Count = 1000,
        tol: NotNegative | None = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        memory_limit: Memory = None,
    ) -> None:
        self._keep(locals())

    def _criterion(self, problem: RowProblem) -> PowerProblem:
        mean = float(problem.column_total.mean())
        if self.gamma is None:
            gamma = DEFAULT_STRENGTH * mean if mean > 0 else 1.0
            self.gamma_ = float(self._in_square_units(gamma))
        else:
            # Gamma is in squared units; dividing twice does not overflow where the square of the unit would.
            gamma = float(self.gamma) / self._length_unit / self._length_unit
            self.gamma_ = float(self.gamma)
        # Beyond these limits the weights are those of the limit: all on one feature, or all equal.
        size = mean if mean > 0 else 1.0
        low, high = max(size * 1e-250, 1e-300), min(size * 1e250, 1e300)
        return PowerProblem.of(problem, float(np.clip(gamma, low, high)))

    def _store_fit(self, fit: PowerFit) -> None:
        super()._store_fit(fit)
        self.feature_weights_ = self._weights

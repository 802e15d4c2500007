"""Estimator of entropy-weighted k-means, EntropyWeightedKMeans, and the base class of its family."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsek.core.scaling import column_squares
from sparsek.core.steps import Array, Labels, lowest_score
from sparsek.inputs.threads import thread_control
from sparsek.methods.entropy.algorithm import (
    EntropyProblem,
    EntropyWeighting,
    FeatureGroups,
    distance_coefficients,
    entropy_kmeans,
    group_features,
    with_squares,
)
from sparsek.methods.shared.base import Setup
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
from sparsek.methods.shared.weighted import WeightedClusterer

DEFAULT_STRENGTH = 2
"""Default gamma divided by the mean dispersion D in exp(-D / gamma). In simulations (20 to 1000 features, 4
to 10 clusters) 2 did well; below 1 the weights settle on few features before clusters appear."""


class EntropyClusterer(WeightedClusterer):
    """Base of the family. A subclass gives the groups and the factors of the entropy terms."""

    _texts: ClassVar = {
        "objective_": (
            "The criterion after the last update, squared units of X; negative where the entropy term "
            "prevails."
        ),
        "criterion_history_": "Criterion after each update, never increasing.",
        "n_iter_": "Updates of the best start.",
    }

    max_iter: int
    tol: float
    _shared = False

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        groups = self._find_groups(data.shape[1])
        Z = self._prepared(data, weights)
        self._column_total = column_squares(Z, weights)
        problem = self._problem(groups, self._column_total, weights)
        starts = self._starts(data, Z, weights, kept, groups)
        Q = with_squares(Z)
        run = partial(entropy_kmeans, Q, problem=problem, max_iter=self.max_iter, tol=self.tol)
        return Setup(data, weights, Q, starts, run, problem)

    def _size(self, setup: Setup, results: list[Any]) -> float:
        return float(setup.parts.column_tss.max() + max(result.params.size for result in results))

    def _store(self, setup: Setup, results: list[Any], best: Any) -> None:
        self._store_weights(best.params)
        self.criterion_history_ = self._in_square_units(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.start_objectives_ = self._in_square_units(self.start_objectives_)
        self.inertia_ = self._scatter(setup.Z, setup.weights)

    def _find_groups(self, p: int) -> FeatureGroups:
        """All features in one group."""
        return group_features(np.zeros(p, dtype=np.intp))

    def _gammas(self, column_tss: Array, groups: FeatureGroups) -> tuple[float, float]:
        """Factors of the entropy of group and feature weights, in units of the prepared data."""
        raise NotImplementedError

    def _problem(self, groups: FeatureGroups, column_tss: Array, weights: Array | None) -> EntropyProblem:
        # Beyond these limits the weights are those of the limit: all on the best feature, or all equal.
        group_gamma, feature_gamma = np.clip(self._gammas(column_tss, groups), 1e-300, 1e300).tolist()
        return EntropyProblem(
            self.n_clusters, groups, group_gamma, feature_gamma, self._shared, column_tss, weights
        )

    def _gamma(self, given: float | None, dispersion: float) -> float:
        """The given gamma, in prepared units, or the default for a mean dispersion."""
        if given is not None:
            # Gamma is in squared units; dividing twice does not overflow where the square of the unit would.
            return float(given) / self._length_unit / self._length_unit
        return DEFAULT_STRENGTH * dispersion if dispersion > 0 else 1.0

    def _gamma_in_units(self, given: float | None, prepared: float) -> float:
        """The given gamma, or the default one converted from prepared units to those of the data."""
        return float(self._in_square_units(prepared)) if given is None else float(given)

    def _mean_dispersion(self, column_tss: Array) -> float:
        """Mean total sum of squares of a feature, divided by the number of sets of weights."""
        return float(column_tss.mean()) / (1 if self._shared else self.n_clusters)

    def _starts(
        self, data: Array, Z: Array, weights: Array | None, kept: Array, groups: FeatureGroups
    ) -> list[Labels]:
        """Initial labels, under equal weights of the groups and of the features within each."""
        # Square roots of the weights, scaled so that they are 1 if all groups have the same size.
        sizes = groups.sizes[groups.index] * len(groups.first) / len(groups.index)
        scale = np.append(np.sqrt(1 / sizes), 1).astype(Z.dtype)
        if np.all(scale == 1):
            return self._initial_labels(data, Z, self._scaling, weights, 2, kept)
        scaling = replace(self._scaling, spread=1 / scale[:-1])
        return self._initial_labels(data, Z * scale, scaling, weights, 2, kept)

    def _store_weights(self, params: EntropyWeighting) -> None:
        """Set the attributes about features and centres."""
        rows = 0 if self._shared else slice(None)
        self.feature_weights_ = params.feature_weights[rows]
        self.cluster_centers_ = self._scaling.invert(params.centers)
        self._centers = params.centers
        self._weights = params.weights
        self._coefficients = distance_coefficients(params, params.centers.dtype)

    def _nearest(self, X: Array) -> Labels:
        return lowest_score(with_squares(self._scaling.apply(X)), self._coefficients)

    def _distances(self, X: Array) -> NDArray[np.float64]:
        # Direct differences, because the product formula would lose half the digits of small distances.
        Z = self._scaling.apply(X)[:, :-1]
        with thread_control().limit(limits=1):
            squares = [
                np.square(Z - center) @ weights
                for center, weights in zip(self._centers, self._weights, strict=True)
            ]
        return np.asarray(self._in_units(np.sqrt(np.column_stack(squares))))

    def _inertia(self, X: Array, weights: Array | None) -> float:
        with thread_control().limit(limits=1):
            return self._scatter(with_squares(self._scaling.apply(X)), weights)

    def _scatter(self, Q: Array, weights: Array | None) -> float:
        """Sum of squared distances to the nearest centre, squared units of X."""
        labels = lowest_score(Q, self._coefficients)
        difference = Q[:, : self._centers.shape[1]] - self._centers[labels]
        closest = np.einsum("ij,ij,ij->i", difference, difference, self._weights[labels])
        total = closest.sum() if weights is None else weights @ closest
        return float(self._in_square_units(total))


class EntropyWeightedKMeans(EntropyClusterer):
    r"""Entropy-weighted k-means (EWKM): every cluster has soft weights of its own for the features.

    Minimises :math:`\sum_l \sum_{i \in l} \sum_j w_{lj} (x_{ij} - c_{lj})^2 + \gamma \sum_{lj} w_{lj} \log
    w_{lj}` over partitions, centres c and weights :math:`w \ge 0` with :math:`\sum_j w_{lj} = 1` in every
    cluster l. The minimising weights are :math:`w_{lj} \propto \exp(-D_{lj} / \gamma)` with :math:`D_{lj}`
    the sum of squares of feature j within cluster l: features in which a cluster is tight count most.

    The data are not scaled: features of small variance win. Standardise columns of different units first, for
    example with :class:`sklearn.preprocessing.StandardScaler`.

    Parameters
    ----------
    n_clusters : int, default=8
    gamma : float or None, default=None
        Factor of the entropy term, positive, in squared units of X. The larger, the more equal the weights
        (k-means in the limit); the smaller, the fewer features matter in each cluster. It is compared with
        sums over the rows of a cluster, so it must grow with their number. None means twice the mean of these
        sums before clustering, 2 TSS / (n_clusters n_features), which follows the units and the number of
        rows.
    init : str, array-like or callable, default="k-means++"
        Starts, chosen under equal weights.
        [starts]
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=300
    tol : float, default=1e-6
        A start stops when the criterion falls by at most tol times the sum of the absolute values of its
        terms, or when no label changed.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_clusters, n_features), float64
        w, positive (unless they underflow), rows sum to 1, dimensionless.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
    objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    gamma_ : float
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
    sparsek.rcompat.ewkm : R's entropy-weighted k-means, bit for bit.
    FeatureGroupKMeans : Weights of groups and features in every cluster.
    EntropyWeightedPowerKMeans : Power k-means with feature weights.
    sparsek.plots.plot_weights : Draw the feature weights.

    Notes
    -----
    `transform` gives sqrt(sum_j w_lj (x_j - c_lj)^2). An empty cluster takes the row farthest from its
    centre.

    A small gamma has poor minima of a low criterion: clusters that are tight in one feature by chance. More
    starts find them more surely, so prefer a larger gamma to more starts when weights pile up on few
    features.

    Differences from R's wskm: several starts, chosen by the criterion (wskm starts anew only when a cluster
    is empty); no centre is set to zero; weights are exact, without wskm's floor of 0.0001 / n_features; the
    stopping rule divides by an absolute value (wskm's stops at once when the criterion is negative); sums are
    in the precision of X (wskm's criterion in single). For wskm's own numbers use
    :func:`sparsek.rcompat.ewkm`.

    References
    ----------
    Jing, L., Ng, M. K. and Huang, J. Z. (2007). An entropy weighting k-means algorithm for subspace
    clustering of high-dimensional sparse data. IEEE Transactions on Knowledge and Data Engineering 19,
    1026-1041, Section 3 (algorithm EWKM).

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import EntropyWeightedKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> X[:30, :2] = 4 + 0.1 * rng.normal(size=(30, 2))
    >>> model = EntropyWeightedKMeans(n_clusters=2, gamma=10, random_state=0).fit(X)
    >>> model.feature_weights_[model.labels_[0]].round(2)
    array([0.42, 0.42, 0.02, 0.02, 0.07, 0.05])
    """

    _facts: ClassVar = {**EntropyClusterer._facts, "Gamma": "gamma_"}
    _by_cluster = (*EntropyClusterer._by_cluster, "feature_weights_")

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        gamma: Positive | None = None,
        init: Starts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 300,
        tol: NotNegative = 1e-6,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _gammas(self, column_tss: Array, groups: FeatureGroups) -> tuple[float, float]:
        gamma = self._gamma(self.gamma, self._mean_dispersion(column_tss))
        self.gamma_ = self._gamma_in_units(self.gamma, gamma)
        return gamma, gamma

"""Estimators with weights of feature groups: FeatureGroupKMeans, TwoLevelKMeans."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sparsek.core.steps import Array
from sparsek.methods.entropy.algorithm import EntropyWeighting, FeatureGroups, group_features
from sparsek.methods.entropy.estimator import EntropyClusterer
from sparsek.methods.shared.groups import check_groups
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    NotNegative,
    Positive,
    Runs,
    Seed,
    Starts,
    Values,
    Verbose,
)


class GroupedClusterer(EntropyClusterer):
    """Base of the estimators with feature groups."""

    _facts: ClassVar = {
        **EntropyClusterer._facts,
        "Group gamma": "group_gamma_",
        "Feature gamma": "feature_gamma_",
    }
    _texts: ClassVar = {
        "init": ("Starts, chosen under equal weights of the groups and of the features in each. [starts]"),
        "tol": (
            "A start stops when the criterion falls by at most tol times the sum of the absolute values "
            "of its terms."
        ),
        "groups": (
            "Label of the group of each feature, integers or strings. None puts all features into one group."
        ),
        "feature_gamma": (
            "The same for the feature weights within groups (the paper's eta). None means the default of "
            "`group_gamma` divided by the number of groups."
        ),
        "groups_": "Sorted distinct labels of `groups`.",
        "group_gamma_, feature_gamma_": "The values used, squared units of X.",
    }

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        groups: Values | None = None,
        group_gamma: Positive | None = None,
        feature_gamma: Positive | None = None,
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

    def _find_groups(self, p: int) -> FeatureGroups:
        names = (
            np.zeros(p, dtype=np.intp)
            if self.groups is None
            else check_groups(self.groups, p, getattr(self, "feature_names_in_", None))
        )
        self.groups_, index = np.unique(names, return_inverse=True)
        return group_features(index)

    def _gammas(self, column_tss: Array, groups: FeatureGroups) -> tuple[float, float]:
        dispersion = self._mean_dispersion(column_tss)
        group_gamma = self._gamma(self.group_gamma, dispersion)
        feature_gamma = self._gamma(self.feature_gamma, dispersion / len(self.groups_))
        self.group_gamma_ = self._gamma_in_units(self.group_gamma, group_gamma)
        self.feature_gamma_ = self._gamma_in_units(self.feature_gamma, feature_gamma)
        return group_gamma, feature_gamma

    def _store_weights(self, params: EntropyWeighting) -> None:
        super()._store_weights(params)
        self.group_weights_ = params.group_weights[0] if self._shared else params.group_weights


class FeatureGroupKMeans(GroupedClusterer):
    r"""Feature-group k-means (FG-k-means): every cluster weights groups and the features within them.

    Minimises :math:`\sum_l \sum_{i \in l} \sum_j w_{l g(j)} v_{lj} (x_{ij} - c_{lj})^2 + \lambda \sum_{lg}
    w_{lg} \log w_{lg} + \eta \sum_{lj} v_{lj} \log v_{lj}` over partitions, centres c, group weights
    :math:`w_{lg}` that sum to 1 in every cluster l, and feature weights :math:`v_{lj}` that sum to 1 within
    every group g of it.

    The data are not scaled: features of small variance win. Standardise columns of different units first, for
    example with :class:`sklearn.preprocessing.StandardScaler`.

    Parameters
    ----------
    n_clusters : int, default=8
    groups : array-like of shape (n_features,) or None, default=None
    group_gamma : float or None, default=None
        Factor of the entropy of the group weights (the paper's lambda), positive, in squared units of X. The
        larger, the more equal the weights. None means twice the mean sum of squares that they respond to,
        before clustering: 2 TSS / (n_clusters n_features).
    feature_gamma : float or None, default=None
    init : str, array-like or callable, default="k-means++"
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=300
    tol : float, default=1e-6
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_clusters, n_features), float64
        v, positive (unless they underflow), sum to 1 within each group in every cluster, dimensionless.
    group_weights_ : ndarray of shape (n_clusters, n_groups), float64
        w in the order of `groups_`, positive (unless they underflow), sum to 1 in every cluster,
        dimensionless.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
    objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    groups_ : ndarray of shape (n_groups,)
    group_gamma_, feature_gamma_ : float
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
    sparsek.rcompat.fgkm : R's feature-group k-means, bit for bit.
    TwoLevelKMeans : Weights of groups and features, the same in all clusters.
    EntropyWeightedKMeans : Soft feature weights in every cluster.

    Notes
    -----
    `transform` gives sqrt(sum_j w_lg(j) v_lj (x_j - c_lj)^2). With one group the method is EWKM
    (:class:`EntropyWeightedKMeans`) with gamma = feature_gamma. Groups share the weights equally at the
    start, whatever their sizes.

    Differences from R's wskm: several starts, chosen by the criterion; an empty cluster takes the row
    farthest from its centre (wskm starts anew, ten times at most, and then returns damaged centres); weights
    are exact, without wskm's floor, and never NaN (wskm's can be for a small `feature_gamma`). For wskm's own
    numbers use :func:`sparsek.rcompat.fgkm`.

    References
    ----------
    Chen, X., Ye, Y., Xu, X. and Huang, J. Z. (2012). A feature group weighting method for subspace clustering
    of high-dimensional data. Pattern Recognition 45, 434-446, algorithm FG-k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import FeatureGroupKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> X[:30, :2] = 4 + 0.1 * rng.normal(size=(30, 2))
    >>> groups = ["a", "a", "b", "b", "b", "b"]
    >>> model = FeatureGroupKMeans(2, groups=groups, group_gamma=10, feature_gamma=10, random_state=0).fit(X)
    >>> model.group_weights_[model.labels_[0]].round(2)
    array([0.92, 0.08])
    """

    _by_cluster = (*GroupedClusterer._by_cluster, "feature_weights_", "group_weights_")


class TwoLevelKMeans(GroupedClusterer):
    r"""Two-level weighted k-means (TW-k-means): views and variables have weights for all clusters.

    Minimises :math:`\sum_l \sum_{i \in l} \sum_j w_{g(j)} v_j (x_{ij} - c_{lj})^2 + \lambda \sum_g w_g \log
    w_g + \eta \sum_j v_j \log v_j` over partitions, centres c, weights :math:`w_g` of the views (groups of
    features) that sum to 1, and variable weights :math:`v_j` that sum to 1 within every view.

    The data are not scaled: features of small variance win. Standardise columns of different units first, for
    example with :class:`sklearn.preprocessing.StandardScaler`.

    Parameters
    ----------
    n_clusters : int, default=8
    groups : array-like of shape (n_features,) or None, default=None
    group_gamma : float or None, default=None
        Factor of the entropy of the group weights (the paper's lambda), positive, in squared units of X. The
        larger, the more equal the weights. None means twice the mean sum of squares that they respond to,
        before clustering: 2 TSS / n_features.
    feature_gamma : float or None, default=None
    init : str, array-like or callable, default="k-means++"
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=300
    tol : float, default=1e-6
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        v, positive (unless they underflow), sum to 1 within each group, dimensionless.
    group_weights_ : ndarray of shape (n_groups,), float64
        w in the order of `groups_`, positive (unless they underflow), sum to 1, dimensionless.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of shape (n_samples,), int32
    inertia_ : float
    objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    groups_ : ndarray of shape (n_groups,)
    group_gamma_, feature_gamma_ : float
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
    sparsek.rcompat.twkm : R's two-level k-means, bit for bit.
    FeatureGroupKMeans : Weights of groups and features in every cluster.
    EntropyWeightedKMeans : Soft feature weights in every cluster.

    Notes
    -----
    `transform` gives sqrt(sum_j w_g(j) v_j (x_j - c_lj)^2). Views share the weights equally at the start,
    whatever their sizes.

    Differences from R's wskm: several starts, chosen by the criterion; an empty cluster takes the row
    farthest from its centre (wskm starts anew, ten times at most, and then returns damaged centres); weights
    are exact, without wskm's floor. For wskm's own numbers use :func:`sparsek.rcompat.twkm`.

    References
    ----------
    Chen, X., Xu, X., Huang, J. Z. and Ye, Y. (2013). TW-k-means: automated two-level variable weighting
    clustering algorithm for multiview data. IEEE Transactions on Knowledge and Data Engineering 25, 932-944.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import TwoLevelKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 6))
    >>> X[:, :2] *= 0.3
    >>> X[:30, :2] += 2
    >>> groups = ["a", "a", "b", "b", "b", "b"]
    >>> model = TwoLevelKMeans(2, groups=groups, group_gamma=20, feature_gamma=20, random_state=0).fit(X)
    >>> model.group_weights_.round(2)
    array([0.92, 0.08])
    """

    _shared = True

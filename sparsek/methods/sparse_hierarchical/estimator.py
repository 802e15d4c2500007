"""Estimator of sparse hierarchical clustering: SparseAgglomerativeClustering."""

from __future__ import annotations

import warnings
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.cluster import AgglomerativeClustering
from sklearn.exceptions import ConvergenceWarning

from sparsek.core.scaling import prepare, warn_of_lost_structure
from sparsek.core.steps import Array
from sparsek.core.trees import average_linkage, cut_tree
from sparsek.errors import callers_level
from sparsek.inputs.arguments import names, require_matrices
from sparsek.inputs.in_use import in_use
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import require_array, require_rows, validate_data
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    L1Bound,
    Linkage,
    NotNegative,
    Positive,
    resolve_l1_bound,
)
from sparsek.methods.shared.selection import SelectedFeatures
from sparsek.methods.shared.weighted import repeated_rows
from sparsek.methods.sparse_hierarchical.algorithm import (
    MATRICES,
    sparse_dissimilarities,
    weighted_dissimilarities,
)
from sparsek.summary.estimators import FitSummaryMixin


class SparseAgglomerativeClustering(
    NumberedClusters, SelectedFeatures, FitSummaryMixin, ClusterMixin, Estimator
):
    r"""Sparse hierarchical clustering of Witten and Tibshirani: a tree on features that separate the rows.

    Maximises :math:`\sum_j w_j \sum_{i,i'} d_{ii'j} U_{ii'}` over weights :math:`w \ge 0` with
    :math:`\|w\|_2 \le 1`, :math:`\|w\|_1 \le s` and matrices U with :math:`\|U\|_F \le 1`, where d is the
    dissimilarity of rows i and i' in feature j. Then the rows are merged by the dissimilarities U, which are
    proportional to :math:`\sum_j w_j d_{ii'j}`. Small bounds s select few features. The data are not scaled:
    standardise columns of different units first.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters that the tree is cut into.
    l1_bound : float or None, default=None
        The bound s, dimensionless, in [1, sqrt(n_features)]. 1 selects one feature; sqrt(n_features) leaves
        all weights free. None means sqrt(n_features) / 2, at least 1, as in sparcl.
    linkage : {"average", "complete", "single"}, default="average"
    dissimilarity : {"squared", "absolute"}, default="squared"
        In one feature: the squared or the absolute difference.
    standardize : bool, default=False
    max_iter : int, default=100
        Largest number of weight updates.
    tol : float, default=1e-4
        Stop when sum(abs(w - w_old)) <= tol * sum(w_old).
    memory_limit : float, default=4e9
        Bytes that the n_samples x n_samples matrices (six of doubles) may take.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,), float64
        Non-negative, unit L2 norm, L1 norm at most `l1_bound`, dimensionless; all 0 when no two rows differ.
    labels_ : ndarray of shape (n_samples,), int
        Labels: numbers of the clusters. Rows of weight 0 get the cluster that `linkage` finds nearest.
    children_ : ndarray of shape (n_samples - 1, 2), int
    distances_ : ndarray of shape (n_samples - 1,)
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        U, symmetric, unit Frobenius norm, dimensionless; of the rows of positive weight, which are the leaves
        of the tree.
    n_leaves_ : int
    n_connected_components_ : int
    objective_ : float
        Minus the criterion, minimised, in (squared, for squared differences) units of X.
    gap_objective_ : float
    criterion_history_ : ndarray of shape (n_iterations,)
        Minus the criterion after each weight update, never increasing.
    n_iter_ : int
        Number of weight updates.
    l1_bound_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters or than 2, a parameter outside its range,
        negative `sample_weight`, or fewer than two positive ones.
    TypeError
    MemoryError
        From `fit`: the matrices would take more than `memory_limit`; nothing is allocated then.

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached.
    UserWarning
        [large bound]

    See Also
    --------
    sparsek.rcompat.HierarchicalSparseCluster : R's sparse hierarchical clustering, bit for bit.
    PermutationGap : Choose parameters by the permutation gap statistic.
    COSA : A tree of the rows whose clusters have features of their own.
    sparsek.plots.plot_dendrogram : Draw a tree.

    Notes
    -----
    There is no `predict`: a tree says nothing about new rows. No array of n_samples^2 x n_features entries is
    formed: matrix products take its place.

    With `sample_weight` the weights of features are those of the repeated rows: a pair of rows counts as
    often as the product of their weights, in :math:`\|U\|_F` too. Copies of a row would merge first, at
    height 0; average linkage then counts a row by its weight, and the other linkages count nothing.

    sparcl's distances are in single precision, its bound holds only approximately, its search for the
    threshold fails on data below a scale of about 1e-5, and its criterion is that above divided by sqrt(2),
    because each pair of rows is counted once. For sparcl's own numbers, missing values, the centroid linkage
    and complementary clustering use :func:`sparsek.rcompat.HierarchicalSparseCluster`.

    References
    ----------
    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726, Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SparseAgglomerativeClustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 30))
    >>> X[:20, :3] += 4
    >>> model = SparseAgglomerativeClustering(n_clusters=2, l1_bound=1.7, linkage="complete").fit(X)
    >>> np.sort(np.argsort(-model.feature_weights_)[:3])
    array([0, 1, 2])
    >>> np.bincount(model.labels_)
    array([20, 20])
    """

    _facts: ClassVar = {"L1 bound": "l1_bound_", **FitSummaryMixin._facts}
    feature_weights_: Array

    _by_cluster = ()

    def __init__(
        self,
        n_clusters: Count = 2,
        *,
        l1_bound: L1Bound | None = None,
        linkage: Linkage = "average",
        dissimilarity: Annotated[str, names("squared", "absolute")] = "squared",
        standardize: Flag = False,
        max_iter: Count = 100,
        tol: NotNegative = 1e-4,
        memory_limit: Positive = 4e9,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Weight the features of X and merge its rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite, at least two rows. Never changed; the computation is in double precision.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions] At least two must be positive.

        Returns
        -------
        SparseAgglomerativeClustering
            The fitted estimator.
        """
        self._validate_params()
        X = require_array(X)
        data = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        everything = data
        rows = repeated_rows(data, sample_weight, 2)
        data, weights, self._fit_weights, kept = rows
        require_rows(len(data), self.n_clusters)
        require_matrices(MATRICES, len(data), self.memory_limit)
        names = getattr(self, "feature_names_in_", None)
        warn_of_lost_structure(data, names, common_scale=not self.standardize)
        self.l1_bound_ = resolve_l1_bound(self.l1_bound, data.shape[1])
        squared = self.dissimilarity == "squared"
        with thread_control().limit(limits=1):
            Z, scaling = prepare(data, weights, standardize=self.standardize, by_column=self.standardize)
            options = (self.l1_bound_, squared, self.max_iter, self.tol)
            found = sparse_dissimilarities(Z[:, :-1], *options, weights)
        self.feature_weights_ = found.weights
        self.dissimilarity_matrix_ = found.matrix
        unit = 1.0 if self.standardize else float(scaling.unit[0])
        with np.errstate(over="ignore", under="ignore"):
            history = np.array(found.history) / unit
            self.criterion_history_ = history / unit if squared else history
        self.objective_ = float(self.criterion_history_[-1])
        self.n_iter_ = len(found.history)
        if not found.converged:
            warnings.warn(
                f"the weights did not converge in {self.max_iter} iterations; increase max_iter",
                ConvergenceWarning,
                stacklevel=callers_level(),
            )
        self.labels_ = self._leaf_labels = self._merge(weights)
        if not kept.all():
            outside = scaling.apply(everything[~kept])[:, :-1]
            self.labels_ = np.empty(len(kept), self._leaf_labels.dtype)
            self.labels_[kept] = self._leaf_labels
            apart = weighted_dissimilarities(outside, Z[:, :-1], found.weights, squared)
            self.labels_[~kept] = self._nearest_by_linkage(apart, weights)
        self._note_engine()
        return self

    def _selected(self) -> NDArray[np.bool_]:
        return in_use(self.feature_weights_)

    @property
    def gap_objective_(self) -> float:
        """The maximised criterion."""
        return -self.objective_

    def _merge(self, weights: Array | None) -> NDArray[np.int32]:
        """Agglomerate the dissimilarities, by scikit-learn where no weights of rows count."""
        self.n_leaves_ = len(self.dissimilarity_matrix_)
        self.n_connected_components_ = 1
        if weights is None or self.linkage != "average":
            tree = AgglomerativeClustering(
                self.n_clusters, metric="precomputed", linkage=self.linkage, compute_distances=True
            ).fit(self.dissimilarity_matrix_)
            self.children_, self.distances_, labels = tree.children_, tree.distances_, tree.labels_
            self.n_leaves_, self.n_connected_components_ = tree.n_leaves_, tree.n_connected_components_
        else:
            merges = average_linkage(self.dissimilarity_matrix_.copy(), weights)
            self.children_, self.distances_ = merges[:, :2].astype(np.intp), merges[:, 2]
            labels = cut_tree(self.children_, self.n_clusters)
        found: NDArray[np.int32] = self._number(labels, weights)
        return found

    def _nearest_by_linkage(self, apart: Array, weights: Array | None) -> NDArray[np.intp]:
        """The clusters that rows outside the tree are nearest to, by dissimilarities to its leaves."""
        groups = [self._leaf_labels == k for k in range(self.n_clusters)]
        if self.linkage == "average":
            mass = np.ones(self.n_leaves_) if weights is None else weights
            scores = [np.average(apart[:, rows], axis=1, weights=mass[rows]) for rows in groups]
        else:
            end = np.min if self.linkage == "single" else np.max
            scores = [end(apart[:, rows], axis=1) for rows in groups]
        nearest: NDArray[np.intp] = np.argmin(scores, axis=0)
        return nearest

"""Hierarchical clustering on squared Euclidean distances, and tests of its clusters."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering

from sparsek.inference.exact import exact_difference
from sparsek.inference.monte_carlo import test_clusters
from sparsek.inference.recorded import labels_of
from sparsek.inference.results import ClusterTest
from sparsek.inference.weights import unweighted
from sparsek.inputs.validation import validate_data
from sparsek.selective.intervals import Conditions
from sparsek.selective.line import Line
from sparsek.selective.tree import LINKAGES, cut, tree_conditions, tree_merges

Array = NDArray[Any]
SQUARED = ("sqeuclidean",)
"""Metric of scikit-learn under which average linkage is the one tested here."""


class LinkageClustering(ClusterMixin, BaseEstimator):
    """Hierarchical clustering on squared Euclidean distances, for `test_hierarchical`.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    linkage : str, default="average"
        "single", "average", "centroid", "ward", "mcquitty", "median" or "complete".

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int
        Labels from 0, in the order of the rows.
    children_ : ndarray of shape (n_samples - 1, 2), int
        The merges: numbers below n_samples are rows, n_samples + t is what merge t made.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, when X has some.

    Raises
    ------
    ValueError
        From `fit`: another linkage, or a number of clusters that is not from 1 to the number of rows.

    See Also
    --------
    test_hierarchical : Test two clusters of a hierarchical clustering.
    sparsek.SparseAgglomerativeClustering : A tree of the rows on few features.

    Notes
    -----
    R has the same trees by ``hclust(dist(X)^2, method)``, with "ward.D" for "ward".

    Examples
    --------
    >>> from sparsek.inference import LinkageClustering
    >>> LinkageClustering(2).fit([[5.0], [5.2], [0.0], [0.1], [5.1]]).labels_.tolist()
    [0, 0, 1, 1, 0]
    """

    labels_: Array
    children_: Array

    def __init__(self, n_clusters: int = 2, linkage: str = "average") -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Build the tree and cut it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        LinkageClustering
            The fitted estimator.
        """
        data = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        k = self.n_clusters
        if self.linkage not in LINKAGES:
            raise ValueError(f"linkage must be one of {', '.join(LINKAGES)}; got {self.linkage!r}")
        if isinstance(k, bool) or not isinstance(k, Integral) or not 1 <= k <= len(data):
            raise ValueError(f"n_clusters must be a whole number from 1 to n_samples={len(data)}; got {k!r}")
        self.children_ = tree_merges(data, self.linkage)
        self.labels_ = cut(self.children_, int(k))
        return self


@unweighted()
def test_hierarchical(
    model: Any,
    X: ArrayLike,
    a: int,
    b: int,
    sigma: Any = None,
    *,
    n_draws: int = 2000,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> ClusterTest:
    """Test whether two clusters of a hierarchical clustering have the same mean.

    Assumes independent rows and normal noise with one standard deviation or covariance matrix (`sigma`). On
    skewed, heavy-tailed or correlated noise beside one number the p-value is too small; an
    `AssumptionWarning` says where the data look like that.

    The p-value is the probability that the distance of the two means is at least as large as observed. The
    condition is that the tree makes the same merges up to the cut when the data are moved to have this
    distance. It is exact for six linkages; for complete linkage `test_clusters` estimates it.

    Parameters
    ----------
    model : LinkageClustering or AgglomerativeClustering
        The fitted model, on squared Euclidean distances: of scikit-learn's, "ward", or "single", or with
        ``metric="sqeuclidean"`` also "average" and "complete", without connectivity.
    X : array-like of shape (n_samples, n_features)
        The data of the fit, complete.
    a, b : int
        Labels of two clusters.
    sigma : None, float, str or array-like of shape (n_features, n_features)
    n_draws : int, default=2000
        Draws for complete linkage.
    random_state : int, default=0
        Seed of these draws.
    n_jobs : int or None, default=None
        Tasks of joblib for these draws.

    Returns
    -------
    ClusterTest
        Statistic, p-value and, if exact, the set of distances that keep the merges.

    Raises
    ------
    ValueError
        The distances of the model are not squared Euclidean, X is not the data of the fit, a or b is no
        label, or sigma is not positive (definite).
    TypeError
        The model is of another class.

    Warns
    -----
    AssumptionWarning
        The noise is skewed or has heavy tails, or is not as `sigma` says.
    UserWarning
        The data have ties that decide the p-value, which is NaN; or few draws kept the clusters.

    See Also
    --------
    sparsek.rcompat.test_hier_clusters_exact : R's test of two clusters of a tree.
    LinkageClustering : The clustering that `test_hierarchical` tests.
    test_kmeans : Test two clusters of k-means.
    test_feature : Test two clusters in one feature.

    References
    ----------
    Gao, L. L., Bien, J. and Witten, D. (2022). Selective inference for hierarchical clustering. JASA
    119(545), 332-342.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import inference
    >>> X = np.random.default_rng(1).normal(size=(40, 2))
    >>> model = inference.LinkageClustering(3, "average").fit(X)
    >>> print(inference.test_hierarchical(model, X, 0, 1, sigma=1.0))
    clusters 0 and 1: statistic 3.27, selective p = 0.209, naive p = 0.00546
    """
    if linkage_of(model) == "complete":
        return test_clusters(model, X, a, b, sigma, n_draws=n_draws, random_state=random_state, n_jobs=n_jobs)
    return exact_difference(model, X, a, b, sigma, tree_steps)


def linkage_of(model: Any) -> str:
    """The linkage on squared Euclidean distances that a model has; TypeError or ValueError for others."""
    if isinstance(model, LinkageClustering):
        return model.linkage
    if not isinstance(model, AgglomerativeClustering):
        raise TypeError(
            "the test takes LinkageClustering and scikit-learn's AgglomerativeClustering; got "
            f"{type(model).__name__}; test_clusters takes any estimator"
        )
    linkage, metric = str(model.linkage), model.metric
    # Ward's linkage squares distances itself, and single linkage merges alike on distances and squares.
    free = linkage in ("ward", "single") and metric == "euclidean"
    if (
        model.connectivity is not None
        or model.distance_threshold is not None
        or not (free or metric in SQUARED)
    ):
        raise ValueError(
            f"the test needs a tree on squared Euclidean distances, cut by n_clusters; got "
            f"linkage={linkage!r}, metric={metric!r}: use LinkageClustering"
        )
    return linkage


def tree_steps(model: Any, X: Array, line: Line) -> Conditions:
    """Where the tree of a fitted model has the same merges up to the cut; ValueError if X is another one."""
    linkage, n_clusters = linkage_of(model), int(model.n_clusters)
    merges = tree_merges(X, linkage)
    found, known = cut(merges, n_clusters), labels_of(model)
    pairs = np.unique(np.column_stack([found, known]), axis=0)
    if not len(pairs) == n_clusters == len(np.unique(known)):
        raise ValueError("building the tree again gave other clusters; pass the X of the fit")
    return tree_conditions(line, merges, n_clusters, linkage)

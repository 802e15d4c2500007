"""COSA: `cosa_distances`, and hierarchical clustering on them, COSA."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin
from sklearn.cluster import AgglomerativeClustering

from sparsek.core.scaling import warn_of_far_columns
from sparsek.core.steps import Array
from sparsek.inputs.arguments import check_arguments, names, number, require_matrices
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import check_array, require_array, require_rows, validate_data
from sparsek.methods.cosa.algorithm import CosaDistances, iterate_cosa
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import Count, Linkage, NotNegative, Positive
from sparsek.summary.estimators import FitSummaryMixin

MATRICES = 5
"""Number of n x n matrices of doubles held at once."""


def cosa_distances(
    X: ArrayLike,
    *,
    regularization: float = 0.2,
    n_neighbors: int | None = None,
    relax: float = 0.1,
    power: float = 1.0,
    combine: str = "each",
    max_iter: int = 100,
    tol: float = 1e-5,
    memory_limit: float = 4e9,
) -> CosaDistances:
    r"""Dissimilarities of rows that cluster on subsets of the features, and the weights behind them.

    Every row i gets weights :math:`w_{ik} \propto \exp(-s_{ik} / \lambda)`, where s is the dispersion of
    feature k among the nearest neighbours of i. Rows i and j have the dissimilarity :math:`D_{ij} = -\eta T
    \log(\sum_k t_k e^{-d_{ijk} / \eta} / T)` with :math:`t_k = \max(w_{ik}, w_{jk})` and T their sum. d are
    absolute differences, scaled by quartiles. Both alternate while eta grows from lambda.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite, at least two rows; numeric features of any units.
    regularization : float, default=0.2
        lambda, positive, dimensionless: the larger, the more equal the weights.
    n_neighbors : int or None, default=None
        Neighbours from which weights are computed, in [1, n_samples - 1]. None means sqrt(n_samples), rounded
        down.
    relax : float, default=0.1
        eta is lambda (1 + relax * iteration); at least 0.
    power : float, default=1.0
        Power of the scaled differences, above 0 and at most 20.
    combine : {"each", "whole"}, default="each"
        "each" is the formula above; "whole" computes D with the weights of i and with those of j and takes
        the larger.
    max_iter : int, default=100
        Largest number of updates of the weights.
    tol : float, default=1e-5
        Stop when their mean change over 11 iterations, as a share of the largest possible, is at most this.
    memory_limit : float, default=4e9
        Bytes that the n_samples x n_samples matrices (five of doubles) may take.

    Returns
    -------
    CosaDistances
        With the fields `distances`, ndarray of shape (n_samples, n_samples), symmetric, dimensionless;
        `weights`, ndarray of shape (n_samples, n_features), whose rows sum to 1, 0 for constant features;
        `eta`, `n_iter` and `converged`.

    Raises
    ------
    ValueError
        NaN or infinite data, fewer than two rows, a parameter outside its range.
    TypeError
        Sparse data, or a parameter of the wrong type.
    MemoryError
        The matrices would take more than `memory_limit`; nothing is allocated then.

    See Also
    --------
    COSA : A tree of the rows whose clusters have features of their own.
    madd_distances : Mean absolute differences of distances of all pairs of rows.

    Notes
    -----
    There is no criterion, and the weights can end in a cycle: reaching `max_iter`, as the authors' program
    often does, is no cause for a warning; `converged` tells. Time grows with n_samples^2 n_features in every
    iteration. Only numeric features without targets are
    covered. The authors' Fortran program holds the constant 1.35 of the scaling in single precision; here it
    is a double, so that results agree to about 1e-8.

    References
    ----------
    Friedman, J. H. and Meulman, J. J. (2004). Clustering objects on subsets of attributes. JRSS B 66,
    815-849.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import cosa_distances
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 10))
    >>> X[:20, :3] *= 0.1
    >>> X[20:, 3:6] *= 0.1
    >>> found = cosa_distances(X)
    >>> np.sort(np.argsort(-found.weights[:20].mean(axis=0))[:3])
    array([0, 1, 2])
    """
    check_arguments(
        "cosa_distances",
        COSA._parameter_constraints,
        regularization=regularization,
        n_neighbors=n_neighbors,
        relax=relax,
        power=power,
        combine=combine,
        max_iter=max_iter,
        tol=tol,
        memory_limit=memory_limit,
    )
    X = require_array(X)
    data = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2, input_name="X")
    n = len(data)
    require_matrices(MATRICES, n, memory_limit)
    if n_neighbors is not None and n_neighbors >= n:
        raise ValueError(f"n_neighbors must be less than n_samples={n}; got {n_neighbors}")
    with thread_control().limit(limits=1):
        return iterate_cosa(
            data,
            regularization=float(regularization),
            n_neighbors=int(np.sqrt(n)) if n_neighbors is None else int(n_neighbors),
            relax=float(relax),
            power=float(power),
            whole=combine == "whole",
            max_iter=max_iter,
            tol=tol,
        )


class COSA(NumberedClusters, FitSummaryMixin, ClusterMixin, Estimator):
    r"""Hierarchical clustering of the dissimilarities of COSA: clusters on subsets of the features.

    Each cluster may be tight in features of its own, which a single set of weights cannot find. See
    :func:`cosa_distances` for the formulas.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters that the tree is cut into.
    regularization : float, default=0.2
        lambda, positive, dimensionless: the larger, the more equal the weights.
    n_neighbors : int or None, default=None
        Neighbours that weights are learnt from, in [1, n_samples - 1]. None means sqrt(n_samples), rounded
        down.
    relax : float, default=0.1
        eta is lambda (1 + relax * iteration); at least 0.
    power : float, default=1.0
        Power of the scaled differences, above 0 and at most 20.
    combine : {"each", "whole"}, default="each"
        How the weights of two rows make their dissimilarity.
    linkage : {"average", "complete", "single"}, default="average"
    max_iter : int, default=100
        Largest number of updates of the weights.
    tol : float, default=1e-5
        Tolerance of their mean change over 11 iterations.
    memory_limit : float, default=4e9
        Bytes that the n_samples x n_samples matrices (five of doubles) may take.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_samples, n_features)
        Weights of the features for each row; rows sum to 1, 0 for constant features.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        D, symmetric, dimensionless.
    labels_ : ndarray of shape (n_samples,), int
        Clusters from 0.
    children_ : ndarray of shape (n_samples - 1, 2), int
    distances_ : ndarray of shape (n_samples - 1,)
    n_leaves_ : int
    n_connected_components_ : int
    converged_ : bool
        Whether the weights settled within `max_iter`; they can end in a cycle.
    eta_ : float
        Last homotopy parameter.
    n_iter_ : int
        Number of updates of the weights.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters or than 2, a parameter outside its range.
    TypeError
    MemoryError
        From `fit`: the matrices would take more than `memory_limit`.

    See Also
    --------
    cosa_distances : The dissimilarities of COSA.
    SparseAgglomerativeClustering : A tree of the rows on few features.
    EntropyWeightedKMeans : Soft feature weights in every cluster.
    sparsek.plots.plot_dendrogram : Draw a tree.

    Notes
    -----
    There is no `predict`: a tree says nothing about new rows.

    References
    ----------
    Friedman, J. H. and Meulman, J. J. (2004). Clustering objects on subsets of attributes. JRSS B 66,
    815-849.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import COSA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 10))
    >>> X[:30, :3] *= 0.05
    >>> X[30:, 3:6] *= 0.05
    >>> int(np.bincount(COSA(n_clusters=2).fit(X).labels_[:30]).max())
    30
    """

    _facts: ClassVar = {**FitSummaryMixin._facts, "Eta": "eta_"}

    _by_cluster = ()
    _no_weights = NoWeights(
        "its neighbourhoods are numbers of rows",
        "EntropyWeightedKMeans or SKFR(scope='local')",
    )

    def __init__(
        self,
        n_clusters: Count = 2,
        *,
        regularization: Annotated[float, number(1e-300)] = 0.2,
        n_neighbors: Count | None = None,
        relax: NotNegative = 0.1,
        power: Annotated[float, number(0, 20, "right")] = 1.0,
        combine: Annotated[str, names("each", "whole")] = "each",
        linkage: Linkage = "average",
        max_iter: Count = 100,
        tol: NotNegative = 1e-5,
        memory_limit: Positive = 4e9,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Weight the features for every row, and merge the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite, at least two rows. Never changed; the computation is in double precision.
        y : None

        Returns
        -------
        COSA
            The fitted estimator.
        """
        self._validate_params()
        X = require_array(X)
        data = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        require_rows(len(data), self.n_clusters)
        warn_of_far_columns(data.max(axis=0), data.min(axis=0), getattr(self, "feature_names_in_", None))
        settings = self.get_params()
        del settings["n_clusters"], settings["linkage"]
        found = cosa_distances(data, **settings)
        self.feature_weights_: Array = found.weights
        self.dissimilarity_matrix_: Array = found.distances
        self.eta_, self.n_iter_, self.converged_ = found.eta, found.n_iter, found.converged
        self._merge()
        self._note_engine()
        return self

    def _weights_by_cluster(self) -> Array:
        """Mean of the rows' weights in every cluster, for the summary."""
        return np.array(
            [self.feature_weights_[self.labels_ == k].mean(axis=0) for k in range(self.n_clusters)]
        )

    def _merge(self) -> None:
        """Scikit-learn's agglomeration of the dissimilarities."""
        tree: Any = AgglomerativeClustering(
            self.n_clusters, metric="precomputed", linkage=self.linkage, compute_distances=True
        ).fit(self.dissimilarity_matrix_)
        self.labels_ = self._number(tree.labels_)
        self.children_, self.distances_ = tree.children_, tree.distances_
        self.n_leaves_, self.n_connected_components_ = tree.n_leaves_, tree.n_connected_components_
